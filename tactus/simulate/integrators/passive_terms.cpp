#include <tactus/simulate/integrators/passive_terms.h>

#include <utility>

#include <tactus/base/check.h>

namespace tactus::simulate {

namespace {

std::size_t place_of(const generate::Kernel& kernel, std::string_view name) {
  const generate::Slot* slot = kernel.output(name);
  TACTUS_CHECK(slot != nullptr);
  return slot->offset;
}

}  // namespace

PassiveTerms::PassiveTerms(const derive::Equations& equations, const std::optional<algebra::Function>& loads,
                           generate::Backend backend)
    : PassiveTerms(derive::midpoint_terms(equations, loads), !equations.constraint_rows().empty(), backend) {}

PassiveTerms::PassiveTerms(derive::MidpointTerms terms, bool constrained, generate::Backend backend)
    : forces(generate::compile(terms.forces, backend)),
      momenta(generate::compile(terms.momenta, backend)),
      potential(generate::compile(terms.potential, backend)),
      matrix(generate::compile(terms.matrix, backend)),
      mass(generate::compile(terms.mass, backend)),
      outside(place_of(forces, "outside")),
      loss(place_of(forces, "loss")),
      blocks(std::move(terms.blocks)),
      own_speeds(terms.own_speeds),
      quaternions(std::move(terms.quaternions)) {
  if (constrained) {
    rows = generate::compile(terms.rows, backend);
    velocity = place_of(rows, "velocity");
    A = place_of(rows, "A");
    c = place_of(rows, "c");
  }
  if (own_speeds) {
    K = place_of(matrix, "K");
    W = place_of(matrix, "W");
    D = place_of(matrix, "D_rates");
    rates = place_of(matrix, "rates");
    mass_K = place_of(mass, "K");
  }
}

}  // namespace tactus::simulate
