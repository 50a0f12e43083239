// A mechanism held at any point of any link [Constantinescu2005]: an impedance controller that lends the device the
// mechanism's inertia, four channels between the two, and penalties along the directions that the joints resist.
//
// Channels. The hand's wrench F_h goes to the mechanism, the mechanism's acceleration comes back to the device, and a weak
// spring and damper, the coordination F_pc, keeps the two in one place:
//
//   mechanism:  M ud + h = J^T (F_h - F_d - F_pc) + A^T lambda + (contact)                               (1)
//   device:     xdd = L (F_h - F_d + F_pc) + J M^-1 P tau + Jd u,      L = J M^-1 P J^T             (5), (11)
//   F_d = b_d xd + k_d x                                                                                  (4)
//   u = M_d xdd - F_h + B_d xd                                                                           (10)
//
// Printed (5), (11) and (13) leave out Jd u; with it the device follows the mechanism also in turning. The mechanism answers
// a = L (F_h - F_d - F_pc) + J M^-1 P tau + Jd u, contacts and constraints with it, so that xdd = a + 2 L
// F_pc: no term of the dynamics is computed twice, and whatever can be held by a port can be held so: open
// chains, loops, rolling, contact.
//
// F_d, damper and spring of the handle's own, is 0 in all that was printed. Here the mechanism has it, too:
// with F_h alone it would go on where the spring holds the handle, and get work that no hand gives. x is
// counted from where the handle is when the spring begins: way and rotation vector, of which k_d theta is the
// gradient of k_d theta^2/2. F_d is in the handle's scale.
//
// Directions. A wrench of the null space of L moves nothing: joints (and constraints) carry it. N(L) = N(N^T J^T), N spanning
// the null space of A; (14) is the case without constraints. An acceleration alone does not keep the hand from going there, so
//
//   xdd += sum w_i n_i (k_j n_i^T M_d e + b_j n_i^T M_d ed),       e = x_VM - x_h                                  (17)
//
// Units. (17) is printed with n^T n = 1, which adds metres to radians. Here the device's inertia is the metric, n^T M_d n = 1:
// with M_d = R R^T, S = R^T L R and S v = s v, n = R^-T v. S has no unit: s is the mass of the device over that which the
// mechanism has along n. A direction is resisted where s is below a tolerance. For M_d = 1 it is the paper's. By
// Rank::jacobian the singular values of R^T J, with M_d = 1 those of J, are compared instead, as the paper does; loops
// are not seen in it.
//
// Nonlinear damping (what [Constantinescu2005] left for later): b_j grows with the violation d, the way along n:
// from b_j where it begins to `growth` times that at `growth_length` and beyond. Small swings, which decide on
// stability, have (k_j, b_j); what goes deeper meets more force, and a damper that is larger takes more energy at any d.
//
// Through singularities. The weight w falls from 1 to 0 between s = tolerance and twice that: a function of the matrix S, so
// that the penalty is continuous whatever its eigenvectors do. As printed it jumps (fade = false).
//
// Without a force sensor. F_h is observed by the handle's momentum (control/force_observer.h), F = g/(s + g) F_h. Given to the mechanism as it is, what is missing of it moves the handle alone:
// M_d edd = F_h - F, a damper M_d g between the hand and the mechanism, however heavy that is. With by_coordination the coordination, as stiff as the device can hold it (coupler_design.h), has the hand's
// wrench instead: with e = x_h - x_VM, F_c = K e + B ed,
//
//   mechanism: m xdd_VM = F_c + B_d ed            device: u = M_d xdd_VM - F_c + B_d xd_VM
//   so that    M_d edd + (B + B_d) ed + K e = F_h
//   and        v/F_h = 1/(m s) + (1 - M_d/m) s/(M_d s^2 + (B + B_d) s + K)
//
// a mass and a spring in series: passive for m >= M_d (control/kept_inertia.h). The relative motion is that of a device in front of a wall, whatever m is: K and B are those of a coupler there. The handle's
// own inertia and damping are masked. A share a of F besides, given to the mechanism and taken from the handle, makes the spring stiffer for slow hands: its part of v/F_h is then times
// (s + (1 - a) g)/(s + g), which for a = 1 and slow hands is a conductance of -w^2/(g K). That feeds them: 21.6 kg on 1500 N/m
// swung at some 25 rad/s in the hand, 0.5 of its force, by g = 100 rad/s. So a = 0.
//
// Scales. The handle moves motion_scale times as far as the mechanism, and the hand feels force_scale times the force: it
// feels the impedance force_scale/motion_scale Z. Angles are not scaled, torques by both, so that one factor scales all power.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <tactus/control/coupler.h>

