#include <tactus/describe/urdf/urdf_outline.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <tinyxml2.h>

#include <tactus/base/error.h>

namespace tactus::describe {

namespace {

using tinyxml2::XMLElement;
using Word = std::string_view;

class Walk {
 public:
  Walk(const std::string& text, std::string file) : text_(text), file_(std::move(file)) {}

  UrdfOutline outline() {
    tinyxml2::XMLDocument document;
    if (document.Parse(text_.data(), text_.size()) != tinyxml2::XML_SUCCESS) {
      Value where;
      where.line = document.ErrorLineNum();
      fail(where, fmt::format("this is not XML: {}", reason(document)), "check tags and quotes around here");
    }
    const XMLElement* robot = document.RootElement();
    if (robot == nullptr)
      fail(beginning(), "the file holds no XML element", "a URDF file begins with <robot name=\"...\">");
    if (std::strcmp(robot->Name(), "robot") != 0) {
      fail(at(robot), fmt::format("the root element is <{}>", robot->Name()),
           "a URDF file has the root element <robot>");
    }
    attribute(robot, "name");
    std::set<std::string> link_names, joint_names;
    for (const XMLElement* e = robot->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const Word tag = e->Name();
      if (tag == "link") {
        read_link(e);
        require_new(e, outline_.links.back().name, link_names, "link");
      } else if (tag == "joint") {
        read_joint(e);
        require_new(e, outline_.joints.back().name, joint_names, "joint");
      } else {
        require_foreign(e, {"link", "joint", "material", "transmission", "gazebo", "sensor"},
                        {"link", "joint"});
      }
    }
    if (outline_.links.empty()) fail(at(robot), "the robot has no links", "add <link name=\"...\"> elements");
    tidy_numbers(document.RootElement());
    tinyxml2::XMLPrinter printer(nullptr, true);
    document.Print(&printer);
    outline_.text = printer.CStr();
    return std::move(outline_);
  }

 private:
  static std::string reason(const tinyxml2::XMLDocument& document) {
    switch (document.ErrorID()) {
      case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
        return "a tag is closed that is not open";
      case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
        return "an attribute is not written as name=\"value\"";
      case tinyxml2::XML_ERROR_PARSING_ELEMENT:
        return "a tag is not well formed";
      case tinyxml2::XML_ERROR_PARSING_COMMENT:
        return "a comment is never closed";
      case tinyxml2::XML_ERROR_PARSING_DECLARATION:
        return "the XML declaration is not well formed";
      case tinyxml2::XML_ERROR_PARSING_TEXT:
        return "text stands where none may be";
      case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
        return "the document is empty";
      case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
        return "the elements are nested too deeply";
      default:
        return "it ends too early, or a tag is never closed";
    }
  }

  static Value beginning() {
    Value where;
    where.line = where.column = 1;
    return where;
  }

  /// tinyxml2 knows the line; the column is where the tag begins in it.
  Value at(const XMLElement* element) const {
    Value where;
    where.line = element->GetLineNum();
    std::size_t begin = 0;
    for (int line = 1; line < where.line && begin != std::string::npos; ++line) {
      begin = text_.find('\n', begin);
      if (begin != std::string::npos) ++begin;
    }
    if (begin == std::string::npos) return where;
    const std::size_t found = text_.find("<" + std::string(element->Name()), begin);
    if (found != std::string::npos && found < text_.find('\n', begin))
      where.column = static_cast<int>(found - begin) + 1;
    return where;
  }

  [[noreturn]] void fail(const Value& where, std::string wrong, std::string remedy) const {
    throw InputError({file_, where.line, where.column}, std::move(wrong), std::move(remedy));
  }

  void warn(const XMLElement* element, const std::string& text) {
    const Value where = at(element);
    outline_.warnings.push_back(Place{file_, where.line, where.column}.to_string() + ": " + text);
  }

  void require_new(const XMLElement* element, const std::string& name, std::set<std::string>& names,
                   Word what) const {
    if (names.insert(name).second) return;
    fail(at(element), fmt::format("there are two {}s named `{}`", what, name), "give each a name of its own");
  }

  /// Elements of other tools are passed over, but not those that look like a slip of the pen.
  void require_foreign(const XMLElement* element, std::vector<Word> passed,
                       const std::vector<Word>& meant) const {
    const Word tag = element->Name();
    for (const Word known : passed) {
      if (tag == known) return;
    }
    const std::string guess = nearest(tag, std::span<const Word>(meant));
    if (!guess.empty())
      fail(at(element), fmt::format("unknown element <{}>", tag), fmt::format("did you mean <{}>?", guess));
  }

