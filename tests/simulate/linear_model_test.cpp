// Linear models of mechanisms with constraints: published figures, closed forms, and differences of the motion itself.
#include <tactus/simulate/linear/linear_model.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/linear/tangent.h>

#include "support/compare.h"
#include "support/paths.h"

#include "support/published_bicycle.h"

namespace tactus::simulate {
namespace {

using support::larger;
using Complex = std::complex<double>;

describe::Model model_named(const std::string& name, const describe::Settings& settings = {}) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml", settings);
}

Instant initial(const describe::Model& model) { return read_instant(derive::Equations(model), "{}", ""); }

int index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return static_cast<int>(found - names.begin());
}

/// The largest distance of a published eigenvalue from the nearest one here, by its own size.
double distance(const std::vector<Complex>& published, std::vector<Complex> here) {
  double worst = 0.0;
  for (const Complex& wanted : published) {
    if (here.empty()) return std::numeric_limits<double>::infinity();
    const auto nearest = std::min_element(here.begin(), here.end(), [&](const Complex& a, const Complex& b) {
      return std::abs(a - wanted) < std::abs(b - wanted);
    });
    worst = larger(worst, std::abs(*nearest - wanted) / std::abs(wanted));
    here.erase(nearest);
  }
  return worst;
}

/// Fourteen decimals are printed; of the smallest eigenvalue that is eleven digits.
constexpr double kPublished = 1e-10;

class Bicycle {
 public:
  explicit Bicycle(std::vector<std::string> independent = {})
      : model_(model_named("single_track")), linearization_(model_, kept(), std::move(independent)) {}

  LinearModel at(double v) {
    Instant point = initial(model_);
    const std::vector<std::string> names = model_.speed_names();
    point.u[static_cast<std::size_t>(index_of(names, "frame.vx"))] = v;
    point.u[static_cast<std::size_t>(index_of(names, "rear"))] = v / 0.3;
    point.u[static_cast<std::size_t>(index_of(names, "front"))] = v / 0.35;
    return linearization_.at(point);
  }

 private:
  static derive::Options kept() { return {}; }
  describe::Model model_;
  Linearization linearization_;
};

TEST(LinearModel, HasTheBicyclesPublishedEigenvaluesToTheirDigits) {
  Bicycle bicycle;
  const LinearModel standing = bicycle.at(0.0);
  EXPECT_TRUE(standing.is_equilibrium);
  EXPECT_LT(distance({-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393},
                     standing.eigenvalues),
            kPublished);
  for (const support::PublishedEigenvalues& p : support::kPublishedBicycle) {
    SCOPED_TRACE(p.v);
    const LinearModel linear = bicycle.at(p.v);
    EXPECT_TRUE(linear.is_steady);
    EXPECT_FALSE(linear.is_equilibrium);
    // The four, and zero: the forward speed may be any.
    ASSERT_EQ(linear.eigenvalues.size(), 5u);
    EXPECT_LT(distance({p.capsize, p.caster, {p.weave, p.weave_frequency}, {p.weave, -p.weave_frequency}},
                       linear.eigenvalues),
              kPublished);
    const auto smallest =
        std::min_element(linear.eigenvalues.begin(), linear.eigenvalues.end(),
                         [](const Complex& a, const Complex& b) { return std::abs(a) < std::abs(b); });
    EXPECT_LT(std::abs(*smallest), 1e-10);
    EXPECT_EQ(linear.ignorable.size(), 5u);  // where it is, where it goes, how far the wheels have turned
    EXPECT_EQ(linear.kept.size(), 2u);
  }
}

