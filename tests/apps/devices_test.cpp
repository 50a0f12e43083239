// tactus devices, and hardware from the command line.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

#include <tactus/control/admittance_design.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/log.h>

#include "apps/program.h"
#include "apps/table.h"
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

TEST(Devices, EveryEntryOfTheListHasTheSameKeys) {
  const nlohmann::json all = nlohmann::json::parse(tactus("devices --json").out);
  ASSERT_GT(all.size(), 10u);
  for (const nlohmann::json& one : all)
    for (const auto& [key, value] : all[0].items())
      EXPECT_TRUE(one.contains(key)) << one.at("name") << " " << key;
}

TEST(Devices, ANameShowsEveryNumberOfOneWithItsUnit) {
  const Outcome wheel = tactus("devices simulated:wheel");
  ASSERT_EQ(wheel.code, 0) << wheel.err;
  for (const char* said :
       {"0.03 kg m^2", "0.05 N m s/rad", "0.1 N m", "0.00024 rad", "1000 Hz", "100 N m/rad"})
    EXPECT_NE(wheel.out.find(said), std::string::npos) << said << "\n" << wheel.out;
  const Outcome servo = tactus("devices simulated:admittance");
  for (const char* said : {"300 rad/s", "1.5e-07 m/N", "1e-05 rad/(N m)", "0.02 N", "0, 0, 0 N m"})
    EXPECT_NE(servo.out.find(said), std::string::npos) << said << "\n" << servo.out;
  const auto json = [](const std::string& name) {
    const Outcome run = tactus("devices --json " + name);
    EXPECT_EQ(run.code, 0) << name << run.err;
    return nlohmann::json::parse(run.out);
  };
  EXPECT_DOUBLE_EQ(json("simulated:admittance").at("settings").at("bandwidth"), 300.0);
  EXPECT_DOUBLE_EQ(json("simulated:cobot").at("settings").at("leak_mass"), 11.0);
  EXPECT_DOUBLE_EQ(json("simulated:cobot --rate 500").at("latency_s"), 2e-3);
  EXPECT_EQ(json("model:" + model("pantograph.yaml")).at("sensed").size(), 2u);
  EXPECT_GT(json("model:" + model("stewart_platform.yaml") + ":plate").at("inertia").at("translation"), 0.0);
  EXPECT_DOUBLE_EQ(json("arm:" + model("puma560.yaml")).at("rate_hz"), 500.0);
  const nlohmann::json driver = json("forcedimension:1");
  EXPECT_FALSE(driver.at("available").get<bool>());
  EXPECT_NE(driver.at("found").get<std::string>().find("libdhd"), std::string::npos);
}

// What a driver's usual device shows at another rate is computed for that rate.
TEST(Devices, ADriversDeviceIsAsStiffAsItsRateLetsItBe) {
  const auto stiffness = [](const std::string& options) {
    const Outcome run = tactus("devices --json forcedimension " + options);
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out).at("largest_stiffness").get<double>();
  };
  const nlohmann::json usual = nlohmann::json::parse(tactus("devices --json forcedimension").out);
  const double late = 1e3 * usual.at("latency_s").get<double>(), K = stiffness("--rate 250");
  EXPECT_GT(K, 0.0);
  EXPECT_LT(K, usual.at("largest_stiffness").get<double>());
  EXPECT_DOUBLE_EQ(K, stiffness("--rate 250 --latency " + std::to_string(late)));
}

// A file's name is its path: what it is based on says how it estimates its speed.
TEST(Devices, AFileOfACobotHasItsFilter) {
  const Folder folder;
  const Outcome own = tactus("devices " + folder.file("own.yaml", "based_on: simulated:cobot\n"));
  ASSERT_EQ(own.code, 0) << own.err;
  EXPECT_NE(own.out.find("differences through a pole at"), std::string::npos) << own.out;
  EXPECT_NE(tactus("devices simulated:cobot").out.find("differences through a pole at"), std::string::npos);
  EXPECT_NE(tactus("devices simulated:planar").out.find("differences through two poles at"),
            std::string::npos);
}

