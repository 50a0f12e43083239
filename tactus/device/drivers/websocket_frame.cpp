#include <tactus/device/drivers/websocket_frame.h>

#include <bit>

namespace tactus::device::websocket {

namespace {

constexpr std::uint8_t kFinal = 0x80, kReserved = 0x70, kOpcode = 0x0f, kMask = 0x80, kLength = 0x7f;
constexpr std::size_t kLongestControl = 125;  // payload of close, ping and pong

std::uint64_t number_in(std::string_view bytes) {  // big end first
  std::uint64_t n = 0;
  for (const char c : bytes) n = n << 8 | static_cast<std::uint8_t>(c);
  return n;
}

}  // namespace

void append_frame(std::string& out, Opcode opcode, std::string_view payload,
                  const std::array<std::uint8_t, 4>& mask) {
  const auto put = [&](std::uint64_t n, int bytes) {
    for (int k = bytes - 1; k >= 0; --k) out.push_back(static_cast<char>(n >> (8 * k) & 0xff));
  };
  put(kFinal | static_cast<std::uint8_t>(opcode), 1);
  if (payload.size() <= kLongestControl) {
    put(kMask | payload.size(), 1);
  } else if (payload.size() <= 0xffff) {
    put(kMask | 126, 1);
    put(payload.size(), 2);
  } else {
    put(kMask | 127, 1);
    put(payload.size(), 8);
  }
  for (const std::uint8_t m : mask) put(m, 1);
  for (std::size_t i = 0; i < payload.size(); ++i)
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(payload[i]) ^ mask[i % 4]));
}

Reader::Result Reader::next(std::string& payload) {
  for (;;) {
    if (bytes_.size() < 2) return Result::nothing;
    const auto first = static_cast<std::uint8_t>(bytes_[0]), second = static_cast<std::uint8_t>(bytes_[1]);
    const bool final = (first & kFinal) != 0, control = (first & 8) != 0;
    const auto opcode = static_cast<Opcode>(first & kOpcode);
    std::size_t header = 2;
    std::uint64_t length = second & kLength;
    if ((first & kReserved) != 0 || (second & kMask) != 0) return Result::broken;
    if (control && (!final || length > kLongestControl)) return Result::broken;
    if (length >= 126) {
      header = length == 126 ? 4 : 10;
      if (bytes_.size() < header) return Result::nothing;
      length = number_in(std::string_view(bytes_).substr(2, header - 2));
    }
    if (length > kLargestMessage || message_.size() + length > kLargestMessage) return Result::broken;
    if (bytes_.size() < header + length) return Result::nothing;
    const std::string part = bytes_.substr(header, length);
    bytes_.erase(0, header + length);

    switch (opcode) {
      case Opcode::text:
      case Opcode::binary:
        if (begun_) return Result::broken;
        begun_ = true;
        message_ = part;
        break;
      case Opcode::continuation:
        if (!begun_) return Result::broken;
        message_ += part;
        break;
      case Opcode::close:
        payload = part;
        return Result::close;
      case Opcode::ping:
        payload = part;
        return Result::ping;
      case Opcode::pong:
        continue;
      default:
        return Result::broken;
    }
    if (!final) continue;
    begun_ = false;
    payload.swap(message_);
    message_.clear();
    return Result::message;
  }
}

std::array<std::uint8_t, 20> sha1(std::string_view text) {  // [RFC 3174, method 1]
  std::string padded(text);
  padded.push_back(static_cast<char>(0x80));
  while (padded.size() % 64 != 56) padded.push_back('\0');
  for (int k = 7; k >= 0; --k)
    padded.push_back(static_cast<char>(static_cast<std::uint64_t>(text.size()) * 8 >> (8 * k) & 0xff));

  std::array<std::uint32_t, 5> H{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::array<std::uint32_t, 80> W{};
    for (std::size_t t = 0; t < 16; ++t)
      W[t] = static_cast<std::uint32_t>(number_in(std::string_view(padded).substr(block + 4 * t, 4)));
    for (std::size_t t = 16; t < 80; ++t) W[t] = std::rotl(W[t - 3] ^ W[t - 8] ^ W[t - 14] ^ W[t - 16], 1);
    auto [A, B, C, D, E] = H;
    for (std::size_t t = 0; t < 80; ++t) {
      const std::uint32_t f = t < 20              ? (B & C) | (~B & D)
                              : t < 40 || t >= 60 ? B ^ C ^ D
                                                  : (B & C) | (B & D) | (C & D);
      constexpr std::uint32_t K[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
      const std::uint32_t next = std::rotl(A, 5) + f + E + W[t] + K[t / 20];
      E = D;
      D = C;
      C = std::rotl(B, 30);
      B = A;
      A = next;
    }
    H = {H[0] + A, H[1] + B, H[2] + C, H[3] + D, H[4] + E};
  }
  std::array<std::uint8_t, 20> digest{};
  for (std::size_t i = 0; i < 20; ++i) digest[i] = static_cast<std::uint8_t>(H[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view part = bytes.substr(i, 3);
    const std::uint64_t n = number_in(part) << (8 * (3 - part.size()));
    for (std::size_t k = 0; k < 4; ++k)
      text.push_back(k <= part.size() ? kLetters[n >> (18 - 6 * k) & 63] : '=');
  }
  return text;
}

std::string accept_for(std::string_view key) {
  const auto digest = sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  return base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace tactus::device::websocket
