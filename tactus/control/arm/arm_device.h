// A robot arm as what a hand holds: a force transducer at its tool, closed inverse kinematics and a law by the model between what it is
// told and its motors [Clover1996, IV Figure 1]. Any model of six joints with a spherical wrist (wrist_arm.h), from YAML, DH or URDF.
//
//   control::open_device("arm:models/puma560.yaml", hand)          control::open_device("arm:robot.urdf:flange", hand)
//
// It is an admittance device: it senses the hand's wrench and is told a motion. At the sample k it has been told X_k, V_k and is now told
// X_k+1, V_k+1. Between the two the tool shall accelerate by A = (V_k+1 - V_k)/T, exactly what a force held for the period makes of a mass:
//
//   q*_k+1              from X_k+1: the way nearest to q*_k
//   qd*, qdd*           from V_k and A at q*_k
//   tau                 by the law at q*, qd*, qdd* from encoders and rates, less J^T F of the hand
//
// So feed-forward and feedback of [Faulring2006, (17) and (18)] are had in joint space, joint by joint, as its footnote 4 has them: qdd* feeds forward, the poles are
// K_d and K_p of each joint, and an integral of its error may be added, qdd* + K_i int (q* - q) dt. It stands while a motor gives its most.
//
// The arm itself is simulated: its whole model, friction that sticks and slides, encoders, torque limits, and drives that are as good as they are
// said to be (Drive). While it is off its brakes hold it.
//
// Transducer. It stands between the arm and a gripper of known inertia, whose weight and inertia it reads along with the hand's force:
// they are taken out by the commanded acceleration (fixture.h). It has a range, steps, noise and a bias, in the tool's axes. Beyond its range it
// knows nothing: the arm stops. It stops, too, and says why, where it is told to go out of reach, past a joint's end or near a singular
// position, where it is not where it should be, or where its motors have given their most for too long.
//
// The handle's axes are the world's at the start, and its origin is there, wherever the arm begins.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/control/arm/arm_controller.h>
#include <tactus/describe/model/model.h>
#include <tactus/device/device.h>
#include <tactus/device/hand.h>
#include <tactus/device/registry.h>

