#include <tactus/serve/page/scene.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <tactus/describe/check/adjustable.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::serve {

namespace {

using describe::Model;
using PoseD = math::Pose<double>;

Vec3 number(const Model& model, const describe::Vec3& v) {
  return {value_of(model, v.x), value_of(model, v.y), value_of(model, v.z)};
}

PoseD number(const Model& model, const describe::Pose& X) {
  PoseD result;
  result.p = number(model, X.p);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) result.R(i, j) = value_of(model, X.R(i, j));
  return result;
}

Json list(const Vec3& v) { return {v.x, v.y, v.z}; }

const char* word_of(describe::Geometry::Shape shape) {
  using Shape = describe::Geometry::Shape;
  switch (shape) {
    case Shape::sphere:
      return "sphere";
    case Shape::box:
      return "box";
    case Shape::cylinder:
      return "cylinder";
    case Shape::capsule:
      return "capsule";
    case Shape::plane:
      return "plane";
    case Shape::mesh:
      return "mesh";
  }
  return "sphere";
}

std::size_t sizes_of(describe::Geometry::Shape shape) {
  using Shape = describe::Geometry::Shape;
  if (shape == Shape::sphere) return 1;
  return shape == Shape::cylinder || shape == Shape::capsule || shape == Shape::plane ? 2 : 3;
}

Json shape_of(const Model& model, const describe::Geometry& g, int mesh) {
  const Vec3 size = number(model, g.size);
  Json sizes = Json::array();
  for (std::size_t i = 0; i < sizes_of(g.shape); ++i) sizes.push_back(size[i]);
  constexpr std::array<double, 4> kUntold{0.6, 0.6, 0.65,
                                          1.0};  // what a Geometry has where the file gives none
  Json color;
  if (g.color != kUntold)
    color = fmt::format("#{:02x}{:02x}{:02x}", std::lround(255.0 * g.color[0]),
                        std::lround(255.0 * g.color[1]), std::lround(255.0 * g.color[2]));
  return {{"kind", word_of(g.shape)},
          {"name", g.name},
          {"size", sizes},
          {"pose", pose_json(number(model, g.X_BG))},
          {"color", color},
          {"contact", g.contact},
          {"visual", g.visual},
          {"hollow", g.hollow},
          {"mesh", mesh < 0 ? Json() : Json(mesh)}};
}

Json shapes_of(const Model& model, std::size_t b, const Meshes& meshes) {
  const describe::Body& body = model.bodies[b];
  Json shapes = Json::array();
  const bool seen =
      std::any_of(body.geometry.begin(), body.geometry.end(), [](const auto& g) { return g.visual; });
  for (std::size_t i = 0; i < body.geometry.size(); ++i)
    if (body.geometry[i].visual || !seen)
      shapes.push_back(shape_of(model, body.geometry[i], b < meshes.of.size() ? meshes.of[b][i] : -1));
  return shapes;
}

Json joints_of(const Model& model) {
  Json joints = Json::array();
  for (const describe::Joint& joint : model.joints) {
    Json axes = Json::array(), limits = Json::array(), kinds = Json::array();
    bool actuated = false;
    const auto bound = [&](const std::optional<describe::Expr>& e) {
      return e ? Json(value_of(model, *e)) : Json();
    };
    for (const describe::JointAxis& axis : joint.axes) {
      axes.push_back(list(number(model, axis.direction)));
      limits.push_back({bound(axis.lower), bound(axis.upper)});
      kinds.push_back(axis.is_rotation ? "turn" : "slide");
      actuated |= !axis.passive;
    }
    bool stops = false;
    for (const describe::JointStop& stop : model.contact.stops)
      for (const describe::JointAxis& axis : joint.axes) stops |= stop.name.starts_with(axis.name + ".");
    joints.push_back({{"name", joint.name},
                      {"type", name_of(joint.type)},
                      {"parent", joint.parent},
                      {"child", joint.child},
                      {"pose", pose_json(number(model, joint.X_PJ))},
                      {"child_pose", pose_json(inverse(number(model, joint.X_FB)))},
                      {"axes", axes},
                      {"kinds", kinds},
                      {"limits", limits},
                      {"stops", stops},
                      {"actuated", actuated}});
  }
  return joints;
}

Json frames_of(const Model& model) {
  Json frames = Json::array();
  for (const describe::Frame& frame : model.frames) {
    if (frame.name.ends_with(".a") || frame.name.ends_with(".b")) continue;  // sides of constraints
    frames.push_back({{"name", frame.name},
                      {"body", frame.body},
                      {"pose", pose_json(number(model, frame.X_BF))},
                      {"grasp", frame.grasp},
                      {"description", frame.description}});
  }
  return frames;
}

