// M, C, K against differences of the inverse dynamics.
#include "random_state.h"

namespace tactus::derive {
namespace {

TEST(LinearModel, IsTheDerivativeOfInverseDynamics) {
  for (const char* name : {"puma560", "scara", "gantry"}) {
    const describe::Model model = model_named(name);
    const Equations equations(model);
    const Function linear = equations.linear_model(), inverse = equations.inverse_dynamics();
    const State s = random_state(model, 100);
    const auto n = static_cast<std::size_t>(model.nv());
    // Central differences: error about step^2 times third derivatives, which are below 1e3 here.
    const double step = 1e-5, tolerance = 1e-6;
    const auto column = [&](std::vector<double> State::*part, std::size_t k) {
      State plus = s, minus = s;
      (plus.*part)[k] += step;
      (minus.*part)[k] -= step;
      std::vector<double> d = value(inverse, plus, "tau");
      const std::vector<double> below = value(inverse, minus, "tau");
      for (std::size_t i = 0; i < n; ++i) d[i] = (d[i] - below[i]) / (2 * step);
      return d;
    };
    const std::pair<const char*, std::vector<double> State::*> parts[] = {
        {"M", &State::udot}, {"C", &State::u}, {"K", &State::q}};
    for (const auto& [output, part] : parts) {
      const std::vector<double> matrix = value(linear, s, output);
      for (std::size_t k = 0; k < n; ++k) {
        const std::vector<double> d = column(part, k);
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_NEAR(matrix[i * n + k], d[i], tolerance * std::max(1.0, std::fabs(d[i])))
              << name << " " << output;
        }
      }
    }
  }
}

TEST(LinearModel, IsRefusedForQuaternionsWithARemedy) {
  try {
    Equations(model_named("rigid_body")).linear_model();
    FAIL() << "a quaternion has no linear model";
  } catch (const InputError& error) {
    EXPECT_FALSE(error.remedy().empty());
  }
}

}  // namespace
}  // namespace tactus::derive
