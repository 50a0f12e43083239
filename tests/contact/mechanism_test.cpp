// One law suite for mechanisms, whatever engine moves them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <tactus/contact/open.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/files/recording.h>
#include <tactus/simulate/motion/simulation.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::Mechanism;
using simulate::PortWrench;
using simulate::Status;
using simulate::Tick;
using simulate::TickInput;

static_assert(noexcept(std::declval<Mechanism&>().step()));
static_assert(noexcept(std::declval<Mechanism&>().motion(0)));
static_assert(noexcept(std::declval<Mechanism&>().request(0, true)));

/// Sums of some ten products on both roads, of numbers about one.
constexpr double kRounding = 1e-12;
/// Mobilities are differences of accelerations of some ten units.
constexpr double kDifferences = 1e-9;

struct Case {
  std::string name;   // of the test
  std::string model;  // in models/
  OpenOptions options{};
  double push = 1.0;        // [N, N m] that moves the model without throwing it apart
  std::vector<double> q{};  // where it starts, unless as the model says
};

std::vector<Case> cases() {
  OpenOptions stepping;
  stepping.contact = OpenOptions::Contact::stepping;
  OpenOptions hand_over{.budget = simulate::Budget::haptic(), .hand_over = true};
  OpenOptions implicit;
  implicit.integrator = simulate::Integrator::implicit;
  return {{"Arm", "puma560", {}, 5.0},
          {"ArmImplicit", "puma560", implicit, 5.0},
          {"FreeBody", "rigid_body", {}, 0.1},
          {"OwnSpeeds", "spherical_wrist_rates", {}, 0.02, {0.1, 1.0, -0.2}},
          {"Loop", "four_bar", {}, 0.1},
          {"RedundantLoops", "stewart_platform", {}, 5.0},
          {"Rolling", "shopping_cart", {}, 2.0},
          {"EventsCompliant", "chain_in_enclosure", {}, 1.0},
          {"EventsRigid", "chain_in_enclosure_rigid", {}, 1.0},
          {"EventsSwitching", "latch", {}, 0.1},
          {"EventsFriction", "box_drop", {}, 1.0},
          {"HandedOverOrNot", "box_drop", hand_over, 1.0},
          {"SteppingStack", "box_stack", {}, 0.01},
          {"SteppingChain", "chain_in_enclosure_rigid", stepping, 1.0}};
}

describe::Model model_of(const Case& c) {
  return describe::load(tactus::support::source_dir() + "/models/" + c.model + ".yaml");
}

std::unique_ptr<Mechanism> open_case(const Case& c, OpenOptions options) {
  const describe::Model model = model_of(c);
  for (const describe::Frame& frame : model.frames) options.ports.push_back(frame.name);
  std::unique_ptr<Mechanism> mechanism = open(model, options);
  if (!c.q.empty()) mechanism->set_state({.t = 0.0, .q = c.q, .u = mechanism->state().u, .momentum = {}});
  return mechanism;
}
std::unique_ptr<Mechanism> open_case(const Case& c) { return open_case(c, c.options); }

/// Forces that swing, at the joints and at the last port: the same for the same tick.
class Hand {
 public:
  Hand(const Mechanism& mechanism, double size)
      : size_(size), tau_(mechanism.nv()), pull_{static_cast<int>(mechanism.ports().size()) - 1, {}} {}

  Tick step(Mechanism& mechanism, int tick) {
    for (std::size_t i = 0; i < tau_.size(); ++i)
      tau_[i] = size_ * std::sin(0.01 * tick + static_cast<double>(i));
    for (std::size_t k = 0; k < 6; ++k)
      pull_.wrench[k] = (k < 3 ? 0.1 : 1.0) * size_ * std::cos(0.013 * tick + static_cast<double>(k));
    return mechanism.step({.tau = tau_, .ports = {&pull_, 1}});
  }

 private:
  double size_;
  std::vector<double> tau_;
  PortWrench pull_;
};

/// FNV-1a over the bits of the state.
std::uint64_t hash_of(const simulate::State& state, std::uint64_t hash = 14695981039346656037ull) {
  const auto add = [&hash](double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((bits >> (8 * byte)) & 0xff)) * 1099511628211ull;
  };
  add(state.t);
  for (const double x : state.q) add(x);
  for (const double x : state.u) add(x);
  return hash;
}

