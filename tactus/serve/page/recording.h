// Recordings of what happened on the bench.
//
// A recording is where the motion began and what acted in every tick: the same input gives the same bits, so that is all of it.
// Tables, logs and pictures are made afterwards, by making the motion again; a state that was seen on the way says whether it is
// the same, bit for bit. The file of a recording (JSON) is read by `tactus replay`.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tactus/serve/live/work.h>

namespace tactus::serve {

/// Wrenches, and forces of a law at the joints, that acted from a tick on, until the next entry.
struct ActingFrom {
  long tick = 0;
  std::vector<simulate::PortWrench> wrenches;
  std::vector<double> tau;  // [nv]; empty: none
};
/// A parameter or a constraint that was changed before a tick.
struct ChangeAt {
  long tick = 0;
  bool constraint = false;
  std::string name;
  double value = 0.0;
};

struct Recorded {
  std::string model_name, file, text;  // of the model
  std::string path{};                  // of its file on this machine, beside which meshes lie; not written
  Choice choice;
  simulate::State start;
  std::vector<std::string> parameter_names;
  std::vector<double> parameters;  // at the start
  std::vector<bool> active;        // constraints at the start
  long ticks = 0;
  std::vector<ActingFrom> inputs;
  std::vector<ChangeAt> changes;
  // A state that was seen: after so many ticks; -1: none.
  long seen_tick = -1;
  std::vector<double> seen_q, seen_u;
};

struct RecordingInProgress {
  static constexpr std::size_t kMostInputs = 400000;  // entries; some ten minutes of pulling
  int id = 0;
  Recorded recorded;
  bool full = false;
  void add(const TickInputs& inputs);
};

/// One that has ended.
struct Recording {
  int id = 0;
  Recorded recorded;
  double seconds = 0.0;
  bool ready = false;
  std::string problem;  // in words
  std::string folder;   // of its files: ID.json, .csv, .mcap, .poses
};

/// The file, and back. Throws InputError where the text is no recording.
std::string recording_text(const Recorded& recorded);
Recorded read_recording(const std::string& text, const std::string& file);
bool is_recording(const std::string& text);

/// Puts a mechanism where a recording begins. Throws InputError where it does not fit.
void place_at_start(simulate::Mechanism& mechanism, const simulate::State& start,
                    const std::vector<std::string>& parameter_names, const std::vector<double>& parameters,
                    const std::vector<bool>& active);

/// What came of making it again.
struct Repeated {
  long ticks = 0;
  bool compared = false, same = false;
  double worst = 0.0;  // largest difference of a number
};
/// `each` is called at the start and after every tick, with what acted in it at the joints.
Repeated repeat(const Recorded& recorded,
                const std::function<void(long tick, Work&, std::span<const double> tau)>& each);

/// All files of a recording, in its folder. Throws InputError, OutputError.
Repeated write_files(const Recording& recording);

}  // namespace tactus::serve
