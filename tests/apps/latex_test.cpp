// LaTeX as a user compiles it: it does, nothing sticks out of the page, and every letter is explained.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
namespace fs = std::filesystem;

bool has_pdflatex() { return std::system("pdflatex --version > /dev/null 2>&1") == 0; }

/// [pt] A hair's breadth: what pdflatex reports and no reader sees.
constexpr double kHair = 3.0;

/// Compiles a document, and says how far its widest line sticks out [pt]; -1 where it does not compile.
double sticks_out(const std::string& file) {
  const fs::path path(file);
  const std::string log = path.string() + ".said";
  if (std::system(("cd '" + path.parent_path().string() +
                   "' && pdflatex -interaction=nonstopmode -halt-on-error '" + path.filename().string() +
                   "' > '" + log + "' 2>&1")
                      .c_str()) != 0)
    return -1.0;
  const std::string said = content_of(log);
  double worst = 0.0;
  const std::regex overfull(R"(Overfull \\[hv]box \(([0-9.]+)pt)");
  for (auto found = std::sregex_iterator(said.begin(), said.end(), overfull); found != std::sregex_iterator();
       ++found) {
    const double width = std::stod((*found)[1]);
    if (!(width <= worst)) worst = width;
  }
  return worst;
}

TEST(Latex, NothingSticksOutOfThePage) {
  if (!has_pdflatex()) GTEST_SKIP() << "there is no pdflatex here";
  const Folder folder;
  for (const char* line :
       {"puma560.yaml", "puma560.yaml --canonical", "puma560.yaml --linear", "shopping_cart.yaml",
        "rolling_coin.yaml", "rolling_coin.yaml --reduced", "scara.yaml", "stewart_platform.yaml",
        "pendulum.yaml --keep-parameters", "muscle_arm.yaml",
        "single_track.yaml --linear --keep-parameters --at "
        "frame.vx=v,rear_dot=v/r_R,front_dot=v/r_F"}) {
    const Outcome derived = tactus("derive --latex --document " + model(line));
    ASSERT_EQ(derived.code, 0) << line << ": " << derived.err;
    const double out = sticks_out(folder.file("derived.tex", derived.out));
    EXPECT_GE(out, 0.0) << line << " does not compile";
    EXPECT_LE(out, kHair) << line;
  }
  for (const char* name : {"puma560", "shopping_cart", "planar_3r", "scara", "stewart_platform"}) {
    const Outcome run = tactus("generate --lang latex --name g --out " + folder.path("") + " " +
                               model(name + std::string(".yaml")));
    ASSERT_EQ(run.code, 0) << run.err;
    const double out = sticks_out(folder.path("g.tex"));
    EXPECT_GE(out, 0.0) << name << " does not compile";
    EXPECT_LE(out, kHair) << name;
  }
}

// Tables are cases within cases; names may be longer than a line has room for two of them.
TEST(Latex, TablesAndLongNamesCompileAndFit) {
  if (!has_pdflatex()) GTEST_SKIP() << "there is no pdflatex here";
  const Folder folder;
  const std::string tables = folder.file(
      "tab.yaml",
      "name: tab\ntables:\n  cam: {points: [[-2, 0.3], [-1, 0.1], [0, 0], [0.5, 0.2], [1, 0.1], [2, 0.7]], "
      "interpolation: "
      "cubic, beyond: extrapolate}\n  lin: {points: [[-2, 3], [0, 0], [2, -5]], interpolation: linear}\n"
      "bodies: {a: {mass: 1, com: [0, 0, -0.5], inertia: [0.01, 0.1, 0.1]}, b: {mass: 2}}\n"
      "joints:\n  q: {type: revolute, parent: world, child: a, axis: y}\n"
      "  s: {type: prismatic, parent: world, child: b, axis: z}\n"
      "constraints: {c: {type: equation, equations: s - cam(q)}}\n"
      "forces: {f: {type: joint, joint: q, force: lin(q)}}\ninitial: {q: {q: 0.6}}\n");
  const std::string names = folder.file(
      "names.yaml",
      "name: long\nbodies:\n  a: {mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}\n"
      "  b: {mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}\njoints:\n"
      "  a_joint_whose_name_is_longer_than_what_is_left_of_a_line_behind_another: {type: revolute, parent: "
      "world, child: a, "
      "axis: y}\n  q2: {type: revolute, parent: a, child: b, axis: y, placement: {xyz: [0, 0, -1]}}\n");
  for (const std::string& file : {tables, names}) {
    const Outcome derived = tactus("derive --latex --document " + file);
    ASSERT_EQ(derived.code, 0) << derived.err;
    const double out = sticks_out(folder.file("derived.tex", derived.out));
    EXPECT_GE(out, 0.0) << file << " does not compile";
    EXPECT_LE(out, kHair) << file;
  }
}

TEST(Latex, WhatNamesAndDescriptionsHoldIsNoCommand) {
  if (!has_pdflatex()) GTEST_SKIP() << "there is no pdflatex here";
  const Folder folder;
  const std::string file = folder.file("odd.yaml",
                                       "name: '50% \\\\input{x} #1 $a_b^c ~ & {'\nparameters: {m_1: {value: "
                                       "1, unit: kg m^2, description: '100% \\\\foo & <b>'}}\n"
                                       "bodies: {b: {mass: 1, inertia: [m_1, 1, 1], com: [0, 0, 1]}}\n"
                                       "joints: {a_b: {type: revolute, parent: world, child: b, axis: x}}\n");
  const Outcome derived = tactus("derive --latex --document --keep-parameters " + file);
  ASSERT_EQ(derived.code, 0) << derived.err;
  EXPECT_GE(sticks_out(folder.file("odd.tex", derived.out)), 0.0) << derived.out;
  const Outcome run = tactus("generate --lang latex --name g --out " + folder.path("") + " " + file);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_GE(sticks_out(folder.path("g.tex")), 0.0);
}