std::uint64_t run(Mechanism& mechanism, Hand& hand, int from, int to) {
  std::uint64_t hash = hash_of(mechanism.state());
  for (int tick = from; tick < to; ++tick) {
    const Tick answer = hand.step(mechanism, tick);
    EXPECT_TRUE(answer.ok()) << mechanism.explain(answer.status);
    if (!answer.ok()) break;
    hash = hash_of(mechanism.state(), hash);
  }
  return hash;
}

class MechanismLaw : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, MechanismLaw, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(MechanismLaw, PortsMoveAsTheFramesKernelsSay) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  Hand hand(*mechanism, GetParam().push);
  run(*mechanism, hand, 0, 40);
  const derive::Equations equations(mechanism->model());
  const auto nv = static_cast<int>(mechanism->nv());
  int compared = 0;
  for (std::size_t i = 0; i < mechanism->ports().size(); ++i) {
    const simulate::Port& port = mechanism->ports()[i];
    if (port.frame < 0) continue;
    ++compared;
    const int index = static_cast<int>(i);
    generate::Evaluator frame(generate::compile(equations.frame_motion(port.frame)));
    const auto give = [&](std::string_view name, std::span<const double> values) {
      if (!frame.input(name).empty()) std::copy(values.begin(), values.end(), frame.input(name).begin());
    };
    const simulate::State& state = mechanism->state();
    const std::vector<double> udot(mechanism->accelerations().begin(), mechanism->accelerations().end());
    give("t", std::array{state.t});
    give("q", state.q);
    give("u", state.u);
    give("udot", udot);
    frame.run();
    const simulate::PortMotion motion = mechanism->motion(index);
    double size = 1.0;
    for (const double x : frame.output("A")) size = support::larger(size, std::abs(x));
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(motion.X_WP.p[k], frame.output("p")[k], kRounding);
      for (std::size_t l = 0; l < 3; ++l)
        EXPECT_NEAR(motion.X_WP.R(k, l), frame.output("R")[3 * k + l], kRounding);
    }
    const std::array<double, 6> A = mechanism->acceleration(index);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(motion.V_WP[k], frame.output("V")[k], kRounding * size) << port.name;
      EXPECT_NEAR(A[k], frame.output("A")[k], kRounding * size) << port.name;
    }
    const std::span<const double> J = mechanism->jacobian(index);
    for (int k = 0; k < 6 * nv; ++k)
      EXPECT_NEAR(J[static_cast<std::size_t>(k)], frame.output("J")[static_cast<std::size_t>(k)], kRounding);
    // A = J udot + Jd u + (what of V does not depend on u): the last is zero for speeds that are linear in the rates.
    const std::span<const double> J_rate = mechanism->jacobian_rate(index);
    for (std::size_t row = 0; row < 6; ++row) {
      double sum = 0.0;
      for (std::size_t k = 0; k < mechanism->nv(); ++k) sum += J_rate[row * mechanism->nv() + k] * state.u[k];
      EXPECT_NEAR(sum, frame.output("Jdot_u")[row], kRounding * size) << port.name;
    }
  }
  EXPECT_EQ(compared, static_cast<int>(mechanism->model().frames.size()));
}

TEST_P(MechanismLaw, BodiesArePortsAtTheirOrigins) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  const derive::Equations equations(mechanism->model());
  generate::Evaluator poses(generate::compile(equations.body_poses()));
  const simulate::State& state = mechanism->state();
  if (!poses.input("t").empty()) poses.input("t")[0] = state.t;
  std::copy(state.q.begin(), state.q.end(), poses.input("q").begin());
  poses.run();
  for (std::size_t b = 1; b < mechanism->model().bodies.size(); ++b) {
    const std::string& name = mechanism->model().bodies[b].name;
    const simulate::PortMotion motion = mechanism->motion(mechanism->port("body:" + name));
    const std::span<const double> X = poses.output("X_" + name);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(motion.X_WP.p[i], X[4 * i + 3], kRounding) << name;
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(motion.X_WP.R(i, j), X[4 * i + j], kRounding) << name;
    }
  }
}

