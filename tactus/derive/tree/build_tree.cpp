#include <tactus/derive/tree/build_tree.h>

#include <algorithm>
#include <cmath>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/cells.h>
#include <tactus/base/check.h>
#include <tactus/derive/tree/mass.h>

namespace tactus::derive {

using algebra::Expr;

Numbers::Numbers(const describe::Model& model) : Numbers(model, Options{}) {}

Numbers::Numbers(const describe::Model& model, const Options& options) : model_(model) {
  for (const describe::Parameter& parameter : model.parameters) {
    const bool named =
        std::find(options.kept.begin(), options.kept.end(), parameter.name) != options.kept.end();
    const bool in_cell =
        options.cells != nullptr && options.cells->find(parameter.name) < options.cells->size();
    if (in_cell || (options.keep_parameters && (options.kept.empty() || named))) {
      kept_.push_back(parameter.name);
    } else if (const auto symbol =
                   model.graph->find_symbol(parameter.name)) {  // otherwise no formula holds it
      folded_.push_back(*symbol);
      values_.push_back(parameter.value);
    }
  }
}

// What depends on nothing that is kept is folded as the reader folded it.
Expr Numbers::operator()(Expr number) const {
  if (number.is_constant()) return Expr(number.value());
  if (kept_.empty()) return Expr(describe::value_of(model_, number));
  const std::vector<Expr> symbols = algebra::symbols_in(std::span(&number, 1));
  const bool depends = std::any_of(symbols.begin(), symbols.end(), [this](Expr symbol) {
    return std::find(folded_.begin(), folded_.end(), symbol) == folded_.end();
  });
  if (!depends) return Expr(describe::value_of(model_, number));
  return formulas(std::span(&number, 1)).front();
}

std::vector<Expr> Numbers::formulas(std::span<const Expr> roots) const {
  std::vector<Expr> to;
  for (const double value : values_) to.emplace_back(value);
  return algebra::substitute(roots, *model_.graph, folded_, to);
}

Vec3<Expr> Numbers::operator()(const Vec3<Expr>& v) const {
  return {(*this)(v.x), (*this)(v.y), (*this)(v.z)};
}

Mat3<Expr> Numbers::operator()(const Mat3<Expr>& A) const {
  Mat3<Expr> B;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) B(i, j) = (*this)(A(i, j));
  return B;
}

Pose<Expr> Numbers::operator()(const Pose<Expr>& X) const { return {(*this)(X.R), (*this)(X.p)}; }

namespace {

/// A rotation that takes z to the axis. Exact permutations for the six coordinate directions.
Mat3<Expr> z_to(const Vec3<double>& e) {
  const auto unit = [](std::size_t i, double k) {
    Vec3<Expr> v = Vec3<Expr>::zero();
    v[i] = Expr(k);
    return v;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    // A unit vector within 1e-8 of a coordinate direction has the component 1, too: the others must be zeros.
    if (std::fabs(e[i]) != 1.0 || e[j] != 0.0 || e[k] != 0.0) continue;
    if (e[i] > 0.0) return Mat3<Expr>::from_columns(unit(j, 1.0), unit(k, 1.0), unit(i, 1.0));
    return Mat3<Expr>::from_columns(unit(k, 1.0), unit(j, 1.0), unit(i, -1.0));
  }
  // x across the axis and the coordinate direction that it leans on least.
  std::size_t least = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (std::fabs(e[i]) < std::fabs(e[least])) least = i;
  const Vec3<double> x = cross(Vec3<double>::unit(least), e);
  const Vec3<double> xn = (1.0 / std::sqrt(dot(x, x))) * x;
  const Vec3<double> y = cross(e, xn);
  const auto lift = [](const Vec3<double>& v) { return Vec3<Expr>{Expr(v.x), Expr(v.y), Expr(v.z)}; };
  return Mat3<Expr>::from_columns(lift(xn), lift(y), lift(e));
}

Vec3<double> direction_of(const describe::Model& model, const describe::JointAxis& axis) {
  return {describe::value_of(model, axis.direction.x), describe::value_of(model, axis.direction.y),
          describe::value_of(model, axis.direction.z)};
}

}  // namespace

