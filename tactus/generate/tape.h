// The tape: a function of the graph as one straight line of instructions in single-assignment form. Every
// back end runs the same tape, and since the tape also decides where a product and a sum become one fused
// operation, they all round alike: same tape, same bits (up to the sign and payload of NaN, which processors
// choose by operand order).
//
// Values are numbered: first the inputs (the arguments of a call, then the cells of the graph where the code reads
// some), then the constants, then the results in the order of the
// instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/cells.h>
#include <tactus/algebra/function.h>
#include <tactus/generate/kernel.h>

namespace tactus::generate {

enum class Code : std::uint8_t {
  neg,   // -a
  add,   // a + b
  sub,   // a - b
  mul,   // a b
  div,   // a / b
  fma,   // a b + c, rounded once; so are the next three
  fms,   // a b - c
  fnma,  // c - a b
  fnms,  // -a b - c
  sqrt,
  abs,
  sign,  // +1 for a >= 0, -1 for a < 0, NaN stays
  min,   // a < b ? a : b
  max,   // a > b ? a : b
  floor,
  select,  // a >= 0 ? b : c
  sincos,  // math::sincos: the sine is value `to`, the cosine value `to + 1`
  tan,     // this and the following: as in the C library
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  pow,
};

constexpr int operand_count(Code code) {
  switch (code) {
    case Code::fma:
    case Code::fms:
    case Code::fnma:
    case Code::fnms:
    case Code::select:
      return 3;
    case Code::add:
    case Code::sub:
    case Code::mul:
    case Code::div:
    case Code::min:
    case Code::max:
    case Code::atan2:
    case Code::pow:
      return 2;
    default:
      return 1;
  }
}

std::string_view name_of(Code code);

struct Instruction {
  Code code;
  std::uint32_t group = 1;  // sincos: how many of the next instructions, this one included, are sincos whose
                            // arguments are ready now, so that they can be evaluated side by side
  std::uint32_t to = 0;
  std::uint32_t a = 0, b = 0, c = 0;
};

struct Tape {
  std::uint32_t input_count = 0;
  std::uint32_t argument_count = 0;             // of the inputs, those that a call brings
  std::shared_ptr<const algebra::Cells> cells;  // the others; null where there are none
  std::vector<double> constants;
  std::vector<Instruction> code;
  std::uint32_t value_count = 0;
  std::vector<std::uint32_t> outputs;  // the value of each output entry

  std::uint32_t first_constant() const { return input_count; }
  std::uint32_t first_result() const { return input_count + static_cast<std::uint32_t>(constants.size()); }
  bool is_input(std::uint32_t value) const { return value < input_count; }
  bool is_constant(std::uint32_t value) const { return value >= input_count && value < first_result(); }
};

/// The tape of a function, ordered for a processor with so many registers (which changes speed, never
/// results). Throws InputError where an output depends on a symbol that no input block holds.
Tape make_tape(const algebra::Function& function, int registers = 16, Rounding rounding = Rounding::fused);

/// What the tape does, counted as algebra::count_operations counts: a fused operation is a product and a sum.
algebra::OperationCount count_operations(const Tape& tape);

}  // namespace tactus::generate
