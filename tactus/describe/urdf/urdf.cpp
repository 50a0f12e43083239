#include <tactus/describe/urdf/urdf.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/check/inertia.h>
#include <tactus/describe/check/inertia_check.h>
#include <tactus/describe/check/mass_bound.h>
#include <tactus/describe/model/names.h>
#include <tactus/describe/urdf/urdf_angles.h>
#include <tactus/describe/urdf/urdf_meshes.h>
#include <tactus/math/rotation.h>

namespace tactus::describe {

namespace {

constexpr double kStandardFall = -9.81;

/// New names that are said one by one.
constexpr int kMostRenamed = 10;

Vec3 vector(const std::array<double, 3>& v) { return {Expr(v[0]), Expr(v[1]), Expr(v[2])}; }

class Builder {
 public:
  Builder(Reader& reader, UrdfFile file, int source, const Reading& reading)
      : reader_(reader), file_(std::move(file)), angles_(reading.angles), reading_(reading) {
    Value here;
    here.source = source;
    place_ = reader.source(here);
    if (source == 0 && !reading.folder.empty()) {
      place_.path =
          (std::filesystem::path(reading.folder) / std::filesystem::path(place_.path).filename()).string();
    }
  }

  Robot build() {
    Robot robot;
    robot.name = file_.name;
    name_links();
    const UrdfLink& root = check_structure();
    name_joints();
    for (const UrdfLink& link : file_.links) {
      if (is_ground(link)) {  // the ground: it has shapes, and mass makes no difference
        add_shapes(link, robot.draft.ground);
        continue;
      }
      if (&link == &root) robot.draft.joints.push_back(base_of(link));
      robot.draft.bodies.push_back(body_of(link));
    }
    for (const UrdfJoint& joint : file_.joints) {
      robot.draft.joints.push_back(joint_of(joint));
      if (joint.mimic) robot.mimicking.push_back(joint);
    }
    note_renamed();
    note_meshes();
    if (const std::string notice = angles_.notice(); !notice.empty()) reader_.warn(whole(), notice);
    robot.links = links_;
    robot.joints = joints_;
    return robot;
  }

 private:
  Value whole() const {
    Value where = file_.where;
    where.line = where.column = 0;
    return where;
  }

  // --- names

  void name_links() {
    std::vector<std::string> written;
    for (const UrdfLink& link : file_.links) written.push_back(link.name);
    // A link `world` that a joint carries is not the ground.
    const bool carried = std::any_of(file_.joints.begin(), file_.joints.end(),
                                     [](const UrdfJoint& joint) { return joint.child.text == "world"; });
    links_ = distinct_links(written, !carried);
    for (const UrdfLink& link : file_.links)
      if (links_.at(link.name) != link.name) said(link.where, "link", link.name, links_.at(link.name));
  }

  bool is_ground(const UrdfLink& link) const { return links_.at(link.name) == "world"; }

  void said(const Value& where, std::string_view what, const std::string& written, const std::string& name) {
    const std::string text = fmt::format("the {} `{}` is called `{}`", what, written, name);
    if (++renamed_ <= kMostRenamed) reader_.warn(where, text);
  }

  void note_renamed() {
    if (renamed_ > kMostRenamed)
      reader_.warn(
          whole(),
          fmt::format("{} other links and joints are called otherwise, too: _ stands for what is no letter "
                      "or digit, numbers tell names apart that would be the same",
                      renamed_ - kMostRenamed));
  }

  void name_joints() {
    std::vector<JointNames::Joint> all;
    for (const UrdfJoint& joint : file_.joints) all.push_back({joint.name, parts_of(joint.type)});
    JointNames names(all);
    joints_ = names.map();
    for (const UrdfJoint& joint : file_.joints)
      if (joints_.at(joint.name) != joint.name)
        said(joint.where, "joint", joint.name, joints_.at(joint.name));
    if (root_ != nullptr && !is_ground(*root_))
      base_name_ = names.another(links_.at(root_->name) + "_base", parts_of(UrdfJointType::floating));
  }

