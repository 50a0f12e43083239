#include <tactus/generate/registers.h>

#include <tactus/base/check.h>

namespace tactus::generate {

Registers::Registers(const Tape& tape, int count)
    : uses_(next_uses(tape)),
      next_(uses_.first),
      register_(tape.value_count, kNone),
      home_(tape.value_count),
      spilled_(tape.value_count, false),
      count_(count),
      free_(count == 32 ? 0xffffffffu : (1u << count) - 1u) {
  for (std::uint32_t v = 0; v < tape.input_count; ++v) home_[v] = {Home::input, v};
  for (std::uint32_t k = 0; k < tape.constants.size(); ++k)
    home_[tape.first_constant() + k] = {Home::constant, k};
}

void Registers::begin(const Tape& tape, std::uint32_t now) {
  const Instruction& i = tape.code[now];
  const int operands = operand_count(i.code);
  locked_ = 0;
  const std::uint32_t values[] = {i.a, i.b, i.c};
  for (int k = 0; k < operands; ++k) {
    next_[values[k]] = uses_.after[now][k];
    if (has(values[k])) next_in_[of(values[k])] = uses_.after[now][k];
  }
}

void Registers::end(const Tape& tape, std::uint32_t now) {
  const Instruction& i = tape.code[now];
  const int operands = operand_count(i.code);
  const std::uint32_t values[] = {i.a, i.b, i.c};
  for (int k = 0; k < operands; ++k) {
    const std::uint32_t value = values[k];
    if (!dies(value)) continue;
    if (has(value)) release(of(value));
    if (spilled_[value]) {
      free_places_.push_back(home_[value].index);
      spilled_[value] = false;
    }
  }
}

int Registers::furthest() const {
  int best = kNone;
  std::uint32_t latest = 0;
  for (int reg = 0; reg < count_; ++reg) {
    if (next_in_[reg] >= latest && ((locked_ | free_) >> reg & 1u) == 0) {
      latest = next_in_[reg];
      best = reg;
    }
  }
  TACTUS_CHECK(best != kNone);
  return best;
}

void Registers::assign(int reg, std::uint32_t value) {
  free_ &= ~(1u << reg);
  value_in_[reg] = value;
  next_in_[reg] = next_[value];
  register_[value] = static_cast<std::int8_t>(reg);
  lock(reg);
}

void Registers::release(int reg) {
  if (free_ >> reg & 1u) return;
  register_[value_in_[reg]] = kNone;
  free_ |= 1u << reg;
}

Home Registers::spill(std::uint32_t value) {
  std::uint32_t place;
  if (free_places_.empty()) {
    place = places_++;
  } else {
    place = free_places_.back();
    free_places_.pop_back();
  }
  spilled_[value] = true;
  return home_[value] = {Home::work, place};
}

std::uint32_t Registers::take_block(std::uint32_t count) {
  const std::uint32_t first = places_;
  places_ += count;
  return first;
}

}  // namespace tactus::generate
