#include <tactus/describe/read/include.h>

#include <array>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/keys.h>

namespace tactus::describe {

namespace fs = std::filesystem;

namespace {

/// Files that include files: more than anybody writes by hand.
constexpr std::size_t kMostFiles = 16;

/// Maps are joined, anything else that both give is `over`'s.
void join(Value& under, const Value& over) {
  for (const Value::Entry& entry : over.entries) {
    Value* known = nullptr;
    for (Value::Entry& candidate : under.entries)
      if (candidate.key.text == entry.key.text) known = &candidate.value;
    if (known == nullptr)
      under.entries.push_back(entry);
    else if (known->is_map() && entry.value.is_map())
      join(*known, entry.value);
    else
      *known = entry.value;
  }
}

class Includer {
 public:
  Includer(Reader& reader, Reading& reading) : reader_(reader), reading_(reading) {}

  std::optional<IncludedRobot> resolve(Value& document) {
    const Value* given = document.find("include");
    if (given == nullptr) return std::nullopt;
    const Value include = *given;
    const Value file = read_keys(include);
    const std::string& written = reader_.word(file, "the name of a file");
    if (!reading_.files)
      reader_.fail(file, "a text that does not come from a file includes none",
                   "save it as a file, and read that");
    const Reader::Source from = reader_.source(file);
    const fs::path path(written);
    const bool elsewhere = file.source == 0 && !reading_.folder.empty();
    const fs::path folder = elsewhere ? fs::path(reading_.folder) : fs::path(from.path).parent_path();
    const std::string full = path.is_absolute() ? written : (folder / path).lexically_normal().string();
    if (opened_.empty()) opened_.push_back(identity((folder / fs::path(from.path).filename()).string()));
    for (const std::string& open : opened_)
      if (open == identity(full))
        reader_.fail(file, fmt::format("`{}` includes itself", written), "name another file");
    opened_.push_back(identity(full));
    if (opened_.size() > kMostFiles)
      reader_.fail(file, fmt::format("more than {} files include each other", kMostFiles),
                   "write them as one");
    std::string text;
    try {
      text = read_source(full);
      require_text(text, full);
    } catch (const InputError& error) {
      if (error.where().line > 0) throw;
      reader_.fail(file, fmt::format("`{}` cannot be included: {}", full, error.wrong()), error.remedy());
    }
    const fs::path seen = path.is_absolute() ? path : fs::path(from.folder) / path;
    const int source = reader_.add_source({full, seen.parent_path().string()});
    if (is_xml(text)) {
      drop_include(document);
      return IncludedRobot{std::move(text), source};
    }
    Value under = read_document(text, full, source);
    if (!under.is_map())
      reader_.fail(under, fmt::format("a model must be a map, not {}", name_of(under.kind)),
                   "a model begins like this:  name: pendulum");
    std::optional<IncludedRobot> robot = resolve(under);
    drop_include(document);
    join(under, document);
    document.entries = std::move(under.entries);
    return robot;
  }

 private:
  static std::string identity(const std::string& path) {
    std::error_code error;
    return fs::weakly_canonical(path, error).string();
  }

  static void drop_include(Value& document) {
    std::erase_if(document.entries, [](const Value::Entry& entry) { return entry.key.text == "include"; });
  }

  /// The file's name, written alone or under `file`.
  Value read_keys(const Value& include) {
    if (!include.is_map()) return include;
    const Fields fields(reader_, include, "`include`", keys::kInclude);
    if (const Value* floating = fields["floating"])
      reading_.floating = reading_.floating || reader_.flag(*floating, "`floating`");
    if (const Value* angles = fields["angles"]) {
      static constexpr std::array<std::string_view, 3> kRules = {"near", "meant", "written"};
      reading_.angles = static_cast<Reading::Angles>(reader_.choice(*angles, "a rule for angles", kRules));
    }
    return fields.require("file", "write include: {file: arm.urdf}");
  }

  Reader& reader_;
  Reading& reading_;
  std::vector<std::string> opened_;
};

}  // namespace

std::optional<IncludedRobot> resolve_include(Reader& reader, Value& document, Reading& reading) {
  return Includer(reader, reading).resolve(document);
}

}  // namespace tactus::describe
