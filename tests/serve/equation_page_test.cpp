// The page's equations in the letters of `derive --latex`.
#include <tactus/serve/page/equation_page.h>

#include <string>

#include <gtest/gtest.h>

#include <tactus/describe/read/load.h>

namespace tactus::serve {
namespace {

TEST(EquationPage, ParametersDoNotLookLikeMatricesAndDifferentNamesNotAlike) {
  const describe::Model model = describe::load_text(
      "name: letters\nparameters: {M: 2 kg, g: 9.81 m/s^2, L1: 3 m, L_1: 0.5 m}\n"
      "gravity: [0, 0, -g]\nbodies: {b: {mass: M, com: [L_1, 0, -L1]}}\n"
      "joints: {q: {type: revolute, parent: world, child: b, axis: y}}\n",
      "letters.yaml");
  say::Equations wanted;
  wanted.symbols = true;
  const std::string page = equation_page(model, wanted, {}).dump();
  for (const char* name : {"\\\\mathrm{M}", "\\\\mathrm{g}", "L_{1}", "\\\\mathrm{L\\\\_1}", "\"M_{11}\""})
    EXPECT_NE(page.find(name), std::string::npos) << name << "\n" << page;
}

}  // namespace
}  // namespace tactus::serve