  std::string attribute(const XMLElement* element, const char* name) const {
    const char* value = element->Attribute(name);
    if (value == nullptr || *value == '\0') {
      fail(at(element), fmt::format("<{}> has no attribute `{}`", element->Name(), name),
           fmt::format("write <{} {}=\"...\">", element->Name(), name));
    }
    return value;
  }

  std::vector<double> numbers(const XMLElement* element, const char* name, std::size_t count) const {
    const std::string text = attribute(element, name);
    std::vector<double> values;
    const char* from = text.data();
    const char* end = from + text.size();
    for (;;) {
      while (from != end && std::strchr(" \t\r\n", *from) != nullptr) ++from;
      if (from == end) break;
      if (*from == '+') ++from;
      double value = 0.0;
      const auto [stop, error] = std::from_chars(from, end, value);
      const bool ends_well = stop == end || std::strchr(" \t\r\n", *stop) != nullptr;
      if (error != std::errc{} || !std::isfinite(value) || !ends_well) {
        fail(at(element), fmt::format("`{}=\"{}\"` is not made of finite numbers", name, text.substr(0, 60)),
             text.find("${") != std::string::npos
                 ? "this is a xacro file: expand it with xacro first"
                 : "URDF takes plain numbers in SI units and radians, separated by spaces");
      }
      values.push_back(value);
      from = stop;
    }
    if (values.size() != count) {
      fail(at(element), fmt::format("`{}` holds {} numbers instead of {}", name, values.size(), count),
           "separate numbers by spaces");
    }
    return values;
  }

