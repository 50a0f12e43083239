#include <tactus/contact/events/contact_motion.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/rederive/rederive.h>
#include <tactus/math/cholesky.h>
#include <tactus/math/row_factor.h>
#include <tactus/simulate/constraints/newton_hold.h>

namespace tactus::contact {

namespace {

constexpr double kDependent = 1e-10;  // of the orthogonal factors: relative size of what counts as zero

}  // namespace

/// The system of rows that depend on each other.
struct ContactMotion::Dependent {
  explicit Dependent(std::size_t most) : rows(most, most), scale(most), right(most), y(most) {}
  math::RowFactor rows;
  std::vector<double> scale, right, y;
};

ContactMotion::ContactMotion(const ContactModel& contact_model, std::size_t most_touches,
                             const simulate::ConstraintOptions& options)
    : row_on(contact_model.terms.rows.size(), 0),
      contact_model_(contact_model),
      kernel_(contact_model.terms),
      dynamics_(contact_model.dynamics),
      n_(static_cast<std::size_t>(kernel_.nv)),
      most_(most_touches),
      terms_(kernel_),
      system_(kernel_.parents, kernel_.rows.size() + 3 * most_touches),
      dependent_(std::make_unique<Dependent>(kernel_.rows.size() + 3 * most_touches)),
      metric_(n_, kernel_.rows.size() + 3 * most_touches),
      own_on_(kernel_.rows.size(), 0),
      arguments_(kernel_.kernel.input_size()),
      scale_(kernel_.rows.size() + 3 * most_touches),
      answer_(scale_.size() * n_),
      force_(n_),
      free_out_(n_ + static_cast<std::size_t>(kernel_.nq)),
      free_work_(dynamics_.forward_dynamics.work_size()),
      row_force_(kernel_.rows.size()),
      touch_force_(most_touches),
      part_force_(most_touches),
      mass_factors_(n_ * n_),
      answer_lambda_(scale_.size()),
      scratch_(4 * n_),
      udot_(n_),
      error_(scale_.size()),
      step_(n_),
      displacement_(dynamics_),
      rest_(n_),
      q_before_(static_cast<std::size_t>(kernel_.nq)) {
  if (options.formulation == simulate::Formulation::parametric)
    throw InputError({},
                     "the parametric formulation has no place for contacts and stops: psi says where the "
                     "mechanism can be",
                     "choose another formulation");
  if (dynamics_.constraints) solver_ = std::make_unique<simulate::ConstraintSolver>(dynamics_, options);
  touches.reserve(most_touches);
  dropped_.resize(most_touches);
  span_.resize(4 * n_ * n_);
  span_of_A_.resize(n_ * n_);
  set_.rows.reserve(kernel_.rows.size());
  set_.touches.reserve(most_touches);
  numbers_.reserve(most_touches);
  touch_of_part_.reserve(most_touches);
}

ContactMotion::~ContactMotion() = default;

void ContactMotion::update() {
  if (!solver_) return;
  bool changed = false;
  for (std::size_t k = 0; k < row_on.size(); ++k) {
    own_on_[k] = row_on[k] != 0 && contact_model_.stop_of_row[k] < 0 ? 1 : 0;
    changed |= (own_on_[k] != 0) != solver_->rows().is_on(k);
  }
  if (changed) solver_->set_active(own_on_.data());
}

// Sets that transitions made have no straight-line code of the solver's: their code is made as that of any
// other set. Where it is not enough, near singular positions, the solver takes over.
bool ContactMotion::by_solver() const { return in_stretch_ ? by_solver_ : quiet() && serves_quiet(); }

bool ContactMotion::serves_quiet() const {
  if (!solver_ || solver_->has_code()) return true;
  return solver_->options().formulation != simulate::Formulation::automatic ||
         solver_->options().holding != simulate::Holding::projection;
}

void ContactMotion::begin(double t, double* q, double* u) {
  if (!solver_) return;
  solver_->reset(t, q, u);
  solver_->hold_position(t, q);
  solver_->hold_velocity(t, q, u);
  solver_->choose_branch(t, q, u);
  solver_->reset(t, q, u);
}

void ContactMotion::save(Memory& memory) const {
  if (solver_) solver_->save(memory);
}

void ContactMotion::load(const Memory& memory) {
  if (solver_) solver_->load(memory);
}

void ContactMotion::mark() {
  if (solver_) solver_->mark();
}

void ContactMotion::rewind() {
  if (solver_) solver_->rewind();
}

void ContactMotion::end_event(double t, const double* q, const double* u) {
  if (solver_) solver_->end_step(t, q, u);
}

/// Within a piece of the motion of those that act: the others are looked at where it ends.
void ContactMotion::evaluate_touches() {
  for (Touch& touch : touches)
    if (!in_stretch_ || touch.touching()) evaluate(terms_, touch);
}

void ContactMotion::choose_tangents(Touch& touch) {
  answers_ = Answers::none;
  terms_.mass_matrix(system_.M.data());
  system_.factor_mass();
  contact::choose_tangents(terms_, system_.M.data(), scratch_.data(), touch);
}

/// The set as the templates of active_set.h take it: what holds or pushes, in the order of the touches.
void ContactMotion::gather_set() {
  served_ = false;
  set_.rows.clear();
  bilateral_ = {};
  if (solver_) {
    set_.rows = solver_->rows().held();
    bilateral_ = {solver_->rows().held_positions().size(), set_.rows.size()};
    for (const int row : contact_model_.row_of_stop)
      if (row >= 0 && row_on[static_cast<std::size_t>(row)] != 0)
        set_.rows.push_back(static_cast<std::size_t>(row));
  }
  set_.touches.clear();
  numbers_.clear();
  touch_of_part_.clear();
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const Touch& touch = touches[i];
    const describe::ContactLaw& law = *touch.law;
    if (!touch.touching()) continue;
    TouchForm form{touch.form, touch.body_a, touch.body_b, Part::smooth, 0, 0};
    if (!touch.rigid()) {
      form.part = Part::compliant;
      form.tangents = law.friction > 0.0 ? 2 : 0;
    } else if (touch.mode == Mode::sticking) {
      form.part = Part::sticking;
      form.tangents = touch.tangents;
    } else if (touch.tangents > 0 && law.friction > 0.0) {
      form.part = Part::sliding;
      form.tangents = touch.tangents;
    }
    set_.touches.push_back(form);
    numbers_.push_back({touch.a, touch.b, touch.tangent, touch.slip, law.friction, law.stiffness, law.damping,
                        touch.rigid() ? touch.slow_slip : law.slip_speed});
    if (in_stretch_ && any_dropped_) set_.touches.back().dropped = dropped_[i];
    touch_of_part_.push_back(i);
  }
}

