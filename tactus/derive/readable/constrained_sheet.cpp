// Equations of mechanisms with constraints, to be read.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/derive/constraints/embedding.h>
#include <tactus/derive/constraints/mobility.h>
#include <tactus/derive/readable/sheet_parts.h>
#include <tactus/derive/readable/shortest_form.h>

namespace tactus::derive {
namespace {

using algebra::Block;

/// Operations of one formula with temporaries: about a line.
constexpr std::size_t kLine = 12;
/// Rows that are eliminated symbolically: beyond, no one would read what comes out.
constexpr std::size_t kMostReducedRows = 3;

/// A sum of products of named elements, in both notations: "M[1,2]*udot[2]".
class NamedSum {
 public:
  void add(bool minus, const WrittenEquation& factor, const WrittenEquation* other = nullptr) {
    text_ += sign(minus, text_.empty()) + factor.name + (other != nullptr ? "*" + other->name : "");
    latex_ +=
        sign(minus, latex_.empty()) + factor.latex_name + (other != nullptr ? "\\," + other->latex_name : "");
  }
  void add_zero_if_empty() {
    if (text_.empty()) text_ = latex_ = "0";
  }
  const std::string& text() const { return text_; }
  const std::string& latex() const { return latex_; }

 private:
  static std::string sign(bool minus, bool first) {
    if (first) return minus ? "-" : "";
    return minus ? " - " : " + ";
  }
  std::string text_, latex_;
};

WrittenEquation indexed(const std::string& letter, const std::string& latex, std::size_t i) {
  WrittenEquation equation = named(letter, {static_cast<int>(i) + 1});
  equation.latex_name = fmt::format("{}_{{{}}}", latex, i + 1);
  return equation;
}
WrittenEquation element(const std::string& letter, std::size_t i, std::size_t j) {
  return named(letter, {static_cast<int>(i) + 1, static_cast<int>(j) + 1});
}

/// tau_i = M_ij udot_j + h_i - A_ki lambda_k, and 0 = A_kj udot_j + (Adot u)_k: which elements stand in them.
void add_motion(Sheet& sheet, const describe::Model& model, const Block& M, const Block& h, const Block& A) {
  const auto n = static_cast<std::size_t>(M.rows), m = static_cast<std::size_t>(A.rows);
  std::vector<bool> passive;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) passive.push_back(axis.passive);
  const bool joint_rates = model.speeds.definition == describe::Speeds::Definition::joint_rates;
  SheetSection motion{"motion", "equations of motion with the multipliers lambda", {}};
  for (std::size_t i = 0; i < n; ++i) {
    NamedSum sum;
    for (std::size_t j = 0; j < n; ++j) {
      if (algebra::is_zero(M.entries[i * n + j])) continue;
      const WrittenEquation udot = indexed("udot", "\\dot{u}", j);
      sum.add(false, element("M", std::min(i, j), std::max(i, j)), &udot);
    }
    if (!algebra::is_zero(h.entries[i])) sum.add(false, indexed("h", "h", i));
    for (std::size_t k = 0; k < m; ++k) {
      if (algebra::is_zero(A.entries[k * n + i])) continue;
      const WrittenEquation lambda = indexed("lambda", "\\lambda", k);
      sum.add(true, element("A", k, i), &lambda);
    }
    sum.add_zero_if_empty();
    WrittenEquation equation = joint_rates && passive[i] ? WrittenEquation{"0", "0", "", "", {}}
                               : joint_rates             ? indexed("tau", "\\tau", i)
                                                         : indexed("(W^T tau)", "(W^{\\mathsf{T}} \\tau)", i);
    equation.text = sum.text();
    equation.latex = sum.latex();
    motion.equations.push_back(std::move(equation));
  }
  for (std::size_t k = 0; k < m; ++k) {
    NamedSum sum;
    for (std::size_t j = 0; j < n; ++j) {
      if (algebra::is_zero(A.entries[k * n + j])) continue;
      const WrittenEquation udot = indexed("udot", "\\dot{u}", j);
      sum.add(false, element("A", k, j), &udot);
    }
    sum.add(false, indexed("Adot_u", "(\\dot{A} u)", k));
    motion.equations.push_back({"0", "0", sum.text(), sum.latex(), {}});
  }
  sheet.sections.push_back(std::move(motion));
  sheet.sections.push_back({"multipliers",
                            "the same solved for the multipliers",
                            {{"A M^-1 A^T lambda",
                              "A M^{-1} A^{\\mathsf{T}} \\lambda",
                              "-Adot_u - A M^-1 (tau - h)",
                              "-\\dot{A} u - A M^{-1} (\\tau - h)",
                              {}}}});
}

std::string rows_in_words(const Equations& equations, const std::vector<std::size_t>& rows) {
  std::vector<std::string> labels;
  for (const std::size_t k : rows)
    labels.push_back(fmt::format("{} {}", labels.size() + 1, equations.constraint_rows()[k].label));
  return fmt::format("rows of the constraints: {}", fmt::join(labels, ", "));
}

std::vector<std::size_t> active_rows(const Equations& equations) {
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < equations.constraint_rows().size(); ++k) {
    const auto constraint = static_cast<std::size_t>(equations.constraint_rows()[k].constraint);
    if (equations.model().constraints[constraint].active) rows.push_back(k);
  }
  return rows;
}

