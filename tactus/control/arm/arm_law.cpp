#include <tactus/control/arm/arm_law.h>

#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/readable/abbreviate.h>
#include <tactus/derive/readable/linear_canonical.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

using algebra::Block;
using algebra::Expr;
using algebra::Function;
using Exprs = std::vector<Expr>;

/// A pivot of M below this part of its diagonal: nothing is moved.
constexpr double kNoInertia = 1e-12;

derive::Equations equations_of(const describe::Model& model, bool friction) {
  if (!model.constraints.empty())
    throw InputError({model.file}, fmt::format("model `{}` has constraints", model.name),
                     "a constrained mechanism is controlled by projection: see docs/control.md");
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates)
    throw InputError({model.file}, fmt::format("model `{}` defines speeds of its own", model.name),
                     "leave out `speeds`");
  derive::Options options;
  options.friction = friction;
  derive::Equations equations(model, std::move(options));
  if (equations.nq() != equations.nv())
    throw InputError({model.file},
                     fmt::format("model `{}` has joints with more coordinates than speeds", model.name),
                     "describe spherical and free joints by revolute and prismatic ones");
  if (equations.nv() == 0)
    throw InputError({model.file}, fmt::format("model `{}` has no joints", model.name),
                     "nothing can be controlled");
  return equations;
}

/// Poles are placed by forces: M must have an inverse. Looked at where the model begins.
void require_inertia(const describe::Model& model, const derive::Equations& equations) {
  generate::Evaluator mass(generate::compile(equations.mass_matrix(), generate::Backend::interpreter));
  const std::span<double> q = mass.input("q");
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = model.initial_q[i];
  mass.run();
  const auto n = static_cast<Eigen::Index>(q.size());
  const Eigen::MatrixXd M = Eigen::Map<const Eigen::MatrixXd>(mass.output("M").data(), n, n);
  const Eigen::LDLT<Eigen::MatrixXd> factor(M);
  const double least = factor.vectorD().minCoeff();
  if (least > kNoInertia * M.diagonal().maxCoeff()) return;
  throw InputError({model.file},
                   fmt::format("the mass matrix of model `{}` is singular where it begins: a joint moves no "
                               "inertia, and no force places its poles",
                               model.name),
                   "give the bodies mass and inertia, or begin elsewhere");
}

/// What forces and their derivatives are made of.
struct Forms {
  Function forces, linear;
};
Forms forms_of(const describe::Model& model, const derive::Equations& equations, const ArmControl& control) {
  const bool placed = control.law == ArmLaw::pole_placement || control.law == ArmLaw::sampled;
  if (control.abbreviate == 0.0)
    return {equations.inverse_dynamics(), placed ? equations.linear_model() : Function{}};
  if (!placed && control.law != ArmLaw::computed_torque)
    throw InputError({model.file}, fmt::format("the law {} is not written abbreviated", name_of(control.law)),
                     "take pole-placement, sampled-pole-placement or computed-torque");
  if (!(control.abbreviate > 0.0 && std::isfinite(control.abbreviate)))
    throw InputError({model.file}, fmt::format("an abbreviation below {:g}", control.abbreviate),
                     "give a threshold above zero, such as 0.01");
  const derive::CanonicalModel full = derive::canonical_form(model);
  const derive::Abbreviation rule = derive::Abbreviation::thesis(control.abbreviate);
  return {derive::inverse_dynamics(derive::abbreviated(full, {.threshold = control.abbreviate}), true),
          placed ? derive::LinearCanonical(full, rule).function() : Function{}};
}

struct Point {
  Exprs q, u, udot;
};

/// An output of a function at a point, in the current graph.
Exprs at(const Function& function, std::string_view output, Expr t, const Point& point) {
  Exprs from, to;
  for (const Block& block : function.inputs) {
    const Exprs* values = block.name == "q" ? &point.q : block.name == "u" ? &point.u : &point.udot;
    for (std::size_t i = 0; i < block.size(); ++i) {
      from.push_back(block.entries[i]);
      to.push_back(block.name == "t" ? t : (*values)[i]);
    }
  }
  for (const Block& block : function.outputs)
    if (block.name == output) return algebra::substitute(block.entries, *function.graph, from, to);
  TACTUS_CHECK(false);
  return {};
}

Block block(std::string name, std::string meaning, std::size_t columns, Exprs entries) {
  const auto rows = static_cast<int>(entries.size() / columns);
  return {std::move(name), std::move(meaning), rows, static_cast<int>(columns), std::move(entries)};
}

void check_poles(const describe::Model& model, ArmControl& control, std::size_t n) {
  if (control.poles.size() == 1) control.poles.resize(n, control.poles.front());
  if (control.poles.size() != n)
    throw InputError({model.file}, fmt::format("poles of {} joints for {}", control.poles.size(), n),
                     "give a pair for all, or one for each joint");
  if (control.law == ArmLaw::sampled && !(control.period > 0.0 && std::isfinite(control.period)))
    throw InputError({model.file}, fmt::format("a sampled loop with a period of {:g} s", control.period),
                     "give its period");
  for (std::size_t i = 0; i < n; ++i) {
    const PolePair& own = control.poles[i];
    if (own.stable() && std::isfinite(own.sum + own.product)) continue;
    throw InputError(
        {model.file},
        fmt::format("the poles of joint {}, of sum {:g} 1/s and product {:g} 1/s^2, are not stable", i + 1,
                    own.sum, own.product),
        "give poles to the left of the axis, such as -12+-45j");
  }
}

