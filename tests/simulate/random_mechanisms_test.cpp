// Random trees with loops, rolling contacts, couplings, prescribed motions and copies of constraints: the
// equations balance, the formulations agree, the constraints hold and the energy stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <tactus/base/error.h>
#include <tactus/derive/constraints/mobility.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/simulation.h>

#include "random_mechanism.h"
#include "support/compare.h"

namespace tactus::simulate {
namespace {

using namespace test;

// Parts of the largest number in an equation: thousands of roundings, and the conditioning of random
// mechanisms.
constexpr double kAgree = 1e-9;
// [m, rad] Held to rounding: ten times what the solver leaves alone.
constexpr double kHeld = 1e-12;
constexpr double kHeldVelocity = 1e-10;
// Part of the energy, its largest change in 40 ms of motion by steps of 1 ms. Where the truncation of RK4 is
// larger, it must fall as often as the step is halved, by 16 in theory, until it is that small. (The change
// at the end of the motion alone would not do: it passes through zero.)
constexpr double kEnergy = 1e-9;
constexpr double kLeastFall = 8.0;
constexpr int kMostHalvings = 6;
constexpr int kSteps = 40;

/// One mechanism and its kernels. The interpreter: compiling costs more than the few calls.
struct Subject {
  RandomMechanism mechanism;
  describe::Model model;
  derive::Equations equations;
  Dynamics dynamics;
  std::size_t nv, m;

  explicit Subject(unsigned seed, bool square = false)
      : mechanism(seed, square),
        model(describe::load_text(mechanism.text(), "random.yaml")),
        equations(model),
        dynamics(compile(equations, std::nullopt, generate::Backend::interpreter)),
        nv(static_cast<std::size_t>(dynamics.nv())),
        m(dynamics.constraints ? dynamics.constraints->size() : 0) {}

  /// The configuration it was made in, moving; nothing where a prescribed motion contradicts other
  /// constraints.
  std::optional<State> start(AssemblyReport* report = nullptr) {
    State guess{0.0, model.initial_q, std::vector<double>(nv), {}};
    for (double& x : guess.u) x = mechanism.part();
    try {
      const State state = assemble(dynamics, guess, {}, report);
      EXPECT_LT(support::relative_difference(state.q, guess.q), kAgree);  // it was assembled already
      return state;
    } catch (const InputError& error) {
      EXPECT_FALSE(mechanism.conservative()) << error.what();
      return std::nullopt;
    }
  }

  /// What `tactus check` says, found by singular values instead of orthogonal factors, is what assembly says.
  void check_mobility(const State& state, const AssemblyReport& report) const {
    const derive::Mobility mobility = derive::mobility(equations, state.t, state.q, state.u);
    EXPECT_TRUE(mobility.assembled);
    EXPECT_EQ(static_cast<std::size_t>(mobility.rank), report.rank);
    EXPECT_EQ(mobility.freedoms(), report.freedoms);
    EXPECT_EQ(mobility.is_singular(), report.singular);
    EXPECT_EQ(mobility.redundant.size(), report.redundant_rows.size());
  }

  /// All formulations at one state, under forces.
  void check_instant(const State& state) {
    std::vector<double> arguments{state.t};
    arguments.insert(arguments.end(), state.q.begin(), state.q.end());
    arguments.insert(arguments.end(), state.u.begin(), state.u.end());
    for (std::size_t i = 0; i < nv; ++i) arguments.push_back(mechanism.part());
    ConstraintTerms terms(dynamics, *dynamics.constraints);
    terms.evaluate(arguments.data());
    std::optional<ConstrainedMotion> reference;
    for (const auto& [formulation, inertia] :
         std::initializer_list<std::pair<Formulation, ConstraintInertia>>{
             {Formulation::multipliers, ConstraintInertia::skew},
             {Formulation::embedding, ConstraintInertia::skew},
             {Formulation::projection, ConstraintInertia::skew},
             {Formulation::projection, ConstraintInertia::symmetric},
             {Formulation::projection, ConstraintInertia::scaled}}) {
      SCOPED_TRACE(name_of(formulation));
      ConstraintOptions options;
      options.formulation = formulation;
      options.projection.inertia = inertia;
      ConstraintSolver solver(dynamics, options);
      ConstrainedMotion motion(nv, m);
      ASSERT_TRUE(solver.solve(arguments.data(), motion));
      check_balance(terms, motion);
      if (!reference) reference = motion;
      EXPECT_EQ(motion.rank, reference->rank);
      EXPECT_LT(support::relative_difference(reference->udot, motion.udot), kAgree);
      EXPECT_LT(support::relative_difference(reference->force, motion.force), kAgree);
      EXPECT_LT(support::relative_difference(reference->lambda, motion.lambda),
                kAgree);  // the shortest where rows are redundant
    }
    ConstraintSolver automatic(dynamics);
    automatic.reset(state.t, state.q.data(), state.u.data());
    std::vector<double> udot(nv), qdot(state.q.size());
    automatic.accelerate(arguments.data(), udot.data(), qdot.data());
    EXPECT_LT(support::relative_difference(reference->udot, udot), kAgree) << "automatic";
  }

