// Devices from the command line: models, arms, wheels, recordings, hardware by its fakes.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "fakes/haply_bench.h"
#include "program.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

TEST(Devices, AreListedWithWhatTheyCan) {
  const Outcome text = tactus("devices");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("simulated:planar"), std::string::npos);
  const Outcome as_json = tactus("devices --json");
  ASSERT_EQ(as_json.code, 0) << as_json.err;
  const json list = json::parse(as_json.out);
  ASSERT_GE(list.size(), 4u);
  bool impedance = false, admittance = false;
  for (const json& device : list) {
    impedance |= device.at("kind") == "impedance";
    admittance |= device.at("kind") == "admittance";
    EXPECT_GT(device.at("rate_hz").get<double>(), 0.0);
  }
  EXPECT_TRUE(impedance && admittance);
}

TEST(Haptic, AWheelTurnsTheCartWithoutFurtherOptions) {
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device simulated:wheel --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("largest_force_n"), 0.0);  // it only turns
  EXPECT_GT(summary.at("largest_torque_nm").get<double>(), 0.1);
  EXPECT_LT(summary.at("largest_torque_nm").get<double>(), 1.0);  // what it gives for ever
  const json gains = summary.at("coupler");
  EXPECT_EQ(gains.at("stiffness"), 0.0);
  EXPECT_GT(gains.at("rotational_stiffness").get<double>(), 0.0);
  // And by hand.
  const Outcome given = tactus("haptic " + model("shopping_cart.yaml") +
                               " --device simulated:wheel --stiffness 20 --duration 0.5 --json");
  ASSERT_EQ(given.code, 0) << given.err;
  EXPECT_EQ(json::parse(given.out).at("coupler").at("rotational_stiffness"), 20.0);
}

TEST(Haptic, ARobotArmIsADeviceFromTheCommandLine) {
  const Folder folder;
  const std::string cube = "haptic " + model("virtual_cube.yaml"),
                    arm = " --device arm:" + model("puma560.yaml");
  EXPECT_NE(tactus("devices").out.find("arm:FILE"), std::string::npos);
  const std::string log = folder.path("run.mcap"), setup = folder.path("setup.yaml");
  const Outcome run =
      tactus(cube + arm +
             " --duration 0.6 --size 0.05 --arm-noise 0.1,0.01 --arm-gripper 0.4,0,0,0.05 --arm-torque 0.8 "
             "--arm-no-load 4 "
             "--arm-elasticity 40,40,40,0,0,0 --arm-backlash 0.5 --arm-encoder-phase 0.3 --arm-law "
             "computed-torque --json --log " +
             log + " --save-setup " + setup);
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("rate_hz"), 500.0);
  EXPECT_EQ(summary.at("ticks"), 300);
  EXPECT_EQ(summary.at("why"), "");
  EXPECT_LT(summary.at("largest_lag_m").get<double>(), 5e-3);
  EXPECT_EQ(tactus("replay " + log).code, 0);
  EXPECT_EQ(tactus("haptic --setup " + setup + " --duration 0.1").code, 0);

  // It stops by itself and says why; what cannot be is refused before.
  const Outcome pushed = tactus("haptic " + model("rigid_body.yaml") + arm + " --hand push --force 20");
  EXPECT_EQ(pushed.code, 1);
  EXPECT_NE(pushed.err.find("the device refused the command: "), std::string::npos) << pushed.err;
  for (const char* wrong :
       {"--arm-start 0,0,0,0,0,0", "--arm-start 1,2", "--arm-poles 3,4", "--arm-integral 60000",
        "--arm-integral 1,2", "--arm-gripper nan", "--arm-encoders 1,2", "--arm-noise 1", "--arm-bias 1",
        "--arm-friction -1", "--arm-torque 0", "--arm-torque 2", "--arm-no-load 1,2", "--arm-elasticity -30",
        "--arm-elasticity 500", "--arm-backlash 2", "--arm-encoder-phase 1"})
    EXPECT_EQ(tactus(cube + arm + " " + wrong).code, 2) << wrong;
  EXPECT_EQ(tactus(cube + " --arm-friction 2").code, 2);
  EXPECT_EQ(tactus(cube + " --device arm:" + model("scara.yaml")).code, 2);
  EXPECT_EQ(tactus(cube + arm + ":nose").code, 2);
}

