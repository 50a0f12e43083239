// Hands by name, for the verb haptic.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <tactus/device/hand.h>

namespace tactus::apps {

/// The way of a hand: mainly `ahead`, `aside` besides; [m] long, or rotation vectors [rad] where the handle only turns.
struct HandChoice {
  std::string name = "stroke";
  math::Vec3<double> ahead{}, aside{};
  bool turning = false;            // the handle only turns
  std::array<double, 2> load{};    // [kg m^2], [kg] that is moved, handle and mechanism together
  std::array<double, 2> strong{};  // [N m], [N] that the device shows for ever; 0: any
  device::Vector6
      carried{};  // [N m; N] that holds the mechanism up where it begins; comes on within `ramp` [s], as its weight does
  double ramp = 0.25;
  double force = 2.0;  // [N] of `push` and of the hand `tremble`; of `push` [N m] where the handle only turns
  std::vector<double> wrench{};  // of `constant`: force [N], and torque [N m] if there are six
  double tremor = 0.0;         // [N] of any hand besides; at device::kTremorLever where the handle only turns
  double let_go = -1.0;        // [s] when any hand does so; below 0: never
  device::HandLimits borne{};  // of an arm that is chosen, at most
  double stiffness = 0.0,
         damping =
             -1.0;  // of the arm, along its way or about its axis; not positive, negative: as suits the load
  double rotational_stiffness = 0.0,
         rotational_damping = -1.0;  // [N m/rad], [N m s/rad] of the arm about any axis, as the two before
  double duration = 5.0;             // [s] of the run: `let-go` does so in its middle
  std::uint64_t seed = 1;
};

/// Without `file:PATH` (device/hand_file.h).
std::vector<std::string> hand_names();
/// Whether a hand moves by itself, as far as its size says.
bool has_size(const std::string& hand);
/// Whether it has an arm, whose stiffness may be given.
bool has_arm(const std::string& hand);
/// Its arm, as it was chosen or given.
device::Arm arm_of(const HandChoice& choice);
/// Throws InputError where there is no such hand, or its file is wrong.
device::HandPointer hand_of(const HandChoice& choice);

/// [s] for a smooth reach over `way` [m] or [rad], unhurried, and slow enough that it takes half of `strong` [N] or [N m].
double reach_time(double way, double load, double strong);

/// A hand that is found when the device is already open: nobody holds it until there is one in the place, before it moves.
/// Hardware has no use for it, and forgets it.
class LaterHand final : public device::Hand {
 public:
  using Place = std::shared_ptr<device::HandPointer>;
  explicit LaterHand(Place place) : place_(std::move(place)) {}
  device::Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    return *place_ != nullptr ? (*place_)->grip(t, X_WH) : device::Grip{};
  }

 private:
  Place place_;
};

}  // namespace tactus::apps
