#include <tactus/derive/tree/stations.h>

namespace tactus::derive {

Vec3<Expr> to_world(const Tree<Expr>& tree, const Motion<Expr>& motion, int link, Vec3<Expr> v) {
  for (int i = link; i >= 0; i = tree.links[static_cast<std::size_t>(i)].parent) {
    v = to_parent(tree.links[static_cast<std::size_t>(i)], motion, i, v);
  }
  return v;
}

Vec3<Expr> from_world(const Tree<Expr>& tree, const Motion<Expr>& motion, int link, const Vec3<Expr>& v) {
  if (link < 0) return v;
  const Link<Expr>& l = tree.links[static_cast<std::size_t>(link)];
  return to_link(l, motion, link, from_world(tree, motion, l.parent, v));
}

Stations::Stations(const Tree<Expr>& tree, const Motion<Expr>& motion, const std::vector<Expr>& rates)
    : tree_(tree), motion_(motion), poses_(world_poses(tree, motion)) {
  if (!rates.empty()) velocities(tree, rates.data(), motion_);
}

Station Stations::at(int body, const Pose<Expr>& X_BF) const {
  const auto& place = tree_.bodies[static_cast<std::size_t>(body)];
  const Pose<Expr> X_LF = place.X_LB * X_BF;
  Station s;
  s.link = place.link;
  s.p_LF = X_LF.p;
  const Pose<Expr> X_WF = place.link < 0 ? X_LF : poses_[static_cast<std::size_t>(place.link)] * X_LF;
  s.R_WF = X_WF.R;
  s.p_WF = X_WF.p;
  s.w = s.v = Vec3<Expr>::zero();
  if (place.link >= 0) {
    const auto l = static_cast<std::size_t>(place.link);
    s.w = to_world(tree_, motion_, place.link, motion_.w[l]);
    s.v = to_world(tree_, motion_, place.link, motion_.v[l] + cross(motion_.w[l], X_LF.p));
  }
  return s;
}

void Stations::apply(const Station& s, const Vec3<Expr>& torque, const Vec3<Expr>& force,
                     std::vector<OutsideWrench<Expr>>& wrenches) const {
  if (s.link < 0) return;
  const Vec3<Expr> f = from_world(tree_, motion_, s.link, force);
  const Vec3<Expr> n = from_world(tree_, motion_, s.link, torque) + cross(s.p_LF, f);
  wrenches.push_back({s.link, n, f});
}

}  // namespace tactus::derive