/// What of a constraint can be drawn.
Json curve_of(const Model& model, const describe::Constraint& c) {
  using Type = describe::ConstraintType;
  const auto on = [&](const char* kind, int frame) {
    const describe::Frame& f = model.frames[static_cast<std::size_t>(frame)];
    return Json{{"kind", kind}, {"body", f.body}, {"pose", pose_json(number(model, f.X_BF))}};
  };
  const auto with = [&](Json curve, const char* name, const algebra::Expr& size) {
    curve[name] = std::abs(value_of(model, size));
    return curve;
  };
  switch (c.type) {
    case Type::closure:
      if (c.closure == describe::JointType::prismatic || c.closure == describe::JointType::cylindrical)
        return on("line", c.frame_a);
      if (c.closure == describe::JointType::planar) return on("plane", c.frame_a);
      return on("point", c.frame_a);
    case Type::on_line:
      return on("line", c.frame_a);
    case Type::on_plane:
      return on("plane", c.frame_a);
    case Type::on_circle:
      return with(on("circle", c.frame_a), "radius", c.radius);
    case Type::on_sphere:
      return with(on("sphere", c.frame_a), "radius", c.radius);
    case Type::distance:
      return with(on("distance", c.frame_a), "length", c.length);
    case Type::parallel:
      return on("parallel", c.frame_a);
    case Type::rolling:
      if (c.rolling == describe::Rolling::knife_edge) return on("knife_edge", c.frame_b);
      if (c.rolling == describe::Rolling::surface_on_plane) return on("surface", c.frame_b);
      return with(on(c.rolling == describe::Rolling::sphere_on_plane ||
                             c.rolling == describe::Rolling::sphere_on_surface
                         ? "ball"
                         : "disk",
                     c.frame_b),
                  "radius", c.radius);
    case Type::on_surface:
      return on("surface", c.frame_a);
    case Type::equation:
    case Type::rates:
      break;
  }
  return nullptr;
}

Json side_of(const Model& model, int frame) {
  if (frame < 0) return nullptr;
  const describe::Frame& f = model.frames[static_cast<std::size_t>(frame)];
  return {{"body", f.body}, {"pose", pose_json(number(model, f.X_BF))}};
}

Json constraints_of(const Model& model, const std::vector<simulate::ConstraintOutline>& outlines,
                    const std::vector<char>& active) {
  Json constraints = Json::array();
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    const simulate::ConstraintOutline& outline = outlines[i];
    const describe::Constraint& c = model.constraints[i];
    constraints.push_back(
        {{"name", outline.name},
         {"type", name_of(c.type)},
         {"kind", c.kind},
         {"joint", c.type == describe::ConstraintType::closure ? Json(name_of(c.closure)) : Json()},
         {"active", active[i] != 0},
         {"rows", outline.labels},
         {"description", c.description},
         {"a", side_of(model, c.frame_a)},
         {"b", side_of(model, c.frame_b)},
         {"curve", curve_of(model, c)}});
  }
  return constraints;
}

Json springs_of(const Model& model) {
  Json springs = Json::array();
  for (const describe::PointSpring& s : model.point_springs)
    springs.push_back({{"name", s.name},
                       {"a", {{"body", s.body_a}, {"point", list(number(model, s.point_a))}}},
                       {"b", {{"body", s.body_b}, {"point", list(number(model, s.point_b))}}}});
  return springs;
}

