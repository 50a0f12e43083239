// What the program writes is whole or not there, and what it reads is never overwritten.
#include <gtest/gtest.h>

#include <filesystem>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
namespace fs = std::filesystem;

const std::string kShort = " --duration 0.01";

bool has_full_device() { return fs::exists("/dev/full"); }

std::size_t count_of(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

/// A command line of the shell, with `tactus` for the program; what it ends with.
int ends_with(std::string line) {
  for (std::size_t at; (at = line.find("TACTUS")) != std::string::npos;)
    line.replace(at, 6, tactus::support::program());
  const int status = std::system(("bash -c '" + line + "' > /dev/null 2> /dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Files, AFullDiskIsNoticedByEveryOutput) {
  if (!has_full_device()) GTEST_SKIP() << "this system has no /dev/full";
  for (const char* option : {"--out", "--plot"}) {
    const Outcome run =
        tactus("simulate " + model("pendulum.yaml") + " --duration 5 " + option + " /dev/full");
    EXPECT_EQ(run.code, 1) << option;
    EXPECT_NE(run.err.find("/dev/full: error: the file could not be written"), std::string::npos) << run.err;
    EXPECT_EQ(run.out.find("rows"), std::string::npos) << run.out;
  }
  const Outcome events = tactus("simulate " + model("box_drop.yaml") + kShort + " --events /dev/full");
  EXPECT_EQ(events.code, 1) << events.err;
}

TEST(Files, AFullStandardOutputIsNoticedByEveryVerb) {
  if (!has_full_device()) GTEST_SKIP() << "this system has no /dev/full";
  const std::string pendulum = model("pendulum.yaml");
  for (const std::string& verb :
       {"check " + pendulum, "check --json " + pendulum, "derive " + pendulum, "derive --latex " + pendulum,
        "derive --counts " + pendulum, "eval " + pendulum, "simulate --json " + pendulum + kShort,
        "simulate --out - " + pendulum + kShort, std::string("study"), std::string("--help"),
        std::string("--version"), std::string("derive --help")})
    EXPECT_EQ(ends_with("TACTUS " + verb + " > /dev/full"), 1) << verb;
}

TEST(Files, AReaderThatLeavesIsNoticed) {
  EXPECT_EQ(ends_with("TACTUS simulate " + model("pendulum.yaml") +
                      " --duration 50 --out - | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}"),
            1);
}

TEST(Files, AnOutputThatIsAnInputIsRefusedAndTheInputStays) {
  const Folder folder;
  const std::string text = content_of(model("pendulum.yaml"));
  const std::string file = folder.file("p.yaml", text), link = folder.path("link.yaml"),
                    hard = folder.path("hard.yaml");
  const std::string script = folder.file("script.yaml", "{}\n");
  fs::create_symlink(file, link);
  fs::create_hard_link(file, hard);
  for (const std::string& options :
       {"--out " + file, "--plot " + file, "--out " + link, "--out " + hard,
        "--out " + folder.path("nothing/../p.yaml"), "--script " + script + " --plot " + script}) {
    const Outcome run = tactus("simulate " + file + kShort + " " + options);
    EXPECT_EQ(run.code, 2) << options;
    EXPECT_NE(run.err.find("would overwrite"), std::string::npos) << run.err;
    EXPECT_EQ(content_of(file), text) << options;
    EXPECT_EQ(content_of(script), "{}\n");
  }
  const std::string header = folder.file("p.hpp", text);
  const Outcome generated =
      tactus("generate " + header + " --name p --out " + fs::path(header).parent_path().string());
  EXPECT_EQ(generated.code, 2);
  EXPECT_EQ(content_of(header), text);
}

TEST(Files, WhatAModelIncludesAndItsMeshesAreNeverOverwrittenByAnyVerb) {
  const Folder folder;
  const std::string constants = "parameters: {L: {value: 1, unit: m}}\n";
  const std::string mesh =
      "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
      "endsolid\n";
  const std::string included = folder.file("constants.yaml", constants),
                    shape = folder.file("part.stl", mesh);
  const std::string file = folder.file("arm.yaml",
                                       "include: constants.yaml\nname: arm\n"
                                       "bodies: {b: {mass: 1, inertia: [1, 1, 1], com: [L, 0, 0], geometry: "
                                       "[{shape: mesh, file: part.stl}]}}\n"
                                       "joints: {j: {type: revolute, parent: world, child: b, axis: y}}\n");
  const std::string state = folder.file("state.yaml", "{}\n"), setup = folder.file("setup.yaml", "{}\n");
  const std::string folder_path = fs::path(file).parent_path().string();
  const std::string header = folder.file("made.hpp", constants);
  const std::string from_header =
      folder.file("other.yaml", "include: made.hpp\n" +
                                    content_of(file).substr(std::string("include: constants.yaml\n").size()));
  const std::string swept = "linear " + file + " --sweep L=1:2:1 --plot ";
  for (const std::string& line :
       {"simulate " + file + kShort + " --out " + included, "simulate " + file + kShort + " --plot " + shape,
        swept + included, swept + shape, swept + state + " --at " + state,
        "haptic " + file + " --duration 0.01 --out " + included,
        "haptic " + file + " --duration 0.01 --log " + shape,
        "haptic " + file + " --duration 0.01 --save-setup " + file,
        "haptic " + file + " --duration 0.01 --save-setup " + included,
        "haptic " + file + " --duration 0.01 --setup " + setup + " --save-setup " + setup,
        "generate " + from_header + " --name made --out " + folder_path}) {
    const Outcome run = tactus(line);
    EXPECT_EQ(run.code, 2) << line << "\n" << run.out;
    EXPECT_NE(run.err.find("would overwrite"), std::string::npos) << line << ": " << run.err;
    EXPECT_EQ(content_of(included), constants) << line;
    EXPECT_EQ(content_of(header), constants) << line;
    EXPECT_EQ(content_of(shape), mesh) << line;
    EXPECT_EQ(content_of(state), "{}\n") << line;
    EXPECT_EQ(content_of(setup), "{}\n") << line;
  }
}

TEST(Files, WhatTablesAndDevicesAreReadFromIsNeverOverwritten) {
  const Folder folder;
  const std::string rows = "t,force\n0,0\n1,2\n";
  const std::string table = folder.file("rows.csv", rows), other = folder.file("more.csv", rows);
  const std::string file = folder.file("pushed.yaml",
                                       "name: pushed\ntables: {push: {file: rows.csv}}\n"
                                       "bodies: {b: {mass: 1}}\n"
                                       "joints: {x: {type: prismatic, parent: world, child: b, axis: x}}\n");
  const std::string script =
      folder.file("script.yaml", "tables: {more: {file: more.csv}}\ntau: {x: more(t)}\n");
  const std::string five_bar = folder.file("five_bar.yaml", content_of(model("pantograph.yaml"))),
                    arm = folder.file("arm.yaml", content_of(model("puma560.yaml")));
  const std::string recording = folder.path("recording.csv");
  ASSERT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.05 --out " + recording).code, 0);
  const std::vector<std::string> files{table, other, five_bar, arm, recording};
  std::vector<std::string> texts;
  for (const std::string& one : files) texts.push_back(content_of(one));
  const std::string haptic = "haptic " + model("shopping_cart.yaml") + " --duration 0.01 --stiffness 10 ";
  for (const std::string& line :
       {"simulate " + file + kShort + " --out " + table, "haptic " + file + " --duration 0.01 --out " + table,
        "simulate " + file + kShort + " --script " + script + " --out " + other,
        haptic + "--device model:" + five_bar + " --out " + five_bar,
        haptic + "--device model:" + five_bar + ":handle --log " + five_bar,
        haptic + "--device arm:" + arm + " --plot " + arm,
        haptic + "--device file:" + recording + " --out " + recording}) {
    const Outcome run = tactus(line);
    EXPECT_EQ(run.code, 2) << line << "\n" << run.out;
    EXPECT_NE(run.err.find("would overwrite"), std::string::npos) << line << ": " << run.err;
    for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(content_of(files[i]), texts[i]) << line;
  }
}

TEST(Files, AFileThatMayNotGrowIsSaid) {
  const Folder folder;
  EXPECT_EQ(ends_with("ulimit -f 8; TACTUS simulate " + model("pendulum.yaml") + " --duration 50 --out " +
                      folder.path("x")),
            1);
}

TEST(Files, AMotionThatCannotBeginLeavesNoRows) {
  const Folder folder;
  const std::string file = folder.path("rows.csv");
  const Outcome run = tactus("simulate " + model("spherical_wrist.yaml") + " --out " + file);
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out.find("nan"), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("singular"), std::string::npos) << run.err;
  EXPECT_FALSE(fs::exists(file));
}

TEST(Files, TwoOutputsThatAreOneFileAreRefused) {
  const Folder folder;
  const std::string file = folder.path("x");
  for (const std::string& options :
       {"--out " + file + " --plot " + file, "--out " + file + " --plot " + folder.path("./x"),
        std::string("--out - --events -"), std::string("--out - --plot /dev/stdout")}) {
    const Outcome run = tactus("simulate " + model("box_drop.yaml") + kShort + " " + options);
    EXPECT_EQ(run.code, 2) << options;
    EXPECT_FALSE(fs::exists(file));
  }
  EXPECT_EQ(ends_with("TACTUS simulate " + model("pendulum.yaml") + kShort + " --out " + file + " > " + file),
            2);
  // By names that only the folder makes one: of files that are not there yet.
  const std::string here = "cd " + fs::path(file).parent_path().string() + " && ";
  fs::remove(file);
  for (const char* names : {"--out ./y --plot y", "--out y --plot $PWD/y"}) {
    EXPECT_EQ(ends_with(here + "TACTUS simulate " + model("pendulum.yaml") + kShort + " " + names), 2)
        << names;
    EXPECT_FALSE(fs::exists(folder.path("y")));
  }
  EXPECT_EQ(ends_with(here + "TACTUS haptic " + model("pendulum.yaml") + kShort + " --out ./y --log y"), 2);
  const Outcome devices =
      tactus("simulate " + model("pendulum.yaml") + kShort + " --out /dev/null --plot /dev/null");
  EXPECT_EQ(devices.code, 0) << devices.err;
}

TEST(Files, WhatStoodThereStaysUntilTheNewFileIsWhole) {
  const Folder folder;
  const std::string file = folder.file("run.csv", "precious");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const std::string link = folder.path("link.csv");
  fs::create_symlink("run.csv", link);
  // The script's formula is refused after the arguments, before the run.
  const Outcome bad =
      tactus("simulate " + model("pendulum.yaml") + kShort + " --frames no_such --out " + file);
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(content_of(file), "precious");
  const Outcome cut =
      tactus("simulate " + model("pendulum.yaml") + " --duration 5 --out " + file + " --plot /dev/full");
  if (has_full_device()) {
    EXPECT_EQ(cut.code, 1);
  }
  const Outcome good = tactus("simulate " + model("pendulum.yaml") + kShort + " --out " + link);
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content_of(file).substr(0, 2), "t,");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(count_of(fs::path(file).parent_path()), 2u);  // no parts are left behind
}

TEST(Files, PipesAreWrittenStraight) {
  const Folder folder;
  const std::string pipe = folder.path("pipe"), got = folder.path("got");
  EXPECT_EQ(ends_with("mkfifo " + pipe + " && (cat " + pipe + " > " + got + " & TACTUS simulate " +
                      model("pendulum.yaml") + kShort + " --out " + pipe + "; code=$?; wait; exit $code)"),
            0);
  EXPECT_EQ(content_of(got).substr(0, 2), "t,");
  const Outcome named = tactus("simulate " + model("pendulum.yaml") + kShort + " --out /dev/stdout");
  EXPECT_EQ(named.out.substr(0, 2), "t,") << named.err;
}

}  // namespace
}  // namespace tactus::apps