TEST_P(MechanismLaw, TheMobilityIsThatOfTheMassMatrixUnderTheActiveRows) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  if (mechanism->kind() != simulate::EngineKind::smooth) return;  // contacts have no rows in the model
  Hand hand(*mechanism, GetParam().push);
  run(*mechanism, hand, 0, 10);
  const derive::Equations equations(mechanism->model());
  const auto n = static_cast<Eigen::Index>(mechanism->nv());
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto at_state = [&](const algebra::Function& function) {
    generate::Evaluator evaluator(generate::compile(function));
    const simulate::State& s = mechanism->state();
    if (!evaluator.input("t").empty()) evaluator.input("t")[0] = s.t;
    if (!evaluator.input("q").empty()) std::copy(s.q.begin(), s.q.end(), evaluator.input("q").begin());
    if (!evaluator.input("u").empty()) std::copy(s.u.begin(), s.u.end(), evaluator.input("u").begin());
    evaluator.run();
    return evaluator;
  };
  const generate::Evaluator mass = at_state(equations.mass_matrix());
  const Matrix M = Eigen::Map<const Matrix>(mass.output("M").data(), n, n);
  Matrix inverse = M.inverse();
  if (!mechanism->constraints().empty()) {
    const generate::Evaluator terms = at_state(equations.constraint_terms());
    const auto m = static_cast<Eigen::Index>(terms.output("Phi").size());
    Matrix A = Eigen::Map<const Matrix>(terms.output("A").data(), m, n);
    for (std::size_t c = 0; c < mechanism->constraints().size(); ++c)
      for (const std::size_t row : mechanism->constraints()[c].rows)
        if (!mechanism->is_active(static_cast<int>(c))) A.row(static_cast<Eigen::Index>(row)).setZero();
    const Matrix W = A * inverse * A.transpose();
    inverse -= inverse * A.transpose() * W.completeOrthogonalDecomposition().pseudoInverse() * A * inverse;
  }
  for (std::size_t port = 0; port < mechanism->ports().size(); ++port) {
    const int index = static_cast<int>(port);
    std::array<double, 36> got;
    mechanism->mobility(index, got);
    const Matrix J = Eigen::Map<const Matrix>(mechanism->jacobian(index).data(), 6, n);
    const Matrix want = J * inverse * J.transpose();
    const double size = std::max(1.0, want.cwiseAbs().maxCoeff());
    for (Eigen::Index i = 0; i < 6; ++i)
      for (Eigen::Index j = 0; j < 6; ++j)
        EXPECT_NEAR(got[static_cast<std::size_t>(6 * i + j)], want(i, j), kDifferences * size)
            << mechanism->ports()[port].name << " " << i << " " << j;
  }
}

TEST_P(MechanismLaw, TheMobilityAlongSomeAxesIsThatPartOfIt) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  Hand hand(*mechanism, GetParam().push);
  run(*mechanism, hand, 0, 10);
  constexpr unsigned kPlanar = 0b011100;
  std::array<double, 36> all, part;
  mechanism->mobility(0, all);
  part.fill(std::numeric_limits<double>::quiet_NaN());
  mechanism->mobility(0, part, kPlanar);
  for (std::size_t k = 0; k < 36; ++k) EXPECT_EQ(part[k], (kPlanar >> (k % 6) & 1u) != 0 ? all[k] : 0.0) << k;
}

TEST_P(MechanismLaw, TheMobilityIsSymmetricAndNeverNegative) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  Hand hand(*mechanism, GetParam().push);
  run(*mechanism, hand, 0, 10);
  if (GetParam().name == "EventsFriction") return;  // a contact that slides answers a push with friction, too
  for (std::size_t port = 0; port < mechanism->ports().size(); ++port) {
    std::array<double, 36> A;
    mechanism->mobility(static_cast<int>(port), A);
    double size = 1e-3;
    for (const double x : A) size = support::larger(size, std::abs(x));
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_GE(A[7 * i], -kDifferences * size);
      for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(A[6 * i + j], A[6 * j + i], kDifferences * size);
    }
  }
}

TEST_P(MechanismLaw, TheSameInputGivesTheSameBits) {
  const std::unique_ptr<Mechanism> one = open_case(GetParam()), two = open_case(GetParam());
  Hand hand(*one, GetParam().push);
  EXPECT_EQ(run(*one, hand, 0, 120), run(*two, hand, 0, 120));
}

TEST_P(MechanismLaw, AnotherInstanceGoesOnFromASnapshotWithTheSameBits) {
  const std::unique_ptr<Mechanism> one = open_case(GetParam()), two = open_case(GetParam());
  Hand hand(*one, GetParam().push);
  run(*one, hand, 0, 60);
  const std::unique_ptr<simulate::Snapshot> snapshot = one->make_snapshot();
  const std::uint64_t on = run(*one, hand, 60, 140);
  ASSERT_TRUE(two->load(*snapshot));
  EXPECT_EQ(run(*two, hand, 60, 140), on);
  ASSERT_TRUE(one->load(*snapshot));
  EXPECT_EQ(run(*one, hand, 60, 140), on);
}

