#include <tactus/control/arm/path.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/control/arm/turns.h>

namespace tactus::control {

namespace {

constexpr double kLargestRate = 15.0 / 8.0;  // of least_jerk(), times T
const double kLargestAcceleration = 10.0 / std::sqrt(3.0);

void check_points(const std::vector<std::vector<double>>& points) {
  if (points.size() < 2)
    throw InputError({}, fmt::format("a path through {} points", points.size()), "give two or more");
  for (const std::vector<double>& point : points) {
    if (point.empty() || point.size() != points.front().size())
      throw InputError({}, "the points of a path have different numbers of joints",
                       "give one number for each joint");
    for (const double x : point)
      if (!std::isfinite(x))
        throw InputError({}, "a point of the path is not a number", "give finite numbers");
  }
}

/// Rates at the points of the cubic spline that is at rest at both ends.
std::vector<double> rates_of(const std::vector<double>& t, const std::vector<double>& x) {
  const std::size_t n = t.size();
  std::vector<double> rate(n, 0.0), diagonal(n, 0.0);
  // h_k r_(k-1) + 2 (h_(k-1) + h_k) r_k + h_(k-1) r_(k+1) = 3 (h_k d_(k-1) + h_(k-1) d_k)
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double before = t[k] - t[k - 1], after = t[k + 1] - t[k];
    double d = 2.0 * (before + after);
    double right = 3.0 * (after * (x[k] - x[k - 1]) / before + before * (x[k + 1] - x[k]) / after);
    if (k > 1) {
      const double factor = after / diagonal[k - 1];
      d -= factor * (t[k - 1] - t[k - 2]);
      right -= factor * rate[k - 1];
    }
    diagonal[k] = d;
    rate[k] = right;
  }
  for (std::size_t k = n - 1; k-- > 1;) {
    if (k + 2 < n) rate[k] -= (t[k] - t[k - 1]) * rate[k + 1];
    rate[k] /= diagonal[k];
  }
  return rate;
}

/// Of x = 0 .. 1 with these values, first and second derivatives at both ends.
std::array<double, 6> quintic(const Course& a, const Course& b) {
  const double d = b.x - a.x;
  return {a.x,
          a.rate,
          0.5 * a.acceleration,
          10.0 * d - 6.0 * a.rate - 4.0 * b.rate - 1.5 * a.acceleration + 0.5 * b.acceleration,
          -15.0 * d + 8.0 * a.rate + 7.0 * b.rate + 1.5 * a.acceleration - b.acceleration,
          6.0 * d - 3.0 * a.rate - 3.0 * b.rate - 0.5 * a.acceleration + 0.5 * b.acceleration};
}

Course value(const std::array<double, 6>& c, double x) {
  return {c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5])))),
          c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * (4.0 * c[4] + x * 5.0 * c[5]))),
          2.0 * c[2] + x * (6.0 * c[3] + x * (12.0 * c[4] + x * 20.0 * c[5]))};
}

/// The largest size on [0, 1] of a function that is looked at closely enough for a polynomial of fourth degree, then refined.
template <class F>
double largest_size(const F& f) {
  constexpr int kLooks = 32;
  double best = 0.0, at = 0.0;
  for (int k = 0; k <= kLooks; ++k) {
    const double x = static_cast<double>(k) / kLooks, size = std::abs(f(x));
    if (!(size <= best)) {
      best = size;
      at = x;
    }
  }
  double low = std::max(0.0, at - 1.0 / kLooks), high = std::min(1.0, at + 1.0 / kLooks);
  for (int k = 0; k < 60; ++k) {  // thirds: one top lies between
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (std::abs(f(a)) < std::abs(f(b)) ? low : high) = std::abs(f(a)) < std::abs(f(b)) ? a : b;
  }
  return std::max(best, std::abs(f(0.5 * (low + high))));
}

}  // namespace

Course least_jerk(double t, double T) noexcept {
  if (!(t > 0.0)) return {};
  if (!(t < T)) return {1.0, 0.0, 0.0};
  const double x = t / T;
  return {x * x * x * (10.0 + x * (-15.0 + 6.0 * x)), 30.0 * x * x * (1.0 - x) * (1.0 - x) / T,
          60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (T * T)};
}

