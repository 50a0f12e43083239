// Kane's method written out: term by term what [Gillespie2003] prints, and for every model what the kernels compute.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/parse.h>
#include <tactus/algebra/print.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/base/error.h>
#include <tactus/derive/readable/fraction.h>
#include <tactus/derive/readable/kane_tables.h>
#include <tactus/derive/readable/sheet.h>
#include <tactus/math/decompositions.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// A sheet with all digits, its formulas as expressions: what is compared is what a reader sees.
class Printed {
 public:
  explicit Printed(const Sheet& sheet) : sheet_(sheet), scope_(graph_) {
    for (const SheetSection& section : sheet_.sections) {
      if (section.key != "where") continue;
      for (const WrittenEquation& shared : section.equations) shared_[shared.name] = formula(shared.text);
    }
  }

  /// A formula as it is written, shared terms put in.
  Expr formula(const std::string& text) const {
    const algebra::Names names{[&](std::string_view name) -> std::optional<algebra::Quantity> {
                                 const auto found = shared_.find(std::string(name));
                                 return algebra::Quantity{found != shared_.end()
                                                              ? found->second
                                                              : algebra::symbol(std::string(name)),
                                                          algebra::Quantity::Known::no,
                                                          {}};
                               },
                               [] { return std::vector<std::string>{}; }};
    return algebra::parse(text, names).value;
  }
  const SheetSection* section(const std::string& key) const {
    for (const SheetSection& one : sheet_.sections)
      if (one.key == key) return &one;
    return nullptr;
  }
  const WrittenEquation* line(const std::string& key, const std::string& name) const {
    if (const SheetSection* found = section(key))
      for (const WrittenEquation& equation : found->equations)
        if (equation.name == name) return &equation;
    return nullptr;
  }
  /// Lines that the sheet leaves out are zero.
  Expr operator()(const std::string& key, const std::string& name) const {
    const WrittenEquation* found = line(key, name);
    return found == nullptr ? Expr() : formula(found->text);
  }
  Expr element(const std::string& key, int i, int j) const {
    return (*this)(key, key + "[" + std::to_string(i) + "," + std::to_string(j) + "]");
  }
  Expr element(const std::string& key, int i) const {
    return (*this)(key, key + "[" + std::to_string(i) + "]");
  }

 private:
  Sheet sheet_;
  algebra::Graph graph_;
  algebra::Graph::Scope scope_;
  std::map<std::string, Expr> shared_;
};

/// Coefficients of the numerator, of sums of some ten products of numbers up to 20.
constexpr double kVanishes = 1e-11;

/// The two agree identically: the numerator of their difference has no coefficient left.
void expect_same(Expr a, Expr b, const std::string& what) {
  algebra::TrigVariables variables;
  const Expr numerator = as_fraction(a - b).numerator;
  const auto rest = algebra::to_trig_polynomial(numerator, variables);
  ASSERT_TRUE(rest) << what;
  EXPECT_LT(rest->norm(), kVanishes) << what << ": " << algebra::to_text(a) << "  and  "
                                     << algebra::to_text(b);
}

/// With forces that the paper does not have taken as zero.
class Paper : public Printed {
 public:
  Paper(const Sheet& sheet, std::vector<std::string> absent) : Printed(sheet), absent_(std::move(absent)) {}

  void expect(const std::string& key, const std::string& name, const std::string& printed) const {
    std::vector<Expr> from, to;
    for (const std::string& one : absent_) {
      from.push_back(algebra::symbol(one));
      to.emplace_back(0.0);
    }
    expect_same(algebra::substitute((*this)(key, name), algebra::Graph::current(), from, to),
                formula(printed), name);
  }
  /// A row of a table: components along the axes that the sheet names.
  void expect_vector(const std::string& key, const std::string& name, const std::string& axes,
                     const std::vector<std::string>& printed) const {
    const WrittenEquation* found = line(key, name);
    if (found == nullptr) {  // zero
      for (const std::string& one : printed) EXPECT_EQ(one, "0") << name;
      return;
    }
    EXPECT_EQ(found->axes, axes) << name;
    ASSERT_EQ(found->components.size(), 3u) << name;
    for (std::size_t k = 0; k < 3; ++k) expect_same(formula(found->components[k]), formula(printed[k]), name);
  }

