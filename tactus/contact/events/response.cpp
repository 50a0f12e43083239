#include <tactus/contact/events/response.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus::contact {

namespace {

/// Where only the modes are asked for: forces follow from them.
constexpr ConeOptions kModesOnly{.tolerance = 1e-13, .most_sweeps = 100, .most_newton_steps = 6};

}  // namespace

Response::Response(const ContactModel& contact_model, ContactMotion& motion)
    : row_leaves(contact_model.terms.rows.size(), 0),
      contact_model_(contact_model),
      motion_(motion),
      delassus_(contact_model.terms, contact_model.terms.rows.size() + motion.most_touches(),
                contact_model.terms.rows.size() + 3 * motion.most_touches()),
      impact_(motion.most_touches() + contact_model.row_of_stop.size()),
      cone_(motion.most_touches() + contact_model.row_of_stop.size(), kModesOnly),
      islands_(contact_model.terms.blocks.size(), motion.most_touches() + contact_model.row_of_stop.size()),
      excused_(motion.most_touches() + contact_model.terms.rows.size(), 0),
      taken_(excused_.size(), 0),
      mended_(excused_.size(), 0),
      velocity_(contact_model.terms.rows.size() + 3 * motion.most_touches()),
      impulse_(velocity_.size()),
      after_(velocity_.size()),
      du_(static_cast<std::size_t>(contact_model.terms.nv)),
      rows_(3 * du_.size()),
      all_(du_.size()),
      kept_(du_.size()) {
  members_.reserve(motion.most_touches() + contact_model.row_of_stop.size());
  contacts_.reserve(members_.capacity());
  sizes_.reserve(members_.capacity());
  mu_.reserve(members_.capacity());
  kept_modes_.reserve(motion.most_touches());
  kept_slips_.reserve(motion.most_touches());
  kept_rows_.resize(contact_model.terms.rows.size());
}

/// Bilateral rows, and everything that touches, in the metric of the mass matrix.
void Response::gather(bool all) {
  const Terms& terms = motion_.terms();
  const std::size_t n = du_.size();
  delassus_.begin(terms);
  members_.clear();
  contacts_.clear();
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    if (motion_.row_on[row] == 0 || contact_model_.stop_of_row[row] >= 0) continue;
    terms.constraint_row(row, rows_.data());
    delassus_.add_bilateral(rows_.data(), -terms.velocity(row), terms.kernel().rows[row].size);
  }
  std::size_t m = 0;
  const int pairs = static_cast<int>(contact_model_.model.contact.pairs.size());
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    const Touch& touch = motion_.touches[i];
    if (!touch.rigid() || !(touch.motion.gap <= kTouchingGap) || (!all && taken_[i] == 0)) continue;
    const std::size_t size = touch.law->friction > 0.0 ? 1 + touch.tangents : 1;
    members_.push_back({static_cast<int>(i), -1, m, size});
    const double by_weight = coarse > 0.0 ? -2.0 * coarse * motion_.touch_acceleration(touch, 0) : 0.0;
    contacts_.push_back({static_cast<int>(size), touch.pair, touch.law->friction, touch.law->restitution,
                         std::max(touch.law->rest_speed, by_weight), touch.law->restitution_law});
    contact_rows(terms, touch.body_a, touch.body_b, touch.motion, size, rows_.data());
    for (std::size_t k = 0; k < size; ++k) {
      delassus_.add_row(rows_.data() + k * n);
      velocity_[m++] = touch.motion.rate[k];
    }
  }
  for (std::size_t i = 0; i < contact_model_.row_of_stop.size(); ++i) {
    if (contact_model_.row_of_stop[i] < 0) continue;
    const auto row = static_cast<std::size_t>(contact_model_.row_of_stop[i]);
    if (!(terms.Phi(row) <= kTouchingGap) || (!all && taken_[motion_.most_touches() + row] == 0)) continue;
    const describe::JointStop& stop = contact_model_.model.contact.stops[i];
    members_.push_back({-1, static_cast<int>(row), m, 1});
    const double by_weight = coarse > 0.0 ? -2.0 * coarse * motion_.row_acceleration(row) : 0.0;
    contacts_.push_back({1, pairs + static_cast<int>(i), 0.0, stop.restitution,
                         std::max(stop.rest_speed, by_weight), describe::RestitutionLaw::newton});
    terms.constraint_row(row, rows_.data());
    delassus_.add_row(rows_.data());
    velocity_[m++] = terms.velocity(row);
  }
}