// [Meijaard2007, section 5 (d)]: M q'' + v C1 q' + (g K0 + v^2 K2) q = f, q = (lean, steer). Steer is positive to the right there,
// to the left here: what couples the two changes its sign.
TEST(LinearModel, HasTheBicyclesPublishedMatrices) {
  Bicycle bicycle({"frame.rx", "frame.wx", "steer"});
  constexpr double kDigits = 1e-12;  // by the largest element
  const double M[2][2] = {{80.81722, -2.31941332208709}, {-2.31941332208709, 0.29784188199686}};
  const double C1[2][2] = {{0.0, -33.86641391492494}, {0.85035641456978, 1.68540397397560}};
  const double K0[2][2] = {{-80.95, 2.59951685249872}, {2.59951685249872, -0.80329488458618}};
  const double K2[2][2] = {{0.0, -76.59734589573222}, {0.0, 2.65431523794604}};
  for (const double v : {0.0, 1.0, 5.0, 12.5}) {
    SCOPED_TRACE(v);
    const LinearModel linear = bicycle.at(v);
    const int u[] = {index_of(linear.speeds, "frame.wx"), index_of(linear.speeds, "steer")};
    const int q[] = {index_of(linear.coordinates, "frame.rx"), index_of(linear.coordinates, "steer")};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(linear.M(u[i], u[j]), M[i][j], kDigits * 80.0);
        EXPECT_NEAR(linear.C(u[i], u[j]), v * C1[i][j], kDigits * (1.0 + v) * 80.0);
        EXPECT_NEAR(linear.K(u[i], q[j]), 9.81 * K0[i][j] + v * v * K2[i][j],
                    kDigits * (1.0 + v * v) * 800.0);
      }
    // The steer torque acts on steering alone.
    const int torque = index_of(linear.inputs, "steer");
    EXPECT_NEAR(linear.F(u[0], torque), 0.0, kDigits);
    EXPECT_NEAR(linear.F(u[1], torque), 1.0, kDigits);
  }
}

/// The second road: accelerations of the independent speeds at displaced points, by multipliers and with none of the code that
/// differentiates.
class Differences {
 public:
  Differences(const describe::Model& model, Linearization& linearization, const LinearModel& about)
      : model_(model), linearization_(linearization), about_(about), tangent_(model) {}

  /// The largest difference between A, by its largest element, and central differences of the motion.
  double worst() {
    const auto p = about_.coordinates.size(), n = about_.speeds.size();
    const Eigen::MatrixXd& A = about_.full.A;
    const double size = larger(1.0, A.cwiseAbs().maxCoeff());
    double worst = 0.0;
    for (std::size_t k = 0; k < p + n; ++k) {
      constexpr double kStep = 1e-5;
      const std::vector<double> plus = accelerations(k, kStep), minus = accelerations(k, -kStep);
      for (std::size_t i = 0; i < n; ++i)
        worst = larger(worst, std::abs((plus[i] - minus[i]) / (2.0 * kStep) -
                                       A(static_cast<Eigen::Index>(p + i), static_cast<Eigen::Index>(k))) /
                                  size);
    }
    return worst;
  }

