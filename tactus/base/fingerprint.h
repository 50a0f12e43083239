// A number that tells two things apart: FNV-1a over the bytes of what they are made of.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tactus {

class Fingerprint {
 public:
  Fingerprint& add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) mix(static_cast<unsigned char>(value >> (8 * byte)));
    return *this;
  }
  Fingerprint& add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return add(bits);
  }
  /// With its length, so that "ab", "c" is not "a", "bc".
  Fingerprint& add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) mix(static_cast<unsigned char>(c));
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  void mix(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211ull; }
  std::uint64_t value_ = 14695981039346656037ull;
};

}  // namespace tactus
