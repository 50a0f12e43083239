#include <tactus/contact/mechanism/pressed_contacts.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/dot.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::contact {

namespace {

using Vec = math::Vec3<double>;

/// [m] A contact may be so far inside where its step ends, and no further: what the integrator solves places to, at 100 Hz, is a tenth of it. It is a ten thousandth of the overlap that is left alone.
constexpr double kInside = 1e-10;
/// Of kInside, to which the forces are found; and of the limit of friction, at which it slides.
constexpr double kEnough = 0.01, kAtLimit = 1e-6;
/// [m] What may sink in further in a step where no forces were found that fit: the next step begins there.
constexpr double kGoodEnough = 1e-3;
/// The cosine between friction and the way against it, where it slides.
constexpr double kAgainst = 0.999;

std::vector<int> ports_of_bodies(const ContactModel& model, const simulate::PortKernels& kernels) {
  std::vector<int> port(model.model.bodies.size(), -1);
  for (std::size_t i = 0; i < kernels.ports.size(); ++i)
    if (kernels.ports[i].frame < 0)
      port[static_cast<std::size_t>(kernels.ports[i].body)] = static_cast<int>(i);
  return port;
}

math::Mat3<double> rotation_at(const double* X) {
  math::Mat3<double> R;
  for (std::size_t i = 0; i < 9; ++i) R(i / 3, i % 3) = X[4 * (i / 3) + i % 3];
  return R;
}
Vec place_at(const double* X) { return {X[3], X[7], X[11]}; }

/// From one pose to another.
struct Way {
  Vec along{}, turned{};
};
Way way_between(const double* from, const double* to) {
  return {place_at(to) - place_at(from),
          math::rotation_vector(rotation_at(to) * rotation_at(from).transposed())};
}

/// The pose of a body that moves; null for the others.
const double* pose_of(const Terms& terms, int body) {
  const int slot = terms.kernel().body_slot[static_cast<std::size_t>(body)];
  if (slot < 0 || terms.kernel().bodies[static_cast<std::size_t>(slot)].block < 0) return nullptr;
  return terms.values().data() + terms.kernel().bodies[static_cast<std::size_t>(slot)].X;
}

double length(const Vec& v) { return std::sqrt(dot(v, v)); }

}  // namespace

void PressedContacts::All::add(const double* arguments, double* tau) noexcept {
  if (hand_.acts()) hand_.add(arguments, tau);
  if (own_.acting_.acts()) own_.acting_.add(arguments, tau);
  for (std::size_t i = 0; i < own_.stop_push_count_; ++i) {
    const StopPush& push = own_.stop_pushes_[i];
    const Axis& axis = own_.axis_of_stop_[static_cast<std::size_t>(push.stop)];
    tau[axis.rate] += axis.sign * push.force;
  }
}

double PressedContacts::All::power(const double* arguments) noexcept {
  double power = (hand_.acts() ? hand_.power(arguments) : 0.0) +
                 (own_.acting_.acts() ? own_.acting_.power(arguments) : 0.0);
  const double* u = arguments + 1 + own_.model_.terms.nq;
  for (std::size_t i = 0; i < own_.stop_push_count_; ++i) {
    const StopPush& push = own_.stop_pushes_[i];
    const Axis& axis = own_.axis_of_stop_[static_cast<std::size_t>(push.stop)];
    power += axis.sign * push.force * u[axis.rate];
  }
  return power;
}

double PressedContacts::All::work(const double* from, const double* to) noexcept {
  double work =
      (hand_.acts() ? hand_.work(from, to) : 0.0) + (own_.acting_.acts() ? own_.acting_.work(from, to) : 0.0);
  for (std::size_t i = 0; i < own_.stop_push_count_; ++i) {
    const StopPush& push = own_.stop_pushes_[i];
    const Axis& axis = own_.axis_of_stop_[static_cast<std::size_t>(push.stop)];
    work += axis.sign * push.force * (to[1 + axis.q] - from[1 + axis.q]);
  }
  return work;
}

