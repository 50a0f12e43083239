// Haply's service: what it may say, and what becomes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include <tactus/base/error.h>
#include <tactus/device/drivers/haply_message.h>
#include <tactus/device/drivers/trouble.h>

#include "fakes/haply_bench.h"

namespace tactus::device {
namespace {

using test::HaplyBench;
using test::HaplyService;
using test::soon;
using Style = HaplyService::Style;

std::string refusal_of(const std::string& name) {
  try {
    (void)open(name, none());
  } catch (const InputError& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  ADD_FAILURE() << name << " was opened";
  return {};
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Haply, ReadsPlacesInAllFormsAndSendsForcesInTheSame) {
  const std::tuple<Style, const char*, bool> kForms[] = {{Style::object, "vector", false},
                                                         {Style::nested_vector, "vector", false},
                                                         {Style::list, "values", true},
                                                         {Style::nested_values, "values", true}};
  for (const auto& [style, key, list] : kForms) {
    HaplyBench bench;
    bench.service().set([&, style = style](auto& s) {
      s.style = style;
      s.v = {0.1, 0.2, 0.3};
    });
    bench.put({0.01, 0.02, 0.03}, {});
    const auto device = bench.open();
    Sample sample;
    ASSERT_TRUE(device->wait() && device->read(sample));
    EXPECT_NEAR(sample.X_WH.p.y, 0.02, 1e-15);
    EXPECT_EQ(sample.V_WH, (Vector6{0, 0, 0, 0.1, 0.2, 0.3}));
    ASSERT_TRUE(device->enable());
    EXPECT_TRUE(soon([&] {
      return device->wait() && device->command({.wrench = {0, 0, 0, 1, 2, -0.5}, .X_WH = {}, .V_WH = {}}) &&
             bench.wrench() == Vector6{0, 0, 0, 1, 2, -0.5};
    }));
    const nlohmann::json force = bench.service().command()["inverse3"][0]["commands"]["set_cursor_force"];
    ASSERT_TRUE(force.contains(key)) << force;
    EXPECT_EQ(force[key].is_array(), list);
    EXPECT_EQ(bench.service().command()["inverse3"][0]["device_id"], "04\"9D");
  }
}

TEST(Haply, AnOlderServicesWordCanBeChosen) {
  HaplyBench bench;
  const std::string name = "haply:values:127.0.0.1:" + std::to_string(bench.service().port());
  const auto device = open(name, none());
  EXPECT_EQ(device->specification().name, name);
  ASSERT_TRUE(device->wait());
  EXPECT_TRUE(bench.service().command()["inverse3"][0]["commands"]["set_cursor_force"]["values"].is_object());
}

TEST(Haply, UnderstandsFragmentsAndAnswersPings) {
  HaplyBench bench;
  bench.service().set([](auto& s) { s.splits = true; });
  const auto device = bench.open();
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(device->wait());
  EXPECT_GE(bench.service().pongs(), 10);
}

TEST(Haply, AServiceThatSaysEverythingTwiceMakesNoSampleOlder) {
  HaplyBench bench;
  bench.service().set([](auto& s) { s.times = 2; });
  const auto device = bench.open();
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(device->wait());
  bench.put({0.05, 0.0, 0.0}, {});
  // What it says from now on is that place: a few rounds at most lie between. One by one it would take two hundred.
  Sample sample;
  int rounds = 0;
  do {
    ASSERT_TRUE(device->wait() && device->read(sample));
  } while (!(sample.X_WH.p.x > 0.04) && ++rounds < 100);
  EXPECT_LT(rounds, 20);
}

TEST(Haply, IsLostWhenTheServiceHangsUpOrFallsSilent) {
  for (const bool silent : {false, true}) {
    HaplyBench bench;
    const auto device = bench.open();
    ASSERT_TRUE(device->enable());
    ASSERT_TRUE(device->wait());
    bench.service().set([&](auto& s) { (silent ? s.silent : s.hangs_up) = true; });
    int waits = 0;
    while (device->wait() && waits < 4) ++waits;
    EXPECT_LT(waits, 4);
    EXPECT_EQ(device->state(), State::lost);
    EXPECT_FALSE(device->enable());
    const std::string why = device->trouble();
    EXPECT_TRUE(says(why, silent ? "did not answer" : "the service")) << why;
    EXPECT_TRUE(says(why, "still running")) << why;
  }
}

TEST(Haply, SaysWhyItWasLostAndQuotesWhatItDidNotUnderstand) {
  const std::pair<std::string, std::string> kSaid[] = {
      {"hel\x01lo", "not understood, or no number: `hel.lo`"},
      {std::string(60000, '['), "`" + std::string(60, '[') + "...`"},
      {R"({"inverse3":[]})", "knows this device no more"},
      {R"({"inverse3":{"049D":{}}})", "version 3.0"},
  };
  for (const auto& [said, why] : kSaid) {
    HaplyBench bench;
    const auto device = bench.open();
    ASSERT_TRUE(device->wait());
    bench.service().set([&, said = said](auto& s) { s.says = said; });
    while (device->wait()) {
    }
    EXPECT_TRUE(says(device->trouble(), why)) << device->trouble();
  }
}

TEST(Trouble, KeepsTheFirstReasonWithinItsRoom) {
  Trouble trouble;
  EXPECT_EQ(trouble.text(), "");
  trouble.say("one", "two", "three");
  trouble.say("four");
  EXPECT_EQ(trouble.text(), "one `two`; three");
  Trouble longer;
  longer.say(std::string(1000, 'x'), "y");
  EXPECT_EQ(longer.text(), std::string(320, 'x'));
}

TEST(Haply, IsLostForEveryKindOfGarbage) {
  for (
      const char* garbage :
      {"hello", "[]", "{}", R"({"inverse3":3})", R"({"inverse3":[3]})",
       R"({"inverse3":[{"device_id":"04\"9D"}]})",
       R"({"inverse3":[{"device_id":"04\"9D","state":{"cursor_position":{"x":1,"y":2},"cursor_velocity":[0,0,0]}}]})",
       R"({"inverse3":[{"device_id":"04\"9D","state":{"cursor_position":[1,2,"3"],"cursor_velocity":[0,0,0]}}]})",
       R"({"inverse3":[{"device_id":"04\"9D","state":{"cursor_position":[1,2,NaN],"cursor_velocity":[0,0,0]}}]})",
       R"({"inverse3":[{"device_id":"04\"9D","state":{"cursor_position":[1,2,1e999],"cursor_velocity":[0,0,0]}}]})",
       R"({"inverse3":[{"device_id":"other","state":{"cursor_position":[1,2,3],"cursor_velocity":[0,0,0]}}]})"}) {
    HaplyBench bench;
    const auto device = bench.open();
    ASSERT_TRUE(device->wait());
    bench.service().set([&](auto& s) { s.says = garbage; });
    int waits = 0;
    while (device->wait() && waits <= bench.on_their_way()) ++waits;
    EXPECT_LE(waits, bench.on_their_way()) << garbage;
    EXPECT_EQ(device->state(), State::lost) << garbage;
  }
}

