// Printed equations of models with constraints, read back: what stands on the sheet is what the kernels compute.
#include <algorithm>
#include <map>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/parse.h>
#include <tactus/base/error.h>
#include <tactus/derive/readable/sheet.h>
#include <tactus/math/decompositions.h>

#include "random_state.h"
#include "support/compare.h"

namespace tactus::derive {
namespace {

/// Numbers on the sheets have six digits, of lengths, masses and inertias that cancel at most by a tenth.
constexpr double kPrinted = 1e-4;

/// A sheet as numbers: its formulas parsed as users' expressions are, and evaluated.
class ReadBack {
 public:
  ReadBack(const Sheet& sheet, const describe::Model& model, const State& s) : scope_(graph_) {
    const auto put = [&](const std::vector<std::string>& names, const std::vector<double>& values) {
      for (std::size_t i = 0; i < names.size(); ++i) values_[names[i]] = values[i];
    };
    put(sheet.coordinates, s.q);
    put(sheet.speeds, s.u);
    std::size_t k = 0;
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) values_["tau_" + axis.name] = s.tau[k++];
    for (const SheetSection& section : sheet.sections) {
      if (section.key == "motion" || section.key == "multipliers") continue;
      for (const WrittenEquation& equation : section.equations)
        values_[equation.name] = evaluated(equation.text);
    }
  }

  /// An element by its indices from 0; those that the sheet leaves out are zero.
  double operator()(const std::string& key, std::size_t i) const { return at(fmt_index(key, {i})); }
  double operator()(const std::string& key, std::size_t i, std::size_t j) const {
    return at(fmt_index(key, {i, j}));
  }

 private:
  static std::string fmt_index(const std::string& key, std::initializer_list<std::size_t> indices) {
    std::string text;
    for (const std::size_t i : indices) text += (text.empty() ? "" : ",") + std::to_string(i + 1);
    return key + "[" + text + "]";
  }
  double at(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? 0.0 : found->second;
  }
  double evaluated(const std::string& text) {
    const algebra::Names names{
        [&](std::string_view name) -> std::optional<algebra::Quantity> {
          const auto found = values_.find(std::string(name));
          if (found == values_.end()) return std::nullopt;
          return algebra::Quantity{Expr(found->second), algebra::Quantity::Known::no, {}};
        },
        [] { return std::vector<std::string>{}; }};
    return algebra::parse(text, names).value.value();
  }

  algebra::Graph graph_;
  algebra::Graph::Scope scope_;
  std::map<std::string, double> values_;
};

/// A state around the initial one: the formulas hold off the constraints, too.
State state_near(const describe::Model& model, unsigned seed) {
  State s = random_state(model, seed);
  for (std::size_t i = 0; i < s.q.size(); ++i) s.q[i] = model.initial_q[i] + 0.2 * s.q[i];
  s.t = 0.0;
  return s;
}

// The lowest point of a surface is found by Newton's iteration, written out: quotients of quotients, whose common denominator has more factors than can
// be divided out one by one. The sheet is written all the same.
TEST(ConstrainedSheetOfASurface, IsWrittenAndSaysWhatTheKernelsCompute) {
  const describe::Model model = describe::load_text(
      "name: hull\nbodies: {b: {mass: 1, com: [0.01, 0.02, -0.03], inertia: [0.01, 0.02, 0.015, 0.001, 0, "
      "0]}}\n"
      "joints: {b: {type: free_euler, order: zyx, parent: world, child: b}}\n"
      "constraints: {r: {type: rolling, kind: surface_on_plane, surface: 'x^2/0.09 + y^2/0.04 + z^2/0.0625 - "
      "1', b: "
      "b}}\n"
      "initial: {q: {b.z: 0.2, b.angle1: 0.3, b.angle2: 0.4, b.angle3: 0.5}}\n",
      "hull.yaml");
  const Equations equations(model);
  const Sheet sheet = constrained_sheet(model, {});
  const State s = state_near(model, 1);
  const ReadBack read(sheet, model, s);
  const std::vector<double> A = value(equations.constraint_terms(), s, "A");
  std::vector<double> written;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 6; ++j) written.push_back(read("A", k, j));
  EXPECT_LE(difference(written, A), kPrinted);
}

class ConstrainedSheet : public testing::TestWithParam<const char*> {};

TEST_P(ConstrainedSheet, SaysWhatTheKernelsCompute) {
  const describe::Model model = model_named(GetParam());
  const Equations equations(model);
  const Sheet sheet = constrained_sheet(model, {});
  const std::size_t m = equations.constraint_rows().size(), n = static_cast<std::size_t>(equations.nv());
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const State s = state_near(model, seed);
    const ReadBack read(sheet, model, s);
    const std::vector<double> Phi = value(equations.constraint_terms(), s, "Phi"),
                              A = value(equations.constraint_terms(), s, "A"),
                              gamma = value(equations.constraint_terms(), s, "gamma"),
                              M = value(equations.mass_matrix(), s, "M"), h = value(equations.bias(), s, "h");
    std::vector<double> rPhi, rA, rgamma, rM, rh;
    for (std::size_t k = 0; k < m; ++k) {
      rPhi.push_back(read("Phi", k));
      rgamma.push_back(-read("Adot_u", k));
      for (std::size_t j = 0; j < n; ++j) rA.push_back(read("A", k, j));
    }
    for (std::size_t i = 0; i < n; ++i) {
      rh.push_back(read("h", i));
      for (std::size_t j = 0; j < n; ++j) rM.push_back(read("M", std::min(i, j), std::max(i, j)));
    }
    EXPECT_LE(difference(rPhi, Phi), kPrinted);
    EXPECT_LE(difference(rA, A), kPrinted);
    EXPECT_LE(difference(rgamma, gamma), kPrinted);
    EXPECT_LE(difference(rM, M), kPrinted);
    EXPECT_LE(difference(rh, h), kPrinted);
  }
}

