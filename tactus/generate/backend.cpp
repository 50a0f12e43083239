#include <tactus/generate/backend.h>

#include <utility>

#include <tactus/generate/interpreter.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/program.h>

namespace tactus::generate {

namespace {

bool always(int /*lanes*/) { return true; }

void run_interpreter(const Program& program, const double* in, double* out, double* work) noexcept {
  (*static_cast<const Interpreter*>(program.code.get()))(in, out, work);
}

/// Lane by lane. The work array holds one lane's inputs and outputs, then the interpreter's own.
void run_interpreter_lanes(const Program& program, const double* in, double* out, double* work) noexcept {
  const Interpreter& interpreter = *static_cast<const Interpreter*>(program.code.get());
  const auto lanes = static_cast<std::size_t>(program.lanes);
  double* const lane_in = work;
  double* const lane_out = lane_in + program.input_size;
  double* const lane_work = lane_out + program.output_size;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t k = 0; k < program.input_size; ++k) lane_in[k] = in[k * lanes + lane];
    interpreter(lane_in, lane_out, lane_work);
    for (std::size_t k = 0; k < program.output_size; ++k) out[k * lanes + lane] = lane_out[k];
  }
}

std::optional<Executable> interpret(const Tape& tape, int lanes) {
  auto interpreter = std::make_shared<const Interpreter>(tape);
  Executable result;
  result.run = lanes > 1 ? run_interpreter_lanes : run_interpreter;
  result.work_size = interpreter->work_size();
  if (lanes > 1) result.work_size += tape.input_count + tape.outputs.size();
  result.code_size = interpreter->code_size();
  result.code = std::move(interpreter);
  return result;
}

bool can_assemble(int lanes) {
  const Level level = machine_level();
  return level != Level::none && (lanes <= 4 || level == Level::avx512);
}

std::optional<Executable> assemble(const Tape& tape, int lanes) {
  std::shared_ptr<const MachineCode> code = MachineCode::assemble(tape, lanes);
  if (code == nullptr) return std::nullopt;
  return Executable{code->entry(), code, code->work_size(), code->code_size()};
}

constexpr BackendTraits kBackends[] = {
    {Backend::machine_code, "machine code",
     "it takes an x86-64 processor with AVX2 and FMA3 (AVX-512 for eight lanes), and a system that grants "
     "executable memory",
     can_assemble, assemble},
    {Backend::interpreter, "interpreter", "", always, interpret},
};

}  // namespace

std::span<const BackendTraits> backends() { return kBackends; }

std::string_view name_of(Backend backend) {
  for (const BackendTraits& traits : kBackends)
    if (traits.backend == backend) return traits.name;
  return "automatic";
}

}  // namespace tactus::generate
