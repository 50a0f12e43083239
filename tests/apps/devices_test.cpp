// tactus devices, and hardware from the command line.
#include <gtest/gtest.h>

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "fakes/fakes_dir.h"

namespace tactus::apps::test {
namespace {

TEST(Devices, ListsDriversWithWhatTheyFound) {
  const Outcome text = tactus("devices");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("forcedimension[:NUMBER]"), std::string::npos);
  const Outcome run = tactus("devices --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json all = nlohmann::json::parse(run.out);
  int simulated = 0, drivers = 0;
  for (const nlohmann::json& one : all) {
    for (const char* key : {"name", "description", "kind", "rate_hz", "sensed", "available"})
      EXPECT_TRUE(one.contains(key)) << key;
    if (one.at("driver").get<bool>()) {
      ++drivers;
      EXPECT_FALSE(one.at("found").get<std::string>().empty());
    } else {
      ++simulated;
      EXPECT_TRUE(one.at("available").get<bool>());
    }
  }
  EXPECT_GE(simulated, 7);
  EXPECT_GE(drivers, 5);
}

TEST(Devices, ADriverWithoutItsLibraryIsRefusedWithARemedy) {
  const Outcome run = tactus("haptic " + model("four_bar.yaml") + " --device forcedimension --duration 0.01");
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_NE(run.err.find("TACTUS_LIBDHD"), std::string::npos) << run.err;
}

TEST(Devices, ThePointerIsListedAndRefusedWithTheWayToThePage) {
  EXPECT_NE(tactus("devices").out.find("pointer[:turning]"), std::string::npos);
  const Outcome run = tactus("haptic " + model("four_bar.yaml") + " --device pointer --duration 0.01");
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_NE(run.err.find("tactus serve"), std::string::npos) << run.err;
}

TEST(Devices, AMechanismIsHeldByADriverFromTheCommandLine) {
  setenv("TACTUS_LIBDHD", (support::fakes_dir() + "/libdhd_fake.so").c_str(), 1);
  // However late a busy machine is: the fake does not mind.
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") +
                             " --device forcedimension --duration 0.1 --late 1e6 --coupling soft --json");
  const Outcome list = tactus("devices");
  unsetenv("TACTUS_LIBDHD");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json summary = nlohmann::json::parse(run.out);
  // Periods that a busy machine slept through are counted, not made up for.
  EXPECT_GT(summary.at("ticks"), 0);
  EXPECT_GE(summary.at("ticks").get<long>() + summary.at("missed").get<long>(), 100);
  EXPECT_EQ(summary.at("device"), "forcedimension");
  EXPECT_GE(summary.at("seconds").get<double>(), 0.09);  // by the clock
  EXPECT_NE(list.out.find("1 plugged in"), std::string::npos) << list.out;
}

TEST(Devices, ARunsOwnRecordingMovesTheMechanismAgain) {
  const Folder folder;
  const std::string one = folder.path("one.csv"), two = folder.path("two.csv");
  const std::string haptic = "haptic " + model("shopping_cart.yaml") + " --duration 1 --out ";
  ASSERT_EQ(tactus(haptic + one).code, 0);
  const Outcome again = tactus(haptic + two + " --json --device file:" + one);
  ASSERT_EQ(again.code, 0) << again.err;
  const nlohmann::json summary = nlohmann::json::parse(again.out);
  EXPECT_EQ(summary.at("ticks"), 1000);
  // A run that is longer is told so.
  constexpr const char* kEnds = "recording ends after 0.999 s, and the run after 1.5 s";
  EXPECT_EQ(again.out.find("recording ends"), std::string::npos) << again.out;
  const Outcome longer =
      tactus("haptic " + model("shopping_cart.yaml") + " --duration 1.5 --json --device file:" + one);
  ASSERT_EQ(longer.code, 0) << longer.err;
  EXPECT_NE(longer.out.find(kEnds), std::string::npos) << longer.out;
  // The handle's places are the recorded ones: the columns after the time are the same text.
  const std::string first = content_of(one), second = content_of(two);
  const auto places = [](const std::string& text, int row) {
    std::size_t at = 0;
    for (int k = 0; k < row; ++k) at = text.find('\n', at) + 1;
    std::size_t from = text.find(',', at) + 1, to = from;
    for (int k = 0; k < 3; ++k) to = text.find(',', to) + 1;
    return text.substr(from, to - from);
  };
  EXPECT_NEAR(std::stod(places(first, 800)), std::stod(places(second, 800)), 1e-9);
  EXPECT_GT(summary.at("largest_force_n").get<double>(), 0.1);
}

}  // namespace
}  // namespace tactus::apps::test