TEST(Devices, ANameThatThereIsNotIsRefused) {
  const auto refused = [](const std::string& name, const char* said) {
    const Outcome run = tactus("devices " + name);
    EXPECT_EQ(run.code, 2) << name;
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  };
  refused("simulated:planer", "did you mean `simulated:planar`?");
  refused("forcedimenson", "did you mean `forcedimension`?");
  refused("quite_another", "`tactus devices` lists them");
  refused("model:", "names no file");
  refused("nothing.yaml", "there is no such file");
  refused(model("pantograph.yaml"), "model:");
  refused("--rate 2000", "tactus devices NAME");
  refused("simulated:planar --mass 0", "positive");
  refused("simulated:planar --latency nan", "--latency");
  refused("simulated:planar --latency 100", "64 periods at most");
}

// By hand: b = 4 N s/m, T = 1 ms, f_c = 0.2 N, D = 10 um; then 2 ms late at 500 Hz.
TEST(Devices, DesignSaysTheBoundsAndWhetherTheSampledLoopIsStable) {
  const auto design = [](const std::string& options) {
    const Outcome run = tactus("devices --json " + options);
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out).at("design");
  };
  const nlohmann::json own = design("simulated:planar --mass 2 --inertia 0.01").at("translation");
  EXPECT_DOUBLE_EQ(own.at("bound_by_sampling"), 8000.0);             // 2 b/T
  EXPECT_DOUBLE_EQ(own.at("bound_by_encoder"), 40000.0);             // 2 f_c/D
  EXPECT_DOUBLE_EQ(own.at("bound_by_encoder_port_moves"), 20000.0);  // f_c/D
  EXPECT_EQ(own.at("bound_by"), "sampling");
  EXPECT_DOUBLE_EQ(
      design("simulated:planar --rate 500 --latency 2").at("translation").at("bound_by_sampling"),
      4.0 / 3e-3);
  // A rate that is so high that the encoder counts.
  const nlohmann::json fast = design("simulated:planar --rate 20000").at("translation");
  EXPECT_EQ(fast.at("bound_by"), "encoder");
  EXPECT_EQ(fast.at("gains").at("stiff").at("bound_by"), "encoder, port moves");

  // The library's own, for each coupling.
  device::Specification s;
  for (const device::Specification& one : device::devices())
    if (one.name == "simulated:planar") s = one;
  const std::array<double, 2> port{0.01, 2.0};
  for (const auto& [coupling, share] : {std::pair{"soft", 0.1}, {"firm", 0.5}, {"stiff", 0.9}}) {
    const control::CouplerGains gains = control::design(s, port, share);
    const nlohmann::json& here = own.at("gains").at(coupling);
    EXPECT_DOUBLE_EQ(here.at("stiffness"), gains.stiffness[1]);
    EXPECT_DOUBLE_EQ(here.at("damping"), gains.damping[1]);
    EXPECT_DOUBLE_EQ(
        here.at("spectral_radius_port"),
        control::spectral_radius(control::loop_of(s, 1, 2.0), gains.stiffness[1], gains.damping[1]));
    EXPECT_TRUE(here.at("passive"));
    EXPECT_TRUE(here.at("stable"));
  }
  // A device that burns nothing is passive with no spring.
  const nlohmann::json bare = design("model:" + model("pantograph.yaml")).at("translation");
  EXPECT_EQ(bare.at("largest_stiffness"), 0.0);
  EXPECT_EQ(bare.at("gains").at("firm").at("bound_by"), "mass");
  EXPECT_FALSE(bare.at("gains").at("firm").at("passive"));
}

