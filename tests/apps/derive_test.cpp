// tactus derive, as a user runs it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "support/paths.h"

namespace tactus {
namespace {

using nlohmann::json;

struct Result {
  int exit_code = -1;
  std::string out;
};

Result derive(const std::string& arguments) {
  const std::string command = tactus::support::program() + " derive " + tactus::support::source_dir() +
                              "/models/" + arguments + " 2>&1";
  Result result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    result.out.append(buffer.data(), n);
  result.exit_code = WEXITSTATUS(pclose(pipe));
  return result;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Derive, PrintsTheEquationsOfATwoLinkArm) {
  const Result result = derive("planar_2r.yaml");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.out, "M[1,2] = 0.08 + 0.15*cos(elbow)")) << result.out;
  EXPECT_TRUE(contains(result.out, "h[2] = ")) << result.out;
  EXPECT_TRUE(contains(result.out, "g[2] = ")) << result.out;
}

TEST(Derive, PrintsTheMatrixOfChristoffelsSymbols) {
  const Result result = derive("planar_2r.yaml --coriolis");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  // C_21 = m2 L1 L2/2 sin(elbow) u1, with 1.5 kg, 0.5 m and 0.4 m.
  EXPECT_TRUE(contains(result.out, "C[2,1] = ") && contains(result.out, "0.15*")) << result.out;
  const json sheet = json::parse(derive("planar_2r.yaml --coriolis --json").out);
  EXPECT_TRUE(sheet.is_object());
  EXPECT_EQ(derive("planar_2r.yaml --coriolis --linear").exit_code, 2);
  EXPECT_TRUE(contains(derive("four_bar.yaml --coriolis").out, "OF THE OPEN TREE"));
}

TEST(Derive, PrintsTheConstraintsOfALoopOrSaysThatTheyAreLeftOut) {
  const Result result = derive("four_bar.yaml");
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part : {"M(q) udot + h(q, u) = tau + A(q)^T lambda",
                           "Phi[1] = ", "A[2,3] = ", "Adot_u[1] = ", "A M^-1 A^T lambda = "})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  EXPECT_TRUE(contains(derive("four_bar.yaml --latex").out, "\\Phi_{1} &= "));
  const json sheet = json::parse(derive("four_bar.yaml --json --reduced").out);
  EXPECT_EQ(sheet["Mr"].size(), 1u);
  EXPECT_EQ(sheet["D"].size(), 2u);
  for (const char* option : {"--linear", "--canonical", "--abbreviate 0.001"})
    EXPECT_TRUE(contains(derive(std::string("four_bar.yaml ") + option).out, "OF THE OPEN TREE")) << option;
  const json counts = json::parse(derive("four_bar.yaml --counts").out);
  EXPECT_TRUE(counts.contains("constrained_dynamics"));
  EXPECT_TRUE(counts.contains("forward_dynamics_open_tree"));
  EXPECT_FALSE(counts.contains("forward_dynamics"));
  EXPECT_EQ(derive("planar_2r.yaml --reduced").exit_code, 2);
}

TEST(Derive, CountsOperations) {
  const Result result = derive("puma560.yaml --counts");
  ASSERT_EQ(result.exit_code, 0) << result.out;
  const json counts = json::parse(result.out);
  const auto at_most = [&](const char* function, int mul, int add, int div) {
    EXPECT_LE(counts[function]["mul"], mul) << function;
    EXPECT_LE(counts[function]["add"], add) << function;
    EXPECT_LE(counts[function]["div"], div) << function;
    EXPECT_TRUE(counts[function].contains("trig")) << function;
  };
  at_most("inverse_dynamics", 175, 136, 0);
  at_most("mass_matrix", 101, 101, 0);
  at_most("forward_dynamics", 344, 292, 4);
  const json shorter = json::parse(derive("puma560.yaml --abbreviate 0.01 --counts").out);
  EXPECT_LE(shorter["inverse_dynamics"]["mul"], 69);
  EXPECT_LE(shorter["inverse_dynamics"]["add"], 47);
}

