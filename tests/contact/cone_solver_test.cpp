#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include <tactus/contact/impact/cone_solver.h>

#include "contact/random_contacts.h"
#include "support/allocations.h"
#include "support/compare.h"

namespace tactus::contact {
namespace {

using tactus::test::allocation_count;
using test::Matrix;

std::span<const double> flat(const Matrix& m) { return {m.data(), static_cast<std::size_t>(m.size())}; }
std::span<const double> flat(const Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

/// What Coulomb's law asks of (p, w), each by itself; the largest violation, velocities in their own unit and
/// impulses by the mass the contact feels.
double violation(const LocalCone& k, const double* p, const double* w) {
  const double rho = k.mass();
  double worst = std::max({0.0, -w[0], (k.least - p[0]) / rho});
  worst = support::larger(worst, std::min(std::abs(w[0]), std::abs(p[0] - k.least) / rho));
  if (k.size == 1) return worst;
  const double pt = std::hypot(p[1], k.size > 2 ? p[2] : 0.0), wt = std::hypot(w[1], k.size > 2 ? w[2] : 0.0);
  worst = support::larger(worst, (pt - k.mu * p[0]) / rho);
  // Slides: p_t = -mu p_n w_t/|w_t|; otherwise it sticks. The smaller of the two misses counts.
  double miss = 0.0;
  for (int i = 1; i < k.size; ++i)
    miss = std::hypot(miss, wt > 0.0 ? (p[i] + k.mu * p[0] * w[i] / wt) / rho : 0.0);
  return std::max(worst, std::min(wt, miss));
}

/// The largest violation of the law, contact by contact.
double worst_violation(std::span<const int> size, std::span<const double> mu, std::span<const double> W,
                       std::span<const double> p, std::span<const double> w) {
  double worst = 0.0;
  std::size_t row = 0;
  for (std::size_t k = 0; k < size.size(); ++k) {
    LocalCone local;
    local.size = size[k];
    local.mu = mu[k];
    const auto n = static_cast<std::size_t>(local.size);
    for (std::size_t r = 0; r < n; ++r) local.W[4 * r] = W[(row + r) * p.size() + row + r];
    const double here = violation(local, p.data() + row, w.data() + row);
    if (!(here <= worst)) worst = here;
    row += n;
  }
  return worst;
}

TEST(LocalCone, FulfilsTheLawOfOneContactForAnyMatrix) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  // Relative to W p + q; a few roundings of a matrix with condition up to 1e4.
  constexpr double kTolerance = 1e-11;
  int modes[3] = {};
  for (int i = 0; i < 20000; ++i) {
    LocalCone k;
    k.size = 1 + i % 3;
    k.mu = i % 7 == 0 ? 0.0 : 2.0 * std::abs(number(random));
    const Eigen::Matrix3d B =
        Eigen::Matrix3d::NullaryExpr([&] { return number(random); }) + 0.05 * Eigen::Matrix3d::Identity();
    const Eigen::Matrix3d W = B * B.transpose() + 1e-4 * Eigen::Matrix3d::Identity();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) k.W[3 * r + c] = r < k.size && c < k.size ? W(r, c) : 0.0;
    double q[3], p[3], w[3];
    for (double& x : q) x = number(random);
    if (i % 5 == 0 && q[0] < 0.0) q[0] *= 1e-8;  // nearly grazing
    const ConeMode mode = solve_contact(k, q, p);
    double scale = 0.0;
    for (int r = 0; r < k.size; ++r) {
      w[r] = q[r];
      double size = std::abs(q[r]);
      for (int c = 0; c < k.size; ++c) {
        w[r] += k.W[3 * r + c] * p[c];
        size += std::abs(k.W[3 * r + c] * p[c]);
      }
      scale = support::larger(scale, size);
    }
    ++modes[static_cast<int>(mode)];
    ASSERT_LE(violation(k, p, w), kTolerance * scale) << "case " << i << " size " << k.size;
  }
  for (const int count : modes) EXPECT_GT(count, 1000);
}

TEST(LocalCone, SlidesOverALeastImpulseAndSticksOnIt) {
  LocalCone k;
  k.size = 3;
  k.mu = 0.5;
  k.least = 2.0;
  k.W[0] = k.W[4] = k.W[8] = 1.0;
  double p[3];
  const double slow[] = {0.0, 0.3, -0.4}, fast[] = {0.0, 3.0, -4.0}, closing[] = {-3.0, 0.0, 0.0};
  EXPECT_EQ(solve_contact(k, slow, p), ConeMode::sticking);
  EXPECT_DOUBLE_EQ(p[0], 2.0);
  EXPECT_DOUBLE_EQ(p[1], -0.3);
  EXPECT_EQ(solve_contact(k, fast, p), ConeMode::sliding);
  EXPECT_NEAR(p[1], -0.6, 1e-15);  // mu least, against the slip
  EXPECT_NEAR(p[2], 0.8, 1e-15);
  EXPECT_EQ(solve_contact(k, closing, p), ConeMode::sticking);
  EXPECT_DOUBLE_EQ(p[0], 3.0);
}

TEST(ConeSolver, SolvesRandomProblemsToRounding) {
  std::mt19937_64 random(2);
  ConeSolver solver(24);
  // By the size of the terms of w: the solver's own tolerance is 1e-13, but the direction of a slip near
  // zero, which only this measure asks for, has fewer digits.
  constexpr double kTolerance = 1e-11;
  // Problems in which Coulomb's law is not reached and another stands in: one here.
  constexpr int kMostStandIns = 3;
  int stand_ins = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto s = test::random_contacts(random, {.structure = static_cast<test::Structure>(i % 3),
                                                  .bodies = 1 + i % 5,
                                                  .contacts = 1 + i % 12,
                                                  .most_friction = 0.8,
                                                  .mass_ratio = 100.0});
    std::vector<double> p(static_cast<std::size_t>(s.rows()), 0.0), w(p.size());
    const ConeProblem problem{s.size, s.mu, {}, flat(s.W), flat(s.v)};
    const ConeResult result = solver.solve(problem, p, w);
    if (!result.converged) {
      ++stand_ins;
      EXPECT_NE(result.law, ConeLaw::coulomb) << i;
      continue;
    }
    // The law itself, by another road than the map that the solver makes vanish.
    EXPECT_LE(worst_violation(s.size, s.mu, flat(s.W), p, w), kTolerance * result.scale) << i;
    if (i % 10 == 0) {
      const ConeResult again = solver.solve(problem, p, w);  // warm
      EXPECT_TRUE(again.converged && again.sweeps == 0) << i;
    }
  }
  EXPECT_LE(stand_ins, kMostStandIns);
}

