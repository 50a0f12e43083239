// The law of one contact.
//
// Closed (w_n = 0), the normal impulse follows from the tangential one, p_n = -(q_n + W_nt p_t) / W_nn, and
//
//   w_t = A p_t + c,   A = W_tt - W_tn W_nt / W_nn,   c = q_t - W_tn q_n / W_nn
//
// Sticking is w_t = 0. Sliding is w_t = -alpha p_t with some alpha >= 0:
//
//   p_t(alpha) = -(A + alpha)^-1 c,      g(alpha) = W_nn |p_t| + mu (q_n + W_nt p_t) = 0: |p_t| = mu p_n
//
// Where sticking is not allowed, g(0) > 0; where the contact closes, g -> mu q_n < 0 for large alpha. So
// there is a root, and with A made diagonal g is a sum of simple fractions: one scalar equation
// [BonnefonDaviet2011 solve the same law as a quartic].
#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/contact/impact/cone_problem.h>

namespace tactus::contact {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A direction in which a contact moves less easily than this part of the others is rounding.
constexpr double kFlat = 4.0 * kEpsilon;
// Steps of the scalar equation: Newton's on a fraction end after about six, halving after about a hundred.
constexpr int kMostRootSteps = 120;
constexpr int kFreeSteps = 8;  // so many before there is a bracket

/// Impulses and velocities are far from the ends of the range of numbers: hypot()'s care would cost a third
/// of a sweep.
double length_of(double x, double y) { return std::sqrt(x * x + y * y); }

/// g(alpha) = k |r| - sum d_i/(a_i + alpha) - C,  r_i = c_i/(a_i + alpha): positive at 0, negative far away.
struct Secular {
  double k, C;
  double a[2], c[2], d[2];

  struct Value {
    double g, slope, size;
  };
  Value at(double alpha) const {
    const double i0 = 1.0 / (a[0] + alpha), i1 = 1.0 / (a[1] + alpha);
    const double r0 = c[0] * i0, r1 = c[1] * i1, r = std::sqrt(r0 * r0 + r1 * r1);
    const double coupled = d[0] * i0 + d[1] * i1;
    const double r_slope = r > 0.0 ? -(r0 * r0 * i0 + r1 * r1 * i1) / r : 0.0;
    return {k * r - coupled - C, k * r_slope + d[0] * i0 * i0 + d[1] * i1 * i1,
            k * r + std::abs(coupled) + C};
  }

  /// Newton's step for the fraction A/(B + alpha) - C that has the value and slope of g, kept inside a
  /// bracket; from a guess.
  double root(double alpha = 0.0, double accuracy = kEpsilon) const {
    double low = 0.0, high = std::numeric_limits<double>::infinity();
    const double natural = 0.5 * (a[0] + a[1]);
    for (int i = 0; i < kMostRootSteps; ++i) {
      const Value v = at(alpha);
      if (std::abs(v.g) <= accuracy * v.size) break;
      (v.g > 0.0 ? low : high) = alpha;
      const double next = alpha - v.g / v.slope * (v.g + C) / C;
      if (v.slope < 0.0 && next > low && next < high && i < kFreeSteps) {
        alpha = next;
        continue;
      }
      // Where g is negative for certain: a bound that most roots are found without.
      high = std::min(high, (k * length_of(c[0], c[1]) + std::abs(d[0]) + std::abs(d[1])) / C);
      if (high - low <= kEpsilon * (high + natural)) break;
      alpha = v.slope < 0.0 && next > low && next < high
                  ? next
                  : std::sqrt((low + natural) * (high + natural)) - natural;
      if (!(alpha > low && alpha < high)) alpha = 0.5 * (low + high);
    }
    return alpha;
  }
};

/// The axes in which a symmetric 2 x 2 matrix is diagonal: columns (cosine, sine), (-sine, cosine).
struct Axes {
  double cosine = 1.0, sine = 0.0;
  double value[2] = {};

