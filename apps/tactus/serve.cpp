// tactus serve [MODEL]: the live page. See it, grab it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/serve/server.h>

#include "options.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

namespace fs = std::filesystem;

constexpr int kUsualPort = 8710;

struct Request {
  ModelChoice model;
  std::string host = "127.0.0.1", token, models, page;
  int port = -1;
  int priority = 20;
  bool open = false, json = false;
};

/// A folder beside the program: of the repository it was built in, or of where it is installed.
std::string folder_of(const char* built, const char* installed) {
  std::error_code error;
  const fs::path program = fs::canonical("/proc/self/exe", error).parent_path();
  for (const fs::path& folder :
       {program / ".." / ".." / built, program / ".." / "share" / "tactus" / installed})
    if (fs::is_directory(folder, error)) return fs::canonical(folder, error).string();
  return "";
}

/// In the browser of the desktop, where there is one.
void open_in_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  // The address is ours: letters, digits and ":/.?=" alone.
  const std::string command = "xdg-open '" + address + "' >/dev/null 2>&1 &";
  if (std::system(command.c_str()) != 0) std::fputs("no browser could be opened\n", stderr);
}

void run(const Request& request) {
  serve::ServerOptions options;
  options.host = request.host;
  options.token = request.token;
  options.first = request.model.path;
  options.settings = request.model.pairs();
  options.reading = request.model.reading();
  options.models = request.models.empty() ? folder_of("models", "models") : request.models;
  options.page = request.page.empty() ? folder_of("web/dist", "web") : request.page;
  options.version = "tactus " TACTUS_VERSION;
  options.priority = request.priority;
  options.log = [](std::string_view line) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  };
  std::unique_ptr<serve::Server> server;
  if (request.port >= 0) {
    options.port = static_cast<std::uint16_t>(request.port);
    server = std::make_unique<serve::Server>(options);
  } else {
    try {
      options.port = kUsualPort;
      server = std::make_unique<serve::Server>(options);
    } catch (
        const InputError&) {  // perhaps it is taken: any that is free; what else is wrong is said again then
      options.port = 0;
      server = std::make_unique<serve::Server>(options);
    }
  }
  const std::string address = server->address();
  if (request.json)
    fmt::print("{{\"address\": \"{}\", \"port\": {}}}\n", address, server->port());
  else
    fmt::print("Tactus is at {}\n", address);
  if (!server->has_page())
    std::fputs("note: the page itself is not built: ./run builds it; the WebSocket works\n", stderr);
  std::fflush(stdout);
  if (request.open) open_in_browser(address);
  server->run();
}

}  // namespace

void add_serve(CLI::App& program) {
  const auto request = std::make_shared<Request>();
  CLI::App* verb = program.add_subcommand("serve", "The live page: see a mechanism move, grab it");
  request->model.add_to(*verb);
  verb->get_option("MODEL")->required(false)->description(
      "what is opened first: a model file, or a name of the gallery");
  verb->add_option("--port", request->port,
                   fmt::format("to listen on; {}, or any that is free; 0: any that is free", kUsualPort))
      ->check(whole_numbers(Range::between(0, 65535)));
  verb->add_option("--host", request->host, "address to listen on; beyond this machine a token is asked for")
      ->capture_default_str();
  verb->add_option("--token", request->token, "the token, instead of a random one");
  verb->add_option("--models", request->models, "folder of the gallery");
  verb->add_option("--page", request->page, "folder of the page's built files");
  verb->add_option("--priority", request->priority, "of the loop's thread, real time; 0: none")
      ->capture_default_str()
      ->check(whole_numbers(Range::between(0, 99)));
  verb->add_flag("--open", request->open, "open it in the browser");
  verb->add_flag("--json", request->json, "print the address as JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
