// A peg in a hole on light links with stiff springs, led by a hand through a coupler: the kind of scene that [KimLee2017] has, with numbers of our own. The passive integrator at 1 kHz and
// slower, beside rk4 and implicit with the same step, and beside a midpoint step that is one linear system.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <tactus/contact/open.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/linear/coriolis.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/decompositions.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::Integrator;
using simulate::Mechanism;

/// Handle of 0.1 kg, coupler, and three bodies of 1 g: grip, rod on a spring of k N/m, peg on one of 1e-4 k N m/rad. 1e5 N/m on 1 g swing with 1e4 rad/s.
std::string scene(double k, bool hole, const std::string& height = "b - 5 mm") {
  std::string text = R"(
name: light_peg
parameters:
  m: {value: 1, unit: g}
  a: {value: 20, unit: mm}
  b: {value: 80, unit: mm}
  c: {value: 0.2, unit: mm, description: clearance on each side}
  depth: {value: 60, unit: mm}
gravity: [0, 0, -9.81]
bodies:
)";
  if (hole)
    text += R"(
  world:
    geometry:
      - {shape: box, name: left, size: [60 mm, 50 mm, depth], placement: {xyz: [-a/2 - c - 30 mm, 0, -depth/2]}, contact: true}
      - {shape: box, name: right, size: [60 mm, 50 mm, depth], placement: {xyz: [a/2 + c + 30 mm, 0, -depth/2]}, contact: true}
      - {shape: plane, name: bottom, size: [0.2, 0.05], placement: {xyz: [0, 0, -depth]}, contact: true}
)";
  text += R"(
  handle: {mass: 0.1 kg, inertia: [1e-5, 1e-5, 1e-5]}
  grip: {mass: m, inertia: [m*a^2/6, m*a^2/6, m*a^2/6]}
  rod: {mass: m, inertia: [m*a^2/6, m*a^2/6, m*a^2/6]}
  peg:
    mass: m
    inertia: [m*(b^2 + a^2)/12, m*(a^2 + b^2)/12, m*(a^2 + a^2)/12]
    geometry: [{shape: box, size: [a, a, b]@contact@}]
joints:
  h: {type: planar, parent: world, child: handle, axes: [x, z]}
  c: {type: planar, parent: handle, child: grip, axes: [x, z], freedoms: {x: {stiffness: 2000, damping: 0.5}, y: {stiffness: 2000, damping: 0.5}, angle: {stiffness: 1, damping: 1e-4}}}
  s: {type: prismatic, parent: grip, child: rod, axis: z, stiffness: @k@}
  r: {type: revolute, parent: rod, child: peg, axis: y, stiffness: @kr@, placement: {xyz: [0, 0, -b/2]}}
frames:
  hand: {body: handle, grasp: true}
contact:
  defaults: {friction: 0.15}
initial:
  q: {h.y: @height@}
)";
  if (!hole) text += "  u: {h.angle: 20}\n";  // swung round: the mass matrix changes
  const auto put = [&](const std::string& name, const std::string& value) {
    const std::size_t at = text.find(name);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, name.size(), value);
  };
  put("@contact@", hole ? ", contact: true" : "");
  put("@height@", height);
  put("@k@", std::to_string(k));
  put("@kr@", std::to_string(1e-4 * k));
  return text;
}

/// [N] An arm that leads the handle into the hole, to and fro and aside against its walls. From the handle's place and velocity (x, z).
std::array<double, 2> arm(double t, const std::array<double, 2>& p, const std::array<double, 2>& v) {
  constexpr double kStiffness = 200.0, kDamping = 4.0;  // [N/m], [N s/m]
  const double depth = 0.025 * (1.0 - std::cos(4.0 * t)), aside = 2e-3 * std::sin(17.0 * t);
  const std::array<double, 2> meant{aside, 0.075 - depth};
  return {kStiffness * (meant[0] - p[0]) - kDamping * v[0], kStiffness * (meant[1] - p[1]) - kDamping * v[1]};
}

