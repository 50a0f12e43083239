// A place in every message.
#include <gtest/gtest.h>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;

/// That the verb refuses the file at that place.
void expect_place(const std::string& verb, const std::string& file, const std::string& place,
                  const std::string& words) {
  const Outcome run = tactus(verb + " " + file);
  EXPECT_EQ(run.code, 2) << verb << ": " << run.out;
  EXPECT_NE(run.err.find(file + place + ": error: "), std::string::npos) << verb << ": " << run.err;
  EXPECT_NE(run.err.find(words), std::string::npos) << verb << ": " << run.err;
  EXPECT_NE(run.err.find("help: "), std::string::npos) << verb << ": " << run.err;
}

const char* const kArm =
    "name: arm\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {j: {type: revolute, parent: world, child: b, axis: y}}\n";

TEST(Messages, SeveralDocumentsInOneFile) {
  const Folder folder;
  const std::string file = folder.file("two.yaml", std::string(kArm) + "---\nname: second\n");
  for (const char* verb : {"check", "simulate", "derive"})
    expect_place(verb, file, ":4:1", "more than one YAML document");
}

TEST(Messages, WhatCannotBeAssembledIsNamedWithItsLine) {
  const Folder folder;
  const std::string file =
      folder.file("apart.yaml",
                  "name: apart\n"
                  "bodies:\n"
                  "  a: {mass: 1, inertia: [1, 1, 1], com: [1, 0, 0]}\n"
                  "  b: {mass: 1, inertia: [1, 1, 1], com: [1, 0, 0]}\n"
                  "joints:\n"
                  "  j: {type: revolute, parent: world, child: a, axis: y}\n"
                  "  k: {type: revolute, parent: world, child: b, axis: y, placement: {xyz: [9, 0, 0]}}\n"
                  "frames:\n"
                  "  fa: {body: a, placement: {xyz: [1, 0, 0]}}\n"
                  "  fb: {body: b, placement: {xyz: [1, 0, 0]}}\n"
                  "constraints:\n"
                  "  closure: {type: spherical, a: fa, b: fb}\n");
  for (const char* verb : {"check", "simulate --duration 0.01", "eval --assemble", "haptic --duration 0.01"})
    expect_place(verb, file, ":12:3", "`closure` is off by");
}

TEST(Messages, RobotFilesThatAreNoXmlHaveLineAndColumn) {
  const Folder folder;
  const auto robot = [&](const std::string& text) {
    return folder.file("robot.urdf", "<robot name=\"r\">\n  " + text + "\n</robot>\n");
  };
  expect_place("check", robot("<link name=\"a\">"), ":2:3", "<link> is not closed");
  expect_place("check", robot("<link name=a/>"), ":2:9", "not written as");
  expect_place("check", robot("<link name=\"a\" name=\"b\"/>"), ":2:18", "`name` is given twice");
  expect_place("check", robot("<link name=\"a/>"), ":2:14", "no closing quote");
  expect_place("check", robot("<link name=\"a\"/></joint>"), ":2:19", "is not open");
}

TEST(Messages, MeshesThatCannotBeUsedAreNamedWhereTheModelNamesThem) {
  const Folder folder;
  folder.file("bad.stl", "solid s\nfacet normal 0 0 1\nouter nonsense\n");
  const auto with_mesh = [&](const std::string& mesh) {
    return folder.file(
        "shapes.yaml",
        "name: shapes\n"
        "bodies:\n"
        "  part:\n"
        "    mass: 1\n"
        "    inertia: [1, 1, 1]\n"
        "    geometry:\n"
        "      - {shape: mesh, file: " +
            mesh +
            ", contact: true}\n"
            "  ball: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: sphere, radius: 0.1, contact: true}]}\n"
            "joints:\n"
            "  j: {type: free, parent: world, child: part}\n"
            "  k: {type: free, parent: world, child: ball}\n"
            "contact: {pairs: {p: {between: [part, ball]}}}\n");
  };
  for (const char* verb : {"check", "simulate --duration 0.01"}) {
    expect_place(verb, with_mesh("missing.stl"), ":7:29", "missing.stl");
    expect_place(verb, with_mesh("bad.stl"), ":7:29", "bad.stl");
  }
}

TEST(Messages, RenamedLinksAndMissingMeshesOfARobotAreSaid) {
  const Folder folder;
  const std::string inertial =
      "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyz=\"0\"/></inertial>";
  const std::string file = folder.file(
      "robot.urdf",
      "<robot name=\"r\">\n<link name=\"base\">" + inertial + "</link>\n<link name=\"arm-1\">" + inertial +
          "<collision><geometry><mesh filename=\"package://x/hull.stl\"/></geometry></collision></link>\n"
          "<joint name=\"j 1\" type=\"continuous\"><parent link=\"base\"/><child "
          "link=\"arm-1\"/></joint>\n</robot>\n");
  const Outcome run = tactus("check " + file);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find(file + ":3:1: the link `arm-1` is called `arm_1`"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(file + ":4:1: the joint `j 1` is called `j_1`"), std::string::npos) << run.out;
  EXPECT_NE(
      run.out.find("1 collision mesh cannot be touched, because there is no such file: package://x/hull.stl"),
      std::string::npos)
      << run.out;
}

TEST(Messages, ASettingIsWrongWhereItStands) {
  const Outcome run = tactus("check " + model("double_pendulum.yaml") + " --set L1=1/0");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err.find("--set L1=1/0: error: `1/0` is not a finite number"), 0u) << run.err;
  EXPECT_EQ(tactus("check " + model("double_pendulum.yaml") + " --set L1=0.5").code, 0);
}

TEST(Messages, AParameterIsSetOrSwept) {
  const Outcome run = tactus("linear " + model("single_track.yaml") + " --set v=3 --sweep v=0:2:1");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("--set and --sweep both give `v`"), std::string::npos) << run.err;
}

TEST(Messages, KnownNamesOfASweepAreListedOnce) {
  const Outcome run = tactus("linear " + model("double_pendulum.yaml") + " --sweep zzzzzz=0:2:1");
  EXPECT_EQ(run.code, 2);
  const std::size_t first = run.err.find("q1,");
  ASSERT_NE(first, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find(" q1,", first + 1), std::string::npos) << run.err;
}

TEST(Messages, AStudyWithoutThatCaseSaysNothingElse) {
  const Outcome run = tactus("study clover1996 bogus");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("has no case `bogus`"), std::string::npos) << run.err;
}

TEST(Messages, ATableThatIsMissingSpeaksOfTables) {
  const Folder folder;
  for (const char* name : {"nothing.csv", "."}) {
    const Outcome run =
        tactus("check " + folder.file("t.yaml", std::string(kArm) + "tables: {f: {file: " + name + "}}\n"));
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find(":4:20: error: the table's file "), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("model"), std::string::npos) << run.err;
  }
}

TEST(Messages, AnEmptyAttributeOfAnOriginIsAWarning) {
  const Folder folder;
  const Outcome run = tactus(
      "check " +
      folder.file("r.urdf",
                  "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"><inertial><mass value=\"1\"/>"
                  "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"
                  "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n"
                  "<origin xyz=\"0 0 1\" rpy=\"\"/><axis xyz=\"0 0 1\"/></joint>\n</robot>\n"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE((run.out + run.err).find(":5:1: the attribute `rpy` of <origin> is empty"), std::string::npos)
      << run.out << run.err;
}

}  // namespace
}  // namespace tactus::apps
