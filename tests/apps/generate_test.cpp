// tactus generate, from the model file to a compiled program.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include <tactus/control/arm/arm_controller.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

const std::string kModel = tactus::support::source_dir() + "/models/puma560.yaml";

class GenerateVerb : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / fmt::format("tactus_generate_verb_{}", ::getpid());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  int run(const std::string& command) const {
    const int status = std::system(("cd '" + folder.string() + "' && " + command + " > log 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int generate(const std::string& arguments) const {
    return run(tactus::support::program() + " generate " + arguments);
  }
  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(folder / "log").rdbuf();
    return text.str();
  }

  fs::path folder;
};

TEST_F(GenerateVerb, WritesAHeaderThatComputesWhatTheKernelComputes) {
  ASSERT_EQ(generate(kModel + " --what inverse-dynamics,forward-dynamics,linear,jacobian:tool --out made"), 0)
      << log();
  std::ofstream(folder / "main.cpp") << R"(
#include "made/puma560.hpp"
#include <cstdio>
int main() {
  double q[6], u[6], udot[6], tau[6];
  for (int k = 0; k < 6; ++k) {
    q[k] = 0.1 * k - 0.2;
    u[k] = 0.3 * k - 1.0;
    udot[k] = 2.0 - k;
  }
  puma560::inverse_dynamics(q, u, udot, tau);
  for (const double value : tau) std::printf("%a\n", value);
})";
  ASSERT_EQ(run("c++ -std=c++17 -O1 -Wall -Wextra -Wconversion -Werror main.cpp -o main"), 0) << log();
  ASSERT_EQ(run("./main"), 0);

  generate::Evaluator f(generate::compile(derive::Equations(describe::load(kModel)).inverse_dynamics()));
  for (int k = 0; k < 6; ++k) {
    const auto i = static_cast<std::size_t>(k);
    f.input("q")[i] = 0.1 * k - 0.2;
    f.input("u")[i] = 0.3 * k - 1.0;
    f.input("udot")[i] = 2.0 - k;
  }
  f.run();
  std::istringstream lines(log());
  for (const double want : f.output("tau")) {
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(std::strtod(line.c_str(), nullptr), want);
  }
}

TEST_F(GenerateVerb, WritesCWithParametersAsInput) {
  const std::string pendulum = tactus::support::source_dir() + "/models/pendulum.yaml";
  ASSERT_EQ(generate(pendulum + " --lang c --keep-parameters --name my-pendulum --what mass-matrix,energy"),
            0)
      << log();
  std::ofstream(folder / "main.c")
      << "#include \"my_pendulum.h\"\n"
         "int main(void) { return sizeof(&my_pendulum_mass_matrix) > 0 ? 0 : 1; }\n";
  EXPECT_EQ(run("cc -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror main.c -o main -lm && ./main"), 0)
      << log();
  std::ostringstream text;
  text << std::ifstream(folder / "my_pendulum.h").rdbuf();
  EXPECT_NE(text.str().find("const double* parameters"), std::string::npos);
}

TEST_F(GenerateVerb, NothingLeavesConstraintsOutWithoutSayingSo) {
  // A loop, and a joint of a URDF file that mimics another.
  const std::string mimic = (folder / "mimic.urdf").string();
  const std::string link =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial></link>";
  std::ofstream(mimic) << "<robot name='mimic'><link name='world'/><link name='a'>" << link
                       << "<link name='b'>" << link
                       << "<joint name='j' type='continuous'><parent link='world'/><child link='a'/></joint>"
                          "<joint name='k' type='continuous'><parent link='a'/><child link='b'/>"
                          "<mimic joint='j' multiplier='-2'/></joint></robot>";
  const auto content = [&](const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(folder / file).rdbuf();
    return text.str();
  };
  for (const auto& [model, name] :
       {std::pair{tactus::support::source_dir() + "/models/pantograph.yaml", "pantograph"},
        std::pair{mimic, "mimic"}}) {
    ASSERT_EQ(generate(model), 0) << log();
    EXPECT_NE(content(std::string(name) + ".hpp").find("void constrained_dynamics("), std::string::npos)
        << name;
    EXPECT_EQ(content(std::string(name) + ".hpp").find("forward_dynamics"), std::string::npos) << name;
    ASSERT_EQ(generate(model + " --what forward-dynamics,inverse-dynamics,step --keep-parameters"), 0)
        << log();
    const std::string text = content(std::string(name) + ".hpp");
    EXPECT_NE(text.find("void forward_dynamics_open_tree("), std::string::npos) << name;
    EXPECT_NE(text.find("void inverse_dynamics_open_tree("), std::string::npos) << name;
    EXPECT_EQ(text.find("void forward_dynamics("), std::string::npos) << name;
    EXPECT_NE(text.find("int step(double t, double t_next"), std::string::npos) << name;
  }
  EXPECT_EQ(generate(kModel + " --what constrained-dynamics"), 2);
  EXPECT_NE(log().find("no constraints"), std::string::npos);
  EXPECT_EQ(generate(kModel + " --what step --lang latex"), 2);
  // Joints that stick and break away are no straight-line code.
  EXPECT_EQ(generate(tactus::support::source_dir() + "/models/puma560.yaml --what step"), 2);
}

