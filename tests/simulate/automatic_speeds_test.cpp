// Two roads to one motion: the same mechanism and the same initial rates, with joint rates and with speeds that are chosen.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

struct Scene {
  const char *name, *model, *initial;
};

class ChosenSpeeds : public testing::TestWithParam<Scene> {};

/// Of motions of one second, by Runge-Kutta steps of order 8 that each see their own speeds.
constexpr double kSameMotion = 1e-8;

TEST_P(ChosenSpeeds, MoveTheMechanismAsJointRatesDo) {
  const auto moved = [&](const std::string& speeds) {
    std::ifstream file(support::source_dir() + "/models/" + GetParam().model + ".yaml");
    std::stringstream text;
    text << file.rdbuf();
    const describe::Model model =
        describe::load_text(text.str() + "\nspeeds: " + speeds + "\n" + GetParam().initial + "\n",
                            std::string(GetParam().model) + ".yaml");
    const std::unique_ptr<Mechanism> mechanism =
        contact::open(model, {.step = 0.01, .integrator = Integrator::adaptive});
    for (int k = 0; k < 100; ++k)
      if (const Tick tick = mechanism->step(); !tick.ok()) {
        ADD_FAILURE() << mechanism->explain(tick.status);
        break;
      }
    return mechanism->state().q;
  };
  const std::vector<double> rates = moved("joint_rates");
  EXPECT_GT(support::largest(rates), 0.1);  // it moves
  EXPECT_LT(support::difference(moved("auto"), rates), kSameMotion);
  EXPECT_LT(support::difference(moved("{auto: diagonal}"), rates), kSameMotion);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ChosenSpeeds,
    testing::Values(Scene{"double_pendulum", "double_pendulum",
                          "initial: {q: [1.2, 0.4], u: {q1: 0.7, q2: -2}}"},
                    Scene{"planar_3r", "planar_3r", "initial: {qd: [1, -2, 3]}"},
                    Scene{"wrist", "spherical_wrist_joint_rates",
                          "initial: {q: [0.3, 0.8, -0.4], u: {q1: 0.7, q2: -0.3, q3: 0.5}}"},
                    Scene{"four_bar", "four_bar", ""}, Scene{"slider_crank", "slider_crank", ""},
                    Scene{"three_link_chain", "three_link_chain", ""}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tactus::simulate