 private:
  std::vector<std::string> absent_;
};

constexpr int kAllDigits = 0;

Options kept() {
  Options options;
  options.keep_parameters = true;
  return options;
}

// Example 1: the disk on the ramp, coordinates and speeds of the paper. a1 is A.x, a2 is A.z, a3 = a1 x a2 is -A.y.
constexpr const char* kRamp = R"(
name: ramp
parameters:
  m: {value: 1, unit: kg}
  r: {value: 0.1, unit: m}
  J: {value: 0.007, unit: kg m^2}
  phi: {value: 20, unit: deg}
  g: {value: 9.81, unit: m/s^2}
gravity: [0, 0, -g]
bodies:
  A: {mass: 0}
  B: {mass: m, inertia: [J/2, J, J/2]}
joints:
  q1: {type: prismatic, parent: world, child: A, axis: x, placement: {axis_angle: {axis: y, angle: -phi}}, passive: true}
  q2: {type: revolute, parent: A, child: B, axis: -y, passive: true}
frames:
  slope: {body: A, grasp: true, description: a1 and a2}
speeds: {from_rates: {u1: q1_dot, u2: r*q2_dot}}
constraints:
  rolling: {type: rates, equations: [u1 + u2]}
)";

/// The contact's force -F_f a1 + N a2 at the rim is that resultant at the centre, and a couple -r F_f a3: in the world's axes at B_o.
std::vector<Expr> contact_wrench() {
  const Expr F = algebra::symbol("F_f"), N = algebra::symbol("N"), r = algebra::symbol("r");
  const Expr c = cos(algebra::symbol("phi")), s = sin(algebra::symbol("phi"));
  return {Expr(), r * F, Expr(), -F * c - N * s, Expr(), -F * s + N * c};
}

TEST(KaneOfThePaper, DiskOnTheRampHasTheMatricesTableAndForcesOfExample1) {
  const std::string text =
      std::string(kRamp).replace(std::string(kRamp).find("slope: {body: A"), 15, "B_o: {body: B");
  describe::Model model = describe::load_text(text, "ramp.yaml");
  model.constraints[0].active = false;
  Options options = kept();
  options.wrenches = {{model.frame_index("B_o"), true}};
  // F_r with the contact's force, by the tables.
  const KaneTables tables(model, options);
  const std::vector<Expr> F =
      algebra::substitute(tables.active(), *tables.graph(), tables.symbols().wrench, contact_wrench());
  const Expr m = algebra::symbol("m"), g = algebra::symbol("g"), F_f = algebra::symbol("F_f");
  expect_same(F[0], -m * g * sin(algebra::symbol("phi")) - F_f, "(38)");
  expect_same(F[1], -F_f, "(39), with the sign of (40)");

  const Paper sheet(kane_sheet(model, options, {}, kAllDigits), {});
  for (const auto& [key, diagonal] : {std::pair{"Y", "r"}, {"W", "1/r"}}) {  // (6)
    expect_same(sheet.element(key, 1, 1), Expr(1.0), key);
    expect_same(sheet.element(key, 2, 2), sheet.formula(diagonal), key);
    EXPECT_EQ(sheet.section(key)->equations.size(), 2u);
  }
  for (const char* key : {"Z", "X", "D", "F~"}) EXPECT_EQ(sheet.section(key), nullptr) << key;
  // The table below (36).
  sheet.expect_vector("v", "v_1(B)", "A", {"1", "0", "0"});
  sheet.expect_vector("v", "v_2(B)", "A", {"0", "0", "0"});
  sheet.expect_vector("omega", "omega_1(B)", "B", {"0", "0", "0"});
  sheet.expect_vector("omega", "omega_2(B)", "B", {"0", "-1/r", "0"});
  sheet.expect("F*", "F*[1]", "-m*u1_dot");
  sheet.expect("F*", "F*[2]", "-J/r^2*u2_dot");
}