bool Response::strike(double t, double* u, std::vector<Event>& events, Books& books) {
  const std::size_t n = du_.size();
  gather();
  const double energy_before = motion_.kinetic_energy(u);
  bool changed = false;
  // What the bilateral constraints ask for comes first: the contacts then act on what they allow.
  double off = 0.0;
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row)
    if (motion_.row_on[row] != 0 && contact_model_.stop_of_row[row] < 0)
      off = std::max(off, std::abs(motion_.terms().velocity(row)));
  if (off > kRestingRate) {
    delassus_.strike(du_.data());
    for (std::size_t i = 0; i < n; ++i) u[i] += du_[i];
    velocities_of_rows(du_.data());
    changed = true;
  }
  double closing = 0.0;
  for (const Member& member : members_) closing = std::max(closing, -velocity_[member.first]);
  if (closing > kRestingRate) {
    const std::size_t m = delassus_.rows();
    const ImpactProblem problem{contacts_, delassus_.W(), {velocity_.data(), m}, false};
    for (const Member& member : members_) {
      if (member.touch < 0) continue;
      Touch& touch = motion_.touches[static_cast<std::size_t>(member.touch)];
      touch.approach = std::max(0.0, -velocity_[member.first]);
      touch.mobility = delassus_.W()[member.first * m + member.first];
    }
    impact_.set_most_work(work_left());
    work_ += impact_.solve(problem, {impulse_.data(), m}, {after_.data(), m}).work;
    delassus_.apply(impulse_.data(), du_.data());
    for (std::size_t i = 0; i < n; ++i) u[i] += du_[i];
    changed = true;
    if (end_rocking()) {
      for (std::size_t i = 0; i < n; ++i) u[i] += du_[i];
    }
  }
  if (!changed) return false;
  const double loss = energy_before - motion_.kinetic_energy(u);
  books.impact_loss += loss;
  if (!(closing > kRestingRate)) return true;
  for (const Member& member : members_) {
    const double impulse = impulse_[member.first];
    if (!(impulse > 0.0)) continue;
    ++books.impacts;
    if (events.size() == events.capacity()) continue;
    Event event;
    event.t = t;
    event.kind = EventKind::impact;
    event.pair = member.touch >= 0 ? motion_.touches[static_cast<std::size_t>(member.touch)].pair : -1;
    event.id = member.touch >= 0 ? motion_.touches[static_cast<std::size_t>(member.touch)].id : 0;
    event.stop = member.row >= 0 ? contact_model_.stop_of_row[static_cast<std::size_t>(member.row)] : -1;
    event.approach = velocity_[member.first];
    event.departure = after_[member.first];
    event.impulse = impulse;
    for (std::size_t k = 1; k < member.size; ++k)
      event.friction_impulse = std::hypot(event.friction_impulse, impulse_[member.first + k]);
    event.loss = loss;
    event.bounce_end = t;
    events.push_back(event);
  }
  return true;
}