  static std::vector<std::string> parts_of(UrdfJointType type) {
    switch (type) {
      case UrdfJointType::fixed:
        return {};
      case UrdfJointType::planar:
        return {".x", ".y", ".angle"};
      case UrdfJointType::spherical:
        return {".wx", ".wy", ".wz"};
      case UrdfJointType::floating:
        return {".wx", ".wy", ".wz", ".vx", ".vy", ".vz"};
      default:
        return {""};
    }
  }

  // --- bodies

  Mat3 rotation(const UrdfOrigin& origin) {
    const Expr r = angles_(origin.rpy[0]), p = angles_(origin.rpy[1]), y = angles_(origin.rpy[2]);
    return math::rotation_z(cos(y), sin(y)) * math::rotation_y(cos(p), sin(p)) *
           math::rotation_x(cos(r), sin(r));
  }

  Pose pose(const UrdfOrigin& origin) { return {rotation(origin), vector(origin.xyz)}; }

  Body body_of(const UrdfLink& link) {
    Body body;
    body.name = links_.at(link.name);
    body.where = reader_.place(link.where);
    body.inertia = Mat3::zero();
    body.com = Vec3::zero();
    if (link.inertial) {
      const UrdfInertial& given = *link.inertial;
      body.mass = Expr(given.mass);
      body.com = vector(given.origin.xyz);
      Mat3 I = Mat3::diagonal(Expr(given.xx), Expr(given.yy), Expr(given.zz));
      I(0, 1) = I(1, 0) = Expr(given.xy);
      I(0, 2) = I(2, 0) = Expr(given.xz);
      I(1, 2) = I(2, 1) = Expr(given.yz);
      const Mat3 R = rotation(given.origin);
      body.inertia = R * I * R.transposed();
      check_inertia(link, body);
    }
    add_shapes(link, body);
    return body;
  }

  /// Forces follow from impossible inertias as from others, and what is welded together counts as one: whether motions are
  /// determined is judged of the mechanism (note_missing_inertia).
  void check_inertia(const UrdfLink& link, const Body& body) {
    math::Mat3<double> numbers;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) numbers(i, j) = body.inertia(i, j).value();
    }
    const InertiaReport report = inspect_inertia(numbers);
    if (report.fault == InertiaFault::none) return;
    reader_.warn(link.where,
                 fmt::format("the inertia of `{}` is impossible: {}", link.name, describe_fault(report)));
  }

  void add_shapes(const UrdfLink& link, Body& body) {
    for (const UrdfShape& given : link.shapes) {
      Geometry shape;
      shape.shape = given.shape;
      shape.size = vector(given.size);
      shape.X_BG = pose(given.origin);
      if (given.color) shape.color = *given.color;
      shape.visual = !given.collision;
      shape.contact = given.collision;
      if (given.shape == Geometry::Shape::mesh) {
        shape.file = given.file;
        if (!place_mesh(given, shape)) continue;
      }
      body.geometry.push_back(std::move(shape));
    }
  }

  /// False where a collision mesh cannot be touched, because there is no such file or contact cannot read its kind.
  bool place_mesh(const UrdfShape& given, Geometry& shape) {
    if (!reading_.files) return true;
    const std::string found = find_mesh(given.file, place_.path);
    const std::filesystem::path path(found);
    if (!found.empty())
      shape.file = path.is_absolute() ? found : (std::filesystem::path(place_.folder) / path).string();
    if (!given.collision) return true;
    std::string kind = path.extension().string();
    std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
    if (found.empty())
      missing_meshes_.push_back(given.file);
    else if (kind != ".stl" && kind != ".obj")
      foreign_meshes_.push_back(given.file);
    else
      return true;
    return false;
  }

