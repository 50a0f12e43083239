#include <tactus/generate/program.h>

#include <algorithm>

#include <tactus/base/check.h>
#include <tactus/base/error.h>

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

void run_interpreter(const Program& program, const double* in, double* out, double* work) noexcept {
  (*program.interpreter)(in, out, work);
}

/// Lane by lane. The work array holds one lane's inputs and outputs, then the interpreter's own.
void run_interpreter_lanes(const Program& program, const double* in, double* out, double* work) noexcept {
  const auto lanes = static_cast<std::size_t>(program.lanes);
  double* const lane_in = work;
  double* const lane_out = lane_in + program.input_size;
  double* const lane_work = lane_out + program.output_size;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t k = 0; k < program.input_size; ++k) lane_in[k] = in[k * lanes + lane];
    (*program.interpreter)(lane_in, lane_out, lane_work);
    for (std::size_t k = 0; k < program.output_size; ++k) out[k * lanes + lane] = lane_out[k];
  }
}

}  // namespace

std::shared_ptr<const Program> make_program(const algebra::Function& function, int lanes, Backend backend,
                                            Rounding rounding) {
  const Tape tape = make_tape(function, register_count(machine_level()), rounding);
  auto program = std::make_shared<Program>();
  program->name = function.name;
  program->inputs = slots_of(function.inputs);
  program->outputs = slots_of(function.outputs);
  program->input_size = function.input_size();
  program->output_size = function.output_size();
  program->lanes = lanes;

  if (backend != Backend::interpreter) program->machine_code = MachineCode::assemble(tape, lanes);
  if (program->machine_code != nullptr) {
    program->backend = Backend::machine_code;
    program->work_size = program->machine_code->work_size();
    program->code_size = program->machine_code->code_size();
    program->run = program->machine_code->entry();
  } else if (backend == Backend::machine_code) {
    throw InputError(
        {},
        "machine code cannot be made here: it takes an x86-64 processor with AVX2 and FMA3 (AVX-512 for "
        "eight lanes), and a system that grants executable memory",
        "use the automatic back end, which falls back to the interpreter");
  } else {
    program->interpreter.emplace(tape);
    program->backend = Backend::interpreter;
    program->work_size = program->interpreter->work_size();
    if (lanes > 1) program->work_size += program->input_size + program->output_size;
    program->code_size = program->interpreter->code_size();
    program->run = lanes > 1 ? run_interpreter_lanes : run_interpreter;
  }
  return program;
}

const Slot* find_slot(const std::vector<Slot>& slots, std::string_view name) {
  const auto it =
      std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.name == name; });
  return it == slots.end() ? nullptr : &*it;
}

}  // namespace tactus::generate
