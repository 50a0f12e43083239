// The cone solver against Siconos' solvers [AcaryBremondHuber2018] on the same problems.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <tactus/contact/impact/cone_solver.h>

#include "contact/contact_problems.h"
#include "contact/sweep_problem.h"
#include "support/compare.h"

extern "C" {
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#include <fc3d_compute_error.h>
}

/// The leak sanitizer shall not count what Siconos keeps to itself.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libsiconos"; }

namespace tactus::contact {
namespace {

struct Answer {
  bool solved = false;
  std::vector<double> p, w;
  double error = 0.0;  // by Siconos' own measure
};

/// Siconos' view of a problem, which it does not own.
class SiconosProblem {
 public:
  explicit SiconosProblem(const test::SceneProblem& scene)
      : W_(scene.W), b_(scene.b), mu_(scene.mu), n_(static_cast<int>(scene.b.size())) {
    matrix_ = NM_create_from_data(NM_DENSE, n_, n_, W_.data());
    problem_ = frictionContactProblem_new_with_data(3, n_ / 3, matrix_, b_.data(), mu_.data());
  }
  ~SiconosProblem() {
    // All data are ours: only the two structures are theirs.
    matrix_->matrix0 = nullptr;
    problem_->q = nullptr;
    problem_->mu = nullptr;
    frictionContactProblem_free(problem_);
  }
  SiconosProblem(const SiconosProblem&) = delete;
  SiconosProblem& operator=(const SiconosProblem&) = delete;

  Answer solve(int solver, double tolerance, int iterations) {
    SolverOptions* options = solver_options_create(solver);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    Answer a{false, std::vector<double>(b_.size(), 0.0), std::vector<double>(b_.size(), 0.0), 0.0};
    a.solved = fc3d_driver(problem_, a.p.data(), a.w.data(), options) == 0;
    solver_options_delete(options);
    a.error = error(a.p);
    return a;
  }
  /// The natural map of de Saxce's formulation, by Siconos.
  double error(const std::vector<double>& p) {
    std::vector<double> r = p, v(p.size());
    SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    double error = 0.0;
    fc3d_compute_error(problem_, r.data(), v.data(), 1.0, options, b_.norm(), &error);
    solver_options_delete(options);
    return error;
  }

 private:
  Eigen::MatrixXd W_;
  Eigen::VectorXd b_;
  std::vector<double> mu_;
  int n_;
  NumericsMatrix* matrix_;
  FrictionContactProblem* problem_;
};

std::vector<test::SceneProblem> scenes() {
  std::mt19937_64 random(7);
  std::vector<test::SceneProblem> all;
  for (int i = 0; i < 12; ++i) all.push_back(test::stack_problem(random, 1 + i % 6));
  for (int i = 0; i < 12; ++i) all.push_back(test::wedge_problem(random));
  for (int i = 0; i < 9; ++i) all.push_back(test::pile_problem(random, 1 + i % 3));
  return all;
}

/// The natural map p - P(p - rho (W p + b)) of a scene, and its derivative.
struct NaturalMap {
  Eigen::VectorXd value;
  Eigen::MatrixXd derivative;

