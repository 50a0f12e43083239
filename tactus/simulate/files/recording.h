// What a simulation writes down: one row of numbers per sample, with a name for every column.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/motion/simulation.h>

namespace tactus::simulate {

struct Column {
  enum class Kind {
    time,
    coordinate,
    speed,
    effort,
    energy,
    frame,
    error,
    reaction,
    switched,       // 1: a constraint is on, 0: off
    count,          // of contacts
    mode,           // of a contact
    gap,            // of a contact
    contact_force,  // of a contact
    stop_force,     // of a joint's stop
    loss,           // energy gone since the start
  };
  std::string name;
  std::string unit;
  Kind kind = Kind::time;
};

/// The columns of any motion: t; the coordinates by name; the speeds by name ("<coordinate>_dot" where a
/// coordinate has the same name); "tau.<axis>"; "kinetic", "potential", "energy"; for each of the frames
/// (indices into Model::frames) its position "<frame>.px", ..., orientation "<frame>.qw", ... and velocity
/// "<frame>.wx", ..., "<frame>.vx", ... in world axes.
class MotionRecorder {
 public:
  MotionRecorder(const derive::Equations& equations, const std::vector<int>& frames);

  const std::vector<Column>& columns() const { return columns_; }
  /// Appends to the row. `tau` [nv] acts on the joints, `udot` [nv] are the accelerations.
  void record(const State& state, std::span<const double> tau, std::span<const double> udot,
              std::vector<double>& row);

 private:
  std::vector<Column> columns_;
  generate::Evaluator energy_;
  std::vector<generate::Evaluator> frames_;
};

/// The columns of constraints: for each the largest error of its rows, "<constraint>.position_error" (where
/// it has a position level) and "<constraint>.velocity_error", and the multiplier "lambda.<row>" of each of
/// its rows; where constraints are switched, "<constraint>.active" before them.
class ConstraintRecorder {
 public:
  /// The first `count` constraints of the model.
  ConstraintRecorder(const derive::Equations& equations, std::size_t count, bool switched);

  const std::vector<Column>& columns() const { return columns_; }
  /// What the rows of the model do, and which of its constraints are on. One that is off has no error.
  struct Rows {
    std::span<const double> position_error, velocity_error, lambda;
    std::span<const char> active;  // [constraints]
  };
  /// Appends to the row.
  void record(const Rows& rows, std::vector<double>& row) const;

 private:
  struct ErrorColumn {
    std::size_t constraint = 0;
    std::vector<std::size_t> rows;  // the largest of these
    bool velocity = false;
  };
  std::size_t count_;
  bool switched_;
  std::vector<Column> columns_;
  std::vector<ErrorColumn> errors_;
  std::vector<std::size_t> rows_;  // whose multipliers are columns
};

/// A simulation's record: its motion, then its constraints.
class Recorder {
 public:
  Recorder(const derive::Equations& equations, const std::vector<int>& frames = {});

  const std::vector<Column>& columns() const { return columns_; }
  /// The simulation's state as a row.
  void record(Simulation& simulation, std::vector<double>& row);

 private:
  MotionRecorder motion_;
  ConstraintRecorder constraints_;
  std::vector<Column> columns_;
  std::vector<char> active_;
};

/// "t,q1,q1_dot,..." and a row of numbers, each with as many digits as it takes to read back the same bits.
std::string csv_header(const std::vector<Column>& columns);
void append_csv_row(const std::vector<double>& row, std::string& text);

}  // namespace tactus::simulate
