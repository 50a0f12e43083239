#include <tactus/contact/events/energy_watch.h>
#include <tactus/contact/stepping/stepping.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/math/rotation.h>

namespace tactus::contact {
namespace {

using Vec = math::Vec3<double>;

Vec vector_at(const double* x) { return {x[0], x[1], x[2]}; }
void put(const Vec& v, double* x) {
  x[0] = v.x;
  x[1] = v.y;
  x[2] = v.z;
}

/// How far a body's shapes reach from its origin; shapes without end, and meshes, count as a point.
double reach_of(const describe::Model& model, const describe::Body& body) {
  using Shape = describe::Geometry::Shape;
  double reach = 0.0;
  for (const describe::Geometry& shape : body.geometry) {
    if (!shape.contact || shape.shape == Shape::plane) continue;
    const auto value = [&](const algebra::Expr& x) { return describe::value_of(model, x); };
    const double x = value(shape.size.x), y = value(shape.size.y), z = value(shape.size.z);
    const Vec p{value(shape.X_BG.p.x), value(shape.X_BG.p.y), value(shape.X_BG.p.z)};
    const double own = shape.shape == Shape::sphere     ? x
                       : shape.shape == Shape::box      ? 0.5 * std::sqrt(x * x + y * y + z * z)
                       : shape.shape == Shape::cylinder ? std::hypot(x, 0.5 * y)
                       : shape.shape == Shape::capsule  ? x + 0.5 * y
                                                        : 0.0;
    reach = std::max(reach, std::sqrt(dot(p, p)) + own);
  }
  return reach;
}

std::vector<std::size_t> block_sizes(const TermsKernel& kernel) {
  std::vector<std::size_t> sizes;
  for (const TermsKernel::Block& block : kernel.blocks) sizes.push_back(block.speeds.size());
  return sizes;
}

}  // namespace

bool asks_for_stepping(const describe::Model& model) {
  const auto& pairs = model.contact.pairs;
  return std::any_of(pairs.begin(), pairs.end(), [](const describe::ContactPair& pair) {
    return pair.law.rendering == describe::Rendering::stepping;
  });
}

std::string stepping_note(const describe::Model& model) {
  if (!asks_for_stepping(model)) return "";
  std::size_t rigid = 0, compliant = 0;
  for (const describe::ContactPair& pair : model.contact.pairs) {
    rigid += pair.law.rendering == describe::Rendering::rigid;
    compliant += pair.law.rendering == describe::Rendering::compliant;
  }
  if (rigid + compliant == 0) return "";
  return fmt::format(
      "some pairs ask for `render: stepping`: all {} go by steps, {} of them written `rigid` and {} "
      "`compliant` (springs taken implicitly)",
      model.contact.pairs.size(), rigid, compliant);
}

TimeStepping::TimeStepping(const ContactModel& contact_model, SteppingOptions options)
    : contact_model_(contact_model),
      kernel_(contact_model.terms),
      options_(options),
      nq_(static_cast<std::size_t>(contact_model.terms.nq)),
      nv_(static_cast<std::size_t>(contact_model.terms.nv)),
      terms_(contact_model.terms),
      solver_(block_sizes(contact_model.terms), options.most_contacts, options.solver) {
  const describe::Model& model = contact_model.model;
  if (!options.all_pairs && !model.contact.pairs.empty() && !asks_for_stepping(model)) {
    const describe::ContactPair& pair = model.contact.pairs.front();
    throw InputError(pair.where,
                     fmt::format("the pair \"{}\" asks for rendering \"{}\", and none asks for time-stepping",
                                 pair.name, name_of(pair.law.rendering)),
                     "write `render: stepping`, or ask for time-stepping of all pairs");
  }
  if (!model.contact.pairs.empty()) scene_ = std::make_unique<collide::Scene>(model, options.most_contacts);

  poses_.assign(12 * model.bodies.size(), 0.0);
  for (std::size_t body = 0; body < model.bodies.size(); ++body)
    for (std::size_t i = 0; i < 3; ++i) poses_[12 * body + 5 * i] = 1.0;
  for (const TermsKernel::Body& body : kernel_.bodies)
    reach_.push_back(reach_of(model, model.bodies[static_cast<std::size_t>(body.body)]));

  std::size_t speed = 0;
  for (const describe::Joint& joint : model.joints) {
    if (joint.type == describe::JointType::free &&
        model.speeds.definition == describe::Speeds::Definition::joint_rates)
      free_roots_.push_back({speed});
    speed += static_cast<std::size_t>(describe::speed_count(joint.type));
  }
  active_.resize(model.constraints.size());
  reset_active();

  place_.resize(nv_);
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const std::vector<int>& speeds = kernel_.blocks[k].speeds;
    for (std::size_t i = 0; i < speeds.size(); ++i)
      place_[static_cast<std::size_t>(speeds[i])] = solver_.offset(static_cast<int>(k)) + i;
    metrics_.emplace_back(speeds.size(), kernel_.blocks[k].rows.size());
  }
  const std::size_t wrench = 6 * static_cast<std::size_t>(kernel_.wrenches);
  arguments_.assign(1 + nq_ + 2 * nv_ + wrench, 0.0);
  tau_ = arguments_.data() + 1 + nq_ + nv_;
  wrench_ = tau_ + nv_;
  std::size_t work = std::max(contact_model.dynamics.forward_dynamics.work_size(),
                              contact_model.dynamics.coordinate_rates.work_size());
  if (contact_model.dynamics.loads) work = std::max(work, contact_model.dynamics.loads->work_size());
  scratch_.resize(work);
  forward_.resize(nv_ + nq_);
  for (std::vector<double>* v : {&free_, &corrected_, &end_, &shift_, &theta_, &u_next_}) v->assign(nv_, 0.0);
  for (std::vector<double>* v : {&u_free_, &dx_}) v->assign(solver_.width(), 0.0);
  std::size_t largest = 0;
  for (const TermsKernel::Block& block : kernel_.blocks) largest = std::max(largest, block.speeds.size());
  scratch_block_.resize(largest);
  touching_.resize(kernel_.bodies.size());
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k)
    twist_size_ = std::max(twist_size_, 6 * solver_.stride(static_cast<int>(k)));
  twist_rows_.assign(kernel_.bodies.size() * twist_size_, 0.0);
  qdot_.resize(nq_);
  energy_in_.resize(contact_model.energy.input_size());
  energy_out_.resize(contact_model.energy.output_size());
  energy_work_.resize(contact_model.energy.work_size());
  momentum_.assign(solver_.width(), 0.0);
  change_.assign(nv_, 0.0);
  other_forces_ = has_other_forces(contact_model);
  sources_ = has_sources(contact_model);
  efforts_.resize(nv_);
  q_end_.resize(nq_);
  arguments_end_.resize(arguments_.size());
  before_meeting_.q.resize(nq_);
  before_meeting_.u.resize(nv_);
  pressed_tau_.resize(nv_);
  near_.resize(options.most_contacts);
  prepare_joint_friction();
  slack_.resize(options.most_contacts);
  contacts_.resize(options.most_contacts);
  answering_.resize(options.most_contacts);
  answering_rows_.resize(3 * options.most_contacts);
  response_.assign(solver_.width(), 0.0);
  response_image_ = response_;
  udot_.assign(nv_, 0.0);
  next_contacts_.resize(options.most_contacts);
  x_.assign(solver_.width(), 0.0);
  compression_.resize(3 * options.most_contacts);
  row_force_.assign(kernel_.rows.size(), 0.0);
  row_force_before_ = row_force_;
  row_impulse_.assign(nv_, 0.0);
  active_before_ = active_;
  const std::size_t guards = contact_model.guards.size();
  guards_.assign(guards, 0.0);
  guard_in_.resize(contact_model.guards.input_size());
  guard_work_.resize(contact_model.guards.work_size());
  guard_armed_.assign(guards, 0);
  fired_once_.assign(guards, 0);
  armed_before_ = once_before_ = fired_once_;
  events_.reserve(guards);
  rest_.resize(kernel_.blocks.size());
  rest_before_ = rest_;
  resting_forces_.assign(nv_, 0.0);
  still_.assign(model.bodies.size(), 0);
  mark_still();

  simulate::State first{0.0, model.initial_q, model.initial_u, {}};
  if (first.q.empty()) first.q = contact_model.dynamics.coordinates.rest();
  if (first.u.empty()) first.u.assign(nv_, 0.0);
  state_ = std::move(first);
  arm_guards();
}

