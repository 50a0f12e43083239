// HTTP and WebSockets by Boost.Beast, in one thread: the hub's.
#include <tactus/serve/server.h>

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/serve/net/files.h>
#include <tactus/serve/net/guard.h>
#include <tactus/serve/net/log.h>
#include <tactus/serve/page/hub.h>

namespace tactus::serve {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = net::ip::tcp;
using Code = beast::error_code;
using namespace std::chrono_literals;

constexpr std::uint32_t kMostHeader = 8192;  // [bytes]
constexpr auto kIdlePage = 60s;              // a page that answers no ping
constexpr auto kDisplay = std::chrono::nanoseconds(1'000'000'000 / 120);
constexpr int kSendBuffer = 128 * 1024;  // [bytes] that the system may keep of what a page does not read
constexpr std::size_t kMostWaiting = 4u << 20;  // [bytes] of text for one page
constexpr std::size_t kMostTexts = 1000;

/// Nothing from elsewhere, nothing inline.
constexpr const char* kPolicyText =
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

/// A folder that goes when the server goes.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tactus-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw InputError({pattern}, "no folder for recordings could be made",
                       "set TMPDIR to one that can be written");
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Server::Implementation {
  explicit Implementation(ServerOptions given);
  void accept();
  void display();
  void end();
  std::chrono::milliseconds patience() const {
    return std::chrono::milliseconds(static_cast<long>(1e3 * options.patience));
  }
  void log_refusal(const std::string& peer, unsigned status, std::string_view reason,
                   std::string_view target) {
    log(fmt::format("refused {} ({}): {} {}", peer, status, reason, target.substr(0, 100)));
  }

  ServerOptions options;
  std::string shown_host;  // by which others find it
  Scratch scratch;
  CalmLog log;
  net::io_context context{1};
  Tcp::acceptor acceptor{context};
  net::steady_timer clock{context}, again{context};
  std::optional<Guard> guard;
  PageFiles files;
  std::size_t connections = 0, pages = 0;
  bool ending = false;
  std::optional<Hub> hub;
};

namespace {

using Shared = Server::Implementation;

/// Counts a connection while it lives.
class Counted {
 public:
  explicit Counted(std::size_t& count) : count_(&count) { ++count; }
  ~Counted() { --*count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::size_t* count_;
};

/// A page's WebSocket. One frame at most is on its way; texts wait in a queue that has an end.
class Page final : public Link, public std::enable_shared_from_this<Page> {
 public:
  Page(Shared& server, beast::tcp_stream stream, std::string peer)
      : server_(server),
        socket_(std::move(stream)),
        peer_(std::move(peer)),
        counted_(server.connections),
        counted_page_(server.pages) {}

  void accept(const http::request<http::empty_body>& request) {
    Code ignored;
    auto& lowest = beast::get_lowest_layer(socket_);
    lowest.expires_never();
    lowest.socket().set_option(Tcp::no_delay(true), ignored);
    lowest.socket().set_option(net::socket_base::send_buffer_size(kSendBuffer), ignored);
    socket_.set_option(websocket::stream_base::timeout{server_.patience(), kIdlePage, true});
    socket_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(http::field::sec_websocket_protocol, std::string(kSubprotocol));
      response.set(http::field::server, "tactus");
    }));
    socket_.read_message_max(kLargestMessage);
    socket_.auto_fragment(false);
    socket_.async_accept(request, [self = shared_from_this()](Code error) { self->accepted(error); });
  }

  bool send(std::shared_ptr<const std::string> text) override {
    if (closing_) return false;
    waiting_ += text->size();
    texts_.push_back(std::move(text));
    if (waiting_ > kMostWaiting || texts_.size() > kMostTexts) {
      server_.log(fmt::format("page at {} does not read what it is told: closed", peer_));
      abort();
      return false;
    }
    write();
    return true;
  }

  bool behind() const override { return !texts_.empty(); }

  bool send_frame(const std::function<std::string()>& make) override {
    if (closing_ || writing_ || !texts_.empty()) return false;
    frame_ = make();
    has_frame_ = true;
    write();
    return true;
  }