/// These rows of a block.
Block only(const Block& block, const std::vector<std::size_t>& rows) {
  Block result{block.name, block.meaning, static_cast<int>(rows.size()), block.cols, {}};
  const auto width = static_cast<std::ptrdiff_t>(block.cols);
  for (const std::size_t k : rows) {
    const auto first = block.entries.begin() + static_cast<std::ptrdiff_t>(k) * width;
    result.entries.insert(result.entries.end(), first, first + width);
  }
  return result;
}

void rename(SheetSection& section) {
  for (WrittenEquation& equation : section.equations)
    if (!equation.indices.empty() && section.key == "Adot_u")
      equation.latex_name = fmt::format("(\\dot{{A}} u)_{{{}}}", equation.indices[0]);
    else if (section.key == "Phi")
      equation.latex_name = fmt::format("\\Phi_{{{}}}", equation.indices[0]);
}

}  // namespace

Sheet constrained_sheet(const describe::Model& model, const Options& options) {
  const Equations equations(model, options);
  const Function terms = equations.constraint_terms(), M = equations.mass_matrix(), h = equations.bias(),
                 g = equations.gravity();
  const algebra::Graph::Scope scope(*terms.graph);
  const std::vector<std::size_t> rows = active_rows(equations);
  const auto block = [&](std::string_view name) { return only(*block_named(terms.outputs, name), rows); };
  Block Phi = block("Phi"), A = block("A"), c = block("c"), Adot_u = block("gamma");
  for (Expr& x : Adot_u.entries) x = -x;
  std::vector<std::string> conditions;
  make_plain(model, terms, {&Phi, &A, &c, &Adot_u}, conditions);

  Sheet sheet = equations_sheet(model, options);
  SheetSection Phis{"Phi", "constraints on positions, Phi(q, t) = 0", {}},
      As{"A", "on velocities, A u + c = 0", {}}, cs{"c", "drift of constraints that move by themselves", {}},
      Adots{"Adot_u", "on accelerations, A udot + Adot u + cdot = 0: the part (Adot u + cdot)", {}};
  ShortestForm form(*terms.graph);
  const bool has_temporaries = !sheet.sections.empty() && sheet.sections.front().key == "where";
  const bool readable = !has_temporaries && add_readable(Phis, Phi, form) && add_readable(As, A, form) &&
                        add_readable(cs, c, form) && add_readable(Adots, Adot_u, form);
  if (readable) {
    for (SheetSection* section : {&Phis, &As, &cs, &Adots})
      if (!section->equations.empty()) sheet.sections.push_back(std::move(*section));
  } else {
    sheet.sections.clear();
    std::vector<SheetPart> parts{{"M", "mass matrix (symmetric: upper triangle)", &M.outputs.front(), true},
                                 {"h", "bias", &h.outputs.front(), false},
                                 {"g", "gravity and springs (part of h)", &g.outputs.front(), false}};
    for (const auto& [section, part] : {std::pair{&Phis, &Phi}, {&As, &A}, {&cs, &c}, {&Adots, &Adot_u}})
      parts.push_back({section->key, section->title, part, false});
    add_shared_form(sheet, *terms.graph, parts, kLine);
    std::erase_if(sheet.sections, [](const SheetSection& section) { return section.equations.empty(); });
  }
  for (SheetSection& section : sheet.sections) rename(section);
  const bool joint_rates = model.speeds.definition == describe::Speeds::Definition::joint_rates;
  sheet.notes = {joint_rates
                     ? "M(q) udot + h(q, u) = tau + A(q)^T lambda,   A udot + Adot u + cdot = 0"
                     : "M(q) udot + h(q, u) = W(q)^T tau + A(q)^T lambda,   A udot + Adot u + cdot = 0",
                 rows_in_words(equations, rows), "elements not listed are zero"};
  sheet.notes.insert(sheet.notes.end(), conditions.begin(), conditions.end());
  add_motion(sheet, model, M.outputs.front(), h.outputs.front(), A);
  return sheet;
}

