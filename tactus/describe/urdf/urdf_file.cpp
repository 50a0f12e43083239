#include <tactus/describe/urdf/urdf_file.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/urdf/urdf_unread.h>
#include <tactus/describe/urdf/xml_source.h>

namespace tactus::describe {

namespace {

using tinyxml2::XMLElement;
using Word = std::string_view;

/// An axis written with six digits or more is taken for a unit vector without a word.
constexpr double kUnitTolerance = 1e-6;

bool is_blank(char c) { return std::strchr(" \t\r\n", c) != nullptr; }

/// The power of ten behind a number's digits; of more than nine digits, one that no double has.
int power_of(Word number) {
  const std::size_t e = number.find_first_of("eE");
  if (e == Word::npos) return 0;
  Word digits = number.substr(e + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int power = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
  constexpr int kBeyond = 999'999'999;
  if (error == std::errc::result_out_of_range) power = digits.starts_with('-') ? -kBeyond : kBeyond;
  return std::clamp(power, -kBeyond, kBeyond);
}

/// Digits after the point, less the power of ten: 1.5708 has 4, 157.08e-2 too.
int decimals_of(Word number) {
  const Word digits = number.substr(0, number.find_first_of("eE"));
  const std::size_t point = digits.find('.');
  const auto after = point == Word::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  return after - power_of(number);
}

/// Of a number that is no double: whether it is too small, and not too large. By the place of its first digit that is not zero.
bool is_below_one(Word number) {
  const Word digits = number.substr(0, number.find_first_of("eE"));
  const std::size_t first = digits.find_first_of("123456789");
  if (first == Word::npos) return true;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const auto place =
      static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);  // of 0.1: -1, of 1: 1
  return place + power_of(number) <= 0;
}

/// One walk over the file.
class Walk {
 public:
  Walk(const std::string& text, std::string file, int source)
      : file_(std::move(file)), xml_(text, file_, source), source_(source) {}

  UrdfFile read() {
    const XMLElement* robot = xml_.root();
    if (robot == nullptr)
      fail(beginning(), "the file holds no XML element", "a URDF file begins with <robot name=\"...\">");
    if (std::strcmp(robot->Name(), "robot") != 0) {
      fail(at(robot), fmt::format("the root element is <{}>", robot->Name()),
           "a URDF file has the root element <robot>");
    }
    refuse_xacro(robot);
    out_.where = at(robot);
    for (const Unread& unread : unread_parts(robot)) warn(unread.element, unread.what);
    out_.name = optional_attribute(robot, "name").value_or("");
    if (out_.name.empty()) {
      out_.name = "robot";
      warn(robot, "the robot has no name: it is called `robot`");
    }
    const std::string version = optional_attribute(robot, "version").value_or("1.0");
    if (version != "1" && version != "1.0")
      warn(robot, fmt::format("the file says version {}: it is read as URDF 1.0", version));
    std::set<std::string> link_names, joint_names;
    for (const XMLElement* e = robot->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const Word tag = e->Name();
      if (tag == "link") {
        read_link(e);
        require_new(e, out_.links.back().name, link_names, "link");
      } else if (tag == "joint") {
        read_joint(e);
        require_new(e, out_.joints.back().name, joint_names, "joint");
      } else if (tag == "material") {
        read_material(e);
      } else {
        require_foreign(e, {"link", "joint", "material", "transmission", "gazebo", "sensor"},
                        {"link", "joint"});
      }
    }
    if (out_.links.empty()) fail(at(robot), "the robot has no links", "add <link name=\"...\"> elements");
    add_ground(link_names);
    give_colors();
    return std::move(out_);
  }

 private:
  /// Some tools know the ground without a link that says so.
  void add_ground(const std::set<std::string>& link_names) {
    if (link_names.contains("world")) return;
    for (const UrdfJoint& joint : out_.joints) {
      if (joint.parent.text != "world") continue;
      UrdfLink ground;
      ground.name = "world";
      ground.where = joint.parent;
      out_.warnings.push_back(Place{file_, joint.parent.line, joint.parent.column}.to_string() +
                              ": there is no link `world`: it is taken for the ground");
      out_.links.insert(out_.links.begin(), std::move(ground));
      return;
    }
  }

  Value at(const XMLElement* element) const { return xml_.at(element); }

  Value beginning() const {
    Value where;
    where.source = source_;
    where.line = where.column = 1;
    return where;
  }

