#include <algorithm>
#include <utility>

#include <boost/numeric/odeint/stepper/rosenbrock4.hpp>
#include <boost/numeric/odeint/stepper/rosenbrock4_controller.hpp>

#include <tactus/simulate/rosenbrock.h>

namespace tactus::simulate {

namespace odeint = boost::numeric::odeint;
namespace ublas = boost::numeric::ublas;

struct Rosenbrock::Implementation {
  ublas::vector<double> x;
  odeint::rosenbrock4_controller<odeint::rosenbrock4<double>> stepper;
};

Rosenbrock::Rosenbrock(std::size_t size, double absolute_tolerance, double relative_tolerance)
    : implementation_(
          new Implementation{ublas::vector<double>(size), {absolute_tolerance, relative_tolerance}}) {}

Rosenbrock::~Rosenbrock() = default;

bool Rosenbrock::attempt(System& system, double* x, double& t, double& dt) {
  const auto rates = [&system](const ublas::vector<double>& place, ublas::vector<double>& rate, double time) {
    system.rates(time, place.data().begin(), rate.data().begin());
  };
  const auto derivatives = [&system](const ublas::vector<double>& place, ublas::matrix<double>& dfdx,
                                     const double& time, ublas::vector<double>& dfdt) {
    system.derivatives(time, place.data().begin(), dfdx.data().begin(), dfdt.data().begin());
  };
  ublas::vector<double>& place = implementation_->x;
  std::copy_n(x, place.size(), place.begin());
  const bool accepted =
      implementation_->stepper.try_step(std::make_pair(rates, derivatives), place, t, dt) == odeint::success;
  if (accepted) std::copy(place.begin(), place.end(), x);
  return accepted;
}

}  // namespace tactus::simulate