TimeStepping::~TimeStepping() = default;

void TimeStepping::reset_active() {
  for (std::size_t i = 0; i < active_.size(); ++i)
    active_[i] = i < contact_model_.own_constraints && contact_model_.model.constraints[i].active;
}

void TimeStepping::set_state(simulate::State state) {
  const Place where{contact_model_.model.file, 0, 0};
  if (state.q.size() != nq_ || state.u.size() != nv_)
    throw InputError(
        where, fmt::format("the state has {} coordinates and {} speeds", state.q.size(), state.u.size()),
        fmt::format("\"{}\" has {} and {}", contact_model_.model.name, nq_, nv_));
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!finite(state.t) || !std::all_of(state.q.begin(), state.q.end(), finite) ||
      !std::all_of(state.u.begin(), state.u.end(), finite) ||
      !contact_model_.dynamics.coordinates.normalize(state.q.data()))
    throw InputError(where, "the state has values that are not finite, or a zero quaternion");
  if (const collide::Proximity* overlap = deep_overlap(state)) {
    const auto name = [&](int body) {
      return contact_model_.model.bodies[static_cast<std::size_t>(body)].name;
    };
    throw InputError(
        contact_model_.model.contact.pairs[static_cast<std::size_t>(overlap->pair)].where,
        fmt::format("\"{}\" and \"{}\" overlap by {:.3g} m at the start", name(overlap->body_a),
                    name(overlap->body_b), -overlap->gap),
        fmt::format("move them apart; up to {:.3g} m is pushed out by itself", options_.deepest_start));
  }
  begin_at(state);
}

