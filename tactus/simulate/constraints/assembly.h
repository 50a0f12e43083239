// Assembly: from a rough guess to a configuration and a velocity that the constraints allow, and what can be
// said of the constraints there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tactus/describe/model/model.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::simulate {

struct Dynamics;

/// A value of the initial state that assembly changed.
struct InitialChange {
  std::string name;
  bool is_speed = false, was_given = false;  // otherwise it was left open
  double from = 0.0, to = 0.0;
};

struct AssemblyReport {
  std::size_t rank = 0;
  int freedoms = 0;                                // speeds that remain free
  std::vector<char> redundant;                     // [rows] whether the row depends on other active ones
  std::vector<std::string> redundant_rows;         // their labels
  std::vector<std::string> redundant_constraints;  // constraints that would change nothing if left out
  bool singular = false;                           // fewer independent rows than in configurations nearby
  std::size_t rank_nearby = 0;
  double position_error = 0.0, velocity_error = 0.0;  // largest that is left
  /// Part of the guessed velocity, by its energy, that belonged to no motion from this singular
  /// configuration.
  double velocity_lost = 0.0;
  std::vector<InitialChange> changes;  // of open(): every value that is not as the file said
};

/// Speeds that assembly must not use to move q, and those that it must not change.
struct KeptSpeeds {
  std::vector<int> positions, velocities;
};
/// What keeps the fixed values: of a free or spherical joint the whole position or orientation.
KeptSpeeds kept_speeds(const describe::Model& model, const describe::InitialMarks& marks);
std::vector<InitialChange> changes_between(const describe::Model& model, const describe::InitialMarks& marks,
                                           const State& before, const State& after);

/// The state nearest to the guess that the active constraints allow. Throws InputError naming the constraints
/// that cannot be met and by how much. `kept` speeds (and their coordinates) stay as guessed.
State assemble(const Dynamics& dynamics, State guess, const std::vector<int>& kept = {},
               AssemblyReport* report = nullptr);
/// The same, with positions and velocities kept apart.
State assemble_keeping(const Dynamics& dynamics, State guess, const KeptSpeeds& kept,
                       AssemblyReport* report = nullptr);

}  // namespace tactus::simulate
