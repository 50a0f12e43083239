// Shapes on bodies, for drawing and for contact.
#include <array>
#include <charconv>
#include <filesystem>
#include <unordered_set>

#include <fmt/format.h>

#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using algebra::dimension::kLength;
using algebra::dimension::kNumber;

constexpr double kPlaneEdge =
    2.0;  // [m] of a plane as it is drawn where nothing is said: it has no end for what touches it

/// The name of a file, as seen from the model's: those in a file that it includes are seen from there.
std::string beside(const Reader& reader, const Value& value) {
  const std::filesystem::path path = reader.word(value, "`file`");
  return path.is_absolute() ? path.string()
                            : (std::filesystem::path(reader.source(value).folder) / path).string();
}

/// "#rrggbb" or "#rrggbbaa", or [r, g, b] or [r, g, b, a] with numbers from 0 to 1.
std::array<double, 4> read_color(const Reader& reader, const Value& value) {
  constexpr std::string_view kHelp =
      "write [r, g, b] or [r, g, b, a] with numbers from 0 to 1, or \"#rrggbb\"";
  std::array<double, 4> color{0.0, 0.0, 0.0, 1.0};
  if (value.is_sequence() && (value.items.size() == 3 || value.items.size() == 4)) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      color[i] = reader.value_at_parameters(reader.number(value.items[i], kNumber));
      if (color[i] < 0.0 || color[i] > 1.0) {
        reader.fail(value.items[i], fmt::format("a colour's part is {}, outside 0 to 1", color[i]),
                    std::string(kHelp));
      }
    }
    return color;
  }
  const std::string& text = value.text;
  const bool hexadecimal = value.is_scalar() && (text.size() == 7 || text.size() == 9) && text[0] == '#';
  if (!hexadecimal) reader.fail(value, "this is not a colour", std::string(kHelp));
  for (std::size_t i = 0; 2 * i + 2 < text.size(); ++i) {
    int part = 0;
    const char* begin = text.data() + 1 + 2 * i;
    const auto [stop, error] = std::from_chars(begin, begin + 2, part, 16);
    if (error != std::errc{} || stop != begin + 2)
      reader.fail(value, "this is not a colour", std::string(kHelp));
    color[i] = part / 255.0;
  }
  return color;
}

}  // namespace

Geometry read_geometry(const Reader& reader, const Value& value) {
  const Fields fields(reader, value, "a geometry", keys::kGeometry);
  static constexpr std::array<std::string_view, 6> kShapes = {"sphere",  "box",   "cylinder",
                                                              "capsule", "plane", "mesh"};
  Geometry geometry;
  geometry.shape = static_cast<Geometry::Shape>(
      reader.choice(fields.require("shape", "write shape: sphere, box, cylinder, capsule, plane or mesh"),
                    "a shape", kShapes));
  const auto positive = [&](std::string_view key, std::string_view help) {
    const Value& given = fields.require(key, help);
    const Expr length = reader.positive_number(given, kLength, fmt::format("`{}`", key));
    if (reader.value_at_parameters(length) == 0.0) {
      reader.fail(given, fmt::format("`{}` is zero", key), "it must be more than zero");
    }
    return length;
  };
  const auto edges = [&](std::size_t count) {
    const Value& size = fields.require("size", count == 3 ? "write size: [x, y, z]" : "write size: [x, y]");
    reader.require_list(size, "`size`", count);
    Vec3 result = Vec3::zero();
    for (std::size_t i = 0; i < count; ++i)
      result[i] = reader.positive_number(size.items[i], kLength, "an edge");
    return result;
  };
  switch (geometry.shape) {
    case Geometry::Shape::sphere:
      fields.refuse({"size", "length", "file", "scale"}, "a sphere has a `radius`");
      geometry.size = {positive("radius", "write radius: 0.1"), 0.0, 0.0};
      break;
    case Geometry::Shape::box:
      fields.refuse({"radius", "length", "file", "scale"}, "a box has a `size`: [x, y, z]");
      geometry.size = edges(3);
      break;
    case Geometry::Shape::cylinder:
    case Geometry::Shape::capsule:
      fields.refuse({"size", "file", "scale"}, "it has a `radius` and a `length` along its z axis");
      geometry.size = {positive("radius", "write radius: 0.1"), positive("length", "write length: 0.5"), 0.0};
      break;
    case Geometry::Shape::plane:
      fields.refuse({"radius", "length", "file", "scale"}, "a plane has a `size`: [x, y]");
      geometry.size = {kPlaneEdge, kPlaneEdge, 0.0};
      if (fields["size"] != nullptr) geometry.size = edges(2);
      break;
    case Geometry::Shape::mesh:
      fields.refuse({"size", "radius", "length"}, "a mesh has a `file` and a `scale`");
      geometry.file = beside(reader, fields.require("file", "write file: part.stl"));
      geometry.size = {1.0, 1.0, 1.0};
      if (const Value* scale = fields["scale"]) {
        if (scale->is_sequence()) {
          geometry.size = reader.vector(*scale, kNumber, "`scale`");
        } else {
          const Expr k = reader.number(*scale, kNumber);
          geometry.size = {k, k, k};
        }
      }
      break;
  }
  if (const Value* name = fields["name"]) geometry.name = reader.identifier(*name, "a geometry");
  if (const Value* placement = fields["placement"]) geometry.X_BG = reader.placement(*placement);
  if (const Value* color = fields["color"]) geometry.color = read_color(reader, *color);
  if (const Value* visual = fields["visual"]) geometry.visual = reader.flag(*visual, "`visual`");
  if (const Value* contact = fields["contact"]) geometry.contact = reader.flag(*contact, "`contact`");
  if (geometry.contact && geometry.shape == Geometry::Shape::box) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (reader.value_at_parameters(geometry.size[i]) > 0.0) continue;
      reader.fail(fields.require("size", "").items[i], "a box without thickness cannot be touched",
                  "give all three edges more than zero");
    }
  }
  if (const Value* hollow = fields["hollow"]) {
    geometry.hollow = reader.flag(*hollow, "`hollow`");
    if (geometry.hollow && geometry.shape != Geometry::Shape::sphere &&
        geometry.shape != Geometry::Shape::cylinder) {
      reader.fail(*hollow,
                  fmt::format("a {} cannot be hollow", kShapes[static_cast<std::size_t>(geometry.shape)]),
                  "only a sphere and a cylinder can be touched from inside; make a room of planes");
    }
  }
  return geometry;
}

std::vector<Geometry> read_geometries(const Reader& reader, const Value& list) {
  if (!list.is_sequence()) {
    reader.fail(list, fmt::format("`geometry` must be a list, not {}", name_of(list.kind)),
                "write one `- {shape: ..., ...}` for each shape");
  }
  std::vector<Geometry> geometries;
  std::unordered_set<std::string> names;
  for (const Value& item : list.items) {
    geometries.push_back(read_geometry(reader, item));
    const std::string& name = geometries.back().name;
    if (name.empty() || names.insert(name).second) continue;
    reader.fail(*item.find("name"), fmt::format("two shapes of one body are named `{}`", name),
                "give them different names");
  }
  return geometries;
}

}  // namespace tactus::describe
