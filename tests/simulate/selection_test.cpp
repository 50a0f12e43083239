// Which speeds are independent: by singular values [Gillespie2003, (43)] (studies/gillespie2003/selection.h)
// and as the embedding chooses (simulate/constraints/dependent_speeds.h), and that the motion does not depend
// on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Dense>

#include <studies/gillespie2003/selection.h>
#include <tactus/contact/examine.h>
#include <tactus/contact/open.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/constraints/constraints.h>
#include <tactus/simulate/constraints/dependent_speeds.h>
#include <tactus/simulate/motion/dynamics.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using studies::gillespie::by_singular_values;
using studies::gillespie::embedded;
using studies::gillespie::Tally;

/// [s] Of the motions: the four-bar falls, and turns at 30 rad/s.
constexpr double kStep = 1e-4;

class Selection {
 public:
  explicit Selection(const std::string& name)
      : model_(describe::load(support::source_dir() + "/models/" + name + ".yaml")),
        mechanism_(
            contact::open(model_, {.step = kStep, .constraints = {.formulation = Formulation::embedding}})),
        dynamics_(compile(derive::Equations(model_))),
        terms_(dynamics_, *dynamics_.constraints),
        own_(static_cast<std::size_t>(dynamics_.nv()), dynamics_.constraints->size()),
        looked_(model_) {}

  Mechanism& mechanism() { return *mechanism_; }

  /// At the mechanism's state.
  void look() {
    const State& s = mechanism_->state();
    evaluate(s.t, s.q, s.u);
    reckdahl.follow(A_, by_singular_values(A_));
    take_own(pivots);
    EXPECT_TRUE(looked_.look(*mechanism_));
    EXPECT_TRUE(std::equal(pivots.now.begin(), pivots.now.end(), looked_.dependent().begin(),
                           looked_.dependent().end(),
                           [](Index a, std::size_t b) { return static_cast<std::size_t>(a) == b; }));
    mechanism_->hold({});
    const std::span<const double> given = mechanism_->accelerations();
    const VectorXd udot = Eigen::Map<const VectorXd>(given.data(), static_cast<Index>(given.size()));
    const double size = 1.0 + udot.norm();
    const VectorXd first = embedded(A_, M_, Q_, gamma_, reckdahl.now),
                   second = embedded(A_, M_, Q_, gamma_, pivots.now);
    apart = support::larger(apart, (first - udot).norm() / size);
    apart = support::larger(apart, (second - udot).norm() / size);
  }

  /// A step of Runge and Kutta with the equations in the independent speeds, chosen where it begins.
  void advance(State& s, double h, bool by_svd, Tally& tally) {
    evaluate(s.t, s.q, s.u);
    if (by_svd)
      tally.follow(A_, by_singular_values(A_));
    else
      take_own(tally);
    constexpr double kPart[] = {0.0, 0.5, 0.5, 1.0}, kWeight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    State next = s, at = s;
    VectorXd qdot = VectorXd::Zero(static_cast<Index>(s.q.size())),
             udot = VectorXd::Zero(static_cast<Index>(s.u.size()));
    for (int stage = 0; stage < 4; ++stage) {
      const double part = kPart[stage] * h;
      at.t = s.t + part;
      for (std::size_t i = 0; i < s.q.size(); ++i) at.q[i] = s.q[i] + part * qdot[static_cast<Index>(i)];
      for (std::size_t i = 0; i < s.u.size(); ++i) at.u[i] = s.u[i] + part * udot[static_cast<Index>(i)];
      evaluate(at.t, at.q, at.u);
      qdot = Eigen::Map<const VectorXd>(terms_.qdot(), qdot.size());
      udot = embedded(A_, M_, Q_, gamma_, tally.now);
      for (std::size_t i = 0; i < s.q.size(); ++i)
        next.q[i] += h * kWeight[stage] * qdot[static_cast<Index>(i)];
      for (std::size_t i = 0; i < s.u.size(); ++i)
        next.u[i] += h * kWeight[stage] * udot[static_cast<Index>(i)];
    }
    next.t = s.t + h;
    s = next;
  }

  /// As contact::SpeedChoice says it, too.
  long looked_choices() const { return looked_.choices(); }

  Tally reckdahl, pivots;
  double apart = 0.0;

