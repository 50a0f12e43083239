#include <tactus/math/row_factor.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tactus/math/dot.h>

namespace tactus::math {

namespace {

/// Among rows of equal size the first is taken: copies are told from originals by their place.
constexpr double kTie = 1.0 + 1e-6;

/// Rows of loops that are far apart have nothing in common, or next to nothing: among rows of size 1 this
/// changes no bit that counts, and keeps numbers out of the range where processors are slow.
constexpr double kNothing = 1e-40;
/// What is left of a squared length is found by subtraction until rounding could show: then it is summed
/// anew.
constexpr double kSubtracted = 1e-6;

/// Rows shorter than this, or with more than such a part of entries, have no lists: full rows run faster then.
constexpr std::size_t kLongRow = 64, kFewEntries = 8;
/// A row of which this part is left, squared, is far enough from the span of those before it.
constexpr double kEnoughLeft = 1e-2;

double listed_dot(const double* a, const double* b, const std::uint32_t* columns, std::size_t count) {
  double sum = 0.0;
  for (std::size_t e = 0; e < count; ++e) sum += a[columns[e]] * b[columns[e]];
  return sum;
}

}  // namespace

RowFactor::RowFactor(std::size_t most_rows, std::size_t n, bool with_shortest)
    : stride_(n),
      n_(n),
      x_(most_rows * n),
      diagonal_(most_rows),
      beta_(most_rows),
      norms_(most_rows),
      summed_(most_rows),
      order_(most_rows),
      listed_(most_rows, kListed) {
  length_.resize(most_rows);
  done_length_.resize(most_rows);
  if (n >= kLongRow) {
    lists_ = LazyZeros<std::uint32_t>(most_rows * n);
    done_ = LazyZeros<std::uint32_t>(most_rows * n);
    next_in_column_ = LazyZeros<std::uint32_t>(most_rows * n);
    first_in_column_.resize(n);
    marked_.resize(n);
    whole_.resize(most_rows);
    target_.resize(n);
    step_.resize(n);
    others_.resize(n);
    turned_.resize(n);
    seen_.resize(most_rows);
    taken_.resize(most_rows);
    candidates_.resize(most_rows);
  }
  if (!with_shortest) return;
  shortest_ = std::make_unique<RowFactor>(std::min(most_rows, n), most_rows);
  shared_.resize(most_rows);
}

double* RowFactor::zeroed_row(std::size_t i) {
  double* x = at(i);
  if (!listed_[i]) std::fill_n(x, stride_, 0.0);
  for (std::uint32_t e = 0; listed_[i] && e < length_[i]; ++e) x[list(i)[e]] = 0.0;
  for (std::uint32_t e = 0; listed_[i] && e < done_length_[i]; ++e) x[done(i)[e]] = 0.0;
  length_[i] = done_length_[i] = 0;
  listed_[i] = kUnknown;  // until factor() has looked what was written, or is told
  return x;
}

void RowFactor::note_columns(std::size_t i, const std::uint32_t* columns, std::size_t count) {
  if (n_ < kLongRow) return;
  std::copy_n(columns, count, list(i));
  length_[i] = static_cast<std::uint32_t>(count);
  listed_[i] = kNoted;
}

/// Of the rows that are left from k on, the one to be taken next, by its place in the order; m where all are too small.
std::size_t RowFactor::next_row(std::size_t k, double least, const char* late) const {
  std::size_t best = m_;
  for (std::size_t j = k; j < m_; ++j) {
    const std::size_t i = order_[j];
    if (!(norms_[i] > least)) continue;
    const int sooner = best == m_ ? 1 : late == nullptr ? 0 : late[order_[best]] - late[i];
    if (sooner > 0 || (sooner == 0 && norms_[i] > kTie * norms_[order_[best]])) best = j;
  }
  return best;
}

// Rows stay where they are; order_ says when each was taken. Row k in order holds R_k0 ... R_k,k-1, then the
// reflection's vector v_k; the diagonal R_kk stands apart.
void RowFactor::factor(std::size_t m, double tolerance, const char* late) {
  m_ = m;
  rank_ = 0;
  std::iota(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(m), std::size_t{0});
  by_lists_ = n_ >= kLongRow && make_lists(m);
  if (by_lists_) return factor_listed(tolerance, late);
  for (std::size_t i = 0; i < m; ++i) {
    listed_[i] = kUnknown;
    norms_[i] = summed_[i] = dot(at(i), at(i), n_);
  }
  const double least = tolerance * tolerance;
  const std::size_t most = std::min(m, n_);
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t best = next_row(k, least, late);
    if (best == m) return;
    // The rows in between keep their order.
    std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(k),
                order_.begin() + static_cast<std::ptrdiff_t>(best),
                order_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    double* v = at(order_[k]) + k;
    const double length = std::sqrt(dot(v, v, n_ - k));  // to rounding: or it would be no reflection
    const double alpha = v[0] > 0.0 ? -length : length;
    beta_[k] = 1.0 / (length * (length + std::abs(v[0])));
    v[0] -= alpha;
    diagonal_[k] = alpha;
    rank_ = k + 1;
    for (std::size_t j = k + 1; j < m; ++j) {
      const std::size_t i = order_[j];
      double* x = at(i);
      reflect(k, x);
      norms_[i] -= x[k] * x[k];
      if (norms_[i] < kSubtracted * summed_[i])
        norms_[i] = summed_[i] = dot(x + k + 1, x + k + 1, n_ - k - 1);
    }
  }
}