// A four-bar's middle turns about y, and a wheel about z.
TEST(Haptic, APortThatCannotFollowAPrescribedAxisIsToldInWords) {
  for (const char* axes : {"", " --prescribe rz"}) {
    const Outcome run = tactus("haptic " + model("four_bar.yaml") +
                               " --device simulated:wheel --controller prescribed --duration 0.1" + axes);
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_NE(run.err.find("help: "), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("inf"), std::string::npos) << run.err;
  }
}

TEST(Haptic, ARunThatStoppedSaysWhyInItsSummaryToo) {
  for (const auto& [options, fault] :
       {std::pair{"shopping_cart.yaml --max-speed 0.01", "too_fast"},
        {"shopping_cart.yaml --rate 50 --stiffness 1e5", "unbalanced"},
        {"shopping_cart.yaml --hand push --force 100 --device simulated:admittance", "out_of_workspace"},
        {"shopping_cart.yaml --realtime --late 0.001 --duration 0.5", "late"}}) {
    const Outcome run = tactus("haptic " + model(options) + " --json");
    EXPECT_EQ(run.code, 1) << options;
    const nlohmann::json summary = nlohmann::json::parse(run.out);
    EXPECT_EQ(summary.at("fault"), fault);
    const std::string why = summary.at("why");
    EXPECT_NE(why.find(" is the limit)"), std::string::npos) << why;
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
  }
}

// A force sensor has its end, 300 N, along the axes of the handle that it stands in, and bears the tool with the
// rest: a handle that is turned by 45 degrees in a bearing, and then pushed.
TEST(Haptic, AForceSensorsEndIsThatOfTheHandlesAxes) {
  const Folder folder;
  const std::string wheel = folder.file("wheel.yaml", R"(
name: wheel
gravity: [0, 0, -9.81]
bodies: {disk: {mass: 5, inertia: [0.1, 0.1, 0.1]}}
joints: {turn: {type: revolute, parent: world, child: disk, axis: z, damping: 0.1}}
)");
  const auto notes = [&](const std::string& push, const std::string& more) {
    const std::string hand = folder.file(
        "hand.yaml", "turn: [0, 0, \"if(t - 1, 45 deg, t*45 deg/(1 s))\"]\nforce: [" + push +
                         "]\narm: {stiffness: 0, rotational_stiffness: 20, rotational_damping: 2}\n");
    const Outcome run =
        tactus("haptic " + wheel +
               " --device simulated:admittance --duration 2.5 --json --hand file:" + hand + more);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.code == 0 ? json::parse(run.out).at("notes").dump() : run.err;
  };
  const std::string end = "the force sensor was at its end";
  // 350 N between two axes are 247 N along each; 400 N along one of them are 283 N along each of the world's.
  EXPECT_EQ(notes("\"if(t - 2, 350, 0)\", 0, 0", "").find(end), std::string::npos);
  EXPECT_NE(notes("\"if(t - 2, 283, 0)\", \"if(t - 2, 283, 0)\", 0", "").find(end), std::string::npos);
  EXPECT_EQ(notes("0, 0, \"if(t - 2, -290, 0)\"", "").find(end), std::string::npos);
  EXPECT_NE(notes("0, 0, \"if(t - 2, -290, 0)\"", " --tool 2").find(end), std::string::npos);
}

