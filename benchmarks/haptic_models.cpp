// Every model that is shipped in the hand, with the choices of `tactus haptic MODEL`.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>

#include "haptic.h"
#include "haptic_session.h"
#include "haptic_ticks.h"

namespace tactus::bench {
namespace {

struct SessionLoop final : OpenLoop {
  explicit SessionLoop(const std::string& path, double rate) {
    apps::HapticRequest request;
    request.model.path = path;
    request.rate = rate;
    session = apps::open_session(request, describe::load(path));
    what = request.device + (session.weight_left_out ? ", no weight" : "");
  }
  display::HapticLoop& loop() override { return *session.loop; }
  device::Device& device() override { return *session.device; }
  const simulate::Mechanism& moved() const override { return *session.mechanism; }

  apps::HapticSession session;
  std::string what;
};

}  // namespace

Outcome measure_haptic_models(bool quick, const std::string& only) {
  const long ticks = quick ? 2'000 : 250'000;  // of each of four rates: a million of each model
  constexpr int kRuns = 2;
  fmt::print(
      "\nTicks of `tactus haptic MODEL` for every model, {} of each rate, of each tick the least of {} runs; "
      "reading the clock ({:.0f} ns) not counted. us\n",
      ticks, kRuns, clock_cost());
  print_tick_head();
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TACTUS_SOURCE_DIR) + "/models"))
    if (entry.is_regular_file() && (only.empty() || entry.path().stem() == only))
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  Outcome outcome{.found = !paths.empty()};
  for (const std::filesystem::path& path : paths) {
    const std::string name = path.stem();
    try {
      for (const double rate : {1e3, 4e3, 1e4, 2e4}) {
        std::string what;
        const TickFigures figures = measure_ticks(
            [&] {
              auto open = std::make_unique<SessionLoop>(path, rate);
              what = open->what;
              return open;
            },
            rate, ticks, kRuns, kRuns);
        print_ticks(name, what, rate, figures);  // some stop, and say why: nothing is asked of them
      }
    } catch (const InputError& error) {
      fmt::print("{:<28} {}\n", name, error.what());
    }
  }
  return outcome;
}

}  // namespace tactus::bench
