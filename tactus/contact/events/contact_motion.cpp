#include <tactus/contact/events/contact_motion.h>

#include <algorithm>
#include <cmath>

#include <tactus/contact/rederive/rederive.h>
#include <tactus/math/row_factor.h>

namespace tactus::contact {

namespace {

constexpr double kHeld = 1e-14;      // [m, rad; relative for velocities] errors below it are left alone
constexpr int kMostNewtonSteps = 6;  // of positions; they converge quadratically from the integrator's error
constexpr int kMostVelocitySteps = 2;
constexpr double kDependent = 1e-10;  // of the orthogonal factors: relative size of what counts as zero

double largest(const std::vector<double>& values, std::size_t count) {
  double result = 0.0;
  for (std::size_t k = 0; k < count; ++k)
    if (!(std::abs(values[k]) <= result)) result = std::abs(values[k]);  // keeps a NaN
  return result;
}

}  // namespace

/// The system of rows that depend on each other.
struct ContactMotion::Dependent {
  explicit Dependent(std::size_t most) : rows(most, most), scale(most), right(most), y(most) {}
  math::RowFactor rows;
  std::vector<double> scale, right, y;
};

ContactMotion::ContactMotion(const TermsKernel& kernel, const simulate::Dynamics& dynamics,
                             std::size_t most_touches)
    : row_on(kernel.rows.size(), 0),
      kernel_(kernel),
      dynamics_(dynamics),
      n_(static_cast<std::size_t>(kernel.nv)),
      most_(most_touches),
      terms_(kernel),
      system_(kernel.parents, kernel.rows.size() + 3 * most_touches),
      dependent_(std::make_unique<Dependent>(kernel.rows.size() + 3 * most_touches)),
      row_force_(kernel.rows.size()),
      touch_force_(most_touches),
      part_force_(most_touches),
      scratch_(4 * n_),
      udot_(n_),
      error_(kernel.rows.size() + 3 * most_touches),
      step_(n_),
      displacement_(dynamics),
      rest_(n_),
      q_before_(static_cast<std::size_t>(kernel.nq)) {
  touches.reserve(most_touches);
  dropped_.resize(most_touches);
  span_.resize(4 * n_ * n_);
  set_.rows.reserve(kernel.rows.size());
  set_.touches.reserve(most_touches);
  numbers_.reserve(most_touches);
  touch_of_part_.reserve(most_touches);
}

ContactMotion::~ContactMotion() = default;

void ContactMotion::update() {
  set_.rows.clear();
  for (std::size_t k = 0; k < row_on.size(); ++k)
    if (row_on[k] != 0) set_.rows.push_back(k);
}

void ContactMotion::evaluate_touches() {
  for (Touch& touch : touches) evaluate(terms_, touch);
}

void ContactMotion::choose_tangents(Touch& touch) {
  terms_.mass_matrix(system_.M.data());
  system_.factor_mass();
  contact::choose_tangents(terms_, system_.M.data(), scratch_.data(), touch);
}

/// The set as the templates of active_set.h take it: what holds or pushes, in the order of the touches.
void ContactMotion::gather_set() {
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

void ContactMotion::begin_tick() {
  ++paths_.ticks;
  ++ticks_in_set_;
  if (rederiver_ != nullptr && known_ && taken_ == nullptr && !dependent_set_ && ticks_in_set_ > hold_back_) {
    taken_ = rederiver_->find(key_);
    if (taken_ != nullptr) {
      ++paths_.swaps;
      paths_.worst_wait = std::max(paths_.worst_wait, ticks_in_set_);
      const double latency =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - changed_).count();
      paths_.worst_latency = std::max(paths_.worst_latency, latency);
    }
  }
  if (taken_ == nullptr) ++paths_.ticks_general;
}

bool ContactMotion::name_set(SetKey& key) {
  gather_set();
  return make_key(set_, numbers_, key);
}

// Row k says the same as others where A_k = sum c_j A_j and B_k = sum c_j B_j with the same c: then it holds where
// they do, and its force does what they can do with lambda_j + c_j lambda_k. So the rows [A B] are taken one after
// the other, normals before tangents so that all gaps are held, and those left out that those before them span, in
// the metric of the mass matrix (Gram-Schmidt). Rows of the model are all kept: where they depend on each other
// they may do so in one position alone.
void ContactMotion::drop_dependent() {
  any_dropped_ = false;
  if (!redundant_) return;
  std::fill_n(dropped_.begin(), touches.size(), 0u);
  const std::size_t width = 2 * n_;
  std::size_t kept = 0;
  const auto depends = [&](std::size_t row) {
    if (kept == width) return true;
    double* x = &span_[kept * width];
    double before = 0.0, left = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double scale = std::sqrt(std::abs(system_.M[i * n_ + i]));
      x[i] = scale * system_.A[row * n_ + i];
      x[n_ + i] = scale * system_.B[row * n_ + i];
    }
    for (std::size_t i = 0; i < width; ++i) before += x[i] * x[i];
    for (int pass = 0; pass < 2; ++pass)  // the second takes out what rounding left
      for (std::size_t k = 0; k < kept; ++k) {
        double along = 0.0;
        for (std::size_t i = 0; i < width; ++i) along += span_[k * width + i] * x[i];
        for (std::size_t i = 0; i < width; ++i) x[i] -= along * span_[k * width + i];
      }
    for (std::size_t i = 0; i < width; ++i) left += x[i] * x[i];
    if (!(left > kLeastHealth * before)) return true;
    const double size = std::sqrt(left);
    for (std::size_t i = 0; i < width; ++i) x[i] /= size;
    ++kept;
    return false;
  };
  for (std::size_t row = 0; row < set_.rows.size(); ++row) depends(row);
  for (const bool tangents : {false, true}) {
    std::size_t row = set_.rows.size();
    for (std::size_t i = 0; i < set_.touches.size(); ++i) {
      const std::size_t rows = row_count(set_.touches[i]);
      for (std::size_t k = tangents ? 1 : 0; k < (tangents ? rows : std::min<std::size_t>(rows, 1)); ++k) {
        if (!depends(row + k)) continue;
        dropped_[touch_of_part_[i]] |= 1u << k;
        any_dropped_ = true;
      }
      row += rows;
    }
  }
}

