#include <tactus/simulate/integrators/rosenbrock.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/numeric/odeint/stepper/rosenbrock4.hpp>

namespace tactus::simulate {

namespace odeint = boost::numeric::odeint;
namespace ublas = boost::numeric::ublas;

namespace {

/// The coefficients of RODAS [Hairer1996, IV.10]. Boost 1.74 has d4 with the wrong sign, which costs the
/// method its order wherever f depends on t.
struct Coefficients : odeint::default_rosenbrock_coefficients<double> {
  const double d4 = -0.3620000000000023e-01;
};

}  // namespace

struct Rosenbrock::Implementation {
  ublas::vector<double> x, next, error;
  odeint::rosenbrock4<double, Coefficients> stepper;
  double absolute, relative;
};

Rosenbrock::Rosenbrock(std::size_t size, double absolute_tolerance, double relative_tolerance)
    : implementation_(new Implementation{ublas::vector<double>(size),
                                         ublas::vector<double>(size),
                                         ublas::vector<double>(size),
                                         {},
                                         absolute_tolerance,
                                         relative_tolerance}) {}

Rosenbrock::~Rosenbrock() = default;

namespace {

/// The pair of functions that Odeint asks for.
auto odeint_system(Rosenbrock::System& system) {
  const auto rates = [&system](const ublas::vector<double>& place, ublas::vector<double>& rate, double time) {
    system.rates(time, place.data().begin(), rate.data().begin());
  };
  const auto derivatives = [&system](const ublas::vector<double>& place, ublas::matrix<double>& dfdx,
                                     const double& time, ublas::vector<double>& dfdt) {
    system.derivatives(time, place.data().begin(), dfdx.data().begin(), dfdt.data().begin());
  };
  return std::make_pair(rates, derivatives);
}

}  // namespace

// The step that keeps the error, e by the tolerances (root mean square), at one: dt (1/e)^(1/4), with a margin and
// within bounds; after accepted steps Gustafsson's prediction, which sees how the error has changed from the step
// before, may ask for less [Hairer1996, IV.8].
bool Rosenbrock::attempt(System& system, double* x, double& t, double& dt) {
  constexpr double kMargin = 0.9, kLeast = 1.0 / 6.0, kMost = 5.0, kLeastError = 0.01;
  Implementation& own = *implementation_;
  std::copy_n(x, own.x.size(), own.x.begin());
  own.stepper.do_step(odeint_system(system), own.x, t, own.next, dt, own.error);
  double sum = 0.0;
  for (std::size_t i = 0; i < own.x.size(); ++i) {
    const double size = std::max(std::abs(own.x[i]), std::abs(own.next[i]));
    const double part = own.error[i] / (own.absolute + own.relative * size);
    sum += part * part;
  }
  const double error = own.x.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(own.x.size()));
  const auto factor = [&](double e) { return std::clamp(kMargin / std::pow(e, 0.25), kLeast, kMost); };
  if (!(error <= 1.0)) {  // NaN too
    dt *= std::isfinite(error) ? std::min(factor(error), kMargin) : kLeast;
    return false;
  }
  double change = factor(error);
  if (pace_[0] > 0.0) change = std::min(change, dt / pace_[0] * factor(error * error / pace_[1]));
  pace_ = {dt, std::max(kLeastError, error)};
  std::copy(own.next.begin(), own.next.end(), x);
  t += dt;
  dt *= std::clamp(change, kLeast, kMost);
  return true;
}

void Rosenbrock::force(System& system, double* x, double t, double dt) {
  ublas::vector<double>& place = implementation_->x;
  std::copy_n(x, place.size(), place.begin());
  ublas::vector<double>& next = implementation_->next;
  implementation_->stepper.do_step(odeint_system(system), place, t, next, dt);
  std::copy(next.begin(), next.end(), x);
}

}  // namespace tactus::simulate
