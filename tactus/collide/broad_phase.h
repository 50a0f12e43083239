// The broad phase: which bounding boxes overlap, by a sweep along one axis over sorted bounds (sweep and
// prune).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <tactus/collide/vector.h>

namespace tactus::collide {

struct Bounds {
  Vec3d low{}, high{};
};

/// Pairs of things that may touch, and those of them whose bounds come nearer than a margin.
class BroadPhase {
 public:
  /// Two things, by their numbers, first < second, and what `overlapping` calls the pair.
  struct Pair {
    int first = 0, second = 0;
    int index = 0;
  };
  BroadPhase(std::size_t things, std::span<const Pair> pairs);

  Bounds& bounds(int thing) { return bounds_[static_cast<std::size_t>(thing)]; }
  /// Calls `visit(index)` for each pair, in no particular order. No allocation.
  template <class Visit>
  void overlapping(double margin, const Visit& visit);

 private:
  struct Partner {
    int other = 0, index = 0;
  };
  void sort();

  std::vector<Bounds> bounds_;
  std::vector<int> order_;         // by the low end along x; nearly sorted from one call to the next
  std::vector<int> begin_;         // partners of thing i: [begin_[i], begin_[i + 1])
  std::vector<Partner> partners_;  // with a higher number, in order
};

template <class Visit>
void BroadPhase::overlapping(double margin, const Visit& visit) {
  sort();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Bounds& a = bounds_[static_cast<std::size_t>(order_[i])];
    for (std::size_t j = i + 1; j < order_.size(); ++j) {
      const Bounds& b = bounds_[static_cast<std::size_t>(order_[j])];
      if (!(b.low.x <= a.high.x + margin)) break;
      if (b.low.y > a.high.y + margin || a.low.y > b.high.y + margin || b.low.z > a.high.z + margin ||
          a.low.z > b.high.z + margin)
        continue;
      const auto first = static_cast<std::size_t>(std::min(order_[i], order_[j]));
      const int second = std::max(order_[i], order_[j]);
      const auto end = partners_.begin() + begin_[first + 1];
      auto partner = std::lower_bound(partners_.begin() + begin_[first], end, second,
                                      [](const Partner& p, int other) { return p.other < other; });
      for (; partner != end && partner->other == second; ++partner) visit(partner->index);
    }
  }
}

}  // namespace tactus::collide
