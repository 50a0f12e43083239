#include <tactus/display/felt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <tactus/base/check.h>
#include <tactus/math/decompositions.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::display {

namespace {
/// Of residuals: beyond it there is hardly one sample left.
constexpr double kMostAlike = 1.0 - 1e-9;
}  // namespace

Felt fit_felt(std::span<const double> x, std::span<const double> v, std::span<const double> a,
              std::span<const double> force) {
  TACTUS_CHECK(x.size() == v.size() && x.size() == a.size() && x.size() == force.size());
  const Eigen::Index n = static_cast<Eigen::Index>(x.size());
  Felt felt;
  if (n < 8) return felt;
  const auto column = [n](std::span<const double> values) -> Eigen::VectorXd {
    const Eigen::Map<const Eigen::VectorXd> all(values.data(), n);
    return all.array() - all.mean();  // x_0 and a constant force drop out
  };
  Eigen::MatrixXd A(n, 3);
  A << column(a), column(v), column(x);
  const Eigen::VectorXd F = column(force);
  const Eigen::Vector3d size = A.colwise().norm();
  if (!(size.minCoeff() > 0.0) || !(F.norm() > 0.0) || !A.allFinite() || !F.allFinite()) return felt;
  const Eigen::MatrixXd scaled = A * size.cwiseInverse().asDiagonal();
  const Eigen::Matrix3d normal = scaled.transpose() * scaled;
  // Columns that are alike to this much cannot be told apart in forces that carry friction and steps.
  constexpr double kAlike = 1e-3;
  felt.told_apart = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(normal).eigenvalues()[0] > kAlike;
  const Eigen::Vector3d fit = scaled.colPivHouseholderQr().solve(F);
  const Eigen::VectorXd rest = F - scaled * fit;
  felt.unexplained = rest.norm() / F.norm();
  felt.known = felt.told_apart && felt.unexplained <= Felt::kMostUnexplained;
  felt.mass = fit[0] / size[0];
  felt.damping = fit[1] / size[1];
  felt.stiffness = fit[2] / size[2];
  // cov = |r|^2/(n - 4) (A^T A)^-1. Residuals of which one is rho times the one before, beside columns that change as slowly, tell no more than n (1 - rho)/(1 + rho) that are
  // independent.
  if (felt.told_apart) {
    const double squared = rest.squaredNorm();
    const double alike =
        squared > 0.0 ? std::clamp(rest.head(n - 1).dot(rest.tail(n - 1)) / squared, 0.0, kMostAlike) : 0.0;
    const double variance = squared / static_cast<double>(n - 4) * (1.0 + alike) / (1.0 - alike);
    const Eigen::Matrix3d inverse = normal.inverse();
    for (Eigen::Index k = 0; k < 3; ++k)
      felt.error[static_cast<std::size_t>(k)] = std::sqrt(variance * inverse(k, k)) / size[k];
  }
  return felt;
}

std::vector<double> way_of(std::span<const TickRecord> records, const math::Vec3<double>& d, End end,
                           bool turning) {
  std::vector<double> way(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const TickRecord& r = records[i];
    if (!turning)
      way[i] = dot(d, end == End::handle ? r.p_H : r.p_P);
    else if (const TickRecord& before = records[i == 0 ? 0 : i - 1]; i > 0)
      way[i] =
          way[i - 1] + dot(d, math::rotation_vector(end == End::handle ? r.R_H * before.R_H.transposed()
                                                                       : r.R_P * before.R_P.transposed()));
  }
  return way;
}

namespace {

/// Of a motion or a wrench: along d, or about it.
struct Component {
  math::Vec3<double> d;
  std::size_t first;  // of its three
  double operator()(const Vector6& V) const noexcept {
    return d.x * V[first] + d.y * V[first + 1] + d.z * V[first + 2];
  }
};

}  // namespace

// Mean accelerations of the ticks, under forces that were held: a = (v' - v)/T.
Felt felt_along(std::span<const TickRecord> records, const math::Vec3<double>& d, double period,
                bool turning) {
  const Component along{d, turning ? 0u : 3u};
  const std::vector<double> way = way_of(records, d, End::port, turning);
  std::vector<double> x, v, a, F;
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    const TickRecord &one = records[i], &two = records[i + 1];
    if (one.stage != control::Stage::on) continue;
    const double v1 = along(one.V_P), v2 = along(two.V_P);
    x.push_back(0.5 * (way[i] + way[i + 1]));
    v.push_back(0.5 * (v1 + v2));
    a.push_back((v2 - v1) / period);
    F.push_back(along(one.on_port));
  }
  Felt felt = fit_felt(x, v, a, F);
  felt.turning = turning;
  return felt;
}

namespace {

/// Three equal poles, for every column of a fit alike: what is linear in them stays so, and the steps of encoders are gone from the
/// accelerations.
class LowPass {
 public:
  explicit LowPass(double period) : share_(1.0 - std::exp(-kCut * period)) {}
  double operator()(double x) {
    if (!begun_) y_ = {x, x, x};
    begun_ = true;
    for (double& y : y_) x = y += share_ * (x - y);
    return x;
  }
  static constexpr double kCut = 60.0;     // [rad/s] a hand's own motions are slower
  static constexpr double kSettled = 0.2;  // [s] after which the beginning is forgotten: e^-12

 private:
  double share_;
  std::array<double, 3> y_{};
  bool begun_ = false;
};

}  // namespace

// Between the samples k and k+1, with the command of k held (and late by whole periods):
//
//   x = (x_k + x_k+1)/2,   v = (x_k+1 - x_k)/T,   a = (x_k+2 - x_k+1 - x_k + x_k-1)/(2 T^2)
//
// all at the same instant, t_k + T/2, to second order; a sensed force as the mean of both ends.
Felt felt_at_handle(std::span<const TickRecord> records, const math::Vec3<double>& d,
                    const device::Specification& device, bool turning) {
  const double T = 1.0 / device.rate;
  const std::vector<double> place = way_of(records, d, End::handle, turning);
  const Component along{d, turning ? 0u : 3u};
  const bool sensed = device.force_sensor || device.kind == device::Kind::admittance;
  const auto late = static_cast<std::size_t>(std::max(0L, std::lround(device.latency * device.rate)));
  const auto settled = static_cast<std::size_t>(std::ceil(LowPass::kSettled * device.rate));
  std::array<LowPass, 4> filter{LowPass(T), LowPass(T), LowPass(T), LowPass(T)};
  std::vector<double> x, v, a, F;
  std::size_t running = 0;
  for (std::size_t i = std::max<std::size_t>(1, late); i + 2 < records.size(); ++i) {
    if (records[i].stage != control::Stage::on) continue;
    const double force = sensed ? 0.5 * (along(records[i].F_H) + along(records[i + 1].F_H))
                                : -along(records[i - late].on_handle);
    const double before = place[i - 1], x1 = place[i], x2 = place[i + 1], after = place[i + 2];
    const std::array<double, 4> now{filter[0](0.5 * (x1 + x2)), filter[1]((x2 - x1) / T),
                                    filter[2]((after - x2 - x1 + before) / (2.0 * T * T)), filter[3](force)};
    if (running++ < settled) continue;
    x.push_back(now[0]);
    v.push_back(now[1]);
    a.push_back(now[2]);
    F.push_back(now[3]);
  }
  Felt felt = fit_felt(x, v, a, F);
  felt.turning = turning;
  if (!sensed) {
    felt.mass += device.inertia[turning ? 0 : 1];
    felt.damping += device.damping[turning ? 0 : 1];
  }
  return felt;
}

}  // namespace tactus::display
