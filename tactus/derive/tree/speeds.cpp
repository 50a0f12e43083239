#include <tactus/derive/tree/speeds.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/base/error.h>
#include <tactus/derive/constraints/linear_solution.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/math/rotation.h>

namespace tactus::derive {

using algebra::Op;
using describe::Model;
using describe::Speeds;

namespace {

/// Splits equations that are linear in the symbols x: equations = A x + b.
void split_linear(const Model& model, const std::vector<Expr>& equations, const std::vector<Expr>& x,
                  std::vector<Expr>& A, std::vector<Expr>& b) {
  A = algebra::jacobian(equations, x);
  for (const Expr element : A) {
    for (const Expr symbol : algebra::symbols_in(std::span(&element, 1))) {
      for (const Expr unknown : x) {
        if (symbol == unknown) {
          throw InputError(model.speeds.where,
                           "a definition of generalised speeds is not linear in the rates",
                           "write u = Y(q,t) qd + Z(q,t) or qd = W(q,t) u + X(q,t)");
        }
      }
    }
  }
  const std::vector<Expr> zeros(x.size());
  b = algebra::substitute(equations, algebra::Graph::current(), x, zeros);
}

std::vector<Expr> times(const std::vector<Expr>& A, const std::vector<Expr>& x) {
  const std::size_t n = x.size();
  std::vector<Expr> y(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) y[i] += A[i * n + j] * x[j];
  return y;
}

}  // namespace

bool SpeedMap::is_constant() const {
  return !identity && std::all_of(W.begin(), W.end(), [](Expr x) { return x.is_constant(); }) &&
         std::all_of(X.begin(), X.end(), [](Expr x) { return algebra::is_zero(x); });
}

SpeedMap speed_map(const Model& model, const Symbols& symbols, const Numbers& numbers) {
  SpeedMap map;
  const std::size_t n = symbols.u.size();
  if (model.speeds.definition == Speeds::Definition::joint_rates) {
    map.rates = symbols.u;
    map.accelerations = symbols.udot;
    map.bias.assign(n, Expr());
    map.X = map.Z = map.bias;
    return map;
  }
  map.identity = false;
  const std::vector<Expr> equations = numbers.formulas(model.speeds.equations);
  if (equations.size() != n) {
    throw InputError(model.speeds.where, "there are " + std::to_string(equations.size()) +
                                             " speed definitions for " + std::to_string(n) +
                                             " degrees of freedom");
  }
  const auto minus = [n](const std::vector<Expr>& x, const std::vector<Expr>& y) {
    std::vector<Expr> difference(n);
    for (std::size_t i = 0; i < n; ++i) difference[i] = x[i] - y[i];
    return difference;
  };
  const auto refuse = [&] {
    throw InputError(model.speeds.where,
                     "the generalised speeds do not determine the joint rates (the map is singular)",
                     "define as many independent speeds as there are degrees of freedom");
  };
  if (model.speeds.definition == Speeds::Definition::to_rates) {
    split_linear(model, equations, symbols.u, map.W, map.X);
    map.rates = equations;  // as the user wrote them
    split_linear(model, solve_linear(map.W, minus(symbols.rates, map.X), refuse), symbols.rates, map.Y,
                 map.Z);
  } else {
    split_linear(model, equations, symbols.rates, map.Y, map.Z);
    map.rates = solve_linear(map.Y, minus(symbols.u, map.Z), refuse);
    split_linear(model, map.rates, symbols.u, map.W, map.X);
  }

  // Wd u + Xd: the rate of (W u + X) with u held still.
  std::vector<Expr> moving = symbols.q;
  std::vector<Expr> moving_rates = coordinate_rates(model, symbols, map.rates);
  moving.push_back(symbols.t);
  moving_rates.emplace_back(1.0);
  map.bias = algebra::directional_derivative(map.rates, moving, moving_rates);
  map.accelerations = times(map.W, symbols.udot);
  for (std::size_t i = 0; i < n; ++i) map.accelerations[i] += map.bias[i];
  return map;
}

std::vector<Expr> coordinate_rates(const Model& model, const Symbols& symbols,
                                   const std::vector<Expr>& joint_rates) {
  std::vector<Expr> rates;
  std::size_t v = 0;
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (traits.has_quaternion()) {
      const bool is_free = traits.quaternion_at > 0;
      const std::size_t at = rates.size() + static_cast<std::size_t>(traits.quaternion_at);
      const math::Quaternion<Expr> q{symbols.q[at], symbols.q[at + 1], symbols.q[at + 2], symbols.q[at + 3]};
      if (is_free) {
        const Vec3<Expr> pd =
            rotation_of(q) * Vec3<Expr>{joint_rates[v + 3], joint_rates[v + 4], joint_rates[v + 5]};
        for (std::size_t k = 0; k < 3; ++k) rates.push_back(pd[k]);
      }
      // qd = 1/2 q (0, w), w in the link's axes
      const Expr half(0.5);
      const math::Quaternion<Expr> w{Expr(0.0), half * joint_rates[v], half * joint_rates[v + 1],
                                     half * joint_rates[v + 2]};
      const math::Quaternion<Expr> qd = q * w;
      for (const Expr x : {qd.w, qd.x, qd.y, qd.z}) rates.push_back(x);
    } else {
      for (std::size_t k = 0; k < joint.axes.size(); ++k) rates.push_back(joint_rates[v + k]);
    }
    v += joint.axes.size();
  }
  return rates;
}

}  // namespace tactus::derive