TEST(KaneOfThePaper, RollingDiskHasTheConstrainedTableAndEquation42) {
  const describe::Model model = describe::load_text(kRamp, "ramp.yaml");
  const Paper sheet(kane_sheet(model, kept(), {"u1"}, kAllDigits),
                    {"slope.force_x", "slope.force_y", "slope.force_z", "slope.torque_x", "slope.torque_y",
                     "slope.torque_z"});
  expect_same(sheet.element("D", 1, 1), Expr(-1.0), "(7)");
  EXPECT_EQ(sheet.section("E"), nullptr);
  // The table above (41).
  sheet.expect_vector("v~", "v~_1(B)", "A", {"1", "0", "0"});
  sheet.expect_vector("omega~", "omega~_1(B)", "B", {"0", "1/r", "0"});
  sheet.expect("F~", "F~[1]", "-m*g*sin(phi)");
  sheet.expect("F~*", "F~*[1]", "-m*u1_dot - J/r^2*u1_dot");

  // (41), (47): friction drops out, by the same recombination.
  const std::string text =
      std::string(kRamp).replace(std::string(kRamp).find("slope: {body: A"), 15, "B_o: {body: B");
  const describe::Model disk = describe::load_text(text, "ramp.yaml");
  Options options = kept();
  options.wrenches = {{disk.frame_index("B_o"), true}};
  const KaneTables tables(disk, options);
  const std::vector<Expr> F =
      algebra::substitute(tables.active(), *tables.graph(), tables.symbols().wrench, contact_wrench());
  expect_same(F[0] - F[1], -algebra::symbol("m") * algebra::symbol("g") * sin(algebra::symbol("phi")),
              "(41)");
}

const std::vector<std::string> kNoMotors{"tau_q1", "tau_q2", "tau_q3", "tau_q4"};

// Example 3: b1, b2, b3 are the basket's axes, c1, c2 the caster's; F = P1.force_x, tau = P1.torque_z. The fourth speed of the
// model, sideways, is what the back wheels forbid: the paper's speeds have it built in.
TEST(KaneOfThePaper, CartHasTheMatricesOf56To60) {
  const Paper sheet(kane_sheet(model_named("shopping_cart"), kept(), {"u1", "u2"}, kAllDigits), kNoMotors);
  const char* Y[3][4] = {{"cos(q3)", "sin(q3)", "0", "0"}, {"0", "0", "1", "0"}, {"0", "0", "1", "1"}};
  const char* W[4][3] = {{"cos(q3)", "0", "0"}, {"sin(q3)", "0", "0"}, {"0", "1", "0"}, {"0", "-1", "1"}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      expect_same(sheet.element("Y", j + 1, i + 1), sheet.formula(Y[j][i]), "(56)");
      expect_same(sheet.element("W", i + 1, j + 1), sheet.formula(W[i][j]), "(57)");
    }
  const char* row[] = {"-sin(q4)", "L2*cos(q4)", "-L3"};
  for (int j = 0; j < 3; ++j) expect_same(sheet.element("A_B", 2, j + 1), sheet.formula(row[j]), "(59)");
  expect_same(sheet.element("A_B", 1, 4), Expr(1.0), "(54)");
  expect_same(sheet.element("D", 1, 1), sheet.formula("-sin(q4)/L3"), "(60)");
  expect_same(sheet.element("D", 1, 2), sheet.formula("L2*cos(q4)/L3"), "(60)");
  for (int j = 1; j <= 2; ++j) expect_same(sheet.element("D", 2, j), Expr(), "(54)");
}

