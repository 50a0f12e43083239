// The contacts of a step: from near features to rows, friction directions, the velocities asked for, and the
// impulses of the step before.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {
namespace {

using Vec = math::Vec3<double>;

// Mobility along a tangent, as a part of that along the other, below which it leads nowhere (planar scenes).
constexpr double kPlanar = 1e-8;
constexpr double kAtRest = 1e-9;  // [m/s]
// Speeds of a step add this part to the distance within which features are looked for: both bodies move.
constexpr double kBothMove = 2.0;

constexpr std::size_t kFreeBody = 6;  // speeds of most blocks

/// G += wrench^T rows, rows [6 x stride].
template <class Stride>
void add_wrench(Stride stride, const double* wrench, const double* rows, double* G) {
  for (std::size_t c = 0; c < 6; ++c)
    for (std::size_t i = 0; i < stride; ++i) G[i] += wrench[c] * rows[c * stride + i];
}

bool before(int pair_a, std::uint64_t id_a, int pair_b, std::uint64_t id_b) {
  return pair_a != pair_b ? pair_a < pair_b : id_a < id_b;
}

}  // namespace

double TimeStepping::search_margin() const {
  double fastest = 0.0;
  for (std::size_t i = 0; i < kernel_.bodies.size(); ++i) {
    const double* V = terms_.values().data() + kernel_.bodies[i].V;
    fastest = std::max(fastest, std::sqrt(V[3] * V[3] + V[4] * V[4] + V[5] * V[5]) +
                                    reach_[i] * std::sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]));
  }
  return options_.margin + kBothMove * options_.step * fastest;
}

/// False where there are more than there is room for.
bool TimeStepping::gather() {
  solver_.clear();
  recalled_ = 0;
  ++gathered_;
  // In the order of their pairs, -1 - stop: the order in which impulses are recalled.
  for (std::size_t stop = contact_model_.row_of_stop.size(); stop-- > 0;)
    if (contact_model_.row_of_stop[stop] >= 0 &&
        !add_stop(static_cast<std::size_t>(contact_model_.row_of_stop[stop])))
      return false;
  if (scene_ == nullptr) return add_joint_friction();
  update_scene();
  const double margin = search_margin();
  const auto look = [&] {
    return scene_->near(margin, any_asleep_ ? std::span<const char>(still_) : std::span<const char>());
  };
  std::span<const collide::Proximity> near = look();
  while (any_asleep_ && wake_by_contact(near)) near = look();
  for (const collide::Proximity& proximity : near)
    if (!add_proximity(proximity)) return false;
  return !scene_->overflowed() && add_joint_friction();
}

/// A stop is the gap of a switched-off row of constraints (contact_model.h).
bool TimeStepping::add_stop(std::size_t row) {
  const double gap = terms_.Phi(row), rate = terms_.velocity(row);
  if (gap + options_.step * rate > options_.margin) return true;
  SweepSolver::Contact* contact = solver_.add();
  if (contact == nullptr) return false;
  const int index = contact_model_.stop_of_row[row];
  const describe::JointStop& stop = contact_model_.model.contact.stops[static_cast<std::size_t>(index)];
  Near& near = near_[solver_.contacts().size() - 1];
  near = {};
  near.about.pair = -1 - index;
  near.about.gap = gap;
  const auto [block, position] = kernel_.place_of_row[row];
  const TermsKernel::Block& speeds = kernel_.blocks[static_cast<std::size_t>(block)];
  const std::size_t n = speeds.speeds.size();
  contact->block[0] = block;
  const double* A = terms_.values().data() + speeds.A + static_cast<std::size_t>(position) * n;
  std::fill_n(contact->G[0], solver_.stride(block), 0.0);
  std::copy_n(A, n, contact->G[0]);
  metrics_[static_cast<std::size_t>(block)].whiten(contact->G[0]);
  solver_.prepare(*contact);
  near.before[0] = near.free[0] = rate;
  for (std::size_t i = 0; i < n; ++i) {
    const auto speed = static_cast<std::size_t>(speeds.speeds[i]);
    near.free[0] += A[i] * (u_free_[place_[speed]] - state_.u[speed]);
    near.shift += A[i] * shift_[speed];
  }
  near.closing = -rate;
  near.restitution = near.closing > stop.rest_speed ? stop.restitution : 0.0;
  set_bias(*contact, near);
  recall(*contact, near);
  solver_.update(*contact);
  return true;
}

