// Scripts: where a motion begins and what acts on it. In YAML:
//
//   parameters: {F: 3, w: 2*pi*1.5}               # the script's own; the model's can be used too
//   initial: {t: 0, q: {q1: 30 deg}, u: {q1: 2}}  # by name or as lists; qd, the joints' rates, instead of u;
//                                                 # `fixed: given` or `fixed: {q: [q1], u: [q1]}` keeps values
//   tau: {q1: 5*sin(w*t) - 2*q1_dot}              # expressions of t, coordinates, speeds, "<coordinate>_dot"
//   wrenches:
//     - {frame: tool, axes: world, force: [F*sin(t), 0, 0], torque: [0, 0, 0]}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/derive/equations.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::simulate {

struct Script {
  State initial;
  describe::InitialMarks marks;  // which of its values are given, which are to be kept
  std::vector<derive::WrenchInput>
      wrenches;  // as script_wrenches() says; the equations must be derived with these
  std::optional<algebra::Function> loads;  // t q u -> tau wrench; nothing where nothing acts
};

/// The wrenches of a script, for the equations to be derived with: frames and axes alone. What is wrong with them
/// read_script() says.
std::vector<derive::WrenchInput> script_wrenches(const describe::Model& model, const std::string& text,
                                                 const std::string& file);
/// The script that says nothing: the initial state of the model, and no forces.
Script empty_script(const derive::Equations& equations);
/// Throws InputError with file, line and column.
Script read_script(const derive::Equations& equations, const std::string& text, const std::string& file);
Script load_script(const derive::Equations& equations, const std::string& path);

}  // namespace tactus::simulate
