// Set-up files: what they keep, and where one is wrong.
#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

TEST(Haptic, ASetupFileKeepsAllSettings) {
  const Folder folder;
  const std::string saved = folder.path("setup.yaml");
  const std::string given =
      model("four_bar.yaml") + " --duration 0.3 --hand tap --seed 7 --coupling soft --moving";
  const Outcome first =
      tactus("haptic " + given + " --save-setup " + saved + " --out " + folder.path("a.csv"));
  ASSERT_EQ(first.code, 0) << first.err;
  // What was chosen stands in it beside what was given.
  for (const char* const line : {"\ndevice: simulated:spatial\n", "\nport: middle\n", "\nrate: 1000\n"})
    EXPECT_NE(content_of(saved).find(line), std::string::npos) << content_of(saved);
  const Outcome again = tactus("haptic --setup " + saved + " --out " + folder.path("b.csv"));
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(content_of(folder.path("a.csv")), content_of(folder.path("b.csv")));
  // The command line counts more.
  const Outcome longer = tactus("haptic --setup " + saved + " --duration 0.4 --json");
  ASSERT_EQ(longer.code, 0) << longer.err;
  EXPECT_EQ(json::parse(longer.out).at("ticks"), 400);
  // A model beside the file.
  folder.file("m.yaml", content_of(model("four_bar.yaml")));
  const Outcome beside =
      tactus("haptic --json --setup " + folder.file("beside.yaml", "model: m.yaml\nduration: 0.1\n"));
  ASSERT_EQ(beside.code, 0) << beside.err;
  EXPECT_EQ(json::parse(beside.out).at("ticks"), 100);
}

TEST(Haptic, SaysWhereASetupFileIsWrong) {
  const Folder folder;
  const auto error = [&](const std::string& text) {
    const Outcome run =
        tactus("haptic " + model("four_bar.yaml") + " --setup " + folder.file("s.yaml", text));
    EXPECT_EQ(run.code, 2) << text;
    return run.err;
  };
  EXPECT_NE(error("duration: 0.1\nraet: 5\n").find("s.yaml:2:1"), std::string::npos);
  EXPECT_NE(error("raet: 5\n").find("rate"), std::string::npos);
  EXPECT_NE(error("rate: fast\n").find("s.yaml:1:1"), std::string::npos);
  EXPECT_NE(error("rate: 1000\nduration: 1\nrate: 2000\n").find("s.yaml:3:1"), std::string::npos);
  EXPECT_NE(error("rate: [1000, 2000]\n").find("one value"), std::string::npos);
  EXPECT_NE(error("rate: [1000]\n").find("s.yaml:1:1: error: `rate` needs one value, no list"),
            std::string::npos);
  EXPECT_NE(error("model: [1]\n").find("s.yaml:1:1: error: `model` needs one value, no list"),
            std::string::npos);
  EXPECT_NE(error("no-turning: [true]\n").find("one value, no list"), std::string::npos);
  EXPECT_NE(error("rate:\n").find("a value"), std::string::npos);
  EXPECT_NE(error("- 1\n").find("map"), std::string::npos);
  EXPECT_NE(error("rate: {a: 1}\n").find("s.yaml"), std::string::npos);
  EXPECT_NE(error("a: [1\n").find("s.yaml"), std::string::npos);
}

TEST(Haptic, ASetupThatIsNoneIsRefused) {
  const Folder folder;
  for (const std::string& what : {std::string("/dev/zero"), folder.file("key.yaml", "model: a\n? [b]\n: c\n"),
                                  folder.file("none.yaml", "")}) {
    const Outcome run = tactus("haptic --setup " + what);
    EXPECT_EQ(run.code, 2) << what;
    EXPECT_NE(run.err.find(what), std::string::npos) << run.err;
  }
}

// A flag that is down in a file is no option that was given; one that is up is.
TEST(Haptic, ASavedSetUpGivesTheNotesOfItsRun) {
  const Folder folder;
  const std::string saved = folder.path("saved.yaml");
  for (const char* given : {"", " --controller penalties", " --device simulated:admittance",
                            " --hand push --force 1", " --controller prescribed --prescribe x"}) {
    const Outcome first = tactus("haptic " + model("shopping_cart.yaml") + given +
                                 " --duration 0.05 --json --save-setup " + saved);
    ASSERT_EQ(first.code, 0) << given << first.err;
    const Outcome again = tactus("haptic --json --setup " + saved);
    ASSERT_EQ(again.code, 0) << given << again.err;
    EXPECT_EQ(json::parse(first.out).at("notes"), json::parse(again.out).at("notes")) << given;
  }
  const Outcome up =
      tactus("haptic --json --setup " + folder.file("up.yaml", "model: " + model("shopping_cart.yaml") +
                                                                   "\nduration: 0.05\nno-turning: true\n"));
  ASSERT_EQ(up.code, 0) << up.err;
  EXPECT_NE(up.out.find("--no-turning does nothing here"), std::string::npos) << up.out;
}

