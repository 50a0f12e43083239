// Ellipsoids that roll on a plane, their point of contact in closed form.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/describe/read/load.h>
#include <tactus/math/rotation.h>
#include <tactus/simulate/constraints/assembly.h>
#include "hand_made.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;

describe::Model model_named(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

State start_of(const Dynamics& dynamics, const describe::Model& model) {
  return assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}});
}

TEST(RollingEllipsoid, WithThreeEqualAxesMovesLikeTheBuiltInSphere) {
  const std::string body =
      "name: ball\nparameters: {r: 0.03}\nbodies: {ball: {mass: 0.2, com: [0.004, 0, 0.002], inertia: [7e-5, "
      "8e-5, 9e-5]}}\n"
      "joints: {ball: {type: free, parent: world, child: ball}}\n"
      "initial: {q: {ball.z: r}, u: {ball.wx: 3, ball.wy: 10, ball.wz: 5, ball.vx: 10*r, ball.vy: "
      "-3*r}}\nconstraints:\n";
  const describe::Model
      sphere = describe::load_text(
          body + "  roll: {type: rolling, kind: sphere_on_plane, b: ball, radius: r}\n", "a.yaml"),
      ellipsoid = describe::load_text(
          body + "  roll: {type: rolling, kind: ellipsoid_on_plane, b: ball, semi_axes: [r, r, r]}\n",
          "b.yaml");
  const derive::Equations a(sphere), b(ellipsoid);
  const Dynamics first = compile(a), second = compile(b);
  const State x = simulate_for(first, start_of(first, sphere), 1.0, {.step = 1e-3}),
              y = simulate_for(second, start_of(second, ellipsoid), 1.0, {.step = 1e-3});
  EXPECT_LT(distance(x, y), 1e-9);  // rounding, over some turns of an unbalanced ball
}

/// The rattleback's constraints by the words of its frame.
describe::Model written_rattleback() {
  return describe::load_text(
      "name: written\nparameters: {m: 1, a: 0.2, b: 0.03, c: 0.02, h: 0.01, skew: -2e-5}\n"
      "bodies: {hull: {mass: m, com: [0, 0, -h], inertia: [2e-4, 16e-4, 17e-4, skew, 0, 0]}}\n"
      "joints: {base: {type: free, parent: world, child: hull}}\nframes: {hull: {body: hull}}\n"
      "definitions:\n"
      "  depth: sqrt((a*hull.Rzx)^2 + (b*hull.Rzy)^2 + (c*hull.Rzz)^2)\n"
      "  rx: -a^2*hull.Rzx/depth\n  ry: -b^2*hull.Rzy/depth\n  rz: -c^2*hull.Rzz/depth\n"
      "  sx: hull.body.vx + hull.body.wy*rz - hull.body.wz*ry\n"
      "  sy: hull.body.vy + hull.body.wz*rx - hull.body.wx*rz\n"
      "  sz: hull.body.vz + hull.body.wx*ry - hull.body.wy*rx\n"
      "constraints:\n"
      "  contact: {type: equation, equations: hull.pz - depth}\n"
      "  slip: {type: rates, equations: [hull.Rxx*sx + hull.Rxy*sy + hull.Rxz*sz, hull.Ryx*sx + hull.Ryy*sy "
      "+ hull.Ryz*sz]}\n"
      "initial:\n  q: {base.z: c, base.qw: 0.99999, base.qy: sqrt(1 - 0.99999^2)}\n  u: {base.wz: -5}\n",
      "written.yaml");
}

TEST(RollingEllipsoid, TheRattlebackWrittenWithWordsOfItsFrameMovesTheSame) {
  const describe::Model built_in = model_named("rattleback"), written = written_rattleback();
  const derive::Equations a(built_in), b(written);
  const Dynamics first = compile(a), second = compile(b);
  const State x = simulate_for(first, start_of(first, built_in), 0.5, {.step = 1e-3}),
              y = simulate_for(second, start_of(second, written), 0.5, {.step = 1e-3});
  EXPECT_LT(distance(x, y), 1e-9);
}

// Energy, contact and slip from the coordinates themselves; and it turns back, but only when spun the wrong way.
TEST(RollingEllipsoid, TheRattlebackKeepsItsEnergyDoesNotSlipAndTurnsBack) {
  const describe::Model model = model_named("rattleback");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  const generate::Kernel energy = generate::compile(equations.energy());
  const double semi[] = {0.2, 0.03, 0.02};
  for (const double way : {1.0, -1.0}) {
    describe::Model spun = model;
    spun.initial_u[2] *= way;
    Simulation simulation(dynamics, {.step = 2.5e-4});
    simulation.set_state(start_of(dynamics, spun));
    const auto energy_of = [&](const State& s) {
      std::vector<double> in{s.t}, out(energy.output_size()), work(energy.work_size());
      in.insert(in.end(), s.q.begin(), s.q.end());
      in.insert(in.end(), s.u.begin(), s.u.end());
      energy(in.data(), out.data(), work.data());
      return out[0] + out[1];
    };
    const double before = energy_of(simulation.state());
    double slip = 0.0, gap = 0.0, drift = 0.0, back = -1e9;
    for (int i = 0; i < 16000; ++i) {
      const Status status = simulation.step();
      ASSERT_TRUE(status.ok()) << simulation.explain(status);
      const State& s = simulation.state();
      const math::Mat3<double> R =
          math::rotation_of(math::Quaternion<double>{s.q[3], s.q[4], s.q[5], s.q[6]});
      math::Vec3<double> rho;
      double depth = 0.0;
      for (std::size_t k = 0; k < 3; ++k) depth += semi[k] * semi[k] * R(2, k) * R(2, k);
      depth = std::sqrt(depth);
      for (std::size_t k = 0; k < 3; ++k) rho[k] = -semi[k] * semi[k] * R(2, k) / depth;
      const math::Vec3<double> w{s.u[0], s.u[1], s.u[2]}, v{s.u[3], s.u[4], s.u[5]};
      const math::Vec3<double> material = R * (v + cross(w, rho));
      slip = support::larger(slip, std::abs(material.x), std::abs(material.y), std::abs(material.z));
      gap = support::larger(gap, std::abs(s.q[2] - depth));
      drift = support::larger(drift, std::abs(energy_of(s) - before));
      back = support::larger(back, (R * w).z * way);
    }
    EXPECT_LT(slip, 1e-12);
    EXPECT_LT(gap, 1e-12);
    EXPECT_LT(drift, 1e-6 * before);  // of Runge and Kutta: 3e-6 with steps twice as long
    if (way > 0.0)
      EXPECT_GT(back, 0.5) << "spun the wrong way it turns back";
    else
      EXPECT_LT(back, -1.0) << "spun the right way it spins on";
  }
}

}  // namespace
}  // namespace tactus::simulate