  void close(std::uint16_t code, std::string_view reason) override {
    if (closing_) return;
    closing_ = true;
    reason_.code = code;
    reason_.reason = beast::string_view(reason.data(), std::min<std::size_t>(reason.size(), 100));
    if (!writing_) say_good_bye();
  }

 private:
  void accepted(Code error) {
    if (error) return;
    id_ = server_.hub->connect(shared_from_this());
    read();
  }

  void read() {
    socket_.async_read(buffer_,
                       [self = shared_from_this()](Code error, std::size_t) { self->have_read(error); });
  }

  void have_read(Code error) {
    if (error) {
      // Of the protocol, and not the network: somebody speaks it wrongly.
      const bool wrong = error.category() == websocket::make_error_code(websocket::error::closed).category();
      if (error == websocket::error::message_too_big)
        server_.log(fmt::format("page at {} sent a message that is too large: closed", peer_));
      else if (wrong && error != websocket::error::closed)
        server_.log(fmt::format("page at {}: {}: closed", peer_, error.message()));
      return gone();
    }
    if (!socket_.got_text()) {
      server_.log(fmt::format("page at {} sent binary: closed", peer_));
      close(1003, "text only");
    } else if (!closing_ && id_ != 0) {
      const auto data = buffer_.cdata();
      server_.hub->receive(id_, {static_cast<const char*>(data.data()), data.size()});
    }
    buffer_.consume(buffer_.size());
    read();
  }

  void write() {
    if (writing_ || closing_) return;
    if (!texts_.empty()) {
      sending_ = std::move(texts_.front());
      texts_.pop_front();
      waiting_ -= sending_->size();
      socket_.text(true);
      writing_ = true;
      socket_.async_write(net::buffer(*sending_),
                          [self = shared_from_this()](Code error, std::size_t) { self->written(error); });
    } else if (has_frame_) {
      has_frame_ = false;
      socket_.binary(true);
      writing_ = true;
      socket_.async_write(net::buffer(frame_),
                          [self = shared_from_this()](Code error, std::size_t) { self->written(error); });
    }
  }

  void written(Code error) {
    writing_ = false;
    if (error) return gone();
    if (closing_) return say_good_bye();
    write();
  }

  void say_good_bye() {
    if (said_) return;
    said_ = true;
    socket_.async_close(reason_, [self = shared_from_this()](Code) { self->gone(); });
  }

