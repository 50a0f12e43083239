#include "tactus_contenders.h"

#include <algorithm>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/derive/recursion.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/program.h>
#include <tactus/generate/tape.h>

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

/// Machine code for several states at once: entry k of lane l stands at [k lanes + l].
std::optional<Contender> batch_contender(const generate::Tape& tape, int lanes,
                                         const std::vector<double>& inputs, std::size_t results) {
  struct Batch {
    std::unique_ptr<generate::MachineCode> code;
    generate::Program program;
    std::vector<double> in, out, work;
  };
  const auto batch = std::make_shared<Batch>();
  batch->code = generate::MachineCode::assemble(tape, lanes);
  if (batch->code == nullptr) return std::nullopt;
  const auto width = static_cast<std::size_t>(lanes);
  const std::size_t size = tape.input_count;
  batch->in.resize(inputs.size());
  for (std::size_t s = 0; s < kStates; ++s)
    for (std::size_t k = 0; k < size; ++k)
      batch->in[(s / width) * size * width + k * width + s % width] = inputs[s * size + k];
  batch->out.resize(tape.outputs.size() * width);
  batch->work.resize(batch->code->work_size());
  const auto call = [batch, size, width](std::size_t group) {
    batch->code->entry()(batch->program, batch->in.data() + group * size * width, batch->out.data(),
                         batch->work.data());
  };
  Contender c;
  c.system = fmt::format("tactus machine code, {} states", lanes);
  c.states_per_call = lanes;
  c.run = [call, groups = kStates / width](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) call(i % groups);
  };
  c.evaluate = [call, batch, width, results](std::size_t state, double* result) {
    call(state / width);
    for (std::size_t k = 0; k < results; ++k) result[k] = batch->out[k * width + state % width];
  };
  return c;
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
      break;
  }
  return contender(
      system, [run](std::size_t i) { run->recursion.mass_matrix(run->states[i].q.data(), run->out.data()); },
      read);
}

std::vector<Contender> tactus_contenders(const Mechanism& mechanism, Quantity quantity, bool with_compiler) {
  const Function function = function_of(mechanism, quantity);
  const std::vector<double> inputs = inputs_of(function, mechanism);
  const std::size_t results = result_size(mechanism, quantity);
  const generate::Tape tape = generate::make_tape(function);
  std::vector<Contender> contenders;
  if (generate::machine_level() != generate::Level::none) {
    contenders.push_back(kernel_contender(
        "tactus machine code", generate::compile(function, Backend::machine_code), inputs, results));
    for (const int lanes : {4, 8}) {
      if (auto batch = batch_contender(tape, lanes, inputs, results)) contenders.push_back(std::move(*batch));
    }
  }
  contenders.push_back(kernel_contender("tactus interpreter",
                                        generate::compile(function, Backend::interpreter), inputs, results));
  contenders.push_back(recursion_contender(mechanism, quantity));
  if (with_compiler && tape.code.size() <= kCompiledInstructions) {
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
