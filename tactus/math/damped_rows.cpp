#include <tactus/math/damped_rows.h>

#include <algorithm>

namespace tactus::math {

DampedRows::DampedRows(std::size_t most_rows, std::size_t n)
    : most_rows_(most_rows),
      begin_(most_rows + 1),
      in_column_(n),
      first_(most_rows),
      y_(most_rows),
      products_(most_rows * most_rows),
      factor_(most_rows) {}

void DampedRows::clear() {
  for (const Entry& entry : entries_) in_column_[entry.at].clear();
  for (std::size_t k = 0; k < rows_; ++k)
    std::fill(products_.data() + k * most_rows_ + first_[k], products_.data() + k * most_rows_ + k + 1, 0.0);
  entries_.clear();
  rows_ = 0;
}

void DampedRows::add(const double* row, std::span<const std::uint32_t> columns) {
  const std::size_t k = rows_++;
  double* products = products_.data() + k * most_rows_;
  std::uint32_t first = static_cast<std::uint32_t>(k);
  for (const std::uint32_t c : columns) {
    const double x = row[c];
    entries_.push_back({c, x});
    in_column_[c].push_back({static_cast<std::uint32_t>(k), x});
    for (const Entry& other : in_column_[c]) {
      products[other.at] += other.value * x;
      first = std::min(first, other.at);
    }
  }
  first_[k] = first;
  begin_[k + 1] = entries_.size();
}

bool DampedRows::factor(double d) {
  for (std::size_t k = 0; k < rows_; ++k) products_[k * most_rows_ + k] += d;
  for (std::size_t k = rows_; k < most_rows_; ++k) {  // rows that are not there
    first_[k] = static_cast<std::uint32_t>(k);
    products_[k * most_rows_ + k] = 1.0;
  }
  const bool positive = factor_.factor(products_.data(), first_.data());
  for (std::size_t k = rows_; k < most_rows_; ++k) products_[k * most_rows_ + k] = 0.0;
  return positive;
}

void DampedRows::solve(const double* b, double* x) {
  std::fill(y_.begin(), y_.end(), 0.0);
  std::copy_n(b, rows_, y_.begin());
  factor_.solve_lower(y_.data());
  factor_.solve_lower_transposed(y_.data());
  std::fill_n(x, in_column_.size(), 0.0);
  for (std::size_t k = 0; k < rows_; ++k)
    for (std::size_t e = begin_[k]; e < begin_[k + 1]; ++e) x[entries_[e].at] += entries_[e].value * y_[k];
}

}  // namespace tactus::math