// A drum that turns slowly takes the handle no faster, and that is said.
TEST(Haptic, APortThatIsFasterThanItsDeviceIsNoted) {
  const Folder folder;
  const std::string run = "haptic " + model("shopping_cart.yaml") + " --duration 2 --json --device ";
  const Outcome usual = tactus(run + "simulated:cobot"),
                slow =
                    tactus(run + folder.file("slow.yaml", "based_on: simulated:cobot\ndrum_speed: 5 mm/s\n"));
  EXPECT_EQ(usual.out.find("faster than the device goes"), std::string::npos) << usual.out;
  EXPECT_NE(slow.out.find("faster than the device goes along an axis (0.0138 m/s"), std::string::npos)
      << slow.out << slow.err;
}

TEST(Haptic, AModelAsADeviceStaysWhereAHandHoldsIt) {
  for (const char* name : {"pantograph", "planar_3r", "stewart_platform", "peaucellier", "bricard"}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") +
                               " --device model:" + model(std::string(name) + ".yaml") +
                               " --stiffness 10 --hand hold --duration 0.5 --json");
    ASSERT_EQ(run.code, 0) << name << run.err;
    const json summary = json::parse(run.out);
    EXPECT_LT(summary.at("largest_lag_m").get<double>(), 1e-3) << name;
    EXPECT_NEAR(summary.at("energy_j").at("given_by_the_hand").get<double>(), 0.0, 1e-4) << name;
    EXPECT_NE(summary.at("notes").dump().find("not passive"), std::string::npos) << name;
  }
  // Without damping no stiffness is passive: one that is stable is chosen, and that is said.
  const Outcome chosen = tactus("haptic " + model("shopping_cart.yaml") +
                                " --device model:" + model("pantograph.yaml") + " --duration 2 --json");
  ASSERT_EQ(chosen.code, 0) << chosen.err;
  const json summary = json::parse(chosen.out);
  EXPECT_GT(summary.at("coupler").at("stiffness").get<double>(), 0.0);
  EXPECT_NE(summary.at("notes").dump().find("stable by its mass"), std::string::npos) << summary.at("notes");
  EXPECT_EQ(summary.at("notes").dump().find("gained"), std::string::npos) << summary.at("notes");
}

// Models as devices, with what is chosen for them: encoder steps that are large at the handle do not shake it until the run ends.
TEST(Haptic, ModelsAsDevicesHoldTheCartAsTheyAre) {
  for (const char* device :
       {"stewart_platform.yaml", "puma560.yaml", "ur5.yaml", "general_6r.yaml", "pantograph.yaml"}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") +
                               " --json --duration 2 --device model:" + model(device));
    ASSERT_EQ(run.code, 0) << device << run.out << run.err;
    const json summary = json::parse(run.out);
    EXPECT_EQ(summary.at("notes").dump().find("gained"), std::string::npos) << device;
    EXPECT_GT(summary.at("energy_j").at("into_the_mechanism").get<double>(), 0.0) << device;
  }
}

// Through a five-bar, whose last link turns as it is moved: a hand that held it against turning pushed the
// handle aside, unsensed, until the energies did not fit any more.
TEST(Haptic, FourChannelsGoThroughAModelAsTheirDevice) {
  for (const char* name : {"four_bar.yaml", "chain_in_enclosure.yaml", "chain_in_enclosure_rigid.yaml",
                           "finger_on_wall.yaml", "disk_on_ramp.yaml"})
    for (const char* controller : {"impedance", "penalties"}) {
      const Outcome run = tactus("haptic " + model(name) + " --json --duration 1.5 --controller " +
                                 controller + " --device model:" + model("pantograph.yaml"));
      EXPECT_EQ(run.code, 0) << name << ' ' << controller << run.err;
    }
  // What is pushed across an inclined slide moves it along.
  for (const char* device : {"sliding_arm.yaml", "slider_crank.yaml"}) {
    const Outcome run =
        tactus("haptic " + model("rigid_body.yaml") +
               " --weightless --json --duration 1 --controller impedance --device model:" + model(device));
    EXPECT_EQ(run.code, 0) << device << run.err;
  }
}