/// False where the rows have too many entries.
bool RowFactor::make_lists(std::size_t m) {
  const std::size_t most = m * n_ / kFewEntries;
  std::size_t entries = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const double* x = at(i);
    std::uint32_t* columns = list(i);
    std::uint32_t count = 0;
    if (listed_[i] == kNoted) {
      for (std::uint32_t e = 0; e < length_[i]; ++e)
        if (x[columns[e]] != 0.0) columns[count++] = columns[e];
    } else {
      for (std::size_t c = 0; c < n_; ++c)
        if (x[c] != 0.0) columns[count++] = static_cast<std::uint32_t>(c);
    }
    length_[i] = count;
    entries += count;
    if (entries > most) return false;
  }
  std::fill_n(first_in_column_.begin(), n_, 0u);
  std::fill_n(seen_.begin(), m, 0u);
  std::fill_n(taken_.begin(), m, 0u);
  std::fill_n(done_length_.begin(), m, 0u);
  std::fill(marked_.begin(), marked_.end(), 0u);
  mark_ = 0;
  for (std::size_t i = m; i-- > 0;) {
    listed_[i] = kListed;
    for (std::uint32_t e = 0; e < length_[i]; ++e) link(i, list(i)[e]);
  }
  return true;
}

/// Row i has an entry in the column.
void RowFactor::link(std::size_t i, std::uint32_t column) {
  next_in_column_[i * stride_ + column] = first_in_column_[column];
  first_in_column_[column] = static_cast<std::uint32_t>(i + 1);
}

/// Rows that have no column in common with the reflection stay as they are and are not looked at.
///
/// Largest first, anywhere along a row of loops, would couple rows far apart. Rows are therefore taken as they come while enough is left of them,
/// and only what remains then by its size.
void RowFactor::factor_listed(double tolerance, const char* late) {
  for (std::size_t i = 0; i < m_; ++i) norms_[i] = summed_[i] = listed_dot(at(i), at(i), list(i), length_[i]);
  std::copy_n(norms_.begin(), m_, whole_.begin());
  const double least = tolerance * tolerance;
  const std::size_t most = std::min(m_, n_);
  int latest = 0;
  for (std::size_t i = 0; i < m_ && late != nullptr; ++i) latest = std::max(latest, int{late[i]});
  for (int level = 0; level <= latest; ++level) {
    const auto waits = [&](std::size_t i) {
      return taken_[i] == 0 && (late == nullptr || late[i] == level) && norms_[i] > least;
    };
    for (std::size_t i = 0; i < m_ && rank_ < most; ++i)
      if (waits(i) && norms_[i] > kEnoughLeft * whole_[i]) take(i);
    while (rank_ < most) {
      std::size_t best = m_;
      for (std::size_t i = 0; i < m_; ++i)
        if (waits(i) && (best == m_ || norms_[i] > kTie * norms_[best])) best = i;
      if (best == m_) break;
      take(best);
    }
  }
  std::size_t next = rank_;
  for (std::size_t i = 0; i < m_; ++i)
    if (taken_[i] == 0) order_[next++] = i;
  std::fill_n(marked_.begin(), n_, 0u);
  for (std::size_t k = 0; k < rank_; ++k) marked_[target_[k]] = 1;
  std::size_t count = 0;
  for (std::size_t c = 0; c < n_; ++c)
    if (marked_[c] == 0) others_[count++] = static_cast<std::uint32_t>(c);
}

