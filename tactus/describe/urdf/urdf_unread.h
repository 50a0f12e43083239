// What stands in a URDF file and is not read. Elements of tools that no motion depends on are passed over without a word; a place, a
// loop, a spring or a file that is left out makes other numbers of the robot, and is said.
#pragma once

#include <string>
#include <vector>

#include <tinyxml2.h>

namespace tactus::describe {

struct Unread {
  const tinyxml2::XMLElement* element = nullptr;
  std::string what;  // a sentence
};

/// In the order of the file. Of what is left out in the same way in many places the first is said, with the number of the others.
std::vector<Unread> unread_parts(const tinyxml2::XMLElement* robot);

}  // namespace tactus::describe