/// The first that is too deep to begin with; nullptr: none.
const collide::Proximity* TimeStepping::deep_overlap(const simulate::State& state) {
  if (scene_ == nullptr) return nullptr;
  terms_.evaluate(state.t, state.q.data(), state.u.data());
  update_scene();
  for (const collide::Proximity& proximity : scene_->near(0.0))
    if (!(proximity.gap >= -options_.deepest_start)) return &proximity;
  return nullptr;
}

void TimeStepping::begin_at(const simulate::State& state) {
  state_.t = state.t;
  state_.q = state.q;
  state_.u = state.u;
  state_.momentum.clear();
  start_ = state_.t;
  steps_ = 0;
  books_ = {};
  solution_ = {};
  contact_count_ = 0;
  events_.clear();
  solver_.clear();
  solver_.set_history({});
  reset_active();
  std::fill(rest_.begin(), rest_.end(), Rest{});
  mark_still();
  std::fill(row_force_.begin(), row_force_.end(), 0.0);
  std::fill(fired_once_.begin(), fired_once_.end(), 0);
  arm_guards();
}

/// Where the attempt fails, or a transition cannot be taken, everything is what it was.
template <class Attempt>
simulate::Status TimeStepping::make_step(Attempt attempt) noexcept {
  const SweepSolver::History history = solver_.history();
  const SweepResult solution = solution_;
  const StepBooks books = books_;
  active_before_ = active_;
  armed_before_ = guard_armed_;
  once_before_ = fired_once_;
  rest_before_ = rest_;
  row_force_before_ = row_force_;
  misfit_ = -1;
  simulate::Status status = attempt();
  if (status.ok()) {
    state_.q.swap(q_end_);
    state_.u.swap(u_next_);
    const double t = std::exchange(state_.t, start_ + static_cast<double>(steps_ + 1) * options_.step);
    status = take_transitions();
    if (status.ok()) {
      contacts_.swap(next_contacts_);
      contact_count_ = next_count_;
      ++steps_;
      return status;
    }
    state_.q.swap(q_end_);
    state_.u.swap(u_next_);
    state_.t = t;
  }
  solver_.set_history(history);
  solution_ = solution;
  books_ = books;
  active_ = active_before_;
  guard_armed_ = armed_before_;
  fired_once_ = once_before_;
  rest_ = rest_before_;
  row_force_ = row_force_before_;
  mark_still();
  return status;
}

