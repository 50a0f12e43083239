#include <tactus/device/drivers/websocket.h>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/drivers/pace.h>

namespace tactus::device::websocket {

namespace {

/// A point in time by which all must be done.
class Deadline {
 public:
  explicit Deadline(double seconds) noexcept : end_(Pace::now() + std::llround(1e9 * seconds)) {}
  /// [ms] for poll(), rounded up; 0 when it has passed.
  int left() const noexcept {
    const std::int64_t nanoseconds = end_ - Pace::now();
    return nanoseconds <= 0
               ? 0
               : static_cast<int>(std::min<std::int64_t>((nanoseconds + 999'999) / 1'000'000, 1 << 30));
  }

 private:
  std::int64_t end_;
};

/// Until the socket can be read or written; false where it cannot within the time.
bool ready(int socket, short events, const Deadline& deadline) noexcept {
  for (;;) {
    pollfd one{.fd = socket, .events = events, .revents = 0};
    const int result = poll(&one, 1, deadline.left());
    if (result > 0) return true;
    if (result == 0 || errno != EINTR) return false;
  }
}

/// A socket that never blocks, connected; -1 with the reason.
int connect_to(const std::string& host, const std::string& port, double timeout, std::string& why) {
  const Deadline deadline(timeout);
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    why = gai_strerror(error);
    return -1;
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, &freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int one = socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol);
    if (one < 0) continue;
    int error = connect(one, at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      if (!ready(one, POLLOUT, deadline))
        error = ETIMEDOUT;
      else
        getsockopt(one, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) {
      const int yes = 1;
      setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);  // a force does not wait for company
      return one;
    }
    why = std::strerror(error);
    close(one);
  }
  return -1;
}

constexpr const char* kRemedy = "is the service running, and is this its port?";

}  // namespace

bool listens(const std::string& host, const std::string& port, double timeout) {
  std::string why;
  const int socket = connect_to(host, port, timeout, why);
  if (socket >= 0) close(socket);
  return socket >= 0;
}

Client::Client(const std::string& host, const std::string& port, double timeout) {
  std::random_device seed;
  random_ = static_cast<std::uint64_t>(seed()) << 32 | seed();
  std::string why;
  socket_ = connect_to(host, port, timeout, why);
  const Place place{fmt::format("ws://{}:{}", host, port)};
  if (socket_ < 0) throw InputError(place, fmt::format("there is no connection: {}", why), kRemedy);
  try {
    shake_hands(host, port, timeout);
  } catch (...) {
    close(socket_);
    throw;
  }
}

Client::~Client() {
  constexpr double kFarewell = 0.05;  // [s]
  send(Opcode::close, {}, kFarewell);
  close(socket_);
}

void Client::shake_hands(const std::string& host, const std::string& port, double timeout) {
  const Place place{fmt::format("ws://{}:{}", host, port)};
  const Deadline deadline(timeout);
  std::string bytes(16, '\0');
  std::random_device random;
  for (char& c : bytes) c = static_cast<char>(random() & 0xff);
  const std::string key = base64(bytes);
  if (!send_bytes(fmt::format("GET / HTTP/1.1\r\nHost: {}:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n\r\n",
                              host, port, key),
                  timeout))
    throw InputError(place, "the connection was closed while shaking hands", kRemedy);

  constexpr std::size_t kLongestAnswer = 16384;  // [bytes] of headers
  std::string answer;
  std::size_t end = std::string::npos;
  while ((end = answer.find("\r\n\r\n")) == std::string::npos) {
    char some[1024];
    if (!ready(socket_, POLLIN, deadline)) throw InputError(place, "the service does not answer", kRemedy);
    const ssize_t got = recv(socket_, some, sizeof some, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0 || answer.size() > kLongestAnswer)
      throw InputError(place, "what answers there is no WebSocket", kRemedy);
    answer.append(some, static_cast<std::size_t>(got));
  }
  reader_.push(std::string_view(answer).substr(end + 4));  // frames may follow at once
  answer.resize(end + 2);

  // Names of headers in small letters; values as they are.
  const auto header = [&](std::string_view name) -> std::string {
    for (std::size_t at = answer.find("\r\n") + 2; at < answer.size();) {
      const std::size_t stop = answer.find("\r\n", at), colon = std::min(answer.find(':', at), stop);
      std::string own = answer.substr(at, colon - at);
      std::transform(own.begin(), own.end(), own.begin(), [](unsigned char c) { return std::tolower(c); });
      if (own == name && colon < stop) {
        const std::size_t from = answer.find_first_not_of(" \t", colon + 1);
        return from < stop ? answer.substr(from, answer.find_last_not_of(" \t", stop - 1) + 1 - from) : "";
      }
      at = stop + 2;
    }
    return {};
  };
  if (answer.rfind("HTTP/1.1 101", 0) != 0 || header("sec-websocket-accept") != accept_for(key))
    throw InputError(
        place, fmt::format("what answers there is no WebSocket: `{}`", answer.substr(0, answer.find("\r\n"))),
        kRemedy);
}

bool Client::send_bytes(std::string_view bytes, double timeout) noexcept {
  const Deadline deadline(timeout);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (sent < 0 && errno == EAGAIN) {
      if (!ready(socket_, POLLOUT, deadline)) return false;
    } else if (!(sent < 0 && errno == EINTR)) {
      return false;
    }
  }
  return true;
}

bool Client::send(Opcode opcode, std::string_view payload, double timeout) noexcept {
  random_ =
      random_ * 6364136223846793005u + 1442695040888963407u;  // a mask need only be hard to guess for a proxy
  std::array<std::uint8_t, 4> mask;
  for (std::size_t i = 0; i < 4; ++i) mask[i] = static_cast<std::uint8_t>(random_ >> (32 + 8 * i));
  out_.clear();
  append_frame(out_, opcode, payload, mask);
  return send_bytes(out_, timeout);
}

Client::Received Client::receive(std::string& message, double timeout) noexcept {
  const Deadline deadline(timeout);
  for (;;) {
    switch (reader_.next(message)) {
      case Reader::Result::message:
        return Received::message;
      case Reader::Result::ping:
        if (!send(Opcode::pong, message, timeout)) return Received::gone;
        continue;
      case Reader::Result::close:
        return Received::gone;
      case Reader::Result::broken:
        return Received::broken;
      case Reader::Result::nothing:
        break;
    }
    if (!ready(socket_, POLLIN, deadline)) return Received::nothing;
    char some[4096];
    const ssize_t got = recv(socket_, some, sizeof some, 0);
    if (got > 0)
      reader_.push({some, static_cast<std::size_t>(got)});
    else if (!(got < 0 && (errno == EAGAIN || errno == EINTR)))
      return Received::gone;
  }
}

}  // namespace tactus::device::websocket