TEST(KaneOfThePaper, CartWithAFreeCasterHasTheTableAndForcesOf61To63) {
  const Paper sheet(kane_sheet(model_named("shopping_cart"), kept(), {"u1", "u2"}, kAllDigits), kNoMotors);
  sheet.expect_vector("v~", "v~_1(P1)", "basket", {"1", "0", "0"});
  sheet.expect_vector("v~", "v~_2(P1)", "basket", {"0", "0", "0"});
  sheet.expect_vector("v~", "v~_1(basket)", "basket", {"1", "0", "0"});
  sheet.expect_vector("v~", "v~_2(basket)", "basket", {"0", "L1", "0"});
  sheet.expect_vector("v~", "v~_1(caster)", "caster", {"cos(q4)", "0", "0"});
  sheet.expect_vector("v~", "v~_2(caster)", "caster", {"L2*sin(q4)", "0", "0"});
  sheet.expect_vector("omega~", "omega~_1(basket)", "basket", {"0", "0", "0"});
  sheet.expect_vector("omega~", "omega~_2(basket)", "basket", {"0", "0", "1"});
  sheet.expect("F~", "F~[1]", "P1.force_x");
  sheet.expect("F~", "F~[2]", "P1.torque_z");

  // (63) holds u3, which (60) gives; here it may stand, too.
  const auto expect = [&](const char* name, const std::string& printed) {
    const Expr u3 = algebra::symbol("u3"), by_60 = sheet.formula("(-sin(q4)*u1 + L2*cos(q4)*u2)/L3");
    const auto solved = [&](Expr x) {
      return algebra::substitute(x, algebra::Graph::current(), std::span(&u3, 1), std::span(&by_60, 1));
    };
    expect_same(solved(sheet("F~*", name)), solved(sheet.formula(printed)), name);
  };
  expect("F~*[1]",
         "(L1*m_B + L2*m_C*cos(q4)^2)*u2^2 - L3*m_C*cos(q4)*u3^2 - m_C*sin(q4)*cos(q4)*u1*u2"
         " - (m_B + m_C*cos(q4)^2)*u1_dot - L2*m_C*sin(q4)*cos(q4)*u2_dot");
  expect("F~*[2]",
         "m_C*L2^2*sin(q4)*cos(q4)*u2^2 - L2*L3*m_C*sin(q4)*u3^2 - (L1*m_B + L2*m_C*sin(q4)^2)*u1*u2"
         " - L2*m_C*sin(q4)*cos(q4)*u1_dot - (I_B + m_B*L1^2 + m_C*L2^2*sin(q4)^2)*u2_dot");
}

TEST(KaneOfThePaper, CartWithAStuckCasterHasTheTableAndForcesOf64To67) {
  describe::Model model = model_named("shopping_cart");
  for (describe::Constraint& constraint : model.constraints) constraint.active = true;
  const Paper sheet(kane_sheet(model, kept(), {"u1"}, kAllDigits), kNoMotors);
  expect_same(sheet.element("A_B", 3, 2), Expr(-1.0), "(64)");
  expect_same(sheet.element("A_B", 3, 3), Expr(1.0), "(64)");
  for (int i = 1; i <= 2; ++i)
    expect_same(sheet.element("D", i, 1), sheet.formula("sin(q4)/(L2*cos(q4) - L3)"), "(65)");
  // The table below (65), with Z2 of (66); the caster's row, b1 - (L2 s4/Z2) b2 + (L3 s4/Z2) c2, along the caster's axes.
  const std::string Z2 = "(L3 - L2*cos(q4))";
  sheet.expect_vector("v~", "v~_1(P1)", "basket", {"1", "0", "0"});
  sheet.expect_vector("v~", "v~_1(basket)", "basket", {"1", "-L1*sin(q4)/" + Z2, "0"});
  sheet.expect_vector("v~", "v~_1(caster)", "caster",
                      {"cos(q4) - L2*sin(q4)/" + Z2 + "*sin(q4)",
                       "-sin(q4) - L2*sin(q4)/" + Z2 + "*cos(q4) + L3*sin(q4)/" + Z2, "0"});
  sheet.expect_vector("omega~", "omega~_1(basket)", "basket", {"0", "0", "-sin(q4)/" + Z2});
  // (67): the coefficient of u1_dot as printed; the products of speeds, whose sign is wrong in print, cancel.
  const std::string Z5 = "(I_B + L2*m_C*(L2 - L3*cos(q4)) + m_B*L1^2)";
  sheet.expect("F~", "F~[1]", "P1.force_x - sin(q4)*P1.torque_z/" + Z2);
  sheet.expect("F~*", "F~*[1]",
               "-(m_B + " + Z5 + "*sin(q4)^2/" + Z2 + "^2 + m_C*(1 - L3*sin(q4)^2/" + Z2 + "))*u1_dot");
}

