// What each coordinate and each speed of a model means, for people.
#pragma once

#include <string>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

struct Meaning {
  std::string name;
  std::string meaning;  // "angle of forearm on upper_arm about (0, 1, 0)"
  std::string unit;     // "rad"
};

/// In the order of q and of u.
std::vector<Meaning> coordinate_meanings(const Model& model);
std::vector<Meaning> speed_meanings(const Model& model);

}  // namespace tactus::describe
