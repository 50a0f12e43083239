// Parameters kept symbolic through derivation, or folded in: the same equations.
#include <algorithm>

#include <tactus/algebra/calculus.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// A block's value with the model's own parameter values as inputs.
std::vector<double> with_parameters(const Function& function, const describe::Model& model, const State& s,
                                    const std::string& output) {
  generate::Evaluator evaluator(generate::compile(function, generate::Backend::interpreter));
  const auto put = [&](const char* name, const std::vector<double>& x) {
    std::copy_n(x.begin(), evaluator.input(name).size(), evaluator.input(name).begin());
  };
  put("q", s.q);
  put("u", s.u);
  put("udot", s.udot);
  put("tau", s.tau);
  const std::span<double> parameters = evaluator.input("parameters");
  EXPECT_EQ(parameters.size(), model.parameters.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) parameters[k] = model.parameters[k].value;
  evaluator.run();
  const auto out = evaluator.output(output);
  return {out.begin(), out.end()};
}

TEST(Parameters, KeptOrFoldedGiveTheSameEquations) {
  for (const char* name : {"double_pendulum", "planar_3r", "spherical_wrist", "joint_gallery", "scara"}) {
    const describe::Model model = model_named(name);
    if (model.parameters.empty()) continue;
    Options keep;
    keep.keep_parameters = true;
    const Equations symbolic(model, keep), folded(model);
    State s = random_state(model, 110);
    s.t = 0.0;
    EXPECT_LT(difference(with_parameters(symbolic.inverse_dynamics(), model, s, "tau"),
                         value(folded.inverse_dynamics(), s, "tau")),
              kRounding)
        << name;
    EXPECT_LT(difference(with_parameters(symbolic.forward_dynamics(), model, s, "udot"),
                         value(folded.forward_dynamics(), s, "udot")),
              1e-9)
        << name;
  }
}

TEST(Parameters, SomeMayBeKeptAndTheOthersFolded) {
  const describe::Model model = model_named("double_pendulum");
  ASSERT_GE(model.parameters.size(), 2u);
  const describe::Parameter& kept = model.parameters[1];
  Options keep;
  keep.keep_parameters = true;
  keep.kept = {kept.name};
  const Function symbolic = Equations(model, keep).inverse_dynamics();
  ASSERT_EQ(symbolic.inputs.back().name, "parameters");
  EXPECT_EQ(symbolic.inputs.back().size(), 1u);
  State s = random_state(model, 111);
  s.t = 0.0;
  // At the model's value, and at another one against a model that is read with it.
  for (const double factor : {1.0, 1.7}) {
    describe::Model changed = model;
    changed.parameters[1].value = factor * kept.value;
    generate::Evaluator evaluator(generate::compile(symbolic));
    for (const auto& [name, values] : {std::pair{"q", &s.q}, {"u", &s.u}, {"udot", &s.udot}})
      std::copy(values->begin(), values->end(), evaluator.input(name).begin());
    evaluator.input("parameters")[0] = factor * kept.value;
    evaluator.run();
    const auto tau = evaluator.output("tau");
    EXPECT_LT(difference({tau.begin(), tau.end()}, value(Equations(changed).inverse_dynamics(), s, "tau")),
              kRounding);
  }
}

TEST(Parameters, OfThePendulumStandInItsEquation) {
  const describe::Model model = model_named("pendulum");
  ASSERT_FALSE(model.parameters.empty());
  Options keep;
  keep.keep_parameters = true;
  const Function gravity = Equations(model, keep).gravity();
  std::vector<std::string> names;
  for (const Expr symbol : algebra::symbols_in(gravity.roots()))
    names.push_back(gravity.graph->symbol_name(symbol));
  EXPECT_NE(std::find(names.begin(), names.end(), model.parameters.front().name), names.end());
}

}  // namespace
}  // namespace tactus::derive
