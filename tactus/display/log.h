// Logs of haptic runs: written while a loop runs, read and made again afterwards.
//
//   const auto log = open_log({.csv = "run.csv", .mcap = "run.mcap", ...});
//   run_loop(loop, {.log = log.get()});       // every tick, wait-free; a thread writes
//   finish(*log);                             // whole files, or an OutputError that says which are not
//
//   RecordedRun run("run.mcap");
//   HapticLoop again(*mechanism, *run.device(), ...);
//   replay(again, run);                       // the same bits?
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tactus/display/loop.h>

namespace tactus::display {

class TickLog;
struct CloseLog {
  void operator()(TickLog* log) const noexcept;
};
using TickLogPointer = std::unique_ptr<TickLog, CloseLog>;

/// A file that a run was made from.
struct AttachedFile {
  std::string name, bytes;  // its whole path
  bool of_model = false;    // the model is read from it, and a replay needs it
};

struct LogRequest {
  std::string csv, mcap;               // paths; "": none
  device::Specification device;        // for the head of the MCAP file, like what follows
  std::string setup;                   // settings of the run
  std::string model_name, model_text;  // attached
  std::vector<AttachedFile>
      files{};  // attached as well: what the model includes, meshes, tables, those of device and hand
};
/// Null where no path is given. Throws InputError where a path cannot be written.
TickLogPointer open_log(const LogRequest& request);
/// After the loop: all is written, the files are whole and in their places. Throws OutputError where one
/// could not be written: the others are whole all the same, and what was written of that one stays, under the
/// name that the error says.
void finish(TickLog& log);
/// After finish(), by their paths.
std::vector<std::string> files_not_whole(const TickLog& log);

/// A log that was read.
class RecordedRun {
 public:
  /// Throws InputError where the file is no log of a haptic run, or broken. One that was cut off is read as far as it goes.
  explicit RecordedRun(const std::string& path);
  ~RecordedRun();
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  bool whole() const;  // false: its end is missing, as after a crash, or some of its ticks are
  std::size_t ticks() const;
  /// As its end says; ticks() where that is missing.
  std::size_t ticks_written() const;
  /// Of two rates with a thread: it says when the simulation answered. Logs of before do not.
  bool has_answers() const;
  const std::string& setup() const;
  /// By name.
  const std::map<std::string, std::string>& attachments() const;
  /// The attachment that is the model's file; "": the log is an older one, and does not say.
  const std::string& model_name() const;
  /// Attachments that the model is read from besides, by their whole paths. Older logs have none.
  const std::vector<std::string>& model_files() const;
  /// The samples of the log as a device, once; it must not outlive the run.
  std::unique_ptr<device::Device> device() const;

 private:
  friend struct ReplayReport replay(HapticLoop& loop, const RecordedRun& run);
  struct Content;
  std::unique_ptr<Content> content_;
};

/// What came of making the ticks again: how many differ in any bit, and the first number that does.
struct ReplayReport {
  std::size_t ticks = 0, different = 0;
  std::size_t first_tick = 0;
  std::string what;
  double logged = 0.0, found = 0.0;
};
/// The loop's device is that of the run, and it is enabled.
ReplayReport replay(HapticLoop& loop, const RecordedRun& run);

/// A number with all its digits, which reads back to the same bits; what is not finite as "nan", "inf", "-inf" in quotes.
std::string digits_of(double x);

}  // namespace tactus::display
