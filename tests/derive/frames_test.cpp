// One law suite for every joint: poses, velocities, Jacobians and accelerations belong together.
#include <tactus/algebra/calculus.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

class FrameLaws : public testing::TestWithParam<const char*> {};

TEST_P(FrameLaws, VelocityIsTheJacobianTimesTheSpeedsAndTheRateOfThePosition) {
  const describe::Model model = model_named(GetParam());
  ASSERT_FALSE(model.frames.empty()) << "every model of this suite names a frame";
  const Equations equations(model);
  for (std::size_t frame = 0; frame < model.frames.size(); ++frame) {
    const Function motion = equations.frame_motion(static_cast<int>(frame));
    // Rates by differentiating p and V symbolically along the motion.
    Function rates = motion;
    {
      const algebra::Graph::Scope scope(*motion.graph);
      const Function forward = equations.coordinate_rates();
      std::vector<Expr> moving = motion.inputs[1].entries, speed = forward.outputs[0].entries;
      moving.insert(moving.end(), motion.inputs[2].entries.begin(), motion.inputs[2].entries.end());
      speed.insert(speed.end(), motion.inputs[3].entries.begin(), motion.inputs[3].entries.end());
      rates.outputs = {
          {"pd", "", 3, 1, algebra::directional_derivative(motion.outputs[1].entries, moving, speed)},
          {"Vd", "", 6, 1, algebra::directional_derivative(motion.outputs[2].entries, moving, speed)},
          {"Rd", "", 3, 3, algebra::directional_derivative(motion.outputs[0].entries, moving, speed)}};
    }
    for (unsigned seed = 0; seed < 3; ++seed) {
      const State s = random_state(model, seed + 40);
      const std::vector<double> V = value(motion, s, "V"), A = value(motion, s, "A"),
                                R = value(motion, s, "R");
      EXPECT_LT(difference(times(value(motion, s, "J"), s.u), V), kRounding);
      const std::vector<double> pd = value(rates, s, "pd");
      EXPECT_LT(difference({V[3], V[4], V[5]}, pd), kRounding);
      std::vector<double> Ja = times(value(motion, s, "J"), s.udot);
      const std::vector<double> bias = value(motion, s, "Jdot_u");
      for (std::size_t k = 0; k < 6; ++k) Ja[k] += bias[k];
      EXPECT_LT(difference(Ja, A), kRounding);
      EXPECT_LT(difference(value(rates, s, "Vd"), A), kRounding);
      // Rd = (w x) R
      const std::vector<double> Rd = value(rates, s, "Rd");
      const double w[3] = {V[0], V[1], V[2]};
      std::vector<double> wxR(9);
      for (std::size_t c = 0; c < 3; ++c) {
        wxR[c] = w[1] * R[6 + c] - w[2] * R[3 + c];
        wxR[3 + c] = w[2] * R[c] - w[0] * R[6 + c];
        wxR[6 + c] = w[0] * R[3 + c] - w[1] * R[c];
      }
      EXPECT_LT(difference(wxR, Rd), kRounding);
      // R stays a rotation.
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          const double dot = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
          EXPECT_NEAR(dot, i == j ? 1.0 : 0.0, kRounding);
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryJoint, FrameLaws,
                         testing::Values("puma560", "joint_gallery", "scara", "gantry", "rigid_body",
                                         "spherical_wrist", "spherical_wrist_rates"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tactus::derive