 private:
  std::vector<double> accelerations(std::size_t k, double step) {
    Instant at = about_.at;
    turn_.setZero();
    const std::vector<std::string> speeds = model_.speed_names();
    if (k < about_.coordinates.size()) {
      Eigen::VectorXd xi = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(speeds.size()));
      xi[index_of(tangent_.names(), about_.coordinates[k])] = step;
      tangent_.displace(at.q, xi);
      for (const TurnedAxes& axes : about_.axes) {  // du_C = du + Y xi (axes.h)
        const Eigen::Index v = index_of(speeds, axes.joint + ".wx");
        const Eigen::Vector3d r = xi.segment<3>(v);
        for (const Eigen::Index part : {v, v + 3})
          Eigen::Vector3d::Map(at.u.data() + part) +=
              axes.apart ? Eigen::Vector3d::Map(about_.at.u.data() + part).cross(r)
                         : Eigen::Vector3d(Eigen::Vector3d::Zero());
        turn_ = r;
      }
    } else {
      at.u[static_cast<std::size_t>(index_of(speeds, about_.speeds[k - about_.coordinates.size()]))] += step;
    }
    at = linearization_.at(at).at;  // dependent values follow
    const std::vector<double> tau = at.tau.value_or(std::vector<double>(speeds.size(), 0.0));
    std::vector<double> udot;
    if (model_.constraints.empty()) {
      at.tau = tau;
      const algebra::Function forward = linearization_.equations().forward_dynamics();
      generate::Evaluator evaluator(generate::compile(forward, generate::Backend::interpreter));
      evaluator.input("t")[0] = at.t;
      std::copy(at.q.begin(), at.q.end(), evaluator.input("q").begin());
      std::copy(at.u.begin(), at.u.end(), evaluator.input("u").begin());
      std::copy(tau.begin(), tau.end(), evaluator.input("tau").begin());
      evaluator.run();
      udot.assign(evaluator.output("udot").begin(), evaluator.output("udot").end());
    } else {
      udot = constrained_instant(linearization_.equations(), at, tau, Formulation::multipliers).udot;
    }
    for (const TurnedAxes& axes : about_.axes) {  // u_C' = u_B' + eta x u, less Y xi'
      const auto v = static_cast<std::size_t>(index_of(speeds, axes.joint + ".wx"));
      const Eigen::Vector3d eta = Eigen::Vector3d::Map(axes.back.data()),
                            w = Eigen::Vector3d::Map(about_.at.u.data() + v);
      const Eigen::Vector3d rate = Eigen::Vector3d::Map(at.u.data() + v) - w - (w - eta).cross(turn_);
      for (const std::size_t part : {v, v + 3})
        Eigen::Vector3d::Map(udot.data() + part) +=
            eta.cross(Eigen::Vector3d::Map(at.u.data() + part)) -
            (axes.apart ? 1.0 : 0.0) * Eigen::Vector3d::Map(about_.at.u.data() + part).cross(rate);
    }
    std::vector<double> result;
    for (const std::string& name : about_.speeds)
      result.push_back(udot[static_cast<std::size_t>(index_of(speeds, name))]);
    return result;
  }

  const describe::Model& model_;
  Linearization& linearization_;
  const LinearModel& about_;
  Tangent tangent_;
  Eigen::Vector3d turn_ = Eigen::Vector3d::Zero();
};

// At any point of a motion, steady or not: the derivatives are those of the motion. Loops, rolling, quaternions, own speeds,
// redundant rows.
TEST(LinearModel, HasTheDerivativesOfTheMotion) {
  // Central differences with a step of 1e-5: truncation 1e-10 of third derivatives, rounding of accelerations 1e-11.
  constexpr double kDifferences = 1e-6;
  for (const char* name :
       {"four_bar", "slider_crank", "single_track", "rolling_coin", "sleigh", "disk_on_sphere",
        "rolling_sphere", "spherical_wrist_rates", "planar_2r", "cart_caster", "two_link_on_circle"}) {
    SCOPED_TRACE(name);
    const describe::Model model = model_named(name);
    Linearization linearization(model, {});
    Instant at = initial(model);
    if (std::string(name) == "spherical_wrist_rates")  // its speeds are singular at zero
      for (std::size_t k = 0; k < at.q.size(); ++k) at.q[k] += 0.4 + 0.1 * static_cast<double>(k);
    // Something moves that the initial state leaves at rest.
    for (std::size_t k = 0; k < at.u.size(); ++k) at.u[k] += 0.1 + 0.05 * static_cast<double>(k % 3);
    const LinearModel about = linearization.at(at);
    EXPECT_LT(Differences(model, linearization, about).worst(), kDifferences);
  }
}

TEST(LinearModel, CountsForceAndWrenchInputs) {
  const describe::Model model = model_named("planar_2r");
  Linearization linearization(model, {});
  const LinearModel linear = linearization.at(initial(model));
  ASSERT_EQ(linear.inputs, describe::effort_names(model));
  EXPECT_LT((linear.M * linear.full.B.bottomRows(2) - Eigen::MatrixXd::Identity(2, 2)).cwiseAbs().maxCoeff(),
            1e-12);
}

