// Projected control of an arm with elastic joints: what is refused, what is stable, and where it ceases to be [Aghili2005, IX, X].
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/arm/projected.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/decompositions.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double kPeriod = 1e-3;  // the paper's
constexpr int kSubsteps = 10;     // of a period: stiff joints
enum class Seen { motors, links };

describe::Model rigid() {
  return describe::load(support::source_dir() + "/models/slider_3r.yaml",
                        {{"fc1", "0"}, {"fc2", "0"}, {"fc3", "0"}});
}
describe::Model flexible(double frequency) {
  return describe::load(support::source_dir() + "/models/flexible_3r.yaml",
                        {{"f", fmt::format("{}", frequency)}});
}

/// The paper's gains, 480 and 45, with poles that are `faster` times as fast.
ProjectedController controller_of(double faster) {
  ProjectedControl control;
  control.led = {"along", "turn"};
  control.G_P = 480.0 * faster * faster;
  control.G_D = 45.0 * faster;
  control.period = kPeriod;
  return {rigid(), control};
}

/// Joint angles that the controller is told, of motors or links, from all six coordinates or speeds.
std::array<double, 3> seen_of(Seen seen, const double* all) {
  std::array<double, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) result[i] = all[2 * i] + (seen == Seen::links ? all[2 * i + 1] : 0.0);
  return result;
}

/// Where the tip is to stay: at the start.
struct Still {
  std::array<double, 2> x{-0.075 + 0.225 * std::sin(M_PI / 9.0), 0.0}, none{};
};

VectorXd torques(ProjectedController& controller, Seen seen, const VectorXd& q, const VectorXd& u) {
  ProjectedMemory memory = controller.memory();
  const Still still;
  const std::array<double, 3> angles = seen_of(seen, q.data()), rates = seen_of(seen, u.data());
  VectorXd f(3);
  EXPECT_EQ(controller.force(memory, 0.0, angles.data(), rates.data(), still.x.data(), still.none.data(),
                             still.none.data(), nullptr, nullptr, f.data()),
            Led::well);
  return f;
}

MatrixXd block(const generate::Evaluator& evaluator, const char* name) {
  const generate::Slot* slot = evaluator.kernel().output(name);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(evaluator.output(name).data(), slot->rows, slot->cols);
}

MatrixXd exponential(MatrixXd A) {
  A /= 1024.0;
  MatrixXd term = MatrixXd::Identity(A.rows(), A.rows()), sum = term;
  for (int k = 1; k < 16; ++k) {
    term = term * A / k;
    sum += term;
  }
  for (int k = 0; k < 10; ++k) sum = sum * sum;
  return sum;
}

/// The largest size of the sampled closed loop's eigenvalues, about rest at the start: the plant's M, D, K on what its constraint leaves,
/// torques held for a period, the law's own gains by differences.
double radius(double frequency, Seen seen, double faster) {
  const describe::Model model = flexible(frequency);
  generate::Evaluator mass(
      generate::compile(derive::Equations(model).mass_matrix(), generate::Backend::interpreter)),
      rows(generate::compile(derive::Equations(model).constraint_terms(), generate::Backend::interpreter));
  for (generate::Evaluator* evaluator : {&mass, &rows}) {
    std::copy(model.initial_q.begin(), model.initial_q.end(), evaluator->input("q").begin());
    evaluator->run();
  }
  const MatrixXd M = block(mass, "M"), A = block(rows, "A");
  MatrixXd K = MatrixXd::Zero(6, 6), D = K, B = MatrixXd::Zero(6, 3);
  for (Index i = 0; i < 3; ++i) {
    const describe::JointAxis& elastic = model.joints[static_cast<std::size_t>(2 * i + 1)].axes[0];
    K(2 * i + 1, 2 * i + 1) = describe::value_of(model, elastic.stiffness);
    D(2 * i + 1, 2 * i + 1) = describe::value_of(model, elastic.damping);
    B(2 * i, i) = 1.0;
  }
  const MatrixXd N = Eigen::FullPivLU<MatrixXd>(A).kernel();  // motions
  const Index k = N.cols();
  const MatrixXd inverse = (N.transpose() * M * N).inverse();
  MatrixXd plant = MatrixXd::Zero(2 * k + 3, 2 * k + 3);
  plant.block(0, k, k, k).setIdentity();
  plant.block(k, 0, k, k) = -inverse * N.transpose() * K * N;
  plant.block(k, k, k, k) = -inverse * N.transpose() * D * N;
  plant.block(k, 2 * k, k, 3) = inverse * N.transpose() * B;
  const MatrixXd step = exponential(plant * kPeriod);
  ProjectedController controller = controller_of(faster);
  const VectorXd q = Eigen::Map<const VectorXd>(model.initial_q.data(), 6), none = VectorXd::Zero(6);
  MatrixXd gains(3, 2 * k);
  constexpr double kSmall = 1e-5;
  for (Index i = 0; i < k; ++i) {
    const VectorXd d = kSmall * N.col(i);
    gains.col(i) =
        (torques(controller, seen, q + d, none) - torques(controller, seen, q - d, none)) / (2.0 * kSmall);
    gains.col(k + i) = (torques(controller, seen, q, d) - torques(controller, seen, q, -d)) / (2.0 * kSmall);
  }
  const MatrixXd closed = step.topLeftCorner(2 * k, 2 * k) + step.topRightCorner(2 * k, 3) * gains;
  return Eigen::EigenSolver<MatrixXd>(closed, false).eigenvalues().cwiseAbs().maxCoeff();
}

