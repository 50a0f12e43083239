#include <tactus/derive/linear/coriolis.h>

#include <algorithm>

#include <tactus/derive/equations_implementation.h>
#include <tactus/derive/linear/square_matrix.h>

namespace tactus::derive {

namespace {

using Matrix = SquareMatrix;

/// b: the joints' forces of a motion without acceleration, weight and loads, in the speeds.
std::vector<Expr> velocity_products(const Derivation& self) {
  const SpeedMap& speeds = self.speeds;
  const std::size_t n = speeds.rates.size();
  Tree<Expr> weightless = self.tree;
  weightless.gravity = Vec3<Expr>::zero();
  Motion<Expr> motion = motion_at(weightless, self.symbols->q);
  std::vector<Expr> tau(n);
  newton_euler(weightless, speeds.rates.data(), speeds.bias.data(), {}, Policy{}, motion, tau.data());
  if (speeds.identity) return tau;
  std::vector<Expr> b(n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 0; i < n; ++i) b[r] += speeds.W_at(i, r) * tau[i];
  return b;
}

/// c_q(qd); all zeros where no joint has a quaternion.
Matrix commutator_of_rates(const Derivation& self) {
  const std::vector<Expr>& qd = self.speeds.rates;
  const std::size_t n = qd.size();
  Matrix c(n * n);
  const auto cross = [&](std::size_t row, std::size_t column, std::size_t of) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3, last = (k + 2) % 3;
      c[(row + next) * n + column + k] = qd[of + last];
      c[(row + last) * n + column + k] = -qd[of + next];
    }
  };
  std::size_t at = 0;
  for (const describe::Joint& joint : self.model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (traits.has_quaternion()) {
      cross(at, at, at);
      if (traits.quaternion_at > 0) {
        cross(at + 3, at + 3, at);
        cross(at + 3, at, at + 3);
      }
    }
    at += joint.axes.size();
  }
  return c;
}

/// c(u).
Matrix commutator(const Derivation& self) {
  const SpeedMap& speeds = self.speeds;
  const std::size_t n = speeds.rates.size();
  const Matrix c = commutator_of_rates(self);
  if (speeds.identity) return c;
  const std::vector<Expr> qdot = coordinate_rates(self.model, *self.symbols, speeds.rates);
  Matrix sum = times(c, speeds.W, n);
  const Matrix Wd = algebra::directional_derivative(speeds.W, self.symbols->q, qdot);
  for (std::size_t k = 0; k < n * n; ++k) sum[k] += Wd[k];
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Expr> column(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = speeds.W_at(i, j);
    const std::vector<Expr> along = coordinate_rates(self.model, *self.symbols, column);
    const std::vector<Expr> change = algebra::directional_derivative(speeds.rates, self.symbols->q, along);
    for (std::size_t i = 0; i < n; ++i) sum[i * n + j] -= change[i];
  }
  return times(speeds.Y, sum, n);
}

}  // namespace

Function coriolis_matrix(const Equations& equations) {
  const Derivation self(equations.model(), equations.options());
  const Graph::Scope scope(*self.graph);
  self.require_a_matrix();
  const Symbols& symbols = *self.symbols;
  const std::size_t n = symbols.u.size();
  const std::vector<Expr> by_time = algebra::derivative(std::span<const Expr>(self.speeds.rates), symbols.t);
  const auto zero = [](Expr x) { return algebra::is_zero(x); };
  if (!std::all_of(self.speeds.X.begin(), self.speeds.X.end(), zero) ||
      !std::all_of(by_time.begin(), by_time.end(), zero))
    throw InputError(
        self.model.speeds.where,
        "the speeds have a part that depends on time, or that is there without any speed: the velocity's "
        "products are not C u",
        "define speeds as qd = W(q) u");
  Matrix C = algebra::jacobian(velocity_products(self), symbols.u);
  const Matrix c = commutator(self);
  if (!std::all_of(c.begin(), c.end(), zero)) {
    const Matrix Mc = times(self.mass_matrix(), c, n);
    for (std::size_t k = 0; k < n * n; ++k) C[k] += Mc[k];
  }
  for (Expr& x : C) x = Expr(0.5) * x;
  return self.function(
      "coriolis", "Velocity's products as C(q, u) u, with Md - 2 C skew: Christoffel's symbols.",
      symbols.inputs(true, {}, false),
      {block("C", "Coriolis matrix [kg m^2/s, kg m/s, kg/s]", self.nv(), self.nv(), std::move(C))});
}

}  // namespace tactus::derive
