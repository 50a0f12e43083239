// A heavy payload without weight, put into its slot by the page's hand: what it weighs, what the walls answer, and what is logged of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <unistd.h>

#include <tactus/describe/read/load.h>
#include <tactus/serve/live/bench.h>
#include <tactus/serve/page/recording.h>
#include "support/compare.h"
#include "support/paths.h"

namespace {

using namespace tactus;
using namespace tactus::serve;
using support::larger;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Slot {
  Slot() : bench({.priority = 0, .thread = false}) {
    const std::string path = support::source_dir() + "/models/payload.yaml";
    text = content_of(path);
    Choice choice;
    choice.settings = {{"drag", "40"}, {"spin_drag", "1"}};  // as the gallery has it
    work = std::make_shared<Work>(describe::load_text(text, "payload.yaml", choice.settings), choice);
    work->scene = 1;
    work->mechanism->save(*work->snapshots[0]);
    bench.borrow([&](Bench::Place& place) { place = work; });
    bench.advance(0);
  }
  void send(Command command) {
    command.scene = 1;
    command.arrived = now();
    ASSERT_TRUE(bench.send(command));
  }
  const Picture& picture() {
    work->pictures.update();
    return work->pictures.front();
  }
  std::string text;
  std::shared_ptr<Work> work;
  Bench bench;
};

TEST(Payload, WeighsAHundredAndFiftyKilogramsAtItsCentre) {
  Slot slot;
  slot.send({.kind = Command::Kind::grab, .index = 1, .b = {-0.05, 0.0, 0.0}});
  slot.bench.advance(2);
  const FeltPicture& felt = slot.picture().hand.felt;
  ASSERT_TRUE(felt.known);
  EXPECT_NEAR(felt.mass.mass[0], 150.0, 1e-9 * 150.0);
  EXPECT_NEAR(felt.mass.mass[1], 150.0, 1e-9 * 150.0);
  EXPECT_TRUE(std::isinf(felt.mass.mass[2])) << "it stays in its plane";
  EXPECT_NEAR(felt.along, 150.0, 1e-9 * 150.0);
}

TEST(Payload, IsPutIntoTheSlotAndTheWallsForcesAreShownAndLogged) {
  Slot slot;
  RecordingInProgress in_progress;
  Recorded& r = in_progress.recorded;
  simulate::Mechanism& mechanism = *slot.work->mechanism;
  r.model_name = "payload";
  r.file = "payload.yaml";
  r.text = slot.text;
  r.choice = slot.work->choice;
  r.start = mechanism.state();
  for (std::size_t i = 0; i < mechanism.adjustable().size(); ++i) {
    r.parameter_names.push_back(mechanism.adjustable()[i]);
    r.parameters.push_back(mechanism.parameter_value(static_cast<int>(i)));
  }
  place_at_start(mechanism, r.start, r.parameter_names, r.parameters, r.active);
  slot.work->record_from_here = true;
  // Held at its centre, led straight in, then against a wall and past the end of the slot: the wall leads it, the end stops it.
  slot.send({.kind = Command::Kind::grab, .index = 1});
  double shown = 0.0;
  bool touched = false;
  for (int i = 0; i < 120; ++i) {
    slot.send({.kind = Command::Kind::move, .a = {-0.005 * std::min(i, 80), i < 30 ? 0.0 : 0.012, 0.0}});
    slot.bench.advance(50);
    for (; const TickInputs* inputs = slot.work->inputs.front(); slot.work->inputs.pop())
      in_progress.add(*inputs);
    const Picture& seen = slot.picture();
    touched = touched || seen.contact_count > 0;
    for (std::size_t k = 0; k < seen.contact_count; ++k)
      shown = larger(shown, std::sqrt(dot(seen.contacts[k].force, seen.contacts[k].force)));
  }
  const std::vector<double>& q = mechanism.state().q;
  constexpr double kSpare = 5e-3, kTouch = 1e-6;  // [m]
  EXPECT_NEAR(q[0], -0.325, 1e-3) << "at the end of the slot";
  EXPECT_LT(std::abs(q[1]), kSpare + kTouch);
  EXPECT_TRUE(touched);
  EXPECT_GT(shown, 1.0) << "[N] in the picture";

  // Made again for its files: the same bits, and the forces in the table and in the log.
  Recording recording;
  recording.id = 1;
  r.seen_tick = r.ticks;
  r.seen_q = q;
  r.seen_u = mechanism.state().u;
  recording.recorded = r;
  recording.folder = testing::TempDir() + "payload_" + std::to_string(::getpid());
  std::filesystem::create_directory(recording.folder);
  const Repeated again = write_files(recording);
  EXPECT_TRUE(again.compared && again.same) << again.worst;
  std::istringstream table(content_of(recording.folder + "/1.csv"));
  std::string line, cell;
  std::getline(table, line);
  std::vector<std::string> names;
  for (std::istringstream head(line); std::getline(head, cell, ',');) names.push_back(cell);
  std::vector<std::size_t> normals;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].ends_with(".normal")) normals.push_back(i);
  ASSERT_EQ(normals.size(), slot.work->model.contact.pairs.size()) << line;
  double logged = 0.0;
  while (std::getline(table, line)) {
    std::vector<double> row;
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    ASSERT_EQ(row.size(), names.size());
    for (const std::size_t i : normals) logged = larger(logged, row[i]);
  }
  EXPECT_GE(logged, 1.0);
  EXPECT_NE(content_of(recording.folder + "/1.mcap").find("/contacts"), std::string::npos);
  std::filesystem::remove_all(recording.folder);
}

}  // namespace