PressedContacts::PressedContacts(const ContactModel& contact_model, simulate::Ports& hand, double step)
    : model_(contact_model),
      step_(step),
      nv_(static_cast<std::size_t>(contact_model.terms.nv)),
      port_of_body_(ports_of_bodies(contact_model, hand.kernels())),
      poses_(12 * contact_model.model.bodies.size()),
      gaps_(contact_model.model.contact.stops.size()),
      acting_(hand.kernels()),
      loads_(hand, *this),
      solver_(kMost),
      rows_(3 * kMost * nv_),
      force_(nv_),
      change_(nv_) {
  if (hand.kernels().own_speeds) return;
  const describe::Model& model = contact_model.model;
  std::vector<std::size_t> rate_of_q;
  std::size_t rate = 0;
  for (const describe::Joint& joint : model.joints) {
    // Coordinates of quaternions have no stops.
    for (int i = 0; i < describe::coordinate_count(joint.type); ++i)
      rate_of_q.push_back(std::min(rate + static_cast<std::size_t>(i), rate + joint.axes.size() - 1));
    rate += joint.axes.size();
  }
  for (const describe::JointStop& stop : model.contact.stops)
    axis_of_stop_.push_back({static_cast<std::size_t>(stop.coordinate),
                             rate_of_q[static_cast<std::size_t>(stop.coordinate)], stop.upper ? -1.0 : 1.0});
}

void PressedContacts::release() noexcept {
  acting_.release();
  push_count_ = stop_push_count_ = count_ = 0;
}

/// The contact that was filled in last is one of the step's, with what is remembered of it.
void PressedContacts::add_contact(double mu) noexcept {
  const Contact& contact = contacts_[count_];
  PressSolver::Contact& pressed = solver_[count_];
  pressed = {.rows = contact.rows, .mu = mu};
  for (std::size_t k = 0; k < memory_.count; ++k) {
    const Force& before = memory_.forces[k];
    if (before.pair != contact.pair || before.id != contact.id) continue;
    pressed.force[0] = std::max(0.0, dot(before.force, contact.direction[0]));
    for (std::size_t r = 1; r < contact.rows; ++r) pressed.force[r] = dot(before.force, contact.direction[r]);
  }
  ++count_;
}

/// Stops within the margin, as contacts whose one direction is the gap's. False where there is no room.
bool PressedContacts::look_at_stops(const Terms& terms, double margin) noexcept {
  for (std::size_t i = 0; i < axis_of_stop_.size(); ++i) {
    if (model_.row_of_stop[i] < 0) continue;
    const auto row = static_cast<std::size_t>(model_.row_of_stop[i]);
    const double gap = terms.Phi(row), closing = -terms.velocity(row);
    if (gap > margin + 2.0 * step_ * std::max(0.0, closing)) continue;
    const describe::JointStop& stop = model_.model.contact.stops[i];
    if (stop.restitution > 0.0 && closing > stop.rest_speed) continue;
    if (count_ == kMost) return false;
    Contact& contact = contacts_[count_];
    contact = {};
    contact.pair = -1 - static_cast<int>(i);
    contact.gap = gap;
    contact.direction[0] = Vec::unit(0);
    terms.constraint_row(row, &rows_[3 * count_ * nv_]);
    add_contact(0.0);
  }
  return true;
}

/// Features of bodies that move, in their order; where there is no room for all, those that were pressed, then the nearest.
std::size_t PressedContacts::choose(const Terms& terms, std::span<const collide::Proximity> near) noexcept {
  const std::size_t room = kMost - count_;
  const auto was_pressed = [&](const collide::Proximity& one) {
    for (std::size_t k = 0; k < memory_.count; ++k)
      if (memory_.forces[k].pair == one.pair && memory_.forces[k].id == one.id) return true;
    return false;
  };
  const auto before = [&](std::size_t i, std::size_t k) {
    const bool first = was_pressed(near[i]), second = was_pressed(near[k]);
    return first != second ? first : near[i].gap != near[k].gap ? near[i].gap < near[k].gap : i < k;
  };
  const auto begin = chosen_.begin();
  std::size_t count = 0;
  bool sorted = false;
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (pose_of(terms, near[i].body_a) == nullptr && pose_of(terms, near[i].body_b) == nullptr) continue;
    if (count < room) {
      chosen_[count++] = i;
      continue;
    }
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    if (!sorted) std::sort(begin, end, before);
    sorted = true;
    if (count == 0 || !before(i, chosen_[count - 1])) continue;
    const auto at = std::upper_bound(begin, end, i, before);
    std::move_backward(at, end - 1, end);
    *at = i;
  }
  if (sorted) std::sort(begin, begin + static_cast<std::ptrdiff_t>(count));
  return count;
}

