// The live page's server: one port, HTTP for files and a WebSocket for all that moves (docs/protocol.md).
//
//   Server server({.first = "models/four_bar.yaml", .models = "models", .page = "web/dist"});
//   fmt::print("{}\n", server.address());
//   server.run();                              // until stop(), or SIGINT and SIGTERM
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <tactus/describe/read/load.h>

namespace tactus::serve {

struct ServerOptions {
  std::string host = "127.0.0.1";  // to listen on
  std::uint16_t port = 0;          // 0: any that is free
  std::string token{};             // beyond the machine; "": one is made there
  std::string first{};             // model that is opened: a file, or a name of the gallery
  describe::Settings settings{};   // its parameters' values instead of the file's
  describe::Reading reading{};     // `floating` and `angles`: how its file is read
  std::string models{};            // folder of the gallery
  std::string page{};              // folder of the page's built files
  std::string version = "tactus";
  int priority = 20;                  // of the loop's thread (SCHED_FIFO); 0: none
  std::size_t most_connections = 64;  // at once, of all kinds
  std::size_t most_pages = 16;
  double patience = 10.0;  // [s] for a request to come, and for an answer to go
  std::function<void(std::string_view)> log = [](std::string_view) {};
};

/// A recording that the page saved (JSON), made again.
struct RecordingReport {
  std::string model;
  long ticks = 0;
  bool compared = false;  // with a state that was seen when it was recorded
  bool same = false;      // bit for bit
  double worst = 0.0;     // largest difference of a number
};
bool is_recording_file(const std::string& path);
/// Throws InputError where it is none, or where its model cannot be opened.
RecordingReport repeat_recording(const std::string& path);

class Server {
 public:
  /// Listens. Throws InputError where it cannot, or where the models are not there.
  explicit Server(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// To be opened in a browser; with the token, where there is one.
  std::string address() const;
  bool has_page() const;

  /// Until stop(). `signals`: SIGINT and SIGTERM stop it, too.
  void run(bool signals = true);
  /// From any thread.
  void stop();

  struct Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tactus::serve
