// tactus check, as a user calls it: output, messages, exit codes.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "support/paths.h"

namespace tactus {
namespace {

const std::string kModels = tactus::support::source_dir() + "/models/";

struct Outcome {
  int code = -1;
  std::string output;  // standard output and error together
};

Outcome run(const std::string& arguments) {
  Outcome outcome;
  std::FILE* pipe = ::popen((tactus::support::program() + " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
}

TEST(CheckVerb, DescribesEveryModelThatComesWithTactus) {
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    if (entry.is_directory()) continue;  // the gallery's index
    const Outcome outcome = run("check " + entry.path().string());
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("of freedom"), std::string::npos) << outcome.output;
  }
}

TEST(CheckVerb, AFileAloneJustOpens) {
  const Outcome outcome = run(kModels + "pendulum.yaml");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("1 body, 1 joint, 1 degree of freedom"), std::string::npos) << outcome.output;
}

TEST(CheckVerb, PrintsJsonForPrograms) {
  const Outcome outcome = run("check --json " + kModels + "scara.yaml");
  ASSERT_EQ(outcome.code, 0);
  const nlohmann::json report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["nv"], 4);
  EXPECT_EQ(report["coordinates"][2]["unit"], "m");
}

TEST(CheckVerb, SetsParameters) {
  const Outcome ladder = run("check --json " + kModels + "four_bar_ladder.yaml --set N=40 --set m=2");
  ASSERT_EQ(ladder.code, 0) << ladder.output;
  const nlohmann::json report = nlohmann::json::parse(ladder.output);
  EXPECT_EQ(report["nv"], 81);
  EXPECT_EQ(report["mobility"]["freedoms"], 1);
  EXPECT_EQ(report["parameters"][1]["value"], 2.0);

  const Outcome half = run("check " + kModels + "four_bar_ladder.yaml --set N=2.5");
  EXPECT_EQ(half.code, 2);
  EXPECT_NE(half.output.find("`count` must be a whole number"), std::string::npos) << half.output;
  const Outcome unknown = run("check " + kModels + "four_bar_ladder.yaml --set M=1");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.output.find("no parameter `M`"), std::string::npos) << unknown.output;
  const Outcome incomplete = run("check " + kModels + "four_bar_ladder.yaml --set N");
  EXPECT_EQ(incomplete.code, 2);
  EXPECT_NE(incomplete.output.find("--set NAME=VALUE"), std::string::npos) << incomplete.output;
  EXPECT_EQ(run("check " + kModels + "two_link.urdf --set N=1").code, 2);
}

TEST(CheckVerb, CountsWhatTheConstraintsLeave) {
  const Outcome text = run("check " + kModels + "stewart_platform.yaml");
  EXPECT_NE(text.output.find("24 speeds, 18 constraint rows of rank 18: 6 degrees of freedom"),
            std::string::npos)
      << text.output;
  const nlohmann::json report =
      nlohmann::json::parse(run("check --json " + kModels + "four_bar.yaml").output);
  EXPECT_EQ(report["mobility"]["freedoms"], 1);
  EXPECT_EQ(report["constraints"][0]["type"], "revolute");
  EXPECT_EQ(report["initial"]["u"][0], 2.0);
}

// A parallelogram of rods of 1 m, its loop closed twice, at the given angle.
Outcome check_parallelogram(double angle) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("tactus_parallelogram_{}.yaml", ::getpid());
  const std::string rod = "{mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}";
  std::ofstream(file) << fmt::format(
      "name: parallelogram\nbodies: {{a: {0}, b: {0}, c: {0}}}\njoints:\n"
      "  q1: {{type: revolute, parent: world, child: a, axis: y}}\n"
      "  q2: {{type: revolute, parent: a, child: b, axis: y, placement: {{xyz: [1, 0, 0]}}}}\n"
      "  q3: {{type: revolute, parent: world, child: c, axis: y, placement: {{xyz: [1, 0, 0]}}}}\n"
      "constraints:\n"
      "  loop: {{type: revolute, a: {{body: c, at: [1, 0, 0], axis: y}}, b: {{body: b, at: [1, 0, 0], axis: "
      "y}}}}\n"
      "  again: {{type: spherical, a: {{body: c, at: [1, 0, 0]}}, b: {{body: b, at: [1, 0, 0]}}}}\n"
      "initial: {{q: [{1}, {2}, {1}]}}\n",
      rod, angle, -angle);
  const Outcome outcome = run("check --json " + file.string());
  std::filesystem::remove(file);
  return outcome;
}

TEST(CheckVerb, NamesRedundantConstraintsAndSingularConfigurations) {
  const Outcome bent = check_parallelogram(1.0);
  ASSERT_EQ(bent.code, 0) << bent.output;
  const nlohmann::json regular = nlohmann::json::parse(bent.output)["mobility"];
  EXPECT_EQ(regular["freedoms"], 1);
  ASSERT_EQ(regular["redundant"].size(), 2u) << regular;
  for (const nlohmann::json& row : regular["redundant"])
    EXPECT_EQ(row.get<std::string>().rfind("again.", 0), 0u) << row;
  EXPECT_TRUE(regular["singular"].empty()) << regular;

  const Outcome flat = check_parallelogram(0.0);
  ASSERT_EQ(flat.code, 0) << flat.output;
  const nlohmann::json singular = nlohmann::json::parse(flat.output)["mobility"];
  EXPECT_EQ(singular["rank"], 1);
  EXPECT_EQ(singular["singular"].size(), 1u) << singular;
}

