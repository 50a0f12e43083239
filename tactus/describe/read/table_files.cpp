#include <tactus/describe/read/table_files.h>

#include <filesystem>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/yaml_tree.h>

namespace tactus::describe {

std::vector<std::string> table_names(const std::string& path) {
  std::vector<std::string> names;
  try {
    const std::string text = read_source(path);
    require_text(text, path);
    const Value document = read_document(text, path);
    const Value* tables = document.is_map() ? document.find("tables") : nullptr;
    if (tables == nullptr || !tables->is_map() || document.find("include") != nullptr) return {};
    for (const Value::Entry& table : tables->entries) names.push_back(table.key.text);
  } catch (const InputError&) {
    return {};
  }
  return names;
}

std::vector<std::string> table_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  try {
    const std::string text = read_source(path);
    require_text(text, path);
    const Value document = read_document(text, path);
    const Value* tables = document.is_map() ? document.find("tables") : nullptr;
    if (tables == nullptr || !tables->is_map()) return {};
    for (const Value::Entry& table : tables->entries) {
      const Value* file = table.value.is_map() ? table.value.find("file") : nullptr;
      if (file == nullptr || !file->is_scalar()) continue;
      const fs::path named = file->text;
      files.push_back(named.is_absolute() ? named.string() : (fs::path(path).parent_path() / named).string());
    }
  } catch (const InputError&) {
    return {};
  }
  return files;
}

}  // namespace tactus::describe
