#include <tactus/describe/read/written_names.h>

#include <set>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

namespace tactus::describe {

namespace {

using Word = std::string_view;

class Renaming {
 public:
  Renaming(const Reader& reader, const NameMap& links, const NameMap& joints) : reader_(reader) {
    keep_changed(links, links_);
    keep_changed(joints, joints_);
    for (const auto& [written, name] : joints_)
      if (plain_name(written) != written) odd_joints_.emplace(written, name);
  }

  void apply(Value& document) {
    static const std::set<Word> kNaming = {"joints",      "frames",  "springs", "forces",
                                           "constraints", "contact", "dh"};
    for (Value::Entry& section : document.entries) {
      const Word name = section.key.text;
      if (name == "bodies") rename_keys(section.value, links_);
      if (name == "joints") rename_keys(section.value, joints_);
      if (name == "initial" || name == "parametric") in_state(section.value);
      if (kNaming.contains(name)) in_parts(section.value);
    }
  }

 private:
  /// Those that have another name in the model. What is also the model's name of something else means that: a link `world` that is
  /// carried is not the ground.
  static void keep_changed(const NameMap& names, NameMap& changed) {
    std::unordered_set<std::string> taken{"world"};
    for (const auto& [written, name] : names) taken.insert(name);
    for (const auto& [written, name] : names)
      if (written != name && !taken.contains(written)) changed.emplace(written, name);
  }

  /// The name, and the coordinate of it that stands behind a point; "" where nothing changes.
  static std::string renamed(const std::string& text, const NameMap& names) {
    if (const auto found = names.find(text); found != names.end()) return found->second;
    for (std::size_t dot = text.rfind('.'); dot != std::string::npos && dot > 0;
         dot = text.rfind('.', dot - 1))
      if (const auto found = names.find(text.substr(0, dot)); found != names.end())
        return found->second + text.substr(dot);
    return "";
  }

  static void rename(Value& value, const NameMap& names) {
    if (value.is_scalar())
      if (const std::string name = renamed(value.text, names); !name.empty()) value.text = name;
    for (Value& item : value.items) rename(item, names);
  }

  void rename_keys(Value& map, const NameMap& names) const {
    for (Value::Entry& entry : map.entries) {
      const std::string name = renamed(entry.key.text, names);
      if (name.empty()) continue;
      if (map.find(name) != nullptr)
        reader_.fail(entry.key, fmt::format("`{}` is called `{}`, which is given, too", entry.key.text, name),
                     "keep one of them");
      entry.key.text = name;
    }
  }

  /// Values of coordinates and speeds by name, and lists of those that are fixed. A plain name among speeds is that of a speed
  /// alone: `q_dot` reads as the rate of `q`, also where the robot's file has a joint of this name.
  void in_state(Value& section) const {
    for (Value::Entry& entry : section.entries) {
      const Word part = entry.key.text;
      const NameMap& names = part == "q" ? joints_ : odd_joints_;
      if (part == "q" || part == "u" || part == "qd") rename_keys(entry.value, names);
      if (part != "fixed") continue;
      for (Value::Entry& list : entry.value.entries)
        rename(list.value, list.key.text == "q" ? joints_ : odd_joints_);
    }
  }

  void in_parts(Value& value) const {
    static const std::set<Word> kOfLinks = {"parent", "child", "body",    "a",     "b",
                                            "frame",  "base",  "between", "ignore"};
    static const std::set<Word> kOfJoints = {"joint", "joints"};
    for (Value::Entry& entry : value.entries) {
      if (kOfLinks.contains(entry.key.text))
        rename(entry.value, links_);
      else if (kOfJoints.contains(entry.key.text))
        rename(entry.value, joints_);
      in_parts(entry.value);
    }
    for (Value& item : value.items) in_parts(item);
  }

  const Reader& reader_;
  NameMap links_, joints_, odd_joints_;  // odd: with characters that no name of a model has
};

}  // namespace

void use_model_names(const Reader& reader, Value& document, const NameMap& links, const NameMap& joints) {
  Renaming(reader, links, joints).apply(document);
}

}  // namespace tactus::describe
