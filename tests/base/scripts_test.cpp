// The scripts at the root as a newcomer meets them: from other folders, through links, with a build folder that was left broken.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string said;
};

Outcome shell(const std::string& command) {
  Outcome outcome;
  std::FILE* const pipe = ::popen(("( " + command + " ) 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    outcome.said.append(buffer, n);
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class Scripts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("tactus-scripts-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A checkout with the scripts alone, and a program `cmake` that writes down how it is called and configures.
  fs::path checkout(const std::string& name) {
    const fs::path at = folder_ / name;
    fs::create_directories(at / "scripts");
    for (const char* script : {"build", "install"})
      fs::copy(fs::path(support::source_dir()) / "scripts" / script, at / "scripts" / script);
    fs::create_directories(folder_ / "bin");
    std::ofstream(folder_ / "bin" / "cmake") << R"(#!/bin/bash
echo "cmake $*" >>calls
case "$*" in *--build*) exit 0 ;; esac
mkdir -p build/release
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\nCMAKE_CXX_COMPILER:FILEPATH=/bin/sh\n' "$PWD" >build/release/CMakeCache.txt
for o in "$@"; do case "$o" in -DTACTUS_TESTS=*) echo "TACTUS_TESTS:BOOL=${o#*=}" >>build/release/CMakeCache.txt ;; esac; done
touch build/release/build.ninja
)";
    std::ofstream(folder_ / "bin" / "ninja") << "#!/bin/bash\n";
    for (const char* tool : {"cmake", "ninja"})
      fs::permissions(folder_ / "bin" / tool, fs::perms::owner_all, fs::perm_options::add);
    return at;
  }
  Outcome build(const fs::path& at, const std::string& more = "") {
    fs::remove(at / "calls");
    return shell("unset TACTUS_WERROR TACTUS_TESTS; PATH='" + (folder_ / "bin").string() + "':$PATH " + more +
                 " '" + at.string() + "/scripts/build' release tactus");
  }
  /// A program in `folder` that is a script.
  void tool(const fs::path& folder, const std::string& name, const std::string& script) {
    fs::create_directories(folder);
    fs::remove(folder / name);
    std::ofstream(folder / name) << "#!/bin/bash\n" << script;
    fs::permissions(folder / name, fs::perms::all & ~(fs::perms::group_write | fs::perms::others_write));
  }
  /// Tools of every system and nothing else; no package is installed there.
  fs::path bare_tools() {
    const fs::path tools = folder_ / "few";
    fs::create_directories(tools);
    for (const char* name : {"bash", "env", "dirname", "basename",  "realpath", "sed",   "grep", "mkdir",
                             "stat", "id",  "rm",      "mktemp",    "tail",     "cat",   "find", "head",
                             "sort", "cut", "xargs",   "sha256sum", "nproc",    "chmod", "touch"})
      for (const char* from : {"/usr/bin/", "/bin/"})
        if (fs::exists(from + std::string(name)) && !fs::exists(tools / name))
          fs::create_symlink(from + std::string(name), tools / name);
    tool(tools, "dpkg-query", "exit 1\n");
    return tools;
  }
  /// What runs a command as a user who is not root; nothing where there is no way to.
  static std::string as_user() {
    if (::geteuid() != 0) return " ";
    return shell("setpriv --version").code == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  }
  static std::string calls(const fs::path& at) {
    std::ifstream file(at / "calls");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(Scripts, HelpWorksFromAnyFolderAndThroughALink) {
  for (const char* name : {"run", "test", "bench"}) {
    const fs::path script = fs::path(support::source_dir()) / name, link = folder_ / name;
    fs::create_symlink(script, link);
    const fs::path parent = script.parent_path();
    for (const std::string& call : {"cd / && '" + script.string() + "' --help",
                                    "cd '" + folder_.string() + "' && ./" + name + " --help",
                                    "cd '" + parent.parent_path().string() + "' && '" +
                                        parent.filename().string() + "/" + name + "' --help"}) {
      const Outcome outcome = shell(call);
      EXPECT_EQ(outcome.code, 0) << call << "\n" << outcome.said;
      EXPECT_NE(outcome.said.find(std::string("./") + name), std::string::npos) << call << "\n"
                                                                                << outcome.said;
    }
  }
}

TEST_F(Scripts, TheMainJobConfiguresWithoutTestsAndTestsStayOnceTheyAre) {
  const fs::path at = checkout("one");
  ASSERT_EQ(build(at).code, 0);
  EXPECT_NE(calls(at).find("-DTACTUS_TESTS=OFF"), std::string::npos) << calls(at);
  ASSERT_EQ(build(at).code, 0);
  EXPECT_EQ(calls(at).find("cmake --preset"), std::string::npos) << "configured twice: " << calls(at);
  ASSERT_EQ(build(at, "TACTUS_TESTS=ON").code, 0);
  EXPECT_NE(calls(at).find("-DTACTUS_TESTS=ON"), std::string::npos) << calls(at);
  ASSERT_EQ(build(at).code, 0);
  EXPECT_EQ(calls(at).find("-DTACTUS_TESTS=OFF"), std::string::npos) << calls(at);
}

TEST_F(Scripts, ABrokenOrForeignBuildFolderIsConfiguredAnew) {
  const fs::path at = checkout("one");
  ASSERT_EQ(build(at).code, 0);
  // Configuring failed half way.
  fs::remove(at / "build/release/build.ninja");
  Outcome outcome = build(at);
  ASSERT_EQ(outcome.code, 0) << outcome.said;
  EXPECT_NE(calls(at).find("--fresh"), std::string::npos) << calls(at);
  // The whole checkout was copied.
  const fs::path copy = folder_ / "copy";
  fs::copy(at, copy, fs::copy_options::recursive);
  outcome = build(copy);
  ASSERT_EQ(outcome.code, 0) << outcome.said;
  EXPECT_NE(calls(copy).find("--fresh"), std::string::npos) << calls(copy);
  EXPECT_NE(outcome.said.find("another folder"), std::string::npos) << outcome.said;
  // The compiler was removed since.
  std::ofstream(copy / "build/release/CMakeCache.txt")
      << "CMAKE_HOME_DIRECTORY:INTERNAL=" << copy.string()
      << "\nCMAKE_CXX_COMPILER:FILEPATH=/nowhere/c++\nTACTUS_TESTS:BOOL=OFF\n";
  outcome = build(copy);
  EXPECT_NE(outcome.said.find("compiler is gone"), std::string::npos) << outcome.said;
}

constexpr const char* kLine = "  apt-get update && apt-get install -y --no-install-recommends ";

TEST_F(Scripts, WithoutCmakeTheLineToTypeIsSaid) {
  const fs::path at = checkout("one"), tools = bare_tools();
  fs::copy(fs::path(support::source_dir()) / "run", at / "run");
  for (const char* call : {"scripts/build' release tactus", "run' --no-install"}) {
    const Outcome outcome = shell("PATH='" + tools.string() + "' '" + at.string() + "/" + call);
    EXPECT_EQ(outcome.code, 1) << outcome.said;
    EXPECT_NE(outcome.said.find("There is no cmake here"), std::string::npos) << outcome.said;
    EXPECT_NE(outcome.said.find(std::string(kLine) + "g++ cmake "), std::string::npos) << outcome.said;
    EXPECT_EQ(outcome.said.find("command not found"), std::string::npos) << outcome.said;
  }
}

TEST_F(Scripts, WithoutNpmTheLineToTypeIsSaid) {
  const fs::path at = checkout("one"), tools = bare_tools();
  fs::copy(fs::path(support::source_dir()) / "scripts/build_page", at / "scripts/build_page");
  fs::create_directories(at / "web");
  fs::copy(fs::path(support::source_dir()) / "web/test", at / "web/test");
  std::ofstream(at / "web/package-lock.json") << "{}\n";
  for (const char* script : {"scripts/build_page", "web/test"}) {
    const Outcome outcome = shell("PATH='" + tools.string() + "' '" + at.string() + "/" + script + "'");
    EXPECT_EQ(outcome.code, 1) << outcome.said;
    EXPECT_NE(outcome.said.find("There is no node here"), std::string::npos) << outcome.said;
    EXPECT_NE(outcome.said.find(kLine), std::string::npos) << outcome.said;
    EXPECT_NE(outcome.said.find(" nodejs npm"), std::string::npos) << outcome.said;
    EXPECT_EQ(outcome.said.find("command not found"), std::string::npos) << outcome.said;
  }
}

TEST_F(Scripts, TheMainJobAsksForNothingThatOnlyTestsAndBenchmarksUse) {
  const fs::path at = checkout("one"), tools = bare_tools();
  const auto asked = [&](const std::string& groups) {
    return shell("PATH='" + tools.string() + "' '" + at.string() + "/scripts/install' --check " + groups);
  };
  const Outcome main_job = asked("page"), tests = asked("tests");
  EXPECT_EQ(main_job.code, 1);
  for (const char* package : {"libeigen3-dev", "libyaml-cpp-dev", "nodejs"})
    EXPECT_NE(main_job.said.find(package), std::string::npos) << package << main_job.said;
  for (const char* package :
       {"siconos", "gtest", "ginac", "clang", "chromium", "simbody", "bullet", "mujoco", "urdfdom"})
    EXPECT_EQ(main_job.said.find(package), std::string::npos) << package << main_job.said;
  EXPECT_NE(tests.said.find("libgtest-dev"), std::string::npos) << tests.said;
  // What Debian 13 and Ubuntu 24.04 do not have is never demanded.
  EXPECT_EQ(tests.said.find("siconos"), std::string::npos) << tests.said;
}

TEST_F(Scripts, WithoutSudoTheLineToTypeIsSaid) {
  const std::string user = as_user();
  if (user.empty()) GTEST_SKIP() << "there is no way to be another user here";
  const fs::path at = checkout("one"), tools = bare_tools();
  const Outcome outcome =
      shell(user + "env PATH='" + tools.string() + "' '" + at.string() + "/scripts/install'");
  EXPECT_EQ(outcome.code, 1) << outcome.said;
  EXPECT_NE(outcome.said.find("there is no sudo here"), std::string::npos) << outcome.said;
  EXPECT_NE(outcome.said.find(std::string(kLine) + "g++ cmake "), std::string::npos) << outcome.said;
}

TEST_F(Scripts, WhatAptSaysIsShownOnlyWhereItFails) {
  const fs::path at = checkout("one"), tools = bare_tools();
  tool(tools, "sudo", "exec \"$@\"\n");
  tool(tools, "apt-cache", "exit 1\n");
  const std::string install = "PATH='" + tools.string() + "' '" + at.string() + "/scripts/install'";
  const std::string noise = "for i in {1..573}; do echo \"Unpacking $i\"; done; echo \"Setting up\" >&2\n";
  tool(tools, "apt-get", noise);
  const Outcome quiet = shell(install);
  EXPECT_EQ(quiet.code, 0) << quiet.said;
  EXPECT_NE(quiet.said.find("== Installing "), std::string::npos) << quiet.said;
  EXPECT_EQ(quiet.said.find("Unpacking"), std::string::npos) << quiet.said;
  EXPECT_EQ(quiet.said.find("Setting up"), std::string::npos) << quiet.said;
  tool(tools, "apt-get", noise + "echo 'E: no such package'\nexit 100\n");
  const Outcome failed = shell(install);
  EXPECT_EQ(failed.code, 1) << failed.said;
  EXPECT_NE(failed.said.find("E: no such package"), std::string::npos) << failed.said;
  EXPECT_NE(failed.said.find("This failed: "), std::string::npos) << failed.said;
}

TEST_F(Scripts, WhatBelongsToAnotherUserIsNamedWithTheLineThatMendsIt) {
  const std::string user = as_user();
  if (user.empty()) GTEST_SKIP() << "there is no way to be another user here";
  const fs::path at = checkout("one");
  fs::copy(fs::path(support::source_dir()) / "scripts/build_page", at / "scripts/build_page");
  fs::create_directories(at / "web/dist");
  std::ofstream(at / "web/package-lock.json") << "{}\n";
  ASSERT_EQ(build(at).code, 0);  // as `sudo ./run` would
  fs::permissions(folder_ / "bin/cmake", fs::perms::others_exec | fs::perms::others_read,
                  fs::perm_options::add);
  for (const char* tool_name : {"ninja", "node", "npm"}) tool(folder_ / "bin", tool_name, "");
  for (const char* mine : {"build/release", "build/release/CMakeCache.txt", "web/dist"})
    fs::permissions(at / mine, fs::perms::owner_write, fs::perm_options::remove);
  const std::string path = "env PATH='" + (folder_ / "bin").string() + "':\"$PATH\" '" + at.string();
  const Outcome program = shell(user + path + "/scripts/build' release tactus");
  EXPECT_EQ(program.code, 1) << program.said;
  EXPECT_NE(program.said.find("You may not write in build/release"), std::string::npos) << program.said;
  EXPECT_NE(program.said.find("  sudo chown -R "), std::string::npos) << program.said;
  const Outcome page = shell(user + path + "/scripts/build_page'");
  EXPECT_EQ(page.code, 1) << page.said;
  EXPECT_NE(page.said.find("You may not write in "), std::string::npos) << page.said;
  EXPECT_NE(page.said.find("  sudo chown -R "), std::string::npos) << page.said;
  for (const char* mine : {"build/release", "web/dist"})
    fs::permissions(at / mine, fs::perms::owner_write, fs::perm_options::add);
}

TEST_F(Scripts, ToolsAndPeersThatAreMissingAreNamed) {
  const fs::path at = checkout("one"), tools = bare_tools();
  for (const char* script : {"test", "bench"})
    fs::copy(fs::path(support::source_dir()) / script, at / script);
  const std::string path = "PATH='" + tools.string() + "' '" + at.string();
  const Outcome format = shell(path + "/test' --format --no-install");
  EXPECT_EQ(format.code, 1) << format.said;
  EXPECT_NE(format.said.find("There is no clang-format here. As root: apt-get install -y clang-format"),
            std::string::npos)
      << format.said;
  // Without its peers a benchmark runs, and says which are left out.
  tool(tools, "ninja", "");
  tool(tools, "cmake",
       "mkdir -p build/bench; touch build/bench/build.ninja; printf '#!/bin/bash\\necho a table\\n' "
       ">build/bench/tactus_bench; chmod +x build/bench/tactus_bench\n");
  const Outcome bench = shell(path + "/bench' --no-install");
  EXPECT_EQ(bench.code, 0) << bench.said;
  EXPECT_NE(bench.said.find("libsimbody-dev"), std::string::npos) << bench.said;
  EXPECT_NE(bench.said.find("left out of the tables"), std::string::npos) << bench.said;
  EXPECT_NE(bench.said.find("a table\n"), std::string::npos) << bench.said;
}

// New compilers have new warnings: only our own builds make errors of them.
TEST_F(Scripts, WarningsAreErrorsOnlyWhereThatIsAskedFor) {
  const fs::path at = checkout("one");
  ASSERT_EQ(build(at).code, 0);
  EXPECT_EQ(calls(at).find("WERROR"), std::string::npos) << calls(at);
  ASSERT_EQ(build(at, "TACTUS_WERROR=ON").code, 0);
  EXPECT_NE(calls(at).find("-DTACTUS_WERROR=ON"), std::string::npos) << calls(at);
  std::ifstream file(fs::path(support::source_dir()) / "CMakeLists.txt");
  const std::string lists{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(lists.find("option(TACTUS_WERROR \"warnings are errors\" OFF)"), std::string::npos);
}

// The suites of every file that asks for TACTUS_LONG_TESTS, and the programs that they are in.
TEST_F(Scripts, TheLongTestsAreThoseThatAskForTheirLength) {
  const fs::path at = checkout("long");
  fs::copy(fs::path(support::source_dir()) / "test", at / "test");
  for (const char* folder : {"tests/contact", "tests/device"}) fs::create_directories(at / folder);
  std::ofstream(at / "tests/contact/slow_test.cpp")
      << "bool long_tests() { return std::getenv(\"TACTUS_LONG_TESTS\") != nullptr; }\nTEST(Slow, Is) {}\n"
         "TEST(Slow, Too) {}\nTEST_P(Slower, Is) {}\nTEST_F(Slowest, Is) {}\n";
  std::ofstream(at / "tests/device/quick_test.cpp") << "TEST(Quick, Is) {}\n";
  tool(folder_ / "bin", "ctest", "echo \"ctest $TACTUS_LONG_TESTS $*\" >>calls\n");
  const Outcome run =
      shell("PATH='" + (folder_ / "bin").string() + "':$PATH '" + at.string() + "/test' --long --no-install");
  EXPECT_EQ(run.code, 0) << run.said;
  const std::string said = calls(at);
  EXPECT_NE(said.find("test_contact"), std::string::npos) << said;
  EXPECT_EQ(said.find("test_device"), std::string::npos) << said;
  EXPECT_NE(said.find("ctest 1 "), std::string::npos) << said;
  EXPECT_NE(said.find("(^|/)(Slow|Slower|Slowest)\\."), std::string::npos) << said;
}

TEST_F(Scripts, TestTellsItsOptions) {
  const Outcome help = shell("'" + support::source_dir() + "'/test --help");
  EXPECT_EQ(help.code, 0);
  for (const char* option : {"--no-install", "--fuzz", "--sanitizers", "--long", "--format"})
    EXPECT_NE(help.said.find(std::string("[") + option + "]"), std::string::npos) << option;
}

TEST_F(Scripts, UnknownOptionsEndWithTwo) {
  for (const char* call :
       {"run --nonsense", "test --nonsense", "bench --nonsense", "bench --only", "scripts/install nonsense"})
    EXPECT_EQ(shell("'" + support::source_dir() + "'/" + call).code, 2) << call;
}

}  // namespace
}  // namespace tactus
