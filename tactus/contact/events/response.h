// What happens at an event, once the motion stands there: impulses where something is approached (collision
// response), then which contacts stay, slide or stick (stick-slip, the new active set), so that the
// accelerations that follow break no law: complementarity of gap and force (Signorini), Coulomb's cone.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/events/contact_motion.h>
#include <tactus/contact/impact/delassus.h>
#include <tactus/contact/impact/impact.h>
#include <tactus/contact/law/event.h>
#include <tactus/contact/stepping/islands.h>

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

  /// [J] that the last decide() took by an impulse where nothing approaches: a jam (Painleve's paradox).
  double jump_loss = 0.0;

  /// Impulses at the place where the motion's terms and touches were last evaluated, for speeds u, which
  /// change. `t` for the record. True where something changed.
  bool strike(double t, double* u, std::vector<Event>& events, Books& books);
  /// Decides the modes of all that touches, by the accelerations that `accelerate` (evaluates the motion at
  /// the state, and excuses what agrees() does) finds. False where no consistent set was found.
  /// `jammed` > 0: mending laws one by one has led nowhere. All laws are then solved at once over this short
  /// time [s], and where that takes an impulse (friction can jam a contact without any approach: Painleve's
  /// paradox) u changes.
  /// `most_rounds` bounds the mending; where it does not come to an end all laws are solved at once too.
  template <class Accelerate>
  bool decide(double* u, double jammed, long most_rounds,
              const Accelerate& accelerate);  // touches and terms are at the state already
  /// Of the solvers of contact laws in a tick (ConeResult::work), and what they may take.
  void begin_tick(long most_work) {
    work_ = 0;
    most_work_ = most_work;
  }
  long work() const { return work_; }
  /// Where rows depend on each other the multipliers of least size may break a law, and others with the same accelerations
  /// may not: looks for these, among bodies that touch each other, directly or through others, and excuses what touches
  /// there. True where something is excused. Leaves everything else as it was.
  template <class Accelerate>
  bool agrees(const Accelerate& accelerate);
  void excuse_none() { std::fill(excused_.begin(), excused_.end(), 0); }
  bool is_excused(std::size_t touch) const { return excused_[touch] != 0; }
  bool is_stop_excused(std::size_t row) const { return excused_[motion_.most_touches() + row] != 0; }

 private:
  struct Member {
    int touch = -1, row = -1;  // one of them
    std::size_t first = 0;     // row in the problem
    std::size_t size = 1;
  };
  enum class Change { none, made };
  /// All that touches, or what of it is_taken().
  void gather(bool all = true);
  std::size_t place_of(const Member& member) const {
    return member.touch >= 0 ? static_cast<std::size_t>(member.touch)
                             : motion_.most_touches() + static_cast<std::size_t>(member.row);
  }
  void take_islands(bool jammed);
  void velocities_of_rows(const double* du);
  bool end_rocking();
  void propose();
  Change amend();
  void release(bool all = true);
  void find_islands();
  bool excuse_islands();
  /// With the accelerations that nothing unilateral acts on (`all`, or what is taken): modes by the cone solver. False
  /// where it does not converge. `sticks`: what has stuck until now (kept_modes_) has its static friction, and sticks where
  /// it does not slip, also with all the friction that it may have.
  bool choose_by_cones(double time, bool all, bool sticks = false);
  /// For the next problem: what is left of it, or a share, since impacts cannot be left as they are.
  long work_left() const { return std::max(most_work_ - work_, most_work_ / kLastShare); }
  static constexpr long kLastShare = 8;
  static constexpr double kShortly = 1e-8;  // [s]
  /// Part of the largest acceleration by which those of two ways to share the forces may differ: the cone solver ends
  /// at 1e-13 of speeds of some m/s, over kShortly.
  static constexpr double kSameAcceleration = 1e-4;
  static constexpr double kEnergyRounding = 1e-12;  // of the kinetic energy
  static constexpr double kSpeedRounding = 1e-13;   // of the speeds: the cone solver's tolerance

  const ContactModel& contact_model_;
  ContactMotion& motion_;
  Delassus delassus_;
  ImpactSolver impact_;
  long work_ = 0, most_work_ = std::numeric_limits<long>::max();
  std::vector<Member> members_;
  std::vector<ImpactContact> contacts_;
  ConeSolver cone_;
  Islands islands_;            // of the members
  std::vector<char> excused_;  // [most touches, then rows]
  std::vector<char> taken_;    // [the same] in islands whose modes are chosen by cones
  std::vector<char> mended_;   // [the same] by the last rounds
  std::vector<int> sizes_;
  std::vector<double> mu_;
  std::vector<Mode> kept_modes_;
  std::vector<std::array<double, 2>> kept_slips_;
  std::vector<char> kept_rows_;
  std::vector<double> velocity_, impulse_, after_, du_, rows_, all_, kept_;
};

