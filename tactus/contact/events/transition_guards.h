// The guards of a model's transitions as one kernel.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <tactus/contact/events/terms.h>
#include <tactus/describe/model/model.h>
#include <tactus/generate/kernel.h>

namespace tactus::contact {

/// Whether a transition may be taken, its guard apart: it has not fired where it fires once, and the constraints that it
/// asks for are on and off.
template <class IsActive>
bool may_fire(const describe::Transition& transition, bool has_fired, const IsActive& is_active) {
  if (transition.once && has_fired) return false;
  return std::all_of(transition.if_active.begin(), transition.if_active.end(), is_active) &&
         std::none_of(transition.if_inactive.begin(), transition.if_inactive.end(), is_active);
}

class TransitionGuards {
 public:
  /// Throws InputError where a guard names a force that does not exist, or a symbol that is none.
  TransitionGuards(const describe::Model& model, const TermsKernel& terms,
                   const std::shared_ptr<const algebra::Cells>& cells);

  std::size_t size() const { return count_; }
  /// Whether the guard is written with >= or <=, and so is true where its value is zero.
  bool true_at_zero(std::size_t transition) const { return true_at_zero_[transition] != 0; }
  /// Whether it needs the constraints' forces; otherwise the motion alone.
  bool names_forces(std::size_t transition) const { return names_forces_[transition] != 0; }
  /// Whether a guard names a force.
  bool take_forces() const { return take_forces_; }
  std::size_t input_size() const { return count_ == 0 ? 0 : kernel_.input_size(); }
  std::size_t work_size() const { return count_ == 0 ? 0 : kernel_.work_size(); }
  /// The guards' values [size()]. `in` [input_size()] and `work` are the caller's memory.
  void evaluate(double t, const double* q, const double* u, const double* qdot, const double* row_forces,
                double* in, double* work, double* values) const;

 private:
  std::size_t count_ = 0, nq_ = 0, nv_ = 0, rows_ = 0;
  bool take_forces_ = false;
  std::vector<double> parameters_;
  std::vector<char> true_at_zero_, names_forces_;
  generate::Kernel kernel_;
};

}  // namespace tactus::contact