std::vector<double> limits_of(const describe::Model& model, bool wanted, std::size_t n) {
  std::vector<double> all(n, std::numeric_limits<double>::infinity());
  std::size_t number = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      if (wanted && axis.effort_limit) {
        const double most = describe::value_of(model, *axis.effort_limit);
        if (!(most > 0.0))
          throw InputError({model.file},
                           fmt::format("joint `{}` has an actuator of {:g} N m at most", axis.name, most),
                           "give `effort` a value above zero, or leave it out");
        all[number] = most;
      }
      ++number;
    }
  return all;
}

}  // namespace

ArmLawCode arm_law_code(const describe::Model& model, const ArmControl& control) {
  ArmLawCode code{control, {}, {}};
  const derive::Equations equations = equations_of(model, true);
  const auto n = static_cast<std::size_t>(equations.nv());
  check_poles(model, code.control, n);
  code.most = limits_of(model, control.limits, n);
  require_inertia(model, equations);
  const Forms forms = forms_of(model, equations, control);

  Function& law = code.law;
  law.name = "law";
  law.graph = std::make_shared<algebra::Graph>();
  const algebra::Graph::Scope scope(*law.graph);
  const Expr t = algebra::symbol("t");
  const std::vector<std::string> names = model.coordinate_names();
  const auto symbols = [&](const char* suffix) {
    Exprs all;
    for (const std::string& name : names) all.push_back(algebra::symbol(name + suffix));
    return all;
  };
  const Exprs none(n);
  const Exprs q = symbols(""), qd = symbols("'"), q_wanted = symbols("*"), qd_wanted = symbols("'*"),
              qdd_wanted = symbols("''*");
  const std::pair<const char*, const Exprs*> inputs[] = {{"q", &q},
                                                         {"qd", &qd},
                                                         {"q_wanted", &q_wanted},
                                                         {"qd_wanted", &qd_wanted},
                                                         {"qdd_wanted", &qdd_wanted}};
  law.inputs.push_back(block("t", "time [s]", 1, {t}));
  for (const auto& [name, entries] : inputs) law.inputs.push_back(block(name, "", 1, *entries));

  // x = q - q*, v = qd - qd*, r = S v - P x
  Exprs x(n), v(n), r(n), S(n), P(n), led(n);
  for (std::size_t i = 0; i < n; ++i) {
    const PolePair own = code.control.poles[i].of_law(control.law == ArmLaw::sampled ? control.period : 0.0);
    S[i] = own.sum;
    P[i] = own.product;
    x[i] = q[i] - q_wanted[i];
    v[i] = qd[i] - qd_wanted[i];
    r[i] = S[i] * v[i] - P[i] * x[i];
    led[i] = qdd_wanted[i] + r[i];
  }
  // Friction at the path's rates: what the forces are more than those without it.
  const auto friction = [&](const Function& frictionless) {
    Exprs with = at(forms.forces, "tau", t, {q_wanted, qd_wanted, none});
    const Exprs without = at(frictionless, "tau", t, {q_wanted, qd_wanted, none});
    for (std::size_t i = 0; i < n; ++i) with[i] -= without[i];
    return with;
  };
  Exprs tau(n);
  std::vector<Block> more;
  switch (control.law) {
    case ArmLaw::pole_placement:
    case ArmLaw::sampled: {
      const Point path{q_wanted, qd_wanted, qdd_wanted};
      const Exprs forward = at(forms.forces, "tau", t, path);
      const Function& linear = forms.linear;
      const Exprs M = at(linear, "M", t, path), C = at(linear, "C", t, path), K = at(linear, "K", t, path);
      Exprs G_1(n * n), G_2(n * n);
      for (std::size_t i = 0; i < n; ++i) {
        tau[i] = forward[i];
        for (std::size_t j = 0; j < n; ++j) {
          const std::size_t k = i * n + j;
          G_1[k] = M[k] * P[j] - K[k];
          G_2[k] = M[k] * -S[j] - C[k];
          tau[i] = tau[i] - G_1[k] * x[j] - G_2[k] * v[j];
        }
      }
      more = {block("tau_wanted", "forces along the path [N m, N]", 1, forward),
              block("G_1", "gains of position", n, G_1), block("G_2", "gains of rates", n, G_2)};
      break;
    }
    case ArmLaw::computed_torque:
      tau = at(forms.forces, "tau", t, {q_wanted, qd_wanted, led});
      break;
    case ArmLaw::diagonal: {
      tau = friction(equations_of(model, false).inverse_dynamics());
      const Exprs g = at(equations.gravity(), "g", t, {q_wanted, none, none}),
                  M = at(equations.mass_matrix(), "M", t, {q_wanted, none, none});
      for (std::size_t i = 0; i < n; ++i) tau[i] += g[i] + M[i * n + i] * led[i];
      break;
    }
    case ArmLaw::gravity: {
      const Exprs M = at(equations.mass_matrix(), "M", t, {q, none, none});
      tau = at(equations.gravity(), "g", t, {q, none, none});
      for (std::size_t i = 0; i < n; ++i) tau[i] += M[i * n + i] * r[i];
      break;
    }
    case ArmLaw::inverse_dynamics: {
      const Function frictionless = equations_of(model, false).inverse_dynamics();
      tau = friction(frictionless);
      const Exprs here = at(frictionless, "tau", t, {q, qd, led});
      for (std::size_t i = 0; i < n; ++i) tau[i] += here[i];
      break;
    }
  }
  law.outputs.push_back(block("tau", "forces at the joints, before their limits [N m, N]", 1, tau));
  law.outputs.insert(law.outputs.end(), more.begin(), more.end());
  return code;
}

}  // namespace tactus::control