template <class Accelerate>
bool Response::decide(double* u, double jammed, long most_rounds, const Accelerate& accelerate) {
  constexpr long kMostRounds = 40;
  jump_loss = 0.0;
  find_islands();
  propose();
  std::fill(mended_.begin(), mended_.end(), 0);
  for (long round = 0; round < std::min(kMostRounds, most_rounds) && !(jammed > 0.0); ++round) {
    motion_.update();
    accelerate();
    if (!motion_.solved()) break;
    if (amend() == Change::none) return true;
  }
  // Of the islands that do not come to rest, the others keep their modes: all laws at once over a short time, as
  // time-stepping does: u + du_all. Over that time the forces of the new modes act
  // by themselves: only what goes beyond them is an impulse, u + du_all - time udot. Where friction jams the new modes'
  // forces may be anything, and the impulse would give energy: then all of du_all is taken.
  const double time = jammed > 0.0 ? jammed : kShortly;
  const double before = motion_.kinetic_energy(u);
  take_islands(jammed > 0.0);
  release(false);
  motion_.update();
  accelerate();
  const bool chosen = choose_by_cones(time, false);
  delassus_.apply(impulse_.data(), all_.data());
  double fastest = 0.0, moves = 0.0;
  for (std::size_t i = 0; i < du_.size(); ++i) {
    du_[i] = u[i] + time * motion_.udot()[i];
    all_[i] += time * motion_.udot()[i];
    fastest = std::max(fastest, std::abs(all_[i]));
    moves = std::max(moves, std::abs(u[i]));
  }
  const double allowed =
      std::max(0.0, motion_.kinetic_energy(du_.data()) - before) + kEnergyRounding * before;
  motion_.update();
  accelerate();
  if (!motion_.solved()) return false;
  bool impulsive = false;
  for (std::size_t i = 0; i < du_.size(); ++i) {
    du_[i] = all_[i] - time * motion_.udot()[i];
    impulsive = impulsive || !(std::abs(du_[i]) <= kAccelerationRounding * fastest + kSpeedRounding * moves);
  }
  if (!impulsive) return chosen;
  const auto move = [&](const std::vector<double>& by) {
    for (std::size_t i = 0; i < by.size(); ++i) u[i] += by[i];
    return motion_.kinetic_energy(u) <= before + allowed;
  };
  std::copy_n(u, du_.size(), kept_.begin());
  if (!move(du_)) {
    std::copy(kept_.begin(), kept_.end(), u);
    if (!move(all_)) {
      std::copy(kept_.begin(), kept_.end(), u);
      return false;
    }
  }
  jump_loss = before - motion_.kinetic_energy(u);
  accelerate();
  return chosen && motion_.solved();
}

template <class Accelerate>
bool Response::agrees(const Accelerate& accelerate) {
  if (work_ >= most_work_) return false;
  kept_modes_.clear();
  kept_slips_.clear();
  for (const Touch& touch : motion_.touches) {
    kept_modes_.push_back(touch.mode);
    kept_slips_.push_back(touch.slip);
  }
  std::copy(motion_.row_on.begin(), motion_.row_on.end(), kept_rows_.begin());
  release();
  motion_.update();
  accelerate();
  const bool chosen = choose_by_cones(kShortly, true, true);
  delassus_.apply(impulse_.data(), du_.data());
  for (std::size_t i = 0; i < du_.size(); ++i) du_[i] = du_[i] / kShortly + motion_.udot()[i];
  find_islands();
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    std::swap(motion_.touches[i].mode, kept_modes_[i]);
    motion_.touches[i].slip = kept_slips_[i];
  }
  std::swap(motion_.row_on, kept_rows_);
  motion_.update();
  accelerate();
  return chosen && excuse_islands();
}

}  // namespace tactus::contact