/// Two rods of 1 m in the x-z plane with these constraints, checked.
Outcome check_arm(const std::string& more, const std::string& flags = "") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("tactus_arm_{}.yaml", ::getpid());
  std::ofstream(file)
      << "name: arm\nbodies: {a: &rod {mass: 1, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}, b: *rod}\n"
         "joints:\n  q1: {type: revolute, parent: world, child: a, axis: y}\n"
         "  q2: {type: revolute, parent: a, child: b, axis: y, placement: {xyz: [1, 0, 0]}}\n"
         "frames: {tip: {body: b, placement: {xyz: [1, 0, 0]}}}\n"
      << more;
  const Outcome outcome = run("check " + flags + file.string());
  std::filesystem::remove(file);
  return outcome;
}

TEST(CheckVerb, ConstraintsThatCannotBeMetEndWithCodeTwoAndByHowMuch) {
  const Outcome far =
      check_arm("constraints: {hook: {type: spherical, a: {body: world, at: [3, 0, 0]}, b: tip}}\n");
  EXPECT_EQ(far.code, 2);
  EXPECT_NE(far.output.find("cannot be assembled: at best, `hook` is off by 1\n"), std::string::npos)
      << far.output;
  EXPECT_NE(far.output.find("Mobility"), std::string::npos) << far.output;  // the report comes first

  const Outcome two =
      check_arm("constraints: {l1: {type: motion, joint: q1, equals: t}, l2: {type: lock, joint: q1}}\n");
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.output.find("no velocity satisfies all constraints"), std::string::npos) << two.output;
}

TEST(CheckVerb, FarGuessesAreAssembledBeforeTheyAreJudged) {
  // The tip has to be drawn in from 2 m to 0.1 m.
  const Outcome near = check_arm("constraints: {rod: {type: distance, a: world, b: tip, length: 0.1}}\n");
  EXPECT_EQ(near.code, 0) << near.output;
  EXPECT_NE(near.output.find("2 speeds, 1 constraint row of rank 1: 1 degree of freedom"), std::string::npos)
      << near.output;
  EXPECT_NE(near.output.find("does not hold as it stands: rod.length (position off by "), std::string::npos)
      << near.output;
}

TEST(CheckVerb, WhatIsPrescribedMovesWithoutFreedoms) {
  const std::string locks = "constraints: {l1: {type: lock, joint: q1}, ";
  const Outcome still = check_arm(locks + "l2: {type: lock, joint: q2}}\n");
  EXPECT_NE(still.output.find("nothing can move\n"), std::string::npos) << still.output;
  const Outcome driven = check_arm(locks + "l2: {type: motion, joint: q2, equals: sin(t)}}\n");
  EXPECT_NE(driven.output.find("nothing can move but as prescribed\n"), std::string::npos) << driven.output;
}

TEST(CheckVerb, BadInputEndsWithCodeTwoAndItsPlace) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("tactus_check_{}.yaml", ::getpid());
  std::ofstream(file) << "name: x\nbodies:\n  b: {mas: 1}\n";
  const Outcome outcome = run("check " + file.string());
  std::filesystem::remove(file);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output,
            file.string() + ":3:7: error: unknown key `mas` in the body `b`\n  help: did you mean `mass`?\n");
}

TEST(CheckVerb, RefusesMeshesThatCannotTouch) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path(),
                              file = folder / fmt::format("tactus_check_{}.yaml", ::getpid()),
                              mesh = folder / fmt::format("tactus_check_{}.obj", ::getpid());
  const auto outcome_with = [&](const std::string& contact) {
    std::ofstream(file)
        << "name: x\nbodies:\n  world: {geometry: [{shape: plane, size: [1, 1], contact: true}]}\n"
        << "  b: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: mesh, file: " << mesh.filename().string()
        << ", contact: true}]}\n"
        << "joints: {p: {type: free, parent: world, child: b}}\n"
        << contact;
    return run("check " + file.string());
  };
  EXPECT_EQ(outcome_with("contact: {}\n").code, 2);  // no such file
  std::ofstream(mesh) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const Outcome open = outcome_with("contact: {}\n");
  EXPECT_EQ(open.code, 2);
  EXPECT_NE(open.output.find("the mesh is open"), std::string::npos) << open.output;
  EXPECT_EQ(outcome_with("").code, 0);  // nothing touches: it is only drawn
  std::filesystem::remove(file);
  std::filesystem::remove(mesh);
}

TEST(CheckVerb, WhatIsNotAModelFileEndsWithCodeTwo) {
  EXPECT_EQ(run("check no_such_file.yaml").code, 2);
  EXPECT_EQ(run("check " + kModels).code, 2);
  EXPECT_EQ(run("check").code, 2);
  EXPECT_EQ(run("check --frobnicate " + kModels + "pendulum.yaml").code, 2);
  EXPECT_EQ(run("check " + tactus::support::program()).code, 2);  // an executable
}

}  // namespace
}  // namespace tactus
