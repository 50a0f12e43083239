#include <tactus/describe/urdf/urdf.h>

#include <cmath>
#include <mutex>
#include <numbers>

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <tactus/base/error.h>
#include <tactus/describe/check/inertia.h>
#include <tactus/describe/check/inertia_check.h>
#include <tactus/describe/model/names.h>
#include <tactus/describe/read/sections.h>
#include <tactus/describe/urdf/urdf_outline.h>
#include <tactus/math/rotation.h>

namespace tactus::describe {

namespace {

/// Files write 1.5708 or 1.57 for a right angle; the first (3.7e-6 off) is one, the second (8e-4 off) is left
/// alone.
constexpr double kAngleRounding = 1e-5;
constexpr double kStandardFall = -9.81;

/// Keeps urdfdom's complaints instead of printing them.
class Complaints : public console_bridge::OutputHandler {
 public:
  Complaints() : lock_(mutex()) { console_bridge::useOutputHandler(this); }
  ~Complaints() override { console_bridge::restorePreviousOutputHandler(); }
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR && first_.empty()) first_ = text;
  }
  const std::string& first() const { return first_; }

 private:
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  std::lock_guard<std::mutex> lock_;
  std::string first_;
};

/// What urdfdom complains about though it goes on (it then leaves something out) is added to the warnings.
std::shared_ptr<urdf::ModelInterface> parse(const std::string& text, const std::string& file,
                                            std::vector<std::string>& warnings) {
  Complaints complaints;
  std::shared_ptr<urdf::ModelInterface> robot;
  std::string reason;
  try {
    robot = urdf::parseURDF(text);
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (robot == nullptr) {
    if (reason.empty()) reason = complaints.first();
    throw InputError({file},
                     fmt::format("urdfdom cannot read this: {}", reason.empty() ? "no reason given" : reason),
                     "check the file with `check_urdf`");
  }
  if (!complaints.first().empty())
    warnings.push_back(fmt::format("{}: urdfdom leaves something out: {}", file, complaints.first()));
  return robot;
}

double tidy(double angle) {
  constexpr double kStep = std::numbers::pi / 12.0;
  const double nearest = std::round(angle / kStep) * kStep;
  return std::fabs(angle - nearest) <= kAngleRounding ? nearest : angle;
}

Mat3 rotation(const Rpy& rpy) {
  const Expr r = tidy(rpy[0]), p = tidy(rpy[1]), y = tidy(rpy[2]);
  return math::rotation_z(cos(y), sin(y)) * math::rotation_y(cos(p), sin(p)) *
         math::rotation_x(cos(r), sin(r));
}

Vec3 vector(const urdf::Vector3& v) { return {Expr(v.x), Expr(v.y), Expr(v.z)}; }

/// Letters, digits and _ only: names also stand in expressions and in generated code.
std::string tidy_name(Reader& reader, const Value& where, const std::string& name) {
  std::string tidied;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    tidied += plain ? c : '_';
  }
  if (tidied[0] >= '0' && tidied[0] <= '9') tidied = "_" + tidied;
  if (tidied != name) reader.warn(where, fmt::format("the name `{}` is read as `{}`", name, tidied));
  return tidied;
}

Geometry shape_of(const urdf::Geometry& given) {
  Geometry shape;
  switch (given.type) {
    case urdf::Geometry::SPHERE:
      shape.shape = Geometry::Shape::sphere;
      shape.size = {Expr(static_cast<const urdf::Sphere&>(given).radius), 0.0, 0.0};
      break;
    case urdf::Geometry::BOX:
      shape.shape = Geometry::Shape::box;
      shape.size = vector(static_cast<const urdf::Box&>(given).dim);
      break;
    case urdf::Geometry::CYLINDER: {
      const auto& cylinder = static_cast<const urdf::Cylinder&>(given);
      shape.shape = Geometry::Shape::cylinder;
      shape.size = {Expr(cylinder.radius), Expr(cylinder.length), 0.0};
      break;
    }
    case urdf::Geometry::MESH: {
      const auto& mesh = static_cast<const urdf::Mesh&>(given);
      shape.shape = Geometry::Shape::mesh;
      shape.file = mesh.filename;
      shape.size = vector(mesh.scale);
      break;
    }
  }
  return shape;
}

