// Appendix A as it is printed, coefficient by coefficient, against the abbreviated model.
#include <algorithm>
#include <cmath>
#include <vector>

#include <studies/compare.h>
#include <tactus/derive/readable/abbreviate.h>
#include <tactus/describe/read/load.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using derive::CanonicalModel;
using study::Context;
using study::Result;

/// As printed: value cos or sin (k2 q2 + k3 q3) in element M_ij, B_i(jk), D_ij or G_i, and its decimals.
struct Printed {
  char matrix;
  int i, j, k;  // from 1; 0 where there is none
  int k2, k3;
  bool sine;
  double value;
  int decimals;
};

constexpr bool kCos = false, kSin = true;
// clang-format off
constexpr Printed kPrinted[] = {
    {'M', 1, 1, 0, 0, 0, kCos, 3.64, 2}, {'M', 1, 1, 0, 2, 0, kCos, .8, 1}, {'M', 1, 1, 0, 2, 2, kSin, -.01, 2}, {'M', 1, 1, 0, 2, 1, kCos, -.01, 2},
    {'M', 1, 1, 0, 2, 1, kSin, .37, 2}, {'M', 1, 1, 0, 2, 2, kCos, -.15, 2}, {'M', 1, 1, 0, 0, 1, kSin, .37, 2}, {'M', 1, 1, 0, 0, 1, kCos, -.01, 2},
    {'M', 1, 2, 0, 1, 0, kSin, .69, 2}, {'M', 1, 2, 0, 1, 1, kCos, -.13, 2}, {'M', 1, 2, 0, 1, 0, kCos, .02, 2},
    {'M', 1, 3, 0, 1, 1, kCos, -.13, 2},
    {'M', 2, 2, 0, 0, 0, kCos, 4.4, 1}, {'M', 2, 2, 0, 0, 1, kCos, -.02, 2}, {'M', 2, 2, 0, 0, 1, kSin, .74, 2},
    {'M', 2, 3, 0, 0, 0, kCos, .33, 2}, {'M', 2, 3, 0, 0, 1, kCos, -.01, 2}, {'M', 2, 3, 0, 0, 1, kSin, .37, 2},
    {'M', 3, 3, 0, 0, 0, kCos, 1.16, 2}, {'M', 4, 4, 0, 0, 0, kCos, .20, 2}, {'M', 5, 5, 0, 0, 0, kCos, .18, 2}, {'M', 6, 6, 0, 0, 0, kCos, .19, 2},
    {'B', 1, 1, 2, 2, 0, kSin, -1.6, 1}, {'B', 1, 1, 2, 1, 0, kCos, -.01, 2}, {'B', 1, 1, 2, 2, 2, kCos, -.02, 2}, {'B', 1, 1, 2, 1, 2, kSin, .30, 2},
    {'B', 1, 1, 2, 2, 1, kCos, .74, 2}, {'B', 1, 1, 2, 2, 1, kSin, .02, 2},
    {'B', 1, 1, 3, 2, 2, kCos, -.02, 2}, {'B', 1, 1, 3, 2, 2, kSin, .3, 1}, {'B', 1, 1, 3, 2, 1, kCos, .37, 2}, {'B', 1, 1, 3, 2, 1, kSin, .01, 2},
    {'B', 1, 1, 3, 0, 1, kCos, .37, 2}, {'B', 1, 1, 3, 0, 1, kSin, .01, 2},
    {'B', 1, 2, 3, 1, 1, kSin, .27, 2}, {'B', 2, 2, 3, 0, 1, kSin, .02, 2}, {'B', 2, 2, 3, 0, 1, kCos, .74, 2},
    {'D', 1, 2, 0, 1, 0, kCos, .69, 2}, {'D', 1, 2, 0, 1, 0, kSin, -.02, 2}, {'D', 1, 2, 0, 1, 1, kSin, .13, 2},
    {'D', 1, 3, 0, 1, 1, kSin, .13, 2},
    {'D', 2, 1, 0, 2, 0, kSin, .8, 1}, {'D', 2, 1, 0, 2, 2, kCos, .01, 2}, {'D', 2, 1, 0, 2, 2, kSin, -.1492, 4}, {'D', 2, 1, 0, 2, 1, kCos, -.37, 2},
    {'D', 2, 1, 0, 2, 1, kSin, -.01, 2}, {'D', 2, 3, 0, 0, 1, kSin, .01, 2}, {'D', 2, 3, 0, 0, 1, kCos, .37, 2},
    {'D', 3, 1, 0, 2, 2, kCos, .01, 2}, {'D', 3, 1, 0, 2, 2, kSin, -.15, 2}, {'D', 3, 1, 0, 2, 1, kCos, -.19, 2}, {'D', 3, 1, 0, 0, 1, kCos, -.19, 2},
    {'D', 3, 2, 0, 0, 1, kCos, -.37, 2}, {'D', 3, 2, 0, 0, 1, kSin, -.01, 2},
    {'G', 2, 0, 0, 1, 0, kCos, -37.2, 1}, {'G', 2, 0, 0, 1, 0, kSin, 1.02, 2}, {'G', 2, 0, 0, 1, 1, kSin, -8.5, 1}, {'G', 2, 0, 0, 1, 1, kCos, .25, 2},
    {'G', 3, 0, 0, 1, 1, kSin, -8.5, 1}, {'G', 3, 0, 0, 1, 1, kCos, .25, 2},
};
// clang-format on

