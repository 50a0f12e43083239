#include "motion_run.h"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include <tactus/base/check.h>

#include "progress.h"
#include "verbs.h"

namespace tactus::apps {

using simulate::Column;

namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

MotionRun::MotionRun(const SimulateRequest& request, const Schedule& schedule,
                     const std::vector<Column>& columns)
    : request_(request),
      schedule_(schedule),
      columns_(columns),
      csv_(request.out, simulate::csv_header(columns)),
      plot_(columns, schedule.samples + 1),
      method_(request.integrator) {
  if (!request.plot.empty()) {
    plot_file_.open(request.plot);
    if (!plot_file_)
      throw InputError({request.plot, 0, 0}, "the plot cannot be written", "does its folder exist?");
  }
  const auto energy = std::find_if(columns.begin(), columns.end(), [](const Column& column) {
    return column.kind == Column::Kind::energy && column.name == "energy";
  });
  TACTUS_CHECK(energy != columns.end());
  energy_column_ = static_cast<std::size_t>(energy - columns.begin());
}

void MotionRun::record(const Motion& motion, bool is_last) {
  motion.record(row_);
  if (csv_.wanted()) {
    simulate::append_csv_row(row_, csv_.text());
    csv_.row_done();
  }
  if (!request_.plot.empty()) plot_.add(row_, is_last);
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (columns_[i].kind != Column::Kind::error) continue;
    const bool velocity = columns_[i].name.ends_with(".velocity_error");
    double& worst = velocity ? worst_velocity_error_ : worst_position_error_;
    worst = std::max(worst, row_[i]);
  }
  if (rows_++ == 0) energy_before_ = row_[energy_column_];
  energy_after_ = row_[energy_column_];
}

void MotionRun::go(const Motion& motion, const std::string& title) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const auto start = Clock::now();
  record(motion, schedule_.samples == 0);
  {
    Progress progress;
    for (long sample = 0; sample < schedule_.samples && trouble_.empty(); ++sample) {
      for (long i = 0; i < schedule_.steps_per_sample && trouble_.empty(); ++i) {
        trouble_ = motion.step();
        if (trouble_.empty() && ++steps_ % 256 == 0)
          progress.show(static_cast<double>(sample) / static_cast<double>(schedule_.samples));
      }
      if (trouble_.empty() && interrupted != 0)
        trouble_ = fmt::format("interrupted at t = {:.9g} s", motion.time());
      if (trouble_.empty()) record(motion, sample + 1 == schedule_.samples);
    }
  }
  run_s_ = seconds_since(start);
  csv_.flush();
  if (!request_.plot.empty()) plot_file_ << display::to_svg(plot_.figure(title));
}

nlohmann::ordered_json MotionRun::summary(const simulate::State& state,
                                          const std::vector<std::string>& coordinates,
                                          const std::vector<std::string>& speeds) const {
  nlohmann::ordered_json summary;
  summary["model"] = request_.model.path;
  summary["integrator"] = method_;
  summary["step"] = schedule_.step;
  summary["steps"] = steps_;
  summary["rows"] = rows_;
  summary["ok"] = trouble_.empty();
  if (!trouble_.empty()) summary["trouble"] = trouble_;
  summary["t"] = state.t;
  summary["coordinates"] = coordinates;
  summary["q"] = state.q;
  summary["speeds"] = speeds;
  summary["u"] = state.u;
  return summary;
}

void MotionRun::add_ending(double derive_s, nlohmann::ordered_json& summary) const {
  summary["energy"] = {{"before", energy_before_}, {"after", energy_after_}};
  summary["seconds"] = {{"derive_and_compile", derive_s}, {"simulate", run_s_}};
}

void MotionRun::print_head(double derive_s, const simulate::State& state) const {
  fmt::print("derived and compiled in {:.1f} ms\n", 1e3 * derive_s);
  fmt::print("simulated {:g} s in {:.3g} s: {} steps of {:g} s with {} ({:.3g} times real time)\n", state.t,
             run_s_, steps_, schedule_.step, method_, run_s_ > 0.0 ? state.t / run_s_ : 0.0);
  fmt::print("energy {:.9g} J at the start, {:.9g} J at the end\n", energy_before_, energy_after_);
}

void MotionRun::print_files() const {
  if (!request_.out.empty()) fmt::print("{} rows in {}\n", rows_, request_.out);
  if (!request_.plot.empty()) fmt::print("plot in {}\n", request_.plot);
}

void MotionRun::require_success() const {
  if (!trouble_.empty())
    throw Failed(fmt::format("simulation stopped: {}\n  the {} rows so far are kept", trouble_, rows_));
}

}  // namespace tactus::apps
