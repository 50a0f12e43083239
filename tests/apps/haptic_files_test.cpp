// What tactus haptic writes: tables, pictures, logs, its line on a terminal; and what is left of them when a run ends early.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <tactus/display/log/mcap_reader.h>

#include "disk.h"
#include "fakes/haply_bench.h"
#include "program.h"
#include "support/compare.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

TEST(Haptic, WritesATableAndAPictureOfTheSameRunEveryTime) {
  const Folder folder;
  const std::string arguments = "haptic " + model("shopping_cart.yaml") + " --duration 0.4 --seed 3 --out ";
  ASSERT_EQ(tactus(arguments + folder.path("a.csv") + " --plot " + folder.path("a.svg")).code, 0);
  ASSERT_EQ(tactus(arguments + folder.path("b.csv")).code, 0);
  const std::string text = content_of(folder.path("a.csv"));
  EXPECT_EQ(text, content_of(folder.path("b.csv")));
  EXPECT_EQ(text.substr(0, 10), "t,handle_x");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 401);
  EXPECT_EQ(content_of(folder.path("a.svg")).substr(0, 4), "<svg");
  const Outcome piped = tactus(arguments + "-");
  EXPECT_EQ(piped.out, text);
}

TEST(Haptic, NeverWritesOverItsModel) {
  const Folder folder;
  const std::string copy = folder.file("cart.yaml", content_of(model("shopping_cart.yaml")));
  for (const char* option : {"--out ", "--plot ", "--log "}) {
    const Outcome run = tactus("haptic " + copy + " --duration 0.1 " + option + copy);
    EXPECT_EQ(run.code, 2) << option;
    EXPECT_EQ(content_of(copy), content_of(model("shopping_cart.yaml"))) << option;
  }
}

TEST(Haptic, StopsWithAReasonAndReplayMeetsTheSameFault) {
  const Folder folder;
  // A tick may be a microsecond late: the first seconds of no machine are as good as that.
  const Outcome run =
      tactus("haptic " + model("shopping_cart.yaml") +
             " --realtime --late 0.001 --watchdog 0 --duration 5 --json --log " + folder.path("run.mcap"));
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_NE(run.err.find("forces off"), std::string::npos) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_FALSE(summary.at("ok").get<bool>());
  EXPECT_EQ(summary.at("fault"), "late");
  EXPECT_LT(summary.at("ticks").get<int>(), 5000);
  const Outcome again = tactus("replay --json " + folder.path("run.mcap"));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out).at("ticks"), summary.at("ticks"));
}

TEST(Haptic, FilesHaveWhatTheHandGot) {
  // A proxy's spring stands on the ground: nothing goes to the port, and the hand feels it all the same.
  const Folder folder;
  const Outcome run = tactus("haptic " + model("chain_in_enclosure_rigid.yaml") +
                             " --controller proxy --duration 3 --size 0.3 --json --plot " +
                             folder.path("p.svg") + " --out " + folder.path("p.csv"));
  ASSERT_EQ(run.code, 0) << run.err;
  const double largest = json::parse(run.out).at("largest_force_n");
  EXPECT_GT(largest, 1.0);
  const Table table = table_of(content_of(folder.path("p.csv")));
  const std::vector<double>&x = table.at("hand_force_x"), &y = table.at("hand_force_y"),
        &z = table.at("hand_force_z");
  double found = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) found = support::larger(found, std::hypot(x[k], y[k], z[k]));
  EXPECT_NEAR(found, largest, 1e-9);
  EXPECT_EQ(content_of(folder.path("p.svg")).find("zero all the time: x, y, z"), std::string::npos);
}

