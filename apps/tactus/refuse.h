// What a user asked for and cannot have: what is wrong, and how to mend it.
#pragma once

#include <string>

#include <tactus/base/error.h>

namespace tactus::apps {

[[noreturn]] inline void refuse(const std::string& wrong, const std::string& remedy) {
  throw InputError({}, wrong, remedy);
}

}  // namespace tactus::apps
