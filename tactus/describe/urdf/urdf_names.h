// Names of a robot's file as names of a model: letters, digits and _ only, because they also stand in expressions and in
// generated code; and each of them once.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tactus::describe {

/// From the name in the file to the name in the model.
using NameMap = std::unordered_map<std::string, std::string>;

/// Letters, digits and _, no digit first; everything else becomes _.
std::string plain_name(const std::string& name);

/// Bodies, by their names in the file (which are distinct). Names that need no change keep theirs; others that would meet
/// one get a number. `has_ground`: the link `world` is the ground; where a joint carries it, it is not, and has another name.
NameMap distinct_links(const std::vector<std::string>& written, bool has_ground = true);

/// Joints: a name must also keep apart from what the equations make of the others (q_dot, q_ddot, tau_q), from the time and
/// from functions.
class JointNames {
 public:
  /// As written, with the coordinates that each joint has ("" for its own name, ".x").
  struct Joint {
    std::string name;
    std::vector<std::string> parts;
  };
  explicit JointNames(const std::vector<Joint>& joints);

  const NameMap& map() const { return map_; }
  /// Another name that meets none of them, and is then taken as well.
  std::string another(const std::string& wish, const std::vector<std::string>& parts);

 private:
  bool take(const std::string& name, const std::vector<std::string>& parts);

  NameMap map_;
  std::unordered_set<std::string> joints_, taken_;
};

}  // namespace tactus::describe