TEST(KaneOfThePaper, WristHasTheEquations49And50) {
  const Paper sheet(kane_sheet(model_named("spherical_wrist"), kept(), {}, kAllDigits), {});
  const char* W[3][3] = {{"-cos(q3)/sin(q2)", "sin(q3)/sin(q2)", "0"},
                         {"sin(q3)", "cos(q3)", "0"},
                         {"cos(q2)*cos(q3)/sin(q2)", "-cos(q2)*sin(q3)/sin(q2)", "1"}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) expect_same(sheet.element("W", i + 1, j + 1), sheet.formula(W[i][j]), "(50)");
  const std::vector<std::string> units[] = {{"1", "0", "0"}, {"0", "1", "0"}, {"0", "0", "1"}};
  for (int r = 0; r < 3; ++r)
    sheet.expect_vector("omega", "omega_" + std::to_string(r + 1) + "(C)", "C", units[r]);
  const char* printed[] = {
      "(C_o.torque_x - L*(C_o.force_y + G*M*(sin(q1)*cos(q3) + sin(q3)*cos(q1)*cos(q2))) - (I3 - I2 - "
      "M*L^2)*u2*u3)/(I1 + M*L^2)",
      "(C_o.torque_y + L*(C_o.force_x + G*M*(sin(q1)*sin(q3) - cos(q1)*cos(q2)*cos(q3))) + (I3 - I1 - "
      "M*L^2)*u1*u3)/(I2 + M*L^2)",
      "(C_o.torque_z + (I1 - I2)*u1*u2)/I3"};
  for (int r = 1; r <= 3; ++r) {
    const Expr rate = algebra::symbol("u" + std::to_string(r) + "_dot"),
               by_49 = sheet.formula(printed[r - 1]);
    const Expr sum = sheet.element("F", r) + sheet.element("F*", r);
    expect_same(
        algebra::substitute(sum, algebra::Graph::current(), std::span(&rate, 1), std::span(&by_49, 1)),
        Expr(), "(49)");
  }
}

/// Models whose sheets are compared with the kernels: all but those of too many speeds, and the general arm and the elastic one, which take ten seconds and more.
std::vector<std::string> readable_models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(support::source_dir() + "/models")) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() != ".yaml" || name == "general_6r" || name == "flexible_3r" || name == "egg")
      continue;
    if (model_named(name).nv() <= 24) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

class KaneSheets : public testing::TestWithParam<std::string> {};

/// The printed sheet as numbers, at a state.
struct Values {
  Values(const Printed& sheet, const describe::Model& model, const Sheet& head, const State& s)
      : sheet_(sheet) {
    const auto put = [&](const std::vector<std::string>& names, const std::vector<double>& x) {
      for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = x[i];
    };
    values["t"] = s.t;
    put(head.coordinates, s.q);
    put(head.speeds, s.u);
    std::size_t k = 0;
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) values["tau_" + axis.name] = s.tau[k++];
    k = 0;
    for (const describe::Frame& frame : model.frames) {
      if (!frame.grasp) continue;
      for (const char* part : {".torque_x", ".torque_y", ".torque_z", ".force_x", ".force_y", ".force_z"})
        values[frame.name + part] = s.wrench[k++];
    }
  }
  double operator()(const std::string& key, const std::string& name) const {
    return algebra::evaluate(sheet_(key, name), [&](Expr symbol) {
      return values.at(algebra::Graph::current().symbol_name(symbol));
    });
  }
  std::map<std::string, double> values;

 private:
  const Printed& sheet_;
};

/// Names of the rates of the speeds.
std::vector<std::string> rate_names(const describe::Model& model) {
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  std::vector<std::string> names;
  for (const Expr x : Symbols(model, {}).udot) names.push_back(graph.symbol_name(x));
  return names;
}

/// All digits are printed; formulas of some hundred operations on numbers up to 100.
constexpr double kReadBack = 1e-8;