// A peg that is caught between the two edges of its hole, as a run came upon it: sweeps go in a circle, and
// Newton's method does not find its way. Pivoting does.
TEST(ConeSolver, SolvesThePegThatIsCaughtInItsHole) {
  const std::vector<int> size{2, 2};
  const std::vector<double> mu{0.15, 0.15};
  const std::vector<double> W{
      19.117651957659053,  3.5294123770602708,  3.5293623220890571,  -19.117658749091497,  //
      3.5294123770602708,  5.882352941176471,   -4.1176562997237607, -3.5294009836270495,  //
      3.5293623220890571,  -4.1176562997237607, 5.8823344594385132,  -3.529377111228698,   //
      -19.117658749091497, -3.5294009836270495, -3.529377111228698,  19.117665540561482};
  const std::vector<double> b{-0.0036736117870218893, 0.00073940273411631115, -0.0020313026895254797,
                              0.0036736166572174786};
  constexpr double kTolerance = 1e-12;  // of the terms in w: ten times the solver's own
  constexpr int kFew = 20;              // sweeps; it was 2008, and then another law
  ConeSolver solver(2);
  std::vector<double> p(4, 0.0), w(4);
  const ConeResult result = solver.solve({size, mu, {}, W, b}, p, w);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.law, ConeLaw::coulomb);
  EXPECT_LE(result.sweeps, kFew);
  EXPECT_LE(worst_violation(size, mu, W, p, w), kTolerance * result.scale);
}

