#include <tactus/describe/check/inertia.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/math/decompositions.h>

namespace tactus::describe {

InertiaReport inspect_inertia(const math::Mat3<double>& inertia) {
  InertiaReport report;
  Eigen::Matrix3d matrix;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      matrix(i, j) = inertia(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  }
  const double slack = kInertiaRounding * matrix.cwiseAbs().maxCoeff();
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > slack) {
    report.fault = InertiaFault::not_symmetric;
    return report;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(matrix, Eigen::EigenvaluesOnly);
  for (int i = 0; i < 3; ++i) report.principal[i] = solver.eigenvalues()(i);
  if (report.principal[0] < -slack) {
    report.fault = InertiaFault::negative_moment;
  } else if (report.principal[0] + report.principal[1] < report.principal[2] - slack) {
    report.fault = InertiaFault::triangle;
  }
  return report;
}

std::string describe_fault(const InertiaReport& report) {
  const std::string moments = fmt::format("its principal moments are {:.4g}, {:.4g} and {:.4g} kg m^2",
                                          report.principal[0], report.principal[1], report.principal[2]);
  switch (report.fault) {
    case InertiaFault::none:
      return moments;
    case InertiaFault::not_symmetric:
      return "the matrix is not symmetric";
    case InertiaFault::negative_moment:
      return moments + ": a moment of inertia cannot be negative";
    case InertiaFault::triangle:
      return moments + ": the largest exceeds the sum of the other two";
  }
  return moments;
}

}  // namespace tactus::describe
