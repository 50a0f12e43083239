#include <tactus/derive/constraints/linear_solution.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include <tactus/algebra/trig_form.h>
#include <tactus/base/check.h>
#include <tactus/derive/readable/fraction.h>

namespace tactus::derive {

namespace {

/// Cofactor expansion of the determinant of the rows and columns listed.
Expr determinant(const std::vector<Expr>& A, std::size_t n, const std::vector<std::size_t>& rows,
                 const std::vector<std::size_t>& cols) {
  if (rows.empty()) return Expr(1.0);
  const std::vector<std::size_t> below(rows.begin() + 1, rows.end());
  Expr sum(0.0);
  for (std::size_t k = 0; k < cols.size(); ++k) {
    const Expr element = A[rows[0] * n + cols[k]];
    if (algebra::is_zero(element)) continue;
    std::vector<std::size_t> others = cols;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    const Expr minor = element * determinant(A, n, below, others);
    sum = k % 2 == 0 ? sum + minor : sum - minor;
  }
  return sum;
}

/// Up to this size a block of the speeds' definition is solved by Cramer's rule, which keeps numerators
/// short.
constexpr std::size_t kCramer = 4;

/// The solution of A x = b, written so that a reader would recognise it: an unknown that stands alone, with a
/// constant factor, in one equation is solved from it last; what remains falls into independent blocks,
/// solved by Cramer's rule or, where large, by elimination.
class LinearSolution {
 public:
  LinearSolution(const std::vector<Expr>& A, std::vector<Expr> b, const std::function<void()>& refuse)
      : A_(A), b_(std::move(b)), n_(b_.size()), x_(n_), refuse_(refuse) {
    for (std::size_t i = 0; i < n_; ++i) {
      rows_.push_back(i);
      cols_.push_back(i);
    }
    solve();
  }

  const std::vector<Expr>& x() const { return x_; }

 private:
  Expr at(std::size_t i, std::size_t j) const { return A_[i * n_ + j]; }

  void solve() {
    std::vector<std::pair<std::size_t, std::size_t>> last;  // (equation, unknown) to be solved in the end
    while (const auto alone = find_alone()) {
      last.push_back(*alone);
      std::erase(rows_, alone->first);
      std::erase(cols_, alone->second);
    }
    while (!rows_.empty()) solve_block();
    for (auto it = last.rbegin(); it != last.rend(); ++it) {
      const auto [i, j] = *it;
      Expr rest = b_[i];
      for (std::size_t k = 0; k < n_; ++k)
        if (k != j) rest -= at(i, k) * x_[k];
      x_[j] = rest / at(i, j);
    }
  }

  std::optional<std::pair<std::size_t, std::size_t>> find_alone() const {
    for (const std::size_t j : cols_) {
      std::size_t found = 0, equation = 0;
      for (const std::size_t i : rows_) {
        if (algebra::is_zero(at(i, j))) continue;
        ++found;
        equation = i;
      }
      if (found == 1 && at(equation, j).is_constant()) return std::pair{equation, j};
    }
    return std::nullopt;
  }

  /// Takes the equations and unknowns that hang together with the first equation left.
  void solve_block() {
    std::vector<std::size_t> rows{rows_.front()}, cols;
    for (bool grown = true; grown;) {
      grown = false;
      for (const std::size_t j : cols_) {
        if (std::find(cols.begin(), cols.end(), j) != cols.end()) continue;
        for (const std::size_t i : rows) {
          if (algebra::is_zero(at(i, j))) continue;
          cols.push_back(j);
          grown = true;
          break;
        }
      }
      for (const std::size_t i : rows_) {
        if (std::find(rows.begin(), rows.end(), i) != rows.end()) continue;
        for (const std::size_t j : cols) {
          if (algebra::is_zero(at(i, j))) continue;
          rows.push_back(i);
          grown = true;
          break;
        }
      }
    }
    if (rows.size() != cols.size()) refuse();
    std::sort(cols.begin(), cols.end());
    std::sort(rows.begin(), rows.end());
    if (rows.size() <= kCramer) {
      cramer(rows, cols);
    } else {
      eliminate(rows, cols);
    }
    for (const std::size_t i : rows) std::erase(rows_, i);
    for (const std::size_t j : cols) std::erase(cols_, j);
  }

