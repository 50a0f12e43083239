// The constraints of one mechanism, constant: rows, their natural sizes, and the kernels that a step needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/lazy_zeros.h>

namespace tactus::simulate {

struct Dynamics;

struct Constraints {
  struct Row {
    std::string label;   // "loop.x"
    int constraint = 0;  // index into names
    bool holonomic = true;
  };
  std::vector<std::string> names;  // of the model's constraints
  std::vector<Row> rows;           // [m]
  std::vector<char> active;        // [m] at the start
  /// [m] natural size of a row: sqrt(sum_i a_i^2 / M_ii), root mean square over configurations drawn once. It
  /// makes rows in metres and in radians comparable, and says when a single row has become small.
  std::vector<double> scale;
  /// [m] rows that depend on other active rows wherever the mechanism can be.
  std::vector<char> redundant;

  bool driven = false;  // whether rows move by themselves: c is not zero

  /// Where entries of M and A stand that are not known to be zero, row by row: the kernel computes no others.
  struct Entry {
    std::uint32_t row, column;
  };
  std::vector<Entry> M_entries, A_entries;
  std::vector<std::size_t> A_begin;  // [m + 1] of each row the first of its entries

  generate::Kernel terms;   // t q u tau wrench -> M (its entries) Q Phi velocity A (its entries) c gamma qdot
  generate::Kernel errors;  // t q u -> Phi velocity

  /// Straight-line code for regular configurations, for one set of rows.
  struct Unrolled {
    std::vector<char> rows;     // [m] which
    generate::Kernel dynamics;  // t q u tau wrench -> udot qdot lambda distances pivots
    generate::Kernel step;      // t q error -> du distances pivots: all of the rows
    std::optional<generate::Kernel>
        position_step;  // the same for the rows with a position level, where there are any
  };
  std::optional<Unrolled> unrolled;

  std::size_t size() const { return rows.size(); }
};

/// Rows, sizes and kernels; null where the model has no constraints. The dynamics must be complete otherwise.
std::shared_ptr<const Constraints> compile_constraints(const derive::Equations& equations,
                                                       const Dynamics& dynamics, generate::Backend backend);

/// M, A and the errors at one place, with their own memory.
class ConstraintTerms {
 public:
  explicit ConstraintTerms(const Dynamics& dynamics, const Constraints& constraints);

  /// Everything at the array of arguments t q u tau wrench.
  void evaluate(const double* arguments);
  /// With nothing acting.
  void evaluate(double t, const double* q, const double* u);
  /// Everything but the full matrices M and A.
  void evaluate_entries(const double* arguments);
  /// Phi and velocity alone, in `errors`.
  void evaluate_errors(double t, const double* q, const double* u);

  /// Full matrices, [nv x nv] and [m x nv].
  const double* M() const { return M_full_.data(); }
  const double* Q() const { return out_.data() + Q_; }
  const double* Phi() const { return out_.data() + Phi_; }
  const double* velocity() const { return out_.data() + velocity_; }
  const double* A(std::size_t row = 0) const { return A_full_.data() + row * nv_; }
  /// Those of Constraints::A_entries, one behind the other.
  const double* A_values() const { return out_.data() + A_; }
  const double* gamma() const { return out_.data() + gamma_; }
  const double* qdot() const { return out_.data() + qdot_; }
  /// Of evaluate_errors().
  const double* position_errors() const { return errors_.data(); }
  const double* velocity_errors() const { return errors_.data() + m_; }

 private:
  void place(double t, const double* q, const double* u);

  const Constraints& constraints_;
  std::size_t nq_, nv_, m_;
  std::size_t M_, Q_, Phi_, velocity_, A_, gamma_, qdot_;
  math::LazyZeros<double> M_full_, A_full_;
  std::vector<double> arguments_, out_, errors_, work_;
};

}  // namespace tactus::simulate
