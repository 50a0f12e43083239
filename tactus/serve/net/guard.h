// Which requests are answered at all: checks of what a browser, or somebody else, sent before anything is done with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::serve {

/// What of a request's head counts.
struct RequestHead {
  std::string_view method, target, host, origin, site, cookie;  // site: Sec-Fetch-Site
  bool upgrade = false;                                         // to a WebSocket
  std::string_view protocols;                                   // Sec-WebSocket-Protocol
  bool has_body = false;
};

struct Denial {
  unsigned status = 400;
  std::string reason;  // for the log and the answer
};

class Guard {
 public:
  /// `host` is what the server listens on. With a token every request needs it.
  Guard(std::string host, std::uint16_t port, std::string token);

  /// Nothing: it may be answered.
  std::optional<Denial> refuse(const RequestHead& head) const;
  /// The request had the token in its address: the answer sets the cookie that stands for it.
  bool came_with_token(std::string_view target) const;
  std::string cookie() const;
  bool has_token() const { return !token_.empty(); }

 private:
  bool knows_host(std::string_view host) const;
  bool has_token(const RequestHead& head) const;

  std::vector<std::string> hosts_;  // "127.0.0.1:8710"
  std::uint16_t port_;
  std::string token_;
};

inline constexpr std::string_view kSubprotocol = "tactus.1";

/// Whether an address is this machine's own.
bool is_loopback(std::string_view host);

/// The path of a target: without the query, percent signs decoded. Nothing where it is not one that we have: empty parts, parts that
/// begin with a dot, other characters than letters, digits and "._-".
std::optional<std::string> path_of(std::string_view target);

/// 128 random bits, as letters.
std::string new_token();

/// Compares in a time that does not tell where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace tactus::serve
