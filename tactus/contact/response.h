// What happens at an event, once the motion stands there: impulses where something is approached, then which
// contacts stay, slide or stick, so that the accelerations that follow break no law.
#pragma once

#include <memory>
#include <vector>

#include <tactus/contact/contact_motion.h>
#include <tactus/contact/delassus.h>
#include <tactus/contact/event.h>
#include <tactus/contact/hybrid.h>
#include <tactus/contact/impact.h>

namespace tactus::contact {

/// Tolerances of an event. They separate rounding from motion: gaps and rates at an event are right to about
/// 1e-15.
inline constexpr double kTouchingGap = 1e-9;           // [m] nearer than this is touching
inline constexpr double kRestingRate = 1e-10;          // [m/s] slower than this is at rest
inline constexpr double kForceRounding = 1e-10;        // part of the largest force that counts as none
inline constexpr double kAccelerationRounding = 1e-9;  // part of the largest acceleration

class Response {
 public:
  Response(const Hybrid& hybrid, ContactMotion& motion);

  /// [rows] stops whose force has just become zero: an event says so; decide() forgets it.
  std::vector<char> row_leaves;

  /// Impulses at the place where the motion's terms and touches were last evaluated, for speeds u, which
  /// change. `t` for the record. True where something changed.
  bool strike(double t, double* u, std::vector<Event>& events, Books& books);
  /// Decides the modes of all that touches, by the accelerations that `accelerate` (evaluates the motion at
  /// the state) finds. False where no consistent set was found.
  template <class Accelerate>
  bool decide(const Accelerate& accelerate);  // the touches and terms are at the state already

 private:
  struct Member {
    int touch = -1, row = -1;  // one of them
    std::size_t first = 0;     // row in the problem
    std::size_t size = 1;
  };
  enum class Change { none, made };
  void gather();
  void velocities_of_rows(const double* du);
  void propose();
  Change amend();

  const Hybrid& hybrid_;
  ContactMotion& motion_;
  Delassus delassus_;
  ImpactSolver impact_;
  std::vector<Member> members_;
  std::vector<ImpactContact> contacts_;
  std::vector<double> velocity_, impulse_, after_, du_, rows_;
};

template <class Accelerate>
bool Response::decide(const Accelerate& accelerate) {
  constexpr int kMostRounds = 60;
  propose();
  for (int round = 0; round < kMostRounds; ++round) {
    motion_.update();
    accelerate();
    if (!motion_.solved()) return false;
    if (amend() == Change::none) return true;
  }
  return false;
}

}  // namespace tactus::contact
