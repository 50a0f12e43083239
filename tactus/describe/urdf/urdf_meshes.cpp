#include <tactus/describe/urdf/urdf_meshes.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace tactus::describe {

namespace fs = std::filesystem;

namespace {

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

std::string find_mesh(const std::string& written, const std::string& robot_file) {
  std::string_view rest = written;
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (!rest.starts_with(scheme)) continue;
    rest.remove_prefix(scheme.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return "";
    const fs::path package = rest.substr(0, slash), inside = rest.substr(slash + 1);
    std::error_code error;
    for (fs::path folder = fs::absolute(robot_file, error).lexically_normal().parent_path();;
         folder = folder.parent_path()) {
      if (folder.filename() == package && is_file(folder / inside)) return (folder / inside).string();
      if (is_file(folder / package / inside)) return (folder / package / inside).string();
      if (folder == folder.root_path() || folder.empty()) break;
    }
    const char* ros = std::getenv("ROS_PACKAGE_PATH");
    std::string_view paths = ros == nullptr ? "" : ros;
    while (!paths.empty()) {
      const std::size_t colon = paths.find(':');
      const fs::path folder = paths.substr(0, colon);
      if (is_file(folder / package / inside)) return (folder / package / inside).string();
      paths.remove_prefix(colon == std::string_view::npos ? paths.size() : colon + 1);
    }
    return "";
  }
  if (rest.starts_with("file://")) rest.remove_prefix(7);
  const fs::path path = rest;
  return is_file(path.is_absolute() ? path : fs::path(robot_file).parent_path() / path) ? std::string(rest)
                                                                                        : "";
}

}  // namespace tactus::describe