// Names and descriptions in any script, with whatever fonts are there: the document can be made.
TEST(Latex, NoLetterStopsADocument) {
  const Folder folder;
  const std::string file = folder.file(
      "script.yaml",
      "name: \"\u03b1\u2192\u03b2 \u5173\u8282 gr\u00f6\u00dfer\"\nparameters: {m: {value: 1, unit: kg, "
      "description: \"\u8d28\u91cf, \U0001F600\"}}\n"
      "bodies: {b: {mass: m, com: [0, 0, 1]}}\n"
      "joints: {q: {type: revolute, parent: world, child: b, axis: x}}\n");
  const Outcome derived = tactus("derive --latex --document --keep-parameters " + file);
  ASSERT_EQ(derived.code, 0) << derived.err;
  EXPECT_NE(derived.out.find("\\section*{$\\alpha$$\\to$$\\beta$ [U+5173][U+8282] gr\xc3\xb6\xc3\x9f"
                             "er}"),
            std::string::npos)
      << derived.out;
  EXPECT_NE(derived.out.find("[U+8D28][U+91CF], [U+1F600]"), std::string::npos) << derived.out;
  if (has_pdflatex()) {
    EXPECT_GE(sticks_out(folder.file("script.tex", derived.out)), 0.0) << derived.out;
  }
}

TEST(Latex, EverySymbolIsInTheList) {
  const Folder folder;
  const std::string kept = tactus("derive --latex --keep-parameters " + model("planar_2r.yaml")).out;
  for (const char* part : {"\\textbf{Coordinates}", "\\textbf{Speeds}", "$\\mathrm{elbow}$} angle of",
                           "$\\dot{\\mathrm{elbow}}$} rate of", "angle of", "\\textbf{Parameters",
                           "$m_{1}$} 2 kg", "$L_{1}$} 0.5 m", "$M$} mass matrix", "$h$} bias"})
    EXPECT_NE(kept.find(part), std::string::npos) << part << "\n" << kept;
  const std::string constrained = tactus("derive --latex " + model("four_bar.yaml")).out;
  for (const char* part :
       {"\\textbf{Multipliers}", "$\\lambda_{1}$} of the constraint loop.", "as numbers in the formulas"})
    EXPECT_NE(constrained.find(part), std::string::npos) << part << "\n" << constrained;
  EXPECT_NE(tactus("derive --latex " + model("puma560.yaml")).out.find("$z_{1},\\,\\ldots$} shared terms"),
            std::string::npos);
  ASSERT_EQ(
      tactus("generate --lang latex --name g --out " + folder.path("") + " " + model("four_bar.yaml")).code,
      0);
  const std::string document = content_of(folder.path("g.tex"));
  for (const char* part : {"\\textbf{Coordinates}", "\\textbf{Speeds}", "\\textbf{Multipliers}"})
    EXPECT_NE(document.find(part), std::string::npos) << part;
}

TEST(Latex, AUnitIsThatOfTheFile) {
  const Folder folder;
  const std::string file = folder.file("cm.yaml",
                                       "name: cm\nparameters: {L: {value: 40, unit: cm}}\n"
                                       "bodies: {b: {mass: 1, inertia: [1, 1, 1], com: [0, 0, L]}}\n"
                                       "joints: {q: {type: revolute, parent: world, child: b, axis: x}}\n");
  EXPECT_NE(tactus("derive --latex --keep-parameters " + file).out.find("$L$} 40 cm"), std::string::npos);
}

TEST(Latex, OneFreedomHasTwoIndicesEverywhereInItsMatrices) {
  for (const char* options :
       {"--linear", "--linear --canonical", "--linear --at q=0", "--linear --abbreviate 0.01"}) {
    const std::string latex = tactus("derive --latex " + model("pendulum.yaml") + " " + options).out;
    EXPECT_NE(latex.find("M_{11} &="), std::string::npos) << options << latex;
    EXPECT_NE(latex.find("K_{11} &="), std::string::npos) << options << latex;
    EXPECT_EQ(latex.find("K_{1} "), std::string::npos) << options << latex;
  }
}

TEST(Latex, AParameterDoesNotLookLikeAMatrix) {
  const Folder folder;
  const Outcome run =
      tactus("derive --latex --keep-parameters " +
             folder.file("letters.yaml",
                         "name: letters\nparameters: {M: 2 kg, g: 9.81 m/s^2, M11: 3 m}\n"
                         "gravity: [0, 0, -g]\nbodies: {b: {mass: M, com: [0, 0, -M11]}}\n"
                         "joints: {q: {type: revolute, parent: world, child: b, axis: y}}\n"));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("M_{11} &= "), std::string::npos) << run.out;
  for (const char* name : {"\\mathrm{M}", "\\mathrm{M11}", "\\mathrm{g}"})
    EXPECT_NE(run.out.find(name), std::string::npos) << name << "\n" << run.out;
}

}  // namespace
}  // namespace tactus::apps
