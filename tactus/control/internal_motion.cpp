#include <tactus/control/internal_motion.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>

namespace tactus::control {

InternalDamper::InternalDamper(simulate::Mechanism& mechanism, int port, std::uint8_t axes, double damping)
    : mechanism_(mechanism),
      port_(port),
      axes_(axes),
      damping_(damping),
      tau_(mechanism.nv()),
      udot_(mechanism.nv()),
      inside_(mechanism.nv()) {
  const describe::Model& model = mechanism.model();
  if (!(damping >= 0.0) || !std::isfinite(damping))
    throw InputError({}, fmt::format("a damping of internal motions of {:g}", damping), "give 0 or more");
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates)
    throw InputError({}, fmt::format("`{}`: its speeds are not the rates of its joints", model.name),
                     "internal motions are damped at joints: leave out `speeds`");
  if (mechanism.kind() != simulate::EngineKind::smooth)
    throw InputError({}, fmt::format("`{}`: something may touch, stop or switch", model.name),
                     "internal motions are damped where nothing does");
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      driven_.push_back(!axis.passive);
      for (const algebra::Expr friction : {axis.friction.coulomb_positive, axis.friction.coulomb_negative})
        if (describe::value_of(model, friction) != 0.0)
          throw InputError({}, fmt::format("joint `{}` has dry friction", axis.name),
                           "internal motions are damped where none has, and with it they end by themselves");
    }
  inertia_ = generate::compile(derive::Equations(model).mass_matrix());
  inertia_in_.resize(inertia_.input_size());
  inertia_out_.resize(inertia_.output_size());
  inertia_work_.resize(inertia_.work_size());
}

double InternalDamper::strongest() noexcept {
  const simulate::State& state = mechanism_.state();
  inertia_in_[0] = state.t;
  std::copy(state.q.begin(), state.q.end(), inertia_in_.begin() + 1);
  inertia_(inertia_in_.data(), inertia_out_.data(), inertia_work_.data());
  const std::size_t nv = inside_.size();
  double twice_energy = 0.0, driven = 0.0;
  for (std::size_t i = 0; i < nv; ++i) {
    for (std::size_t j = 0; j < nv; ++j) twice_energy += inside_[i] * inertia_out_[i * nv + j] * inside_[j];
    if (driven_[i]) driven += inside_[i] * inside_[i];
  }
  return driven > 0.0 ? twice_energy / (mechanism_.step_length() * driven) : 0.0;
}

InternalDamper::Found InternalDamper::find(std::span<simulate::PortWrench> acting) noexcept {
  const std::size_t nv = tau_.size();
  const std::vector<double>& u = mechanism_.state().u;
  if (!mechanism_.hold({.tau = {}, .ports = acting, .wrench = {}})) return Found::nothing;
  const Vector6 A = mechanism_.acceleration(port_), V = mechanism_.motion(port_).V_WP;
  std::span<const double> now = mechanism_.accelerations();
  std::copy(now.begin(), now.end(), udot_.begin());
  Matrix6 L;
  mechanism_.mobility(port_, L);
  const auto numbers = [](std::span<const double> all) {
    return std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); });
  };
  if (!numbers(A) || !numbers(V) || !numbers(udot_) || !numbers(L)) return Found::no_number;
  const std::uint8_t axes = movable_axes(L, axes_);

  // Jbar V is what the wrench Lambda V does to the accelerations.
  const Vector6 given = acting[0].wrench;
  Vector6 F = V;
  if (!solve_at_port(L, axes, F)) return Found::nothing;
  for (std::size_t i = 0; i < 6; ++i) acting[0].wrench[i] = given[i] + F[i];
  const bool held = mechanism_.hold({.tau = {}, .ports = acting, .wrench = {}});
  acting[0].wrench = given;
  if (!held) return Found::nothing;
  now = mechanism_.accelerations();
  for (std::size_t i = 0; i < nv; ++i) inside_[i] = u[i] - (now[i] - udot_[i]);
  const double most = strongest();
  if (!std::isfinite(most)) return Found::nothing;
  const double damping = std::min(damping_, most);
  double square = 0.0;
  for (std::size_t i = 0; i < nv; ++i) {
    tau_[i] = driven_[i] ? -damping * inside_[i] : 0.0;
    square -= tau_[i] * inside_[i];
  }
  if (!(square > 0.0) || !std::isfinite(square)) return Found::nothing;

  // The wrench that hides them; once more with what is left, so that the mobility's own rounding is out of it.
  Vector6 hiding{};
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 6; ++i) acting[0].wrench[i] = given[i] + hiding[i];
    const bool fits = mechanism_.hold({.tau = tau_, .ports = acting, .wrench = {}});
    acting[0].wrench = given;
    if (!fits) return Found::nothing;
    const Vector6 with = mechanism_.acceleration(port_);
    Vector6 more{};
    for (std::size_t i = 0; i < 6; ++i) more[i] = A[i] - with[i];
    if (!solve_at_port(L, axes, more)) return Found::nothing;
    for (std::size_t i = 0; i < 6; ++i) hiding[i] += more[i];
  }
  for (std::size_t i = 0; i < 6; ++i) acting[0].wrench[i] = given[i] + hiding[i];
  if (mechanism_.hold({.tau = tau_, .ports = acting, .wrench = {}})) {
    now = mechanism_.accelerations();
    double answered = 0.0;  // tau^T ud
    for (std::size_t i = 0; i < nv; ++i) answered += tau_[i] * (now[i] - udot_[i]);
    const double most = square / (mechanism_.step_length() * answered);
    const double s = answered > 0.0 ? std::min(1.0, most) : 0.0;
    for (double& t : tau_) t *= s;
    for (std::size_t i = 0; i < 6; ++i) acting[0].wrench[i] = given[i] + s * hiding[i];
    if (std::isfinite(s) && device::finite(acting[0].wrench)) return Found::something;
  }
  acting[0].wrench = given;
  return Found::nothing;
}

bool InternalDamper::damp(std::span<simulate::PortWrench> acting) noexcept {
  const Found found = find(acting);
  if (found != Found::something) std::fill(tau_.begin(), tau_.end(), 0.0);
  return found != Found::no_number;
}

}  // namespace tactus::control