  NaturalMap(const test::SceneProblem& scene, const Eigen::VectorXd& p) {
    const Eigen::Index n = scene.b.size();
    const Eigen::VectorXd w = scene.W * p + scene.b;
    Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(n, n), stay = scene.W;
    value.resize(n);
    for (Eigen::Index at = 0; at < n; at += 3) {
      LocalCone contact;
      contact.mu = scene.mu[static_cast<std::size_t>(at / 3)];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) contact.W[3 * r + c] = scene.W(at + r, at + c);
      const Eigen::Vector3d y = p.segment<3>(at) - contact.mass() * w.segment<3>(at);
      double P[3], D[9];
      project(contact, ConeLaw::coulomb, y.data(), P, D);
      for (int r = 0; r < 3; ++r) {
        value[at + r] = p[at + r] - P[r];
        for (int c = 0; c < 3; ++c) slope(at + r, at + c) = D[3 * r + c];
      }
      stay.middleRows(at, 3) *= -contact.mass();
    }
    stay.diagonal().array() += 1.0;
    derivative = Eigen::MatrixXd::Identity(n, n) - slope * stay;
  }
};

/// Another answer of the law next to p, whose velocities differ by about `far`: along a change of the impulses
/// by which the law goes on to hold to first order, then by Newton's method with the smallest steps. Empty
/// where the law determines the velocities next to p.
std::vector<double> another_answer(const test::SceneProblem& scene, const std::vector<double>& answer,
                                   double far) {
  // Between rounding (1e-15 to 1e-10 of W in the scenes here) and what moves the contacts (4e-5 and more).
  constexpr double kNull = 1e-9, kMoves = 1e-7;
  constexpr int kCorrections = 5;
  const Eigen::Index n = scene.b.size();
  Eigen::VectorXd p = Eigen::Map<const Eigen::VectorXd>(answer.data(), n);
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(NaturalMap(scene, p).derivative,
                                        Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(kNull);
  const Eigen::Index nullity = n - svd.rank();
  if (nullity == 0) return {};
  const Eigen::MatrixXd N = svd.matrixV().rightCols(nullity);
  const Eigen::JacobiSVD<Eigen::MatrixXd> moved(scene.W * N, Eigen::ComputeThinV);
  if (!(moved.singularValues()[0] > kMoves * scene.W.norm())) return {};
  const Eigen::VectorXd d = N * moved.matrixV().col(0);
  p += far / (scene.W * d).cwiseAbs().maxCoeff() * d;
  for (int i = 0; i < kCorrections; ++i) p -= svd.solve(NaturalMap(scene, p).value);
  return {p.data(), p.data() + n};
}

TEST(ConeSolver, AgreesWithSiconosOnStacksWedgesAndPiles) {
  numerics_set_verbose(0);
  // Siconos stops at this error; ours by the same measure is that of rounding.
  constexpr double kSiconosTolerance = 1e-11;
  constexpr double kOurError = 1e-12;
  // Of the velocities, by the largest of those given: Siconos' tolerance through the condition of the scenes.
  constexpr double kVelocityTolerance = 1e-7;
  constexpr double kFar = 10.0;              // times what is allowed
  constexpr double kSweepTolerance = 1e-12;  // by the largest velocity
  ConeSolver solver(64);
  int compared = 0, ambiguous = 0, sweeps_done = 0;
  for (const test::SceneProblem& scene : scenes()) {
    const auto rows = static_cast<std::size_t>(scene.b.size());
    std::vector<double> p(rows, 0.0), w(rows);
    const std::span<const double> W(scene.W.data(), rows * rows), b(scene.b.data(), rows);
    const ConeResult result = solver.solve({scene.size, scene.mu, {}, W, b}, p, w);
    EXPECT_TRUE(result.converged) << scene.name;
    SiconosProblem siconos(scene);
    EXPECT_LE(siconos.error(p), kOurError) << scene.name;
    // The solver of many contacts, without the matrix.
    test::SweepProblem many(
        {scene},
        {.tolerance = kSweepTolerance, .most_sweeps = 20000, .most_visits = 100000000, .most_dense = 0});
    const bool swept = many.solver.solve().converged;
    if (swept) {
      ++sweeps_done;
      EXPECT_LE(siconos.error(many.impulses()), kSiconosTolerance) << scene.name;
    }
    // Gauss-Seidel, and Newton's method on Alart's and Curnier's map.
    const Answer sweeps = siconos.solve(SICONOS_FRICTION_3D_NSGS, kSiconosTolerance, 20000);
    const Answer newton = siconos.solve(SICONOS_FRICTION_3D_NSN_AC, kSiconosTolerance, 200);
    const double allowed = kVelocityTolerance * scene.b.cwiseAbs().maxCoeff();
    // Redundant contacts that slide may share their load in many ways, and each gives other velocities: then
    // there is an answer next to ours, further away than what is allowed, that fulfils the law as Siconos
    // measures it. All answers have to, and no two have to agree.
    if (const std::vector<double> other = another_answer(scene, p, kFar * allowed); !other.empty()) {
      const auto moved = scene.W * (Eigen::Map<const Eigen::VectorXd>(other.data(), scene.b.size()) -
                                    Eigen::Map<const Eigen::VectorXd>(p.data(), scene.b.size()));
      if (siconos.error(other) <= kSiconosTolerance && moved.cwiseAbs().maxCoeff() > allowed) {
        for (const Answer& answer : {sweeps, newton}) {
          if (!answer.solved) continue;
          EXPECT_LE(answer.error, kSiconosTolerance) << scene.name;
        }
        ++ambiguous;
        continue;
      }
    }
    // Coulomb's law may also have several answers far from each other; Siconos' two methods then find two.
    if (sweeps.solved && newton.solved && support::difference(sweeps.w, newton.w) > allowed) {
      ++ambiguous;
      continue;
    }
    if (swept) {
      EXPECT_LE(support::difference(w, many.velocities()), allowed) << scene.name;
    }
    for (const Answer& answer : {sweeps, newton}) {
      if (!answer.solved) continue;
      ++compared;
      EXPECT_LE(support::difference(w, answer.w), allowed) << scene.name;
    }
  }
  EXPECT_GE(compared, 45);  // of 66; its Newton method meets singular matrices where contacts are redundant
  EXPECT_LE(ambiguous, 6);
  EXPECT_GE(sweeps_done, 30);  // of 33; where redundant contacts slide, sweeps may go in a circle
}

}  // namespace
}  // namespace tactus::contact