  /// Single blanks between the numbers of attributes that hold numbers, none around them.
  static void tidy_numbers(XMLElement* element) {
    static const std::set<Word> kNumbers = {"value",
                                            "ixx",
                                            "ixy",
                                            "ixz",
                                            "iyy",
                                            "iyz",
                                            "izz",
                                            "xyz",
                                            "rpy",
                                            "radius",
                                            "length",
                                            "size",
                                            "scale",
                                            "lower",
                                            "upper",
                                            "effort",
                                            "velocity",
                                            "damping",
                                            "friction",
                                            "multiplier",
                                            "offset",
                                            "rgba",
                                            "rising",
                                            "falling",
                                            "soft_lower_limit",
                                            "soft_upper_limit",
                                            "k_position",
                                            "k_velocity"};
    for (const tinyxml2::XMLAttribute* a = element->FirstAttribute(); a != nullptr; a = a->Next()) {
      if (!kNumbers.contains(a->Name())) continue;
      std::string tidied;
      for (const char c : Word(a->Value())) {
        const bool blank = std::strchr(" \t\r\n", c) != nullptr;
        if (!blank) tidied += c;
        if (blank && !tidied.empty() && tidied.back() != ' ') tidied += ' ';
      }
      if (tidied.ends_with(' ')) tidied.pop_back();
      if (tidied != a->Value()) element->SetAttribute(a->Name(), tidied.c_str());
    }
    for (XMLElement* e = element->FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
      tidy_numbers(e);
  }

  double number(const XMLElement* element, const char* name) const { return numbers(element, name, 1)[0]; }

  void optional_number(const XMLElement* element, const char* name, bool may_be_negative) const {
    if (element->Attribute(name) == nullptr) return;
    const double value = number(element, name);
    if (value < 0.0 && !may_be_negative) {
      fail(at(element), fmt::format("`{}` is negative ({})", name, value), "it must be zero or more");
    }
  }

  void require_children(const XMLElement* parent, const std::vector<Word>& known) const {
    for (const XMLElement* e = parent->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      require_foreign(e, known, known);
    }
  }

  Rpy read_origin(const XMLElement* parent) const {
    const XMLElement* origin = parent->FirstChildElement("origin");
    if (origin == nullptr) return {};
    if (origin->Attribute("xyz") != nullptr) numbers(origin, "xyz", 3);
    if (origin->Attribute("rpy") == nullptr) return {};
    const std::vector<double> rpy = numbers(origin, "rpy", 3);
    return {rpy[0], rpy[1], rpy[2]};
  }

  Rpy read_shape(const XMLElement* parent) const {
    require_children(parent, {"origin", "geometry", "material"});
    const XMLElement* geometry = parent->FirstChildElement("geometry");
    const XMLElement* shape = geometry == nullptr ? nullptr : geometry->FirstChildElement();
    if (shape == nullptr) {
      fail(at(parent), fmt::format("<{}> has no shape", parent->Name()),
           "write <geometry><box size=\"...\"/></geometry>, or a sphere, cylinder or mesh");
    }
    const Word tag = shape->Name();
    const auto positive = [&](const char* name) {
      if (!(number(shape, name) > 0.0))
        fail(at(shape), fmt::format("`{}` is not positive", name), "write a length in metres");
    };
    if (tag == "box") {
      numbers(shape, "size", 3);
    } else if (tag == "sphere") {
      positive("radius");
    } else if (tag == "cylinder") {
      positive("radius");
      positive("length");
    } else if (tag == "mesh") {
      attribute(shape, "filename");
      if (shape->Attribute("scale") != nullptr) numbers(shape, "scale", 3);
    } else {
      const std::vector<Word> known = {"box", "sphere", "cylinder", "mesh"};
      fail(at(shape), fmt::format("unknown shape <{}>", tag), suggestion(tag, std::span<const Word>(known)));
    }
    return read_origin(parent);
  }

  void read_link(const XMLElement* element) {
    UrdfLink link;
    link.name = attribute(element, "name");
    link.where = at(element);
    require_children(element, {"inertial", "visual", "collision"});
    if (const XMLElement* inertial = element->FirstChildElement("inertial")) {
      require_children(inertial, {"origin", "mass", "inertia"});
      const XMLElement* mass = inertial->FirstChildElement("mass");
      const XMLElement* inertia = inertial->FirstChildElement("inertia");
      if (mass == nullptr) fail(at(inertial), "<inertial> has no <mass>", "write <mass value=\"...\"/>");
      if (inertia == nullptr)
        fail(at(inertial), "<inertial> has no <inertia>", "write <inertia ixx=\"...\" .../>");
      if (number(mass, "value") < 0.0) fail(at(mass), "the mass is negative", "it must be zero or more");
      for (const char* part : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) number(inertia, part);
      link.inertial = read_origin(inertial);
    }
    for (const XMLElement* e = element->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (std::strcmp(e->Name(), "visual") == 0) link.visuals.push_back(read_shape(e));
      if (std::strcmp(e->Name(), "collision") == 0) link.collisions.push_back(read_shape(e));
    }
    outline_.links.push_back(std::move(link));
  }

  void read_joint(const XMLElement* element) {
    UrdfJoint joint;
    joint.name = attribute(element, "name");
    joint.where = at(element);
    const std::string type = attribute(element, "type");
    const std::vector<Word> types = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    bool known = false;
    for (const Word t : types) known = known || t == type;
    if (!known) {
      fail(at(element), fmt::format("`{}` is not a URDF joint type", type),
           suggestion(type, std::span<const Word>(types)));
    }
    require_children(element, {"origin", "parent", "child", "axis", "calibration", "dynamics", "limit",
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
    if (const XMLElement* axis = element->FirstChildElement("axis")) {
      const std::vector<double> e = numbers(axis, "xyz", 3);
      const double length = std::hypot(e[0], e[1], e[2]);
      if (length == 0.0)
        fail(at(axis), "the axis has length zero", "write a unit vector, such as xyz=\"0 0 1\"");
      if (std::fabs(length - 1.0) > 1e-6)
        warn(axis, fmt::format("the axis has length {:.6g} and was normalised", length));
    }
    const XMLElement* limit = element->FirstChildElement("limit");
    if (limit == nullptr && (type == "revolute" || type == "prismatic")) {
      fail(
          at(element), fmt::format("the {} joint `{}` has no <limit>", type, joint.name),
          "URDF demands <limit lower=... upper=... effort=... velocity=.../>; a continuous joint needs none");
    }
    if (limit != nullptr) {
      optional_number(limit, "lower", true);
      optional_number(limit, "upper", true);
      number(limit, "effort");
      number(limit, "velocity");
      optional_number(limit, "effort", false);
      optional_number(limit, "velocity", false);
    }
    if (const XMLElement* dynamics = element->FirstChildElement("dynamics")) {
      optional_number(dynamics, "damping", false);
      optional_number(dynamics, "friction", false);
      if (dynamics->Attribute("damping") == nullptr && dynamics->Attribute("friction") == nullptr) {
        fail(at(dynamics), "<dynamics> says neither damping nor friction", "remove it, or give one of them");
      }
    }
    if (const XMLElement* mimic = element->FirstChildElement("mimic")) {
      joint.mimic = UrdfMimic{attribute(mimic, "joint"), 1.0, 0.0, at(mimic)};
      if (mimic->Attribute("multiplier") != nullptr) joint.mimic->multiplier = number(mimic, "multiplier");
      if (mimic->Attribute("offset") != nullptr) joint.mimic->offset = number(mimic, "offset");
    }
    joint.origin = read_origin(element);
    outline_.joints.push_back(std::move(joint));
  }

  const std::string& text_;
  std::string file_;
  UrdfOutline outline_;
};

}  // namespace

UrdfOutline outline_urdf(const std::string& text, const std::string& file) {
  return Walk(text, file).outline();
}

}  // namespace tactus::describe
