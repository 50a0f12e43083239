#include <tactus/derive/recursion/kinematics.h>

namespace tactus::derive {

using algebra::Expr;

void group_angles(const Tree<Expr>& tree, const Expr* q, Motion<Expr>& motion) {
  std::vector<Expr> angle(tree.links.size());
  std::vector<Expr> offset(tree.links.size());
  for (int i = 0; i < tree.size(); ++i) {
    const Link<Expr>& link = tree.links[i];
    if (motion.group[i] < 0) continue;
    const Expr own = link.sign < 0.0 ? -q[link.q] : q[link.q];
    const bool first = motion.group[i] == i;
    angle[i] = first ? own : angle[link.parent] + own;
    offset[i] = first ? link.offset : offset[link.parent] + link.offset;
    sine_cosine(angle[i], 1.0, offset[i], motion.group_s[i], motion.group_c[i]);
  }
}

}  // namespace tactus::derive
