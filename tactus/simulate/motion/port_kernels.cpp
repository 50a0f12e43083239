// The kernels of ports: of all at once, and of each of the first frames alone.
#include <algorithm>

#include <tactus/base/check.h>
#include <tactus/simulate/motion/ports.h>

namespace tactus::simulate {

namespace {

using algebra::Block;
using algebra::Expr;
using algebra::Function;

std::vector<derive::BodyPlace> places_of(const std::vector<Port>& ports) {
  std::vector<derive::BodyPlace> places;
  for (const Port& port : ports) places.push_back({port.body, port.frame});
  return places;
}

std::vector<Port> ports_of(const describe::Model& model, const std::vector<int>& asked) {
  std::vector<Port> ports;
  for (std::size_t i = 0; i < model.frames.size(); ++i) {
    const describe::Frame& frame = model.frames[i];
    const int index = static_cast<int>(i);
    if (frame.grasp || std::find(asked.begin(), asked.end(), index) != asked.end())
      ports.push_back({frame.name, frame.body, index});
  }
  for (std::size_t b = 1; b < model.bodies.size(); ++b)
    ports.push_back({model.bodies[b].name, static_cast<int>(b), -1});
  return ports;
}

const std::vector<Expr>& entries_of(const Function& function, std::string_view name) {
  const auto found = std::find_if(function.outputs.begin(), function.outputs.end(),
                                  [&](const Block& block) { return block.name == name; });
  TACTUS_CHECK(found != function.outputs.end());
  return found->entries;
}

math::Vec3<Expr> vector_of(const std::vector<Expr>& entries, std::size_t at) {
  return {entries[at], entries[at + 1], entries[at + 2]};
}

/// With J_k = [w_k; v_k + w_k x (p - o_k)] as formulas (ports.h), what is zero in it is not computed.
PortKernel kernel_of(const derive::Equations& equations, const derive::BodyPlace& place,
                     const std::vector<derive::LinkOutline>& links) {
  const Function all = equations.joint_directions({place});
  const algebra::Graph::Scope scope(*all.graph);
  const std::vector<Expr>&origins = entries_of(all, "links"), &directions = entries_of(all, "directions"),
        &X = entries_of(all, "places");
  const math::Vec3<Expr> p{X[3], X[7], X[11]};
  Block wrench{"wrench", "on the port, [torque; force] [N m, N]", 6, 1, {}};
  for (int i = 0; i < 6; ++i) wrench.entries.push_back(algebra::symbol("port:" + std::to_string(i)));
  const math::Vec3<Expr> torque = vector_of(wrench.entries, 0), force = vector_of(wrench.entries, 3);

  const Function rates = equations.joint_rates();
  const std::vector<Expr>& qd = entries_of(rates, "qd");
  Block tau{"tau", "at the joints between port and ground", 0, 1, {}};
  Block J{"J", "directions of the port by the rates between it and the ground", 0, 6, {}};
  math::Vec3<Expr> w, v;
  std::vector<int> own, path;
  for (int n = equations.link_of_body(place.body); n >= 0; n = links[static_cast<std::size_t>(n)].parent) {
    const derive::LinkOutline& link = links[static_cast<std::size_t>(n)];
    const math::Vec3<Expr> reach = p - vector_of(origins, 3 * static_cast<std::size_t>(n));
    path.push_back(n);
    for (int k = link.first; k < link.first + link.count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const math::Vec3<Expr> w_k = vector_of(directions, 6 * at);
      const math::Vec3<Expr> v_k = vector_of(directions, 6 * at + 3) + cross(w_k, reach);
      own.push_back(k);
      tau.entries.push_back(dot(w_k, torque) + dot(v_k, force));
      for (const Expr x : {w_k.x, w_k.y, w_k.z, v_k.x, v_k.y, v_k.z}) J.entries.push_back(x);
      w = w + qd[at] * w_k;
      v = v + qd[at] * v_k;
    }
  }
  tau.rows = J.rows = static_cast<int>(own.size());
  // Jd_k qd_k, from the ground to the port, with the velocity of every link on the way.
  math::Vec3<Expr> w_link, v_link, o_before, w_drift, v_drift;
  for (std::size_t i = path.size(); i-- > 0;) {
    const auto n = static_cast<std::size_t>(path[i]);
    const math::Vec3<Expr> o = vector_of(origins, 3 * n);
    v_link = v_link + cross(w_link, o - o_before);
    o_before = o;
    const auto first = static_cast<std::size_t>(links[n].first),
               count = static_cast<std::size_t>(links[n].count);
    for (std::size_t k = first; k < first + count; ++k) {
      w_link = w_link + qd[k] * vector_of(directions, 6 * k);
      v_link = v_link + qd[k] * vector_of(directions, 6 * k + 3);
    }
    for (std::size_t k = first; k < first + count; ++k) {
      const math::Vec3<Expr> w_k = vector_of(directions, 6 * k), w_rate = cross(w_link, w_k);
      const math::Vec3<Expr> v_rate =
          cross(w_link, vector_of(directions, 6 * k + 3)) + cross(w_rate, p - o) + cross(w_k, v - v_link);
      w_drift = w_drift + qd[k] * w_rate;
      v_drift = v_drift + qd[k] * v_rate;
    }
  }
  std::vector<Block> inputs = all.inputs;
  inputs.push_back(std::move(wrench));
  return {
      generate::compile(
          Function{"port_push", "A wrench at a port.", all.graph, std::move(inputs), {std::move(tau)}}),
      generate::compile(Function{"port_motion",
                                 "A port's motion.",
                                 all.graph,
                                 rates.inputs,
                                 {Block{"X", "pose in the world, [R p]", 3, 4, X},
                                  Block{"V", "[angular; linear]", 6, 1, {w.x, w.y, w.z, v.x, v.y, v.z}}}}),
      generate::compile(Function{
          "port_turn",
          "A port's Jacobian, and its rate times the rates.",
          all.graph,
          rates.inputs,
          {std::move(J), Block{"drift",
                               "[angular; linear]",
                               6,
                               1,
                               {w_drift.x, w_drift.y, w_drift.z, v_drift.x, v_drift.y, v_drift.z}}}}),
      std::move(own)};
}

}  // namespace

PortKernels::PortKernels(const derive::Equations& equations, const std::vector<int>& frames)
    : ports(ports_of(equations.model(), frames)),
      links(equations.links()),
      nq(static_cast<std::size_t>(equations.nq())),
      nv(static_cast<std::size_t>(equations.nv())),
      own_speeds(equations.model().speeds.definition != describe::Speeds::Definition::joint_rates),
      directions(generate::compile(equations.joint_directions(places_of(ports)))),
      joint_rates(generate::compile(equations.joint_rates())),
      own(ports.size()) {
  for (const Port& port : ports) link_of_port.push_back(equations.link_of_body(port.body));
  for (std::size_t i = 0; i < std::min(ports.size(), kMostOwn); ++i)
    if (ports[i].frame >= 0) own[i] = kernel_of(equations, {ports[i].body, ports[i].frame}, links);
}

}  // namespace tactus::simulate
