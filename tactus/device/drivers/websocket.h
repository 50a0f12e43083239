// A client of WebSockets [RFC 6455] over TCP: as much of it as a service on the same machine needs. No call lasts longer than
// it is given.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <tactus/device/drivers/websocket_frame.h>

namespace tactus::device::websocket {

/// True where something listens at that port, within the time [s].
bool listens(const std::string& host, const std::string& port, double timeout);

class Client {
 public:
  /// Connects and shakes hands within the time [s]. Throws InputError: refused, silent, or no WebSocket.
  Client(const std::string& host, const std::string& port, double timeout);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// False: the connection is gone.
  bool send(std::string_view text, double timeout) noexcept { return send(Opcode::text, text, timeout); }

  enum class Received : std::uint8_t { message, nothing, gone, broken };
  /// The next message, or nothing within the time [s]; gone: closed; broken: what came is no WebSocket's. Answers pings on the way.
  Received receive(std::string& message, double timeout) noexcept;

 private:
  bool send(Opcode opcode, std::string_view payload, double timeout) noexcept;
  bool send_bytes(std::string_view bytes, double timeout) noexcept;
  void shake_hands(const std::string& host, const std::string& port, double timeout);

  int socket_ = -1;
  std::uint64_t random_ = 0;  // masks
  Reader reader_;
  std::string out_;  // kept, so that its room is
};

}  // namespace tactus::device::websocket
