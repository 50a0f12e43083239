#include <tactus/control/arm/projected.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/control/arm/rank_svd.h>
#include <tactus/control/arm/row_space.h>

namespace tactus::control {

namespace {

/// Singular values below this part of the largest are none.
constexpr double kRank = 1e-9;

derive::Equations equations_of(const describe::Model& model) {
  if (model.constraints.empty())
    throw InputError({model.file}, fmt::format("model `{}` has no constraints", model.name),
                     "an arm without constraints is controlled by its own laws: see docs/control.md");
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates)
    throw InputError({model.file}, fmt::format("model `{}` defines speeds of its own", model.name),
                     "leave out `speeds`");
  derive::Equations equations(model);
  if (equations.nq() != equations.nv())
    throw InputError({model.file},
                     fmt::format("model `{}` has joints with more coordinates than speeds", model.name),
                     "describe spherical and free joints by revolute and prismatic ones");
  return equations;
}

/// The row of a constraint that is off, by its label.
std::size_t led_row(const derive::Equations& equations, const std::string& name) {
  const describe::Model& model = equations.model();
  std::vector<std::string> possible = model.coordinate_names();
  const std::vector<derive::ConstraintRow>& rows = equations.constraint_rows();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const bool active = model.constraints[static_cast<std::size_t>(rows[row].constraint)].active;
    if (rows[row].label == name) {
      if (active)
        throw InputError({model.file}, fmt::format("`{}` is a constraint that is on: it cannot be led", name),
                         "give it `active: false`, or lead something else");
      if (!rows[row].holonomic)
        throw InputError({model.file},
                         fmt::format("`{}` is a constraint of speeds: it has no value to be led", name),
                         "lead an `equation`");
      return row;
    }
    if (!active && rows[row].holonomic) possible.push_back(rows[row].label);
  }
  throw InputError({model.file}, fmt::format("model `{}` has no coordinate `{}`", model.name, name),
                   fmt::format("it has {}", fmt::join(possible, ", ")));
}

}  // namespace

struct ProjectedController::Decompositions {
  RankSvd of_motion, of_forces, of_passive;
};

ProjectedController::~ProjectedController() = default;
ProjectedController::ProjectedController(ProjectedController&&) noexcept = default;
ProjectedController& ProjectedController::operator=(ProjectedController&&) noexcept = default;

ProjectedPlan ProjectedController::plan() const { return {coordinate_, passive_, active_, size_, kRank}; }

std::string_view words_of(Led led) {
  switch (led) {
    case Led::well:
      return "led";
    case Led::not_unique:
      return "the coordinates that are led do not fix the motion in this position";
    case Led::not_controllable:
      return "the joints with actuators cannot lead every motion that the constraints leave in this position";
    case Led::not_finite:
      return "the forces are no numbers";
  }
  return "";
}

