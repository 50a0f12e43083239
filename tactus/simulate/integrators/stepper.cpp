#include <tactus/simulate/integrators/stepper.h>

#include <cstddef>
#include <iterator>

#include <tactus/base/check.h>
#include <tactus/simulate/integrators/cut_stepper.h>
#include <tactus/simulate/integrators/friction_stepper.h>

namespace tactus::simulate {

namespace {

constexpr IntegratorTraits kIntegrators[] = {
    {Integrator::euler, "euler", "semi-implicit, order 1", false, make_euler},
    {Integrator::rk4, "rk4", "order 4", false, make_rk4},
    {Integrator::implicit, "implicit", "order 3, for stiff systems", false, make_implicit},
    {Integrator::adaptive, "adaptive", "Dormand-Prince 8(5,3), to tolerance", true, make_adaptive},
    {Integrator::stiff, "stiff", "Rosenbrock 4(3), implicit, to tolerance", true, make_stiff},
    {Integrator::passive, "passive", "implicit midpoint with energy balanced, order 2", false, make_passive},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kIntegrators); ++i)
    if (static_cast<std::size_t>(kIntegrators[i].integrator) != i) return false;
  return true;
}
static_assert(in_order(), "one row for each Integrator, in the order of the enumeration");

const IntegratorTraits& traits_of(Integrator integrator) {
  const auto index = static_cast<std::size_t>(integrator);
  TACTUS_CHECK(index < std::size(kIntegrators));
  return kIntegrators[index];
}

}  // namespace

std::span<const IntegratorTraits> integrators() { return kIntegrators; }

std::string_view name_of(Integrator integrator) { return traits_of(integrator).name; }

std::optional<Integrator> integrator_of(std::string_view name) {
  for (const IntegratorTraits& traits : kIntegrators)
    if (traits.name == name) return traits.integrator;
  return std::nullopt;
}

bool is_adaptive(Integrator integrator) { return traits_of(integrator).adaptive; }

std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Chart& chart, Tolerances tolerances) {
  std::unique_ptr<Stepper> stepper = traits_of(integrator).make(chart, tolerances);
  if (chart.friction() != nullptr) stepper = std::make_unique<FrictionStepper>(std::move(stepper), chart);
  if (chart.dynamics().breaks == nullptr) return stepper;
  return std::make_unique<CutStepper>(std::move(stepper));
}

}  // namespace tactus::simulate