bool PressedContacts::look(TimeStepping& stepping, const simulate::State& state, double margin) noexcept {
  release();
  const std::span<const collide::Proximity> near = stepping.features(state, margin);
  const Terms& terms = stepping.terms();
  for (const TermsKernel::Body& body : terms.kernel().bodies)
    std::copy_n(terms.values().data() + body.X, 12, &poses_[12 * static_cast<std::size_t>(body.body)]);
  if (!look_at_stops(terms, margin)) {
    release();
    return false;
  }
  const std::size_t chosen = choose(terms, near);
  for (std::size_t k = 0; k < chosen; ++k) {
    const collide::Proximity& proximity = near[chosen_[k]];
    const describe::ContactLaw& law =
        model_.model.contact.pairs[static_cast<std::size_t>(proximity.pair)].law;
    Contact& contact = contacts_[count_];
    contact = {};
    contact.pair = proximity.pair;
    contact.id = proximity.id;
    contact.body_a = proximity.body_a;
    contact.body_b = proximity.body_b;
    contact.point = proximity.point;
    contact.gap = proximity.gap;
    const Vec n = proximity.normal;
    const std::size_t least = std::abs(n.x) <= std::abs(n.y) && std::abs(n.x) <= std::abs(n.z) ? 0
                              : std::abs(n.y) <= std::abs(n.z)                                 ? 1
                                                                                               : 2;
    const Vec across = cross(n, Vec::unit(least));
    contact.direction[0] = n;
    contact.direction[1] = (1.0 / length(across)) * across;
    contact.direction[2] = cross(n, contact.direction[1]);
    contact.rows = law.friction > 0.0 ? 3 : 1;
    double* rows = &rows_[3 * count_ * nv_];
    std::fill_n(rows, 3 * nv_, 0.0);
    for (std::size_t r = 0; r < contact.rows; ++r) {
      terms.add_point_row(contact.body_b, contact.point, contact.direction[r], 1.0, rows + r * nv_);
      terms.add_point_row(contact.body_a, contact.point, contact.direction[r], -1.0, rows + r * nv_);
    }
    if (law.restitution > 0.0 && -math::dot(rows, state.u.data(), nv_) > law.rest_speed) continue;
    add_contact(law.friction);
  }
  solver_.begin(count_);
  return count_ > 0;
}

double PressedContacts::way_to(TimeStepping& stepping, const simulate::State& state,
                               const simulate::State& arrived) noexcept {
  const Terms& terms = stepping.terms_at(state);
  for (const TermsKernel::Body& body : terms.kernel().bodies)
    std::copy_n(terms.values().data() + body.X, 12, &poses_[12 * static_cast<std::size_t>(body.body)]);
  for (std::size_t i = 0; i < gaps_.size(); ++i)
    if (model_.row_of_stop[i] >= 0) gaps_[i] = terms.Phi(static_cast<std::size_t>(model_.row_of_stop[i]));
  stepping.terms_at(arrived);
  double furthest = 0.0;
  for (std::size_t i = 0; i < axis_of_stop_.size(); ++i)
    if (model_.row_of_stop[i] >= 0)
      furthest = std::max(furthest, gaps_[i] - terms.Phi(static_cast<std::size_t>(model_.row_of_stop[i])));
  for (const TermsKernel::Body& body : terms.kernel().bodies) {
    const Way way =
        way_between(&poses_[12 * static_cast<std::size_t>(body.body)], terms.values().data() + body.X);
    furthest = std::max(furthest, length(way.along) + stepping.reach(body.body) * length(way.turned));
  }
  return furthest;
}