// What the log has of a tick the table has, too: what was sensed, the energies, the age of what is known.
TEST(Haptic, TheTableHasWhatTheLogHas) {
  for (const char* options : {"shopping_cart.yaml --simulation-rate 100 --passivity",
                              "planar_3r.yaml --controller penalties --device simulated:planar-force",
                              "four_bar.yaml --device simulated:admittance"}) {
    const Folder folder;
    const Outcome run = tactus("haptic " + model(options) + " --duration 0.3 --out " + folder.path("t.csv") +
                               " --log " + folder.path("l.mcap"));
    ASSERT_EQ(run.code, 0) << run.err;
    const Table table = table_of(content_of(folder.path("t.csv")));
    const display::McapFile log(folder.path("l.mcap"));
    std::map<std::string, double> largest;
    std::size_t row = 0;
    for (const display::McapMessage& message : log.messages()) {
      if (message.topic != "/loop/tick") continue;
      const json tick = json::parse(message.data);
      const auto same = [&](const std::string& column, const json& value) {
        EXPECT_EQ(table.at(column).at(row), value.get<double>()) << options << column << row;
        double& most = largest[column];
        most = support::larger(most, std::abs(value.get<double>()));
      };
      for (const char* name : {"out_of_handle", "guarded", "made", "age", "resisted", "softness"})
        same(name, tick.at(name));
      for (std::size_t i = 0; i < 3; ++i) {
        const char axis = "xyz"[i];
        same(std::string("sensed_force_") + axis, tick.at("F").at(3 + i));
        same(std::string("sensed_torque_") + axis, tick.at("F").at(i));
      }
      ++row;
    }
    EXPECT_EQ(row, 300u);
    // None of them is empty everywhere.
    const std::string_view which = options;
    EXPECT_EQ(largest["softness"], 1.0);
    EXPECT_GT(largest["out_of_handle"], 0.0) << options;
    EXPECT_EQ(largest["age"], which.starts_with("shopping") ? 9.0 : 0.0) << options;
    EXPECT_EQ(largest["resisted"] > 0.0, which.starts_with("planar")) << options;
    EXPECT_EQ(largest["sensed_force_x"] > 0.0, !which.starts_with("shopping")) << options;
  }
}

// A picture that has no place is refused before anything runs; one that is not written whole at the end costs
// nothing else.
TEST(Haptic, APictureThatCannotBeWrittenIsRefusedBeforeTheRun) {
  for (const char* picture : {"--plot ", "--histogram "}) {
    const Folder folder;
    const std::string log = folder.path("run.mcap");
    const std::string run =
        "haptic " + model("shopping_cart.yaml") + " --duration 0.1 --log " + log + " " + picture;
    const Outcome refused = tactus(run + folder.path("nowhere/p.svg"));
    EXPECT_EQ(refused.code, 2) << picture << refused.out;
    EXPECT_NE(refused.err.find("cannot be written"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(log)) << picture;
    const Outcome full = tactus(run + "/dev/full");
    EXPECT_EQ(full.code, 1) << picture;
    EXPECT_NE(full.out.find("100 ticks at 1000 Hz"), std::string::npos) << full.out;
    EXPECT_TRUE(std::filesystem::exists(log)) << picture;
  }
}

// As a shell's Ctrl-C, a system that shuts down, a terminal that closes.
TEST(Haptic, AnInterruptedRunLeavesWholeFilesAndASummary) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const Folder folder;
    const std::string csv = folder.path("run.csv"), log = folder.path("run.mcap"), out = folder.path("out"),
                      err = folder.path("err");
    // Interrupted once something of the table is on the disk.
    const std::string command =
        tactus::support::program() + " haptic " + model("shopping_cart.yaml") +
        " --realtime --late 1e6 --watchdog 0 --duration 600 --json --out " + csv + " --log " + log + " > " +
        out + " 2> " + err + " & p=$!; for i in $(seq 600); do sleep 0.1; [ -n \"$(find " + folder.path(".") +
        " -name \"run.csv*\" -size +0)\" ] && break; done; kill -" + signal + " $p; wait $p";
    const int status = std::system(("bash -c '" + command + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << signal << content_of(err);
    EXPECT_NE(content_of(err).find("interrupted after"), std::string::npos) << content_of(err);
    const json summary = json::parse(content_of(out));
    EXPECT_TRUE(summary.at("interrupted").get<bool>());
    EXPECT_EQ(summary.at("fault"), "none");
    EXPECT_TRUE(std::filesystem::exists(csv));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
      EXPECT_NE(entry.path().extension(), ".part") << entry.path();
    EXPECT_EQ(tactus("replay " + log).code, 0) << signal;
  }
}

// A program that is killed writes nothing more: what it left on the disk is read, up to the last whole chunk, and made again to the same bits.
TEST(Haptic, AKilledRunLeavesALogThatCanBeReplayed) {
  const Folder folder;
  const std::string find = "find " + folder.path(".") + " -name \"run.mcap*.part\" -size +64k";
  const std::string command = tactus::support::program() + " haptic " + model("shopping_cart.yaml") +
                              " --realtime --late 1e6 --watchdog 0 --duration 600 --log " +
                              folder.path("run.mcap") +
                              " >/dev/null 2>&1 & p=$!; for i in $(seq 600); do sleep 0.1; [ -n \"$(" + find +
                              ")\" ] && break; done; kill -KILL $p; wait $p 2>/dev/null; true";
  ASSERT_EQ(std::system(("bash -c '" + command + "'").c_str()), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path("run.mcap")));
  int parts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("."))) {
    if (entry.path().extension() != ".part") continue;
    ++parts;
    const Outcome replay = tactus("replay " + entry.path().string() + " --json");
    ASSERT_EQ(replay.code, 0) << replay.err << replay.out;
    const json summary = json::parse(replay.out);
    EXPECT_GT(summary.at("ticks").get<long>(), 50) << summary;
    EXPECT_TRUE(summary.at("same").get<bool>()) << summary;
  }
  EXPECT_EQ(parts, 1);
}

