#include <tactus/serve/net/guard.h>

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include <tactus/base/check.h>

namespace tactus::serve {

namespace {

constexpr std::string_view kCookie = "tactus_token=", kQuery = "token=";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The value after `name` in a list of parts; "" where there is none.
std::string_view value_in(std::string_view list, char between, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(between), list.size());
    std::string_view part = list.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    if (part.starts_with(name)) return part.substr(name.size());
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return {};
}

std::string_view query_of(std::string_view target) {
  const std::size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
}

bool is_address(std::string_view host) {
  if (host.starts_with('[')) return host.ends_with(']');
  return !host.empty() &&
         std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

Guard::Guard(std::string host, std::uint16_t port, std::string token)
    : port_(port), token_(std::move(token)) {
  const auto know = [&](std::string_view name) { hosts_.push_back(fmt::format("{}:{}", lower(name), port)); };
  for (const std::string_view own : {"127.0.0.1", "localhost", "[::1]"}) know(own);
  if (host.find(':') != std::string::npos && !host.starts_with('[')) host = "[" + host + "]";
  know(host);
}

/// By name only those that we know, so that no name of a stranger leads here; beyond the machine any address, with the token.
bool Guard::knows_host(std::string_view host) const {
  const std::string small = lower(host);
  if (std::find(hosts_.begin(), hosts_.end(), small) != hosts_.end()) return true;
  if (token_.empty()) return false;
  const std::string ending = fmt::format(":{}", port_);
  return small.ends_with(ending) &&
         is_address(std::string_view(small).substr(0, small.size() - ending.size()));
}

bool Guard::has_token(const RequestHead& head) const {
  return same_secret(value_in(head.cookie, ';', kCookie), token_) || came_with_token(head.target);
}

bool Guard::came_with_token(std::string_view target) const {
  return !token_.empty() && same_secret(value_in(query_of(target), '&', kQuery), token_);
}

std::string Guard::cookie() const {
  return fmt::format("{}{}; Path=/; HttpOnly; SameSite=Strict", kCookie, token_);
}

std::optional<Denial> Guard::refuse(const RequestHead& head) const {
  if (!knows_host(head.host)) return Denial{421, "the request is meant for another host"};
  if (!head.origin.empty() && lower(head.origin) != "http://" + lower(head.host))
    return Denial{403, "the request comes from another origin"};
  if (head.site == "cross-site" || head.site == "same-site")
    return Denial{403, "the request comes from another site"};
  if (head.method != "GET" && head.method != "HEAD") return Denial{405, "only GET and HEAD are answered"};
  if (head.has_body) return Denial{413, "a request has no body here"};
  if (!token_.empty() && !has_token(head)) return Denial{403, "the token is missing or wrong"};
  if (!path_of(head.target)) return Denial{400, "there is no such path"};
  if (head.upgrade) {
    if (*path_of(head.target) != "/ws") return Denial{404, "the WebSocket is at /ws"};
    // A browser always says where it comes from; whoever does not is no browser, and needs no page's rights.
    if (head.origin.empty()) return Denial{403, "a WebSocket needs an Origin"};
    bool spoken = false;
    for (std::string_view list = head.protocols; !list.empty();) {
      const std::size_t end = std::min(list.find(','), list.size());
      std::string_view part = list.substr(0, end);
      while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
      while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
      spoken |= part == kSubprotocol;
      list.remove_prefix(std::min(end + 1, list.size()));
    }
    if (!spoken) return Denial{400, "the subprotocol is tactus.1"};
  }
  return std::nullopt;
}

std::optional<std::string> path_of(std::string_view target) {
  target = target.substr(0, target.find('?'));
  if (target.empty() || target.front() != '/' || target.size() > 1000) return std::nullopt;
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < target.size(); ++i) {
    char c = target[i];
    if (c == '%') {
      if (i + 2 >= target.size() || digit(target[i + 1]) < 0 || digit(target[i + 2]) < 0) return std::nullopt;
      c = static_cast<char>(16 * digit(target[i + 1]) + digit(target[i + 2]));
      i += 2;
    }
    const bool known = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '_' || c == '-';
    if (!known) return std::nullopt;
    if (!path.empty() && path.back() == '/' && (c == '/' || c == '.')) return std::nullopt;
    path += c;
  }
  return path;
}

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = getrandom(bytes.data() + have, bytes.size() - have, 0);
    TACTUS_CHECK(got > 0);
    have += static_cast<std::size_t>(got);
  }
  std::string token;
  for (const unsigned char byte : bytes) fmt::format_to(std::back_inserter(token), "{:02x}", byte);
  return token;
}

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

}  // namespace tactus::serve
