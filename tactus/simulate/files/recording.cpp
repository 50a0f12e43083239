#include <tactus/simulate/files/recording.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <tactus/base/check.h>

namespace tactus::simulate {

namespace {

void fill(std::span<double> to, std::span<const double> from) {
  if (to.empty()) return;  // a kernel need not have every input
  TACTUS_CHECK(to.size() == from.size());
  std::copy(from.begin(), from.end(), to.begin());
}

/// The unit of every coordinate: "rad", "m", or "" for the parts of a quaternion.
std::vector<std::string> coordinate_units(const describe::Model& model) {
  std::vector<std::string> units;
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (traits.has_quaternion()) {
      units.insert(units.end(), static_cast<std::size_t>(traits.quaternion_at), "m");
      units.insert(units.end(), 4, "");
    } else {
      for (const describe::JointAxis& axis : joint.axes) units.push_back(axis.is_rotation ? "rad" : "m");
    }
  }
  return units;
}

}  // namespace

MotionRecorder::MotionRecorder(const derive::Equations& equations, const std::vector<int>& frames)
    : energy_(generate::compile(equations.energy())) {
  using Kind = Column::Kind;
  const describe::Model& model = equations.model();
  const std::vector<std::string> q = model.coordinate_names(), u = model.speed_names(),
                                 tau = effort_names(model);
  const std::vector<std::string> q_units = coordinate_units(model);
  std::vector<bool> is_rotation;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) is_rotation.push_back(axis.is_rotation);
  const bool own_speeds = model.speeds.definition != describe::Speeds::Definition::joint_rates;

  columns_.push_back({"t", "s", Kind::time});
  for (std::size_t i = 0; i < q.size(); ++i) columns_.push_back({q[i], q_units[i], Kind::coordinate});
  for (std::size_t i = 0; i < u.size(); ++i) {
    const bool is_taken = std::find(q.begin(), q.end(), u[i]) != q.end();
    columns_.push_back({is_taken ? describe::rate_name(u[i]) : u[i],
                        own_speeds       ? ""
                        : is_rotation[i] ? "rad/s"
                                         : "m/s",
                        Kind::speed});
  }
  for (std::size_t i = 0; i < tau.size(); ++i)
    columns_.push_back({"tau." + tau[i], is_rotation[i] ? "N m" : "N", Kind::effort});
  for (const char* name : {"kinetic", "potential", "energy"}) columns_.push_back({name, "J", Kind::energy});
  for (const int frame : frames) {
    const std::string& name = model.frames[static_cast<std::size_t>(frame)].name;
    for (const char* part : {".px", ".py", ".pz"}) columns_.push_back({name + part, "m", Kind::frame});
    for (const char* part : {".qw", ".qx", ".qy", ".qz"}) columns_.push_back({name + part, "", Kind::frame});
    for (const char* part : {".wx", ".wy", ".wz"}) columns_.push_back({name + part, "rad/s", Kind::frame});
    for (const char* part : {".vx", ".vy", ".vz"}) columns_.push_back({name + part, "m/s", Kind::frame});
    frames_.emplace_back(generate::compile(equations.frame_motion(frame)));
  }
}

void MotionRecorder::record(const State& state, std::span<const double> tau, std::span<const double> udot,
                            std::vector<double>& row) {
  const double t[] = {state.t};
  row.push_back(state.t);
  row.insert(row.end(), state.q.begin(), state.q.end());
  row.insert(row.end(), state.u.begin(), state.u.end());
  row.insert(row.end(), tau.begin(), tau.end());

  fill(energy_.input("t"), t);
  fill(energy_.input("q"), state.q);
  fill(energy_.input("u"), state.u);
  energy_.run();
  const double kinetic = energy_.output("kinetic")[0], potential = energy_.output("potential")[0];
  row.insert(row.end(), {kinetic, potential, kinetic + potential});

  for (generate::Evaluator& frame : frames_) {
    fill(frame.input("t"), t);
    fill(frame.input("q"), state.q);
    fill(frame.input("u"), state.u);
    fill(frame.input("udot"), udot);
    frame.run();
    const auto p = frame.output("p"), V = frame.output("V");
    row.insert(row.end(), p.begin(), p.end());
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(frame.output("R").data());
    Eigen::Quaterniond turn{Eigen::Matrix3d(R)};
    if (turn.w() < 0.0) turn.coeffs() = -turn.coeffs();
    row.insert(row.end(), {turn.w(), turn.x(), turn.y(), turn.z()});
    row.insert(row.end(), V.begin(), V.end());
  }
}

