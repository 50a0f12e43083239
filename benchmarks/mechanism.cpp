#include "mechanism.h"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/derive/recursion/recursion.h>
#include <tactus/describe/read/load.h>

namespace tactus::bench {

using describe::Model;

std::string name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::inverse_dynamics:
      return "inverse dynamics";
    case Quantity::forward_dynamics:
      return "forward dynamics";
    case Quantity::mass_matrix:
      return "mass matrix";
    case Quantity::step:
      return "Runge-Kutta step";
  }
  return {};
}

Mechanism mechanism_of(std::string name, Model model) {
  Mechanism mechanism{std::move(name), std::move(model), 0, {}};
  mechanism.nv = mechanism.model.nv();
  for (const describe::Joint& joint : mechanism.model.joints) {
    TACTUS_CHECK(joint.type == describe::JointType::revolute);
  }
  derive::Recursion recursion(mechanism.model, false);
  std::mt19937_64 generator(20240607);  // any fixed number: every run sees the same states
  std::uniform_real_distribution<double> angle(-3.1, 3.1), rate(-2.0, 2.0), acceleration(-5.0, 5.0);
  const auto n = static_cast<std::size_t>(mechanism.nv);
  for (std::size_t i = 0; i < kStates; ++i) {
    State s;
    for (std::size_t k = 0; k < n; ++k) s.q.push_back(angle(generator));
    for (std::size_t k = 0; k < n; ++k) s.u.push_back(rate(generator));
    for (std::size_t k = 0; k < n; ++k) s.udot.push_back(acceleration(generator));
    s.tau.resize(n);
    recursion.inverse_dynamics(s.q.data(), s.u.data(), s.udot.data(), s.tau.data());
    mechanism.states.push_back(std::move(s));
  }
  return mechanism;
}

Mechanism load_mechanism(const std::string& name) {
  return mechanism_of(name, describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + name + ".yaml"));
}

Mechanism chain(int links, bool spatial) {
  const std::string name = fmt::format("{} chain of {}", spatial ? "spatial" : "planar", links);
  const std::string turned = spatial ? ", rpy: [90 deg, 0, 0]" : "";
  std::string text = fmt::format(
      "name: chain\nparameters: {{L: 1/{0}, m: 1/{0}}}\nbodies:\n"
      "  link_1: &rod\n    mass: m\n    com: [L/2, 0, 0]\n    inertia: [{1}, m*L^2/12, m*L^2/12]\n"
      "joints:\n  q1: {{type: revolute, parent: world, child: link_1, axis: y}}\n",
      links, spatial ? "m*L^2/50" : "0");
  if (links > 1) {
    text += fmt::format(
        "repeat:\n  count: {}\n  from: 2\n  bodies:\n    link_{{i}}: *rod\n  joints:\n    q{{i}}: "
        "{{type: revolute, parent: \"link_{{i-1}}\", child: \"link_{{i}}\", axis: y, "
        "placement: {{xyz: [L, 0, 0]{}}}}}\n",
        links - 1, turned);
  }
  return mechanism_of(name, describe::load_text(text, name));
}

Mechanism legs(int count, int joints) {
  const std::string name = fmt::format("{} legs of {}", count, joints);
  const char* const axes[] = {"x", "y", "y", "z"};
  std::string bodies = "bodies:\n  base: {mass: 5, inertia: [0.1, 0.2, 0.25]}\n";
  std::string hinges = "joints:\n  turn: {type: revolute, parent: world, child: base, axis: z}\n";
  for (int leg = 1; leg <= count; ++leg) {
    for (int k = 1; k <= joints; ++k) {
      bodies += fmt::format(
          "  link_{}_{}: {{mass: 0.5, com: [0.01, 0.02, -0.1], inertia: [0.01, 0.012, 0.004]}}\n", leg, k);
      const std::string parent = k == 1 ? "base" : fmt::format("link_{}_{}", leg, k - 1);
      const std::string place =
          k == 1 ? fmt::format("{}, {}, 0", leg % 2 == 1 ? 0.2 : -0.2, 0.1 * leg) : "0, 0, -0.2";
      hinges += fmt::format(
          "  q_{0}_{1}: {{type: revolute, parent: {2}, child: link_{0}_{1}, axis: {3}, placement: {{xyz: "
          "[{4}]}}}}\n",
          leg, k, parent, axes[(k - 1) % 4], place);
    }
  }
  return mechanism_of(name, describe::load_text("name: legs\n" + bodies + hinges, name));
}

Mechanism without_armature(const Mechanism& mechanism) {
  Model model = mechanism.model;
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes) axis.armature = algebra::Expr();
  return mechanism_of(mechanism.name, std::move(model));
}

namespace {

/// The classical Runge-Kutta step of (q, u) with udot by the recursion at tau = 0.
std::vector<double> runge_kutta(derive::Recursion& recursion, const State& s) {
  const std::size_t n = s.q.size();
  const std::vector<double> no_forces(n, 0.0);
  std::vector<double> start = s.q, sum(2 * n, 0.0), slope(2 * n, 0.0);
  start.insert(start.end(), s.u.begin(), s.u.end());
  const double nodes[] = {0.0, 0.5, 0.5, 1.0}, weights[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  for (int stage = 0; stage < 4; ++stage) {
    std::vector<double> y = start;
    for (std::size_t k = 0; k < 2 * n; ++k) y[k] += kStep * nodes[stage] * slope[k];
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n), n, slope.begin());
    recursion.forward_dynamics(y.data(), y.data() + n, no_forces.data(), slope.data() + n);
    for (std::size_t k = 0; k < 2 * n; ++k) sum[k] += weights[stage] * slope[k];
  }
  for (std::size_t k = 0; k < 2 * n; ++k) start[k] += kStep * sum[k];
  return start;
}

}  // namespace

std::vector<std::vector<double>> expected_results(const Mechanism& mechanism, Quantity quantity) {
  derive::Recursion recursion(mechanism.model, false);
  const auto n = static_cast<std::size_t>(mechanism.nv);
  std::vector<std::vector<double>> results;
  for (const State& s : mechanism.states) {
    std::vector<double> result(quantity == Quantity::mass_matrix ? n * n : n);
    switch (quantity) {
      case Quantity::inverse_dynamics:
        recursion.inverse_dynamics(s.q.data(), s.u.data(), s.udot.data(), result.data());
        break;
      case Quantity::forward_dynamics:
        recursion.forward_dynamics(s.q.data(), s.u.data(), s.tau.data(), result.data());
        break;
      case Quantity::mass_matrix:
        recursion.mass_matrix(s.q.data(), result.data());
        break;
      case Quantity::step:
        result = runge_kutta(recursion, s);
        break;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace tactus::bench