void ContactMotion::keep_slips() {
  for (std::size_t i = 0; i < set_.touches.size(); ++i)
    if (set_.touches[i].part == Part::sliding)
      for (std::size_t k = 0; k < 2; ++k) touches[touch_of_part_[i]].slip[k] = numbers_[i].slip[k] + 0.0;
}

void ContactMotion::attach(Rederiver* rederiver, long hold_back) {
  rederiver_ = rederiver;
  hold_back_ = hold_back;
  known_ = false;
  taken_ = nullptr;
  if (rederiver == nullptr) return;
  code_in_.resize(kernel_.kernel.input_size() + kTouchNumbers * SetKey::kMostTouches);
  code_out_.resize(n_ + q_before_.size() + 2 * (Formulator::kMostRows + SetKey::kMostTouches));
  code_work_.resize(Formulator::kMostWork);
}

bool ContactMotion::begin_tick() {
  ++paths_.ticks;
  ++ticks_in_set_;
  const bool is_quiet = quiet();
  const bool served = is_quiet && serves_quiet();
  if (rederiver_ != nullptr && known_ && taken_ == nullptr && !served && !dependent_set_ &&
      ticks_in_set_ > hold_back_) {
    taken_ = rederiver_->find(key_);
    if (taken_ != nullptr) {
      ++paths_.swaps;
      paths_.worst_wait = std::max(paths_.worst_wait, ticks_in_set_);
      const double latency =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - changed_).count();
      paths_.worst_latency = std::max(paths_.worst_latency, latency);
    }
  }
  if (taken_ == nullptr && !served) ++paths_.ticks_general;
  return is_quiet;
}