simulate::Status TimeStepping::step(const simulate::Input& input) noexcept {
  moved_ = 1.0;
  return make_step([&] { return attempt(input); });
}

simulate::Status TimeStepping::meet(const simulate::State& arrived, const simulate::Input& input,
                                    std::span<const double> carried, PressedForces pressed,
                                    double deepest) noexcept {
  if (arrived.q.size() != nq_ || arrived.u.size() != nv_ || (!input.tau.empty() && input.tau.size() != nv_) ||
      (!carried.empty() && carried.size() != axes_.size()))
    return simulate::Status::bad_input;
  carried_ = carried;
  pressed_ = pressed;
  deepest_ = deepest;
  before_meeting_.q.swap(state_.q);
  before_meeting_.u.swap(state_.u);
  std::copy(arrived.q.begin(), arrived.q.end(), state_.q.begin());
  std::copy(arrived.u.begin(), arrived.u.end(), state_.u.begin());
  moved_ = 0.0;
  const simulate::Status status = make_step([&] { return attempt_meeting(input); });
  moved_ = 1.0;
  carried_ = {};
  pressed_ = {};
  deepest_ = std::numeric_limits<double>::infinity();
  if (!status.ok()) {
    before_meeting_.q.swap(state_.q);
    before_meeting_.u.swap(state_.u);
  }
  return status;
}

simulate::Status TimeStepping::attempt(const simulate::Input& input) {
  if (!evaluate_loads(input)) return simulate::Status::bad_input;
  terms_.evaluate(arguments_.data());
  if (!factor() || !free_speeds()) return simulate::Status::not_finite;
  wake_by_forces();
  hold_bilateral(options_.step);
  if (const simulate::Status status = answer_contacts(); !status.ok()) return status;
  keep_books();
  if (!balances(input)) return simulate::Status::energy_unexplained;
  remember();
  return {};
}

/// From free speeds, with the bilateral constraints held, to q_end_ and u_next_.
simulate::Status TimeStepping::answer_contacts() {
  if (!(position_error_ <= options_.constraint_limit)) return simulate::Status::constraint_lost;
  if (!gather()) return simulate::Status::contacts_overflow;
  if (deepest_overlap() > std::min(options_.deepest, deepest_) || furthest_beyond_stop() > deepest_)
    return simulate::Status::overlap_lost;
  solve_impulses();
  find_end_speeds();
  find_row_forces();
  separate();
  if (moved_ > 0.0) fall_asleep();  // what another moves does not sleep
  if (!displace()) return simulate::Status::not_finite;
  for (const double speed : u_next_)
    if (std::abs(speed) > options_.speed_limit) return simulate::Status::diverged;
  return {};
}

/// False where the sizes of the input are not those of the model.
bool TimeStepping::evaluate_loads(const simulate::Input& input) {
  const std::size_t wrench = arguments_.size() - 1 - nq_ - 2 * nv_;
  if (!input.tau.empty() && input.tau.size() != nv_) return false;
  if (!input.wrench.empty() && input.wrench.size() != wrench) return false;
  arguments_[0] = state_.t;
  std::copy(state_.q.begin(), state_.q.end(), arguments_.begin() + 1);
  std::copy(state_.u.begin(), state_.u.end(), arguments_.begin() + 1 + static_cast<std::ptrdiff_t>(nq_));
  std::fill(tau_, arguments_.data() + arguments_.size(), 0.0);
  if (contact_model_.dynamics.loads)
    (*contact_model_.dynamics.loads)(arguments_.data(), tau_, scratch_.data());
  for (std::size_t i = 0; i < input.tau.size(); ++i) tau_[i] += input.tau[i];
  for (std::size_t i = 0; i < input.wrench.size(); ++i) wrench_[i] += input.wrench[i];
  for (const int k : contact_model_.dynamics.unactuated) tau_[k] = 0.0;
  std::copy_n(tau_, nv_, efforts_.begin());
  if (outside_ != nullptr && outside_->acts()) outside_->add(arguments_.data(), tau_);
  add_mean_friction();
  return true;
}

