// What options of every verb refuse, and how they say it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;

/// A number's option, and a value that is right.
struct NumberOption {
  std::string verb;  // with what it needs besides
  std::string option;
  std::string right;
  bool zero = false, negative = false;  // are right, too
  bool whole = false;
};

std::vector<NumberOption> number_options() {
  const std::string pendulum = model("pendulum.yaml"), cart = model("shopping_cart.yaml");
  const std::string simulate = "simulate --duration 0.01 " + pendulum,
                    alone = "simulate --step 0.01 " + pendulum, boxes = "simulate " + model("box_stack.yaml");
  const std::string derive = "derive " + pendulum, haptic = "haptic " + cart;
  return {{alone, "--duration", "0.01"},
          {simulate, "--step", "1e-3"},
          {simulate, "--sample", "0.01"},
          {simulate + " --integrator adaptive", "--tolerance", "1e-6"},
          {boxes + " --duration 0.01 --contact stepping", "--sleep", "0.5", true},
          {derive, "--abbreviate", "1e-3"},
          {derive + " --canonical", "--digits", "3", true, false, true},
          {"eval " + pendulum, "--abbreviate", "1e-3"},
          {haptic, "--duration", "0.01"},
          {haptic + " --duration 0.01 --controller penalties", "--joint-stiffness", "100", true},
          {haptic + " --duration 0.01 --controller penalties", "--joint-damping", "10", true},
          {haptic + " --duration 0.01 --controller penalties", "--damping-growth", "3"},
          {haptic + " --duration 0.01 --controller impedance", "--handle-stiffness", "100", true},
          {haptic + " --duration 0.01 --controller impedance", "--handle-damping", "10", true},
          {haptic + " --duration 0.01 --controller impedance", "--force-scale", "1.5"},
          {haptic + " --duration 0.01 --controller impedance", "--motion-scale", "1.5"},
          {haptic + " --duration 0.01 --controller impedance", "--kept-inertia", "0.5", true},
          {haptic + " --duration 0.01 --device simulated:admittance", "--tool", "0.3", true},
          {haptic + " --duration 0.01", "--stiffness", "500"},
          {haptic + " --duration 0.01", "--damping", "1", true},
          {haptic + " --duration 0.01", "--rate", "1000"},
          {haptic + " --duration 0.01", "--simulation-rate", "200"},
          {haptic + " --duration 0.01 --simulation-rate 200", "--transport", "1", true},
          {haptic + " --duration 0.01", "--size", "0.01"},
          {haptic + " --duration 0.01", "--force", "1", true, true},
          {haptic + " --duration 0.01", "--seed", "3", true, false, true},
          {haptic + " --duration 0.01", "--max-force", "5"},
          {haptic + " --duration 0.01", "--max-torque", "0.1"},
          {haptic + " --duration 0.01", "--max-speed", "0.5"},
          {haptic + " --duration 0.01", "--max-turn-speed", "5"},
          {haptic + " --duration 0.01", "--max-power-rate", "5"},
          {haptic + " --duration 0.01", "--workspace-angle", "1"},
          {haptic + " --duration 0.01", "--ramp", "1"},
          {haptic + " --duration 0.01", "--late", "20"},
          {haptic + " --duration 0.01", "--watchdog", "1", true},
          {haptic + " --duration 0.01", "--cpu", "0", true, false, true},
          // Refused before anything listens; what is right is tried in tests/serve.
          {"serve", "--port", "", true, false, true},
          {"serve", "--priority", "", true, false, true}};
}

TEST(Options, NumbersThatAreNoneAreRefusedByEveryVerbAndOptionWithASentence) {
  for (const NumberOption& one : number_options()) {
    std::vector<std::string> wrong{"nan", "NaN",   "inf",    "-inf", "''",  "' '", "abc",
                                   "1x",  "1e400", "1e-400", "0x10", "1,5", "1e",  "'1 2'"};
    if (!one.zero) wrong.emplace_back("0");
    if (!one.negative) wrong.emplace_back("-1");
    if (one.whole) wrong.emplace_back("0.5");
    for (const std::string& value : wrong) {
      const std::string line = one.verb + " " + one.option + "=" + value;
      const Outcome run = tactus(line);
      EXPECT_EQ(run.code, 2) << line << "\n" << run.out << run.err;
      EXPECT_NE(run.err.find("error: " + one.option), std::string::npos) << line << ": " << run.err;
      EXPECT_NE(run.err.find("help: "), std::string::npos) << line << ": " << run.err;
      EXPECT_LT(run.err.size(), 250u) << line << ": " << run.err;
      EXPECT_TRUE(run.out.empty()) << line << ": " << run.out;
    }
  }
}

TEST(Options, NumbersThatAreRightAreTaken) {
  for (const NumberOption& one : number_options()) {
    if (one.right.empty()) continue;
    const Outcome run = tactus(one.verb + " " + one.option + " " + one.right);
    EXPECT_EQ(run.code, 0) << one.verb << " " << one.option << ": " << run.err;
  }
}

