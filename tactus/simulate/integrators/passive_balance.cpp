#include <tactus/simulate/integrators/passive_balance.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/dot.h>

namespace tactus::simulate {

namespace {

// What the correction may be, by the change of the speeds in the step; and a that is slight in any case.
constexpr double kSlight = 0.2, kAlwaysSlight = 1e-3;
constexpr double kSlightWork = 1e-9;  // what it does, by the energies at hand
// What the speeds at the end may be multiplied by to balance a step, squared.
constexpr double kLeastFactor = 0.25, kMostFactor = 2.25;

// Factors by which errors of a go on that are believed. Larger ones are of iterations in which the speeds had not settled, or of steps that are too long for a: those are
// made in parts, and the secant would find a solution that leads elsewhere.
constexpr double kBelieved = 0.5;

// Of the motion's energy: what steps before left over is taken out where that changes no speed by more than half of this.
constexpr double kUnfelt = 1e-6;

// [rad, m] As far as that.
constexpr double kStill = 1e-8;

}  // namespace

double BalancingNumber::next(double found) {
  double a = found;
  const double change = used_ - used_before_;
  if (count_ >= 2 && change != 0.0) {
    const double factor = (found - found_) / change;
    if (std::abs(factor) <= kBelieved) a = (found - factor * used_) / (1.0 - factor);
  }
  used_before_ = used_;
  used_ = a;
  found_ = found;
  ++count_;
  return a;
}

bool is_still(const PassiveStep& step) {
  const auto goes = [&](const std::vector<double>& speeds) {
    return std::any_of(speeds.begin(), speeds.end(),
                       [&](double u) { return !(step.h * std::abs(u) <= kStill); });
  };
  return !goes(step.u0) && !goes(step.u1);
}

PassiveBalance balance_of(const PassiveStep& step, const PassiveRows& rows, bool by_end_speeds) {
  const std::size_t n = step.u1.size();
  const double h = step.h;
  double by_rows = 0.0, by_driven = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double along = step.lambda[k] * math::dot(rows.middle() + k * n, step.mean.data(), n);
    by_rows += along;
    if (rows.is_driven(k)) by_driven += along;
  }
  const double by_Q = h * math::dot(step.mean.data(), step.Q.data(), n);
  const double by_inertia = math::dot(step.mean.data(), step.M_du.data(), n);
  const double size = math::dot(step.mean.data(), step.M_mean.data(), n);
  const double changed = math::dot(step.du.data(), step.M_du.data(), n);

  PassiveBalance result;
  result.work = h * step.outside_power + (step.port_work - h * step.port_power) + by_driven;
  result.loss = h * step.loss_power;
  const double carried = std::abs(step.carried) <= kUnfelt * size ? step.carried : 0.0;
  const double missing = by_Q + by_rows - (result.work - result.loss - (step.V1 - step.V0)) +
                         ((step.T1 - step.T0) - by_inertia) + carried;
  result.terms = std::abs(by_Q) + std::abs(by_rows) + std::abs(result.work) + std::abs(result.loss) +
                 std::abs(step.V1) + std::abs(step.V0) + std::abs(step.T1) + std::abs(step.T0) +
                 std::abs(by_inertia);
  const bool balanced = is_still(step) || !(std::abs(missing) > kBalanced * (result.terms + step.pushing));
  result.a = !balanced && !by_end_speeds && size > 0.0 ? missing / size : 0.0;
  result.left = balanced ? 0.0 : missing;
  // A correction that is not small beside what the forces do belongs to another solution, or to a step that is too long.
  result.slight = result.a * result.a * size <= kSlight * kSlight * changed ||
                  std::abs(result.a) <= kAlwaysSlight || std::abs(missing) <= kSlightWork * result.terms;
  return result;
}

double balancing_factor(const PassiveBalance& balance, const PassiveStep& step, const PassiveRows& rows) {
  if (balance.left == 0.0) return 1.0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows.is_driven(k)) return std::nan("");
  const double factor = 1.0 - balance.left / step.T1;
  return factor >= kLeastFactor && factor <= kMostFactor ? std::sqrt(factor) : std::nan("");
}

}  // namespace tactus::simulate