bool ContactMotion::name_set(SetKey& key) {
  gather_set();
  return make_key(set_, numbers_, key);
}

void ContactMotion::begin_stretch() {
  code_ = nullptr;
  by_solver_ = by_solver();
  in_stretch_ = true;
  if (rederiver_ == nullptr) return;
  // The solver's set, as it was: named already.
  if (by_solver_ && served_ && known_ && (!solver_ || solver_->rows().held() == set_.rows)) return;
  const bool named = name_set(next_key_);
  served_ = by_solver_ && named;
  if (!named || !known_ || !(next_key_ == key_)) {
    ++paths_.changes;
    ticks_in_set_ = 0;
    known_ = named;
    dependent_set_ = false;
    key_ = next_key_;
    changed_ = std::chrono::steady_clock::now();
    taken_ = named && hold_back_ == 0 && !by_solver_ ? rederiver_->find(key_) : nullptr;
    if (taken_ != nullptr || by_solver_) ++paths_.hits;  // the solver's code was there from the start
  }
  if (by_solver_) return;
  code_ = taken_;
  if (code_ == nullptr) return;
  double* at = code_in_.data() + kernel_.kernel.input_size();
  for (const TouchNumbers<double>& numbers : numbers_) {
    const std::array<double, kTouchNumbers> values = flat(numbers);
    at = std::copy(values.begin(), values.end(), at);
  }
}

bool ContactMotion::run(const generate::Kernel& code, std::size_t rows, std::size_t bilateral,
                        std::size_t before_health) {
  code(code_in_.data(), code_out_.data(), code_work_.data());
  const double* health = code_out_.data() + before_health;
  for (std::size_t k = 0; k < bilateral; ++k)
    if (!(health[k] > simulate::kHealthyPivot)) return false;  // for as long as a singular position is near
  for (std::size_t k = bilateral; k < rows; ++k) {
    if (std::abs(health[k]) > kLeastHealth) continue;
    ++paths_.fallbacks;
    code_ = taken_ = nullptr;  // rows that depend on each other will do so for a while
    dependent_set_ = true;
    return false;
  }
  return true;
}