// By hand: S0's disk, 0.25 kg and 1 N s/m through a servo of 5 ms: b/tau + b^2/m = 200 + 4 N/m.
TEST(Devices, DesignSaysWhatAnAdmittanceDeviceBears) {
  const Folder folder;
  const std::string slow = folder.file(
      "slow.yaml", "based_on: simulated:admittance\nrate: 10 kHz\nbandwidth: 200\nleads: false\n");
  const Outcome run = tactus("devices --json --mass 0.25 --damping 1 " + slow);
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json rendered = nlohmann::json::parse(run.out).at("design").at("rendered");
  EXPECT_DOUBLE_EQ(rendered.at("stiffest_hand"), 204.0);
  constexpr double kSampling = 0.05;  // as of the running loop (tests/display/stability_test.cpp)
  EXPECT_NEAR(rendered.at("stiffest_hand_sampled"), 204.0, kSampling * 204.0);
  device::Specification s;
  for (const device::Specification& one : device::devices())
    if (one.name == "simulated:cobot") s = one;
  const nlohmann::json cobot =
      nlohmann::json::parse(tactus("devices --json simulated:cobot").out).at("design");
  EXPECT_DOUBLE_EQ(cobot.at("least_inertia").at("translation"), control::least_inertia(s)[1]);
  EXPECT_DOUBLE_EQ(cobot.at("least_inertia").at("rotation"), control::least_inertia(s)[0]);
  EXPECT_FALSE(cobot.contains("rendered"));
}

// docs/device-file.md: its example is one, and its tables have every key.
TEST(Devices, TheManualsExampleIsADevice) {
  const std::string page = content_of(support::source_dir() + "/docs/device-file.md");
  const std::size_t from = page.find("```yaml\n") + 8, to = page.find("```", from);
  ASSERT_LT(from, to);
  const Folder folder;
  const std::string file = folder.file("my_device.yaml", page.substr(from, to - from));
  const Outcome run = tactus("devices --json " + file);
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_DOUBLE_EQ(json.at("rate_hz"), 2000.0);
  EXPECT_DOUBLE_EQ(json.at("inertia").at("translation"), 0.2);
  EXPECT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.2 --device " + file).code, 0);
  const std::string code = content_of(support::source_dir() + "/tactus/device/device_file.cpp");
  const std::size_t keys = code.find("kKeys{"), end = code.find("};", keys);
  int count = 0;
  for (std::size_t at = keys; (at = code.find('"', at)) < end; ++count) {
    const std::size_t close = code.find('"', at + 1);
    const std::string key = "`" + code.substr(at + 1, close - at - 1) + "`";
    EXPECT_NE(page.find(key), std::string::npos) << key;
    at = close + 1;
  }
  EXPECT_GT(count, 30);
}

// A device of one's own in a run: set-up files name it as seen from their folder, the log has it in it, and is enough.
TEST(Devices, AFileIsHeldNamedBesideItsSetUpAndAttachedToTheLog) {
  const Folder folder;
  const std::string text = "based_on: simulated:planar\nrate: 500 Hz\ninertia: 0.3 kg\nlatency: 4 ms\n";
  const std::string file = folder.file("own.yaml", text), log = folder.path("run.mcap");
  const std::string saved = folder.path("saved.yaml");
  const std::string setup = folder.file(
      "setup.yaml", "model: " + model("shopping_cart.yaml") + "\ndevice: own.yaml\nduration: 0.2\n");
  const Outcome run = tactus("haptic --json --log " + log + " --save-setup " + saved + " --setup " + setup);
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json summary = nlohmann::json::parse(run.out);
  EXPECT_EQ(summary.at("ticks"), 100);
  EXPECT_EQ(summary.at("rate_hz"), 500.0);
  EXPECT_NE(content_of(saved).find("\ndevice: " + file), std::string::npos) << content_of(saved);
  EXPECT_NE(content_of(saved).find("\nhand: "), std::string::npos) << content_of(saved);
  const auto attached = display::RecordedRun(log).attachments();
  ASSERT_TRUE(attached.contains(file));
  EXPECT_EQ(attached.at(file), text);
  const Outcome over =
      tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.1 --device " + file + " --out " + file);
  EXPECT_EQ(over.code, 2) << over.out;
  EXPECT_EQ(content_of(file), text);
  std::filesystem::remove(file);
  const Outcome again = tactus("replay " + log);
  EXPECT_EQ(again.code, 0) << again.err << again.out;
  EXPECT_NE(again.out.find("the same bits"), std::string::npos) << again.out;
  const Outcome gone = tactus("haptic --setup " + setup);
  EXPECT_EQ(gone.code, 2);
  EXPECT_NE(gone.err.find("setup.yaml:2:"), std::string::npos) << gone.err;
}

