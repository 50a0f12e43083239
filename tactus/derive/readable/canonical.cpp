#include <tactus/derive/readable/canonical.h>

#include <algorithm>
#include <cmath>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/derive/recursion/composite_body.h>
#include <tactus/derive/recursion/loads.h>
#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/derive/tree/simplify.h>
#include <tactus/derive/tree/symbols.h>

namespace tactus::derive {

using algebra::TrigConverter;
using algebra::TrigKey;
using algebra::TrigTerm;

namespace {

TrigPolynomial variable(algebra::TrigVariables& variables, Expr symbol) {
  const auto slot = variables.variable_slot(symbol);
  TACTUS_CHECK(slot.has_value());
  return TrigPolynomial::variable(*slot);
}

struct Why {
  std::string* text;
  std::nullopt_t operator()(std::string reason) const {
    if (text != nullptr) *text = std::move(reason);
    return std::nullopt;
  }
};

/// Christoffel's symbols of M, and the torques they make [Clover1996, II (1)].
std::vector<TrigPolynomial> torques_from_mass_matrix(const std::vector<TrigPolynomial>& M,
                                                     const std::vector<TrigPolynomial>& G,
                                                     const std::vector<Expr>& q, const std::vector<Expr>& u,
                                                     const std::vector<Expr>& udot,
                                                     algebra::TrigVariables& variables) {
  const std::size_t n = q.size();
  // dM[k][i n + j] = dM_ij/dq_k
  std::vector<std::vector<TrigPolynomial>> dM(n, std::vector<TrigPolynomial>(n * n));
  double scale = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      scale = std::max(scale, M[i * n + j].norm());
      for (std::size_t k = 0; k < n; ++k) {
        dM[k][i * n + j] = j < i ? dM[k][j * n + i] : algebra::derivative(M[i * n + j], q[k], variables);
      }
    }
  }
  const double dust = algebra::kTrigDust * scale;
  std::vector<TrigPolynomial> U, Udot, torques;
  for (const Expr s : u) U.push_back(variable(variables, s));
  for (const Expr s : udot) Udot.push_back(variable(variables, s));
  for (std::size_t i = 0; i < n; ++i) {
    TrigPolynomial tau = G[i];
    for (std::size_t j = 0; j < n; ++j) {
      tau += M[i * n + j] * Udot[j];
      for (std::size_t k = j; k < n; ++k) {
        TrigPolynomial c = dM[k][i * n + j] + dM[j][i * n + k] - dM[i][j * n + k];
        if (j == k) c *= 0.5;
        tau += c.without_below(dust) * (U[j] * U[k]);
      }
    }
    torques.push_back(std::move(tau));
  }
  return torques;
}

/// For speeds that the model defines: M udot + h of Kane's equations, converted as they are. False where that
/// fails.
bool read_off_equations(const describe::Model& model, const Options& options, CanonicalModel& canonical) {
  const auto roots = [&](bool friction, Function (Equations::*part)() const) {
    Options chosen = options;
    chosen.friction = friction;
    chosen.wrenches.clear();
    const Function function = (Equations(model, chosen).*part)();
    return algebra::substitute(function.roots(), *function.graph, {}, {});
  };
  const std::vector<Expr> M = roots(false, &Equations::mass_matrix), h = roots(false, &Equations::bias);
  const std::vector<Expr> with_friction = options.friction ? roots(true, &Equations::bias) : h;
  const std::size_t n = h.size();
  TrigConverter convert(canonical.variables);
  for (std::size_t i = 0; i < n; ++i) {
    Expr force = h[i];
    for (std::size_t j = 0; j < n; ++j) force += M[i * n + j] * canonical.udot[j];
    const auto p = convert(force);
    if (!p) return false;
    canonical.torques.push_back(*p);
    canonical.friction.push_back(with_friction[i] - h[i]);
  }
  canonical.rotors.assign(n, TrigPolynomial());
  return true;
}

}  // namespace