bool ContactMotion::dropped_hold() const {
  constexpr double kSameGap = 1e-10, kSameRate = 1e-9;  // [m], [m/s] more is motion, not rounding
  if (!any_dropped_) return true;
  for (std::size_t i = 0; i < touches.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      if ((dropped_[i] >> k & 1) == 0) continue;
      if (!(std::abs(touches[i].motion.rate[k]) <= kSameRate)) return false;
      if (k == 0 && !(std::abs(touches[i].motion.gap) <= kSameGap)) return false;
    }
  return true;
}

void ContactMotion::begin_stretch() {
  in_stretch_ = true;
  code_ = nullptr;
  if (rederiver_ == nullptr) return;
  const bool named = name_set(next_key_);
  if (!named || !known_ || !(next_key_ == key_)) {
    ++paths_.changes;
    ticks_in_set_ = 0;
    known_ = named;
    dependent_set_ = false;
    key_ = next_key_;
    changed_ = std::chrono::steady_clock::now();
    taken_ = named && hold_back_ == 0 ? rederiver_->find(key_) : nullptr;
    if (taken_ != nullptr) ++paths_.hits;
  }
  code_ = taken_;
  if (code_ == nullptr) return;
  double* at = code_in_.data() + kernel_.kernel.input_size();
  for (const TouchNumbers<double>& numbers : numbers_) {
    const std::array<double, kTouchNumbers> values = flat(numbers);
    at = std::copy(values.begin(), values.end(), at);
  }
}

