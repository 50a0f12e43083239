// Linear models as formulas: they say the same as the numbers, for the parameters of the file and for others, and are short.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tactus/algebra/parse.h>
#include <tactus/base/error.h>
#include <tactus/derive/readable/sheet.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/linear/linear_model.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using support::larger;

std::string path_of(const std::string& name) { return support::source_dir() + "/models/" + name + ".yaml"; }

derive::Options keeping_all() {
  derive::Options options;
  options.keep_parameters = true;
  return options;
}

/// A matrix of a sheet in numbers; what is not listed is zero, and of a mass matrix the upper triangle is.
Eigen::MatrixXd matrix(const derive::Sheet& sheet, const std::string& key, Eigen::Index rows,
                       Eigen::Index cols, const describe::Model& values) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows, cols);
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const algebra::Names names{[&](std::string_view name) -> std::optional<algebra::Quantity> {
                               for (const describe::Parameter& parameter : values.parameters)
                                 if (parameter.name == name)
                                   return algebra::Quantity{algebra::Expr(parameter.value), {}, {}};
                               return std::nullopt;
                             },
                             [] { return std::vector<std::string>{}; }};
  for (const derive::SheetSection& section : sheet.sections) {
    EXPECT_NE(section.key, "where") << "formulas are short enough to stand alone";
    if (section.key != key) continue;
    for (const derive::WrittenEquation& equation : section.equations) {
      const algebra::Expr value = algebra::parse(equation.text, names).value;
      EXPECT_TRUE(value.is_constant()) << equation.text;
      const int i = equation.indices[0] - 1, j = equation.indices[1] - 1;
      result(i, j) = value.value();
      if (key == "M") result(j, i) = value.value();
    }
  }
  return result;
}

struct Case {
  std::string model;
  std::vector<derive::PointValue> at;
  describe::Settings other;  // values of the parameters that the formulas are tried with, too
  std::string state;         // the same point as a state file
  std::vector<std::string> independent;
};

TEST(LinearSheet, FormulasAreTheNumbersForAnyParameters) {
  const std::vector<Case> cases{
      {"single_track",
       {{"frame.vx", "v"}, {"rear_dot", "v/r_R"}, {"front_dot", "v/r_F"}},
       {{"v", "3.3"}, {"w", "1.1"}, {"c", "0.05"}, {"tilt", "0.2"}, {"r_R", "0.31"}, {"r_F", "0.33"}},
       "{}",
       {}},
      {"rolling_coin",
       {{"z", "R"}, {"lean", "0"}, {"x_dot", "-60*R"}, {"spin_dot", "60"}},
       {{"R", "0.02"}, {"m", "0.1"}},
       "{q: {z: R, lean: 0}, u: {spin: 60, x: -60*R}}",
       {"lean", "yaw", "spin"}},
      {"slider_crank",
       {{"q1", "0"}, {"q2", "0"}},
       {{"l", "0.7"}, {"m", "2"}, {"g", "1.6"}},
       "{q: [0, 0]}",
       {"q1"}},
      {"double_pendulum",
       {{"q1", "0"}, {"q2", "pi"}},
       {{"m1", "2"}, {"m2", "0.5"}, {"L1", "0.8"}, {"L2", "1.3"}},
       "{q: [0, 180 deg]}",
       {}},
  };
  // Formulas are printed with all digits; they are other sums than the numbers' ones.
  constexpr double kRounding = 1e-11;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.model);
    const describe::Model model = describe::load(path_of(one.model));
    const derive::Sheet sheet = derive::linear_sheet_at(model, keeping_all(), one.at, one.independent, 17);
    for (const describe::Settings& settings : {describe::Settings{}, one.other}) {
      const describe::Model values = describe::load(path_of(one.model), settings);
      Linearization linearization(values, {}, one.independent);
      const LinearModel numbers = linearization.at(read_instant(derive::Equations(values), one.state, ""));
      EXPECT_EQ(sheet.coordinates, numbers.coordinates);
      const auto same = [&](const char* key, const Eigen::MatrixXd& wanted) {
        SCOPED_TRACE(key);
        const Eigen::MatrixXd here = matrix(sheet, key, wanted.rows(), wanted.cols(), values);
        const double size = larger(wanted.cwiseAbs().maxCoeff(), 1e-9);
        EXPECT_LT((here - wanted).cwiseAbs().maxCoeff(), kRounding * size);
      };
      same("M", numbers.M);
      same("C", numbers.C);
      same("K", numbers.K);
      same("F", numbers.F);
    }
  }
}