  void note_meshes() {
    const auto note = [&](const std::vector<std::string>& files, std::string_view why) {
      if (files.empty()) return;
      reader_.warn(whole(), fmt::format("{} collision mesh{} cannot be touched, {}: {}{}", files.size(),
                                        files.size() == 1 ? "" : "es", why, files[0],
                                        files.size() == 1 ? "" : ", ..."));
    };
    note(missing_meshes_, "because there is no such file");
    note(foreign_meshes_, "because contact reads STL and OBJ files only");
  }

  // --- joints

  DraftJoint base_of(const UrdfLink& root) {
    DraftJoint base;
    base.joint.name = base_name_;
    base.joint.type = JointType::weld;
    base.joint.where = reader_.place(root.where);
    base.parent = "world";
    base.child = links_.at(root.name);
    base.parent_at = base.child_at = root.where;
    return base;
  }

  DraftJoint joint_of(const UrdfJoint& given) {
    DraftJoint next;
    next.joint.name = joints_.at(given.name);
    next.joint.where = reader_.place(given.where);
    next.joint.X_PJ = pose(given.origin);
    set_freedoms(given, next.joint);
    next.parent = links_.at(given.parent.text);
    next.child = links_.at(given.child.text);
    next.parent_at = given.parent;
    next.child_at = given.child;
    return next;
  }