/// By how much the deflections' energy grows in a period, over half a second of the whole nonlinear arm, in the mean; after a small push.
double growth(double frequency, Seen seen, double faster) {
  const describe::Model model = flexible(frequency);
  const auto plant = contact::open(model, {.step = kPeriod / kSubsteps});
  ProjectedController controller = controller_of(faster);
  ProjectedMemory memory = controller.memory();
  const Still still;
  std::array<double, 2> sizes{};
  for (int k = 0; k < 1000; ++k) {
    const simulate::State& s = plant->state();
    const std::array<double, 3> angles = seen_of(seen, s.q.data()), rates = seen_of(seen, s.u.data());
    std::array<double, 3> f{};
    EXPECT_EQ(controller.force(memory, s.t, angles.data(), rates.data(), still.x.data(), still.none.data(),
                               still.none.data(), nullptr, nullptr, f.data()),
              Led::well);
    std::vector<double> tau(6);
    for (std::size_t i = 0; i < 3; ++i)
      tau[2 * i] = f[i] + (k < 3 ? 1e-4 * (1.0 + static_cast<double>(i)) : 0.0);
    for (int part = 0; part < kSubsteps; ++part)
      if (!plant->step({.tau = tau, .ports = {}, .wrench = {}}).ok()) return INFINITY;
    // Sizes of motion in two windows half a second apart.
    double size = 0.0;
    for (const double u : plant->state().u) size += u * u;
    if (k >= 400 && k < 500) sizes[0] += size;
    if (k >= 900) sizes[1] += size;
    if (!(size < 1e-2)) return INFINITY;
  }
  return std::pow(sizes[1] / sizes[0], 0.5 / 500.0);
}

TEST(FlexibleJoints, AreThirtyHertzEachAlone) {
  const describe::Model model = flexible(30.0);
  generate::Evaluator mass(
      generate::compile(derive::Equations(model).mass_matrix(), generate::Backend::interpreter));
  std::copy(model.initial_q.begin(), model.initial_q.end(), mass.input("q").begin());
  mass.run();
  const MatrixXd M = block(mass, "M");
  for (Index i = 0; i < 3; ++i) {
    const double k =
        describe::value_of(model, model.joints[static_cast<std::size_t>(2 * i + 1)].axes[0].stiffness);
    EXPECT_NEAR(std::sqrt(k / M(2 * i + 1, 2 * i + 1)) / (2.0 * M_PI), 30.0, 1e-10) << i;
  }
}

TEST(FlexibleJoints, CannotBeLedAsJointsWithoutActuators) {
  // (62): a constraint holds one motion, the deflections are three: no torque of a motor moves them at once.
  ProjectedControl control;
  control.led = {"q1", "q2", "d1", "d2", "d3"};
  const describe::Model model = flexible(30.0);
  ProjectedController controller(model, control);
  ProjectedMemory memory = controller.memory();
  const std::array<double, 6> none{};
  std::array<double, 6> f{};
  EXPECT_EQ(controller.force(memory, 0.0, model.initial_q.data(), none.data(), none.data(), none.data(),
                             none.data(), nullptr, nullptr, f.data()),
            Led::not_controllable);
  EXPECT_EQ(controller.controllability(), 0.0);
}

TEST(FlexibleJoints, AreStableAtThePapersGainsByTheMotorsEncoders) {
  EXPECT_LT(radius(30.0, Seen::motors, 1.0), 1.0);
  const double predicted = radius(30.0, Seen::motors, 1.0), seen = growth(30.0, Seen::motors, 1.0);
  RecordProperty("radius", fmt::format("{:.6f}, seen {:.6f}", predicted, seen));
  EXPECT_LT(seen, 1.0);
  EXPECT_NEAR(seen, predicted, 2e-3);
}

/// The number between which and which the loop is stable at one end only.
template <class Stable>
double limit(double stable, double unstable, Stable&& is_stable) {
  EXPECT_TRUE(is_stable(stable));
  EXPECT_FALSE(is_stable(unstable));
  for (int k = 0; k < 30; ++k) {
    const double middle = 0.5 * (stable + unstable);
    (is_stable(middle) ? stable : unstable) = middle;
  }
  return stable;
}

TEST(FlexibleJoints, AreUnstableWhereTheirEigenvaluesSay) {
  // Angles of the links instead: elastic joints between motor and sensor.
  EXPECT_GT(radius(30.0, Seen::links, 1.0), 1.0);
  const double stiff = limit(3000.0, 30.0, [](double f) { return radius(f, Seen::links, 1.0) < 1.0; });
  EXPECT_LT(growth(1.15 * stiff, Seen::links, 1.0), 1.0) << stiff;
  EXPECT_GT(growth(stiff / 1.15, Seen::links, 1.0), 1.0) << stiff;
  // Faster poles, by the motors' encoders.
  const double fast =
      limit(1.0, 100.0, [](double faster) { return radius(30.0, Seen::motors, faster) < 1.0; });
  EXPECT_LT(growth(30.0, Seen::motors, fast / 1.05), 1.0) << fast;
  EXPECT_GT(growth(30.0, Seen::motors, 1.05 * fast), 1.0) << fast;
  RecordProperty("limits", fmt::format("{} Hz, {} times", stiff, fast));
}

}  // namespace
}  // namespace tactus::control
