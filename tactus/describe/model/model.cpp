#include <tactus/describe/model/model.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>

namespace tactus::describe {

std::string_view name_of(JointType type) {
  switch (type) {
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
    case JointType::helical:
      return "helical";
    case JointType::cylindrical:
      return "cylindrical";
    case JointType::universal:
      return "universal";
    case JointType::planar:
      return "planar";
    case JointType::spherical:
      return "spherical";
    case JointType::free:
      return "free";
    case JointType::weld:
      return "weld";
  }
  return "?";
}

std::string_view name_of(ConstraintType type) {
  switch (type) {
    case ConstraintType::closure:
      return "closure";
    case ConstraintType::on_line:
      return "on_line";
    case ConstraintType::on_plane:
      return "on_plane";
    case ConstraintType::on_circle:
      return "on_circle";
    case ConstraintType::on_sphere:
      return "on_sphere";
    case ConstraintType::on_surface:
      return "on_surface";
    case ConstraintType::distance:
      return "distance";
    case ConstraintType::parallel:
      return "parallel";
    case ConstraintType::equation:
      return "equation";
    case ConstraintType::rolling:
      return "rolling";
    case ConstraintType::rates:
      return "rates";
  }
  return "?";
}

int coordinate_count(JointType type) {
  switch (type) {
    case JointType::spherical:
      return 4;
    case JointType::free:
      return 7;
    default:
      return speed_count(type);
  }
}

int speed_count(JointType type) {
  switch (type) {
    case JointType::weld:
      return 0;
    case JointType::revolute:
    case JointType::prismatic:
    case JointType::helical:
      return 1;
    case JointType::cylindrical:
    case JointType::universal:
      return 2;
    case JointType::planar:
    case JointType::spherical:
      return 3;
    case JointType::free:
      return 6;
  }
  return 0;
}

std::vector<std::string> Model::coordinate_names() const {
  std::vector<std::string> names;
  for (const Joint& joint : joints) {
    if (joint.type == JointType::free) {
      for (const char* part : {".x", ".y", ".z"}) names.push_back(joint.name + part);
    }
    if (joint.type == JointType::free || joint.type == JointType::spherical) {
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
    const auto count = static_cast<std::size_t>(coordinate_count(joint.type));
    initial_q.insert(initial_q.end(), count, 0.0);
    if (joint.type == JointType::spherical || joint.type == JointType::free)
      initial_q[initial_q.size() - 4] = 1.0;
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

double value_of(const Model& model, Expr number) {
  return algebra::evaluate(number, [&](Expr symbol) {
    const std::string& name = model.graph->symbol_name(symbol);
    for (const Parameter& parameter : model.parameters) {
      if (parameter.name == name) return parameter.value;
    }
    TACTUS_CHECK(!"a model's numbers depend on parameters only");
    return 0.0;
  });
}

}  // namespace tactus::describe
