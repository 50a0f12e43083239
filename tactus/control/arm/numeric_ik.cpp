#include <tactus/control/arm/numeric_ik.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/decompositions.h>
#include <tactus/math/rotation_vector.h>
#include <tactus/simulate/motion/coordinates.h>

namespace tactus::control {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kMet = 1e-10;
/// Singular values below this part of the largest are none.
constexpr double kRank = 1e-9;
/// [rad or m] the longest step of a joint: the pose is far from linear beyond it.
constexpr double kLongest = 0.3;

/// Everything at one place.
struct Look {
  Vector e, Phi;
  Matrix J, A;
  double way = 0.0, turn = 0.0;

  double size() const { return e.squaredNorm() + Phi.squaredNorm(); }
};

class Place {
 public:
  Place(const describe::Model& model, const derive::Equations& equations, int frame,
        const math::Pose<double>& X, const NumericIkOptions& options)
      : coordinates_(model),
        X_(X),
        options_(options),
        frame_(generate::compile(equations.frame_motion(frame))),
        rates_(generate::compile(equations.coordinate_rates())) {
    if (!equations.constraint_rows().empty())
      constraints_.emplace(generate::compile(equations.constraint_terms()));
  }

  /// q moved by d along the speeds.
  std::vector<double> moved(const std::vector<double>& q, const Vector& d) {
    const auto rates = [&](const double* u) {
      if (!rates_.input("q").empty()) std::copy(q.begin(), q.end(), rates_.input("q").begin());
      for (std::size_t i = 0; i < rates_.input("u").size(); ++i)
        rates_.input("u")[i] = u != nullptr ? u[i] : 0.0;
      rates_.run();
      const std::span<const double> out = rates_.output("qdot");
      return std::vector<double>(out.begin(), out.end());
    };
    std::vector<double> qdot = rates(d.data()), at_rest = rates(nullptr);
    for (std::size_t i = 0; i < qdot.size(); ++i) qdot[i] -= at_rest[i];
    const std::vector<double> zero(static_cast<std::size_t>(coordinates_.nv()), 0.0);
    std::vector<double> theta(zero.size()), next(q.size());
    coordinates_.chart_rate(q.data(), zero.data(), qdot.data(), theta.data());
    coordinates_.displace(q.data(), theta.data(), next.data());
    return next;
  }

  Look at(const std::vector<double>& q) {
    const auto give = [&](generate::Evaluator& evaluator) {
      if (!evaluator.input("q").empty()) std::copy(q.begin(), q.end(), evaluator.input("q").begin());
      evaluator.run();
    };
    give(frame_);
    const Eigen::Index n = static_cast<Eigen::Index>(frame_.output("J").size() / 6);
    Look look;
    math::Mat3<double> R;
    math::Vec3<double> way;
    for (std::size_t i = 0; i < 3; ++i) {
      way[i] = X_.p[i] - frame_.output("p")[i];
      for (std::size_t j = 0; j < 3; ++j) R(i, j) = frame_.output("R")[3 * i + j];
    }
    const math::Vec3<double> turn = math::rotation_vector(X_.R * R.transposed());
    look.way = std::sqrt(dot(way, way));
    look.turn = options_.orientation ? std::sqrt(dot(turn, turn)) : 0.0;
    const double weight = options_.orientation ? options_.length : 0.0;
    look.e.resize(6);
    look.J = Eigen::Map<const Rows>(frame_.output("J").data(), 6, n);
    for (Eigen::Index i = 0; i < 3; ++i) {
      look.e[i] = weight * turn[static_cast<std::size_t>(i)];
      look.e[3 + i] = way[static_cast<std::size_t>(i)];
      look.J.row(i) *= weight;
    }
    if (constraints_) {
      give(*constraints_);
      // Rows that exist for velocities only fix no place.
      const std::span<const double> Phi = constraints_->output("Phi"), A = constraints_->output("A");
      look.Phi = Eigen::Map<const Vector>(Phi.data(), static_cast<Eigen::Index>(Phi.size()));
      look.A = Eigen::Map<const Rows>(A.data(), look.Phi.size(), n);
      for (std::size_t row = 0; row < fixes_.size(); ++row)
        if (fixes_[row] == 0) look.A.row(static_cast<Eigen::Index>(row)).setZero();
    } else {
      look.Phi.resize(0);
      look.A.resize(0, n);
    }
    return look;
  }

 private:
  simulate::Coordinates coordinates_;
  math::Pose<double> X_;
  NumericIkOptions options_;
  generate::Evaluator frame_, rates_;
  std::optional<generate::Evaluator> constraints_;
  std::vector<char> fixes_;  // [rows]
};

/// Limits of the speeds' directions, where coordinates are plain.
void limits_of(const describe::Model& model, Vector& lower, Vector& upper) {
  Eigen::Index k = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      if (k >= lower.size()) return;
      if (axis.lower) lower[k] = describe::value_of(model, *axis.lower);
      if (axis.upper) upper[k] = describe::value_of(model, *axis.upper);
      ++k;
    }
}

}  // namespace

