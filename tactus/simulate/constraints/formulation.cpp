#include <tactus/simulate/constraints/formulation.h>

#include <array>
#include <utility>

namespace tactus::simulate {

namespace {

constexpr std::array<std::pair<Formulation, std::string_view>, 5> kNames{
    {{Formulation::automatic, "automatic"},
     {Formulation::multipliers, "multipliers"},
     {Formulation::embedding, "embedding"},
     {Formulation::projection, "projection"},
     {Formulation::parametric, "parametric"}}};

}  // namespace

std::string_view name_of(Formulation formulation) {
  for (const auto& [value, name] : kNames)
    if (value == formulation) return name;
  return {};
}

std::optional<Formulation> formulation_of(std::string_view name) {
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  return std::nullopt;
}

std::unique_ptr<FormulationSolver> make_formulation(Formulation formulation, std::size_t n,
                                                    std::size_t most_rows,
                                                    const ProjectionOptions& projection) {
  switch (formulation) {
    case Formulation::embedding:
      return make_embedding(n, most_rows);
    case Formulation::projection:
      return make_projection(n, most_rows, projection);
    default:
      return make_multipliers(n, most_rows);
  }
}

}  // namespace tactus::simulate
