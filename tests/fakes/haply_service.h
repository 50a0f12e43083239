// A stand-in for Haply's Inverse Service: a thread with a listening socket, one client at a time, one answer per message. It has
// its own side of the WebSocket's frames, written apart from the driver's.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include <tactus/device/drivers/websocket_frame.h>
#include <tactus/math/vec3.h>

namespace tactus::device::test {

class HaplyService {
 public:
  enum class Style { object, list, nested_vector, nested_values };

  // What a test sets, under the mutex.
  struct Settings {
    math::Vec3<double> p{0.0, -0.12, 0.15}, v{};  // [m], [m/s] the service's axes
    Style style = Style::object;
    bool device = true;         // plugged in
    bool hangs_up = false;      // closes the connection
    bool silent = false;        // never answers
    int pause = 0;              // [ms] before every answer
    bool deaf = false;          // reads nothing after the handshake
    bool no_websocket = false;  // answers the handshake like any web server
    bool wrong_accept = false;
    int times = 1;           // that it says each state
    bool splits = false;     // frames in fragments, with a ping between them
    std::string says;        // instead of a state
    std::string first_says;  // instead of the inventory
  };

  HaplyService() {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 4) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("the fake service cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HaplyService() {
    stopping_ = true;
    thread_.join();
    close(listener_);
  }
  int port() const { return port_; }

  template <class Change>
  void set(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(settings_);
  }
  /// [N] as the last message had it, by whatever form it came in.
  math::Vec3<double> force() const {
    const std::lock_guard lock(mutex_);
    return force_;
  }
  /// The last command as it came.
  nlohmann::json command() const {
    const std::lock_guard lock(mutex_);
    return command_;
  }
  int pongs() const { return pongs_; }

 private:
  Settings settings() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }

  void serve() {
    while (!stopping_) {
      pollfd one{.fd = listener_, .events = POLLIN, .revents = 0};
      if (poll(&one, 1, 5) <= 0) continue;
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) continue;
      talk(client);
      close(client);
      const std::lock_guard lock(mutex_);
      force_ = {};  // a device without a client returns to idle
    }
  }

  void talk(int client) {
    std::string bytes;
    while (bytes.find("\r\n\r\n") == std::string::npos)
      if (!more(client, bytes)) return;
    if (settings().no_websocket) return put(client, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    const std::size_t at = bytes.find("Sec-WebSocket-Key: ") + 19;
    std::string accept = websocket::accept_for(bytes.substr(at, bytes.find("\r\n", at) - at));
    if (settings().wrong_accept) accept[0] = accept[0] == 'A' ? 'B' : 'A';
    put(client,
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nConnection: "
        "Upgrade\r\nSEC-WebSocket-Accept:  " +
            accept + "\r\n\r\n");
    bytes.erase(0, bytes.find("\r\n\r\n") + 4);
    say(client, settings().first_says.empty() ? state() : settings().first_says);
    while (settings().deaf && !stopping_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::string payload;
    for (int opcode; (opcode = frame(client, bytes, payload)) >= 0;) {
      if (opcode == 8) return;
      if (opcode == 10) ++pongs_;
      if (opcode != 1) continue;
      hear(payload);
      const Settings now = settings();
      if (now.hangs_up) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(now.pause));
      for (int k = 0; k < now.times && !now.silent; ++k) say(client, now.says.empty() ? state() : now.says);
    }
  }

  void hear(const std::string& payload) {
    const auto message = nlohmann::json::parse(payload, nullptr, false);
    const std::lock_guard lock(mutex_);
    command_ = message;
    if (message.is_discarded()) return;
    const auto force = message["inverse3"][0]["commands"]["set_cursor_force"];
    const auto three = force.contains("values") ? force["values"] : force["vector"];
    if (three.is_array())
      force_ = {three[0], three[1], three[2]};
    else
      force_ = {three["x"], three["y"], three["z"]};
  }

  std::string state() const {
    const Settings now = settings();
    const auto three = [&](const math::Vec3<double>& v) -> nlohmann::json {
      const nlohmann::json object{{"x", v.x}, {"y", v.y}, {"z", v.z}}, list{v.x, v.y, v.z};
      switch (now.style) {
        case Style::object:
          return object;
        case Style::list:
          return list;
        case Style::nested_vector:
          return {{"vector", object}};
        case Style::nested_values:
          return {{"values", list}};
      }
      return {};
    };
    nlohmann::json message{{"session_id", 1}, {"inverse3", nlohmann::json::array()}};
    if (now.device)
      message["inverse3"].push_back(
          {{"device_id", "04\"9D"},
           {"state", {{"cursor_position", three(now.p)}, {"cursor_velocity", three(now.v)}}}});
    return message.dump();
  }

  /// A server's frames: not masked.
  void say(int client, const std::string& text) {
    if (settings().splits && text.size() > 10) {
      std::string out("\x01", 1);
      out += static_cast<char>(5);
      out += text.substr(0, 5) + std::string("\x89\x02hi", 4);
      out += std::string("\x00\x05", 2) + text.substr(5, 5);
      put(client, out);
      put(client, header(0x80, text.size() - 10) + text.substr(10));
    } else {
      put(client, header(0x81, text.size()) + text);
    }
  }
  static std::string header(int first, std::size_t size) {
    std::string out(1, static_cast<char>(first));
    if (size < 126) return out + static_cast<char>(size);
    if (size > 0xffff) throw std::logic_error("the fake has short messages");
    out += static_cast<char>(126);
    return out + static_cast<char>(size >> 8) + static_cast<char>(size & 255);
  }
  /// The next frame's opcode, and its payload without the mask; -1 at the end.
  int frame(int client, std::string& bytes, std::string& payload) {
    const auto byte = [&](std::size_t i) {
      return static_cast<unsigned>(static_cast<unsigned char>(bytes[i]));
    };
    const auto need = [&](std::size_t size) {
      while (bytes.size() < size)
        if (!more(client, bytes)) return false;
      return true;
    };
    if (!need(2)) return -1;
    const int opcode = static_cast<int>(byte(0) & 15);
    std::size_t size = byte(1) & 127, at = 2;
    if ((byte(1) & 128) == 0) return -1;  // a client must mask
    if (size == 126) {
      if (!need(4)) return -1;
      size = byte(2) * 256 + byte(3);
      at = 4;
    }
    if (!need(at + 4 + size)) return -1;
    payload.clear();
    for (std::size_t i = 0; i < size; ++i) payload += static_cast<char>(byte(at + 4 + i) ^ byte(at + i % 4));
    bytes.erase(0, at + 4 + size);
    return opcode;
  }

  bool more(int client, std::string& bytes) {
    while (!stopping_) {
      pollfd one{.fd = client, .events = POLLIN, .revents = 0};
      if (poll(&one, 1, 5) <= 0) {
        if (settings().hangs_up) return false;
        continue;
      }
      char some[4096];
      const ssize_t got = recv(client, some, sizeof some, 0);
      if (got <= 0) return false;
      bytes.append(some, static_cast<std::size_t>(got));
      return true;
    }
    return false;
  }
  void put(int client, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent = send(client, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<std::size_t>(sent);
    }
  }

  int listener_ = -1, port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> pongs_ = 0;
  mutable std::mutex mutex_;
  Settings settings_;
  math::Vec3<double> force_{};
  nlohmann::json command_;
  std::thread thread_;
};

}  // namespace tactus::device::test