  void abort() {
    closing_ = said_ = true;
    Code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

  void gone() {
    closing_ = true;
    if (id_ == 0) return;
    const Hub::Id id = std::exchange(id_, 0);
    // Not within a call of the hub's.
    net::post(server_.context, [self = shared_from_this(), id] { self->server_.hub->disconnect(id); });
  }

  Shared& server_;
  websocket::stream<beast::tcp_stream> socket_;
  std::string peer_;
  Counted counted_, counted_page_;
  beast::flat_buffer buffer_{kLargestMessage};
  Hub::Id id_ = 0;
  std::deque<std::shared_ptr<const std::string>> texts_;
  std::size_t waiting_ = 0;
  std::shared_ptr<const std::string> sending_;
  std::string frame_;
  bool has_frame_ = false, writing_ = false, closing_ = false, said_ = false;
  websocket::close_reason reason_;
};

/// A connection that asks for files, one after the other.
class Visitor : public std::enable_shared_from_this<Visitor> {
 public:
  Visitor(Shared& server, Tcp::socket socket)
      : server_(server), stream_(std::move(socket)), counted_(server.connections) {
    Code error;
    const auto end = stream_.socket().remote_endpoint(error);
    peer_ = error ? "somebody" : end.address().to_string();
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    stream_.expires_after(server_.patience());
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](Code error, std::size_t) { self->have_read(error); });
  }

 private:
  using Request = http::request<http::empty_body>;

  void have_read(Code error) {
    if (error == http::error::end_of_stream || error == beast::error::timeout) return finish();
    if (error == http::error::header_limit) return refuse({431, "the head of the request is too large"}, {});
    if (error) {
      if (error.category() == make_error_code(http::error::bad_target).category())
        return refuse({400, "this is no HTTP"}, {});
      return;
    }
    const Request& request = parser_->get();
    RequestHead head;
    head.method = view(request.method_string());
    head.target = view(request.target());
    head.host = view(request[http::field::host]);
    head.origin = view(request[http::field::origin]);
    head.site = view(request["Sec-Fetch-Site"]);
    head.cookie = view(request[http::field::cookie]);
    head.protocols = view(request[http::field::sec_websocket_protocol]);
    head.upgrade = websocket::is_upgrade(request);
    head.has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0;
    if (const auto denial = server_.guard->refuse(head)) return refuse(*denial, head.target);
    if (head.upgrade) {
      if (server_.pages >= server_.options.most_pages) return refuse({503, "too many pages"}, head.target);
      std::make_shared<Page>(server_, std::move(stream_), peer_)->accept(request);
      return;
    }
    answer(request, *path_of(head.target));
  }

  template <class Body>
  void dress(http::response<Body>& response, const Request& request) {
    response.version(11);
    response.set(http::field::server, "tactus");
    response.set("Content-Security-Policy", kPolicyText);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
    response.set("X-Frame-Options", "DENY");
    if (server_.guard->came_with_token(view(request.target())))
      response.set(http::field::set_cookie, server_.guard->cookie());
    response.keep_alive(request.keep_alive());
  }

  void answer(const Request& request, const std::string& path) {
    const std::string_view encodings = view(request[http::field::accept_encoding]);
    if (const auto file = server_.files.find(path, encodings.find("gzip") != std::string_view::npos))
      return send_file(request, file->path, file->type, file->packed,
                       file->forever ? "public, max-age=31536000, immutable" : "no-cache", "");
    if (const auto content = server_.hub->content(path)) {
      if (content->file.empty()) return send_text(request, content->status, content->type, content->text);
      return send_file(request, content->file, content->type, false, "no-store", content->name);
    }
    if (path == "/" && !server_.files.exist())
      return send_text(request, 404, "text/plain; charset=utf-8",
                       "The page is not built: run ./run, or `npm install && npm run build` in web/.\n");
    send_text(request, 404, "text/plain; charset=utf-8", "There is nothing here.\n");
  }

  void send_text(const Request& request, int status, const std::string& type, std::string text) {
    auto response = std::make_shared<http::response<http::string_body>>();
    dress(*response, request);
    response->result(static_cast<unsigned>(status));
    response->set(http::field::content_type, type);
    response->set(http::field::cache_control, "no-store");
    if (status == 503) response->set(http::field::retry_after, "1");
    response->body() = std::move(text);
    response->prepare_payload();
    send(request, std::move(response));
  }

  void send_file(const Request& request, const std::string& path, const std::string& type, bool packed,
                 const char* caching, const std::string& name) {
    auto response = std::make_shared<http::response<http::file_body>>();
    Code error;
    response->body().open(path.c_str(), beast::file_mode::scan, error);
    if (error) return send_text(request, 404, "text/plain; charset=utf-8", "There is nothing here.\n");
    dress(*response, request);
    response->set(http::field::content_type, type);
    response->set(http::field::cache_control, caching);
    response->set(http::field::vary, "Accept-Encoding");
    if (packed) response->set(http::field::content_encoding, "gzip");
    if (!name.empty())
      response->set(http::field::content_disposition, fmt::format("attachment; filename=\"{}\"", name));
    response->prepare_payload();
    send(request, std::move(response));
  }

  template <class Body>
  void send(const Request& request, std::shared_ptr<http::response<Body>> response) {
    stream_.expires_after(server_.patience());
    const bool again = response->keep_alive();
    const auto then = [self = shared_from_this(), response, again](Code error, std::size_t) {
      if (error) return;
      again ? self->read() : self->finish();
    };
    if (request.method() == http::verb::head) {
      // The head alone, with the length that the body would have.
      auto bare = std::make_shared<http::response<http::empty_body>>(
          static_cast<const http::header<false, http::fields>&>(*response));
      bare->content_length(response->payload_size());
      auto serializer = std::make_shared<http::response_serializer<http::empty_body>>(*bare);
      http::async_write_header(stream_, *serializer,
                               [then, bare, serializer](Code error, std::size_t size) { then(error, size); });
      return;
    }
    http::async_write(stream_, *response, then);
  }

  void refuse(const Denial& denial, std::string_view target) {
    server_.log_refusal(peer_, denial.status, denial.reason, target);
    auto response = std::make_shared<http::response<http::string_body>>();
    dress(*response, {});
    response->result(denial.status);
    response->set(http::field::content_type, "text/plain; charset=utf-8");
    response->body() = denial.reason + "\n";
    response->keep_alive(false);
    response->prepare_payload();
    stream_.expires_after(server_.patience());
    http::async_write(stream_, *response,
                      [self = shared_from_this(), response](Code, std::size_t) { self->finish(); });
  }

  void finish() {
    Code ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  }

  Shared& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMostHeader + 1024};
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::string peer_;
  Counted counted_;
};

}  // namespace