std::optional<CanonicalModel> find_canonical_form(const describe::Model& model, const Options& options,
                                                  std::string* why, algebra::TrigLimits limits) {
  const Why no{why};
  for (const describe::Joint& joint : model.joints) {
    if (describe::has_quaternion(joint.type)) {
      return no("joint '" + joint.name + "' has an orientation given by a unit quaternion, not by angles");
    }
  }
  if (!model.force_laws.empty())
    return no("the force `" + model.force_laws[0].name + "` is given by a formula of its own");
  const auto n = static_cast<std::size_t>(model.nv());
  if (2 * n > algebra::kMaxTrigVariables) {
    return no("it has " + std::to_string(n) + " speeds, and the canonical form is for at most " +
              std::to_string(algebra::kMaxTrigVariables / 2));
  }
  CanonicalModel canonical;
  canonical.name = model.name;
  canonical.graph = std::make_shared<algebra::Graph>();
  canonical.speed_names = model.speed_names();
  const algebra::Graph::Scope scope(*canonical.graph);
  const Symbols symbols(model, options);
  canonical.q = symbols.q;
  canonical.u = symbols.u;
  canonical.udot = symbols.udot;
  canonical.inputs = symbols.inputs(true, {symbols.accelerations_block()}, false);

  const Numbers numbers(model, options);
  Options frictionless = options;
  frictionless.friction = false;
  frictionless.wrenches.clear();
  const std::vector<Expr> rest(n, Expr(0.0));
  const std::vector<Expr> springs = joint_loads(model, frictionless, numbers, symbols.q, rest);
  TrigConverter convert(canonical.variables, limits);

  const bool joint_rates = model.speeds.definition == describe::Speeds::Definition::joint_rates;
  // Slots in the order in which a reader expects the names.
  std::size_t coordinate = 0;
  for (const describe::Joint& joint : model.joints) {
    for (const describe::JointAxis& axis : joint.axes) {
      if (axis.is_rotation) canonical.variables.angle_slot(symbols.q[coordinate]);
      ++coordinate;
    }
  }
  for (const Expr s : symbols.u) variable(canonical.variables, s);
  for (const Expr s : symbols.udot) variable(canonical.variables, s);

  Options with_friction = frictionless;
  with_friction.friction = options.friction;
  const std::vector<Expr> loads = joint_loads(model, with_friction, numbers, symbols.q, symbols.rates);

  if (!joint_rates) {
    if (!read_off_equations(model, options, canonical)) {
      return no("in the speeds it defines, its equations are not trigonometric polynomials");
    }
    return canonical;
  }

  Tree<Expr> tree = build_tree(model, numbers);
  for (Link<Expr>& link : tree.links) {
    for (int k = 0; k < speed_count(link.kind); ++k) {
      const auto rotor = convert(link.armature[static_cast<std::size_t>(k)]);
      if (!rotor) return no("the rotor inertia of '" + link.name + "' is not a polynomial in the parameters");
      canonical.rotors.push_back(*rotor);
    }
    link.armature = {};
  }
  turn_frames(tree);
  regroup_inertia(tree, loaded_links(model, frictionless, tree));
  Motion<Expr> motion(tree);
  position(tree, symbols.q.data(), motion);
  group_angles(tree, symbols.q.data(), motion);
  std::vector<Expr> mass(n * n), weight(n);
  std::vector<CompositeBody<Expr>> composite;
  composite_body(tree, Policy{}, motion, composite, mass.data());
  const auto wrenches = outside_wrenches(model, frictionless, numbers, tree, motion, rest, {});
  newton_euler(tree, rest.data(), rest.data(), wrenches, Policy{}, motion, weight.data());

  std::vector<TrigPolynomial> M(n * n), G(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      const auto p = convert(mass[i * n + j]);
      if (!p) return no("its mass matrix is not a trigonometric polynomial of reasonable size");
      M[i * n + j] = M[j * n + i] = *p;
    }
    const auto g = convert(weight[i] + springs[i]);
    if (!g) return no("its springs' forces are not trigonometric polynomials");
    G[i] = *g;
  }
  // Each of the n^2 elements is differentiated by n angles.
  std::size_t terms = 0;
  for (const TrigPolynomial& p : M) terms += p.terms().size();
  if (terms * n > limits.products) return no("its mass matrix has too many harmonics");
  canonical.torques = torques_from_mass_matrix(M, G, symbols.q, symbols.u, symbols.udot, canonical.variables);
  for (std::size_t i = 0; i < n; ++i) canonical.friction.push_back(loads[i] - springs[i]);
  return canonical;
}

CanonicalModel canonical_form(const describe::Model& model, const Options& options) {
  std::string why;
  auto canonical = find_canonical_form(model, options, &why);
  if (!canonical) {
    throw InputError({model.file, 0, 0},
                     "the equations of '" + model.name + "' have no canonical form: " + why,
                     "derive them without --canonical, --abbreviate and --budget; the recursive form exists "
                     "for every model");
  }
  return std::move(*canonical);
}

// --- elements
// ---------------------------------------------------------------------------------------------------------

