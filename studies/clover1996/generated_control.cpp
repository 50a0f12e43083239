// Chapter III: computed torque (1)-(4), the gains of its appendix as they are printed, and what matrices, gains and the whole loop cost.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include <Eigen/LU>

#include <studies/clover1996/printed_gains.h>
#include <studies/compare.h>
#include <tactus/algebra/calculus.h>
#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/controller_source.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/readable/abbreviate.h>
#include <tactus/derive/readable/linear_canonical.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using control::ArmLaw;
using control::PolePair;
using study::Context;
using study::Result;

describe::Model puma(const Context& context) {
  return describe::load((context.models / "puma560.yaml").string());
}

// (1)-(4): what is left of xdd = S v - P x.

Result computed_torque(const Context& context) {
  describe::Model model = puma(context);
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes) {
      axis.friction = {};
      axis.damping = {};
    }
  const PolePair poles = PolePair::complex(-12.0, 45.0);
  const auto law = [&](ArmLaw kind) { return control::ArmController(model, {kind, {poles}, 0.0, false}); };
  control::ArmController here = law(ArmLaw::inverse_dynamics), path = law(ArmLaw::computed_torque),
                         linear = law(ArmLaw::pole_placement);
  generate::Evaluator plant(generate::compile(derive::Equations(model).forward_dynamics()));
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  double exact = 0.0, coarse = 0.0, fine = 0.0, left_out = 0.0, asked = 0.0;
  for (int n = 0; n < 50; ++n) {
    std::vector<double> q(6), qd(6), qdd(6), x(6), v(6), tau(6), at(6), rate(6);
    for (std::size_t i = 0; i < 6; ++i) {
      q[i] = 3.0 * uniform(random);
      qd[i] = 2.0 * uniform(random);
      qdd[i] = 5.0 * uniform(random);
      x[i] = uniform(random);
      v[i] = uniform(random);
    }
    /// xdd - (S v - P x) under a law, with errors of this size.
    const auto rest = [&](control::ArmController& controller, double size) {
      for (std::size_t i = 0; i < 6; ++i) {
        at[i] = q[i] + size * x[i];
        rate[i] = qd[i] + size * v[i];
      }
      controller.torque(0.0, at, rate, q, qd, qdd, tau);
      std::copy(at.begin(), at.end(), plant.input("q").begin());
      std::copy(rate.begin(), rate.end(), plant.input("u").begin());
      std::copy(tau.begin(), tau.end(), plant.input("tau").begin());
      plant.run();
      Eigen::VectorXd left(6);
      for (std::size_t i = 0; i < 6; ++i)
        left[static_cast<Eigen::Index>(i)] =
            plant.output("udot")[i] - qdd[i] - size * (poles.sum * v[i] - poles.product * x[i]);
      return left;
    };
    exact = std::max(exact, rest(here, 0.5).norm());
    linear.torque(0.0, q, qd, q, qd, qdd, tau);
    const control::LinearPoint point = linear.point();
    const Eigen::Map<const Eigen::VectorXd> X(x.data(), 6), V(v.data(), 6);
    const Eigen::VectorXd first = point.M.partialPivLu().solve(point.C * V + point.K * X);
    constexpr double kSmall = 1e-4;
    coarse += (rest(path, kSmall) / kSmall + first).norm();
    fine += (rest(path, 0.5 * kSmall) / (0.5 * kSmall) + first).norm();
    left_out = std::max(left_out, first.norm());
    asked = std::max(asked, (poles.sum * V - poles.product * X).norm());
  }
  return {
      "(3): errors decay by the gains alone, with the model at the path (2)",
      fmt::format(
          "with the model at the measured position (3) holds to {:.1e} rad/s^2 for errors of 0.5 rad; with "
          "(2) M^-1 (C v + K x) is left, {:.1f} % of what the gains ask for at most, to second order (halved "
          "errors: {:.3f} times the rest)",
          exact, 100.0 * left_out / asked, fine / coarse),
      closed_form(
          exact < 1e-8 && std::abs(fine / coarse - 0.5) < 0.02 && left_out > 0.0,
          "the decoupled equation (3) at 50 random points; what it leaves out of (2), M^-1 (C v + K x), and "
          "the order of the rest"),
      "(3) does not follow from (2), which takes the model at the path: C and K are missing, and this is "
      "what the "
      "chapter's own gains (16) mend. It follows where the model is taken at the measured position",
      {}};
}

