#include <tactus/contact/mechanism/stepping_mechanism.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/contact/mechanism/held_joints.h>
#include <tactus/contact/mechanism/pressed_contacts.h>

namespace tactus::contact {

namespace {

struct SteppedSnapshot final : simulate::Snapshot {
  SteppingSnapshot memory;
  simulate::Simulation::Memory smooth;
  std::vector<double> carried;
  double friction_work = 0.0;
  PressedContacts::Memory pressed{};
};

/// Into how many a tick is cut at most.
constexpr int kMostParts = 8;

}  // namespace

/// The motion between contacts.
struct SteppingMechanism::Smooth {
  std::shared_ptr<const simulate::SmoothModel> model;
  simulate::Simulation motion;
  HeldJoints held;
  std::unique_ptr<PressedContacts> pressed;
  double friction_work = 0.0;  // [J] of what is carried
  SteppingSnapshot before{};   // the contacts' own, where a tick begins
  std::vector<double> tau{};   // with what is carried
  simulate::Simulation::Memory memory{};
  bool failed = false;    // the last trouble was its own
  bool gives_up = false;  // where no forces hold what is pressed
  // Where a tick begins that is made in parts:
  SteppingSnapshot tick{};
  simulate::Simulation::Memory motion_of_tick{};
  std::vector<double> held_of_tick{};
  PressedContacts::Memory pressed_of_tick{};

  void set_step(double step) noexcept {
    motion.set_step(step);
    pressed->set_step(step);
  }