ProjectedController::ProjectedController(const describe::Model& model, const ProjectedControl& control)
    : control_(control), terms_(generate::compile(equations_of(model).constrained_terms())) {
  const derive::Equations equations = equations_of(model);
  n_ = static_cast<std::size_t>(equations.nv());
  m_ = equations.constraint_rows().size();
  const std::vector<std::string> names = model.coordinate_names();
  if (control_.led.empty())
    throw InputError({model.file}, "no coordinate is to be led",
                     "name as many as the mechanism has freedoms");
  for (const std::string& name : control_.led) {
    const auto found = std::find(names.begin(), names.end(), name);
    coordinate_.push_back(found != names.end() ? static_cast<std::size_t>(found - names.begin())
                                               : n_ + led_row(equations, name));
  }
  k_ = coordinate_.size();
  for (const derive::ConstraintRow& row : equations.constraint_rows()) {
    constraint_of_.push_back(row.constraint);
    on_.push_back(model.constraints[static_cast<std::size_t>(row.constraint)].active ? 1 : 0);
  }
  const auto positive = [&](double value, const char* what, bool zero) {
    if (!(zero ? value >= 0.0 : value > 0.0) || !std::isfinite(value))
      throw InputError({model.file}, fmt::format("{} is {:g}", what, value),
                       zero ? "give zero or more" : "give a value above zero");
  };
  positive(control_.G_P, "the gain of positions", false);
  positive(control_.G_D, "the gain of rates", false);
  positive(control_.G_F, "the gain of forces", true);
  positive(control_.G_I, "the gain of forces' integrals", true);
  positive(control_.period, "the period", false);
  if (!(control_.filter > 0.0 && control_.filter <= 1.0))
    throw InputError({model.file}, fmt::format("a filter of {:g}", control_.filter),
                     "give a number above 0, at most 1");
  if (control_.share == Share::hybrid && !(control_.filter * (1.0 + control_.G_F) < 2.0))
    throw InputError({model.file},
                     fmt::format("a force loop of gain {:g} with a filter of {:g} is not stable: the "
                                 "constraints' forces answer at once, and are seen one "
                                 "sample later",
                                 control_.G_F, control_.filter),
                     fmt::format("give a filter below {:.3g}", 2.0 / (1.0 + control_.G_F)));
  if (!control_.weight.empty() && control_.weight.size() != n_)
    throw InputError({model.file}, fmt::format("{} weights for {} joints", control_.weight.size(), n_),
                     "give one for each");
  if (control_.weight.empty()) control_.weight.assign(n_, 1.0);
  for (const double weight : control_.weight) positive(weight, "a weight", false);

  std::size_t number = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      (control_.passive && axis.passive ? passive_ : active_).push_back(number);
      ++number;
    }
  if (active_.empty())
    throw InputError({model.file}, fmt::format("model `{}` has no joint with an actuator", model.name),
                     "leave out `passive: true`");
  if (control_.share == Share::hybrid && !passive_.empty())
    throw InputError({model.file}, "constraints' forces are controlled with actuators at all joints",
                     "give every joint one, or leave the forces be");
  M_ = terms_.output("M")->offset;
  Q_ = terms_.output("Q")->offset;
  A_ = terms_.output("A")->offset;
  gamma_ = terms_.output("gamma")->offset;
  Phi_ = terms_.output("Phi")->offset;
  velocity_ = terms_.output("velocity")->offset;
  in_.resize(terms_.input_size());
  out_.resize(terms_.output_size());
  work_.resize(terms_.work_size());
  space_.resize(m_ * n_);
  motion_.resize(n_);
  // The natural size of the rows: where they vanish they are nothing by it. At the start and at places around it.
  const auto is_led = [&](std::size_t row) {
    return std::find(coordinate_.begin(), coordinate_.end(), n_ + row) != coordinate_.end();
  };
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int look = 0; look < 8; ++look) {
    for (std::size_t j = 0; j < n_; ++j) in_[1 + j] = model.initial_q[j] + (look > 0 ? uniform(random) : 0.0);
    terms_(in_.data(), out_.data(), work_.data());
    for (std::size_t i = 0; i < m_ * n_; ++i)
      if (std::isfinite(out_[A_ + i]) && !is_led(i / n_)) size_ = std::max(size_, std::abs(out_[A_ + i]));
  }
  if (!(size_ > 0.0))
    throw InputError({model.file}, fmt::format("the constraints of model `{}` hold nothing", model.name),
                     "leave them out");
  const auto n = static_cast<Eigen::Index>(n_), m = static_cast<Eigen::Index>(m_),
             k = static_cast<Eigen::Index>(k_), p = static_cast<Eigen::Index>(passive_.size()),
             a = static_cast<Eigen::Index>(active_.size());
  stacked_.setZero(m + k, n);
  right_.setZero(m + k);
  ud_.setZero(n);
  tau_.setZero(n);
  nu_.setZero(m);
  weighted_.setZero(a, m);
  driven_.setZero(p, m);
  part_.setZero(std::max(a, p));
  svd_ = std::make_unique<Decompositions>(
      Decompositions{RankSvd(m + k, n), RankSvd(a, m), p > 0 ? RankSvd(p, m) : RankSvd()});
}

bool ProjectedController::hold(int constraint, bool on) noexcept {
  bool any = false;
  for (std::size_t row = 0; row < m_; ++row) {
    if (constraint_of_[row] != constraint) continue;
    if (std::find(coordinate_.begin(), coordinate_.end(), n_ + row) != coordinate_.end()) return false;
    any = true;
  }
  for (std::size_t row = 0; row < m_; ++row)
    if (constraint_of_[row] == constraint) on_[row] = on ? 1 : 0;
  return any;
}

/// tau <- tau - (I - P) M P ud*.
void ProjectedController::leave_coupling_out() noexcept {
  for (std::size_t row = 0; row < m_; ++row)
    for (std::size_t j = 0; j < n_; ++j) space_[row * n_ + j] = on_[row] != 0 ? out_[A_ + row * n_ + j] : 0.0;
  const std::size_t rank = row_space(m_, n_, kRank * size_, space_.data());
  for (std::size_t j = 0; j < n_; ++j) motion_[j] = ud_[static_cast<Eigen::Index>(j)];
  take_out(rank, n_, space_.data(), motion_.data());
  for (std::size_t r = 0; r < rank; ++r) {
    const double* b = space_.data() + r * n_;
    double along = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) along += b[i] * out_[M_ + i * n_ + j] * motion_[j];
    for (std::size_t i = 0; i < n_; ++i) tau_[static_cast<Eigen::Index>(i)] -= along * b[i];
  }
}

