// The binary frame (docs/protocol.md): what a page gets at every display tick.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tactus/serve/live/work.h>

namespace tactus::serve {

inline constexpr std::uint32_t kFrameMagic = 0x46434154;  // "TACF"
inline constexpr std::uint32_t kPosesMagic = 0x50434154;  // "TACP"
inline constexpr std::size_t kFrameHeader = 160;

struct FrameLabel {
  std::uint32_t scene = 0, sequence = 0;
};

/// Samples: rows as the loop wrote them; columns: those that this page wants.
std::string encode_frame(const FrameLabel& label, const Picture& picture,
                         std::span<const std::vector<double>> samples, std::span<const std::size_t> columns);

/// Poses of a motion, for thumbnails and replay: m pictures of n bodies.
std::string encode_poses(std::size_t bodies, double rate, std::span<const float> poses);

}  // namespace tactus::serve
