// Which coordinates or speeds depend on the others, by rows X x = 0 that hold for small ones.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace tactus::derive {

struct Partition {
  std::vector<int> dependent, independent;  // columns, in order
  std::vector<int> rows;                    // as many as dependent ones; the rows left out follow from them
  int stuck = -1;  // a row that holds nothing but columns that must be independent; -1: none
};

/// By elimination with complete pivoting; elements count by the weight of their column, and columns of weight zero must be
/// independent. Of equal ones the later column depends.
Partition partition(const Eigen::MatrixXd& X, const std::vector<double>& weight);

/// x_d = result x_i: the dependent ones by the independent ones.
Eigen::MatrixXd solved_for_dependent(const Eigen::MatrixXd& X, const Partition& parts);

/// These rows and columns.
Eigen::MatrixXd part_of(const Eigen::MatrixXd& X, const std::vector<int>& rows,
                        const std::vector<int>& columns);

}  // namespace tactus::derive
