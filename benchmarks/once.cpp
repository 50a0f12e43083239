#include "once.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/constraints/constrained_derivatives.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/linear/linear_terms.h>
#include <tactus/derive/linear/motion_derivatives.h>
#include <tactus/derive/recursion/derivatives.h>
#include <tactus/derive/recursion/recursion.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/schedule.h>
#include <tactus/generate/tape.h>
#include <tactus/math/sincos.h>
#include <tactus/simulate/linear/linear_model.h>

#include "tactus_contenders.h"

namespace tactus::bench {

namespace {

Contender repeated(std::string system, std::function<void(std::size_t)> once) {
  Contender c;
  c.system = std::move(system);
  c.run = [once = std::move(once)](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) once(i);
  };
  return c;
}

void add(Report& report, const Effort& effort, const std::string& name,
         const std::vector<Contender>& contenders) {
  report.add(name, contenders, measure(contenders, effort));
}

/// Tape and machine code of a function, apart.
void measure_compilation(Report& report, const Effort& effort, const std::string& name,
                         const algebra::Function& function) {
  const auto tape = std::make_shared<generate::Tape>(generate::make_tape(function));
  const algebra::OperationCount count = generate::count_operations(*tape);
  std::vector<Contender> contenders{
      repeated("tactus machine code from tape",
               [tape](std::size_t) { generate::MachineCode::assemble(*tape); }),
      repeated("tactus tape from graph", [function](std::size_t) { generate::make_tape(function); })};
  if (generate::machine_level() == generate::Level::none) contenders.erase(contenders.begin());
  add(report, effort,
      fmt::format("compile {} ({} operations)", name, count.mul + count.add + count.div + count.trig),
      contenders);
}

/// The linear model under constraints: the benchmark bicycle, upright, with six rows and ten states left.
void measure_constrained_linear(Report& report, const Effort& effort) {
  const describe::Model model = describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/single_track.yaml");
  const derive::Equations equations(model);
  add(report, effort, "derive single_track linear model",
      {repeated("tactus", [&](std::size_t) { derive::linear_terms(derive::Equations(model)); })});
  const algebra::Function terms = derive::linear_terms(equations).function;
  const auto kernel_of = [&](const algebra::Function& function, generate::Backend backend) {
    const auto evaluator = std::make_shared<generate::Evaluator>(generate::compile(function, backend));
    std::copy(model.initial_q.begin(), model.initial_q.end(), evaluator->input("q").begin());
    std::copy(model.initial_u.begin(), model.initial_u.end(), evaluator->input("u").begin());
    return evaluator;
  };
  std::vector<Contender> contenders;
  const auto code = kernel_of(terms, generate::Backend::automatic);
  contenders.push_back(repeated("tactus machine code, derivatives", [code](std::size_t) { code->run(); }));
  const auto interpreted = kernel_of(terms, generate::Backend::interpreter);
  contenders.push_back(
      repeated("tactus interpreter, derivatives", [interpreted](std::size_t) { interpreted->run(); }));
  // Standing still there is nothing further along to look at.
  const auto linearization = std::make_shared<simulate::Linearization>(model, derive::Options{});
  const auto standing = std::make_shared<simulate::Instant>(simulate::read_instant(equations, "{u: {}}", ""));
  std::fill(standing->u.begin(), standing->u.end(), 0.0);
  contenders.push_back(repeated("tactus, reduced A and B, eigenvalues",
                                [linearization, standing](std::size_t) { linearization->at(*standing); }));
  // What central differences would evaluate: twice for each of ten states.
  const auto motion = kernel_of(equations.constrained_dynamics(), generate::Backend::automatic);
  contenders.push_back(repeated("tactus, 20 accelerations for differences", [motion](std::size_t) {
    for (int k = 0; k < 20; ++k) motion->run();
  }));
  add(report, effort, "single_track linear model", contenders);
}

/// Derivatives of constrained motion by recursion and the motion's factors, beside its expressions differentiated and the motion alone.
void measure_constrained_derivatives(Report& report, const Effort& effort, const std::string& name) {
  const describe::Model model = describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + name + ".yaml");
  const derive::Equations equations(model);
  const algebra::Function motion = equations.constrained_dynamics();
  algebra::Function direct = motion;
  {
    const algebra::Graph::Scope scope(*motion.graph);
    const auto entries = [](const std::vector<algebra::Block>& blocks, std::string_view wanted) {
      return std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return b.name == wanted; })
          ->entries;
    };
    for (const char* result : {"udot", "lambda"})
      for (const char* by : {"q", "u", "tau"}) {
        const std::vector<algebra::Expr> y = entries(motion.outputs, result), x = entries(motion.inputs, by);
        direct.outputs.push_back({fmt::format("{}_{}", result, by), "", static_cast<int>(y.size()),
                                  static_cast<int>(x.size()), algebra::jacobian(y, x)});
      }
  }
  std::vector<Contender> contenders;
  const auto add_kernel = [&](const std::string& system, const algebra::Function& function) {
    const auto evaluator = std::make_shared<generate::Evaluator>(generate::compile(function));
    std::copy(model.initial_q.begin(), model.initial_q.end(), evaluator->input("q").begin());
    std::copy(model.initial_u.begin(), model.initial_u.end(), evaluator->input("u").begin());
    contenders.push_back(repeated(system, [evaluator](std::size_t) { evaluator->run(); }));
  };
  add_kernel("tactus machine code", derive::constrained_derivatives(equations));
  add_kernel("tactus, graph differentiated", direct);
  add_kernel("tactus, the motion alone", motion);
  add(report, effort, name + " constrained derivatives", contenders);
}

