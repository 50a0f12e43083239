// Control of constrained mechanisms by projection [Aghili2005, VII]: forces that make the wanted motion, and of those the ones that
// are least, that use the actuators there are, or that keep the constraints' forces as they should be.
//
//   M ud + h = f + A^T lambda,    A ud = gamma,    x = E q the coordinates to be led
//
// x may be coordinates, or rows of constraints of the model that are off: their value Phi, as an equation of a frame's place. What the motion
// asks for is one acceleration,
//
//   A ud* = gamma,   E ud* = xdd* + G_D (xd* - xd) + G_P (x* - x)                                  (44)
//
// and the forces tau = M ud* + h, to which A^T nu may be added for any nu: that changes the constraints' forces, not the motion.
//
//   least         nu least in f^T W^-1 f, f = tau - A^T nu: f = W^1/2 P_W W^-1/2 tau               (43), (46), (47)
//   passive       the same with f_i = 0 where there is no actuator                                 (53)-(60)
//   hybrid        lambda as commanded: f = tau - A^T (lambda* + G_F e + G_I int e), e = lambda* - lambda     (49), (50), (52)
//
// Where the inertia does not couple motion and constraints (decoupling.h), the part (I - P) M P ud* of tau is nothing, and the feed-forward mu of
// (49) may be left out: `feed_forward`.
//
// e may be of forces that were measured a sample before: by (32) they answer at once, so that a loop of gain G_F that is one
// sample late is stable only behind a filter e' <- e' + a (e - e') with a < 2/(1 + G_F): it is refused otherwise.
//
// Which motion can be led. ud* must be unique: rows of E and A together of full rank, otherwise the position is one in which the
// coordinates x do not fix the motion. And with passive joints every tau must be within reach: N(A) and the passive joints' axes have
// nothing in common (62). Both are looked at in every tick; where one fails the law says so and gives no force.
//
// W^1/2 = the actuators' limits, or by a length that makes forces of torques (48), or the identity: weights.h.
//
// Constraints may come and go while it runs, and depend on each other: hold() says which are on, nothing else changes. Led are at least as many as
// there are freedoms at any time; where they are more, the wanted motion is one that the constraints allow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>

namespace tactus::control {

enum class Share : std::uint8_t { least, hybrid };

struct ProjectedControl {
  std::vector<std::string>
      led;  // coordinates, or rows of constraints that are off, by name: as many as there are freedoms
  double G_P = 25.0, G_D = 10.0;  // [1/s^2], [1/s]
  Share share = Share::least;
  bool passive = true;          // joints without an actuator get no force; otherwise all are taken as active
  std::vector<double> weight;   // [joints] W^1/2; empty: the identity
  double G_F = 0.0, G_I = 0.0;  // [1], [1/s] of forces
  double filter = 1.0;          // a
  bool feed_forward = true;     // of hybrid control: what the motion does to the constraints' forces
  double period = 1e-3;         // [s]
};

/// What a tick begins with.
struct ProjectedMemory {
  std::vector<double> error, integral;  // [rows] of forces
};

enum class Led : std::uint8_t {
  well,
  not_unique,        // the coordinates do not fix the motion here
  not_controllable,  // there are not enough actuators here
  not_finite,
};
std::string_view words_of(Led led);

/// What generated code needs to know besides the settings.
struct ProjectedPlan {
  std::vector<std::size_t> coordinate, passive,
      active;         // that are led; joints without an actuator, and with one
  double size = 0.0;  // of the entries of A
  double rank = 0.0;  // singular values below this part of it are none
};

class ProjectedController {
 public:
  /// Throws InputError: names that are none, gains that are not positive, a force loop that cannot be stable.
  ProjectedController(const describe::Model& model, const ProjectedControl& control);
  ~ProjectedController();
  ProjectedController(ProjectedController&&) noexcept;
  ProjectedController& operator=(ProjectedController&&) noexcept;

  std::size_t joints() const noexcept { return n_; }
  std::size_t rows() const noexcept { return m_; }
  std::size_t led() const noexcept { return k_; }
  /// Which constraints hold, between two ticks; at first those that the model has on. False where the index (into Model::constraints) is
  /// none, or the constraint is one that is led: nothing has changed then.
  bool hold(int constraint, bool on) noexcept;
  const ProjectedControl& control() const noexcept { return control_; }
  ProjectedPlan plan() const;
  ProjectedMemory memory() const { return {std::vector<double>(m_), std::vector<double>(m_)}; }

  /// x, xd, xdd wanted [led]; lambda and its wanted value [rows], of hybrid control only; f [joints] is zero where it is not `well`.
  Led force(ProjectedMemory& memory, double t, const double* q, const double* u, const double* x_wanted,
            const double* xd_wanted, const double* xdd_wanted, const double* lambda,
            const double* lambda_wanted, double* f) noexcept;

  /// Whether all motions that the constraints leave can be led by the actuators there are, where it was last asked (62): the sine of
  /// the least angle between what moves and what is not driven; zero where it is not.
  double controllability() const noexcept { return controllability_; }

 private:
  void leave_coupling_out() noexcept;

  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  ProjectedControl control_;
  std::size_t n_ = 0, m_ = 0, k_ = 0;
  std::vector<std::size_t> coordinate_, passive_,
      active_;                      // of those led, a coordinate or, from n_ on, a row
  std::vector<int> constraint_of_;  // [rows]
  std::vector<char> on_;            // [rows]
  generate::Kernel terms_;
  std::size_t M_ = 0, Q_ = 0, A_ = 0, gamma_ = 0, Phi_ = 0, velocity_ = 0;
  std::vector<double> in_, out_, work_, space_, motion_;
  double controllability_ = 1.0;
  double size_ = 0.0;  // of A's entries
  // Made once, of their full sizes.
  Matrix stacked_, weighted_, driven_;
  Vector right_, ud_, tau_, nu_, part_;
  struct Decompositions;
  std::unique_ptr<Decompositions> svd_;
};

}  // namespace tactus::control