  /// M udot = Q + A^T lambda and A udot = gamma, of all rows, the redundant ones too.
  void check_balance(const ConstraintTerms& terms, const ConstrainedMotion& motion) const {
    for (std::size_t i = 0; i < nv; ++i) {
      double rest = -terms.Q()[i], reaction = -motion.force[i], size = 1.0;
      for (std::size_t j = 0; j < nv; ++j) {
        const double inertial = terms.M()[i * nv + j] * motion.udot[j];
        rest += inertial;
        size = support::larger(size, std::abs(inertial));
      }
      for (std::size_t k = 0; k < m; ++k) {
        const double part = terms.A(k)[i] * motion.lambda[k];
        reaction += part;
        size = support::larger(size, std::abs(part));
      }
      EXPECT_LT(std::abs(rest - motion.force[i]), kAgree * size);
      EXPECT_LT(std::abs(reaction), kAgree * size);
    }
    for (std::size_t k = 0; k < m; ++k) {
      double rest = -terms.gamma()[k];
      for (std::size_t i = 0; i < nv; ++i) rest += terms.A(k)[i] * motion.udot[i];
      EXPECT_LT(std::abs(rest), kAgree * support::largest(motion.udot, 1.0))
          << dynamics.constraints->rows[k].label;
    }
  }

  class EnergyChange {
   public:
    EnergyChange(const Subject& subject, const State& start)
        : energy_(generate::compile(subject.equations.energy(), generate::Backend::interpreter)) {
      start_ = total_at(start);
    }
    void add(const State& state) { change_ = support::larger(change_, std::abs(total_at(state) - start_)); }
    double part() const { return change_ / kinetic_; }

   private:
    double total_at(const State& state) {
      energy_.input("t")[0] = state.t;
      std::copy(state.q.begin(), state.q.end(), energy_.input("q").begin());
      std::copy(state.u.begin(), state.u.end(), energy_.input("u").begin());
      energy_.run();
      kinetic_ = support::larger(kinetic_, energy_.output("kinetic")[0]);
      return energy_.output("kinetic")[0] + energy_.output("potential")[0];
    }
    generate::Evaluator energy_;
    double start_ = 0.0, change_ = 0.0, kinetic_ = 1.0;
  };

