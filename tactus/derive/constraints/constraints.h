// Constraints as equations, derived with the dynamics so that sub-expressions are shared and structural zeros
// cost nothing.
//
//   position      Phi(q, t) = 0                          holonomic rows only
//   velocity      A(q, t) u + c(q, t) = 0                 all rows
//   acceleration  A udot = gamma,   gamma = -(Ad u + cd)
//
// Rows that vanish identically (the out-of-plane rows of a loop in a planar mechanism) are left out.
#pragma once

#include <string>
#include <vector>

#include <tactus/algebra/sparse_rows.h>
#include <tactus/derive/tree/speeds.h>
#include <tactus/derive/tree/stations.h>

namespace tactus::derive {

struct ConstraintEquations {
  std::vector<ConstraintRow> rows;
  std::vector<std::string> vanished;  // labels of rows that hold by the mechanism's structure
  algebra::SparseRows A;              // rows x nv
  std::vector<Expr> c, gamma;
};

ConstraintEquations derive_constraints(const describe::Model& model, const Numbers& numbers,
                                       const Tree<Expr>& tree, const Motion<Expr>& motion,
                                       const Symbols& symbols, const SpeedMap& speeds);

}  // namespace tactus::derive
