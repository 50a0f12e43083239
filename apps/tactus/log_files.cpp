#include "log_files.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/base/error.h>

#include "input_files.h"

namespace tactus::apps {

namespace {

namespace fs = std::filesystem;

/// Nothing where it is no file that can be read.
std::optional<std::string> bytes_of(const std::string& path) {
  std::error_code trouble;
  if (!fs::is_regular_file(path, trouble)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

std::string whole_path(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

}  // namespace

std::vector<display::AttachedFile> files_for_log(const ModelChoice& choice, const describe::Model& model,
                                                 const std::string& device, const std::string& hand) {
  std::vector<display::AttachedFile> files;
  const auto add = [&](const std::vector<NamedFile>& more, bool of_model) {
    for (const NamedFile& file : more) {
      const std::string path = whole_path(file.path);
      const auto known =
          std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.name == path; });
      if (path == whole_path(choice.path) || known != files.end()) continue;
      if (std::optional<std::string> bytes = bytes_of(path))
        files.push_back({path, std::move(*bytes), of_model});
    }
  };
  add(choice.files(model), true);
  add(files_of_device(device), false);
  add(files_of_hand(hand), false);
  return files;
}

LoggedModel::LoggedModel(const ModelChoice& choice, const display::RecordedRun& log) {
  try {
    load(choice, log);
  } catch (...) {  // no destructor follows
    std::error_code left;
    if (!folder_.empty()) fs::remove_all(folder_, left);
    throw;
  }
}

LoggedModel::~LoggedModel() {
  std::error_code left;
  if (!folder_.empty()) fs::remove_all(folder_, left);
}

void LoggedModel::load(const ModelChoice& choice, const display::RecordedRun& log) {
  // The model is attached under the path that was given, which may have been another way to the same file.
  const auto& copies = log.attachments();
  auto own = copies.find(log.model_name().empty() ? choice.path : log.model_name());
  if (own == copies.end() && copies.size() == 1) own = copies.begin();
  if (own == copies.end()) {
    model_ = choice.load();
    notes_.push_back("the log has no copy of " + choice.path + ": the file is taken as it is now");
    return;
  }

  std::vector<std::string> changed;
  if (choice.text() != own->second) changed.push_back(choice.path);
  bool others = false;
  for (const std::string& name : log.model_files()) {
    const auto copied = copies.find(name);
    if (copied == copies.end())
      throw InputError({name}, "the log names it as a file of its model, and has no copy of it",
                       "give a log that `tactus haptic --log` wrote");
    if (bytes_of(name) == copied->second) continue;
    changed.push_back(name);
    others = true;
  }
  if (changed.empty()) {
    model_ = choice.load();
    return;
  }
  notes_.push_back(changed.size() == 1
                       ? changed[0] + " has changed since, or is gone: the log's own copy is used"
                       : fmt::format("{} have changed since, or are gone: the log's own copies are used",
                                     fmt::join(changed, ", ")));
  if (!others) {  // then what the model's file names is found beside it
    model_ = choice.load_text(own->second);
    return;
  }

  // All of them in a folder of their own, placed to each other as they were.
  std::error_code trouble;
  std::string name = (fs::temp_directory_path(trouble) / "tactus-replay-XXXXXX").string();
  if (trouble || mkdtemp(name.data()) == nullptr)
    throw InputError({}, "there is no folder for the log's copies of the model's files",
                     "let TMPDIR name one that can be written");
  folder_ = name;
  ModelChoice copied = choice;
  copied.path = copy(whole_path(choice.path), own->second);
  for (const std::string& file : log.model_files()) copy(file, copies.at(file));
  model_ = copied.load();
  // A file that is named by its whole path is not looked for in that folder.
  for (const std::string& file : changed)
    for (const auto& [where, text] : copies)
      if (where != file && text.find(file) != std::string::npos) {
        notes_.push_back(
            fmt::format("{} names {} by its whole path: that file is taken as it is now", where, file));
        break;
      }
}

std::string LoggedModel::copy(const std::string& path, const std::string& bytes) {
  // Whole and normal, so that nothing leads out of the folder.
  const fs::path normal = fs::path(path).lexically_normal();
  if (!normal.is_absolute() || !normal.has_filename())
    throw InputError({path}, "is no whole path of a file of the log's model",
                     "give a log that `tactus haptic --log` wrote");
  const fs::path to = folder_ / normal.relative_path();
  std::error_code trouble;
  fs::create_directories(to.parent_path(), trouble);
  write_file(to.string(), bytes);
  return to.string();
}

}  // namespace tactus::apps
