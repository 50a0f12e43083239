#include <tactus/contact/examine.h>

#include <algorithm>

#include <tactus/base/check.h>
#include <tactus/simulate/constraints/constraints.h>
#include <tactus/simulate/constraints/dependent_speeds.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::contact {

struct SpeedChoice::Terms {
  explicit Terms(const describe::Model& model)
      : dynamics(simulate::compile(derive::Equations(model), std::nullopt, generate::Backend::interpreter)) {
    TACTUS_CHECK(dynamics.constraints != nullptr);
    const auto n = static_cast<std::size_t>(dynamics.nv());
    terms.emplace(dynamics, *dynamics.constraints);
    choice.emplace(n, dynamics.constraints->size());
    A.resize(dynamics.constraints->size() * n);
    scale.resize(dynamics.constraints->size());
  }

  simulate::Dynamics dynamics;
  std::optional<simulate::ConstraintTerms> terms;
  std::optional<simulate::DependentSpeeds> choice;
  std::vector<double> A, scale;  // of the rows that are on
};

SpeedChoice::SpeedChoice(const describe::Model& model) : terms_(std::make_unique<Terms>(model)) {}
SpeedChoice::~SpeedChoice() = default;

bool SpeedChoice::look(const simulate::Mechanism& mechanism) {
  Terms& of = *terms_;
  const simulate::Constraints& constraints = *of.dynamics.constraints;
  const auto n = static_cast<std::size_t>(of.dynamics.nv());
  const simulate::State& state = mechanism.state();
  of.terms->evaluate(state.t, state.q.data(), state.u.data());
  std::size_t m = 0;
  for (std::size_t row = 0; row < constraints.size(); ++row) {
    if (!mechanism.is_active(constraints.rows[row].constraint) || constraints.redundant[row] != 0) continue;
    std::copy_n(of.terms->A(row), n, of.A.begin() + static_cast<std::ptrdiff_t>(m * n));
    of.scale[m++] = constraints.scale[row];
  }
  simulate::ConstrainedProblem problem;
  problem.n = n;
  problem.m = m;
  problem.M = of.terms->M();
  problem.A = of.A.data();
  problem.scale = of.scale.data();
  if (!of.choice->choose(problem)) return false;
  dependent_.clear();
  for (std::size_t i = 0; i < n; ++i)
    if (of.choice->set()[i] != 0) dependent_.push_back(i);
  return true;
}

long SpeedChoice::choices() const noexcept { return terms_->choice->choices(); }

}  // namespace tactus::contact
