// The constraints' rows of a passive step, in its middle and at its end.
//
// Next to a singular configuration, at a distance d, rows say where their normals point only to (rounding)/d^2, and half way
// off the manifold not even that. There normals of the branch stand for the rows, by those on both sides (crossing.h).
#pragma once

#include <cstddef>
#include <vector>

#include <tactus/simulate/integrators/passive_step.h>
#include <tactus/simulate/integrators/passive_terms.h>
#include <tactus/simulate/motion/chart.h>

namespace tactus::simulate {

class PassiveRows {
 public:
  explicit PassiveRows(const Chart& chart);

  void begin() { middle_across_ = end_across_ = false; }
  /// Whether normals stand for rows at the end: its place is then theirs to find.
  bool end_across() const { return end_across_; }
  bool across() const { return middle_across_ || end_across_; }
  /// A(q_m), A(q1) and A(q1) u1 + c, or what stands for them: decided at the first look, for the whole step. Normals
  /// move q1 to their branch. False where they cannot be had later.
  bool look(Chart& chart, PassiveStep& step, bool first);

  std::size_t size() const { return rows_->size(); }
  const double* middle() const { return middle_rows_.data(); }  // [size x nv]
  const double* end() const { return end_rows_.data(); }
  const double* end_rates() const { return end_rates_.data(); }  // [size] A u1 + c
  /// Whether a row moves by itself, and then does work.
  bool is_driven(std::size_t k) const { return middle_out_[kernels_.c + (*rows_)[k]] != 0.0; }

 private:
  void evaluate(double t, const double* q, const double* u, std::vector<double>& out);

  const PassiveTerms& kernels_;
  std::size_t n_, nq_;
  const std::vector<std::size_t> no_rows_;
  const std::vector<std::size_t>* rows_ = &no_rows_;  // of the constraints
  std::vector<double> in_, middle_out_, end_out_, work_;
  std::vector<double> middle_rows_, end_rows_, end_rates_;
  bool middle_across_ = false, end_across_ = false;  // whether normals of the branch stand for them
  std::vector<double> place_;                        // [nq]
};

}  // namespace tactus::simulate
