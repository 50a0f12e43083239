#include <tactus/describe/model/model.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>

namespace tactus::describe {

std::vector<std::string> Model::coordinate_names() const {
  std::vector<std::string> names;
  for (const Joint& joint : joints) {
    const JointTraits& traits = joint_traits(joint.type);
    if (traits.has_quaternion()) {
      static constexpr const char* kPositions[] = {".x", ".y", ".z"};
      for (int k = 0; k < traits.quaternion_at; ++k) names.push_back(joint.name + kPositions[k]);
      for (const char* part : {".qw", ".qx", ".qy", ".qz"}) names.push_back(joint.name + part);
    } else {
      for (const JointAxis& axis : joint.axes) names.push_back(axis.name);
    }
  }
  return names;
}

std::vector<std::string> Model::speed_names() const {
  if (speeds.definition != Speeds::Definition::joint_rates) return speeds.names;
  std::vector<std::string> names;
  for (const Joint& joint : joints) {
    for (const JointAxis& axis : joint.axes) names.push_back(axis.name);
  }
  return names;
}

int Model::nq() const {
  int n = 0;
  for (const Joint& joint : joints) n += coordinate_count(joint.type);
  return n;
}

int Model::nv() const {
  int n = 0;
  for (const Joint& joint : joints) n += speed_count(joint.type);
  return n;
}

void Model::set_initial_defaults() {
  initial_q.clear();
  for (const Joint& joint : joints) {
    const JointTraits& traits = joint_traits(joint.type);
    const std::size_t first = initial_q.size();
    initial_q.resize(first + traits.nq(), 0.0);
    if (traits.has_quaternion()) initial_q[first + static_cast<std::size_t>(traits.quaternion_at)] = 1.0;
  }
  initial_u.assign(static_cast<std::size_t>(nv()), 0.0);
}

int Model::body_index(std::string_view name) const {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int Model::frame_index(std::string_view name) const {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::string rate_name(const std::string& coordinate) { return coordinate + "_dot"; }

double parameter_value(const Model& model, std::string_view name) {
  for (const Parameter& parameter : model.parameters) {
    if (parameter.name == name) return parameter.value;
  }
  TACTUS_CHECK(!"a model's numbers depend on parameters only");
  return 0.0;
}

double value_of(const Model& model, Expr number) {
  return algebra::evaluate(
      number, [&](Expr symbol) { return parameter_value(model, model.graph->symbol_name(symbol)); });
}

}  // namespace tactus::describe
