// When the values of a tape are used.
#pragma once

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

}  // namespace tactus::generate
