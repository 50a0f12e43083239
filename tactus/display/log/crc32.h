// The cyclic redundancy check of zip files and MCAP: polynomial 0xEDB88320, reflected.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tactus::display {

inline std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) {
  static constexpr std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      table[i] = c;
    }
    return table;
  }();
  std::uint32_t c = ~before;
  for (const char byte : bytes) c = kTable[(c ^ static_cast<unsigned char>(byte)) & 255u] ^ (c >> 8);
  return ~c;
}

}  // namespace tactus::display
