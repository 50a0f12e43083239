#include <tactus/derive/readable/sheet.h>

#include <algorithm>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/algebra/trig_form.h>

namespace tactus::derive {
namespace {

/// Up to this many coefficients in M, h and g together, the canonical form is the better reading.
constexpr std::size_t kShortCanonicalForm = 150;
/// Forms as short as that are found with little work.
constexpr algebra::TrigLimits kShortSearch{.terms = 500, .products = 50'000};

/// "M[1,2]" and "M_{12}".
WrittenEquation named(const std::string& letter, std::vector<int> indices) {
  WrittenEquation equation;
  std::string plain, sub;
  const bool wide = std::any_of(indices.begin(), indices.end(), [](int i) { return i > 9; });
  for (const int i : indices) {
    plain += (plain.empty() ? "" : ",") + std::to_string(i);
    sub += (sub.empty() || !wide ? "" : ",") + std::to_string(i);
  }
  equation.name = fmt::format("{}[{}]", letter, plain);
  equation.latex_name = fmt::format("{}_{{{}}}", letter, sub);
  equation.indices = std::move(indices);
  return equation;
}

/// Adds polynomials, with something that is no polynomial (friction) behind them.
class PolynomialWriter {
 public:
  /// With `any_form`, products of sines and cosines replace multiple angles where that is clearly shorter.
  PolynomialWriter(const CanonicalModel& model, int digits, bool any_form = false)
      : model_(model), digits_(digits), any_form_(any_form) {}

  void add(SheetSection& section, WrittenEquation equation, const TrigPolynomial& p,
           Expr more = Expr()) const {
    if (p.is_zero() && algebra::is_zero(more)) return;
    equation.text = algebra::to_text(p, model_.variables, *model_.graph, digits_);
    equation.latex = algebra::to_latex(p, model_.variables, *model_.graph, digits_);
    const algebra::PrintOptions options{.digits = digits_};
    if (any_form_ && p.terms().size() > 1 && p.terms().size() < kFewTerms) {
      const algebra::Graph::Scope scope(*model_.graph);
      double shortest = kClearlyShorter * static_cast<double>(equation.text.size());
      for (const auto style : {algebra::TrigStyle::multiple_angles, algebra::TrigStyle::cosine_powers,
                               algebra::TrigStyle::sine_powers}) {
        const Expr form = algebra::to_expr(p, model_.variables, style);
        const std::string text = algebra::to_text(form, *model_.graph, options);
        if (static_cast<double>(text.size()) >= shortest) continue;
        shortest = static_cast<double>(text.size());
        equation.text = text;
        equation.latex = algebra::to_latex(form, *model_.graph, options);
      }
    }
    if (!algebra::is_zero(more)) {
      const auto append = [&](std::string& to, std::string what) {
        if (p.is_zero()) {
          to = std::move(what);
        } else {
          to += what.starts_with("-") ? " - " + what.substr(1) : " + " + what;
        }
      };
      append(equation.text, algebra::to_text(more, *model_.graph, options));
      append(equation.latex, algebra::to_latex(more, *model_.graph, options));
    }
    section.equations.push_back(std::move(equation));
  }

 private:
  static constexpr double kClearlyShorter = 0.7;
  static constexpr std::size_t kFewTerms = 60;

  const CanonicalModel& model_;
  int digits_;
  bool any_form_;
};

std::vector<std::string> names_of(const algebra::Graph& graph, const std::vector<Expr>& symbols) {
  std::vector<std::string> names;
  for (const Expr s : symbols) names.push_back(graph.symbol_name(s));
  return names;
}

Sheet sheet_of(const CanonicalModel& model, std::string note) {
  return {model.name,
          names_of(*model.graph, model.q),
          names_of(*model.graph, model.u),
          {std::move(note), "elements not listed are zero"},
          {}};
}

const algebra::Block* block_named(const std::vector<algebra::Block>& blocks, std::string_view name) {
  for (const algebra::Block& block : blocks)
    if (block.name == name) return &block;
  return nullptr;
}

Sheet sheet_of(const describe::Model& model, const Function& function, std::string note) {
  const algebra::Block* q = block_named(function.inputs, "q");
  const algebra::Block* u = block_named(function.inputs, "u");
  return {model.name,
          q != nullptr ? names_of(*function.graph, q->entries) : model.coordinate_names(),
          u != nullptr ? names_of(*function.graph, u->entries) : model.speed_names(),
          {std::move(note), "elements not listed are zero"},
          {}};
}

constexpr const char* kTorqueNote =
    "tau_i = sum_j M_ij udot_j + sum_(j<k) B_ijk u_j u_k + sum_j D_ij u_j^2 + G_i + V_i";
constexpr const char* kLinearNote =
    "delta tau = M delta udot + C delta u + K delta q about a point (q, u, udot) of a motion";

const char* equation_of_motion(const describe::Model& model) {
  return model.speeds.definition == describe::Speeds::Definition::joint_rates
             ? "M(q) udot + h(q, u) = tau"
             : "M(q) udot + h(q, u) = W(q)^T tau, with joint rates qd = W(q) u + X(q)";
}

struct Part {
  std::string key, title;
  const algebra::Block* block = nullptr;
  bool upper_triangle = false;
};

/// Blocks of one graph, in the form that shares temporaries.
void add_shared_form(Sheet& sheet, const algebra::Graph& graph, const std::vector<Part>& parts) {
  std::vector<Expr> roots;
  std::vector<SheetSection> sections;
  for (const Part& part : parts) {
    SheetSection& section = sections.emplace_back(SheetSection{part.key, part.title, {}});
    const algebra::Block& block = *part.block;
    for (int i = 0; i < block.rows; ++i) {
      for (int j = part.upper_triangle ? i : 0; j < block.cols; ++j) {
        const Expr entry = block.entries[static_cast<std::size_t>(i * block.cols + j)];
        if (algebra::is_zero(entry)) continue;
        section.equations.push_back(
            named(part.key, block.cols > 1 ? std::vector{i + 1, j + 1} : std::vector{i + 1}));
        roots.push_back(entry);
      }
    }
  }
  const algebra::PrintOptions options{.digits = 10};
  const algebra::Formulas text = algebra::print(roots, graph, algebra::Notation::text, options);
  const algebra::Formulas latex = algebra::print(roots, graph, algebra::Notation::latex, options);
  if (!text.temporaries.empty()) {
    SheetSection& where = sheet.sections.emplace_back(SheetSection{"where", "shared terms", {}});
    for (std::size_t n = 0; n < text.temporaries.size(); ++n) {
      where.equations.push_back({text.temporaries[n].name,
                                 latex.temporaries[n].name,
                                 text.temporaries[n].formula,
                                 latex.temporaries[n].formula,
                                 {}});
    }
  }
  std::size_t next = 0;
  for (SheetSection& section : sections) {
    for (WrittenEquation& equation : section.equations) {
      equation.text = text.roots[next];
      equation.latex = latex.roots[next++];
    }
    sheet.sections.push_back(std::move(section));
  }
}

}  // namespace

Sheet canonical_sheet(const CanonicalModel& model, int digits) {
  const int n = model.size();
  const PolynomialWriter writer(model, digits);
  Sheet sheet = sheet_of(model, kTorqueNote);
  SheetSection M{"M", "mass matrix (symmetric: upper triangle)", {}}, B{"B", "Coriolis products", {}},
      D{"D", "centrifugal terms", {}}, L{"L", "terms of other degree in the speeds", {}},
      G{"G", "gravity and springs", {}}, V{"V", "friction", {}};
  for (int i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (int j = i; j < n; ++j) {
      const TrigPolynomial rotor = i == j ? model.rotors[row] : TrigPolynomial();
      writer.add(M, named("M", {i + 1, j + 1}), model.M(i, j) + rotor);
    }
    for (int j = 0; j < n; ++j) {
      for (int k = j + 1; k < n; ++k) writer.add(B, named("B", {i + 1, j + 1, k + 1}), model.B(i, j, k));
      writer.add(D, named("D", {i + 1, j + 1}), model.D(i, j));
    }
    writer.add(L, named("L", {i + 1}), model.other(i));
    writer.add(G, named("G", {i + 1}), model.G(i));
    writer.add(V, named("V", {i + 1}), {}, model.friction[row]);
  }
  for (SheetSection* section : {&M, &B, &D, &L, &G, &V}) {
    if (!section->equations.empty()) sheet.sections.push_back(std::move(*section));
  }
  return sheet;
}

Sheet linear_sheet(const LinearCanonical& linear, int digits) {
  const CanonicalModel& model = linear.model();
  const PolynomialWriter writer(model, digits);
  Sheet sheet = sheet_of(model, kLinearNote);
  SheetSection M{"M", "mass matrix (symmetric: upper triangle)", {}}, C{"C", "d tau/d u", {}},
      K{"K", "d tau/d q", {}};
  for (int i = 0; i < model.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (int j = i; j < model.size(); ++j) {
      writer.add(M, named("M", {i + 1, j + 1}),
                 linear.M(i, j) + (i == j ? model.rotors[row] : TrigPolynomial()));
    }
    for (int j = 0; j < model.size(); ++j) {
      writer.add(C, named("C", {i + 1, j + 1}), linear.C(i, j), i == j ? linear.friction_slope(i) : Expr());
      writer.add(K, named("K", {i + 1, j + 1}), linear.K(i, j));
    }
  }
  sheet.sections = {std::move(M), std::move(C), std::move(K)};
  return sheet;
}

Sheet linear_sheet(const describe::Model& model, const Options& options) {
  const Function function = Equations(model, options).linear_model();
  Sheet sheet = sheet_of(model, function, kLinearNote);
  add_shared_form(sheet, *function.graph,
                  {{"M", "mass matrix (symmetric: upper triangle)", block_named(function.outputs, "M"), true},
                   {"C", "d tau/d u", block_named(function.outputs, "C"), false},
                   {"K", "d tau/d q", block_named(function.outputs, "K"), false}});
  return sheet;
}

Sheet equations_sheet(const describe::Model& model, const Options& options) {
  if (const auto canonical = find_canonical_form(model, options, nullptr, kShortSearch)) {
    if (canonical->coefficient_count() <= kShortCanonicalForm) {
      const PolynomialWriter writer(*canonical, 6, true);
      Sheet sheet = sheet_of(*canonical, equation_of_motion(model));
      SheetSection M{"M", "mass matrix (symmetric: upper triangle)", {}}, h{"h", "bias", {}},
          g{"g", "gravity and springs (part of h)", {}};
      for (int i = 0; i < canonical->size(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (int j = i; j < canonical->size(); ++j) {
          writer.add(M, named("M", {i + 1, j + 1}),
                     canonical->M(i, j) + (i == j ? canonical->rotors[row] : TrigPolynomial()));
        }
        writer.add(h, named("h", {i + 1}), canonical->bias(i), canonical->friction[row]);
        writer.add(g, named("g", {i + 1}), canonical->G(i));
      }
      sheet.sections = {std::move(M), std::move(h), std::move(g)};
      return sheet;
    }
  }
  const Equations equations(model, options);
  const Function M = equations.mass_matrix(), h = equations.bias(), g = equations.gravity();
  Sheet sheet = sheet_of(model, h, equation_of_motion(model));
  add_shared_form(sheet, *M.graph,
                  {{"M", "mass matrix (symmetric: upper triangle)", &M.outputs.front(), true},
                   {"h", "bias", &h.outputs.front(), false},
                   {"g", "gravity and springs (part of h)", &g.outputs.front(), false}});
  return sheet;
}

}  // namespace tactus::derive