void TimeStepping::update_scene() {
  for (const TermsKernel::Body& body : kernel_.bodies)
    std::copy_n(terms_.values().data() + body.X, 12,
                poses_.data() + 12 * static_cast<std::size_t>(body.body));
  scene_->update(poses_);
}

bool TimeStepping::factor() {
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k)
    if (!metrics_[k].factor(terms_.values().data() + kernel_.blocks[k].M)) return false;
  return true;
}

/// u_free = u + h a(q, u + h/2 a(q, u)), where the accelerations of free joints are those of vectors that
/// stand in space: a_v + w x v. With forces that depend on q alone this, with step 5, is the symplectic
/// method of Euler; the middle speeds keep the gyroscopic forces from adding energy.
bool TimeStepping::free_speeds() {
  const double h = options_.step;
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const TermsKernel::Block& block = kernel_.blocks[k];
    double* x = u_free_.data() + solver_.offset(static_cast<int>(k));
    for (std::size_t i = 0; i < block.speeds.size(); ++i) x[i] = terms_.Q()[block.speeds[i]];
    metrics_[k].solve(x);
  }
  for (std::size_t i = 0; i < nv_; ++i) free_[i] = u_free_[place_[i]];
  std::fill(corrected_.begin(), corrected_.end(), 0.0);
  for (const FreeRoot& root : free_roots_)
    put(cross(vector_at(&state_.u[root.speed]), vector_at(&state_.u[root.speed + 3])),
        &corrected_[root.speed + 3]);
  double* u = arguments_.data() + 1 + nq_;
  for (std::size_t i = 0; i < nv_; ++i) u[i] = state_.u[i] + 0.5 * h * (free_[i] + corrected_[i]);
  contact_model_.dynamics.forward_dynamics(arguments_.data(), forward_.data(), scratch_.data());
  for (const FreeRoot& root : free_roots_) {
    const Vec turning = cross(vector_at(u + root.speed), vector_at(u + root.speed + 3));
    for (std::size_t i = 0; i < 3; ++i) forward_[root.speed + 3 + i] += turning[i];
  }
  for (std::size_t i = 0; i < nv_; ++i) {
    free_[i] = state_.u[i] + h * forward_[i];
    u[i] = state_.u[i];
    u_free_[place_[i]] = free_[i];
    if (!std::isfinite(free_[i])) return false;
  }
  return true;
}

/// The free speeds, after forces over h, go on to fulfil A udot = gamma, and lose what A u + c is off. The
/// displacement of the step takes out what the positions are off.
void TimeStepping::hold_bilateral(double h) {
  position_error_ = 0.0;
  std::fill(shift_.begin(), shift_.end(), 0.0);
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const TermsKernel::Block& block = kernel_.blocks[k];
    const std::size_t n = block.speeds.size();
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(block.rows[i]);
      if (active_[static_cast<std::size_t>(kernel_.rows[row].constraint)] == 0) continue;
      const double* A = terms_.values().data() + block.A + i * n;
      double change = h * terms_.gamma(row) - terms_.velocity(row);
      for (std::size_t j = 0; j < n; ++j) {
        const auto speed = static_cast<std::size_t>(block.speeds[j]);
        change -= A[j] * (free_[speed] - state_.u[speed] - h * corrected_[speed]);
      }
      const double phi = kernel_.rows[row].holonomic ? terms_.Phi(row) : 0.0;
      if (!(std::abs(phi) <= position_error_))
        position_error_ = std::abs(phi);  // also takes what is no number
      metrics_[k].add_bilateral(block.rows[i], A, change, -phi / options_.step);
    }
    if (metrics_[k].bilateral() == 0) continue;
    const std::size_t from = solver_.offset(static_cast<int>(k));
    std::fill_n(&dx_[from], n, 0.0);
    metrics_[k].add_velocity_change(&dx_[from]);
    metrics_[k].add_speeds(&dx_[from], &u_free_[from]);
    std::fill_n(&dx_[from], n, 0.0);
    metrics_[k].add_position_change(&dx_[from]);
    std::fill_n(scratch_block_.data(), n, 0.0);
    metrics_[k].add_speeds(&dx_[from], scratch_block_.data());
    for (std::size_t i = 0; i < n; ++i) shift_[static_cast<std::size_t>(block.speeds[i])] = scratch_block_[i];
  }
}