Tree<Expr> build_tree(const describe::Model& model, const Numbers& numbers) {
  Tree<Expr> tree;
  tree.gravity = numbers(model.gravity);
  tree.bodies.resize(model.bodies.size());
  for (const describe::Joint& joint : model.joints) {
    const Tree<Expr>::BodyPlace& parent = tree.bodies[static_cast<std::size_t>(joint.parent)];
    const Pose<Expr> X_LJ = parent.X_LB * numbers(joint.X_PJ);  // the joint's frame on the parent's link
    int carrier = parent.link;
    Pose<Expr> X_LF = X_LJ;  // the frame reached so far, on the carrier
    const auto add_link = [&](LinkKind kind, const Mat3<Expr>& axes) -> Link<Expr>& {
      Link<Expr> link;
      link.parent = carrier;
      link.kind = kind;
      link.name = joint.name;
      link.R_PJ = X_LF.R * axes;
      link.p_PJ = X_LF.p;
      link.q = tree.nq;
      link.v = tree.nv;
      tree.links.push_back(link);
      carrier = tree.size() - 1;
      X_LF = {axes.transposed(), Vec3<Expr>::zero()};
      return tree.links.back();
    };
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (traits.has_quaternion()) {
      const LinkKind kind = traits.quaternion_at > 0 ? LinkKind::free : LinkKind::spherical;
      Link<Expr>& link = add_link(kind, Mat3<Expr>::identity());
      for (std::size_t k = 0; k < joint.axes.size(); ++k) link.armature[k] = numbers(joint.axes[k].armature);
      tree.nq += describe::coordinate_count(joint.type);
      tree.nv += describe::speed_count(joint.type);
    } else {
      for (const describe::JointAxis& axis : joint.axes) {
        const LinkKind kind = traits.has_pitch   ? LinkKind::helical
                              : axis.is_rotation ? LinkKind::revolute
                                                 : LinkKind::prismatic;
        Link<Expr>& link = add_link(kind, z_to(direction_of(model, axis)));
        link.name = axis.name;
        link.armature[0] = numbers(axis.armature);
        link.pitch = numbers(joint.pitch);
        ++tree.nq;
        ++tree.nv;
      }
    }
    const Pose<Expr> X_LB = X_LF * numbers(joint.X_FB);
    tree.bodies[static_cast<std::size_t>(joint.child)] = {carrier, X_LB};
    if (carrier < 0) continue;  // welded to the ground
    const describe::Body& body = model.bodies[static_cast<std::size_t>(joint.child)];
    MassMoments<Expr> at_com;
    at_com.m = numbers(body.mass);
    at_com.sigma = second_moments_from_inertia(numbers(body.inertia));
    const Pose<Expr> X_BC{Mat3<Expr>::identity(), numbers(body.com)};
    add_mass(tree.links[static_cast<std::size_t>(carrier)], seen_from(X_LB * X_BC, at_com));
  }
  return tree;
}

namespace {

double number(Expr x) {
  TACTUS_CHECK(x.is_constant());
  return x.value();
}
Vec3<double> number(const Vec3<Expr>& v) { return {number(v.x), number(v.y), number(v.z)}; }
Mat3<double> number(const Mat3<Expr>& A) {
  Mat3<double> B;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) B(i, j) = number(A(i, j));
  return B;
}

}  // namespace

Tree<double> numeric(const Tree<Expr>& tree) {
  Tree<double> result;
  result.gravity = number(tree.gravity);
  result.nq = tree.nq;
  result.nv = tree.nv;
  for (const Link<Expr>& link : tree.links) {
    Link<double> copy;
    copy.parent = link.parent;
    copy.kind = link.kind;
    copy.name = link.name;
    copy.R_PJ = number(link.R_PJ);
    copy.p_PJ = number(link.p_PJ);
    copy.offset = number(link.offset);
    copy.sign = link.sign;
    copy.pitch = number(link.pitch);
    copy.spin = number(link.spin);
    copy.m = number(link.m);
    copy.h = number(link.h);
    const SecondMoments<Expr>& I = link.sigma;
    copy.sigma = {number(I.xx), number(I.yy), number(I.zz), number(I.xy), number(I.xz), number(I.yz)};
    for (std::size_t k = 0; k < 6; ++k) copy.armature[k] = number(link.armature[k]);
    copy.q = link.q;
    copy.v = link.v;
    result.links.push_back(copy);
  }
  for (const auto& body : tree.bodies)
    result.bodies.push_back({body.link, {number(body.X_LB.R), number(body.X_LB.p)}});
  return result;
}

}  // namespace tactus::derive
