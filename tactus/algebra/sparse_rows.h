// A matrix of expressions by those of its entries that are not known to be zero: what it costs is what its entries cost, not what a full one would.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::algebra {

class SparseRows {
 public:
  struct Entry {
    std::size_t column;
    Expr value;
  };

  explicit SparseRows(std::size_t columns = 0) : columns_(columns) {}
  /// Of a full matrix, row by row.
  SparseRows(const std::vector<Expr>& full, std::size_t columns) : columns_(columns) {
    for (std::size_t first = 0; first < full.size(); first += columns) {
      for (std::size_t i = 0; i < columns; ++i) append(i, full[first + i]);
      end_row();
    }
  }

  std::size_t rows() const { return begin_.size() - 1; }
  std::size_t columns() const { return columns_; }
  std::size_t entry_count() const { return entries_.size(); }
  /// Its entries, by growing columns.
  std::span<const Entry> row(std::size_t k) const {
    return std::span(entries_).subspan(begin_[k], begin_[k + 1] - begin_[k]);
  }

  /// To the row that is being written, by growing columns; zeros are left out.
  void append(std::size_t column, Expr value) {
    if (!is_zero(value)) entries_.push_back({column, value});
  }
  void end_row() { begin_.push_back(entries_.size()); }
  void add_row(std::span<const Entry> row) {
    entries_.insert(entries_.end(), row.begin(), row.end());
    end_row();
  }

  /// With its zeros, row by row.
  std::vector<Expr> full() const {
    std::vector<Expr> all(rows() * columns_);
    for (std::size_t k = 0; k < rows(); ++k)
      for (const Entry& entry : row(k)) all[k * columns_ + entry.column] = entry.value;
    return all;
  }

 private:
  std::size_t columns_;
  std::vector<std::size_t> begin_{0};
  std::vector<Entry> entries_;
};

/// Derivatives of roots by symbols (calculus.h), row by row.
SparseRows sparse_jacobian(std::span<const Expr> roots, std::span<const Expr> symbols);

}  // namespace tactus::algebra