/// The plane in which everything moves: all turns about one direction, all ways across it. Null where there is none.
Json plane_of(Work& work) {
  simulate::Mechanism& mechanism = *work.mechanism;
  const std::size_t nv = mechanism.nv();
  std::optional<Vec3> normal;
  std::vector<Vec3> ways;
  constexpr double kSame = 1e-9, kSmall = 1e-12;
  for (std::size_t b = 1; b < work.port_of_body.size(); ++b) {
    const std::span<const double> J = mechanism.jacobian(work.port_of_body[b]);
    for (std::size_t j = 0; j < nv; ++j) {
      const Vec3 w{J[j], J[nv + j], J[2 * nv + j]}, v{J[3 * nv + j], J[4 * nv + j], J[5 * nv + j]};
      if (const double size = std::sqrt(dot(w, w)); size > kSmall) {
        const Vec3 d = (1.0 / size) * w;
        if (!normal) normal = d;
        const Vec3 off = cross(*normal, d);
        if (std::sqrt(dot(off, off)) > kSame) return nullptr;
      }
      if (dot(v, v) > kSmall) ways.push_back(v);
    }
  }
  if (!normal) {  // it only slides: the plane of two ways
    for (std::size_t i = 1; i < ways.size() && !normal; ++i) {
      const Vec3 n = cross(ways[0], ways[i]);
      if (const double size = std::sqrt(dot(n, n)); size > kSame) normal = (1.0 / size) * n;
    }
    if (!normal) return nullptr;
  }
  for (const Vec3& v : ways)
    if (std::abs(dot(v, *normal)) > kSame * std::sqrt(dot(v, v))) return nullptr;
  // Looked at from the front: from -y, where the plane is upright, or from above.
  Vec3 n = *normal;
  const auto flip = [&] { n = -n; };
  if (std::abs(n.z) > 0.9) {
    if (n.z < 0.0) flip();
    return {{"normal", list(n)}, {"up", {0.0, 1.0, 0.0}}};
  }
  if (std::abs(n.y) >= std::abs(n.x) ? n.y > 0.0 : n.x < 0.0) flip();
  return {{"normal", list(n)}, {"up", {0.0, 0.0, 1.0}}};
}

/// A box about all shapes as they stand.
struct Bounds {
  Vec3 low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  void take(const Vec3& p, double reach = 0.0) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!std::isfinite(p[i])) continue;
      low[i] = std::min(low[i], p[i] - reach);
      high[i] = std::max(high[i], p[i] + reach);
    }
  }
};

Bounds bounds_of(Work& work, const std::vector<PoseD>& poses, const Meshes& meshes) {
  using Shape = describe::Geometry::Shape;
  const Model& model = work.model;
  Bounds bounds;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    if (b > 0 && work.masses[b].mass > 0.0) {
      bounds.take(poses[b].p + poses[b].R * work.masses[b].com);
      bounds.take(poses[b].p);
    }
    for (std::size_t i = 0; i < model.bodies[b].geometry.size(); ++i) {
      const describe::Geometry& g = model.bodies[b].geometry[i];
      const Vec3 size = number(model, g.size);
      const PoseD X = poses[b] * number(model, g.X_BG);
      if (g.shape == Shape::mesh) {
        const int mesh = b < meshes.of.size() ? meshes.of[b][i] : -1;
        if (mesh < 0) continue;
        const MeshData& data = meshes.data[static_cast<std::size_t>(mesh)];
        for (int corner = 0; corner < 8; ++corner)
          bounds.take(X.p + X.R * Vec3{(corner & 1 ? data.high : data.low).x,
                                       (corner & 2 ? data.high : data.low).y,
                                       (corner & 4 ? data.high : data.low).z});
        continue;
      }
      if (g.shape == Shape::box || g.shape == Shape::plane) {
        if (g.shape == Shape::plane && size.x > 4.0 * work.radius) continue;  // the ground
        for (int corner = 0; corner < 8; ++corner)
          bounds.take(X.p + X.R * Vec3{(corner & 1 ? 0.5 : -0.5) * size.x, (corner & 2 ? 0.5 : -0.5) * size.y,
                                       g.shape == Shape::plane ? 0.0 : (corner & 4 ? 0.5 : -0.5) * size.z});
        continue;
      }
      const double half = g.shape == Shape::sphere ? 0.0 : 0.5 * size.y;
      for (const double end : {-half, half}) bounds.take(X.p + X.R * Vec3{0.0, 0.0, end}, size.x);
    }
  }
  for (const describe::Frame& frame : model.frames)
    if (frame.body > 0)
      bounds.take((poses[static_cast<std::size_t>(frame.body)] * number(model, frame.X_BF)).p);
  for (const describe::Joint& joint : model.joints)
    bounds.take((poses[static_cast<std::size_t>(joint.parent)] * number(model, joint.X_PJ)).p);
  return bounds;
}

/// Where a grid makes sense: the floor of what rolls or falls; otherwise below everything.
Json ground_of(const Model& model, const Bounds& bounds, const Vec3& gravity) {
  for (const describe::Constraint& c : model.constraints)
    if (c.type == describe::ConstraintType::rolling && c.rolling != describe::Rolling::disk_on_disk &&
        c.rolling != describe::Rolling::sphere_on_surface)
      return {{"height", 0.0}, {"visible", true}};
  for (const describe::Geometry& g : model.bodies[0].geometry)
    if (g.shape == describe::Geometry::Shape::plane && value_of(model, g.X_BG.R(2, 2)) > 0.99)
      return {{"height", value_of(model, g.X_BG.p.z)}, {"visible", true}};
  if (!(std::sqrt(dot(gravity, gravity)) > 0.0)) return nullptr;
  const double low = std::min(bounds.low.z, 0.0);
  return {{"height", low - 0.05 * (bounds.high.z - bounds.low.z)}, {"visible", false}};
}

