#include <tactus/simulate/integrators/stepper.h>

#include <array>
#include <utility>

#include <tactus/base/check.h>

namespace tactus::simulate {

namespace {

constexpr std::array<std::pair<Integrator, std::string_view>, 5> kNames{{{Integrator::euler, "euler"},
                                                                         {Integrator::rk4, "rk4"},
                                                                         {Integrator::implicit, "implicit"},
                                                                         {Integrator::adaptive, "adaptive"},
                                                                         {Integrator::stiff, "stiff"}}};

}  // namespace

std::string_view name_of(Integrator integrator) {
  for (const auto& [value, name] : kNames)
    if (value == integrator) return name;
  return {};
}

std::optional<Integrator> integrator_of(std::string_view name) {
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  return std::nullopt;
}

bool is_adaptive(Integrator integrator) {
  return integrator == Integrator::adaptive || integrator == Integrator::stiff;
}

std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Chart& chart, Tolerances tolerances) {
  switch (integrator) {
    case Integrator::euler:
      return make_euler(chart);
    case Integrator::rk4:
      return make_rk4(chart);
    case Integrator::implicit:
      return make_implicit(chart);
    case Integrator::adaptive:
      return make_adaptive(chart, tolerances);
    case Integrator::stiff:
      return make_stiff(chart, tolerances);
  }
  TACTUS_CHECK(!"an integrator");
  return nullptr;
}

}  // namespace tactus::simulate
