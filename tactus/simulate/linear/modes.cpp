#include <cmath>

#include <tactus/math/decompositions.h>
#include <tactus/simulate/linear/linear_model.h>

namespace tactus::simulate {

using Eigen::Index;
using Eigen::MatrixXd;

std::vector<Mode> modes(const LinearModel& model) {
  std::vector<Mode> result;
  if (model.reduced.A.size() == 0) return result;
  const Eigen::EigenSolver<MatrixXd> solver(model.reduced.A);
  const auto coordinates = static_cast<Index>(model.kept.size());
  std::vector<char> used(static_cast<std::size_t>(solver.eigenvalues().size()), 0);
  for (const std::complex<double>& wanted : model.eigenvalues) {
    if (wanted.imag() < 0.0) continue;
    Index best = -1;  // equal eigenvalues take their vectors in turn
    for (Index k = 0; k < solver.eigenvalues().size(); ++k) {
      if (used[static_cast<std::size_t>(k)]) continue;
      if (best < 0 ||
          std::abs(solver.eigenvalues()[k] - wanted) < std::abs(solver.eigenvalues()[best] - wanted))
        best = k;
    }
    used[static_cast<std::size_t>(best)] = 1;
    Eigen::VectorXcd shape = solver.eigenvectors().col(best);
    Index largest_at = 0;
    const double of_coordinates =
        coordinates > 0 ? shape.head(coordinates).cwiseAbs().maxCoeff(&largest_at) : 0.0;
    if (!(of_coordinates > 1e-9 * shape.cwiseAbs().maxCoeff())) shape.cwiseAbs().maxCoeff(&largest_at);
    shape /= shape[largest_at];
    result.push_back({wanted, {shape.data(), shape.data() + shape.size()}});
  }
  return result;
}

}  // namespace tactus::simulate
