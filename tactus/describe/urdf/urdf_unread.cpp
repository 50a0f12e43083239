#include <tactus/describe/urdf/urdf_unread.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::describe {

namespace {

using tinyxml2::XMLElement;
using Word = std::string_view;
using Words = std::set<Word>;

/// Of a text that stands where none is read.
constexpr std::size_t kMostShown = 40;

/// The attributes of URDF's elements.
const std::vector<Word>* attributes_of(Word tag) {
  static const std::unordered_map<Word, std::vector<Word>> kAttributes = {
      {"robot", {"name", "version"}},
      {"link", {"name", "type"}},
      {"joint", {"name", "type"}},
      {"inertial", {}},
      {"visual", {"name"}},
      {"collision", {"name"}},
      {"geometry", {}},
      {"origin", {"xyz", "rpy"}},
      {"parent", {"link"}},
      {"child", {"link"}},
      {"axis", {"xyz"}},
      {"limit", {"lower", "upper", "effort", "velocity"}},
      {"dynamics", {"damping", "friction"}},
      {"mimic", {"joint", "multiplier", "offset"}},
      {"mass", {"value"}},
      {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}},
      {"box", {"size"}},
      {"sphere", {"radius"}},
      {"cylinder", {"radius", "length"}},
      {"capsule", {"radius", "length"}},
      {"mesh", {"filename", "scale"}},
      {"material", {"name"}},
      {"color", {"rgba"}}};
  const auto found = kAttributes.find(tag);
  return found == kAttributes.end() ? nullptr : &found->second;
}

/// The elements that hold the numbers of a motion, in attributes alone.
bool holds_numbers(Word tag) {
  static const Words kNumbers = {"origin", "axis", "limit", "dynamics", "mimic", "mass", "inertia"};
  return kNumbers.contains(tag);
}

/// Those whose attributes say who they are. An attribute that is called as an element or a number of URDF was meant to be one.
bool says_a_number(Word attribute) {
  static const Words kNumbers = {"origin",  "xyz",      "rpy",   "pos",     "pose",  "axis",
                                 "mass",    "inertia",  "com",   "limit",   "lower", "upper",
                                 "damping", "friction", "mimic", "armature"};
  return kNumbers.contains(attribute);
}

bool is_harmless_attribute(Word tag, Word attribute) {
  static const Words kOfLimit = {"acceleration", "deceleration", "jerk"};
  return tag == "limit" && kOfLimit.contains(attribute);
}

/// What may stand in an element: read, or of other tools and without effect on a motion. Nothing of an element whose parts do not matter.
const Words* children_of(Word tag) {
  static const Words kNone;
  static const std::unordered_map<Word, Words> kChildren = {
      {"robot",
       {"link", "joint", "material", "transmission", "gazebo", "sensor", "ros2_control", "mujoco", "plugin",
        "self_collision_checking", "collision_filter_group", "drake:collision_filter_group", "group",
        "group_state", "end_effector", "virtual_joint", "passive_joint", "disable_collisions"}},
      {"link",
       {"inertial", "visual", "collision", "material", "sensor", "gazebo", "contact",
        "self_collision_checking", "collision_checking", "dont_collapse", "audio_source", "verbose"}},
      {"joint",
       {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller",
        "safety_limits", "sensor", "gazebo", "hardwareInterface", "disableFixedJointLumping",
        "preserveFixedJoint", "dont_collapse", "verbose"}},
      {"inertial", {"origin", "mass", "inertia"}},
      {"visual", {"origin", "geometry", "material", "texture", "gazebo", "verbose"}},
      {"collision",
       {"origin", "geometry", "material", "contact_coefficients", "gazebo", "max_contacts", "surface",
        "drake:proximity_properties", "verbose"}}};
  const auto found = kChildren.find(tag);
  if (found != kChildren.end()) return &found->second;
  return holds_numbers(tag) ? &kNone : nullptr;
}

/// Names with a prefix of tools that no motion depends on; what is left of xacro is said by itself.
bool is_of_tools(Word tag) {
  static const Words kPrefixes = {"xacro", "sensor", "controller", "interface", "gazebo"};
  return kPrefixes.contains(tag.substr(0, tag.find(':'))) && tag.find(':') != Word::npos;
}

/// An attribute that says zero leaves nothing out.
bool is_zero(Word numbers) {
  return numbers.find_first_of("123456789") == Word::npos && numbers.find('0') != Word::npos;
}

bool contains(Word text, Word part) { return text.find(part) != Word::npos; }

constexpr const char* kPlaceTaken = "the place is that of `xyz` and `rpy`, zeros where they are not given";

std::string loss_of_attribute(Word tag, Word attribute) {
  const std::string lost = fmt::format("<{}> has no attribute `{}`: it has no effect", tag, attribute);
  if (tag == "origin") {
    if (attribute == "quat_xyzw")
      return "`quat_xyzw` is no attribute of URDF 1.0: it has no effect, as for urdfdom; write `rpy`";
    return lost + "; " + kPlaceTaken;
  }
  if (tag == "dynamics" && (contains(attribute, "spring") || contains(attribute, "stiffness")))
    return lost + "; a model that includes this file says `stiffness` and `rest` of the joint";
  if (tag == "dynamics" && (contains(attribute, "armature") || contains(attribute, "inertia")))
    return lost + "; a model that includes this file says `armature` of the joint";
  return lost;
}

