#include <tactus/generate/requests.h>

#include <gtest/gtest.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/latex.h>
#include "support/paths.h"

namespace tactus::generate {
namespace {

class Requests : public testing::Test {
 protected:
  derive::Equations equations{describe::load(tactus::support::source_dir() + "/models/puma560.yaml")};

  std::string message_of(const std::string& request) {
    try {
      requested_functions(equations, std::vector{request});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Requests, EveryWordGivesAFunctionThatCompiles) {
  for (const Word& word : words()) {
    const std::size_t colon = word.name.find(':');
    const std::string request = colon == std::string::npos ? word.name : word.name.substr(0, colon) + ":tool";
    const std::vector<algebra::Function> functions = requested_functions(equations, std::vector{request});
    ASSERT_EQ(functions.size(), 1u) << request;
    EXPECT_GT(compile(functions[0]).output_size(), 0u) << request;
  }
}

TEST_F(Requests, AJacobianIsAFunctionOfCoordinatesAndSpeeds) {
  const algebra::Function jacobian =
      requested_functions(equations, std::vector<std::string>{"jacobian:tool"})[0];
  EXPECT_EQ(jacobian.name, "jacobian_tool");
  ASSERT_EQ(jacobian.inputs.size(), 2u);
  EXPECT_EQ(jacobian.inputs[0].name, "q");
  EXPECT_EQ(jacobian.inputs[1].name, "u");
  ASSERT_EQ(jacobian.outputs.size(), 2u);
  EXPECT_EQ(jacobian.outputs[0].rows, 6);
  EXPECT_EQ(jacobian.outputs[0].cols, 6);
}

TEST_F(Requests, MistakesAreExplained) {
  EXPECT_NE(message_of("mass-matrx").find("did you mean `mass-matrix`?"), std::string::npos);
  EXPECT_NE(message_of("jacobian").find("jacobian:FRAME"), std::string::npos);
  EXPECT_NE(message_of("jacobian:tol").find("tool"), std::string::npos);
  EXPECT_NE(message_of("mass-matrix:tool").find("nothing is called"), std::string::npos);
}

TEST_F(Requests, LatexHoldsMatricesOrEntries) {
  const derive::Equations planar(describe::load(tactus::support::source_dir() + "/models/planar_2r.yaml"));
  const std::vector<std::string> mass{"mass-matrix"};
  const std::string small = write_latex(requested_functions(planar, mass), {.document = true});
  EXPECT_NE(small.find("M &= \\begin{bmatrix}"), std::string::npos);
  EXPECT_NE(small.find("\\end{document}"), std::string::npos);
  const std::string large = write_latex(requested_functions(equations, mass));
  EXPECT_NE(large.find("z_{1} &= "), std::string::npos);
  EXPECT_EQ(large.find("\\documentclass"), std::string::npos);
}

}  // namespace
}  // namespace tactus::generate
