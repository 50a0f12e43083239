// The server as a page meets it: over its socket, with everything behind it at work.
#include <tactus/serve/server.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include <unistd.h>

#include "serve/client.h"
#include "support/compare.h"
#include "support/paths.h"

namespace {

using namespace tactus;
using support::get;
using support::Page;
using support::Socket;
using Json = nlohmann::json;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A server of its own for each test, without real-time priority.
class Serve : public testing::Test {
 protected:
  void start(const std::string& model = "four_bar", serve::ServerOptions options = {}) {
    options.first = model;
    options.models = support::source_dir() + "/models";
    options.priority = 0;
    options.log = [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      log_ += std::string(line) + "\n";
    };
    server_ = std::make_unique<serve::Server>(options);
    thread_ = std::thread([this] { server_->run(false); });
  }
  void TearDown() override {
    if (server_ == nullptr) return;
    server_->stop();
    thread_.join();
  }
  std::uint16_t port() const { return server_->port(); }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  bool logged(const std::string& words) {
    for (int i = 0; i < 50 && log().find(words) == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return log().find(words) != std::string::npos;
  }
  /// A page that has its scene.
  Page visitor(Json* scene = nullptr) {
    Page page(port());
    EXPECT_TRUE(page.connected());
    page.hello();
    const Json found = page.wait_for("scene");
    EXPECT_TRUE(found.is_object());
    if (scene != nullptr) *scene = found;
    return page;
  }

  std::unique_ptr<serve::Server> server_;
  std::thread thread_;
  std::mutex mutex_;
  std::string log_;
};

Json vector(double x, double y, double z) { return {x, y, z}; }

TEST_F(Serve, GreetsWithGallerySceneStatusAndFrames) {
  start();
  Page page(port());
  ASSERT_TRUE(page.connected());
  page.hello();
  EXPECT_EQ(page.wait_for("welcome")["version"], 1);
  const Json gallery = page.wait_for("gallery");
  EXPECT_GE(gallery["models"].size(), 48u);
  int featured = 0;
  for (const Json& model : gallery["models"]) {
    EXPECT_FALSE(model.contains("problem")) << model;
    EXPECT_NE(model["title"], "");
    EXPECT_NE(model["sentence"], "");
    featured += model["featured"].get<bool>();
  }
  EXPECT_EQ(featured, 11);
  const Json scene = page.wait_for("scene");
  EXPECT_EQ(scene["model"]["name"], "four_bar");
  EXPECT_EQ(scene["bodies"].size(), 4u);
  EXPECT_EQ(scene["planar"]["normal"], vector(0, -1, 0));
  EXPECT_EQ(scene["constraints"][0]["rows"].size(), 2u);
  page.say({{"type", "channels"}, {"names", {"q1", "energy.total"}}});
  EXPECT_GT(page.look(1.0), 5);
  EXPECT_EQ(page.in_frame<std::uint32_t>(0), 0x46434154u);
  EXPECT_EQ(page.in_frame<std::uint16_t>(32), 4);
  EXPECT_EQ(page.in_frame<std::uint16_t>(36), 2);
  EXPECT_GT(page.in_frame<double>(16), 0.0);
  EXPECT_EQ(page.state()["state"], "running");
  constexpr double kHeld = 1e-9;  // [m], [rad]
  EXPECT_LT(page.state()["errors"]["worst_position"].get<double>(), kHeld);
}

TEST_F(Serve, ABodyThatIsGrabbedFollowsAndPullsBack) {
  start("double_pendulum");
  Json scene;
  Page page = visitor(&scene);
  const std::size_t body = scene["bodies"].size() - 1;
  page.look(0.3);
  const double x = page.in_frame<float>(160 + 28 * body), z = page.in_frame<float>(160 + 28 * body + 8);
  page.say({{"type", "grab"},
            {"body", body},
            {"point", vector(0, 0, 0)},
            {"target", vector(x, 0, z)},
            {"sequence", 1}});
  constexpr double kAway = 0.3;  // [m]
  page.say({{"type", "move"}, {"target", vector(x + kAway, 0, z + kAway)}, {"sequence", 2}});
  page.look(0.1);
  EXPECT_EQ(page.in_frame<std::uint32_t>(48), 2u);
  EXPECT_EQ(page.in_frame<std::int32_t>(56), static_cast<std::int32_t>(body));
  EXPECT_GT(page.in_frame<float>(52), 0.0F) << "from the message to the tick that used it";
  const double force = std::hypot(page.in_frame<float>(88), page.in_frame<float>(96));
  EXPECT_GT(force, 0.1);
  page.look(2.0);  // it comes to rest where the spring and its weight balance
  const double distance =
      std::hypot(page.in_frame<float>(64) - (x + kAway), page.in_frame<float>(72) - (z + kAway));
  EXPECT_LT(distance, kAway);
  EXPECT_EQ(page.state()["hand"]["body"], body);
  EXPECT_LT(page.state()["hand"]["stiffness"].get<double>(), page.state()["hand"]["limit"].get<double>());
  page.say({{"type", "release"}});
  page.look(0.2);
  EXPECT_EQ(page.in_frame<std::int32_t>(56), -1);
}

TEST_F(Serve, OneHoldsAndTheOtherLooks) {
  start();
  Page one = visitor(), two = visitor();
  EXPECT_EQ(one.ask({{"type", "time"}, {"do", "pause"}})["type"], "ok");
  const Json refused = two.ask({{"type", "time"}, {"do", "run"}});
  EXPECT_EQ(refused["type"], "error");
  EXPECT_EQ(refused["about"], "hold");
  EXPECT_EQ(two.ask({{"type", "take"}})["type"], "error");
  EXPECT_EQ(one.ask({{"type", "leave"}})["type"], "ok");
  EXPECT_EQ(two.ask({{"type", "time"}, {"do", "run"}})["type"], "ok");
  two.look(0.3);
  EXPECT_EQ(two.state()["clients"].size(), 2u);
  // Who goes away holds nothing any more.
  two.socket().close();
  for (int i = 0; i < 50; ++i)
    if (one.ask({{"type", "take"}})["type"] == "ok") break;
  EXPECT_EQ(one.ask({{"type", "take"}})["type"], "ok");
}

TEST_F(Serve, ParametersChangeWhileItMovesAndComeBack) {
  start("double_pendulum");
  Json scene;
  Page page = visitor(&scene);
  const std::string name = scene["parameters"][0]["name"];
  const double value = 1.5 * scene["parameters"][0]["value"].get<double>();
  for (const Json& parameter : scene["parameters"]) {
    EXPECT_LT(parameter["least"].get<double>(), parameter["value"].get<double>()) << parameter;
    EXPECT_GT(parameter["most"].get<double>(), parameter["value"].get<double>()) << parameter;
  }
  EXPECT_EQ(page.ask({{"type", "parameter"}, {"name", name}, {"value", value}})["type"], "ok");
  page.look(0.3);
  EXPECT_EQ(page.state()["parameters"][name], value);
  EXPECT_EQ(page.ask({{"type", "parameter"}, {"name", "nothing"}, {"value", 1}})["type"], "error");
  EXPECT_EQ(page.ask({{"type", "parameter"}, {"name", name}, {"value", -1}})["type"], "error")
      << "no such mass";
  EXPECT_EQ(page.ask({{"type", "parameters_reset"}})["type"], "ok");
  page.look(0.3);
  EXPECT_TRUE(page.state()["parameters"].empty());
}

// A force that grows with the cube of the way sends a mass to infinity within a second.
TEST_F(Serve, AMotionThatCannotGoOnSaysWhyInWords) {
  start();
  Page page = visitor();
  const std::string text =
      "name: away\nbodies: {b: {mass: 1}}\njoints: {x: {type: prismatic, parent: world, child: b, axis: x}}\n"
      "forces: {push: {type: joint, joint: x, force: 100*x^3}}\ninitial: {q: {x: 1}}\n";
  ASSERT_EQ(page.ask({{"type", "open"}, {"text", text}, {"name", "away.yaml"}})["type"], "ok");
  std::string why;
  page.wait_until([&](const Json& message) {
    if (message.value("type", "") != "events") return false;
    for (const Json& event : message["events"])
      if (event["kind"] == "fault" || event["kind"] == "went_back")
        why = event.value("why", event.value("what", ""));
    return !why.empty();
  });
  // What happened, and nothing else of all that might.
  EXPECT_TRUE(why.find("it became too fast") != std::string::npos ||
              why.find("infinite") != std::string::npos)
      << why;
  EXPECT_EQ(why.find("contacts"), std::string::npos) << why;
}

TEST_F(Serve, NewEquationsAreSwappedInAndTheMotionGoesOn) {
  start("slider_crank");
  Page page = visitor();
  page.look(0.5);
  page.ask({{"type", "time"}, {"do", "pause"}});
  page.look(0.2);
  const double t = page.in_frame<double>(16);
  const float z = page.in_frame<float>(160 + 28 * 2 + 8);
  for (const char* formulation : {"projection", "embedding", "multipliers"}) {
    const Json answer = page.ask({{"type", "choose"}, {"formulation", formulation}});
    EXPECT_EQ(answer["type"], "ok") << answer;
    EXPECT_EQ(answer["notes"], Json::array());
    page.look(0.3);
    EXPECT_EQ(page.in_frame<double>(16), t) << "time goes on from where it stood";
    EXPECT_EQ(page.in_frame<float>(160 + 28 * 2 + 8), z);
  }
  EXPECT_EQ(page.ask({{"type", "choose"}, {"formulation", "guessing"}})["type"], "error");
  EXPECT_EQ(page.ask({{"type", "choose"}, {"integrator", "implicit"}, {"step", 0.002}})["type"], "ok");
  EXPECT_EQ(page.ask({{"type", "time"}, {"do", "run"}})["type"], "ok");
  page.look(0.5);
  EXPECT_GT(page.in_frame<double>(16), t);
}

TEST_F(Serve, ASimulatedDeviceHoldsTheMechanism) {
  start("three_link_chain");
  Page page = visitor();
  const Json answer = page.ask({{"type", "choose"}, {"device", "simulated:planar"}, {"hand", "stroke"}});
  ASSERT_EQ(answer["type"], "ok") << answer;
  page.look(1.0);
  EXPECT_NE(page.in_frame<std::uint32_t>(40) & 32u, 0u);
  EXPECT_EQ(page.state()["fault"], nullptr);
  // Nor a file of this machine, nor hardware: what scene.choices offers, and nothing else.
  const std::string file = support::source_dir() + "/tests/device/files/yielding.yaml";
  for (const auto& [what, word] : {std::pair<const char*, std::string>{"device", "simulated:nothing"},
                                   {"device", file},
                                   {"device", "model:" + support::source_dir() + "/models/pantograph.yaml"},
                                   {"device", "evdev"},
                                   {"controller", "anything"},
                                   {"hand", "file:" + file}}) {
    const Json refused = page.ask({{"type", "choose"}, {what, word}});
    EXPECT_EQ(refused["type"], "error") << word;
    EXPECT_NE(refused.dump().find("to choose"), std::string::npos) << refused;
  }
}

// The cursor's messages move the handle of the haptic loop, whose force moves the mechanism; the page's closing is a fault that the
// next page sees, and clears.
TEST_F(Serve, ThePagesPointerIsADevice) {
  start("double_pendulum");
  {
    Page page = visitor();
    ASSERT_EQ(page.ask({{"type", "choose"}, {"device", "pointer"}, {"weightless", true}})["type"], "ok");
    page.look(0.2);
    EXPECT_EQ(page.in_frame<std::uint32_t>(40) & 32u, 0u) << "nobody has the handle";
    // The tip's body, wherever it is: a grab at its origin, and a way from there.
    const auto grab = [&](double x) {
      return Json{{"type", "grab"}, {"body", 2}, {"point", {0, 0, 0}}, {"target", {x, 0.0, -1.0}}};
    };
    page.say(grab(0.0));
    page.look(0.1);
    const float begun = page.in_frame<float>(120);
    for (int k = 0; k < 30; ++k) {
      page.say({{"type", "move"}, {"target", {0.01 * k, 0.0, -1.0}}, {"sequence", k}});
      page.look(0.02);
    }
    EXPECT_NE(page.in_frame<std::uint32_t>(40) & 32u, 0u) << "the handle is shown";
    EXPECT_NE(page.in_frame<std::uint32_t>(40) & 4u, 0u) << "the hand holds";
    page.look(0.3);
    EXPECT_EQ(page.state()["fault"], nullptr);
    EXPECT_NEAR(page.in_frame<float>(120) - begun, 0.29, 0.01) << "the handle has gone the cursor's way";
    EXPECT_EQ(page.ask({{"type", "move"}, {"target", {1e9, 0.0, 0.0}}})["type"], "error") << "said, not done";
    page.look(0.2);
    EXPECT_EQ(page.state()["fault"], nullptr);
    // It closes while it holds.
  }
  Page next = visitor();
  Json status = next.wait_until(
      [](const Json& text) { return text.value("type", "") == "status" && text["state"] == "faulted"; });
  ASSERT_TRUE(status.is_object());
  const std::string why = status["fault"].value("why", "");
  EXPECT_NE(why.find("closed while it held"), std::string::npos) << status["fault"];
  ASSERT_EQ(next.ask({{"type", "clear_fault"}})["type"], "ok");
  status = next.wait_until(
      [](const Json& text) { return text.value("type", "") == "status" && text["state"] == "running"; });
  EXPECT_TRUE(status.is_object());
}

TEST_F(Serve, ABrokenModelIsSaidWithItsPlaceAndMendedGoesOn) {
  start();
  Page page = visitor();
  const std::string text = page.ask({{"type", "text"}})["text"];
  EXPECT_EQ(text, content_of(support::source_dir() + "/models/four_bar.yaml"));
  std::string broken = text;
  broken.replace(broken.find("child: rocker"), 13, "child: rokcer");
  const Json error = page.ask({{"type", "apply"}, {"text", broken}, {"keep", true}});
  EXPECT_EQ(error["type"], "error");
  EXPECT_GT(error["where"]["line"], 10);
  EXPECT_NE(error["remedy"].get<std::string>().find("rocker"), std::string::npos);
  const Json checked = page.ask({{"type", "check"}, {"text", broken}});
  EXPECT_EQ(checked["ok"], false);
  EXPECT_EQ(checked["where"], error["where"]);
  EXPECT_EQ(page.ask({{"type", "check"}, {"text", text}})["ok"], true);
  page.look(0.3);
  const double t = page.in_frame<double>(16);
  std::string heavier = text;
  heavier.replace(heavier.find("density: {value: 2"), 18, "density: {value: 3");
  EXPECT_EQ(page.ask({{"type", "apply"}, {"text", heavier}, {"keep", true}})["type"], "ok");
  page.look(0.3);
  EXPECT_GT(page.in_frame<double>(16), t) << "it goes on from where it stands";
}

TEST_F(Serve, TimeStopsStepsAndGoesBack) {
  start();
  Page page = visitor();
  page.ask({{"type", "time"}, {"do", "pause"}});
  page.look(0.3);
  const double t = page.in_frame<double>(16);
  page.look(0.2);
  EXPECT_EQ(page.in_frame<double>(16), t);
  page.ask({{"type", "time"}, {"do", "step"}, {"ticks", 10}});
  page.look(0.4);
  EXPECT_NEAR(page.in_frame<double>(16), t + 0.01, 1e-9);
  const Json saved = page.ask({{"type", "snapshot"}, {"do", "save"}});
  ASSERT_EQ(saved["type"], "ok");
  const float x = page.in_frame<float>(160 + 28 * 2);
  page.ask({{"type", "time"}, {"do", "run"}});
  page.look(0.3);
  page.ask({{"type", "time"}, {"do", "pause"}});
  EXPECT_EQ(page.ask({{"type", "snapshot"}, {"do", "load"}, {"id", saved["id"]}})["type"], "ok");
  page.look(0.3);
  EXPECT_NEAR(page.in_frame<double>(16), t + 0.01, 1e-9);
  EXPECT_EQ(page.in_frame<float>(160 + 28 * 2), x);
  EXPECT_EQ(page.ask({{"type", "snapshot"}, {"do", "load"}, {"id", 99}})["type"], "error");
  page.ask({{"type", "time"}, {"do", "reset"}});
  page.look(0.3);
  EXPECT_EQ(page.in_frame<double>(16), 0.0);
}

TEST_F(Serve, ARecordingIsMadeAgainBitForBit) {
  start("chain_in_enclosure_rigid");
  Page page = visitor();
  page.look(0.3);
  const Json begun = page.ask({{"type", "record"}, {"on", true}});
  ASSERT_EQ(begun["type"], "ok") << begun;
  page.say({{"type", "grab"}, {"body", 3}, {"point", vector(0.03, 0, 0)}, {"target", vector(0.1, 0, 0)}});
  for (int i = 0; i < 20; ++i) {
    page.say({{"type", "move"}, {"target", vector(0.09 * std::cos(0.5 * i), 0.09 * std::sin(0.5 * i), 0)}});
    page.look(0.05);
  }
  page.say({{"type", "release"}});
  const Json ended = page.ask({{"type", "record"}, {"on", false}});
  ASSERT_EQ(ended["type"], "ok") << ended;
  EXPECT_GT(ended["ticks"], 500);
  const std::string name = "/recordings/" + std::to_string(ended["id"].get<int>());
  support::Answer script;
  for (int i = 0; i < 100 && script.status != 200; ++i) {
    page.look(0.1);
    script = get(port(), name + ".json");
  }
  ASSERT_EQ(script.status, 200);
  page.look(0.2);
  EXPECT_EQ(page.state()["recordings"][0]["problem"], nullptr);
  const std::string path = testing::TempDir() + "recording_" + std::to_string(::getpid()) + ".json";
  std::ofstream(path) << script.body;
  EXPECT_TRUE(serve::is_recording_file(path));
  const serve::RecordingReport report = serve::repeat_recording(path);
  std::remove(path.c_str());
  EXPECT_TRUE(report.compared);
  EXPECT_TRUE(report.same) << report.worst;
  EXPECT_EQ(report.ticks, ended["ticks"]);
  const support::Answer table = get(port(), name + ".csv");
  EXPECT_EQ(table.status, 200);
  EXPECT_EQ(std::count(table.body.begin(), table.body.end(), '\n'), report.ticks + 2);
  EXPECT_EQ(get(port(), name + ".mcap").body.substr(1, 4), "MCAP");
  EXPECT_EQ(get(port(), name + ".poses").body.substr(0, 4), "TACP");
  EXPECT_EQ(get(port(), "/recordings/77.csv").status, 404);
}

TEST_F(Serve, APreviewIsThreeSecondsOfThirtyPicturesEach) {
  start("pendulum");
  Page page = visitor();
  support::Answer preview;
  for (int i = 0; i < 100 && preview.status != 200; ++i) {
    page.look(0.1);
    preview = get(port(), "/previews/pendulum");
  }
  ASSERT_EQ(preview.status, 200);
  std::uint32_t pictures = 0;
  float rate = 0.0f;
  ASSERT_GT(preview.body.size(), 16u);
  std::memcpy(&pictures, preview.body.data() + 8, sizeof pictures);
  std::memcpy(&rate, preview.body.data() + 12, sizeof rate);
  EXPECT_NEAR(rate, 30.0, 1.0);  // whole ticks between pictures
  EXPECT_EQ(pictures, static_cast<std::uint32_t>(3.0f * rate) + 1);
}

TEST_F(Serve, EquationsComeByElementWithTheirCounts) {
  start();
  Page page = visitor();
  const Json exact = page.ask({{"type", "equations"}, {"form", "exact"}});
  ASSERT_EQ(exact["type"], "equations") << exact;
  bool rows = false;
  for (const Json& section : exact["sections"])
    for (const Json& element : section["elements"]) rows |= element["constraint"] == 0;
  EXPECT_TRUE(rows);
  const Json shorter = page.ask({{"type", "equations"}, {"form", "canonical"}, {"threshold", 0.01}});
  ASSERT_EQ(shorter["type"], "equations") << shorter;
  EXPECT_LT(shorter["abbreviation"]["kept"], shorter["abbreviation"]["of"]);
  for (const Json& joint : shorter["abbreviation"]["proven"])
    EXPECT_LE(joint["measured"].get<double>(), joint["bound"].get<double>() * (1.0 + 1e-12));
}

TEST_F(Serve, ALawIsChosenWatchedAimedAndSwitchedOff) {
  start("puma560");
  Json scene;
  Page page = visitor(&scene);
  ASSERT_EQ(scene["control"]["laws"].size(), 6u) << scene["control"];
  EXPECT_EQ(scene["control"]["joints"][1]["most"], 186.4);
  page.look(0.2);
  EXPECT_EQ(page.state()["control"], nullptr);
  Json answer =
      page.ask({{"type", "control"}, {"law", "pole-placement"}, {"target", "slew"}, {"seconds", 0.5}});
  ASSERT_EQ(answer["type"], "ok") << answer;
  // It rests at both ends of its way, without weight: somewhere between them it is pushed.
  Json control;
  page.wait_until([&](const Json& message) {
    if (message.value("type", "") != "status" || !message["control"].is_object()) return false;
    control = message["control"];
    for (const Json& torque : control["torque"])
      if (std::abs(torque.get<double>()) > 1.0) return true;
    return false;
  });
  ASSERT_TRUE(control.is_object());
  EXPECT_EQ(control["law"], "pole-placement");
  EXPECT_EQ(control["target"], "slew");
  EXPECT_EQ(control["knows"], true);
  for (const char* row : {"torque", "most", "error", "largest"}) EXPECT_EQ(control[row].size(), 6u) << row;
  EXPECT_TRUE(std::any_of(control["torque"].begin(), control["torque"].end(),
                          [](const Json& torque) { return std::abs(torque.get<double>()) > 1.0; }));
  page.say({{"type", "channels"}, {"names", {"control.torque.q2", "control.error.q2"}}});
  page.look(0.3);
  EXPECT_EQ(page.in_frame<std::uint16_t>(36), 2);
  // The same law told where alone goes at once; another one is made.
  EXPECT_EQ(page.ask({{"type", "control"}, {"target", "stand"}})["type"], "ok");
  answer = page.ask({{"type", "control"}, {"law", "computed-torque"}, {"poles", {-20, 20}}});
  EXPECT_EQ(answer["law"], "computed-torque") << answer;
  page.look(0.3);
  EXPECT_EQ(page.state()["control"]["law"], "computed-torque");
  EXPECT_EQ(page.state()["control"]["target"], "stand");
  // Another arm than the one that the law knows, until it learns it.
  ASSERT_EQ(page.ask({{"type", "parameter"}, {"name", "gravity"}, {"value", 3}})["type"], "ok");
  page.look(0.3);
  EXPECT_EQ(page.state()["control"]["knows"], false);
  EXPECT_EQ(page.ask({{"type", "control"}, {"learn", true}})["type"], "ok");
  page.look(0.3);
  EXPECT_EQ(page.state()["control"]["knows"], true);
  EXPECT_EQ(page.ask({{"type", "control"}, {"law", "off"}})["type"], "ok");
  page.look(0.3);
  EXPECT_EQ(page.state()["control"], nullptr);
  EXPECT_EQ(page.ask({{"type", "control"}, {"law", "magic"}})["type"], "error");
}

TEST_F(Serve, GainsPolesLociAndLimitsComeFromTheWorkshop) {
  start("planar_2r");
  Page page = visitor();
  page.look(0.2);
  const Json now =
      page.ask({{"type", "loci"}, {"law", "pole-placement"}, {"poles", {-10, 5}}, {"now", true}});
  ASSERT_EQ(now["type"], "loci") << now;
  EXPECT_EQ(now["G1"].size(), 2u);
  EXPECT_EQ(now["G2"][1].size(), 2u);
  EXPECT_EQ(now["closed"].size(), 4u);
  EXPECT_TRUE(now["loci"].empty());
  const Json all =
      page.ask({{"type", "loci"}, {"law", "pole-placement"}, {"poles", {-10, 5}}, {"sampled", false}});
  ASSERT_EQ(all["loci"].size(), 3u) << all;
  constexpr double kSix = 1e-4;  // six digits are sent
  for (const Json& root : all["closed"]) {
    EXPECT_NEAR(root[0].get<double>(), -10.0, kSix);
    EXPECT_NEAR(std::abs(root[1].get<double>()), 5.0, kSix);
  }
  for (const Json& locus : all["loci"]) {
    EXPECT_EQ(locus["stable"], true);
    EXPECT_EQ(locus["values"].size(), locus["roots"].size());
    EXPECT_EQ(locus["roots"][0].size(), 4u);
  }
  EXPECT_EQ(page.ask({{"type", "loci"}, {"law", "computed-torque"}})["loci"].size(), 1u);
  EXPECT_EQ(page.ask({{"type", "loci"}, {"law", "magic"}})["type"], "error");
}

TEST_F(Serve, AMechanismThatNoLawLeadsSaysWhy) {
  start("four_bar");
  Json scene;
  Page page = visitor(&scene);
  EXPECT_NE(scene["control"]["why"].get<std::string>().find("constraints"), std::string::npos);
  EXPECT_TRUE(scene["control"]["laws"].empty());
  page.look(0.2);
  for (const char* type : {"control", "loci"}) {
    const Json refused = page.ask({{"type", type}, {"law", "gravity"}});
    EXPECT_EQ(refused["type"], "error");
    EXPECT_NE(refused["what"].get<std::string>().find("constraints"), std::string::npos) << refused;
    EXPECT_NE(refused["remedy"], "");
  }
}

TEST_F(Serve, WhatIsFeltIsSaidAtTheHandAndWhereAPageLooks) {
  start("four_bar");
  Page page = visitor();
  EXPECT_EQ(page.ask({{"type", "probe"}, {"body", 2}, {"point", vector(0.15, 0, 0)}})["type"], "ok");
  page.look(0.4);
  const Json probe = page.state()["probe"];
  ASSERT_TRUE(probe.is_object()) << page.state();
  EXPECT_EQ(probe["body"], 2);
  EXPECT_GT(probe["felt"]["masses"][0].get<double>(), 0.0);
  EXPECT_EQ(probe["felt"]["masses"][1], nullptr) << "blocked";
  EXPECT_EQ(probe["felt"]["masses"][2], nullptr);
  EXPECT_EQ(probe["felt"]["directions"].size(), 3u);
  page.say({{"type", "grab"}, {"body", 2}, {"point", vector(0.15, 0, 0)}, {"target", vector(0.3, 0, 0.3)}});
  page.look(0.4);
  const Json felt = page.state()["hand"]["felt"];
  ASSERT_TRUE(felt.is_object());
  EXPECT_GT(felt["along"].get<double>(), 0.0);
  EXPECT_EQ(felt["own"], false);
  EXPECT_EQ(page.ask({{"type", "probe"}, {"body", nullptr}})["type"], "ok");
  page.look(0.4);
  EXPECT_EQ(page.state()["probe"], nullptr);
  EXPECT_EQ(page.ask({{"type", "probe"}, {"body", 77}})["type"], "error");
}

// Security.

TEST_F(Serve, RefusesOtherOriginsHostsAndProtocols) {
  start();
  EXPECT_EQ(Page(port(), "http://evil.example").status(), 403);
  EXPECT_EQ(Page(port(), "null").status(), 403);
  EXPECT_EQ(Page(port(), "", 0, "tactus.9").status(), 400);
  EXPECT_EQ(get(port(), "/", "", "GET", "evil.example").status, 421);
  EXPECT_EQ(get(port(), "/models/four_bar.yaml", "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(get(port(), "/models/four_bar.yaml", "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(get(port(), "/", "", "POST").status, 405);
  EXPECT_EQ(get(port(), "/", "Content-Length: 5\r\n").status, 413);
  EXPECT_TRUE(logged("another origin"));
  EXPECT_TRUE(logged("another host"));
}

TEST_F(Serve, ServesNothingOutsideItsFolders) {
  start();
  EXPECT_EQ(get(port(), "/models/four_bar.yaml").body,
            content_of(support::source_dir() + "/models/four_bar.yaml"));
  for (const char* path : {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/models/../README.md",
                           "/models/gallery/index.yaml", "/models//etc/passwd", "/models/%2fetc%2fpasswd",
                           "/.git/config", "/recordings/../x", "/scenes/..%2f"}) {
    const int status = get(port(), path).status;
    EXPECT_TRUE(status == 400 || status == 404) << path << " " << status;
  }
}

TEST_F(Serve, ANameThatAPageGivesDoesNotReachTheHeadOfAnAnswer) {
  start();
  Page page = visitor();
  const std::string text = content_of(support::source_dir() + "/models/pendulum.yaml");
  ASSERT_EQ(page.ask({{"type", "open"}, {"text", text}, {"name", "x\"\r\nSet-Cookie: a=b\r\n.yaml"}})["type"],
            "ok");
  ASSERT_EQ(page.ask({{"type", "record"}, {"on", true}})["type"], "ok");
  page.look(0.3);
  const Json ended = page.ask({{"type", "record"}, {"on", false}});
  ASSERT_EQ(ended["type"], "ok") << ended;
  support::Answer answer;
  for (int i = 0; i < 100 && answer.status != 200; ++i) {
    page.look(0.1);
    answer = get(port(), "/recordings/" + std::to_string(ended["id"].get<int>()) + ".csv");
  }
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.head.find("\r\nSet-Cookie"), std::string::npos) << answer.head;
}

TEST_F(Serve, APageCannotNameFiles) {
  start();
  Page page = visitor();
  const std::string text =
      "name: x\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: mesh, file: /etc/passwd, "
      "contact: true}]}\n"
      "joints:\n  q: {type: free, parent: world, child: b}\n";
  const Json answer = page.ask({{"type", "open"}, {"text", text}, {"name", "x.yaml"}});
  EXPECT_EQ(answer["type"], "error");
  EXPECT_NE(answer["what"].get<std::string>().find("mesh"), std::string::npos) << answer;
}

/// A folder with a model whose link has a mesh: a pyramid of one metre, scaled to a tenth; and one whose file is not there.
struct FolderWithMesh {
  FolderWithMesh() {
    std::ofstream(path / "pyramid.obj")
        << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::ofstream(path / "swing.yaml") << R"(
name: swing
bodies:
  link:
    mass: 1
    com: [0, 0, -0.1]
    inertia: [0.01, 0.01, 0.01]
    geometry:
      - {shape: mesh, file: pyramid.obj, scale: 0.1, placement: {xyz: [0, 0, -0.1]}}
      - {shape: mesh, file: not_there.stl}
joints: {q: {type: revolute, parent: world, child: link, axis: y}}
initial: {q: {q: 0.5}}
)";
  }
  ~FolderWithMesh() { std::filesystem::remove_all(path); }
  static std::filesystem::path make() {
    const std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) / ("tactus-mesh-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    return path;
  }
  std::filesystem::path path = make();
};

TEST_F(Serve, SendsTheTrianglesOfAMeshByItsNumber) {
  const FolderWithMesh folder;
  start((folder.path / "swing.yaml").string());
  Json scene;
  Page page = visitor(&scene);
  const Json shapes = scene["bodies"][1]["shapes"];
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0]["mesh"], 0);
  EXPECT_TRUE(shapes[1]["mesh"].is_null());
  EXPECT_NE(scene["notes"].dump().find("not drawn"), std::string::npos) << scene["notes"];
  const std::string at = "/meshes/" + std::to_string(scene["id"].get<int>());
  const support::Answer answer = get(port(), at + "-0");
  EXPECT_EQ(answer.status, 200);
  ASSERT_EQ(answer.body.size(), 8u + 12u * 4u + 12u * 4u);
  const auto number = [&]<class T>(std::size_t place, T) {
    T value{};
    std::memcpy(&value, answer.body.data() + place, sizeof value);
    return value;
  };
  EXPECT_EQ(number(0, std::uint32_t{}), 4u);
  EXPECT_EQ(number(4, std::uint32_t{}), 4u);
  EXPECT_EQ(number(8 + 12, float{}), 0.1F);  // the second corner's x
  for (std::size_t i = 0; i < 12; ++i) EXPECT_LT(number(56 + 4 * i, std::uint32_t{}), 4u);
  // Another number, another scene: nothing.
  EXPECT_EQ(get(port(), at + "-1").status, 404);
  EXPECT_EQ(get(port(), "/meshes/999-0").status, 404);
  EXPECT_EQ(get(port(), "/meshes/../swing.yaml").status, 400);
}

