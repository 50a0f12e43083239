#include "arm.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/control/arm/projected.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/describe/read/load.h>
#include <tactus/display/loop.h>

#ifdef TACTUS_BENCH_KDL
#include "kdl_inverse.h"
#endif

namespace tactus::bench {
namespace {

/// [ns] Of the thread's processor time, or of the clock, which costs less to read.
double now(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

/// [ns] of a call, by the median of many short runs of processor time.
double median_of(int runs, int calls, const std::function<void(int)>& call) {
  std::vector<double> took;
  for (int r = 0; r < runs; ++r) {
    const double from = now();
    for (int k = 0; k < calls; ++k) call(k);
    took.push_back((now() - from) / calls);
  }
  std::nth_element(took.begin(), took.begin() + runs / 2, took.end());
  return took[static_cast<std::size_t>(runs / 2)];
}

describe::Model model(const char* name) {
  return describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + name + ".yaml");
}

void row(const char* what, double ns, const char* then) {
  fmt::print("  {:<58} {:>9.0f} ns   {}\n", what, ns, then);
}

volatile double sink = 0.0;

/// An arm of three joints in a plane whose tip stays at a height, as [Aghili2005, IX] has one; its numbers are not printed.
constexpr const char* kThreeJoints = R"(
name: three_joints
gravity: [0, 0, 0]
bodies:
  a: {mass: 2, com: [0.15, 0, 0], inertia: [0.001, 0.02, 0.02]}
  b: {mass: 1.5, com: [0.15, 0, 0], inertia: [0.001, 0.015, 0.015]}
  c: {mass: 0.8, com: [0.06, 0, 0], inertia: [0.001, 0.002, 0.002]}
joints:
  q1: {type: revolute, parent: world, child: a, axis: z, armature: 0.10}
  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.3, 0, 0]}, armature: 0.06}
  q3: {type: revolute, parent: b, child: c, axis: z, placement: {xyz: [0.3, 0, 0]}, armature: 0.02}
constraints:
  track: {type: equation, equations: 0.3*sin(q1) + 0.3*sin(q1 + q2) + 0.12*sin(q1 + q2 + q3) + 0.27}
initial: {q: {q1: -1.5, q2: 1.5}}
)";

void measure_projection(int runs, int calls) {
  fmt::print(
      "\nA tick of projected control, three joints and one constraint, beside [Aghili2005, IX]: 1 ms on a "
      "Pentium of 300 "
      "MHz\n");
  const describe::Model arm = describe::load_text(kThreeJoints, "three_joints.yaml");
  for (const control::Share share : {control::Share::least, control::Share::hybrid}) {
    control::ProjectedController controller(arm, {.led = {"q1", "q2"},
                                                  .G_P = 480.0,
                                                  .G_D = 45.0,
                                                  .share = share,
                                                  .weight = {},
                                                  .G_F = 3.0,
                                                  .G_I = 0.1,
                                                  .filter = 0.4});
    control::ProjectedMemory memory = controller.memory();
    const double u[] = {0.3, -0.2, 0.1}, wanted[] = {-1.4, 1.4}, none[] = {0.0, 0.0};
    double f[3];
    row(share == control::Share::least ? "least forces (43)-(44)" : "hybrid (49)-(52)",
        median_of(runs, calls,
                  [&](int k) {
                    const double q[] = {-1.5 + 1e-3 * k, 1.5, 0.2};
                    controller.force(memory, 0.0, q, u, wanted, none, none, none, none, f);
                    sink = sink + f[0];
                  }),
        "");
  }
}

}  // namespace