TrigPolynomial CanonicalModel::coefficient(int i, std::span<const Expr> factors) const {
  const auto& others = variables.variables();
  std::array<std::uint8_t, algebra::kMaxTrigVariables> wanted{}, motion{};
  const auto slot = [&](Expr s) {
    return static_cast<std::size_t>(std::find(others.begin(), others.end(), s) - others.begin());
  };
  for (const Expr s : u) motion[slot(s)] = 1;
  for (const Expr s : udot) motion[slot(s)] = 1;
  for (const Expr s : factors) ++wanted[slot(s)];
  std::vector<TrigTerm> found;
  for (TrigTerm term : torques[static_cast<std::size_t>(i)].terms()) {
    bool matches = true;
    for (std::size_t k = 0; k < others.size() && matches; ++k)
      matches = !motion[k] || term.key.e[k] == wanted[k];
    if (!matches) continue;
    for (std::size_t k = 0; k < others.size(); ++k) term.key.e[k] = motion[k] ? 0 : term.key.e[k];
    found.push_back(term);
  }
  return TrigPolynomial::from_terms(std::move(found));
}

TrigPolynomial CanonicalModel::M(int i, int j) const {
  return coefficient(i, std::span(&udot[static_cast<std::size_t>(j)], 1));
}
TrigPolynomial CanonicalModel::B(int i, int j, int k) const {
  const Expr factors[] = {u[static_cast<std::size_t>(j)], u[static_cast<std::size_t>(k)]};
  return coefficient(i, factors);
}
TrigPolynomial CanonicalModel::D(int i, int j) const { return B(i, j, j); }
TrigPolynomial CanonicalModel::G(int i) const { return coefficient(i, {}); }

TrigPolynomial CanonicalModel::select(int i, const std::function<bool(int, int)>& wanted) const {
  const auto& others = variables.variables();
  const auto degree = [&](const TrigKey& key, const std::vector<Expr>& symbols) {
    int sum = 0;
    for (const Expr s : symbols)
      sum += key.e[static_cast<std::size_t>(std::find(others.begin(), others.end(), s) - others.begin())];
    return sum;
  };
  std::vector<TrigTerm> kept;
  for (const TrigTerm& term : torques[static_cast<std::size_t>(i)].terms()) {
    if (wanted(degree(term.key, u), degree(term.key, udot))) kept.push_back(term);
  }
  return TrigPolynomial::from_terms(std::move(kept));
}

TrigPolynomial CanonicalModel::bias(int i) const {
  return select(i, [](int, int accelerations) { return accelerations == 0; });
}
TrigPolynomial CanonicalModel::other(int i) const {
  return select(i, [](int speeds, int accelerations) {
    return accelerations == 0 ? speeds != 0 && speeds != 2 : speeds != 0 || accelerations != 1;
  });
}

namespace {

double value_at(const CanonicalModel& model, Expr symbol, const MotionPoint& at) {
  const auto in = [&](const std::vector<Expr>& symbols, const std::vector<double>& values) -> const double* {
    const auto it = std::find(symbols.begin(), symbols.end(), symbol);
    if (it == symbols.end()) return nullptr;
    const auto index = static_cast<std::size_t>(it - symbols.begin());
    return index < values.size() ? &values[index] : nullptr;
  };
  if (const double* value = in(model.q, at.q)) return *value;
  if (const double* value = in(model.u, at.u)) return *value;
  if (const double* value = in(model.udot, at.udot)) return *value;
  return 0.0;
}

}  // namespace

double CanonicalModel::evaluate(const TrigPolynomial& p, const MotionPoint& at) const {
  std::array<double, algebra::kMaxTrigVariables> angles{}, others{};
  for (std::size_t i = 0; i < variables.angles().size(); ++i)
    angles[i] = value_at(*this, variables.angles()[i], at);
  for (std::size_t i = 0; i < variables.variables().size(); ++i) {
    others[i] = value_at(*this, variables.variables()[i], at);
  }
  return p.evaluate(std::span(angles.data(), variables.angles().size()),
                    std::span(others.data(), variables.variables().size()));
}

std::vector<double> CanonicalModel::inverse_dynamics(const MotionPoint& at) const {
  std::vector<double> tau;
  for (std::size_t i = 0; i < torques.size(); ++i) {
    tau.push_back(evaluate(torques[i], at) + evaluate(rotors[i], at) * at.udot[i]);
  }
  return tau;
}

std::vector<double> CanonicalModel::friction_at(const MotionPoint& at) const {
  return algebra::evaluate(friction, [&](Expr s) { return value_at(*this, s, at); });
}

std::size_t CanonicalModel::coefficient_count() const {
  std::size_t count = 0;
  for (const TrigPolynomial& p : torques) count += p.coefficient_count();
  return count;
}

}  // namespace tactus::derive