/// One of the model's own coefficients: of cos or sin (k2 q2 + k3 q3 + k5 q5).
struct Ours {
  char matrix;
  int i, j, k;
  int k2, k3, k5;
  bool others;  // in another angle, or in q1, q4, q6
  bool sine;
  double value;
  bool printed = false;
};

/// Every coefficient of M (upper half, with the rotors), B, D and G that is not zero.
std::vector<Ours> coefficients(const CanonicalModel& model) {
  std::vector<Ours> all;
  const auto& angles = model.variables.angles();
  const auto slot = [&](std::size_t joint) {
    return static_cast<std::size_t>(std::find(angles.begin(), angles.end(), model.q[joint]) - angles.begin());
  };
  const std::size_t q2 = slot(1), q3 = slot(2), q5 = slot(4);
  const auto add = [&](const derive::TrigPolynomial& p, char matrix, int i, int j, int k) {
    for (const algebra::TrigTerm& term : p.terms()) {
      bool others = false;
      for (std::size_t a = 0; a < angles.size(); ++a)
        others = others || (a != q2 && a != q3 && a != q5 && term.key.k[a] != 0);
      // The first harmonic that is not zero is positive: sin(-x) = -sin(x).
      const int k2 = term.key.k[q2], k3 = term.key.k[q3], k5 = term.key.k[q5];
      const int sign = k2 != 0 ? (k2 < 0 ? -1 : 1) : k3 != 0 ? (k3 < 0 ? -1 : 1) : k5 < 0 ? -1 : 1;
      for (const bool sine : {kCos, kSin}) {
        const double value = sine ? sign * term.s : term.c;
        if (value != 0.0)
          all.push_back(
              {matrix, i + 1, j + 1, k + 1, sign * k2, sign * k3, sign * k5, others, sine, value, false});
      }
    }
  };
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j)
      add(j == i ? model.M(i, j) + model.rotors[static_cast<std::size_t>(i)] : model.M(i, j), 'M', i, j, -1);
    for (int j = 0; j < 6; ++j) {
      add(model.D(i, j), 'D', i, j, -1);
      for (int k = j + 1; k < 6; ++k) add(model.B(i, j, k), 'B', i, j, k);
    }
    add(model.G(i), 'G', i, -1, -1);
  }
  return all;
}

std::size_t count_above(const std::vector<Ours>& all, double least) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Ours& x) { return std::fabs(x.value) > least; }));
}

Result appendix_a(const Context& context) {
  const CanonicalModel full =
      derive::canonical_form(describe::load((context.models / "puma560.yaml").string()));
  std::vector<Ours> ours = coefficients(derive::abbreviated(full, derive::Abbreviation::thesis(0.01)));
  const auto in_element = [](const Ours& a, const Printed& b) {
    return a.matrix == b.matrix && a.i == b.i && a.j == b.j && a.k == b.k;
  };
  const auto equal = [](const Ours& a, const Printed& b) {
    return std::fabs(a.value - b.value) <= 0.5 * std::pow(10.0, -b.decimals) + 1e-12;
  };
  Deviation d;
  std::vector<Printed> odd;
  for (const Printed& printed : kPrinted) {
    const auto found = std::find_if(ours.begin(), ours.end(), [&](const Ours& x) {
      return in_element(x, printed) && !x.others && x.k2 == printed.k2 && x.k3 == printed.k3 && x.k5 == 0 &&
             x.sine == printed.sine && equal(x, printed);
    });
    if (found == ours.end()) {
      odd.push_back(printed);
      continue;
    }
    found->printed = true;
    d.add(found->value, printed.value, 0.5 * std::pow(10.0, -printed.decimals) + 1e-12);
  }
  // What is printed and not found: the coefficient is there, of the same element and kind, at other multiples of the angles.
  int mended = 0;
  std::string misprints;
  for (const Printed& printed : odd) {
    const auto found = std::find_if(ours.begin(), ours.end(), [&](const Ours& x) {
      return in_element(x, printed) && !x.printed && !x.others && x.k5 == 0 && x.sine == printed.sine &&
             equal(x, printed);
    });
    if (found == ours.end()) continue;
    found->printed = true;
    ++mended;
    misprints += fmt::format("{}{} of {} q2 + {} q3 for {} q2 + {} q3", misprints.empty() ? "" : ", ",
                             printed.sine ? "sine" : "cosine", printed.k2, printed.k3, found->k2, found->k3);
  }
  int missing = 0, others = 0;
  for (const Ours& x : ours)
    if (!x.printed) ++(x.matrix == 'G' && x.k5 != 0 && !x.others ? missing : others);
  return {
      fmt::format("{} terms of M, B, D and G, one to four decimals", std::size(kPrinted)),
      fmt::format("{} of {} come out to half their last digit; {} of B_1(12) do with other angles: {}; {} of "
                  "ours in q5, in G, are not printed, {} others. Full model: {} coefficients above 1e-9",
                  d.within, std::size(kPrinted), mended, misprints, missing, others,
                  count_above(coefficients(full), 1e-9)),
      corrected(d.count == 58 && d.within == 58 && mended == 2 && missing == 6 && others == 0,
                fmt::format("{} printed coefficients", std::size(kPrinted))),
      "misprints: B_1(12) has cos(2 q2) and sin(2 q2 + 2 q3) where cos(q2) and sin(q2 + 2 q3) are printed; "
      "the terms in q5 of G2, G3 and G5 pass the threshold but are missing (Appendix B has them)",
      {}};
}

}  // namespace

std::vector<study::Case> appendix_cases() { return {{"appendix-a", "abbreviated equations", appendix_a}}; }

}  // namespace tactus::studies::clover
