// The coordinates on which no acceleration depends.
//
//   dq' = E dq + H du,   du' = P dq + D du
//
// S, the largest subspace with P S = 0 and E S in S on which E lets nothing grow or fade, is found from ker P by taking away what E moves
// out of it, and then what belongs to eigenvalues with a real part. With a basis
// [1; along] over (eliminated, kept) coordinates, y = kept - along eliminated does not see S, and (y, du) is a system of its own.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace tactus::simulate {

struct Ignorable {
  std::vector<int> eliminated, kept;  // indices of coordinates
  Eigen::MatrixXd along;              // [kept x eliminated]
};

/// E [p x p], and P [any x p] or what has the same kernel: K, with P = -M^-1 K, has lost fewer digits.
Ignorable find_ignorable(const Eigen::MatrixXd& E, const Eigen::MatrixXd& P);

}  // namespace tactus::simulate
