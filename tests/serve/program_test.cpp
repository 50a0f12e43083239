// tactus serve as a user starts and ends it.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "serve/client.h"
#include "support/paths.h"

namespace {

using namespace tactus;

/// The program with its standard output in a pipe.
class Program {
 public:
  explicit Program(std::vector<std::string> words) {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 1);
      dup2(open("/dev/null", O_WRONLY), 2);
      std::vector<char*> arguments;
      words.insert(words.begin(), support::program());
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[1]);
    out_ = ends[0];
  }
  ~Program() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(out_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string line() {
    std::string text;
    for (char c = 0; read(out_, &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  void signal(int number) { kill(pid_, number); }
  /// Its exit code; -1 where it does not end within ten seconds, or by a signal.
  int ends() {
    for (int i = 0; i < 1000; ++i) {
      int status = 0;
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      usleep(10000);
    }
    return -1;
  }

 private:
  pid_t pid_ = 0;
  int out_ = -1;
};

TEST(ServeProgram, PrintsItsAddressAndEndsCleanlyByEitherSignal) {
  for (const int number : {SIGINT, SIGTERM}) {
    Program program({"serve", "slider_crank", "--port", "0", "--priority", "0", "--json"});
    const auto told = nlohmann::json::parse(program.line(), nullptr, false);
    ASSERT_TRUE(told.is_object());
    const auto port = told["port"].get<std::uint16_t>();
    EXPECT_EQ(told["address"], "http://127.0.0.1:" + std::to_string(port) + "/");
    support::Page page(port);
    ASSERT_TRUE(page.connected());
    page.hello();
    EXPECT_EQ(page.wait_for("scene")["model"]["name"], "slider_crank");
    program.signal(number);
    page.look(5.0);
    EXPECT_EQ(page.closed_with(), 1001);
    EXPECT_EQ(program.ends(), 0);
  }
}

TEST(ServeProgram, OpensAFileOfTheUsers) {
  Program program({"serve", support::source_dir() + "/models/gantry.yaml", "--port", "0", "--priority", "0"});
  const std::string line = program.line();
  ASSERT_TRUE(line.starts_with("Tactus is at http://127.0.0.1:")) << line;
  support::Page page(static_cast<std::uint16_t>(std::stoi(line.substr(30))));
  ASSERT_TRUE(page.connected());
  page.hello();
  EXPECT_EQ(page.wait_for("scene")["model"]["name"], "gantry");
}

TEST(ServeProgram, OpensAFileAsOtherVerbsDoFloatingAndWithOtherParameters) {
  const auto scene_of = [](std::vector<std::string> words) {
    words.insert(words.end(), {"--port", "0", "--priority", "0"});
    Program program(words);
    const std::string line = program.line();
    if (!line.starts_with("Tactus is at http://127.0.0.1:")) return nlohmann::json();
    support::Page page(static_cast<std::uint16_t>(std::stoi(line.substr(30))));
    page.hello();
    return nlohmann::json(page.wait_for("scene"));
  };
  const std::string arm = support::source_dir() + "/models/two_link.urdf";
  const nlohmann::json welded = scene_of({"serve", arm}), floating = scene_of({"serve", arm, "--floating"});
  ASSERT_TRUE(welded.contains("model") && floating.contains("model"));
  EXPECT_GT(floating["channels"].size(), welded["channels"].size() + 6);  // of the floating root
  EXPECT_EQ(Program({"serve", "pendulum", "--set", "no_such=1", "--port", "0"}).ends(), 2);
}

TEST(ServeProgram, RefusesWhatCannotBe) {
  EXPECT_EQ(Program({"serve", "--port", "99999"}).ends(), 2);
  EXPECT_EQ(Program({"serve", "--host", "nowhere", "--port", "0"}).ends(), 2);
  EXPECT_EQ(Program({"serve", "--models", "/nowhere", "--port", "0"}).ends(), 2);
  EXPECT_EQ(Program({"serve", "no_such_model", "--port", "0"}).ends(), 2);
  EXPECT_EQ(Program({"serve", "no/such/file.yaml", "--port", "0"}).ends(), 2);
}

}  // namespace
