// What collisions bring to the hand, from what the ticks of a scene tell (felt_scene.h).
//
// A collision begins where a link touches something and touched nothing in the tick before, or where an
// impulse acts on it. What it brings is the largest change within 50 ms of it, from the last tick before: a
// steady force that is felt anyhow, such as a coupler's, is not counted. What begins within the 50 ms belongs
// to the same collision.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <studies/compare.h>
#include "felt_scene.h"

namespace tactus::studies::constantinescu {

/// [N] of a wrench, and of the change from one to another.
inline double force_of(const Vector6& F) { return std::hypot(F[3], F[4]); }
inline double change_of(const Vector6& a, const Vector6& b) { return std::hypot(a[3] - b[3], a[4] - b[4]); }

struct Collision {
  double t = 0.0;       // [s]
  double felt = 0.0;    // [N] change of what is felt
  double torque = 0.0;  // [N m] likewise
  double motors = 0.0;  // [N] change of what the motors give, through the loop
  double soon = 0.0;    // [N] of that, within 2 ms
};

class Collisions {
 public:
  static constexpr double kWindow = 0.05, kSoon = 2.5e-3;  // [s]

  void see(const Told& told) {
    const bool touches = told.contact > 0.0 || told.impulse > 0.0;
    const bool meets = (touches && !touched_) || told.impulse > 0.0;
    if (meets && (all.empty() || told.t >= all.back().t + kWindow)) {
      all.push_back({told.t});
      felt_before_ = felt_;
      motors_before_ = motors_;
    }
    if (!all.empty() && told.t < all.back().t + kWindow) {
      Collision& last = all.back();
      last.felt = larger(last.felt, change_of(told.felt, felt_before_));
      last.torque = larger(last.torque, std::fabs(told.felt[2] - felt_before_[2]));
      last.motors = larger(last.motors, change_of(told.motors, motors_before_));
      if (told.t < last.t + kSoon) last.soon = larger(last.soon, change_of(told.motors, motors_before_));
    }
    touched_ = touches;
    felt_ = told.felt;
    motors_ = told.motors;
  }

  double largest_of(double Collision::*what) const {
    double most = 0.0;
    for (const Collision& one : all) most = larger(most, one.*what);
    return most;
  }
  /// Half of the collisions bring more.
  double median_of(double Collision::*what) const {
    if (all.empty()) return NAN;
    std::vector<double> values;
    for (const Collision& one : all) values.push_back(one.*what);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  std::vector<Collision> all;

 private:
  bool touched_ = false;
  Vector6 felt_{}, motors_{}, felt_before_{}, motors_before_{};
};

}  // namespace tactus::studies::constantinescu
