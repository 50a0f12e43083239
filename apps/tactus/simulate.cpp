// tactus simulate MODEL: the motion as a CSV file, a plot, a summary.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/base/nearest.h>
#include <tactus/describe/load.h>
#include <tactus/display/svg_plot.h>
#include <tactus/simulate/assembly.h>
#include <tactus/simulate/recording.h>
#include <tactus/simulate/script.h>
#include <tactus/simulate/simulation.h>

#include "verbs.h"

namespace tactus::apps {

namespace {

using Clock = std::chrono::steady_clock;
using simulate::Column;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Request {
  std::string model, script, out, plot;
  std::string integrator = "rk4", formulation = "automatic", holding = "projection";
  double duration = 1.0, step = 1e-3, sample = 0.0, tolerance = 1e-10;
  std::vector<std::string> frames;
  bool json = false;
};

/// How the duration is cut: `samples` rows after the first, `steps_per_sample` steps between two of them.
struct Schedule {
  long samples = 0;
  long steps_per_sample = 1;
  double step = 0.0;
};

[[noreturn]] void refuse(const std::string& wrong, const std::string& remedy) {
  throw InputError({}, wrong, remedy);
}

/// The whole number of times that `part` goes into `whole`; 0 where it does not.
long whole_parts(double whole, double part) {
  constexpr double kRounding = 1e-6;  // 1/3 written with seven digits still counts
  const double ratio = whole / part, rounded = std::round(ratio);
  return rounded >= 1.0 && std::abs(ratio - rounded) <= kRounding * rounded ? static_cast<long>(rounded) : 0;
}

Schedule schedule_of(const Request& request, simulate::Integrator integrator) {
  constexpr double kMostRows = 1e9;
  for (const auto& [name, value] : {std::pair{"--duration", request.duration}, {"--step", request.step}})
    if (!(value > 0.0) || !std::isfinite(value))
      refuse(fmt::format("{} is {}", name, value), "give a positive time in seconds");
  const double sample = request.sample == 0.0 ? request.step : request.sample;
  if (!(sample > 0.0) || !std::isfinite(sample))
    refuse(fmt::format("--sample is {}", sample), "give a positive time in seconds");
  if (request.duration / sample > kMostRows)
    refuse(fmt::format("{:.3g} rows would be written", request.duration / sample), "give a larger --sample");

  Schedule schedule;
  schedule.samples = whole_parts(request.duration, sample);
  if (schedule.samples == 0)
    refuse(
        fmt::format("a duration of {} s is not a whole number of samples of {} s", request.duration, sample),
        "change --duration, --step or --sample");
  schedule.steps_per_sample = simulate::is_adaptive(integrator) ? 1 : whole_parts(sample, request.step);
  if (schedule.steps_per_sample == 0)
    refuse(fmt::format("samples of {} s are not a whole number of steps of {} s", sample, request.step),
           "make --sample a multiple of --step");
  schedule.step = request.duration / static_cast<double>(schedule.samples * schedule.steps_per_sample);
  return schedule;
}

std::vector<int> frames_of(const describe::Model& model, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const describe::Frame& frame : model.frames) known.push_back(frame.name);
  std::vector<int> frames;
  for (const std::string& name : names) {
    frames.push_back(model.frame_index(name));
    if (frames.back() < 0)
      refuse(fmt::format("--frames: the model has no frame named '{}'", name),
             known.empty() ? "the model has no frames" : suggestion(name, known));
  }
  return frames;
}

/// Rows of the CSV file, written as they come, so that those so far are there whatever happens.
class CsvFile {
 public:
  CsvFile(const std::string& path, const std::vector<Column>& columns) {
    if (path.empty()) return;
    file_.reset(path == "-" ? stdout : std::fopen(path.c_str(), "w"));
    if (!file_) throw InputError({path, 0, 0}, "the file cannot be written", "does its folder exist?");
    text_ = simulate::csv_header(columns);
  }
  ~CsvFile() { flush(); }

  void add(const std::vector<double>& row) {
    if (!file_) return;
    simulate::append_csv_row(row, text_);
    if (text_.size() > 1u << 16) flush();
  }
  void flush() {
    if (!file_ || text_.empty()) return;
    std::fwrite(text_.data(), 1, text_.size(), file_.get());
    std::fflush(file_.get());
    text_.clear();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string text_;
};

/// A bar on a terminal, nothing elsewhere.
class Progress {
 public:
  Progress() : visible_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }

  void show(double part) {
    if (!visible_ || seconds_since(last_) < 0.1) return;
    last_ = Clock::now();
    shown_ = true;
    const int filled = static_cast<int>(40.0 * part);
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:3.0f} %", "", filled, "", 40 - filled, 100.0 * part);
    std::fflush(stderr);
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r{:60}\r", "");
    shown_ = false;
  }

 private:
  bool visible_, shown_ = false;
  Clock::time_point last_ = Clock::now();
};

/// The columns of the plot, thinned where there are more rows than a picture can show.
class PlotData {
 public:
  PlotData(const std::vector<Column>& columns, long rows)
      : columns_(columns), stride_(std::max(1L, rows / 20'000)), values_(columns.size()) {}

  void add(const std::vector<double>& row, bool is_last) {
    if (count_++ % stride_ != 0 && !is_last) return;
    for (std::size_t i = 0; i < row.size(); ++i) values_[i].push_back(row[i]);
  }

  display::Figure figure(const std::string& title) const {
    display::Figure figure{title, "t [s]", {}};
    const auto add = [&](Column::Kind kind, const std::string& unit, const std::string& label) {
      display::Panel panel{label, {}};
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (columns_[i].kind == kind && columns_[i].unit == unit)
          panel.series.push_back({columns_[i].name, values_[0], values_[i]});
      if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
    };
    using Kind = Column::Kind;
    add(Kind::coordinate, "rad", "angles [rad]");
    add(Kind::coordinate, "m", "positions [m]");
    add(Kind::coordinate, "", "quaternions");
    add(Kind::speed, "rad/s", "speeds [rad/s]");
    add(Kind::speed, "m/s", "speeds [m/s]");
    add(Kind::speed, "", "speeds");
    if (has_efforts()) {
      add(Kind::effort, "N m", "torques [N m]");
      add(Kind::effort, "N", "forces [N]");
    }
    add(Kind::frame, "m", "frames [m]");
    add(Kind::energy, "J", "energy [J]");
    add(Kind::error, "", "constraint errors [m, rad; m/s, rad/s]");
    add(Kind::reaction, "", "multipliers [N, N m]");
    return figure;
  }

 private:
  bool has_efforts() const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].kind == Column::Kind::effort)
        for (const double value : values_[i])
          if (value != 0.0) return true;
    return false;
  }

  const std::vector<Column>& columns_;
  long stride_, count_ = 0;
  std::vector<std::vector<double>> values_;
};

volatile std::sig_atomic_t interrupted = 0;

struct Outcome {
  double derive_s = 0.0, run_s = 0.0;
  long steps = 0, rows = 0, missed = 0;
  double energy_before = 0.0, energy_after = 0.0;
  double worst_position_error = 0.0, worst_velocity_error = 0.0;  // of the constraints, over the rows written
  simulate::AssemblyReport assembly;
  std::string trouble;  // empty: all went well
};

