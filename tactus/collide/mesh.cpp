#include <tactus/collide/mesh.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::collide {

namespace {

/// As many as a feature's code can number.
constexpr std::size_t kMostTriangles = 300000;

/// [bytes] Room for that many triangles in the most wordy text (some 300 bytes each), twice over.
constexpr std::uintmax_t kLargestMesh = 256u << 20;

[[noreturn]] void fail(const std::string& name, int line, std::string wrong, std::string remedy) {
  throw InputError({name, line, 0}, std::move(wrong), std::move(remedy));
}

void require_room(std::size_t triangles, const std::string& name, int line) {
  if (triangles > kMostTriangles) {
    fail(name, line, fmt::format("the mesh has more than {} triangles", kMostTriangles),
         "simplify it for contact; the fine one may stay for drawing");
  }
}

/// Joins vertices with equal coordinates: STL repeats them for each triangle.
class Welder {
 public:
  explicit Welder(TriangleMesh& mesh) : mesh_(mesh) {}
  int operator()(const Vec3d& p) {
    // -0 and 0 are one place.
    const std::array<double, 3> key{p.x + 0.0, p.y + 0.0, p.z + 0.0};
    const auto [place, is_new] = index_.try_emplace(key, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(p);
    return place->second;
  }

 private:
  TriangleMesh& mesh_;
  std::map<std::array<double, 3>, int> index_;
};

bool finite(const Vec3d& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

/// Lines of a text, words of a line.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    ++number_;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    return true;
  }
  int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

std::string_view next_word(std::string_view& line) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return line = {};
  const std::size_t end = line.find_first_of(kBlank, begin);
  const std::string_view word = line.substr(begin, end == std::string_view::npos ? end : end - begin);
  line = end == std::string_view::npos ? std::string_view{} : line.substr(end);
  return word;
}

std::optional<double> number_in(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

Vec3d read_point(std::string_view& line, const std::string& name, int number) {
  Vec3d p;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string_view word = next_word(line);
    const std::optional<double> value = number_in(word);
    if (!value || !std::isfinite(*value)) {
      fail(name, number, fmt::format("`{}` is not a coordinate", word.substr(0, 40)),
           "a vertex has three finite numbers");
    }
    p[k] = *value;
  }
  return p;
}

TriangleMesh parse_stl_text(std::string_view bytes, const std::string& name) {
  TriangleMesh mesh;
  Welder weld(mesh);
  Lines lines(bytes);
  std::vector<int> loop;
  bool inside = false;  // of a facet
  for (std::string_view line; lines.next(line);) {
    const std::string_view word = next_word(line);
    if (word == "vertex") {
      if (!inside)
        fail(name, lines.number(), "a vertex outside a facet", "write `facet normal ...` before it");
      loop.push_back(weld(read_point(line, name, lines.number())));
    } else if (word == "facet") {
      if (inside) fail(name, lines.number(), "a facet inside a facet", "end the first with `endfacet`");
      inside = true;
      loop.clear();
    } else if (word == "endfacet") {
      if (!inside || loop.size() != 3) {
        fail(name, lines.number(), fmt::format("a facet with {} vertices", loop.size()),
             "each facet has three");
      }
      mesh.triangles.push_back({loop[0], loop[1], loop[2]});
      require_room(mesh.triangles.size(), name, lines.number());
      inside = false;
    } else if (!word.empty() && word != "solid" && word != "endsolid" && word != "outer" &&
               word != "endloop") {
      fail(name, lines.number(), fmt::format("`{}` is no word of an STL file", word.substr(0, 40)),
           "write the mesh again with the program it came from");
    }
  }
  if (inside) fail(name, lines.number(), "the file ends inside a facet", "it seems to be cut off");
  return mesh;
}

constexpr std::size_t kBinaryHeader = 84, kBinaryTriangle = 50;

std::uint32_t little_endian_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
  return value;
}

