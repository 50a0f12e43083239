#include <tactus/generate/machine_code.h>

#if defined(__x86_64__) && !defined(_WIN32)

#include <asmjit/x86.h>

#include <tactus/generate/x86_assembler.h>

namespace tactus::generate {

namespace {

/// One runtime for the process; memory is mapped twice, once to be written and once to be run, never both.
std::shared_ptr<asmjit::JitRuntime> shared_runtime() {
  static const std::shared_ptr<asmjit::JitRuntime> runtime = [] {
    asmjit::JitAllocator::CreateParams params{};
    params.options = asmjit::JitAllocatorOptions::kUseDualMapping;
    return std::make_shared<asmjit::JitRuntime>(&params);
  }();
  return runtime;
}

}  // namespace

Level machine_level() {
  static const Level level = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::none;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
    return wide ? Level::avx512 : Level::avx2;
  }();
  return level;
}

std::unique_ptr<MachineCode> MachineCode::assemble(const Tape& tape, int lanes, Level level) {
  if (level == Level::none || level > machine_level() || (lanes == 8 && level != Level::avx512))
    return nullptr;
  const std::shared_ptr<asmjit::JitRuntime> runtime = shared_runtime();
  asmjit::CodeHolder code;
  if (code.init(runtime->environment()) != asmjit::kErrorOk) return nullptr;
  X86Assembler assembler(tape, lanes, level, code);
  if (!assembler.write()) return nullptr;
  void* memory = nullptr;
  if (runtime->add(&memory, &code) != asmjit::kErrorOk) return nullptr;

  std::unique_ptr<MachineCode> result(new MachineCode);
  result->memory_ = memory;
  result->runtime_ = runtime;
  result->entry_ = reinterpret_cast<Entry>(static_cast<char*>(memory) + assembler.entry_offset());
  result->work_size_ = assembler.work_size();
  result->code_size_ = code.codeSize();
  return result;
}

MachineCode::~MachineCode() {
  if (memory_ != nullptr) static_cast<asmjit::JitRuntime*>(runtime_.get())->release(memory_);
}

}  // namespace tactus::generate

#else

namespace tactus::generate {

Level machine_level() { return Level::none; }
std::unique_ptr<MachineCode> MachineCode::assemble(const Tape&, int, Level) { return nullptr; }
MachineCode::~MachineCode() = default;

}  // namespace tactus::generate

#endif
