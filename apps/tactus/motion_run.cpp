#include "motion_run.h"

#include <algorithm>
#include <cmath>
#include <csignal>

#include <fmt/format.h>

#include "progress.h"
#include "verbs.h"

namespace tactus::apps {

using simulate::Column;

namespace {

volatile std::sig_atomic_t interrupted = 0;

/// The longest distance that the model names [m]: of joints, centres of mass and shapes.
double size_of(const describe::Model& model) {
  double size = 0.0;
  const auto include = [&](const describe::Vec3& p) {
    const auto value = [&](const algebra::Expr& x) { return describe::value_of(model, x); };
    size = std::max(size, std::hypot(value(p.x), value(p.y), value(p.z)));
  };
  for (const describe::Joint& joint : model.joints) {
    include(joint.X_PJ.p);
    include(joint.X_FB.p);
  }
  for (const describe::Body& body : model.bodies) {
    include(body.com);
    for (const describe::Geometry& shape : body.geometry) {
      include(shape.X_BG.p);
      if (shape.shape != describe::Geometry::Shape::mesh && shape.shape != describe::Geometry::Shape::plane)
        include(shape.size);
    }
  }
  return size;
}

/// The time of falling through that distance; a second without weight.
double time_of(const describe::Model& model, double size) {
  const describe::Vec3& g = model.gravity;
  const double fall = std::hypot(describe::value_of(model, g.x), describe::value_of(model, g.y),
                                 describe::value_of(model, g.z));
  return size > 0.0 && fall > 0.0 ? std::sqrt(size / fall) : 1.0;
}

}  // namespace

MotionRun::MotionRun(const SimulateRequest& request, const Schedule& schedule, simulate::Mechanism& mechanism)
    : request_(request),
      schedule_(schedule),
      mechanism_(mechanism),
      recorder_(mechanism, record_options_of(request, mechanism)),
      csv_(request.out),
      events_(request.events),
      plot_file_(request.plot),
      plot_(recorder_.columns(), schedule.samples + 1) {
  if (plot_file_.wanted()) {
    const double size = size_of(mechanism.model());
    plot_.set_scale(size > 0.0 ? size : 1.0, time_of(mechanism.model(), size));
  }
  for (const std::string& name : request.plot_paths) {
    path_ports_.push_back(mechanism.port(name));
    plot_.add_path(name);
  }
  csv_.write(simulate::csv_header(recorder_.columns()));
  events_.write(simulate::event_header());
}

void MotionRun::step() {
  const simulate::Tick tick = mechanism_.step();
  result_.missed += tick.status.has(simulate::Status::tolerance_missed);
  if (tick.ok())
    note_events();  // a tick that failed did not happen, nor did its events
  else
    result_.trouble = why_not(tick.status);
}

std::string MotionRun::why_not(simulate::Status status) {
  const simulate::State& now = mechanism_.state();
  if (const std::string ended = request_.script.empty() ? ""
                                                        : simulate::ended_table_of_script(
                                                              mechanism_.model(), request_.script,
                                                              now.t + mechanism_.step_length(), now.q, now.u);
      !ended.empty())
    return fmt::format("at t = {:.9g} s {}", now.t, ended);
  return mechanism_.explain(status);
}

void MotionRun::note_events() {
  for (const simulate::Event& event : mechanism_.events()) {
    ++result_.events;
    result_.transitions += event.kind == simulate::EventKind::transition;
    if (!request_.plot.empty()) plot_.mark(event.t, name_of(event.kind));
    if (!events_.wanted()) continue;
    line_.clear();
    append_event(mechanism_.model(), event, line_);
    events_.write(line_);
  }
}

void MotionRun::record(bool is_last) {
  recorder_.record(row_);
  if (csv_.wanted()) {
    line_.clear();
    simulate::append_csv_row(row_, line_);
    csv_.write(line_);
  }
  if (!request_.plot.empty()) {
    places_.clear();
    for (const int port : path_ports_) places_.push_back(mechanism_.motion(port).X_WP.p);
    plot_.add(row_, places_, is_last);
  }
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const Column& column = recorder_.columns()[i];
    if (column.kind != Column::Kind::error) continue;
    double& worst = column.name.ends_with(".velocity_error") ? result_.worst_velocity_error
                                                             : result_.worst_position_error;
    worst = std::max(worst, row_[i]);
  }
  ++result_.rows;
}

const MotionResult& MotionRun::go() {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const auto start = Clock::now();
  result_.before = mechanism_.energies();
  result_.before.kinetic +=
      mechanism_.books().impact_loss + mechanism_.books().friction_loss;  // of a start with an impact
  result_.before.potential -= mechanism_.books().correction_work;
  if (!std::isfinite(result_.before.kinetic + result_.before.potential)) {
    step();  // which says why
    throw Failed("the motion cannot begin, and nothing is written: " +
                 (result_.trouble.empty() ? "its energy is not a number" : result_.trouble));
  }
  note_events();
  record(false);
  {
    Progress progress;
    // The last row is that of the end, also where it comes sooner than a sample after the one before.
    const long rows = schedule_.samples + (schedule_.rest_steps > 0 ? 1 : 0);
    for (long sample = 0; sample < rows && result_.trouble.empty(); ++sample) {
      const long steps = sample < schedule_.samples ? schedule_.steps_per_sample : schedule_.rest_steps;
      for (long i = 0; i < steps && result_.trouble.empty(); ++i) {
        step();
        if (result_.trouble.empty() && ++result_.steps % 256 == 0)
          progress.show(static_cast<double>(sample) / static_cast<double>(rows));
      }
      if (result_.trouble.empty() && interrupted != 0)
        result_.trouble = fmt::format("interrupted at t = {:.9g} s", mechanism_.state().t);
      if (result_.trouble.empty()) record(sample + 1 == rows);
    }
  }
  result_.after = mechanism_.energies();
  result_.seconds = seconds_since(start);
  const std::string& name = mechanism_.model().name;
  if (plot_file_.wanted())
    plot_file_.write(display::to_svg(plot_.figure(name.empty() ? request_.model.path : name)));
  for (OutputFile* file : {&csv_, &events_, &plot_file_}) file->finish();
  return result_;
}

}  // namespace tactus::apps