TEST_F(Serve, AnEditedFileKeepsItsMeshesAndGetsNoOthers) {
  const FolderWithMesh folder;
  const std::string file = (folder.path / "swing.yaml").string();
  start(file);
  Page page = visitor();
  std::string text = content_of(file);
  const auto change = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  change("mass: 1", "mass: 2");
  const Json applied = page.ask({{"type", "apply"}, {"text", text}, {"keep", true}});
  ASSERT_EQ(applied["type"], "ok") << applied;
  EXPECT_EQ(get(port(), "/meshes/" + std::to_string(applied["scene"].get<int>()) + "-0").status, 200);
  change("not_there.stl", "/etc/passwd");
  const Json refused = page.ask({{"type", "apply"}, {"text", text}, {"keep", true}});
  EXPECT_EQ(refused["type"], "error");
  EXPECT_NE(refused["what"].get<std::string>().find("cannot name files"), std::string::npos) << refused;
}

TEST_F(Serve, EveryAnswerHasItsPolicy) {
  start();
  for (const char* path : {"/", "/models/four_bar.yaml", "/nothing", "/../x"}) {
    const std::string head = get(port(), path).head;
    EXPECT_NE(head.find("Content-Security-Policy: default-src 'none'"), std::string::npos) << path;
    EXPECT_NE(head.find("X-Content-Type-Options: nosniff"), std::string::npos) << path;
    EXPECT_EQ(head.find("Access-Control"), std::string::npos) << path;
  }
  EXPECT_EQ(get(port(), "/models/four_bar.yaml", "", "HEAD").status, 200);
}