  Axes(double along_x, double along_y) : cosine(along_x), sine(along_y) {}
  Axes(double xx, double xy, double yy) {
    double t = 0.0;
    if (xy != 0.0) {
      const double z = (yy - xx) / (2.0 * xy);
      t = std::copysign(1.0, z) / (std::abs(z) + std::sqrt(1.0 + z * z));
      cosine = 1.0 / std::sqrt(1.0 + t * t);
      sine = -t * cosine;
    }
    value[0] = xx - t * xy;
    value[1] = yy + t * xy;
  }
  void into(const double* v, double* in_axes) const {
    in_axes[0] = cosine * v[0] + sine * v[1];
    in_axes[1] = -sine * v[0] + cosine * v[1];
  }
  void out_of(const double* in_axes, double* v) const {
    v[0] = cosine * in_axes[0] - sine * in_axes[1];
    v[1] = sine * in_axes[0] + cosine * in_axes[1];
  }
};

/// p_t of a contact whose normal impulse is given: the closest to sticking within the radius.
void solve_disk(const LocalCone& k, const double* c, double radius, double* p_t) {
  if (k.size == 2) {
    const double stick = k.W[4] > 0.0 ? -c[0] / k.W[4] : 0.0;
    p_t[0] = std::clamp(stick, -radius, radius);
    return;
  }
  const double floor = kFlat * (k.W[4] + k.W[8]) + std::numeric_limits<double>::min();
  const Axes axes(k.W[4], k.W[5], k.W[8]);
  Secular s{1.0, radius, {std::max(axes.value[0], floor), std::max(axes.value[1], floor)}, {}, {}};
  axes.into(c, s.c);
  const double alpha = length_of(s.c[0] / s.a[0], s.c[1] / s.a[1]) <= radius ? 0.0 : s.root();
  const double r[2] = {-s.c[0] / (s.a[0] + alpha), -s.c[1] / (s.a[1] + alpha)};
  axes.out_of(r, p_t);
}

ConeMode solve_planar(const LocalCone& k, const double* q, double* p) {
  const double Wnn = k.W[0], Wnt = k.W[1];
  const double A = std::max(k.W[4] - Wnt * Wnt / Wnn, kFlat * k.W[4] + std::numeric_limits<double>::min());
  const double c = q[1] - Wnt * q[0] / Wnn;
  const double stick_t = -c / A, stick_n = -(q[0] + Wnt * stick_t) / Wnn;
  if (std::abs(stick_t) <= k.mu * stick_n) {
    p[0] = stick_n;
    p[1] = stick_t;
    return ConeMode::sticking;
  }
  const double slope = std::copysign(k.mu, stick_t);  // p_t = slope p_n
  p[0] = -q[0] / (Wnn + slope * Wnt);
  p[1] = slope * p[0];
  return ConeMode::sliding;
}

}  // namespace

PreparedCone::PreparedCone(const LocalCone& k) : contact_(k), rubs_(k.size > 1 && k.mu > 0.0) {
  if (k.size < 3 || !(k.W[0] > 0.0)) return;
  const double Wnn = k.W[0], w1 = k.W[1], w2 = k.W[2];
  const double floor = kFlat * (k.W[4] + k.W[8]) + std::numeric_limits<double>::min();
  const Axes axes(k.W[4] - w1 * w1 / Wnn, k.W[5] - w1 * w2 / Wnn, k.W[8] - w2 * w2 / Wnn);
  const double Wnt[2] = {w1, w2};
  double along[2];
  axes.into(Wnt, along);
  cosine_ = axes.cosine;
  sine_ = axes.sine;
  inverse_nn_ = 1.0 / Wnn;
  for (int i = 0; i < 2; ++i) {
    part_[i] = Wnt[i] * inverse_nn_;
    value_[i] = std::max(axes.value[i], floor);
    inverse_[i] = 1.0 / value_[i];
    coupling_[i] = k.mu * along[i];
  }
}

