// docs/model.schema.json, the reader and the models that come with Tactus say the same.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/read/yaml_tree.h>
#include "support/paths.h"

namespace tactus::describe {
namespace {

using nlohmann::json;

std::string source_path(const std::string& name) { return tactus::support::source_dir() + "/" + name; }

json read_schema() { return json::parse(std::ifstream(source_path("docs/model.schema.json"))); }

/// YAML's core rules for plain scalars, as far as JSON can tell the difference.
json scalar(const Value& value) {
  if (value.quoted) return value.text;
  if (value.text == "true") return true;
  if (value.text == "false") return false;
  char* end = nullptr;
  const double number = std::strtod(value.text.c_str(), &end);
  if (end == value.text.c_str() + value.text.size() && !value.text.empty()) {
    if (number == static_cast<long>(number)) return static_cast<long>(number);
    return number;
  }
  return value.text;
}

json to_json(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return nullptr;
    case Value::Kind::scalar:
      return scalar(value);
    case Value::Kind::sequence: {
      json list = json::array();
      for (const Value& item : value.items) list.push_back(to_json(item));
      return list;
    }
    case Value::Kind::map: {
      json map = json::object();
      for (const Value::Entry& entry : value.entries) map[entry.key.text] = to_json(entry.value);
      return map;
    }
  }
  return nullptr;
}

/// A validator for the part of JSON Schema that the file uses; the complaint, or "".
class Validator {
 public:
  explicit Validator(const json& schema) : root_(schema) {}

  std::string check(const json& value, const json& schema, const std::string& where = "") const {
    for (const auto& [keyword, rule] : schema.items()) {
      std::string complaint;
      if (keyword == "$ref") {
        complaint = check(value, root_.at(json::json_pointer(rule.get<std::string>().substr(1))), where);
      } else if (keyword == "type") {
        complaint = has_type(value, rule) ? "" : where + ": is not of type " + rule.dump();
      } else if (keyword == "enum") {
        complaint = std::find(rule.begin(), rule.end(), value) != rule.end()
                        ? ""
                        : where + ": is not one of " + rule.dump();
      } else if (keyword == "anyOf") {
        complaint = where + ": fits none:";
        for (const json& option : rule) {
          const std::string reason = check(value, option, where);
          complaint = reason.empty() ? "" : complaint + " (" + reason + ")";
          if (reason.empty()) break;
        }
      } else if (keyword == "required") {
        for (const json& key : rule) {
          if (value.is_object() && !value.contains(key)) complaint = where + ": has no " + key.dump();
        }
      } else if (keyword == "minItems") {
        if (value.is_array() && value.size() < rule.get<std::size_t>()) complaint = where + ": is too short";
      } else if (keyword == "maxItems") {
        if (value.is_array() && value.size() > rule.get<std::size_t>()) complaint = where + ": is too long";
      } else if (keyword == "items" && value.is_array()) {
        for (std::size_t i = 0; i < value.size() && complaint.empty(); ++i) {
          complaint = check(value[i], rule, where + "/" + std::to_string(i));
        }
      } else if (keyword == "additionalProperties" && value.is_object()) {
        for (const auto& [key, member] : value.items()) {
          const bool listed = schema.contains("properties") && schema["properties"].contains(key);
          if (!complaint.empty()) break;
          if (listed)
            complaint = check(member, schema["properties"][key], where + "/" + key);
          else if (rule.is_boolean())
            complaint = rule.get<bool>() ? "" : where + ": unknown key " + key;
          else
            complaint = check(member, rule, where + "/" + key);
        }
      }
      if (!complaint.empty()) return complaint;
    }
    return "";
  }

 private:
  static bool has_type(const json& value, const json& type) {
    if (type.is_array()) {
      return std::any_of(type.begin(), type.end(), [&](const json& each) { return has_type(value, each); });
    }
    const std::string& name = type.get_ref<const std::string&>();
    if (name == "number") return value.is_number();
    if (name == "integer") return value.is_number_integer();
    if (name == "string") return value.is_string();
    if (name == "boolean") return value.is_boolean();
    if (name == "array") return value.is_array();
    if (name == "object") return value.is_object();
    return name == "null" && value.is_null();
  }