/// The linear model M, d tau/d u, d tau/d q as it is made, by differentiating the graph, and by the recursion on double as a loop.
void measure_derivatives(Report& report, const Effort& effort, const Mechanism& mechanism) {
  derive::Options options;
  options.friction = false;
  const derive::Equations equations(mechanism.model, options);
  const algebra::Function linear = equations.linear_model();
  const std::vector<double> inputs = inputs_of(linear, mechanism);
  std::vector<Contender> contenders;
  const auto add_kernel = [&](const std::string& name, const algebra::Function& function,
                              generate::Backend backend) {
    const generate::Kernel kernel = generate::compile(function, backend);
    contenders.push_back(kernel_contender(name, kernel, inputs, kernel.output_size()));
  };
  add_kernel("tactus machine code", linear, generate::Backend::automatic);
  add_kernel("tactus, graph differentiated",
             derive::inverse_derivatives(equations, derive::DerivativeMethod::graph),
             generate::Backend::automatic);
  add_kernel("tactus interpreter", linear, generate::Backend::interpreter);

  struct Loop {
    derive::Tree<double> tree;
    derive::Motion<double> motion;
    derive::DerivativeMotion<double> work;
    std::vector<double> M, C, K;
  };
  derive::Recursion recursion(mechanism.model, false);
  const derive::Tree<double>& tree = recursion.tree();
  const std::size_t entries = static_cast<std::size_t>(tree.nv) * static_cast<std::size_t>(tree.nv);
  const auto loop = std::make_shared<Loop>(
      Loop{tree, derive::Motion<double>(tree), derive::DerivativeMotion<double>(tree),
           std::vector<double>(entries), std::vector<double>(entries), std::vector<double>(entries)});
  const auto states = std::make_shared<std::vector<State>>(mechanism.states);
  contenders.push_back(repeated("tactus recursion", [loop, states](std::size_t i) {
    const State& s = (*states)[i % kStates];
    derive::position(loop->tree, s.q.data(), loop->motion);
    derive::derivatives(loop->tree, s.u.data(), s.udot.data(), loop->motion, loop->work, loop->M.data(),
                        loop->C.data(), loop->K.data());
  }));
  add(report, effort, mechanism.name + " linear model", contenders);
}

