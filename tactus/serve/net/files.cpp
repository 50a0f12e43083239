#include <tactus/serve/net/files.h>

#include <filesystem>
#include <utility>

namespace tactus::serve {

namespace fs = std::filesystem;

namespace {

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".webp", "image/webp"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".woff", "font/woff"},
    {".ttf", "font/ttf"},
    {".wasm", "application/wasm"},
    {".txt", "text/plain; charset=utf-8"},
};

}  // namespace

std::string_view type_of(std::string_view path) {
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

PageFiles::PageFiles(std::string folder) {
  std::error_code error;
  if (!folder.empty() && fs::is_directory(folder, error)) root_ = fs::canonical(folder, error).string();
}

std::optional<PageFile> PageFiles::find(std::string_view path, bool packed) const {
  if (root_.empty()) return std::nullopt;
  std::string relative(path == "/" ? "/index.html" : path);
  const auto within = [&](const std::string& wanted) -> std::optional<std::string> {
    std::error_code error;
    const fs::path found = fs::canonical(root_ + wanted, error);
    // Links may lead anywhere: what counts is where they end.
    if (error || !fs::is_regular_file(found, error) || !found.string().starts_with(root_ + "/"))
      return std::nullopt;
    return found.string();
  };
  PageFile file;
  file.type = type_of(relative);
  file.forever = relative.starts_with("/assets/");
  if (packed)
    if (const auto found = within(relative + ".gz")) {
      file.path = *found;
      file.packed = true;
      return file;
    }
  const auto found = within(relative);
  if (!found) return std::nullopt;
  file.path = *found;
  return file;
}

}  // namespace tactus::serve
