#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include <tactus/contact/impact/impact.h>

#include "contact/random_contacts.h"
#include "support/allocations.h"

namespace tactus::contact {
namespace {

using describe::RestitutionLaw;
using tactus::test::allocation_count;
using test::Matrix;

struct Answer {
  ImpactResult result;
  std::vector<double> p, v;
};

Answer solve(const std::vector<ImpactContact>& contacts, const Matrix& W, const std::vector<double>& v,
             bool simultaneous = false) {
  ImpactSolver solver(contacts.size());
  Answer a{{}, std::vector<double>(v.size()), std::vector<double>(v.size())};
  a.result =
      solver.solve({contacts, {W.data(), static_cast<std::size_t>(W.size())}, v, simultaneous}, a.p, a.v);
  return a;
}

TEST(Impact, OfADiskHasTheClosedForm) {
  // Pn = m (1 + e) w, |Pt| = min(mu Pn, |slip| m / kappa), kappa = 1 + m r^2/J: by either law.
  const double m = 1.3, r = 0.1, J = 0.5 * m * r * r, kappa = 1.0 + m * r * r / J;
  Matrix W(2, 2);
  W << 1.0 / m, 0.0, 0.0, kappa / m;
  for (const RestitutionLaw law : {RestitutionLaw::newton, RestitutionLaw::poisson}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      for (const double slip : {-2.3, -0.05, 0.0, 0.4}) {
        const double w = 0.96, mu = 0.2;
        const Answer a = solve({{2, 0, mu, e, 1e-3, law}}, W, {-w, slip});
        const double Pn = m * (1.0 + e) * w, Pt = std::min(mu * Pn, std::abs(slip) * m / kappa);
        EXPECT_NEAR(a.p[0], Pn, 1e-15 * Pn);
        EXPECT_NEAR(a.p[1], slip > 0.0 ? -Pt : Pt, 1e-15 * Pn) << "e " << e << " slip " << slip;
        EXPECT_NEAR(a.v[0], e * w, 1e-15);
        EXPECT_LE(a.result.energy_change, 0.0);
        EXPECT_LE(a.result.friction_work, 0.0);
      }
    }
  }
}

TEST(Impact, BelowTheRestSpeedIsPlastic) {
  const Matrix W = Matrix::Identity(1, 1);
  EXPECT_DOUBLE_EQ(solve({{1, 0, 0.0, 0.8, 1e-3}}, W, {-0.9e-3}).v[0], 0.0);
  EXPECT_DOUBLE_EQ(solve({{1, 0, 0.0, 0.8, 1e-3}}, W, {-1.1e-3}).v[0], 0.88e-3);
}

/// A row of balls of mass 1 that touch; contact i between balls i and i + 1.
struct Cradle {
  Matrix G, W;
  explicit Cradle(int balls) : G(Matrix::Zero(balls - 1, balls)) {
    for (int i = 0; i + 1 < balls; ++i) {
      G(i, i) = -1.0;
      G(i, i + 1) = 1.0;
    }
    W = G * G.transpose();
  }
};

TEST(Impact, InSequenceLetsNewtonsCradleAnswerOneBallWithOneBall) {
  for (const int in : {1, 2, 3}) {
    const Cradle cradle(5);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(5);
    u.head(in).setOnes();
    const Eigen::VectorXd v = cradle.G * u;
    std::vector<ImpactContact> contacts;
    for (int i = 0; i < 4; ++i) contacts.push_back({1, i, 0.0, 1.0, 1e-6});
    const Answer a = solve(contacts, cradle.W, {v.data(), v.data() + 4});
    const Eigen::VectorXd after = u + cradle.G.transpose() * Eigen::Map<const Eigen::VectorXd>(a.p.data(), 4);
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(after[i], i >= 5 - in ? 1.0 : 0.0, 1e-14) << in << " in, ball " << i;
    EXPECT_NEAR(a.result.energy_change, 0.0, 1e-15);
  }
}

TEST(Impact, SimultaneousSharesTheMomentumOfTheCradle) {
  // All contacts at once, Newton: the first ball comes back and the others leave together.
  const Cradle cradle(3);
  const Answer a = solve({{1, 0, 0.0, 1.0, 1e-6}, {1, 1, 0.0, 1.0, 1e-6}}, cradle.W, {-1.0, 0.0}, true);
  EXPECT_NEAR(a.v[0], 1.0, 1e-14);
  EXPECT_NEAR(a.v[1], 0.0, 1e-14);
  EXPECT_NEAR(a.result.energy_change, 0.0, 1e-15);
}

TEST(Impact, OfPoissonPassesOnThroughABallThatLiesBetween) {
  // Compression stops both contacts; restitution gives e times each impulse, so the far ball parts from the
  // middle one, which Newton's simultaneous law does not give.
  const Cradle cradle(3);
  const auto law = RestitutionLaw::poisson;
  const Answer a =
      solve({{1, 0, 0.0, 1.0, 1e-6, law}, {1, 1, 0.0, 1.0, 1e-6, law}}, cradle.W, {-1.0, 0.0}, true);
  // p_c = (2/3, 1/3), p = 2 p_c: u+ = (-1/3, 2/3, 2/3)
  EXPECT_NEAR(a.p[0], 4.0 / 3.0, 1e-14);
  EXPECT_NEAR(a.p[1], 2.0 / 3.0, 1e-14);
}

TEST(Impact, OfKanesRodNeverGainsEnergy) {
  // A rod strikes with its tip, sliding: Newton's law with friction that reverses the slip would give it
  // energy [KaneLevinson1985]. A homogeneous rod at angle a: W in (n, t) at the tip, m = 1, length 1.
  bool reduced = false;
  for (double a = 0.1; a < 1.5; a += 0.05) {
    for (const double slip : {0.05, 0.2, 0.5, 1.0, 2.0}) {
      for (const double mu : {0.1, 0.3, 0.6, 1.0}) {
        const double c = 6.0 * std::cos(a) / 2.0, s = 6.0 * std::sin(a) / 2.0;
        Matrix W(2, 2);
        W << 1.0 + c * c / 3.0, -c * s / 3.0, -c * s / 3.0, 1.0 + s * s / 3.0;
        const Answer answer = solve({{2, 0, mu, 1.0, 1e-6}}, W, {-1.0, slip});
        EXPECT_LE(answer.result.energy_change, 1e-14);
        EXPECT_LE(answer.result.friction_work, 1e-14);
        reduced = reduced || answer.result.restitution_kept < 1.0;
      }
    }
  }
  EXPECT_TRUE(reduced);  // the case is there
}

TEST(Impact, NeverGainsEnergyInTenThousandRandomScenes) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> part(0.0, 1.0);
  ImpactSolver solver(16);
  // By the energy of the motion before and the terms that make the change; the cone solver's tolerance times
  // the number of strikes.
  constexpr double kEnergyTolerance = 1e-11;
  // Of the normal velocity, by the largest velocity: what counts as stopped.
  constexpr double kSpeedTolerance = 1e-10;
  // Scenes in which Coulomb's law is not reached and another stands in (ConeResult::law): 8 here.
  constexpr int kMostStandIns = 15;
  int not_converged = 0, reduced = 0, lossy = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto s = test::random_contacts(random, {.structure = static_cast<test::Structure>(i % 3),
                                                  .bodies = 1 + i % 4,
                                                  .contacts = 1 + i % 9,
                                                  .most_friction = 2.0,
                                                  .mass_ratio = i % 4 == 0 ? 1e4 : 10.0});
    std::vector<ImpactContact> contacts;
    const bool equal = i % 5 == 0;
    const double same = part(random);
    for (std::size_t k = 0; k < s.size.size(); ++k)
      contacts.push_back({s.size[k], s.pair[k], s.mu[k], equal ? same : part(random), 1e-3,
                          (i / 3) % 4 == 0   ? RestitutionLaw::poisson
                          : (i / 3) % 4 == 1 ? static_cast<RestitutionLaw>(k % 2)
                                             : RestitutionLaw::newton});
    std::vector<double> p(static_cast<std::size_t>(s.rows())), v(p.size());
    const long before = allocation_count();
    const ImpactResult result = solver.solve({contacts,
                                              {s.W.data(), static_cast<std::size_t>(s.W.size())},
                                              {s.v.data(), static_cast<std::size_t>(s.v.size())},
                                              i % 2 == 0},
                                             p, v);
    ASSERT_EQ(allocation_count(), before);
    const Eigen::Map<const Eigen::VectorXd> P(p.data(), s.rows()), V(v.data(), s.rows());
    // The energy by another road: through the speeds of the whole mechanism.
    const double change = P.dot(s.v) + 0.5 * P.dot(s.W * P);
    const double energy = 0.5 * s.u.dot(s.M * s.u) + 1e-2 * P.cwiseAbs().dot(s.W.cwiseAbs() * P.cwiseAbs());
    EXPECT_LE(change, kEnergyTolerance * energy) << i;
    EXPECT_NEAR(result.energy_change, change, kEnergyTolerance * energy) << i;
    EXPECT_LE(result.friction_work, kEnergyTolerance * energy) << i;
    EXPECT_NEAR(result.energy_change, result.normal_work + result.friction_work, kEnergyTolerance * energy);
    const double scale = std::max(s.v.cwiseAbs().maxCoeff(), V.cwiseAbs().maxCoeff());
    std::size_t row = 0;
    for (const ImpactContact& contact : contacts) {
      EXPECT_GE(p[row], 0.0) << i;
      EXPECT_GE(v[row], -kSpeedTolerance * scale) << i;
      double pt = 0.0;
      for (int r = 1; r < contact.size; ++r) pt = std::hypot(pt, p[row + static_cast<std::size_t>(r)]);
      EXPECT_LE(pt, contact.mu * p[row] * (1.0 + 1e-12)) << i;
      row += static_cast<std::size_t>(contact.size);
    }
    not_converged += !result.converged;
    reduced += result.restitution_kept < 1.0;
    lossy += change < -1e-4 * energy;
  }
  EXPECT_LE(not_converged, kMostStandIns);
  EXPECT_GT(reduced, 10);
  EXPECT_GT(lossy, 5000);
}

}  // namespace
}  // namespace tactus::contact
