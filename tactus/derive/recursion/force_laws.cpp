#include <tactus/derive/recursion/force_laws.h>

#include <algorithm>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/tree/formulas.h>

namespace tactus::derive {

using describe::ForceLaw;

namespace {

/// Below this squared length [m^2] a line has no direction, and its force is taken as zero.
constexpr double kNoDirection = 1e-24;

bool has_law(const describe::Model& model, bool at_joints) {
  return std::any_of(model.force_laws.begin(), model.force_laws.end(),
                     [&](const ForceLaw& law) { return (law.kind == ForceLaw::Kind::joint) == at_joints; });
}

}  // namespace

void add_law_wrenches(const LawTerms& terms, const Tree<Expr>& tree, const Motion<Expr>& motion,
                      const std::vector<Expr>& rates, std::vector<OutsideWrench<Expr>>& wrenches) {
  const auto& [model, numbers, symbols, speeds] = terms;
  if (!has_law(model, false)) return;
  const Stations stations(tree, motion, rates);
  for (const ForceLaw& law : model.force_laws) {
    const std::vector<Expr> value =
        formulas_of_motion(model, numbers, symbols, speeds, stations, law.component);
    if (law.kind == ForceLaw::Kind::frame) {
      const describe::Frame& frame = model.frames[static_cast<std::size_t>(law.frame)];
      const Station s = stations.at(frame.body, numbers(frame.X_BF));
      Vec3<Expr> torque{value[0], value[1], value[2]}, force{value[3], value[4], value[5]};
      if (!law.world_axes) {
        torque = s.R_WF * torque;
        force = s.R_WF * force;
      }
      stations.apply(s, torque, force, wrenches);
    } else if (law.kind == ForceLaw::Kind::line) {
      const auto at = [&, &numbers = numbers](int body, const Vec3<Expr>& point) {
        return stations.at(body, {Mat3<Expr>::identity(), numbers(point)});
      };
      const Station a = at(law.body_a, law.point_a), b = at(law.body_b, law.point_b);
      const Vec3<Expr> d = b.p_WF - a.p_WF;
      const Expr square = dot(d, d), distance = sqrt(square);
      const Expr inverse = select(square - Expr(kNoDirection), Expr(1.0) / distance, Expr(0.0));
      const Vec3<Expr> along = inverse * d;
      const std::vector<Expr> from{algebra::symbol("distance"), algebra::symbol("distance_rate")},
          to{distance, dot(along, b.v - a.v)};
      const Expr pull = algebra::substitute(value[0], algebra::Graph::current(), from, to);
      stations.apply(b, Vec3<Expr>::zero(), -(pull * along), wrenches);
      stations.apply(a, Vec3<Expr>::zero(), pull * along, wrenches);
    }
  }
}

void subtract_law_forces(const LawTerms& terms, const Tree<Expr>& tree, const Motion<Expr>& motion,
                         const std::vector<Expr>& rates, std::vector<Expr>& loads) {
  const auto& [model, numbers, symbols, speeds] = terms;
  if (!has_law(model, true)) return;
  const Stations stations(tree, motion, rates);
  for (const ForceLaw& law : model.force_laws) {
    if (law.kind != ForceLaw::Kind::joint) continue;
    loads[static_cast<std::size_t>(law.rate)] -=
        formulas_of_motion(model, numbers, symbols, speeds, stations, law.component).front();
  }
}

}  // namespace tactus::derive
