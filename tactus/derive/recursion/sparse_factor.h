// M = L^T D L from the last speed to the first, which keeps the sparsity of a tree (no fill-in), and the
// solution of M x = b with it. The entries that the tree makes zero are never touched.
#pragma once

#include <vector>

#include <tactus/derive/tree/tree.h>

namespace tactus::derive {

/// For each speed the next one towards the ground that it couples with; -1 at the root.
template <class S>
std::vector<int> speed_parents(const Tree<S>& tree) {
  std::vector<int> parent(static_cast<std::size_t>(tree.nv), -1);
  for (const Link<S>& link : tree.links) {
    int below = -1;
    for (int P = link.parent; P >= 0 && below < 0; P = tree.links[static_cast<std::size_t>(P)].parent) {
      const Link<S>& link_P = tree.links[static_cast<std::size_t>(P)];
      if (speed_count(link_P.kind) > 0) below = link_P.v + speed_count(link_P.kind) - 1;
    }
    for (int k = 0; k < speed_count(link.kind); ++k) {
      parent[static_cast<std::size_t>(link.v + k)] = k == 0 ? below : link.v + k - 1;
    }
  }
  return parent;
}

/// In place: below the diagonal L (unit diagonal left out), on the diagonal the reciprocals 1/D.
template <class S>
void factorise(const std::vector<int>& parent, int nv, S* M) {
  for (int k = nv - 1; k >= 0; --k) {
    const S inverse = S(1.0) / M[k * nv + k];
    M[k * nv + k] = inverse;
    for (int i = parent[static_cast<std::size_t>(k)]; i >= 0; i = parent[static_cast<std::size_t>(i)]) {
      const S a = M[k * nv + i] * inverse;
      for (int j = i; j >= 0; j = parent[static_cast<std::size_t>(j)]) {
        M[i * nv + j] = M[i * nv + j] - a * M[k * nv + j];
      }
      M[k * nv + i] = a;
    }
  }
}

/// x = M^-1 x with the factors.
template <class S>
void solve(const std::vector<int>& parent, int nv, const S* factors, S* x) {
  for (int i = nv - 1; i >= 0; --i) {
    for (int j = parent[static_cast<std::size_t>(i)]; j >= 0; j = parent[static_cast<std::size_t>(j)]) {
      x[j] = x[j] - factors[i * nv + j] * x[i];
    }
  }
  for (int i = 0; i < nv; ++i) {
    x[i] = x[i] * factors[i * nv + i];
    for (int j = parent[static_cast<std::size_t>(i)]; j >= 0; j = parent[static_cast<std::size_t>(j)]) {
      x[i] = x[i] - factors[i * nv + j] * x[j];
    }
  }
}

}  // namespace tactus::derive
