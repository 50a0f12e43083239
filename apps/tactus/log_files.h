// The files that a haptic run was made from, as copies in its log; and its model from them, where the files themselves are gone or have changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tactus/display/log.h>

#include "verbs.h"

namespace tactus::apps {

/// What the model includes, its meshes and tables; the files of device and hand. What cannot be read is left out. The model's own file is no part of it.
std::vector<display::AttachedFile> files_for_log(const ModelChoice& choice, const describe::Model& model,
                                                 const std::string& device, const std::string& hand);

/// The model of a log: from its files, unless one of them is another than it was. Then from the log's own copies, which lie in a folder of chance as long as this lives.
class LoggedModel {
 public:
  LoggedModel(const ModelChoice& choice, const display::RecordedRun& log);
  ~LoggedModel();
  LoggedModel(const LoggedModel&) = delete;
  LoggedModel& operator=(const LoggedModel&) = delete;

  const describe::Model& model() const { return model_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void load(const ModelChoice& choice, const display::RecordedRun& log);
  std::string copy(const std::string& path, const std::string& bytes);

  std::filesystem::path folder_;  // empty: none
  describe::Model model_;
  std::vector<std::string> notes_;
};

}  // namespace tactus::apps