TriangleMesh parse_stl_binary(std::string_view bytes, const std::string& name) {
  const std::size_t count = little_endian_at(bytes, 80);
  require_room(count, name, 0);
  if (bytes.size() < kBinaryHeader + kBinaryTriangle * count) {
    fail(name, 0,
         fmt::format("the file says {} triangles and has bytes for {}", count,
                     (bytes.size() - kBinaryHeader) / kBinaryTriangle),
         "it seems to be cut off");
  }
  TriangleMesh mesh;
  Welder weld(mesh);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<int, 3> triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3d p;
      for (std::size_t c = 0; c < 3; ++c) {
        p[c] = std::bit_cast<float>(
            little_endian_at(bytes, kBinaryHeader + kBinaryTriangle * i + 12 + 12 * k + 4 * c));
      }
      if (!finite(p)) {
        fail(name, 0, fmt::format("triangle {} has a coordinate that is not finite", i + 1),
             "write the mesh again with the program it came from");
      }
      triangle[k] = weld(p);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

/// v x y z, and f with three or more corners (a fan of triangles), each "i", "i/t", "i//n" or "i/t/n",
/// counted from 1, or from the last one backwards. Everything else is about drawing and is skipped.
TriangleMesh parse_obj(std::string_view bytes, const std::string& name) {
  TriangleMesh mesh;
  Welder weld(mesh);
  std::vector<int> vertices;  // of the file -> of the mesh
  Lines lines(bytes);
  std::vector<int> loop;
  for (std::string_view line; lines.next(line);) {
    const std::string_view word = next_word(line);
    if (word == "v") {
      vertices.push_back(weld(read_point(line, name, lines.number())));
    } else if (word == "f") {
      loop.clear();
      for (std::string_view corner = next_word(line); !corner.empty(); corner = next_word(line)) {
        const std::string_view text = corner.substr(0, corner.find('/'));
        long index = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
        const long count = static_cast<long>(vertices.size());
        if (error != std::errc{} || end != text.data() + text.size() || index == 0 || index > count ||
            index < -count) {
          fail(name, lines.number(), fmt::format("`{}` is no vertex before this line", corner.substr(0, 40)),
               fmt::format("there are {} of them, counted from 1", count));
        }
        loop.push_back(vertices[static_cast<std::size_t>(index > 0 ? index - 1 : count + index)]);
      }
      if (loop.size() < 3)
        fail(name, lines.number(), fmt::format("a face with {} corners", loop.size()),
             "a face has three or more");
      for (std::size_t k = 2; k < loop.size(); ++k) mesh.triangles.push_back({loop[0], loop[k - 1], loop[k]});
      require_room(mesh.triangles.size(), name, lines.number());
    }
  }
  return mesh;
}

bool is_text_stl(std::string_view bytes) {
  std::string_view start = bytes.substr(0, 80);
  if (next_word(start) != "solid") return false;
  // Binary files may begin with "solid" as well: theirs is the length that their count says.
  return bytes.size() < kBinaryHeader ||
         bytes.size() != kBinaryHeader + kBinaryTriangle * std::size_t{little_endian_at(bytes, 80)};
}

bool has_ending(const std::string& name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  return std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

std::string where_text(const Vec3d& p) { return fmt::format("({:g}, {:g}, {:g})", p.x, p.y, p.z); }

}  // namespace

TriangleMesh parse_mesh(std::string_view bytes, const std::string& name) {
  TriangleMesh mesh;
  if (has_ending(name, ".obj")) {
    mesh = parse_obj(bytes, name);
  } else if (has_ending(name, ".stl")) {
    if (is_text_stl(bytes)) {
      mesh = parse_stl_text(bytes, name);
    } else {
      if (bytes.size() < kBinaryHeader)
        fail(name, 0, "this is not an STL file", "it is shorter than the header of one");
      mesh = parse_stl_binary(bytes, name);
    }
  } else {
    fail(name, 0, "the kind of mesh is not known", "give an STL file (*.stl) or an OBJ file (*.obj)");
  }
  if (mesh.triangles.empty()) fail(name, 0, "the mesh has no triangles", "is it the right file?");
  return mesh;
}

TriangleMesh read_mesh(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    fail(path, 0, "this is a directory, not a mesh file", "name a file in it");
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail(path, 0, "this is a device or a pipe, not a mesh file", "copy the mesh into a file first");
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown && size > kLargestMesh)
    fail(path, 0, fmt::format("the mesh file is too large ({} MiB)", size >> 20),
         fmt::format("files of up to {} MiB are read; simplify the mesh for contact", kLargestMesh >> 20));
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, 0, "the mesh file cannot be opened", "file names are relative to the model's file");
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  return parse_mesh(bytes, path);
}

void scale_mesh(TriangleMesh& mesh, const Vec3d& scale, const std::string& name) {
  const double product = scale.x * scale.y * scale.z;
  if (product == 0.0 || !std::isfinite(product))
    fail(name, 0, "the scale of a mesh is zero or not finite", "leave it out to keep the file's size");
  for (Vec3d& p : mesh.vertices) p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
  if (product < 0.0) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }
}

double volume_of(const TriangleMesh& mesh) {
  double six_volumes = 0.0;
  const Vec3d origin = mesh.vertices[0];
  for (const auto& t : mesh.triangles) {
    const auto at = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])] - origin; };
    six_volumes += dot(at(0), cross(at(1), at(2)));
  }
  return six_volumes / 6.0;
}

void require_solid(const TriangleMesh& mesh, const std::string& name) {
  const auto vertex = [&](int i) -> const Vec3d& { return mesh.vertices[static_cast<std::size_t>(i)]; };
  double size = 0.0;
  for (const Vec3d& p : mesh.vertices) {
    if (!finite(p)) fail(name, 0, "a coordinate is not finite", "mind the scale");
    size = std::max(size, norm(p - mesh.vertices[0]));
  }
  // Directed edges: each must be met once, and its reverse once.
  std::map<std::pair<int, int>, int> edges;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& t = mesh.triangles[i];
    const Vec3d a = vertex(t[1]) - vertex(t[0]), b = vertex(t[2]) - vertex(t[0]);
    const double longest = std::max({norm(a), norm(b), norm(b - a)});
    // A height below a part in 10^10 of its base gives no normal.
    if (!(norm(cross(a, b)) > 1e-10 * longest * longest)) {
      fail(name, 0, fmt::format("triangle {} at {} has no area", i + 1, where_text(vertex(t[0]))),
           "remove it: contact needs a normal everywhere");
    }
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) {
    const auto reverse = edges.find({edge.second, edge.first});
    const std::string place =
        fmt::format("from {} to {}", where_text(vertex(edge.first)), where_text(vertex(edge.second)));
    if (count > 1) {
      fail(name, 0, fmt::format("two triangles run the same way through the edge {}", place),
           "turn one of them: all must be counter-clockwise seen from outside, two at each edge");
    }
    if (reverse == edges.end()) {
      fail(name, 0, fmt::format("the mesh is open at the edge {}", place),
           "close it: contact needs the surface of a solid");
    }
  }
  const double volume = volume_of(mesh);
  if (!(std::abs(volume) > 1e-12 * size * size * size))
    fail(name, 0, "the mesh encloses no volume", "contact needs the surface of a solid");
  if (volume < 0.0)
    fail(name, 0, "the mesh is inside out", "turn its triangles: counter-clockwise seen from outside");
}

}  // namespace tactus::collide