namespace tactus::control {

using Matrix6 = std::array<double, 36>;  // by rows

/// (S^T L S) f = rhs, S the axes, in the place of rhs; other axes get 0. False where the port has fewer freedoms than that: a pivot of Cholesky's method falls
/// to the rounding of its diagonal.
bool solve_at_port(const Matrix6& L, std::uint8_t axes, Vector6& rhs) noexcept;
/// Of the axes, translations first, those along which a port of mobility L can move independently of the others.
std::uint8_t movable_axes(const Matrix6& L, std::uint8_t axes) noexcept;

/// Directions with n^T M_d n = 1, those with the smallest s first.
struct Resisted {
  int count = 0;  // of weights above 0
  std::array<Vector6, 6> n{};
  Vector6 s{};
  Vector6 weight{};
};

/// Finds the directions by one-sided rotations [Hestenes1958], which begin with those of the call before: where little has
/// changed, one sweep is enough. Nothing is allocated after the constructor.
class ResistedDirections {
 public:
  /// `axes` that the device has; `columns` is the most that a Jacobian may have.
  ResistedDirections(std::uint8_t axes, std::size_t columns);

  /// By the mobility L of the port, with the device's inertia.
  const Resisted& by_mobility(const Matrix6& L, const Matrix6& M_d, double tolerance, bool fade) noexcept;
  /// By the Jacobian J [6 x columns] of the port, or J N.
  const Resisted& by_jacobian(std::span<const double> J, const Matrix6& M_d, double tolerance,
                              bool fade) noexcept;
  const Resisted& result() const noexcept { return result_; }

 private:
  void factor(const Matrix6& M_d) noexcept;
  void rotate(std::size_t columns) noexcept;
  void judge(double tolerance, bool fade) noexcept;

  std::array<std::size_t, 6> axis_{};
  std::size_t axes_ = 0;
  std::vector<double> rows_;  // [axes x columns], R^T J or S, turned by v_
  Matrix6 factored_{};        // whose factor R_ is; zeros: none's
  std::array<double, 36> R_{},
      v_{};  // [axes x axes] Cholesky factor; rows are the directions of the call before
  Resisted result_;
};

enum class Rank : std::uint8_t { mobility, jacobian };

struct FourChannelGains {
  CouplerGains coordination{{0.5, 100.0}, {0.375, 70.0}};  // K_pc, B_pc: (19), (20)
  bool penalties = true;                                   // (18); false: (11), by acceleration alone
  double joint_stiffness = 200.0;                          // [1/s^2] k_j
  double joint_damping = 50.0;                             // [1/s] b_j
  double damping_growth = 1.0, growth_length = 1e-3;       // [1], [m or rad]: of b_j with the violation
  bool turning = true;                                     // Jd u; false: as printed
  Rank rank = Rank::mobility;
  double tolerance =
      1e-4;  // of s: the mechanism is 10^4 times as heavy as the device; of singular values by the Jacobian
  bool fade = true;
  std::array<double, 2> damping{},
      stiffness{};  // b_d [N m s/rad, N s/m], k_d [N m/rad, N/m] of (4), at the handle
  double force_scale = 1.0, motion_scale = 1.0;
  std::array<double, 2>
      kept{};  // {rotation, translation}: share of the device's inertia that stays felt (control/kept_inertia.h)
  bool by_coordination = false;  // without a force sensor: the hand's wrench is what the coordination holds
};

/// The mechanism at the port, at one instant.
struct PortState {
  simulate::PortMotion motion;
  Vector6 acceleration{};  // under all that acts, F_h - F_pc with it
  Vector6 turning{};       // Jd u
  Matrix6 L{};             // mobility
};

bool finite(const PortState& state) noexcept;

/// What the device shall do, in world axes.
struct HandleDemand {
  Vector6 acceleration{};
  Vector6 penalty{};  // the part of it that (17) adds
  Vector6 wrench{};   // of the coordination on the handle besides, by_coordination
};

/// All that four channels remember.
struct FourChannelMemory {
  CouplerMemory coordination;
  math::Vec3<double> p_start{};    // of the handle: where scaled motion begins
  math::Pose<double> X_relaxed{};  // of the handle: where its own spring is
};

struct FourChannel {
  FourChannelGains gains;
  std::uint8_t axes = device::kAllAxes;