// The appendix.

/// "+.74s21p": value, decimals, harmonics.
struct Term {
  double value = 0.0;
  int decimals = 0;
  int k2 = 0, k3 = 0, k5 = 0;
  bool sine = false;
};

Term term_of(const std::string& text) {
  Term term;
  char* end = nullptr;
  term.value = std::strtod(text.c_str(), &end);
  const std::string number(text.c_str(), static_cast<const char*>(end));
  if (const std::size_t point = number.find('.'); point != std::string::npos)
    term.decimals = static_cast<int>(number.size() - point - 1);
  if (*end == '\0') return term;
  term.sine = end[0] == 's';
  term.k2 = end[1] - '0';
  term.k3 = end[2] - '0';
  term.k5 = end[3] == 'p' ? 1 : end[3] == 'm' ? -1 : 0;
  return term;
}

std::vector<std::string> words_of(const char* text) {
  std::vector<std::string> words;
  for (const char* at = text; *at != '\0';) {
    const char* end = std::strchr(at, ' ');
    if (end == nullptr) end = at + std::strlen(at);
    words.emplace_back(at, end);
    at = *end == ' ' ? end + 1 : end;
  }
  return words;
}

/// Our coefficients by what they stand at: gain, kind of factor, powers and harmonics.
using Key = std::tuple<int, int, char, std::vector<int>, int, int, int, bool>;

class Gains {
 public:
  explicit Gains(const derive::LinearCanonical& linear) : model_(linear.model()) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        const derive::TrigPolynomial M =
            i == j ? linear.M(i, j) + model_.rotors[static_cast<std::size_t>(i)] : linear.M(i, j);
        add(i + 1, j + 1, 'P', M, 1.0);
        add(i + 1, j + 7, 'S', M, -1.0);
        add(i + 1, j + 1, 'K', linear.K(i, j), -1.0);
        add(i + 1, j + 7, 'K', linear.C(i, j), -1.0);
      }
  }
  std::size_t size() const { return all_.size(); }
  /// Of factors P, S or none (K), with powers of u and udot [12].
  std::optional<double> take(const Key& key) {
    const auto found = all_.find(key);
    if (found == all_.end()) return std::nullopt;
    taken_.insert({key, true});
    return found->second;
  }
  std::size_t taken() const { return taken_.size(); }

 private:
  void add(int row, int column, char factor, const derive::TrigPolynomial& p, double sign) {
    const auto& angles = model_.variables.angles();
    const auto& others = model_.variables.variables();
    for (const algebra::TrigTerm& term : p.terms()) {
      int k[6] = {};
      std::vector<int> powers(12);
      for (std::size_t a = 0; a < angles.size(); ++a)
        for (std::size_t joint = 0; joint < 6; ++joint)
          if (angles[a] == model_.q[joint]) k[joint] = term.key.k[a];
      for (std::size_t a = 0; a < others.size(); ++a)
        for (std::size_t joint = 0; joint < 6; ++joint) {
          if (others[a] == model_.u[joint]) powers[joint] = term.key.e[a];
          if (others[a] == model_.udot[joint]) powers[6 + joint] = term.key.e[a];
        }
      const int turn = k[1] != 0 ? (k[1] < 0 ? -1 : 1) : k[2] != 0 ? (k[2] < 0 ? -1 : 1) : k[4] < 0 ? -1 : 1;
      if (term.c != 0.0)
        all_[{row, column, factor, powers, turn * k[1], turn * k[2], turn * k[4], false}] = sign * term.c;
      if (term.s != 0.0)
        all_[{row, column, factor, powers, turn * k[1], turn * k[2], turn * k[4], true}] =
            sign * turn * term.s;
    }
  }

  derive::CanonicalModel model_;
  std::map<Key, double> all_;
  std::map<Key, bool> taken_;
};

