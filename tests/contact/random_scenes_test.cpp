// Random scenes (random_scenes.h): the books balance in all of them, by events and where they are handed over to stepping.
// 200 unless TACTUS_SCENES says how many; TACTUS_SCENES=2000 prints the table of docs/contact.md (scripts/random_scenes).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "balance.h"
#include "random_scenes.h"
#include "support/compare.h"

namespace tactus::contact {
namespace {

/// Of the energy in play: what may be left of the books.
constexpr double kBalanced = 1e-6;
/// [J] Of scenes in which next to nothing moves: the weight of a kilogram over the nanometre within which contacts are held.
constexpr double kNothing = 1e-8;

struct Row {
  int scenes = 0, finished = 0, handed_over = 0, refused = 0, failed = 0;
  double worst = 0.0, scheme = 0.0;  // of the energy in play
  double seconds = 0.0;              // of the processor
};

void run(std::uint64_t number, Row& row) {
  const RandomScene scene = random_scene(number);
  const std::clock_t begin = std::clock();
  ++row.scenes;
  try {
    const auto mechanism =
        open(describe::load_text(scene.text, "scene"), {.rederive = Rederivation::never, .hand_over = true});
    const double before = sum_of(*mechanism);
    bool ok = true;
    while (ok && mechanism->state().t < scene.duration - 0.5 * mechanism->step_length()) {
      const simulate::Tick tick = mechanism->step();
      ok = tick.ok();
      if (!ok)
        ADD_FAILURE() << "scene " << number << ": " << mechanism->explain(tick.status) << "\n" << scene.text;
    }
    const simulate::Books books = mechanism->books();
    const double off = std::abs(sum_of(*mechanism) - before),
                 play = std::max(books.in_play, kNothing / kBalanced);
    EXPECT_TRUE(off <= kBalanced * play) << "scene " << number << " (" << scene.family << "): off by " << off
                                         << " J of " << play << " J in play";
    const bool handed_over = mechanism->kind() == simulate::EngineKind::stepping;
    row.failed += !ok;
    row.handed_over += ok && handed_over;
    row.finished += ok && !handed_over;
    if (!(off / play <= row.worst)) row.worst = off / play;
    row.scheme = support::larger(row.scheme, std::abs(books.scheme_error) / play);
  } catch (const InputError& error) {
    ++row.refused;
    ADD_FAILURE() << "scene " << number << ": " << error.what() << "\n" << scene.text;
  }
  row.seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(RandomScenes, BalanceOrAreHandedOverAndBalance) {
  constexpr long kSample = 200;
  const char* given = std::getenv("TACTUS_SCENES");
  const char* first = std::getenv("TACTUS_FIRST_SCENE");
  const long scenes = given != nullptr ? std::atol(given) : kSample;
  const long from = first != nullptr ? std::atol(first) : 0;
  ASSERT_GT(scenes, 0);
  std::map<std::string, Row> rows;
  for (long number = from; number < from + scenes; ++number) {
    const auto k = static_cast<std::uint64_t>(number);
    run(k, rows[random_scene(k).family]);
  }
  if (given == nullptr) return;
  fmt::print(
      "| scenes | | by events | handed over | refused | failed | worst imbalance | stepping's error | "
      "processor |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  Row all;
  const auto print = [](const std::string& name, const Row& r) {
    fmt::print("| {} | {} | {} | {} | {} | {} | {:.1e} | {:.1e} | {:.1f} s |\n", name, r.scenes, r.finished,
               r.handed_over, r.refused, r.failed, r.worst, r.scheme, r.seconds);
  };
  for (const auto& [name, row] : rows) {
    print(name, row);
    all.scenes += row.scenes;
    all.finished += row.finished;
    all.handed_over += row.handed_over;
    all.refused += row.refused;
    all.failed += row.failed;
    all.worst = support::larger(all.worst, row.worst);
    all.scheme = support::larger(all.scheme, row.scheme);
    all.seconds += row.seconds;
  }
  print("all", all);
}

}  // namespace
}  // namespace tactus::contact
