#include <tactus/derive/linear/regular_mass.h>

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/decompositions.h>

namespace tactus::derive {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Of the scaled matrix, whose diagonal is one: a zero eigenvalue is known to some 1e-15 times its size. Chains of sixty links stay above
/// 1e-7.
constexpr double kSingular = 1e-12;
/// Parts of the motion without energy below this, by the largest, are not named.
constexpr double kNamed = 1e-3;

}  // namespace

std::vector<int> speeds_without_inertia(const MatrixXd& M) {
  const Index n = M.rows();
  std::vector<int> none;
  Eigen::VectorXd scale(n);
  for (Index i = 0; i < n; ++i) {
    if (!(M(i, i) > 0.0)) none.push_back(static_cast<int>(i));
    scale[i] = 1.0 / std::sqrt(M(i, i));
  }
  if (!none.empty() || n == 0) return none;
  const MatrixXd scaled = scale.asDiagonal() * M * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(scaled);
  if (solver.eigenvalues()[0] > kSingular) return none;
  const Eigen::VectorXd motion = solver.eigenvectors().col(0);
  const double largest = motion.cwiseAbs().maxCoeff();
  for (Index i = 0; i < n; ++i)
    if (std::abs(motion[i]) > kNamed * largest) none.push_back(static_cast<int>(i));
  return none;
}

void require_regular_mass(const Equations& equations, std::string_view what) {
  const describe::Model& model = equations.model();
  describe::require_inertia(model, what);
  const Function function = equations.mass_matrix();
  const algebra::Block* q = nullptr;
  for (const algebra::Block& block : function.inputs)
    if (block.name == "q") q = &block;
  const auto n = static_cast<Index>(equations.nv());
  std::vector<int> none;
  // Three positions that no mechanism has a reason to be singular at.
  for (const double away : {0.0, 0.377, -0.291}) {
    const auto value_of = [&](algebra::Expr symbol) {
      for (std::size_t k = 0; q != nullptr && k < q->entries.size(); ++k)
        if (q->entries[k] == symbol)
          return model.initial_q[k] + away * (1.0 + 0.173 * static_cast<double>(k));
      const std::string& name = function.graph->symbol_name(symbol);
      for (const describe::Parameter& parameter : model.parameters)
        if (parameter.name == name) return parameter.value;
      return 0.0;
    };
    const std::vector<double> values = algebra::evaluate(function.outputs.front().entries, value_of);
    MatrixXd M(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) M(i, j) = values[static_cast<std::size_t>(i * n + j)];
    if (!M.allFinite()) continue;
    none = speeds_without_inertia(M);
    if (none.empty()) return;
  }
  if (none.empty()) return;
  std::vector<std::string> names;
  const std::vector<std::string> speeds = model.speed_names();
  for (const int k : none) names.push_back(speeds[static_cast<std::size_t>(k)]);
  throw InputError(
      {model.file},
      fmt::format("{} needs inertia: the mass matrix is singular, nothing resists a motion of {}", what,
                  fmt::join(names, " and ")),
      "give every body that a joint moves alone mass and inertia, or joints an `armature`");
}

}  // namespace tactus::derive
