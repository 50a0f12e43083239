#include <tactus/describe/urdf/urdf_names.h>

#include <tactus/algebra/parse.h>
#include <tactus/describe/model/model.h>

namespace tactus::describe {

namespace {

/// The name, or the name with the first number that makes it free.
template <class Take>
std::string numbered(const std::string& name, Take&& take) {
  if (take(name)) return name;
  for (int k = 2;; ++k)
    if (const std::string next = name + "_" + std::to_string(k); take(next)) return next;
}

}  // namespace

std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    plain += letter ? c : '_';
  }
  return plain[0] >= '0' && plain[0] <= '9' ? "_" + plain : plain;
}

NameMap distinct_links(const std::vector<std::string>& written, bool has_ground) {
  NameMap map;
  std::unordered_set<std::string> taken{"world"};
  const auto take = [&](const std::string& name) { return taken.insert(name).second; };
  for (const std::string& name : written)
    if ((name == "world" && has_ground) || (plain_name(name) == name && take(name))) map[name] = name;
  for (const std::string& name : written)
    if (!map.contains(name)) map[name] = numbered(plain_name(name), take);
  return map;
}

JointNames::JointNames(const std::vector<Joint>& joints) {
  for (const Joint& joint : joints)
    if (plain_name(joint.name) == joint.name && take(joint.name, joint.parts)) map_[joint.name] = joint.name;
  for (const Joint& joint : joints)
    if (!map_.contains(joint.name)) map_[joint.name] = another(plain_name(joint.name), joint.parts);
}

std::string JointNames::another(const std::string& wish, const std::vector<std::string>& parts) {
  return numbered(wish, [&](const std::string& name) { return take(name, parts); });
}

bool JointNames::take(const std::string& name, const std::vector<std::string>& parts) {
  if (joints_.contains(name)) return false;
  std::vector<std::string> family;
  for (const std::string& part : parts) {
    const std::string axis = name + part;
    for (const std::string& made : {axis, rate_name(axis), axis + "_ddot", "tau_" + axis}) {
      if (made == "t" || algebra::is_reserved_name(made) || taken_.contains(made)) return false;
      family.push_back(made);
    }
  }
  joints_.insert(name);
  taken_.insert(family.begin(), family.end());
  return true;
}

}  // namespace tactus::describe
