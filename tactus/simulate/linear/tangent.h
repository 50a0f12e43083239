// Small displacements of a place, nv numbers, one for each joint axis, in the order of the speeds: of plain joints the change of
// the coordinate; of a spherical or free joint a turn (rx, ry, rz) and a shift (dx, dy, dz), both in the child's own axes.
//
//   dq = N(q) xi,    qdot = N(q) qd,    xi' = d(qd) - ad(qd) xi,    ad((w, v)) (r, d) = (w x r, w x d + v x r)
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <tactus/describe/model/model.h>

namespace tactus::simulate {

class Tangent {
 public:
  explicit Tangent(const describe::Model& model);

  const std::vector<std::string>& names() const { return names_; }  // [nv]
  /// N at q [nq x nv].
  Eigen::MatrixXd map(const std::vector<double>& q) const;
  /// ad of joint rates [nv x nv].
  Eigen::MatrixXd ad(const Eigen::VectorXd& qd) const;
  /// q <- q displaced by xi; quaternions stay unit ones.
  void displace(std::vector<double>& q, const Eigen::VectorXd& xi) const;

 private:
  struct Turning {
    int q = 0, v = 0;  // where the quaternion, and where the turns begin
    bool is_free = false;
  };
  std::vector<std::string> names_;
  std::vector<Turning> turning_;
  struct Plain {
    int q = 0, v = 0;
  };
  std::vector<Plain> plain_;
  int nq_ = 0, nv_ = 0;
};

}  // namespace tactus::simulate