void measure_arm(bool quick) {
  const int runs = quick ? 51 : 501, calls = 64;
  std::string why;
  const describe::Model puma = model("puma560");
  const control::WristArm arm = *control::WristArm::of(puma, "tool", why);
  // A path as a hand leads it: 64 poses, a period apart.
  std::vector<control::Joints> q(static_cast<std::size_t>(calls) + 1);
  std::vector<math::Pose<double>> X(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) {
    for (std::size_t i = 0; i < 6; ++i)
      q[k][i] = (i == 4 ? 1.0 : 0.2 * static_cast<double>(i)) - (i == 1 ? 0.5 : 0.0) +
                2e-3 * static_cast<double>(k);
    X[k] = arm.pose(q[k]);
  }
  control::WristArm::Motion motion;
  for (std::size_t i = 0; i < 6; ++i) motion.V[i] = motion.A[i] = 0.1 * static_cast<double>(i + 1);
  const auto at = [](int k) { return static_cast<std::size_t>(k); };

  fmt::print("\nInverse kinematics of the PUMA 560, processor time, median of {} runs over {} poses\n", runs,
             calls);
  row("all branches of a pose",
      median_of(runs, calls, [&](int k) { sink = sink + arm.position(X[at(k)]).all[0].q[0]; }), "");
  const double follow =
      median_of(runs, calls, [&](int k) { sink = sink + arm.follow(X[at(k) + 1], q[at(k)]).q[0]; });
  row("position, from the pose before", follow, "");
  row("position, rates and accelerations in one call",
      median_of(runs, calls,
                [&](int k) { sink = sink + arm.whole(X[at(k) + 1], motion, q[at(k)]).rates.qdd[0]; }),
      "");
#ifdef TACTUS_BENCH_KDL
  const auto kdl = kdl_inverse();
  control::Joints found{};
  bool met = true;
  double off = 0.0;
  const auto solve = [&](int k) {
    const math::Pose<double>& T = X[at(k) + 1];
    met = kdl->solve({T.R(0, 0), T.R(0, 1), T.R(0, 2), T.R(1, 0), T.R(1, 1), T.R(1, 2), T.R(2, 0), T.R(2, 1),
                      T.R(2, 2)},
                     {T.p.x, T.p.y, T.p.z}, q[at(k)], found) &&
          met;
  };
  for (int k = 0; k < calls; ++k) {
    solve(k);
    for (std::size_t i = 0; i < 6; ++i) off = std::max(off, std::abs(found[i] - q[at(k) + 1][i]));
  }
  const double theirs = median_of(std::max(runs / 10, 5), calls, solve);
  row("KDL (ChainIkSolverPos_LMA), position, from the pose before", theirs,
      fmt::format("{:.0f} times ours; {}, to {:.1e} rad", theirs / follow, met ? "met" : "not met", off)
          .c_str());
#else
  fmt::print("  KDL is not installed\n");
#endif

  measure_projection(runs, calls);

  fmt::print(
      "\nParts of a tick of the force-reflecting PUMA 560, beside [Clover1996, IV Table I] on a Pentium of "
      "90 MHz\n");
  std::vector<double> tau(6);
  control::ArmController placed(
      puma, {control::ArmLaw::pole_placement, {control::PolePair::complex(-12.0, 45.0)}, 2e-3, true}),
      computed(puma,
               {control::ArmLaw::computed_torque, {control::PolePair::complex(-12.0, 45.0)}, 2e-3, true});
  row("torques, linear model and gains: pole placement",
      median_of(runs, calls,
                [&](int k) { placed.torque(0.0, q[at(k)], q[0], q[at(k) + 1], q[0], q[0], tau); }),
      "");
  row("torques and mass matrix: computed torque",
      median_of(runs, calls,
                [&](int k) { computed.torque(0.0, q[at(k)], q[0], q[at(k) + 1], q[0], q[0], tau); }),
      "");
  for (const char* object : {"rigid_body", "virtual_cube"}) {
    for (const control::ArmLaw law : {control::ArmLaw::pole_placement, control::ArmLaw::computed_torque}) {
      control::ArmDeviceOptions options;
      options.law = law;
      options.start = {0.0, -0.5, 1.0, 0.3, 1.0, 0.0};
      control::ArmDevice device(
          puma, options,
          device::following(device::strokes({-0.05, 0.0, 0.0}, 1.0), {{20.0, 400.0}, {0.5, 20.0}}));
      const auto mechanism = contact::open(
          model(object),
          {.step = 2e-3, .rederive = contact::Rederivation::before, .budget = simulate::Budget::haptic()});
      mechanism->set_state({0.0, mechanism->state().q, std::vector<double>(mechanism->nv(), 0.0), {}});
      display::HapticLoop loop(*mechanism, device, 0, {}, {});
      if (!loop.enable()) continue;
      std::vector<double> took;
      for (int k = 0; k < (quick ? 2000 : 20000) && device.wait(); ++k) {
        const double from = now(CLOCK_MONOTONIC);
        const bool well = loop.tick(2e-3);
        const double one = now(CLOCK_MONOTONIC) - from;
        if (!well) break;
        if (k > 100) took.push_back(one);
      }
      std::sort(took.begin(), took.end());
      row(fmt::format("whole tick: {}, {}", object, name_of(law)).c_str(), took[took.size() / 2],
          fmt::format("p99 {:.0f} ns; aim 2000; the thesis' functions 1.17 ms of its 1.45 ms",
                      took[took.size() * 99 / 100])
              .c_str());
    }
  }
}

}  // namespace tactus::bench