/// The impulses of the step. Restitution that would add energy is left out.
void TimeStepping::solve_impulses() {
  solve_phases();
  bool strikes = false;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) strikes = strikes || near_[i].strikes;
  if (!strikes || impulse_work() <= 0.0) return;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    near_[i].restitution = 0.0;
    set_bias(solver_.contacts()[i], near_[i]);
  }
  solve_phases();
}

/// One phase; or, where a pair with Poisson's law strikes, compression without any restitution, and
/// restitution from the velocities that it leaves: with p_n >= e p_n of compression, also at contacts with
/// this law that only lie in between, and Newton's v_n >= e c at the others that strike [PfeifferGlocker1996].
void TimeStepping::solve_phases() {
  const std::span<SweepSolver::Contact> contacts = solver_.contacts();
  bool poisson = false;
  const auto rebound = [&](std::size_t i) {  // [m/s] asked for by Newton's law
    return near_[i].strikes && !near_[i].poisson() ? near_[i].restitution * near_[i].closing : 0.0;
  };
  for (std::size_t i = 0; i < contacts.size(); ++i)
    poisson = poisson || (near_[i].strikes && near_[i].poisson());
  if (poisson)
    for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].b[0] += rebound(i);
  solution_ = solver_.solve();
  std::copy(solver_.x().begin(), solver_.x().end(), x_.begin());
  if (!poisson) return;
  for (std::size_t island = 0; island < solver_.islands().size(); ++island) {
    const std::span<const int> members = solver_.islands().contacts(island);
    const bool struck = std::any_of(members.begin(), members.end(), [&](int m) {
      return near_[static_cast<std::size_t>(m)].strikes && near_[static_cast<std::size_t>(m)].poisson();
    });
    for (const int m : members) {
      const auto i = static_cast<std::size_t>(m);
      SweepSolver::Contact& contact = contacts[i];
      const bool gives_back = struck && near_[i].poisson() && contact.compliance == 0.0;
      contact.least = gives_back ? near_[i].law->restitution * contact.p[0] : 0.0;
      std::copy_n(contact.p, 3, &compression_[3 * i]);
      std::copy_n(contact.w, 3, contact.b);
      contact.b[0] -= rebound(i);
      std::fill_n(contact.p, 3, 0.0);
      solver_.update(contact);
    }
  }
  const bool first = solution_.converged;
  solution_ = solver_.solve();
  solution_.converged = solution_.converged && first;
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += solver_.x()[i];
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    SweepSolver::Contact& contact = contacts[i];
    for (int r = 0; r < 3; ++r) contact.p[r] += compression_[3 * i + static_cast<std::size_t>(r)];
    contact.w[0] += rebound(i);
    contact.least = 0.0;
    set_bias(contact, near_[i]);  // what w is measured from, but for the rebound
    contact.b[0] += rebound(i);
  }
}

/// u+ = u_free + L^-T x, block by block.
void TimeStepping::find_end_speeds() {
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const std::vector<int>& speeds = kernel_.blocks[k].speeds;
    const std::size_t from = solver_.offset(static_cast<int>(k));
    std::copy_n(&u_free_[from], speeds.size(), scratch_block_.data());
    if (rest_[k].group >= 0)
      std::fill_n(scratch_block_.data(), speeds.size(), 0.0);
    else
      metrics_[k].add_speeds(&x_[from], scratch_block_.data());
    for (std::size_t i = 0; i < speeds.size(); ++i)
      end_[static_cast<std::size_t>(speeds[i])] = scratch_block_[i];
  }
}

/// Of a contact's row, after the impulses; the solver's w measures it from what is asked for.
double TimeStepping::end_velocity(const Near& near, const SweepSolver::Contact& contact, int row) const {
  const double asked = near.free[row] - contact.b[row];
  return contact.w[row] + asked - (row == 0 ? contact.compliance * contact.p[0] : 0.0);
}