  /// To where the contacts left it; `memory` is that place.
  bool place(const simulate::State& at) noexcept {
    motion.save(memory);
    memory.state.t = memory.start = at.t;
    memory.steps = 0;
    std::copy(at.q.begin(), at.q.end(), memory.state.q.begin());
    std::copy(at.u.begin(), at.u.end(), memory.state.u.begin());
    return motion.load(memory);
  }
  /// `straight_on`: with speeds that hardly change, as those of what is held between forces.
  simulate::Status advance(const simulate::State& from, const simulate::Input& input,
                           bool straight_on) noexcept {
    if (!place(from)) return simulate::Status::bad_input;
    if (straight_on) motion.expect(from.u.data());
    const simulate::Status status = motion.step(input);
    failed = !status.ok();
    return status;
  }
  /// The same step again, with other forces.
  simulate::Status again(const simulate::Input& input) noexcept {
    if (!motion.load(memory)) return simulate::Status::bad_input;
    const simulate::Status status = motion.step(input);
    failed = !status.ok();
    return status;
  }
};

SteppingMechanism::~SteppingMechanism() = default;

SteppingMechanism::SteppingMechanism(std::shared_ptr<const ContactMade> made, SteppingOptions options,
                                     std::shared_ptr<const simulate::SmoothModel> smooth,
                                     const simulate::Options& smooth_options)
    : ContactMechanism(std::move(made), options.step), stepping_(contact_model(), options), udot_(nv()) {
  if (smooth != nullptr) {
    smooth_ = std::make_unique<Smooth>(
        Smooth{.model = smooth,
               .motion = simulate::Simulation(smooth->dynamics, smooth_options),
               .held = HeldJoints(stepping_.axis_rates().size()),
               .pressed = std::make_unique<PressedContacts>(contact_model(), port_loads_, options.step),
               .before = stepping_.make_snapshot(),
               .tau = std::vector<double>(nv())});
    smooth_->motion.attach(&smooth_->pressed->loads());
    smooth_->motion.save(smooth_->memory);
    smooth_->motion.save(smooth_->motion_of_tick);
    smooth_->tick = stepping_.make_snapshot();
    smooth_->held_of_tick = smooth_->held.memory();
  }
  tau_.reserve(nv());
  wrench_.reserve(6 * static_cast<std::size_t>(contact_model().terms.wrenches));
  stepping_.attach(&port_loads_);
  Fingerprint print = contact_print();
  print.add(static_cast<std::uint64_t>(options.most_contacts));
  set_snapshot_kind(print.value());
}

simulate::Status SteppingMechanism::advance(const simulate::TickInput& input) noexcept {
  if (!hold_loads(input)) return simulate::Status::bad_input;
  met_ = 0.0;
  if (smooth_ == nullptr) {
    const simulate::Status status = stepping_.step({tau_, wrench_});
    if (status.ok()) meet();
    return status;
  }
  simulate::Status status = advance_in_parts(1);
  for (int parts = 2; parts <= kMostParts && status.has(simulate::Status::overlap_lost); parts *= 2)
    status = advance_in_parts(parts);
  return status;
}

/// What met in a step, or in a part of it.
void SteppingMechanism::meet() noexcept {
  for (const StepContact& contact : stepping_.contacts()) met_ = std::max(met_, contact.met);
}

/// Where no forces hold the contacts of a tick, it is made as several that are shorter: something tips over or buckles faster than the midpoint rule can tell. What does not come to its end has not happened.
simulate::Status SteppingMechanism::advance_in_parts(int parts) noexcept {
  Smooth& smooth = *smooth_;
  smooth.gives_up = parts < kMostParts;
  met_ = 0.0;
  if (parts == 1) return advance_part();
  stepping_.save(smooth.tick);
  smooth.motion.save(smooth.motion_of_tick);
  smooth.held_of_tick = smooth.held.memory();
  smooth.pressed_of_tick = smooth.pressed->memory();
  const double friction_work = smooth.friction_work;
  stepping_.begin_parts(parts);
  smooth.set_step(stepping_.options().step);
  simulate::Status status;
  for (int part = 0; part < parts && status.ok(); ++part) status = advance_part();
  stepping_.end_parts();
  smooth.set_step(stepping_.options().step);
  if (status.ok()) return status;
  stepping_.load(smooth.tick);
  smooth.motion.load(smooth.motion_of_tick);
  smooth.held.memory() = smooth.held_of_tick;
  smooth.pressed->memory() = smooth.pressed_of_tick;
  smooth.friction_work = friction_work;
  return status;
}

simulate::Status SteppingMechanism::advance_part() noexcept {
  const simulate::Status status =
      smooth_->held.empty() ? advance_smoothly(tau_, {}) : advance_with_held_joints();
  if (status.ok()) smooth_->pressed->keep();
  if (status.ok()) meet();
  return status;
}

/// Contacts that are pressed act along the step. They are looked for where some were pressed in the step before, and where shapes sink in.
simulate::Status SteppingMechanism::advance_smoothly(std::span<const double> tau,
                                                     std::span<const double> carried) noexcept {
  constexpr int kMostLooks = 3;
  PressedContacts& pressed = *smooth_->pressed;
  const simulate::Input along{tau, wrench_};
  pressed.release();
  bool pressing = false;
  if (pressed.remembers()) {
    stepping_.terms_at_state();
    pressing = pressed.look(stepping_, stepping_.state(), stepping_.search_margin()) && pressed.hold();
    if (!pressing) pressed.release();
  }
  simulate::Status status = smooth_->advance(stepping_.state(), along, pressing);
  for (int looks = 0;; ++looks) {
    bool by_impulses = looks == kMostLooks || stepping_.contacts().size() > PressedContacts::kMost;
    if (pressing && !(status.ok() && press(along))) {
      if (smooth_->gives_up) {
        smooth_->motion.load(smooth_->memory);
        return simulate::Status::overlap_lost;
      }
      pressed.release();
      by_impulses = true;
      status = smooth_->again(along);
    }
    if (!status.ok()) return status;
    status = stepping_.meet(
        smooth_->motion.state(), {tau_, wrench_}, carried, pressed.pressed(),
        by_impulses ? std::numeric_limits<double>::infinity() : PressedContacts::kSunk + pressed.depth());
    if (by_impulses || !status.has(simulate::Status::overlap_lost)) break;
    const bool acted = pressed.acts();
    pressing = find_pressed() && pressed.hold();
    if (!pressing) {
      pressed.release();
      looks = kMostLooks - 1;
    }
    status = {};
    if (acted || pressed.acts()) status = smooth_->again(along);  // else it is that step
  }
  if (!status.ok()) smooth_->motion.load(smooth_->memory);  // the tick did not happen, in its books neither
  return status;
}

/// Shapes overlap by more than impulses are left to take out: contacts that came in further.
bool SteppingMechanism::find_pressed() noexcept {
  PressedContacts& pressed = *smooth_->pressed;
  const simulate::State& arrived = smooth_->motion.state();
  const double margin =
      stepping_.options().margin + 2.0 * pressed.way_to(stepping_, stepping_.state(), arrived);
  if (!pressed.look(stepping_, stepping_.state(), margin)) return false;
  pressed.arrive(stepping_, arrived);
  return pressed.sunk() > stepping_.options().slop;
}

/// Makes the step again until the forces of its contacts fit; where they do not with friction along the step, without it. In the end, in the shortest parts, what held them best has to do.
bool SteppingMechanism::press(const simulate::Input& along) noexcept {
  PressedContacts& pressed = *smooth_->pressed;
  pressed.forget_best();
  if (press_until_fit(along)) return true;
  pressed.leave_friction_out();
  if (pressed.hold() && smooth_->again(along).ok() && press_until_fit(along)) return true;
  if (smooth_->gives_up || !pressed.take_best() || !pressed.hold() || !smooth_->again(along).ok())
    return false;
  pressed.arrive(stepping_, smooth_->motion.state());
  return pressed.work() <= 0.0;
}

bool SteppingMechanism::press_until_fit(const simulate::Input& along) noexcept {
  constexpr int kMostPasses = 8;
  PressedContacts& pressed = *smooth_->pressed;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    pressed.arrive(stepping_, smooth_->motion.state());
    if (pressed.fit()) return true;
    pressed.note_best();
    if (!pressed.improve(smooth_->motion, pass) || !pressed.hold() || !smooth_->again(along).ok())
      return false;
  }
  return false;
}