  /// The state after the whole time, by steps of h; `drift`: the largest change of energy by the largest
  /// kinetic part.
  State move(const State& start, double h, int steps, Formulation formulation,
             double* drift = nullptr) const {
    Options options{.step = h};
    options.constraints.formulation = formulation;
    Simulation simulation(dynamics, options);
    simulation.set_state(start);
    EnergyChange energy(*this, start);
    for (int i = 0; i < steps; ++i) {
      const Status status = simulation.step();
      if (!status.ok()) {
        ADD_FAILURE() << simulation.explain(status);
        break;
      }
      const Simulation::ConstraintState constraints = simulation.constraint_state();
      EXPECT_LT(support::largest(constraints.position_error), kHeld);
      EXPECT_LT(support::largest(constraints.velocity_error),
                kHeldVelocity * support::largest(simulation.state().u, 1.0));
      if (drift) energy.add(simulation.state());
    }
    if (drift) *drift = energy.part();
    return simulation.state();
  }
};

class Hundred : public testing::TestWithParam<unsigned> {};

TEST_P(Hundred, BalanceAgreeHoldAndKeepTheirEnergy) {
  int moved = 0, redundant = 0, rolling = 0, locked = 0;
  for (unsigned seed = GetParam() * 100; seed < GetParam() * 100 + 100; ++seed) {
    SCOPED_TRACE(seed);
    Subject subject(seed);
    if (subject.m == 0) continue;  // every row holds by the mechanism's structure
    AssemblyReport report;
    const std::optional<State> start = subject.start(&report);
    if (!start) continue;
    if (seed % 4 == 0) subject.check_mobility(*start, report);
    subject.check_instant(*start);
    double drift = 0.0;
    const State end = subject.move(*start, 1e-3, kSteps, Formulation::automatic, &drift);
    subject.check_instant(end);
    for (int halving = 1; subject.mechanism.conservative() && !(drift < kEnergy); ++halving) {
      const double coarser = drift;
      subject.move(*start, std::ldexp(1e-3, -halving), kSteps << halving, Formulation::automatic, &drift);
      EXPECT_LT(drift, coarser / kLeastFall);
      EXPECT_LE(halving, kMostHalvings);
      if (HasFailure()) break;
    }
    // One of the others takes the same way.
    const Formulation others[] = {Formulation::multipliers, Formulation::embedding, Formulation::projection};
    const State same = subject.move(*start, 1e-3, kSteps, others[seed % 3]);
    EXPECT_LT(support::relative_difference(end.q, same.q), kAgree);
    EXPECT_LT(support::relative_difference(end.u, same.u), kAgree);

    const Constraints& constraints = *subject.dynamics.constraints;
    ++moved;
    locked += support::largest(start->u) < kHeldVelocity;
    redundant += std::count(constraints.redundant.begin(), constraints.redundant.end(), 1) > 0;
    rolling += std::any_of(constraints.rows.begin(), constraints.rows.end(),
                           [](const auto& r) { return !r.holonomic; });
    if (HasFailure()) {
      ADD_FAILURE() << subject.mechanism.text();
      return;
    }
  }
  // The draws are what they are meant to be.
  EXPECT_GT(moved, 90);
  EXPECT_GT(redundant, 10);
  EXPECT_GT(rolling, 20);
  EXPECT_GT(locked, 0);
}

// Axes that meet, rods in line: one in twenty of these mechanisms starts where rows vanish or depend on each
// other by chance. Any velocity in the plane of two branches is allowed there, also one that belongs to
// neither: assembly chooses the nearest branch, and from there they behave like any mechanism.
TEST(SquareMechanisms, SurviveSingularStarts) {
  // [m, rad] Newton's method converges slowly next to a singular configuration; the worst of these is at
  // 2e-11.
  constexpr double kHeldNearSingular = 1e-9;
  // Part of the energy. Where branches touch instead of crossing, a row stays nearly dependent for many
  // steps, and a start may yet lie on a branch that ends at once: the worst of these lost 4e-4.
  constexpr double kSingularEnergy = 1e-3;
  int regular = 0, singular = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Subject subject(seed, true);
    if (subject.m == 0) continue;
    AssemblyReport report;
    const std::optional<State> start = subject.start(&report);
    if (!start) continue;
    ++(report.singular ? singular : regular);
    if (!report.singular) subject.check_instant(*start);
    Simulation simulation(subject.dynamics, {.step = 1e-3});
    simulation.set_state(*start);
    Subject::EnergyChange energy(subject, *start);
    double worst = 0.0;
    for (int i = 0; i < kSteps && !HasFailure(); ++i) {
      const Status status = simulation.step();
      EXPECT_TRUE(status.ok()) << simulation.explain(status);
      worst = support::largest(simulation.constraint_state().position_error, worst);
      energy.add(simulation.state());
    }
    EXPECT_LT(worst, report.singular ? kHeldNearSingular : kHeld);
    if (subject.mechanism.conservative()) {
      EXPECT_LT(energy.part(), kSingularEnergy);
    }
    if (HasFailure()) {
      ADD_FAILURE() << subject.mechanism.text();
      return;
    }
  }
  EXPECT_GT(regular, 100);
  EXPECT_GE(singular, 10);
}

// A prescribed motion can drive a linkage to its end: the speeds grow like 1/sqrt(time left), and beyond
// there is no configuration at all.
TEST(PrescribedMotions, EndWhereTheMechanismCannotFollow) {
  // [s] A step that leads beyond the end is refused, and none that ends sooner by more than this; the finer
  // ones find it to their step.
  constexpr double kSooner = 2e-3;
  // [m, rad] Another configuration at that time would be another mechanism's, so to speak: further away than
  // any step.
  constexpr double kFar = 0.05;
  for (const unsigned seed : {1461u, 1991u, 3974u}) {
    SCOPED_TRACE(seed);
    Subject subject(seed);
    const std::optional<State> start = subject.start();
    ASSERT_TRUE(start);
    std::optional<double> end;
    for (const double h : {1.25e-4, 2.5e-4, 5e-4, 1e-3}) {
      Simulation simulation(subject.dynamics, {.step = h});
      simulation.set_state(*start);
      Status status;
      while (status.ok() && simulation.state().t < 0.02) {
        status = simulation.step();
        EXPECT_LT(support::largest(simulation.constraint_state().position_error), kHeld);
      }
      EXPECT_TRUE(status.has(Status::constraint_lost)) << simulation.explain(status);
      EXPECT_NE(simulation.explain(status).find("`c"), std::string::npos);  // names the constraint
      if (!end) end = simulation.state().t;
      EXPECT_NEAR(simulation.state().t, *end, kSooner);
      // By another method: the assembler finds no configuration nearby, either.
      State beyond = simulation.state();
      beyond.t += kSooner;
      try {
        EXPECT_GT(support::relative_difference(assemble(subject.dynamics, beyond).q, beyond.q), kFar);
      } catch (const InputError&) {
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(RandomMechanisms, Hundred, testing::Values(0u, 1u, 2u, 3u));

}  // namespace
}  // namespace tactus::simulate
