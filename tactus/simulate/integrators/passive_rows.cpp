#include <tactus/simulate/integrators/passive_rows.h>

#include <algorithm>
#include <numeric>

#include <tactus/simulate/constraints/crossing_limits.h>

namespace tactus::simulate {

namespace {

// Normals stand for the rows where the first guess of a step comes so near to a singular configuration: what follows from it
// is then still within reach of the crossing.
constexpr double kCrossingBegins = 0.5 * kAcross;

std::size_t rows_of(const Chart& chart) {
  return chart.constraints() != nullptr ? chart.constraints()->constraints().size() : 0;
}

}  // namespace

PassiveRows::PassiveRows(const Chart& chart)
    : kernels_(*chart.dynamics().passive),
      n_(static_cast<std::size_t>(chart.dynamics().nv())),
      nq_(static_cast<std::size_t>(chart.dynamics().nq())) {
  const std::size_t m = rows_of(chart);
  if (m == 0) return;
  in_.resize(kernels_.rows.input_size());
  middle_out_.resize(kernels_.rows.output_size());
  end_out_.resize(kernels_.rows.output_size());
  work_.resize(kernels_.rows.work_size());
  middle_rows_.resize(m * n_);
  end_rows_.resize(m * n_);
  end_rates_.resize(m);
  place_.resize(nq_);
}

void PassiveRows::evaluate(double t, const double* q, const double* u, std::vector<double>& out) {
  in_[0] = t;
  std::copy_n(q, nq_, in_.begin() + 1);
  std::copy_n(u, n_, in_.begin() + 1 + static_cast<std::ptrdiff_t>(nq_));
  kernels_.rows(in_.data(), out.data(), work_.data());
}

bool PassiveRows::look(Chart& chart, PassiveStep& step, bool first) {
  ConstraintSolver& solver = *chart.constraints();
  const Workspace& w = chart.workspace();
  const Coordinates& coordinates = chart.dynamics().coordinates;
  const double nearer_than = first ? kCrossingBegins : kAcross, middle = step.t + 0.5 * step.h;
  if (first || middle_across_) {
    coordinates.displace(w.q0.data(), step.half.data(), place_.data());
    const bool across =
        solver.normals_across(middle, place_.data(), step.mean.data(), nearer_than, middle_rows_.data());
    if (!first && !across) return false;
    middle_across_ = across;
  }
  if (first || end_across_) {
    coordinates.displace(w.q0.data(), step.theta.data(), place_.data());
    const bool across =
        solver.normals_across(step.t + step.h, place_.data(), step.u1.data(), nearer_than, end_rows_.data());
    if (!first && !across) return false;
    end_across_ = across;
    if (across) std::copy(place_.begin(), place_.end(), step.q1.begin());
  }
  coordinates.displace(w.q0.data(), step.half.data(), place_.data());
  evaluate(middle, place_.data(), step.mean.data(), middle_out_);
  if (!end_across_) evaluate(step.t + step.h, step.q1.data(), step.u1.data(), end_out_);
  rows_ = across() ? &solver.rows().held() : &solver.active_rows();
  for (std::size_t k = 0; k < rows_->size(); ++k) {
    const std::size_t row = (*rows_)[k];
    double* end = end_rows_.data() + k * n_;
    if (!middle_across_)
      std::copy_n(middle_out_.data() + kernels_.A + row * n_, n_, middle_rows_.data() + k * n_);
    if (!end_across_) std::copy_n(end_out_.data() + kernels_.A + row * n_, n_, end);
    end_rates_[k] = end_across_ ? std::inner_product(end, end + n_, step.u1.begin(), 0.0)
                                : end_out_[kernels_.velocity + row];
  }
  return true;
}

}  // namespace tactus::simulate