bool TimeStepping::add_proximity(const collide::Proximity& proximity) {
  const int block_a = block_of(proximity.body_a), block_b = block_of(proximity.body_b);
  if (block_a < 0 && block_b < 0) return true;
  SweepSolver::Contact* contact = solver_.add();
  if (contact == nullptr) return false;
  Near& near = near_[solver_.contacts().size() - 1];
  near = {};
  const describe::ContactLaw& law =
      contact_model_.model.contact.pairs[static_cast<std::size_t>(proximity.pair)].law;
  near.law = &law;
  near.about = {proximity.pair,   proximity.id,
                proximity.body_a, proximity.body_b,
                proximity.gap,    proximity.point,
                proximity.normal, {},
                Mode::sliding,    false};

  // Any two directions across the normal; the bodies' velocities at the point, one against the other.
  const Vec n = proximity.normal;
  const std::size_t least = std::abs(n.x) <= std::abs(n.y) && std::abs(n.x) <= std::abs(n.z) ? 0
                            : std::abs(n.y) <= std::abs(n.z)                                 ? 1
                                                                                             : 2;
  const Vec across = cross(n, Vec::unit(least));
  near.tangent[0] = (1.0 / std::sqrt(dot(across, across))) * across;
  near.tangent[1] = cross(n, near.tangent[0]);
  contact->block[0] = block_b >= 0 ? block_b : block_a;
  contact->block[1] = block_b >= 0 && block_a >= 0 && block_a != block_b ? block_a : -1;
  const bool rubs = law.friction > 0.0 || law.static_friction > 0.0;
  contact->size = rubs ? 3 : 1;
  if (law.rendering == describe::Rendering::compliant)
    contact->compliance = 1.0 / (options_.step * (options_.step * law.stiffness + law.damping));
  for (int side = 0; side < 2; ++side)
    if (contact->block[side] >= 0)
      std::fill_n(contact->G[side],
                  static_cast<std::size_t>(contact->size) * solver_.stride(contact->block[side]), 0.0);
  add_body_rows(*contact, near, proximity.body_b, 1.0);
  add_body_rows(*contact, near, proximity.body_a, -1.0);
  solver_.prepare(*contact);
  if (rubs) contact->size = choose_tangents(*contact, near);
  const double speed2 =
      near.before[0] * near.before[0] + near.before[1] * near.before[1] + near.before[2] * near.before[2];
  double forced2 = 0.0;
  for (int r = 0; r < 3; ++r) forced2 += (near.free[r] - near.before[r]) * (near.free[r] - near.before[r]);
  contact->forced = std::sqrt(forced2);
  near.closing = -near.before[0];
  near.restitution = near.closing > law.rest_speed ? law.restitution : 0.0;
  // At the start nothing is remembered: what touches and is at rest has the friction of sticking.
  const bool rests = proximity.gap <= options_.slop && speed2 <= kAtRest * kAtRest;
  contact->mu = rests ? std::max(law.friction, law.static_friction) : law.friction;
  set_bias(*contact, near);
  recall(*contact, near);
  solver_.update(*contact);
  return true;
}

/// The rows of a body's twist as impulses see them (block_metric.h), and the twists that do not come from
/// impulses: once per step and body.
const TimeStepping::Touching& TimeStepping::touching(int slot) {
  Touching& touching = touching_[static_cast<std::size_t>(slot)];
  if (touching.step == gathered_) return touching;
  touching.step = gathered_;
  const TermsKernel::Body& body = kernel_.bodies[static_cast<std::size_t>(slot)];
  const std::vector<int>& speeds = kernel_.blocks[static_cast<std::size_t>(body.block)].speeds;
  const BlockMetric& metric = metrics_[static_cast<std::size_t>(body.block)];
  const std::size_t n = speeds.size(), stride = solver_.stride(body.block);
  const double* J = terms_.values().data() + body.J;
  for (std::size_t c = 0; c < 6; ++c) {
    double* row = twist_rows_.data() + static_cast<std::size_t>(slot) * twist_size_ + c * stride;
    touching.free[c] = touching.shift[c] = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto speed = static_cast<std::size_t>(speeds[i]);
      touching.free[c] += J[c * n + i] * (u_free_[place_[speed]] - state_.u[speed]);
      touching.shift[c] += J[c * n + i] * shift_[speed];
      row[i] = J[c * n + i];
    }
    if (n < stride) row[n] = 0.0;
    metric.whiten(row);
  }
  return touching;
}

