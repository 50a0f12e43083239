// The search for the best slides: link by link, each candidate judged by the count of operations it leads to.
#pragma once

#include <tactus/derive/simplify.h>

namespace tactus::derive {

/// Beyond this many links the offsets alone decide; counting each candidate would cost more than it gains.
inline constexpr int kSearchedLinks = 12;

template <class Cost>
Tree<algebra::Expr> simplified(Tree<algebra::Expr> tree, const std::vector<bool>& loaded, const Cost& cost) {
  turn_frames(tree);
  const auto regrouped = [&](Tree<algebra::Expr> t) {
    regroup_inertia(t, loaded);
    return t;
  };
  if (tree.size() > kSearchedLinks) return regrouped(std::move(tree));
  int best = cost(regrouped(tree));
  for (int sweep = 0; sweep < 2; ++sweep) {
    bool improved = false;
    for (int i = 0; i < tree.size(); ++i) {
      for (const algebra::Expr s : slide_candidates(tree, i)) {
        Tree<algebra::Expr> trial = tree;
        slide_frame(trial, i, s);
        const int count = cost(regrouped(trial));
        if (count < best) {
          best = count;
          tree = std::move(trial);
          improved = true;
        }
      }
    }
    if (!improved) break;
  }
  return regrouped(std::move(tree));
}

}  // namespace tactus::derive
