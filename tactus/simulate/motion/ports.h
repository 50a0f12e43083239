// Ports: the places at which a hand, a device or a controller takes hold of a mechanism. Motion comes out,
// wrenches go in.
//
// There is a port at every frame that was asked for or is marked `grasp`, and one at the origin of every body, so
// that any point of any body can be grabbed without new equations: the wrench of a force F at p is F and
// (p - p_body) x F at the body's origin.
//
// One kernel gives the directions of all joint rates and the origins of their links (derive::joint_directions).
// With w_k, v_k the direction of rate k, o_k the origin of its link and p the port's place,
//
//   J_k  = [w_k; v_k + w_k x (p - o_k)]                    for the rates between the port and the ground
//   V    = sum J_k qd_k
//   tau_k = w_k . torque + (v_k + w_k x (p - o_k)) . force                          the wrench at the joints
//
// A direction is fixed in its link, so its rate is w_link x (it), and the Jacobian's rate follows without another kernel:
//
//   Jd_k = [wd_k; vd_k + wd_k x (p - o_k) + w_k x (pd - od_k)],    wd_k = w_link x w_k,  vd_k = w_link x v_k
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/vec3.h>

namespace tactus::simulate {

struct Port {
  std::string name;  // of the frame; of the body, for its origin
  int body = 0;      // index into Model::bodies
  int frame = -1;    // index into Model::frames; -1: the body's origin and axes
};

/// Where a port is and how it moves, in world axes.
struct PortMotion {
  math::Pose<double> X_WP;
  std::array<double, 6> V_WP{};  // [rad/s; m/s] angular, then linear velocity of its origin
};

/// A wrench on the mechanism at a port's origin, in world axes, held while the step lasts.
struct PortWrench {
  int port = 0;
  std::array<double, 6> wrench{};  // [N m; N] torque, force
};

/// What acts on a mechanism from outside at every stage of a step, besides its script.
class OutsideLoads {
 public:
  virtual ~OutsideLoads() = default;
  /// Whether there is anything to add.
  virtual bool acts() const noexcept = 0;
  /// Adds to the forces at the joints, at a place of the motion.
  virtual void add(const double* arguments, double* tau) noexcept = 0;
  /// [W] that they give at a place of the motion, and [J] between two places while they are held.
  virtual double power(const double* /*arguments*/) noexcept { return 0.0; }
  virtual double work(const double* /*from*/, const double* /*to*/) noexcept { return 0.0; }
  /// Whether they only ask how the mechanism would answer: dry friction at joints then stays what it was.
  virtual bool probes() const noexcept { return false; }
  /// A number that is another one whenever they may have become others; 0: nobody knows.
  virtual std::uint64_t version() const noexcept { return 0; }
};

/// What one port asks for in every tick, with only its own links in it: of a planar mechanism little is left.
struct PortKernel {
  generate::Kernel push;    // t q wrench -> tau of `rates`
  generate::Kernel motion;  // t q u -> X [R p] V
  generate::Kernel turn;    // t q u -> J [rates x 6] drift [6]: V = sum J_k qd_k, drift = sum Jd_k qd_k
  std::vector<int> rates;   // those between the port and the ground
};

/// The constant part; shared by any number of mechanisms.
struct PortKernels {
  /// Frames: indices into Model::frames, besides those marked `grasp`.
  PortKernels(const derive::Equations& equations, const std::vector<int>& frames);

  std::vector<Port> ports;  // frames first, then the bodies in order
  std::vector<derive::LinkOutline> links;
  std::vector<int> link_of_port;
  std::size_t nq = 0, nv = 0;
  bool own_speeds = false;       // the speeds are not the joint rates
  generate::Kernel directions;   // t q -> links directions places
  generate::Kernel joint_rates;  // t q u -> qd (W W_rate qdd_bias)
  /// [ports] Of the first frames; the others, and bodies, go by the kernels of all.
  static constexpr std::size_t kMostOwn = 8;
  std::vector<std::optional<PortKernel>> own;
};

/// The port of that name: a frame's, otherwise a body's; "body:NAME" is always the body's. -1 where there is none.
int find_port(std::span<const Port> ports, std::string_view name);

/// The ports of one mechanism. Nothing is allocated after the constructor.
class Ports final : public OutsideLoads {
 public:
  /// The kernels must outlive it.
  explicit Ports(const PortKernels& kernels);

