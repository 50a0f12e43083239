// What no output may overwrite.
#pragma once

#include <string>
#include <vector>

#include <tactus/base/output_file.h>

namespace tactus::apps {

/// The files of the tables of a model's file or of a script.
std::vector<NamedFile> files_of_tables(const std::string& path);
/// A model's file, those that it includes, and those of their tables.
std::vector<NamedFile> files_of_model(const std::string& path);
/// A script and the files of its tables; nothing for no script.
std::vector<NamedFile> files_of_script(const std::string& path);
/// What a device is opened from: a recording, a model, an arm.
std::vector<NamedFile> files_of_device(const std::string& device);
/// What a hand is read from.
std::vector<NamedFile> files_of_hand(const std::string& hand);

}  // namespace tactus::apps