void print_summary(const Request& request, const Schedule& schedule, const simulate::Simulation& simulation,
                   const Outcome& outcome) {
  const simulate::State& state = simulation.state();
  const simulate::Dynamics& dynamics = simulation.dynamics();
  if (request.json) {
    nlohmann::ordered_json summary;
    summary["model"] = request.model;
    summary["integrator"] = request.integrator;
    summary["step"] = schedule.step;
    summary["steps"] = outcome.steps;
    summary["rows"] = outcome.rows;
    summary["steps_beyond_tolerance"] = outcome.missed;
    summary["ok"] = outcome.trouble.empty();
    if (!outcome.trouble.empty()) summary["trouble"] = outcome.trouble;
    summary["t"] = state.t;
    summary["coordinates"] = dynamics.coordinate_names;
    summary["q"] = state.q;
    summary["speeds"] = dynamics.speed_names;
    summary["u"] = state.u;
    if (dynamics.constraints) {
      summary["constraints"] = {{"formulation", request.formulation},
                                {"holding", request.holding},
                                {"rows", dynamics.constraints->size()},
                                {"rank", outcome.assembly.rank},
                                {"freedoms", outcome.assembly.freedoms},
                                {"redundant_rows", outcome.assembly.redundant_rows},
                                {"singular_start", outcome.assembly.singular},
                                {"worst_position_error", outcome.worst_position_error},
                                {"worst_velocity_error", outcome.worst_velocity_error}};
    }
    summary["energy"] = {{"before", outcome.energy_before}, {"after", outcome.energy_after}};
    summary["seconds"] = {{"derive_and_compile", outcome.derive_s}, {"simulate", outcome.run_s}};
    fmt::print("{}\n", summary.dump(2));
    return;
  }
  if (request.out == "-") return;
  fmt::print("derived and compiled in {:.1f} ms\n", 1e3 * outcome.derive_s);
  fmt::print("simulated {:g} s in {:.3g} s: {} steps of {:g} s with {} ({:.0f} times real time)\n", state.t,
             outcome.run_s, outcome.steps, schedule.step, request.integrator,
             outcome.run_s > 0.0 ? state.t / outcome.run_s : 0.0);
  fmt::print("energy {:.9g} J at the start, {:.9g} J at the end\n", outcome.energy_before,
             outcome.energy_after);
  if (outcome.missed > 0)
    fmt::print(
        "note: in {} of the steps a force jumped again and again (dry friction at rest?): the tolerance is "
        "not met\n",
        outcome.missed);
  if (dynamics.constraints) {
    fmt::print(
        "{} constraint rows, rank {} at the start, {} freedoms; worst errors {:.2g} (position), {:.2g} "
        "(velocity)\n",
        dynamics.constraints->size(), outcome.assembly.rank, outcome.assembly.freedoms,
        outcome.worst_position_error, outcome.worst_velocity_error);
    if (!outcome.assembly.redundant_rows.empty())
      fmt::print("redundant rows: {}\n", fmt::join(outcome.assembly.redundant_rows, ", "));
  }
  if (!request.out.empty()) fmt::print("{} rows in {}\n", outcome.rows, request.out);
  if (!request.plot.empty()) fmt::print("plot in {}\n", request.plot);
}

/// Whether some constraint moves by itself, so that even a mechanism without freedoms has a motion.
bool is_driven(const derive::Equations& equations) {
  for (const algebra::Block& block : equations.constraint_terms().outputs)
    if (block.name == "c")
      for (const algebra::Expr& c : block.entries)
        if (!algebra::is_zero(c)) return true;
  return equations.constraint_rows().empty();
}

