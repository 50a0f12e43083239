#include <tactus/derive/tree/speed_blocks.h>

#include <algorithm>
#include <numeric>

namespace tactus::derive {

namespace {

/// Disjoint sets; the smallest member stands for its set.
class Sets {
 public:
  explicit Sets(std::size_t size) : first_(size) { std::iota(first_.begin(), first_.end(), 0); }

  int of(int x) {
    int& first = first_[static_cast<std::size_t>(x)];
    return first == x ? x : first = of(first);
  }
  void join(int x, int y) {
    const int a = of(x), b = of(y);
    first_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> first_;
};

}  // namespace

SpeedBlocks speed_blocks(const Tree<Expr>& tree, const SpeedMap& speeds,
                         const ConstraintEquations& constraints) {
  const auto n = static_cast<std::size_t>(tree.nv);
  SpeedBlocks result;
  result.rate_speeds.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (speeds.identity) {
      result.rate_speeds[j] = {static_cast<int>(j)};
      continue;
    }
    for (std::size_t r = 0; r < n; ++r)
      if (!algebra::is_zero(speeds.W[j * n + r])) result.rate_speeds[j].push_back(static_cast<int>(r));
  }

  Sets sets(n);
  std::vector<int> any_speed(tree.links.size(), -1);  // of the links up to this one; -1: none
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link<Expr>& link = tree.links[i];
    if (link.parent >= 0) any_speed[i] = any_speed[static_cast<std::size_t>(link.parent)];
    for (int k = 0; k < speed_count(link.kind); ++k) {
      for (const int r : result.rate_speeds[static_cast<std::size_t>(link.v + k)]) {
        if (any_speed[i] < 0) any_speed[i] = r;
        sets.join(any_speed[i], r);
      }
    }
  }
  std::vector<int> speed_of_row(constraints.rows.size(), -1);
  for (std::size_t row = 0; row < constraints.rows.size(); ++row) {
    for (const auto& entry : constraints.A.row(row)) {
      if (speed_of_row[row] < 0) speed_of_row[row] = static_cast<int>(entry.column);
      sets.join(speed_of_row[row], static_cast<int>(entry.column));
    }
  }

  result.block.resize(n);
  result.place.resize(n);
  for (std::size_t r = 0; r < n; ++r) {
    const int first = sets.of(static_cast<int>(r));
    if (first == static_cast<int>(r)) {
      result.block[r] = static_cast<int>(result.blocks.size());
      result.blocks.emplace_back();
    } else {
      result.block[r] = result.block[static_cast<std::size_t>(first)];
    }
    std::vector<int>& members = result.blocks[static_cast<std::size_t>(result.block[r])].speeds;
    result.place[r] = static_cast<int>(members.size());
    members.push_back(static_cast<int>(r));
  }
  for (std::size_t row = 0; row < speed_of_row.size(); ++row) {
    if (speed_of_row[row] < 0) continue;
    const int k = result.block[static_cast<std::size_t>(speed_of_row[row])];
    result.blocks[static_cast<std::size_t>(k)].rows.push_back(static_cast<int>(row));
  }
  for (const auto& body : tree.bodies) {
    const int speed = body.link < 0 ? -1 : any_speed[static_cast<std::size_t>(body.link)];
    result.block_of_body.push_back(speed < 0 ? -1 : result.block[static_cast<std::size_t>(speed)]);
  }
  return result;
}

}  // namespace tactus::derive