Result appendix(const Context& context) {
  const derive::CanonicalModel full = derive::canonical_form(puma(context));
  const derive::LinearCanonical linear(full, derive::Abbreviation::thesis(0.01));
  Deviation d;
  int dots = 0, digits = 0, poles = 0, steps = 0, odd = 0;
  std::string strange;
  std::size_t ours = 0, found = 0;
  for (const bool sampled : {false, true}) {
    Gains gains(linear);
    for (const tactus::clover::PrintedGain& printed : tactus::clover::kPrintedGains) {
      if (printed.sampled != sampled) continue;
      // The factor: of poles, or of rates.
      const char kind = printed.factor[0];
      const bool placed = kind == 'P' || kind == 'S' || kind == 'L';
      const int joint = printed.column > 6 ? printed.column - 6 : printed.column;
      std::vector<int> powers(12), accelerated(12);
      for (const char* at = printed.factor; !placed && *at != '\0' && at[1] == '\'';) {
        const auto m = static_cast<std::size_t>(*at - '1');
        const bool twice = at[2] == '\'';
        ++powers[twice ? 6 + m : m];
        ++accelerated[6 + m];
        at += twice ? 3 : 2;
      }
      const bool wrong_pole = placed && printed.factor[1] - '0' != joint;
      const bool wrong_step =
          placed && sampled && std::strcmp(printed.factor + 2, kind == 'P' ? "/h2" : "/h") != 0;
      for (const std::string& word : words_of(printed.terms)) {
        const Term term = term_of(word);
        const char factor = kind == 'L' ? 'S' : placed ? kind : 'K';
        const double scale = kind == 'L' ? 2.0 : 1.0;
        const auto at = [&](const std::vector<int>& e) {
          return gains.take({printed.row, printed.column, factor, e, term.k2, term.k3, term.k5, term.sine});
        };
        std::optional<double> own = at(powers);
        const bool lost_dot = !own && !placed && (own = at(accelerated)).has_value();
        const double tolerance = 0.5 * std::pow(10.0, -term.decimals) + 1e-12;
        if (own && std::abs(scale * *own - term.value) <= tolerance) {
          d.add(scale * *own, term.value, tolerance);
          dots += lost_dot ? 1 : 0;
          poles += wrong_pole ? 1 : 0;
          steps += wrong_step ? 1 : 0;
        } else if (own && std::abs(*own - 8.45) <= 0.005 && term.value == 8.54) {
          ++digits;
        } else {
          ++odd;
          strange += fmt::format("; {}{} {} {}: {}", printed.row, printed.column, printed.factor, word,
                                 own ? fmt::format("{:.4f}", scale * *own) : "none");
        }
      }
    }
    ours += gains.size();
    found += gains.taken();
  }
  Deviation friction;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      friction.add(-algebra::evaluate(linear.friction_slope(static_cast<int>(i)),
                                      [&](algebra::Expr) { return k == 0 ? 1.0 : -1.0; }),
                   tactus::clover::kPrintedFriction[i][k], 5.01e-3);
  return {
      "218 terms of the gains, continuous and sampled each, and 12 of friction",
      fmt::format(
          "{} terms come out to half their last digit, {} of them with a second dot on a rate, {} with the "
          "pole of their own column, {} with h for h^2; {} have 8.54 for 8.45, {} others do not{}. Of "
          "ours {} of {} are printed; friction {}",
          d.within, dots, poles, steps, digits, odd, strange, found, ours, friction.to_string()),
      corrected(d.count + digits + odd == 436 && odd == 0 && digits == 6 && poles == 6 && steps == 3 &&
                    found == ours && all_within(friction),
                "436 printed coefficients and 12 of friction"),
      "misprints: 8.54 for 8.45 in gains 23, 32 and 33; gain 38 has the pole of joint 3 for that of joint 2; "
      "the "
      "sampled gain 27 divides by h^2 for h; accelerations in gains 22, 23, 32, 33 and the sampled 12 have "
      "one dot, "
      "which may be the scan's",
      {}};
}

