// What happens at an event, once the motion stands there: impulses where something is approached (collision
// response), then which contacts stay, slide or stick (stick-slip, the new active set), so that the
// accelerations that follow break no law: complementarity of gap and force (Signorini), Coulomb's cone.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/events/contact_motion.h>
#include <tactus/contact/impact/delassus.h>
#include <tactus/contact/impact/impact.h>
#include <tactus/contact/law/event.h>

namespace tactus::contact {

/// Tolerances of an event. They separate rounding from motion: gaps and rates at an event are right to about
/// 1e-15.
inline constexpr double kTouchingGap = 1e-9;     // [m] nearer than this is touching
inline constexpr double kRestingRate = 1e-10;    // [m/s] slower than this is at rest
inline constexpr double kStoppedSlip = 1e-4;     // [m/s] what may be left of a slip that passes zero sideways
inline constexpr double kForceRounding = 1e-10;  // part of the largest force that counts as none
inline constexpr double kAccelerationRounding = 1e-9;  // part of the largest acceleration

class Response {
 public:
  Response(const ContactModel& contact_model, ContactMotion& motion);

  /// [rows] stops whose force has just become zero: an event says so; decide() forgets it.
  std::vector<char> row_leaves;

  /// [s] Events come as late as this. Bodies that lie approach each other meanwhile by what weight gives them:
  /// what approaches by no more than twice that comes to rest, or it would rebound in every tick.
  double coarse = 0.0;

  /// Impulses at the place where the motion's terms and touches were last evaluated, for speeds u, which
  /// change. `t` for the record. True where something changed.
  bool strike(double t, double* u, std::vector<Event>& events, Books& books);
  /// Decides the modes of all that touches, by the accelerations that `accelerate` (evaluates the motion at
  /// the state; true where the forces found break a law, and others with the same modes do not) finds. False
  /// where no consistent set was found.
  /// `jammed` > 0: mending laws one by one has led nowhere. All laws are then solved at once over this short
  /// time [s], and where that takes an impulse (friction can jam a contact without any approach: Painleve's
  /// paradox) u changes.
  /// `most_rounds` bounds the mending; where it does not come to an end all laws are solved at once too.
  template <class Accelerate>
  bool decide(double* u, double jammed, long most_rounds,
              const Accelerate& accelerate);  // touches and terms are at the state already
  /// Whether the present modes are those that a distribution of the forces allows, where rows depend on each
  /// other and the multipliers of least size do not. Leaves everything as it was.
  template <class Accelerate>
  bool agrees(const Accelerate& accelerate);

 private:
  struct Member {
    int touch = -1, row = -1;  // one of them
    std::size_t first = 0;     // row in the problem
    std::size_t size = 1;
  };
  enum class Change { none, made };
  void gather();
  void velocities_of_rows(const double* du);
  bool end_rocking();
  void propose();
  Change amend();
  void release_all();
  /// With the accelerations that nothing unilateral acts on: modes by the cone solver. False where it does
  /// not converge. `sticks`: what has stuck until now (kept_modes_) has its static friction, and sticks where
  /// it does not slip, also with all the friction that it may have.
  bool choose_by_cones(double time, bool sticks = false);
  static constexpr double kShortly = 1e-8;  // [s]

  const ContactModel& contact_model_;
  ContactMotion& motion_;
  Delassus delassus_;
  ImpactSolver impact_;
  std::vector<Member> members_;
  std::vector<ImpactContact> contacts_;
  ConeSolver cone_;
  std::vector<int> sizes_;
  std::vector<double> mu_;
  std::vector<Mode> kept_modes_;
  std::vector<std::array<double, 2>> kept_slips_;
  std::vector<char> kept_rows_;
  std::vector<double> velocity_, impulse_, after_, du_, rows_;
};

template <class Accelerate>
bool Response::decide(double* u, double jammed, long most_rounds, const Accelerate& accelerate) {
  constexpr long kMostRounds = 40;
  propose();
  for (long round = 0; round < std::min(kMostRounds, most_rounds) && !(jammed > 0.0); ++round) {
    motion_.update();
    const bool excused = accelerate();
    if (!motion_.solved()) break;
    if (excused || amend() == Change::none) return true;
  }
  const double time = jammed > 0.0 ? jammed : kShortly;
  release_all();
  motion_.update();
  accelerate();
  const bool chosen = choose_by_cones(time);
  delassus_.apply(impulse_.data(), du_.data());
  for (std::size_t i = 0; i < du_.size(); ++i) du_[i] += time * motion_.udot()[i];
  motion_.update();
  accelerate();
  // Over that time the forces of the new modes act by themselves: only what goes beyond them is an impulse.
  double fastest = 0.0;
  for (std::size_t i = 0; i < du_.size(); ++i) {
    fastest = std::max(fastest, std::abs(du_[i]));
    du_[i] -= time * motion_.udot()[i];
  }
  const bool impulsive = std::any_of(du_.begin(), du_.end(),
                                     [&](double x) { return std::abs(x) > kAccelerationRounding * fastest; });
  if (impulsive && motion_.solved()) {
    for (std::size_t i = 0; i < du_.size(); ++i) u[i] += du_[i];
    accelerate();
  }
  return chosen && motion_.solved();
}

template <class Accelerate>
bool Response::agrees(const Accelerate& accelerate) {
  kept_modes_.clear();
  kept_slips_.clear();
  for (const Touch& touch : motion_.touches) {
    kept_modes_.push_back(touch.mode);
    kept_slips_.push_back(touch.slip);
  }
  std::copy(motion_.row_on.begin(), motion_.row_on.end(), kept_rows_.begin());
  release_all();
  motion_.update();
  accelerate();
  bool same = choose_by_cones(kShortly, true);
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    Touch& touch = motion_.touches[i];
    same = same && touch.mode == kept_modes_[i];
    touch.mode = kept_modes_[i];
    touch.slip = kept_slips_[i];
  }
  same = same && motion_.row_on == kept_rows_;
  std::copy(kept_rows_.begin(), kept_rows_.end(), motion_.row_on.begin());
  motion_.update();
  accelerate();
  return same;
}

}  // namespace tactus::contact
