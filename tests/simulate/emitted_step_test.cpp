// Emitted source of constrained motions, compiled by the system's compiler, against the library: the same bits.
#include <tactus/simulate/constraints/emitted_step.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/requests.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/simulation.h>
#include "support/paths.h"

namespace tactus::simulate {
namespace {

namespace fs = std::filesystem;
using algebra::Function;

constexpr double kStep = 1e-3;
constexpr int kSteps = 100;

describe::Model model_named(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

/// Two links, the first of which is moved: every stage of a step sees another time.
const char* const kDriven = R"(
name: driven
bodies:
  upper: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  lower: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  q1: {type: revolute, parent: world, child: upper, axis: y}
  q2: {type: revolute, parent: upper, child: lower, axis: y, placement: {xyz: [1, 0, 0]}}
constraints:
  drive: {type: motion, joint: q1, equals: 0.2*sin(60*t)}
initial: {q: {q2: 0.4}}
)";

/// A model, what the library makes of it, and the C++ that says the same.
struct Case {
  explicit Case(const std::string& name) : Case(model_named(name)) {}
  explicit Case(describe::Model given)
      : name(generate::identifier(given.name)),
        model(std::move(given)),
        equations(model),
        dynamics(compile(equations)),
        start(assemble_keeping(dynamics, {0.0, model.initial_q, model.initial_u, {}},
                               kept_speeds(model, model.initial_marks))) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(equations.nv()); ++i)
      tau.push_back(0.01 /
                    (1.0 + static_cast<double>(i)));  // [N, N m] small: the light ones must not fly off
    if (!model.constraints.empty())
      functions = generate::requested_functions(
          equations, std::vector<std::string>{"constrained-dynamics", "constraints"},
          independent_rows(model));
    program = step_program(equations);
  }

  std::string source(generate::Language language) const {
    return generate::write_source(functions, {language, name, "", &program});
  }

  /// Reads q and u at the start, writes them after every step, and there what the functions say.
  std::string driver(const std::string& prefix) const {
    const std::size_t nq = start.q.size(), nv = start.u.size();
    std::string text = fmt::format(
        "static int run_{0}(FILE* from, FILE* to) {{\n"
        "  double q[{1}], u[{2}], tau[{2}];\n"
        "  if (fread(q, 8, {1}, from) != {1} || fread(u, 8, {2}, from) != {2} || fread(tau, 8, {2}, from) != "
        "{2}) return 1;\n"
        "  for (int k = 0; k < {3}; ++k) {{\n"
        "    const double t[] = {{k * {4}}};\n    (void)t;\n",
        name, nq, nv, kSteps, kStep);
    for (const Function& function : functions) {
      std::vector<std::string> arguments;
      for (const algebra::Block& block : function.inputs) arguments.push_back(block.name);
      text += "    {\n";
      for (const algebra::Block& block : function.outputs) {
        text += fmt::format("      double out_{}[{}];\n", block.name, block.size());
        arguments.push_back("out_" + block.name);
      }
      text += fmt::format("      {}{}({});\n", prefix, function.name, fmt::join(arguments, ", "));
      for (const algebra::Block& block : function.outputs)
        text += fmt::format("      fwrite(out_{0}, 8, {1}, to);\n", block.name, block.size());
      text += "    }\n";
    }
    return text + fmt::format(
                      "    if ({0}step(k * {1}, (k + 1) * {1}, q, u, tau) != 0) return 2;\n"
                      "    fwrite(q, 8, {2}, to);\n    fwrite(u, 8, {3}, to);\n  }}\n  return 0;\n}}\n",
                      prefix, kStep, nq, nv);
  }

