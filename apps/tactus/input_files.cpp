#include "input_files.h"

#include <algorithm>
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
  std::vector<NamedFile> files;
  const bool own = device::is_device_file(device);
  if (own) files.push_back({"the device's file", device});
  const std::size_t colon = device.find(':');
  const std::string kind = device.substr(0, std::min(colon, device.size())),
                    rest = colon == std::string::npos ? "" : device.substr(colon + 1);
  if (kind == "file" && !rest.empty()) return {{"the device's recording", rest}};
  try {  // what is wrong with them is said where it is opened
    std::string model;
    if (const auto made = device::of_model(device)) model = made->file;
    if (kind == "arm") model = std::filesystem::exists(rest) ? rest : rest.substr(0, rest.rfind(':'));
    if (model.empty() || !std::filesystem::exists(model)) return files;
    std::vector<NamedFile> of_model = files_of_model(model);
    of_model.front().name = "the device's model";
    add(files, std::move(of_model));
  } catch (const InputError&) {
  }
  return files;
}

}  // namespace tactus::apps