Server::Implementation::Implementation(ServerOptions given)
    : options(std::move(given)), log(options.log), files(options.page) {
  Code error;
  const auto address = net::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
  if (error)
    throw InputError({}, fmt::format("`{}` is no address to listen on", options.host),
                     "give one such as 127.0.0.1 or 0.0.0.0");
  const Tcp::endpoint end(address, options.port);
  acceptor.open(end.protocol(), error);
  if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(end, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  if (error)
    throw InputError(
        {}, fmt::format("{}:{} cannot be listened on: {}", options.host, options.port, error.message()),
        "give another --port, or 0 for any that is free");
  options.port = acceptor.local_endpoint().port();
  if (options.token.empty() && !is_loopback(options.host)) options.token = new_token();
  shown_host = options.host;
  if (address.is_unspecified()) {
    char name[256] = "localhost";
    gethostname(name, sizeof name - 1);
    shown_host = name;
  }
  guard.emplace(shown_host, options.port, options.token);
  HubOptions of_hub;
  of_hub.models = options.models;
  of_hub.first = options.first;
  of_hub.settings = options.settings;
  of_hub.reading = options.reading;
  of_hub.scratch = scratch.path();
  of_hub.version = options.version;
  of_hub.log = [this](std::string_view line) { log(line); };
  hub.emplace(
      std::move(of_hub), [this](std::function<void()> what) { net::post(context, std::move(what)); },
      BenchOptions{options.priority});
}

void Server::Implementation::accept() {
  acceptor.async_accept([this](Code error, Tcp::socket socket) {
    if (ending) return;
    if (error) {  // no file left, perhaps: a moment later there may be one
      again.expires_after(50ms);
      again.async_wait([this](Code) {
        if (!ending) accept();
      });
      return;
    }
    if (connections >= options.most_connections)
      log(fmt::format("refused a connection: {} are open", connections));  // and it is closed where it ends
    else
      std::make_shared<Visitor>(*this, std::move(socket))->read();
    accept();
  });
}

void Server::Implementation::display() {
  clock.expires_at(std::max(clock.expiry() + kDisplay, std::chrono::steady_clock::now()));
  clock.async_wait([this](Code error) {
    if (error || ending) return;
    hub->show();
    display();
  });
}

void Server::Implementation::end() {
  if (std::exchange(ending, true)) return;
  Code ignored;
  acceptor.close(ignored);
  clock.cancel();
  again.cancel();
  hub->end();
  // Good-byes need a moment; whoever does not answer is left behind.
  again.expires_after(300ms);
  again.async_wait([this](Code) { context.stop(); });
}

Server::Server(ServerOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
Server::~Server() = default;

std::uint16_t Server::port() const { return implementation_->options.port; }
bool Server::has_page() const { return implementation_->files.exist(); }

std::string Server::address() const {
  const ServerOptions& options = implementation_->options;
  std::string host = implementation_->shown_host;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}/{}", host, options.port,
                     options.token.empty() ? "" : "?token=" + options.token);
}

void Server::run(bool signals) {
  Implementation& server = *implementation_;
  std::optional<net::signal_set> stop;
  if (signals) {
    stop.emplace(server.context, SIGINT, SIGTERM);
    stop->async_wait([&](Code error, int) {
      if (!error) server.end();
    });
  }
  server.clock.expires_at(std::chrono::steady_clock::now());
  server.accept();
  server.display();
  server.context.run();
}

void Server::stop() {
  net::post(implementation_->context, [this] { implementation_->end(); });
}

}  // namespace tactus::serve
