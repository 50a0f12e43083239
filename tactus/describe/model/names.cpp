#include <tactus/describe/model/names.h>

#include <unordered_map>

#include <fmt/format.h>

#include <tactus/algebra/parse.h>

namespace tactus::describe {

namespace {

class NameSpace {
 public:
  NameSpace() { meanings_["t"] = "the time"; }

  void add(const std::string& name, std::string meaning, const Place& where) {
    if (algebra::is_reserved_name(name)) {
      throw InputError(
          where,
          fmt::format("`{}` is {}, but expressions give that name a meaning of their own", name, meaning),
          "choose another name");
    }
    const auto [other, is_new] = meanings_.emplace(name, meaning);
    if (is_new) return;
    throw InputError(where, fmt::format("`{}` is both {} and {}", name, other->second, meaning),
                     "rename one of them");
  }

 private:
  std::unordered_map<std::string, std::string> meanings_;
};

}  // namespace

void require_distinct_names(const Model& model,
                            const std::function<Place(const std::string&)>& place_of_parameter) {
  NameSpace names;
  for (const Joint& joint : model.joints) {
    const std::string of = fmt::format("of joint `{}`", joint.name);
    const bool quasi = has_quaternion(joint.type);
    for (const JointAxis& axis : joint.axes) {
      // Quasi-velocities have names of their own; their coordinates' names hold a dot and meet no others.
      names.add(axis.name, (quasi ? "a speed " : "the coordinate ") + of, joint.where);
      names.add(rate_name(axis.name), (quasi ? "an acceleration " : "the rate ") + of, joint.where);
      if (!quasi) names.add(axis.name + "_ddot", "the acceleration " + of, joint.where);
      names.add("tau_" + axis.name, "the actuator force " + of, joint.where);
    }
  }
  for (const std::string& speed : model.speeds.names) {
    names.add(speed, "a generalised speed", model.speeds.where);
    names.add(rate_name(speed), fmt::format("the rate of the speed `{}`", speed), model.speeds.where);
  }
  if (model.parametric) {
    for (const Parametric::Parameter& z : model.parametric->z) {
      names.add(z.name, "a parametric coordinate", z.where);
      names.add(rate_name(z.name), fmt::format("the rate of the parametric coordinate `{}`", z.name),
                z.where);
    }
  }
  for (const Definition& definition : model.definitions)
    names.add(definition.name, "a definition", definition.where);
  for (const Parameter& parameter : model.parameters) {
    names.add(parameter.name, "a parameter", place_of_parameter(parameter.name));
  }
  for (const DerivedParameter& parameter : model.derived_parameters) {
    names.add(parameter.name, "a parameter", place_of_parameter(parameter.name));
  }
}

}  // namespace tactus::describe
