// Runs the program as a user does, and keeps what it says.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include "support/paths.h"

namespace tactus::apps::test {

struct Outcome {
  int code = -1;  // exit code
  std::string out, err;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder of this test's own, empty at the start and gone at the end.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("tactus_test_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string model(const std::string& name) {
  return tactus::support::source_dir() + "/models/" + name;
}

/// tactus ARGUMENTS, run by the shell.
inline Outcome tactus(const std::string& arguments) {
  const Folder folder;
  const std::string out = folder.path("stdout"), err = folder.path("stderr");
  const int status = std::system(
      (tactus::support::program() + " " + arguments + " > '" + out + "' 2> '" + err + "'").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
}

}  // namespace tactus::apps::test
