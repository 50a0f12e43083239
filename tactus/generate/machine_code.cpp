#include <tactus/generate/machine_code.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <tactus/base/error.h>

namespace tactus::generate {

Level limited(Level has, const char* allowed) {
  const std::string_view word = allowed == nullptr ? "" : allowed;
  if (word.empty() || word == "avx512") return has;
  if (word == "avx2") return std::min(has, Level::avx2);
  if (word == "none") return Level::none;
  throw InputError({}, "TACTUS_INSTRUCTIONS is '" + std::string(word) + "'",
                   "set it to avx512, avx2 or none");
}

}  // namespace tactus::generate

#if defined(__x86_64__) && !defined(_WIN32)

#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>

#include <asmjit/x86.h>

#include <tactus/generate/x86_assembler.h>

namespace tactus::generate {

namespace {

/// Owner of executable memory. It is mapped twice, once to be written and once to be run, never both, and
/// neither mapping ever changes: making a kernel does not disturb threads that run others. Where the system
/// refuses that, the second one has ordinary executable memory.
struct Runtimes {
  asmjit::JitRuntime twice_mapped{parameters()};
  asmjit::JitRuntime plain;

  static const asmjit::JitAllocator::CreateParams* parameters() {
    static const asmjit::JitAllocator::CreateParams params = [] {
      asmjit::JitAllocator::CreateParams p{};
      p.options = asmjit::JitAllocatorOptions::kUseDualMapping;
      return p;
    }();
    return &params;
  }
};

/// One for the process. A child process shares the twice mapped memory with its parent: it gets one of its
/// own, so as not to write into code that the parent runs.
std::shared_ptr<Runtimes> shared_runtimes() {
  static std::mutex mutex;
  static std::shared_ptr<Runtimes> runtimes;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (owner != ::getpid()) {
    owner = ::getpid();
    runtimes = std::make_shared<Runtimes>();
  }
  return runtimes;
}

/// The tape without those instructions.
Tape without(const Tape& tape, const std::vector<bool>& taken) {
  Tape rest = tape;
  rest.code.clear();
  for (std::size_t k = 0; k < tape.code.size(); ++k)
    if (!taken[k]) rest.code.push_back(tape.code[k]);
  return rest;
}

}  // namespace

Level machine_level() {
  static const Level level = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::none;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
    return limited(wide ? Level::avx512 : Level::avx2, std::getenv("TACTUS_INSTRUCTIONS"));
  }();
  return level;
}

std::unique_ptr<MachineCode> MachineCode::assemble(const Tape& tape, int lanes, Level level,
                                                   bool side_by_side) {
  if (level == Level::none || level > machine_level() || (lanes == 8 && level != Level::avx512))
    return nullptr;
  const std::shared_ptr<Runtimes> runtimes = shared_runtimes();
  asmjit::CodeHolder code;
  if (code.init(runtimes->plain.environment()) != asmjit::kErrorOk) return nullptr;
  // Lanes of a batch are full already.
  const bool look = side_by_side && lanes == 1;
  const SideBySide side = look ? find_side_by_side(tape, level == Level::avx512 ? 8 : 4) : none_of(tape);
  Tape rest;
  if (!side.empty()) rest = without(tape, side.taken);
  X86Assembler assembler(side.empty() ? tape : rest, side, lanes, level, code);
  if (!assembler.write()) return look ? assemble(tape, lanes, level, false) : nullptr;
  void* memory = nullptr;
  asmjit::JitRuntime* owner = &runtimes->twice_mapped;
  if (owner->add(&memory, &code) != asmjit::kErrorOk) {
    owner = &runtimes->plain;
    if (owner->add(&memory, &code) != asmjit::kErrorOk) return nullptr;
  }

  std::unique_ptr<MachineCode> result(new MachineCode);
  result->memory_ = std::shared_ptr<void>(memory, [runtimes, owner](void* p) { owner->release(p); });
  result->entry_ = reinterpret_cast<Entry>(static_cast<char*>(memory) + assembler.entry_offset());
  result->work_size_ = assembler.work_size();
  result->code_size_ = code.codeSize();
  return result;
}

}  // namespace tactus::generate

#else

namespace tactus::generate {

Level machine_level() { return Level::none; }
std::unique_ptr<MachineCode> MachineCode::assemble(const Tape&, int, Level, bool) { return nullptr; }

}  // namespace tactus::generate

#endif
