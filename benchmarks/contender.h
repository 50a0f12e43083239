// One system that computes one quantity of one mechanism, ready to be timed and to be checked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism.h"

namespace tactus::bench {

struct Contender {
  std::string system;
  /// Makes that many calls, going round the states.
  std::function<void(std::size_t calls)> run;
  /// The result at one state, row by row.
  std::function<void(std::size_t state, double* result)> evaluate;
  int states_per_call = 1;
  bool without_rotors = false;  // it runs, and is checked on, the same mechanism without rotor inertia
};

/// A contender from a callable `call(state)` that leaves its result where `read(result)` finds it. The loop
/// is here, so that a call costs no more than it must.
template <class Call, class Read>
Contender contender(std::string system, Call call, Read read) {
  return {std::move(system),
          [call, next = std::size_t{0}](std::size_t calls) mutable {
            // Goes on where it was: some systems compute nothing for the state that they had last.
            for (std::size_t i = 0; i < calls; ++i) {
              call(next);
              next = next + 1 == kStates ? 0 : next + 1;
            }
          },
          [call, read](std::size_t state, double* result) mutable {
            call(state);
            read(result);
          },
          1, false};
}

/// Our own: machine code (one state, four, eight), the interpreter, the recursion on double and, for programs
/// of moderate size, the emitted C++ through the system's compiler.
std::vector<Contender> tactus_contenders(const Mechanism& mechanism, Quantity quantity, bool with_compiler);

/// The peers; none where the package is not installed. Each takes the shortest correct sequence of its own
/// functions.
std::optional<Contender> mujoco_contender(const Mechanism& mechanism, Quantity quantity);
std::optional<Contender> simbody_contender(const Mechanism& mechanism, Quantity quantity);
std::optional<Contender> dart_contender(const Mechanism& mechanism, Quantity quantity);
/// Of chains alone.
std::optional<Contender> kdl_contender(const Mechanism& mechanism, Quantity quantity);

/// The same for forward dynamics of a mechanism with loops (loops.h). MuJoCo's evaluate() is at rest: it
/// leaves the term Ad u out of A udot + Ad u = 0.
std::vector<Contender> mujoco_loop_contenders(const Mechanism& mechanism);
std::optional<Contender> simbody_loop_contender(const Mechanism& mechanism);

/// The largest difference from the expected results, relative to the largest entry of each; kAgreement must
/// cover it.
double disagreement(const Contender& contender, const std::vector<std::vector<double>>& expected);

/// Inverse dynamics and mass matrices are some thousand roundings at most.
inline constexpr double kAgreement = 1e-9;
/// Forward dynamics magnifies them by the condition of the mass matrix: 4e-10 is seen with 100 links.
inline constexpr double kSolvedAgreement = 1e-8;

}  // namespace tactus::bench