void ContactMotion::accelerate(const double* arguments, double* udot, double* qdot) {
  const std::size_t nq = q_before_.size();
  answers_ = Answers::none;
  if (by_solver()) {
    const auto move = [&] {
      if (solver_) return solver_->accelerate(arguments, udot, qdot);
      if (qdot == udot + n_)  // as the kernel has them
        return dynamics_.forward_dynamics(arguments, udot, free_work_.data());
      dynamics_.forward_dynamics(arguments, free_out_.data(), free_work_.data());
      std::copy_n(free_out_.begin(), n_, udot);
      std::copy_n(free_out_.begin() + static_cast<std::ptrdiff_t>(n_), nq, qdot);
    };
    if (in_stretch_) return move();
    std::optional<simulate::ConstraintSolver::Look> look;
    if (solver_) look.emplace(*solver_);
    move();
    terms_.evaluate(arguments);
    evaluate_touches();
    std::copy_n(udot, n_, udot_.begin());
    std::copy_n(arguments, arguments_.size(), arguments_.begin());
    redundant_ = false;
    solved_ = true;
    for (const double x : udot_) solved_ = solved_ && std::isfinite(x);
    std::fill(row_force_.begin(), row_force_.end(), 0.0);
    std::fill_n(touch_force_.begin(), touches.size(), std::array<double, 3>{});
    forces_known_ = !solver_ || solver_->rows().active().empty();
    if (forces_known_) answers_ = Answers::by_mass;  // nothing is on
    return;
  }
  if (code_ != nullptr) {
    std::copy_n(arguments, kernel_.kernel.input_size(), code_in_.begin());
    if (run(code_->accelerations, code_->rows, bilateral_rows(Level::velocity), n_ + nq)) {
      for (std::size_t i = 0; i < n_; ++i) udot[i] = code_out_[i] + 0.0;
      for (std::size_t i = 0; i < nq; ++i) qdot[i] = code_out_[n_ + i] + 0.0;
      const double* slip = code_out_.data() + n_ + nq + code_->rows;
      double* remembered = code_in_.data() + kernel_.kernel.input_size() + kSlipNumber;
      for (std::size_t i = 0; i < set_.touches.size(); ++i) {
        if (set_.touches[i].part != Part::sliding) continue;
        Touch& touch = touches[touch_of_part_[i]];
        for (std::size_t k = 0; k < 2; ++k)
          touch.slip[k] = remembered[i * kTouchNumbers + k] = slip[2 * i + k] + 0.0;
      }
      return;
    }
  }
  std::optional<simulate::ConstraintSolver::Look> look;
  if (!in_stretch_ && solver_) look.emplace(*solver_);
  terms_.evaluate(arguments);
  evaluate_touches();
  gather_set();
  gather_accelerations(set_, terms_.view(), numbers_, motion_of_part(), scratch_.data(), system_,
                       part_force_.data());
  keep_slips();
  std::copy_n(terms_.qdot(), nq, qdot);
  const Rows rows = solve_system(bilateral_rows(Level::velocity));
  if (rows == Rows::singular) solve_singular(arguments, qdot);

  for (std::size_t i = 0; i < n_; ++i) udot[i] = udot_[i] = system_.udot[i] + 0.0;
  for (std::size_t i = 0; i < nq; ++i) qdot[i] = qdot[i] + 0.0;
  std::fill(row_force_.begin(), row_force_.end(), 0.0);
  for (std::size_t k = 0; k < set_.rows.size(); ++k) row_force_[set_.rows[k]] = system_.lambda[k];
  spread_forces(set_, numbers_, system_.lambda.data(), part_force_.data());
  std::fill_n(touch_force_.begin(), touches.size(), std::array<double, 3>{});
  for (std::size_t i = 0; i < set_.touches.size(); ++i) touch_force_[touch_of_part_[i]] = part_force_[i];
  forces_known_ = !solver_ || (rows != Rows::singular && !solver_->rows().any_aside());
  if (!in_stretch_ && rows == Rows::independent) answers_ = Answers::by_system;
  if (!in_stretch_) std::copy_n(arguments, arguments_.size(), arguments_.begin());
}

bool ContactMotion::prepare_answers() {
  if (answers_ == Answers::by_mass) {
    terms_.mass_matrix(mass_factors_.data());
    derive::factorise(system_.parents, static_cast<int>(n_), mass_factors_.data());
    answers_ = Answers::by_factors;
  }
  return answers_ != Answers::none;
}

void ContactMotion::answer(double* force) {
  if (answers_ == Answers::by_system) return system_.respond(force, answer_lambda_.data());
  derive::solve(system_.parents, static_cast<int>(n_), mass_factors_.data(), force);
}

ContactMotion::Rows ContactMotion::solve_system(std::size_t bilateral) {
  std::copy_n(system_.udot.begin(), n_, udot_.begin());
  system_.solve();
  redundant_ = false;
  solved_ = true;
  for (std::size_t k = 0; k < bilateral; ++k)
    if (!(system_.health[k] > simulate::kHealthyPivot)) return Rows::singular;
  for (std::size_t k = bilateral; k < system_.m; ++k)
    if (!(std::abs(system_.health[k]) > kLeastHealth)) redundant_ = true;
  if (!redundant_) return Rows::independent;
  solve_dependent();
  return Rows::dependent;
}

