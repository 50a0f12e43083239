#include "tactus_contenders.h"

#include <algorithm>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/derive/recursion/batch_forms.h>
#include <tactus/derive/recursion/recursion.h>
#include <tactus/generate/batch.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/tape.h>
#include <tactus/simulate/motion/simulation.h>

#include "compiled_source.h"

namespace tactus::bench {

using algebra::Function;
using generate::Backend;

namespace {

/// Larger programs keep the system's compiler busy for many seconds.
constexpr std::size_t kCompiledInstructions = 1500;

std::size_t result_size(const Mechanism& mechanism, Quantity quantity) {
  const auto n = static_cast<std::size_t>(mechanism.nv);
  return quantity == Quantity::mass_matrix ? n * n : n;
}

/// Several states at once: entry k of lane l stands at [k lanes + l].
Contender batch_contender(const generate::BatchKernel& kernel, const std::vector<double>& inputs,
                          std::size_t results) {
  struct Run {
    generate::BatchKernel kernel;
    std::vector<double> in, out, work;
  };
  const auto width = static_cast<std::size_t>(kernel.lanes());
  const std::size_t size = inputs.size() / kStates;
  const auto run = std::make_shared<Run>(Run{kernel, std::vector<double>(inputs.size()),
                                             std::vector<double>(kernel.output_size()),
                                             std::vector<double>(kernel.work_size())});
  for (std::size_t s = 0; s < kStates; ++s)
    for (std::size_t k = 0; k < size; ++k)
      run->in[(s / width) * size * width + k * width + s % width] = inputs[s * size + k];
  const auto call = [run, size, width](std::size_t group) {
    run->kernel(run->in.data() + group * size * width, run->out.data(), run->work.data());
  };
  Contender c;
  c.system = fmt::format("tactus machine code, {} states", width);
  c.states_per_call = kernel.lanes();
  c.run = [call, groups = kStates / width](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) call(i % groups);
  };
  c.evaluate = [call, run, width, results](std::size_t state, double* result) {
    call(state / width);
    for (std::size_t k = 0; k < results; ++k) result[k] = run->out[k * width + state % width];
  };
  return c;
}

Function batch_mass_matrix(const Mechanism& mechanism) {
  derive::Options options;
  options.friction = false;
  return derive::mass_matrix_for_batches(derive::Equations(mechanism.model, options));
}

}  // namespace

Function function_of(const Mechanism& mechanism, Quantity quantity, derive::ForwardMethod method) {
  derive::Options options;
  options.friction = false;
  options.method = method;
  const derive::Equations equations(mechanism.model, options);
  switch (quantity) {
    case Quantity::inverse_dynamics:
      return equations.inverse_dynamics();
    case Quantity::forward_dynamics:
      return equations.forward_dynamics();
    case Quantity::mass_matrix:
    case Quantity::step:
      break;
  }
  return equations.mass_matrix();
}

std::vector<double> inputs_of(const Function& function, const Mechanism& mechanism) {
  std::vector<double> inputs;
  for (const State& s : mechanism.states) {
    for (const algebra::Block& block : function.inputs) {
      if (block.name == "t") {
        inputs.push_back(0.0);
        continue;
      }
      const std::vector<double>& values = block.name == "q"      ? s.q
                                          : block.name == "u"    ? s.u
                                          : block.name == "udot" ? s.udot
                                                                 : s.tau;
      TACTUS_CHECK(values.size() == block.size());
      inputs.insert(inputs.end(), values.begin(), values.end());
    }
  }
  return inputs;
}

Contender kernel_contender(std::string system, const generate::Kernel& kernel,
                           const std::vector<double>& inputs, std::size_t results) {
  struct Run {
    generate::Kernel kernel;
    std::vector<double> in, out, work;
  };
  const auto run = std::make_shared<Run>(Run{kernel, inputs, std::vector<double>(kernel.output_size()),
                                             std::vector<double>(kernel.work_size())});
  const std::size_t stride = kernel.input_size();
  return contender(
      std::move(system),
      [run, stride](std::size_t i) {
        run->kernel(run->in.data() + i * stride, run->out.data(), run->work.data());
      },
      [run, results](double* result) { std::copy_n(run->out.data(), results, result); });
}

