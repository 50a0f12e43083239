// What a simulation writes down: one row of numbers per sample, with a name for every column.
#pragma once

#include <string>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/simulation.h>

namespace tactus::simulate {

struct Column {
  enum class Kind { time, coordinate, speed, effort, energy, frame, error, reaction };
  std::string name;
  std::string unit;
  Kind kind = Kind::time;
};

class Recorder {
 public:
  /// Columns: t; the coordinates by name; the speeds by name ("<coordinate>_dot" where a coordinate has the
  /// same name); "tau.<axis>"; "kinetic", "potential", "energy"; for each of the frames (indices into
  /// Model::frames) its position
  /// "<frame>.px", ..., orientation "<frame>.qw", ... and velocity "<frame>.wx", ..., "<frame>.vx", ... in
  /// world axes; for each constraint the largest error of its rows, "<constraint>.position_error" (where it
  /// has a position level) and "<constraint>.velocity_error", and the multiplier "lambda.<row>" of each of
  /// its rows.
  Recorder(const derive::Equations& equations, const std::vector<int>& frames = {});

  const std::vector<Column>& columns() const { return columns_; }
  /// The simulation's state as a row.
  void record(Simulation& simulation, std::vector<double>& row);

 private:
  std::vector<Column> columns_;
  generate::Evaluator energy_;
  std::vector<generate::Evaluator> frames_;
  struct ErrorColumn {
    int constraint = 0;
    std::vector<std::size_t> rows;  // the largest of these
    bool velocity = false;
  };
  std::vector<ErrorColumn> errors_;
};

/// "t,q1,q1_dot,..." and a row of numbers, each with as many digits as it takes to read back the same bits.
std::string csv_header(const std::vector<Column>& columns);
void append_csv_row(const std::vector<double>& row, std::string& text);

}  // namespace tactus::simulate
