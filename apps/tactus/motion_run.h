// One run of a motion: steps, rows at samples, the CSV file and the plot, and what is said at its end.
#pragma once

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tactus/simulate/files/recording.h>
#include <tactus/simulate/motion/state.h>

#include "csv_file.h"
#include "motion_plot.h"
#include "simulate_request.h"

namespace tactus::apps {

class MotionRun {
 public:
  /// Opens the files that the request names; throws InputError where they cannot be written. Request and
  /// columns must outlive the run.
  MotionRun(const SimulateRequest& request, const Schedule& schedule,
            const std::vector<simulate::Column>& columns);

  /// What moves. `step` answers what went wrong, or "".
  struct Motion {
    std::function<std::string()> step;
    std::function<void(std::vector<double>&)> record;
    std::function<double()> time;
  };
  /// From the first row to the last, to trouble, or to an interruption (Ctrl-C); then writes the plot.
  void go(const Motion& motion, const std::string& title);

  MotionPlot& plot() { return plot_; }
  /// What the summary calls the integrator: the request's unless said.
  void set_method(std::string method) { method_ = std::move(method); }
  const std::string& trouble() const { return trouble_; }
  long steps() const { return steps_; }
  double energy_before() const { return energy_before_; }
  double energy_after() const { return energy_after_; }
  /// Of the constraints, over the rows written.
  double worst_position_error() const { return worst_position_error_; }
  double worst_velocity_error() const { return worst_velocity_error_; }

  /// What every summary begins with, and ends with.
  nlohmann::ordered_json summary(const simulate::State& state, const std::vector<std::string>& coordinates,
                                 const std::vector<std::string>& speeds) const;
  void add_ending(double derive_s, nlohmann::ordered_json& summary) const;
  /// The same in words.
  void print_head(double derive_s, const simulate::State& state) const;
  void print_files() const;
  /// Throws Failed where there was trouble.
  void require_success() const;

 private:
  void record(const Motion& motion, bool is_last);

  const SimulateRequest& request_;
  const Schedule schedule_;
  const std::vector<simulate::Column>& columns_;
  CsvFile csv_;
  std::ofstream plot_file_;
  MotionPlot plot_;
  std::vector<double> row_;
  std::size_t energy_column_ = 0;
  std::string trouble_, method_;
  double run_s_ = 0.0;
  long steps_ = 0, rows_ = 0;
  double energy_before_ = 0.0, energy_after_ = 0.0;
  double worst_position_error_ = 0.0, worst_velocity_error_ = 0.0;
};

}  // namespace tactus::apps
