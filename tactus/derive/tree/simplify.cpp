#include <tactus/derive/tree/simplify.h>

#include <cmath>

#include <tactus/derive/recursion/kinematics.h>
#include <tactus/derive/tree/mass.h>

namespace tactus::derive {

using algebra::Expr;

namespace {

/// Relative size below which a constant that came out of a cancellation is taken for the zero it stands for.
constexpr double kDust = 1e-15;

/// Slides of frames along their axes, by the length of the mechanism: axes that are nearly perpendicular ask
/// for long ones, and rounding of second moments about a far point grows with the square.
constexpr double kLongestSlide = 10.0;

bool is_number(const Mat3<Expr>& R) {
  for (const auto& row : R.m)
    for (const Expr x : row)
      if (!x.is_constant()) return false;
  return true;
}

double cleaned(double x, double scale) {
  if (std::fabs(x) <= kDust * scale) return 0.0;
  if (std::fabs(x - 1.0) <= kDust) return 1.0;
  if (std::fabs(x + 1.0) <= kDust) return -1.0;
  return x;
}

void clean_rotation(Mat3<Expr>& R) {
  for (auto& row : R.m)
    for (Expr& x : row)
      if (x.is_constant()) x = Expr(cleaned(x.value(), 1.0));
}

/// scale: what the entries are made of.
void clean(Vec3<Expr>& v, double scale) {
  for (std::size_t k = 0; k < 3; ++k)
    if (v[k].is_constant() && std::fabs(v[k].value()) <= kDust * scale) v[k] = Expr(0.0);
}

double largest(const Vec3<Expr>& v) {
  double size = 0.0;
  for (std::size_t k = 0; k < 3; ++k)
    if (v[k].is_constant()) size = std::max(size, std::fabs(v[k].value()));
  return size;
}

/// What hangs on each link, by their numbers: found once, since no frame that moves changes it.
struct Hanging {
  explicit Hanging(const Tree<Expr>& tree) : links(tree.links.size()), bodies(tree.links.size()) {
    for (std::size_t i = 0; i < tree.links.size(); ++i)
      if (const int parent = tree.links[i].parent; parent >= 0)
        links[static_cast<std::size_t>(parent)].push_back(i);
    for (std::size_t b = 0; b < tree.bodies.size(); ++b)
      if (const int link = tree.bodies[b].link; link >= 0)
        bodies[static_cast<std::size_t>(link)].push_back(b);
  }