TEST_P(MechanismLaw, TroubleLeavesNoTrace) {
  const std::unique_ptr<Mechanism> one = open_case(GetParam()), two = open_case(GetParam());
  Hand hand(*one, GetParam().push);
  run(*one, hand, 0, 30);
  run(*two, hand, 0, 30);
  const PortWrench absurd{static_cast<int>(one->ports().size()) - 1,
                          {1e300, 1e300, 1e300, 1e300, 1e300, 1e300}};
  const std::uint64_t before = hash_of(one->state());
  const Tick answer = one->step({.ports = {&absurd, 1}});
  EXPECT_FALSE(answer.ok());
  EXPECT_EQ(answer.events, 0);
  EXPECT_FALSE(one->explain(answer.status).empty());
  EXPECT_EQ(hash_of(one->state()), before);
  EXPECT_EQ(run(*one, hand, 30, 90), run(*two, hand, 30, 90));
}

TEST_P(MechanismLaw, InputThatDoesNotFitIsAnswered) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  const std::uint64_t before = hash_of(mechanism->state());
  const std::vector<double> long_tau(mechanism->nv() + 1, 0.0), short_tau(mechanism->nv() - 1, 0.0),
      wrench(6, 0.0), nan_tau(mechanism->nv(), std::nan(""));
  const PortWrench nowhere{static_cast<int>(mechanism->ports().size()), {}}, negative{-1, {}},
      nan{0, {0.0, 0.0, 0.0, std::nan(""), 0.0, 0.0}};
  const auto answers_bad_input = [&](const TickInput& input) {
    return mechanism->step(input).status.has(Status::bad_input);
  };
  EXPECT_TRUE(answers_bad_input({.tau = long_tau}));
  if (!short_tau.empty()) {
    EXPECT_TRUE(answers_bad_input({.tau = short_tau}));
  }
  EXPECT_TRUE(answers_bad_input({.tau = nan_tau}));
  EXPECT_TRUE(answers_bad_input({.wrench = wrench}));
  for (const PortWrench& w : {nowhere, negative, nan}) EXPECT_TRUE(answers_bad_input({.ports = {&w, 1}}));
  EXPECT_EQ(hash_of(mechanism->state()), before);
  EXPECT_FALSE(mechanism->request(static_cast<int>(mechanism->constraints().size()), true));
  EXPECT_FALSE(mechanism->request(-1, true));
  EXPECT_TRUE(mechanism->step().ok());
}

TEST_P(MechanismLaw, NothingIsAllocatedInTheLoop) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  Hand hand(*mechanism, GetParam().push);
  const std::unique_ptr<simulate::Snapshot> snapshot = mechanism->make_snapshot();
  std::array<double, 36> mobility;
  std::array<simulate::ContactPoint, 16> points;
  simulate::Recorder recorder(*mechanism, {});
  std::vector<double> row;
  recorder.record(row);
  const long before = test::allocation_count_of_this_thread();
  double sum = 0.0;
  for (int tick = 0; tick < 200; ++tick) {
    hand.step(*mechanism, tick);
    sum += mechanism->motion(0).V_WP[0] + mechanism->jacobian_rate(0)[0] + mechanism->acceleration(0)[0];
    mechanism->mobility(0, mobility);
    sum += static_cast<double>(mechanism->contact_points(points) + mechanism->events().size());
    recorder.record(row);
    if (tick == 100) mechanism->save(*snapshot);
    if (tick == 150) mechanism->load(*snapshot);
  }
  EXPECT_EQ(test::allocation_count_of_this_thread() - before, 0);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST_P(MechanismLaw, ASnapshotOfAnotherKindIsRefused) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  Case other = cases().front();
  if (mechanism->kind() == simulate::EngineKind::smooth) other = cases().back();
  EXPECT_FALSE(mechanism->load(*open_case(other)->make_snapshot()));
}