Json parameters_of(const Work& work) {
  const simulate::Mechanism& mechanism = *work.mechanism;
  const std::span<const std::string> adjustable = mechanism.adjustable();
  Json parameters = Json::array();
  for (const describe::Parameter& p : work.model.parameters) {
    const bool live = std::find(adjustable.begin(), adjustable.end(), p.name) != adjustable.end();
    // Five times less to five times more; what is nothing may become something.
    constexpr double kTimes = 5.0;
    double least = 0.0, most = 1.0;
    if (p.value > 0.0) least = p.value / kTimes, most = p.value * kTimes;
    if (p.value < 0.0) least = p.value * kTimes, most = p.value / kTimes;
    if (p.unit == "m/s^2") least = std::min(0.0, least), most = std::max(2.0 * p.value, 20.0);
    const bool angle = p.unit == "rad" || p.unit == "deg";
    if (angle) least = p.value - 0.5, most = p.value + 0.5;
    const double now = live ? mechanism.parameter_value(mechanism.parameter(p.name)) : p.value;
    parameters.push_back({{"name", p.name},
                          {"value", now},
                          {"initial", p.value},
                          {"least", least},
                          {"most", most},
                          {"unit", p.unit},
                          {"description", p.description},
                          {"adjustable", live},
                          {"why", live ? std::string() : describe::read_once_by(work.model, p.name)}});
  }
  return parameters;
}

/// The spring that a hand would get where the model is meant to be held, or at its last body. What is grabbed gets its own.
Json coupling_of(Work& work) {
  simulate::Mechanism& mechanism = *work.mechanism;
  int port = static_cast<int>(mechanism.ports().size()) - 1;
  if (mechanism.ports().front().frame >= 0) port = 0;
  const auto body = static_cast<std::size_t>(mechanism.ports()[static_cast<std::size_t>(port)].body);
  std::array<double, 9> mobility{};
  if (mechanism.kind() == simulate::EngineKind::stepping) {
    if (const double m = work.masses[body].mass; m > 0.0)
      mobility = {1.0 / m, 0, 0, 0, 1.0 / m, 0, 0, 0, 1.0 / m};
  } else {
    std::array<double, 36> L{};
    mechanism.mobility(port, L);
    mobility = mobility_of_point(L, {});
  }
  const double T = mechanism.step_length();
  const ApparentMass at = ApparentMass::of(mobility, work.heavy);
  const Coupling designed = design_coupling(at, work.heavy, work.radius, work.gravity, T);
  return {{"stiffness", designed.stiffness},
          {"damping", designed.ratio},
          {"force", designed.force},
          {"limit", passive_limit(at, T)},
          {"designed", true}};
}

Json bodies_of(Work& work, const std::vector<PoseD>& poses, const Meshes& meshes) {
  Json bodies = Json::array();
  for (std::size_t b = 0; b < work.model.bodies.size(); ++b) {
    const describe::Body& body = work.model.bodies[b];
    Json shapes = shapes_of(work.model, b, meshes);
    const Mat3& I = work.masses[b].inertia;
    const bool empty = !(work.masses[b].mass > 0.0) && !(I(0, 0) + I(1, 1) + I(2, 2) > 0.0);
    const bool hidden = b > 0 && shapes.empty() && empty;
    bodies.push_back({{"name", body.name},
                      {"mass", work.masses[b].mass},
                      {"com", list(work.masses[b].com)},
                      {"hidden", hidden},
                      {"fixed", b == 0},
                      {"pose", pose_json(poses[b])},
                      {"shapes", std::move(shapes)}});
  }
  return bodies;
}

}  // namespace

Json pose_json(const PoseD& X) {
  const math::Quaternion<double> q = math::quaternion_of(X.R);
  return {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z};
}

Json chosen_of(const Choice& choice) {
  using Contact = contact::OpenOptions::Contact;
  const char* const contact = choice.contact == Contact::events     ? "events"
                              : choice.contact == Contact::stepping ? "stepping"
                                                                    : "automatic";
  return {{"formulation", name_of(choice.formulation)},
          {"integrator", name_of(choice.integrator)},
          {"step", choice.step},
          {"contact", contact},
          {"controller", choice.controller},
          {"device", choice.device},
          {"hand", choice.hand},
          {"port", choice.port.empty() ? Json() : Json(choice.port)},
          {"weightless", choice.weightless}};
}

