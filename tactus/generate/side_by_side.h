// Parts of a tape that a processor can evaluate side by side, for one state.
//
// Matrices are made of many elements of the same form: rows of products of one vector with many. On a tape each element is a line of
// its own. Here neighbours of the same form are found again and become lanes of vector instructions [LarsenAmarasinghe2000]:
//
//   - Neighbouring outputs whose instructions have the same form are a row. Windows of 8, 4 or 2 lanes cover it; the last one overlaps.
//   - A window is a tree of vector instructions. It goes down as long as a value has that one user; what it ends at is the same value
//     in all lanes, or neighbours in an array.
//   - Arrays are joined from what windows ask for; scalar instructions leave their results there.
//   - What only windows read, and they alone, is a row in turn: its windows leave it in an array, or among the outputs where it is one.
//     So recursions of which columns run side by side go on from row to row (derive/recursion/articulated_derivatives.h).
//
// All vector instructions run after the scalar ones, those that are furthest from the outputs first. Each lane does the operations of its tape, so
// that all bits stay the same. (Signs move only where they change none: through products, and onto the terms of a sum. In front of a whole sum they
// are turned by an instruction of their own.)
#pragma once

#include <cstdint>
#include <vector>

#include <tactus/generate/tape.h>

namespace tactus::generate {

struct SideBySide {
  /// Where a vector instruction's operand is.
  struct Source {
    enum Kind : std::uint8_t { none, result, array, broadcast, input, constants, output };
    Kind kind = none;
    std::uint32_t index =
        0;  // of the vector instruction; place in the arrays; value; input; place in wide_constants; output
  };
  /// code: mul, add, sub or one of the fused four; neg turns the signs of those lanes where the constants b have one. Each result is used once, by a later instruction of the window or by its store.
  struct Operation {
    Code code = Code::mul;
    Source a, b, c;
  };
  struct Window {
    std::uint32_t lanes = 0;             // also a single one, of what must wait for other windows
    std::uint32_t first = 0, count = 0;  // its operations; the last one's result is stored
    std::uint32_t to = 0;                // outputs from here on, or places in the arrays
    bool to_arrays = false;
  };
  /// A scalar that the arrays hold.
  struct Placed {
    std::uint32_t value = 0;
    bool negated = false;
    std::uint32_t place = 0;
  };
  struct Copy {
    std::uint32_t from = 0, to = 0;  // outputs
  };

  std::vector<Operation> operations;
  std::vector<Window> windows;
  std::vector<Placed> placed;
  std::vector<std::uint32_t> place_of;  // for each value a place in the arrays, or kNowhere
  std::vector<bool>
      place_negated;  // where that place has it with the opposite sign: broadcasts read it as it stands there, the
                      // operations' signs are turned
  std::uint32_t places = 0;  // size of the arrays
  std::vector<double> wide_constants;
  std::vector<Copy> copies;  // after the windows
  std::vector<bool> taken;   // instructions of the tape that the windows do
  std::vector<bool> stored;  // outputs that the windows and copies store
  bool empty() const { return windows.empty(); }

  static constexpr std::uint32_t kNowhere = 0xffffffffu;
};

/// Nothing.
SideBySide none_of(const Tape& tape);

/// What of the tape is worth doing side by side, with up to `lanes` lanes.
SideBySide find_side_by_side(const Tape& tape, std::uint32_t lanes);

}  // namespace tactus::generate