TEST_P(MechanismLaw, LoadsThatAreHeldAreSeen) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  bool actuated = false;
  for (const describe::Joint& joint : mechanism->model().joints)
    for (const describe::JointAxis& axis : joint.axes) actuated = actuated || !axis.passive;
  Hand hand(*mechanism, GetParam().push);
  run(*mechanism, hand, 0, 40);
  ASSERT_TRUE(mechanism->hold({}));
  const std::vector<double> efforts(mechanism->efforts().begin(), mechanism->efforts().end());
  const std::vector<double> free(mechanism->accelerations().begin(), mechanism->accelerations().end());
  const std::vector<double> tau(mechanism->nv(), GetParam().push);
  ASSERT_TRUE(mechanism->hold({.tau = tau}));
  const std::vector<double> pushed(mechanism->accelerations().begin(), mechanism->accelerations().end());
  // What lies and sticks does not answer, nor what has no actuator.
  if (GetParam().name != "SteppingStack" && actuated) {
    EXPECT_GT(support::difference(free, pushed), kDifferences);
  }
  // Joints without an actuator take none.
  bool felt = false;
  for (std::size_t i = 0; i < tau.size(); ++i) {
    const double change = mechanism->efforts()[i] - efforts[i];
    felt = felt || change != 0.0;
    if (change != 0.0) {
      EXPECT_NEAR(change, tau[i], kRounding * support::larger(1.0, std::abs(efforts[i])));
    }
  }
  EXPECT_EQ(felt, actuated);
  ASSERT_TRUE(mechanism->hold({}));
  EXPECT_EQ(support::difference(mechanism->accelerations(), free), 0.0);
}

TEST_P(MechanismLaw, AskingForTheMobilityLeavesNoPushBehind) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  Hand hand(*mechanism, GetParam().push);
  run(*mechanism, hand, 0, 60);
  const std::vector<double> before(mechanism->accelerations().begin(), mechanism->accelerations().end());
  double force = 0.0;
  for (const simulate::PairReport& pair : mechanism->contact_report().pairs) force += pair.normal;
  std::array<double, 36> A;
  const int last = static_cast<int>(mechanism->ports().size()) - 1;
  mechanism->mobility(last, A);
  EXPECT_EQ(support::difference(mechanism->accelerations(), before), 0.0);
  mechanism->mobility(last, A);
  double again = 0.0;
  for (const simulate::PairReport& pair : mechanism->contact_report().pairs) again += pair.normal;
  EXPECT_EQ(again, force);
}

TEST_P(MechanismLaw, AnswersOfOnePortStayWhileOthersAreAsked) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  Hand hand(*mechanism, GetParam().push);
  run(*mechanism, hand, 0, 20);
  const simulate::PortMotion& first = mechanism->motion(0);
  const std::span<const double> J = mechanism->jacobian(0), J_rate = mechanism->jacobian_rate(0);
  const simulate::PortMotion copy = first;
  const std::vector<double> J_copy(J.begin(), J.end()), rate_copy(J_rate.begin(), J_rate.end());
  for (std::size_t i = 1; i < std::min(mechanism->ports().size(), simulate::Ports::kMostJacobians); ++i) {
    const int port = static_cast<int>(i);
    mechanism->motion(port);
    mechanism->jacobian(port);
    mechanism->jacobian_rate(port);
  }
  EXPECT_EQ(support::difference(first.V_WP, copy.V_WP), 0.0);
  EXPECT_EQ(first.X_WP.p.x, copy.X_WP.p.x);
  EXPECT_EQ(support::difference(J, J_copy), 0.0);
  EXPECT_EQ(support::difference(J_rate, rate_copy), 0.0);
}

TEST_P(MechanismLaw, IndicesThatNameNothingAreAnswered) {
  const std::unique_ptr<Mechanism> mechanism = open_case(GetParam());
  for (const int none : {-1, static_cast<int>(mechanism->ports().size()), 1000000}) {
    EXPECT_TRUE(std::isnan(mechanism->motion(none).V_WP[0]));
    EXPECT_TRUE(std::isnan(mechanism->motion(none).X_WP.R(0, 0)));
    EXPECT_EQ(mechanism->jacobian(none).size(), 6 * mechanism->nv());
    EXPECT_TRUE(std::isnan(mechanism->jacobian(none)[0]));
    EXPECT_TRUE(std::isnan(mechanism->jacobian_rate(none)[0]));
    EXPECT_TRUE(std::isnan(mechanism->acceleration(none)[0]));
    std::array<double, 36> A{};
    mechanism->mobility(none, A);
    EXPECT_TRUE(std::isnan(A[35]));
    EXPECT_TRUE(std::isnan(mechanism->apparent_mass(none, {1.0, 0.0, 0.0})));
  }
  for (const int none : {-1, static_cast<int>(mechanism->constraints().size()), 1000000}) {
    EXPECT_FALSE(mechanism->is_active(none));
    EXPECT_FALSE(mechanism->set_active(none, true));
  }
}