Led ProjectedController::force(ProjectedMemory& memory, double t, const double* q, const double* u,
                               const double* x_wanted, const double* xd_wanted, const double* xdd_wanted,
                               const double* lambda, const double* lambda_wanted, double* f) noexcept {
  std::fill_n(f, n_, 0.0);
  std::fill(in_.begin(), in_.end(), 0.0);
  in_[0] = t;
  std::copy_n(q, n_, in_.begin() + 1);
  std::copy_n(u, n_, in_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  terms_(in_.data(), out_.data(), work_.data());
  for (const double x : out_)
    if (!std::isfinite(x)) return Led::not_finite;
  const auto A = [&](std::size_t row, std::size_t j) {
    return on_[row] != 0 ? out_[A_ + row * n_ + j] : 0.0;
  };
  const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  auto& [of_motion, of_forces, of_passive] = *svd_;

  // What cannot be driven: N(A) and the passive joints' axes.
  if (!passive_.empty()) {
    for (std::size_t i = 0; i < passive_.size(); ++i)
      for (std::size_t row = 0; row < m_; ++row) driven_(at(i), at(row)) = A(row, passive_[i]);
    of_passive.compute(driven_);
    controllability_ = passive_.size() > m_
                           ? 0.0
                           : of_passive.singularValues()[of_passive.singularValues().size() - 1] / size_;
    if (!(controllability_ > kRank)) return Led::not_controllable;
  }

  for (std::size_t row = 0; row < m_; ++row) {
    for (std::size_t j = 0; j < n_; ++j) stacked_(at(row), at(j)) = A(row, j);
    right_[at(row)] = on_[row] != 0 ? out_[gamma_ + row] : 0.0;
  }
  for (std::size_t i = 0; i < k_; ++i) {
    const std::size_t c = coordinate_[i], row = c - n_;
    const bool of_joint = c < n_;
    for (std::size_t j = 0; j < n_; ++j)
      stacked_(at(m_ + i), at(j)) = of_joint ? (j == c ? 1.0 : 0.0) : out_[A_ + row * n_ + j];
    const double x = of_joint ? q[c] : out_[Phi_ + row], xd = of_joint ? u[c] : out_[velocity_ + row];
    right_[at(m_ + i)] = xdd_wanted[i] + control_.G_D * (xd_wanted[i] - xd) +
                         control_.G_P * (x_wanted[i] - x) + (of_joint ? 0.0 : out_[gamma_ + row]);
  }
  of_motion.compute(stacked_);
  const auto& s = of_motion.singularValues();
  if (m_ + k_ < n_ || !(s[s.size() - 1] > kRank * s[0])) return Led::not_unique;
  ud_.setZero();
  of_motion.add_solution(right_, kRank * s[0], ud_);
  for (std::size_t i = 0; i < n_; ++i) {
    tau_[at(i)] = -out_[Q_ + i];
    for (std::size_t j = 0; j < n_; ++j) tau_[at(i)] += out_[M_ + i * n_ + j] * ud_[at(j)];
  }

  if (control_.share == Share::hybrid) {
    if (!control_.feed_forward) leave_coupling_out();
    for (std::size_t row = 0; row < m_; ++row) {
      if (on_[row] == 0) {
        memory.error[row] = memory.integral[row] = nu_[at(row)] = 0.0;
        continue;
      }
      double& error = memory.error[row];
      error += control_.filter * (lambda_wanted[row] - lambda[row] - error);
      memory.integral[row] += control_.period * error;
      nu_[at(row)] = lambda_wanted[row] + control_.G_F * error + control_.G_I * memory.integral[row];
    }
  } else {
    // nu = nu_0 + N y: passive joints first, then the least of the others.
    nu_.setZero();
    Matrix& B = weighted_;
    for (std::size_t i = 0; i < active_.size(); ++i)
      for (std::size_t row = 0; row < m_; ++row)
        B(at(i), at(row)) = A(row, active_[i]) / control_.weight[active_[i]];
    if (!passive_.empty()) {
      for (std::size_t i = 0; i < passive_.size(); ++i) part_[at(i)] = tau_[at(passive_[i])];
      of_passive.add_solution(part_, kRank * size_, nu_);
      of_passive.take_out(kRank * size_, B);  // what would move the passive joints' forces
    }
    of_forces.compute(B);
    double least = kRank * size_;  // by the weights that B has
    for (const std::size_t joint : active_) least = std::max(least, kRank * size_ / control_.weight[joint]);
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const std::size_t joint = active_[i];
      double left = tau_[at(joint)];
      for (std::size_t row = 0; row < m_; ++row) left -= A(row, joint) * nu_[at(row)];
      part_[at(i)] = left / control_.weight[joint];
    }
    of_forces.add_solution(part_, least, nu_);
  }
  bool finite = true;
  for (std::size_t j = 0; j < n_; ++j) {
    f[j] = tau_[at(j)];
    for (std::size_t row = 0; row < m_; ++row) f[j] -= A(row, j) * nu_[at(row)];
    finite = finite && std::isfinite(f[j]);
  }
  for (const std::size_t j : passive_) f[j] = 0.0;  // to rounding they are
  if (!finite) std::fill_n(f, n_, 0.0);
  return finite ? Led::well : Led::not_finite;
}

}  // namespace tactus::control