/// A box that rocks from one corner to the other does so for ever, in shorter and shorter times. Where all
/// that closes does so below the rest speed, the corners of a pair that touch are brought to rest together:
/// the smallest change of the speeds, in du_. False where there is nothing to end.
bool Response::end_rocking() {
  int pair = -1;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const double closing = -velocity_[members_[i].first];
    if (closing <= kRestingRate) continue;
    if (closing >= contacts_[i].rest_speed) return false;
    pair = contacts_[i].pair;
  }
  bool leaves = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const double after = after_[members_[i].first];
    leaves = leaves || (contacts_[i].pair == pair && after > kRestingRate && after < contacts_[i].rest_speed);
  }
  if (!leaves) return false;
  const Terms& terms = motion_.terms();
  delassus_.begin(terms);
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    if (motion_.row_on[row] == 0 || contact_model_.stop_of_row[row] >= 0) continue;
    terms.constraint_row(row, rows_.data());
    delassus_.add_bilateral(rows_.data(), 0.0, terms.kernel().rows[row].size);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    double& after = after_[member.first];
    if (contacts_[i].pair != pair || member.touch < 0 || !(after < contacts_[i].rest_speed)) continue;
    const Touch& touch = motion_.touches[static_cast<std::size_t>(member.touch)];
    contact_rows(terms, touch.body_a, touch.body_b, touch.motion, 1, rows_.data());
    delassus_.add_bilateral(rows_.data(), -after, 0.0);
    after = 0.0;
  }
  delassus_.strike(du_.data());
  return true;
}

/// The contacts' velocities after a change of the speeds.
void Response::velocities_of_rows(const double* du) {
  const Terms& terms = motion_.terms();
  const std::size_t n = du_.size();
  const auto moved = [&](const double* row) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += row[i] * du[i];
    return sum;
  };
  for (const Member& member : members_) {
    if (member.touch >= 0) {
      const Touch& touch = motion_.touches[static_cast<std::size_t>(member.touch)];
      contact_rows(terms, touch.body_a, touch.body_b, touch.motion, member.size, rows_.data());
    } else {
      terms.constraint_row(static_cast<std::size_t>(member.row), rows_.data());
    }
    for (std::size_t k = 0; k < member.size; ++k) velocity_[member.first + k] += moved(rows_.data() + k * n);
  }
}

void Response::propose() {
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    Touch& touch = motion_.touches[i];
    if (!touch.rigid()) continue;
    const Hint hint = std::exchange(touch.hint, Hint::none);
    const bool rests = touch.motion.gap <= kTouchingGap && touch.motion.rate[0] <= kRestingRate;
    if (!rests || hint == Hint::leaves) {
      touch.mode = Mode::apart;
      continue;
    }
    const double slip = touch.tangents == 0   ? 0.0
                        : touch.tangents == 1 ? std::abs(touch.motion.rate[1])
                                              : std::hypot(touch.motion.rate[1], touch.motion.rate[2]);
    if (touch.tangents == 0 || !(touch.law->static_friction > 0.0)) {
      touch.mode = Mode::sliding;
      touch.slip = {};
    } else if (hint == Hint::stops && slip <= kStoppedSlip) {
      touch.mode = Mode::sticking;  // what is left of the slip is taken out with the step
    } else if (slip > kRestingRate) {
      touch.mode = Mode::sliding;
      touch.slip = {touch.motion.rate[1] / slip, touch.tangents == 2 ? touch.motion.rate[2] / slip : 0.0};
    } else if (const std::array<double, 3>& f = motion_.touch_force(i);
               hint == Hint::slips && (f[1] != 0.0 || f[2] != 0.0)) {  // against its friction
      const double friction = touch.tangents == 1 ? std::abs(f[1]) : std::hypot(f[1], f[2]);
      touch.mode = Mode::sliding;
      touch.slip = {-f[1] / friction, touch.tangents == 2 ? -f[2] / friction : 0.0};
    } else {
      touch.mode = Mode::sticking;
    }
  }
  for (const int row : contact_model_.row_of_stop) {
    if (row < 0) continue;
    const auto k = static_cast<std::size_t>(row);
    motion_.row_on[k] =
        motion_.terms().Phi(k) <= kTouchingGap && motion_.terms().velocity(k) <= kRestingRate ? 1 : 0;
    if (std::exchange(row_leaves[k], 0) != 0) motion_.row_on[k] = 0;
  }
}

