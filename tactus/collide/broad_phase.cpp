#include <tactus/collide/broad_phase.h>

#include <algorithm>
#include <numeric>

namespace tactus::collide {

BroadPhase::BroadPhase(std::size_t things, std::span<const Pair> pairs)
    : bounds_(things), order_(things), begin_(things + 1, 0) {
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<int> by_things(pairs.size());
  std::iota(by_things.begin(), by_things.end(), 0);
  const auto at = [&](int i) -> const Pair& { return pairs[static_cast<std::size_t>(i)]; };
  std::stable_sort(by_things.begin(), by_things.end(), [&](int i, int j) {
    return at(i).first != at(j).first ? at(i).first < at(j).first : at(i).second < at(j).second;
  });
  for (const int i : by_things) {
    partners_.push_back({at(i).second, at(i).index});
    ++begin_[static_cast<std::size_t>(at(i).first) + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
}

void BroadPhase::sort() {
  const auto low = [this](int thing) { return bounds_[static_cast<std::size_t>(thing)].low.x; };
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const int thing = order_[i];
    std::size_t j = i;
    for (; j > 0 && low(order_[j - 1]) > low(thing); --j) order_[j] = order_[j - 1];
    order_[j] = thing;
  }
}

}  // namespace tactus::collide