  void append_expected(std::vector<double>& want) {
    Simulation simulation(dynamics, {.step = kStep});
    simulation.set_state(start);
    std::vector<generate::Evaluator> evaluators;
    for (const Function& function : functions)
      evaluators.emplace_back(generate::compile(function, generate::Backend::interpreter));
    for (int k = 0; k < kSteps; ++k) {
      const State& state = simulation.state();
      for (generate::Evaluator& evaluator : evaluators) {
        const auto fill = [&](std::string_view block, const std::vector<double>& values) {
          const std::span<double> in = evaluator.input(block);
          if (!in.empty()) std::copy(values.begin(), values.end(), in.begin());
        };
        fill("t", {state.t});
        fill("q", state.q);
        fill("u", state.u);
        fill("tau", tau);
        evaluator.run();
        for (const generate::Slot& slot : evaluator.kernel().outputs()) {
          const auto values = evaluator.output(slot.name);
          want.insert(want.end(), values.begin(), values.end());
        }
      }
      ASSERT_TRUE(simulation.step({.tau = tau}).ok()) << name << " " << k;
      want.insert(want.end(), simulation.state().q.begin(), simulation.state().q.end());
      want.insert(want.end(), simulation.state().u.begin(), simulation.state().u.end());
    }
    ASSERT_EQ(simulation.handed_over(), 0) << name << " meets a singular position";
  }

  /// The state as set_state() leaves it.
  void append_start(std::vector<double>& in) const {
    Simulation simulation(dynamics, {.step = kStep});
    simulation.set_state(start);
    for (const std::vector<double>* part : {&simulation.state().q, &simulation.state().u, &tau})
      in.insert(in.end(), part->begin(), part->end());
  }

  std::string name;
  describe::Model model;
  derive::Equations equations;
  Dynamics dynamics;
  State start;
  std::vector<double> tau;
  std::vector<Function> functions;
  generate::StepProgram program;
};

TEST(EmittedStep, HasTheBitsOfTheLibraryOverAHundredSteps) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("tactus_emitted_step_{}", ::getpid());
  fs::create_directories(folder);
  // Nothing, loops, redundant rows, rolling, speeds of one's own, prescribed curves, a motion that depends on the time.
  std::vector<std::unique_ptr<Case>> cases;
  for (const char* name : {"planar_2r", "pantograph", "four_bar", "bricard", "rolling_coin", "shopping_cart",
                           "andrews", "two_link_on_circle"})
    cases.push_back(std::make_unique<Case>(name));
  cases.push_back(std::make_unique<Case>(describe::load_text(kDriven, "driven.yaml")));
  std::vector<double> in, want;
  for (const auto& one : cases) {
    one->append_start(in);
    ASSERT_NO_FATAL_FAILURE(one->append_expected(want));
  }
  std::ofstream(folder / "in.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(in.data()),
             static_cast<std::streamsize>(in.size() * sizeof(double)));
  const std::string warnings = "-Wall -Wextra -Wshadow -pedantic -Werror";
  for (const auto& [language, driver, command] :
       {std::tuple{generate::Language::cpp, "driver.cpp",
                   "c++ -std=c++17 -O2 -march=native -ffast-math " + warnings},
        std::tuple{generate::Language::c, "driver.c", "cc -std=c99 -O1 " + warnings}}) {
    SCOPED_TRACE(command);
    const bool cpp = language == generate::Language::cpp;
    std::string text = "#include <stdio.h>\n", main;
    for (const auto& one : cases) {
      const std::string header = one->name + std::string(generate::suffix_of(language));
      std::ofstream(folder / header) << one->source(language);
      text += "#include \"" + header + "\"\n";
      main += one->driver(one->name + (cpp ? "::" : "_"));
    }
    text += main +
            "int main(void) {\n  FILE* from = fopen(\"in.bin\", \"rb\");\n  FILE* to = fopen(\"out.bin\", "
            "\"wb\");\n";
    for (const auto& one : cases)
      text += fmt::format("  if (run_{0}(from, to) != 0) {{ puts(\"{0}\"); return 1; }}\n", one->name);
    std::ofstream(folder / driver) << text + "  fclose(from);\n  fclose(to);\n  return 0;\n}\n";
    ASSERT_EQ(std::system(
                  fmt::format("cd '{}' && {} {} -o driver -lm && ./driver", folder.string(), command, driver)
                      .c_str()),
              0);
    std::vector<double> got(fs::file_size(folder / "out.bin") / sizeof(double));
    std::ifstream(folder / "out.bin", std::ios::binary)
        .read(reinterpret_cast<char*>(got.data()), static_cast<std::streamsize>(got.size() * sizeof(double)));
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t k = 0; k < got.size(); ++k)
      ASSERT_EQ(std::memcmp(&got[k], &want[k], sizeof(double)), 0)
          << k << ": " << got[k] << " instead of " << want[k];
  }
  fs::remove_all(folder);
}

