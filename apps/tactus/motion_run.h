// One run of a mechanism: ticks, rows at samples, the CSV files of the motion and of its events, the plot, and what is
// said at the end.
#pragma once

#include <string>
#include <vector>

#include <tactus/base/output_file.h>
#include <tactus/contact/open.h>
#include <tactus/simulate/files/recording.h>

#include "motion_plot.h"
#include "simulate_request.h"

namespace tactus::apps {

/// What a run came to, for the summary.
struct MotionResult {
  std::string trouble;  // "": none
  double seconds = 0.0;
  long steps = 0, rows = 0;
  long events = 0, transitions = 0;
  long missed = 0;  // steps beyond the tolerance of an adaptive integrator
  simulate::Energies before, after;
  double worst_position_error = 0.0, worst_velocity_error = 0.0;  // of the constraints, over the rows written

  double energy_before() const { return before.kinetic + before.potential; }
  double energy_after() const { return after.kinetic + after.potential; }
};

class MotionRun {
 public:
  /// Opens the files that the request names; throws InputError where they cannot be written. All must outlive the run.
  MotionRun(const SimulateRequest& request, const Schedule& schedule, simulate::Mechanism& mechanism);

  /// From the first row to the last, to trouble, or to an interruption (Ctrl-C); then writes the plot and puts the
  /// files in their places. Throws OutputError where a file does not get through.
  const MotionResult& go();

 private:
  void step();
  std::string why_not(simulate::Status status);
  void record(bool is_last);
  void note_events();

  const SimulateRequest& request_;
  const Schedule schedule_;
  simulate::Mechanism& mechanism_;
  simulate::Recorder recorder_;
  OutputFile csv_, events_, plot_file_;
  MotionPlot plot_;
  std::vector<int> path_ports_;  // whose paths are drawn
  std::vector<math::Vec3<double>> places_;
  std::vector<double> row_;
  std::string line_;
  MotionResult result_;
};

}  // namespace tactus::apps