TEST_P(MechanismLaw, AStateThatIsRefusedLeavesTheOldOne) {
  const std::unique_ptr<Mechanism> one = open_case(GetParam()), two = open_case(GetParam());
  Hand hand(*one, GetParam().push);
  run(*one, hand, 0, 50);
  run(*two, hand, 0, 50);
  const simulate::State now = one->state();
  const double nan = std::nan("");
  simulate::State late = now, nowhere = now, fast = now, small = now;
  late.t = nan;
  nowhere.q[0] = nan;
  fast.u.back() = std::numeric_limits<double>::infinity();
  small.q.pop_back();
  for (const simulate::State& state : {late, nowhere, fast, small}) {
    EXPECT_THROW(one->set_state(state), InputError);
    EXPECT_EQ(hash_of(one->state()), hash_of(now));
  }
  EXPECT_EQ(run(*one, hand, 50, 90), run(*two, hand, 50, 90));
}

/// Models whose contacts come and go under a wrench that swings at their last frame.
struct Swung {
  const char* model;
  double push;  // [N], a tenth of it in N m
};
constexpr Swung kSwung[] = {
    {"chain_in_enclosure", 20.0}, {"chain_in_enclosure_rigid", 20.0}, {"box_drop", 1.0}};

/// Ticks in contact, and events, that a run must have had at least to say anything.
constexpr int kFew = 5;

PortWrench swing(const Swung& swung, int port, int tick) {
  PortWrench pull{port, {}};
  for (std::size_t k = 0; k < 6; ++k)
    pull.wrench[k] = (k < 3 ? 0.1 : 1.0) * swung.push * std::cos(0.009 * tick + static_cast<double>(k));
  return pull;
}

// A haptic loop asks for the acceleration and the mobility under the wrench of the tick that comes: the tick then begins from what was found.
TEST(Mechanism, LooksBeforeATickChangeNoBitOfIt) {
  constexpr int kTicks = 1500;
  for (const Swung& swung : kSwung) {
    const describe::Model model =
        describe::load(tactus::support::source_dir() + "/models/" + swung.model + ".yaml");
    const std::unique_ptr<Mechanism> asked = open(model, {}), left = open(model, {});
    int touching = 0, events = 0;
    for (int tick = 0; tick < kTicks; ++tick) {
      const PortWrench pull = swing(swung, 0, tick), other = swing(swung, 0, tick + 700);
      std::array<double, 36> L;
      if (tick % 3 == 1) {  // under another wrench first
        ASSERT_TRUE(asked->hold({.ports = {&other, 1}}));
        asked->acceleration(0);
        asked->mobility(0, L);
      }
      if (tick % 5 != 4) {
        ASSERT_TRUE(asked->hold({.ports = {&pull, 1}}));
        asked->acceleration(0);
        asked->mobility(0, L);
      }
      if (tick % 7 == 2) asked->contact_report();
      if (tick % 11 == 3) asked->energies();
      const Tick one = asked->step({.ports = {&pull, 1}}), two = left->step({.ports = {&pull, 1}});
      ASSERT_TRUE(one.ok() && two.ok()) << swung.model << " " << tick << " " << asked->explain(one.status);
      ASSERT_EQ(hash_of(asked->state()), hash_of(left->state())) << swung.model << " " << tick;
      ASSERT_EQ(one.events, two.events) << swung.model << " " << tick;
      touching += left->contact_report().contacts > 0 ? 1 : 0;
      events += two.events;
    }
    EXPECT_EQ(asked->books().work, left->books().work) << swung.model;
    EXPECT_GT(touching, kFew) << swung.model;
    EXPECT_GT(events, kFew) << swung.model;
  }
}

