#include <tactus/contact/recording.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include <tactus/base/check.h>

namespace tactus::contact {

ContactRecorder::ContactRecorder(const ContactModel& contact_model, const std::vector<int>& frames,
                                 const std::vector<int>& pairs)
    : contact_model_(contact_model),
      motion_(contact_model.equations, frames),
      constraints_(contact_model.equations, contact_model.own_constraints, true),
      slot_of_pair_(contact_model.model.contact.pairs.size(), -1),
      columns_(motion_.columns()),
      terms_(contact_model.terms),
      loads_(static_cast<std::size_t>(contact_model.terms.nv + 6 * contact_model.terms.wrenches)),
      no_udot_(static_cast<std::size_t>(contact_model.terms.nv)),
      pairs_(pairs.size()),
      position_error_(contact_model.terms.rows.size()),
      velocity_error_(contact_model.terms.rows.size()),
      lambda_(contact_model.terms.rows.size()),
      active_(contact_model.model.constraints.size()) {
  using Kind = simulate::Column::Kind;
  const describe::ContactSection& contact = contact_model.model.contact;
  if (!contact.pairs.empty()) columns_.push_back({"contacts", "", Kind::count});
  for (std::size_t slot = 0; slot < pairs.size(); ++slot) {
    const auto pair = static_cast<std::size_t>(pairs[slot]);
    slot_of_pair_[pair] = static_cast<int>(slot);
    const std::string& name = contact.pairs[pair].name;
    columns_.push_back({name + ".mode", "", Kind::mode});
    columns_.push_back({name + ".gap", "m", Kind::gap});
    columns_.push_back({name + ".normal", "N", Kind::contact_force});
    columns_.push_back({name + ".friction", "N", Kind::contact_force});
  }
  for (const describe::JointStop& stop : contact.stops)
    columns_.push_back({stop.name + ".force", "", Kind::stop_force});
  columns_.insert(columns_.end(), constraints_.columns().begin(), constraints_.columns().end());
  columns_.push_back({"impact_loss", "J", Kind::loss});
  columns_.push_back({"friction_loss", "J", Kind::loss});
}

void ContactRecorder::clear() {
  contacts_ = 0.0;
  std::fill(pairs_.begin(), pairs_.end(), PairState{0.0, std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0});
}

void ContactRecorder::see(int pair, double mode, double gap, double normal, double friction) {
  if (mode > 0.0) contacts_ += 1.0;
  const int slot = slot_of_pair_[static_cast<std::size_t>(pair)];
  if (slot < 0) return;
  PairState& p = pairs_[static_cast<std::size_t>(slot)];
  p.mode = std::max(p.mode, mode);
  p.gap = std::isnan(p.gap) ? gap : std::min(p.gap, gap);
  p.normal += normal;
  p.friction += friction;
}

void ContactRecorder::append(const State& state, std::span<const double> tau, std::span<const double> udot,
                             double impact_loss, double friction_loss, std::vector<double>& row) {
  row.clear();
  motion_.record(state, tau, udot, row);
  if (!slot_of_pair_.empty()) row.push_back(contacts_);
  for (const PairState& p : pairs_) row.insert(row.end(), {p.mode, p.gap, p.normal, p.friction});
  for (const int stop_row : contact_model_.row_of_stop)
    row.push_back(stop_row < 0 ? 0.0 : lambda_[static_cast<std::size_t>(stop_row)]);
  constraints_.record({position_error_, velocity_error_, lambda_, active_}, row);
  row.insert(row.end(), {impact_loss, friction_loss});
  TACTUS_CHECK(row.size() == columns_.size());
}

void ContactRecorder::record(Engine& engine, std::vector<double>& row) {
  engine.look();
  clear();
  for (std::size_t i = 0; i < engine.touches().size(); ++i) {
    const Touch& touch = engine.touches()[i];
    const std::array<double, 3>& force = engine.touch_force(i);
    see(touch.pair, static_cast<double>(touch.mode), touch.motion.gap, force[0],
        std::hypot(force[1], force[2]));
  }
  const Terms& terms = engine.motion().terms();
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    position_error_[k] = terms.Phi(k);
    velocity_error_[k] = terms.velocity(k);
    lambda_[k] = engine.row_force(k);
  }
  for (std::size_t c = 0; c < active_.size(); ++c) active_[c] = engine.is_active(static_cast<int>(c)) ? 1 : 0;
  const simulate::Simulation::Rates rates = engine.rates();
  append(engine.state(), rates.tau, rates.udot, engine.books().impact_loss, engine.books().friction_loss,
         row);
}

void ContactRecorder::evaluate_loads(const State& state) {
  if (!contact_model_.dynamics.loads) return;
  const generate::Kernel& loads = *contact_model_.dynamics.loads;
  arguments_.assign(1, state.t);
  arguments_.insert(arguments_.end(), state.q.begin(), state.q.end());
  arguments_.insert(arguments_.end(), state.u.begin(), state.u.end());
  work_.resize(loads.work_size());
  loads(arguments_.data(), loads_.data(), work_.data());
}

void ContactRecorder::record(const TimeStepping& stepping, std::vector<double>& row) {
  const State& state = stepping.state();
  const double h = stepping.options().step;
  clear();
  std::fill(lambda_.begin(), lambda_.end(), std::numeric_limits<double>::quiet_NaN());
  for (const int stop_row : contact_model_.row_of_stop)
    if (stop_row >= 0) lambda_[static_cast<std::size_t>(stop_row)] = 0.0;
  for (const StepContact& contact : stepping.contacts()) {
    if (contact.pair < 0) {
      const int stop_row = contact_model_.row_of_stop[static_cast<std::size_t>(-1 - contact.pair)];
      lambda_[static_cast<std::size_t>(stop_row)] = std::abs(contact.impulse.x) / h;
      continue;
    }
    const double normal = dot(contact.impulse, contact.normal);
    const Vec3<double> across = contact.impulse - normal * contact.normal;
    see(contact.pair, static_cast<double>(contact.mode), contact.gap, normal / h,
        std::sqrt(dot(across, across)) / h);
  }
  terms_.evaluate(state.t, state.q.data(), state.u.data());
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    position_error_[k] = terms_.Phi(k);
    velocity_error_[k] = terms_.velocity(k);
  }
  for (std::size_t c = 0; c < active_.size(); ++c)
    active_[c] = stepping.is_active(static_cast<int>(c)) ? 1 : 0;
  evaluate_loads(state);
  append(state, {loads_.data(), no_udot_.size()}, no_udot_, -stepping.books().normal_work,
         -stepping.books().friction_work, row);
}

std::string event_header() {
  return "t,kind,name,approach,departure,impulse,friction_impulse,loss,bounce_end\n";
}

void append_event(const Event& event, const std::string& name, std::string& text) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n", event.t, name_of(event.kind), name,
                 event.approach, event.departure, event.impulse, event.friction_impulse, event.loss,
                 event.bounce_end);
}

std::string name_of(const describe::ContactSection& contact, const Event& event) {
  if (event.transition >= 0) return contact.transitions[static_cast<std::size_t>(event.transition)].name;
  if (event.stop >= 0) return contact.stops[static_cast<std::size_t>(event.stop)].name;
  if (event.pair >= 0) return contact.pairs[static_cast<std::size_t>(event.pair)].name;
  return "";
}

}  // namespace tactus::contact
