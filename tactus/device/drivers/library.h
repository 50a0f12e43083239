// A maker's shared library, loaded while the program runs: nothing of it is needed to build.
#pragma once

#include <string>
#include <vector>

namespace tactus::device {

class Library {
 public:
  /// The file that the environment variable names, or else the first of the usual names that loads. It stays loaded until the
  /// program ends: makers' libraries have threads of their own. Throws InputError where there is none.
  Library(std::string product, const char* variable, const std::vector<std::string>& names);

  /// Throws InputError where the library has no such function.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address(name));
  }
  /// Null where it has none.
  template <class Function>
  void find_if_there(Function*& function, const char* name) const noexcept {
    function = reinterpret_cast<Function*>(address_or_null(name));
  }
  const std::string& path() const { return path_; }

 private:
  void* address(const char* name) const;
  void* address_or_null(const char* name) const noexcept;

  std::string product_, variable_, path_;
  void* handle_ = nullptr;
};

}  // namespace tactus::device
