// The page's built files: what of a folder is answered for a path, and as what.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tactus::serve {

struct PageFile {
  std::string path;      // on the disk
  std::string type;      // of its content
  bool packed = false;   // it is the .gz beside it
  bool forever = false;  // its name has a hash of its content
};

class PageFiles {
 public:
  /// A folder that need not be there.
  explicit PageFiles(std::string folder);
  bool exist() const { return !root_.empty(); }
  /// The file of a path (guard.h: path_of). Nothing where there is none, or where it leads out of the folder.
  std::optional<PageFile> find(std::string_view path, bool packed) const;

 private:
  std::string root_;  // as the system knows it; "": none
};

/// "text/html; charset=utf-8" for "index.html".
std::string_view type_of(std::string_view path);

}  // namespace tactus::serve
