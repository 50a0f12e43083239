#include <tactus/display/port_view.h>

#include <algorithm>

#include <tactus/math/rotation_vector.h>

namespace tactus::display {

double work_along(const Vector6& F, const math::Pose<double>& from, const math::Pose<double>& to) noexcept {
  const math::Vec3<double> turned = math::rotation_vector(to.R * from.R.transposed()), way = to.p - from.p;
  return F[0] * turned.x + F[1] * turned.y + F[2] * turned.z + F[3] * way.x + F[4] * way.y + F[5] * way.z;
}

void FullPort::look(const Vector6& on_port, control::PortState& state, control::Resisted& resisted) noexcept {
  acting_[0] = {port_, on_port};
  mechanism_.hold({.tau = {}, .ports = {acting_.data(), acting_count_}, .wrench = {}});
  state.motion = mechanism_.motion(port_);
  state.acceleration = mechanism_.acceleration(port_);
  mechanism_.mobility(port_, state.L, rule_.axes);
  if (rule_.turning) {
    const std::span<const double> Jd = mechanism_.jacobian_rate(port_);
    const std::vector<double>& u = mechanism_.state().u;
    state.turning = {};
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t k = 0; k < u.size(); ++k) state.turning[i] += Jd[i * u.size() + k] * u[k];
  }
  if (!rule_.wanted) return;
  resisted =
      rule_.rank == control::Rank::mobility
          ? directions_.by_mobility(state.L, rule_.M_d, rule_.tolerance, rule_.fade)
          : directions_.by_jacobian(mechanism_.jacobian(port_), rule_.M_d, rule_.tolerance, rule_.fade);
}

Vector6 FullPort::acceleration(const Vector6& on_port) noexcept {
  if (mechanism_.kind() != simulate::EngineKind::events && mechanism_.waiting_requests().empty()) return {};
  acting_[0] = {port_, on_port};
  mechanism_.hold({.tau = {}, .ports = {acting_.data(), acting_count_}, .wrench = {}});
  return mechanism_.acceleration(port_);
}

simulate::Tick FullPort::step(const Vector6& on_port) noexcept {
  acting_[0] = {port_, on_port};
  switched_ = !mechanism_.waiting_requests().empty();
  if (inside_ == nullptr)
    return mechanism_.step({.tau = {}, .ports = {acting_.data(), acting_count_}, .wrench = {}});
  if (!inside_->damp({acting_.data(), acting_count_})) {
    simulate::Tick none;
    none.status |= simulate::Status::not_finite;
    return none;
  }
  return mechanism_.step({.tau = inside_->tau(), .ports = {acting_.data(), acting_count_}, .wrench = {}});
}

void FullPort::rehearse(const Vector6& on_port) noexcept {
  if (unrehearsed_ == nullptr || !mechanism_.save(*unrehearsed_)) return;
  step(on_port);
  mechanism_.motion(port_);
  mechanism_.load(*unrehearsed_);
}

void FullPort::beside(std::span<const simulate::PortWrench> wrenches) noexcept {
  acting_count_ = 1;
  for (const simulate::PortWrench& wrench : wrenches.first(std::min(wrenches.size(), kMostBesides)))
    acting_[acting_count_++] = wrench;
}

Vector6 FullPort::jump(Vector6& acceleration) noexcept {
  // Constraints that are switched on, by a request or a transition, are caught by an impulse as well.
  bool struck = switched_;
  for (const simulate::Event& event : mechanism_.events())
    struck |= event.kind == simulate::EventKind::impact || event.kind == simulate::EventKind::transition;
  const bool blow = mechanism_.met() > kSlow;
  struck_ = struck || blow;
  const simulate::PortMotion& to = mechanism_.motion(port_);
  const double T = mechanism_.step_length();
  if (!struck && !blow) {
    for (std::size_t i = 0; i < 6; ++i) mean_[i] = (to.V_WP[i] - before_.V_WP[i]) / T;
    mean_known_ = true;
    return {};
  }
  if (blow && mean_known_) acceleration = mean_;
  Vector6 gained{};
  for (std::size_t i = 0; i < 6; ++i) gained[i] = to.V_WP[i] - before_.V_WP[i] - T * acceleration[i];
  return gained;
}

}  // namespace tactus::display