std::string loss_of_element(Word parent, Word tag) {
  const std::string lost = fmt::format("<{}> in <{}> is not read", tag, parent);
  if (tag == "joint" || tag == "link") return lost + ": write it directly under <robot>";
  if (tag.ends_with("include"))
    return lost + ": what it stands for is missing; write it out in this file, as xacro does";
  if (contains(tag, "loop") || (parent == "robot" && tag.ends_with("joint")))
    return lost + ": what it connects is apart; tie it by a constraint, in a model that includes this file";
  if (tag == "frame") return lost + ": a model that includes this file says `frames`";
  if (tag == "gravity")
    return lost + ": gravity is 9.81 m/s^2 against z; a model that includes this file says another";
  if (parent == "origin") return lost + ": " + kPlaceTaken;
  if (parent == "inertial")
    return lost + ": the centre of mass is that of <origin>, zeros where it is not given";
  if (parent == "joint" && (contains(tag, "inertia") || contains(tag, "rotor") || tag == "actuator"))
    return lost + ": a model that includes this file says `armature` of the joint";
  return lost + ": it has no effect";
}

std::string loss_of_text(Word tag, const std::string& text) {
  const std::string shown = text.size() > kMostShown ? text.substr(0, kMostShown) + "..." : text;
  const std::string lost = fmt::format("the text `{}` in <{}> has no effect", shown, tag);
  if (tag == "origin") return lost + "; " + kPlaceTaken;
  return holds_numbers(tag) ? lost + "; numbers are read from attributes alone" : lost;
}

/// The text that stands directly in an element, without blanks around it.
std::string text_in(const XMLElement* element) {
  for (const tinyxml2::XMLNode* n = element->FirstChild(); n != nullptr; n = n->NextSibling()) {
    if (n->ToText() == nullptr) continue;
    const Word text = n->Value();
    const std::size_t from = text.find_first_not_of(" \t\r\n");
    if (from == Word::npos) continue;
    return std::string(text.substr(from, text.find_last_not_of(" \t\r\n") + 1 - from));
  }
  return "";
}

class Search {
 public:
  explicit Search(const XMLElement* robot) {
    look_at(robot);
    for (const XMLElement* e = robot->NextSiblingElement(); e != nullptr; e = e->NextSiblingElement())
      add(e, "", fmt::format("<{}> stands after the end of <robot>: it is not read", e->Name()));
  }

  std::vector<Unread> take() {
    std::vector<Unread> result;
    for (const Found& found : found_) {
      const std::string others = found.others == 0 ? "" : fmt::format(" (and {} more alike)", found.others);
      result.push_back({found.element, found.what + others});
    }
    return result;
  }

 private:
  struct Found {
    const XMLElement* element;
    std::string what;
    int others = 0;
  };

  /// `kind`: what is alike and is said once; "" where each is said.
  void add(const XMLElement* element, const std::string& kind, std::string what) {
    const auto [known, is_new] = kinds_.emplace(kind, found_.size());
    if (!kind.empty() && !is_new)
      ++found_[known->second].others;
    else
      found_.push_back({element, std::move(what)});
  }

  void look_at(const XMLElement* element) {
    const Word tag = element->Name();
    look_at_attributes(element, tag);
    const Words* known = children_of(tag);
    for (const XMLElement* e = element->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const Word child = e->Name();
      const bool is_read = known == nullptr || known->contains(child);
      if (!is_read && !is_of_tools(child))
        add(e, fmt::format("{}/{}", tag, child), loss_of_element(tag, child));
      if (is_read && attributes_of(child) != nullptr) look_at(e);
    }
    if (known == nullptr) return;
    if (const std::string text = text_in(element); !text.empty())
      add(element, fmt::format("{}/text", tag), loss_of_text(tag, text));
  }

  void look_at_attributes(const XMLElement* element, Word tag) {
    const std::vector<Word>& known = *attributes_of(tag);
    for (const tinyxml2::XMLAttribute* a = element->FirstAttribute(); a != nullptr; a = a->Next()) {
      const Word name = a->Name();
      if (std::find(known.begin(), known.end(), name) != known.end() || contains(name, ":")) continue;
      const std::string guess = name == "quat_xyzw" ? "" : nearest(name, std::span<const Word>(known));
      if (!guess.empty()) {
        add(element, "",
            fmt::format("<{}> has no attribute `{}`: it has no effect; did you mean `{}`?", tag, name,
                        guess));
        continue;
      }
      const bool matters = holds_numbers(tag) ? !is_harmless_attribute(tag, name)
                                              : children_of(tag) != nullptr && says_a_number(name);
      if (!matters || (tag == "dynamics" && is_zero(a->Value()))) continue;
      add(element, fmt::format("{}/@{}", tag, name), loss_of_attribute(tag, name));
    }
  }

  std::vector<Found> found_;
  std::unordered_map<std::string, std::size_t> kinds_;
};

}  // namespace

std::vector<Unread> unread_parts(const XMLElement* robot) { return Search(robot).take(); }

}  // namespace tactus::describe
