// The pieces of an MCAP file: records of a kind, a length and a content; numbers with their lowest byte first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace tactus::display::mcap {

constexpr std::string_view kMagic{"\x89MCAP0\r\n", 8};
constexpr std::size_t kRecordHead = 9;  // kind and length

enum Kind : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0A,
  kStatistics = 0x0B,
  kMetadata = 0x0C,
  kMetadataIndex = 0x0D,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F,
};

template <class T>
void put(std::string& to, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (std::size_t i = 0; i < sizeof(T); ++i) to.push_back(static_cast<char>(value >> (8 * i) & 255u));
}
inline void put_text(std::string& to, std::string_view text) {
  put(to, static_cast<std::uint32_t>(text.size()));
  to.append(text);
}
inline void put_record(std::string& to, Kind kind, std::string_view content) {
  put(to, static_cast<std::uint8_t>(kind));
  put(to, static_cast<std::uint64_t>(content.size()));
  to.append(content);
}

/// Reads one piece after the other; once something is missing all that follows is empty and `ok` false.
struct Cursor {
  std::string_view rest;
  bool ok = true;

  template <class T>
  T take() {
    static_assert(std::is_unsigned_v<T>);
    const std::string_view bytes = take_bytes(sizeof(T));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return static_cast<T>(value);
  }
  std::string_view take_bytes(std::uint64_t count) {
    if (!ok || count > rest.size()) {
      ok = false;
      return {};
    }
    const std::string_view bytes = rest.substr(0, count);
    rest.remove_prefix(count);
    return bytes;
  }
  std::string_view take_text() { return take_bytes(take<std::uint32_t>()); }
};

}  // namespace tactus::display::mcap