TEST_F(Serve, LargeAndWrongFramesEndTheConnection) {
  start();
  {
    Page page = visitor();
    page.send(1, std::string((1u << 20) + 1, 'x'));
    page.look(2.0);
    EXPECT_EQ(page.closed_with(), 1009);
  }
  {
    Page page = visitor();
    page.send(2, "binary");
    page.look(2.0);
    EXPECT_EQ(page.closed_with(), 1003);
  }
  {
    Page page = visitor();
    page.send(1, "no json");
    page.look(2.0);
    EXPECT_EQ(page.closed_with(), 1007);
  }
  {
    Page page = visitor();
    page.send(1, "{}", false);  // not masked
    page.look(2.0);
    EXPECT_NE(page.closed_with(), 0);
  }
  {
    Page page = visitor();
    page.socket().send(std::string("\xf7\x80", 2) +
                       std::string(64, 'x'));  // no opcode that there is, bits that nobody asked for
    page.look(2.0);
    EXPECT_NE(page.closed_with(), 0);
  }
  {
    Page page(port());
    page.say({{"type", "time"}, {"do", "pause"}});  // before hello
    page.look(2.0);
    EXPECT_EQ(page.closed_with(), 1008);
  }
  EXPECT_TRUE(logged("too large"));
  EXPECT_TRUE(logged("binary"));
  Page page = visitor();
  EXPECT_GT(page.look(0.5), 5) << "the others go on";
}