TEST_P(KaneSheets, SayWhatTheKernelsCompute) {
  const describe::Model model = model_named(GetParam());
  Options options;
  for (std::size_t k = 0; k < model.frames.size(); ++k)
    if (model.frames[k].grasp) options.wrenches.push_back({static_cast<int>(k), false});
  const Equations equations(model, options);
  const Function terms = equations.constrained_terms();
  const Sheet head = kane_sheet(model, {}, {}, kAllDigits);
  const Printed sheet(head);
  const std::vector<std::string> rates = rate_names(model);
  const std::size_t n = static_cast<std::size_t>(model.nv());
  for (unsigned seed = 1; seed <= 2; ++seed) {
    State s = random_state(model, seed, 6 * options.wrenches.size());
    for (std::size_t i = 0; i < s.q.size(); ++i)
      if (s.q.size() == n) s.q[i] = model.initial_q[i] + 0.2 * s.q[i];
    s.t = 0.0;
    Values free(sheet, model, head, s);
    const std::vector<double> M = value(terms, s, "M"), Q = value(terms, s, "Q");
    std::vector<double> sum(n), expected = Q;
    for (std::size_t k = 0; k < n; ++k) {
      free.values[rates[k]] = s.udot[k];
      for (std::size_t j = 0; j < n; ++j) expected[k] -= M[k * n + j] * s.udot[j];
    }
    for (std::size_t k = 0; k < n; ++k) {
      const std::string index = "[" + std::to_string(k + 1) + "]";
      sum[k] = free("F", "F" + index) + free("F*", "F*" + index);
    }
    EXPECT_LT(difference(sum, expected), kReadBack) << "seed " << seed;
    if (sheet.section("F~*") == nullptr) continue;

    // With the constraints embedded: F~ + F~* = 0 gives the accelerations of the multipliers' equations.
    std::vector<std::size_t> independent, dependent;
    for (const WrittenEquation& line : sheet.section("F~*")->equations)
      independent.push_back(static_cast<std::size_t>(line.indices[0] - 1));
    for (std::size_t k = 0; k < n; ++k)
      if (std::find(independent.begin(), independent.end(), k) == independent.end()) dependent.push_back(k);
    for (std::size_t r = 0; r < dependent.size(); ++r) {
      double u = free("E", "E[" + std::to_string(r + 1) + "]");
      for (std::size_t c = 0; c < independent.size(); ++c)
        u +=
            free("D", "D[" + std::to_string(r + 1) + "," + std::to_string(c + 1) + "]") * s.u[independent[c]];
      s.u[dependent[r]] = u;
    }
    Values bound(sheet, model, head, s);
    const auto p = static_cast<Eigen::Index>(independent.size());
    Eigen::MatrixXd Mr(p, p);
    Eigen::VectorXd Fr(p);
    const auto balance = [&](std::size_t r) {
      const std::string index = "[" + std::to_string(independent[r] + 1) + "]";
      return bound("F~", "F~" + index) + bound("F~*", "F~*" + index);
    };
    for (const std::string& rate : rates) bound.values[rate] = 0.0;
    for (Eigen::Index r = 0; r < p; ++r) Fr(r) = balance(static_cast<std::size_t>(r));
    for (Eigen::Index c = 0; c < p; ++c) {
      bound.values[rates[independent[static_cast<std::size_t>(c)]]] = 1.0;
      for (Eigen::Index r = 0; r < p; ++r) Mr(r, c) = Fr(r) - balance(static_cast<std::size_t>(r));
      bound.values[rates[independent[static_cast<std::size_t>(c)]]] = 0.0;
    }
    const Eigen::VectorXd udot = Mr.partialPivLu().solve(Fr);
    std::vector<bool> active;
    for (const ConstraintRow& row : equations.constraint_rows())
      active.push_back(model.constraints[static_cast<std::size_t>(row.constraint)].active);
    const std::vector<double> whole = value(equations.constrained_dynamics(active), s, "udot");
    std::vector<double> mine, theirs;
    for (Eigen::Index r = 0; r < p; ++r) {
      mine.push_back(udot(r));
      theirs.push_back(whole[independent[static_cast<std::size_t>(r)]]);
    }
    EXPECT_LT(difference(mine, theirs), kReadBack) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, KaneSheets, testing::ValuesIn(readable_models()),
                         [](const auto& info) { return info.param; });

TEST(KaneSheet, IsRefusedWhereAPointIsSearchedFor) {
  try {
    kane_sheet(model_named("egg"), {}, {}, kAllDigits);
    ADD_FAILURE() << "a sheet";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("`table`"), std::string::npos) << error.what();
  }
}

