// Four channels, and the directions that joints resist: against the study's golden numbers, Eigen's decompositions, closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/contact/open.h>
#include <tactus/control/force_observer.h>
#include <tactus/control/four_channel.h>
#include <tactus/control/impulse.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/random.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/decompositions.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

describe::Model model_of(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

Matrix6 unit_inertia() {
  Matrix6 M{};
  for (std::size_t i = 0; i < 6; ++i) M[7 * i] = 1.0;
  return M;
}

MatrixXd matrix(const Matrix6& A) { return Eigen::Map<const RowMajor>(A.data(), 6, 6); }

/// sum n n^T over the directions that are fully resisted.
MatrixXd projector(const Resisted& resisted) {
  MatrixXd P = MatrixXd::Zero(6, 6);
  for (std::size_t k = 0; k < 6; ++k) {
    const Eigen::Map<const VectorXd> n(resisted.n[k].data(), 6);
    P += resisted.weight[k] * n * n.transpose();
  }
  return P;
}

constexpr double kRounding =
    1e-12;  // of matrices whose entries are of the size 1 to 100, squared in the mobility

TEST(Resisted, AgreesWithTheGoldenDirectionsOfTheThreeLinkChain) {
  const auto chain = contact::open(model_of("three_link_chain"), {.step = 1e-3});
  ResistedDirections directions(device::kPlanar, chain->nv());
  constexpr double kDigits = 1e-9;  // of the golden numbers
  const Resisted middle =
      directions.by_jacobian(chain->jacobian(chain->port("middle")), unit_inertia(), 1e-3, false);
  EXPECT_EQ(middle.count, 1);
  EXPECT_NEAR(middle.s[2], 1.4153773425, kDigits);
  EXPECT_NEAR(middle.s[1], 0.0296757013, kDigits);
  EXPECT_NEAR(middle.s[0], 0.0, kRounding);
  const double sign = middle.n[0][3] > 0.0 ? 1.0 : -1.0;
  EXPECT_NEAR(sign * middle.n[0][3], 0.707067805148, kDigits);
  EXPECT_NEAR(sign * middle.n[0][4], -0.707067805148, kDigits);
  EXPECT_NEAR(sign * middle.n[0][2], 0.010499421235, kDigits);
  const Resisted distal =
      directions.by_jacobian(chain->jacobian(chain->port("distal")), unit_inertia(), 1e-3, false);
  EXPECT_EQ(distal.count, 0);
  EXPECT_NEAR(distal.s[0], 0.0088756440, kDigits);
  EXPECT_NEAR(distal.s[1], 0.0572862102, kDigits);
  EXPECT_NEAR(distal.s[2], 1.7346769828, kDigits);
}

// Null space of J N by Eigen's singular values, N by those of A: another road than the mobility. Any body of any mechanism.
/// Where some random speeds lead within tens of milliseconds, on the constraints: another place every time.
void wander(simulate::Mechanism& mechanism, device::Random& random) {
  simulate::State state = mechanism.state();
  for (double& u : state.u) u = 4.0 * (random.uniform() - 0.5);
  mechanism.set_state(state);  // which brings them onto the constraints
  for (int k = 0; k < 60; ++k) ASSERT_TRUE(mechanism.step().ok());
}

class ResistedPlaces : public ::testing::TestWithParam<const char*> {};

TEST_P(ResistedPlaces, AreTheLeftNullSpaceOfJNForOpenChainsAndLoops) {
  const std::string name = GetParam();
  const describe::Model model = model_of(name);
  const auto mechanism = contact::open(model, {.step = 1e-3});
  device::Random random(17);
  // Where the motion begins, and ten places that nobody chose.
  for (int place = 0; place <= 10; ++place) {
    if (place > 0) wander(*mechanism, random);
    const derive::Equations equations(model);
    const Eigen::Index nv = static_cast<Eigen::Index>(mechanism->nv());
    MatrixXd N = MatrixXd::Identity(nv, nv);
    if (!equations.constraint_rows().empty()) {
      generate::Evaluator terms(generate::compile(equations.constraint_terms()));
      const simulate::State& state = mechanism->state();
      std::copy(state.q.begin(), state.q.end(), terms.input("q").begin());
      terms.run();
      const auto entries = terms.output("A");
      const MatrixXd A = Eigen::Map<const RowMajor>(
          entries.data(), static_cast<Eigen::Index>(equations.constraint_rows().size()), nv);
      const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
      constexpr double kRank = 1e-9;  // of A, whose entries are lengths of the size 1 m
      const Eigen::Index rank = (svd.singularValues().array() > kRank).count();
      N = svd.matrixV().rightCols(nv - rank);
    }
    ResistedDirections directions(device::kAllAxes, mechanism->nv());
    for (std::size_t port = 0; port < mechanism->ports().size(); ++port) {
      const int at = static_cast<int>(port);
      const MatrixXd JN = Eigen::Map<const RowMajor>(mechanism->jacobian(at).data(), 6, nv) * N;
      const Eigen::JacobiSVD<MatrixXd> svd(JN, Eigen::ComputeFullU);
      Eigen::Index rank = 0;
      while (rank < svd.singularValues().size() && svd.singularValues()[rank] > 1e-6) ++rank;
      const MatrixXd U = svd.matrixU().rightCols(6 - rank);
      Matrix6 L;
      mechanism->mobility(at, L);
      const double size = matrix(L).norm();
      // Far above the rounding of L, far below its smallest entries that are not zero.
      const Resisted found = directions.by_mobility(L, unit_inertia(), 1e-10 * std::max(size, 1.0), false);
      EXPECT_EQ(found.count, 6 - rank) << name << " " << mechanism->ports()[port].name << " " << place;
      EXPECT_NEAR((projector(found) - U * U.transpose()).norm(), 0.0, kRounding)
          << name << " " << mechanism->ports()[port].name << " " << place;
      for (std::size_t k = 0; k < static_cast<std::size_t>(found.count); ++k) {
        const Eigen::Map<const VectorXd> n(found.n[k].data(), 6);
        EXPECT_LT((matrix(L) * n).norm(), kRounding * std::max(size, 1.0)) << name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ResistedPlaces,
                         ::testing::Values("three_link_chain", "four_bar", "stewart_platform", "bricard",
                                           "puma560"),
                         [](const auto& info) { return std::string(info.param); });

Matrix6 random_spd(device::Random& random, int rank) {
  MatrixXd B(6, rank);
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index j = 0; j < rank; ++j) B(i, j) = random.uniform() - 0.5;
  Matrix6 A;
  Eigen::Map<RowMajor>(A.data(), 6, 6) = B * B.transpose();
  return A;
}

TEST(Resisted, SolvesTheEigenvalueProblemInTheDevicesInertia) {
  device::Random random(5);
  ResistedDirections directions(device::kAllAxes, 6);
  for (int i = 0; i < 200; ++i) {
    const Matrix6 L = random_spd(random, 3 + i % 4);
    Matrix6 M = random_spd(random, 6);
    for (std::size_t k = 0; k < 6; ++k) M[7 * k] += 0.2;
    const Resisted& found = directions.by_mobility(L, M, 1e-8, false);
    EXPECT_EQ(found.count, 3 - i % 4) << i;
    for (std::size_t k = 0; k < 6; ++k) {
      const Eigen::Map<const VectorXd> n(found.n[k].data(), 6);
      // L M n = s n, and n^T M n = 1.
      EXPECT_LT((matrix(L) * matrix(M) * n - found.s[k] * n).norm(), 1e-11) << i;
      EXPECT_NEAR(n.dot(matrix(M) * n), 1.0, 1e-12) << i;
    }
  }
}

// Lengths in millimetres: wrenches and motions change as they must, s and the force of the penalty do not.
TEST(Resisted, DoesNotDependOnTheUnitOfLength) {
  device::Random random(8);
  constexpr double kUnit = 1e3;
  for (int i = 0; i < 50; ++i) {
    const Matrix6 L = random_spd(random, 4);
    Matrix6 M{}, L_mm = L, M_mm{};
    for (std::size_t k = 0; k < 6; ++k) M[7 * k] = k < 3 ? 1e-3 : 0.4;
    // x_mm = D x, D = diag(1, 1, 1, 1e3, 1e3, 1e3): L_mm = D L D, M_mm = D^-1 M D^-1.
    const auto d = [](std::size_t k) { return k < 3 ? 1.0 : kUnit; };
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < 6; ++c) {
        L_mm[6 * r + c] = d(r) * L[6 * r + c] * d(c);
        M_mm[6 * r + c] = M[6 * r + c] / d(r) / d(c);
      }
    ResistedDirections one(device::kAllAxes, 6), two(device::kAllAxes, 6);
    const Resisted &a = one.by_mobility(L, M, 1e-9, true), &b = two.by_mobility(L_mm, M_mm, 1e-9, true);
    ASSERT_EQ(a.count, 2);
    ASSERT_EQ(b.count, 2);
    MatrixXd D = MatrixXd::Identity(6, 6);
    for (Eigen::Index k = 3; k < 6; ++k) D(k, k) = kUnit;
    const MatrixXd P = projector(a), P_mm = projector(b);
    EXPECT_LT((D * P * D - P_mm).norm(), 1e-9 * P_mm.norm()) << i;
    for (std::size_t k = 2; k < 6; ++k) EXPECT_NEAR(a.s[k], b.s[k], 1e-11 * a.s[5]);
  }
}

// s moves through the tolerance: with a fade the penalty's operator is continuous, and the eigenvectors that turn do not show.
TEST(Resisted, FadesWithoutAJump) {
  constexpr double kTolerance = 1e-4, kStep = 1e-7;
  ResistedDirections directions(device::kAllAxes, 6);
  MatrixXd before;
  for (double s = 0.0; s < 3e-4; s += kStep) {
    Matrix6 L = unit_inertia();
    L[7 * 3] = s;                        // rises through the band
    L[7 * 4] = 3e-4 - s;                 // falls through it, and meets the other in its middle
    L[6 * 3 + 4] = L[6 * 4 + 3] = 1e-6;  // so that their vectors turn by a quarter
    const MatrixXd now = projector(directions.by_mobility(L, unit_inertia(), kTolerance, true));
    constexpr double kLipschitz = 4.0 / kTolerance;  // of the weight, for two values and a turn
    if (s > 0.0) {
      ASSERT_LT((now - before).norm(), kLipschitz * kStep) << s;
    }
    before = now;
  }
}

TEST(Resisted, SurvivesNumbersThatAreNone) {
  ResistedDirections directions(device::kAllAxes, 6);
  Matrix6 bad = unit_inertia();
  bad[8] = std::numeric_limits<double>::quiet_NaN();
  directions.by_mobility(bad, unit_inertia(), 1e-4, true);
  Matrix6 L = unit_inertia();
  L[7 * 5] = 0.0;
  const Resisted& good = directions.by_mobility(L, unit_inertia(), 1e-4, true);
  ASSERT_EQ(good.count, 1);
  EXPECT_NEAR(std::abs(good.n[0][5]), 1.0, kRounding);
}

/// Everything but the mechanism of a port at rest at the origin.
PortState at_rest() {
  PortState state;
  state.L = unit_inertia();
  return state;
}

TEST(FourChannel, TheDeviceFollowsTheMechanismsAcceleration) {
  const auto chain = contact::open(model_of("three_link_chain"), {.step = 1e-3});
  chain->set_state({.t = 0.0, .q = {-0.7, 0.5, -0.5}, .u = {1.0, -0.5, 0.25}, .momentum = {}});
  const int port = chain->port("distal");
  const FourChannel controller{.gains = {}, .axes = device::kPlanar};
  FourChannelMemory memory;
  device::Sample sample;
  sample.X_WH = chain->motion(port).X_WP;
  sample.V_WH = chain->motion(port).V_WP;
  sample.F_H_W = {0, 0, 0, 0.4, 0, 0};
  controller.engage(memory, sample, chain->motion(port));
  const Vector6 F_pc = controller.coordination(memory, sample, chain->motion(port));
  for (const double f : F_pc) EXPECT_NEAR(f, 0.0, kRounding);
  PortState state;
  state.motion = chain->motion(port);
  const simulate::PortWrench hand{port, sample.F_H_W};
  ASSERT_TRUE(chain->hold({.tau = {}, .ports = {&hand, 1}, .wrench = {}}));
  state.acceleration = chain->acceleration(port);
  chain->mobility(port, state.L);
  const HandleDemand demand = controller.demand(memory, sample, state, F_pc, {}, unit_inertia());
  for (const std::size_t i : {2u, 3u, 4u})
    EXPECT_NEAR(demand.acceleration[i], state.acceleration[i], kRounding);
  // (10): M_d xdd = F_h + u - B_d xd.
  Matrix6 M_d = unit_inertia();
  M_d[7 * 3] = 0.7;
  const Vector6 u = motor_wrench(demand, sample, M_d, {0.1, 2.0});
  EXPECT_NEAR((sample.F_H_W[3] + u[3] - 2.0 * sample.V_WH[3]) / 0.7, demand.acceleration[3], kRounding);
}

TEST(FourChannel, CoordinationActsOnBothThroughTheMechanismsMobility) {
  const FourChannel controller{.gains = {}, .axes = device::kAllAxes};
  FourChannelMemory memory;
  device::Sample sample;
  PortState state = at_rest();
  controller.engage(memory, sample, state.motion);
  state.motion.X_WP.p = {0.005, 0.0, 0.0};
  state.L[7 * 3] = 0.25;
  const Vector6 F_pc = controller.coordination(memory, sample, state.motion);
  EXPECT_NEAR(F_pc[3], 100.0 * 0.005, kRounding);
  state.acceleration[3] = -0.25 * F_pc[3];  // the mechanism's answer to -F_pc
  const HandleDemand demand = controller.demand(memory, sample, state, F_pc, {}, unit_inertia());
  EXPECT_NEAR(demand.acceleration[3], 0.25 * F_pc[3], kRounding);
}

TEST(FourChannel, PenaltiesActAlongResistedDirectionsOnly) {
  const FourChannel controller{.gains = {}, .axes = device::kAllAxes};
  FourChannelMemory memory;
  device::Sample sample;
  PortState state = at_rest();
  controller.engage(memory, sample, state.motion);
  state.motion.X_WP.p = {0.003, 0.002, 0.0};
  state.motion.V_WP = {0, 0, 0, 0.01, 0.02, 0};
  Resisted resisted;
  resisted.count = 1;
  resisted.n[0] = {0, 0, 0, 1, 0, 0};
  resisted.weight[0] = 1.0;
  const HandleDemand demand = controller.demand(memory, sample, state, {}, resisted, unit_inertia());
  EXPECT_NEAR(demand.penalty[3], 200.0 * 0.003 + 50.0 * 0.01, kRounding);
  EXPECT_EQ(demand.penalty[4], 0.0);
}

// b < 2/T and k < 2 b/T: the device with nothing but the penalties, on both sides of the borders.
TEST(FourChannel, PenaltiesAreStableUpToTheSampledBorder) {
  constexpr double T = 1.0 / 512.0;
  EXPECT_DOUBLE_EQ(penalty_border(T, 50.0).damping, 1024.0);
  EXPECT_DOUBLE_EQ(penalty_border(T, 50.0).stiffness, 51200.0);
  const auto grows = [&](double k, double b) {
    device::Specification s;
    s.name = "bare";
    s.inertia = {1.0, 1.0};
    s.rate = 512.0;
    device::SimulatedImpedance bare(s, device::none());
    bare.enable();
    bare.set_handle({.p = {1e-3, 0, 0}, .orientation = {}, .V = {}});
    for (int i = 0; i < 20000; ++i) {
      bare.wait();
      // The true velocity: an estimate by differences is a delay of half a period, and has a border of its own.
      const device::Handle& handle = bare.handle();
      bare.command({.wrench = {0, 0, 0, -k * handle.p.x - b * handle.V[3], 0, 0}, .X_WH = {}});
      if (!(std::abs(handle.p.x) < 1.0)) return true;
    }
    return std::abs(bare.handle().p.x) > 1e-3;
  };
  EXPECT_FALSE(grows(0.98 * 51200.0, 50.0));
  EXPECT_TRUE(grows(1.02 * 51200.0, 50.0));
  EXPECT_FALSE(grows(200.0, 0.98 * 1024.0));
  EXPECT_TRUE(grows(200.0, 1.02 * 1024.0));
}

TEST(FourChannel, ScalesMotionAndForceAndPowerByOneFactor) {
  FourChannel controller{.gains = {}, .axes = device::kAllAxes};
  controller.gains.motion_scale = 10.0;
  controller.gains.force_scale = 0.1;
  FourChannelMemory memory;
  device::Sample sample;
  sample.X_WH.p = {0.1, 0.0, 0.0};
  controller.engage(memory, sample, {});
  sample.X_WH.p.x = 0.2;
  sample.V_WH = {1.0, 0, 0, 3.0, 0, 0};
  sample.F_H_W = {2.0, 0, 0, 5.0, 0, 0};
  const device::Sample seen = controller.scaled(memory, sample);
  EXPECT_NEAR(seen.X_WH.p.x, 0.11, kRounding);
  EXPECT_NEAR(seen.V_WH[3], 0.3, kRounding);
  EXPECT_NEAR(seen.F_H_W[3], 50.0, kRounding);
  const auto power = [](const device::Sample& s, std::size_t i) { return s.V_WH[i] * s.F_H_W[i]; };
  EXPECT_NEAR(power(seen, 3) / power(sample, 3), power(seen, 0) / power(sample, 0), kRounding);
}

TEST(ForceObserver, FindsTheHandsForceWhateverTheMotorsDo) {
  device::Specification s;
  s.name = "bare";
  s.inertia = {1e-3, 0.5};
  s.damping = {0.0, 2.0};
  device::SimulatedImpedance bare(s, device::constant({0, 0, 0, 3.0, 0, -1.0}));
  bare.enable();
  const ForceObserver observer{inertia_of(s), s.damping, 100.0, 1e-3};
  ForceObserverMemory memory;
  Vector6 u{}, F{};
  for (int k = 0; k < 300; ++k) {
    bare.wait();
    F = observer.observe(memory, bare.handle().V, u);
    u = {0, 0, 0, 2.0 * std::sin(0.05 * k), 0, 0};
    bare.command({.wrench = u, .X_WH = {}});
  }
  constexpr double kHeld = 0.02;  // [N] the motors' sine and the damping change within a period
  EXPECT_NEAR(F[3], 3.0, kHeld);
  EXPECT_NEAR(F[5], -1.0, kHeld);
}

// From encoders through two poles the velocity is late; what the motors do is late by the same, and is not taken for the hand's.
TEST(ForceObserver, DoesNotTakeTheMotorsForTheHandThroughALateVelocity) {
  device::Specification s;
  s.name = "bare";
  s.inertia = {1e-3, 0.5};
  s.velocity_bandwidth = 628.0;
  device::SimulatedImpedance bare(s, device::none());
  bare.enable();
  ForceObserver late{inertia_of(s), s.damping, 100.0, 1e-3};
  late.differences = true;
  late.velocity_pole = std::exp(-0.628);
  const ForceObserver at_once{inertia_of(s), s.damping, 100.0, 1e-3};
  ForceObserverMemory memory, other;
  Vector6 u{};
  device::Sample sample;
  double worst = 0.0, without = 0.0;
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(bare.wait() && bare.read(sample));
    worst = support::larger(worst, std::abs(late.observe(memory, sample.V_WH, u)[3]));
    without = support::larger(without, std::abs(at_once.observe(other, sample.V_WH, u)[3]));
    u = {0, 0, 0, 2.0 * std::sin(0.3 * k), 0, 0};
    bare.command({.wrench = u, .X_WH = {}});
  }
  EXPECT_LT(worst, 1e-9);   // [N] nobody holds it
  EXPECT_GT(without, 0.1);  // of 2 N
}

// Coverage: C1's impulse of 0.368 N s at a clamp of 20 N lasts 18.4 ms; unclamped it is one tick of 368 N at 1 kHz.
TEST(Impulse, LosesNothingHoweverLittleTheMotorsHave) {
  ImpulseMemory memory;
  memory.left = {0, 0, 0, 0.368, 0, 0};
  double sum = 0.0;
  int ticks = 0;
  while (memory.left[3] > 0.0 && ticks < 1000) {
    const Vector6 F = give_impulse(memory, {1.0, 20.0}, 1e-3);
    EXPECT_LE(F[3], 20.0 * (1.0 + 1e-15));
    sum += 1e-3 * F[3];
    ++ticks;
  }
  EXPECT_EQ(ticks, 19);
  EXPECT_NEAR(sum, 0.368, 1e-15);
  memory.left = {0, 0, 0, 0.368, 0, 0};
  EXPECT_NEAR(give_impulse(memory, {}, 1e-3)[3], 368.0, 1e-10);
  EXPECT_EQ(memory.left, Vector6{});
}

/// A handle that flies into a penalty at a speed [m/s]: forces per mass, energies per mass at the samples.
struct Flight {
  double hardness = 0.0;  // [1/s^2] of Lawrence: force over the first millimetre, by its time and the speed
  double deepest = 0.0;
  double most = 0.0;  // of kinetic and spring's energy at samples, by that at the start
};
Flight fly_into(const FourChannelGains& gains, double speed, double T) {
  Flight flight;
  double e = 0.0, v = speed;
  for (int k = 0; k < 20000; ++k) {
    const double b = damping_at(gains, std::abs(e)), F = gains.joint_stiffness * e + b * v;
    if (flight.hardness == 0.0 && e >= 1e-3) flight.hardness = F / (k * T * speed);
    flight.deepest = support::larger(flight.deepest, std::abs(e));
    e += T * v - 0.5 * T * T * F;
    v -= T * F;
    flight.most = support::larger(flight.most, (v * v + gains.joint_stiffness * e * e) / (speed * speed));
  }
  EXPECT_LT(std::abs(e), 1e-6);
  return flight;
}

// [Constantinescu2005] leaves nonlinear damping for later. Swings of a micrometre have the gains of (17) and its margin; a blow meets more.
TEST(NonlinearDamping, IsHarderAtTheSameMarginAndNeverGains) {
  constexpr double T = 1e-3;
  for (const double b : {20.0, 50.0, 100.0})
    for (const double speed : {0.05, 0.2, 0.5}) {
      FourChannelGains gains;
      gains.joint_stiffness = 0.25 * penalty_border(T, b).stiffness;
      gains.joint_damping = b;
      EXPECT_EQ(damping_at(gains, 0.01), b);
      const Flight plain = fly_into(gains, speed, T);
      gains.damping_growth = 5.0;
      EXPECT_EQ(damping_at(gains, 0.0), b);
      EXPECT_EQ(damping_at(gains, 0.5 * gains.growth_length), 3.0 * b);
      const Flight grown = fly_into(gains, speed, T);
      EXPECT_LE(grown.most, 1.0) << b << " " << speed;
      EXPECT_LE(grown.most, plain.most) << b << " " << speed;
      if (plain.hardness > 0.0 && grown.hardness > 0.0) {
        EXPECT_GT(grown.hardness, 1.1 * plain.hardness) << b << " " << speed;
      }
      EXPECT_LT(grown.deepest, plain.deepest) << b << " " << speed;
    }
}

}  // namespace
}  // namespace tactus::control
