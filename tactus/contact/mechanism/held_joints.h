// Dry friction at joints while the passive integrator makes a step.
//
// By impulses at the ends of steps alone a joint at rest moves on by a h^2/2 in every step before it is stopped: it creeps; and one that slides is ahead by as
// much in every step. So the force c of friction is carried along the step, and the impulse p at its end, which is the whole of the friction, says how
// far off c was:
//
//   rests      c = p/h is the force under which it arrives with the rate zero, but for what is not linear in the step: the step is made again with it, until
//              the joint does not move, and c does no work
//   slides     c = p/h at its bound, as long as it goes on
//   otherwise  it comes to rest, turns back or breaks away: c of the step before stays where its work, h c (r0 + r1)/2 for the rates at both ends, takes energy;
//              else there is none, and the impulse alone answers
//
// so that c never gives energy, and the mechanism stays as passive as it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {

class HeldJoints {
 public:
  explicit HeldJoints(std::size_t axes) : carried_(axes), start_(axes), gave_up_(axes) {}

  bool empty() const noexcept { return carried_.empty(); }
  /// [N or N m] of each axis.
  std::span<const double> carried() const noexcept { return carried_; }
  /// What snapshots have to keep.
  std::vector<double>& memory() noexcept { return carried_; }
  const std::vector<double>& memory() const noexcept { return carried_; }
  void forget() noexcept { std::fill(carried_.begin(), carried_.end(), 0.0); }

  /// A tick begins, at these rates.
  void begin(std::span<const double> rates) noexcept {
    std::copy(rates.begin(), rates.end(), start_.begin());
    std::fill(gave_up_.begin(), gave_up_.end(), 0);
    passes_ = 0;
  }

  /// What the step says to the forces that were carried. False: it has to be made again, with other ones.
  bool holds(std::span<const TimeStepping::AxisAnswer> answers, double h) noexcept {
    bool all = true;
    const bool enough = ++passes_ >= kMostPasses;
    for (std::size_t a = 0; a < answers.size(); ++a) {
      if (fits(a, answers[a], h)) continue;
      all = false;
      if (enough || !wants(a, answers[a])) {
        carried_[a] = 0.0;
        gave_up_[a] = 1;
      } else {
        carried_[a] = force(answers[a], h);
      }
    }
    return all;
  }

  /// [J] of the step that was made; then what the next one begins with.
  double end(std::span<const TimeStepping::AxisAnswer> answers, double h) noexcept {
    double work = 0.0;
    for (std::size_t a = 0; a < answers.size(); ++a) {
      const TimeStepping::AxisAnswer& answer = answers[a];
      work += 0.5 * h * carried_[a] * (start_[a] + answer.arrived);
      if (!answer.sticks())
        carried_[a] = force(answer, h);
      else if (!answer.stands(start_[a]))
        carried_[a] = 0.0;
    }
    return work;
  }

 private:
  /// Of what the limit of a joint's friction could do: no motion, no work, no force.
  static constexpr double kStill = 1e-9;
  static constexpr int kMostPasses = 6;

  static double force(const TimeStepping::AxisAnswer& answer, double h) {
    return answer.mean + answer.impulse / h;
  }
  bool rests(std::size_t a, const TimeStepping::AxisAnswer& answer) const {
    return answer.stands(start_[a]) && answer.sticks();
  }
  bool slides(std::size_t a, const TimeStepping::AxisAnswer& answer) const {
    return !answer.stands(start_[a]) && !answer.stands(answer.left) &&
           (start_[a] > 0.0) == (answer.left > 0.0);
  }
  /// Whether p/h is a better force to carry.
  bool wants(std::size_t a, const TimeStepping::AxisAnswer& answer) const {
    return gave_up_[a] == 0 && (rests(a, answer) || slides(a, answer));
  }
  bool fits(std::size_t a, const TimeStepping::AxisAnswer& answer, double h) const {
    if (gave_up_[a] != 0) return true;
    if (rests(a, answer))
      return std::abs(answer.arrived - start_[a]) <= kStill * answer.limit * answer.mobility;
    if (slides(a, answer)) return std::abs(force(answer, h) - carried_[a]) <= kStill * answer.limit / h;
    return carried_[a] * (start_[a] + answer.arrived) <= 0.0;
  }

  std::vector<double> carried_, start_;
  std::vector<char> gave_up_;
  int passes_ = 0;
};

}  // namespace tactus::contact
