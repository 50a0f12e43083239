// tactus replay: every run again from its log.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

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
        "shopping_cart.yaml --duration 0.3 --realtime --late 100000 --watchdog 0"),
    [](const auto& test) { return std::to_string(test.index); });

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

}  // namespace
}  // namespace tactus::apps
