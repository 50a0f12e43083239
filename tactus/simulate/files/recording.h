// What a motion writes down: one row of numbers per sample, with a name for every column; the same recorder for every
// engine. A row computes only what its columns ask for: multipliers of constraints cost a solution, energies and ports
// a kernel each, and none of them is computed where no column wants it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tactus/simulate/motion/mechanism.h>

namespace tactus::simulate {

struct Column {
  enum class Kind {
    time,
    coordinate,
    speed,
    effort,
    energy,
    definition,
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

/// Which groups of columns a record has; t always.
struct RecordOptions {
  bool coordinates = true, speeds = true, efforts = true, energies = true, definitions = true;
  bool errors = true;       // of constraints
  bool multipliers = true;  // of constraints
  bool contacts = true, losses = true;
  std::vector<int> ports;  // whose motion is recorded
  std::vector<int> pairs;  // indices into ContactSection::pairs
};

/// Columns, in this order:
///   t; the coordinates by name; the speeds by name ("<coordinate>_dot" where a coordinate has the same name);
///   "tau.<axis>"; "kinetic", "potential", "energy"; the model's definitions by name;
///   of each port "<port>.px", ... position, "<port>.qw", ... orientation, "<port>.wx", ..., "<port>.vx", ... velocity in
///   world axes;
/// of mechanisms in which something may touch, stop or switch:
///   "contacts", how many touch; of each of the chosen pairs
///     "<pair>.mode"      0 apart, 1 sliding, 2 sticking: the firmest of its contacts. A compliant pair slides while it
///                        pushes
///     "<pair>.gap"       [m] the smallest gap; NaN while nothing of the pair is near
///     "<pair>.normal"    [N] sum of the normal forces
///     "<pair>.friction"  [N] sum of the sizes of the friction forces
///   "<stop>.force"; "<constraint>.active";
/// of each constraint the largest error of its rows, "<constraint>.position_error" (where it has a position level) and
/// "<constraint>.velocity_error"; the multiplier "lambda.<row>" of each row;
/// "impact_loss" and "friction_loss" [J] since the start, of mechanisms in which something may touch.
///
/// Of time-stepping: forces are the impulses of the last step over its length, contacts that carried none are not known
/// (their gap is NaN), nor are multipliers of constraints (NaN); impact_loss is all that the normal impulses took.
class Recorder {
 public:
  /// The mechanism must outlive it.
  Recorder(Mechanism& mechanism, RecordOptions options);

  const std::vector<Column>& columns() const { return columns_; }
  /// The mechanism's state as a row. Once the row has had its size, nothing is allocated.
  void record(std::vector<double>& row);

 private:
  void name_motion();
  void name_contacts();
  void name_constraints();
  void record_port(int port, std::vector<double>& row);
  void record_contacts(std::vector<double>& row);
  void record_constraints(std::vector<double>& row);

  Mechanism& mechanism_;
  RecordOptions options_;
  bool touches_;  // something may touch, stop or switch
  std::vector<Column> columns_;
};

/// "t,q1,q1_dot,..." and a row of numbers, each with as many digits as it takes to read back the same bits.
std::string csv_header(const std::vector<Column>& columns);
void append_csv_row(const std::vector<double>& row, std::string& text);

/// "t,kind,name,approach,departure,impulse,friction_impulse,loss,bounce_end", and an event as such a line.
std::string event_header();
void append_event(const describe::Model& model, const Event& event, std::string& text);
/// What the pair, stop or transition of an event is called.
std::string name_of(const describe::Model& model, const Event& event);

/// Which table of a script with `beyond: error` has ended at that moment, so that the recording ends there, too: as motion/ended_table.h says it
/// of a model's. The script is read again for it.
std::string ended_table_of_script(const describe::Model& model, const std::string& script, double t,
                                  const std::vector<double>& q, const std::vector<double>& u);

}  // namespace tactus::simulate