/// One law that the accelerations break is mended: first pulling contacts let go (the worst), then
/// approaching ones are taken up, then friction.
Response::Change Response::amend() {
  double force = 0.0, acceleration = 0.0;
  for (std::size_t i = 0; i < motion_.touches.size(); ++i)
    for (const double f : motion_.touch_force(i)) force = std::max(force, std::abs(f));
  for (const int row : contact_model_.row_of_stop)
    if (row >= 0) force = std::max(force, std::abs(motion_.row_force(static_cast<std::size_t>(row))));
  for (std::size_t i = 0; i < du_.size(); ++i)
    acceleration = std::max(acceleration, std::abs(motion_.udot()[i]));
  const double no_force = kForceRounding * force,
               no_acceleration = kAccelerationRounding * (1.0 + acceleration);

  int worst_touch = -1, worst_row = -1;
  double worst = -no_force;
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    const Touch& touch = motion_.touches[i];
    if (!touch.rigid() || !touch.touching() || !(motion_.touch_force(i)[0] < worst) || is_excused(i))
      continue;
    worst = motion_.touch_force(i)[0];
    worst_touch = static_cast<int>(i);
  }
  for (const int row : contact_model_.row_of_stop) {
    if (row < 0 || motion_.row_on[static_cast<std::size_t>(row)] == 0) continue;
    if (!(motion_.row_force(static_cast<std::size_t>(row)) < worst)) continue;
    if (is_stop_excused(static_cast<std::size_t>(row))) continue;
    worst = motion_.row_force(static_cast<std::size_t>(row));
    worst_touch = -1;
    worst_row = row;
  }
  const auto mended = [&](std::size_t place) {
    mended_[place] = 1;
    return Change::made;
  };
  if (worst_row >= 0) {
    motion_.row_on[static_cast<std::size_t>(worst_row)] = 0;
    return mended(motion_.most_touches() + static_cast<std::size_t>(worst_row));
  }
  if (worst_touch >= 0) {
    motion_.touches[static_cast<std::size_t>(worst_touch)].mode = Mode::apart;
    return mended(static_cast<std::size_t>(worst_touch));
  }

  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    Touch& touch = motion_.touches[i];
    if (!touch.rigid() || touch.touching()) continue;
    if (!(touch.motion.gap <= kTouchingGap) || !(touch.motion.rate[0] <= kRestingRate)) continue;
    if (!(motion_.touch_acceleration(touch, 0) < -no_acceleration)) continue;
    touch.mode = touch.tangents > 0 && touch.law->static_friction > 0.0 ? Mode::sticking : Mode::sliding;
    return mended(i);
  }
  for (const int row : contact_model_.row_of_stop) {
    if (row < 0) continue;
    const auto k = static_cast<std::size_t>(row);
    if (motion_.row_on[k] != 0 || !(motion_.terms().Phi(k) <= kTouchingGap) ||
        !(motion_.terms().velocity(k) <= kRestingRate))
      continue;
    if (!(motion_.row_acceleration(k) < -no_acceleration)) continue;
    motion_.row_on[k] = 1;
    return mended(motion_.most_touches() + k);
  }

  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    Touch& touch = motion_.touches[i];
    if (!touch.rigid() || !touch.touching() || touch.tangents == 0) continue;
    const std::array<double, 3>& f = motion_.touch_force(i);
    if (touch.mode == Mode::sticking) {
      const double friction = touch.tangents == 1 ? std::abs(f[1]) : std::hypot(f[1], f[2]);
      if (!(friction > touch.law->static_friction * f[0] + no_force) || is_excused(i)) continue;
      touch.mode = Mode::sliding;  // towards where friction no longer holds it
      touch.slip = {-f[1] / friction, touch.tangents == 2 ? -f[2] / friction : 0.0};
      return mended(i);
    }
    if (!(touch.law->friction > 0.0)) continue;
    const double slip = touch.tangents == 1 ? std::abs(touch.motion.rate[1])
                                            : std::hypot(touch.motion.rate[1], touch.motion.rate[2]);
    if (slip > kRestingRate) continue;
    // About to slip: in the direction of its acceleration.
    const double a1 = motion_.touch_acceleration(touch, 1);
    const double a2 = touch.tangents == 2 ? motion_.touch_acceleration(touch, 2) : 0.0;
    const double along = a1 * touch.slip[0] + a2 * touch.slip[1], size = std::hypot(a1, a2);
    if (along < -no_acceleration) {
      touch.mode = Mode::sticking;
      return mended(i);
    }
    constexpr double kTurn = 1e-10;  // of the direction
    if (touch.tangents == 2 && size > no_acceleration && along < (1.0 - kTurn) * size) {
      touch.slip = {a1 / size, a2 / size};
      return mended(i);
    }
  }
  return Change::none;
}