ConeMode PreparedCone::solve_spatial(const double* q, double* p, double& alpha, double accuracy) const {
  const double mu = contact_.mu;
  const Axes axes(cosine_, sine_);
  const double c[2] = {q[1] - part_[0] * q[0], q[2] - part_[1] * q[0]};
  double along[2];
  axes.into(c, along);
  /// p from p_t in the axes, and the length of p_t.
  const auto place = [&](double r0, double r1) {
    const double r[2] = {r0, r1};
    axes.out_of(r, p + 1);
    p[0] = -inverse_nn_ * q[0] - part_[0] * p[1] - part_[1] * p[2];
    return length_of(r0, r1);
  };
  if (place(-along[0] * inverse_[0], -along[1] * inverse_[1]) <= mu * p[0]) return ConeMode::sticking;
  const Secular s{contact_.W[0],
                  -mu * q[0],
                  {value_[0], value_[1]},
                  {along[0], along[1]},
                  {coupling_[0] * along[0], coupling_[1] * along[1]}};
  alpha = s.root(alpha, accuracy);
  const double length = place(-along[0] / (value_[0] + alpha), -along[1] / (value_[1] + alpha));
  const double onto = length > 0.0 ? mu * p[0] / length : 0.0;
  p[1] *= onto;
  p[2] *= onto;
  return ConeMode::sliding;
}

ConeMode PreparedCone::solve(const double* q, double* p, double& alpha, double accuracy) const {
  if (contact_.least > 0.0) return solve_contact(contact_, q, p);
  for (int i = 0; i < contact_.size; ++i) p[i] = 0.0;
  if (q[0] >= 0.0 || !(contact_.W[0] > 0.0)) return ConeMode::open;
  if (!rubs_) {
    p[0] = -q[0] / contact_.W[0];
    return ConeMode::sliding;
  }
  return contact_.size == 2 ? solve_planar(contact_, q, p) : solve_spatial(q, p, alpha, accuracy);
}

ConeMode solve_contact(const LocalCone& k, const double* q, double* p) {
  const int nt = k.size - 1;
  for (int i = 0; i < k.size; ++i) p[i] = 0.0;
  p[0] = k.least;
  const bool rubs = nt > 0 && k.mu > 0.0;
  bool slips = true;
  if (rubs && k.least > 0.0) {
    const double c[2] = {q[1] + k.W[3] * k.least, nt > 1 ? q[2] + k.W[6] * k.least : 0.0};
    solve_disk(k, c, k.mu * k.least, p + 1);
    slips = length_of(p[1], nt > 1 ? p[2] : 0.0) >= (1.0 - kFlat) * k.mu * k.least;
  }
  double w_n = q[0];
  for (int i = 0; i < k.size; ++i) w_n += k.W[i] * p[i];
  const ConeMode bounded = k.least > 0.0 ? (slips ? ConeMode::sliding : ConeMode::sticking) : ConeMode::open;
  // A wall that nothing moves cannot be moved by an impulse either.
  if (w_n >= 0.0 || !(k.W[0] > 0.0)) return bounded;

  if (!rubs) {
    p[0] = -q[0] / k.W[0];
    return ConeMode::sliding;
  }
  if (q[0] >= 0.0) return bounded;  // only a least impulse's friction closes it
  double alpha = 0.0;
  return nt == 1 ? solve_planar(k, q, p) : PreparedCone(k).solve_spatial(q, p, alpha, kEpsilon);
}

