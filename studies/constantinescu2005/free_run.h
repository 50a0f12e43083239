// What a manipulation without contact leaves behind: hand and port over time, how far they are apart, and
// where penalties act.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <studies/compare.h>

namespace tactus::studies::constantinescu {

/// x, y [m] and theta [rad], over time. Angles go on beyond half a turn.
struct PlanarPath {
  std::vector<double> x, y, theta;

  void add(const std::array<double, 3>& at) {
    x.push_back(at[0]);
    y.push_back(at[1]);
    theta.push_back(theta.empty() ? at[2] : theta.back() + std::remainder(at[2] - theta.back(), kTurn));
  }

 private:
  static constexpr double kTurn = 2.0 * 3.14159265358979323846;
};

struct Run {
  std::vector<double> t;
  PlanarPath hand, port;
  std::vector<double> apart, turned;     // [m], [rad] hand from port; sizes
  std::vector<std::array<double, 3>> q;  // of the chain
  std::vector<int> resisted;             // directions with a penalty

  void add(double time, const std::array<double, 3>& hand_at, const std::array<double, 3>& port_at,
           std::span<const double> coordinates, int directions) {
    t.push_back(time);
    hand.add(hand_at);
    port.add(port_at);
    apart.push_back(std::hypot(hand_at[0] - port_at[0], hand_at[1] - port_at[1]));
    turned.push_back(std::fabs(hand.theta.back() - port.theta.back()));
    q.push_back({coordinates[0], coordinates[1], coordinates[2]});
    resisted.push_back(directions);
  }
  std::size_t row(double time) const { return static_cast<std::size_t>(std::lround(time / (t[1] - t[0]))); }
  double apart_at(double time) const { return apart[row(time)]; }
  double turned_at(double time) const { return turned[row(time)]; }

  /// How often penalties begin or end, and the share of all samples in which they act.
  int switches() const {
    int count = 0;
    for (std::size_t k = 1; k < resisted.size(); ++k)
      count += (resisted[k] > 0) != (resisted[k - 1] > 0) ? 1 : 0;
    return count;
  }
  double share_on() const {
    double on = 0.0;
    for (const int count : resisted) on += count > 0 ? 1.0 : 0.0;
    return on / static_cast<double>(resisted.size());
  }
};

}  // namespace tactus::studies::constantinescu
