#include <tactus/describe/read/table_files.h>

#include <algorithm>
#include <filesystem>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/yaml_tree.h>

namespace tactus::describe {

namespace {

/// What a file includes stands before what it adds (include.cpp).
void add_table_names(const std::string& path, int depth, std::vector<std::string>& names) {
  namespace fs = std::filesystem;
  constexpr int kDeepest = 16;
  const std::string text = read_source(path);
  require_text(text, path);
  if (text.find("<robot") < text.find(':')) return;  // a URDF has no tables
  const Value document = read_document(text, path);
  if (!document.is_map()) return;
  if (const Value* included = document.find("include"); included != nullptr && depth < kDeepest) {
    const Value* file = included->is_map() ? included->find("file") : included;
    if (file != nullptr && file->is_scalar())
      add_table_names((fs::path(path).parent_path() / file->text).string(), depth + 1, names);
  }
  const Value* tables = document.find("tables");
  if (tables == nullptr || !tables->is_map()) return;
  for (const Value::Entry& table : tables->entries)
    if (std::find(names.begin(), names.end(), table.key.text) == names.end()) names.push_back(table.key.text);
}

}  // namespace

std::vector<std::string> table_names(const std::string& path) {
  std::vector<std::string> names;
  try {
    add_table_names(path, 0, names);
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
