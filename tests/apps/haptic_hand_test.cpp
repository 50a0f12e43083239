// Hands from the command line: those that are written down, and what any hand may do besides.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

/// The table of a run of the cart, through a device with a force sensor and no friction of its own.
std::string text_of(const Folder& folder, const std::string& options,
                    const std::string& device = "simulated:ideal-force") {
  const std::string out = folder.path("run.csv");
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device " + device +
                             " --duration 0.5 --out " + out + " " + options);
  EXPECT_EQ(run.code, 0) << options << run.err;
  return content_of(out);
}

// A wrench that stands, as an option, as formulas and as rows: the same bits.
TEST(HapticHand, AConstantWrenchIsTheSameHoweverItIsWritten) {
  const Folder folder;
  const std::string formulas = folder.file(
      "hand.yaml", "parameters: {F: 1.5}\nforce: [0.5, F/2 + 0.75 N, 0]\ntorque: [0, 0, 0.125]\n");
  const std::string rows = folder.file(
      "hand.csv", "# a hand\nt,force_y,force_x,torque_z,else\n0,1.5,0.5,0.125,x\n9,1.5,0.5,0.125,y\n");
  const std::string option = text_of(folder, "--hand constant --wrench 0.5,1.5,0,0,0,0.125");
  EXPECT_GT(option.size(), 1000u);
  EXPECT_EQ(text_of(folder, "--hand file:" + formulas), option);
  EXPECT_EQ(text_of(folder, "--hand file:" + rows), option);
  EXPECT_NE(text_of(folder, "--hand constant --wrench -0.5,1.5,0"), option);
}

// Through an admittance device without friction the hand's force acts on the port, and its work is force by way: a force that grows with the time, F = 4 t, has
// the work sum of F dx.
TEST(HapticHand, AScriptedForceDoesTheWorkThatItWrites) {
  const Folder folder;
  const std::string formulas = folder.file("hand.yaml", "force: [0, 4*t, 0]\n"),
                    rows = folder.file("hand.csv", "t,force_y\n0,0\n1,4\n"), out = folder.path("run.csv");
  for (const std::string& hand : {formulas, rows}) {
    const Outcome run =
        tactus("haptic " + model("shopping_cart.yaml") +
               " --device simulated:ideal-force --duration 0.8 --json --out " + out + " --hand file:" + hand);
    ASSERT_EQ(run.code, 0) << run.err;
    const Table table = table_of(content_of(out));
    const std::vector<double>&t = table.at("t"), &y = table.at("handle_y");
    double work = 0.0;
    for (std::size_t i = 1; i < t.size(); ++i) work += 4.0 * 0.5 * (t[i] + t[i - 1]) * (y[i] - y[i - 1]);
    const double given = json::parse(run.out).at("energy_j").at("given_by_the_hand").get<double>();
    EXPECT_GT(given, 1e-3);
    // One tick is missing at the end, of 800, where the power is largest.
    EXPECT_NEAR(work, given, 0.01 * given);
  }
}

// An arm as stiff as it is told holds the handle at the way that is written, but for what the load takes.
TEST(HapticHand, AnArmFollowsTheWayThatIsWritten) {
  const Folder folder;
  const std::string hand = folder.file(
      "hand.yaml", "way: [0, \"0.02*min(t/0.5, 1)\", 0]\narm: {stiffness: 400 N/m, damping: 40 N s/m}\n");
  const std::string out = folder.path("run.csv");
  const Outcome run =
      tactus("haptic " + model("rigid_body.yaml") +
             " --weightless --device simulated:ideal --duration 4 --out " + out + " --hand file:" + hand);
  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<double> y = table_of(content_of(out)).at("handle_y");
  ASSERT_EQ(y.size(), 4000u);
  EXPECT_NEAR(y.back(), 0.02, 0.002);
  EXPECT_LT(y[100], 0.01);
}

