// Emitted source, compiled by the system's compilers, against the interpreter: same bits.
#include <tactus/generate/source.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/requests.h>

#include "random_function.h"
#include "same_bits.h"
#include "support/paths.h"

namespace tactus::generate {
namespace {

namespace fs = std::filesystem;

class Source : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / fmt::format("tactus_source_test_{}", ::getpid());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }

  std::vector<double> read_doubles(const fs::path& file) {
    std::vector<double> values(fs::file_size(file) / sizeof(double));
    std::ifstream(file, std::ios::binary)
        .read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(double)));
    return values;
  }

  fs::path folder;
};

std::vector<algebra::Function> some_functions() {
  std::vector<algebra::Function> functions;
  for (unsigned seed = 0; seed < 8; ++seed) {
    RandomOptions options;
    options.arithmetic_only = seed % 2 == 0;
    functions.push_back(random_function(seed, options));
  }
  return functions;
}

constexpr int kStates = 20;

/// A program in the common part of C and C++ that evaluates every function at states from stdin-like files.
std::string driver(const std::vector<algebra::Function>& functions, const std::string& header,
                   const std::string& prefix) {
  std::string text = fmt::format("#include \"{}\"\n#include <stdio.h>\n", header);
  text +=
      "int main(void) {\n  double in[64], out[64];\n  FILE* from = fopen(\"in.bin\", \"rb\");\n"
      "  FILE* to = fopen(\"out.bin\", \"wb\");\n  if (!from || !to) return 1;\n";
  for (const algebra::Function& function : functions) {
    text += fmt::format("  for (int k = 0; k < {}; ++k) {{\n", kStates);
    text += fmt::format("    if (fread(in, sizeof(double), {0}, from) != {0}) return 1;\n",
                        function.input_size());
    text += fmt::format("    {}{}(in, in + {}, out, out + {});\n", prefix, function.name,
                        function.inputs[0].size(), function.outputs[0].size());
    text += fmt::format("    fwrite(out, sizeof(double), {}, to);\n  }}\n", function.output_size());
  }
  return text + "  fclose(from);\n  fclose(to);\n  return 0;\n}\n";
}

TEST_F(Source, GivesTheSameBitsWhateverTheCompilersFlags) {
  const std::vector<algebra::Function> functions = some_functions();
  std::mt19937 rng(11);
  std::normal_distribution<double> normal(0.0, 1.5);
  std::vector<double> in, want;
  for (const algebra::Function& function : functions) {
    const Kernel kernel = compile(function, Backend::interpreter);
    std::vector<double> x(kernel.input_size()), y(kernel.output_size()), work(kernel.work_size());
    for (int k = 0; k < kStates; ++k) {
      for (double& value : x) value = k % 4 == 3 ? 1e7 * normal(rng) : normal(rng);
      kernel(x.data(), y.data(), work.data());
      in.insert(in.end(), x.begin(), x.end());
      want.insert(want.end(), y.begin(), y.end());
    }
  }
  std::ofstream(folder / "in.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(in.data()),
             static_cast<std::streamsize>(in.size() * sizeof(double)));

  write("emitted.hpp", write_source(functions, {Language::cpp, "emitted", "random functions"}));
  write("emitted.h", write_source(functions, {Language::c, "emitted", "random functions"}));
  write("driver.cpp", driver(functions, "emitted.hpp", "emitted::"));
  write("driver.c", driver(functions, "emitted.h", "emitted_"));

  const std::string warnings = "-Wall -Wextra -Wconversion -Wshadow -pedantic -Werror";
  std::vector<std::string> commands{
      "c++ -std=c++17 -O1 " + warnings + " driver.cpp -o driver",
      "c++ -std=c++17 -O3 -march=native -ffast-math " + warnings + " driver.cpp -o driver",
      "c++ -std=c++17 -O3 -march=native -ffast-math -fno-inline " + warnings + " driver.cpp -o driver",
      "c++ -std=c++17 -O3 -march=native -fno-builtin " + warnings + " driver.cpp -o driver",
      "cc -std=c99 -O2 -march=native " + warnings + " driver.c -o driver -lm"};
  if (std::system("clang++ --version > /dev/null 2>&1") == 0)
    commands.push_back("clang++ -std=c++17 -O3 -march=native -ffast-math " + warnings +
                       " driver.cpp -o driver");
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    const std::string in_folder = "cd '" + folder.string() + "' && ";
    ASSERT_EQ(std::system((in_folder + command).c_str()), 0);
    ASSERT_EQ(std::system((in_folder + "./driver").c_str()), 0);
    const std::vector<double> got = read_doubles(folder / "out.bin");
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_TRUE(same_bits(got[k], want[k])) << k << ": " << got[k] << " instead of " << want[k];
    }
  }
}

TEST_F(Source, NamesAreIdentifiers) {
  EXPECT_EQ(identifier("tool-tip 2"), "tool_tip_2");
  EXPECT_EQ(identifier("double"), "double_");
  EXPECT_EQ(identifier("6R"), "x6R");
  EXPECT_EQ(identifier("a..b"), "a_b");
  EXPECT_EQ(identifier(""), "x");
}