void add_geometry(const urdf::Link& link, const UrdfLink& outline, Body& body) {
  for (std::size_t i = 0; i < link.visual_array.size() && i < outline.visuals.size(); ++i) {
    const urdf::Visual& visual = *link.visual_array[i];
    if (visual.geometry == nullptr) continue;
    Geometry shape = shape_of(*visual.geometry);
    shape.X_BG = {rotation(outline.visuals[i]), vector(visual.origin.position)};
    if (visual.material != nullptr) {
      const urdf::Color& c = visual.material->color;
      shape.color = {c.r, c.g, c.b, c.a};
    }
    body.geometry.push_back(std::move(shape));
  }
  for (std::size_t i = 0; i < link.collision_array.size() && i < outline.collisions.size(); ++i) {
    const urdf::Collision& collision = *link.collision_array[i];
    if (collision.geometry == nullptr) continue;
    Geometry shape = shape_of(*collision.geometry);
    shape.X_BG = {rotation(outline.collisions[i]), vector(collision.origin.position)};
    shape.visual = false;
    shape.contact = true;
    body.geometry.push_back(std::move(shape));
  }
}

Body body_of(Reader& reader, const urdf::Link& link, const UrdfLink& outline, std::string name) {
  Body body;
  body.name = std::move(name);
  body.where = reader.place(outline.where);
  body.inertia = Mat3::zero();
  body.com = Vec3::zero();
  if (link.inertial != nullptr) {
    const urdf::Inertial& given = *link.inertial;
    body.mass = Expr(given.mass);
    body.com = vector(given.origin.position);
    Mat3 I = Mat3::diagonal(Expr(given.ixx), Expr(given.iyy), Expr(given.izz));
    I(0, 1) = I(1, 0) = Expr(given.ixy);
    I(0, 2) = I(2, 0) = Expr(given.ixz);
    I(1, 2) = I(2, 1) = Expr(given.iyz);
    const Mat3 R = rotation(outline.inertial);
    body.inertia = R * I * R.transposed();
    math::Mat3<double> numbers;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) numbers(i, j) = body.inertia(i, j).value();
    }
    const InertiaReport report = inspect_inertia(numbers);
    const std::string text =
        fmt::format("the inertia of `{}` is impossible: {}", body.name, describe_fault(report));
    if (report.fault == InertiaFault::triangle) reader.warn(outline.where, text);
    if (report.fault == InertiaFault::negative_moment) {
      reader.fail(outline.where, text, "check signs, and that the matrix is about the centre of mass");
    }
  }
  add_geometry(link, outline, body);
  return body;
}

/// A unit vector across the given one: the coordinate direction it leans on least, made perpendicular.
math::Vec3<double> across(const math::Vec3<double>& n) {
  std::size_t least = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if (std::fabs(n[i]) < std::fabs(n[least])) least = i;
  }
  math::Vec3<double> e = math::Vec3<double>::unit(least) - n[least] * n;
  return (1.0 / std::sqrt(dot(e, e))) * e;
}