TEST(HapticHand, AnyHandLetsGoAndTrembles) {
  const Folder folder;
  const std::string stroke = text_of(folder, "--hand stroke");
  EXPECT_EQ(text_of(folder, "--hand stroke --let-go-at 0.25"), text_of(folder, "--hand let-go"));
  EXPECT_EQ(text_of(folder, "--hand stroke --tremor 2"), text_of(folder, "--hand tremble --force 2"));
  EXPECT_NE(text_of(folder, "--hand stroke --tremor 2"), stroke);
  EXPECT_NE(text_of(folder, "--hand-stiffness 50"), stroke);
  EXPECT_NE(text_of(folder, "--hand-damping 50"), stroke);
  const std::string held = folder.file("held.yaml", "force: [1, 0, 0]\n"),
                    left = folder.file("left.yaml", "force: [1, 0, 0]\nlet_go: 100 ms\n"),
                    shaken = folder.file("shaken.yaml", "force: [1, 0, 0]\ntremor: 0.5 N\n");
  const std::string pushed = text_of(folder, "--hand file:" + held);
  EXPECT_EQ(text_of(folder, "--hand file:" + left),
            text_of(folder, "--hand constant --wrench 1,0,0 --let-go-at 0.1"));
  EXPECT_NE(text_of(folder, "--hand file:" + shaken), pushed);
}

// What only turns feels no force: its hand trembles by torques.
TEST(HapticHand, TremblesOnADeviceThatOnlyTurns) {
  const Folder folder;
  const std::string shaken = folder.file("shaken.yaml", "torque: [0, 0, 0.2]\ntremor: 2 N\n"),
                    held = folder.file("held.yaml", "torque: [0, 0, 0.2]\n");
  const auto wheel = [&](const std::string& options) { return text_of(folder, options, "simulated:wheel"); };
  const std::string stroke = wheel("--hand stroke"), trembling = wheel("--hand tremble --force 3");
  EXPECT_NE(trembling, stroke);
  EXPECT_EQ(wheel("--hand stroke --tremor 3"), trembling);
  EXPECT_NE(wheel("--hand file:" + shaken), wheel("--hand file:" + held));
}

// A spring that a substep of the device does not bear made 5 MJ of nothing, and a run that ended well.
TEST(HapticHand, RefusesAHandThatItsDeviceDoesNotBear) {
  const Folder folder;
  const std::string file =
      folder.file("hand.yaml", "way: [0, 0, 0]\narm: {stiffness: 1e9 N/m, damping: 5 N s/m}\n");
  for (const std::string& options : {std::string("--hand-stiffness 1e9"), "--hand file:" + file,
                                     std::string("--device simulated:admittance --hand-stiffness 1e9"),
                                     "--device model:" + model("pantograph.yaml") + " --hand-stiffness 1e9",
                                     "--device model:" + model("pantograph.yaml") + " --hand-damping 1e6"}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.1 " + options);
    EXPECT_EQ(run.code, 2) << options << run.out;
    EXPECT_NE(run.err.find("is more than device"), std::string::npos) << options << run.err;
  }
}

// What nobody asked for is no reason to refuse a run: at a slow rate the arm that would suit the load is softer.
TEST(HapticHand, AHandThatIsChosenIsBorneAtAnyRate) {
  for (const char* options : {"--device simulated:spatial --rate 50", "--device simulated:spatial --rate 20",
                              "--device simulated:wheel --rate 10", "--device simulated:admittance --rate 10",
                              "--device simulated:cobot --rate 100"}) {
    const Outcome run =
        tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.2 --late 1e6 " + options);
    EXPECT_EQ(run.err.find("is more than device"), std::string::npos) << options << run.err;
    EXPECT_NE(run.code, 2) << options << run.err;
  }
}

// With the option and the place of what is too stiff: of turning or of moving.
TEST(HapticHand, SaysWhichOfItsStiffnessesIsNotBorne) {
  const Folder folder;
  for (const auto& [device, wrong, option] :
       {std::array{"simulated:spatial", "hand-rotational-stiffness: 1e6", "--hand-rotational-stiffness"},
        {"simulated:spatial", "hand-stiffness: 1e9", "--hand-stiffness"},
        {"simulated:wheel", "hand-stiffness: 1e9", "--hand-rotational-stiffness"}}) {
    const bool turning = std::string(wrong).starts_with("hand-rot");
    const std::string setup =
        folder.file("setup.yaml", "model: " + model("shopping_cart.yaml") + "\ndevice: " + device + "\n" +
                                      (turning ? "hand-stiffness: 300" : "hand-rotational-damping: 0.02") +
                                      "\n" + wrong + "\nduration: 0.1\n");
    const Outcome run = tactus("haptic --setup " + setup);
    EXPECT_EQ(run.code, 2) << wrong << run.out;
    EXPECT_NE(run.err.find(std::string("(") + option + ","), std::string::npos) << run.err;
    if (std::string(device) == "simulated:spatial") {
      EXPECT_NE(run.err.find("setup.yaml:4:1: error:"), std::string::npos) << run.err;
    }
  }
}