/// The row as the next one, and its reflection of all rows that have a column in common with it.
void RowFactor::take(std::size_t i) {
  const std::size_t k = rank_++;
  order_[k] = i;
  taken_[i] = 1;
  double* v = at(i);
  const std::uint32_t* columns = list(i);
  const double length = std::sqrt(listed_dot(v, v, columns, length_[i]));
  const std::uint32_t target = target_[k] = columns[0];
  step_[target] = static_cast<std::uint32_t>(k);
  const double alpha = v[target] > 0.0 ? -length : length;
  beta_[k] = 1.0 / (length * (length + std::abs(v[target])));
  v[target] -= alpha;
  diagonal_[k] = alpha;
  std::size_t count = 0;
  for (std::uint32_t e = 0; e < length_[i]; ++e) {
    std::uint32_t* from = &first_in_column_[columns[e]];
    while (*from != 0) {
      const std::size_t row = *from - 1;
      std::uint32_t* next = &next_in_column_[row * stride_ + columns[e]];
      if (taken_[row] != 0) {  // never again
        *from = *next;
        continue;
      }
      from = next;
      if (seen_[row] == k + 1) continue;
      seen_[row] = static_cast<std::uint32_t>(k + 1);
      candidates_[count++] = static_cast<std::uint32_t>(row);
    }
  }
  for (std::size_t e = 0; e < count; ++e) reflect_listed(k, candidates_[e]);
}

/// Row i gets entries where the reflection has some; the one in its target is R_ik and done.
void RowFactor::reflect_listed(std::size_t k, std::size_t i) {
  const std::size_t taken = order_[k];
  const double* v = at(taken);
  const std::uint32_t *own = list(taken), target = target_[k];
  const std::size_t count = length_[taken];
  double* x = at(i);
  std::uint32_t* columns = list(i);
  const double along = beta_[k] * listed_dot(v, x, own, count);
  if (std::abs(along) >= kNothing) {
    ++mark_;
    for (std::uint32_t e = 0; e < length_[i]; ++e) marked_[columns[e]] = mark_;
    for (std::size_t e = 0; e < count; ++e) {
      x[own[e]] -= along * v[own[e]];
      if (marked_[own[e]] == mark_) continue;
      columns[length_[i]++] = own[e];
      link(i, own[e]);
    }
  }
  const auto place = std::find(columns, columns + length_[i], target) - columns;
  if (place == static_cast<std::ptrdiff_t>(length_[i])) return;
  columns[place] = columns[--length_[i]];
  done(i)[done_length_[i]++] = target;
  norms_[i] -= x[target] * x[target];
  if (norms_[i] < kSubtracted * summed_[i]) norms_[i] = summed_[i] = listed_dot(x, x, columns, length_[i]);
}

void RowFactor::reflect(std::size_t k, double* x) const {
  const double* v = at(order_[k]);
  if (by_lists_) {
    const std::uint32_t* columns = list(order_[k]);
    const std::size_t count = length_[order_[k]];
    const double along = beta_[k] * listed_dot(v, x, columns, count);
    if (std::abs(along) < kNothing) return;
    for (std::size_t e = 0; e < count; ++e) x[columns[e]] -= along * v[columns[e]];
    return;
  }
  v += k;
  const double along = beta_[k] * dot(v, x + k, n_ - k);
  if (std::abs(along) < kNothing) return;
  for (std::size_t i = 0; i < n_ - k; ++i) x[k + i] -= along * v[i];
}