Contender recursion_contender(const Mechanism& mechanism, Quantity quantity) {
  struct Run {
    derive::Recursion recursion;
    std::vector<State> states;
    std::vector<double> out;
  };
  const std::size_t size = result_size(mechanism, quantity);
  const auto run = std::make_shared<Run>(
      Run{derive::Recursion(mechanism.model, false), mechanism.states, std::vector<double>(size)});
  const auto read = [run, size](double* result) { std::copy_n(run->out.data(), size, result); };
  const std::string system = "tactus recursion on double";
  switch (quantity) {
    case Quantity::inverse_dynamics:
      return contender(
          system,
          [run](std::size_t i) {
            const State& s = run->states[i];
            run->recursion.inverse_dynamics(s.q.data(), s.u.data(), s.udot.data(), run->out.data());
          },
          read);
    case Quantity::forward_dynamics:
      return contender(
          system,
          [run](std::size_t i) {
            const State& s = run->states[i];
            run->recursion.forward_dynamics(s.q.data(), s.u.data(), s.tau.data(), run->out.data());
          },
          read);
    case Quantity::mass_matrix:
    case Quantity::step:
      break;
  }
  return contender(
      system, [run](std::size_t i) { run->recursion.mass_matrix(run->states[i].q.data(), run->out.data()); },
      read);
}

Contender step_contender(const Mechanism& mechanism) {
  struct Run {
    explicit Run(const derive::Equations& equations)
        : dynamics(simulate::compile(equations)), simulation(dynamics, {.step = kStep}) {}
    simulate::Dynamics dynamics;
    simulate::Simulation simulation;
    std::vector<simulate::State> states;
    std::size_t steps = 0;
  };
  derive::Options options;
  options.friction = false;
  const auto run = std::make_shared<Run>(derive::Equations(mechanism.model, options));
  for (const State& s : mechanism.states) run->states.push_back({0.0, s.q, s.u, {}});
  // Setting a state allocates, steps do not: a few hundred steps from each state.
  constexpr std::size_t kStepsFromState = 256;
  Contender c;
  c.system = "tactus simulation";
  c.run = [run](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i, ++run->steps) {
      if (run->steps % kStepsFromState == 0) {
        run->simulation.set_state(run->states[run->steps / kStepsFromState % kStates]);
      }
      run->simulation.step();
    }
  };
  c.evaluate = [run](std::size_t state, double* result) {
    run->simulation.set_state(run->states[state]);
    run->simulation.step();
    const simulate::State& after = run->simulation.state();
    std::copy(after.u.begin(), after.u.end(), std::copy(after.q.begin(), after.q.end(), result));
  };
  return c;
}

std::vector<Contender> tactus_contenders(const Mechanism& mechanism, Quantity quantity, bool with_compiler) {
  if (quantity == Quantity::step) return {step_contender(mechanism)};
  const Function function = function_of(mechanism, quantity);
  const std::vector<double> inputs = inputs_of(function, mechanism);
  const std::size_t results = result_size(mechanism, quantity);
  std::vector<Contender> contenders;
  if (generate::machine_level() != generate::Level::none) {
    contenders.push_back(kernel_contender(
        "tactus machine code", generate::compile(function, Backend::machine_code), inputs, results));
    const Function batch_function =
        quantity == Quantity::mass_matrix ? batch_mass_matrix(mechanism) : function;
    for (const int lanes : {4, 8}) {
      const generate::BatchKernel kernel = generate::compile_batch(batch_function, lanes);
      if (kernel.backend() == Backend::machine_code)
        contenders.push_back(batch_contender(kernel, inputs, results));
    }
  }
  contenders.push_back(kernel_contender("tactus interpreter",
                                        generate::compile(function, Backend::interpreter), inputs, results));
  contenders.push_back(recursion_contender(mechanism, quantity));
  if (with_compiler && generate::make_tape(function).code.size() <= kCompiledInstructions) {
    if (const auto compiled = CompiledSource::make(function)) {
      struct Run {
        std::vector<double> in, out;
      };
      const auto run = std::make_shared<Run>(Run{inputs, std::vector<double>(function.output_size())});
      contenders.push_back(contender(
          "tactus emitted C++, -O3",
          [compiled, run, stride = function.input_size()](std::size_t i) {
            (*compiled)(run->in.data() + i * stride, run->out.data());
          },
          [run, results](double* result) { std::copy_n(run->out.data(), results, result); }));
    }
  }
  return contenders;
}

}  // namespace tactus::bench
