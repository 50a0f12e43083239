#include <tactus/derive/recursion/body_terms.h>

#include <string>
#include <utility>

#include <tactus/derive/recursion/articulated_body.h>

namespace tactus::derive {

BodyTerms::BodyTerms(const Tree<Expr>& tree, Motion<Expr> motion, const SpeedMap& speeds,
                     const SpeedBlocks& blocks)
    : tree_(tree),
      speeds_(speeds),
      blocks_(blocks),
      motion_(std::move(motion)),
      X_WL_(world_poses(tree, motion_)) {
  accelerations(tree, speeds.rates.data(), speeds.bias.data(), Vec3<Expr>::zero(), Policy{}, motion_);
  velocities(tree, speeds.rates.data(), motion_);
}

// Each joint's direction at the point, in world axes; through W where the speeds are not the joint rates.
std::vector<Expr> BodyTerms::jacobian(int body, const Vec3<Expr>& p_W) const {
  const int k = blocks_.block_of_body[static_cast<std::size_t>(body)];
  if (k < 0) return {};
  const std::size_t n = blocks_.blocks[static_cast<std::size_t>(k)].speeds.size();
  std::vector<Expr> J(6 * n);
  for (int i = tree_.bodies[static_cast<std::size_t>(body)].link; i >= 0;
       i = tree_.links[static_cast<std::size_t>(i)].parent) {
    const Link<Expr>& link = tree_.links[static_cast<std::size_t>(i)];
    const Pose<Expr>& X = X_WL_[static_cast<std::size_t>(i)];
    for (int joint = 0; joint < speed_count(link.kind); ++joint) {
      Vec3<Expr> w, v;
      joint_direction(link, joint, w, v);
      const Vec3<Expr> w_W = X.R * w;
      const Vec3<Expr> v_W = X.R * v + cross(w_W, p_W - X.p);
      const auto rate = static_cast<std::size_t>(link.v + joint);
      for (const int speed : blocks_.rate_speeds[rate]) {
        const auto r = static_cast<std::size_t>(speed);
        const Expr W = speeds_.W_at(rate, r);
        const auto column = static_cast<std::size_t>(blocks_.place[r]);
        for (std::size_t a = 0; a < 3; ++a) {
          J[a * n + column] += W * w_W[a];
          J[(a + 3) * n + column] += W * v_W[a];
        }
      }
    }
  }
  return J;
}

void BodyTerms::append(int body, std::vector<algebra::Block>& outputs) const {
  const auto& place = tree_.bodies[static_cast<std::size_t>(body)];
  const auto l = static_cast<std::size_t>(place.link < 0 ? 0 : place.link);
  const Pose<Expr> X = place.link < 0 ? place.X_LB : X_WL_[l] * place.X_LB;
  Vec3<Expr> w = Vec3<Expr>::zero(), v = w, wd = w, a = w;
  if (place.link >= 0) {
    const Vec3<Expr>& p_L = place.X_LB.p;
    w = X_WL_[l].R * motion_.w[l];
    v = X_WL_[l].R * (motion_.v[l] + cross(motion_.w[l], p_L));
    wd = X_WL_[l].R * motion_.wd[l];
    a = X_WL_[l].R * (motion_.a[l] + motion_.U[l] * p_L);
  }
  std::vector<Expr> pose;
  for (std::size_t i = 0; i < 3; ++i) pose.insert(pose.end(), {X.R(i, 0), X.R(i, 1), X.R(i, 2), X.p[i]});
  std::vector<Expr> J = jacobian(body, X.p);
  const int columns = static_cast<int>(J.size() / 6);
  const std::string b = "_" + std::to_string(body);
  outputs.push_back({"X" + b, "pose in the world, [R p]", 3, 4, std::move(pose)});
  outputs.push_back({"V" + b,
                     "velocity of the origin [angular; linear], world axes [rad/s, m/s]",
                     6,
                     1,
                     {w.x, w.y, w.z, v.x, v.y, v.z}});
  outputs.push_back({"a" + b,
                     "acceleration of the same at udot = 0 [rad/s^2, m/s^2]",
                     6,
                     1,
                     {wd.x, wd.y, wd.z, a.x, a.y, a.z}});
  outputs.push_back({"J" + b, "Jacobian in the speeds of the body's block", 6, columns, std::move(J)});
}

}  // namespace tactus::derive