TEST(KaneSheet, HasTheRemaindersOfConstraintsThatMoveByThemselves) {
  const describe::Model model = describe::load_text(
      "name: drive\n"
      "bodies:\n  a: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
      "  b: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
      "joints:\n  q1: {type: revolute, parent: world, child: a, axis: y}\n"
      "  q2: {type: revolute, parent: a, child: b, axis: y, placement: {xyz: [0.4, 0, 0]}}\n"
      "constraints: {d: {type: motion, joint: q1, equals: 0.2*sin(3*t)}}\n",
      "drive.yaml");
  const Sheet head = kane_sheet(model, {}, {}, kAllDigits);
  const Printed sheet(head);
  expect_same(sheet.element("C", 1), sheet.formula("-0.6*cos(3*t)"), "C");
  expect_same(sheet.element("E", 1), sheet.formula("0.6*cos(3*t)"), "E");
  const WrittenEquation* rest = sheet.line("omega~", "omega~_t(b)");
  ASSERT_NE(rest, nullptr);
  expect_same(sheet.formula(rest->components[1]), sheet.formula("0.6*cos(3*t)"), "omega~_t");
  State s{0.7, {0.2 * std::sin(2.1), 0.9}, {0.6 * std::cos(2.1), -1.3}, {0, 0}, {0.4, -0.3}, {}};
  Values values(sheet, model, head, s);
  values.values["q2_ddot"] = 0.0;
  const double without = values("F~", "F~[2]") + values("F~*", "F~*[2]");
  values.values["q2_ddot"] = 1.0;
  const double mass = without - values("F~", "F~[2]") - values("F~*", "F~*[2]");
  EXPECT_NEAR(without / mass, value(Equations(model).constrained_dynamics(), s, "udot")[1], kReadBack);
}

TEST(KaneSheet, RefusesWithAReason) {
  EXPECT_THROW(kane_sheet(model_named("chain_30"), {}), InputError);
  EXPECT_THROW(kane_sheet(model_named("planar_2r"), {}, {"elbow"}), InputError);   // no constraint
  EXPECT_THROW(kane_sheet(model_named("shopping_cart"), {}, {"u9"}), InputError);  // no such speed
  EXPECT_THROW(kane_sheet(model_named("shopping_cart"), {}, {"u1", "u2", "u3"}), InputError);  // tied
  EXPECT_THROW(kane_sheet(model_named("four_bar_ladder"), {}, {"q1"}), InputError);
}

TEST(KaneSheet, OfALoopOfManyRowsStopsAtTheConstraintsAndSaysSo) {
  const Sheet sheet = kane_sheet(model_named("four_bar_ladder"), {});
  const std::string text = sheet.text();
  EXPECT_NE(text.find("4 of the rows couple speeds"), std::string::npos) << text;
  EXPECT_NE(text.find("A_B[4,"), std::string::npos);
  EXPECT_EQ(text.find("F~*["), std::string::npos);
}

TEST(KaneSheet, WritesTablesInEveryNotation) {
  const Sheet sheet = kane_sheet(model_named("shopping_cart"), kept(), {"u1", "u2"});
  EXPECT_NE(sheet.text().find("  u2   L1*basket.y   L2*sin(q4)*caster.x   0\n"), std::string::npos)
      << sheet.text();
  EXPECT_NE(sheet.latex().find("\\begin{array}{c|ccc}"), std::string::npos);
  EXPECT_NE(sheet.latex().find("\\tilde{F}_{1}^{*} &= "), std::string::npos);
  EXPECT_NE(sheet.json().find("\"vector\": \"v~(caster)\""), std::string::npos);
  EXPECT_NE(sheet.json().find("\"axes\": \"caster\""), std::string::npos);
}

}  // namespace
}  // namespace tactus::derive
