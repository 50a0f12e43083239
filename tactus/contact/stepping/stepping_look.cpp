// What can be asked of time-stepping at its state: accelerations without contact, and the terms there.
#include <algorithm>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {

bool TimeStepping::accelerations(const simulate::Input& input, double* udot) noexcept {
  if (!evaluate_loads(input)) return false;
  terms_.evaluate(arguments_.data());
  if (!factor()) return false;
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const TermsKernel::Block& block = kernel_.blocks[k];
    const std::size_t n = block.speeds.size();
    double* x = u_free_.data() + solver_.offset(static_cast<int>(k));
    for (std::size_t i = 0; i < n; ++i) x[i] = terms_.Q()[block.speeds[i]];
    metrics_[k].solve(x);
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(block.rows[i]);
      if (active_[static_cast<std::size_t>(kernel_.rows[row].constraint)] == 0) continue;
      const double* A = terms_.values().data() + block.A + i * n;
      double missing = terms_.gamma(row);
      for (std::size_t j = 0; j < n; ++j) missing -= A[j] * x[j];
      metrics_[k].add_bilateral(block.rows[i], A, missing, 0.0);
    }
    if (metrics_[k].bilateral() > 0) {
      double* dx = &dx_[solver_.offset(static_cast<int>(k))];
      std::fill_n(dx, n, 0.0);
      metrics_[k].add_velocity_change(dx);
      metrics_[k].add_speeds(dx, x);
    }
    for (std::size_t i = 0; i < n; ++i) udot[block.speeds[i]] = x[i];
  }
  return true;
}

const Terms& TimeStepping::terms_at_state() noexcept {
  terms_.evaluate(state_.t, state_.q.data(), state_.u.data());
  return terms_;
}

}  // namespace tactus::contact
