// What the constraints leave of a mechanism's freedom, at one configuration and around it.
//
// Rows are compared in the metric of the mass matrix: G = A L^-T, M = L L^T, each row divided by its own
// size, so that metres and radians can be told apart from dependence. Rows that depend on others here, and
// also after a small motion that the constraints allow, are redundant. Rows that depend on others here only
// make the configuration singular.
//
// simulate::AssemblyReport says the same of an assembled state, in the natural sizes of the rows that a
// simulation needs anyway; the two are kept apart so that checking a model compiles nothing, and are compared
// in tests.
#pragma once

#include <string>
#include <vector>

#include <tactus/derive/equations.h>

namespace tactus::derive {

struct Mobility {
  bool assembled = true;  // the constraints can be met at or near the state; else nothing more is said
  int speeds = 0;
  int rows = 0;         // of the active constraints, without those that vanish by structure
  int rank = 0;         // here
  int rank_nearby = 0;  // after a small motion; equal to `rank` where the configuration is regular
  std::vector<std::string> redundant;  // labels of rows that follow from rows before them, here and nearby
  std::vector<std::string> singular;   // labels of rows that do so here only
  std::vector<std::string>
      impossible;  // labels of rows whose velocities contradict each other: A u + c = 0 has no solution
  struct Error {
    std::string row;
    double position = 0.0, velocity = 0.0;
  };
  std::vector<Error> errors;  // rows that do not hold at this state, beyond rounding
  bool driven = false;        // some active constraint moves by itself, also where no freedom is left

  int freedoms() const { return speeds - rank_nearby; }
  bool is_singular() const { return rank < rank_nearby; }
};

/// At a state, or, where the constraints do not hold there, at the assembled configuration found near it;
/// parameters as the model has them. Without rows all speeds are free.
Mobility mobility(const Equations& equations, double t, const std::vector<double>& q,
                  const std::vector<double>& u);
/// At the model's initial state.
Mobility mobility(const Equations& equations);

/// Whether an active constraint moves by itself: c(q, t) is not zero.
bool is_driven(const Equations& equations);

/// One line or a few, for people: freedoms, redundant and singular rows, errors.
std::string mobility_text(const Mobility& mobility);

}  // namespace tactus::derive