// Encoder steps of a model without damping, times the passivity controller's damper, fed what it should take: 23 N
// instead of 1 N, and the run ended.
TEST(Haptic, ThePassivityControllerDoesNotShakeAModelAsADevice) {
  for (const auto& [name, device] : {std::pair{"pantograph.yaml", "stewart_platform.yaml"},
                                     {"rigid_body.yaml --weightless", "ur5.yaml"}}) {
    const Outcome run =
        tactus("haptic " + model(name) +
               " --json --duration 1 --hand circle --passivity --device model:" + model(device));
    ASSERT_EQ(run.code, 0) << name << run.err;
    EXPECT_LT(json::parse(run.out).at("largest_force_n").get<double>(), 5.0) << name;
  }
}

// A tool whose centre is beside the handle couples turning with moving: 0.5 kg at 0.1 m swung up to 525 N.
TEST(Haptic, AToolBesideTheHandleIsBorne) {
  for (const char* options :
       {"planar_3r.yaml --device simulated:cobot --weightless --tool 0.5,0.1,0,0",
        "planar_3r.yaml --device simulated:cobot --weightless --hand hold --tool 0.2,0.1,0,0",
        "chain_30.yaml --device simulated:cobot-feedback --tool 0.5,0,0,0.1",
        "laparoscope.yaml --device simulated:admittance --tool 0.5,0,0,0.1"}) {
    const Outcome run = tactus("haptic " + model(options) + " --json --duration 1");
    ASSERT_EQ(run.code, 0) << options << run.err;
    const json summary = json::parse(run.out);
    EXPECT_LT(summary.at("largest_force_n").get<double>(), 40.0) << options;
    EXPECT_EQ(summary.at("notes").dump().find("gained"), std::string::npos) << options << summary.at("notes");
  }
}

// A wrist has an end: a hand that turns a free body on and on is stopped there, and not where the device has none.
TEST(Haptic, AHandleIsNotTurnedBeyondItsWrist) {
  const Folder folder;
  const std::string hand = folder.file(
      "hand.yaml",
      "turn: [0, 0, 3*(1 - exp(-3*t))]\narm: {rotational_stiffness: 2, rotational_damping: 0.5}\n");
  const auto fault = [&](const std::string& device) {
    const Outcome run =
        tactus("haptic " + model("rigid_body.yaml") +
               " --weightless --json --duration 3 --hand file:" + hand + " --device simulated:" + device);
    return json::parse(run.out).at("fault").get<std::string>();
  };
  EXPECT_EQ(fault("spatial"), "turned_too_far");
  EXPECT_EQ(fault("admittance"), "none");  // [Faulring2006]'s disks turn on and on in it
  EXPECT_EQ(fault("ideal"), "none");
}

// What turns is in the table, and a recording turns again.
TEST(Haptic, AWheelsRunIsPlayedBackFromItsTable) {
  const Folder folder;
  const std::string wheel = folder.file("wheel.yaml", R"(
name: wheel
bodies: {disk: {mass: 1, inertia: [0.005, 0.005, 0.01]}}
joints: {turn: {type: revolute, parent: world, child: disk, axis: z, damping: 0.05}}
)");
  const std::string table = folder.path("run.csv"), again = folder.path("again.csv");
  ASSERT_EQ(tactus("haptic " + wheel + " --device simulated:wheel --duration 1 --out " + table).code, 0);
  const Outcome run = tactus("haptic " + wheel + " --device file:" + table + " --duration 1 --out " + again);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("as its motion was recorded"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("a hand that does"), std::string::npos) << run.out;
  /// The last row.
  const auto columns = [](const std::string& path) {
    std::map<std::string, double> row;
    for (const auto& [name, values] : table_of(content_of(path))) row[name] = values.back();
    return row;
  };
  auto one = columns(table), two = columns(again);
  EXPECT_EQ(one.size(), 53u);
  EXPECT_GT(std::abs(one["handle_qz"]), 0.1);  // it was turned
  EXPECT_NEAR(two["handle_qz"], one["handle_qz"], 1e-6);
  EXPECT_GT(std::abs(two["port_qz"]), 0.1);  // and the disk with it, through another coupler
  EXPECT_NEAR(one["handle_qw"] * one["handle_qw"] + one["handle_qz"] * one["handle_qz"], 1.0, 1e-12);
}

