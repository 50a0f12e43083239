// tactus replay: every run again from its log.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <tactus/display/log/mcap_reader.h>
#include <tactus/display/log/mcap_writer.h>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

class Replayed : public ::testing::TestWithParam<std::string> {};

TEST_P(Replayed, EveryRunHasTheSameBits) {
  const Folder folder;
  const std::string log = folder.path("run.mcap"), models = tactus::support::source_dir() + "/models/";
  std::string what = models + GetParam();
  if (const std::size_t at = what.find("model:"); at != std::string::npos) what.insert(at + 6, models);
  const Outcome run = tactus("haptic " + what + " --log " + log);
  ASSERT_EQ(run.code, 0) << run.err;
  const Outcome again = tactus("replay " + log + " --json");
  ASSERT_EQ(again.code, 0) << again.err << again.out;
  const json result = json::parse(again.out);
  EXPECT_TRUE(result.at("same").get<bool>());
  EXPECT_TRUE(result.at("whole").get<bool>());
  EXPECT_EQ(result.at("different"), 0);
  // In real time a busy machine leaves periods out.
  EXPECT_GE(result.at("ticks").get<int>(), GetParam().find("--realtime") == std::string::npos ? 300 : 1);
}
INSTANTIATE_TEST_SUITE_P(
    Haptic, Replayed,
    testing::Values(
        "shopping_cart.yaml --duration 0.3", "four_bar.yaml --duration 0.3 --device simulated:admittance",
        "planar_3r.yaml --duration 0.3 --controller penalties",
        "stewart_platform.yaml --duration 0.3 --hand tremble",
        "stewart_platform.yaml --duration 0.3 --controller penalties",  // without its weight
        "egg.yaml --duration 0.3 --controller penalties", "chain_in_enclosure.yaml --duration 0.5 --moving",
        "shopping_cart.yaml --duration 0.3 --set m_B=20 --passivity",
        // Devices with dynamics of their own, which a log must hold as the loop had them.
        "four_bar.yaml --duration 0.3 --controller penalties --device model:pantograph.yaml",
        "four_bar.yaml --duration 0.3 --controller impedance --device model:planar_2r.yaml",
        "shopping_cart.yaml --duration 0.3 --controller penalties --device model:stewart_platform.yaml",
        "shopping_cart.yaml --duration 0.3 --passivity --device model:pantograph.yaml",
        "shopping_cart.yaml --duration 0.3 --simulation-rate 100 --transport 5",
        // Settings that change what is computed.
        "three_link_chain.yaml --duration 0.3 --port middle --controller penalties --no-turning --rank "
        "jacobian "
        "--rank-tolerance 1e-3 --no-fading --device simulated:planar-force",
        "chain_30.yaml --duration 0.3 --weightless --internal-damping 0.1",
        // Every controller, device and guard.
        "shopping_cart.yaml --duration 0.3 --controller prescribed",
        "chain_in_enclosure_rigid.yaml --duration 0.3 --controller proxy --size 0.3",
        "peg_in_hole.yaml --duration 0.3 --integrator passive",
        "shopping_cart.yaml --duration 0.3 --device simulated:cobot",
        "shopping_cart.yaml --duration 0.3 --device simulated:cobot-feedback --hand tremble --seed 5",
        "planar_3r.yaml --duration 0.3 --controller impedance --force-scale 2 --motion-scale 0.5",
        "shopping_cart.yaml --duration 0.3 --controller impedance --device simulated:planar-force "
        "--kept-inertia 0.5 --passivity",
        "four_bar.yaml --duration 0.3 --device simulated:admittance --kept-inertia 0.5 --passivity",
        "shopping_cart.yaml --duration 0.3 --device simulated:admittance --tool 0.5",
        "four_bar.yaml --duration 0.3 --port coupler@0.1,0,20mm",
        "shopping_cart.yaml --duration 0.3 --max-power-rate 3 --max-turn-speed 50 --workspace 0.4",
        "shopping_cart.yaml --duration 0.3 --realtime --late 100000 --watchdog 0"),
    [](const auto& test) { return std::to_string(test.index); });

