// A plain client for the tests: HTTP and WebSocket frames over a socket, byte by byte, so that wrong ones can be sent, too.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace tactus::support {

class Socket {
 public:
  explicit Socket(std::uint16_t port, int receive_buffer = 0) : file_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) setsockopt(file_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open_ = connect(file_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept
      : file_(std::exchange(other.file_, -1)), open_(other.open_), buffer_(std::move(other.buffer_)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool is_open() const { return open_; }
  void close() {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }
  bool send(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(file_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }
  /// Until there are so many; false where the other end is gone, or the time is over.
  bool fill(std::size_t size, double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (buffer_.size() < size) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now())
              .count();
      pollfd wait{file_, POLLIN, 0};
      if (left <= 0 || poll(&wait, 1, static_cast<int>(left)) <= 0) return false;
      char part[65536];
      const ssize_t n = recv(file_, part, sizeof part, 0);
      if (n <= 0) {
        gone_ = true;
        return false;
      }
      buffer_.append(part, static_cast<std::size_t>(n));
    }
    return true;
  }
  std::string take(std::size_t size) {
    std::string bytes = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return bytes;
  }
  /// Up to and with a mark.
  std::optional<std::string> until(const std::string& mark, double seconds) {
    for (;;) {
      if (const std::size_t at = buffer_.find(mark); at != std::string::npos) return take(at + mark.size());
      if (!fill(buffer_.size() + 1, seconds)) return std::nullopt;
    }
  }
  /// The other end closed it.
  bool gone(double seconds) {
    while (!gone_ && fill(buffer_.size() + 1, seconds)) buffer_.clear();
    return gone_;
  }

 private:
  int file_;
  bool open_ = false, gone_ = false;
  std::string buffer_;
};

struct Answer {
  int status = 0;
  std::string head, body;
};

inline Answer read_answer(Socket& socket, bool body = true) {
  Answer answer;
  const auto head = socket.until("\r\n\r\n", 10.0);
  if (!head || head->size() < 12) return answer;
  answer.head = *head;
  answer.status = std::atoi(head->c_str() + 9);
  const std::size_t at = head->find("Content-Length: ");
  if (body && at != std::string::npos) {
    const auto length = static_cast<std::size_t>(std::atol(head->c_str() + at + 16));
    if (socket.fill(length, 10.0)) answer.body = socket.take(length);
  }
  return answer;
}

/// More: lines of the head, each with its end.
inline Answer get(std::uint16_t port, const std::string& target, const std::string& more = "",
                  const std::string& method = "GET", const std::string& host = "") {
  Socket socket(port);
  socket.send(method + " " + target + " HTTP/1.1\r\nHost: " +
              (host.empty() ? "127.0.0.1:" + std::to_string(port) : host) + "\r\n" + more + "\r\n");
  return read_answer(socket, method != "HEAD");
}

/// A page.
class Page {
 public:
  using Json = nlohmann::json;

  explicit Page(std::uint16_t port, const std::string& origin = "", int receive_buffer = 0,
                const std::string& protocol = "tactus.1")
      : socket_(port, receive_buffer) {
    const std::string host = "127.0.0.1:" + std::to_string(port);
    socket_.send("GET /ws HTTP/1.1\r\nHost: " + host +
                 "\r\nOrigin: " + (origin.empty() ? "http://" + host : origin) +
                 "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: " +
                 protocol + "\r\n\r\n");
    status_ = read_answer(socket_, false).status;
  }
  int status() const { return status_; }
  bool connected() const { return status_ == 101; }
  int closed_with() const { return closed_with_; }
  Socket& socket() { return socket_; }

  void hello(const std::string& name = "test") { say({{"type", "hello"}, {"version", 1}, {"name", name}}); }
  bool say(const Json& message) { return send(1, message.dump()); }
  bool send(int opcode, const std::string& data, bool masked = true) {
    std::string bytes(1, static_cast<char>(0x80 | opcode));
    const char mask_bit = masked ? static_cast<char>(0x80) : 0;
    if (data.size() < 126) {
      bytes += static_cast<char>(mask_bit | static_cast<char>(data.size()));
    } else if (data.size() < 65536) {
      bytes += static_cast<char>(mask_bit | 126);
      bytes += static_cast<char>(data.size() >> 8);
      bytes += static_cast<char>(data.size());
    } else {
      bytes += static_cast<char>(mask_bit | 127);
      for (int i = 7; i >= 0; --i)
        bytes += static_cast<char>(static_cast<std::uint64_t>(data.size()) >> (8 * i));
    }
    const char mask[4] = {17, 5, 42, 99};
    if (masked) bytes.append(mask, 4);
    for (std::size_t i = 0; i < data.size(); ++i)
      bytes += masked ? static_cast<char>(data[i] ^ mask[i & 3]) : data[i];
    return socket_.send(bytes);
  }

  /// The next message: a text, or a frame (then the JSON is null). False: there is none.
  bool read(double seconds = 10.0) {
    for (;;) {
      if (!socket_.fill(2, seconds)) return false;
      const std::string head = socket_.take(2);
      const int opcode = head[0] & 15;
      std::uint64_t size = static_cast<unsigned char>(head[1]) & 127U;
      if (size >= 126) {
        const std::size_t bytes = size == 126 ? 2 : 8;
        if (!socket_.fill(bytes, seconds)) return false;
        size = 0;
        for (const char c : socket_.take(bytes)) size = size << 8 | static_cast<unsigned char>(c);
      }
      if (!socket_.fill(size, seconds)) return false;
      const std::string data = socket_.take(size);
      if (opcode == 8) {
        closed_with_ = data.size() < 2
                           ? 1005
                           : static_cast<unsigned char>(data[0]) << 8 | static_cast<unsigned char>(data[1]);
        return false;
      }
      if (opcode == 9) {
        send(10, data);
        continue;
      }
      text_ = opcode == 1 ? Json::parse(data) : Json();
      if (opcode == 2) frame_ = data;
      return true;
    }
  }
  const Json& text() const { return text_; }
  const std::string& frame() const { return frame_; }
  template <class T>
  T in_frame(std::size_t offset) const {
    T value{};
    if (offset + sizeof value <= frame_.size()) std::memcpy(&value, frame_.data() + offset, sizeof value);
    return value;
  }

  /// The next message of a type; null where none comes.
  Json wait_for(const std::string& type, double seconds = 20.0) {
    return wait_until([&](const Json& text) { return text.value("type", "") == type; }, seconds);
  }
  template <class Wanted>
  Json wait_until(const Wanted& wanted, double seconds = 20.0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end && read(seconds))
      if (text_.is_object() && wanted(text_)) return text_;
    return {};
  }
  /// The answer to a request: `ok`, `error` or another message with its number.
  Json ask(Json message, double seconds = 30.0) {
    const int number = ++request_;
    message["request"] = number;
    say(message);
    return wait_until([&](const Json& text) { return text.value("request", 0) == number; }, seconds);
  }
  /// Reads for a while; how many frames came.
  int look(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int frames = 0;
    for (;;) {
      const double left = std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
      if (left <= 0.0 || !read(left)) return frames;
      frames += text_.is_null() ? 1 : 0;
      if (text_.is_object() && text_.value("type", "") == "status") status_text_ = text_;
    }
  }
  /// The newest status that look() has seen.
  const Json& state() const { return status_text_; }

 private:
  Socket socket_;
  int status_ = 0, closed_with_ = 0, request_ = 0;
  Json text_, status_text_;
  std::string frame_;
};

}  // namespace tactus::support
