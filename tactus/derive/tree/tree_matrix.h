// A symmetric matrix of the speeds of trees, M, by the entries that the trees do not make zero: of each speed those with the speeds on its way to
// the ground. A thousand bodies that have no joint in common take a thousand times the memory of one.
//
// M = L^T D L from the last speed to the first keeps the sparsity [Featherstone2008, 6.5]; the operations are those of recursion/sparse_factor.h on
// a full matrix, in the same order.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tactus::derive {

template <class S>
class TreeMatrix {
 public:
  /// For each speed the next one towards the ground that it couples with; -1 at a root (speed_parents()).
  explicit TreeMatrix(std::vector<int> parents) : parents_(std::move(parents)) {
    std::size_t entries = 0;
    for (const int parent : parents_) {
      depth_.push_back(parent < 0 ? 0 : depth_[static_cast<std::size_t>(parent)] + 1);
      first_.push_back(entries);
      entries += depth_.back() + 1;
    }
    entries_.resize(entries);
  }
  /// The entries of a full matrix that the coupling leaves.
  TreeMatrix(std::vector<int> parents, const std::vector<S>& full) : TreeMatrix(std::move(parents)) {
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i)
      for (int j = static_cast<int>(i); j >= 0; j = parents_[static_cast<std::size_t>(j)])
        at(i, static_cast<std::size_t>(j)) = full[i * n + static_cast<std::size_t>(j)];
  }

  std::size_t size() const { return parents_.size(); }
  const std::vector<int>& parents() const { return parents_; }
  int parent(std::size_t i) const { return parents_[i]; }

  /// Of a speed i and one on its way to the ground, or itself.
  S& at(std::size_t i, std::size_t j) { return entries_[first_[i] + depth_[j]]; }
  const S& at(std::size_t i, std::size_t j) const { return entries_[first_[i] + depth_[j]]; }
  /// In either order.
  void set(int i, int j, const S& element) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    (depth_[a] >= depth_[b] ? at(a, b) : at(b, a)) = element;
  }

  /// In place: below the diagonal L (unit diagonal left out), on the diagonal the reciprocals 1/D.
  void factorise() {
    for (std::size_t k = size(); k-- > 0;) {
      const S inverse = S(1.0) / at(k, k);
      at(k, k) = inverse;
      for (int i = parents_[k]; i >= 0; i = parents_[static_cast<std::size_t>(i)]) {
        const auto row = static_cast<std::size_t>(i);
        const S a = at(k, row) * inverse;
        for (int j = i; j >= 0; j = parents_[static_cast<std::size_t>(j)]) {
          const auto column = static_cast<std::size_t>(j);
          at(row, column) = at(row, column) - a * at(k, column);
        }
        at(k, row) = a;
      }
    }
  }

  /// x = M^-1 x with the factors.
  void solve(std::vector<S>& x) const {
    for (std::size_t i = size(); i-- > 0;)
      for (int j = parents_[i]; j >= 0; j = parents_[static_cast<std::size_t>(j)]) {
        const auto column = static_cast<std::size_t>(j);
        x[column] = x[column] - at(i, column) * x[i];
      }
    for (std::size_t i = 0; i < size(); ++i) {
      x[i] = x[i] * at(i, i);
      for (int j = parents_[i]; j >= 0; j = parents_[static_cast<std::size_t>(j)])
        x[i] = x[i] - at(i, static_cast<std::size_t>(j)) * x[static_cast<std::size_t>(j)];
    }
  }

 private:
  std::vector<int> parents_;
  std::vector<std::size_t> depth_, first_;  // speeds below; place of the entry with the root
  std::vector<S> entries_;
};

}  // namespace tactus::derive
