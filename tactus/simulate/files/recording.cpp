#include <tactus/simulate/files/recording.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <tactus/base/check.h>

namespace tactus::simulate {

namespace {

using Kind = Column::Kind;

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

void append(std::span<const double> values, std::vector<double>& row) {
  row.insert(row.end(), values.begin(), values.end());
}

double largest_of(std::span<const double> errors, const std::vector<std::size_t>& rows) {
  double largest = 0.0;
  for (const std::size_t k : rows)
    if (!(std::abs(errors[k]) <= largest)) largest = std::abs(errors[k]);  // keeps a NaN
  return largest;
}

}  // namespace

Recorder::Recorder(Mechanism& mechanism, RecordOptions options)
    : mechanism_(mechanism), options_(std::move(options)), touches_(mechanism.kind() != EngineKind::smooth) {
  name_motion();
  if (touches_) name_contacts();
  name_constraints();
  if (touches_ && options_.losses) {
    columns_.push_back({"impact_loss", "J", Kind::loss});
    columns_.push_back({"friction_loss", "J", Kind::loss});
  }
}

void Recorder::name_motion() {
  const describe::Model& model = mechanism_.model();
  const std::vector<std::string>&q = mechanism_.coordinate_names(), &u = mechanism_.speed_names(),
        &tau = mechanism_.effort_names();
  const std::vector<std::string> q_units = coordinate_units(model);
  std::vector<bool> is_rotation;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) is_rotation.push_back(axis.is_rotation);
  const bool own_speeds = model.speeds.definition != describe::Speeds::Definition::joint_rates;

  const std::unordered_set<std::string_view> taken(q.begin(), q.end());
  columns_.push_back({"t", "s", Kind::time});
  for (std::size_t i = 0; i < q.size() && options_.coordinates; ++i)
    columns_.push_back({q[i], q_units[i], Kind::coordinate});
  for (std::size_t i = 0; i < u.size() && options_.speeds; ++i) {
    const bool is_taken = taken.contains(u[i]);
    const char* unit = own_speeds ? "" : is_rotation[i] ? "rad/s" : "m/s";
    columns_.push_back({is_taken ? describe::rate_name(u[i]) : u[i], unit, Kind::speed});
  }
  for (std::size_t i = 0; i < tau.size() && options_.efforts; ++i)
    columns_.push_back({"tau." + tau[i], is_rotation[i] ? "N m" : "N", Kind::effort});
  if (options_.energies)
    for (const char* name : {"kinetic", "potential", "energy"}) columns_.push_back({name, "J", Kind::energy});
  if (options_.definitions)
    for (const describe::Definition& definition : model.definitions)
      columns_.push_back({definition.name, definition.unit, Kind::definition});
  for (const int port : options_.ports) {
    const std::string& name = mechanism_.ports()[static_cast<std::size_t>(port)].name;
    for (const char* part : {".px", ".py", ".pz"}) columns_.push_back({name + part, "m", Kind::frame});
    for (const char* part : {".qw", ".qx", ".qy", ".qz"}) columns_.push_back({name + part, "", Kind::frame});
    for (const char* part : {".wx", ".wy", ".wz"}) columns_.push_back({name + part, "rad/s", Kind::frame});
    for (const char* part : {".vx", ".vy", ".vz"}) columns_.push_back({name + part, "m/s", Kind::frame});
  }
}

void Recorder::name_contacts() {
  if (!options_.contacts) return;
  const describe::ContactSection& contact = mechanism_.model().contact;
  if (!contact.pairs.empty()) columns_.push_back({"contacts", "", Kind::count});
  for (const int pair : options_.pairs) {
    const std::string& name = contact.pairs[static_cast<std::size_t>(pair)].name;
    columns_.push_back({name + ".mode", "", Kind::mode});
    columns_.push_back({name + ".gap", "m", Kind::gap});
    columns_.push_back({name + ".normal", "N", Kind::contact_force});
    columns_.push_back({name + ".friction", "N", Kind::contact_force});
  }
  for (const describe::JointStop& stop : contact.stops)
    columns_.push_back({stop.name + ".force", "", Kind::stop_force});
}