  /// A unit vector across the given one: the coordinate direction it leans on least, made perpendicular.
  static math::Vec3<double> across(const math::Vec3<double>& n) {
    std::size_t least = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (std::fabs(n[i]) < std::fabs(n[least])) least = i;
    }
    math::Vec3<double> e = math::Vec3<double>::unit(least) - n[least] * n;
    return (1.0 / std::sqrt(dot(e, e))) * e;
  }

  static JointType type_of(UrdfJointType type) {
    switch (type) {
      case UrdfJointType::revolute:
      case UrdfJointType::continuous:
        return JointType::revolute;
      case UrdfJointType::prismatic:
        return JointType::prismatic;
      case UrdfJointType::planar:
        return JointType::planar;
      case UrdfJointType::floating:
        return JointType::free;
      case UrdfJointType::spherical:
        return JointType::spherical;
      case UrdfJointType::fixed:
        break;
    }
    return JointType::weld;
  }

  static void set_freedoms(const UrdfJoint& given, Joint& joint) {
    const auto lift = [](const math::Vec3<double>& v) { return Vec3{Expr(v.x), Expr(v.y), Expr(v.z)}; };
    const math::Vec3<double> n{given.axis[0], given.axis[1], given.axis[2]};
    joint.type = type_of(given.type);
    const bool planar = joint.type == JointType::planar;
    const math::Vec3<double> e1 = planar ? across(n) : n, e2 = cross(n, e1);
    for (const JointFreedom& freedom : joint_traits(joint.type).freedoms()) {
      JointAxis axis;
      const std::size_t k = joint.axes.size();
      axis.name = freedom.name.empty() ? joint.name : joint.name + "." + std::string(freedom.name);
      axis.is_rotation = freedom.is_rotation;
      if (has_quaternion(joint.type))
        axis.direction = Vec3::unit(k % 3);
      else
        axis.direction = lift(!planar ? n : k == 0 ? e1 : k == 1 ? e2 : n);
      axis.damping = Expr(given.damping);
      axis.friction.coulomb_positive = axis.friction.coulomb_negative = Expr(given.friction);
      joint.axes.push_back(axis);
    }
    if (joint.axes.size() != 1) return;
    const auto number = [](const std::optional<double>& x) {
      return x ? std::optional<Expr>(Expr(*x)) : std::nullopt;
    };
    JointAxis& axis = joint.axes[0];
    axis.lower = number(given.lower);
    axis.upper = number(given.upper);
    axis.effort_limit = number(given.effort);
    axis.velocity_limit = number(given.velocity);
  }

  /// Links and joints must form one tree; said here, where names are still those of the file. The root link.
  const UrdfLink& check_structure() {
    std::unordered_map<std::string, const UrdfJoint*> carrier;
    std::vector<std::string> known;
    for (const UrdfLink& link : file_.links) known.push_back(link.name);
    const auto require_link = [&](const UrdfJoint& joint, const Value& end, std::string_view role) {
      if (links_.contains(end.text)) return;
      reader_.fail(
          end,
          fmt::format("the {} of joint `{}` is `{}`, but there is no such link", role, joint.name, end.text),
          suggestion(end.text, std::span<const std::string>(known)));
    };
    for (const UrdfJoint& joint : file_.joints) {
      require_link(joint, joint.parent, "parent");
      require_link(joint, joint.child, "child");
      if (joint.parent.text == joint.child.text)
        reader_.fail(joint.child,
                     fmt::format("the joint `{}` connects `{}` with itself", joint.name, joint.child.text),
                     "name two different links");
      const auto [other, is_new] = carrier.emplace(joint.child.text, &joint);
      if (!is_new)
        reader_.fail(
            joint.child,
            fmt::format("the link `{}` is already carried by joint `{}`", joint.child.text,
                        other->second->name),
            "a link hangs on one joint; close loops with a constraint, in a model that includes this file");
    }
    for (const UrdfLink& link : file_.links) {
      if (carrier.contains(link.name)) continue;
      if (root_ != nullptr)
        reader_.fail(
            link.where,
            fmt::format("the link `{}` is not connected: `{}` is a root already", link.name, root_->name),
            "a URDF robot is one tree: add a joint that has it as its child");
      root_ = &link;
    }
    if (root_ == nullptr || file_.joints.size() + 1 != reached_from_root()) report_circle(carrier);
    if (file_.links.size() == 1 && root_->name == "world")
      reader_.fail(root_->where, "the robot has no link besides `world`", "add links and joints");
    return *root_;
  }

  std::size_t reached_from_root() const {
    std::unordered_map<std::string, std::vector<const UrdfJoint*>> children;
    for (const UrdfJoint& joint : file_.joints) children[joint.parent.text].push_back(&joint);
    std::vector<const std::string*> open{&root_->name};
    std::size_t count = 0;
    while (!open.empty()) {
      const std::string& link = *open.back();
      open.pop_back();
      ++count;
      for (const UrdfJoint* joint : children[link]) open.push_back(&joint->child.text);
    }
    return count;
  }

  /// Every link that is not reached from a root has ancestors that run into a circle.
  [[noreturn]] void report_circle(const std::unordered_map<std::string, const UrdfJoint*>& carrier) {
    std::unordered_map<std::string, int> colour;  // 1: seen from here, 2: leads to the root
    for (const UrdfLink& link : file_.links) {
      std::string at = link.name;
      std::vector<std::string> seen;
      while (carrier.contains(at) && colour[at] == 0) {
        colour[at] = 1;
        seen.push_back(at);
        at = carrier.at(at)->parent.text;
      }
      if (carrier.contains(at) && colour[at] == 1) {
        std::string path = at;
        for (std::string up = carrier.at(at)->parent.text;; up = carrier.at(up)->parent.text) {
          path = up + " -> " + path;
          if (up == at) break;
        }
        reader_.fail(carrier.at(at)->parent, "the joints form a circle: " + path,
                     "a robot is a tree of joints from one root; close loops with a constraint, in a model "
                     "that includes "
                     "this file");
      }
      for (const std::string& name : seen) colour[name] = 2;
    }
    reader_.fail(file_.where, "the joints do not form a tree",
                 "give every link but one a joint that carries it");
  }

  Reader& reader_;
  UrdfFile file_;
  AngleRule angles_;
  Reading reading_;
  Reader::Source place_;
  const UrdfLink* root_ = nullptr;
  NameMap links_, joints_;
  std::string base_name_;
  int renamed_ = 0;
  std::vector<std::string> missing_meshes_, foreign_meshes_;
};

std::string written(const NameMap& names, const std::string& name) {
  for (const auto& [file, model] : names)
    if (model == name) return file;
  return name;
}

}  // namespace

std::string Robot::written_joint(const std::string& name) const { return written(joints, name); }
std::string Robot::written_link(const std::string& name) const { return written(links, name); }

