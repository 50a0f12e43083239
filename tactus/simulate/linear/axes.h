// Axes in which a motion is steady, for spherical and free joints.
//
// Their turns, shifts and speeds are counted in the child's own axes, B. Those of a ball that rolls straight turn along with it, and its
// linear model in them changes all the time though nothing accelerates. Axes C that agree with B at the point and turn back against
// it, at a rate eta that is constant in both,
//
//   z_C = S z_B,   S = exp([eta] t),        z_C' = S z_B' + [eta] z_C       for z = xi and z = u
//
// make it time-invariant, where eta is the share of the body's turning that its symmetry hides: all of a ball's, the spin of a coin in a
// circle, nothing of a bicycle's frame. In a steady motion u_C does not change, 0 = udot_B + [eta] u, that is
//
//   w x eta = wdot,   v x eta = vdot
//
// six equations for eta. Where they leave some of it open (a top on a spherical joint has no v), the axes turn about the vertical n
// alone, as every steady motion under weight does: eta = w - Omega n, with Omega from the same equations.
//
// du_C are then components in axes that take part in the body's small turn xi: a coin's heading is ignorable in them, and nothing is to be
// said of it. The attitude of a homogeneous ball means nothing either, but a small turn changes the components of its constant w.
// Components in axes that take no part,
//
//   du = du_C + xi_r x u,        du_C = du + Y xi
//
// leave that to the attitude: the ball's speeds are constants, and their eigenvalues zeros.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <tactus/describe/model/model.h>
#include <tactus/simulate/linear/linear_model.h>

namespace tactus::simulate {

class TurningAxes {
 public:
  /// The children's own.
  explicit TurningAxes(const describe::Model& model);

  enum class Choice {
    own,       // eta = 0
    smallest,  // the smallest eta that leaves no acceleration
    upright,   // of joints at the ground: eta = w - Omega n
  };
  /// Axes that agree with the children's own in this state, and turn back from then on. False where they are the ones before, or
  /// the speeds are none of the joints.
  bool choose(Choice choice, const std::vector<double>& q, const std::vector<double>& u,
              const Eigen::VectorXd& udot);

  /// They do turn against a child.
  bool turn() const;
  /// S, t after the choice [nv x nv].
  Eigen::MatrixXd matrix(double t) const;
  /// [eta], of turns and shifts alike [nv x nv].
  const Eigen::MatrixXd& spin() const { return spin_; }
  /// Y, of axes that take no part in small turns [nv x nv].
  Eigen::MatrixXd apart(const Eigen::VectorXd& u_C) const;

  std::vector<TurnedAxes> turned(bool apart) const;

 private:
  struct One {
    std::string joint;
    int q = 0, v = 0;  // where the quaternion, and where the turns begin
    bool is_free = false;
    std::optional<Eigen::Vector3d> vertical;  // in the joint's frame on the ground
    Eigen::Vector3d eta = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();
  };
  std::vector<One> all_;
  bool rates_are_speeds_ = true;
  Eigen::MatrixXd spin_;
};

}  // namespace tactus::simulate