// On the cone's edge w = alpha (mu^2 p_n, -p_t), alpha > 0. With W_tt diagonal, values a_i, and W_nt = (d_i),
//
//   p_t,i = -(c_i + d_i p_n)/(a_i + alpha),    p_n = -(q_n - sum c_i d_i/(a_i + alpha)) / pi(alpha)
//   pi(alpha) = W_nn - mu^2 alpha - sum d_i^2/(a_i + alpha)
//
// and |p_t|^2 - mu^2 p_n^2 falls from its value at sticking, alpha = 0, to minus infinity where pi vanishes.
void solve_associated_contact(const LocalCone& k, const double* q, double* p) {
  for (int i = 0; i < k.size; ++i) p[i] = 0.0;
  const double slip = k.size == 1 ? 0.0 : length_of(q[1], k.size > 2 ? q[2] : 0.0);
  if (q[0] >= k.mu * slip || !(k.W[0] > 0.0)) return;
  if (k.size == 1 || !(k.mu > 0.0)) {
    p[0] = std::max(0.0, -q[0] / k.W[0]);
    return;
  }
  const bool planar = k.size == 2;
  const Axes axes(k.W[4], planar ? 0.0 : k.W[5], planar ? k.W[4] : k.W[8]);
  const double floor = kFlat * (axes.value[0] + axes.value[1]) + std::numeric_limits<double>::min();
  const double q_t[2] = {q[1], planar ? 0.0 : q[2]}, W_nt[2] = {k.W[1], planar ? 0.0 : k.W[2]};
  double c[2], d[2], p_t[2] = {0.0, 0.0}, p_n = 0.0;
  axes.into(q_t, c);
  axes.into(W_nt, d);
  /// Whether alpha is too large.
  const auto place = [&](double alpha) {
    double pivot = k.W[0] - k.mu * k.mu * alpha, rest = q[0];
    for (int i = 0; i < 2; ++i) {
      const double a = std::max(axes.value[i], floor) + alpha;
      pivot -= d[i] * d[i] / a;
      rest -= c[i] * d[i] / a;
    }
    if (alpha > 0.0 && !(pivot > 0.0)) return true;
    p_n = -rest / std::max(pivot, kFlat * k.W[0]);
    for (int i = 0; i < 2; ++i) p_t[i] = -(c[i] + d[i] * p_n) / (std::max(axes.value[i], floor) + alpha);
    return length_of(p_t[0], p_t[1]) <= k.mu * p_n;
  };
  if (!place(0.0)) {
    double low = 0.0, high = k.W[0] / (k.mu * k.mu);
    for (int i = 0; i < kMostRootSteps && high - low > kEpsilon * high; ++i) {
      const double middle = 0.5 * (low + high);
      (place(middle) ? high : low) = middle;
    }
    place(low);
  }
  double t[2];
  axes.out_of(p_t, t);
  p[0] = std::max(p_n, 0.0);
  p[1] = t[0];
  if (!planar) p[2] = t[1];
  clip_impulse(k, p);
}

void project(const LocalCone& k, ConeLaw law, const double* y, double* P, double* slope) {
  if (slope != nullptr) std::fill_n(slope, 9, 0.0);
  const double t = k.size == 1 ? 0.0 : length_of(y[1], k.size > 2 ? y[2] : 0.0);
  const bool dual = law == ConeLaw::associated && t > k.mu * y[0];  // the cone's own projection, off the cone
  const double part = 1.0 / (1.0 + k.mu * k.mu);
  const double n = dual ? part * (y[0] + k.mu * t) : y[0];
  const bool closed = n > k.least;
  P[0] = closed ? n : k.least;
  const double radius = k.mu * P[0];
  const bool sticks = t <= radius;
  for (int r = 1; r < k.size; ++r) P[r] = sticks ? y[r] : radius * y[r] / t;
  if (slope == nullptr) return;
  if (closed) {
    slope[0] = dual ? part : 1.0;
    for (int c = 1; dual && c < k.size; ++c) slope[c] = part * k.mu * y[c] / t;
  }
  for (int r = 1; r < k.size; ++r) {
    double* row = slope + 3 * r;
    if (sticks) {
      row[r] = 1.0;
      continue;
    }
    for (int c = 0; c < k.size; ++c) row[c] = k.mu * (y[r] / t) * slope[c];
    for (int c = 1; c < k.size; ++c) row[c] += radius / t * ((r == c ? 1.0 : 0.0) - (y[r] / t) * (y[c] / t));
  }
}

double natural_map(const LocalCone& k, ConeLaw law, double rho, const double* p, const double* w, double* f) {
  if (!(rho > 0.0)) {
    for (int i = 0; i < k.size; ++i) f[i] = 0.0;
    f[0] = std::min(w[0], 0.0);
    return -f[0];
  }
  double y[3], P[3], squares = 0.0;
  for (int i = 0; i < k.size; ++i) y[i] = p[i] - rho * w[i];
  project(k, law, y, P, nullptr);
  for (int i = 0; i < k.size; ++i) {
    f[i] = (p[i] - P[i]) / rho;
    squares += f[i] * f[i];
  }
  return std::sqrt(squares);
}

void clip_impulse(const LocalCone& k, double* p) {
  p[0] = std::max(p[0], k.least);
  if (k.size == 1) return;
  const double length = length_of(p[1], k.size > 2 ? p[2] : 0.0), radius = k.mu * p[0];
  if (length <= radius) return;
  for (int i = 1; i < k.size; ++i) p[i] *= radius / length;
}

}  // namespace tactus::contact