TEST_P(ConstrainedSheet, NamesEveryElementThatIsNotZeroInTheEquationsOfMotion) {
  const describe::Model model = model_named(GetParam());
  const Sheet sheet = constrained_sheet(model, {});
  const std::string text = sheet.text();
  EXPECT_NE(text.find("A(q)^T lambda"), std::string::npos);
  EXPECT_NE(text.find("A M^-1 A^T lambda = -Adot_u - A M^-1 (tau - h)"), std::string::npos);
  const auto motion = std::find_if(sheet.sections.begin(), sheet.sections.end(),
                                   [](const SheetSection& s) { return s.key == "motion"; });
  ASSERT_NE(motion, sheet.sections.end());
  std::string all;
  for (const WrittenEquation& equation : motion->equations) all += equation.text + "\n";
  for (const SheetSection& section : sheet.sections) {
    if (section.key != "A" && section.key != "M") continue;
    for (const WrittenEquation& equation : section.equations)
      EXPECT_NE(all.find(equation.name + "*"), std::string::npos) << equation.name;
  }
}

TEST_P(ConstrainedSheet, ReducedEquationsGiveTheConstrainedAccelerations) {
  const describe::Model model = model_named(GetParam());
  const Equations equations(model);
  const Sheet sheet = reduced_sheet(model, {});
  std::vector<std::size_t> independent, dependent;  // by the sheet's own words
  const std::string notes = sheet.notes[1];
  for (std::size_t k = 0; k < sheet.speeds.size(); ++k) {
    const std::string name = sheet.speeds[k];
    const std::size_t at = notes.find(name);
    const bool found = at != std::string::npos && (notes[at - 1] == '(' || notes[at - 1] == ' ');
    (found ? independent : dependent).push_back(k);
  }
  const std::size_t p = independent.size();
  ASSERT_GT(p, 0u);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    State s = state_near(model, seed);
    const ReadBack first(sheet, model, s);
    // Dependent speeds that agree: what the equations assume.
    for (std::size_t r = 0; r < dependent.size(); ++r) {
      s.u[dependent[r]] = first("d", r);
      for (std::size_t c = 0; c < p; ++c) s.u[dependent[r]] += first("D", r, c) * s.u[independent[c]];
    }
    const ReadBack read(sheet, model, s);
    Eigen::MatrixXd Mr(p, p);
    Eigen::VectorXd Qr(p);
    for (std::size_t i = 0; i < p; ++i) {
      Qr(static_cast<Eigen::Index>(i)) = read("Qr", i);
      for (std::size_t j = 0; j < p; ++j)
        Mr(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            read("Mr", std::min(i, j), std::max(i, j));
    }
    const Eigen::VectorXd udot = Mr.partialPivLu().solve(Qr);
    std::vector<double> mine(s.u.size());
    for (std::size_t i = 0; i < p; ++i) mine[independent[i]] = udot(static_cast<Eigen::Index>(i));
    for (std::size_t r = 0; r < dependent.size(); ++r) {
      mine[dependent[r]] = read("delta", r);
      for (std::size_t c = 0; c < p; ++c) mine[dependent[r]] += read("D", r, c) * mine[independent[c]];
    }
    EXPECT_LE(difference(mine, value(equations.constrained_dynamics(), s, "udot")), kPrinted) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ConstrainedSheet,
                         testing::Values("pantograph", "rolling_coin", "four_bar", "slider_crank",
                                         "two_link_on_circle"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ReducedSheet, IsRefusedWhereNobodyWouldReadIt) {
  EXPECT_THROW(reduced_sheet(model_named("four_bar_ladder"), {}), InputError);
}

/// [glyphs] That fit a line of 17 cm in 10 pt; a formula's unbreakable part may be longer only where it is one product.
TEST(ConstrainedLatex, LinesFitThePage) {
  for (const char* name : {"pantograph", "rolling_coin"}) {
    for (const Sheet& sheet :
         {constrained_sheet(model_named(name), {}), reduced_sheet(model_named(name), {})}) {
      const std::string latex = sheet.latex();
      std::size_t from = 0;
      while (from < latex.size()) {
        const std::size_t end = std::min(latex.find('\n', from), latex.size());
        const std::string line = latex.substr(from, end - from);
        from = end + 1;
        if (line.starts_with("%")) continue;
        std::size_t printed = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
          if (line[i] == '\\') {  // a command prints one sign; \mathrm and \dot only what follows
            std::size_t stop = i + 1;
            while (stop < line.size() && std::isalpha(static_cast<unsigned char>(line[stop])) != 0) ++stop;
            const std::string word = line.substr(i + 1, stop - i - 1);
            printed += word == "sin" || word == "cos"                                           ? 3
                       : word == "mathrm" || word == "dot" || word == "left" || word == "right" ? 0
                                                                                                : 1;
            i = support::larger(i, stop - 1);
          } else if (line[i] != '{' && line[i] != '}' && line[i] != ' ' && line[i] != '_' && line[i] != '^') {
            ++printed;
          }
        }
        EXPECT_LE(printed, 95u) << name << ": " << line;
      }
      EXPECT_EQ(std::count(latex.begin(), latex.end(), '{'), std::count(latex.begin(), latex.end(), '}'));
    }
  }
}

}  // namespace
}  // namespace tactus::derive
