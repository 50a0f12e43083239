// Whether a law holds an arm on its path where the arm is not what the law believes: trials with payload, friction, inertias, delay and
// encoders drawn at random, each a simulated loop.
//
// A trial is told by its seed and its number alone: it draws from a generator of its own, so that the results are the same bits whatever the
// number of threads and in whatever order they run.
//
//   each period h    angles by encoders, rates by their differences, forces by the law at the path, held until the next
//   each step h/s    the arm moves: its whole model, friction that sticks and slides; forces arrive after the delay
//
// After the path the arm is held at its end for a while. A trial is lost where a joint is far from its path or the motion cannot be computed, and
// restless where a joint still swings in the last half of the hold: neither is stable.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/path.h>
#include <tactus/describe/model/model.h>

namespace tactus::control {

struct Between {
  double low = 0.0, high = 0.0;
};

/// What is drawn, evenly between the bounds; encoders evenly in their logarithm.
struct TrialRanges {
  Between payload{};           // [kg] a point at the tool
  Between friction{1.0, 1.0};  // of each joint, by the model's
  Between inertia{1.0, 1.0};   // mass and moments of each body, by the model's; rotors (armature) stay
  Between delay{};             // [s] from the encoders to the motors
  Between encoder{};           // [1/rad] or [1/m] steps; 0: none
};

struct TrialOptions {
  ArmControl control;
  double period = 0.002;  // [s]
  int steps = 4;          // of the arm in a period
  std::string
      frame{};  // of the tool; "": the first marked `grasp`, otherwise the last; without frames the last body
  double assumed = 0.0;  // [kg] the payload that the law believes in
  TrialRanges ranges;
  double hold = 0.5;    // [s] after the path
  double lost = 0.5;    // [rad or m] a joint from its path
  double swing = 0.01;  // [rad or m] from peak to peak in the last half of the hold
  std::uint64_t seed = 1;
};

struct TrialValues {
  double payload = 0.0, delay = 0.0, encoder = 0.0;
  std::vector<double> friction, inertia;  // [joints], [bodies that move]
  std::vector<double> phase;              // [joints] where the encoders' steps begin, in steps
};

enum class TrialEnd : std::uint8_t { stable, restless, lost };
std::string_view name_of(TrialEnd end);

struct TrialOutcome {
  std::uint64_t number = 0;
  TrialValues values;
  TrialEnd end = TrialEnd::stable;
  double largest = 0.0, rms = 0.0;    // [m] of the tool, path and hold; rms on the path
  std::vector<double> joint_largest;  // [rad or m]
  double time = 0.0;                  // [s] simulated; until it was lost
  int cut = 0;                        // periods with a force at its limit

  bool stable() const { return end == TrialEnd::stable; }
  double worst_joint() const;
};

/// A period of a loop, as it truly was, for those who want to watch.
struct TrialTick {
  double t = 0.0;
  std::span<const double> q, u;                           // truly
  std::span<const double> wanted, wanted_qd, wanted_qdd;  // by the path
  std::span<const double> rates;                          // by the encoders
  double apart = 0.0;                                     // [m] the tool from where it should be
};

/// What the law leads and what the truth is, ready for any number of threads.
class TrialArm {
 public:
  /// Throws InputError where model, path or options do not fit.
  TrialArm(const describe::Model& model, const JointPath& path, const TrialOptions& options);
  ~TrialArm();
  TrialArm(const TrialArm&) = delete;
  TrialArm& operator=(const TrialArm&) = delete;

  const TrialOptions& options() const noexcept;
  const std::vector<std::string>& joint_names() const noexcept;
  const std::vector<std::string>& body_names() const noexcept;
  const std::string& tool() const noexcept;
  TrialValues draw(std::uint64_t number) const;

  /// One loop, for one thread.
  class Loop {
   public:
    explicit Loop(const TrialArm& arm);
    ~Loop();
    TrialOutcome run(std::uint64_t number, const TrialValues& values,
                     const std::function<void(const TrialTick&)>& watch = {});

   private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
  };

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// All trials, by number, in so many threads. `watch` is called now and then from the calling thread with how many are done. Throws InputError.
std::vector<TrialOutcome> run_trials(const TrialArm& arm, std::uint64_t count, int threads,
                                     const std::function<void(std::uint64_t)>& watch = {});

/// What trials say together.
struct TrialSummary {
  std::uint64_t count = 0, lost = 0, restless = 0;
  std::array<double, 5> largest{},
      rms{};  // [m] of the stable ones: least, 5 %, median, 95 %, most; NaN where there is none
  std::array<double, 5> joint{};  // [rad or m] of the worst joint
  std::uint64_t worst = 0;  // number: the first to be lost, otherwise restless, otherwise the largest error
};
TrialSummary summary_of(const std::vector<TrialOutcome>& trials);

/// The model with a point mass fixed at a frame: as TrialOptions::frame says.
describe::Model with_payload(describe::Model model, const std::string& frame, double mass);

/// The standard move of [Clover1996, III Figure 7], for arms of six turning joints: (-45, -135, 135, -45, 0, 135) to (45, -85, 30, 45, 50, 30)
/// degrees.
JointPath standard_move(double duration = 1.5);
/// For any arm: every joint through the middle of its range, by half of it but no more than a quarter turn or 0.3 m. Without
/// ends from where the model begins.
JointPath middle_move(const describe::Model& model, double duration = 1.5);

}  // namespace tactus::control