TEST(Derive, AbbreviatesAsTheThesisDoes) {
  const Result result = derive("puma560.yaml --abbreviate 0.01");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.out, "M[1,2] = 0.02375*cos(q2) + 0.6903*sin(q2) - 0.1341*cos(q2 + q3)"))
      << result.out;
  EXPECT_TRUE(contains(result.out, "M[4,4] = 0.2\n")) << result.out;
  const Result linear = derive("puma560.yaml --abbreviate 0.01 --linear");
  EXPECT_TRUE(contains(linear.out, "K[5,5] = -0.01413*cos(q2 + q3 + q5) - 0.01413*cos(q2 + q3 - q5)"))
      << linear.out;
}

TEST(Derive, SpeaksLatexAndJson) {
  const Result latex = derive("planar_2r.yaml --latex");
  EXPECT_EQ(latex.exit_code, 0);
  EXPECT_TRUE(contains(latex.out, "\\begin{align*}"));
  EXPECT_TRUE(contains(latex.out, "M_{12} &= 0.08 + 0.15\\,\\cos")) << latex.out;
  for (const char* options :
       {"", "--canonical", "--abbreviate 0.01", "--linear", "--linear --abbreviate 0.01"}) {
    const json document = json::parse(derive("puma560.yaml --json " + std::string(options)).out);
    EXPECT_EQ(document["model"], "puma560");
    EXPECT_EQ(document["M"][0]["name"], "M[1,1]") << options;
    EXPECT_EQ(document["M"][0]["indices"], (std::vector<int>{1, 1}));
  }
}

TEST(Derive, KeepsParameters) {
  const Result result = derive("spherical_wrist.yaml --keep-parameters");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.out, "M[1,1] = I1 + L^2*M")) << result.out;
}

TEST(Derive, KeepsATorqueBudget) {
  const auto path = std::filesystem::temp_directory_path() / "tactus_budget_test.yaml";
  std::ofstream(path) << "speeds: 3\naccelerations: 20\ntorque: [2, 2, 1, 0.3, 0.3, 0.1]\n";
  const Result result = derive("puma560.yaml --json --budget " + path.string());
  std::filesystem::remove(path);
  ASSERT_EQ(result.exit_code, 0) << result.out;
  const json document = json::parse(result.out);
  ASSERT_EQ(document["torque_error"].size(), 6u);
  for (const json& error : document["torque_error"]) {
    EXPECT_LE(error["sampled"], error["proven"]);
    EXPECT_LE(error["proven"], error["allowed"]);
  }
  EXPECT_LT(document["coefficients"]["kept"], 100);
}

TEST(Derive, WritesKanesMethodStepByStep) {
  const Result free = derive("shopping_cart.yaml --kane --keep-parameters --independent u1,u2");
  ASSERT_EQ(free.exit_code, 0) << free.out;
  for (const char* part : {"W[4,3] = 1", "v(caster)", "F*[1] = -(m_B + m_C)*u1_dot", "D[1,1] = -sin(q4)/L3",
                           "cos(q4)*caster.x", "F~[2] = tau_q3", "F~*[2] = "})
    EXPECT_TRUE(contains(free.out, part)) << part << "\n" << free.out;
  const Result stuck =
      derive("shopping_cart.yaml --kane --keep-parameters --activate stick --independent u1");
  EXPECT_TRUE(contains(stuck.out, "D[2,1] = -sin(q4)/(L3 - L2*cos(q4))")) << stuck.out;
  const Result loose = derive("shopping_cart.yaml --kane --release front_wheel,back_wheels");
  EXPECT_EQ(loose.exit_code, 0) << loose.out;
  EXPECT_FALSE(contains(loose.out, "F~")) << loose.out;
  const json sheet = json::parse(derive("shopping_cart.yaml --kane --json --independent u1,u2").out);
  EXPECT_EQ(sheet["v~"].size(), 5u);
  EXPECT_EQ(sheet["v~"][0]["components"].size(), 3u);
  EXPECT_EQ(sheet["F~*"][1]["indices"][0], 2);
  EXPECT_TRUE(contains(derive("spherical_wrist.yaml --kane --latex").out, "\\begin{array}{c|c}"));
}