namespace {

/// Speeds that the rows determine: by elimination with complete pivoting, those of passive joints before others. Empty where
/// the rows depend on each other there.
std::vector<int> dependent_speeds(const describe::Model& model, std::vector<double> A, std::size_t m) {
  const std::size_t n = A.size() / std::max<std::size_t>(m, 1);
  std::vector<double> weight;
  constexpr double kActuated = 0.05;  // a motor's speed is a natural independent one
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) weight.push_back(axis.passive ? 1.0 : kActuated);
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates) weight.assign(n, 1.0);
  std::vector<int> dependent;
  std::vector<bool> used(m, false);
  for (std::size_t step = 0; step < m; ++step) {
    double best = 1e-9;  // of coefficients of size one
    std::size_t row = m, column = n;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n && !used[i]; ++j)
        if (std::abs(A[i * n + j]) * weight[j] > best) {
          best = std::abs(A[i * n + j]) * weight[j];
          row = i;
          column = j;
        }
    if (row == m) return {};
    used[row] = true;
    dependent.push_back(static_cast<int>(column));
    for (std::size_t i = 0; i < m; ++i) {
      if (used[i]) continue;
      const double factor = A[i * n + column] / A[row * n + column];
      for (std::size_t j = 0; j < n; ++j) A[i * n + j] -= factor * A[row * n + j];
      A[i * n + column] = 0.0;
    }
  }
  std::sort(dependent.begin(), dependent.end());
  return dependent;
}

}  // namespace