// One speed of two beyond the limit, each in turn; and none, as the library sees it.
TEST(EmittedStep, SaysThatASpeedIsBeyondTheLimitWhicheverItIs) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("tactus_emitted_limit_{}", ::getpid());
  fs::create_directories(folder);
  const Case one(
      describe::load_text("name: two\nbodies: {a: {mass: 1}, b: {mass: 1}}\ngravity: [0, 0, 0]\n"
                          "joints: {x: {type: prismatic, parent: world, child: a, axis: x},\n"
                          "         y: {type: prismatic, parent: world, child: b, axis: x}}\n",
                          "two.yaml"));
  std::ofstream(folder / "two.h") << one.source(generate::Language::c);
  const double fast = 2.0 * Options{}.speed_limit;
  std::ofstream(folder / "main.c") << fmt::format(
      "#include \"two.h\"\nint main(void) {{\n  const double tau[] = {{0, 0}};\n"
      "  for (int i = 0; i < 3; ++i) {{\n    double q[] = {{0, 0}}, u[] = {{1, 1}};\n"
      "    if (i < 2) u[i] = {};\n    if (two_step(0, 1e-3, q, u, tau) != (i < 2 ? 2 : 0)) return 1 + i;\n  "
      "}}\n"
      "  return 0;\n}}\n",
      fast);
  EXPECT_EQ(std::system(
                fmt::format("cd '{}' && cc -std=c99 main.c -o main -lm && ./main", folder.string()).c_str()),
            0);
  fs::remove_all(folder);
}

// Also where the compiler is told that there is no such thing.
TEST(EmittedStep, SaysThatAValueIsNoNumberWithAnyOptions) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("tactus_emitted_nan_{}", ::getpid());
  fs::create_directories(folder);
  const Case one("planar_2r");
  std::ofstream(folder / "planar_2r.hpp") << one.source(generate::Language::cpp);
  std::ofstream(folder / "main.cpp")
      << "#include \"planar_2r.hpp\"\nint main() {\n  const double tau[2] = {};\n"
         "  const std::uint64_t all[] = {0x7ff8000000000000u, 0x7ff0000000000000u};\n  for (const "
         "std::uint64_t bits : all) {\n"
         "    double q[2] = {}, u[2] = {};\n    std::memcpy(&u[1], &bits, sizeof bits);\n"
         "    if (planar_2r::step(0, 1e-3, q, u, tau) != 2) return 1;\n  }\n  return 0;\n}\n";
  for (const char* options : {"-O0", "-O2", "-O0 -ffast-math", "-O2 -ffast-math"})
    EXPECT_EQ(std::system(fmt::format("cd '{}' && c++ -std=c++17 {} main.cpp -o main && ./main",
                                      folder.string(), options)
                              .c_str()),
              0)
        << options;
  fs::remove_all(folder);
}

TEST(EmittedStep, IsRefusedWhereTheLibrarysStepIsMore) {
  for (const char* name : {"rigid_body", "box_drop", "rolling_sphere"})
    EXPECT_THROW(step_program(derive::Equations(model_named(name))), InputError) << name;
}

TEST(EmittedStep, WhatLeavesConstraintsOutSaysSo) {
  const describe::Model model = model_named("four_bar");
  const derive::Equations equations(model);
  const std::vector<std::string> what{"forward-dynamics", "inverse-dynamics", "linear", "mass-matrix"};
  std::vector<std::string> names;
  for (const Function& function : generate::requested_functions(equations, what))
    names.push_back(function.name);
  EXPECT_EQ(names, (std::vector<std::string>{"forward_dynamics_open_tree", "inverse_dynamics_open_tree",
                                             "linear_model_open_tree", "mass_matrix"}));
  const derive::Equations free(model_named("planar_2r"));
  EXPECT_THROW(generate::requested_functions(free, std::vector<std::string>{"constrained-dynamics"}),
               InputError);
}

}  // namespace
}  // namespace tactus::simulate