/// S lambda = gamma - Z_A D^-1 L^-T Q with the multipliers of least size, each row measured in its natural
/// size, by orthogonal factors of the rows of S.
void ContactMotion::solve_dependent() {
  ++detours_;
  const std::size_t m = system_.m;
  Dependent& d = *dependent_;
  d.rows.set_width(m);
  towards_ground(system_.parents, n_, system_.M.data(), udot_.data());
  for (std::size_t k = 0; k < m; ++k) {
    const double* a = &system_.A[k * n_];
    double right = system_.gamma[k], square = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double y = a[i] * system_.M[i * n_ + i];
      square += y * a[i];
      right -= y * udot_[i];
    }
    d.scale[k] = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    d.right[k] = d.scale[k] * right;
    for (std::size_t l = 0; l < m; ++l) {
      double s = 0.0;
      for (std::size_t i = 0; i < n_; ++i) s += a[i] * system_.M[i * n_ + i] * system_.B[l * n_ + i];
      d.rows.row(k)[l] = s;
    }
  }
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l < m; ++l) d.rows.row(k)[l] *= d.scale[k] * d.scale[l];
  d.rows.factor(m, kDependent);
  std::fill(d.y.begin(), d.y.end(), 0.0);
  d.rows.solve(d.right.data(), d.y.data());
  d.rows.times_q(d.y.data());
  std::copy(udot_.begin(), udot_.end(), system_.udot.begin());
  solved_ = true;
  for (std::size_t k = 0; k < m; ++k) {
    system_.lambda[k] = d.scale[k] * d.y[k];
    solved_ = solved_ && std::isfinite(system_.lambda[k]);
    for (std::size_t i = 0; i < n_; ++i) system_.udot[i] += system_.B[k * n_ + i] * system_.lambda[k];
  }
  from_ground(system_.parents, n_, system_.M.data(), system_.udot.data());
}

/// Natural sizes of the rows in system_: of bilateral ones those of the constraints, of others the same sum
/// at this place.
void ContactMotion::place_row_scales(std::size_t bilateral) {
  for (std::size_t k = 0; k < system_.m; ++k) {
    scale_[k] = system_.size[k];
    if (k < bilateral) continue;
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double a = system_.A[k * n_ + i];
      if (a != 0.0) sum += a * a / system_.M[i * n_ + i];
    }
    scale_[k] = sum > 0.0 && std::isfinite(sum) ? std::sqrt(sum) : 1.0;
  }
}

/// force <- M_c^-1 force, by the factors of the bilateral rows.
void ContactMotion::respond_to_force(double* force) {
  math::solve_lower(n_, metric_.L(), force);
  metric_.rows().times_q_transposed(force);
  std::fill_n(force, metric_.rows().rank(), 0.0);
  metric_.rows().times_q(force);
  math::solve_lower_transposed(n_, metric_.L(), force);
}

/// The accelerations in system_.udot and the unilateral multipliers in system_.lambda, near a singular position
/// of the bilateral rows: the equations stand at the top of contact_motion.h.
void ContactMotion::solve_singular(const double* arguments, double* qdot) {
  ++detours_;
  const std::size_t bilateral = bilateral_rows(Level::velocity);
  solver_->accelerate(arguments, udot_.data(), qdot);
  solver_->note_detour();
  gather_accelerations(set_, terms_.view(), numbers_, motion_of_part(), scratch_.data(), system_,
                       part_force_.data());
  place_row_scales(bilateral);
  const simulate::ConstrainedProblem problem{n_,
                                             bilateral,
                                             system_.M.data(),
                                             system_.udot.data(),
                                             system_.A.data(),
                                             system_.gamma.data(),
                                             scale_.data(),
                                             solver_->options().rank_tolerance};
  solved_ = metric_.factor(problem);
  if (!solved_) return;
  for (std::size_t i = 0; i < n_; ++i) force_[i] = system_.udot[i] - terms_.Q()[i];
  respond_to_force(force_.data());
  for (std::size_t i = 0; i < n_; ++i) udot_[i] += force_[i];

  const std::size_t m = system_.m - bilateral;
  Dependent& d = *dependent_;
  const auto dot = [&](const double* x, const double* y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) sum += x[i] * y[i];
    return sum;
  };
  for (std::size_t k = 0; k < m; ++k) {
    const double* a = &system_.A[(bilateral + k) * n_];
    std::copy_n(a, n_, force_.begin());
    respond_to_force(force_.data());
    const double square = dot(a, force_.data());
    d.scale[k] = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    double* answer = &answer_[k * n_];
    std::copy_n(&system_.B[(bilateral + k) * n_], n_, answer);
    respond_to_force(answer);
    d.right[k] = d.scale[k] * (system_.gamma[bilateral + k] - dot(a, udot_.data()));
  }
  d.rows.set_width(m);
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t l = 0; l < m; ++l)
      d.rows.row(k)[l] = d.scale[k] * d.scale[l] * dot(&system_.A[(bilateral + k) * n_], &answer_[l * n_]);
  }
  d.rows.factor(m, kDependent);
  redundant_ = d.rows.rank() < m;
  std::fill(d.y.begin(), d.y.end(), 0.0);
  d.rows.solve(d.right.data(), d.y.data());
  d.rows.times_q(d.y.data());
  std::fill_n(system_.lambda.begin(), bilateral, 0.0);
  for (std::size_t k = 0; k < m; ++k) {
    const double lambda = d.scale[k] * d.y[k];
    system_.lambda[bilateral + k] = lambda;
    for (std::size_t i = 0; i < n_; ++i) udot_[i] += lambda * answer_[k * n_ + i];
  }
  for (std::size_t i = 0; i < n_; ++i) solved_ = solved_ && std::isfinite(udot_[i]);
  std::copy_n(udot_.begin(), n_, system_.udot.begin());
}