void Response::find_islands() {
  const TermsKernel& kernel = contact_model_.terms;
  const auto block_of = [&](int body) {
    const int slot = kernel.body_slot[static_cast<std::size_t>(body)];
    return slot < 0 ? -1 : kernel.bodies[static_cast<std::size_t>(slot)].block;
  };
  islands_.clear();
  for (const Member& member : members_) {
    if (member.touch < 0) {
      islands_.add(kernel.place_of_row[static_cast<std::size_t>(member.row)].first, -1);
      continue;
    }
    const Touch& touch = motion_.touches[static_cast<std::size_t>(member.touch)];
    const int a = block_of(touch.body_a), b = block_of(touch.body_b);
    islands_.add(b >= 0 ? b : a, b >= 0 && a != b ? a : -1);
  }
  islands_.finish();
}

/// An island's forces are excused where the cones (whose modes are in kept_modes_ and kept_rows_, whose accelerations in du_)
/// found the same modes and the same accelerations. Other accelerations: theirs is an impulse, that of a jam, and says
/// nothing about these forces.
bool Response::excuse_islands() {
  excuse_none();
  double largest = 1.0;
  for (std::size_t i = 0; i < du_.size(); ++i) largest = std::max(largest, std::abs(motion_.udot()[i]));
  bool any = false;
  for (std::size_t k = 0; k < islands_.size(); ++k) {
    bool same = true;
    for (const int m : islands_.contacts(k)) {
      const Member& member = members_[static_cast<std::size_t>(m)];
      const auto touch = static_cast<std::size_t>(member.touch), row = static_cast<std::size_t>(member.row);
      same = same && (member.touch >= 0 ? motion_.touches[touch].mode == kept_modes_[touch]
                                        : motion_.row_on[row] == kept_rows_[row]);
    }
    for (const int block : islands_.blocks(k))
      for (const int speed : contact_model_.terms.blocks[static_cast<std::size_t>(block)].speeds)
        same = same && std::abs(du_[static_cast<std::size_t>(speed)] - motion_.udot()[speed]) <=
                           kSameAcceleration * largest;
    if (!same) continue;
    any = true;
    for (const int m : islands_.contacts(k)) {
      const Member& member = members_[static_cast<std::size_t>(m)];
      excused_[member.touch >= 0 ? static_cast<std::size_t>(member.touch)
                                 : motion_.most_touches() + static_cast<std::size_t>(member.row)] = 1;
    }
  }
  return any;
}

void Response::release(bool all) {
  for (std::size_t i = 0; i < motion_.touches.size(); ++i)
    if (motion_.touches[i].rigid() && (all || taken_[i] != 0)) motion_.touches[i].mode = Mode::apart;
  for (const int row : contact_model_.row_of_stop)
    if (row >= 0 && (all || taken_[motion_.most_touches() + static_cast<std::size_t>(row)] != 0))
      motion_.row_on[static_cast<std::size_t>(row)] = 0;
}