bool ContactMotion::run(const generate::Kernel& code, std::size_t rows, std::size_t before_health) {
  code(code_in_.data(), code_out_.data(), code_work_.data());
  const double* health = code_out_.data() + before_health;
  for (std::size_t k = 0; k < rows; ++k) {
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
  if (code_ != nullptr) {
    std::copy_n(arguments, kernel_.kernel.input_size(), code_in_.begin());
    if (run(code_->accelerations, code_->rows, n_ + nq)) {
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
  terms_.evaluate(arguments);
  evaluate_touches();
  gather_set();
  gather_accelerations(set_, terms_.view(), numbers_, motion_of_part(), scratch_.data(), system_,
                       part_force_.data());
  keep_slips();
  solve_system();

  for (std::size_t i = 0; i < n_; ++i) udot[i] = udot_[i] = system_.udot[i] + 0.0;
  for (std::size_t i = 0; i < nq; ++i) qdot[i] = terms_.qdot()[i] + 0.0;
  std::fill(row_force_.begin(), row_force_.end(), 0.0);
  for (std::size_t k = 0; k < set_.rows.size(); ++k) row_force_[set_.rows[k]] = system_.lambda[k];
  spread_forces(set_, numbers_, system_.lambda.data(), part_force_.data());
  std::fill_n(touch_force_.begin(), touches.size(), std::array<double, 3>{});
  for (std::size_t i = 0; i < set_.touches.size(); ++i) touch_force_[touch_of_part_[i]] = part_force_[i];
}

void ContactMotion::solve_system() {
  std::copy_n(system_.udot.begin(), n_, udot_.begin());
  system_.solve();
  redundant_ = false;
  solved_ = true;
  for (std::size_t k = 0; k < system_.m; ++k)
    if (!(std::abs(system_.health[k]) > kLeastHealth)) redundant_ = true;
  if (redundant_) solve_dependent();
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

void ContactMotion::fill_rows(bool positions, std::vector<double>& error) {
  gather_set();
  gather_errors(set_, positions ? Level::position : Level::velocity, terms_.view(), motion_of_part(),
                scratch_.data(), system_, error.data());
}

void ContactMotion::smallest_step(const std::vector<double>& error) {
  ask_for_smallest_step(error.data(), system_);
  solve_system();
}

/// The errors of the rows in error_ and the smallest step against them in step_, by the set's code or by the
/// general path; the number of rows. Signs of zeros are one.
std::size_t ContactMotion::errors_and_step(Level level, double t, const double* q, const double* u) {
  const bool positions = level == Level::position;
  if (code_ != nullptr) {
    const std::size_t rows = positions ? code_->position_rows : code_->rows;
    code_in_[0] = t;
    std::copy_n(q, q_before_.size(), code_in_.begin() + 1);
    std::copy_n(u, n_, code_in_.begin() + 1 + static_cast<std::ptrdiff_t>(q_before_.size()));
    if (run(positions ? code_->position : code_->velocity, rows, rows + n_)) {
      std::copy_n(code_out_.begin(), rows, error_.begin());
      for (std::size_t i = 0; i < n_; ++i) step_[i] = code_out_[rows + i] + 0.0;
      return rows;
    }
  }
  terms_.evaluate(t, q, u);
  evaluate_touches();
  fill_rows(positions, error_);
  const std::size_t rows = system_.m;
  if (!(largest(error_, rows) > kHeld)) return rows;
  smallest_step(error_);
  for (std::size_t i = 0; i < n_; ++i) step_[i] = system_.udot[i] + 0.0;
  return rows;
}

double ContactMotion::settle_position(double t, double* q) {
  double before = 0.0;
  for (int iteration = 0;; ++iteration) {
    const std::size_t rows = errors_and_step(Level::position, t, q, rest_.data());
    const double error = largest(error_, rows);
    if (!(error > kHeld)) return error;
    if (iteration > 0 && !(error < 0.5 * before)) {  // rounding is reached, or nothing helps
      if (error < before) return error;
      std::copy(q_before_.begin(), q_before_.end(), q);
      return before;
    }
    if (iteration == kMostNewtonSteps) return error;
    before = error;
    std::copy_n(q, q_before_.size(), q_before_.begin());
    displacement_.apply(t, q, step_.data());
  }
}

double ContactMotion::part(double t, double* q) {
  double given = 0.0;
  for (int iteration = 0; iteration < kMostNewtonSteps; ++iteration) {
    const std::size_t rows = errors_and_step(Level::position, t, q, rest_.data());
    if (!(largest(error_, rows) > kHeld)) break;
    terms_.evaluate(t, q, rest_.data());
    for (std::size_t i = 0; i < n_; ++i) given -= terms_.Q()[i] * step_[i];
    displacement_.apply(t, q, step_.data());
  }
  return given;
}

void ContactMotion::settle_velocity(double t, const double* q, double* u) {
  double fastest = 1.0;
  for (std::size_t i = 0; i < n_; ++i) fastest = std::max(fastest, std::abs(u[i]));
  for (int iteration = 0; iteration < kMostVelocitySteps; ++iteration) {
    const std::size_t rows = errors_and_step(Level::velocity, t, q, u);
    if (!(largest(error_, rows) > kHeld * fastest)) return;
    for (std::size_t i = 0; i < n_; ++i) u[i] += step_[i];
  }
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