/// The kinetic energy that the impulses give: p . (v + v_end) / 2, the forces doing the rest.
double TimeStepping::impulse_work() const {
  double work = 0.0;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    const SweepSolver::Contact& contact = solver_.contacts()[i];
    if (contact.p[0] == 0.0) continue;
    for (int r = 0; r < contact.size; ++r)
      work += 0.5 * contact.p[r] * (near_[i].before[r] + end_velocity(near_[i], contact, r));
  }
  return work;
}

double TimeStepping::kinetic(const std::vector<double>& u) const {
  double twice = 0.0;
  for (const TermsKernel::Block& block : kernel_.blocks) {
    const std::size_t n = block.speeds.size();
    const double* M = terms_.values().data() + block.M;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        twice += u[static_cast<std::size_t>(block.speeds[i])] * M[i * n + j] *
                 u[static_cast<std::size_t>(block.speeds[j])];
  }
  return 0.5 * twice;
}

/// Displacement speeds that push overlapping bodies apart; other contacts may use up their gap, no more.
void TimeStepping::separate() {
  const double h = options_.step;
  const std::size_t count = solver_.contacts().size();
  correction_ = 0.0;
  bool needed = false;
  for (std::size_t i = 0; i < count; ++i) {
    const SweepSolver::Contact& contact = solver_.contacts()[i];
    const double gap = near_[i].about.gap, over = gap + options_.slop;
    const double moves = moved_ * end_velocity(near_[i], contact, 0);
    slack_[i] = over < 0.0 ? std::max(options_.push_part * over / h, -options_.push_speed) + moves
                           : std::max(0.0, gap / h + moves);
    slack_[i] += near_[i].shift;
    needed = needed || slack_[i] < 0.0;
  }
  if (needed) {
    const std::span<const double> y = solver_.separate({slack_.data(), count});
    for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
      const std::vector<int>& speeds = kernel_.blocks[k].speeds;
      std::fill_n(scratch_block_.data(), speeds.size(), 0.0);
      metrics_[k].add_speeds(&y[solver_.offset(static_cast<int>(k))], scratch_block_.data());
      for (std::size_t i = 0; i < speeds.size(); ++i)
        shift_[static_cast<std::size_t>(speeds[i])] += scratch_block_[i];
    }
  }
  if (needed || position_error_ > 0.0)
    for (std::size_t i = 0; i < nv_; ++i) correction_ -= h * terms_.Q()[i] * shift_[i];
}

/// q+ = q (+) h (W (u+ + du) + X); vectors that stand in space get new components in the turned axes.
bool TimeStepping::displace() {
  const double h = options_.step;
  double* u = arguments_.data() + 1 + nq_;
  for (std::size_t i = 0; i < nv_; ++i) {
    u_next_[i] = end_[i];
    u[i] = moved_ * end_[i] + shift_[i];
  }
  const simulate::Coordinates& coordinates = contact_model_.dynamics.coordinates;
  contact_model_.dynamics.coordinate_rates(arguments_.data(), qdot_.data(), scratch_.data());
  std::fill(theta_.begin(), theta_.end(), 0.0);
  coordinates.chart_rate(state_.q.data(), theta_.data(), qdot_.data(), free_.data());
  for (std::size_t i = 0; i < nv_; ++i) theta_[i] = h * free_[i];
  coordinates.displace(state_.q.data(), theta_.data(), q_end_.data());
  for (const FreeRoot& root : free_roots_) {
    const auto R = math::rotation_of(math::exponential(vector_at(&theta_[root.speed + 3])));
    for (const std::size_t at : {root.speed, root.speed + 3})
      put(transpose_times(R, vector_at(&u_next_[at])), &u_next_[at]);
  }
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(q_end_.begin(), q_end_.end(), finite) &&
         std::all_of(u_next_.begin(), u_next_.end(), finite);
}

double TimeStepping::deepest_overlap() const {
  double deepest = 0.0;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i)
    if (near_[i].law != nullptr && near_[i].law->rendering != describe::Rendering::compliant)  // no stop
      deepest = std::max(deepest, -near_[i].about.gap);
  return deepest;
}

double TimeStepping::furthest_beyond_stop() const {
  double furthest = 0.0;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i)
    if (near_[i].law == nullptr && near_[i].axis < 0) furthest = std::max(furthest, -near_[i].about.gap);
  return furthest;
}

}  // namespace tactus::contact
