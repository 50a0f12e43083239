#include <tactus/generate/kernel.h>

#include <algorithm>
#include <utility>

#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/generate/program.h>
#include <tactus/generate/tape.h>

namespace tactus::generate {

namespace {

std::vector<Slot> slots_of(const std::vector<algebra::Block>& blocks) {
  std::vector<Slot> slots;
  std::size_t offset = 0;
  for (const algebra::Block& block : blocks) {
    TACTUS_CHECK(static_cast<std::size_t>(block.rows) * static_cast<std::size_t>(block.cols) == block.size());
    slots.push_back({block.name, block.meaning, block.rows, block.cols, offset});
    offset += block.size();
  }
  return slots;
}

const Slot* find(const std::vector<Slot>& slots, std::string_view name) {
  const auto it =
      std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.name == name; });
  return it == slots.end() ? nullptr : &*it;
}

void run_interpreter(const Program& program, const double* in, double* out, double* work) noexcept {
  (*program.interpreter)(in, out, work);
}

}  // namespace

Kernel compile(const algebra::Function& function, Backend backend) {
  const Tape tape = make_tape(function, register_count(machine_level()));
  auto program = std::make_shared<Program>();
  program->name = function.name;
  program->inputs = slots_of(function.inputs);
  program->outputs = slots_of(function.outputs);
  program->input_size = function.input_size();
  program->output_size = function.output_size();

  Kernel kernel;
  if (backend != Backend::interpreter) program->machine_code = MachineCode::assemble(tape);
  if (program->machine_code != nullptr) {
    program->backend = Backend::machine_code;
    program->work_size = program->machine_code->work_size();
    program->code_size = program->machine_code->code_size();
    kernel.run_ = program->machine_code->entry();
  } else if (backend == Backend::machine_code) {
    throw InputError(
        {},
        "machine code cannot be made here: it takes an x86-64 processor with AVX2 and FMA3, and a "
        "system that grants executable memory",
        "use the automatic back end, which falls back to the interpreter");
  } else {
    program->interpreter.emplace(tape);
    program->backend = Backend::interpreter;
    program->work_size = program->interpreter->work_size();
    program->code_size = program->interpreter->code_size();
    kernel.run_ = run_interpreter;
  }
  kernel.program_ = std::move(program);
  return kernel;
}

std::size_t Kernel::input_size() const { return program_->input_size; }
std::size_t Kernel::output_size() const { return program_->output_size; }
std::size_t Kernel::work_size() const { return program_->work_size; }
const std::string& Kernel::name() const { return program_->name; }
const std::vector<Slot>& Kernel::inputs() const { return program_->inputs; }
const std::vector<Slot>& Kernel::outputs() const { return program_->outputs; }
const Slot* Kernel::input(std::string_view name) const { return find(program_->inputs, name); }
const Slot* Kernel::output(std::string_view name) const { return find(program_->outputs, name); }
Backend Kernel::backend() const { return program_->backend; }
std::size_t Kernel::code_size() const { return program_->code_size; }

Evaluator::Evaluator(Kernel kernel)
    : kernel_(std::move(kernel)),
      in_(kernel_.input_size(), 0.0),
      out_(kernel_.output_size(), 0.0),
      work_(kernel_.work_size(), 0.0) {}

std::span<double> Evaluator::input(std::string_view name) {
  const Slot* slot = kernel_.input(name);
  return slot == nullptr ? std::span<double>{} : std::span<double>(in_).subspan(slot->offset, slot->size());
}

std::span<const double> Evaluator::output(std::string_view name) const {
  const Slot* slot = kernel_.output(name);
  return slot == nullptr ? std::span<const double>{}
                         : std::span<const double>(out_).subspan(slot->offset, slot->size());
}

}  // namespace tactus::generate