void PressedContacts::add_push(int body, const Vec& point, const Vec& force) noexcept {
  const int slot = model_.terms.body_slot[static_cast<std::size_t>(body)];
  if (slot < 0 || model_.terms.bodies[static_cast<std::size_t>(slot)].block < 0) return;
  const auto end = pushes_.begin() + static_cast<std::ptrdiff_t>(push_count_);
  auto push = std::find_if(pushes_.begin(), end, [&](const auto& other) { return other.body == body; });
  if (push == end) {
    *push = {body, {}};
    ++push_count_;
  }
  const Vec moment = cross(point - place_at(&poses_[12 * static_cast<std::size_t>(body)]), force);
  for (std::size_t i = 0; i < 3; ++i) {
    push->wrench[i] += moment[i];
    push->wrench[3 + i] += force[i];
  }
}

bool PressedContacts::hold() noexcept {
  push_count_ = stop_push_count_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Contact& contact = contacts_[i];
    if (!(solver_[i].force[0] > 0.0)) continue;
    if (contact.is_stop()) {
      stop_pushes_[stop_push_count_++] = {static_cast<int>(contact.stop()), solver_[i].force[0]};
      continue;
    }
    Vec force{};
    for (std::size_t r = 0; r < contact.rows; ++r) force = force + solver_[i].force[r] * contact.direction[r];
    add_push(contact.body_b, contact.point, force);
    add_push(contact.body_a, contact.point, -force);
  }
  std::array<simulate::PortWrench, 2 * kMost> wrenches;
  for (std::size_t i = 0; i < push_count_; ++i)
    wrenches[i] = {port_of_body_[static_cast<std::size_t>(pushes_[i].body)], pushes_[i].wrench};
  return acting_.hold({wrenches.data(), push_count_});
}

void PressedContacts::arrive(TimeStepping& stepping, const simulate::State& arrived) noexcept {
  const Terms& terms = stepping.terms_at(arrived);
  for (std::size_t i = 0; i < count_; ++i) {
    Contact& contact = contacts_[i];
    std::fill_n(contact.way, 3, 0.0);
    if (contact.is_stop()) {
      contact.way[0] = terms.Phi(static_cast<std::size_t>(model_.row_of_stop[contact.stop()])) - contact.gap;
      solver_[i].excess[0] = contact.gap + contact.way[0] - (std::min(contact.gap, 0.0) - kInside);
      continue;
    }
    for (const bool second : {false, true}) {
      const int body = second ? contact.body_b : contact.body_a;
      const double* to = pose_of(terms, body);
      if (to == nullptr) continue;
      const double* from = &poses_[12 * static_cast<std::size_t>(body)];
      const Way way = way_between(from, to);
      const Vec arm = contact.point - place_at(from);
      for (std::size_t r = 0; r < contact.rows; ++r)
        contact.way[r] += (second ? 1.0 : -1.0) * (dot(contact.direction[r], way.along) +
                                                   dot(cross(arm, contact.direction[r]), way.turned));
    }
    solver_[i].excess[0] = contact.gap + contact.way[0] - (std::min(contact.gap, 0.0) - kInside);
    for (std::size_t r = 1; r < contact.rows; ++r) solver_[i].excess[r] = contact.way[r];
  }
}

double PressedContacts::depth() const noexcept {
  double deepest = 0.0;
  for (std::size_t i = 0; i < count_; ++i) deepest = std::max(deepest, -contacts_[i].gap);
  return deepest;
}

double PressedContacts::sunk() const noexcept {
  double most = 0.0;
  for (std::size_t i = 0; i < count_; ++i) most = std::max(most, -solver_[i].excess[0]);
  return most;
}