// Routh's disk: with the axial moment C, the diametral one D and the spin Omega about a level axis,
//   lambda^2 (D + m R^2) = m g R - C (C + m R^2) Omega^2 / D;
// a thin one rolls upright where v^2 > g R/3.
TEST(LinearModel, OfACoinRollingUprightIsTheClosedForm) {
  const describe::Model model = model_named("rolling_coin");
  constexpr double m = 8e-3, R = 13e-3, g = 9.81, C = m * R * R / 2.0, D = m * R * R / 4.0;
  Linearization linearization(model, {}, {"lean", "yaw", "spin"});
  const double critical = std::sqrt(g / (3.0 * R));
  for (const double spin : {0.5 * critical, 0.9 * critical, 1.2 * critical, 60.0}) {
    SCOPED_TRACE(spin);
    Instant at = initial(model);
    std::fill(at.q.begin(), at.q.end(), 0.0);
    std::fill(at.u.begin(), at.u.end(), 0.0);
    at.q[static_cast<std::size_t>(index_of(model.coordinate_names(), "z"))] = R;
    at.u[static_cast<std::size_t>(index_of(model.speed_names(), "spin"))] = spin;
    const LinearModel linear = linearization.at(at);
    EXPECT_TRUE(linear.is_steady);
    EXPECT_EQ(linear.kept, std::vector<std::string>{"lean"});
    const Complex root =
        std::sqrt(Complex((m * g * R - C * (C + m * R * R) * spin * spin / D) / (D + m * R * R)));
    EXPECT_LT(distance({root, -root}, linear.eigenvalues), 1e-9);  // of a double zero rounding leaves a part
    const double growth = linear.eigenvalues.front().real();
    if (spin < critical)
      EXPECT_GT(growth, 1.0);
    else
      EXPECT_LT(growth, 1e-6);
  }
}

// A coin in a circle: with lean a from the vertical, spin s and turning rate w, the moments about the contact balance where
//   (C + m R^2) w (s + w sin a) cos a - D w^2 sin a cos a = +- m g R sin a     (sin a of the axis out of the level)
TEST(LinearModel, FindsTheSteadyCircleOfACoin) {
  const describe::Model model = model_named("rolling_coin");
  constexpr double m = 8e-3, R = 13e-3, g = 9.81, C = m * R * R / 2.0, D = m * R * R / 4.0;
  Linearization linearization(model, {}, {"lean", "yaw", "spin"});
  const Instant found = linearization.steady(initial(model), {{"lean", "spin_dot", "lean_dot"}, {}});
  const auto q = [&](const char* name) {
    return found.q[static_cast<std::size_t>(index_of(model.coordinate_names(), name))];
  };
  const auto u = [&](const char* name) {
    return found.u[static_cast<std::size_t>(index_of(model.speed_names(), name))];
  };
  const double a = q("lean"), s = u("spin"), w = u("yaw");
  EXPECT_NEAR(a, 5.0 * M_PI / 180.0, 1e-14);
  EXPECT_NEAR(s, 60.0, 1e-12);
  EXPECT_GT(std::abs(w), 0.1);
  // The axis is 90 deg - lean from the vertical, on the side that the model's turned frame says: w sin a against s.
  double closest = 1e9;
  for (const double side : {1.0, -1.0})
    for (const double way : {1.0, -1.0}) {
      const double axial = s + side * w * std::sin(a);
      const double balance = (C + m * R * R) * w * axial * std::cos(a) -
                             side * D * w * w * std::sin(a) * std::cos(a) + way * m * g * R * std::sin(a);
      closest = std::min(closest, std::abs(balance) / (m * g * R));
    }
  EXPECT_LT(closest, 1e-9);
  const LinearModel linear = linearization.at(found);
  EXPECT_TRUE(linear.is_steady) << linear.largest_acceleration << " " << linear.later_acceleration << " "
                                << linear.later_change;
  // Two zeros (any spin, any lean has its circle) and one oscillation.
  ASSERT_EQ(linear.eigenvalues.size(), 4u);
  int zeros = 0, oscillations = 0;
  for (const Complex& value : linear.eigenvalues) {
    zeros += std::abs(value) < 1e-4;
    oscillations += std::abs(value.real()) < 1e-4 && std::abs(value.imag()) > 1.0;
  }
  EXPECT_EQ(zeros, 2);
  EXPECT_EQ(oscillations, 2);
}