void RowFactor::times_q_transposed(double* x) const {
  for (std::size_t k = 0; k < rank_; ++k) reflect(k, x);
  if (!by_lists_) return;
  std::copy_n(x, n_, turned_.begin());
  for (std::size_t k = 0; k < rank_; ++k) x[k] = turned_[target_[k]];
  for (std::size_t k = rank_; k < n_; ++k) x[k] = turned_[others_[k - rank_]];
}

void RowFactor::times_q(double* x) const {
  if (by_lists_) {
    std::copy_n(x, n_, turned_.begin());
    for (std::size_t k = 0; k < rank_; ++k) x[target_[k]] = turned_[k];
    for (std::size_t k = rank_; k < n_; ++k) x[others_[k - rank_]] = turned_[k];
  }
  for (std::size_t k = rank_; k-- > 0;) reflect(k, x);
}

std::size_t RowFactor::entries() const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < m_ && by_lists_; ++i) sum += length_[i] + done_length_[i];
  return sum;
}

/// sum_k R_ik y_k
double RowFactor::done_dot(std::size_t i, const double* y) const {
  const double* x = at(i);
  double sum = 0.0;
  for (std::uint32_t e = 0; e < done_length_[i]; ++e) sum += x[done(i)[e]] * y[step_[done(i)[e]]];
  return sum;
}

void RowFactor::solve(const double* b, double* y) const {
  for (std::size_t k = 0; k < rank_; ++k) {
    const std::size_t i = order_[k];
    y[k] = (b[i] - (by_lists_ ? done_dot(i, y) : dot(at(i), y, k))) / diagonal_[k];
  }
}

void RowFactor::rest(const double* b, const double* y, double* r) const {
  for (std::size_t k = rank_; k < m_; ++k) {
    const std::size_t i = order_[k];
    r[k - rank_] = b[i] - (by_lists_ ? done_dot(i, y) : dot(at(i), y, rank_));
  }
}

void RowFactor::combine(const double* y, double* lambda) const {
  for (std::size_t k = rank_; k < m_; ++k) lambda[order_[k]] = 0.0;
  if (by_lists_) {
    std::copy_n(y, rank_, turned_.begin());
    for (std::size_t k = rank_; k-- > 0;) {
      const std::size_t i = order_[k];
      lambda[i] = turned_[k] / diagonal_[k];
      for (std::uint32_t e = 0; e < done_length_[i]; ++e)
        turned_[step_[done(i)[e]]] -= at(i)[done(i)[e]] * lambda[i];
    }
    return;
  }
  for (std::size_t k = rank_; k-- > 0;) {
    double sum = y[k];
    for (std::size_t i = k + 1; i < rank_; ++i) sum -= at(order_[i])[k] * lambda[order_[i]];
    lambda[order_[k]] = sum / diagonal_[k];
  }
}

void RowFactor::combine_shortest(const double* y, double* lambda) {
  if (rank_ == m_) return combine(y, lambda);
  // R^T lambda = y, of full rank: its rows are the columns of R.
  RowFactor& f = *shortest_;
  f.n_ = m_;
  for (std::size_t k = 0; k < rank_; ++k) {
    if (by_lists_) {
      f.zeroed_row(k)[k] = diagonal_[k];
      continue;
    }
    double* column = f.row(k);
    for (std::size_t i = 0; i < m_; ++i) column[i] = i < k ? 0.0 : i == k ? diagonal_[k] : at(order_[i])[k];
  }
  for (std::size_t k = 0; k < m_ && by_lists_; ++k) {
    const std::size_t i = order_[k];
    for (std::uint32_t e = 0; e < done_length_[i]; ++e) f.at(step_[done(i)[e]])[k] = at(i)[done(i)[e]];
  }
  f.factor(rank_, 0.0);
  std::fill_n(shared_.begin(), m_, 0.0);
  f.solve(y, shared_.data());
  f.times_q(shared_.data());
  for (std::size_t i = 0; i < m_; ++i) lambda[order_[i]] = shared_[i];
}

}  // namespace tactus::math