Sheet reduced_sheet(const describe::Model& model, const Options& options) {
  const Equations equations(model, options);
  const Function terms = equations.constrained_terms();
  const algebra::Graph::Scope scope(*terms.graph);
  const Mobility freedom = mobility(Equations(model));
  std::vector<std::size_t> rows;
  for (const std::size_t k : active_rows(equations)) {
    const std::string& label = equations.constraint_rows()[k].label;
    if (std::find(freedom.redundant.begin(), freedom.redundant.end(), label) == freedom.redundant.end())
      rows.push_back(k);
  }
  if (rows.size() > kMostReducedRows)
    throw InputError({model.file},
                     fmt::format("{} rows of constraints cannot be eliminated readably ({} can)", rows.size(),
                                 kMostReducedRows),
                     "leave out --reduced: the equations with multipliers are for any number");
  const auto block = [&](std::string_view name) { return only(*block_named(terms.outputs, name), rows); };
  Block A = block("A"), c = block("c"), gamma = block("gamma"), M = *block_named(terms.outputs, "M"),
        Q = *block_named(terms.outputs, "Q");
  std::vector<std::string> conditions;
  make_plain(model, terms, {&A, &c, &gamma, &M}, conditions);
  const std::vector<Expr> u = block_named(terms.inputs, "u")->entries;
  const auto refuse = [&] {
    throw InputError({model.file}, "no choice of independent speeds was found near the initial state",
                     "start at a regular position, or leave out --reduced");
  };
  std::vector<int> dependent;
  for (const double away : {0.0, 0.02, 0.07})  // [rad, m] beside a singular start
    if (dependent.empty())
      dependent = dependent_speeds(model, values_at_start(model, terms, A.entries, away), rows.size());
  if (dependent.size() != rows.size()) refuse();
  const Embedded embedded =
      embed(M.entries, Q.entries, A.entries, c.entries, gamma.entries, u, dependent, refuse);

  std::vector<std::size_t> independent;
  for (std::size_t k = 0; k < u.size(); ++k)
    if (std::find(dependent.begin(), dependent.end(), static_cast<int>(k)) == dependent.end())
      independent.push_back(k);
  const int p = static_cast<int>(independent.size()), m = static_cast<int>(dependent.size());
  Block D{"D", "", m, p, embedded.D}, d{"d", "", m, 1, embedded.d}, delta{"delta", "", m, 1, embedded.delta},
      Mr{"Mr", "", p, p, embedded.M}, Qr{"Qr", "", p, 1, embedded.Q};
  make_plain(model, terms, {&D, &d, &delta, &Mr, &Qr}, conditions);
  Sheet sheet = sheet_of(model, terms,
                         "Mr(q) udot_i = Qr(q, u_i, tau),   u_d = D(q) u_i + d,   udot_d = D udot_i + delta");
  std::vector<std::string> free, bound;
  const std::vector<std::string> names = names_of(*terms.graph, u);
  for (const std::size_t k : independent) free.push_back(names[k]);
  for (const int k : dependent) bound.push_back(names[static_cast<std::size_t>(k)]);
  sheet.notes.insert(sheet.notes.begin() + 1,
                     {fmt::format("independent speeds u_i = ({})", fmt::join(free, ", ")),
                      fmt::format("dependent speeds   u_d = ({})", fmt::join(bound, ", ")),
                      "D grows without bound where these speeds cannot be independent"});
  sheet.notes.insert(sheet.notes.end(), conditions.begin(), conditions.end());
  struct Written {
    SheetSection section;
    const Block* block;
    bool upper_triangle;
  };
  std::vector<Written> all{{{"D", "dependent speeds by independent ones", {}}, &D, false},
                           {{"d", "drift of the dependent speeds", {}}, &d, false},
                           {{"delta", "rates of the dependent speeds at udot_i = 0", {}}, &delta, false},
                           {{"Mr", "reduced mass matrix (symmetric: upper triangle)", {}}, &Mr, true},
                           {{"Qr", "reduced forces", {}}, &Qr, false}};
  ShortestForm form(*terms.graph);
  const bool readable = std::all_of(all.begin(), all.end(), [&](Written& one) {
    return add_readable(one.section, *one.block, form, one.upper_triangle);
  });
  if (readable) {
    for (Written& one : all) sheet.sections.push_back(std::move(one.section));
  } else {
    std::vector<SheetPart> parts;
    for (const Written& one : all)
      parts.push_back({one.section.key, one.section.title, one.block, one.upper_triangle});
    add_shared_form(sheet, *terms.graph, parts, kLine);
  }
  std::erase_if(sheet.sections, [](const SheetSection& section) { return section.equations.empty(); });
  for (SheetSection& section : sheet.sections)
    for (WrittenEquation& equation : section.equations) {
      if (section.key == "delta") equation.latex_name = fmt::format("\\delta_{{{}}}", equation.indices[0]);
      if (section.key == "Mr" || section.key == "Qr") {
        const std::string plain = equation.latex_name.substr(2);
        equation.latex_name = (section.key == "Mr" ? "\\tilde{M}" : "\\tilde{Q}") + plain;
      }
    }
  return sheet;
}

}  // namespace tactus::derive