// Two roads: by the factors of the last solution, and by accelerations with and without the push.
TEST(Mechanism, TheMobilityIsWhatAPushAddsToTheAccelerationWhateverTouches) {
  constexpr int kTicks = 1500;
  for (const Swung& swung : kSwung) {
    const describe::Model model =
        describe::load(tactus::support::source_dir() + "/models/" + swung.model + ".yaml");
    const std::unique_ptr<Mechanism> mechanism = open(model, {});
    int in_contact = 0;
    for (int tick = 0; tick < kTicks; ++tick) {
      const PortWrench pull = swing(swung, 0, tick);
      ASSERT_TRUE(mechanism->step({.ports = {&pull, 1}}).ok()) << swung.model << " " << tick;
      const bool touches = mechanism->contact_report().contacts > 0;
      if (tick % 100 != 0 && !touches) continue;
      in_contact += touches ? 1 : 0;
      ASSERT_TRUE(mechanism->hold({.ports = {&pull, 1}}));
      const std::array<double, 6> A = mechanism->acceleration(0);
      std::array<double, 36> L;
      mechanism->mobility(0, L);
      double size = 1.0;
      for (const double x : A) size = support::larger(size, std::abs(x));
      for (const double x : L) size = support::larger(size, std::abs(x));
      for (std::size_t column = 0; column < 6; ++column) {
        PortWrench pushed = pull;
        pushed.wrench[column] += 1.0;
        ASSERT_TRUE(mechanism->hold({.ports = {&pushed, 1}}));
        const std::array<double, 6> with = mechanism->acceleration(0);
        for (std::size_t row = 0; row < 6; ++row)
          ASSERT_NEAR(L[6 * row + column], with[row] - A[row], kDifferences * size)
              << swung.model << " " << tick << " " << row << " " << column;
      }
    }
    EXPECT_GT(in_contact, kFew) << swung.model;
  }
}

TEST(Mechanism, APushAtAPortIsAWrenchOfTheEquations) {
  const describe::Model model = describe::load(tactus::support::source_dir() + "/models/puma560.yaml");
  const std::unique_ptr<Mechanism> arm = open(model);
  const simulate::Port& port = arm->ports().front();
  ASSERT_GE(port.frame, 0);
  derive::Options options;
  options.wrenches = {{port.frame, true}};
  const derive::Equations equations(model, options);
  const simulate::Dynamics dynamics = simulate::compile(equations);
  simulate::Simulation reference(dynamics);
  reference.set_state(arm->state());
  const PortWrench push{0, {0.3, -0.2, 0.1, 4.0, -3.0, 5.0}};
  for (int tick = 0; tick < 500; ++tick) {
    ASSERT_TRUE(arm->step({.ports = {&push, 1}}).ok());
    ASSERT_TRUE(reference.step({.tau = {}, .wrench = push.wrench}).ok());
  }
  for (std::size_t i = 0; i < arm->nq(); ++i)
    EXPECT_NEAR(arm->state().q[i], reference.state().q[i], 1e-11) << i;  // half a second of rounding
}

TEST(Mechanism, ARequestSwitchesAConstraintInTheNextTick) {
  const std::unique_ptr<Mechanism> cart =
      open(describe::load(tactus::support::source_dir() + "/models/four_bar.yaml"));
  const int loop = 0;
  ASSERT_TRUE(cart->is_active(loop));
  ASSERT_TRUE(cart->request(loop, false));
  EXPECT_TRUE(cart->is_active(loop));
  EXPECT_TRUE(cart->step().status == Status());
  EXPECT_FALSE(cart->is_active(loop));
  for (int tick = 0; tick < 200; ++tick) ASSERT_TRUE(cart->step().ok());
  ASSERT_TRUE(cart->request(loop, true));  // far away by now
  const Tick answer = cart->step();
  EXPECT_TRUE(answer.ok());
  EXPECT_TRUE(answer.status.has(Status::request_refused));
  EXPECT_FALSE(cart->is_active(loop));
}

TEST(Mechanism, NamesThatAreNotThereAreAnsweredWithThoseThatAre) {
  const std::unique_ptr<Mechanism> arm =
      open(describe::load(tactus::support::source_dir() + "/models/planar_2r.yaml"));
  const std::string name = arm->ports().front().name;
  EXPECT_EQ(arm->port(name), 0);
  try {
    arm->port(name + "x");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
  }
  EXPECT_THROW(arm->constraint("none"), InputError);
  OpenOptions options;
  options.ports = {"nowhere"};
  EXPECT_THROW(open(describe::load(tactus::support::source_dir() + "/models/planar_2r.yaml"), options),
               InputError);
}

}  // namespace
}  // namespace tactus::contact