/// The same log with other messages of /loop/tick.
template <class Change>
void rewrite(const std::string& from, const std::string& to, const Change& change) {
  const display::McapFile log(from);
  display::McapWriter copy(to, "crtk");
  for (const auto& [name, fields] : log.metadata())
    copy.add_metadata(name, display::McapFields(fields.begin(), fields.end()));
  for (const auto& [name, bytes] : log.attachments()) copy.add_attachment(name, "application/yaml", bytes);
  const std::uint16_t tick = copy.add_channel("/loop/tick", "tactus.Tick", R"({"type":"object"})");
  int number = 0;
  for (const display::McapMessage& message : log.messages()) {
    if (message.topic != "/loop/tick") continue;
    json content = json::parse(message.data);
    change(number++, content);
    copy.add_message(tick, message.nanoseconds, content.dump());
  }
  copy.finish();
}

// A simulation in a thread answers when the system lets it: the log has when, and with that the run has the
// same bits. So has one that ended because the simulation was late.
TEST(Replay, ARunWithTwoRatesAndAThreadHasTheSameBits) {
  for (const char* options : {"shopping_cart.yaml --simulation-rate 200",
                              "chain_in_enclosure.yaml --port distal --simulation-rate 125 --transport 20 "
                              "--controller penalties --device simulated:planar-force",
                              "four_bar.yaml --simulation-rate 1000"}) {
    const Folder folder;
    const std::string log = folder.path("run.mcap");
    const Outcome run = tactus("haptic " + model(options) +
                               " --realtime --late 1e5 --watchdog 0 --duration 0.7 --json --log " + log);
    const json summary = json::parse(run.out);
    EXPECT_TRUE(run.code == 0 || summary.at("fault") == "simulation_late") << options << run.err;
    const Outcome again = tactus("replay " + log + " --json");
    ASSERT_EQ(again.code, 0) << options << again.err;
    EXPECT_TRUE(json::parse(again.out).at("same").get<bool>());
    EXPECT_EQ(json::parse(again.out).at("ticks"), summary.at("ticks"));
    // There were answers, and what they said is in the run: one that came a tick later makes another one.
    const std::string other = folder.path("other.mcap");
    int answers = 0, moved = 0;
    json kept;
    rewrite(log, other, [&](int, json& tick) {
      json& came = tick.at("answers");
      answers += came.size();
      if (!kept.is_null() && came.empty()) {
        came = kept;
        kept = nullptr;
        ++moved;
      } else if (moved == 0 && kept.is_null() && answers > 3 && !came.empty()) {
        kept = came;
        came = json::array();
      }
    });
    EXPECT_GT(answers, 3) << options;
    if (moved > 0) {
      EXPECT_EQ(tactus("replay " + other).code, 1) << options;
    }
    // A log of before does not say when the simulation answered.
    rewrite(log, other, [](int, json& tick) { tick.erase("answers"); });
    const Outcome older = tactus("replay " + other);
    EXPECT_EQ(older.code, 2) << options;
    EXPECT_NE(older.err.find("an older version wrote it"), std::string::npos) << older.err;
  }
}

TEST(Replay, RefusesWhatIsNoFile) {
  const Folder folder;
  const std::string fifo = folder.path("fifo");
  ASSERT_EQ(std::system(("mkfifo '" + fifo + "'").c_str()), 0);
  for (const std::string& path : {folder.path("."), std::string("/dev/zero"), fifo}) {
    const Outcome run = tactus("replay " + path);
    EXPECT_EQ(run.code, 2) << path;
    EXPECT_NE(run.err.find("is no file"), std::string::npos) << run.err;
  }
}

// The log names the model by the way that was given, here from within its folder.
TEST(Replay, UsesTheLogsOwnModelWhereverItWasMade) {
  const Folder folder;
  folder.file("cart.yaml", content_of(model("shopping_cart.yaml")));
  const std::string inside = "cd '" + folder.path(".") + "' && ";
  ASSERT_EQ(std::system((inside + tactus::support::program() +
                         " haptic cart.yaml --duration 0.2 --log run.mcap > out 2> err")
                            .c_str()),
            0);
  std::filesystem::remove(folder.path("cart.yaml"));
  const Outcome again = tactus("replay " + folder.path("run.mcap"));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("log's own copy"), std::string::npos) << again.out;
}

