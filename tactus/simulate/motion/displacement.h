// A configuration moved by a small change of the speeds: q <- q (+) W du, where W du is what qdot = W u + X
// gives beyond its value at rest.
#pragma once

#include <vector>

#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

class Displacement {
 public:
  /// The dynamics must outlive it. Nothing is allocated afterwards.
  explicit Displacement(const Dynamics& dynamics);

  /// By part * du.
  void apply(double t, double* q, const double* du, double part = 1.0);

 private:
  const Dynamics& dynamics_;
  std::vector<double> in_, qdot_, qdot_at_rest_, theta_, work_;
};

}  // namespace tactus::simulate