void set_freedoms(const urdf::Joint& given, Joint& joint) {
  const double length = std::hypot(given.axis.x, given.axis.y, given.axis.z);
  const math::Vec3<double> n =
      length > 0.0 ? math::Vec3<double>{given.axis.x / length, given.axis.y / length, given.axis.z / length}
                   : math::Vec3<double>{1.0, 0.0, 0.0};  // URDF's default axis
  const auto lift = [](const math::Vec3<double>& v) { return Vec3{Expr(v.x), Expr(v.y), Expr(v.z)}; };
  const auto add = [&](const std::string& part, const Vec3& direction, bool is_rotation) {
    JointAxis axis;
    axis.name = joint.name + part;
    axis.direction = direction;
    axis.is_rotation = is_rotation;
    if (given.dynamics != nullptr) {
      axis.damping = Expr(given.dynamics->damping);
      axis.friction.coulomb_positive = axis.friction.coulomb_negative = Expr(given.dynamics->friction);
    }
    joint.axes.push_back(axis);
  };
  switch (given.type) {
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS:
      joint.type = JointType::revolute;
      add("", lift(n), true);
      break;
    case urdf::Joint::PRISMATIC:
      joint.type = JointType::prismatic;
      add("", lift(n), false);
      break;
    case urdf::Joint::PLANAR: {
      joint.type = JointType::planar;
      const math::Vec3<double> e1 = across(n);
      add(".x", lift(e1), false);
      add(".y", lift(cross(n, e1)), false);
      add(".angle", lift(n), true);
      break;
    }
    case urdf::Joint::FLOATING:
      joint.type = JointType::free;
      for (const char* part : {".wx", ".wy", ".wz", ".vx", ".vy", ".vz"}) {
        const std::size_t k = joint.axes.size();
        add(part, Vec3::unit(k % 3), k < 3);
      }
      break;
    default:
      joint.type = JointType::weld;
      break;
  }
  if (given.limits == nullptr || joint.axes.size() != 1) return;
  JointAxis& axis = joint.axes[0];
  if (given.type != urdf::Joint::CONTINUOUS) {
    axis.lower = Expr(given.limits->lower);
    axis.upper = Expr(given.limits->upper);
  }
  axis.effort_limit = Expr(given.limits->effort);
  axis.velocity_limit = Expr(given.limits->velocity);
}

/// Links and joints must form one tree. urdfdom checks this too, but without lines.
void check_structure(const UrdfOutline& outline, const std::string& file) {
  Reader reader(file);
  Draft draft;
  std::unordered_map<std::string, const UrdfJoint*> carrier;
  for (const UrdfJoint& joint : outline.joints) {
    carrier.emplace(joint.child.text, &joint);
    DraftJoint next;
    next.joint.name = joint.name;
    next.joint.type = JointType::weld;
    next.joint.where = reader.place(joint.where);
    next.parent = joint.parent.text;
    next.child = joint.child.text;
    next.parent_at = joint.parent;
    next.child_at = joint.child;
    draft.joints.push_back(std::move(next));
  }
  const UrdfLink* root = nullptr;
  for (const UrdfLink& link : outline.links) {
    if (!carrier.contains(link.name)) {
      if (root != nullptr) {
        reader.fail(
            link.where,
            fmt::format("the link `{}` is not connected: `{}` is a root already", link.name, root->name),
            "a URDF robot is one tree: add a joint that has it as its child");
      }
      root = &link;
    } else if (link.name == "world") {
      reader.fail(link.where, "a link named `world` must be the root", "rename it");
    }
    if (link.name == "world") continue;
    Body body;
    body.name = link.name;
    body.where = reader.place(link.where);
    draft.bodies.push_back(std::move(body));
  }
  if (root != nullptr && root->name != "world") {
    DraftJoint base;
    base.joint.name = "";
    base.parent = "world";
    base.child = root->name;
    draft.joints.push_back(std::move(base));
  }
  if (draft.bodies.empty())
    reader.fail(outline.links[0].where, "the robot has no link besides `world`", "add links and joints");
  assemble_tree(reader, outline.links[0].where, std::move(draft));
}

/// A joint that mimics another is coupled to it by a constraint.
void add_mimics(Reader& reader, const UrdfOutline& outline,
                const std::unordered_map<std::string, std::string>& joint_names) {
  const auto coordinate = [&](const UrdfMimic& mimic, const std::string& joint) -> Expr {
    const auto name = joint_names.find(joint);
    if (name == joint_names.end()) {
      std::vector<std::string> all;
      for (const UrdfJoint& known : outline.joints) all.push_back(known.name);
      reader.fail(mimic.where, fmt::format("there is no joint `{}` to mimic", joint),
                  suggestion(joint, std::span<const std::string>(all)));
    }
    for (const Joint& known : reader.model.joints) {
      if (known.name == name->second && known.axes.size() == 1) return algebra::symbol(known.axes[0].name);
    }
    reader.fail(mimic.where, fmt::format("the joint `{}` has no single coordinate", joint),
                "revolute, continuous and prismatic joints can mimic each other");
  };
  for (const UrdfJoint& joint : outline.joints) {
    if (!joint.mimic) continue;
    if (joint.mimic->joint == joint.name)
      reader.fail(joint.mimic->where, fmt::format("the joint `{}` mimics itself", joint.name),
                  "name another joint");
    Constraint constraint;
    constraint.name = joint_names.at(joint.name) + "_mimic";
    constraint.kind = "gear";
    constraint.type = ConstraintType::equation;
    constraint.equations = {coordinate(*joint.mimic, joint.name) -
                            Expr(joint.mimic->multiplier) * coordinate(*joint.mimic, joint.mimic->joint) -
                            Expr(joint.mimic->offset)};
    constraint.where = reader.place(joint.mimic->where);
    reader.model.constraints.push_back(std::move(constraint));
  }
}

}  // namespace

