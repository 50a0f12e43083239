// Newton's matrix of the passive integrator, as generated code gives it, against differences of what it is the derivative of.
//
//   R(u1) = (M(q0) + M(q1))/2 (u1 - u0) - h Q(q_m, u_m),      u_m = (u0 + u1)/2,  q_m = q0 (+) theta/2,  q1 = q0 (+) theta,  theta = h theta'(q_m, u_m)
//
// The other road has no recursion of derivatives, no momenta and no formula of the chart in it: M and Q come from constrained_terms(), the middle from
// iterating the chart's own rates, and the derivative from differences of fourth order.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/script.h>
#include <tactus/simulate/integrators/passive_matrix.h>
#include <tactus/simulate/motion/chart.h>
#include <tactus/simulate/motion/ports.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using derive::Equations;

derive::Options options_for(const describe::Model& model, const std::string& script) {
  derive::Options options;
  options.push_passive = true;  // by what pulls at ports
  if (!script.empty()) options.wrenches = script_wrenches(model, script, "script.yaml");
  return options;
}

/// One step of one mechanism, by both roads.
class Roads {
 public:
  Roads(const describe::Model& model, double h, const std::string& script, bool pushed)
      : h_(h), equations_(model, options_for(model, script)) {
    std::optional<algebra::Function> loads;
    if (!script.empty()) loads = read_script(equations_, script, "script.yaml").loads;
    dynamics_ =
        compile(equations_, loads, generate::Backend::automatic, {.momentum = false, .passive = true});
    chart_ = std::make_unique<Chart>(dynamics_);
    n_ = static_cast<std::size_t>(dynamics_.nv());
    terms_ = std::make_unique<generate::Evaluator>(generate::compile(equations_.constrained_terms()));
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    State state{0.3, model.initial_q, model.initial_u, {}};
    for (double& x : state.q) x += 0.3 * part(random);
    EXPECT_TRUE(dynamics_.coordinates.normalize(state.q.data()));
    for (double& x : state.u) x = 2.0 * part(random);
    state_ = state;
    for (std::size_t i = 0; i < n_; ++i) u1_.push_back(state.u[i] + 0.1 * part(random));
    std::vector<double> z(static_cast<std::size_t>(chart_->size()));
    chart_->begin(state, z);
    for (double& x : chart_->workspace().held_tau) x = part(random);
    for (double& x : chart_->workspace().held_wrench) x = part(random);
    if (!pushed) return;
    port_kernels_ = std::make_unique<PortKernels>(equations_, std::vector<int>{});
    ports_ = std::make_unique<Ports>(*port_kernels_);
    const PortWrench wrench{static_cast<int>(port_kernels_->ports.size()) - 1,
                            {200, -300, 100, 3000, -2000, 4000}};
    EXPECT_TRUE(ports_->hold({&wrench, 1}));
    chart_->attach(ports_.get());
  }

  std::size_t size() const { return n_; }