// A model as a device by a file: shown with what it is made of, held, logged with its model, and run again
// with its own dynamics.
TEST(Devices, AModelsFileIsShownHeldAndRunAgain) {
  const Folder folder;
  const std::string mechanism = folder.file("lever.yaml", R"(
name: lever
gravity: [0, 0, 0]
bodies:
  upper: {mass: 0.2, com: [0.1, 0, 0], inertia: [1e-4, 1e-3, 1e-3]}
  fore: {mass: 0.1, com: [0.1, 0, 0], inertia: [1e-4, 1e-3, 1e-3]}
joints:
  q1: {type: revolute, parent: world, child: upper, axis: z, damping: 5e-3, friction: {coulomb: 2 mNm}}
  q2:
    type: revolute
    parent: upper
    child: fore
    axis: z
    placement: {xyz: [0.2, 0, 0]}
    damping: 5e-3
    friction: {coulomb: 2 mNm}
frames: {tip: {body: fore, placement: {xyz: [0.2, 0, 0]}, grasp: true}}
initial: {q: {q1: 45 deg, q2: 80 deg}}
)");
  const std::string text =
      "based_on: model:lever.yaml\nrate: 2 kHz\nlatency: 1 ms\nencoder: 0.2 mrad\ncompensated: false\n"
      "workspace: [20 cm, 20 cm, 0]\npeak_force: 9 N\nforce_noise: 10 mN\n";
  const std::string file = folder.file("own.yaml", text), log = folder.path("run.mcap");
  const Outcome shown = tactus("devices " + file);
  ASSERT_EQ(shown.code, 0) << shown.err;
  for (const char* said :
       {"model:lever.yaml", "x y", "2000 Hz", "0.0002 rad", "9 N", "x from -0.1 to 0.1 m", "0.01 N"})
    EXPECT_NE(shown.out.find(said), std::string::npos) << said << "\n" << shown.out;
  const nlohmann::json json = nlohmann::json::parse(tactus("devices --json " + file).out);
  EXPECT_EQ(json.at("settings").at("compensated"), false);
  EXPECT_DOUBLE_EQ(json.at("settings").at("encoder"), 2e-4);
  EXPECT_DOUBLE_EQ(json.at("latency_s"), 1e-3);
  EXPECT_GT(json.at("damping").at("translation"), 0.0);
  EXPECT_GT(json.at("design").at("translation").at("largest_stiffness"), 0.0);
  EXPECT_NE(tactus("devices model:" + model("pantograph.yaml")).out.find("none is stated"),
            std::string::npos);

  const std::string setup = folder.file(
      "setup.yaml", "model: " + model("shopping_cart.yaml") + "\ndevice: own.yaml\nduration: 0.3\n");
  for (const char* controller : {"coupler", "penalties"}) {
    const Outcome run =
        tactus("haptic --json --log " + log + " --setup " + setup + " --controller " + controller);
    ASSERT_EQ(run.code, 0) << run.err;
    const nlohmann::json summary = nlohmann::json::parse(run.out);
    EXPECT_EQ(summary.at("ticks"), 600);
    EXPECT_EQ(summary.at("device"), file);
    const display::RecordedRun recorded(log);
    EXPECT_EQ(recorded.attachments().at(file), text);
    EXPECT_TRUE(recorded.attachments().contains(mechanism));
    const Outcome again = tactus("replay " + log);
    EXPECT_EQ(again.code, 0) << again.err << again.out;
    EXPECT_NE(again.out.find("the same bits"), std::string::npos) << again.out;
  }
  // Its files are inputs, and no outputs.
  const Outcome over = tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.1 --device " + file +
                              " --out " + mechanism);
  EXPECT_EQ(over.code, 2) << over.out;
  std::filesystem::remove(file);
  std::filesystem::remove(mechanism);
  EXPECT_EQ(tactus("replay " + log).code, 0);
}