  const json& root_;
};

TEST(Schema, NamesTheKeysThatTheReaderKnows) {
  const json schema = read_schema();
  const std::pair<const char*, std::span<const std::string_view>> maps[] = {
      {"model", keys::kModel},
      {"include", keys::kInclude},
      {"included_joint", keys::kIncludedJoint},
      {"parameter", keys::kParameter},
      {"definition", keys::kDefinition},
      {"table", keys::kTable},
      {"joint_force", keys::kJointForce},
      {"frame_force", keys::kFrameForce},
      {"line_force", keys::kLineForce},
      {"body", keys::kBody},
      {"world", keys::kWorld},
      {"geometry", keys::kGeometry},
      {"placement", keys::kPlacement},
      {"axis_angle", keys::kAxisAngle},
      {"freedom", keys::kFreedom},
      {"friction", keys::kFriction},
      {"directions", keys::kDirections},
      {"joint", keys::kJoint},
      {"dh", keys::kDh},
      {"dh_link", keys::kDhLink},
      {"repeat", keys::kRepeat},
      {"frame", keys::kFrame},
      {"point_spring", keys::kPointSpring},
      {"joint_spring", keys::kJointSpring},
      {"frame_spring", keys::kFrameSpring},
      {"point", keys::kPoint},
      {"speeds", keys::kSpeeds},
      {"initial", keys::kInitial},
      {"parametric", keys::kParametric},
      {"independent", keys::kIndependent},
      {"side_in_place", keys::kSide},
      {"between", keys::kBetween},
      {"on_circle", keys::kOnCircle},
      {"on_surface", keys::kOnSurface},
      {"distance", keys::kDistance},
      {"rolling", keys::kRolling},
      {"gear", keys::kGear},
      {"belt", keys::kBelt},
      {"rack", keys::kRack},
      {"screw", keys::kScrew},
      {"lock", keys::kLock},
      {"motion", keys::kMotion},
      {"equation", keys::kEquation},
      {"contact", keys::kContact},
      {"repeated_contact", keys::kRepeatedContact},
      {"contact_law", keys::kContactLaw},
      {"contact_pair", keys::kContactPair},
      {"stops", keys::kStops},
      {"transition", keys::kTransition},
  };
  for (const auto& [name, known] : maps) {
    std::set<std::string> in_schema, in_reader(known.begin(), known.end());
    for (const auto& [key, rule] : schema["$defs"][name]["properties"].items()) in_schema.insert(key);
    EXPECT_EQ(in_schema, in_reader) << name;
    EXPECT_EQ(schema["$defs"][name]["additionalProperties"], false) << name;
  }
}

TEST(Schema, AcceptsEveryModelThatComesWithTactus) {
  const json schema = read_schema();
  const Validator validator(schema);
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("models"))) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const json model = to_json(read_document(read_source(entry.path()), entry.path()));
    EXPECT_EQ(validator.check(model, schema), "") << entry.path();
  }
  EXPECT_GE(count, 14);
  for (const char* overlay : {"overlay.yaml", "floating_overlay.yaml"}) {
    const std::string path = source_path("tests/describe/robots/") + overlay;
    EXPECT_EQ(validator.check(to_json(read_document(read_source(path), path)), schema), "") << overlay;
  }
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
  const json schema = read_schema();
  const Validator validator(schema);
  const auto complaint = [&](const std::string& text) {
    EXPECT_THROW(load_text(text, "bad"), InputError);
    return validator.check(to_json(read_document(text, "bad")), schema);
  };
  EXPECT_NE(complaint("name: x\nbodys: {}\n"), "");
  EXPECT_NE(complaint("bodies: {}\n"), "");
  EXPECT_NE(complaint("name: x\ngravity: [0, 1]\n"), "");
  EXPECT_NE(complaint("name: x\nbodies: {b: {mas: 1}}\n"), "");
  EXPECT_NE(
      complaint("name: x\nbodies: {b: {mass: 1}}\njoints: {j: {type: hinge, parent: world, child: b}}\n"),
      "");
}

TEST(Schema, TheReferencePageExplainsEveryKey) {
  std::ifstream stream(source_path("docs/model-format.md"));
  const std::string page((std::istreambuf_iterator<char>(stream)), {});
  const json schema = read_schema();
  for (const auto& [name, definition] : schema["$defs"].items()) {
    if (!definition.contains("properties")) continue;
    for (const auto& [key, rule] : definition["properties"].items()) {
      EXPECT_NE(page.find("`" + key + "`"), std::string::npos)
          << "`" << key << "` of " << name << " is not explained";
    }
  }
}

}  // namespace
}  // namespace tactus::describe