  /// Begins without force.
  void engage(FourChannelMemory& memory, const device::Sample& sample,
              const simulate::PortMotion& port) const noexcept;
  /// The handle's own spring begins without force where the handle is.
  void relax(FourChannelMemory& memory, const device::Sample& sample) const noexcept {
    memory.X_relaxed = sample.X_WH;
  }
  /// F_d of (4), which the hand's wrench has to overcome; of the sample as it was sensed.
  Vector6 own_wrench(const FourChannelMemory& memory, const device::Sample& sample) const noexcept;
  /// The handle as the mechanism sees it: scaled.
  device::Sample scaled(const FourChannelMemory& memory, const device::Sample& sample) const noexcept;
  /// F_pc: on the handle; the mechanism gets its opposite. Of the scaled sample.
  Vector6 coordination(FourChannelMemory& memory, const device::Sample& scaled,
                       const simulate::PortMotion& port) const noexcept;
  /// (5) and (17) of the scaled sample, in the handle's scale; the port's acceleration is the answer to F_h -
  /// F_d - F_pc.
  HandleDemand demand(const FourChannelMemory& memory, const device::Sample& scaled, const PortState& port,
                      const Vector6& F_pc, const Resisted& resisted, const Matrix6& M_d) const noexcept;
};

/// (10): what the motors give, M_d xdd + B_d xd - F_h. B_d are {rotation, translation}.
Vector6 motor_wrench(const HandleDemand& demand, const device::Sample& sample, const Matrix6& M_d,
                     const std::array<double, 2>& B_d) noexcept;
/// The inertia of a device's specification.
Matrix6 inertia_of(const device::Specification& specification) noexcept;

/// b_j at a violation [m or rad].
double damping_at(const FourChannelGains& gains, double violation) noexcept;

/// The largest gains of (17) with which the sampled device stays stable where k_j and b_j act on it alone, held for a period T:
/// e'' = -k e - b ed has the characteristic polynomial z^2 - (2 - b T - k T^2/2) z + (1 - b T + k T^2/2), whose roots lie
/// within the unit circle where  b < 2/T  and  k < 2 b/T.
struct PenaltyBorder {
  double damping = 0.0, stiffness = 0.0;  // [1/s], [1/s^2]
};
PenaltyBorder penalty_border(double period, double joint_damping) noexcept;

/// Of a device as it is, by the sampled loop of one axis before a wall (penalty_design.cpp): the largest eigenvalue's size of the map from one tick to the next, along rotations (0) or translations (1): k_j [1/s^2], b_j [1/s], `hand_damping` B_h [N m s/rad], [N s/m]. The
/// coordination is the gains' own.
double penalty_radius(const device::Specification& specification, const FourChannelGains& gains,
                      std::size_t k, double joint_stiffness, double joint_damping, double hand_damping);

/// The largest k_j [1/s^2] that is stable with this b_j, to 1e-4 of itself; 0 where none is.
double stiffest_penalty(const device::Specification& specification, const FourChannelGains& gains,
                        std::size_t k, double joint_damping, double hand_damping);

}  // namespace tactus::control
