#include <tactus/collide/scene.h>

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/collide/broad_phase.h>
#include <tactus/collide/collector.h>
#include <tactus/collide/convex.h>
#include <tactus/collide/cylinder.h>
#include <tactus/collide/half_space.h>
#include <tactus/collide/hollow.h>
#include <tactus/collide/planar.h>
#include <tactus/collide/shape.h>
#include <tactus/collide/surface_contact.h>

namespace tactus::collide {

namespace {

/// Two shapes that may touch. Small: scenes of many bodies have tens of thousands.
struct ShapePair {
  int pair = 0;                 // of the model
  int first = 0, second = 0;    // shapes, first < second
  int planar = -1;              // place in `sections`, where both move in one plane
  Vec3d parted{0.0, 0.0, 1.0};  // a direction along which they were apart
};

bool can_touch(const Shape& a, const Shape& b) {
  const bool hollow_a = a.is_hollow(), hollow_b = b.is_hollow();
  if (hollow_a && hollow_b) return false;
  const bool space_a = a.kind == ShapeKind::half_space, space_b = b.kind == ShapeKind::half_space;
  return !(hollow_a && space_b) && !(hollow_b && space_a) && !(space_a && space_b);
}

/// A body's shape in the world, brought up to date when it is first needed after an update.
struct PlacedShape {
  Shape shape;
  PlacedPolytope core;
  std::uint64_t placed_at = 0;

  explicit PlacedShape(Shape s) : shape(std::move(s)), core(shape.core) {}
};

}  // namespace

struct Scene::Implementation {
  std::vector<int> bodies;
  std::vector<Posed> poses;                          // of all bodies of the model
  std::vector<std::unique_ptr<PlacedShape>> shapes;  // at fixed places: their cores point into them
  std::vector<ShapePair> pairs;
  std::vector<SectionPair> sections;
  std::vector<std::size_t> unbounded;   // pairs with a half-space
  std::vector<Feature> planes;          // [shapes] of half-spaces, in the world
  std::vector<std::size_t> candidates;  // near enough to be looked at; room for all
  std::unique_ptr<BroadPhase> broad_phase;
  std::uint64_t updates = 0;
  Collector collector;
  std::vector<Proximity> found;
  std::size_t count = 0;
  bool overflowed = false;

  explicit Implementation(const describe::Model& model, std::size_t most);
  void add_pairs(const describe::Model& model, int index, const PlanarMotion& motion);
  int shape_index(const describe::Model& model, int body, int geometry);
  Party party(int shape, bool second) const;
  PlacedParty placed_party(int shape, bool second);
  bool above(const ShapePair& pair, double margin);
  void examine(std::size_t pair, double margin);
  Keep add_features(ShapePair& pair);
};

Scene::Implementation::Implementation(const describe::Model& model, std::size_t most)
    : poses(model.bodies.size()), found(most) {
  const PlanarMotion motion(model);
  for (std::size_t i = 0; i < model.contact.pairs.size(); ++i) add_pairs(model, static_cast<int>(i), motion);
  for (const auto& shape : shapes) bodies.push_back(shape->shape.body);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  std::vector<BroadPhase::Pair> bounded;
  const auto is_half_space = [this](int shape) {
    return shapes[static_cast<std::size_t>(shape)]->shape.kind == ShapeKind::half_space;
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (is_half_space(pairs[i].first) || is_half_space(pairs[i].second))
      unbounded.push_back(i);
    else
      bounded.push_back({pairs[i].first, pairs[i].second, static_cast<int>(i)});
  }
  broad_phase = std::make_unique<BroadPhase>(shapes.size(), bounded);
  planes.resize(shapes.size());
  candidates.reserve(pairs.size());
  if (pairs.size() >= (std::size_t{1} << (64 - 2 * Code::kBits))) {
    throw InputError({model.file, 0, 0},
                     fmt::format("the model has {} pairs of contact shapes", pairs.size()),
                     "leave out pairs that never touch (`ignore`), or give bodies fewer shapes");
  }
}

int Scene::Implementation::shape_index(const describe::Model& model, int body, int geometry) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i]->shape.body == body && shapes[i]->shape.index == geometry) return static_cast<int>(i);
  }
  shapes.push_back(std::make_unique<PlacedShape>(shape_of(model, body, geometry)));
  return static_cast<int>(shapes.size()) - 1;
}