simulate::Status SteppingMechanism::advance_with_held_joints() noexcept {
  HeldJoints& held = smooth_->held;
  held.begin(stepping_.axis_rates());
  stepping_.save(smooth_->before);
  const std::vector<simulate::DryAxis>& axes = contact_model().dynamics.dry_friction->axes;
  while (true) {
    std::fill(smooth_->tau.begin(), smooth_->tau.end(), 0.0);
    std::copy(tau_.begin(), tau_.end(), smooth_->tau.begin());
    for (std::size_t a = 0; a < axes.size(); ++a)
      smooth_->tau[static_cast<std::size_t>(axes[a].rate)] += held.carried()[a];
    const simulate::Status status = advance_smoothly(smooth_->tau, held.carried());
    if (!status.ok()) return status;
    const std::span<const TimeStepping::AxisAnswer> answers = stepping_.axis_answers();
    if (held.holds(answers, stepping_.options().step)) {
      smooth_->friction_work += held.end(answers, stepping_.options().step);
      return status;
    }
    smooth_->motion.load(smooth_->memory);
    stepping_.load(smooth_->before);
  }
}

std::string SteppingMechanism::explain(simulate::Status status) {
  return smooth_ != nullptr && smooth_->failed ? smooth_->motion.explain(status) : stepping_.explain(status);
}

void SteppingMechanism::restart(simulate::State state) {
  if (smooth_ != nullptr) {
    simulate::State own = state;
    own.momentum.clear();
    smooth_->motion.set_state(std::move(own));
    smooth_->failed = false;
    smooth_->held.forget();
    smooth_->pressed->forget();
    smooth_->friction_work = 0.0;
  }
  stepping_.set_state(std::move(state));
}

bool SteppingMechanism::switch_constraint(int constraint, bool on) noexcept {
  const bool was = stepping_.is_active(constraint);
  if (!stepping_.set_active(constraint, on).ok()) return false;
  if (smooth_ == nullptr) return true;
  if (smooth_->place(stepping_.state()) && smooth_->motion.request_active(constraint, on).ok()) return true;
  stepping_.set_active(constraint, was);
  return false;
}

bool SteppingMechanism::adjust() noexcept {
  if (smooth_ == nullptr) return stepping_.adjust();
  return smooth_->place(stepping_.state()) && smooth_->motion.adjust() && stepping_.adjust();
}

bool SteppingMechanism::hold_loads(const simulate::TickInput& input) noexcept {
  if (input.tau.size() > tau_.capacity() || input.wrench.size() > wrench_.capacity()) return false;
  tau_.assign(input.tau.begin(), input.tau.end());
  wrench_.assign(input.wrench.begin(), input.wrench.end());
  return true;
}

void SteppingMechanism::accelerate_now(double* udot) noexcept {
  if (!stepping_.accelerations({tau_, wrench_}, udot))
    std::fill_n(udot, nv(), std::numeric_limits<double>::quiet_NaN());
}

// J (what the generalised forces J^T wrench do), one wrench after the other.
void SteppingMechanism::answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept {
  result.fill(std::numeric_limits<double>::quiet_NaN());
  if (!stepping_.prepare_response({tau_, wrench_})) return;
  const std::span<const double> J = jacobian(port);
  for (std::size_t column = 0; column < 6; ++column) {
    if ((axes >> column & 1u) == 0) {
      for (std::size_t row = 0; row < 6; ++row) result[6 * row + column] = 0.0;
      continue;
    }
    stepping_.respond(&J[column * nv()], udot_.data());
    for (std::size_t row = 0; row < 6; ++row) {
      double sum = 0.0;
      for (std::size_t i = 0; i < nv(); ++i) sum += J[row * nv() + i] * udot_[i];
      result[6 * row + column] = sum;
    }
  }
}

