#pragma once

#include <string>

namespace tactus::support {

/// Where the fakes of makers' libraries are built. Only fakes_dir.cpp knows.
const std::string& fakes_dir();

}  // namespace tactus::support
