// What the tape needs from outside: groups of sines and cosines, and functions of the C library. A call keeps
// no vector register: every value that is needed later stands in memory before it.
#include <algorithm>

#include <tactus/generate/library_calls.h>
#include <tactus/generate/x86_assembler.h>
#include <tactus/math/sincos.h>

namespace tactus::generate {

namespace x86 = asmjit::x86;

void X86Assembler::ensure_home(std::uint32_t value) {
  if (registers_.home(value).where != Home::none) return;
  const Home home = registers_.spill(value);
  emit(opcodes_.store, memory(home), vec(registers_.of(value)));
}

void X86Assembler::save_all() {
  for (int reg = 0; reg < register_count(level_); ++reg) {
    const std::uint32_t value = registers_.value_in(reg);
    if (registers_.of(value) != reg) continue;
    if (!registers_.dies(value)) ensure_home(value);
    registers_.release(reg);
  }
}

void X86Assembler::call(const void* target) {
  a_.mov(x86::rax, asmjit::imm(reinterpret_cast<std::uint64_t>(target)));
  a_.call(x86::rax);
  forget_registers();
}

void X86Assembler::forget_registers() {
  forget_pointers();
  sign_register_set_ = false;
}

/// Eight lanes are the library's, four this kernel's own.
void X86Assembler::call_sines(math::SinCosEntry entry) {
  using math::SinCosEntry;
  if (has_own_sines() && (entry == SinCosEntry::four || entry == SinCosEntry::four_and_four)) {
    asmjit::Label& routine = sine_routines_[entry == SinCosEntry::four ? 0 : 1];
    if (!routine.isValid()) routine = a_.newLabel();
    a_.call(routine);
    forget_registers();
    return;
  }
  const void* target = math::sincos_entry(entry);
  if (std::find(sine_targets_.begin(), sine_targets_.end(), target) == sine_targets_.end())
    sine_targets_.push_back(target);
  call(target);
}

std::uint32_t X86Assembler::sines_at_once(std::uint32_t group) const {
  switch (lanes_) {
    case 1:
      return std::min(group, 8u);
    default:
      return std::min(group, 2u);
  }
}

void X86Assembler::sine_group(std::uint32_t first, std::uint32_t count) {
  using math::SinCosEntry;
  const std::uint32_t group = tape_.code[first].group;
  std::vector<std::uint32_t> angles;
  for (std::uint32_t k = 0; k < count; ++k) {
    registers_.begin(tape_, first + k);
    angles.push_back(tape_.code[first + k].a);
    ensure_home(angles.back());
  }
  save_all();

  // In one lane an angle is one of several in a register, and up to eight angles are sooner done in two
  // registers of four than in one of eight; in several lanes an angle has a register of its own. Results are
  // stored in the same way: `apart` values lie between a sine and its cosine.
  SinCosEntry entry = SinCosEntry::four;
  std::uint32_t apart = 1;
  if (lanes_ == 1) {
    apart = count > 4 ? 8 : 4;
    if (count > 4)
      entry = level_ == Level::avx512 && group > 8 ? SinCosEntry::eight : SinCosEntry::four_and_four;
    gather_angles(angles, entry);
  } else {
    apart = count;
    if (lanes_ == 8) {
      entry = count == 2 ? SinCosEntry::eight_and_eight : SinCosEntry::eight;
    } else if (count == 2) {
      entry = SinCosEntry::four_and_four;
    }
    for (std::uint32_t k = 0; k < count; ++k) load(static_cast<int>(k), angles[k]);
  }
  const std::uint32_t results = registers_.take_block(2 * apart);
  a_.lea(x86::rdi, memory({Home::work, results}));
  call_sines(entry);
  // Upper halves left in use would slow down every SSE instruction of the caller, long after we have
  // returned.
  if (lanes_ == 1) a_.vzeroupper();

  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t value[] = {tape_.code[first + k].to, tape_.code[first + k].to + 1};
    registers_.set_home(value[0], {Home::work, results + k});
    registers_.set_home(value[1], {Home::work, results + apart + k});
    for (const std::uint32_t v : value) {
      if (first_output_[v] == kNever && first_placed_[v] == kNever) continue;
      load(0, v);
      place(v, 0, 1);
      for (std::uint32_t o = first_output_[v]; o != kNever; o = next_output_[o]) {
        emit(opcodes_.store, memory({Home::output, o}), vec(0));
      }
    }
    registers_.end(tape_, first + k);
  }
}

/// Up to eight angles from memory into the registers that the entry expects; lanes without an angle are zero.
void X86Assembler::gather_angles(const std::vector<std::uint32_t>& angles, math::SinCosEntry entry) {
  const auto two = [&](std::size_t k, const x86::Xmm& to) {
    a_.vmovsd(to, memory(registers_.home(angles[k])));
    if (k + 1 < angles.size()) a_.vmovhpd(to, to, memory(registers_.home(angles[k + 1])));
  };
  const auto four = [&](std::size_t k, std::uint32_t to) {
    two(k, x86::xmm(to));
    if (k + 2 < angles.size()) {
      two(k + 2, x86::xmm(to + 2));
      a_.vinsertf128(x86::ymm(to), x86::ymm(to), x86::xmm(to + 2), 1);
    }
  };
  four(0, 0);
  if (angles.size() > 4) four(4, 1);
  if (entry == math::SinCosEntry::eight) a_.vinsertf64x4(x86::zmm0, x86::zmm0, x86::ymm1, 1);
}

void X86Assembler::library_function(const Instruction& i) {
  const int operands = operand_count(i.code);
  if (lanes_ == 1) {
    ensure_home(i.a);
    if (operands > 1) ensure_home(i.b);
    save_all();
    a_.vmovsd(x86::xmm0, memory(registers_.home(i.a)));
    if (operands > 1) a_.vmovsd(x86::xmm1, memory(registers_.home(i.b)));
    call(library_call(i.code));
    define(i.to, 0);
    return;
  }
  // Lane by lane, in memory: arguments and result side by side in the work array.
  const std::uint32_t block = registers_.take_block(3);
  const std::uint32_t arguments[] = {i.a, i.b};
  for (int k = 0; k < operands; ++k) {
    const int reg = in_register(arguments[k]);
    emit(opcodes_.store, memory({Home::work, block + static_cast<std::uint32_t>(k)}), vec(reg));
  }
  save_all();
  a_.vzeroupper();
  a_.lea(x86::rdi, memory({Home::work, block}));
  a_.mov(x86::esi, lanes_);
  call(library_call_lanes(i.code));
  emit(opcodes_.load, vec(0), memory({Home::work, block + 2}));
  define(i.to, 0);
}

}  // namespace tactus::generate
