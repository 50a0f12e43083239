#include <tactus/device/drivers/library.h>

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::device {

Library::Library(std::string product, const char* variable, const std::vector<std::string>& names)
    : product_(std::move(product)), variable_(variable) {
  const char* const given = std::getenv(variable);
  const std::vector<std::string> paths =
      given != nullptr && *given != '\0' ? std::vector<std::string>{given} : names;
  std::string why;
  for (const std::string& path : paths) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    path_ = path;
    if (handle_ != nullptr) return;
    const char* const error = dlerror();
    if (why.empty() && error != nullptr) why = error;
  }
  throw InputError(
      {}, fmt::format("{}: its library cannot be loaded: {}", product_, why),
      fmt::format("install the maker's software, or let {} name the file {}", variable, names.back()));
}

void* Library::address_or_null(const char* name) const noexcept { return dlsym(handle_, name); }

void* Library::address(const char* name) const {
  void* const found = address_or_null(name);
  if (found == nullptr)
    throw InputError({path_}, fmt::format("{}: the library has no function `{}`", product_, name),
                     fmt::format("this is another library, or a version that is not known here; {} names "
                                 "the one to use",
                                 variable_));
  return found;
}

}  // namespace tactus::device