struct Led {
  bool finished = false;
  std::string why{};     // not
  double gained = 0.0;   // [J] the most that the energy grew in a tick beyond what went in at the hand
  double made = 0.0;     // [J] all of that, of ticks in which it did
  double in_play = 0.0;  // [J]
  double deepest = 0.0;  // [m] of the handle below its start
};

struct Balance {
  Led run;
  double last = 0.0;
  void book(double work, double energy) {
    const double more = energy - last - work;
    run.gained = support::larger(run.gained, more);
    if (!(more <= 0.0)) run.made += more;
    run.in_play = support::larger(run.in_play, std::abs(work), std::abs(energy));
    last = energy;
  }
};

double energy(Mechanism& mechanism) {
  const simulate::Energies e = mechanism.energies();
  return e.kinetic + e.potential;
}

constexpr double kDuration = 2.0;  // [s]

Led led(double k, double step, Integrator integrator, bool hole = true) {
  const auto mechanism =
      open(describe::load_text(scene(k, hole), "light_peg.yaml"), {.step = step, .integrator = integrator});
  const int hand = mechanism->port("hand");
  Balance balance;
  balance.last = energy(*mechanism);
  const double start = mechanism->motion(hand).X_WP.p.z;
  const long ticks = std::lround(kDuration / step);
  for (long i = 0; i < ticks; ++i) {
    const simulate::PortMotion from = mechanism->motion(hand);
    const std::array<double, 2> F =
        arm(static_cast<double>(i) * step, {from.X_WP.p.x, from.X_WP.p.z}, {from.V_WP[3], from.V_WP[5]});
    const simulate::PortWrench held{hand, {0, 0, 0, F[0], 0, F[1]}};
    if (const simulate::Tick tick = mechanism->step({.ports = {&held, 1}}); !tick.ok()) {
      balance.run.why = mechanism->explain(tick.status);
      return balance.run;
    }
    const math::Vec3<double> way = mechanism->motion(hand).X_WP.p - from.X_WP.p;
    balance.book(F[0] * way.x + F[1] * way.z, energy(*mechanism));
    balance.run.deepest = support::larger(balance.run.deepest, start - mechanism->motion(hand).X_WP.p.z);
  }
  balance.run.finished = true;
  return balance.run;
}

/// [1] Of the energy in play, per tick: roundings of the step, of energies and of the work as it is reckoned here.
constexpr double kBalance = 5e-12;

struct Pair {
  double k, step;  // [N/m], [s]
};
constexpr Pair kPairs[] = {{1e5, 1e-3}, {1e5, 2e-3}, {1e5, 5e-3}, {1e5, 1e-2}, {1e6, 1e-3}, {1e6, 2e-3},
                           {1e6, 5e-3}, {1e6, 1e-2}, {1e7, 1e-3}, {1e7, 2e-3}, {1e7, 5e-3}, {1e7, 1e-2}};

TEST(PassivePeg, OnLightLinksWithStiffSpringsGivesNothingAtAnyRate) {
  for (const auto& [k, step] : kPairs)
    for (const bool hole : {true, false}) {
      const Led run = led(k, step, Integrator::passive, hole);
      EXPECT_TRUE(run.finished) << k << " N/m, " << step << " s: " << run.why;
      EXPECT_LE(run.gained, kBalance * run.in_play) << k << " N/m, " << step << " s";
      EXPECT_GT(run.deepest, 0.05) << k << " N/m, " << step << " s";  // [m] it was in the hole
    }
}

TEST(PassivePeg, IsLedWhereAnExplicitStepStops) {
  for (const auto& [k, step] : kPairs)
    for (const bool hole : {true, false}) {
      const Led run = led(k, step, Integrator::rk4, hole);
      EXPECT_FALSE(run.finished) << k << " N/m, " << step << " s";
      EXPECT_LT(run.deepest, 0.01) << k << " N/m, " << step << " s";
    }
}

constexpr double kWeight = 0.103 * 9.81;  // [N] of handle, grip, rod and peg

/// Let down on the bottom from half a millimetre above it, and pressed there.
struct OnTheBottom {
  std::unique_ptr<Mechanism> mechanism;
  int hand, peg;
  double down, aside;  // [N] of a hand that is slowed by 4 N s/m, too
  Balance balance{};