  std::vector<std::vector<std::size_t>> links, bodies;
};

/// Replaces link i's frame L by L' = L * X_LN: its placement, mass, children and bodies follow.
void move_frame(Tree<Expr>& tree, const Hanging& hanging, int i, const Pose<Expr>& X_LN) {
  Link<Expr>& link = tree.links[static_cast<std::size_t>(i)];
  const Pose<Expr> X_NL = inverse(X_LN);
  const MassMoments<Expr> mass = seen_from(X_NL, MassMoments<Expr>{link.m, link.h, link.sigma});
  link.m = mass.m;
  link.h = mass.h;
  link.sigma = mass.sigma;
  for (const std::size_t c : hanging.links[static_cast<std::size_t>(i)]) {
    Link<Expr>& child = tree.links[c];
    const Pose<Expr> X = X_NL * Pose<Expr>{child.R_PJ, child.p_PJ};
    const double scale = std::max(largest(child.p_PJ), largest(X_LN.p));
    child.R_PJ = X.R;
    child.p_PJ = X.p;
    clean_rotation(child.R_PJ);
    clean(child.p_PJ, scale);
  }
  for (const std::size_t b : hanging.bodies[static_cast<std::size_t>(i)])
    tree.bodies[b].X_LB = X_NL * tree.bodies[b].X_LB;
}

Mat3<Expr> about_z(double angle) {
  return math::rotation_z(Expr(algebra::exact_cos(angle)), Expr(algebra::exact_sin(angle)));
}

bool turns_about_z(const Link<Expr>& link) {
  return link.kind == LinkKind::revolute || link.kind == LinkKind::helical;
}

/// Turns link i's frame by the angle about its own z: L' = L Rz. The joint's zero moves with it.
void turn_link(Tree<Expr>& tree, const Hanging& hanging, int i, double angle) {
  Link<Expr>& link = tree.links[static_cast<std::size_t>(i)];
  if (angle == 0.0) return;
  if (turns_about_z(link)) {
    link.offset = link.offset + Expr(angle);
  } else {
    link.R_PJ = link.R_PJ * about_z(angle);
    clean_rotation(link.R_PJ);
  }
  move_frame(tree, hanging, i, {about_z(angle), Vec3<Expr>::zero()});
}

}  // namespace

void turn_frames(Tree<Expr>& tree) {
  const Hanging hanging(tree);
  for (int i = 0; i < tree.size(); ++i) {
    Link<Expr>& link = tree.links[static_cast<std::size_t>(i)];
    clean_rotation(link.R_PJ);
    const bool axial = turns_about_z(link) || link.kind == LinkKind::prismatic;
    if (!axial || !is_number(link.R_PJ)) continue;
    // A revolute axis against its parent's: count it the other way round, Rx(pi) on both sides of the turn.
    const int P = link.parent;
    if (link.kind == LinkKind::revolute && P >= 0 &&
        tree.links[static_cast<std::size_t>(P)].kind == LinkKind::revolute &&
        link.R_PJ(2, 2).is_constant(-1.0)) {
      const Mat3<Expr> half_turn = Mat3<Expr>::diagonal(1.0, -1.0, -1.0);
      link.R_PJ = link.R_PJ * half_turn;
      link.sign = -link.sign;
      link.offset = -link.offset;
      move_frame(tree, hanging, i, {half_turn, Vec3<Expr>::zero()});
    }
    // R_PJ = Rz(gamma) Rx(alpha) Rz(beta): the parent's frame takes gamma (if this is the first child that
    // asks, and the parent turns about z), the joint's zero takes beta.
    const double sin_alpha = std::hypot(link.R_PJ(0, 2).value(), link.R_PJ(1, 2).value());
    if (sin_alpha > kDust) {
      const double gamma = std::atan2(link.R_PJ(0, 2).value(), -link.R_PJ(1, 2).value());
      const bool first_child =
          P >= 0 &&
          (turns_about_z(tree.links[static_cast<std::size_t>(P)]) ||
           tree.links[static_cast<std::size_t>(P)].kind == LinkKind::prismatic) &&
          hanging.links[static_cast<std::size_t>(P)].front() == static_cast<std::size_t>(i);
      // A placement of whole quarter turns costs nothing as it is.
      bool quarter = true;
      for (const auto& row : link.R_PJ.m)
        for (const Expr x : row) quarter = quarter && (x.value() == 0.0 || std::fabs(x.value()) == 1.0);
      if (first_child && !quarter) turn_link(tree, hanging, P, gamma);
    }
    if (turns_about_z(link) && !link.R_PJ(0, 0).is_constant(1.0)) {
      // What is left after the twist about x is a turn about the joint's own z.
      const double s = std::hypot(link.R_PJ(0, 2).value(), link.R_PJ(1, 2).value());
      const bool parallel = s <= kDust;
      const double beta = parallel ? std::atan2(link.R_PJ(1, 0).value(), link.R_PJ(0, 0).value())
                                   : std::atan2(link.R_PJ(2, 0).value(), link.R_PJ(2, 1).value());
      if (beta != 0.0) {
        // R_PJ Rz(theta) = (R_PJ Rz(-beta)) Rz(theta + beta): same link frame, other zero.
        link.R_PJ = link.R_PJ * about_z(-beta);
        clean_rotation(link.R_PJ);
        link.offset = link.offset + Expr(beta);
      }
    }
  }
}

void slide_frame(Tree<Expr>& tree, int i, Expr s) {
  Link<Expr>& link = tree.links[static_cast<std::size_t>(i)];
  const Vec3<Expr> along_z{Expr(0.0), Expr(0.0), s};
  const Vec3<Expr> shift = link.R_PJ * along_z;
  const double scale = std::max(largest(link.p_PJ), largest(shift));
  link.p_PJ = link.p_PJ + shift;
  clean(link.p_PJ, scale);
  move_frame(tree, Hanging(tree), i, {Mat3<Expr>::identity(), along_z});
}

std::vector<SlideAim> slide_aims(const Tree<Expr>& tree, int i) {
  using What = SlideAim::What;
  const LinkKind kind = tree.links[static_cast<std::size_t>(i)].kind;
  if (kind != LinkKind::revolute && kind != LinkKind::prismatic) return {};
  std::vector<SlideAim> aims{{i, What::offset_x}, {i, What::offset_y}, {i, What::offset_z}};
  for (int j = 0; j < tree.size(); ++j) {
    if (tree.links[static_cast<std::size_t>(j)].parent == i) aims.push_back({i, What::child_offset, j});
  }
  aims.push_back({i, What::moment_xz});
  aims.push_back({i, What::moment_yz});
  return aims;
}

namespace {

/// Of the tree: offsets of joints and mass centres, as far as they are numbers.
double longest_length(const Tree<Expr>& tree) {
  double length = 0.0;
  for (const Link<Expr>& link : tree.links) {
    length = std::max(length, largest(link.p_PJ));
    if (link.m.is_constant() && link.m.value() > 0.0)
      length = std::max(length, largest(link.h) / link.m.value());
  }
  return length;
}

}  // namespace

std::optional<Expr> slide_for(const Tree<Expr>& tree, const SlideAim& aim) {
  using What = SlideAim::What;
  const Link<Expr>& link = tree.links[static_cast<std::size_t>(aim.link)];
  Expr numerator, denominator(1.0);
  switch (aim.what) {
    case What::offset_x:
    case What::offset_y:
    case What::offset_z: {
      const auto k = static_cast<std::size_t>(aim.what);
      numerator = -link.p_PJ[k];
      denominator = link.R_PJ(k, 2);
      break;
    }
    case What::child_offset:
      numerator = tree.links[static_cast<std::size_t>(aim.child)].p_PJ.z;
      break;
    case What::moment_xz:
      numerator = link.sigma.xz;
      denominator = link.h.x;
      break;
    case What::moment_yz:
      numerator = link.sigma.yz;
      denominator = link.h.y;
      break;
  }
  if (algebra::is_zero(numerator) || algebra::is_zero(denominator)) return std::nullopt;
  const Expr s = numerator / denominator;
  if (s.is_constant() && std::fabs(s.value()) > kLongestSlide * longest_length(tree)) return std::nullopt;
  return s;
}

namespace {

bool is_symmetric(const Link<Expr>& link) {
  const SecondMoments<Expr>& I = link.sigma;
  return I.xx == I.yy && algebra::is_zero(I.xy) && algebra::is_zero(I.xz) && algebra::is_zero(I.yz) &&
         algebra::is_zero(link.h.x) && algebra::is_zero(link.h.y);
}

/// A cancellation among second moments leaves dust at the level of the moments themselves; equal moments that
/// only rounding tells apart are equal.
void remove_dust(SecondMoments<Expr>& I) {
  Expr* entries[] = {&I.xx, &I.yy, &I.zz, &I.xy, &I.xz, &I.yz};
  double scale = 0.0;
  for (const Expr* x : entries)
    if (x->is_constant()) scale = std::max(scale, std::fabs(x->value()));
  for (Expr* x : entries)
    if (x->is_constant() && std::fabs(x->value()) <= kDust * scale) *x = Expr(0.0);
  if (I.xx.is_constant() && I.yy.is_constant() &&
      std::fabs(I.xx.value() - I.yy.value()) <= 4.0 * kDust * scale) {
    I.yy = I.xx;
  }
}

}  // namespace

void regroup_inertia(Tree<Expr>& tree, const std::vector<bool>& loaded) {
  std::vector<bool> last(tree.links.size(), true);  // nothing hangs on it
  for (const Link<Expr>& link : tree.links)
    if (link.parent >= 0) last[static_cast<std::size_t>(link.parent)] = false;
  for (int i = tree.size() - 1; i >= 0; --i) {
    Link<Expr>& link = tree.links[static_cast<std::size_t>(i)];
    remove_dust(link.sigma);
    MassMoments<Expr> moved;
    if (link.kind == LinkKind::revolute && !loaded[static_cast<std::size_t>(i)] &&
        last[static_cast<std::size_t>(i)] && is_symmetric(link)) {
      moved = {link.m, link.h, link.sigma};
      link.kind = LinkKind::rotor;
      link.spin = link.sigma.xx + link.sigma.yy;
      if (link.sign < 0.0) {  // count along the coordinate's own direction: Rx(pi)
        link.R_PJ = link.R_PJ * Mat3<Expr>::diagonal(1.0, -1.0, -1.0);
        moved.h.z = -moved.h.z;
        link.sign = 1.0;
      }
      link.m = Expr(0.0);
      link.h = Vec3<Expr>::zero();
      link.sigma = {};
    } else if (link.kind == LinkKind::revolute) {
      // Mass on the axis: a point m, its first moment h_z and second moment Sigma_zz.
      moved.m = link.m;
      moved.h.z = link.h.z;
      moved.sigma.zz = link.sigma.zz;
      link.m = Expr(0.0);
      link.h.z = Expr(0.0);
      link.sigma.zz = Expr(0.0);
    } else if (link.kind == LinkKind::prismatic) {
      moved.sigma = link.sigma;
      link.sigma = {};
    } else if (link.kind == LinkKind::spherical) {
      moved.m = link.m;  // a point mass at the centre
      link.m = Expr(0.0);
    } else {
      continue;
    }
    if (link.parent >= 0) {
      // The moved mass stands in J whatever the coordinate is; of a prismatic link only the orientation
      // matters.
      const Vec3<Expr> p = link.kind == LinkKind::prismatic ? Vec3<Expr>::zero() : link.p_PJ;
      add_mass(tree.links[static_cast<std::size_t>(link.parent)], seen_from(Pose<Expr>{link.R_PJ, p}, moved));
    }
  }
}

std::vector<SlideAim> choose_slides(Tree<Expr> tree, const std::vector<bool>& loaded,
                                    const std::function<int(const Tree<Expr>&)>& cost) {
  const auto cost_regrouped = [&](Tree<Expr> t) {
    regroup_inertia(t, loaded);
    return cost(t);
  };
  std::vector<SlideAim> chosen;
  int best = cost_regrouped(tree);
  for (int sweep = 0; sweep < 2; ++sweep) {
    bool improved = false;
    for (int i = 0; i < tree.size(); ++i) {
      for (const SlideAim& aim : slide_aims(tree, i)) {
        const std::optional<Expr> s = slide_for(tree, aim);
        if (!s) continue;
        Tree<Expr> trial = tree;
        slide_frame(trial, i, *s);
        const int count = cost_regrouped(trial);
        if (count < best) {
          best = count;
          tree = std::move(trial);
          chosen.push_back(aim);
          improved = true;
        }
      }
    }
    if (!improved) break;
  }
  return chosen;
}

}  // namespace tactus::derive