TEST(ConeSolver, ReachesCoulombsLawInEveryPlanarProblem) {
  std::mt19937_64 random(4);
  ConeSolver solver(PlanarSolver::kMostContacts);
  constexpr double kTolerance = 1e-11;  // as above
  for (int i = 0; i < 3000; ++i) {
    const auto s = test::random_contacts(random, {.structure = static_cast<test::Structure>(i % 3),
                                                  .bodies = 1 + i % 5,
                                                  .contacts = 1 + i % 12,
                                                  .most_friction = 2.0,
                                                  .mass_ratio = 100.0,
                                                  .size = 2});
    std::vector<double> p(static_cast<std::size_t>(s.rows()), 0.0), w(p.size());
    const ConeResult result = solver.solve({s.size, s.mu, {}, flat(s.W), flat(s.v)}, p, w);
    EXPECT_TRUE(result.converged) << i;
    EXPECT_LE(worst_violation(s.size, s.mu, flat(s.W), p, w), kTolerance * result.scale) << i;
  }
}

// By itself, without a guess and without Newton's method after it.
TEST(PlanarSolver, FulfilsTheLawByPivotingAlone) {
  std::mt19937_64 random(5);
  PlanarSolver solver(PlanarSolver::kMostContacts);
  constexpr double kTolerance = 1e-8;  // of the largest velocity: bases of condition up to 1e5
  for (int i = 0; i < 3000; ++i) {
    const auto s = test::random_contacts(random, {.structure = static_cast<test::Structure>(i % 3),
                                                  .bodies = 1 + i % 5,
                                                  .contacts = 1 + i % 12,
                                                  .most_friction = 2.0,
                                                  .size = 1 + i % 2});
    std::vector<double> p(static_cast<std::size_t>(s.rows()), 0.0);
    const ConeProblem problem{s.size, s.mu, {}, flat(s.W), flat(s.v)};
    ASSERT_TRUE(solver.takes(problem));
    ASSERT_TRUE(solver.solve(problem, p.data())) << i;
    const Eigen::VectorXd w = s.W * Eigen::Map<const Eigen::VectorXd>(p.data(), s.rows()) + s.v;
    EXPECT_LE(worst_violation(s.size, s.mu, flat(s.W), p, flat(w)),
              kTolerance * s.v.lpNorm<Eigen::Infinity>())
        << i;
  }
}

TEST(ConeSolver, FindsTheBoxOnFourCornersThatSticksAndTheOneThatSlides) {
  // A cube of mass 1 and edge 1 on a floor; forces at the corners: 12 rows of rank 6.
  Matrix G(12, 6);
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d arm(i % 2 == 0 ? 0.5 : -0.5, i < 2 ? 0.5 : -0.5, -0.5);
    const Eigen::Vector3d axes[] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(),
                                    Eigen::Vector3d::UnitY()};
    for (int r = 0; r < 3; ++r) {
      G.block<1, 3>(3 * i + r, 0) = arm.cross(axes[r]).transpose();
      G.block<1, 3>(3 * i + r, 3) = axes[r].transpose();
    }
  }
  const Eigen::Vector<double, 6> inverse_mass(6, 6, 6, 1, 1, 1);
  const Matrix W = G * inverse_mass.asDiagonal() * G.transpose();
  ConeSolver solver(4);
  const std::vector<int> size(4, 3);
  for (const double mu : {0.6, 0.4}) {
    const std::vector<double> friction(4, mu);
    // Gravity with half as much to the side, over one second.
    Eigen::Vector<double, 6> push;
    push << 0, 0, 0, 0.5, 0, -1.0;
    const Eigen::VectorXd b = G * push;
    std::vector<double> p(12, 0.0), w(12);
    const ConeResult result = solver.solve({size, friction, {}, flat(W), flat(b)}, p, w);
    EXPECT_TRUE(result.converged);
    double normal = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      normal += p[3 * i];
      EXPECT_NEAR(w[3 * i], 0.0, 1e-14);
      EXPECT_NEAR(w[3 * i + 1], mu > 0.5 ? 0.0 : 0.5 - mu, 1e-14);
      EXPECT_EQ(solver.modes()[i], mu > 0.5 ? ConeMode::sticking : ConeMode::sliding);
    }
    EXPECT_NEAR(normal, 1.0, 1e-14);
  }
}

TEST(ConeSolver, SolvesWithoutAllocating) {
  std::mt19937_64 random(3);
  const auto s = test::random_contacts(random, {.bodies = 4, .contacts = 12});
  ConeSolver solver(12);
  std::vector<double> p(static_cast<std::size_t>(s.rows()), 0.0), w(p.size());
  const long before = allocation_count();
  solver.solve({s.size, s.mu, {}, flat(s.W), flat(s.v)}, p, w);
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace tactus::contact