void Recorder::name_constraints() {
  const std::vector<ConstraintOutline>& constraints = mechanism_.constraints();
  if (touches_)
    for (const ConstraintOutline& c : constraints)
      columns_.push_back({c.name + ".active", "", Kind::switched});
  if (options_.errors) {
    for (const ConstraintOutline& c : constraints) {
      if (!c.position_rows.empty()) columns_.push_back({c.name + ".position_error", "", Kind::error});
      if (!c.rows.empty()) columns_.push_back({c.name + ".velocity_error", "", Kind::error});
    }
  }
  if (!options_.multipliers) return;
  for (const ConstraintOutline& c : constraints)
    for (const std::string& label : c.labels) columns_.push_back({"lambda." + label, "", Kind::reaction});
}

void Recorder::record(std::vector<double>& row) {
  const State& state = mechanism_.state();
  row.clear();
  row.push_back(state.t);
  if (options_.coordinates) append(state.q, row);
  if (options_.speeds) append(state.u, row);
  if (options_.efforts) append(mechanism_.efforts(), row);
  if (options_.energies) {
    const Energies energies = mechanism_.energies();
    row.insert(row.end(), {energies.kinetic, energies.potential, energies.kinetic + energies.potential});
  }
  if (options_.definitions) append(mechanism_.definitions(), row);
  for (const int port : options_.ports) record_port(port, row);
  if (touches_) record_contacts(row);
  record_constraints(row);
  if (touches_ && options_.losses) {
    const Books books = mechanism_.books();
    row.insert(row.end(), {books.impact_loss, books.friction_loss});
  }
  TACTUS_CHECK(row.size() == columns_.size());
}

void Recorder::record_port(int port, std::vector<double>& row) {
  const PortMotion& motion = mechanism_.motion(port);
  const math::Vec3<double>& p = motion.X_WP.p;
  Eigen::Matrix3d R;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) R(static_cast<int>(i), static_cast<int>(j)) = motion.X_WP.R(i, j);
  Eigen::Quaterniond turn{R};
  if (turn.w() < 0.0) turn.coeffs() = -turn.coeffs();
  row.insert(row.end(), {p.x, p.y, p.z, turn.w(), turn.x(), turn.y(), turn.z()});
  append(motion.V_WP, row);
}

void Recorder::record_contacts(std::vector<double>& row) {
  if (!options_.contacts) return;
  const describe::ContactSection& contact = mechanism_.model().contact;
  const ContactReport report = mechanism_.contact_report();
  if (!contact.pairs.empty()) row.push_back(static_cast<double>(report.contacts));
  for (const int pair : options_.pairs) {
    const PairReport& p = report.pairs[static_cast<std::size_t>(pair)];
    row.insert(row.end(), {p.mode, p.gap, p.normal, p.friction});
  }
  append(report.stop_force, row);
}

void Recorder::record_constraints(std::vector<double>& row) {
  const std::vector<ConstraintOutline>& constraints = mechanism_.constraints();
  if (constraints.empty()) return;
  const auto is_active = [&](std::size_t c) { return mechanism_.is_active(static_cast<int>(c)); };
  if (touches_)
    for (std::size_t c = 0; c < constraints.size(); ++c) row.push_back(is_active(c) ? 1.0 : 0.0);
  if (!options_.errors && !options_.multipliers) return;
  const ConstraintReport report = mechanism_.constraint_report(options_.multipliers);
  if (options_.errors) {
    for (std::size_t c = 0; c < constraints.size(); ++c) {
      const bool active = is_active(c);
      const ConstraintOutline& outline = constraints[c];
      if (!outline.position_rows.empty())
        row.push_back(active ? largest_of(report.position_error, outline.position_rows) : 0.0);
      if (!outline.rows.empty())
        row.push_back(active ? largest_of(report.velocity_error, outline.rows) : 0.0);
    }
  }
  if (!options_.multipliers) return;
  for (const ConstraintOutline& outline : constraints)
    for (const std::size_t k : outline.rows) row.push_back(report.lambda[k]);
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

std::string event_header() {
  return "t,kind,name,approach,departure,impulse,friction_impulse,loss,bounce_end\n";
}

void append_event(const describe::Model& model, const Event& event, std::string& text) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n", event.t, name_of(event.kind),
                 name_of(model, event), event.approach, event.departure, event.impulse,
                 event.friction_impulse, event.loss, event.bounce_end);
}

std::string name_of(const describe::Model& model, const Event& event) {
  const describe::ContactSection& contact = model.contact;
  if (event.transition >= 0) return contact.transitions[static_cast<std::size_t>(event.transition)].name;
  if (event.stop >= 0) return contact.stops[static_cast<std::size_t>(event.stop)].name;
  if (event.pair >= 0) return contact.pairs[static_cast<std::size_t>(event.pair)].name;
  return "";
}

}  // namespace tactus::simulate
