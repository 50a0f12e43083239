// Chapter II, 5: "future work will involve deriving abbreviated models for other robots". A SCARA arm, a general arm of six joints, and a light arm of today, abbreviated by
// three rules:
//
//   thesis      every coefficient below 0.01 is dropped                                                  [Clover1996, II 3.2]
//   Armstrong   those below 1 % of the largest of the same element, or below 0.1 % of the joint's own inertia   [ArmstrongKhatibBurdick1986]
//   budget      as many as a proven bound of 2 % of the joint's peak torque allows                        (budget.h)
//
// "The largest constant term applicable to the same joint" is taken as the constant of M_ii with its rotor, for the elements of M, B and D.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string_view>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/algebra/calculus.h>
#include <tactus/derive/readable/abbreviate.h>
#include <tactus/derive/readable/budget.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using derive::CanonicalModel;
using derive::MotionPoint;
using derive::TrigPolynomial;
using study::Context;
using study::Result;

CanonicalModel by_armstrong(CanonicalModel model) {
  for (std::size_t i = 0; i < model.torques.size(); ++i) {
    const auto whole = static_cast<int>(i);
    double inertia = model.rotors[i].constant().value_or(0.0);
    const TrigPolynomial own_inertia = model.M(whole, whole);
    for (const algebra::TrigTerm& term : own_inertia.terms())
      if (!term.key.has_angle() && term.key.e == decltype(term.key.e){}) inertia += term.c;
    const std::vector<algebra::TrigTerm> terms = model.torques[i].terms();
    std::vector<algebra::TrigTerm> kept;
    for (const algebra::TrigTerm& term : terms) {
      // The element: what has the same speeds, accelerations and lengths.
      double greatest = 0.0;
      for (const algebra::TrigTerm& other : terms)
        if (other.key.e == term.key.e) greatest = std::max({greatest, std::abs(other.c), std::abs(other.s)});
      const bool moves = term.key.e != decltype(term.key.e){};
      const double least = std::max(0.01 * greatest, moves ? 0.001 * inertia : 0.0);
      algebra::TrigTerm own = term;
      if (std::abs(own.c) < least) own.c = 0.0;
      if (std::abs(own.s) < least) own.s = 0.0;
      if (own.c != 0.0 || own.s != 0.0) kept.push_back(own);
    }
    model.torques[i] = TrigPolynomial::from_terms(std::move(kept));
  }
  return model;
}

/// The cheapest coefficients of each joint are dropped as long as what they can do together is allowed.
CanonicalModel by_bounds(CanonicalModel model, const derive::TorqueBudget& budget) {
  struct Part {
    algebra::TrigTerm term;  // with its cosine or its sine alone
    double bound;
  };
  for (std::size_t i = 0; i < model.torques.size(); ++i) {
    std::vector<Part> parts;
    for (const algebra::TrigTerm& term : model.torques[i].terms())
      for (const bool sine : {false, true}) {
        algebra::TrigTerm own = term;
        (sine ? own.c : own.s) = 0.0;
        if (own.c == 0.0 && own.s == 0.0) continue;
        parts.push_back({own, derive::bound(model, TrigPolynomial::from_terms({own}), budget.bounds)});
      }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.bound < b.bound; });
    double sum = 0.0;
    std::vector<algebra::TrigTerm> kept;
    for (const Part& part : parts)
      if (sum += part.bound; sum > budget.torque[i]) kept.push_back(part.term);
    model.torques[i] = TrigPolynomial::from_terms(std::move(kept));
  }
  return model;
}

struct States {
  std::vector<MotionPoint> points;
  std::vector<std::vector<double>> tau;  // [state][joint] exactly
  std::vector<double> peak;              // [N m or N] of each joint
  std::vector<std::size_t> when;         // the state of its peak
};

States random_states(const CanonicalModel& full, const derive::MotionBounds& bounds) {
  constexpr int kStates = 400;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  States states;
  states.peak.assign(bounds.u.size(), 0.0);
  states.when.assign(bounds.u.size(), 0);
  for (int k = 0; k < kStates; ++k) {
    MotionPoint at;
    for (std::size_t i = 0; i < bounds.u.size(); ++i) {
      at.q.push_back(part(random) * bounds.q[i]);
      at.u.push_back(part(random) < 0.0 ? -bounds.u[i] : bounds.u[i]);
      at.udot.push_back(part(random) < 0.0 ? -bounds.udot[i] : bounds.udot[i]);
    }
    const std::vector<double> tau = full.inverse_dynamics(at);
    for (std::size_t i = 0; i < tau.size(); ++i)
      if (std::abs(tau[i]) > states.peak[i]) {
        states.peak[i] = std::abs(tau[i]);
        states.when[i] = states.points.size();
      }
    states.points.push_back(std::move(at));
    states.tau.push_back(tau);
  }
  return states;
}

