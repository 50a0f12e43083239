#include <tactus/simulate/motion/displacement.h>

#include <algorithm>

namespace tactus::simulate {

Displacement::Displacement(const Dynamics& dynamics)
    : dynamics_(dynamics),
      in_(1 + static_cast<std::size_t>(dynamics.nq() + dynamics.nv())),
      qdot_(static_cast<std::size_t>(dynamics.nq())),
      qdot_at_rest_(qdot_.size()),
      theta_(static_cast<std::size_t>(dynamics.nv())),
      work_(dynamics.coordinate_rates.work_size()) {}

void Displacement::apply(double t, double* q, const double* du, double part) {
  in_[0] = t;
  std::copy_n(q, qdot_.size(), in_.begin() + 1);
  double* u = in_.data() + 1 + qdot_.size();
  std::fill_n(u, theta_.size(), 0.0);
  dynamics_.coordinate_rates(in_.data(), qdot_at_rest_.data(), work_.data());
  for (std::size_t i = 0; i < theta_.size(); ++i) u[i] = part * du[i];
  dynamics_.coordinate_rates(in_.data(), qdot_.data(), work_.data());
  for (std::size_t i = 0; i < qdot_.size(); ++i) qdot_[i] -= qdot_at_rest_[i];
  std::fill(theta_.begin(), theta_.end(), 0.0);
  dynamics_.coordinates.chart_rate(q, theta_.data(), qdot_.data(), theta_.data());
  dynamics_.coordinates.displace(q, theta_.data(), q);
}

}  // namespace tactus::simulate