/// The constraints' force is what the motion needs beyond all others: M udot - Q - (what touches).
void ContactMotion::find_row_forces() {
  forces_known_ = true;
  terms_.evaluate(arguments_.data());
  evaluate_touches();
  for (std::size_t i = 0; i < n_; ++i) force_[i] = -terms_.Q()[i];
  for (const TermsKernel::Block& block : kernel_.blocks) {
    const double* M = terms_.values().data() + block.M;
    for (const int i : block.speeds)
      for (const int j : block.speeds)
        force_[static_cast<std::size_t>(i)] += *M++ * udot_[static_cast<std::size_t>(j)];
  }
  for (std::size_t i = 0; i < touches.size(); ++i) {
    if (!touches[i].touching()) continue;
    contact_rows(terms_, touches[i].body_a, touches[i].body_b, touches[i].motion, 3, scratch_.data());
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t j = 0; j < n_; ++j) force_[j] -= touch_force_[i][k] * scratch_[k * n_ + j];
  }
  for (const int stop : contact_model_.row_of_stop) {
    if (stop < 0 || row_on[static_cast<std::size_t>(stop)] == 0) continue;
    const auto row = static_cast<std::size_t>(stop);
    terms_.constraint_row(row, scratch_.data());
    for (std::size_t j = 0; j < n_; ++j) force_[j] -= row_force_[row] * scratch_[j];
  }
  if (!solver_->share_force(arguments_[0], arguments_.data() + 1, force_.data(), scale_.data())) return;
  for (std::size_t row = 0; row < row_force_.size(); ++row)
    if (contact_model_.stop_of_row[row] < 0) row_force_[row] = scale_[row];
}

double ContactMotion::row_force(std::size_t row) {
  if (!forces_known_ && contact_model_.stop_of_row[row] < 0) find_row_forces();
  return row_force_[row];
}

double ContactMotion::touch_acceleration(const Touch& touch, std::size_t k) {
  contact_rows(terms_, touch.body_a, touch.body_b, touch.motion, k + 1, scratch_.data());
  double a = touch.motion.bias[k];
  for (std::size_t i = 0; i < n_; ++i) a += scratch_[k * n_ + i] * udot_[i];
  return a;
}

double ContactMotion::row_acceleration(std::size_t row) {
  terms_.constraint_row(row, scratch_.data());
  double a = -terms_.gamma(row);
  for (std::size_t i = 0; i < n_; ++i) a += scratch_[i] * udot_[i];
  return a;
}

double ContactMotion::kinetic_energy(const double* u) {
  double twice = 0.0;
  for (const TermsKernel::Block& block : kernel_.blocks) {
    const double* M = terms_.values().data() + block.M;
    for (const int i : block.speeds)
      for (const int j : block.speeds) twice += u[i] * *M++ * u[j];
  }
  return 0.5 * twice;
}

}  // namespace tactus::contact
