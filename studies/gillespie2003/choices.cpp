// The cart's speeds chosen anew, which the paper says of in words: by singular values, and as the formulation
// `embedding` chooses.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/examine.h>
#include <tactus/contact/open.h>
#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>

#include "cases.h"
#include "selection.h"

namespace tactus::studies::gillespie {

namespace {

using study::Context;
using study::Result;

// Parameters of models/shopping_cart.yaml: chosen.
constexpr double kL2 = 0.8, kL3 = 0.15;
constexpr double kHeading = 0.3;  // [rad] q3

Result selection(const Context& context) {
  const describe::Model model = load(context, "shopping_cart");
  const derive::Equations equations(model);
  generate::Evaluator terms(generate::compile(equations.constrained_terms()));
  std::vector<std::size_t> on;
  for (std::size_t r = 0; r < equations.constraint_rows().size(); ++r)
    if (model.constraints[static_cast<std::size_t>(equations.constraint_rows()[r].constraint)].active)
      on.push_back(r);
  const Eigen::Index n = equations.nv(), m = static_cast<Eigen::Index>(on.size());
  const auto cart = contact::open(model, {.constraints = {.formulation = simulate::Formulation::embedding}});
  contact::SpeedChoice own(model);
  bool chosen = true;
  Tally singular_values, pivots;
  Deviation same;
  Record record({"caster", "condition by singular values", "condition by the embedding"});
  for (int k = 0; k <= 720; ++k) {
    const double q4 = 2.0 * std::numbers::pi * k / 720, u1 = 1.2, u2 = 0.5;
    const std::vector<double> q{0.0, 0.0, kHeading, q4},
        u{u1, u2, (-u1 * std::sin(q4) + u2 * kL2 * std::cos(q4)) / kL3, 0.0};
    std::copy(q.begin(), q.end(), terms.input("q").begin());
    std::copy(u.begin(), u.end(), terms.input("u").begin());
    terms.run();
    const std::span<const double> all = terms.output("A");
    Eigen::MatrixXd A(m, n), M(n, n);
    Eigen::VectorXd Q(n), gamma(m);
    for (Eigen::Index i = 0; i < n; ++i) {
      Q[i] = terms.output("Q")[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < n; ++j) M(i, j) = terms.output("M")[static_cast<std::size_t>(i * n + j)];
    }
    for (std::size_t r = 0; r < on.size(); ++r) {
      gamma[static_cast<Eigen::Index>(r)] = terms.output("gamma")[on[r]];
      for (Eigen::Index j = 0; j < n; ++j)
        A(static_cast<Eigen::Index>(r), j) =
            all[on[r] * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
    }
    singular_values.follow(A, by_singular_values(A));
    cart->set_state({.t = 0.0, .q = q, .u = u, .momentum = {}});
    chosen = chosen && own.look(*cart);
    pivots.take(A, own.dependent());
    const std::span<const double> given = cart->accelerations();
    const Eigen::VectorXd udot = Eigen::Map<const Eigen::VectorXd>(given.data(), n);
    constexpr double kSame = 1e-9;
    for (const Tally* one : {&singular_values, &pivots})
      same.add((embedded(A, M, Q, gamma, one->now) - udot).norm() / (1.0 + udot.norm()), 0.0, kSame);
    record.add({q4, condition(columns(A, singular_values.now)), condition(columns(A, pivots.now))});
  }
  record.write_csv(context, "gillespie2003-selection.csv");
  record.write_svg(context, "gillespie2003-selection.svg", "The cart's dependent speeds, chosen anew",
                   {{"condition", {"condition by singular values", "condition by the embedding"}}}, {},
                   "caster q4 [rad]");
  return {
      "(43): independent speeds by singular values; they may be selected anew while the simulation runs",
      fmt::format(
          "the caster turned once round: {} choices by singular values, condition at most {:.1f}; {} by the "
          "embedding's own pivots in the metric of the masses, {:.1f}; accelerations: {}",
          singular_values.chosen, singular_values.worst, pivots.chosen, pivots.worst, same.to_string()),
      closed_form(chosen && all_within(same) && singular_values.chosen == 5 && pivots.chosen == 1,
                  "the accelerations of the formulation embedding by either choice to 1e-9; a choice in each "
                  "quarter by "
                  "singular values"),
      "the paper does not say when to select anew: here where another choice is ten times better",
      {"gillespie2003-selection.csv", "gillespie2003-selection.svg"}};
}

}  // namespace

std::vector<study::Case> choice_cases() { return {{"eq-43", "speeds selected anew", selection}}; }

}  // namespace tactus::studies::gillespie