TEST(Derive, SaysWhatIsWrongWithARequestForKanesMethod) {
  for (const auto& [arguments, part] :
       {std::pair{"shopping_cart.yaml --kane --independent u9", "`u9` is no speed"},
        {"shopping_cart.yaml --kane --independent u1,u2,u3", "tie these speeds"},
        {"planar_2r.yaml --kane --independent elbow", "every speed is independent"},
        {"planar_2r.yaml --kane --activate stick", "`stick` is no constraint"},
        {"shopping_cart.yaml --kane --activate stik", "stick"},
        {"planar_2r.yaml --kane --linear", "--kane stands alone"},
        {"chain_100.yaml --kane", "100 speeds"}}) {
    const Result result = derive(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_TRUE(contains(result.out, part)) << arguments << "\n" << result.out;
  }
}

TEST(Derive, RefusesWhatItCannotDo) {
  EXPECT_EQ(derive("rigid_body.yaml --canonical").exit_code, 2);
  EXPECT_TRUE(contains(derive("rigid_body.yaml --canonical").out, "quaternion"));
  EXPECT_EQ(derive("rigid_body.yaml").exit_code, 0);
  EXPECT_EQ(derive("rigid_body.yaml --linear").exit_code, 2);
  EXPECT_EQ(derive("puma560.yaml --abbreviate -1").exit_code, 2);
  EXPECT_EQ(derive("puma560.yaml --budget nowhere.yaml").exit_code, 2);
  EXPECT_EQ(derive("nothing.yaml").exit_code, 2);
}

// Every line of an example stands in what its command prints.
TEST(Derive, TheExamplesOfThePageOfKanesMethodAreWhatTheProgramPrints) {
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      line.erase(line.find_last_not_of(' ') + 1);
      line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
      if (!line.empty()) lines.push_back(line);
    }
    return lines;
  };
  std::ifstream file(tactus::support::source_dir() + "/docs/kane.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto expect_printed = [&](std::size_t block, const Result& run) {
    ASSERT_EQ(run.exit_code, 0) << run.out;
    const std::size_t begin = page.find('\n', block) + 1;
    const std::vector<std::string> printed = lines_of(run.out);
    const std::vector<std::string> shown = lines_of(page.substr(begin, page.find("```", begin) - begin));
    EXPECT_GE(shown.size(), 3u);
    for (const std::string& line : shown)
      EXPECT_NE(std::find(printed.begin(), printed.end(), line), printed.end()) << line << "\n" << run.out;
  };
  int examples = 0;
  const std::string command = "    tactus derive models/";
  for (std::size_t at = page.find(command); at != std::string::npos; at = page.find(command, at + 1)) {
    const std::size_t end = page.find('\n', at);
    if (page.compare(end, 5, "\n\n```") != 0) continue;
    expect_printed(end + 2, derive(page.substr(at + command.size(), end - at - command.size())));
    ++examples;
  }
  EXPECT_EQ(examples, 2);
  // The planar arm with chosen speeds.
  const std::filesystem::path automatic =
      std::filesystem::temp_directory_path() / ("tactus_auto_" + std::to_string(getpid()) + ".yaml");
  std::ifstream arm(tactus::support::source_dir() + "/models/planar_3r.yaml");
  std::ofstream(automatic) << "speeds: auto\n" << arm.rdbuf();
  const std::size_t block = page.find("```", page.find("`tactus derive` with `speeds: auto`"));
  expect_printed(block, derive("../../../../../../../../../.." + automatic.string()));
  std::filesystem::remove(automatic);
}

TEST(Derive, DifferentNamesAreDifferentSymbolsInLatex) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("tactus_names_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "name: x\nparameters: {q_1: 2, omega: 1, omega_: 3}\n"
                         "bodies: {b: {mass: q_1*omega, com: [0, 0, -omega_]}}\n"
                         "joints: {q1: {type: revolute, parent: world, child: b, axis: y}}\n";
  const Result run = derive("../../../../../../../../../.." + file.string() + " --latex --keep-parameters");
  std::filesystem::remove(file);
  ASSERT_EQ(run.exit_code, 0) << run.out;
  for (const char* symbol : {"q_{1}", "\\mathrm{q\\_1}", "\\omega", "\\mathrm{omega\\_}"})
    EXPECT_TRUE(contains(run.out, symbol)) << symbol << "\n" << run.out;
}

}  // namespace
}  // namespace tactus