  const PortKernels& kernels() const { return kernels_; }

  /// Holds these wrenches, and none else. False where one names no port, or is not finite: nothing is held then.
  bool hold(std::span<const PortWrench> wrenches) noexcept;
  void release() noexcept {
    held_count_ = 0;
    ++version_;
  }
  /// One more for a moment: the number held before goes to restore().
  std::size_t push(const PortWrench& wrench) noexcept {
    held_[held_count_] = wrench;
    ++version_;
    return held_count_++;
  }
  void restore(std::size_t count) noexcept {
    held_count_ = count;
    ++version_;
  }
  bool acts() const noexcept override { return held_count_ > 0; }
  void add(const double* arguments, double* tau) noexcept override;
  double power(const double* arguments) noexcept override;
  double work(const double* from, const double* to) noexcept override;
  void set_probing(bool probing) noexcept { probing_ = probing; }
  bool probes() const noexcept override { return probing_; }
  /// Stays where the same wrenches are held again, bit for bit.
  std::uint64_t version() const noexcept override { return version_; }

  /// The motion has moved: what follows is read there. Whatever the index: NaN where it is none. An answer stays until
  /// the next move; that of a Jacobian until so many other ports were asked for theirs.
  static constexpr std::size_t kMostJacobians = 16;
  void move(double t, const double* q, const double* u) noexcept;
  const PortMotion& motion(int port) noexcept;
  /// [6 x nv]: V = J u + (what does not depend on u).
  std::span<const double> jacobian(int port) noexcept;
  /// [6 x nv] its rate.
  std::span<const double> jacobian_rate(int port) noexcept;
  /// [rad/s^2; m/s^2] for these accelerations.
  std::array<double, 6> acceleration(int port, const double* udot) noexcept;

  /// Room for wrenches in one tick.
  static constexpr std::size_t kMostHeld = 64;

 private:
  enum Stage : unsigned char { kNothing, kPlaces, kVelocities };
  /// The Jacobian of a port and its rate, computed at so many moves.
  struct Kept {
    int port = -1;
    std::uint64_t used = 0;               // the larger, the later
    std::uint64_t J_at = 0, rate_at = 0;  // 0: not known
    std::vector<double> J, J_rate;
  };
  bool exists(int port) const noexcept {
    return port >= 0 && static_cast<std::size_t>(port) < kernels_.ports.size();
  }
  Kept& kept(int port) noexcept;
  /// What the port's own kernel says of J and drift; null where it has none, or the speeds are not the joint rates.
  const double* turned(std::size_t port) noexcept;
  void need(Stage stage) noexcept;
  /// In terms of the speeds, where those are not the joint rates.
  void to_speeds(const double* of_rates, double* of_speeds) const noexcept;
  void joint_jacobian(int port, double* J) const noexcept;
  void push_by_all(const double* arguments, double* tau) noexcept;
  void joint_jacobian_rate(int port, double* J_rate) noexcept;

  const PortKernels& kernels_;
  std::size_t directions_ = 0, places_ = 0, W_ = 0, W_rate_ = 0, bias_ = 0;  // where the outputs stand
  std::array<PortWrench, kMostHeld + 1> held_{};
  std::size_t held_count_ = 0;
  std::uint64_t version_ = 1;
  bool probing_ = false;
  Stage stage_ = kNothing;
  std::vector<double> arguments_, out_, rates_, work_;
  std::vector<double> own_in_, own_out_;                     // of a port's own kernels
  std::vector<double> stage_out_;                            // of add()
  std::vector<double> places_to_, power_rates_, joint_tau_;  // of work() and power()
  std::vector<math::Vec3<double>> w_, v_;                    // [links] velocities
  std::vector<double> joint_, joint_rate_;
  std::uint64_t moves_ = 1, uses_ = 0;
  std::vector<Kept> kept_;
  std::vector<std::vector<double>> turned_;  // [ports]
  std::vector<std::uint64_t> turned_at_;     // [ports] moves
  std::vector<PortMotion> motions_;          // [ports]
  std::vector<std::uint64_t> motions_at_;    // [ports] moves
  PortMotion nowhere_;                       // NaN, as:
  std::vector<double> no_jacobian_;
};

}  // namespace tactus::simulate
