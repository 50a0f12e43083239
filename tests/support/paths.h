#pragma once

#include <string>

// Where the tests find what they read and run. Only paths.cpp knows the folders of this build: the objects of all
// other tests are the same in every checkout, so that a compiler cache can share them.
namespace tactus::support {

// The root of the sources, without a slash at its end.
const std::string& source_dir();

// The program `tactus` of this build.
const std::string& program();

}  // namespace tactus::support