/// `commands`, in bash: $p is the program that runs with these arguments, $r whatever else is to be ended.
int in_bash(const Folder& folder, const std::string& arguments, const std::string& commands) {
  const std::string script = folder.file(
      "script", "mkfifo " + folder.path("ff") + "\n(exec 3<" + folder.path("ff") + "; sleep 60) & r=$!\n" +
                    support::program() + " haptic " + arguments + " >" + folder.path("out") + " 2>" +
                    folder.path("err") + " & p=$!\n" + commands + "\nkill $r\nexit $code\n");
  return WEXITSTATUS(std::system(("bash " + script + " 2>/dev/null").c_str()));
}
/// Until the program is over, at most a minute, and what it says then; 99 where it never was.
const std::string kEnd =
    "code=99; for i in $(seq 600); do kill -0 $p 2>/dev/null || { wait $p; code=$?; break; }; sleep 0.1; "
    "done; "
    "kill -KILL $p 2>/dev/null";

// What comes twice within moments is one: the terminal's and that of a program around this one. Here the
// second comes while the table waits for its reader, and the loop is over.
TEST(Haptic, ASignalThatComesTwiceAtOnceIsOne) {
  const Folder folder;
  const std::string log = folder.path("run.mcap"), drain = "cat " + folder.path("ff") + " >/dev/null";
  const int code = in_bash(
      folder,
      model("shopping_cart.yaml") + " --realtime --late 1e6 --watchdog 0 --duration 600 --json --log " + log +
          " --out " + folder.path("ff"),
      "sleep 3; kill -TERM $p; sleep 0.02; kill -TERM $p; sleep 0.5; " + drain + " & " + kEnd);
  EXPECT_EQ(code, 1) << content_of(folder.path("err"));
  EXPECT_TRUE(json::parse(content_of(folder.path("out"))).at("interrupted").get<bool>());
  EXPECT_EQ(tactus("replay " + log).code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

// A reader of the table that reads nothing: the run itself ends all the same, and what is left to write can
// be interrupted as anything else.
TEST(Haptic, AfterTheRunASignalEndsTheProgram) {
  const Folder folder;
  // In real time the loop waits for no log; it has ended after 0.3 s, or somewhat later on a busy machine.
  const int code =
      in_bash(folder,
              model("shopping_cart.yaml") + " --realtime --late 1e6 --watchdog 0 --duration 0.3 --out " +
                  folder.path("ff"),
              "sleep 3; kill -TERM $p; " + kEnd);
  EXPECT_EQ(code, 128 + SIGTERM) << content_of(folder.path("err"));
}

// A loop that hangs, here in simulated time for its log: the first signal asks for its end, a second one does
// not wait for it.
TEST(Haptic, ASecondSignalEndsAProgramThatHangs) {
  const Folder folder;
  const int code = in_bash(
      folder, model("shopping_cart.yaml") + " --duration 600 --out " + folder.path("ff"),
      "sleep 2; kill -TERM $p; kill -TERM $p; sleep 1; kill -0 $p || exit 98; kill -TERM $p; " + kEnd);
  EXPECT_EQ(code, 128 + SIGTERM) << content_of(folder.path("err"));
}

// A file that may not grow further, as on a full disk, costs no other, and not the summary.
TEST(Haptic, AFileThatCannotBeWrittenCostsNoOther) {
  const Folder folder;
  const std::string csv = folder.path("run.csv"), log = folder.path("run.mcap");
  const std::string script = "ulimit -f 1500; " + support::program() + " haptic " +
                             model("shopping_cart.yaml") + " --duration 1.2 --out " + csv + " --log " + log +
                             " >" + folder.path("out") + " 2>" + folder.path("err");
  const int status = std::system(("bash -c '" + script + "'").c_str());
  const std::string out = content_of(folder.path("out")), err = content_of(folder.path("err"));
  EXPECT_EQ(WEXITSTATUS(status), 1) << err;
  EXPECT_NE(out.find("ticks at 1000 Hz"), std::string::npos) << out;
  EXPECT_NE(out.find("rows in " + csv), std::string::npos) << out;
  EXPECT_EQ(out.find("log in"), std::string::npos) << out;
  EXPECT_TRUE(std::filesystem::exists(csv));
  EXPECT_FALSE(std::filesystem::exists(log));
  EXPECT_NE(err.find(log), std::string::npos) << err;
  int parts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("."))) {
    if (entry.path().extension() != ".part") continue;
    ++parts;
    EXPECT_NE(err.find(entry.path().filename().string()), std::string::npos) << err;
    const Outcome replay = tactus("replay --json " + entry.path().string());
    EXPECT_EQ(replay.code, 0) << replay.err;
    EXPECT_FALSE(json::parse(replay.out).at("whole").get<bool>());
  }
  EXPECT_EQ(parts, 1);
}

