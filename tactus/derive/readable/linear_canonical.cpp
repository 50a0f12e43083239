#include <tactus/derive/readable/linear_canonical.h>

#include <algorithm>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_shared.h>

namespace tactus::derive {

LinearCanonical::LinearCanonical(const CanonicalModel& full, std::optional<Abbreviation> rule)
    : model_(full) {
  const int n = full.size();
  const auto shorten = [&](TrigPolynomial p) { return rule ? abbreviated(p, *rule) : p; };
  const auto& variables = full.variables;
  if (rule) model_ = abbreviated(full, *rule);
  for (int i = 0; i < n; ++i) {
    const TrigPolynomial& tau = full.torques[static_cast<std::size_t>(i)];
    for (int j = 0; j < n; ++j) {
      const auto k = static_cast<std::size_t>(j);
      M_.push_back(model_.M(i, j));
      C_.push_back(shorten(algebra::derivative(tau, full.u[k], variables)));
      K_.push_back(shorten(algebra::derivative(tau, full.q[k], variables)));
    }
  }
  const algebra::Graph::Scope scope(*model_.graph);
  for (std::size_t i = 0; i < full.friction.size(); ++i) {
    slopes_.push_back(algebra::derivative(full.friction[i], full.u[i]));
  }
}

LinearMatrices LinearCanonical::evaluate(const MotionPoint& at) const {
  const int n = size();
  LinearMatrices linear{Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, n)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      linear.M(i, j) = model_.evaluate(M(i, j), at);
      linear.C(i, j) = model_.evaluate(C(i, j), at);
      linear.K(i, j) = model_.evaluate(K(i, j), at);
    }
    const auto k = static_cast<std::size_t>(i);
    linear.M(i, i) += model_.evaluate(model_.rotors[k], at);
    linear.C(i, i) += algebra::evaluate(slopes_[k], [&](Expr s) {
      const auto it = std::find(model_.u.begin(), model_.u.end(), s);
      return it == model_.u.end() ? 0.0 : at.u[static_cast<std::size_t>(it - model_.u.begin())];
    });
  }
  return linear;
}

Function LinearCanonical::function() const {
  const algebra::Graph::Scope scope(*model_.graph);
  const int n = size();
  std::vector<TrigPolynomial> elements;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      elements.push_back(i == j ? M(i, j) + model_.rotors[static_cast<std::size_t>(i)] : M(i, j));
    }
  }
  elements.insert(elements.end(), C_.begin(), C_.end());
  elements.insert(elements.end(), K_.begin(), K_.end());
  const std::vector<Expr> made = algebra::shared_trig_forms(elements, model_.variables);
  const auto square = static_cast<std::size_t>(n * n);
  std::vector<Expr> M(square), C(square), K(square);
  std::size_t next = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) M[index(i, j)] = M[index(j, i)] = made[next++];
  }
  for (std::size_t k = 0; k < square; ++k) C[k] = made[next + k];
  for (std::size_t k = 0; k < square; ++k) K[k] = made[next + square + k];
  for (int i = 0; i < n; ++i) C[index(i, i)] += slopes_[static_cast<std::size_t>(i)];
  return {"linear_model",
          "Linear model about a point of a motion.",
          model_.graph,
          model_.inputs,
          {{"M", "mass matrix", n, n, std::move(M)},
           {"C", "d tau/d u", n, n, std::move(C)},
           {"K", "d tau/d q", n, n, std::move(K)}}};
}

}  // namespace tactus::derive