 private:
  void evaluate(double t, const std::vector<double>& q, const std::vector<double>& u) {
    terms_.evaluate(t, q.data(), u.data());
    const auto n = static_cast<Index>(u.size());
    std::vector<std::size_t> on;
    for (std::size_t r = 0; r < dynamics_.constraints->size(); ++r)
      if (dynamics_.constraints->active[r] != 0) on.push_back(r);
    scale_.clear();
    for (const std::size_t r : on) scale_.push_back(dynamics_.constraints->scale[r]);
    A_.resize(static_cast<Index>(on.size()), n);
    M_.resize(n, n);
    Q_.resize(n);
    gamma_.resize(A_.rows());
    for (Index i = 0; i < n; ++i) {
      Q_[i] = terms_.Q()[i];
      for (Index j = 0; j < n; ++j) M_(i, j) = terms_.M()[i * n + j];
    }
    for (std::size_t k = 0; k < on.size(); ++k) {
      gamma_[static_cast<Index>(k)] = terms_.gamma()[on[k]];
      for (Index j = 0; j < n; ++j) A_(static_cast<Index>(k), j) = terms_.A(on[k])[j];
    }
  }

  /// The embedding's choice, by what it was given last.
  void take_own(Tally& tally) {
    ConstrainedProblem problem;
    problem.n = static_cast<std::size_t>(A_.cols());
    problem.m = static_cast<std::size_t>(A_.rows());
    const RowMajor A = A_, M = M_;
    problem.A = A.data();
    problem.M = M.data();
    problem.scale = scale_.data();
    EXPECT_TRUE(own_.choose(problem));
    std::vector<Index> set;
    for (std::size_t i = 0; i < problem.n; ++i)
      if (own_.set()[i] != 0) set.push_back(static_cast<Index>(i));
    tally.take(A_, set);
  }

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  MatrixXd A_, M_;
  VectorXd Q_, gamma_;
  std::vector<double> scale_;
  describe::Model model_;
  std::unique_ptr<Mechanism> mechanism_;
  Dynamics dynamics_;
  ConstraintTerms terms_;
  DependentSpeeds own_;
  contact::SpeedChoice looked_;
};

/// The two ways of choosing lead the same motion.
constexpr double kSame = 1e-9;

TEST(Selection, TurnsTheCartsCasterThroughARightAngle) {
  // The front wheel's row is -sin q4 u1 + L2 cos q4 u2 - L3 u3: all the way round.
  Selection cart("shopping_cart");
  constexpr double L2 = 0.8, L3 = 0.15;
  for (int k = 0; k <= 720; ++k) {
    const double q4 = 2.0 * std::numbers::pi * k / 720, u1 = 1.2, u2 = 0.5;
    cart.mechanism().set_state({.t = 0.0,
                                .q = {0.0, 0.0, 0.3, q4},
                                .u = {u1, u2, (-u1 * std::sin(q4) + u2 * L2 * std::cos(q4)) / L3, 0.0},
                                .momentum = {}});
    cart.look();
  }
  EXPECT_LT(cart.apart, kSame);
  // Four quarters, in which u1 and u2 take turns at being dependent; pivots by mass leave u3 of the light
  // caster there for good.
  EXPECT_EQ(cart.reckdahl.chosen, 5);
  EXPECT_EQ(cart.pivots.chosen, 1);
  EXPECT_EQ(cart.looked_choices(), 1);
  EXPECT_NEAR(cart.reckdahl.worst, 28.6, 0.1);
  EXPECT_NEAR(cart.pivots.worst, 13.4, 0.1);
}

TEST(Selection, FollowsTheFourBarRound) {
  Selection bars("four_bar");
  for (int k = 0; k < 40000; ++k) {
    if (k % 10 == 0) bars.look();
    ASSERT_TRUE(bars.mechanism().step().ok());
  }
  EXPECT_LT(bars.apart, kSame);
  EXPECT_EQ(bars.reckdahl.chosen, 1);
  EXPECT_EQ(bars.pivots.chosen, 1);
  EXPECT_LT(bars.reckdahl.worst, 2.5);
  EXPECT_LT(bars.pivots.worst, 2.5);
}