/// Adds a body's part to the rows, and to the velocities, of its material at the point along the directions.
void TimeStepping::add_body_rows(SweepSolver::Contact& contact, Near& near, int index, double sign) {
  const int slot = kernel_.body_slot[static_cast<std::size_t>(index)];
  if (slot < 0) return;
  const TermsKernel::Body& body = kernel_.bodies[static_cast<std::size_t>(slot)];
  const double* X = terms_.values().data() + body.X;
  const double* V = terms_.values().data() + body.V;
  const Vec arm = near.about.point - Vec{X[3], X[7], X[11]};
  const Vec* directions[3] = {&near.about.normal, &near.tangent[0], &near.tangent[1]};
  const Touching* moving = body.block < 0 ? nullptr : &touching(slot);
  for (int r = 0; r < 3; ++r) {
    const Vec& d = *directions[r];
    const Vec moment = cross(arm, d);
    const double wrench[6] = {sign * moment.x, sign * moment.y, sign * moment.z,
                              sign * d.x,      sign * d.y,      sign * d.z};
    double before = 0.0;
    for (int c = 0; c < 6; ++c) before += wrench[c] * V[c];
    near.before[r] += before;
    near.free[r] += before;
    if (moving == nullptr) continue;
    for (int c = 0; c < 6; ++c) near.free[r] += wrench[c] * moving->free[c];
    if (r == 0)
      for (int c = 0; c < 6; ++c) near.shift += wrench[c] * moving->shift[c];
    if (r >= contact.size) continue;
    const int side = contact.block[0] == body.block ? 0 : 1;
    const std::size_t stride = solver_.stride(body.block);
    const double* rows = twist_rows_.data() + static_cast<std::size_t>(slot) * twist_size_;
    double* G = contact.G[side] + static_cast<std::size_t>(r) * stride;
    if (stride == kFreeBody)
      add_wrench(std::integral_constant<std::size_t, kFreeBody>{}, wrench, rows, G);
    else
      add_wrench(stride, wrench, rows, G);
  }
}

/// Rows that the contact needs. In planar scenes one direction of slip leads nowhere: t1 becomes the other.
int TimeStepping::choose_tangents(SweepSolver::Contact& contact, Near& near) const {
  const double xx = contact.local.W[4], xy = contact.local.W[5], yy = contact.local.W[8];
  const double mean = 0.5 * (xx + yy), half = 0.5 * (xx - yy), spread = std::hypot(half, xy);
  if (!(mean + spread > 0.0)) return 1;
  if (mean - spread > kPlanar * (mean + spread)) return 3;
  const double angle = 0.5 * std::atan2(xy, half), c = std::cos(angle), s = std::sin(angle);
  near.tangent[0] = c * near.tangent[0] + s * near.tangent[1];
  near.before[1] = c * near.before[1] + s * near.before[2];
  near.free[1] = c * near.free[1] + s * near.free[2];
  for (int side = 0; side < 2; ++side) {
    if (contact.block[side] < 0) continue;
    const std::size_t n = solver_.stride(contact.block[side]);
    double* G = contact.G[side];
    for (std::size_t i = 0; i < n; ++i) G[n + i] = c * G[n + i] + s * G[2 * n + i];
  }
  contact.size = 2;
  solver_.prepare(contact);
  return 2;
}

/// What the velocity at the end of the step is measured from.
void TimeStepping::set_bias(SweepSolver::Contact& contact, Near& near) const {
  if (near.axis >= 0) {
    contact.b[0] = -contact.compliance * near.limit;
    contact.b[1] = near.free[1];
    return;
  }
  const double h = options_.step, gap = near.about.gap;
  std::copy_n(near.free, contact.size, contact.b);
  const double free = near.free[0];
  near.strikes = near.restitution > 0.0 && gap + h * std::min(free, -near.closing) < 0.0;
  if (contact.compliance > 0.0) {
    // p = -(k (gap + h v) + d v) h, never pulling; before they touch, nothing.
    const describe::ContactLaw& law = *near.law;
    const bool reached = gap + h * free < 0.0;
    contact.b[0] += gap * (reached ? law.stiffness / (h * law.stiffness + law.damping) : 1.0 / h);
    near.strikes = false;
  } else if (near.strikes) {
    if (!near.poisson()) contact.b[0] -= near.restitution * near.closing;
  } else {
    contact.b[0] += std::max(gap - options_.play, 0.0) / h;
  }
}

