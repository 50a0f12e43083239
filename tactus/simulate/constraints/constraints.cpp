#include <tactus/simulate/constraints/constraints.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <tactus/base/check.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/constraints/assembler.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

/// Configurations drawn for the rows' sizes.
constexpr int kDraws = 24;
/// Guesses from which generic configurations are assembled.
constexpr int kGuesses = 5;

std::size_t offset_of(const generate::Kernel& kernel, std::string_view name) {
  const generate::Slot* slot = kernel.output(name);
  TACTUS_CHECK(slot != nullptr);
  return slot->offset;
}

/// The function with these outputs alone.
algebra::Function only(algebra::Function function, std::initializer_list<std::string_view> names) {
  std::erase_if(function.outputs, [&](const algebra::Block& block) {
    return std::find(names.begin(), names.end(), block.name) == names.end();
  });
  return function;
}

/// Leaves of a block [rows x columns] the entries that are not zero; where they stand.
std::vector<Constraints::Entry> drop_zeros(algebra::Function& function, std::string_view name) {
  std::vector<Constraints::Entry> entries;
  for (algebra::Block& block : function.outputs) {
    if (block.name != name) continue;
    std::vector<algebra::Expr> kept;
    const auto columns = static_cast<std::size_t>(block.cols);
    for (std::size_t i = 0; i < block.entries.size(); ++i) {
      if (is_zero(block.entries[i])) continue;
      entries.push_back({static_cast<std::uint32_t>(i / columns), static_cast<std::uint32_t>(i % columns)});
      kept.push_back(block.entries[i]);
    }
    block.rows = static_cast<int>(kept.size());
    block.cols = 1;
    block.entries = std::move(kept);
  }
  return entries;
}

/// Any configuration: joints turned and shifted at random, the same ones every time.
std::vector<double> draw_configuration(const Dynamics& dynamics, std::mt19937& random) {
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<double> q = dynamics.coordinates.rest(), theta(static_cast<std::size_t>(dynamics.nv()));
  for (double& x : theta) x = 2.5 * part(random);
  dynamics.coordinates.displace(q.data(), theta.data(), q.data());
  return q;
}

void measure_rows(const Dynamics& dynamics, Constraints& constraints) {
  const auto nv = static_cast<std::size_t>(dynamics.nv());
  ConstraintTerms terms(dynamics, constraints);
  std::vector<double> sums(constraints.size()), u(nv);
  std::vector<int> counts(constraints.size());
  std::mt19937 random(20031);
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<double> q = draw_configuration(dynamics, random);
    terms.evaluate(0.0, q.data(), u.data());
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      double sum = 0.0;
      for (std::size_t e = constraints.A_begin[k]; e < constraints.A_begin[k + 1]; ++e) {
        const std::size_t i = constraints.A_entries[e].column;
        const double a = terms.A(k)[i];
        if (a != 0.0) sum += a * a / terms.M()[i * nv + i];
      }
      if (!std::isfinite(sum) || sum == 0.0) continue;
      sums[k] += sum;
      ++counts[k];
    }
  }
  for (std::size_t k = 0; k < constraints.size(); ++k)
    constraints.scale[k] = counts[k] > 0 ? std::sqrt(sums[k] / counts[k]) : 1.0;
}

/// Rows that are redundant at the most regular of some configurations: the initial one, others around it, and
/// others anywhere. As soon as none is redundant there is no need to look further.
void find_redundant(const Dynamics& dynamics, const describe::Model& model, Constraints& constraints) {
  std::mt19937 random(1996);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  const auto nv = static_cast<std::size_t>(dynamics.nv());
  const auto rows =
      static_cast<std::size_t>(std::count(constraints.active.begin(), constraints.active.end(), 1));
  Assembler assembler(dynamics, constraints);
  std::size_t best = 0;
  bool found = false;
  for (int guess = 0; guess < kGuesses; ++guess) {
    State state{0.0, model.initial_q, std::vector<double>(nv), {}};
    std::vector<double> theta(nv);
    for (double& x : theta) x = guess * guess * 0.1 * part(random);
    dynamics.coordinates.displace(state.q.data(), theta.data(), state.q.data());
    if (!assembler.close(state)) continue;
    const AssemblyReport report = assembler.inspect(state);
    if (found && report.rank <= best) continue;
    best = report.rank;
    found = true;
    constraints.redundant = report.redundant;
    if (best == rows) return;
  }
}

}  // namespace