TEST_F(Source, CompilesWhateverTheModelIsCalled) {
  const std::vector<algebra::Function> functions{random_function(1)};
  const std::vector<std::string> names{"NAN",
                                       "INFINITY",
                                       "NULL",
                                       "M_PI",
                                       "HUGE_VAL",
                                       "INT_MAX",
                                       "EOF",
                                       "linux",
                                       "unix",
                                       "sin",
                                       "sinf",
                                       "atan2l",
                                       "gamma",
                                       "y1",
                                       "j0",
                                       "jn",
                                       "index",
                                       "round",
                                       "exp10f64",
                                       "free",
                                       "exit",
                                       "system",
                                       "div",
                                       "select",
                                       "time",
                                       "signal",
                                       "remove",
                                       "link",
                                       "read",
                                       "double",
                                       "xor_eq",
                                       "constexpr",
                                       "import",
                                       "thread_local",
                                       "bool",
                                       "main",
                                       "size_t",
                                       "uint64_t",
                                       "std",
                                       "isnan",
                                       "memcpy",
                                       "strlen",
                                       "random",
                                       "sync",
                                       "stdin",
                                       "\u202eNAN\u202c",
                                       "arm \u2066\u061c",
                                       "\u2028x",
                                       "",
                                       "1",
                                       "-",
                                       "a__b"};
  for (const bool cpp : {true, false}) {
    // The user's program includes more than ours does, before and after.
    std::string user = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n",
                more;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::string file = fmt::format("name_{}.h", k);
      write(file,
            write_source(functions, {cpp ? Language::cpp : Language::c, names[k], names[k] + ", a model"}));
      more += fmt::format("#include \"{}\"\n", file);
    }
    write(cpp ? "user.cpp" : "user.c",
          user + more +
              "#include <string.h>\n#include <time.h>\n#include <signal.h>\nint main(void) { return 0; }\n");
    const std::string command =
        cpp ? "c++ -std=gnu++17 -fsyntax-only user.cpp" : "cc -std=gnu11 -fsyntax-only user.c";
    EXPECT_EQ(std::system(("cd '" + folder.string() + "' && " + command +
                           " -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -Wno-unused-function")
                              .c_str()),
              0);
  }
}

TEST_F(Source, NamesThatBecomeEqualStayApart) {
  std::vector<algebra::Function> functions{random_function(1), random_function(2)};
  functions[0].name = "tool-tip";
  functions[1].name = "tool_tip";
  const std::string text = write_source(functions, {Language::c, "arm", ""});
  EXPECT_NE(text.find("arm_tool_tip("), std::string::npos);
  EXPECT_NE(text.find("arm_tool_tip_("), std::string::npos);
}

TEST_F(Source, SaysWhatEachBlockHolds) {
  const std::vector<algebra::Function> functions{random_function(1)};
  const std::string text = write_source(functions, {Language::cpp, "arm", "an arm */ // \\"});
  EXPECT_NE(text.find("/// A random function."), std::string::npos);
  EXPECT_NE(text.find("in  x[6]: first half of the inputs: x0, x1, x2, x3, x4, x5"), std::string::npos);
  EXPECT_NE(text.find("namespace arm {"), std::string::npos);
  EXPECT_EQ(text.find("*/"), std::string::npos);
}

TEST_F(Source, ForwardDerivativesAsEmittedAreTheKernels) {
  const derive::Equations equations(describe::load(tactus::support::source_dir() + "/models/planar_3r.yaml"));
  const std::vector<algebra::Function> functions =
      requested_functions(equations, std::vector<std::string>{"forward-derivatives"});
  const Kernel kernel = compile(functions[0]);
  std::vector<double> in(kernel.input_size()), want(kernel.output_size()), work(kernel.work_size());
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  for (double& x : in) x = normal(rng);
  kernel(in.data(), want.data(), work.data());
  std::ofstream(folder / "in.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(in.data()),
             static_cast<std::streamsize>(in.size() * sizeof(double)));
  write("arm.hpp", write_source(functions, {Language::cpp, "arm", "an arm"}));
  write("driver.cpp",
        "#include \"arm.hpp\"\n#include <cstdio>\n"
        "int main() {\n  double in[9], out[30];\n  FILE* from = std::fopen(\"in.bin\", \"rb\");\n"
        "  FILE* to = std::fopen(\"out.bin\", \"wb\");\n  if (!from || !to) return 1;\n"
        "  if (std::fread(in, sizeof(double), 9, from) != 9) return 1;\n"
        "  arm::forward_derivatives(in, in + 3, in + 6, out, out + 3, out + 12, out + 21);\n"
        "  std::fwrite(out, sizeof(double), 30, to);\n  std::fclose(to);\n  return 0;\n}\n");
  ASSERT_EQ(in.size(), 9u);
  ASSERT_EQ(want.size(), 30u);
  const std::string in_folder = "cd '" + folder.string() + "' && ";
  ASSERT_EQ(
      std::system((in_folder + "c++ -std=c++17 -O1 -Wall -Wextra -Werror driver.cpp -o driver").c_str()), 0);
  ASSERT_EQ(std::system((in_folder + "./driver").c_str()), 0);
  const std::vector<double> got = read_doubles(folder / "out.bin");
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(same_bits(got[k], want[k])) << k;
}

}  // namespace
}  // namespace tactus::generate