bool PressedContacts::fit() const noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    const PressSolver::Contact& c = solver_[i];
    if (!(c.excess[0] >= -kInside) || (c.force[0] > 0.0 && !(c.excess[0] <= kInside))) return false;
    if (c.rows == 1 || !(c.force[0] > 0.0)) continue;
    const double slip = std::hypot(c.excess[1], c.excess[2]), force = std::hypot(c.force[1], c.force[2]),
                 most = c.mu * c.force[0];
    if (force > (1.0 + kAtLimit) * most) return false;
    if (slip <= kInside) continue;
    const double along = c.excess[1] * c.force[1] + c.excess[2] * c.force[2];
    if (force < (1.0 - kAtLimit) * most || !(along <= -kAgainst * slip * force)) return false;
  }
  return work() <= 0.0;
}

void PressedContacts::leave_friction_out() noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    contacts_[i].rows = solver_[i].rows = 1;
    solver_[i].force[1] = solver_[i].force[2] = solver_[i].excess[1] = solver_[i].excess[2] = 0.0;
  }
}

void PressedContacts::forget_best() noexcept { best_sunk_ = kGoodEnough; }

void PressedContacts::note_best() noexcept {
  if (!(sunk() < best_sunk_) || !(work() <= 0.0)) return;
  best_sunk_ = sunk();
  for (std::size_t i = 0; i < count_; ++i) std::copy_n(solver_[i].force, 3, best_[i].begin());
}

bool PressedContacts::take_best() noexcept {
  if (!(best_sunk_ < kGoodEnough)) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::array<double, 3>& force = best_[i];
    contacts_[i].rows = solver_[i].rows = solver_[i].mu > 0.0 ? 3 : 1;
    std::copy_n(force.begin(), 3, solver_[i].force);
  }
  return true;
}

/// How the step answers the forces; false where it does not tell.
bool PressedContacts::ask(simulate::Simulation& motion) noexcept {
  for (std::size_t k = 0; k < count_; ++k)
    for (std::size_t s = 0; s < contacts_[k].rows; ++s) {
      if (!motion.respond(&rows_[(3 * k + s) * nv_], change_.data())) return false;
      for (std::size_t i = 0; i < count_; ++i)
        for (std::size_t r = 0; r < contacts_[i].rows; ++r)
          solver_.answer(i, r, k, s) =
              0.5 * step_ * math::dot(&rows_[(3 * i + r) * nv_], change_.data(), nv_);
    }
  return true;
}

bool PressedContacts::improve(simulate::Simulation& motion, int pass) noexcept {
  const bool answers = ask(motion);
  if (pass == 0 && !answers) return false;
  if (pass > 1 || !answers) solver_.learn();
  if (!solver_.solve(kEnough * kInside)) return false;
  std::fill(force_.begin(), force_.end(), 0.0);
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t r = 0; r < contacts_[i].rows; ++r)
      for (std::size_t k = 0; k < nv_; ++k)
        force_[k] += (solver_[i].force[r] - solver_[i].force_before[r]) * rows_[(3 * i + r) * nv_ + k];
  if (!motion.respond(force_.data(), change_.data())) return true;
  for (std::size_t k = 0; k < nv_; ++k) change_[k] += motion.state().u[k];
  motion.expect(change_.data());
  return true;
}

double PressedContacts::work() const noexcept {
  double work = 0.0;
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t r = 0; r < contacts_[i].rows; ++r) work += solver_[i].force[r] * contacts_[i].way[r];
  return work;
}

void PressedContacts::keep() noexcept {
  memory_.count = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Contact& contact = contacts_[i];
    if (!(solver_[i].force[0] > 0.0)) continue;
    Force& kept = memory_.forces[memory_.count++];
    kept = {contact.pair, contact.id, {}};
    for (std::size_t r = 0; r < contact.rows; ++r) {
      kept.force = kept.force + solver_[i].force[r] * contact.direction[r];
      (r == 0 ? memory_.normal_work : memory_.friction_work) += solver_[i].force[r] * contact.way[r];
    }
  }
}

}  // namespace tactus::contact
