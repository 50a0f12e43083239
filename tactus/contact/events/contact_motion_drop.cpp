// Rows that others imply, left out while a piece of the motion is integrated.
#include <tactus/contact/events/contact_motion.h>

#include <algorithm>
#include <cmath>

namespace tactus::contact {

namespace {

/// False where x lies in the span of the `kept` orthonormal rows; otherwise it becomes the next of them (Gram-Schmidt).
bool joins_span(double* x, const double* span, std::size_t kept, std::size_t width) {
  double before = 0.0, left = 0.0;
  for (std::size_t i = 0; i < width; ++i) before += x[i] * x[i];
  for (int pass = 0; pass < 2; ++pass)  // the second takes out what rounding left
    for (std::size_t k = 0; k < kept; ++k) {
      double along = 0.0;
      for (std::size_t i = 0; i < width; ++i) along += span[k * width + i] * x[i];
      for (std::size_t i = 0; i < width; ++i) x[i] -= along * span[k * width + i];
    }
  for (std::size_t i = 0; i < width; ++i) left += x[i] * x[i];
  if (!(left > kLeastHealth * before)) return false;
  const double size = std::sqrt(left);
  for (std::size_t i = 0; i < width; ++i) x[i] /= size;
  return true;
}

}  // namespace

// Row k says the same as others where A_k = sum c_j A_j and B_k = sum c_j B_j with the same c: then it holds where
// they do, and its force does what they can do with lambda_j + c_j lambda_k. So the rows [A B] are taken one after
// the other, normals before tangents so that all gaps are held, and those left out that those before them span, in
// the metric of the mass matrix. Rows of the model are all kept: where they depend on each other they may do so in one
// position alone.
//
// Where rows A that are kept still depend on each other while B does not (friction at contacts that share a normal), the
// laws leave the forces open, the least of them are taken, and which are least depends on all rows: then none is dropped.
void ContactMotion::drop_dependent() {
  any_dropped_ = false;
  if (!redundant_) return;
  std::fill_n(dropped_.begin(), touches.size(), 0u);
  const std::size_t width = 2 * n_;
  std::size_t kept = 0, kept_of_A = 0;
  bool open = false;
  const auto depends = [&](std::size_t row, bool of_model) {
    if (kept == width) return true;
    double* x = &span_[kept * width];
    for (std::size_t i = 0; i < n_; ++i) {
      const double scale = std::sqrt(std::abs(system_.M[i * n_ + i]));
      x[i] = scale * system_.A[row * n_ + i];
      x[n_ + i] = scale * system_.B[row * n_ + i];
    }
    double* a = &span_of_A_[kept_of_A * n_];
    if (kept_of_A < n_) std::copy_n(x, n_, a);
    if (!joins_span(x, span_.data(), kept, width)) return true;
    ++kept;
    const bool joined = kept_of_A < n_ && joins_span(a, span_of_A_.data(), kept_of_A, n_);
    kept_of_A += joined ? 1 : 0;
    open |= !joined && !of_model;
    return false;
  };
  for (std::size_t row = 0; row < set_.rows.size(); ++row) depends(row, true);
  for (const bool tangents : {false, true}) {
    std::size_t row = set_.rows.size();
    for (std::size_t i = 0; i < set_.touches.size(); ++i) {
      const std::size_t rows = row_count(set_.touches[i]);
      for (std::size_t k = tangents ? 1 : 0; k < (tangents ? rows : std::min<std::size_t>(rows, 1)); ++k) {
        if (!depends(row + k, false)) continue;
        dropped_[touch_of_part_[i]] |= 1u << k;
        any_dropped_ = true;
      }
      row += rows;
    }
  }
  any_dropped_ &= !open;
}

bool ContactMotion::dropped_hold() const {
  constexpr double kSameGap = 1e-10, kSameRate = 1e-9;  // [m], [m/s] more is motion, not rounding
  if (!any_dropped_) return true;
  for (std::size_t i = 0; i < touches.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      if ((dropped_[i] >> k & 1) == 0) continue;
      if (!(std::abs(touches[i].motion.rate[k]) <= kSameRate)) return false;
      if (k == 0 && !(std::abs(touches[i].motion.gap) <= kSameGap)) return false;
    }
  return true;
}

}  // namespace tactus::contact