Robot read_robot(Reader& reader, const std::string& text, int source, const Reading& reading) {
  Value here;
  here.source = source;
  UrdfFile file = parse_urdf(text, reader.source(here).path, source);
  reader.model.warnings.insert(reader.model.warnings.end(), file.warnings.begin(), file.warnings.end());
  return Builder(reader, std::move(file), source, reading).build();
}

void add_frames(Reader& reader, const Robot& robot) {
  Model& model = reader.model;
  std::unordered_set<std::string> own;
  for (const auto& [written, name] : robot.links) own.insert(name);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    if (!own.contains(model.bodies[b].name)) continue;
    Frame frame;
    frame.name = model.bodies[b].name;
    frame.body = static_cast<int>(b);
    frame.where = model.bodies[b].where;
    model.frames.push_back(std::move(frame));
  }
}

void add_mimics(Reader& reader, const Robot& robot, const std::vector<std::string>& replaced) {
  std::unordered_map<std::string, const Joint*> joints;
  for (const Joint& joint : reader.model.joints) joints.emplace(joint.name, &joint);
  // Nothing where it has more than one.
  const auto coordinate = [&](const UrdfJoint& mimicking, const std::string& name) -> std::optional<Expr> {
    const Joint& joint = *joints.at(robot.joints.at(name));
    if (joint.axes.size() == 1) return algebra::symbol(joint.axes[0].name);
    if (joint.axes.empty()) {
      reader.warn(mimicking.mimic->where,
                  fmt::format("the joint `{}` mimics `{}`, which is fixed: it is held where it is",
                              mimicking.name, name));
      return Expr(0.0);
    }
    reader.warn(
        mimicking.mimic->where,
        fmt::format("the joint `{}` has no single coordinate: <mimic> is left out, `{}` moves on its own",
                    name, mimicking.name));
    return std::nullopt;
  };
  for (const UrdfJoint& joint : robot.mimicking) {
    const UrdfMimic& mimic = *joint.mimic;
    const std::string name = robot.joints.at(joint.name) + "_mimic";
    if (std::find(replaced.begin(), replaced.end(), name) != replaced.end()) continue;
    if (!robot.joints.contains(mimic.joint)) {
      reader.warn(mimic.where,
                  fmt::format("the joint `{}` mimics `{}`, but there is no such joint: it moves on its own",
                              joint.name, mimic.joint));
      continue;
    }
    if (mimic.joint == joint.name) {
      reader.warn(mimic.where, fmt::format("the joint `{}` mimics itself: <mimic> is left out", joint.name));
      continue;
    }
    const std::optional<Expr> other = coordinate(joint, mimic.joint);
    if (!other) continue;
    const Expr followed = Expr(mimic.multiplier) * *other;
    const std::optional<Expr> own = coordinate(joint, joint.name);
    if (!own) continue;
    Constraint constraint;
    constraint.name = name;
    constraint.kind = "gear";
    constraint.type = ConstraintType::equation;
    constraint.equations = {*own - followed - Expr(mimic.offset)};
    constraint.where = reader.place(mimic.where);
    reader.model.constraints.push_back(std::move(constraint));
  }
}

Model read_urdf(const std::string& text, const std::string& file, const Reading& reading) {
  Reader reader(file);
  Robot robot = read_robot(reader, text, 0, reading);
  Model& model = reader.model;
  model.name = robot.name;
  model.gravity = {0.0, 0.0, kStandardFall};
  Value document;
  if (reading.floating) float_root(reader, document, robot.draft);
  assemble_tree(reader, document, std::move(robot.draft));
  add_frames(reader, robot);
  require_distinct_names(model, [&](const std::string&) { return Place{file}; });
  model.set_initial_defaults();
  add_mimics(reader, robot, {});
  require_finite_masses(model);
  note_missing_inertia(model, [&](const std::string& joint) { return robot.written_joint(joint); });
  return reader.take();
}

}  // namespace tactus::describe