// Not after the run, which would have been for nothing.
TEST(Haptic, APictureThatCannotBeOpenedIsRefusedBeforeTheRun) {
  const Folder folder;
  const std::string table = folder.path("run.csv");
  for (const char* option : {"--plot ", "--histogram "}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.2 --json --out " +
                               table + " " + option + folder.path("no_folder/p.svg"));
    EXPECT_EQ(run.code, 2) << option << run.out;
    EXPECT_NE(run.err.find("no_folder/p.svg"), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(table)) << option << "a run was made";
  }
}

// A run of more ticks than a picture needs: what was largest is that of every tick, and what is left out is
// said.
TEST(Haptic, ALongRunHasTheMaximaOfEveryTick) {
  const Folder folder;
  const std::string run = "haptic " + model("shopping_cart.yaml") + " --hand tap --json --duration ";
  const Outcome shorter = tactus(run + "200"), longer = tactus(run + "201 --plot " + folder.path("p.svg"));
  ASSERT_EQ(shorter.code, 0) << shorter.err;
  ASSERT_EQ(longer.code, 0) << longer.err;
  const json all = json::parse(shorter.out), more = json::parse(longer.out);
  for (const char* largest :
       {"largest_force_n", "largest_torque_nm", "largest_force_on_port_n", "largest_lag_m"})
    EXPECT_GE(more.at(largest).get<double>(), all.at(largest).get<double>()) << largest;
  EXPECT_EQ(all.at("notes").dump().find("more than 200000"), std::string::npos);
  EXPECT_NE(more.at("notes").dump().find("the plot shows one in 2"), std::string::npos) << more.at("notes");
  EXPECT_FALSE(more.at("felt").at("known").get<bool>());
}