// Counts.

algebra::OperationCount counted(const algebra::Function& law, const std::vector<std::string>& outputs) {
  std::vector<algebra::Expr> roots;
  for (const algebra::Block& block : law.outputs)
    if (std::find(outputs.begin(), outputs.end(), block.name) != outputs.end())
      roots.insert(roots.end(), block.entries.begin(), block.entries.end());
  return algebra::count_operations(roots);
}

Result whole_loop(const Context& context) {
  const describe::Model model = puma(context);
  control::ControllerSettings settings;
  settings.arm.abbreviate = 0.01;
  // A pair of poles for each joint, none of them like another.
  settings.arm.poles.clear();
  for (int i = 0; i < 6; ++i) settings.arm.poles.push_back(PolePair::complex(-12.0 - i, 45.0 + 2.0 * i));
  const algebra::Function placed =
      control::controller_program(model, "controller:pole-placement", settings).functions.at(0);
  const algebra::Function sampled =
      control::controller_program(model, "controller:sampled-pole-placement", settings).functions.at(0);
  const algebra::OperationCount gains = counted(placed, {"G_1", "G_2"}),
                                of_sampled = counted(sampled, {"G_1", "G_2"}),
                                forward = counted(placed, {"tau_wanted"}),
                                loop = counted(placed, {"tau_wanted", "G_1", "G_2"}),
                                law = counted(placed, {"tau"});
  const auto words = [](const algebra::OperationCount& n) { return fmt::format("{}/{}", n.mul, n.add); };
  const int all = loop.mul + loop.add;
  return {
      "gains 336/186, sampled 336/197; with the torques' 87/60 669 of \"fewer than 700\" operations",
      fmt::format("gains {}, sampled {}; torques with friction {}; both together {}, {} operations; with the "
                  "products by the errors {}, {}",
                  words(gains), words(of_sampled), words(forward), words(loop), all, words(law),
                  law.mul + law.add),
      not_reproducible(gains.mul <= 336 && gains.add <= 186 && of_sampled.mul <= 336 &&
                           of_sampled.add <= 197 && all < 669 && law.mul + law.add < 700,
                       "no more than the 5 printed numbers, in the code that `tactus generate` writes"),
      "not the same form: the thesis counts what Maple's optimiser made of formulas with poles as symbols; "
      "here "
      "they are numbers, and torques, M, C and K share what is common",
      {}};
}

Result matrices(const Context& context) {
  const auto from = std::chrono::steady_clock::now();
  const derive::CanonicalModel full = derive::canonical_form(puma(context));
  const derive::CanonicalModel shorter = derive::abbreviated(full, derive::Abbreviation::thesis(0.01));
  const algebra::OperationCount n = algebra::count_operations(derive::elements(shorter).roots());
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  return {"59 products, 42 sums for the elements of M, B, D and G; 8 minutes",
          fmt::format("{} products, {} sums; less than {} s", n.mul, n.add, std::max(1.0, std::ceil(took))),
          not_reproducible(n.mul <= 59 && n.add <= 42 && took < 480.0, "no more than the 2 printed numbers"),
          "not the same form: Maple's optimiser is unknown. Memory is in docs/operation-counts.md beside the "
          "thesis' 4.7 "
          "and 20.8 MB",
          {}};
}

}  // namespace

std::vector<study::Case> generated_control_cases() {
  return {{"ii-matrices", "operations of the matrices' elements", matrices},
          {"iii-computed-torque", "what computed torque leaves of the error's equation", computed_torque},
          {"iii-appendix", "the gains as formulas", appendix},
          {"iii-counts", "operations of gains and of the whole loop", whole_loop}};
}

}  // namespace tactus::studies::clover