TEST(HapticHand, ARandomHandIsTheSameForTheSameSeed) {
  const Folder folder;
  const std::string one = text_of(folder, "--hand random --seed 7");
  EXPECT_EQ(text_of(folder, "--hand random --seed 7"), one);
  EXPECT_NE(text_of(folder, "--hand random --seed 8"), one);
}

TEST(HapticHand, SaysWhereAHandIsWrong) {
  const Folder folder;
  struct Wrong {
    const char *file, *text, *message;
  };
  const Wrong kWrong[] = {
      {"hand.yaml", "forces: [1, 0, 0]\n", "hand.yaml:1:1: error:"},
      {"hand.yaml", "force: [1, 0]\n", "hand.yaml:1:8: error:"},
      {"hand.yaml", "force: [1, x, 0]\n", "hand.yaml:1:12: error:"},
      {"hand.yaml", "force: [1 m, 0, 0]\n", "hand.yaml:1:9: error:"},
      {"hand.yaml", "force: [max(t, 1), 0, 0]\n", "put a formula with commas into quotes"},
      {"hand.yaml", "force: [0, sqrt(0.01 - t), 0]\n", "not a finite number at t = "},
      {"hand.yaml", "arm: {stiffness: 3}\n", "give `way` or `turn`"},
      {"hand.yaml", "way: [0, 0, 0]\narm: {stiffness: -3}\n",
       "hand.yaml:2:18: error: `stiffness` is negative"},
      {"hand.yaml", "force: [0, 0, 0]\nlet_go: 3 N\n", "hand.yaml:2:9: error:"},
      {"hand.yaml", "- 1\n", "hand.yaml:1:1: error:"},
      {"hand.csv", "force_x,force_y\n0,1\n", "no column `t`"},
      {"hand.csv", "t,fx\n0,1\n", "says what a hand does"},
      {"hand.csv", "t,force_x\n0,1\n0.5\n", "hand.csv:3: error: 1 numbers where there are 2 names"},
      {"hand.csv", "t,force_x\n0,1\n0,2\n", "hand.csv:3: error: time goes from 0 to 0 s"},
      {"hand.csv", "t,force_x\n0,nan\n", "hand.csv:2: error: `nan` is not a finite number"},
      {"hand.csv", "t,force_x,force_x\n0,1,2\n", "two columns `force_x`"},
      {"hand.csv", "t,force_x\n", "without rows"},
  };
  for (const Wrong& wrong : kWrong) {
    const std::string hand = folder.file(wrong.file, wrong.text);
    const Outcome run =
        tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.05 --hand file:" + hand);
    EXPECT_EQ(run.code, 2) << wrong.text;
    EXPECT_NE(run.err.find(wrong.message), std::string::npos) << wrong.text << run.err;
    EXPECT_NE(run.err.find("hand."), std::string::npos) << run.err;
  }
  for (const char* options : {"--hand file:", "--hand file:nowhere.yaml", "--hand strok", "--hand constant",
                              "--hand constant --wrench 1,2", "--hand constant --wrench 1,2,3,4,5,6,7",
                              "--hand constant --wrench 1,x,2", "--let-go-at -1", "--tremor -1"})
    EXPECT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.05 " + options).code, 2)
        << options;
  const Outcome typo = tactus("haptic " + model("shopping_cart.yaml") + " --hand strok");
  EXPECT_NE(typo.err.find("stroke"), std::string::npos) << typo.err;
}

TEST(HapticHand, NotesWhatDoesNothing) {
  for (const auto& [options, note] : std::vector<std::pair<std::string, std::string>>{
           {"--wrench 1,0,0", "--wrench does nothing"},
           {"--hand push --hand-stiffness 100", "--hand-stiffness does nothing"},
           {"--hand none --let-go-at 1", "--let-go-at does nothing"},
           {"--hand constant --wrench 1,0,0 --size 1", "--size does nothing"}}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.02 " + options);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find(note), std::string::npos) << options << run.out;
  }
}