/// tactus ARGUMENTS with its messages on a terminal: what stands there.
std::string on_a_terminal(const std::string& arguments) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(master, 0);
  EXPECT_EQ(grantpt(master), 0);
  EXPECT_EQ(unlockpt(master), 0);
  const std::string terminal = ptsname(master);
  const int kept = open(terminal.c_str(), O_RDWR | O_NOCTTY);  // what is written stays there until it is read
  EXPECT_GE(kept, 0);
  EXPECT_EQ(
      std::system((tactus::support::program() + " " + arguments + " > /dev/null 2> " + terminal).c_str()), 0);
  fcntl(master, F_SETFL, O_NONBLOCK);
  std::string said(1 << 16, '\0');
  const ssize_t count = read(master, said.data(), said.size());
  said.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  close(kept);
  close(master);
  return said;
}

constexpr const char* kByTheClock = " --realtime --late 1e6 --watchdog 0 --duration 0.7";

// On a terminal one line is written over and over, and gone at the end; elsewhere there is none.
TEST(Haptic, SaysOnATerminalWhatItDoesRightNow) {
  const std::string run = "haptic " + model("shopping_cart.yaml") + kByTheClock;
  const std::string said = on_a_terminal(run);
  for (const char* what : {" of 0.7 s", " Hz", " N ", " J into the mechanism", " missed", "\r"})
    EXPECT_NE(said.find(what), std::string::npos) << what << " in " << said;
  EXPECT_EQ(tactus(run).err.find("\r"), std::string::npos);
}

/// The largest number before the unit.
double largest_before(const std::string& unit, const std::string& said) {
  double largest = -1.0;
  const std::regex shown("([0-9.]+) " + unit + "  ");
  for (std::sregex_iterator at(said.begin(), said.end(), shown), end; at != end; ++at)
    largest = support::larger(largest, std::stod((*at)[1]));
  return largest;
}

// A device that is moved has motors that give no force: shown is what the hand pushes with. A wheel gives
// torques alone.
TEST(Haptic, ShowsOnATerminalWhatTheHandFeelsThroughEveryKindOfDevice) {
  constexpr double kFelt = 0.05, kFeltTurning = 1e-3;  // [N], [N m] less than any stroke takes
  for (const char* device : {"simulated:planar", "simulated:admittance", "simulated:cobot"}) {
    const std::string said =
        on_a_terminal("haptic " + model("shopping_cart.yaml") + " --device " + device + kByTheClock);
    EXPECT_GT(largest_before("N", said), kFelt) << device << said;
  }
  const Folder folder;
  const std::string wheel =
      on_a_terminal("haptic " + disk_in(folder) + " --device simulated:wheel" + kByTheClock);
  EXPECT_GT(largest_before("N m", wheel), kFeltTurning) << wheel;
  EXPECT_LT(largest_before("N", wheel), 0.0) << wheel;
}

TEST(Haptic, NeverPrintsWhatIsNoNumber) {
  const Folder folder;
  const std::string csv = folder.path("run.csv");
  ASSERT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.3 --out " + csv).code, 0);
  const Outcome played =
      tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.2 --device file:" + csv);
  EXPECT_EQ(played.code, 0) << played.err;
  EXPECT_EQ(played.out.find("nan"), std::string::npos) << played.out;
  EXPECT_NE(played.out.find("not known"), std::string::npos) << played.out;
  EXPECT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --force 1e300 --hand tremble").code, 2);
  EXPECT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --device haply:99999").code, 2);
  const Outcome slow = tactus("haptic " + model("shopping_cart.yaml") + " --simulation-rate 1");
  EXPECT_EQ(slow.code, 2);
  EXPECT_NE(slow.err.find("at least 2 Hz"), std::string::npos) << slow.err;
}

TEST(Haptic, DrawsTheTimesOfTheLoop) {
  const Folder folder;
  const std::string picture = folder.path("times.svg");
  const Outcome run =
      tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.3 --histogram " + picture);
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string svg = content_of(picture);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("ticks that took so long"), std::string::npos);
  EXPECT_NE(svg.find("300 ticks"), std::string::npos);
}

}  // namespace
}  // namespace tactus::apps