Model read_urdf(const std::string& text, const std::string& file) {
  Reader reader(file);
  const UrdfOutline outline = outline_urdf(text, file);
  check_structure(outline, file);
  Model& model = reader.model;
  const std::shared_ptr<urdf::ModelInterface> robot = parse(outline.text, file, model.warnings);
  model.name = robot->getName();
  model.gravity = {0.0, 0.0, kStandardFall};
  model.warnings.insert(model.warnings.begin(), outline.warnings.begin(), outline.warnings.end());

  Draft draft;
  const bool root_is_world = robot->getRoot()->name == "world";
  std::unordered_map<std::string, std::string> names;
  for (const UrdfLink& link : outline.links) {
    const std::string name = tidy_name(reader, link.where, link.name);
    names[link.name] = name;
    const urdf::LinkConstSharedPtr given = robot->getLink(link.name);
    if (given == nullptr)
      reader.fail(link.where, fmt::format("urdfdom dropped the link `{}`", link.name), "check its elements");
    Body body = body_of(reader, *given, link, name);
    if (root_is_world && link.name == "world") {
      draft.ground.geometry = body.geometry;
      continue;
    }
    if (link.name == robot->getRoot()->name) {
      DraftJoint base;
      base.joint.name = name + "_base";
      base.joint.type = JointType::weld;
      base.joint.where = reader.place(link.where);
      base.parent = "world";
      base.child = name;
      base.parent_at = base.child_at = link.where;
      draft.joints.push_back(std::move(base));
    }
    draft.bodies.push_back(std::move(body));
  }
  std::unordered_map<std::string, std::string> joint_names;
  for (const UrdfJoint& joint : outline.joints) {
    const urdf::JointConstSharedPtr given = robot->getJoint(joint.name);
    if (given == nullptr) {
      reader.fail(joint.where, fmt::format("urdfdom dropped the joint `{}`", joint.name),
                  "check its elements");
    }
    DraftJoint next;
    next.joint.name = tidy_name(reader, joint.where, joint.name);
    joint_names[joint.name] = next.joint.name;
    next.joint.where = reader.place(joint.where);
    next.joint.X_PJ = {rotation(joint.origin), vector(given->parent_to_joint_origin_transform.position)};
    set_freedoms(*given, next.joint);
    if (const JointAxis* axis = next.joint.axes.size() == 1 ? &next.joint.axes[0] : nullptr;
        axis != nullptr && axis->lower && axis->lower->value() > axis->upper->value()) {
      reader.fail(joint.where, "the lower limit lies above the upper limit", "swap them");
    }
    const auto tidied = [&](const std::string& name) { return names.contains(name) ? names.at(name) : name; };
    next.parent = tidied(given->parent_link_name);
    next.child = tidied(given->child_link_name);
    next.parent_at = joint.parent;
    next.child_at = joint.child;
    draft.joints.push_back(std::move(next));
  }
  assemble_tree(reader, outline.links.front().where, std::move(draft));
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    Frame frame;
    frame.name = model.bodies[b].name;
    frame.body = static_cast<int>(b);
    frame.where = model.bodies[b].where;
    model.frames.push_back(std::move(frame));
  }
  require_distinct_names(model, [&](const std::string&) { return Place{file}; });
  model.set_initial_defaults();
  add_mimics(reader, outline, joint_names);
  check_mobility(model);
  return std::move(reader.model);
}

}  // namespace tactus::describe