TEST(HapticHand, NotesAFileThatEndsBeforeTheRun) {
  const Folder folder;
  const std::string table = folder.file("table.csv", "t,force_x\n0,1\n0.1,2\n");
  folder.file("push.csv", "0,0\n0.1,2\n");
  const std::string formulas =
      folder.file("hand.yaml", "tables: {push: {file: push.csv, unit: N}}\nforce: [0, push(t), 0]\n");
  const std::string lets_go = folder.file(
      "let_go.yaml", "tables: {push: {file: push.csv, unit: N}}\nforce: [0, push(t), 0]\nlet_go: 0.1\n");
  const std::string for_ever = folder.file("for_ever.yaml", "force: [0, sin(t), 0]\n");
  const auto said = [](const std::string& file, const std::string& options) {
    const Outcome run =
        tactus("haptic " + model("shopping_cart.yaml") + " --hand file:" + file + " " + options);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out.find("ends after 0.1 s") != std::string::npos;
  };
  EXPECT_TRUE(said(table, "--duration 0.2"));
  EXPECT_TRUE(said(formulas, "--duration 0.2"));
  EXPECT_FALSE(said(table, "--duration 0.1"));
  EXPECT_FALSE(said(formulas, "--duration 0.1"));
  EXPECT_FALSE(said(formulas, "--duration 0.2 --let-go-at 0.05"));
  EXPECT_FALSE(said(lets_go, "--duration 0.2"));
  EXPECT_FALSE(said(for_ever, "--duration 0.2"));
}

// What is no hand at all is said as of a hand, not as of a model.
TEST(HapticHand, AFileWithNothingInItIsNoHand) {
  const Folder folder;
  for (const std::string& file : {folder.file("empty.yaml", ""), folder.file("blank.yaml", " \n\n"),
                                  folder.file("remarks.yaml", "# force\n"), folder.file("empty.csv", ""),
                                  folder.file("remarks.csv", "# t,force_x\n"), std::string("/dev/null"),
                                  folder.path("none.yaml"), folder.path("none.csv")}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --hand file:" + file);
    EXPECT_EQ(run.code, 2) << file;
    EXPECT_NE(run.err.find(file), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("help:"), std::string::npos) << run.err;
    for (const char* of_a_model : {"bodies", "the model", ".urdf"})
      EXPECT_EQ(run.err.find(of_a_model), std::string::npos) << run.err;
  }
}

// The file is found from the set-up's folder, a saved set-up works from anywhere, no output goes over it, and a replay needs neither.
TEST(HapticHand, ASetUpNamesItAndAReplayNeedsItNot) {
  const Folder folder;
  folder.file("push.csv", "0,0\n0.1,2\n");
  const std::string hand =
      folder.file("hand.yaml", "tables: {push: {file: push.csv, unit: N}}\nforce: [0, push(t), 0]\n");
  const std::string setup =
      folder.file("setup.yaml", "model: " + model("shopping_cart.yaml") +
                                    "\nhand: file:hand.yaml\nduration: 0.2\nwrench: [1, 2, 3]\n");
  const std::string saved = folder.path("saved.yaml"), log = folder.path("run.mcap");
  const Outcome run = tactus("haptic --setup " + setup + " --save-setup " + saved + " --log " + log);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(content_of(saved).find("file:/"), std::string::npos) << content_of(saved);
  EXPECT_EQ(tactus("haptic --setup " + saved).code, 0);
  for (const char* name : {"hand.yaml", "push.csv"}) {
    const std::string before = content_of(folder.path(name));
    EXPECT_EQ(tactus("haptic --setup " + setup + " --out " + folder.path(name)).code, 2);
    EXPECT_EQ(content_of(folder.path(name)), before);
  }
  std::filesystem::remove(hand);
  EXPECT_EQ(tactus("haptic --setup " + setup).code, 2);
  const Outcome again = tactus("replay " + log);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("the same bits"), std::string::npos) << again.out;
}

}  // namespace
}  // namespace tactus::apps
