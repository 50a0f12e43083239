#include <tactus/simulate/motion/vanishing_inertia.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/decompositions.h>

namespace tactus::simulate {

namespace {

std::vector<std::string> massless_bodies(const describe::Model& model) {
  std::vector<std::string> names;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const describe::Body& body = model.bodies[b];
    double largest = std::abs(describe::value_of(model, body.mass));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        largest = std::max(largest, std::abs(describe::value_of(model, body.inertia(i, j))));
    if (largest == 0.0) names.push_back(body.name);
  }
  return names;
}

}  // namespace

std::string vanishing_inertia(const describe::Model& model, double t, const std::vector<double>& q) {
  const std::vector<std::string> massless = massless_bodies(model);
  const int n = static_cast<int>(model.speed_names().size());
  constexpr int kMost =
      60;  // speeds: beyond that a mass matrix is large, and the answer not one of two joints
  if (massless.empty() || n == 0 || n > kMost) return {};
  const derive::Equations equations(model);
  const generate::Kernel inertia = generate::compile(equations.mass_matrix(), generate::Backend::interpreter);
  std::vector<double> in{t}, out(inertia.output_size()), work(inertia.work_size());
  in.insert(in.end(), q.begin(), q.end());
  inertia(in.data(), out.data(), work.data());
  // Each speed by its own inertia: 1 on the diagonal, and an eigenvalue near 0 for what moves hardly any mass.
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> M(out.data(), n, n);
  if (!M.allFinite()) return {};
  const Eigen::VectorXd size = M.diagonal().cwiseMax(0.0).cwiseSqrt();
  constexpr double kNear = 0.05;  // of an inertia: at a wrist's singular place less than 0.2 rad away
  constexpr double kShare = 0.1;  // of the motion: who takes part
  const std::vector<std::string> names = model.speed_names();
  Eigen::VectorXd motion = Eigen::VectorXd::Zero(n);
  int least = 0;
  if (size.minCoeff(&least) == 0.0) {
    motion[least] = 1.0;
  } else {
    const Matrix S = size.cwiseInverse().asDiagonal() * M * size.cwiseInverse().asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Matrix> modes(S);
    if (!(modes.eigenvalues()[0] < kNear)) return {};
    motion = modes.eigenvectors().col(0);
  }
  std::vector<std::string> moved;
  for (int i = 0; i < n; ++i)
    if (motion[i] * motion[i] > kShare) moved.push_back("'" + names[static_cast<std::size_t>(i)] + "'");
  return fmt::format(
      "{}{} hardly any inertia in this position, because {} no mass: keep away from it, or give {} some, or "
      "the joints an `armature`",
      fmt::join(moved, " and "), moved.size() > 1 ? " together have" : " has",
      massless.size() > 1 ? fmt::format("`{}` have", fmt::join(massless, "`, `"))
                          : fmt::format("`{}` has", massless.front()),
      massless.size() > 1 ? "them" : "it");
}

}  // namespace tactus::simulate
