// Frames of WebSockets [RFC 6455], without sockets: what a client sends, and what it makes of a server's bytes.
//
//   byte 0: FIN, three reserved bits, opcode      byte 1: MASK, length (0..125, or 126: 2 bytes follow, or 127: 8 bytes follow)
//   a client masks its payload with four bytes that stand before it; a server must not
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus::device::websocket {

enum class Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/// Larger messages are refused [bytes]: a service's are of some kilobytes.
inline constexpr std::size_t kLargestMessage = 1u << 20;

/// Appends one whole frame of a client.
void append_frame(std::string& out, Opcode opcode, std::string_view payload,
                  const std::array<std::uint8_t, 4>& mask);

/// Puts together what a server sends, in pieces of any size.
class Reader {
 public:
  enum class Result : std::uint8_t {
    nothing,  // more bytes are needed
    message,  // text or binary, whole
    ping,     // to be answered by a pong with the same payload
    close,
    broken,  // not what the protocol allows; there is no going on
  };
  void push(std::string_view bytes) { bytes_.append(bytes); }
  /// The next thing, with its payload.
  Result next(std::string& payload);

 private:
  std::string bytes_, message_;
  bool begun_ = false;  // a message of several frames
};

/// What the server must answer to a handshake's key: base64 of SHA-1 of the key and a fixed text.
std::string accept_for(std::string_view key);

std::array<std::uint8_t, 20> sha1(std::string_view text);
std::string base64(std::string_view bytes);

}  // namespace tactus::device::websocket
