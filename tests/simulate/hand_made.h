// Mechanisms whose equations are written by hand, so that the integrators are tested apart from `derive`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tactus/algebra/calculus.h>
#include <tactus/math/rotation.h>
#include <tactus/simulate/motion/simulation.h>

#include "support/compare.h"

namespace tactus::simulate::test {

using algebra::Block;
using algebra::Expr;
using algebra::Function;
using algebra::Graph;

inline Block symbols(const std::string& name, int size) {
  Block block{name, {}, size, 1, {}};
  for (int i = 0; i < size; ++i) block.entries.push_back(algebra::symbol(name + std::to_string(i)));
  return block;
}

/// The symbols of a mechanism's motion.
struct Symbols {
  Expr t;
  std::vector<Expr> q, u, tau;
};

/// A mechanism from its rates udot(t, q, u, tau) and qdot(q, u).
inline Dynamics hand_made(std::vector<Segment> segments,
                          const std::function<std::vector<Expr>(const Symbols&)>& udot,
                          const std::function<std::vector<Expr>(const Symbols&)>& qdot) {
  Dynamics d;
  d.coordinates = Coordinates(std::move(segments));
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Block t = symbols("t", 1), q = symbols("q", d.nq()), u = symbols("u", d.nv()),
              tau = symbols("tau", d.nv());
  const Symbols s{t.entries[0], q.entries, u.entries, tau.entries};
  const Block qdot_block{"qdot", {}, d.nq(), 1, qdot(s)};
  const Block udot_block{"udot", {}, d.nv(), 1, udot(s)};
  d.coordinate_rates = generate::compile({"coordinate_rates", {}, graph, {t, q, u}, {qdot_block}});
  d.forward_dynamics =
      generate::compile({"forward_dynamics", {}, graph, {t, q, u, tau}, {udot_block, qdot_block}});
  for (int i = 0; i < d.nq(); ++i) d.coordinate_names.push_back("q" + std::to_string(i));
  for (int i = 0; i < d.nv(); ++i) d.speed_names.push_back("u" + std::to_string(i));
  d.effort_names = d.speed_names;
  return d;
}

/// udot = f(t, q, u, tau) on a line.
inline Dynamics on_a_line(const std::function<Expr(const Symbols&)>& f) {
  return hand_made(
      {{Segment::Kind::plain, 0, 0, 1}}, [&](const Symbols& s) { return std::vector{f(s)}; },
      [](const Symbols& s) { return s.u; });
}

inline constexpr double kGravityOverLength = 9.81;
inline Dynamics pendulum() {
  return on_a_line([](const Symbols& s) { return s.tau[0] - kGravityOverLength * sin(s.q[0]); });
}

/// Principal moments of the bodies below [kg m^2]; all different, so that the middle axis is unstable.
inline constexpr double kInertia[3] = {1.0, 2.0, 2.7};

inline std::vector<Expr> quaternion_rates(const std::vector<Expr>& q, const std::vector<Expr>& omega) {
  const math::Quaternion<Expr> rate = math::Quaternion<Expr>{q[0], q[1], q[2], q[3]} *
                                      math::Quaternion<Expr>{0.0, omega[0], omega[1], omega[2]};
  return {0.5 * rate.w, 0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z};
}

/// A body on a spherical joint; its mass centre lies at the distance weight/(m g) from the joint along its z
/// axis, so that the moment is weight * (z_B x -z_W). weight = 0: Euler's free body.
inline Dynamics body_on_spherical_joint(double weight, bool keep_momentum) {
  const auto omega_rates = [weight](const std::vector<Expr>& q, const std::vector<Expr>& w) {
    const math::Mat3<Expr> R = math::rotation_of(math::Quaternion<Expr>{q[0], q[1], q[2], q[3]});
    const math::Vec3<Expr> down = math::transpose_times(R, math::Vec3<Expr>{0.0, 0.0, -weight});
    const math::Vec3<Expr> moment = math::cross(math::Vec3<Expr>::unit(2), down);
    return std::vector<Expr>{((kInertia[1] - kInertia[2]) * w[1] * w[2] + moment.x) / kInertia[0],
                             ((kInertia[2] - kInertia[0]) * w[2] * w[0] + moment.y) / kInertia[1],
                             ((kInertia[0] - kInertia[1]) * w[0] * w[1] + moment.z) / kInertia[2]};
  };
  Dynamics d = hand_made(
      {{Segment::Kind::quaternion, 0, 0, 3}}, [&](const Symbols& s) { return omega_rates(s.q, s.u); },
      [](const Symbols& s) { return quaternion_rates(s.q, s.u); });
  if (!keep_momentum) return d;

  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Block t = symbols("t", 1), q = symbols("q", 4), u = symbols("u", 3), tau = symbols("tau", 3);
  const Block udot = symbols("udot", 3);
  const math::Mat3<Expr> R =
      math::rotation_of(math::Quaternion<Expr>{q.entries[0], q.entries[1], q.entries[2], q.entries[3]});
  const math::Vec3<Expr> H = R * math::Vec3<Expr>{kInertia[0] * u.entries[0], kInertia[1] * u.entries[1],
                                                  kInertia[2] * u.entries[2]};
  const std::vector<Expr> P{H.x, H.y, H.z};
  std::vector<Expr> places = q.entries, rates = quaternion_rates(q.entries, u.entries);
  places.insert(places.end(), u.entries.begin(), u.entries.end());
  rates.insert(rates.end(), udot.entries.begin(), udot.entries.end());
  d.momentum_roots = {{0, 3, 0}};
  d.momentum = generate::compile({"momentum",
                                  {},
                                  graph,
                                  {t, q, u},
                                  {{"P", {}, 3, 1, P}, {"A_0", {}, 3, 3, algebra::jacobian(P, u.entries)}}});
  d.momentum_rate =
      generate::compile({"momentum_rate",
                         {},
                         graph,
                         {t, q, u, tau, udot},
                         {{"P_rate", {}, 3, 1, algebra::directional_derivative(P, places, rates)}}});
  return d;
}

/// The state after `duration`, from there.
inline State simulate_for(const Dynamics& dynamics, const State& start, double duration, Options options) {
  Simulation simulation(dynamics, options);
  simulation.set_state(start);
  const auto steps = static_cast<long>(std::lround(duration / options.step));
  for (long i = 0; i < steps; ++i)
    if (const Status status = simulation.step(); !status.ok())
      throw std::runtime_error(simulation.explain(status));
  return simulation.state();
}

/// The largest difference between two states, in coordinates and speeds.
inline double distance(const State& a, const State& b) {
  return support::larger(support::difference(a.q, b.q), support::difference(a.u, b.u));
}

/// The order of convergence seen between steps of h and h/2, against a reference.
inline double observed_order(const Dynamics& dynamics, const State& start, double duration, double h,
                             Integrator integrator, const State& reference) {
  const double coarse =
      distance(simulate_for(dynamics, start, duration, {.step = h, .integrator = integrator}), reference);
  const double fine =
      distance(simulate_for(dynamics, start, duration, {.step = h / 2, .integrator = integrator}), reference);
  return std::log2(coarse / fine);
}

}  // namespace tactus::simulate::test