TEST(Replay, FindsTheFirstBitThatDiffers) {
  const Folder folder;
  const std::string copy = folder.file("cart.yaml", content_of(model("shopping_cart.yaml")));
  const std::string log = folder.path("run.mcap");
  ASSERT_EQ(tactus("haptic " + copy + " --duration 0.2 --log " + log).code, 0);
  // The model changes after the run: the log has its own copy.
  std::string text = content_of(copy);
  folder.file("cart.yaml", text + "\n# changed\n");
  Outcome again = tactus("replay " + log);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("log's own copy"), std::string::npos) << again.out;
  std::filesystem::remove(copy);
  EXPECT_EQ(tactus("replay " + log).code, 0);
  // A log that was cut off.
  const std::string bytes = content_of(log);
  folder.file("cut.mcap", bytes.substr(0, bytes.size() - 40));
  again = tactus("replay " + folder.path("cut.mcap"));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("cut off"), std::string::npos) << again.out;
  // One that was changed.
  std::string changed = bytes;
  changed[changed.find("port_F") + 1] ^= 1;
  folder.file("changed.mcap", changed);
  EXPECT_EQ(tactus("replay " + folder.path("changed.mcap")).code, 2);
  EXPECT_EQ(tactus("replay " + model("four_bar.yaml")).code, 2);
  EXPECT_EQ(tactus("replay").code, 2);
}

/// The records of an MCAP file: where each begins, and its kind.
std::vector<std::pair<std::size_t, std::uint8_t>> records_of(const std::string& bytes) {
  std::vector<std::pair<std::size_t, std::uint8_t>> records;
  for (std::size_t at = 8; at + 9 <= bytes.size() - 8;) {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8; ++i)
      length |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + 1 + i])) << (8 * i);
    records.emplace_back(at, static_cast<std::uint8_t>(bytes[at]));
    at += 9 + length;
  }
  return records;
}