TEST(Haptic, AnErrorOfMeaningInASetUpHasItsPlace) {
  const Folder folder;
  for (const char* wrong : {"port: nowhere", "device: simulated:nothing", "set: [nothing=3]"}) {
    const std::string setup =
        folder.file("setup.yaml", "model: " + model("shopping_cart.yaml") + "\n" + wrong + "\n");
    const Outcome run = tactus("haptic --setup " + setup);
    EXPECT_EQ(run.code, 2) << wrong;
    EXPECT_NE(run.err.find("setup.yaml:2:1: error:"), std::string::npos) << run.err;
  }
  // Those that name the option, that are about a file which a setting names, and that the library says of a model or a device.
  for (const char* wrong :
       {"device: pointer", "device: model:nope.yaml", "device: arm:nope.yaml", "device: file:nope.csv",
        "device: evdev:nope", "hand: file:nope.yaml", "hand: constant", "max-force: 1e4", "max-torque: 1e4",
        "internal-damping: 1", "arm-friction: 2", "joint-damping: 1e6", "prescribe: [x, y, z]"}) {
    const std::string setup = folder.file(
        "setup.yaml", "model: " + model("box_drop.yaml") + "\n" + wrong + "\ncontroller: " +
                          (std::string(wrong).starts_with("joint") ? "penalties" : "prescribed") + "\n");
    const Outcome run = tactus("haptic --device simulated:spatial --setup " + setup);
    const bool device = std::string(wrong).starts_with("device");  // the command line's counts more
    const Outcome alone = device ? tactus("haptic --setup " + setup) : run;
    EXPECT_EQ(alone.code, 2) << wrong;
    EXPECT_NE(alone.err.find("setup.yaml:2:1: error:"), std::string::npos) << wrong << alone.err;
    if (device) {
      EXPECT_EQ(run.err.find("setup.yaml:2:1"), std::string::npos) << wrong << run.err;
    }
  }
  const Outcome none =
      tactus("haptic --setup " + folder.file("setup.yaml", "rate: 1000\nmodel: nope.yaml\n"));
  EXPECT_NE(none.err.find("setup.yaml:2:1: error:"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("nope.yaml: there is no such file"), std::string::npos) << none.err;
  // An error inside a file that a setting names keeps its own place.
  folder.file("hand.yaml", "force: [1, 0]\n");
  const Outcome inside =
      tactus("haptic --setup " +
             folder.file("setup.yaml", "model: " + model("box_drop.yaml") + "\nhand: file:hand.yaml\n"));
  EXPECT_EQ(inside.code, 2);
  EXPECT_NE(inside.err.find("hand.yaml:1:"), std::string::npos) << inside.err;
}

TEST(Haptic, ASetUpIsOneMapAndItsParametersHaveTheirPlaces) {
  const Folder folder;
  const std::string head = "model: " + model("four_bar.yaml") + "\nduration: 0.1\n";
  Outcome run = tactus("haptic --setup " + folder.file("two.yaml", head + "---\nrate: 4000\n"));
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_NE(run.err.find("two.yaml: error: has more than one document"), std::string::npos) << run.err;
  run = tactus("haptic --setup " + folder.file("none.yaml", head + "set: crank=nan\n"));
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_NE(run.err.find("none.yaml:3:1: error: --set crank=nan"), std::string::npos) << run.err;
}

// What is written to the standard output is read by others: nothing else may stand there.
TEST(Haptic, ASetUpOnTheStandardOutputStandsThereAlone) {
  const Folder folder;
  const std::string cart = "haptic " + model("shopping_cart.yaml") + " --duration 0.05 --save-setup - ";
  for (const char* also : {"--json", "--out -", "--log -", "--histogram -"}) {
    const Outcome both = tactus(cart + also);
    EXPECT_EQ(both.code, 2) << also;
    EXPECT_NE(both.err.find("would write to the standard output"), std::string::npos) << both.err;
  }
  const Outcome alone = tactus(cart);
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(tactus("haptic --setup " + folder.file("again.yaml", alone.out)).code, 0);
}

// The file of a device is found from the set-up's folder, and a saved set-up works from anywhere.
TEST(Haptic, ASetUpNamesTheFileOfItsDevice) {
  const Folder folder;
  folder.file("five_bar.yaml", content_of(model("pantograph.yaml")));
  const std::string beside = folder.file(
      "setup.yaml", "model: " + model("four_bar.yaml") + "\ndevice: model:five_bar.yaml\nduration: 0.05\n");
  const std::string saved = folder.path("saved.yaml");
  ASSERT_EQ(tactus("haptic --setup " + beside + " --save-setup " + saved).code, 0);
  EXPECT_NE(content_of(saved).find("model:/"), std::string::npos) << content_of(saved);
  EXPECT_EQ(tactus("haptic --setup " + saved).code, 0);
}

}  // namespace
}  // namespace tactus::apps