void run(const Request& request) {
  const auto integrator = simulate::integrator_of(request.integrator);
  if (!integrator) {
    static const std::vector<std::string> known{"euler", "rk4", "implicit", "adaptive", "stiff"};
    refuse(fmt::format("--integrator: '{}' is not known", request.integrator),
           suggestion(request.integrator, known));
  }
  if (request.json && request.out == "-")
    refuse("--json and --out - both write to the standard output", "give --out a file name");
  const Schedule schedule = schedule_of(request, *integrator);
  const describe::Model model = describe::load(request.model);
  const std::vector<int> frames = frames_of(model, request.frames);

  Outcome outcome;
  const auto derive_start = Clock::now();
  derive::Equations equations(model);
  const simulate::Script script = request.script.empty() ? simulate::empty_script(equations)
                                                         : simulate::load_script(equations, request.script);
  if (!script.wrenches.empty()) {
    derive::Options options;
    options.wrenches = script.wrenches;
    equations = derive::Equations(model, options);
  }
  const simulate::Dynamics dynamics = simulate::compile(equations, script.loads);
  simulate::Recorder recorder(equations, frames);
  outcome.derive_s = seconds_since(derive_start);

  simulate::Options options{
      .step = schedule.step, .integrator = *integrator, .tolerances = {request.tolerance, request.tolerance}};
  options.constraints.formulation = simulate::formulation_of(request.formulation).value();
  options.constraints.holding = simulate::holding_of(request.holding).value();
  const simulate::State initial = simulate::assemble(dynamics, script.initial, {}, &outcome.assembly);
  if (outcome.assembly.freedoms == 0 && !is_driven(equations))
    refuse("the constraints leave the mechanism no freedom: it cannot move",
           fmt::format("{} rows hold {} speeds; leave out or deactivate a constraint", outcome.assembly.rank,
                       dynamics.nv()));
  simulate::Simulation simulation(dynamics, options);
  simulation.set_state(initial);
  CsvFile csv(request.out, recorder.columns());
  std::ofstream plot_file;
  if (!request.plot.empty()) {
    plot_file.open(request.plot);
    if (!plot_file)
      throw InputError({request.plot, 0, 0}, "the plot cannot be written", "does its folder exist?");
  }
  PlotData plot(recorder.columns(), schedule.samples + 1);
  std::vector<double> row;
  const std::size_t energy_column = static_cast<std::size_t>(1 + dynamics.nq() + 2 * dynamics.nv() + 2);
  const auto record = [&](bool is_last) {
    recorder.record(simulation, row);
    csv.add(row);
    if (!request.plot.empty()) plot.add(row, is_last);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (recorder.columns()[i].kind != Column::Kind::error) continue;
      const bool velocity = recorder.columns()[i].name.ends_with(".velocity_error");
      double& worst = velocity ? outcome.worst_velocity_error : outcome.worst_position_error;
      worst = std::max(worst, row[i]);
    }
    if (outcome.rows++ == 0) outcome.energy_before = row[energy_column];
    outcome.energy_after = row[energy_column];
  };

  std::signal(SIGINT, [](int) { interrupted = 1; });
  const auto run_start = Clock::now();
  record(schedule.samples == 0);
  {
    Progress progress;
    for (long sample = 0; sample < schedule.samples && outcome.trouble.empty(); ++sample) {
      for (long i = 0; i < schedule.steps_per_sample && outcome.trouble.empty(); ++i) {
        const simulate::Status status = simulation.step();
        outcome.missed += status.has(simulate::Status::tolerance_missed);
        if (!status.ok())
          outcome.trouble = simulation.explain(status);
        else if (++outcome.steps % 256 == 0)
          progress.show(static_cast<double>(sample) / static_cast<double>(schedule.samples));
      }
      if (outcome.trouble.empty() && interrupted != 0)
        outcome.trouble = fmt::format("interrupted at t = {:.9g} s", simulation.state().t);
      if (outcome.trouble.empty()) record(sample + 1 == schedule.samples);
    }
  }
  outcome.run_s = seconds_since(run_start);
  csv.flush();
  if (!request.plot.empty())
    plot_file << display::to_svg(plot.figure(model.name.empty() ? request.model : model.name));
  print_summary(request, schedule, simulation, outcome);
  if (!outcome.trouble.empty())
    throw Failed(
        fmt::format("simulation stopped: {}\n  the {} rows so far are kept", outcome.trouble, outcome.rows));
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = program.add_subcommand("simulate", "Integrate the motion: CSV, plot, summary");
  verb->add_option("MODEL", request->model, "model file")->required();
  verb->add_option("--duration", request->duration, "simulated time [s]")->capture_default_str();
  verb->add_option("--step", request->step, "step [s]")->capture_default_str();
  verb->add_option("--integrator", request->integrator,
                   "euler (semi-implicit, order 1), rk4 (order 4), implicit (order 3, for stiff systems), "
                   "adaptive (order 8, to tolerance), stiff (order 4, implicit, to tolerance)")
      ->capture_default_str();
  verb->add_option("--formulation", request->formulation, "of the constrained motion")
      ->capture_default_str()
      ->check(CLI::IsMember({"automatic", "multipliers", "embedding", "projection", "parametric"}));
  verb->add_option(
          "--holding", request->holding,
          "how constraints are held: projection (position and velocity), or for comparison position_only, "
          "velocity_only, baumgarte, none")
      ->capture_default_str()
      ->check(CLI::IsMember({"projection", "position_only", "velocity_only", "baumgarte", "none"}));
  verb->add_option("--tolerance", request->tolerance, "of adaptive and stiff, absolute and relative")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  verb->add_option("--script", request->script, "initial state and forces (YAML)");
  verb->add_option("--out", request->out, "CSV file; - for the standard output");
  verb->add_option("--sample", request->sample, "time between rows [s]; the step unless given");
  verb->add_option("--plot", request->plot, "SVG picture of the motion");
  verb->add_option("--frames", request->frames, "named frames to record: position, orientation, velocity")
      ->delimiter(',');
  verb->add_flag("--json", request->json, "summary as JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