NumericIkResult numeric_ik(const describe::Model& model, const std::string& frame,
                           const math::Pose<double>& X_WF, const std::vector<double>& q_start,
                           const NumericIkOptions& options) {
  int index = -1;
  for (std::size_t i = 0; i < model.frames.size(); ++i)
    if (model.frames[i].name == frame) index = static_cast<int>(i);
  if (index < 0)
    throw InputError({model.file}, fmt::format("model `{}` has no frame `{}`", model.name, frame),
                     "name one of its frames");
  const derive::Equations equations(model);
  const Eigen::Index n = equations.nv();
  Place place(model, equations, index, X_WF, options);
  NumericIkResult result;
  result.q = q_start;
  if (n == 0)
    throw InputError({model.file}, fmt::format("model `{}` does not move", model.name), "give it a joint");
  const bool plain = equations.nq() == equations.nv() &&
                     model.speeds.definition == describe::Speeds::Definition::joint_rates;
  Vector lower = Vector::Constant(n, -std::numeric_limits<double>::infinity()), upper = -lower;
  if (plain && options.limits) limits_of(model, lower, upper);
  // Within the limits from the start.
  if (plain)
    for (Eigen::Index i = 0; i < n; ++i)
      result.q[static_cast<std::size_t>(i)] =
          std::clamp(result.q[static_cast<std::size_t>(i)], lower[i], std::max(lower[i], upper[i]));

  Look now = place.at(result.q);
  double mu = 1e-4;
  const auto met = [&](const Look& look) {
    return look.way < kMet && look.turn < kMet &&
           (look.Phi.size() == 0 || look.Phi.cwiseAbs().maxCoeff() < kMet);
  };
  int rest = 0;  // steps after the pose was met, towards the place that was given
  for (; result.steps < options.most_steps; ++result.steps) {
    if (!std::isfinite(now.size())) break;
    std::vector<char> held(static_cast<std::size_t>(n), 0);
    Vector d;
    for (int round = 0; round <= n; ++round) {
      Matrix A = now.A, J = now.J;
      for (Eigen::Index i = 0; i < n; ++i)
        if (held[static_cast<std::size_t>(i)] != 0) {
          A.col(i).setZero();
          J.col(i).setZero();
        }
      // d = d_0 + N y, N orthonormal.
      Matrix N = Matrix::Identity(n, n);
      Vector d_0 = Vector::Zero(n);
      if (A.rows() > 0) {
        const Eigen::JacobiSVD<Matrix> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
        const Vector& s = svd.singularValues();
        Eigen::Index rank = 0;
        for (; rank < s.size() && s[rank] > kRank * std::max(1.0, s[0]); ++rank)
          d_0 -= svd.matrixU().col(rank).dot(now.Phi) / s[rank] * svd.matrixV().col(rank);
        N = svd.matrixV().rightCols(n - rank);
      }
      const Matrix JN = J * N;
      const Vector left = now.e - J * d_0;
      d = d_0;
      if (JN.cols() > 0) {
        const Eigen::JacobiSVD<Matrix> svd(JN, Eigen::ComputeThinU | Eigen::ComputeFullV);
        const Vector& s = svd.singularValues();
        Vector y = Vector::Zero(N.cols());
        for (Eigen::Index i = 0; i < s.size(); ++i)
          if (s[i] > 0.0)
            y += s[i] / (s[i] * s[i] + mu * mu) * svd.matrixU().col(i).dot(left) * svd.matrixV().col(i);
        d += N * y;
        if (plain) {
          // What nothing fixes, towards the place that was given.
          Vector back(n);
          for (Eigen::Index i = 0; i < n; ++i)
            back[i] = held[static_cast<std::size_t>(i)] != 0
                          ? 0.0
                          : q_start[static_cast<std::size_t>(i)] - result.q[static_cast<std::size_t>(i)];
          const Vector along = N.transpose() * back;
          for (Eigen::Index i = 0; i < N.cols(); ++i) {
            const bool fixed = i < s.size() && s[i] > 1e-6 * std::max(1e-300, s[0]);
            if (!fixed) d += 0.3 * svd.matrixV().col(i).dot(along) * (N * svd.matrixV().col(i));
          }
        }
      }
      // Joints that would leave their limits stay where they are.
      bool more = false;
      for (Eigen::Index i = 0; plain && i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (held[k] != 0) continue;
        const bool leaves =
            (result.q[k] <= lower[i] && d[i] < 0.0) || (result.q[k] >= upper[i] && d[i] > 0.0);
        if (leaves) {
          held[k] = 1;
          more = true;
        }
      }
      if (!more) break;
    }
    for (Eigen::Index i = 0; i < n; ++i)
      if (held[static_cast<std::size_t>(i)] != 0) d[i] = 0.0;
    const double longest = d.cwiseAbs().maxCoeff();
    if (longest > kLongest) d *= kLongest / longest;
    std::vector<double> next = place.moved(result.q, d);
    if (plain)
      for (Eigen::Index i = 0; i < n; ++i)
        next[static_cast<std::size_t>(i)] =
            std::clamp(next[static_cast<std::size_t>(i)], lower[i], std::max(lower[i], upper[i]));
    const Look then = place.at(next);
    const bool was_met = met(now);
    if (then.size() < now.size() || met(then)) {
      result.q = next;
      now = then;
      mu = std::max(1e-9, 0.3 * mu);
      if (was_met && (longest < 1e-9 || ++rest > 50)) break;
    } else {
      if (was_met) break;
      mu *= 5.0;
      if (mu > 1e3) break;  // no step helps: the nearest there is
    }
  }
  result.missed_way = now.way;
  result.missed_turn = now.turn;
  result.constraint_error = now.Phi.size() > 0 ? now.Phi.cwiseAbs().maxCoeff() : 0.0;
  result.met = met(now);
  return result;
}

}  // namespace tactus::control