JointPath::JointPath(std::vector<std::vector<double>> points, std::vector<double> times)
    : points_(std::move(points)), times_(std::move(times)) {
  check_points(points_);
  joints_ = points_.front().size();
  if (times_.size() != points_.size())
    throw InputError({}, fmt::format("{} times for {} points", times_.size(), points_.size()),
                     "give one time for each point");
  if (times_.front() != 0.0) throw InputError({}, "the first time of a path is not 0", "begin at 0 s");
  for (std::size_t k = 1; k < times_.size(); ++k)
    if (!(times_[k] > times_[k - 1]) || !std::isfinite(times_[k]))
      throw InputError(
          {}, fmt::format("time {:g} s of the path does not come after {:g} s", times_[k], times_[k - 1]),
          "give the times in order");
  make();
}

JointPath::JointPath(std::vector<std::vector<double>> points, const Limits& limits)
    : points_(std::move(points)) {
  check_points(points_);
  joints_ = points_.front().size();
  if (limits.rate.size() != joints_ || limits.acceleration.size() != joints_)
    throw InputError({},
                     fmt::format("limits of {} rates and {} accelerations for {} joints", limits.rate.size(),
                                 limits.acceleration.size(), joints_),
                     "give one of each for each joint");
  for (std::size_t j = 0; j < joints_; ++j)
    if (!(limits.rate[j] > 0.0) || !(limits.acceleration[j] > 0.0) ||
        !std::isfinite(limits.rate[j] + limits.acceleration[j]))
      throw InputError(
          {},
          fmt::format("joint {} may have a rate of {:g} and an acceleration of {:g}: nothing can move so",
                      j + 1, limits.rate[j], limits.acceleration[j]),
          "give limits above zero");
  times_ = {0.0};
  for (std::size_t k = 1; k < points_.size(); ++k) {
    double length = 0.0;
    for (std::size_t j = 0; j < joints_; ++j) {
      const double way = std::abs(points_[k][j] - points_[k - 1][j]);
      length = std::max({length, kLargestRate * way / limits.rate[j],
                         std::sqrt(kLargestAcceleration * way / limits.acceleration[j])});
    }
    if (!(length > 0.0))
      throw InputError({}, fmt::format("points {} and {} of the path are the same", k, k + 1),
                       "leave one of them out");
    times_.push_back(times_.back() + length);
  }
  // Slower or faster as a whole: rates go with 1/k, accelerations with 1/k^2. Where no stretch between two points stops, less
  // than the first guess is needed.
  make();
  double scale = 0.0;
  for (std::size_t j = 0; j < joints_; ++j) {
    const Course most = largest(j);
    scale =
        std::max({scale, most.rate / limits.rate[j], std::sqrt(most.acceleration / limits.acceleration[j])});
  }
  for (double& t : times_) t *= scale;
  make();
}

void JointPath::make() {
  const std::size_t stretches = times_.size() - 1;
  coefficients_.resize(stretches * joints_);
  std::vector<double> x(times_.size());
  for (std::size_t j = 0; j < joints_; ++j) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = points_[k][j];
    const std::vector<double> rate = rates_of(times_, x);
    // The spline's accelerations at the points between; at rest at the ends.
    std::vector<double> acceleration(x.size(), 0.0);
    for (std::size_t k = 1; k + 1 < x.size(); ++k) {
      const double h = times_[k + 1] - times_[k];
      acceleration[k] = 6.0 * (x[k + 1] - x[k]) / (h * h) - (4.0 * rate[k] + 2.0 * rate[k + 1]) / h;
    }
    for (std::size_t k = 0; k < stretches; ++k) {
      const double h = times_[k + 1] - times_[k];
      coefficients_[k * joints_ + j] = quintic({x[k], h * rate[k], h * h * acceleration[k]},
                                               {x[k + 1], h * rate[k + 1], h * h * acceleration[k + 1]});
    }
  }
}

Course JointPath::one(std::size_t stretch, std::size_t joint, double t) const noexcept {
  const double h = times_[stretch + 1] - times_[stretch];
  const Course own = value(coefficients_[stretch * joints_ + joint], (t - times_[stretch]) / h);
  return {own.x, own.rate / h, own.acceleration / (h * h)};
}

