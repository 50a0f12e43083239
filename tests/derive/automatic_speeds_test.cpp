// Speeds that are chosen: never more operations than joint rates, the wrist's as few as the paper's, a mass matrix that is diagonal; and
// always the same accelerations.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <Eigen/LU>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// A shipped model with joint rates, whatever its file defines, and with other speeds.
describe::Model with_speeds(const std::string& name, const std::string& speeds) {
  std::ifstream file(support::source_dir() + "/models/" + name + ".yaml");
  std::string text, line;
  bool skipping = false;
  while (std::getline(file, line)) {
    const bool head = !line.empty() && line[0] != ' ' && line[0] != '#';
    if (head) skipping = line.starts_with("speeds:") || (line.starts_with("initial:") && !speeds.empty());
    if (!skipping) text += line + "\n";
  }
  return describe::load_text(text + (speeds.empty() ? "" : "speeds: " + speeds + "\n"), name + ".yaml");
}

/// Weighted as algebra::cost does.
int operations(const Equations& equations) {
  const algebra::OperationCount n = algebra::count_operations(
      (equations.constraint_rows().empty() ? equations.forward_dynamics() : equations.constrained_dynamics())
          .roots());
  return n.mul + n.add + 4 * n.div + 8 * (n.trig + n.other);
}

std::vector<std::string> small_models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(support::source_dir() + "/models")) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() == ".yaml" && model_named(name).nv() <= 24 && name != "shopping_cart" &&
        name != "cart_caster")  // their files define speeds, and initial values of those
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(AutomaticSpeeds, NeedNoMoreOperationsThanJointRatesOnAnyModel) {
  int shorter = 0;
  for (const std::string& name : small_models()) {
    const describe::Model chosen = with_speeds(name, "auto");
    if (chosen.speeds.definition == describe::Speeds::Definition::joint_rates) continue;
    const int before = operations(Equations(with_speeds(name, ""))), after = operations(Equations(chosen));
    EXPECT_LE(after, before) << name;
    ++shorter;
  }
  EXPECT_GE(shorter, 15);
}

TEST(AutomaticSpeeds, OfTheWristNeedAsFewOperationsAsThePaper) {
  for (const char* rule : {"auto", "{auto: diagonal}"}) {
    const describe::Model model = with_speeds("spherical_wrist_joint_rates", rule);
    Options options;
    options.wrenches = {{model.frame_index("C_o"), false}};
    const Equations wrist(model, options);
    const algebra::OperationCount n = algebra::count_operations(wrist.forward_dynamics().roots());
    EXPECT_LE(n.mul + n.div, 27)
        << rule;  // (49) and (50) together, after elimination of common sub-expressions
    EXPECT_LE(n.add, 17) << rule;
    const Function M = wrist.mass_matrix();
    for (std::size_t k = 0; k < 9; ++k) {
      EXPECT_TRUE(M.outputs[0].entries[k].is_constant()) << k;
      EXPECT_EQ(algebra::is_zero(M.outputs[0].entries[k]), k % 4 != 0) << k;
    }
  }
}

TEST(AutomaticSpeeds, OfTheGeneralArmAreItsJointRates) {
  const algebra::OperationCount rates = algebra::count_operations(
                                    Equations(model_named("general_6r")).forward_dynamics().roots()),
                                chosen = algebra::count_operations(
                                    Equations(with_speeds("general_6r", "auto")).forward_dynamics().roots());
  EXPECT_EQ(chosen.mul, rates.mul);
  EXPECT_EQ(chosen.add, rates.add);
}

TEST(ConstantSpeeds, AreRecombinedFromTheRecursionsWhereThatIsShorter) {
  // Of an arm in space no element is short: Kane's own road would need three times as many operations.
  const std::string sums =
      "{from_rates: {u1: q1_dot, u2: q1_dot + q2_dot, u3: q3_dot, u4: q4_dot, u5: q5_dot, u6: q6_dot}}";
  const describe::Model model = with_speeds("general_6r", sums);
  const Equations plain(model_named("general_6r")), summed(model);
  EXPECT_LT(operations(summed), 1.3 * operations(plain));
  State s = random_state(model, 3), other = s;
  other.u[1] += s.u[0];
  std::vector<double> udot = value(plain.forward_dynamics(), s, "udot");
  udot[1] += udot[0];
  EXPECT_LT(difference(value(summed.forward_dynamics(), other, "udot"), udot), 1e-10);
}

TEST(DiagonalSpeeds, LeaveNothingOffTheDiagonal) {
  int diagonal = 0;
  for (const std::string& name : small_models()) {
    describe::Model model;
    try {
      model = with_speeds(name, "{auto: diagonal}");
    } catch (const InputError&) {
      continue;  // too many freedoms that hang together
    }
    if (model.nq() != model.nv()) continue;  // quaternions keep their own speeds
    const Function M = Equations(model).mass_matrix();
    const auto n = static_cast<std::size_t>(model.nv());
    for (std::size_t i = 0; i < n * n; ++i)
      EXPECT_TRUE(i % (n + 1) == 0 || algebra::is_zero(M.outputs[0].entries[i])) << name << " " << i;
    ++diagonal;
  }
  EXPECT_GE(diagonal, 20);
}

/// The accelerations of the coordinates do not depend on the speeds: qdd of the joint rates is d(W u)/dt of the others.
TEST(AutomaticSpeeds, GiveTheAccelerationsOfTheJointRates) {
  int compared = 0;
  for (const char* rule : {"auto", "{auto: diagonal}"})
    for (const std::string& name : small_models()) {
      describe::Model chosen;
      try {
        chosen = with_speeds(name, rule);
      } catch (const InputError&) {
        continue;
      }
      if (chosen.speeds.definition == describe::Speeds::Definition::joint_rates) continue;
      const Equations plain(with_speeds(name, "")), other(chosen);
      State s = random_state(chosen, 7);
      for (std::size_t k = 0; k < s.q.size(); ++k) s.q[k] = chosen.initial_q[k] + 0.2 * s.q[k] + 0.3;
      s.t = 0.0;
      const std::vector<double> rates = s.u;
      State theirs = s;
      theirs.u = value(other.speeds_from_rates(), s, "u");  // takes the rates from u
      EXPECT_LT(difference(value(other.coordinate_rates(), theirs, "qd"), rates), kRounding) << name;
      const std::vector<double> qdd = value(plain.forward_dynamics(), s, "udot"),
                                udot = value(other.forward_dynamics(), theirs, "udot");
      std::vector<double> mine = times(value(other.joint_rates(), theirs, "W"), udot);
      const std::vector<double> bias = value(other.joint_rates(), theirs, "qdd_bias");
      for (std::size_t k = 0; k < mine.size(); ++k) mine[k] += bias[k];
      EXPECT_LT(difference(mine, qdd), 1e-9) << name << " " << rule;  // masses of grams beside kilograms
      ++compared;
    }
  EXPECT_GE(compared, 30);
}

}  // namespace
}  // namespace tactus::derive
