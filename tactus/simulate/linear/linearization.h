// The parts of a linearization: the function of all derivatives, which coordinates and speeds are independent, and what follows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/linear/linear_terms.h>
#include <tactus/derive/linear/partition.h>
#include <tactus/describe/model/model.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/linear/axes.h>
#include <tactus/simulate/linear/linear_model.h>
#include <tactus/simulate/linear/tangent.h>

namespace tactus::simulate {

/// [rad/s^2, m/s^2] per speed of 1: what a state typed with seven digits leaves.
inline constexpr double kAtRest = 1e-6;
/// Steps of Newton's method.
inline constexpr int kMostSteps = 50;

inline double largest(const Eigen::VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }
inline double largest(const Eigen::MatrixXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }
double fastest_of(const std::vector<double>& u);  // 1 at least
std::vector<std::string> named(const std::vector<std::string>& all, const std::vector<int>& which);

struct Linearization::Implementation {
  using Index = Eigen::Index;
  using MatrixXd = Eigen::MatrixXd;
  using VectorXd = Eigen::VectorXd;

  // linearization.cpp: the function and its evaluations; what it refuses
  Implementation(const describe::Model& given, const derive::Options& options,
                 std::vector<std::string> independent);
  /// Marks the coordinate and the speed of that name as independent.
  void demand(const std::string& name, std::vector<double>& of_q, std::vector<double>& of_u) const;
  MatrixXd output(std::string_view name) const;
  void evaluate(const Instant& at, const VectorXd& udot, const VectorXd& lambda);
  void evaluate(const Instant& at) { evaluate(at, VectorXd::Zero(nv), VectorXd::Zero(m)); }
  double fastest_rate(const Instant& at);
  std::string label(int row) const;
  Place place_of(int row) const;
  /// At the last evaluation everything is a number; else throws what is not.
  void require_numbers();
  /// Forces determine the accelerations that the constraints leave; else throws what nothing resists.
  void require_inertia(const MatrixXd& M) const;
  void refuse_singular(const Instant& at) const;
  /// Slopes at the point are those on all of its sides; else throws which are not.
  void refuse_kinks(const Instant& at);
  /// The function's inputs at the last evaluation, by the names of their symbols.
  std::map<std::string, double> input_values();

  // independent.cpp: which coordinates and speeds are, and what follows from them. Speeds are those of the axes, S u.
  /// Chooses what is independent, at the last evaluation.
  void choose(const Instant& at);
  /// Dependent coordinates and speeds from the independent ones.
  void complete(Instant& at);
  /// The point where the motion arrives with constant independent speeds; the axes turn along.
  Instant further(Instant at, double rate);
  /// S, where the axes are now; of the children's own none.
  void turn_axes(double t);
  /// X S^T: columns by speeds or displacements.
  MatrixXd by_axes(const MatrixXd& X) const { return turned ? MatrixXd(X * S.transpose()) : X; }
  /// S X: rows likewise.
  MatrixXd in_axes(const MatrixXd& X) const { return turned ? MatrixXd(S * X) : X; }

  // reduction.cpp: the linear model without its eigenvalues, and those
  /// The accelerations and multipliers at the last evaluation, made without either.
  void accelerate(VectorXd& udot, VectorXd& lambda) const;
  LinearModel here(Instant at);
  void add_inputs(const MatrixXd& T_u, LinearModel& result) const;
  void add_eigenvalues(LinearModel& result) const;

  /// steady_search.h: one search for a steady motion
  struct Search;

  // linear_model.cpp
  /// Here and further along.
  LinearModel examined(const Instant& point);

  std::vector<std::string> dry;
  describe::Model model;
  derive::Equations equations;
  derive::LinearTerms terms;
  generate::Evaluator evaluator;
  Tangent tangent;
  TurningAxes axes;
  MatrixXd S;           // [nv x nv] of the axes
  bool turned = false;  // S is not 1, or will not be
  bool apart = false;   // speeds are components in axes that take no part in small turns
  std::vector<std::string> speed_names, efforts, wrench_names;
  Index nv, m;
  std::vector<int> holonomic;  // rows with a position level
  std::vector<double> weight_q, weight_u, parameters;
  bool chosen = false;
  derive::Partition parts_q, parts_u;
};

}  // namespace tactus::simulate