/// The impulse of the same features in the step before is the guess; what stuck has the friction of sticking.
void TimeStepping::recall(SweepSolver::Contact& contact, Near& near) {
  const int pair = near.about.pair;
  while (recalled_ < contact_count_ &&
         before(contacts_[recalled_].pair, contacts_[recalled_].id, pair, near.about.id))
    ++recalled_;
  if (recalled_ == contact_count_ || contacts_[recalled_].pair != pair ||
      contacts_[recalled_].id != near.about.id)
    return;
  const StepContact& last = contacts_[recalled_];
  near.stuck = last.mode == Mode::sticking;
  if (near.law != nullptr && last.mode == Mode::sticking)
    contact.mu = std::max(near.law->friction, near.law->static_friction);
  if (near.strikes || last.struck) return;
  if (near.law == nullptr) {
    contact.p[0] = last.impulse.x;
    return;
  }
  contact.p[0] = std::max(0.0, dot(last.impulse, near.about.normal));
  for (int r = 1; r < contact.size; ++r) contact.p[r] = dot(last.impulse, near.tangent[r - 1]);
}

/// [m/s], [rad/s] With which shapes, or a joint and its stop, came together where the step began. Where a smooth step went before, the speeds now are others, by what was pressed along it.
double TimeStepping::closing_of_step(const Near& near) const {
  if (near.law != nullptr && near.law->rendering == describe::Rendering::compliant) return 0.0;
  double closing = near.closing;
  if (moved_ != 0.0) return std::max(0.0, closing);
  const auto along = [&](const TermsKernel::Block& block, const double* row) {
    double sum = 0.0;
    for (std::size_t i = 0; i < block.speeds.size(); ++i) {
      const auto speed = static_cast<std::size_t>(block.speeds[i]);
      sum += row[i] * (before_meeting_.u[speed] - state_.u[speed]);
    }
    return sum;
  };
  if (near.law == nullptr) {
    const int row = contact_model_.row_of_stop[static_cast<std::size_t>(-1 - near.about.pair)];
    const auto [k, position] = kernel_.place_of_row[static_cast<std::size_t>(row)];
    const TermsKernel::Block& block = kernel_.blocks[static_cast<std::size_t>(k)];
    closing -= along(
        block, terms_.values().data() + block.A + static_cast<std::size_t>(position) * block.speeds.size());
    return std::max(0.0, closing);
  }
  for (const auto& [index, sign] : {std::pair{near.about.body_b, 1.0}, {near.about.body_a, -1.0}}) {
    const int slot = kernel_.body_slot[static_cast<std::size_t>(index)];
    if (slot < 0) continue;
    const TermsKernel::Body& body = kernel_.bodies[static_cast<std::size_t>(slot)];
    if (body.block < 0) continue;
    const TermsKernel::Block& block = kernel_.blocks[static_cast<std::size_t>(body.block)];
    const double* X = terms_.values().data() + body.X;
    const double* J = terms_.values().data() + body.J;
    const Vec n = near.about.normal, moment = cross(near.about.point - Vec{X[3], X[7], X[11]}, n);
    const double wrench[6] = {moment.x, moment.y, moment.z, n.x, n.y, n.z};
    for (std::size_t c = 0; c < 6; ++c)
      closing -= sign * wrench[c] * along(block, J + c * block.speeds.size());
  }
  return std::max(0.0, closing);
}

/// This step's contacts, and those of bodies that sleep as they were, in order.
void TimeStepping::remember() {
  next_count_ = 0;
  std::size_t old = 0;
  const auto keep_sleepers = [&](int pair, std::uint64_t id, bool all) {
    for (; old < contact_count_ && (all || before(contacts_[old].pair, contacts_[old].id, pair, id)); ++old) {
      const StepContact& last = contacts_[old];
      if (any_asleep_ && last.pair >= 0 && still_[static_cast<std::size_t>(last.body_a)] != 0 &&
          still_[static_cast<std::size_t>(last.body_b)] != 0 && next_count_ < next_contacts_.size())
        (next_contacts_[next_count_++] = last).met = 0.0;
    }
  };
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    const SweepSolver::Contact& contact = solver_.contacts()[i];
    if (!(contact.p[0] > 0.0) || near_[i].axis >= 0) continue;
    StepContact about = near_[i].about;
    about.mode = contact.mode == ConeMode::sticking ? Mode::sticking : Mode::sliding;
    about.struck = near_[i].strikes;
    about.met = closing_of_step(near_[i]);
    if (near_[i].law == nullptr) {
      about.impulse = {contact.p[0], 0.0, 0.0};
    } else {
      about.impulse = contact.p[0] * about.normal;
      for (int r = 1; r < contact.size; ++r)
        about.impulse = about.impulse + contact.p[r] * near_[i].tangent[r - 1];
    }
    keep_sleepers(about.pair, about.id, false);
    if (old < contact_count_ && contacts_[old].pair == about.pair && contacts_[old].id == about.id) ++old;
    if (next_count_ < next_contacts_.size()) next_contacts_[next_count_++] = about;
  }
  keep_sleepers(0, 0, true);
}

}  // namespace tactus::contact