void Scene::Implementation::add_pairs(const describe::Model& model, int index, const PlanarMotion& motion) {
  const describe::ContactPair& pair = model.contact.pairs[static_cast<std::size_t>(index)];
  const auto shapes_of = [&](int body, int geometry) {
    std::vector<int> result;
    const auto& all = model.bodies[static_cast<std::size_t>(body)].geometry;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (geometry >= 0 ? static_cast<int>(i) == geometry : all[i].contact)
        result.push_back(shape_index(model, body, static_cast<int>(i)));
    }
    return result;
  };
  const std::vector<int> of_a = shapes_of(pair.body_a, pair.geometry_a);
  const std::vector<int> of_b = shapes_of(pair.body_b, pair.geometry_b);
  for (const int a : of_a) {
    for (const int b : of_b) {
      const Shape& shape_a = shapes[static_cast<std::size_t>(a)]->shape;
      const Shape& shape_b = shapes[static_cast<std::size_t>(b)]->shape;
      if (!can_touch(shape_a, shape_b)) {
        const bool planes = shape_a.kind == ShapeKind::half_space && shape_b.kind == ShapeKind::half_space;
        if (planes || (pair.geometry_a >= 0 && pair.geometry_b >= 0)) {
          throw InputError(
              pair.where,
              fmt::format("the contact pair `{}` is between two shapes that cannot touch: {}", pair.name,
                          planes ? "two planes (half-spaces without end)"
                                 : "a hollow shape touches on its inside only, and neither a plane "
                                   "nor another hollow shape fits in"),
              planes ? "use a box for one of them" : "leave out the pair, or name other shapes");
        }
        continue;
      }
      ShapePair found{index, std::min(a, b), std::max(a, b)};
      std::optional<SectionPair> planar =
          collide::sections(motion, shapes[static_cast<std::size_t>(found.first)]->shape,
                            shapes[static_cast<std::size_t>(found.second)]->shape);
      if (planar && planar->apart) continue;
      if (planar) {
        found.planar = static_cast<int>(sections.size());
        sections.push_back(std::move(*planar));
      }
      pairs.push_back(found);
    }
  }
}

Party Scene::Implementation::party(int shape, bool second) const {
  const int body = shapes[static_cast<std::size_t>(shape)]->shape.body;
  return {&poses[static_cast<std::size_t>(body)], body, second};
}

PlacedParty Scene::Implementation::placed_party(int index, bool second) {
  PlacedShape& shape = *shapes[static_cast<std::size_t>(index)];
  const Party where = party(index, second);
  if (shape.placed_at != updates) {
    shape.core.place(*where.X_WB);
    shape.placed_at = updates;
  }
  return {&shape.core, where};
}

/// Adds the feature pairs of two shapes to the collector.
Keep Scene::Implementation::add_features(ShapePair& pair) {
  Party p = party(pair.first, false), q = party(pair.second, true);
  if (pair.planar >= 0) {
    const SectionPair& planar = sections[static_cast<std::size_t>(pair.planar)];
    add_planar(p, planar.a, q, planar.b, collector);
    return Keep::deepest_and_spread;
  }
  int first = pair.first, second = pair.second;
  const auto shape = [this](int i) -> const Shape& { return shapes[static_cast<std::size_t>(i)]->shape; };
  // The kinds in the order in which the cases below expect them.
  const auto rank = [&](int i) {
    switch (shape(i).kind) {
      case ShapeKind::half_space:
        return 0;
      case ShapeKind::hollow_ball:
      case ShapeKind::hollow_cylinder:
        return 1;
      case ShapeKind::surface:
        return 2;
      case ShapeKind::cylinder:
        return 3;
      case ShapeKind::convex:
        return 4;
    }
    return 5;
  };
  if (rank(first) > rank(second)) {
    std::swap(first, second);
    std::swap(p, q);
  }
  const Shape &a = shape(first), &b = shape(second);
  if (a.kind == ShapeKind::half_space) {
    if (b.kind == ShapeKind::surface) {
      add_surface_half_space(p, plane_of(a), q, *b.surface, collector);
      return Keep::deepest_and_spread;
    }
    if (b.kind == ShapeKind::cylinder)
      add_rims_above(p, plane_of(a), Code::face(0), q, b, collector);
    else
      add_corners_above(p, plane_of(a), Code::face(0), q, b.core, collector);
    return Keep::deepest;
  }
  if (a.is_hollow()) {
    if (b.kind == ShapeKind::surface)
      add_surface_inside(p, a, q, *b.surface, collector);
    else
      add_inside(p, a, q, b, collector);
    return Keep::deepest;
  }
  if (a.kind == ShapeKind::surface) {
    if (b.kind == ShapeKind::surface)
      add_surfaces(p, *a.surface, q, *b.surface, collector);
    else if (b.kind == ShapeKind::cylinder)
      add_surface_cylinder(p, *a.surface, q, b, collector);
    else
      add_surface_polytope(p, *a.surface, placed_party(second, q.second), collector);
    return Keep::deepest_and_spread;
  }
  if (a.kind == ShapeKind::cylinder) {
    if (b.kind == ShapeKind::cylinder)
      add_cylinders(p, a, q, b, pair.parted, collector);
    else if (b.core.edges.empty())
      add_cylinder_ball(p, a, q, b.core, collector);
    else
      add_cylinder_polytope(p, a, placed_party(second, q.second), pair.parted, collector);
    return Keep::deepest_and_spread;
  }
  add_convex(placed_party(first, p.second), placed_party(second, q.second), pair.parted, collector);
  return Keep::deepest_and_spread;
}