  OnTheBottom(double k, double step, double press, double push)
      : mechanism(open(describe::load_text(scene(k, true, "b - depth + 0.5 mm"), "light_peg.yaml"),
                       {.step = step, .integrator = Integrator::passive})),
        hand(mechanism->port("hand")),
        peg(mechanism->port("body:peg")),
        down(press),
        aside(push) {
    balance.last = energy(*mechanism);
  }
  simulate::Tick tick() {
    constexpr double kDamping = 4.0;  // [N s/m]
    const simulate::PortMotion from = mechanism->motion(hand);
    const simulate::PortWrench held{
        hand, {0, 0, 0, aside - kDamping * from.V_WP[3], 0, -down - kDamping * from.V_WP[5]}};
    const long before = test::allocation_count_of_this_thread();
    const simulate::Tick tick = mechanism->step({.ports = {&held, 1}});
    allocations += test::allocation_count_of_this_thread() - before;
    const math::Vec3<double> way = mechanism->motion(hand).X_WP.p - from.X_WP.p;
    balance.book(held.wrench[3] * way.x + held.wrench[5] * way.z, energy(*mechanism));
    return tick;
  }
  /// [N] By which the bottom bears the peg.
  double reaction() {
    std::array<simulate::ContactPoint, 16> points;
    double sum = 0.0;
    const std::size_t count = std::min(points.size(), mechanism->contact_points(points));
    for (std::size_t i = 0; i < count; ++i) sum += std::abs(points[i].force.z);
    return sum;
  }
  long allocations = 0;
};

// By impulses at the ends of steps alone a gram that is pressed with 5 N sinks in by 5 mm in a step of 1 ms, and by half a metre in one of 10 ms.
TEST(PassivePeg, StandsOnTheBottomUnderAHandAtAnyRate) {
  // [m] What sinks in by less than 0.1 mm in a step is left to impulses: the landing may be that deep. Later the contacts are pressed, and an overlap of 1 um is left alone; what is more goes by a fifth per tick.
  constexpr double kLanding = 1e-4, kLeftAlone = 1.1e-6;
  // Of the force: the springs ring on, and have some momentum of their 3 g at both ends of the mean.
  constexpr double kMean = 1e-3;
  for (const auto& [k, step] : kPairs)
    for (const double down : {5.0, 20.0}) {
      OnTheBottom run(k, step, down, 0.0);
      const long ticks = std::lround(kDuration / step);
      double mean = 0.0, least = 0.0;
      for (long i = 0; i < ticks; ++i) {
        const simulate::Tick tick = run.tick();
        ASSERT_TRUE(tick.ok()) << run.mechanism->explain(tick.status) << " " << k << " N/m, " << step
                               << " s, " << down << " N";
        if (2 * i < ticks) continue;
        mean += 2.0 * run.reaction() / static_cast<double>(ticks);
        for (const simulate::PairReport& pair : run.mechanism->contact_report().pairs)
          least = std::min(least, pair.gap);
      }
      const Led& led = run.balance.run;
      EXPECT_LE(led.gained, kBalance * led.in_play) << k << " N/m, " << step << " s, " << down << " N";
      EXPECT_NEAR(mean, down + kWeight, kMean * (down + kWeight))
          << k << " N/m, " << step << " s, " << down << " N";
      EXPECT_LE(run.mechanism->books().deepest, kLanding) << k << " N/m, " << step << " s, " << down << " N";
      EXPECT_GE(least, -kLeftAlone) << k << " N/m, " << step << " s, " << down << " N";
      EXPECT_EQ(run.allocations, 0);
    }
}