TEST(Haply, AForceWithoutNewsIsSwitchedOff) {
  HaplyBench bench;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  const Vector6 wrench{0, 0, 0, 0.5, 0, 0};
  EXPECT_TRUE(soon([&] {
    return device->wait() && device->command({.wrench = wrench, .X_WH = {}, .V_WH = {}}) &&
           bench.wrench() == wrench;
  }));
  EXPECT_TRUE(soon([&] { return bench.wrench() == Vector6{}; }));  // the user sleeps
}

TEST(Haply, SaysWhyItCannotBeOpened) {
  using Settings = HaplyService::Settings;
  const std::pair<std::function<void(Settings&)>, const char*> kWrong[] = {
      {[](Settings& s) { s.device = false; }, "no Inverse3"},
      {[](Settings& s) { s.no_websocket = true; }, "404 Not Found"},
      {[](Settings& s) { s.wrong_accept = true; }, "no WebSocket"},
      {[](Settings& s) { s.first_says = R"({"inverse3":{"049D":{}}})"; }, "version 3.0"},
      {[](Settings& s) { s.first_says = "welcome"; }, "not understood: `welcome`"},
  };
  for (const auto& [change, why] : kWrong) {
    HaplyBench bench;
    bench.service().set(change);
    EXPECT_TRUE(says(refusal_of(bench.name()), why)) << why;
  }
  std::string closed;
  {
    HaplyBench bench;
    closed = bench.name();
  }
  EXPECT_TRUE(says(refusal_of(closed), "Connection refused"));
  for (const char* name : {"haply:port", "haply::", "haply:host:", "haply:1234567"})
    EXPECT_TRUE(says(refusal_of(name), "names no place")) << name;
}

TEST(Haply, LookingForItDoesNotHang) {
  const auto begun = std::chrono::steady_clock::now();
  const std::vector<Driver> all = drivers();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));  // a busy machine's worst
  EXPECT_TRUE(
      std::any_of(all.begin(), all.end(), [](const Driver& d) { return d.specification.name == "haply"; }));
}

}  // namespace
}  // namespace tactus::device
