#include <tactus/simulate/integrators/rosenbrock.h>

#include <algorithm>
#include <utility>

#include <boost/numeric/odeint/stepper/rosenbrock4.hpp>
#include <boost/numeric/odeint/stepper/rosenbrock4_controller.hpp>

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
  ublas::vector<double> x, next;
  odeint::rosenbrock4_controller<odeint::rosenbrock4<double, Coefficients>> stepper;
};

Rosenbrock::Rosenbrock(std::size_t size, double absolute_tolerance, double relative_tolerance)
    : implementation_(new Implementation{ublas::vector<double>(size),
                                         ublas::vector<double>(size),
                                         {absolute_tolerance, relative_tolerance}}) {}

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

bool Rosenbrock::attempt(System& system, double* x, double& t, double& dt) {
  ublas::vector<double>& place = implementation_->x;
  std::copy_n(x, place.size(), place.begin());
  const bool accepted =
      implementation_->stepper.try_step(odeint_system(system), place, t, dt) == odeint::success;
  if (accepted) std::copy(place.begin(), place.end(), x);
  return accepted;
}

void Rosenbrock::force(System& system, double* x, double t, double dt) {
  ublas::vector<double>& place = implementation_->x;
  std::copy_n(x, place.size(), place.begin());
  ublas::vector<double>& next = implementation_->next;
  implementation_->stepper.stepper().do_step(odeint_system(system), place, t, next, dt);
  std::copy(next.begin(), next.end(), x);
}

}  // namespace tactus::simulate
