#include "loops.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/tape.h>
#include <tactus/simulate/constraints/constraint_solver.h>
#include <tactus/simulate/motion/dynamics.h>

#include "tactus_contenders.h"

namespace tactus::bench {

namespace {

/// Our own solutions, one unrolled without pivoting and four by orthogonal factors, differ by roundings times
/// the condition of the rows: 1e-12 is seen with 100 loops. Simbody takes a rank tolerance of its own.
constexpr double kLoopAgreement = 1e-8;
constexpr double kSimbodyAgreement = 1e-6;
/// MuJoCo's constraints are soft. With the largest impedance it accepts, 0.9999, a row gives way by some 1e-4
/// of what it would without its force.
constexpr double kMujocoAgreement = 0.1;

derive::Equations equations_of(const Mechanism& mechanism) {
  derive::Options options;
  options.friction = false;
  return derive::Equations(mechanism.model, options);
}

std::mt19937_64 fixed_generator() { return std::mt19937_64(20240608); }

/// Random ones where the joints have an actuator.
void draw_forces(const describe::Model& model, std::mt19937_64& generator, State& s) {
  std::uniform_real_distribution<double> force(-2.0, 2.0);  // [N m]
  s.udot.assign(s.q.size(), 0.0);
  for (const describe::Joint& joint : model.joints)
    s.tau.push_back(joint.axes.front().passive ? 0.0 : force(generator));
}

/// udot by the multipliers with orthogonal factors.
std::vector<std::vector<double>> expected_motion(const Mechanism& mechanism) {
  const derive::Equations equations = equations_of(mechanism);
  const simulate::Dynamics dynamics = simulate::compile(equations);
  simulate::ConstraintSolver solver(dynamics, {.formulation = simulate::Formulation::multipliers});
  const auto n = static_cast<std::size_t>(mechanism.nv);
  std::vector<std::vector<double>> results;
  std::vector<double> arguments, qdot(n);
  for (const State& s : mechanism.states) {
    arguments.assign(1, 0.0);
    for (const auto* part : {&s.q, &s.u, &s.tau})
      arguments.insert(arguments.end(), part->begin(), part->end());
    results.emplace_back(n);
    solver.accelerate(arguments.data(), results.back().data(), qdot.data());
  }
  return results;
}

Mechanism at_rest(Mechanism mechanism) {
  for (State& s : mechanism.states) std::fill(s.u.begin(), s.u.end(), 0.0);
  return mechanism;
}

}  // namespace

Mechanism four_bar() {
  Mechanism mechanism{
      "four_bar", describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/four_bar.yaml"), 0, {}};
  mechanism.nv = mechanism.model.nv();
  const simulate::Dynamics dynamics = simulate::compile(equations_of(mechanism));
  simulate::ConstraintSolver solver(dynamics);
  std::mt19937_64 generator = fixed_generator();
  std::uniform_real_distribution<double> rate(-5.0, 5.0);  // [rad/s]
  std::vector<double> q = mechanism.model.initial_q;
  for (std::size_t i = 0; i < kStates; ++i) {
    q[0] += 2.0 * 3.14159265358979 / static_cast<double>(kStates);
    TACTUS_CHECK(solver.hold_position(0.0, q.data()) < 1e-12);
    State s{q, {}, {}, {}};
    for (int k = 0; k < mechanism.nv; ++k) s.u.push_back(rate(generator));
    TACTUS_CHECK(solver.hold_velocity(0.0, s.q.data(), s.u.data()) < 1e-11);
    draw_forces(mechanism.model, generator, s);
    mechanism.states.push_back(std::move(s));
  }
  return mechanism;
}

Mechanism ladder(int loops) {
  Mechanism mechanism{fmt::format("ladder of {}", loops),
                      describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/four_bar_ladder.yaml",
                                     {{"N", std::to_string(loops)}}),
                      0,
                      {}};
  mechanism.nv = mechanism.model.nv();
  const std::vector<std::string> names = mechanism.model.coordinate_names();
  std::mt19937_64 generator = fixed_generator();
  std::uniform_real_distribution<double> angle(0.5236, 2.618), rate(-2.0, 2.0);  // [rad], [rad/s]
  for (std::size_t i = 0; i < kStates; ++i) {
    const double theta = angle(generator), speed = rate(generator);
    State s;
    for (const std::string& name : names) {
      const double sign = name.rfind("theta", 0) == 0 ? 1.0 : -1.0;  // couplers stay level
      s.q.push_back(sign * theta);
      s.u.push_back(sign * speed);
    }
    draw_forces(mechanism.model, generator, s);
    mechanism.states.push_back(std::move(s));
  }
  return mechanism;
}

std::vector<Contender> tactus_loop_contenders(const Mechanism& mechanism) {
  struct Run {
    explicit Run(const Mechanism& mechanism) : dynamics(simulate::compile(equations_of(mechanism))) {}
    simulate::Dynamics dynamics;
    std::vector<double> in, udot, qdot;
  };
  const auto run = std::make_shared<Run>(mechanism);
  const algebra::Function function = equations_of(mechanism).constrained_dynamics();
  const auto n = static_cast<std::size_t>(mechanism.nv);
  run->in = inputs_of(function, mechanism);
  run->udot.resize(n);
  run->qdot.resize(n);
  std::vector<Contender> contenders{
      kernel_contender("tactus machine code", generate::compile(function), run->in, n)};
  using simulate::Formulation;
  for (const Formulation formulation :
       {Formulation::automatic, Formulation::multipliers, Formulation::embedding, Formulation::projection}) {
    const auto solver = std::make_shared<simulate::ConstraintSolver>(
        run->dynamics, simulate::ConstraintOptions{.formulation = formulation});
    contenders.push_back(contender(
        fmt::format("tactus {}", simulate::name_of(formulation)),
        [run, solver, stride = function.input_size()](std::size_t i) {
          solver->accelerate(run->in.data() + i * stride, run->udot.data(), run->qdot.data());
        },
        [run, n](double* result) { std::copy_n(run->udot.data(), n, result); }));
  }
  return contenders;
}

namespace {

bool measure_case(const Mechanism& mechanism, const Effort& effort, Report& report) {
  using Clock = std::chrono::steady_clock;
  const std::string case_name = mechanism.name + " constrained dynamics";
  const Clock::time_point start = Clock::now();
  const algebra::Function function = equations_of(mechanism).constrained_dynamics();
  const Clock::time_point derived = Clock::now();
  const generate::Kernel kernel = generate::compile(function);
  const Clock::time_point compiled = Clock::now();
  const auto milliseconds = [](Clock::duration d) {
    return std::chrono::duration<double, std::milli>(d).count();
  };
  const algebra::OperationCount count = generate::count_operations(generate::make_tape(function));

  std::vector<Contender> contenders = tactus_loop_contenders(mechanism);
  const std::size_t ours = contenders.size();
  for (Contender& peer : mujoco_loop_contenders(mechanism)) contenders.push_back(std::move(peer));
  if (auto peer = simbody_loop_contender(mechanism)) contenders.push_back(std::move(*peer));
  const auto expected = expected_motion(mechanism), resting = expected_motion(at_rest(mechanism));
  bool agree = true;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const bool mujoco = contenders[i].system.rfind("MuJoCo", 0) == 0;
    const double tolerance = i < ours ? kLoopAgreement : mujoco ? kMujocoAgreement : kSimbodyAgreement;
    const double difference = disagreement(contenders[i], mujoco ? resting : expected);
    if (mujoco) {
      report.note_soft(case_name, contenders[i].system, difference);
    } else {
      report.note_disagreement(case_name, contenders[i].system, difference);
    }
    if (!(difference <= tolerance)) {
      fmt::print(stderr, "{}: {} differs from the multipliers by {:.1e} (relative); allowed are {:.0e}.\n",
                 case_name, contenders[i].system, difference, tolerance);
      agree = false;
    }
  }
  if (!agree) return false;
  report.add(case_name, contenders, measure(contenders, effort));
  report.note_program(case_name, count, kernel.code_size(), milliseconds(derived - start),
                      milliseconds(compiled - derived));
  return true;
}

}  // namespace

bool measure_loops(int most_loops, const Effort& effort, Report& report) {
  if (!measure_case(four_bar(), effort, report)) return false;
  for (const int loops : {1, 10, 40, 100})
    if (loops <= most_loops && !measure_case(ladder(loops), effort, report)) return false;
  return true;
}

}  // namespace tactus::bench