// Where its weight is felt, that gives the hand energy, and the loop has not made it.
TEST(Devices, WhatADevicesOwnWeightGivesIsNotLaidToTheLoop) {
  const Folder folder;
  const auto notes = [&](const char* compensated) {
    const std::string file = folder.file("own.yaml", "based_on: model:" + model("stewart_platform.yaml") +
                                                         "\ncompensated: " + compensated + "\n");
    const Outcome run =
        tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.3 --json --device " + file);
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out).at("notes").dump();
  };
  const std::string felt = notes("false"), carried = notes("true");
  EXPECT_NE(felt.find("own weight"), std::string::npos) << felt;
  EXPECT_EQ(felt.find("that neither the hand"), std::string::npos) << felt;
  EXPECT_EQ(carried.find("own weight"), std::string::npos) << carried;
}

// The first half of S0's footnote 5 from the command line: a cobot that is off, its wheel at 45 degrees,
// pushed by 10 N.
TEST(Devices, ACobotThatIsOffCoastsFromTheCommandLine) {
  const Folder folder;
  const std::string file = folder.file(
                        "coasting.yaml",
                        "based_on: simulated:cobot\noff: coasting\nsteered: [0, 0, 0, 45 deg, 0, 0]\n"
                        "resolution: 0\n"),
                    out = folder.path("run.csv"), log = folder.path("run.mcap");
  const Outcome run =
      tactus("haptic " + model("virtual_cube.yaml") + " --device " + file +
             " --device-off --hand constant --wrench 10,0,0 --duration 0.501 --out " + out + " --log " + log);
  ASSERT_EQ(run.code, 0) << run.err;
  const Table table = table_of(content_of(out));
  const double t = table.at("t").back(), x = table.at("handle_x").back();
  EXPECT_DOUBLE_EQ(t, 0.5);
  EXPECT_NEAR(2.0 * x / (t * t), 2.8 / 11.0, 1e-6);
  EXPECT_EQ(tactus("replay " + log).code, 0);
  const nlohmann::json settings = nlohmann::json::parse(tactus("devices --json " + file).out).at("settings");
  EXPECT_EQ(settings.at("off"), "coasting");
  EXPECT_NEAR(settings.at("steered").at(3).get<double>(), 0.7853981633974483, 1e-12);
}

TEST(Devices, AToolHangsOnAFilesAdmittanceDeviceToo) {
  const Folder folder;
  const std::string haptic = "haptic " + model("virtual_cube.yaml") + " --duration 0.2 --tool 0.5 --device ";
  const std::string log = folder.path("tool.mcap"),
                    moved = folder.file("a.yaml", "based_on: simulated:admittance\n");
  const Outcome run = tactus(haptic + moved + " --log " + log);
  EXPECT_EQ(run.code, 0) << run.err;
  std::filesystem::remove(moved);
  EXPECT_EQ(tactus("replay " + log).code, 0);
  EXPECT_EQ(tactus(haptic + folder.file("b.yaml", "based_on: simulated:spatial\n")).code, 2);
  EXPECT_EQ(tactus(haptic + folder.file("c.yaml", "based_on: simulated:cobot\n") + " --log " + log).code, 0);
  EXPECT_EQ(tactus("replay " + log).code, 0);
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