/// Which islands have their modes chosen by cones: those in which laws were mended to no end, or, in a jam, those whose
/// modes came and went; where that is not known, those that slide, or all. In a jam the others keep the modes they had.
void Response::take_islands(bool jammed) {
  const auto take = [&](const auto& wants) {
    bool any = false;
    std::fill(taken_.begin(), taken_.end(), 0);
    for (std::size_t k = 0; k < islands_.size(); ++k) {
      const std::span<const int> contacts = islands_.contacts(k);
      if (std::none_of(contacts.begin(), contacts.end(),
                       [&](int m) { return wants(members_[static_cast<std::size_t>(m)]); }))
        continue;
      any = true;
      for (const int m : contacts) taken_[place_of(members_[static_cast<std::size_t>(m)])] = 1;
    }
    return any;
  };
  const auto of = [&](const Member& member) -> const Touch& {
    return motion_.touches[static_cast<std::size_t>(member.touch)];
  };
  const bool found =
      jammed ? take([&](const Member& m) { return m.touch >= 0 && of(m).restless; }) ||
                   take([&](const Member& m) { return m.touch >= 0 && of(m).before == Mode::sliding; })
             : take([&](const Member& m) { return mended_[place_of(m)] != 0; });
  if (!found) take([](const Member&) { return true; });
  if (!jammed) return;
  for (std::size_t i = 0; i < motion_.touches.size(); ++i)
    if (motion_.touches[i].rigid() && taken_[i] == 0) motion_.touches[i].mode = motion_.touches[i].before;
}

/// The laws over a very short time, with impulses: what slips now goes on slipping, what rests may stick,
/// slide or leave.
bool Response::choose_by_cones(double time, bool all, bool sticks) {
  gather(all);
  sizes_.clear();
  mu_.clear();
  const auto stuck = [&](const Member& member) {
    return sticks && member.touch >= 0 &&
           kept_modes_[static_cast<std::size_t>(member.touch)] == Mode::sticking;
  };
  double fastest = 0.0;
  for (const Member& member : members_) {
    sizes_.push_back(static_cast<int>(member.size));
    const describe::ContactLaw* law =
        member.touch >= 0 ? motion_.touches[static_cast<std::size_t>(member.touch)].law : nullptr;
    mu_.push_back(law == nullptr ? 0.0 : stuck(member) ? law->static_friction : law->friction);
    for (std::size_t k = 0; k < member.size; ++k) {
      double& b = velocity_[member.first + k];
      if (std::abs(b) <= kRestingRate) b = 0.0;
      b += time * (member.touch >= 0 ? motion_.touch_acceleration(
                                           motion_.touches[static_cast<std::size_t>(member.touch)], k)
                                     : motion_.row_acceleration(static_cast<std::size_t>(member.row)));
      impulse_[member.first + k] = 0.0;
      fastest = std::max(fastest, std::abs(b));
    }
  }
  const std::size_t m = delassus_.rows();
  cone_.set_fall_back(!sticks);  // other laws say nothing about whether Coulomb's holds
  cone_.set_most_work(work_left());
  const ConeResult result = cone_.solve({sizes_, mu_, {}, delassus_.W(), {velocity_.data(), m}},
                                        {impulse_.data(), m}, {after_.data(), m});
  work_ += result.work;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    const ConeMode mode = cone_.modes()[i];
    if (member.touch < 0) {
      motion_.row_on[static_cast<std::size_t>(member.row)] = mode == ConeMode::open ? 0 : 1;
      continue;
    }
    Touch& touch = motion_.touches[static_cast<std::size_t>(member.touch)];
    touch.mode = mode == ConeMode::open                          ? Mode::apart
                 : mode == ConeMode::sticking && member.size > 1 ? Mode::sticking
                                                                 : Mode::sliding;
    if (touch.mode != Mode::sliding || member.size == 1) continue;
    const double* w = &after_[member.first + 1];
    const double* p = &impulse_[member.first + 1];
    const double slip = member.size == 2 ? std::abs(w[0]) : std::hypot(w[0], w[1]);
    if (stuck(member) && slip <= kAccelerationRounding * fastest) {
      touch.mode = Mode::sticking;
      continue;
    }
    const double pull = member.size == 2 ? std::abs(p[0]) : std::hypot(p[0], p[1]);
    const double* along = slip > 0.0 ? w : p;
    const double size = slip > 0.0 ? slip : -pull;
    if (size == 0.0) continue;
    touch.slip = {along[0] / size, member.size == 3 ? along[1] / size : 0.0};
  }
  return result.converged || result.residual <= kAccelerationRounding * std::max(result.scale, time);
}

}  // namespace tactus::contact
