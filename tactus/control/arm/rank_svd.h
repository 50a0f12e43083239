// The singular value decomposition of rank_kernel.h with memory of its own, made once.
#pragma once

#include <algorithm>

#include <Eigen/Core>

#include <tactus/control/arm/rank_kernel.h>

namespace tactus::control {

class RankSvd {
 public:
  RankSvd() = default;
  RankSvd(Eigen::Index rows, Eigen::Index cols)
      : u_(rows, std::min(rows, cols)), v_(cols, std::min(rows, cols)), s_(std::min(rows, cols)) {}

  /// Of a matrix of the size that was said.
  void compute(const Eigen::MatrixXd& a) noexcept {
    rank_decompose(static_cast<int>(u_.rows()), static_cast<int>(v_.rows()), a.data(), u_.data(), s_.data(),
                   v_.data());
  }
  /// x += the least with a x = r in the least squares; singular values up to `nothing` count as none.
  void add_solution(const Eigen::VectorXd& r, double nothing, Eigen::VectorXd& x) const noexcept {
    rank_add_solution(static_cast<int>(u_.rows()), static_cast<int>(v_.rows()), u_.data(), s_.data(),
                      v_.data(), r.data(), nothing, x.data());
  }
  /// Takes out of the rows of b what lies along directions v of singular values above `nothing`.
  void take_out(double nothing, Eigen::MatrixXd& b) const noexcept {
    rank_take_out(static_cast<int>(b.rows()), static_cast<int>(b.cols()), static_cast<int>(s_.size()),
                  s_.data(), v_.data(), nothing, b.data());
  }

  const Eigen::VectorXd& singularValues() const noexcept { return s_; }  // the largest first
  const Eigen::MatrixXd& matrixU() const noexcept { return u_; }
  const Eigen::MatrixXd& matrixV() const noexcept { return v_; }

 private:
  Eigen::MatrixXd u_, v_;
  Eigen::VectorXd s_;
};

}  // namespace tactus::control
