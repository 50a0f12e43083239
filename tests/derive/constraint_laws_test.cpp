// One law suite for every type of constraint: position, velocity and acceleration level belong together.
#include <tactus/describe/read/load.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// Two open chains, one of them a free body, so that rows see quaternions, turns and slides.
constexpr const char* kChains = R"(
name: laws
parameters: {k: 1.3, w: 2}
bodies:
  box: {mass: 1.5, com: [0.1, 0, 0.05], inertia: [0.5, 0.6, 0.7]}
  upper: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.1, 0.2, 0.25]}
  fore: {mass: 0.8, com: [0.1, 0.1, 0], inertia: [0.1, 0.15, 0.2]}
  slider: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.05, 0.06, 0.07]}
joints:
  box: {type: free, parent: world, child: box}
  q1: {type: revolute, parent: world, child: upper, axis: z, placement: {xyz: [0.1, 0.2, 0.3], rpy: [0.3, 0.2, 0.1]}}
  q2: {type: revolute, parent: upper, child: fore, axis: [0.6, 0, 0.8], placement: {xyz: [0.5, 0, 0]}}
  q3: {type: prismatic, parent: fore, child: slider, axis: x}
frames:
  hand: {body: slider, placement: {xyz: [0.1, 0.2, 0.3], rpy: [0.5, -0.4, 0.7]}}
constraints:
)";

struct Kind {
  const char* name;
  const char* text;
};