ConstraintRecorder::ConstraintRecorder(const derive::Equations& equations, std::size_t count, bool switched)
    : count_(count), switched_(switched) {
  using Kind = Column::Kind;
  const describe::Model& model = equations.model();
  const std::vector<derive::ConstraintRow>& rows = equations.constraint_rows();
  if (switched)
    for (std::size_t c = 0; c < count; ++c)
      columns_.push_back({model.constraints[c].name + ".active", "", Kind::switched});
  for (std::size_t c = 0; c < count; ++c) {
    ErrorColumn position{c, {}, false}, velocity{c, {}, true};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows[k].constraint != static_cast<int>(c)) continue;
      velocity.rows.push_back(k);
      if (rows[k].holonomic) position.rows.push_back(k);
    }
    const std::string& name = model.constraints[c].name;
    for (ErrorColumn* column : {&position, &velocity}) {
      if (column->rows.empty()) continue;
      columns_.push_back(
          {name + (column->velocity ? ".velocity_error" : ".position_error"), "", Kind::error});
      errors_.push_back(std::move(*column));
    }
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (static_cast<std::size_t>(rows[k].constraint) >= count) continue;
    columns_.push_back({"lambda." + rows[k].label, "", Kind::reaction});
    rows_.push_back(k);
  }
}

void ConstraintRecorder::record(const Rows& rows, std::vector<double>& row) const {
  if (switched_)
    for (std::size_t c = 0; c < count_; ++c) row.push_back(rows.active[c] != 0 ? 1.0 : 0.0);
  for (const ErrorColumn& column : errors_) {
    const auto& errors = column.velocity ? rows.velocity_error : rows.position_error;
    double largest = 0.0;
    if (rows.active[column.constraint] != 0)
      for (const std::size_t k : column.rows) largest = std::max(largest, std::abs(errors[k]));
    row.push_back(largest);
  }
  for (const std::size_t k : rows_) row.push_back(rows.lambda[k]);
}

Recorder::Recorder(const derive::Equations& equations, const std::vector<int>& frames)
    : motion_(equations, frames),
      constraints_(equations, equations.model().constraints.size(), false),
      columns_(motion_.columns()),
      active_(equations.model().constraints.size(), 0) {
  columns_.insert(columns_.end(), constraints_.columns().begin(), constraints_.columns().end());
}

void Recorder::record(Simulation& simulation, std::vector<double>& row) {
  row.clear();
  const Simulation::Rates rates = simulation.rates();
  motion_.record(simulation.state(), rates.tau, rates.udot, row);
  if (!constraints_.columns().empty()) {
    const Simulation::ConstraintState state = simulation.constraint_state();
    for (std::size_t c = 0; c < active_.size(); ++c)
      active_[c] = simulation.is_active(static_cast<int>(c)) ? 1 : 0;
    constraints_.record({state.position_error, state.velocity_error, state.lambda, active_}, row);
  }
  TACTUS_CHECK(row.size() == columns_.size());
}

std::string csv_header(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) text += (text.empty() ? "" : ",") + column.name;
  return text + "\n";
}

void append_csv_row(const std::vector<double>& row, std::string& text) {
  for (std::size_t i = 0; i < row.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? "" : ",", row[i]);
  text += '\n';
}

}  // namespace tactus::simulate