std::string text_of(const derive::Sheet& sheet, const std::string& name) {
  for (const derive::SheetSection& section : sheet.sections)
    for (const derive::WrittenEquation& equation : section.equations)
      if (equation.name == name) return equation.text;
  return "0";
}

TEST(LinearSheet, OfPendulumsIsWhatTheBooksHave) {
  const describe::Model pendulum = describe::load(path_of("pendulum"));
  const derive::Sheet hanging = derive::linear_sheet_at(pendulum, keeping_all(), {{"q", "0"}}, {});
  EXPECT_EQ(text_of(hanging, "M[1,1]"), "m*L^2");
  EXPECT_EQ(text_of(hanging, "K[1,1]"), "9.81*m*L");
  const derive::Sheet standing = derive::linear_sheet_at(pendulum, keeping_all(), {{"q", "180 deg"}}, {});
  EXPECT_EQ(text_of(standing, "K[1,1]"), "-9.81*m*L");
  const derive::Sheet anywhere = derive::linear_sheet_at(pendulum, keeping_all(), {{"q_dot", "0"}}, {});
  EXPECT_EQ(text_of(anywhere, "K[1,1]"), "9.81*m*L*cos(q)");
  EXPECT_EQ(text_of(anywhere, "f[1]"), "9.81*m*L*sin(q)");  // what holds it there

  const describe::Model two = describe::load(path_of("double_pendulum"));
  const derive::Sheet sheet = derive::linear_sheet_at(two, keeping_all(), {{"q1", "0"}, {"q2", "0"}}, {});
  EXPECT_EQ(text_of(sheet, "M[2,2]"), "m2*L2^2");
  EXPECT_EQ(text_of(sheet, "K[2,2]"), "9.81*m2*L2");
  EXPECT_EQ(text_of(sheet, "K[1,2]"), text_of(sheet, "K[2,1]"));
  EXPECT_EQ(text_of(sheet, "C[1,1]"), "0");
}

// The coin's moments m R^2/4 + m R^2 and so on are one number; the gyroscopic terms are C, the weight is K.
TEST(LinearSheet, OfARollingCoinHasRouthsTerms) {
  const describe::Model coin = describe::load(path_of("rolling_coin"));
  const derive::Sheet sheet = derive::linear_sheet_at(
      coin, keeping_all(), {{"z", "R"}, {"lean", "0"}, {"x_dot", "-10*R"}, {"spin_dot", "10"}},
      {"yaw", "lean", "spin"});
  EXPECT_EQ(text_of(sheet, "M[1,1]"), "0.25*m*R^2");
  EXPECT_EQ(text_of(sheet, "M[2,2]"), "1.25*m*R^2");
  EXPECT_EQ(text_of(sheet, "M[3,3]"), "1.5*m*R^2");
  EXPECT_EQ(text_of(sheet, "C[1,2]"), "-5*m*R^2");
  EXPECT_EQ(text_of(sheet, "C[2,1]"), "15*m*R^2");
  EXPECT_EQ(text_of(sheet, "K[2,4]"), "-9.81*m*R");
}

TEST(LinearSheet, OfTheOpenTreeIsCollected) {
  const describe::Model two = describe::load(path_of("double_pendulum"));
  const derive::Sheet sheet = derive::linear_sheet(two, {});
  EXPECT_EQ(text_of(sheet, "M[1,1]"), "2*cos(q2) + 3");  // was 2*cos(q2) + 2 + 1
  EXPECT_EQ(text_of(sheet, "C[1,1]"), "-2*q2_dot*sin(q2)");
  EXPECT_EQ(text_of(sheet, "K[2,1]"), "9.81*cos(q1 + q2)");  // was cos cos - sin sin
  EXPECT_EQ(text_of(sheet, "K[1,1]"), "19.62*cos(q1) + 9.81*cos(q1 + q2)");
}

TEST(LinearSheet, RefusesAPointOffTheConstraintsAndUnknownNames) {
  const describe::Model crank = describe::load(path_of("slider_crank"));
  EXPECT_THROW(derive::linear_sheet_at(crank, {}, {{"q1", "0.3"}, {"q2", "0"}}, {}), InputError);
  EXPECT_THROW(derive::linear_sheet_at(crank, {}, {{"q7", "0"}}, {}), InputError);
  EXPECT_THROW(derive::linear_sheet_at(crank, {}, {{"q1", "2*("}}, {}), InputError);
  EXPECT_THROW(derive::linear_sheet_at(crank, {}, {{"q1", "0"}, {"q2", "0"}}, {"q1", "q2"}), InputError);
}

}  // namespace
}  // namespace tactus::simulate