// A driver is in real time by itself, and no simulated hand holds it. A busy machine may be too slow for it; that is said then.
TEST(Haptic, HardwareIsInRealTimeWithoutBeingAsked) {
  device::test::HaplyBench bench;
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device " + bench.name() +
                             " --rate 200 --duration 0.2 --late 100000 --watchdog 0 --hand tap --json");
  const json summary = json::parse(run.out);
  EXPECT_TRUE(summary.at("realtime").get<bool>());
  EXPECT_EQ(summary.at("hand"), "a person");
  EXPECT_GT(summary.at("measured_rate_hz").get<double>(), 0.0);
  EXPECT_TRUE(summary.contains("wake"));
  const std::string notes = summary.at("notes").dump();
  EXPECT_NE(notes.find("--hand does nothing"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("--late does nothing"), std::string::npos) << notes;
  if (run.code == 0) {
    EXPECT_GE(summary.at("ticks").get<int>() + summary.at("missed").get<int>(), 40);
  } else {
    EXPECT_EQ(summary.at("fault"), "wrong_rate") << run.err;
  }
}

TEST(Haptic, ADeviceThatIsSlowerThanItSaysIsRefusedWithARateThatItCanHave) {
  device::test::HaplyBench bench;
  bench.service().set([](auto& s) { s.pause = 5; });
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device " + bench.name() +
                             " --duration 1 --late 100000 --watchdog 0 --json");
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_NE(run.err.find("another rate than the loop was made for"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("give --rate "), std::string::npos) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("fault"), "wrong_rate");
  EXPECT_EQ(summary.at("ticks"), 0);
  EXPECT_LE(summary.at("measured_rate_hz").get<double>(), 200.0);
}

// Its simulation is in a thread, and answers when the system lets it; the log is enough all the same.
TEST(Haptic, ARunOnHardwareWithTwoRatesIsReplayed) {
  const Folder folder;
  device::test::HaplyBench bench;
  const std::string log = folder.path("run.mcap");
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device " + bench.name() +
                             " --rate 200 --simulation-rate 40 --duration 0.5 --late 100000 --watchdog 0 "
                             "--json --log " +
                             log);
  const json summary = json::parse(run.out);
  if (summary.at("ticks") == 0) GTEST_SKIP() << "the machine was too slow for the fake: " << run.err;
  EXPECT_EQ(summary.at("two_rates").at("update_every_ticks"), 5);
  const Outcome again = tactus("replay --json " + log);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out).at("ticks"), summary.at("ticks"));
}

TEST(Haptic, SaysWhyADriverLostItsDevice) {
  const Folder folder;
  device::test::HaplyBench bench;
  std::thread spoiler([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    bench.service().set([](auto& s) { s.says = "gibberish"; });
  });
  const Outcome run =
      tactus("haptic " + model("shopping_cart.yaml") + " --device " + bench.name() +
             " --rate 20 --duration 60 --late 100000 --watchdog 0 --json --out " + folder.path("run.csv"));
  spoiler.join();
  EXPECT_EQ(run.code, run.code == 2 ? 2 : 1) << run.out;  // 2: on a busy machine it was not even opened then
  EXPECT_NE(run.err.find("gibberish"), std::string::npos) << run.err;
  if (run.code == 2) return;
  // The table's last row says it, too: the device was lost after its tick.
  std::string table = content_of(folder.path("run.csv"));
  const std::size_t last = table.rfind('\n', table.size() - 2) + 1;
  EXPECT_NE(table.find(",no_sample,", last), std::string::npos) << table.substr(last);
}

}  // namespace
}  // namespace tactus::apps
