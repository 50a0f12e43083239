// The program's manners: exit codes, help, messages.
#include <gtest/gtest.h>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;

TEST(Program, HelpsAndTellsItsVersion) {
  EXPECT_EQ(tactus("--help").code, 0);
  EXPECT_EQ(tactus("").code, 0);
  EXPECT_EQ(tactus("--version").out.substr(0, 7), "tactus ");
  for (const char* verb : {"check", "generate", "eval", "simulate"}) {
    const Outcome help = tactus(std::string(verb) + " --help");
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_NE(help.out.find("MODEL"), std::string::npos) << verb;
  }
}

TEST(Program, EndsWith2ForMistakesOfTheUser) {
  for (const char* arguments :
       {"--nonsense", "simulat x.yaml", "eval", "eval no_such_file.yaml", "simulate --step",
        "simulate --step abc x.yaml", "check x.yaml --nonsense", "no_such_file.yaml"}) {
    const Outcome run = tactus(arguments);
    EXPECT_EQ(run.code, 2) << arguments;
    EXPECT_NE(run.err.find("error: "), std::string::npos) << arguments << ": " << run.err;
    EXPECT_NE(run.err.find("help: "), std::string::npos) << arguments << ": " << run.err;
    EXPECT_TRUE(run.out.empty()) << arguments << ": " << run.out;
  }
  EXPECT_NE(tactus("simulat x.yaml").err.find("`simulate`"), std::string::npos);
}

TEST(Program, AModelThatCannotMoveIsNoMistake) {
  const Folder folder;
  const std::string still =
      folder.file("still.yaml",
                  "name: still\nbodies: {b: {mass: 2, inertia: [1, 1, 1], com: [0, 0, 3]}}\n"
                  "joints: {j: {type: weld, parent: world, child: b}}\n");
  const Outcome eval = tactus("eval " + still);
  EXPECT_EQ(eval.code, 0) << eval.err;
  EXPECT_NE(eval.out.find("\"udot\": []"), std::string::npos) << eval.out;
  EXPECT_NE(eval.out.find("\"eigenvalues\": []"), std::string::npos) << eval.out;
  for (const std::string& verb :
       {"check " + still, "derive " + still, "derive --counts " + still, "simulate --duration 0.01 " + still,
        "generate --out " + folder.path("generated") + " " + still}) {
    const Outcome run = tactus(verb);
    EXPECT_EQ(run.code, 0) << verb << ": " << run.err;
  }
}

TEST(Program, OpensAFileThatStandsAlone) {
  const Outcome alone = tactus(model("pendulum.yaml")), check = tactus("check " + model("pendulum.yaml"));
  EXPECT_EQ(alone.code, 0);
  EXPECT_EQ(alone.out, check.out);
  EXPECT_FALSE(alone.out.empty());
}

}  // namespace
}  // namespace tactus::apps
