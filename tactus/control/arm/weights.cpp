#include <tactus/control/arm/weights.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

template <class Each>
void each_axis(const describe::Model& model, Each&& each) {
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) each(axis);
}

/// M_W of kappa = e^t, and how its condition number goes on.
struct Look {
  double condition = 0.0, slope = 0.0;
  bool positive = false;
};

Look look(const Eigen::MatrixXd& M, const std::vector<bool>& slides, double t) {
  const Eigen::Index n = M.rows();
  Eigen::VectorXd D(n);
  for (Eigen::Index i = 0; i < n; ++i) D[i] = slides[static_cast<std::size_t>(i)] ? std::exp(t) : 1.0;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::MatrixXd(D.asDiagonal() * M * D.asDiagonal()));
  const auto share = [&](Eigen::Index which) {  // v^T X v
    double sum = 0.0;
    for (Eigen::Index i = 0; i < n; ++i)
      if (slides[static_cast<std::size_t>(i)])
        sum += solver.eigenvectors()(i, which) * solver.eigenvectors()(i, which);
    return sum;
  };
  const double least = solver.eigenvalues()[0], most = solver.eigenvalues()[n - 1];
  return {most / least, 2.0 * (share(n - 1) - share(0)), least > 0.0 && std::isfinite(most)};
}

}  // namespace

std::vector<double> weights_by_length(const describe::Model& model, double kappa) {
  if (!(kappa > 0.0) || !std::isfinite(kappa))
    throw InputError({model.file}, fmt::format("a length of {:g} between forces and torques", kappa),
                     "give one above zero: characteristic_length() chooses one");
  std::vector<double> weights;
  each_axis(model, [&](const describe::JointAxis& axis) {
    weights.push_back(axis.is_rotation ? 1.0 : 1.0 / kappa);
  });
  return weights;
}

std::vector<double> weights_by_limits(const describe::Model& model) {
  std::vector<double> weights;
  each_axis(model, [&](const describe::JointAxis& axis) {
    if (axis.passive) {
      weights.push_back(1.0);
      return;
    }
    if (!axis.effort_limit)
      throw InputError({model.file},
                       fmt::format("joint `{}` has no `effort_limit` to be weighted by", axis.name),
                       "give it one, or weights of your own");
    const double limit = describe::value_of(model, *axis.effort_limit);
    if (!(limit > 0.0) || !std::isfinite(limit))
      throw InputError({model.file},
                       fmt::format("joint `{}` has an `effort_limit` of {:g}", axis.name, limit),
                       "give it one above zero; a joint without an actuator is `passive: true`");
    weights.push_back(limit);
  });
  return weights;
}

CharacteristicLength characteristic_length(std::span<const double> inertia, const std::vector<bool>& slides) {
  const auto n = static_cast<Eigen::Index>(slides.size());
  if (inertia.size() != slides.size() * slides.size() || n == 0)
    throw InputError({}, "an inertia matrix of another size than there are joints", "give n x n numbers");
  if (std::find(slides.begin(), slides.end(), true) == slides.end() ||
      std::find(slides.begin(), slides.end(), false) == slides.end())
    throw InputError({}, "all joints slide, or all turn: forces and torques are not mixed",
                     "no length is needed");
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd M = Eigen::Map<const RowMajor>(inertia.data(), n, n);
  // From the ratio of the diagonals on, which already has the unit.
  double turn = 0.0, slide = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) (slides[static_cast<std::size_t>(i)] ? slide : turn) += M(i, i);
  const double start = 0.5 * std::log(turn / slide);
  if (!std::isfinite(start) || !look(M, slides, start).positive)
    throw InputError({}, "the inertia matrix is not positive definite", "give every motion an inertia");
  // Where the slope passes a value: it rises.
  const auto passes = [&](double slope) {
    double low = start - 1.0, high = start + 1.0;
    while (look(M, slides, low).slope > slope && low > start - 40.0) low -= 1.0;
    while (look(M, slides, high).slope < slope && high < start + 40.0) high += 1.0;
    for (;;) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) return middle;
      (look(M, slides, middle).slope < slope ? low : high) = middle;
    }
  };
  constexpr double kFlat = 1e-9;  // slopes below are none
  const double t = 0.5 * (passes(-kFlat) + passes(kFlat));
  return {std::exp(t), look(M, slides, t).condition};
}

CharacteristicLength characteristic_length(const describe::Model& model, std::span<const double> q) {
  if (!q.empty() && q.size() != model.initial_q.size())
    throw InputError({model.file}, fmt::format("{} coordinates for {}", q.size(), model.initial_q.size()),
                     "give all of them");
  describe::require_inertia(model, "a characteristic length");
  generate::Evaluator mass(
      generate::compile(derive::Equations(model).mass_matrix(), generate::Backend::interpreter));
  const std::span<double> at = mass.input("q");
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = q.empty() ? model.initial_q[i] : q[i];
  mass.run();
  std::vector<bool> slides;
  each_axis(model, [&](const describe::JointAxis& axis) { slides.push_back(!axis.is_rotation); });
  try {
    return characteristic_length(mass.output("M"), slides);
  } catch (const InputError& error) {
    throw InputError({model.file}, fmt::format("model `{}`: {}", model.name, error.wrong()), error.remedy());
  }
}

}  // namespace tactus::control