  /// R at these speeds; leaves the middle in the workspace and in half_, the end in q1_.
  std::vector<double> residual(const std::vector<double>& u1) {
    Workspace& w = chart_->workspace();
    const Coordinates& coordinates = dynamics_.coordinates;
    std::vector<double> theta(n_), qdot(static_cast<std::size_t>(dynamics_.nq())),
        work(dynamics_.coordinate_rates.work_size());
    half_.assign(n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) w.u[i] = 0.5 * (state_.u[i] + u1[i]);
    *w.t = state_.t + 0.5 * h_;
    constexpr int kSettled = 60;  // the place in the middle contracts by h times rates
    for (int k = 0; k < kSettled; ++k) {
      coordinates.displace(w.q0.data(), half_.data(), w.q);
      dynamics_.coordinate_rates(w.arguments.data(), qdot.data(), work.data());
      coordinates.chart_rate(w.q, half_.data(), qdot.data(), theta.data());
      for (std::size_t i = 0; i < n_; ++i) half_[i] = 0.5 * h_ * theta[i];
    }
    coordinates.displace(w.q0.data(), half_.data(), w.q);
    chart_->loads_at_workspace();
    evaluate(w.q);
    std::vector<double> R(n_);
    for (std::size_t i = 0; i < n_; ++i) R[i] = -h_ * terms_->output("Q")[i];
    q1_.resize(w.q0.size());
    for (double& x : theta) x *= h_;
    coordinates.displace(w.q0.data(), theta.data(), q1_.data());
    for (const std::vector<double>* end : {&w.q0, &q1_}) {
      evaluate(end->data());
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_; ++j)
          R[i] += 0.5 * terms_->output("M")[i * n_ + j] * (u1[j] - state_.u[j]);
    }
    return R;
  }

  void evaluate(const double* place) {
    const Workspace& w = chart_->workspace();
    const std::span<double> q = terms_->input("q"), u = terms_->input("u"), tau = terms_->input("tau"),
                            wrench = terms_->input("wrench");
    terms_->input("t")[0] = *w.t;
    std::copy_n(place, q.size(), q.begin());
    std::copy_n(w.u, n_, u.begin());
    std::copy_n(w.tau, n_, tau.begin());
    std::copy_n(w.wrench, wrench.size(), wrench.begin());
    terms_->run();
  }

  std::vector<double> by_differences() {
    std::vector<double> J(n_ * n_);
    for (std::size_t j = 0; j < n_; ++j) {
      const auto at = [&](double away) {
        std::vector<double> u1 = u1_;
        u1[j] += away;
        return residual(u1);
      };
      // What is left out is of the fifth order, rounding 1e-16/nudge.
      constexpr double kNudge = 1e-3;
      const auto a = at(-2 * kNudge), b = at(-kNudge), c = at(kNudge), d = at(2 * kNudge);
      for (std::size_t i = 0; i < n_; ++i)
        J[i * n_ + j] = (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * kNudge);
    }
    return J;
  }

  std::vector<double> generated() {
    residual(u1_);
    PassiveStep step(n_, q1_.size(), 0);
    step.t = state_.t;
    step.h = h_;
    for (std::size_t i = 0; i < n_; ++i) step.du[i] = u1_[i] - state_.u[i];
    step.half = half_;
    step.q1 = q1_;
    PassiveMatrix matrix(*chart_);
    matrix.begin(*chart_, state_.t);
    matrix.fill(*chart_, step);
    std::vector<double> J;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) J.push_back(matrix.at(i, j));
    return J;
  }

  const PassiveTerms& terms() const { return *dynamics_.passive; }

 private:
  double h_;
  Equations equations_;
  Dynamics dynamics_;
  std::unique_ptr<PortKernels> port_kernels_;
  std::unique_ptr<Ports> ports_;
  std::unique_ptr<Chart> chart_;
  std::unique_ptr<generate::Evaluator> terms_;
  std::size_t n_ = 0;
  State state_;
  std::vector<double> u1_, half_, q1_;
};

describe::Model model_of(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

/// The largest difference of two matrices, by the larger entries of the row and the column: speeds have units of their own.
double difference(const std::vector<double>& A, const std::vector<double>& B, std::size_t n) {
  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double size = std::sqrt(std::abs(A[i * n + i] * A[j * n + j])) + std::abs(A[i * n + j]);
      worst = support::larger(worst, std::abs(A[i * n + j] - B[i * n + j]) / size);
    }
  return worst;
}

// Differences of fourth order, and a step so long (50 ms) that every term of the matrix is far above them.
constexpr double kStep = 0.05, kSame = 1e-8;

class Matrix : public ::testing::TestWithParam<const char*> {};

// Trees, loops, rolling, quaternions in spherical and free joints, joints of every kind, speeds of the model's own, springs, dampers, laws of force.
TEST_P(Matrix, IsTheDerivativeOfTheStep) {
  Roads roads(model_of(GetParam()), kStep, "", false);
  EXPECT_LE(difference(roads.by_differences(), roads.generated(), roads.size()), kSame);
}
INSTANTIATE_TEST_SUITE_P(Models, Matrix,
                         testing::Values("double_pendulum", "planar_3r", "puma560", "chain_30", "four_bar",
                                         "bricard", "stewart_platform", "rolling_disk", "rolling_sphere",
                                         "shopping_cart", "cart_caster", "rigid_body", "joint_gallery",
                                         "spherical_wrist", "spherical_wrist_rates", "flexible_3r",
                                         "muscle_arm", "single_track", "gantry"),
                         [](const auto& test) { return std::string(test.param); });