// Friction acts along the step, too. 0.5 N are less than 0.15 of what the peg is pressed with: it stays, and by impulses at the ends of steps it would creep.
TEST(PassivePeg, IsHeldByFrictionWhereItIsPressed) {
  constexpr double kStays = 1e-7;  // [m] in a second: 1e-10 m in each of a thousand ticks are left alone
  for (const auto& [k, step] : kPairs) {
    OnTheBottom run(k, step, 5.0, 0.5);
    const long ticks = std::lround(kDuration / step);
    double from = 0.0;
    for (long i = 0; i < ticks; ++i) {
      const simulate::Tick tick = run.tick();
      ASSERT_TRUE(tick.ok()) << run.mechanism->explain(tick.status) << " " << k << " N/m, " << step << " s";
      if (2 * i == ticks) from = run.mechanism->motion(run.peg).X_WP.p.x;
    }
    EXPECT_NEAR(run.mechanism->motion(run.peg).X_WP.p.x, from, kStays) << k << " N/m, " << step << " s";
    EXPECT_LE(run.balance.run.gained, kBalance * run.balance.run.in_play) << k << " N/m, " << step << " s";
  }
}

// In and out of the hole, on its rim, its walls and its bottom, by another force every 0.1 s.
TEST(PassivePeg, IsPushedAboutAtRandomAndGivesNothing) {
  // [m] What overlaps by 0.1 mm is held where it is. What tips over on a corner under 13 N does so at 430 rad/s, too fast for steps of 5 ms and more: they are made in parts, and some of it is left to
  // impulses, up to where a run would stop.
  constexpr double kDeep = 2e-4, kDeepInLongSteps = 1e-2;
  for (const auto& [k, step] : kPairs)
    for (const double most : {2.0, 10.0}) {
      const auto mechanism = open(describe::load_text(scene(k, true), "light_peg.yaml"),
                                  {.step = step, .integrator = Integrator::passive});
      const int hand = mechanism->port("hand");
      std::mt19937_64 random(3);
      std::uniform_real_distribution<double> part(-1.0, 1.0);
      Balance balance;
      balance.last = energy(*mechanism);
      double aside = 0.0, up = 0.0;
      long allocations = 0;
      const long ticks = std::lround(kDuration / step), hold = std::lround(0.1 / step);
      for (long i = 0; i < ticks; ++i) {
        if (i % hold == 0) {
          aside = 0.2 * most * part(random);
          up = most * (part(random) - 0.3);
        }
        // Drawn to the middle, slowed, and not lifted by more than 60 mm.
        const simulate::PortMotion from = mechanism->motion(hand);
        const math::Vec3<double>& p = from.X_WP.p;
        const double x = aside - 200.0 * p.x - 4.0 * from.V_WP[3],
                     z = up - 2000.0 * std::max(0.0, p.z - 0.06) - 4.0 * from.V_WP[5];
        const simulate::PortWrench held{hand, {0, 0, 0, x, 0, z}};
        const long before = test::allocation_count_of_this_thread();
        const simulate::Tick tick = mechanism->step({.ports = {&held, 1}});
        allocations += test::allocation_count_of_this_thread() - before;
        ASSERT_TRUE(tick.ok()) << mechanism->explain(tick.status) << " " << k << " N/m, " << step << " s, "
                               << most << " N";
        const math::Vec3<double> way = mechanism->motion(hand).X_WP.p - p;
        balance.book(x * way.x + z * way.z, energy(*mechanism));
      }
      EXPECT_LE(balance.run.gained, kBalance * balance.run.in_play) << k << " N/m, " << step << " s";
      EXPECT_LE(mechanism->books().deepest, step > 2e-3 ? kDeepInLongSteps : kDeep)
          << k << " N/m, " << step << " s, " << most << " N";
      EXPECT_EQ(allocations, 0);
    }
}

TEST(PassivePeg, GoesOnFromASnapshotWhereItIsPressed) {
  OnTheBottom run(1e6, 2e-3, 5.0, 0.5);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(run.tick().ok());
  const auto snapshot = run.mechanism->make_snapshot();
  const auto end = [&] {
    for (int i = 0; i < 40; ++i) EXPECT_TRUE(run.tick().ok());
    return run.mechanism->state();
  };
  const simulate::State once = end();
  ASSERT_TRUE(run.mechanism->load(*snapshot));
  const simulate::State again = end();
  EXPECT_EQ(once.q, again.q);
  EXPECT_EQ(once.u, again.u);
}