/// In parts of each joint's peak: at its own peak, and at the worst of all states.
struct Error {
  double at_peak = 0.0, worst = 0.0;
};

Error error_of(const CanonicalModel& shorter, const States& states) {
  Error error;
  for (std::size_t k = 0; k < states.points.size(); ++k) {
    const std::vector<double>& exact = states.tau[k];
    const std::vector<double> here = shorter.inverse_dynamics(states.points[k]);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double part = std::abs(exact[i] - here[i]) / states.peak[i];
      error.worst = !(part <= error.worst) ? part : error.worst;
      if (states.when[i] == k) error.at_peak = !(part <= error.at_peak) ? part : error.at_peak;
    }
  }
  return error;
}

Result other_arms(const Context& context) {
  std::string table = fmt::format("{:<12} {:<10} {:>7} {:>6} {:>6} {:>6} {:>12} {:>12}\n", "arm", "rule",
                                  "terms", "mul", "add", "trig", "at peak [%]", "worst [%]");
  bool holds = true;
  std::string here;
  for (const char* name : {"scara", "general_6r", "ur5"}) {
    const describe::Model model = load(context, name);
    const CanonicalModel full = derive::canonical_form(model);
    derive::MotionBounds bounds;
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) {
        bounds.q.push_back(axis.is_rotation ? std::numbers::pi
                                            : std::abs(describe::value_of(model, *axis.upper)));
        bounds.u.push_back(axis.is_rotation ? 3.0 : 1.0);
        bounds.udot.push_back(axis.is_rotation ? 20.0 : 10.0);
      }
    const States states = random_states(full, bounds);
    const auto row = [&](const char* rule, const CanonicalModel& shorter) {
      const algebra::OperationCount count =
          algebra::count_operations(derive::inverse_dynamics(shorter, false).roots());
      const Error error = error_of(shorter, states);
      table += fmt::format("{:<12} {:<10} {:>7} {:>6} {:>6} {:>6} {:>12.3f} {:>12.3f}\n", name, rule,
                           shorter.coefficient_count(), count.mul, count.add, count.trig,
                           100.0 * error.at_peak, 100.0 * error.worst);
      return std::pair{error, count};
    };
    derive::Options frictionless;
    frictionless.friction = false;
    const algebra::OperationCount exact =
        algebra::count_operations(derive::Equations(model, frictionless).inverse_dynamics().roots());
    table += fmt::format("{:<12} {:<10} {:>7} {:>6} {:>6} {:>6} {:>12} {:>12}\n", name, "recursion",
                         full.coefficient_count(), exact.mul, exact.add, exact.trig, 0, 0);
    const Error thesis = row("0.01", derive::abbreviated(full, {.threshold = 0.01})).first;
    row("Armstrong", by_armstrong(full));
    derive::TorqueBudget budget{bounds, {}};
    constexpr double kPart = 0.02;
    for (const double peak : states.peak) budget.torque.push_back(kPart * peak);
    // The search for the fewest operations takes minutes for the general arm: its fewest coefficients then.
    const bool search = context.full || std::string_view(name) != "general_6r";
    const CanonicalModel found =
        search ? derive::abbreviate_to_budget(full, budget, 100).model : by_bounds(full, budget);
    const Error proven = row("2 %", found).first;
    const std::vector<double> bound = derive::torque_error_bounds(full, found, bounds);
    for (std::size_t i = 0; i < bound.size(); ++i)
      holds = holds && bound[i] <= budget.torque[i] * (1.0 + 1e-9);
    // The budget holds where the rules promise nothing.
    holds = holds && proven.worst <= kPart && std::isfinite(thesis.worst);
    here += fmt::format("{}{} {:.2g} % by 0.01, {:.2g} % by the budget", here.empty() ? "" : "; ", name,
                        100.0 * thesis.worst, 100.0 * proven.worst);
  }
  return {"other robots are left to future work",
          "largest error by the joint's peak torque: " + here,
          closed_form(holds,
                      "that the budget of 2 % of the peak torque is kept, by its bound and at 400 random "
                      "states of each arm"),
          "3 rad/s and 20 rad/s^2, sliding joints 1 m/s and 10 m/s^2, at random corners; without friction, "
          "rotors included. A threshold in kg m^2 knows nothing of an arm's size: "
          "what it costs differs between arms",
          {},
          table};
}

}  // namespace

std::vector<study::Case> other_arm_cases() {
  return {{"ii-other-arms", "abbreviation of other arms by three rules", other_arms}};
}

}  // namespace tactus::studies::clover
