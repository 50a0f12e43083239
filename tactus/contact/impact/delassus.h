// The Delassus matrix: how impulses at contacts change velocities at contacts, through the whole mechanism,
// W = G M_c^-1 G^T, where M_c^-1 lets through only what the bilateral constraints allow.
//
// In the metric of the mass matrix, with M = L^T D L and x -> D^1/2 L u, every row r becomes D^-1/2 L^-T r.
// The bilateral rows are made orthonormal, e_1 ... e_r (redundant ones drop out), and taken out
// of the contacts' rows Z. Then W = Z Z^T, an impulse p changes the speeds by L^-1 D^-1/2 Z^T p, and the
// bilateral constraints feel nothing of it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tactus/contact/events/terms.h>

namespace tactus::contact {

class Delassus {
 public:
  Delassus(const TermsKernel& kernel, std::size_t most_bilateral, std::size_t most_rows);

  /// At the terms' place; no rows.
  void begin(const Terms& terms);
  /// A bilateral row [nv]. `change`: what strike() shall change its velocity by. `size`: its natural size, by
  /// which it counts as independent of those before it (simulate/constraints/formulation.h); 0: its size here.
  void add_bilateral(const double* row, double change, double size);
  /// The smallest change of the speeds that the bilateral rows ask for [Gillespie2003, section 5]: an impulse
  /// without anything in return, as when a constraint is imposed.
  void strike(double* du);
  /// A contact's row; after all bilateral ones.
  void add_row(const double* row);

  std::size_t rows() const { return rows_; }
  /// [rows x rows], rows following each other without a gap. Complete after the last add_row().
  std::span<const double> W() const { return {W_.data(), rows_ * rows_}; }
  /// du of impulses p [rows].
  void apply(const double* p, double* du);
  /// The impulses of the bilateral rows that, with p at the contacts, made the change du of the speeds; in
  /// the order of add_bilateral(), zero for dependent ones.
  void bilateral_impulses(const double* p, const double* du, double* impulses);

 private:
  /// The row in the metric, without what the bilateral rows say already.
  void transform(const double* row, double* z) const;
  void back(const double* z, double* du) const;
  void assemble();

  const std::vector<int>& parents_;
  std::size_t n_, bilateral_ = 0, independent_ = 0, rows_ = 0;
  std::vector<double> M_, root_;    // factors; D^1/2
  std::vector<double> basis_;       // e, by rows
  std::vector<double> triangle_;    // bilateral row k = sum_j triangle_kj e_j; [bilateral x bilateral]
  std::vector<std::size_t> owner_;  // which bilateral row each e came from
  std::vector<double> change_, y_;
  std::vector<double> raw_, Z_, W_, work_;  // contacts' rows before and after the projection
  std::size_t most_bilateral_;
};

}  // namespace tactus::contact
