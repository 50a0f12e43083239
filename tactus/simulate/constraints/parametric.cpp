#include <tactus/simulate/constraints/parametric.h>

#include <algorithm>
#include <cmath>

#include <tactus/base/error.h>
#include <tactus/describe/read/parametric.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

bool all_finite(const double* x, std::size_t n) {
  return std::all_of(x, x + n, [](double value) { return std::isfinite(value); });
}

/// Sizes of the parameters and the rows that are independent, from the places where psi is tried out.
std::vector<bool> measure(const describe::Model& model, const Dynamics& dynamics,
                          const Constraints& constraints, Parametric& parametric) {
  const auto nq = static_cast<std::size_t>(dynamics.nq()), nv = static_cast<std::size_t>(dynamics.nv());
  const std::size_t nz = parametric.size(), m = constraints.size();
  std::vector<double> in(parametric.motion.input_size()), out(parametric.motion.output_size()),
      work(parametric.motion.work_size());
  ConstraintTerms terms(dynamics, constraints);
  ParametricSolver solver(nv, m, nz);
  ConstrainedMotion motion(nv, m);
  std::vector<std::size_t> rows;
  std::vector<double> A, gamma, scale;
  for (std::size_t k = 0; k < m; ++k)
    if (constraints.active[k] && parametric.left[k]) rows.push_back(k);
  A.resize(rows.size() * nv);
  gamma.resize(rows.size());
  for (const std::size_t k : rows) scale.push_back(constraints.scale[k]);
  std::vector<bool> held(m);
  std::size_t best = 0;
  int count = 0;
  parametric.inertia.assign(nz, 0.0);
  for (const auto& place : describe::trial_places(*model.parametric)) {
    in[0] = place.at("t");
    for (std::size_t c = 0; c < nz; ++c) in[1 + c] = place.at(parametric.names[c]);
    parametric.motion(in.data(), out.data(), work.data());
    if (!all_finite(out.data(), out.size())) continue;
    const double *u = out.data() + nq, *T = u + nv, *b = T + nv * nz;
    terms.evaluate(in[0], out.data(), u);
    ++count;
    for (std::size_t c = 0; c < nz; ++c)
      for (const Constraints::Entry& e : constraints.M_entries)
        parametric.inertia[c] += T[e.row * nz + c] * terms.M()[e.row * nv + e.column] * T[e.column * nz + c];
    if (rows.empty()) continue;
    for (std::size_t k = 0; k < rows.size(); ++k)
      std::copy_n(terms.A(rows[k]), nv, A.begin() + static_cast<std::ptrdiff_t>(k * nv));
    solver.set_tangent(T, b, std::vector<char>(rows.size(), 1));
    if (!solver.solve({nv, rows.size(), terms.M(), terms.Q(), A.data(), gamma.data(), scale.data()}, motion))
      continue;
    const auto& redundant = solver.redundant_among_left();
    const auto independent = static_cast<std::size_t>(
        std::count(redundant.begin(), redundant.begin() + static_cast<std::ptrdiff_t>(rows.size()), 0));
    if (independent <= best) continue;
    best = independent;
    for (std::size_t k = 0; k < rows.size(); ++k) held[rows[k]] = redundant[k] == 0;
  }
  for (double& x : parametric.inertia) x /= std::max(count, 1);
  return held;
}

}  // namespace

std::shared_ptr<const Parametric> compile_parametric(const derive::Equations& equations,
                                                     const Dynamics& dynamics, generate::Backend backend) {
  if (!equations.has_parametric()) return nullptr;
  const describe::Model& model = equations.model();
  auto result = std::make_shared<Parametric>();
  for (const describe::Parametric::Parameter& z : model.parametric->z) {
    result->names.push_back(z.name);
    result->start.push_back(z.value);
  }
  result->left = equations.rows_left_by_parametric();
  result->place = generate::compile(equations.parametric_place(), backend);
  result->motion = generate::compile(equations.parametric_motion(), backend);
  const std::vector<bool> rows = measure(model, dynamics, *dynamics.constraints, *result);
  result->rows.assign(rows.begin(), rows.end());
  result->dynamics = generate::compile(equations.parametric_dynamics(rows), backend);
  return result;
}

