#include <tactus/math/decompositions.h>

namespace Eigen {

template class LLT<MatrixXd>;
template class LDLT<MatrixXd>;
template class PartialPivLU<MatrixXd>;
template class FullPivLU<MatrixXd>;
template class ColPivHouseholderQR<MatrixXd>;
template class CompleteOrthogonalDecomposition<MatrixXd>;
template class JacobiSVD<MatrixXd>;
template class EigenSolver<MatrixXd>;
template class SelfAdjointEigenSolver<MatrixXd>;
template class GeneralizedSelfAdjointEigenSolver<MatrixXd>;
template class SelfAdjointEigenSolver<Matrix<double, 6, 6>>;
template class JacobiSVD<Matrix3d>;
template class SelfAdjointEigenSolver<Matrix3d>;
// What takes the matrix is a template of its own.
template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
template LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
template EigenSolver<MatrixXd>& EigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, bool);
template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
template SelfAdjointEigenSolver<Matrix<double, 6, 6>>& SelfAdjointEigenSolver<Matrix<double, 6, 6>>::compute(
    const EigenBase<Matrix<double, 6, 6>>&, int);
template SelfAdjointEigenSolver<Matrix3d>& SelfAdjointEigenSolver<Matrix3d>::compute(
    const EigenBase<Matrix3d>&, int);

}  // namespace Eigen
