#include "input_files.h"

#include <filesystem>
#include <utility>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/read/table_files.h>
#include <tactus/device/hand_file.h>
#include <tactus/device/registry.h>

namespace tactus::apps {

namespace {

void add(std::vector<NamedFile>& files, std::vector<NamedFile> more) {
  for (NamedFile& file : more) files.push_back(std::move(file));
}

}  // namespace

std::vector<NamedFile> files_of_tables(const std::string& path) {
  std::vector<NamedFile> files;
  for (const std::string& file : describe::table_files(path)) files.push_back({"a table's file", file});
  return files;
}

std::vector<NamedFile> files_of_model(const std::string& path) {
  std::vector<NamedFile> files{{"the model", path}};
  for (const std::string& file : describe::included_files(path))
    files.push_back({"a file that the model includes", file});
  for (std::size_t i = 0, count = files.size(); i < count; ++i) add(files, files_of_tables(files[i].path));
  return files;
}

std::vector<NamedFile> files_of_script(const std::string& path) {
  if (path.empty()) return {};
  std::vector<NamedFile> files{{"the script", path}};
  add(files, files_of_tables(path));
  return files;
}

std::vector<NamedFile> files_of_hand(const std::string& hand) {
  const std::string path = device::file_of_hand(hand);
  if (path.empty()) return {};
  device::text_of_hand(path);  // refused where there is none
  std::vector<NamedFile> files{{"the hand's file", path}};
  add(files, files_of_tables(path));
  return files;
}

// file:PATH; model:FILE, model:FILE:PORT; arm:FILE, arm:FILE:FRAME; FILE.yaml.
std::vector<NamedFile> files_of_device(const std::string& device) {
  if (device::is_device_file(device)) return {{"the device's file", device}};
  const std::size_t colon = device.find(':');
  if (colon == std::string::npos) return {};
  const std::string kind = device.substr(0, colon), rest = device.substr(colon + 1);
  if (rest.empty()) return {};  // said where it is opened
  if (kind == "file") return {{"the device's recording", rest}};
  if (kind != "model" && kind != "arm") return {};
  const std::string shorter = rest.substr(0, rest.rfind(':'));
  const std::string path = std::filesystem::exists(rest) ? rest : shorter;
  if (!std::filesystem::exists(path)) return {};
  std::vector<NamedFile> files;
  try {
    files = files_of_model(path);
  } catch (const InputError&) {  // said where it is opened
    return {};
  }
  files.front().name = "the device's model";
  return files;
}

}  // namespace tactus::apps