/// Whether the box that holds a shape is above a half-space by more than the margin.
bool Scene::Implementation::above(const ShapePair& pair, double margin) {
  const bool first = shapes[static_cast<std::size_t>(pair.first)]->shape.kind == ShapeKind::half_space;
  const int space = first ? pair.first : pair.second, other = first ? pair.second : pair.first;
  const Feature& plane = planes[static_cast<std::size_t>(space)];
  const Bounds& bounds = broad_phase->bounds(other);
  double lowest = 0.0;
  for (std::size_t k = 0; k < 3; ++k)
    lowest += plane.axis[k] * ((plane.axis[k] > 0.0 ? bounds.low[k] : bounds.high[k]) - plane.p[k]);
  return lowest >= margin;
}

void Scene::Implementation::examine(std::size_t index, double margin) {
  ShapePair& pair = pairs[index];
  const double size = std::min(shapes[static_cast<std::size_t>(pair.first)]->shape.size,
                               shapes[static_cast<std::size_t>(pair.second)]->shape.size);
  collector.begin(pair.pair, static_cast<std::uint32_t>(index), margin, size);
  const Keep keep = add_features(pair);
  if (collector.empty()) return;
  const std::size_t kept = collector.finish(keep);
  for (std::size_t i = 0; i < kept; ++i) {
    if (count == found.size()) {
      overflowed = true;
      return;
    }
    found[count++] = collector.kept(i);
  }
}

Scene::Scene(const describe::Model& model, std::size_t most)
    : implementation_(std::make_unique<Implementation>(model, most)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;

void Scene::update(std::span<const double> poses) {
  Implementation& i = *implementation_;
  TACTUS_CHECK(poses.size() == 12 * i.poses.size());
  for (const int body : i.bodies) {
    const double* X = poses.data() + 12 * static_cast<std::size_t>(body);
    Posed& pose = i.poses[static_cast<std::size_t>(body)];
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) pose.R(row, column) = X[4 * row + column];
      pose.p[row] = X[4 * row + 3];
    }
  }
  for (std::size_t s = 0; s < i.shapes.size(); ++s) {
    const Shape& shape = i.shapes[s]->shape;
    const Posed& X = i.poses[static_cast<std::size_t>(shape.body)];
    if (shape.kind == ShapeKind::half_space) i.planes[s] = placed(X, plane_of(shape));
    const Vec3d centre = transformed(X, shape.centre);
    const Mat3d R = X.R * shape.frame;
    Vec3d half;
    for (std::size_t k = 0; k < 3; ++k) {
      half[k] = std::abs(R(k, 0)) * shape.extent.x + std::abs(R(k, 1)) * shape.extent.y +
                std::abs(R(k, 2)) * shape.extent.z;
    }
    i.broad_phase->bounds(static_cast<int>(s)) = {centre - half, centre + half};
  }
  ++i.updates;
  i.count = 0;
  i.overflowed = false;
}

std::span<const Proximity> Scene::near(double margin, std::span<const char> still) {
  Implementation& i = *implementation_;
  i.count = 0;
  i.candidates.clear();
  const auto asleep = [&](const ShapePair& pair) {
    const auto is_still = [&](int shape) {
      return still[static_cast<std::size_t>(i.shapes[static_cast<std::size_t>(shape)]->shape.body)] != 0;
    };
    return !still.empty() && is_still(pair.first) && is_still(pair.second);
  };
  for (const std::size_t pair : i.unbounded) {
    if (!asleep(i.pairs[pair]) && !i.above(i.pairs[pair], margin)) i.candidates.push_back(pair);
  }
  i.broad_phase->overlapping(margin, [&](int index) {
    const auto pair = static_cast<std::size_t>(index);
    if (!asleep(i.pairs[pair])) i.candidates.push_back(pair);
  });
  // Pairs of shapes are numbered in the order of the model's pairs, and ids begin with that number.
  std::sort(i.candidates.begin(), i.candidates.end());
  for (const std::size_t pair : i.candidates) i.examine(pair, margin);
  return {i.found.data(), i.count};
}

bool Scene::overflowed() const { return implementation_->overflowed; }
const std::vector<int>& Scene::bodies() const { return implementation_->bodies; }

double Scene::reach(int body) const {
  double reach = 0.0;
  for (const auto& placed : implementation_->shapes) {
    const Shape& shape = placed->shape;
    if (shape.body != body) continue;
    if (shape.kind == ShapeKind::half_space) return std::numeric_limits<double>::infinity();
    reach = std::max(reach, norm(shape.centre) + norm(shape.extent));
  }
  return reach;
}

}  // namespace tactus::collide
