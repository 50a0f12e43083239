#include <tactus/describe/check/adjustable.h>

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>

namespace tactus::describe {

namespace {

/// Whether one of a model's numbers holds a certain symbol.
class Holds {
 public:
  Holds(const Model& model, std::string_view name) : symbol_(model.graph->find_symbol(name)) {}

  bool operator()(Expr number) const {
    if (!symbol_ || number.is_constant()) return false;
    const std::vector<Expr> symbols = algebra::symbols_in(std::span(&number, 1));
    return std::find(symbols.begin(), symbols.end(), *symbol_) != symbols.end();
  }
  bool operator()(const Vec3& v) const { return (*this)(v.x) || (*this)(v.y) || (*this)(v.z); }
  bool operator()(const Mat3& A) const {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if ((*this)(A(i, j))) return true;
    return false;
  }

 private:
  std::optional<Expr> symbol_;
};

}  // namespace

std::string read_once_by(const Model& model, std::string_view parameter) {
  for (const ReadOnce& reading : model.read_once)
    if (reading.parameter == parameter) return reading.by;
  const Holds holds(model, parameter);
  const bool touches = !model.contact.pairs.empty();
  for (const Joint& joint : model.joints) {
    for (const JointAxis& axis : joint.axes)
      if (holds(axis.direction)) return fmt::format("the axis of joint `{}`", joint.name);
    // Which contacts lie in a plane is found once.
    if (touches && (holds(joint.X_PJ.R) || holds(joint.X_FB.R)))
      return fmt::format("the orientation of joint `{}`, on whose body something touches", joint.name);
  }
  for (const Body& body : model.bodies)
    for (const Geometry& shape : body.geometry)
      if (touches && shape.contact && (holds(shape.size) || holds(shape.X_BG.p) || holds(shape.X_BG.R)))
        return fmt::format("the shape of `{}`, which may touch", body.name);
  return "";
}

std::vector<std::string> adjustable_parameters(const Model& model) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters)
    if (read_once_by(model, parameter.name).empty()) names.push_back(parameter.name);
  return names;
}

}  // namespace tactus::describe