constexpr Kind kKinds[] = {
    {"weld", "c: {type: weld, a: {body: box, at: [0.1, 0, 0.2]}, b: hand}"},
    {"revolute", "c: {type: revolute, a: {body: box, axis: y}, b: hand}"},
    {"prismatic", "c: {type: prismatic, a: {body: box, at: [0, 0.1, 0], axis: x}, b: hand}"},
    {"cylindrical", "c: {type: cylindrical, a: hand, b: {body: box, axis: [0.6, 0.8, 0]}}"},
    {"universal", "c: {type: universal, a: {body: box, axis: x}, b: {body: slider, axis: y}}"},
    {"spherical", "c: {type: spherical, a: box, b: hand}"},
    {"planar", "c: {type: planar, a: hand, b: {body: box, placement: {xyz: [0, 0, 0.1], rpy: [0, 1, 0]}}}"},
    {"on_line", "c: {type: on_line, a: box, b: hand}"},
    {"on_plane", "c: {type: on_plane, a: box, b: hand}"},
    {"on_circle", "c: {type: on_circle, a: hand, b: box, radius: 0.7*k}"},
    {"on_sphere", "c: {type: on_sphere, a: hand, b: box, radius: 0.7}"},
    {"on_surface",
     "c: {type: on_surface, a: box, b: hand, equations: [x^2/4 + y^2 - k, z - 0.1*sin(3*x) - 0.1*w*t]}"},
    {"distance", "c: {type: distance, a: box, b: hand, length: 0.9}"},
    {"parallel", "c: {type: parallel, a: box, b: hand}"},
    {"gear", "c: {type: gear, joints: [q1, q2], teeth: [20, 40], offset: 0.1}"},
    {"belt", "c: {type: belt, joints: [q1, q2], radii: [0.1, 0.15], crossed: true}"},
    {"rack", "c: {type: rack, joints: [q1, q3], radius: 0.04}"},
    {"screw", "c: {type: screw, joints: [q2, q3], pitch: 5 mm/rev, offset: 0.2}"},
    {"lock", "c: {type: lock, joint: q3, at: 0.1}"},
    {"motion_of_joint", "c: {type: motion, joint: q1, equals: 0.2*sin(w*t)}"},
    {"motion_of_expression", "c: {type: motion, of: q1 + q3^2, equals: t^2}"},
    {"equation", "c: {type: equation, equations: [q1^2 + sin(q2)*q3 - k, box.x*box.qw - t]}"},
    {"rates", "c: {type: rates, equations: [q1_dot*cos(q2) + q3_dot*q3 - t, box.wx + box.vz*q1]}"},
    {"equation_of_frames",
     "c: {type: equation, equations: [hand.px^2 + hand.py*hand.Rzx - k, hand.yaw - w*t*hand.pz]}"},
    {"rates_of_frames",
     "c: {type: rates, equations: [hand.vx*hand.Rxy + hand.wz*k - t, hand.body.vy + q3*hand.body.wx + "
     "box.vz]}"},
    {"ellipsoid_on_plane",
     "c: {type: rolling, kind: ellipsoid_on_plane, a: box, b: hand, semi_axes: [0.2, 0.3*k, 0.1]}"},
    {"surface_on_plane",
     "c: {type: rolling, kind: surface_on_plane, a: box, b: hand, surface: x^2/0.04 + y^2/(0.3*k)^2 + "
     "z^2/0.01*(1 + 0.3*x + y^2) - 1}"},
    {"sphere_on_surface",
     "c: {type: rolling, kind: sphere_on_surface, a: box, b: hand, radius: 0.2, surface: z + 3 - 0.05*x^2 - "
     "0.02*k*y^2 + 0.01*sin(x*y)}"},
    {"disk_on_plane", "c: {type: rolling, kind: disk_on_plane, a: box, b: hand, radius: 0.2}"},
    {"sphere_on_plane", "c: {type: rolling, kind: sphere_on_plane, a: box, b: hand, radius: 0.2}"},
    {"disk_on_disk", "c: {type: rolling, kind: disk_on_disk, a: box, b: hand, radius: 0.2, radius_a: 0.5}"},
    {"disk_in_ring",
     "c: {type: rolling, kind: disk_on_disk, a: box, b: hand, radius: 0.2, radius_a: 0.5, inside: true}"},
    {"knife_edge", "c: {type: rolling, kind: knife_edge, a: box, b: hand}"},
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

/// Central differences of smooth functions of order one: step^2 times a third derivative, and rounding over
/// the step.
constexpr double kStep = 1e-5;
constexpr double kDifferences = 1e-7;

/// The state a little later or earlier on the motion (q', u').
State moved(const State& s, const std::vector<double>& qdot, double dt) {
  State m = s;
  m.t += dt;
  for (std::size_t i = 0; i < s.q.size(); ++i) m.q[i] += dt * qdot[i];
  for (std::size_t i = 0; i < s.u.size(); ++i) m.u[i] += dt * s.udot[i];
  return m;
}

std::vector<double> slope(const Function& terms, const State& s, const std::vector<double>& qdot,
                          const char* output) {
  std::vector<double> later = value(terms, moved(s, qdot, kStep), output);
  const std::vector<double> earlier = value(terms, moved(s, qdot, -kStep), output);
  for (std::size_t i = 0; i < later.size(); ++i) later[i] = (later[i] - earlier[i]) / (2.0 * kStep);
  return later;
}

class ConstraintLaws : public testing::TestWithParam<Kind> {};

TEST_P(ConstraintLaws, VelocityIsTheRateOfThePositionAndAccelerationThatOfTheVelocity) {
  const describe::Model model =
      describe::load_text(std::string(kChains) + "  " + GetParam().text + "\n", "laws");
  const Equations equations(model);
  const std::vector<ConstraintRow>& rows = equations.constraint_rows();
  ASSERT_FALSE(rows.empty());
  const Function terms = equations.constraint_terms(), rates = equations.coordinate_rates();
  for (unsigned seed = 0; seed < 3; ++seed) {
    const State s = random_state(model, seed + 7);
    const std::vector<double> qdot = value(rates, s, "qdot"), V = value(terms, s, "velocity");
    const std::vector<double> phi_rate = slope(terms, s, qdot, "Phi"),
                              V_rate = slope(terms, s, qdot, "velocity");
    const std::vector<double> A = value(terms, s, "A"), c = value(terms, s, "c"),
                              gamma = value(terms, s, "gamma");
    const std::vector<double> Au = times(A, s.u), Audot = times(A, s.udot);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      SCOPED_TRACE(rows[k].label);
      const double size = 1.0 + largest(A);
      EXPECT_NEAR(Au[k] + c[k], V[k], kRounding * size);
      if (rows[k].holonomic) {
        EXPECT_NEAR(phi_rate[k], V[k], kDifferences * size);
      }
      EXPECT_NEAR(V_rate[k], Audot[k] - gamma[k], kDifferences * size * size);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryType, ConstraintLaws, testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tactus::derive
