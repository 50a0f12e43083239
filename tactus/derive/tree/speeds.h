// Generalised speeds: how u and the joint rates qd belong together.
//
//   u = Y(q,t) qd + Z(q,t)          or          qd = W(q,t) u + X(q,t)          [Gillespie2003, (3)-(5)]
//
// Whichever the model gives, the other follows: W = Y^-1, X = -W Z. The elements are reduced as rational
// trigonometric functions, so that factors which cancel do cancel.
#pragma once

#include <vector>

#include <tactus/derive/readable/fraction.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/derive/tree/symbols.h>

namespace tactus::derive {

struct SpeedMap {
  bool identity = true;             // u = qd; W and Y are then left empty
  std::vector<Expr> W, X;           // nv x nv by rows, nv
  std::vector<Expr> Y, Z;           // the inverse map
  std::vector<Expr> rates;          // qd = W u + X
  std::vector<Expr> accelerations;  // d qd/dt = W udot + Wd u + Xd
  std::vector<Expr> bias;           // Wd u + Xd

  /// Whether qd = W u with a W that never changes.
  bool is_constant() const;
  Expr W_at(std::size_t rate, std::size_t speed) const {
    if (identity) return rate == speed ? Expr(1.0) : Expr(0.0);
    return W[rate * rates.size() + speed];
  }
};

SpeedMap speed_map(const describe::Model& model, const Symbols& symbols, const Numbers& numbers);

/// Rates of the coordinates q (quaternions included) for given joint rates: what an integrator of q needs.
std::vector<Expr> coordinate_rates(const describe::Model& model, const Symbols& symbols,
                                   const std::vector<Expr>& joint_rates);

}  // namespace tactus::derive
