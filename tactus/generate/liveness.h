// When the values of a tape are used.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <tactus/generate/tape.h>

namespace tactus::generate {

/// Used by nothing, or never again.
inline constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

/// For each value the index of the last instruction that reads it; kNever for outputs (which stay) and for
/// values that nothing reads.
std::vector<std::uint32_t> last_uses(const Tape& tape);

/// What a furthest-next-use register allocator [Belady1966] looks up.
struct NextUses {
  std::vector<std::uint32_t> first;  // for each value: the first instruction that reads it
  std::vector<std::array<std::uint32_t, 3>>
      after;  // for each instruction and operand: the next one that reads it
};
NextUses next_uses(const Tape& tape);

}  // namespace tactus::generate