/// (2/h M + C + D + h/2 K) v = 2/h M u - K q - g + F, q += h v, u = 2 v - u: one linear system per tick, with M and Christoffel's C where the tick begins. For a constant mass matrix the
/// energy balance is exact; otherwise it errs by what M and C change within the tick.
class LinearMidpoint {
 public:
  explicit LinearMidpoint(const describe::Model& model)
      : mass_(generate::compile(derive::Equations(model).mass_matrix())),
        coriolis_(generate::compile(derive::coriolis_matrix(derive::Equations(model)))),
        gravity_(generate::compile(derive::Equations(model).gravity())),
        energy_(generate::compile(derive::Equations(model).energy())) {}

  double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
    put(energy_, q, u);
    return energy_.output("kinetic")[0] + energy_.output("potential")[0];
  }
  /// `K` and `D` of the joints; the springs' own forces are in `gravity`.
  void step(Eigen::VectorXd& q, Eigen::VectorXd& u, const Eigen::VectorXd& F, const Eigen::VectorXd& K,
            const Eigen::VectorXd& D, double h) {
    const Eigen::Index n = q.size();
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    put(mass_, q, u);
    put(coriolis_, q, u);
    put(gravity_, q, u);
    const Eigen::Map<const RowMajor> M(mass_.output("M").data(), n, n), C(coriolis_.output("C").data(), n, n);
    const Eigen::Map<const Eigen::VectorXd> g(gravity_.output("g").data(), n);
    Eigen::MatrixXd A = 2.0 / h * M + C;
    A.diagonal() += D + 0.5 * h * K;
    const Eigen::VectorXd v = A.partialPivLu().solve(2.0 / h * (M * u) - g + F);
    q += h * v;
    u = 2.0 * v - u;
  }

 private:
  static void put(generate::Evaluator& f, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
    const auto fill = [&](const char* name, const Eigen::VectorXd& x) {
      const std::span<double> in = f.input(name);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = x[static_cast<Eigen::Index>(i)];
    };
    fill("q", q);
    fill("u", u);
    f.run();
  }
  generate::Evaluator mass_, coriolis_, gravity_, energy_;
};

Led led_by_linear_midpoint(double k, double step) {
  const describe::Model model = describe::load_text(scene(k, false), "light_peg.yaml");
  LinearMidpoint method(model);
  const auto mechanism = open(model, {.step = step});
  const simulate::State& start = mechanism->state();
  Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(start.q.data(), 8),
                  u = Eigen::Map<const Eigen::VectorXd>(start.u.data(), 8), K(8), D(8);
  K << 0, 0, 0, 2000, 2000, 1, k, 1e-4 * k;
  D << 0, 0, 0, 0.5, 0.5, 1e-4, 0, 0;
  Balance balance;
  balance.last = method.energy(q, u);
  const double from = q[1];
  const long ticks = std::lround(kDuration / step);
  for (long i = 0; i < ticks; ++i) {
    const std::array<double, 2> push = arm(static_cast<double>(i) * step, {q[0], q[1]}, {u[0], u[1]});
    Eigen::VectorXd F = Eigen::VectorXd::Zero(8);
    F[0] = push[0];
    F[1] = push[1];
    const Eigen::VectorXd before = q;
    method.step(q, u, F, K, D, step);
    if (!q.allFinite() || !u.allFinite() || q.norm() > 1e3) return balance.run;
    balance.book(F.dot(q - before), method.energy(q, u));
    balance.run.deepest = support::larger(balance.run.deepest, from - q[1]);
  }
  balance.run.finished = true;
  return balance.run;
}

// In the air, where both can be compared: the linear step is stable, and its balance errs by more than rounding.
TEST(PassivePeg, KeepsABalanceThatALinearMidpointStepHasOnlyNearly) {
  for (const double step : {1e-3, 5e-3}) {
    const Led passive = led(1e5, step, Integrator::passive, false),
              linear = led_by_linear_midpoint(1e5, step);
    ASSERT_TRUE(passive.finished && linear.finished) << step;
    EXPECT_NEAR(linear.deepest, passive.deepest, 0.02 * passive.deepest) << step;
    EXPECT_LE(passive.gained, kBalance * passive.in_play) << step;
    EXPECT_GT(linear.gained, 1e3 * kBalance * linear.in_play) << step;
  }
}

}  // namespace
}  // namespace tactus::contact