void JointPath::at(double t, double* q, double* qd, double* qdd) const noexcept {
  const bool over = !(t < times_.back()), early = !(t > 0.0);
  std::size_t stretch = 0;
  while (stretch + 2 < times_.size() && t >= times_[stretch + 1]) ++stretch;
  for (std::size_t j = 0; j < joints_; ++j) {
    const Course own = over    ? Course{points_.back()[j], 0.0, 0.0}
                       : early ? Course{points_.front()[j], 0.0, 0.0}
                               : one(stretch, j, t);
    q[j] = own.x;
    qd[j] = own.rate;
    qdd[j] = own.acceleration;
  }
}

Course JointPath::largest(std::size_t joint) const {
  Course most;
  for (std::size_t k = 0; k + 1 < times_.size(); ++k) {
    const double h = times_[k + 1] - times_[k];
    const std::array<double, 6>& c = coefficients_[k * joints_ + joint];
    most.x = std::max(most.x, largest_size([&](double x) { return value(c, x).x; }));
    most.rate = std::max(most.rate, largest_size([&](double x) { return value(c, x).rate; }) / h);
    most.acceleration = std::max(most.acceleration,
                                 largest_size([&](double x) { return value(c, x).acceleration; }) / (h * h));
  }
  return most;
}

namespace {

void check_screw(const Vec& a, const Vec& b, double angle, double way, double duration) {
  if (!(duration > 0.0) || !std::isfinite(duration))
    throw InputError({}, fmt::format("a path of {:g} s", duration), "give a duration above zero");
  double sum = angle + way;
  for (std::size_t i = 0; i < 3; ++i) sum += a[i] + b[i];
  if (!std::isfinite(sum)) throw InputError({}, "a place on the path is not a number", "give finite numbers");
}

Vec direction_of(const Vec& axis, const char* of) {
  const double length = std::sqrt(dot(axis, axis));
  if (!(length > 0.0) || !std::isfinite(length))
    throw InputError({}, fmt::format("the axis of a {} has no direction", of),
                     "give a vector that is not zero");
  return (1.0 / length) * axis;
}

}  // namespace

ScrewPath ScrewPath::line(const math::Pose<double>& from, const math::Vec3<double>& to, double duration) {
  check_screw(from.p, to, 0.0, 0.0, duration);
  const math::Vec3<double> way = to - from.p;
  const double length = std::sqrt(dot(way, way));
  return {from,     from.p, length > 0.0 ? (1.0 / length) * way : math::Vec3<double>::unit(0), 0.0, length,
          duration, true};
}

ScrewPath ScrewPath::circle(const math::Pose<double>& from, const math::Vec3<double>& centre,
                            const math::Vec3<double>& axis, double angle, double duration) {
  check_screw(from.p, centre, angle, 0.0, duration);
  return {from, centre, direction_of(axis, "circle"), angle, 0.0, duration, false};
}

ScrewPath ScrewPath::screw(const math::Pose<double>& from, const math::Vec3<double>& point,
                           const math::Vec3<double>& axis, double angle, double way, double duration) {
  check_screw(from.p, point, angle, way, duration);
  return {from, point, direction_of(axis, "screw"), angle, way, duration, true};
}

ScrewPath::Place ScrewPath::at(double t) const noexcept {
  const Course s = least_jerk(t, duration);
  const Vec reach = turned(axis, angle * s.x, start.p - point);
  const double w = angle * s.rate, alpha = angle * s.acceleration;
  const Vec swing = cross(axis, reach), inward = cross(axis, swing);
  Place place;
  place.X = {turns ? turn(axis, angle * s.x) * start.R : start.R, point + reach + way * s.x * axis};
  const Vec v = w * swing + way * s.rate * axis,
            a = alpha * swing + w * w * inward + way * s.acceleration * axis;
  for (std::size_t i = 0; i < 3; ++i) {
    place.V[i] = turns ? w * axis[i] : 0.0;
    place.A[i] = turns ? alpha * axis[i] : 0.0;
    place.V[3 + i] = v[i];
    place.A[3 + i] = a[i];
  }
  return place;
}

}  // namespace tactus::control
