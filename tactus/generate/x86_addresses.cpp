// Addresses. A displacement takes one byte or four: within 128 bytes of where a register points, or with AVX-512's encoding within 128
// operands (and a whole number of them) away. Between calls the processor has registers to spare: each points into another part of the
// work array or of the outputs, from the first instruction on that reaches there. Long programs run as fast as their bytes arrive, and
// every second instruction has an address.
#include <tactus/generate/x86_assembler.h>

#include <algorithm>

namespace tactus::generate {

namespace x86 = asmjit::x86;

namespace {

constexpr std::int32_t kWidest = 64;  // bytes of the widest vector
/// Stands for the constants, which no register points to.
constexpr std::uint32_t kConstants = 0xffffffffu;
/// Constants are read that many times before a register pays for them.
constexpr std::size_t kManyInstructions = 64;

}  // namespace

/// The registers that calls do not keep and nothing else uses.
void X86Assembler::choose_pointers() {
  const Gp spare[] = {x86::rax, x86::rdi, x86::rcx, x86::rdx, x86::rsi, x86::r8, x86::r9, x86::r10, x86::r11};
  for (const Gp& reg : spare) {
    const bool taken = reg.id() == in_.id() || reg.id() == out_.id() || reg.id() == work_.id() ||
                       (tape_.cells != nullptr && !has_calls_ && reg.id() == x86::r8.id());
    if (!taken) pointers_.push_back({reg, 0, 0, false});
  }
  if (saves_more_)
    for (const Gp& reg : {x86::r14, x86::r15})
      if (tape_.cells == nullptr || reg.id() != x86::r14.id()) pointers_.push_back({reg, 0, 0, false});
}

void X86Assembler::forget_pointers() {
  for (Pointer& pointer : pointers_) pointer.set = false;
}

/// Spare registers are for the work array first. Among vector instructions eight of them are for its widest vectors, one for each
/// remainder.
bool X86Assembler::is_worth_a_pointer(std::uint32_t origin) const {
  const std::ptrdiff_t left =
      std::count_if(pointers_.begin(), pointers_.end(), [](const Pointer& p) { return !p.set; });
  if (origin == work_.id()) return !among_windows_ || operand_bytes_ == kWidest || left > kWidest / 8;
  constexpr std::ptrdiff_t kForWork = 3;
  return !among_windows_ && left > kForWork;
}

asmjit::Operand X86Assembler::addressed(const asmjit::Operand_& operand) {
  if (!operand.isMem()) return asmjit::Operand(operand);
  const Mem& mem = operand.as<Mem>();
  const std::int32_t offset = mem.offsetLo32();
  const std::uint32_t origin = mem.hasBaseReg() ? mem.baseId() : kConstants;
  const bool is_constant =
      origin == kConstants && lanes_ == 1 && !among_windows_ && level_ == Level::avx512 &&
      tape_.code.size() > kManyInstructions &&
      offset < static_cast<std::int32_t>(8 * std::min<std::size_t>(tape_.constants.size(), 256));
  if (!is_constant && origin != work_.id() && origin != out_.id()) return mem;
  if (!is_constant && (is_near(offset) || is_near_when_scaled(offset))) return mem;
  Pointer* unused = nullptr;
  for (Pointer& pointer : pointers_) {
    if (!pointer.set) {
      if (unused == nullptr) unused = &pointer;
    } else if (pointer.origin == origin &&
               (is_near(offset - pointer.at) || is_near_when_scaled(offset - pointer.at))) {
      return x86::ptr(pointer.reg, offset - pointer.at);
    }
  }
  if (unused == nullptr || !is_worth_a_pointer(origin)) return mem;
  // The middle of the part of the array that it will reach; operands lie whole numbers of operands away from there.
  const std::int32_t bias = is_constant ? 0 : kBias;
  const std::int32_t reach = 128 * (level_ == Level::avx512 ? operand_bytes_ : 1);
  const std::int32_t part = (offset + bias) / (2 * reach);
  const std::int32_t beyond = (offset + bias) % operand_bytes_;
  *unused = {unused->reg, origin, part * 2 * reach + reach + beyond - bias, true};
  Mem middle = mem;
  middle.setOffset(unused->at);
  a_.lea(unused->reg, middle);
  return x86::ptr(unused->reg, offset - unused->at);
}

bool X86Assembler::is_shorter(const asmjit::Operand_& operand) const {
  if (!operand.isMem()) return false;
  const auto& mem = operand.as<Mem>();
  if (!mem.hasBaseReg() || mem.baseId() == x86::Gp::kIdSp) return false;
  return !is_near(mem.offsetLo32()) && is_near_when_scaled(mem.offsetLo32());
}

}  // namespace tactus::generate