namespace tactus::control {

/// [N m; N] by axes of the tool. An ATI Gamma, as [Clover1996, IV II-C] has it.
struct Transducer {
  device::Vector6 range{11.3, 11.3, 11.3, 133.0, 133.0, 266.0};  // 0: none
  device::Vector6 step{0.006, 0.006, 0.006, 0.11, 0.11, 0.22};   // 0: none
  device::Vector6 bias{};
  std::array<double, 2> noise{};  // [N m], [N] standard deviation
  double cut_off = 0.0;           // [rad/s] of two equal poles through which it is read; 0: none
};

/// What hangs beyond the transducer, in the tool's axes.
struct Gripper {
  double mass = 0.0;             // [kg]
  math::Vec3<double> centre{};   // [m] from the tool's origin
  math::Vec3<double> inertia{};  // [kg m^2] principal moments about the centre
  bool compensated = true;       // taken out of what the transducer reads
};

/// What stands between the law's torques and the links, of which the law knows nothing. One number is of all joints, otherwise one for each; 0: none.
///
///   torque       tau is cut at +-c (tau_max -+ tau_max w/w_0): c of a fuse, w_0 the rate at which back-emf leaves nothing
///   elasticity   a rotor J_m on a gear with k = (2 pi f)^2 J_m, which swings with f while the link is held
///   backlash     k (d - b/2) beyond b/2 only, of the gear's deflection d: play of b altogether
///   encoders     are the rotors'; their steps' edges lie at (n + 1/2 + phase) steps
struct Drive {
  double torque = 1.0;
  std::vector<double> no_load{};     // [rad/s] w_0
  std::vector<double> elasticity{};  // [Hz] f
  double damping = 0.02;             // of an elastic gear, by critical
  double backlash = 0.0;             // [rad] b, of elastic gears
  double encoder_phase = 0.0;        // from 0 to 1
};

/// How joint rates are had from encoders (device/rate_filters.h).
enum class RateEstimate : std::uint8_t { difference, second_order, adaptive_window, kalman };
std::string_view name_of(RateEstimate estimate);
std::optional<RateEstimate> rate_estimate(std::string_view name);

struct ArmDeviceOptions {
  std::string frame{};  // of the tool; "": the first marked `grasp`, otherwise the last body
  double rate = 500.0;  // [Hz]
  ArmLaw law = ArmLaw::pole_placement;
  std::vector<PolePair> poles{PolePair::complex(-12.0, 45.0)};  // one for all joints, or one for each
  std::vector<double> integral{};    // [1/s^3] K_i of all joints or of each; empty: none
  std::vector<double> encoder{1e4};  // [1/rad] steps, of all joints or of each; 0: none
  RateEstimate rates = RateEstimate::difference;
  double rate_cut_off = 300.0;  // [rad/s] of `second_order`; [rad/s^2] rms of the motion for `kalman`
  bool carries_hand = true;     // what the hand pushes is taken by the motors: - J^T F
  Transducer transducer;
  Gripper gripper;
  Drive drive;
  double friction = 1.0;        // of the true arm, by that of the model
  std::vector<double> start{};  // [rad] of the joints; empty: the model's own, or a regular place
  /// Where it stops.
  std::array<double, 2> most_error{0.1, 0.02};  // [rad], [m] the tool from where it should be
  double most_saturated = 0.1;                  // [s] that a motor may give its most without a break
  double least_regular = 0.02;                  // 1 at best, 0 in a singular position
  std::uint64_t seed = 1;
};

class ArmDevice final : public device::Device {
 public:
  /// Throws InputError.
  ArmDevice(const describe::Model& model, const ArmDeviceOptions& options, device::HandPointer hand);
  ~ArmDevice() override;

  const device::Specification& specification() const noexcept override;
  device::State state() const noexcept override;
  bool enable() noexcept override;
  void disable() noexcept override;
  void stop() noexcept override;
  bool wait() noexcept override;
  bool read(device::Sample& sample) noexcept override;
  bool command(const device::Command& command) noexcept override;
  double hand_work() const noexcept override;
  /// Why it refused a command and stopped, as the end of a sentence.
  std::string trouble() const override;

  /// What it truly does, and what it was to do, at the last sample and command.
  struct Record {
    std::array<double, 6> q{}, qd{};        // truly, of the links
    std::array<double, 6> seen{}, rates{};  // by its encoders
    std::array<double, 6> wanted{}, wanted_qd{}, wanted_qdd{};
    std::array<double, 6> tau{};  // [N m] of the law
    math::Pose<double> X_WT{};    // of the tool, in the arm's own world
    device::Vector6 V{}, A{};     // of the tool, truly; A just before the sample
    device::Vector6 hand{};       // [N m; N] true wrench of the hand, world axes
    device::Vector6 read{};       // [N m; N] of the transducer, tool's axes
    int cut = 0;                  // torques at their limits, the law's or the drive's
  };
  const Record& record() const noexcept;
  /// The tool's pose with these angles, and its motion [angular; linear], in the arm's own world.
  math::Pose<double> pose(const std::array<double, 6>& q) const noexcept;
  void motion(const std::array<double, 6>& q, const std::array<double, 6>& qd,
              const std::array<double, 6>& qdd, device::Vector6& V, device::Vector6& A) const noexcept;
  const std::vector<std::string>& joint_names() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Simulated devices, hardware and models by device::open(); "arm:FILE" and "arm:FILE:FRAME" besides, whose rate and seed are those of
/// `options` where given. Throws InputError.
std::unique_ptr<device::Device> open_device(std::string_view name, device::HandPointer hand,
                                            const device::DeviceOptions& options = {},
                                            ArmDeviceOptions arm = {});
bool is_arm(std::string_view device_name);

}  // namespace tactus::control