std::span<const double> SteppingMechanism::efforts() noexcept {
  accelerate_now(udot_.data());
  return stepping_.efforts();
}

std::span<const double> SteppingMechanism::accelerations() noexcept {
  accelerate_now(udot_.data());
  return udot_;
}

simulate::Books SteppingMechanism::books() const noexcept {
  const StepBooks& own = stepping_.books();
  simulate::Books books;
  books.impact_loss = -own.normal_work;
  books.friction_loss = -own.friction_work;
  books.correction_work = own.correction_work;
  books.work = own.work;
  books.scheme_error = own.scheme_error;
  books.imbalance = own.imbalance;
  books.worst_imbalance = own.worst_imbalance;
  if (smooth_ != nullptr) {
    const simulate::EnergyBooks smooth = smooth_->motion.energy_books();
    const PressedContacts::Memory& pressed = smooth_->pressed->memory();
    books.work += smooth.work - smooth_->friction_work - pressed.normal_work - pressed.friction_work;
    books.friction_loss +=
        smooth.loss - smooth_->friction_work - pressed.friction_work;  // of dampers, and carried
    books.impact_loss -= pressed.normal_work;
  }
  books.in_play = own.largest + std::abs(own.normal_work) + std::abs(own.friction_work);
  books.deepest = own.deepest;
  books.not_converged = own.not_converged;
  books.most_contacts = own.most_contacts;
  return books;
}

simulate::ConstraintReport SteppingMechanism::constraint_report(bool) noexcept {
  const Terms& terms = stepping_.terms_at_state();
  const bool known = stepping_.books().steps > 0;  // impulses of the last step over its length
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    position_error_[k] = terms.Phi(k);
    velocity_error_[k] = terms.velocity(k);
    lambda_[k] = known ? stepping_.row_force(k) : std::numeric_limits<double>::quiet_NaN();
  }
  return {position_error_, velocity_error_, lambda_, {}};
}

simulate::ContactReport SteppingMechanism::contact_report() noexcept {
  clear_report();
  const double h = step_length();
  for (const StepContact& contact : stepping_.contacts()) {
    if (contact.pair < 0) {
      stop_force_[static_cast<std::size_t>(-1 - contact.pair)] = std::abs(contact.impulse.x) / h;
      continue;
    }
    const double normal = dot(contact.impulse, contact.normal);
    const math::Vec3<double> across = contact.impulse - normal * contact.normal;
    see(contact.pair, static_cast<double>(contact.mode), contact.gap, normal / h,
        std::sqrt(dot(across, across)) / h);
  }
  return report();
}

std::size_t SteppingMechanism::contact_points(std::span<simulate::ContactPoint> points) noexcept {
  std::size_t count = 0;
  for (const StepContact& contact : stepping_.contacts()) {
    if (contact.pair < 0) continue;
    if (count < points.size())
      points[count] = {contact.pair, contact.point, contact.normal, (1.0 / step_length()) * contact.impulse};
    ++count;
  }
  return count;
}

std::unique_ptr<simulate::Snapshot> SteppingMechanism::empty_snapshot() const {
  auto snapshot = std::make_unique<SteppedSnapshot>();
  snapshot->memory = stepping_.make_snapshot();
  if (smooth_ != nullptr) {
    smooth_->motion.save(snapshot->smooth);
    snapshot->carried = smooth_->held.memory();
    snapshot->pressed = smooth_->pressed->memory();
    snapshot->friction_work = smooth_->friction_work;
  }
  return snapshot;
}

bool SteppingMechanism::store(simulate::Snapshot& snapshot) const noexcept {
  auto* own = dynamic_cast<SteppedSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  stepping_.save(own->memory);
  if (smooth_ == nullptr) return true;
  smooth_->motion.save(own->smooth);
  own->carried = smooth_->held.memory();
  own->pressed = smooth_->pressed->memory();
  own->friction_work = smooth_->friction_work;
  return true;
}

bool SteppingMechanism::restore(const simulate::Snapshot& snapshot) noexcept {
  const auto* own = dynamic_cast<const SteppedSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  if (smooth_ != nullptr) {
    if (!smooth_->motion.load(own->smooth)) return false;
    smooth_->held.memory() = own->carried;
    smooth_->pressed->memory() = own->pressed;
    smooth_->friction_work = own->friction_work;
  }
  stepping_.load(own->memory);
  return true;
}

}  // namespace tactus::contact