// A log without one of its chunks is not the run that its end speaks of, however well the rest agrees; one
// without its end is what a crash leaves.
TEST(Replay, SaysThatALogEndsEarly) {
  constexpr std::uint8_t kChunk = 6, kIndex = 7, kSummary = 3;
  const Folder folder;
  const std::string log = folder.path("run.mcap");
  ASSERT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --duration 1.5 --log " + log).code, 0);
  const std::string bytes = content_of(log);
  const auto records = records_of(bytes);
  std::vector<std::size_t> chunks;
  for (std::size_t k = 0; k < records.size(); ++k)
    if (records[k].second == kChunk) chunks.push_back(k);
  ASSERT_GE(chunks.size(), 2u);
  const std::size_t from = records[chunks.back()].first;
  std::size_t end = chunks.back() + 1;
  while (records[end].second == kIndex) ++end;
  const std::size_t to = records[end].first;
  folder.file("short.mcap", bytes.substr(0, from) + bytes.substr(to));
  Outcome run = tactus("replay " + folder.path("short.mcap"));
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_NE(run.err.find("the log ends early: "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find(" of 1500 ticks"), std::string::npos) << run.err;
  run = tactus("replay --json " + folder.path("short.mcap"));
  EXPECT_EQ(run.code, 1);
  const json result = json::parse(run.out);
  EXPECT_FALSE(result.at("whole").get<bool>());
  EXPECT_EQ(result.at("ticks_written"), 1500);
  EXPECT_LT(result.at("ticks").get<int>(), 1500);
  // Without its end.
  folder.file("crash.mcap", bytes.substr(0, from));
  run = tactus("replay " + folder.path("crash.mcap"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("as by a crash"), std::string::npos) << run.out;
  // Bytes of the settings, and of the summary.
  for (const std::size_t at : {bytes.find("duration: "), records[end + 1].first + 20}) {
    std::string changed = bytes;
    changed[at] ^= 1;
    folder.file("changed.mcap", changed);
    run = tactus("replay " + folder.path("changed.mcap"));
    EXPECT_EQ(run.code, 2) << at << run.out << run.err;
    EXPECT_NE(run.err.find("the check of the "), std::string::npos) << run.err;
  }
  EXPECT_EQ(records[end + 1].second, kSummary);
  EXPECT_EQ(tactus("replay " + log).code, 0);
}

// Whatever a tick gives is compared: one bit of any number, and the run is another one.
TEST(Replay, ComparesEverythingThatATickGives) {
  const Folder folder;
  const std::string log = folder.path("run.mcap"), other = folder.path("other.mcap");
  ASSERT_EQ(tactus("haptic " + model("four_bar.yaml") + " --duration 0.1 --log " + log).code, 0);
  const auto next = [](json& x) { x = std::nextafter(x.get<double>(), 2.0); };
  const std::pair<const char*, const char*> kLists[] = {
      {"wrench", "commanded wrench [4]"},     {"p_to", "commanded place [2]"},
      {"V_to", "commanded velocity [4]"},     {"R_to", "commanded orientation [4]"},
      {"port_p", "place of the port [2]"},    {"port_R", "orientation of the port [4]"},
      {"port_V", "velocity of the port [4]"}, {"port_F", "wrench on the port [4]"}};
  for (const auto& [key, name] : kLists) {
    const std::string which = name;
    const std::size_t at = static_cast<std::size_t>(which[which.size() - 2] - '0');
    rewrite(log, other, [&, key = key](int tick, json& content) {
      if (tick == 60) next(content.at(key).at(at));
    });
    const Outcome run = tactus("replay " + other);
    EXPECT_EQ(run.code, 1) << name;
    EXPECT_NE(run.err.find("first in tick 60: " + which), std::string::npos) << name << run.err;
  }
  for (const char* key : {"into_port", "out_of_handle", "guarded", "made", "softness"}) {
    rewrite(log, other, [&](int tick, json& content) {
      if (tick == 60) next(content.at(key));
    });
    EXPECT_EQ(tactus("replay " + other).code, 1) << key;
  }
  for (const char* key : {"resisted", "age", "events"}) {
    rewrite(log, other, [&](int tick, json& content) {
      if (tick == 60) content[key] = content.at(key).get<int>() + 1;
    });
    EXPECT_EQ(tactus("replay " + other).code, 1) << key;
  }
  // A log of before has no orientation of the port: what it has is compared.
  rewrite(log, other, [](int, json& content) {
    for (const char* key : {"port_R", "out_of_handle", "guarded", "made", "softness", "resisted", "age"})
      content.erase(key);
  });
  EXPECT_EQ(tactus("replay " + other).code, 0);
}

// A model that is read from several files, and a device that is a model: the log has all of them, and is enough.
TEST(Replay, NeedsNoneOfTheFilesThatTheRunWasMadeFrom) {
  const Folder folder;
  std::filesystem::create_directories(folder.path("parts/deeper"));
  std::filesystem::create_directories(folder.path("models"));
  folder.file("parts/arm.yaml",
              "include: deeper/chain.yaml\nparameters: {L: 0.5 m}\ntables: {k: {file: deeper/k.csv}}\n");
  folder.file("parts/deeper/chain.yaml", content_of(model("planar_2r.yaml")));
  folder.file("parts/deeper/k.csv", "0,1\n1,2\n");
  folder.file("models/top.yaml", "include: ../parts/arm.yaml\ngravity: [0, 0, 0]\n");
  folder.file("device.yaml", content_of(model("pantograph.yaml")));
  folder.file("hand.yaml", "force: [sin(9*t), 1, 0]\n");
  const std::string log = folder.path("run.mcap");
  const Outcome run =
      tactus("haptic " + folder.path("models/top.yaml") + " --device model:" + folder.path("device.yaml") +
             " --hand file:" + folder.path("hand.yaml") + " --duration 0.2 --log " + log);
  ASSERT_EQ(run.code, 0) << run.err;
  std::size_t attached = 0;
  const display::McapFile whole(log);
  for (const auto& [name, bytes] : whole.attachments()) {
    EXPECT_EQ(bytes, content_of(name)) << name;
    ++attached;
  }
  EXPECT_EQ(attached, 6u);
  Outcome again = tactus("replay " + log);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out.find("note:"), std::string::npos) << again.out;
  // One that is included changes, and with it the motion.
  const std::string chain = content_of(folder.path("parts/deeper/chain.yaml"));
  folder.file("parts/deeper/chain.yaml", content_of(model("planar_3r.yaml")));
  again = tactus("replay " + log);
  EXPECT_EQ(again.code, 0) << again.err << again.out;
  EXPECT_NE(again.out.find("chain.yaml has changed since, or is gone: the log's own copy is used"),
            std::string::npos)
      << again.out;
  // All are gone.
  for (const char* name : {"parts", "models", "device.yaml", "hand.yaml"})
    std::filesystem::remove_all(folder.path(name));
  again = tactus("replay --json " + log);
  EXPECT_EQ(again.code, 0) << again.err << again.out;
  EXPECT_TRUE(json::parse(again.out).at("same").get<bool>());
  EXPECT_NE(again.out.find("the log's own copies are used"), std::string::npos) << again.out;
  // Where there is no room for them, that is said.
  const std::string run_there = "TMPDIR='" + folder.path("nowhere") + "' " + tactus::support::program() +
                                " replay '" + log + "' > '" + folder.path("out") + "' 2> '" +
                                folder.path("err") + "'";
  const int status = std::system(run_there.c_str());
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 2);
  EXPECT_NE(content_of(folder.path("err")).find("TMPDIR"), std::string::npos);
}

}  // namespace
}  // namespace tactus::apps