ConstraintTerms::ConstraintTerms(const Dynamics& dynamics, const Constraints& constraints)
    : constraints_(constraints),
      nq_(static_cast<std::size_t>(dynamics.nq())),
      nv_(static_cast<std::size_t>(dynamics.nv())),
      m_(constraints.size()),
      M_(offset_of(constraints.terms, "M")),
      Q_(offset_of(constraints.terms, "Q")),
      Phi_(offset_of(constraints.terms, "Phi")),
      velocity_(offset_of(constraints.terms, "velocity")),
      A_(offset_of(constraints.terms, "A")),
      gamma_(offset_of(constraints.terms, "gamma")),
      qdot_(offset_of(constraints.terms, "qdot")),
      M_full_(nv_ * nv_),
      A_full_(m_ * nv_),
      arguments_(constraints.terms.input_size()),
      out_(constraints.terms.output_size()),
      errors_(constraints.errors.output_size()),
      work_(std::max(constraints.terms.work_size(), constraints.errors.work_size())) {}

void ConstraintTerms::evaluate_entries(const double* arguments) {
  constraints_.terms(arguments, out_.data(), work_.data());
}

void ConstraintTerms::evaluate(const double* arguments) {
  evaluate_entries(arguments);
  const double* value = out_.data() + M_;
  for (const Constraints::Entry& e : constraints_.M_entries) M_full_[e.row * nv_ + e.column] = *value++;
  value = out_.data() + A_;
  for (const Constraints::Entry& e : constraints_.A_entries) A_full_[e.row * nv_ + e.column] = *value++;
}

void ConstraintTerms::place(double t, const double* q, const double* u) {
  arguments_[0] = t;
  std::copy_n(q, nq_, arguments_.begin() + 1);
  std::copy_n(u, nv_, arguments_.begin() + 1 + static_cast<std::ptrdiff_t>(nq_));
}

void ConstraintTerms::evaluate(double t, const double* q, const double* u) {
  place(t, q, u);
  evaluate(arguments_.data());
}

void ConstraintTerms::evaluate_errors(double t, const double* q, const double* u) {
  place(t, q, u);
  constraints_.errors(arguments_.data(), errors_.data(), work_.data());
}

std::shared_ptr<const Constraints> compile_constraints(const derive::Equations& equations,
                                                       const Dynamics& dynamics, generate::Backend backend) {
  const describe::Model& model = equations.model();
  if (equations.constraint_rows().empty()) return nullptr;
  auto result = std::make_shared<Constraints>();
  Constraints& constraints = *result;
  for (const describe::Constraint& constraint : model.constraints)
    constraints.names.push_back(constraint.name);
  bool any_nonholonomic = false;
  for (const derive::ConstraintRow& row : equations.constraint_rows()) {
    constraints.rows.push_back({row.label, row.constraint, row.holonomic});
    constraints.active.push_back(model.constraints[static_cast<std::size_t>(row.constraint)].active ? 1 : 0);
  }
  const std::size_t m = constraints.size();
  constraints.scale.assign(m, 1.0);
  constraints.redundant.assign(m, 0);
  algebra::Function terms = equations.constrained_terms();
  for (const algebra::Block& block : terms.outputs)
    constraints.driven |= block.name == "c" && !std::all_of(block.entries.begin(), block.entries.end(),
                                                            [](algebra::Expr c) { return is_zero(c); });
  constraints.M_entries = drop_zeros(terms, "M");
  constraints.A_entries = drop_zeros(terms, "A");
  constraints.A_begin.assign(m + 1, 0);
  for (const Constraints::Entry& e : constraints.A_entries) ++constraints.A_begin[e.row + 1];
  for (std::size_t k = 0; k < m; ++k) constraints.A_begin[k + 1] += constraints.A_begin[k];
  constraints.terms = generate::compile(terms, backend);
  constraints.errors = generate::compile(only(equations.constraint_terms(), {"Phi", "velocity"}), backend);
  measure_rows(dynamics, constraints);
  find_redundant(dynamics, model, constraints);

  std::vector<bool> rows(m), position_rows(m);
  Constraints::Unrolled unrolled;
  unrolled.rows.assign(m, 0);
  for (std::size_t k = 0; k < m; ++k) {
    rows[k] = constraints.active[k] && !constraints.redundant[k];
    unrolled.rows[k] = rows[k] ? 1 : 0;
    position_rows[k] = rows[k] && constraints.rows[k].holonomic;
    any_nonholonomic |= rows[k] && !constraints.rows[k].holonomic;
  }
  if (std::find(rows.begin(), rows.end(), true) == rows.end() || describe::missing_inertia(model))
    return result;
  unrolled.dynamics = generate::compile(equations.constrained_dynamics(rows), backend);
  unrolled.step = generate::compile(equations.constraint_step(rows), backend);
  if (!any_nonholonomic)
    unrolled.position_step = unrolled.step;
  else if (std::find(position_rows.begin(), position_rows.end(), true) != position_rows.end())
    unrolled.position_step = generate::compile(equations.constraint_step(position_rows), backend);
  constraints.unrolled = std::move(unrolled);
  return result;
}

}  // namespace tactus::simulate
