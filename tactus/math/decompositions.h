// Eigen's decompositions of the matrices that are used more than once, compiled once (decompositions.cpp): each costs its compiler five to
// twenty seconds in every file that uses it. Included instead of Eigen's own headers.
#pragma once

#include <Eigen/Dense>

namespace Eigen {

extern template class LLT<MatrixXd>;
extern template class LDLT<MatrixXd>;
extern template class PartialPivLU<MatrixXd>;
extern template class FullPivLU<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class CompleteOrthogonalDecomposition<MatrixXd>;
extern template class JacobiSVD<MatrixXd>;
extern template class EigenSolver<MatrixXd>;
extern template class SelfAdjointEigenSolver<MatrixXd>;
extern template class GeneralizedSelfAdjointEigenSolver<MatrixXd>;
extern template class SelfAdjointEigenSolver<Matrix<double, 6, 6>>;
extern template class JacobiSVD<Matrix3d>;
extern template class SelfAdjointEigenSolver<Matrix3d>;
// What takes the matrix is a template of its own.
extern template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template EigenSolver<MatrixXd>& EigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, bool);
extern template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
extern template SelfAdjointEigenSolver<Matrix<double, 6, 6>>&
SelfAdjointEigenSolver<Matrix<double, 6, 6>>::compute(const EigenBase<Matrix<double, 6, 6>>&, int);
extern template SelfAdjointEigenSolver<Matrix3d>& SelfAdjointEigenSolver<Matrix3d>::compute(
    const EigenBase<Matrix3d>&, int);

}  // namespace Eigen