  [[noreturn]] void fail(const Value& where, std::string wrong, std::string remedy) const {
    throw InputError({file_, where.line, where.column}, std::move(wrong), std::move(remedy));
  }

  void warn(const XMLElement* element, const std::string& text) {
    const Value where = at(element);
    out_.warnings.push_back(Place{file_, where.line, where.column}.to_string() + ": " + text);
  }

  /// Whether an attribute there waits for xacro: ${...} or $(...).
  static bool waits_for_xacro(const XMLElement* element) {
    for (const tinyxml2::XMLAttribute* a = element->FirstAttribute(); a != nullptr; a = a->Next())
      if (std::strstr(a->Value(), "${") != nullptr || std::strstr(a->Value(), "$(") != nullptr) return true;
    for (const XMLElement* e = element->FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
      if (waits_for_xacro(e)) return true;
    return false;
  }

  /// A template of xacro is no robot yet: it defines or includes what is to be filled in. Files that xacro has written keep its
  /// xmlns, and calls of macros that it did not know, and some have properties that nothing uses; some plain ones end in .xacro: these are read.
  void refuse_xacro(const XMLElement* robot) {
    static const std::set<Word> kOfTemplates = {"xacro:include",     "xacro:macro",   "xacro:if",
                                                "xacro:unless",      "xacro:element", "xacro:attribute",
                                                "xacro:insert_block"};
    static const std::set<Word> kValues = {"xacro:property", "xacro:arg"};
    const bool has_links = robot->FirstChildElement("link") != nullptr;
    const XMLElement* of_template = nullptr;
    for (const XMLElement* e = robot->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const Word tag = e->Name();
      if (!tag.starts_with("xacro:")) continue;
      const bool value = kValues.contains(tag);
      if (of_template == nullptr &&
          (!has_links || kOfTemplates.contains(tag) || (value && waits_for_xacro(robot))))
        of_template = e;
      warn(e, value ? fmt::format("<{}> is left from a template: nothing uses it", tag)
                    : fmt::format("<{}> was not expanded by xacro: what it stands for is missing", tag));
    }
    const bool says_so = robot->Attribute("xmlns:xacro") != nullptr || file_.ends_with(".xacro");
    if (of_template == nullptr && says_so && !has_links) of_template = robot;
    if (of_template != nullptr)
      fail(at(of_template), "this is a xacro file: a template from which URDF is made", expansion());
  }

  std::string expansion() const {
    std::string made = file_;
    for (const Word ending : {".xacro", ".urdf"})
      if (made.ends_with(ending)) made.resize(made.size() - ending.size());
    return fmt::format("expand it with xacro, and read what comes out: xacro {} > {}{}.urdf", file_, made,
                       file_.ends_with(".xacro") ? "" : "_expanded");
  }

  void require_new(const XMLElement* element, const std::string& name, std::set<std::string>& names,
                   Word what) const {
    if (names.insert(name).second) return;
    fail(at(element), fmt::format("there are two {}s named `{}`", what, name), "give each a name of its own");
  }

  /// Elements of other tools are passed over, but not those that look like a slip of the pen.
  void require_foreign(const XMLElement* element, const std::vector<Word>& passed,
                       const std::vector<Word>& meant) const {
    const Word tag = element->Name();
    for (const Word known : passed) {
      if (tag == known) return;
    }
    const std::string guess = nearest(tag, std::span<const Word>(meant));
    if (!guess.empty())
      fail(at(element), fmt::format("unknown element <{}>", tag), fmt::format("did you mean <{}>?", guess));
  }

  void require_children(const XMLElement* parent, const std::vector<Word>& known) const {
    for (const XMLElement* e = parent->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      require_foreign(e, known, known);
    }
  }

  /// Of what may stand once, the first is taken, as by urdfdom.
  void warn_of_doubled(const XMLElement* element, std::initializer_list<const char*> once) {
    for (const char* tag : once) {
      const XMLElement* first = element->FirstChildElement(tag);
      if (first == nullptr) continue;
      if (const XMLElement* second = first->NextSiblingElement(tag))
        warn(second,
             fmt::format("<{}> has another <{}> already: the first one is taken", element->Name(), tag));
    }
  }

  static std::optional<std::string> optional_attribute(const XMLElement* element, const char* name) {
    const char* value = element->Attribute(name);
    if (value == nullptr) return std::nullopt;
    return value;
  }

  std::string attribute(const XMLElement* element, const char* name) const {
    const char* value = element->Attribute(name);
    if (value != nullptr && *value == '\0')
      fail(at(element), fmt::format("the attribute `{}` of <{}> is empty", name, element->Name()),
           fmt::format("write <{} {}=\"...\">, or leave it out where it may be", element->Name(), name));
    if (value == nullptr) {
      fail(at(element), fmt::format("<{}> has no attribute `{}`", element->Name(), name),
           fmt::format("write <{} {}=\"...\">", element->Name(), name));
    }
    return value;
  }

  /// Any number of numbers. Blanks around them do not matter.
  std::vector<UrdfAngle> numbers(const XMLElement* element, const char* name) const {
    const std::string text = attribute(element, name);
    std::vector<UrdfAngle> values;
    const char* from = text.data();
    const char* end = from + text.size();
    for (;;) {
      while (from != end && is_blank(*from)) ++from;
      if (from == end) return values;
      if (*from == '+') ++from;
      double value = 0.0;
      const auto [stop, error] = std::from_chars(from, end, value);
      const bool ends_well = stop == end || is_blank(*stop);
      // What is too small for a double is zero; what is too large leaves the value as it was, too.
      const bool no_double = error == std::errc::result_out_of_range && ends_well;
      const bool is_tiny = no_double && is_below_one(Word(from, static_cast<std::size_t>(stop - from)));
      if (no_double && !is_tiny)
        fail(at(element),
             fmt::format("`{}=\"{}\"` has a number that is too large for a double", name, text.substr(0, 60)),
             "write a number that means something, in SI units; leave out a limit that is none");
      if ((error != std::errc{} && !is_tiny) || !std::isfinite(value) || !ends_well) {
        const bool is_xacro = text.find("${") != std::string::npos || text.find("$(") != std::string::npos;
        fail(at(element), fmt::format("`{}=\"{}\"` is not made of finite numbers", name, text.substr(0, 60)),
             is_xacro ? "this is a xacro file: " + expansion()
                      : "URDF takes plain numbers in SI units and radians, separated by spaces");
      }
      values.push_back({value, decimals_of(Word(from, static_cast<std::size_t>(stop - from)))});
      from = stop;
    }
  }

  std::vector<UrdfAngle> numbers(const XMLElement* element, const char* name, std::size_t count) const {
    std::vector<UrdfAngle> values = numbers(element, name);
    if (values.size() != count) {
      fail(at(element), fmt::format("`{}` holds {} numbers instead of {}", name, values.size(), count),
           "separate numbers by spaces");
    }
    return values;
  }

  double number(const XMLElement* element, const char* name) const {
    return numbers(element, name, 1)[0].value;
  }

  std::optional<double> optional_number(const XMLElement* element, const char* name) const {
    if (element->Attribute(name) == nullptr) return std::nullopt;
    return number(element, name);
  }

  std::array<double, 3> triple(const XMLElement* element, const char* name) const {
    const std::vector<UrdfAngle> v = numbers(element, name, 3);
    return {v[0].value, v[1].value, v[2].value};
  }

  /// `rpy=""` is what some exporters write where there is none.
  bool has_numbers(const XMLElement* element, const char* name) {
    const char* text = element->Attribute(name);
    if (text == nullptr) return false;
    if (*text != '\0') return true;
    warn(element,
         fmt::format("the attribute `{}` of <{}> is empty: it is taken as 0 0 0", name, element->Name()));
    return false;
  }

  UrdfOrigin read_origin(const XMLElement* parent) {
    UrdfOrigin origin;
    const XMLElement* element = parent->FirstChildElement("origin");
    if (element == nullptr) return origin;
    if (has_numbers(element, "xyz")) origin.xyz = triple(element, "xyz");
    if (has_numbers(element, "rpy")) {
      const std::vector<UrdfAngle> rpy = numbers(element, "rpy", 3);
      origin.rpy = {rpy[0], rpy[1], rpy[2]};
    }
    return origin;
  }

  // --- shapes: none of them changes a motion without contact, so that what is odd about them is a warning

  /// "" where it can be shown and touched; otherwise why not.
  std::string read_size(const XMLElement* element, UrdfShape& shape) {
    using Shape = Geometry::Shape;
    const Word tag = element->Name();
    if (tag == "sphere") {
      shape.shape = Shape::sphere;
      shape.size = {number(element, "radius"), 0.0, 0.0};
      return shape.size[0] > 0.0 ? "" : fmt::format("its `radius` is {:g}", shape.size[0]);
    }
    if (tag == "cylinder" || tag == "capsule") {
      shape.shape = tag == "cylinder" ? Shape::cylinder : Shape::capsule;
      shape.size = {number(element, "radius"), number(element, "length"), 0.0};
      if (!(shape.size[0] > 0.0)) return fmt::format("its `radius` is {:g}", shape.size[0]);
      if (!(shape.size[1] > 0.0)) return fmt::format("its `length` is {:g}", shape.size[1]);
      if (tag == "capsule")
        warn(element, "<capsule> is no shape of URDF; it is read as a cylinder with round ends");
      return "";
    }
    if (tag == "box") {
      shape.shape = Shape::box;
      shape.size = triple(element, "size");
      for (const double edge : shape.size)
        if (!(edge >= 0.0) || (shape.collision && edge == 0.0))
          return fmt::format("an edge of it is {:g}", edge);
      return "";
    }
    if (tag == "mesh") {
      shape.shape = Shape::mesh;
      shape.file = optional_attribute(element, "filename").value_or("");
      if (shape.file.empty()) return "it has no `filename`";
      shape.size = {1.0, 1.0, 1.0};
      if (element->Attribute("scale") == nullptr) return "";
      const std::vector<UrdfAngle> scale = numbers(element, "scale");
      if (scale.size() != 3 && scale.size() != 1)
        return fmt::format("its `scale` holds {} numbers instead of 3", scale.size());
      if (scale.size() == 1)
        warn(element, "`scale` holds one number instead of 3: it is taken for all three");
      for (std::size_t i = 0; i < 3; ++i) {
        shape.size[i] = scale[scale.size() == 1 ? 0 : i].value;
        if (shape.size[i] == 0.0) return "its `scale` is zero";
      }
      return "";
    }
    const std::vector<Word> known = {"box", "sphere", "cylinder", "mesh"};
    const std::string guess = nearest(tag, std::span<const Word>(known));
    if (!guess.empty())
      fail(at(element), fmt::format("unknown shape <{}>", tag), fmt::format("did you mean `{}`?", guess));
    return "it is no shape of URDF (box, sphere, cylinder, mesh)";
  }

  void read_shape(const XMLElement* element, bool collision, UrdfLink& link) {
    require_children(element, {"origin", "geometry", "material"});
    UrdfShape shape;
    shape.collision = collision;
    shape.where = at(element);
    shape.origin = read_origin(element);
    const XMLElement* geometry = element->FirstChildElement("geometry");
    const XMLElement* given = geometry == nullptr ? nullptr : geometry->FirstChildElement();
    if (given == nullptr) {
      warn(element, fmt::format("<{}> has no shape: it is left out", element->Name()));
      return;
    }
    const std::string odd = read_size(given, shape);
    if (const XMLElement* material = element->FirstChildElement("material")) {
      shape.material = optional_attribute(material, "name").value_or("");
      shape.color = read_material(material);
    }
    if (odd.empty())
      link.shapes.push_back(std::move(shape));
    else
      warn(given, fmt::format("the <{}> of <{}> is left out: {}", given->Name(), element->Name(), odd));
  }

  /// The color, where it gives one; materials have names all over the file.
  std::optional<std::array<double, 4>> read_material(const XMLElement* element) {
    const XMLElement* color = element->FirstChildElement("color");
    if (color == nullptr || color->Attribute("rgba") == nullptr) return std::nullopt;
    std::vector<UrdfAngle> rgba;
    try {
      rgba = numbers(color, "rgba");
    } catch (const InputError& error) {
      warn(color, error.wrong() + ": the color is left out");
      return std::nullopt;
    }
    if (rgba.size() != 4) {
      warn(color, fmt::format("`rgba` holds {} numbers instead of 4: the color is left out", rgba.size()));
      return std::nullopt;
    }
    const std::array<double, 4> result = {rgba[0].value, rgba[1].value, rgba[2].value, rgba[3].value};
    if (const auto name = optional_attribute(element, "name")) materials_.emplace(*name, result);
    return result;
  }

  void give_colors() {
    for (UrdfLink& link : out_.links) {
      for (UrdfShape& shape : link.shapes) {
        const auto found = shape.color ? materials_.end() : materials_.find(shape.material);
        if (found != materials_.end()) shape.color = found->second;
      }
    }
  }

  // --- links and joints

  std::optional<UrdfInertial> read_inertial(const XMLElement* element) {
    require_children(element, {"origin", "mass", "inertia"});
    const XMLElement* mass = element->FirstChildElement("mass");
    const XMLElement* inertia = element->FirstChildElement("inertia");
    UrdfInertial result;
    warn_of_doubled(element, {"origin", "mass", "inertia"});
    result.origin = read_origin(element);
    if (mass == nullptr) {
      warn(element, "<inertial> has no <mass>: the link has no inertia");
      return std::nullopt;
    }
    result.mass = number(mass, "value");
    if (result.mass < 0.0) fail(at(mass), "the mass is negative", "it must be zero or more");
    if (inertia == nullptr) {
      warn(element, "<inertial> has no <inertia>: the mass is that of a point");
      return result;
    }
    std::string missing;
    const auto part = [&](const char* name) {
      const std::optional<double> given = optional_number(inertia, name);
      if (!given) missing += (missing.empty() ? "" : ", ") + std::string(name);
      return given.value_or(0.0);
    };
    result.xx = part("ixx");
    result.xy = part("ixy");
    result.xz = part("ixz");
    result.yy = part("iyy");
    result.yz = part("iyz");
    result.zz = part("izz");
    if (!missing.empty()) warn(inertia, fmt::format("<inertia> has no {}: taken as zero", missing));
    return result;
  }

  void read_link(const XMLElement* element) {
    UrdfLink link;
    link.name = attribute(element, "name");
    link.where = at(element);
    require_children(element, {"inertial", "visual", "collision"});
    warn_of_doubled(element, {"inertial"});
    if (const XMLElement* inertial = element->FirstChildElement("inertial"))
      link.inertial = read_inertial(inertial);
    for (const XMLElement* e = element->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (std::strcmp(e->Name(), "visual") == 0) read_shape(e, false, link);
      if (std::strcmp(e->Name(), "collision") == 0) read_shape(e, true, link);
    }
    out_.links.push_back(std::move(link));
  }

  UrdfJointType read_type(const XMLElement* element) {
    const std::string type = attribute(element, "type");
    static constexpr std::array kTypes = {Word("revolute"), Word("continuous"), Word("prismatic"),
                                          Word("fixed"),    Word("floating"),   Word("planar")};
    for (std::size_t i = 0; i < kTypes.size(); ++i)
      if (type == kTypes[i]) return static_cast<UrdfJointType>(i);
    if (type == "spherical") {
      warn(element, "`spherical` is no joint type of URDF; it is read as a ball joint");
      return UrdfJointType::spherical;
    }
    fail(at(element), fmt::format("`{}` is not a URDF joint type", type),
         suggestion(type, std::span<const Word>(kTypes)));
  }

  void read_axis(const XMLElement* element, UrdfJoint& joint) {
    const bool matters = joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::continuous ||
                         joint.type == UrdfJointType::prismatic || joint.type == UrdfJointType::planar;
    if (!matters) return;  // fixed joints are exported with the axis 0 0 0
    if (element->Attribute("xyz") == nullptr) {
      warn(element, "<axis> has no `xyz`: taken as 1 0 0, the axis where none is given");
      return;
    }
    const std::array<double, 3> e = triple(element, "xyz");
    const double length = std::hypot(e[0], e[1], e[2]);
    if (length == 0.0)
      fail(at(element), "the axis has length zero", "write a unit vector, such as xyz=\"0 0 1\"");
    if (std::fabs(length - 1.0) > kUnitTolerance)
      warn(element, fmt::format("the axis has length {:.6g} and was normalised", length));
    joint.axis = {e[0] / length, e[1] / length, e[2] / length};
  }

  void read_limit(const XMLElement* element, UrdfJoint& joint) {
    const auto bound = [&](const char* name) -> std::optional<double> {
      const std::optional<double> given = optional_number(element, name);
      if (given && *given < 0.0) {
        warn(element, fmt::format("`{}` is negative ({:g}): taken as no limit", name, *given));
        return std::nullopt;
      }
      return given;
    };
    joint.effort = bound("effort");
    joint.velocity = bound("velocity");
    for (const char* name : {"effort", "velocity"})
      if (element->Attribute(name) == nullptr && joint.type != UrdfJointType::fixed)
        warn(element, fmt::format("<limit> has no `{}`: taken as no limit", name));
    if (joint.type != UrdfJointType::revolute && joint.type != UrdfJointType::prismatic) return;
    joint.lower = optional_number(element, "lower").value_or(0.0);
    joint.upper = optional_number(element, "upper").value_or(0.0);
    if (*joint.lower > *joint.upper) {
      warn(element, fmt::format("the lower limit {:g} lies above the upper limit {:g}: taken as no limits",
                                *joint.lower, *joint.upper));
      joint.lower.reset();
      joint.upper.reset();
    }
  }

  void read_dynamics(const XMLElement* element, UrdfJoint& joint) {
    const auto coefficient = [&](const char* name) {
      const double given = optional_number(element, name).value_or(0.0);
      if (given < 0.0) {
        warn(element, fmt::format("`{}` is negative ({:g}): taken as zero", name, given));
        return 0.0;
      }
      return given;
    };
    joint.damping = coefficient("damping");
    joint.friction = coefficient("friction");
    if (element->Attribute("damping") == nullptr && element->Attribute("friction") == nullptr)
      warn(element, "<dynamics> says neither damping nor friction");
  }

  void read_joint(const XMLElement* element) {
    UrdfJoint joint;
    joint.name = attribute(element, "name");
    joint.where = at(element);
    joint.type = read_type(element);
    require_children(element, {"origin", "parent", "child", "axis", "calibration", "dynamics", "limit",
                               "mimic", "safety_controller"});
    warn_of_doubled(element, {"origin", "parent", "child", "axis", "calibration", "dynamics", "limit",
                              "mimic", "safety_controller"});
    const auto linked = [&](const char* role) {
      const XMLElement* end = element->FirstChildElement(role);
      if (end == nullptr) {
        fail(at(element), fmt::format("the joint `{}` has no <{}>", joint.name, role),
             fmt::format("write <{} link=\"...\"/>", role));
      }
      Value named = at(end);
      named.kind = Value::Kind::scalar;
      named.text = attribute(end, "link");
      return named;
    };
    joint.parent = linked("parent");
    joint.child = linked("child");
    if (const XMLElement* axis = element->FirstChildElement("axis")) read_axis(axis, joint);
    if (const XMLElement* limit = element->FirstChildElement("limit"))
      read_limit(limit, joint);
    else if (joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::prismatic)
      warn(element, fmt::format("the joint `{}` has no <limit>: taken as no limits", joint.name));
    if (const XMLElement* dynamics = element->FirstChildElement("dynamics")) read_dynamics(dynamics, joint);
    if (const XMLElement* mimic = element->FirstChildElement("mimic")) {
      if (joint.type == UrdfJointType::fixed) {
        warn(mimic, fmt::format("the joint `{}` is fixed: <mimic> is left out", joint.name));
      } else {
        joint.mimic = UrdfMimic{attribute(mimic, "joint"), 1.0, 0.0, at(mimic)};
        joint.mimic->multiplier = optional_number(mimic, "multiplier").value_or(1.0);
        joint.mimic->offset = optional_number(mimic, "offset").value_or(0.0);
      }
    }
    joint.origin = read_origin(element);
    out_.joints.push_back(std::move(joint));
  }

  std::string file_;
  XmlSource xml_;
  int source_;
  std::unordered_map<std::string, std::array<double, 4>> materials_;
  UrdfFile out_;
};

}  // namespace

UrdfFile parse_urdf(const std::string& text, const std::string& file, int source) {
  const std::size_t foreign = first_latin_1(text);
  if (foreign == std::string::npos) return Walk(text, file, source).read();
  UrdfFile result = Walk(utf8_of_latin_1(text), file, source).read();
  Place where{file, 1, 1};
  for (std::size_t i = 0; i < foreign; ++i) {
    where.column = text[i] == '\n' ? 1 : where.column + 1;
    where.line += text[i] == '\n' ? 1 : 0;
  }
  result.warnings.insert(result.warnings.begin(),
                         where.to_string() + ": the file is not UTF-8: it is read as ISO 8859-1 (Latin-1)");
  return result;
}

}  // namespace tactus::describe