Json scene_of(Work& work, const SceneLabel& label, const GalleryEntry* entry, const Meshes& meshes) {
  simulate::Mechanism& mechanism = *work.mechanism;
  const Model& model = work.model;
  std::vector<PoseD> poses(model.bodies.size());
  for (std::size_t b = 1; b < poses.size(); ++b) poses[b] = mechanism.motion(work.port_of_body[b]).X_WP;
  const Bounds bounds = bounds_of(work, poses, meshes);
  const Vec3 center = 0.5 * (bounds.low + bounds.high), width = bounds.high - bounds.low;
  const Vec3 gravity = number(model, model.gravity);

  Json plane = entry != nullptr && entry->planar == false ? Json() : plane_of(work);
  if (!plane.is_null()) plane["point"] = list(center);
  Vec3 direction{0.7, -1.0, 0.55};
  Json follow;
  if (entry != nullptr) {
    if (entry->direction) direction = *entry->direction;
    if (const int body = model.body_index(entry->follow); body > 0) follow = body;
  }
  direction = (1.0 / std::sqrt(dot(direction, direction))) * direction;

  std::vector<char> active;
  for (std::size_t i = 0; i < mechanism.constraints().size(); ++i)
    active.push_back(mechanism.is_active(static_cast<int>(i)) ? 1 : 0);
  Json pairs = Json::array(), stops = Json::array(), transitions = Json::array(), channels = Json::array();
  for (const describe::ContactPair& pair : model.contact.pairs)
    pairs.push_back({{"name", pair.name}, {"a", pair.body_a}, {"b", pair.body_b}});
  for (const describe::JointStop& stop : model.contact.stops) stops.push_back(stop.name);
  for (const describe::Transition& t : model.contact.transitions)
    transitions.push_back({{"name", t.name}, {"description", t.description}});
  for (const Channel& channel : work.channels)
    channels.push_back(
        {{"name", channel.name}, {"group", channel.group}, {"unit", channel.unit}, {"label", channel.label}});
  return {{"type", "scene"},
          {"id", 0},
          {"why", "connect"},
          {"model",
           {{"name", label.name},
            {"title", label.title},
            {"sentence", label.sentence},
            {"paper", label.paper.empty() ? Json() : Json(label.paper)},
            {"file", label.file},
            {"own", label.own},
            {"edited", label.edited}}},
          {"engine", name_of(mechanism.kind())},
          {"notes", work.report.notes},
          {"derive", work.report.derive_seconds},
          {"gravity", list(gravity)},
          {"center", list(center)},
          {"radius", std::max(0.5 * std::sqrt(dot(width, width)), 1e-3)},
          {"planar", std::move(plane)},
          {"ground", ground_of(model, bounds, gravity)},
          {"camera", {{"direction", list(direction)}, {"follow", follow}}},
          {"bodies", bodies_of(work, poses, meshes)},
          {"joints", joints_of(model)},
          {"frames", frames_of(model)},
          {"constraints", constraints_of(model, mechanism.constraints(), active)},
          {"springs", springs_of(model)},
          {"pairs", std::move(pairs)},
          {"stops", std::move(stops)},
          {"transitions", std::move(transitions)},
          {"parameters", parameters_of(work)},
          {"channels", std::move(channels)},
          {"control", control_of(work)},
          {"choices", choices_of(work)},
          {"chosen", chosen_of(work.choice)},
          {"coupling", coupling_of(work)}};
}

Json shapes_of(const Model& original, const std::vector<simulate::ConstraintOutline>& constraints,
               const std::vector<char>& active, const std::vector<ParameterValue>& values,
               const Meshes& meshes) {
  Model model = original;
  for (const ParameterValue& value : values)
    for (describe::Parameter& parameter : model.parameters)
      if (parameter.name == value.name) parameter.value = value.value;
  Json bodies = Json::array();
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    bodies.push_back({{"index", b},
                      {"mass", value_of(model, model.bodies[b].mass)},
                      {"com", list(number(model, model.bodies[b].com))},
                      {"shapes", shapes_of(model, b, meshes)}});
  return {{"type", "shapes"},
          {"bodies", std::move(bodies)},
          {"joints", joints_of(model)},
          {"frames", frames_of(model)},
          {"constraints", constraints_of(model, constraints, active)}};
}

}  // namespace tactus::serve