TEST(Options, EmptyTextsAreRefusedByEveryOption) {
  const std::string pendulum = model("pendulum.yaml");
  for (const std::string& line :
       {"simulate --out '' " + pendulum, "simulate --plot= " + pendulum, "simulate --frames '' " + pendulum,
        "simulate --script '' " + pendulum, std::string("simulate ''"), "check --set '' " + pendulum,
        "derive --at '' " + pendulum, "derive --keep '' " + pendulum, "generate --name '' " + pendulum,
        "generate --out '' " + pendulum, "eval --at '' " + pendulum, "linear --sweep '' " + pendulum,
        "haptic --device '' " + pendulum, "haptic --log '' " + pendulum, std::string("serve --host ''"),
        std::string("study ''"), std::string("study --out '' clover1996"), std::string("replay ''")}) {
    const Outcome run = tactus(line);
    EXPECT_EQ(run.code, 2) << line << run.out;
    EXPECT_NE(run.err.find("error: "), std::string::npos) << line << ": " << run.err;
    EXPECT_TRUE(run.out.empty()) << line << ": " << run.out;
  }
}

TEST(Options, TheHelpOfAMessageNamesTheVerb) {
  EXPECT_NE(tactus("simulate --step abc x.yaml").err.find("tactus simulate --help"), std::string::npos);
  EXPECT_NE(tactus("--nonsense").err.find("tactus --help"), std::string::npos);
}

TEST(Options, RangesOfASweepAreFiniteNumbers) {
  for (const char* range : {"nan:1:0.1", "0:inf:1", "0:1:nan", "0:1:0", "0:1:-1", "0:1",
                            "0:1:", "::", "0:1e400:1", "0:1:1x", "0:1:1e-9"}) {
    const Outcome run = tactus("linear " + model("pendulum.yaml") + " --sweep q=" + range);
    EXPECT_EQ(run.code, 2) << range << ": " << run.err;
    EXPECT_NE(run.err.find("--sweep q="), std::string::npos) << run.err;
  }
}

TEST(Options, WhatIsNamedTwiceIsThereOnce) {
  const Folder folder;
  const std::string arm = model("planar_2r.yaml");
  const Outcome twice = tactus("simulate --duration 0.01 --frames tip,tip --out - " + arm),
                once = tactus("simulate --duration 0.01 --frames tip --out - " + arm);
  ASSERT_EQ(twice.code, 0) << twice.err;
  EXPECT_EQ(twice.out, once.out);
  const Outcome generated =
      tactus("generate --what mass-matrix,mass-matrix --out " + folder.path("g") + " " + arm);
  EXPECT_EQ(generated.code, 0) << generated.err;
  EXPECT_EQ(generated.out.find("mass_matrix"), generated.out.rfind("mass_matrix")) << generated.out;
  const Outcome set = tactus("check --set L1=1 --set L1=2 " + arm);
  EXPECT_EQ(set.code, 2);
  EXPECT_NE(set.err.find("twice"), std::string::npos) << set.err;
}

TEST(Options, ATimeThatCannotAdvanceIsSaid) {
  const Folder folder;
  const std::string late = folder.file("late.yaml", "initial: {t: 1e15}\n");
  for (const std::string& m : {model("pendulum.yaml"), model("box_drop.yaml")}) {
    const Outcome run = tactus("simulate --duration 0.01 --script " + late + " " + m);
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_NE(run.err.find("late.yaml: error: the motion begins at t = 1e+15 s"), std::string::npos)
        << run.err;
  }
  const std::string epoch = folder.file("epoch.yaml", "initial: {t: 1.7e9}\n");
  EXPECT_EQ(tactus("simulate --duration 0.01 --script " + epoch + " " + model("pendulum.yaml")).code, 0);
}

TEST(Options, AFileWhereAFolderIsMeantIsSaid) {
  const Folder folder;
  const std::string file = folder.file("taken", "mine\n");
  for (const std::string& line :
       {"study iftomm-a02 --out " + file, "generate " + model("pendulum.yaml") + " --out " + file}) {
    const Outcome run = tactus(line);
    EXPECT_EQ(run.code, 2) << line << run.out;
    EXPECT_NE(run.err.find("this is a file, not a folder"), std::string::npos) << run.err;
    EXPECT_EQ(content_of(file), "mine\n");
  }
}

TEST(Options, TheListOfStudiesIsJson) {
  const Outcome run = tactus("study --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_FALSE(nlohmann::json::parse(run.out).at("studies").empty());
}

TEST(Options, AFloatingModelIsHeldByAHand) {
  const Folder folder;
  const std::string box = folder.file(
      "box.urdf",
      "<robot name=\"box\"><link name=\"base\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" "
      "izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>\n");
  const Outcome run = tactus("haptic --floating --weightless --duration 0.05 --json " + box);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(nlohmann::json::accept(run.out));
  // The hand moves it; welded to the ground it is a wall, which has no mass.
  const auto mass = [](const std::string& json) { return nlohmann::json::parse(json).at("apparent_mass"); };
  ASSERT_TRUE(mass(run.out).is_number());
  EXPECT_NEAR(mass(run.out).get<double>(), 1.0, 1e-9);
  EXPECT_TRUE(mass(tactus("haptic --weightless --duration 0.05 --json " + box).out).is_null());
}

}  // namespace
}  // namespace tactus::apps
