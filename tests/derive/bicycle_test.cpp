// The benchmark bicycle (models/single_track.yaml), linearised about upright straight motion, against the
// published eigenvalues: wheels that roll and lean, two closed contacts, gyroscopic and caster effects all
// enter them.
#include <algorithm>
#include <complex>

#include <Eigen/Geometry>

#include <tactus/math/decompositions.h>

#include "random_state.h"

#include "support/published_bicycle.h"

namespace tactus::derive {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Bicycle {
 public:
  Bicycle() : equations_(model_named("single_track")) {
    const std::vector<std::string> names = equations_.model().speed_names();
    const auto at = [&](const char* name) {
      return static_cast<Eigen::Index>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    roll_ = at("frame.wx");
    pitch_ = at("frame.wy");
    heave_ = at("frame.vz");
    rear_ = at("rear");
    steer_ = at("steer");
    terms_ = equations_.constraint_terms();
    dynamics_ = equations_.constrained_dynamics();
  }

  /// Accelerations of lean and steer at the lean, steer and rates x, running at the speed v.
  Eigen::Vector2d accelerations(const Eigen::Vector4d& x, double v) const {
    State s;
    s.q = equations_.model().initial_q;
    s.u.assign(static_cast<std::size_t>(equations_.nv()), 0.0);
    s.tau = s.u;
    Eigen::Quaterniond turn(Eigen::AngleAxisd(x[0], Eigen::Vector3d::UnitX()));
    s.q[static_cast<std::size_t>(steer_) + 1] = x[1];  // the quaternion has one coordinate more than speeds
    // Height and pitch follow from the two contacts: Newton's method in these two.
    for (int step = 0; step < 6; ++step) {
      s.q[3] = turn.w();
      s.q[4] = turn.x();
      s.q[5] = turn.y();
      s.q[6] = turn.z();
      const MatrixXd A = constraint_matrix(s);
      const std::vector<double> phi = value(terms_, s, "Phi");
      Eigen::Matrix2d J;
      Eigen::Vector2d errors;
      for (Eigen::Index k = 0, row = 0; k < A.rows(); ++k) {
        if (!equations_.constraint_rows()[static_cast<std::size_t>(k)].holonomic) continue;
        J.row(row) << A(k, heave_), A(k, pitch_);
        errors[row++] = phi[static_cast<std::size_t>(k)];
      }
      const Eigen::Vector2d change = J.partialPivLu().solve(-errors);
      const Eigen::Vector3d shift = turn * Eigen::Vector3d(0.0, 0.0, change[0]);
      for (std::size_t i = 0; i < 3; ++i) s.q[i] += shift[static_cast<Eigen::Index>(i)];
      turn = turn * Eigen::Quaterniond(Eigen::AngleAxisd(change[1], Eigen::Vector3d::UnitY()));
    }
    // Speeds: lean rate, steer rate and the rear wheel are given, A u = 0 says the rest.
    MatrixXd A = constraint_matrix(s);
    VectorXd u = VectorXd::Zero(A.cols());
    u[roll_] = x[2];
    u[steer_] = x[3];
    u[rear_] = v / 0.3;
    const VectorXd given = A * u;
    for (const Eigen::Index column : {roll_, steer_, rear_}) A.col(column).setZero();
    u -= A.colPivHouseholderQr().solve(given);
    s.u.assign(u.data(), u.data() + u.size());
    const std::vector<double> udot = value(dynamics_, s, "udot");
    return {udot[static_cast<std::size_t>(roll_)], udot[static_cast<std::size_t>(steer_)]};
  }

  std::vector<std::complex<double>> eigenvalues(double v) const {
    constexpr double kStep = 1e-5;
    Eigen::Matrix4d system = Eigen::Matrix4d::Zero();
    system(0, 2) = system(1, 3) = 1.0;
    for (int k = 0; k < 4; ++k) {
      const Eigen::Vector4d x = kStep * Eigen::Vector4d::Unit(k);
      system.block<2, 1>(2, k) = (accelerations(x, v) - accelerations(-x, v)) / (2.0 * kStep);
    }
    const Eigen::EigenSolver<Eigen::Matrix4d> solver(system);
    std::vector<std::complex<double>> all(solver.eigenvalues().data(), solver.eigenvalues().data() + 4);
    std::sort(all.begin(), all.end(), [](auto a, auto b) {
      return std::make_pair(a.real(), a.imag()) < std::make_pair(b.real(), b.imag());
    });
    return all;
  }

 private:
  MatrixXd constraint_matrix(const State& s) const {
    const std::vector<double> A = value(terms_, s, "A");
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(
        A.data(), static_cast<Eigen::Index>(equations_.constraint_rows().size()), equations_.nv());
  }

  Equations equations_;
  Function terms_, dynamics_;
  Eigen::Index roll_ = 0, pitch_ = 0, heave_ = 0, rear_ = 0, steer_ = 0;
};

/// Central differences of accelerations of some hundred 1/s^2: the truncation is step^2, the rounding
/// 1e-16/step.
constexpr double kDifferences = 2e-6;

TEST(Bicycle, HasTheEigenvaluesOfTheBenchmark) {
  const Bicycle bicycle;
  const auto expect_all = [&](double v, std::vector<std::complex<double>> published) {
    SCOPED_TRACE(v);
    for (const std::complex<double> here : bicycle.eigenvalues(v)) {
      const auto nearest = std::min_element(published.begin(), published.end(), [&](auto a, auto b) {
        return std::abs(a - here) < std::abs(b - here);
      });
      EXPECT_LT(std::abs(*nearest - here), kDifferences) << here << " " << *nearest;
      published.erase(nearest);
    }
  };
  expect_all(0.0, {-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393});
  for (const support::PublishedEigenvalues& p : support::kPublishedBicycle)
    expect_all(p.v, {p.capsize, p.caster, {p.weave, p.weave_frequency}, {p.weave, -p.weave_frequency}});
}

TEST(Bicycle, StandsBetweenTheWeaveSpeedAndTheCapsizeSpeedOnly) {
  // Table 2 (a). The real parts change by about 1 1/s per m/s there.
  constexpr double kWeave = 4.29238253634111, kCapsize = 6.02426201538837, kNear = 1e-4;
  const Bicycle bicycle;
  const auto growth = [&](double v) { return bicycle.eigenvalues(v).back().real(); };
  EXPECT_GT(growth(kWeave - kNear), 0.0);
  EXPECT_LT(growth(kWeave + kNear), 0.0);
  EXPECT_LT(growth(kCapsize - kNear), 0.0);
  EXPECT_GT(growth(kCapsize + kNear), 0.0);
  EXPECT_NEAR(growth(kWeave), 0.0, kDifferences);
  EXPECT_NEAR(std::abs(bicycle.eigenvalues(kWeave).back().imag()), 3.43503384866144, kDifferences);
}

}  // namespace
}  // namespace tactus::derive
