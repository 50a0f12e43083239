#include <tactus/control/local_model.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <tactus/math/rotation_vector.h>

namespace tactus::control {

namespace {

std::optional<std::size_t> find(const LocalState& state, std::uint64_t id) noexcept {
  for (std::size_t c = 0; c < static_cast<std::size_t>(state.contacts); ++c)
    if (state.id[c] == id) return c;
  return std::nullopt;
}

}  // namespace

bool finite(const LocalModelUpdate& update) noexcept {
  double zero = 0.0;  // 0 x is 0 of every number, and of nothing else
  for (const double x : update.L) zero += 0.0 * x;
  for (const Vector6* v : {&update.A, &update.turning, &update.motion.V_WP, &update.jumps})
    for (const double x : *v) zero += 0.0 * x;
  for (std::size_t c = 0; c < static_cast<std::size_t>(update.contacts); ++c) {
    const LocalModelUpdate::Contact& contact = update.contact[c];
    for (const double x :
         {contact.gap, contact.rate, contact.acceleration, contact.stiffness, contact.damping})
      zero += 0.0 * x;
    for (const double x : contact.r) zero += 0.0 * x;
    for (std::size_t d = 0; d < static_cast<std::size_t>(update.contacts); ++d) zero += 0.0 * contact.w[d];
  }
  return zero == 0.0 && std::isfinite(update.energy) && std::isfinite(update.work) &&
         device::finite(update.motion.X_WP);
}

void LocalModel::take(const LocalModelUpdate& update, const LocalState* then, double age) noexcept {
  const LocalState now = state_;
  update_ = update;
  state_.motion = update.motion;
  state_.contacts = update.contacts;
  if (then != nullptr) {
    state_.motion.X_WP.p = update.motion.X_WP.p + (now.p_moved - then->p_moved);
    state_.motion.X_WP.R = now.R_moved * then->R_moved.transposed() * update.motion.X_WP.R;
    for (std::size_t i = 0; i < 6; ++i) state_.motion.V_WP[i] += now.V_moved[i] - then->V_moved[i];
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(update.contacts); ++c) {
    const LocalModelUpdate::Contact& contact = update.contact[c];
    state_.id[c] = contact.id;
    state_.gap[c] = contact.gap;
    state_.rate[c] = contact.rate;
    const std::optional<std::size_t> is = find(now, contact.id);
    state_.gap_moved[c] = is ? now.gap_moved[*is] : 0.0;
    state_.rate_moved[c] = is ? now.rate_moved[*is] : 0.0;
    if (then == nullptr) continue;
    const std::optional<std::size_t> was = find(*then, contact.id);
    if (was && is) {
      state_.gap[c] += now.gap_moved[*is] - then->gap_moved[*was];
      state_.rate[c] += now.rate_moved[*is] - then->rate_moved[*was];
    } else {
      state_.gap[c] += age * contact.rate;
    }
  }
}

Vector6 LocalModel::acceleration(const Vector6& F, double T) noexcept {
  const auto contacts = static_cast<std::size_t>(update_.contacts);
  for (std::size_t c = 0; c < contacts; ++c) {
    const LocalModelUpdate::Contact& contact = update_.contact[c];
    const double k = contact.stiffness, b = contact.damping;
    double free = contact.acceleration;
    for (std::size_t i = 0; i < 6; ++i) free += contact.r[i] * F[i];
    gap_acceleration_[c] = free;
    const double push = -(k * state_.gap[c] + (b + k * T) * state_.rate[c] + (0.5 * k * T + b) * T * free);
    // It presses only where it touches and would press as it is, too: neither its damper nor an implicit force reach over a gap.
    const bool presses = state_.gap[c] <= 0.0 && -k * state_.gap[c] - b * state_.rate[c] > 0.0;
    force_[c] = presses ? std::max(0.0, push / (1.0 + T * (b + 0.5 * k * T) * contact.w[c])) : 0.0;
  }
  A_ = update_.A;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) A_[i] += update_.L[6 * i + j] * F[j];
  for (std::size_t c = 0; c < contacts; ++c) {
    for (std::size_t i = 0; i < 6; ++i) A_[i] += update_.contact[c].r[i] * force_[c];
    for (std::size_t d = 0; d < contacts; ++d) gap_acceleration_[c] += update_.contact[c].w[d] * force_[d];
  }
  return A_;
}

void LocalModel::step(double T) noexcept {
  Vector6 way{};
  for (std::size_t i = 0; i < 6; ++i) {
    way[i] = T * (state_.motion.V_WP[i] + 0.5 * T * A_[i]);
    state_.motion.V_WP[i] += T * A_[i];
    state_.V_moved[i] += T * A_[i];
  }
  const math::Vec3<double> p{way[3], way[4], way[5]};
  const math::Mat3<double> R = math::rotation_of(math::exponential({way[0], way[1], way[2]}));
  state_.motion.X_WP = {R * state_.motion.X_WP.R, state_.motion.X_WP.p + p};
  state_.p_moved = state_.p_moved + p;
  state_.R_moved = R * state_.R_moved;
  for (std::size_t c = 0; c < static_cast<std::size_t>(update_.contacts); ++c) {
    const double closer = T * (state_.rate[c] + 0.5 * T * gap_acceleration_[c]),
                 faster = T * gap_acceleration_[c];
    state_.gap[c] += closer;
    state_.gap_moved[c] += closer;
    state_.rate[c] += faster;
    state_.rate_moved[c] += faster;
  }
}

}  // namespace tactus::control
