#include <tactus/collide/collector.h>

#include <algorithm>
#include <utility>

namespace tactus::collide {

namespace {

/// Gaps and distances that differ by less than this part of the shapes' size are equal: which pair is kept
/// must not follow the rounding of the last step.
constexpr double kTie = 1e-7;
/// Feature pairs nearer to each other than this part of the size, with normals that agree, are one contact:
/// the corners of two equal boxes on each other. More than twice the slack of `over_face`.
constexpr double kSamePlace = 3e-5;
constexpr double kSameNormal = 0.999;

}  // namespace

void Collector::begin(int pair, std::uint32_t shape_pair, double margin, double size) {
  pair_ = pair;
  shape_pair_ = shape_pair;
  margin_ = margin;
  size_ = size;
  least_ = -std::numeric_limits<double>::infinity();
  count_ = 0;
}

double Collector::add(FeaturePair kind, const Party& a, const Feature& feature_a, Code code_a, const Party& b,
                      const Feature& feature_b, Code code_b) {
  return add(kind, a, feature_a, placed(*a.X_WB, feature_a), code_a, b, feature_b, placed(*b.X_WB, feature_b),
             code_b);
}

double Collector::add(FeaturePair kind, const Party& a, const Feature& feature_a, const Feature& world_a,
                      Code code_a, const Party& b, const Feature& feature_b, const Feature& world_b,
                      Code code_b) {
  const Measure m = measure(kind, world_a, world_b);
  if (!(m.gap >= least_ && m.gap < margin_)) return m.gap;
  if (a.second) std::swap(code_a, code_b);
  const std::uint64_t id = std::uint64_t{shape_pair_} << (2 * Code::kBits) |
                           std::uint64_t{code_a.value} << Code::kBits | code_b.value;
  const auto end = found_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (std::any_of(found_.begin(), end, [id](const Proximity& p) { return p.id == id; })) return m.gap;
  Proximity* place = nullptr;
  if (count_ < kRoom) {
    place = &found_[count_++];
  } else {  // the deepest stay
    place = &*std::max_element(found_.begin(), end,
                               [](const Proximity& p, const Proximity& q) { return p.gap < q.gap; });
    if (place->gap <= m.gap) return m.gap;
  }
  *place = {pair_, id, a.body, b.body, kind, feature_a, feature_b, m.gap, m.point, m.normal};
  return m.gap;
}

double Collector::smallest() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count_; ++i) smallest = std::min(smallest, found_[i].gap);
  return smallest;
}

void Collector::drop_copies() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    bool copy = false;
    for (std::size_t j = 0; j < kept && !copy; ++j) {
      // The normal points from the first shape to the second, or back, as the pair was exchanged.
      const double sign = at(i).body_a == at(j).body_a ? 1.0 : -1.0;
      copy = norm(at(i).point - at(j).point) < kSamePlace * size_ &&
             sign * dot(at(i).normal, at(j).normal) > kSameNormal;
    }
    if (!copy) order_[kept++] = order_[i];
  }
  count_ = kept;
}

/// The deepest one; the one furthest from it; the one furthest from the line through both, on either side.
/// Distances across the normal of the deepest.
void Collector::keep_spread() {
  const double tie = kTie * size_;
  std::size_t deepest = 0;
  for (std::size_t i = 1; i < count_; ++i) {
    if (at(i).gap < at(deepest).gap - tie) deepest = i;
  }
  std::swap(order_[0], order_[deepest]);
  const Vec3d n = at(0).normal;
  const auto offset = [&](std::size_t i) { return across(at(i).point - at(0).point, n); };
  /// Brings the one with the largest value to place `to`; false where none is larger than a tie.
  const auto choose = [&](std::size_t to, const auto& value) {
    std::size_t best = to;
    double most = tie;
    for (std::size_t i = to; i < count_; ++i) {
      if (value(i) > most + tie) {
        most = value(i);
        best = i;
      }
    }
    std::swap(order_[to], order_[best]);
    return most > tie;
  };
  std::size_t kept = 1;
  if (choose(1, [&](std::size_t i) { return norm(offset(i)); })) {
    kept = 2;
    const Vec3d sideways = cross(n, direction_of(offset(1), any_normal_to(n)));
    if (choose(2, [&](std::size_t i) { return std::abs(dot(sideways, offset(i))); })) {
      kept = 3;
      // On the other side of the line, or beyond the two other sides of the triangle.
      const std::array<Vec3d, 3> triangle{offset(0), offset(1), offset(2)};
      const double turn =
          dot(n, cross(triangle[1] - triangle[0], triangle[2] - triangle[0])) > 0.0 ? 1.0 : -1.0;
      const auto outside = [&](std::size_t i) {
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < 3; ++k) {
          const Vec3d& from = triangle[k];
          const Vec3d outward = direction_of(turn * cross(triangle[(k + 1) % 3] - from, n), any_normal_to(n));
          most = std::max(most, dot(outward, offset(i) - from));
        }
        return most;
      };
      if (choose(3, outside)) kept = 4;
    }
  }
  count_ = kept;
}

/// By the ids; there are few.
void Collector::sort() {
  for (std::size_t i = 1; i < count_; ++i) {
    const std::uint8_t place = order_[i];
    std::size_t j = i;
    for (; j > 0 && at(j - 1).id > found_[place].id; --j) order_[j] = order_[j - 1];
    order_[j] = place;
  }
}

std::size_t Collector::finish(Keep keep) {
  for (std::size_t i = 0; i < count_; ++i) order_[i] = static_cast<std::uint8_t>(i);
  if (count_ == 1) return 1;
  sort();
  drop_copies();
  if (count_ > kKept && keep == Keep::deepest) {
    const double tie = kTie * size_;
    // Selection by the gap, ties by the id.
    for (std::size_t k = 0; k < kKept; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < count_; ++i) {
        const double difference = at(i).gap - at(best).gap;
        if (difference < -tie || (difference < tie && at(i).id < at(best).id)) best = i;
      }
      std::swap(order_[k], order_[best]);
    }
    count_ = kKept;
  } else if (count_ > kKept) {
    keep_spread();
  }
  sort();
  return count_;
}

}  // namespace tactus::collide