// Equal links with equal point masses: the slider's own weight is carried, the crank's end at height l sin q1 falls. Straight
// down (q1 = -90 deg) is singular; the equilibrium is where the crank's torque holds.
TEST(LinearModel, OfASliderCrankIsTheClosedForm) {
  const describe::Model model = model_named("slider_crank");
  // x = 2 l cos q1, z = l sin q1: T = m/2 (l^2 + 4 l^2 sin^2 q1) q1_dot^2, U = m g l sin q1.
  // About q1 with the torque tau0 = m g l cos q1:  (1 + 4 sin^2 q1) l^2 m q1'' - m g l sin q1 dq1 = dtau.
  Linearization linearization(model, {}, {"q1"});
  const double q1 = 2.0;
  Instant at = initial(model);
  at.q = {q1, 2.0 * M_PI - 2.0 * q1};
  at.u = {0.0, 0.0};
  const Instant found = linearization.steady(at, {{"q1", "q1_dot"}, {"q1"}});
  EXPECT_NEAR((*found.tau)[0], 9.81 * std::cos(q1), 1e-10);
  const LinearModel linear = linearization.at(found);
  EXPECT_TRUE(linear.is_equilibrium);
  const double root = std::sqrt(9.81 * std::sin(q1) / (1.0 + 4.0 * std::sin(q1) * std::sin(q1)));
  EXPECT_LT(distance({root, -root}, linear.eigenvalues), 1e-10);
  EXPECT_NEAR(linear.M(0, 0), 1.0 + 4.0 * std::sin(q1) * std::sin(q1), 1e-12);
}

TEST(LinearModel, SaysWhereThePointIsNoSteadyMotion) {
  const describe::Model pendulum = model_named("pendulum");
  Linearization linearization(pendulum, {});
  Instant at = initial(pendulum);
  at.q[0] = 1.0;
  EXPECT_FALSE(linearization.at(at).is_steady);  // it falls
  EXPECT_NEAR(linearization.at(at).largest_acceleration, 9.81 * std::sin(1.0), 1e-12);
  at.q[0] = 0.0;
  at.u[0] = 1.0;
  EXPECT_FALSE(linearization.at(at).is_steady);  // it only passes the bottom
  at.u[0] = 0.0;
  const LinearModel hanging = linearization.at(at);
  EXPECT_TRUE(hanging.is_steady && hanging.is_equilibrium);
  EXPECT_LT(distance({Complex(0.0, std::sqrt(9.81)), Complex(0.0, -std::sqrt(9.81))}, hanging.eigenvalues),
            1e-13);
}

TEST(LinearModel, RefusesWhatCannotBe) {
  const describe::Model model = model_named("four_bar");
  Linearization both(model, {}, {"q1", "q2"});
  EXPECT_THROW(both.at(initial(model)), InputError);  // one freedom
  EXPECT_THROW(Linearization(model, {}, {"q9"}), InputError);
  const describe::Model crank = model_named("slider_crank");
  Linearization singular(crank, {});
  Instant at = initial(crank);
  at.q = {M_PI / 2.0, M_PI};
  at.u = {0.0, 0.0};
  EXPECT_THROW(singular.at(at), InputError);
}

TEST(LinearModel, ModesAreEigenvectors) {
  Bicycle bicycle;
  const LinearModel linear = bicycle.at(5.0);
  const std::vector<Mode> all = modes(linear);
  ASSERT_EQ(all.size(), 4u);  // of the pair one
  for (const Mode& mode : all) {
    const Eigen::Map<const Eigen::VectorXcd> shape(mode.shape.data(),
                                                   static_cast<Eigen::Index>(mode.shape.size()));
    EXPECT_LT((linear.reduced.A * shape - mode.eigenvalue * shape).cwiseAbs().maxCoeff(),
              1e-9 * shape.cwiseAbs().maxCoeff() * 200.0);
    EXPECT_NEAR(shape.cwiseAbs().maxCoeff() >= 1.0 ? 1.0 : 0.0, 1.0, 0.0);
  }
}

}  // namespace
}  // namespace tactus::simulate