/// Springs and dampers between bodies that have no joint in common, on joints, and to the ground; a constraint that moves by itself.
describe::Model sprung(bool with_spring) {
  std::string text = R"(
name: sprung
bodies:
  a: {mass: 1.2, com: [0.1, 0, 0.05], inertia: [0.01, 0.02, 0.03]}
  b: {mass: 0.7, com: [0, 0.1, 0], inertia: [0.02, 0.01, 0.01]}
  c: {mass: 0.5, inertia: [0.01, 0.01, 0.01]}
joints:
  fa: {type: free, parent: world, child: a}
  fb: {type: spherical, parent: world, child: b, placement: {xyz: [0.5, 0.2, 0]}}
  rc: {type: revolute, parent: b, child: c, axis: x, placement: {xyz: [0, 0, 0.3]}, stiffness: 40, damping: 2}
frames:
  tip_a: {body: a, placement: {xyz: [0.2, 0.1, 0]}}
  tip_b: {body: c, placement: {xyz: [0, 0.2, 0.1]}, grasp: true}
constraints:
  led: {type: motion, joint: rc, equals: 0.1*sin(3*t)}
)";
  if (with_spring)
    text +=
        "springs:\n  s: {type: points, a: tip_a, b: tip_b, stiffness: 300, damping: 5, rest_length: 0.2}\n";
  return describe::load_text(text, "sprung.yaml");
}

TEST(PassiveMatrix, CouplesWhatSpringsCoupleAndNothingElse) {
  Roads apart(sprung(false), kStep, "", false), joined(sprung(true), kStep, "", false);
  EXPECT_EQ(apart.terms().blocks.size(), 2u);
  EXPECT_EQ(joined.terms().blocks.size(), 1u);
  EXPECT_LE(difference(apart.by_differences(), apart.generated(), apart.size()), kSame);
  EXPECT_LE(difference(joined.by_differences(), joined.generated(), joined.size()), kSame);
}

TEST(PassiveMatrix, HasWhatAScriptsForcesDependOn) {
  const describe::Model model = sprung(false);
  Roads roads(model, kStep,
              "tau: {rc: \"-30*rc - 2*rc_dot*fa.x + 3*fa.wx\"}\nwrenches: [{frame: tip_a, force: "
              "[\"-20*fa.x\", \"5*fb.wy\", 1]}]\n",
              false);
  EXPECT_EQ(roads.terms().blocks.size(), 1u);
  EXPECT_LE(difference(roads.by_differences(), roads.generated(), roads.size()), kSame);
}

// What is pushed at a port turns while it is pushed: by differences along the motions of the speeds, which leave out what those do to the middle, a part of h
// times rates.
TEST(PassiveMatrix, KnowsHowAHandsForcesAtTheJointsChange) {
  constexpr double kShort = 0.01, kPart = 0.1, kSeen = 1e-2;
  for (const char* name :
       {"chain_30", "puma560", "rigid_body", "spherical_wrist_rates", "stewart_platform"}) {
    Roads roads(model_of(name), kShort, "", true), alone(model_of(name), kShort, "", false);
    const std::vector<double> pushed = roads.by_differences();
    const double effect = difference(pushed, alone.by_differences(), roads.size());
    EXPECT_GT(effect, kSeen) << name;
    EXPECT_LE(difference(pushed, roads.generated(), roads.size()), kPart * effect) << name;
  }
}

TEST(PassiveMatrix, OfFreeBodiesIsOneBlockEach) {
  Roads roads(model_of("box_stack"), kStep, "", false);
  EXPECT_EQ(roads.terms().blocks.size(), 10u);
  for (const std::vector<int>& speeds : roads.terms().blocks) EXPECT_EQ(speeds.size(), 6u);
  EXPECT_LE(difference(roads.by_differences(), roads.generated(), roads.size()), kSame);
}

}  // namespace
}  // namespace tactus::simulate
