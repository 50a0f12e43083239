#include <tactus/derive/readable/sheet.h>

#include <algorithm>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/derive/linear/coriolis.h>
#include <tactus/derive/readable/sheet_parts.h>

namespace tactus::derive {
namespace {

/// Up to this many coefficients in M, h and g together, the canonical form is the better reading.
constexpr std::size_t kShortCanonicalForm = 150;
/// Forms as short as that are found with little work.
constexpr algebra::TrigLimits kShortSearch{.terms = 500, .products = 50'000};

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

Sheet sheet_of(const CanonicalModel& model, std::string note) {
  return {model.name,
          names_of(*model.graph, model.q),
          names_of(*model.graph, model.u),
          {std::move(note), "elements not listed are zero"},
          {}};
}

constexpr const char* kTorqueNote =
    "tau_i = sum_j M_ij udot_j + sum_(j<k) B_ijk u_j u_k + sum_j D_ij u_j^2 + G_i + V_i";
constexpr const char* kLinearNote =
    "delta tau = M delta udot + C delta u + K delta q about a point (q, u, udot) of a motion";

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

Sheet coriolis_sheet(const describe::Model& model, const Options& options) {
  const Function C = coriolis_matrix(Equations(model, options));
  Sheet sheet = sheet_of(model, C,
                         "C u are the velocity's products of M udot + C u + ... = tau, and dM/dt - 2 C is "
                         "skew; elements not listed are zero");
  add_shared_form(sheet, *C.graph,
                  {{"C", "Coriolis matrix of Christoffel's symbols", &C.outputs.front(), false}});
  return sheet;
}

}  // namespace tactus::derive