/// Calls that wait for the one before: entries of their input are what they were plus zero times the last result, so that each call
/// begins when that is known. Beside them calls that do not wait, with zeros added all the same.
void measure_dependent(Report& report, const Effort& effort, const Mechanism& mechanism, Quantity quantity) {
  struct Run {
    generate::Kernel kernel;
    std::vector<double> in, out, work, zeros;
  };
  const algebra::Function function = function_of(mechanism, quantity);
  const generate::Kernel kernel = generate::compile(function);
  std::vector<Contender> contenders;
  for (const bool waits : {false, true}) {
    for (const char* fed : {"q", "u"}) {
      const generate::Slot* slot = kernel.input(fed);
      if (slot == nullptr) continue;
      const auto run = std::make_shared<Run>(
          Run{kernel, inputs_of(function, mechanism), std::vector<double>(kernel.output_size()),
              std::vector<double>(kernel.work_size()), std::vector<double>(kernel.output_size())});
      contenders.push_back(
          repeated(fmt::format("tactus, {} {}", fed, waits ? "waits for the call before" : "does not wait"),
                   [run, waits, first = slot->offset, count = slot->size()](std::size_t i) {
                     double* state = run->in.data() + (i % kStates) * run->kernel.input_size();
                     const double* last = waits ? run->out.data() : run->zeros.data();
                     for (std::size_t k = 0; k < count; ++k) state[first + k] += 0.0 * last[k];
                     run->kernel(state, run->out.data(), run->work.data());
                   }));
    }
  }
  add(report, effort, mechanism.name + " " + name_of(quantity) + ", dependent calls", contenders);
}

}  // namespace

void measure_once(const Mechanism& puma, const Effort& effort, Report& report) {
  derive::Options options;
  options.friction = false;
  add(report, effort, "derive puma560 inverse dynamics",
      {repeated("tactus", [&](std::size_t) { derive::Equations(puma.model, options).inverse_dynamics(); })});
  measure_compilation(report, effort, "puma560 ID", function_of(puma, Quantity::inverse_dynamics));
  const Mechanism long_chain = load_mechanism("chain_100");
  measure_compilation(report, effort, "chain_100 FD", function_of(long_chain, Quantity::forward_dynamics));

  measure_derivatives(report, effort, puma);
  measure_derivatives(report, effort, load_mechanism("general_6r"));
  measure_derivatives(report, effort, load_mechanism("chain_30"));
  measure_derivatives(report, effort, chain(30, true));

  measure_constrained_linear(report, effort);
  for (const char* name : {"four_bar", "single_track", "stewart_platform"})
    measure_constrained_derivatives(report, effort, name);
  measure_dependent(report, effort, puma, Quantity::inverse_dynamics);
  measure_dependent(report, effort, puma, Quantity::forward_dynamics);

  // Six angles: what one PUMA needs.
  struct Angles {
    std::vector<double> x;
    std::array<double, 6> sin{}, cos{};
  };
  const auto angles = std::make_shared<Angles>();
  for (const State& s : puma.states) angles->x.insert(angles->x.end(), s.q.begin(), s.q.end());
  add(report, effort, "sine and cosine of six angles",
      {repeated("tactus math::sincos",
                [angles](std::size_t i) {
                  math::sincos(angles->x.data() + 6 * (i % kStates), angles->sin.data(), angles->cos.data(),
                               6);
                }),
       repeated("libm sincos", [angles](std::size_t i) {
         for (std::size_t k = 0; k < 6; ++k) {
           ::sincos(angles->x[6 * (i % kStates) + k], &angles->sin[k], &angles->cos[k]);
         }
       })});
}

void print_programs(const std::vector<Mechanism>& mechanisms) {
  constexpr const char* kLine = "{:<38} {:>9} {:>9} {:>6} {:>8} {:>13} {:>13} {:>12}\n";
  fmt::print(
      "\nPrograms (path: cycles that no order of the operations goes below, from angles to results):\n");
  fmt::print(kLine, "", "products", "sums", "div", "sin, cos", "bytes of code", "work bytes", "path");
  for (const Mechanism& mechanism : mechanisms) {
    for (const Quantity quantity :
         {Quantity::inverse_dynamics, Quantity::forward_dynamics, Quantity::mass_matrix}) {
      const algebra::Function function = function_of(mechanism, quantity);
      const generate::Tape tape = generate::make_tape(function);
      const algebra::OperationCount count = generate::count_operations(tape);
      const generate::Kernel kernel = generate::compile(function);
      fmt::print(kLine, mechanism.name + " " + name_of(quantity), count.mul, count.add, count.div, count.trig,
                 kernel.code_size(), kernel.work_size() * sizeof(double), generate::critical_path(tape));
    }
  }
}

}  // namespace tactus::bench