TEST_F(Serve, AFloodOfMessagesIsClosed) {
  start();
  Page page = visitor();
  for (int i = 0; i < 4000; ++i)
    if (!page.say({{"type", "ping"}, {"t", i}})) break;
  page.look(3.0);
  EXPECT_EQ(page.closed_with(), 1008);
  EXPECT_TRUE(logged("messages per second"));
}

TEST_F(Serve, APageThatDoesNotReadSlowsNobody) {
  start("stewart_platform");
  Page reader = visitor();
  reader.look(0.5);
  const long before = reader.state()["loop"]["ticks"];
  constexpr int kSmall = 4096;
  Page stalled(port(), "", kSmall);
  ASSERT_TRUE(stalled.connected());
  stalled.hello("stalled");
  stalled.say({{"type", "frames"}, {"rate", 120}});
  for (int i = 0; i < 300; ++i) stalled.say({{"type", "ping"}, {"t", i}});  // answers that it never reads
  const int frames = reader.look(2.0);
  EXPECT_GT(frames, 10) << "of 120, on a machine that is not too busy";
  EXPECT_GT(reader.state()["loop"]["ticks"].get<long>() - before, 100) << "of 2000";
}

TEST_F(Serve, AThousandConnectionsAreRefusedBeyondTheLimitAndLeaveNoTrace) {
  serve::ServerOptions options;
  options.most_connections = 20;
  options.most_pages = 3;
  start("four_bar", options);
  Page page = visitor();
  {
    std::vector<std::unique_ptr<Socket>> many;
    for (int i = 0; i < 1000; ++i) many.push_back(std::make_unique<Socket>(port()));
    EXPECT_TRUE(logged("refused a connection"));
    int gone = 0;
    for (auto& socket : many) gone += socket->gone(0.01);
    EXPECT_GT(gone, 900);
    EXPECT_GT(page.look(0.5), 5) << "who was there first goes on";
  }
  int status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    status = get(port(), "/models/four_bar.yaml").status;
  }
  EXPECT_EQ(status, 200);
  Page second = visitor(), third = visitor();
  EXPECT_EQ(Page(port()).status(), 503) << "three pages are enough here";
}