  void cramer(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& cols) {
    const Expr det = algebra::simplify(determinant(A_, n_, rows, cols));
    if (algebra::is_zero(det)) refuse();
    for (std::size_t c = 0; c < cols.size(); ++c) {
      std::vector<std::size_t> other_cols = cols;
      other_cols.erase(other_cols.begin() + static_cast<std::ptrdiff_t>(c));
      // Where a cofactor shares a factor with the determinant, it is divided out of each element.
      std::vector<Expr> elements;
      bool all_whole = true;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        std::vector<std::size_t> other_rows = rows;
        other_rows.erase(other_rows.begin() + static_cast<std::ptrdiff_t>(r));
        const Expr cofactor = algebra::simplify(determinant(A_, n_, other_rows, other_cols));
        const Expr element = reduced(((r + c) % 2 == 0 ? cofactor : -cofactor) / det);
        all_whole = all_whole && as_fraction(element).denominator.is_constant(1.0);
        elements.push_back(element);
      }
      // Elements over one denominator: (sum of numerators) / denominator takes a single division.
      Expr sum(0.0), denominator(1.0), numerators(0.0);
      bool common = true, any = false;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const Fraction f = as_fraction(elements[r]);
        sum += elements[r] * b_[rows[r]];
        if (algebra::is_zero(f.numerator)) continue;
        if (!any) denominator = f.denominator;
        any = true;
        common = common && f.denominator == denominator;
        numerators += f.numerator * b_[rows[r]];
      }
      x_[cols[c]] = common && !all_whole ? numerators / denominator : sum;
    }
  }

  void eliminate(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& cols) {
    std::vector<Expr> A = A_, b = b_;
    std::vector<std::size_t> left = rows;
    std::vector<std::pair<std::size_t, std::size_t>> pivots;
    for (const std::size_t j : cols) {
      std::size_t row = n_;
      int best = 0;
      for (const std::size_t i : left) {
        if (algebra::is_zero(A[i * n_ + j])) continue;
        const int price = A[i * n_ + j].is_constant() ? 0 : 1 + algebra::cost(A[i * n_ + j]);
        if (row == n_ || price < best) {
          row = i;
          best = price;
        }
      }
      if (row == n_) refuse();
      std::erase(left, row);
      pivots.emplace_back(row, j);
      for (const std::size_t i : left) {
        const Expr k = A[i * n_ + j] / A[row * n_ + j];
        if (algebra::is_zero(k)) continue;
        for (const std::size_t c : cols) {
          A[i * n_ + c] = c == j ? Expr(0.0) : reduced(A[i * n_ + c] - k * A[row * n_ + c]);
        }
        b[i] -= k * b[row];
      }
    }
    for (auto it = pivots.rbegin(); it != pivots.rend(); ++it) {
      Expr rest = b[it->first];
      for (auto known = pivots.rbegin(); known != it; ++known)
        rest -= A[it->first * n_ + known->second] * x_[known->second];
      x_[it->second] = rest / A[it->first * n_ + it->second];
    }
  }

  [[noreturn]] void refuse() const {
    refuse_();
    TACTUS_CHECK(!"the caller must throw for a singular system");
    std::abort();
  }

  const std::vector<Expr>& A_;
  std::vector<Expr> b_;
  std::size_t n_;
  std::vector<Expr> x_;
  std::vector<std::size_t> rows_, cols_;
  const std::function<void()>& refuse_;
};

}  // namespace

std::vector<Expr> solve_linear(const std::vector<Expr>& A, const std::vector<Expr>& b,
                               const std::function<void()>& refuse) {
  return LinearSolution(A, b, refuse).x();
}

}  // namespace tactus::derive