void require_parametric(const Dynamics& dynamics) {
  if (dynamics.parametric) return;
  throw InputError({}, "the model gives no parametric coordinates",
                   "give psi(z) in a section `parametric` of the model, or choose another formulation");
}

ParametricSolver::ParametricSolver(std::size_t n, std::size_t most_rows, std::size_t nz)
    : n_(n),
      nz_(nz),
      T_(n * nz),
      b_(n),
      M_(nz * nz),
      Q_(nz),
      A_(most_rows * nz),
      gamma_(most_rows),
      scale_(most_rows),
      MT_(n * nz),
      f_(n),
      size_(n),
      left_(most_rows),
      reduced_(make_multipliers(nz, most_rows)),
      reduced_motion_(nz, most_rows),
      rows_(most_rows, n, true) {}

void ParametricSolver::set_tangent(const double* T, const double* b, const std::vector<char>& left) {
  std::copy_n(T, n_ * nz_, T_.begin());
  std::copy_n(b, n_, b_.begin());
  std::copy(left.begin(), left.end(), left_.begin());
}

bool ParametricSolver::solve(const ConstrainedProblem& p, ConstrainedMotion& motion) {
  // The problem in z: T^T M T, T^T (Q - M b), and of the rows left A T, gamma - A b.
  for (std::size_t i = 0; i < n_; ++i) {
    f_[i] = p.Q[i];
    double* row = MT_.data() + i * nz_;
    std::fill_n(row, nz_, 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
      f_[i] -= p.M[i * n_ + j] * b_[j];
      for (std::size_t c = 0; c < nz_; ++c) row[c] += p.M[i * n_ + j] * T_[j * nz_ + c];
    }
  }
  std::fill(M_.begin(), M_.end(), 0.0);
  std::fill(Q_.begin(), Q_.end(), 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t c = 0; c < nz_; ++c) {
      Q_[c] += T_[i * nz_ + c] * f_[i];
      for (std::size_t d = 0; d < nz_; ++d) M_[c * nz_ + d] += T_[i * nz_ + c] * MT_[i * nz_ + d];
    }
  }
  std::size_t m = 0;
  for (std::size_t k = 0; k < p.m; ++k) {
    if (!left_[k]) continue;
    gamma_[m] = p.gamma[k];
    scale_[m] = p.scale[k];
    double* row = A_.data() + m * nz_;
    std::fill_n(row, nz_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      gamma_[m] -= p.A[k * n_ + i] * b_[i];
      for (std::size_t c = 0; c < nz_; ++c) row[c] += p.A[k * n_ + i] * T_[i * nz_ + c];
    }
    ++m;
  }
  const ConstrainedProblem reduced{
      nz_, m, M_.data(), Q_.data(), A_.data(), gamma_.data(), scale_.data(), p.rank_tolerance};
  if (!reduced_->solve(reduced, reduced_motion_)) return false;
  for (std::size_t i = 0; i < n_; ++i) {
    motion.udot[i] = b_[i];
    for (std::size_t c = 0; c < nz_; ++c) motion.udot[i] += T_[i * nz_ + c] * reduced_motion_.udot[c];
  }
  // A^T lambda = M udot - Q, and the least multipliers that give it.
  for (std::size_t i = 0; i < n_; ++i) {
    size_[i] = std::sqrt(p.M[i * n_ + i]);
    if (!(size_[i] > 0.0)) return false;
    double f = -p.Q[i];
    for (std::size_t j = 0; j < n_; ++j) f += p.M[i * n_ + j] * motion.udot[j];
    motion.force[i] = f;
    f_[i] = f / size_[i];
  }
  for (std::size_t k = 0; k < p.m; ++k)
    for (std::size_t i = 0; i < n_; ++i) rows_.row(k)[i] = p.A[k * n_ + i] / (p.scale[k] * size_[i]);
  rows_.factor(p.m, p.rank_tolerance);
  rows_.times_q_transposed(f_.data());
  rows_.combine_shortest(f_.data(), motion.lambda.data());
  for (std::size_t k = 0; k < p.m; ++k) {
    motion.lambda[k] /= p.scale[k];
    motion.redundant[rows_.order(k)] = k >= rows_.rank();
  }
  motion.rank = rows_.rank();
  motion.used = Formulation::parametric;
  return all_finite(motion.udot.data(), n_);
}

}  // namespace tactus::simulate