/// Both choices and the mechanism's own integrator, step by step from the same state: how far they part, by
/// place and speed.
double parted(Selection& s, int steps, Tally& svd, Tally& mass) {
  State first = s.mechanism().state(), second = first;
  double parted = 0.0;
  for (int k = 0; k < steps; ++k) {
    s.advance(first, kStep, true, svd);
    s.advance(second, kStep, false, mass);
    EXPECT_TRUE(s.mechanism().step().ok());
    const State& own = s.mechanism().state();
    for (const State* road : {&first, &second}) {
      parted = support::larger(parted, support::relative_difference(own.q, road->q));
      parted = support::larger(parted, support::relative_difference(own.u, road->u));
    }
  }
  return parted;
}

// Pushed backwards, the caster turns round by itself: through the right angle at which the speeds that are
// independent change.
TEST(Selection, OfAnyKindLeadsTheSameMotionOfTheCart) {
  Selection cart("shopping_cart");
  constexpr double L2 = 0.8, L3 = 0.15, q4 = 0.4, u1 = -1.2, u2 = 0.1;
  cart.mechanism().set_state({.t = 0.0,
                              .q = {0.0, 0.0, 0.3, q4},
                              .u = {u1, u2, (-u1 * std::sin(q4) + u2 * L2 * std::cos(q4)) / L3, 0.0},
                              .momentum = {}});
  const double before = cart.mechanism().state().q[3];
  Tally svd, mass;
  EXPECT_LT(parted(cart, 20000, svd, mass), kSame);
  EXPECT_GT(std::abs(cart.mechanism().state().q[3] - before), 0.5 * std::numbers::pi);
  EXPECT_GT(svd.chosen, 1);
  EXPECT_EQ(mass.chosen, 1);
}

TEST(Selection, OfAnyKindLeadsTheSameMotionOfTheFourBar) {
  Selection bars("four_bar");
  Tally svd, mass;
  EXPECT_LT(parted(bars, 20000, svd, mass), kSame);
}

TEST(Selection, IsKeptUntilAPivotIsATenthOfTheBest) {
  const double M[] = {1.0, 0.0, 0.0, 1.0}, scale[] = {1.0};
  DependentSpeeds speeds(2, 1);
  const auto dependent_at = [&](double angle) {
    const double A[] = {std::cos(angle), std::sin(angle)};
    ConstrainedProblem problem;
    problem.n = 2;
    problem.m = 1;
    problem.M = M;
    problem.A = A;
    problem.scale = scale;
    EXPECT_TRUE(speeds.choose(problem));
    return speeds.set()[0] != 0 ? 0 : 1;
  };
  const double border = std::atan(10.0);  // cos = sin/10
  EXPECT_EQ(dependent_at(0.0), 0);
  EXPECT_EQ(dependent_at(border - 1e-6), 0);
  EXPECT_EQ(speeds.choices(), 1);
  EXPECT_EQ(dependent_at(border + 1e-6), 1);
  EXPECT_EQ(dependent_at(0.5 * std::numbers::pi - border + 1e-6), 1);
  EXPECT_EQ(speeds.choices(), 2);
  EXPECT_EQ(dependent_at(0.5 * std::numbers::pi - border - 1e-6), 0);
  EXPECT_EQ(speeds.choices(), 3);
}

// The caster that sticks has a row more: another choice, and the one before once it is free.
TEST(Selection, IsMadeAnewWhereTheCasterSticksAndBreaksLoose) {
  const describe::Model model = describe::load(support::source_dir() + "/models/shopping_cart.yaml");
  const auto cart = contact::open(model, {.constraints = {.formulation = Formulation::embedding}});
  contact::SpeedChoice choice(model);
  const int stick = cart->constraint("stick");
  ASSERT_TRUE(choice.look(*cart));
  EXPECT_EQ(choice.dependent().size(), 2u);
  const std::vector<std::size_t> free = choice.dependent();
  ASSERT_TRUE(cart->set_active(stick, true));
  ASSERT_TRUE(choice.look(*cart));
  EXPECT_EQ(choice.dependent().size(), 3u);
  ASSERT_TRUE(cart->set_active(stick, false));
  ASSERT_TRUE(choice.look(*cart));
  EXPECT_EQ(choice.dependent(), free);
  EXPECT_EQ(choice.choices(), 3);
}

}  // namespace
}  // namespace tactus::simulate
