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

TEST_F(Scripts, WithoutCmakeTheLineToTypeIsSaid) {
  const fs::path at = checkout("one");
  const fs::path tools = folder_ / "few";
  fs::create_directories(tools);
  for (const char* tool :
       {"bash", "env", "dirname", "realpath", "sed", "dpkg-query", "grep", "mkdir", "stat", "id"})
    for (const char* from : {"/usr/bin/", "/bin/"})
      if (fs::exists(from + std::string(tool)) && !fs::exists(tools / tool))
        fs::create_symlink(from + std::string(tool), tools / tool);
  const Outcome outcome =
      shell("PATH='" + tools.string() + "' '" + at.string() + "/scripts/build' release tactus");
  EXPECT_EQ(outcome.code, 1) << outcome.said;
  EXPECT_NE(outcome.said.find("There is no cmake here"), std::string::npos) << outcome.said;
  EXPECT_EQ(outcome.said.find("command not found"), std::string::npos) << outcome.said;
}

TEST_F(Scripts, UnknownOptionsEndWithTwo) {
  for (const char* call :
       {"run --nonsense", "test --nonsense", "bench --nonsense", "bench --only", "scripts/install nonsense"})
    EXPECT_EQ(shell("'" + support::source_dir() + "'/" + call).code, 2) << call;
}

}  // namespace
}  // namespace tactus
