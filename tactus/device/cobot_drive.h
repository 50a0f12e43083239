// The drive of a cobotic device: axes that are coupled to one turning drum by steered wheels, transmissions of any ratio [Faulring2006].
//
// The drum's surface moves at u. A wheel steered by phi away from it lets its axis move at
//
//   v = u tan(phi)                 phi = 0: the axis is locked;  phi -> 90 deg: it runs free of the drum
//
// Drive off: the drum is free, and moves with the axes. With m_a of an axis and m_d of the drum, as seen at its surface,
//
//   (m_d + sum m_a tan^2 phi_i) u' in sum F_i tan phi_i - Sgn(u) sum f_c |tan phi_i|
//
// which for one axis is the apparent mass m(phi) = m_a + m_d cot^2(phi): 6 kg at 90 deg and 11 kg at 45 deg (footnote 5) are m_a = 6 kg,
// m_d = 5 kg. The axes have one freedom together: pushing one moves all.
//
// Drive on: the drum's motor keeps u, and the wheels are steered. An acceleration is commanded; v_c' = a_c, and the wheel is turned to
// tan(phi_c) = v_c/u. It gets there with the lag tau, and where it rolls it creeps under load, as a mass m_l
// on it would. m_l is not m(phi): the motor holds the drum, so that no m_d cot^2 is behind it. It is chosen,
// the 11 kg of 45 deg, steered as it may be:
//
//   v' = (v_c - v)/tau + F/m_l,     over h with a_c and F held:    v(h) = v_c(h) + w + (v - v_c - w) exp(-h/tau),  w = tau (F/m_l - a_c)
//
// Rotations stand on the same drum, by a length l:  l v = u tan(phi), and all masses times l^2.
//
// All of that is of the joints that stand on wheels. Between them and the task is a Jacobian that does not
// change, where one is given:
//
//   v = J V,        F_task = J^T F,        V = J^-1 v,        F = J^-T F_task
//
// Without, each axis of the task has a wheel of its own, J = 1.
#pragma once

#include <array>
#include <limits>

#include <tactus/device/device.h>

namespace tactus::device {

struct CobotDriveOptions {
  double axis_mass = 6.0, drum_mass = 5.0;  // [kg]
  double friction = 7.2;                    // [N] to drive an axis back, dry
  double lag = 5e-3;                        // [s] of steering
  double leak_mass =
      11.0;  // [kg] with which a wheel creeps: as heavy as the drive is at 45 deg; 0: it does not
  double length = 0.067;              // [m] of rotations: 0.05 kg m^2 for 11 kg
  double drum_speed = 0.3;            // [m/s] of its surface
  double steepest = 2.75;             // [1] tan(70 deg): wheels turn no further
  std::array<double, 36> jacobian{};  // [6 x 6] by rows, from the task to the joints; all 0: J = 1
};

class CobotDrive {
 public:
  /// Throws InputError where the Jacobian has no inverse.
  explicit CobotDrive(const CobotDriveOptions& options = {});

  // Motions and forces are the task's.
  /// Drive on, for h [s]: how far each axis goes, [rad; m].
  Vector6 follow(const Vector6& a_c, const Vector6& F, double h) noexcept;
  /// Drive off, the wheels as they are steered; between these ends of the way of the drum's surface [m] from
  /// here, low <= 0 <= high, where it stops.
  Vector6 coast(const Vector6& F, double h, double low = -kAny, double high = kAny) noexcept;
  /// All axes locked, the drum at its speed.
  void stand() noexcept;
  /// The joints' wheels steered to these tangents, the drum at u [m/s].
  void steer(const Vector6& tangents, double u) noexcept;

  const Vector6& V() const noexcept { return V_; }  // [rad/s; m/s]
  const Vector6& tangents() const noexcept { return tan_; }
  double drum() const noexcept { return u_; }
  /// How far each axis of the task goes with a metre of the drum's surface, drive off.
  Vector6 direction() const noexcept;
  /// {1/(kg m^2), 1/kg} at least the largest mobility along axes of the task, of joints with this mass each.
  std::array<double, 2> most_mobility(double mass) const noexcept;
  const CobotDriveOptions& options() const noexcept { return options_; }

 private:
  static constexpr double kAny = std::numeric_limits<double>::infinity();
  double length(std::size_t i) const noexcept { return i < 3 ? options_.length : 1.0; }
  Vector6 of_joints(const Vector6& task) const noexcept;     // J x
  Vector6 of_task(const Vector6& joints) const noexcept;     // J^-1 x
  Vector6 joint_forces(const Vector6& task) const noexcept;  // J^-T x

  CobotDriveOptions options_;
  bool coupled_ = false;           // J is not 1
  std::array<double, 36> back_{};  // J^-1
  Vector6 V_{};                    // of the task
  Vector6 joint_V_{}, V_c_{}, tan_{};
  double u_ = 0.0;
};

}  // namespace tactus::device
