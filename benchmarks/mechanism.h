// What is measured: a mechanism without friction, and the states that every system runs through.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::bench {

enum class Quantity {
  inverse_dynamics,
  forward_dynamics,
  mass_matrix,
  step,  // of kStep, by the classical Runge-Kutta method, without actuator forces: q and u after it
};
std::string name_of(Quantity quantity);

/// A motion and the actuator forces that cause it.
struct State {
  std::vector<double> q, u, udot, tau;
};

/// Number of states that are cycled through: enough that no branch predictor learns them by heart, few enough
/// that they stay in the first cache.
inline constexpr std::size_t kStates = 64;

inline constexpr double kStep = 1e-4;  // [s]

struct Mechanism {
  std::string name;
  describe::Model model;
  int nv = 0;
  std::vector<State> states;
};

/// A mechanism of revolute joints with kStates random states; tau by our recursion on double.
Mechanism mechanism_of(std::string name, describe::Model model);

/// models/<name>.yaml of the source tree.
Mechanism load_mechanism(const std::string& name);

/// `links` uniform rods in a row, one metre and one kilogram in all. Hinges parallel, or each turned by 90
/// degrees about the rod against the one before, with rods thick enough to have inertia about every axis.
Mechanism chain(int links, bool spatial);

/// A base that turns about the vertical, with legs of that many joints.
Mechanism legs(int count, int joints);

/// The same mechanism without rotor inertia.
Mechanism without_armature(const Mechanism& mechanism);

/// The expected result of a quantity at each state, by our recursion on double.
std::vector<std::vector<double>> expected_results(const Mechanism& mechanism, Quantity quantity);

}  // namespace tactus::bench
