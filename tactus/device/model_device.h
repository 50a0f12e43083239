// Any model as an impedance device: joint encoders and motors on a simulated mechanism, held at one of its ports.
//
//   device::open("model:models/pantograph.yaml", hand)          device::open("model:models/stewart_platform.yaml:plate", hand)
//
// Every joint that is not `passive` has a motor and an encoder. What the device is asked for as a wrench at the handle goes to its
// motors by the transpose of the Jacobian of the handle in the motors' rates, B = J G S^T (S G S^T)^-1: S picks the motors out of the
// speeds, and G, from forces to accelerations under the constraints, is what the mechanism answers when it is asked. Where there are
// as many motors as freedoms,  V = B (rates of the motors)  and  tau = B^T F  are exact, loops and all. Where there are more motors
// than freedoms (a loop with a motor at every joint) S G S^T is singular, and its pseudoinverse shares the force among them: G S^T (S G S^T)^+ S G = G
// as long as the motors move every freedom, so that the handle feels the same.
//
// The handle's origin is where it begins, and its axes are the world's there, wherever the model's own state
// puts it: so are places told, a workspace counted, and a hand's intention.
//
// Its own inertia is felt: it is the model's. Its weight, velocity's products and its joints' friction are
// taken from the hand by its motors while it is on, where the options say so (what accelerates it without a
// hand, friction too, is what they oppose, at once: that is the device's own controller, and no command is on
// its way for it); otherwise they are felt. Encoders have steps: the handle is where
// B sees it from there,
// which is exact to the square of a step.
//
// A force sensor without steps, noise and bias reads the hand's wrench as it is. Another stands in the handle
// (force_sensor.h): it senses all six axes of it, whichever can be moved, so that what one of them reads does
// not depend on how the port's body stands.
//
// The hand is asked for its force in the middle of a substep, where the handle will be with its velocity; its
// damping is of the beginning. With s = K h^2/m and z = B h/m that is stable below s + 2 z = 4 (hand_limits.h
// with a damper), m the least mass that the handle has where it begins.
//
// A motor gives the `effort_limit` of its joint at most. What is left of it beside the device's own weight, where it begins, is what the handle can be given for ever in any
// direction: a force F takes |b F| <= |b| |F| of a motor whose column of B is b, and torques take their share.
//
// The axes of the handle that it has are those in which the port can be moved and pushed independently of each other at the start:
// translations first, rotations where freedoms are left. A hand pushes it any way, and turns it about the axes
// that it has and those that turn by themselves, without a motor. About an axis that only turns because the
// handle is moved (the last link of a five-bar) the handle is a knob on a pivot: a torque there would push it
// aside, and no sensor would tell.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tactus/describe/model/model.h>
#include <tactus/device/command_delay.h>
#include <tactus/device/device.h>
#include <tactus/device/force_sensor.h>
#include <tactus/device/hand.h>
#include <tactus/device/sensing.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::device {

/// Pairs are {rotation, translation}.
struct ModelDeviceOptions {
  std::string name{}, description{};           // "": of the model
  std::string port{};                          // "": the first frame marked `grasp`, otherwise the last body
  double rate = 1000.0;                        // [Hz]
  std::array<double, 2> encoder_step{};        // [rad], [m] of motors that turn and of those that slide
  double velocity_bandwidth = 0;               // [rad/s]
  double latency = 0.0;                        // [s] of commands
  std::array<double, 2> most{};                // [N m], [N] at the handle, where a motor has no limit; 0: any
  std::array<double, 2> continuous{}, peak{};  // [N m], [N] less than the motors give; 0: what they give
  math::Vec3<double> workspace{};              // [m] half a box about where it begins; 0: as far as it goes
  double workspace_angle = 0.0;                // [rad] from there
  bool compensated = true;  // weight, velocity's products and friction are carried by the motors
  bool force_sensor = true;
  std::array<double, 2> force_resolution{}, force_noise{};  // [N m], [N]
  Vector6 force_bias{};                                     // [N m; N]
  std::uint64_t seed = 1;                                   // of the noise
};

class ModelDevice final : public Device {
 public:
  /// Throws InputError where the model has no motor, the port cannot move, or the mechanism cannot make a step from where it begins.
  ModelDevice(const describe::Model& model, const ModelDeviceOptions& options, HandPointer hand);

  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return state_; }
  bool enable() noexcept override;
  void disable() noexcept override;
  void stop() noexcept override { stopped_.store(true, std::memory_order_release); }
  bool wait() noexcept override;
  bool read(Sample& sample) noexcept override;
  bool command(const Command& command) noexcept override;
  bool dynamics(HandleDynamics& dynamics) noexcept override;
  double hand_work() const noexcept override { return hand_work_; }
  HandLimits hand_limits() const noexcept override { return hand_limits_; }
  /// What its mechanism said.
  std::string trouble() const override;

  simulate::Mechanism& mechanism() noexcept { return *mechanism_; }
  int port() const noexcept { return port_; }
  /// What the motors give.
  std::span<const double> motors() const noexcept { return tau_; }

  static constexpr std::size_t kMostMotors = 12;

 private:
  void find_motors(const describe::Model& model);
  void find_axes();
  void find_held() noexcept;
  void find_losses(const describe::Model& model);
  void find_limits();
  void find_hand_limits();
  void try_a_step();
  math::Pose<double> from_start(const math::Pose<double>& X_WP) const noexcept;
  void probe() noexcept;
  void sense() noexcept;
  Vector6 pushed(const Grip& grip, const Vector6& V) const noexcept;
  Vector6 along_axes(const Vector6& F) noexcept;
  void drive(const Vector6& wrench) noexcept;

  ModelDeviceOptions options_;
  Specification specification_;
  HandPointer hand_;
  std::uint8_t held_ = 0;  // axes along which a hand pushes
  std::unique_ptr<simulate::Mechanism> mechanism_;
  int port_ = 0;
  std::vector<std::size_t> motor_;  // indices into the speeds
  std::vector<char> turns_;         // of the motors
  std::vector<int> coordinate_;     // of the motors, into q
  std::vector<double> step_;        // [rad or m] of their encoders
  std::vector<double> limit_;       // [N m or N] of the motors; 0: none
  math::Pose<double> X_0_{};        // of the port at the start
  simulate::Status trouble_{};      // that lost it
  State state_ = State::off;
  std::atomic<bool> stopped_{false};
  Sample sample_{};
  Sensing sensing_;
  ForceSensor force_;
  bool ideal_;  // the force sensor
  CommandDelay coming_;
  double hand_work_ = 0.0;
  HandLimits hand_limits_{};
  std::vector<double> tau_, scratch_, udot_;
  // Of the last probe, where the handle is: responses of motors (rows) to motors, of the port to motors; what
  // carries the device.
  std::array<double, kMostMotors * kMostMotors> W_{};
  std::array<double, 6 * kMostMotors> port_response_{}, B_{};
  std::array<double, kMostMotors> own_{};
};

}  // namespace tactus::device
