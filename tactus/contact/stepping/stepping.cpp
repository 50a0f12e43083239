#include <tactus/contact/stepping/stepping.h>

#include <algorithm>
#include <cmath>

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
  if (!model.contact.transitions.empty())
    throw InputError(model.contact.transitions.front().where,
                     "transitions happen at instants, which time-stepping does not look for",
                     "run the model with the event-driven engine, or leave the transitions out");
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
  efforts_.resize(nv_);
  q_end_.resize(nq_);
  near_.resize(options.most_contacts);
  slack_.resize(options.most_contacts);
  memory_.resize(options.most_contacts);
  contacts_.resize(options.most_contacts);

  simulate::State first{0.0, model.initial_q, model.initial_u, {}};
  if (first.q.empty()) first.q = contact_model.dynamics.coordinates.rest();
  if (first.u.empty()) first.u.assign(nv_, 0.0);
  state_ = std::move(first);
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
  state.momentum.clear();
  if (scene_ != nullptr) {
    terms_.evaluate(state.t, state.q.data(), state.u.data());
    update_scene();
    for (const collide::Proximity& proximity : scene_->near(0.0)) {
      if (proximity.gap >= -options_.deepest_start) continue;
      const auto name = [&](int body) {
        return contact_model_.model.bodies[static_cast<std::size_t>(body)].name;
      };
      throw InputError(
          contact_model_.model.contact.pairs[static_cast<std::size_t>(proximity.pair)].where,
          fmt::format("\"{}\" and \"{}\" overlap by {:.3g} m at the start", name(proximity.body_a),
                      name(proximity.body_b), -proximity.gap),
          fmt::format("move them apart; up to {:.3g} m is pushed out by itself", options_.deepest_start));
    }
  }
  state_ = std::move(state);
  start_ = state_.t;
  steps_ = 0;
  books_ = {};
  solution_ = {};
  remembered_ = 0;
  contact_count_ = 0;
  solver_.clear();
  solver_.set_history({});
  reset_active();
}

simulate::Status TimeStepping::step(const simulate::Input& input) noexcept {
  const SweepSolver::History history = solver_.history();
  const SweepResult solution = solution_;
  const simulate::Status status = attempt(input);
  if (status.ok()) return status;
  solver_.set_history(history);
  solution_ = solution;
  return status;
}

/// Until its last lines nothing is changed that another step would read, but for the solver's history.
simulate::Status TimeStepping::attempt(const simulate::Input& input) {
  if (!evaluate_loads(input)) return simulate::Status::bad_input;
  terms_.evaluate(arguments_.data());
  if (!factor() || !free_speeds()) return simulate::Status::not_finite;
  hold_bilateral(options_.step);
  if (!(position_error_ <= options_.constraint_limit)) return simulate::Status::constraint_lost;
  if (!gather()) return simulate::Status::contacts_overflow;
  if (deepest_overlap() > options_.deepest) return simulate::Status::overlap_lost;
  solve_impulses();
  find_end_speeds();
  separate();
  if (!displace()) return simulate::Status::not_finite;
  for (const double speed : u_next_)
    if (std::abs(speed) > options_.speed_limit) return simulate::Status::diverged;
  keep_books();
  remember();
  state_.q.swap(q_end_);
  state_.u.swap(u_next_);
  ++steps_;
  state_.t = start_ + static_cast<double>(steps_) * options_.step;
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
  solution_ = solver_.solve();
  bool strikes = false;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) strikes = strikes || near_[i].strikes;
  if (!strikes || impulse_work() <= 0.0) return;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    near_[i].restitution = 0.0;
    set_bias(solver_.contacts()[i], near_[i]);
  }
  solution_ = solver_.solve();
}

bool TimeStepping::accelerations(const simulate::Input& input, double* udot) noexcept {
  if (!evaluate_loads(input)) return false;
  terms_.evaluate(arguments_.data());
  if (!factor()) return false;
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const TermsKernel::Block& block = kernel_.blocks[k];
    const std::size_t n = block.speeds.size();
    double* x = u_free_.data() + solver_.offset(static_cast<int>(k));
    for (std::size_t i = 0; i < n; ++i) x[i] = terms_.Q()[block.speeds[i]];
    metrics_[k].solve(x);
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(block.rows[i]);
      if (active_[static_cast<std::size_t>(kernel_.rows[row].constraint)] == 0) continue;
      const double* A = terms_.values().data() + block.A + i * n;
      double missing = terms_.gamma(row);
      for (std::size_t j = 0; j < n; ++j) missing -= A[j] * x[j];
      metrics_[k].add_bilateral(block.rows[i], A, missing, 0.0);
    }
    if (metrics_[k].bilateral() > 0) {
      double* dx = &dx_[solver_.offset(static_cast<int>(k))];
      std::fill_n(dx, n, 0.0);
      metrics_[k].add_velocity_change(dx);
      metrics_[k].add_speeds(dx, x);
    }
    for (std::size_t i = 0; i < n; ++i) udot[block.speeds[i]] = x[i];
  }
  return true;
}

const Terms& TimeStepping::terms_at_state() noexcept {
  terms_.evaluate(state_.t, state_.q.data(), state_.u.data());
  return terms_;
}

/// A step without time: no forces, no displacement, the constraints and what touches taking their impulses.
simulate::Status TimeStepping::set_active(int constraint, bool active) noexcept {
  if (constraint < 0 || static_cast<std::size_t>(constraint) >= contact_model_.own_constraints)
    return simulate::Status::bad_input;
  char& now = active_[static_cast<std::size_t>(constraint)];
  if ((now != 0) == active) return {};
  now = active ? 1 : 0;
  if (!active) return {};
  const SweepSolver::History history = solver_.history();
  const SweepResult solution = solution_;
  const simulate::Status status = catch_speeds(constraint);
  if (!status.ok()) now = 0;
  solver_.set_history(history);
  solution_ = solution;
  return status;
}