TEST_F(GenerateVerb, WritesAControllerThatComputesWhatTheLibraryComputes) {
  ASSERT_EQ(
      generate(kModel +
               " --what controller:sampled,controller:inverse-kinematics:tool,mass-matrix --poles -8,20 "
               "--period 0.001 --no-limits --lang c --name arm"),
      0)
      << log();
  EXPECT_NE(log().find("control_sampled_pole_placement"), std::string::npos) << log();
  std::ofstream(folder / "main.c") << R"(
#include "arm.h"
#include <stdio.h>
int main(void) {
  double q[6], qd[6], wanted[6], none[6] = {0}, tau[6];
  for (int k = 0; k < 6; ++k) {
    q[k] = 0.1 * k - 0.2;
    qd[k] = 0.3 * k - 1.0;
    wanted[k] = q[k] + 0.2;
  }
  if (arm_control_sampled_pole_placement(0.0, q, qd, wanted, none, none, 0, tau) != 0) return 1;
  for (int k = 0; k < 6; ++k) printf("%a\n", tau[k]);
  return 0;
})";
  ASSERT_EQ(run("cc -std=c99 -O1 -Wall -Wextra -pedantic -Werror main.c -o main -lm"), 0) << log();
  ASSERT_EQ(run("./main"), 0);
  control::ArmController controller(
      describe::load(kModel),
      {control::ArmLaw::sampled, {control::PolePair::complex(-8.0, 20.0)}, 0.001, false});
  std::vector<double> q(6), qd(6), wanted(6), none(6), tau(6);
  for (std::size_t k = 0; k < 6; ++k) {
    const auto x = static_cast<double>(k);
    q[k] = 0.1 * x - 0.2;
    qd[k] = 0.3 * x - 1.0;
    wanted[k] = q[k] + 0.2;
  }
  ASSERT_TRUE(controller.torque(0.0, q, qd, wanted, none, none, tau));
  std::istringstream lines(log());
  for (const double want : tau) {
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(std::strtod(line.c_str(), nullptr), want);
  }
}

TEST_F(GenerateVerb, RefusesControllersThatCannotBe) {
  const std::string crank = tactus::support::source_dir() + "/models/slider_crank.yaml";
  for (const auto& [arguments, words] :
       {std::pair{kModel + " --what controller:pole-placment", "did you mean `pole-placement`?"},
        {kModel + " --what controller:gravity --poles 3,4", "are not stable"},
        {kModel + " --what controller:gravity --poles 3", "give RE,IM"},
        {kModel + " --what controller:gravity --lang latex", "not a formula"},
        {kModel + " --what controller:gravity --keep-parameters", "numbers"},
        {kModel + " --what controller:inverse-kinematics:elbow", "no frame `elbow`"},
        {kModel + " --poles -3,4", "none is asked for"},
        {kModel + " --what controller:pidc --lead q1", "has no constraints"},
        {crank + " --what controller:pole-placement", "has constraints"},
        {crank + " --what controller:passive", "--lead"},
        {crank + " --what controller:passive --lead q7", "no coordinate `q7`"},
        {crank + " --what controller:pidc --lead q1", "ask for controller:passive"}}) {
    EXPECT_EQ(generate(arguments), 2) << arguments;
    EXPECT_NE(log().find(words), std::string::npos) << arguments << ": " << log();
  }
}

TEST_F(GenerateVerb, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(generate(kModel + " --what mass-matrx"), 2);
  EXPECT_NE(log().find("did you mean `mass-matrix`?"), std::string::npos);
  EXPECT_EQ(generate(kModel + " --lang pascal"), 2);
  EXPECT_EQ(generate(kModel + " --out /dev/null/nowhere"), 2);
  EXPECT_NE(log().find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace tactus
