#include "grasp_point.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>

#include "options.h"
#include "refuse.h"

namespace tactus::apps {

void add_grasp_point(describe::Model& model, const std::string& port) {
  const std::size_t at = port.rfind('@');
  if (at == std::string::npos || model.frame_index(port) >= 0 || model.body_index(port) >= 0) return;
  const std::string name = port.substr(0, at);
  const int body = model.body_index(name);
  std::vector<std::string> known;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) known.push_back(model.bodies[i].name);
  if (body == 0) refuse(fmt::format("--port {}: `{}` does not move", port, name), suggestion(name, known));
  if (body < 0)
    refuse(fmt::format("--port {}: there is no body named `{}`", port, name), suggestion(name, known));
  const std::vector<double> p =
      listed_numbers("--port " + name + "@x,y,z", port.substr(at + 1), 3, ListedUnit::length);
  // [m] Beyond that a rounding of the body's orientation moves the point further than hands feel.
  constexpr double kFurthest = 1e3;
  if (std::any_of(p.begin(), p.end(), [](double x) { return std::abs(x) > kFurthest; }))
    refuse(fmt::format("--port {}: the point is further than {:g} m from its body", port, kFurthest),
           "give metres in the body's axes");
  // The model was read for this session alone: nobody derives from it yet.
  const algebra::Graph::Scope scope(const_cast<algebra::Graph&>(*model.graph));
  describe::Frame frame;
  frame.name = port;
  frame.body = body;
  for (std::size_t i = 0; i < 3; ++i) frame.X_BF.p[i] = describe::Expr(p[i]);
  frame.grasp = true;
  model.frames.push_back(std::move(frame));
}

}  // namespace tactus::apps