simulate::Status TimeStepping::catch_speeds(int constraint) {
  terms_.evaluate(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t row = 0; row < kernel_.rows.size(); ++row)
    if (kernel_.rows[row].constraint == constraint && kernel_.rows[row].holonomic &&
        !(std::abs(terms_.Phi(row)) <= options_.constraint_limit)) {
      position_error_ = std::abs(terms_.Phi(row));
      return simulate::Status::constraint_lost;
    }
  if (!factor()) return simulate::Status::not_finite;
  std::copy(state_.u.begin(), state_.u.end(), free_.begin());
  std::fill(corrected_.begin(), corrected_.end(), 0.0);
  for (std::size_t i = 0; i < nv_; ++i) u_free_[place_[i]] = state_.u[i];
  hold_bilateral(0.0);
  if (!gather()) return simulate::Status::contacts_overflow;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    SweepSolver::Contact& contact = solver_.contacts()[i];
    near_[i].restitution = 0.0;
    std::fill_n(contact.p, 3, 0.0);  // impulses of a whole step say nothing here
    set_bias(contact, near_[i]);
  }
  solution_ = solver_.solve();
  find_end_speeds();
  for (const double speed : end_)
    if (!std::isfinite(speed)) return simulate::Status::not_finite;
  std::copy(end_.begin(), end_.end(), state_.u.begin());
  return {};
}

SteppingSnapshot TimeStepping::make_snapshot() const {
  SteppingSnapshot snapshot;
  snapshot.memory.reserve(options_.most_contacts);
  save(snapshot);
  return snapshot;
}

void TimeStepping::save(SteppingSnapshot& snapshot) const {
  snapshot.state = state_;
  snapshot.active = active_;
  snapshot.memory.assign(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(remembered_));
  snapshot.solver = solver_.history();
  snapshot.books = books_;
  snapshot.start = start_;
  snapshot.steps = steps_;
}

void TimeStepping::load(const SteppingSnapshot& snapshot) {
  state_ = snapshot.state;
  active_ = snapshot.active;
  remembered_ = snapshot.memory.size();
  std::copy(snapshot.memory.begin(), snapshot.memory.end(), memory_.begin());
  solver_.set_history(snapshot.solver);
  books_ = snapshot.books;
  start_ = snapshot.start;
  steps_ = snapshot.steps;
  contact_count_ = 0;
}

/// u+ = u_free + L^-T x, block by block.
void TimeStepping::find_end_speeds() {
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const std::vector<int>& speeds = kernel_.blocks[k].speeds;
    const std::size_t from = solver_.offset(static_cast<int>(k));
    std::copy_n(&u_free_[from], speeds.size(), scratch_block_.data());
    metrics_[k].add_speeds(&solver_.x()[from], scratch_block_.data());
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

/// Displacement speeds that push overlapping bodies apart; other contacts may use up their gap, no more.
void TimeStepping::separate() {
  const double h = options_.step;
  const std::size_t count = solver_.contacts().size();
  correction_ = 0.0;
  bool needed = false;
  for (std::size_t i = 0; i < count; ++i) {
    const SweepSolver::Contact& contact = solver_.contacts()[i];
    const double gap = near_[i].about.gap, over = gap + options_.slop;
    const double moves = end_velocity(near_[i], contact, 0);
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
    u[i] = end_[i] + shift_[i];
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

void TimeStepping::keep_books() {
  double friction = 0.0;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    const SweepSolver::Contact& contact = solver_.contacts()[i];
    double mean = 0.0, end = 0.0;
    for (int r = 1; r < contact.size; ++r) {
      const double v_end = end_velocity(near_[i], contact, r);
      mean += 0.5 * contact.p[r] * (near_[i].before[r] + v_end);
      end += contact.p[r] * v_end;
    }
    friction += mean <= 0.0 ? mean : std::min(end, 0.0);  // what is left of `end` is the solver's tolerance
    books_.deepest = std::max(books_.deepest, -near_[i].about.gap);
  }
  books_.friction_work += friction;
  books_.normal_work += impulse_work() - friction;
  books_.correction_work += correction_;
  ++books_.steps;
  books_.not_converged += !solution_.converged && !solver_.contacts().empty();
  books_.most_contacts = std::max(books_.most_contacts, static_cast<int>(solver_.contacts().size()));
}

std::string TimeStepping::explain(simulate::Status status) const {
  using simulate::Status;
  const std::string when = fmt::format(" at t = {:.6g} s", state_.t);
  if (status.ok()) return "all is well";
  if (status.has(Status::bad_input))
    return fmt::format(
               "the input has the wrong size, or a constraint does not exist: there are {} forces and {} "
               "numbers of wrenches",
               nv_, arguments_.size() - 1 - nq_ - 2 * nv_) +
           when;
  if (status.has(Status::contacts_overflow))
    return fmt::format("more than {} contacts are near: raise `most_contacts`", options_.most_contacts) +
           when;
  if (status.has(Status::not_finite))
    return "a coordinate or speed is not finite, or the mass matrix not positive" + when;
  if (status.has(Status::diverged)) return fmt::format("a speed passed {:g}", options_.speed_limit) + when;
  if (status.has(Status::constraint_lost))
    return fmt::format("a constraint is off by {:.3g}: try a smaller step", position_error_) + when;
  if (status.has(Status::overlap_lost))
    return fmt::format(
               "rigid shapes overlap by {:.3g} m: take a smaller step; light bodies between heavy ones need "
               "restitution 0, or `render: rigid` or `compliant`",
               deepest_overlap()) +
           when;
  return "the step failed" + when;
}

}  // namespace tactus::contact