TEST_F(Serve, WhoNeverFinishesARequestIsLeftBehind) {
  serve::ServerOptions options;
  options.patience = 0.3;
  start("four_bar", options);
  Socket slow(port());
  slow.send("GET / HTTP/1.1\r\nHost: ");
  EXPECT_TRUE(slow.gone(5.0));
  Socket endless(port());
  endless.send("GET / HTTP/1.1\r\nX: " + std::string(20000, 'x'));
  EXPECT_EQ(read_answer(endless).status, 431);
}

TEST_F(Serve, BeyondTheMachineATokenIsNeeded) {
  serve::ServerOptions options;
  options.host = "0.0.0.0";
  start("four_bar", options);
  const std::string address = server_->address();
  const std::size_t at = address.find("?token=");
  ASSERT_NE(at, std::string::npos);
  const std::string token = address.substr(at + 7);
  EXPECT_EQ(token.size(), 32u);
  EXPECT_EQ(get(port(), "/models/four_bar.yaml").status, 403);
  EXPECT_EQ(Page(port()).status(), 403);
  const support::Answer answer = get(port(), "/models/four_bar.yaml?token=" + token);
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.head.find("Set-Cookie: tactus_token=" + token + "; Path=/; HttpOnly; SameSite=Strict"),
            std::string::npos);
  EXPECT_EQ(get(port(), "/models/four_bar.yaml", "Cookie: tactus_token=" + token + "\r\n").status, 200);
}

TEST_F(Serve, ItSaysGoodByeWhenItEnds) {
  start();
  Page page = visitor();
  server_->stop();
  page.look(3.0);
  EXPECT_EQ(page.closed_with(), 1001);
}

}  // namespace
