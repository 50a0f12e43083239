#include <algorithm>

#include <tactus/algebra/trig_shared.h>
#include <tactus/derive/readable/canonical.h>

namespace tactus::derive {

namespace {

std::vector<algebra::Block> inputs_named(const CanonicalModel& model,
                                         std::initializer_list<std::string_view> left_out) {
  std::vector<algebra::Block> kept;
  for (const algebra::Block& block : model.inputs) {
    if (std::find(left_out.begin(), left_out.end(), block.name) == left_out.end()) kept.push_back(block);
  }
  return kept;
}

/// The rotors' part of torque i.
TrigPolynomial with_rotor(const CanonicalModel& model, std::size_t i) {
  const auto& others = model.variables.variables();
  const auto slot = std::find(others.begin(), others.end(), model.udot[i]) - others.begin();
  return model.torques[i] + model.rotors[i] * TrigPolynomial::variable(static_cast<std::size_t>(slot));
}

algebra::Block column(std::string name, std::string meaning, std::vector<Expr> entries) {
  return {std::move(name), std::move(meaning), static_cast<int>(entries.size()), 1, std::move(entries)};
}

}  // namespace

Function inverse_dynamics(const CanonicalModel& model, bool friction) {
  return inverse_dynamics(model, friction, algebra::SharedFormOptions{});
}

Function inverse_dynamics(const CanonicalModel& model, bool friction,
                          const algebra::SharedFormOptions& options) {
  const algebra::Graph::Scope scope(*model.graph);
  std::vector<TrigPolynomial> torques;
  for (std::size_t i = 0; i < model.torques.size(); ++i) torques.push_back(with_rotor(model, i));
  std::vector<Expr> tau = algebra::shared_trig_forms(torques, model.variables, options);
  for (std::size_t i = 0; i < tau.size() && friction; ++i) tau[i] += model.friction[i];
  return {"inverse_dynamics",
          "Joint forces for a given motion.",
          model.graph,
          model.inputs,
          {column("tau", "actuator forces [N m] or [N]", std::move(tau))}};
}

Function mass_matrix(const CanonicalModel& model) {
  const algebra::Graph::Scope scope(*model.graph);
  const int n = model.size();
  std::vector<TrigPolynomial> upper;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      upper.push_back(i == j ? model.M(i, j) + model.rotors[static_cast<std::size_t>(i)] : model.M(i, j));
    }
  }
  const std::vector<Expr> made = algebra::shared_trig_forms(upper, model.variables);
  std::vector<Expr> entries(static_cast<std::size_t>(n * n));
  std::size_t next = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      entries[static_cast<std::size_t>(i * n + j)] = entries[static_cast<std::size_t>(j * n + i)] =
          made[next++];
    }
  }
  return {"mass_matrix",
          "The mass matrix.",
          model.graph,
          inputs_named(model, {"u", "udot"}),
          {{"M", "mass matrix [kg m^2], [kg m] or [kg]", n, n, std::move(entries)}}};
}

Function elements(const CanonicalModel& model) {
  const algebra::Graph::Scope scope(*model.graph);
  const int n = model.size();
  std::vector<TrigPolynomial> M, B, D, G;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      M.push_back(i == j ? model.M(i, j) + model.rotors[static_cast<std::size_t>(i)] : model.M(i, j));
      D.push_back(model.D(i, j));
      for (int k = j + 1; k < n; ++k) B.push_back(model.B(i, j, k));
    }
    G.push_back(model.G(i));
  }
  std::vector<TrigPolynomial> all;
  for (const auto* part : {&M, &B, &D, &G}) all.insert(all.end(), part->begin(), part->end());
  const std::vector<Expr> made = algebra::shared_trig_forms(all, model.variables);
  std::size_t next = 0;
  const auto block = [&](const char* name, const char* meaning, const std::vector<TrigPolynomial>& part) {
    const std::size_t from = next;
    next += part.size();
    return algebra::Block{
        name,
        meaning,
        n,
        static_cast<int>(part.size()) / std::max(n, 1),
        {made.begin() + static_cast<std::ptrdiff_t>(from), made.begin() + static_cast<std::ptrdiff_t>(next)}};
  };
  std::vector<algebra::Block> outputs{block("M", "mass matrix", M), block("B", "of products of speeds", B),
                                      block("D", "of squares of speeds", D),
                                      block("G", "weight and springs", G)};
  return {"elements", "The elements of the equations of motion.", model.graph,
          inputs_named(model, {"u", "udot"}), std::move(outputs)};
}

Function bias(const CanonicalModel& model, bool friction) {
  const algebra::Graph::Scope scope(*model.graph);
  std::vector<TrigPolynomial> still;
  for (int i = 0; i < model.size(); ++i) still.push_back(model.bias(i));
  std::vector<Expr> h = algebra::shared_trig_forms(still, model.variables);
  for (std::size_t i = 0; i < h.size() && friction; ++i) h[i] += model.friction[i];
  return {"bias",
          "All joint forces that do not depend on accelerations.",
          model.graph,
          inputs_named(model, {"udot"}),
          {column("h", "bias forces [N m] or [N]", std::move(h))}};
}

Function gravity(const CanonicalModel& model) {
  const algebra::Graph::Scope scope(*model.graph);
  std::vector<TrigPolynomial> weights;
  for (int i = 0; i < model.size(); ++i) weights.push_back(model.G(i));
  return {"gravity",
          "Joint forces that hold the mechanism at rest.",
          model.graph,
          inputs_named(model, {"u", "udot"}),
          {column("g", "holding forces [N m] or [N]", algebra::shared_trig_forms(weights, model.variables))}};
}

}  // namespace tactus::derive
