#include <tactus/simulate/constraints/assembler.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/simulate/constraints/branches.h>
#include <tactus/simulate/motion/displacement.h>

namespace tactus::simulate {

namespace {

/// Constraints closer than this [m, rad] are met to rounding.
constexpr double kMet = 1e-13;
/// Where rounding of long mechanisms stops the iteration earlier, errors below this are still met.
constexpr double kMetEnough = 1e-10;
constexpr int kMostSteps = 150;
/// A step moves no coordinate further than this [m, rad].
constexpr double kLongestStep = 0.7;
/// mu, far from the solution; it falls with the square of the errors.
constexpr double kMostDamping = 1e-2;
constexpr int kMostHalvings = 40;
/// From so many speeds on, steps go by the entries that rows have.
constexpr std::size_t kManySpeeds = 64;
/// mu from which on the products of rows may be used: the steps have half of all digits then.
constexpr double kLeastProducts = 1e-8;
/// Below it, rows that are so far from the span of those before them (their size is about 1) need no damping.
constexpr double kWellApart = 1e-3;
/// A velocity within this part of the speeds agrees.
constexpr double kAgrees = 1e-9;
constexpr int kShakes = 24;
/// How far configurations "nearby" are [m, rad].
constexpr double kNearby = 0.02;

}  // namespace

Assembler::Assembler(const Dynamics& dynamics, const Constraints& constraints)
    : dynamics_(dynamics),
      constraints_(constraints),
      nq_(static_cast<std::size_t>(dynamics.nq())),
      nv_(static_cast<std::size_t>(dynamics.nv())),
      m_(constraints.size()),
      terms_(dynamics, constraints),
      metric_(nv_, m_),
      damped_(m_, nv_ + m_),
      kept_q_(nv_, 0),
      kept_u_(nv_, 0),
      M_(nv_ * nv_),
      A_(m_ * nv_),
      scale_(m_),
      error_(m_),
      gamma_(m_),
      M_first_(nv_),
      A_begin_(1, 0) {
  for (std::size_t i = 0; i < nv_; ++i) M_first_[i] = static_cast<std::uint32_t>(i);
  for (const Constraints::Entry& e : constraints.M_entries)
    M_first_[e.row] = std::min(M_first_[e.row], e.column);
  if (nv_ < kManySpeeds) return;
  products_.emplace(m_, nv_);
  row_.resize(nv_);
}

void Assembler::keep(const KeptSpeeds& speeds) {
  for (const int i : speeds.positions) kept_q_[static_cast<std::size_t>(i)] = 1;
  for (const int i : speeds.velocities) kept_u_[static_cast<std::size_t>(i)] = 1;
}

/// Active rows; speeds that are kept move nothing and have no inertia in common with others.
ConstrainedProblem Assembler::problem(const State& state, bool positions) {
  const std::vector<char>& kept = positions ? kept_q_ : kept_u_;
  terms_.evaluate(state.t, state.q.data(), state.u.data());
  for (const Constraints::Entry& e : constraints_.M_entries) {
    const std::size_t at = e.row * nv_ + e.column;
    M_[at] = terms_.M()[at];
  }
  if (lent_diagonal_)  // of the last place, where M has no entry of its own
    for (std::size_t i = 0; i < nv_; ++i) M_[i * nv_ + i] = terms_.M()[i * nv_ + i];
  lent_diagonal_ = false;
  for (std::size_t k = 0; k < rows_.size(); ++k)  // the rows of the last place
    each_entry(rows_[k], [&](std::size_t i) { A_[k * nv_ + i] = 0.0; });
  rows_.clear();
  A_columns_.clear();
  A_begin_.assign(1, 0);
  for (std::size_t k = 0; k < m_; ++k)
    if (constraints_.active[k] && (!positions || constraints_.rows[k].holonomic)) rows_.push_back(k);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    each_entry(rows_[k], [&](std::size_t i) {
      A_[k * nv_ + i] = kept[i] ? 0.0 : terms_.A(rows_[k])[i];
      A_columns_.push_back(static_cast<std::uint32_t>(i));
    });
    A_begin_.push_back(A_columns_.size());
    scale_[k] = constraints_.scale[rows_[k]];
    error_[k] = positions ? terms_.Phi()[rows_[k]] : terms_.velocity()[rows_[k]];
  }
  for (std::size_t i = 0; i < nv_; ++i) {
    if (!kept[i]) continue;
    for (std::size_t j = 0; j < nv_; ++j)
      if (j != i) M_[i * nv_ + j] = M_[j * nv_ + i] = 0.0;
  }
  return {nv_,           rows_.size(),   M_.data(),       terms_.Q(),        A_.data(),      gamma_.data(),
          scale_.data(), kRankTolerance, M_first_.data(), A_columns_.data(), A_begin_.data()};
}

/// Without inertia all coordinates weigh alike: a radian as much as a metre.
bool Assembler::factor_mass(const ConstrainedProblem& p) {
  if (metric_.factor_mass(p)) return true;
  for (std::size_t i = 0; i < nv_; ++i) M_[i * nv_ + i] += 1.0;
  lent_diagonal_ = true;
  return metric_.factor_mass(p);
}

bool Assembler::factor(const ConstrainedProblem& p, const char* late) {
  if (!factor_mass(p)) return false;
  metric_.factor_rows(p, late);
  return true;
}

void Assembler::damped_step(const ConstrainedProblem& p, double mu, std::vector<double>& x) {
  for (std::size_t k = 0; k < p.m; ++k) {
    double* row = damped_.zeroed_row(k);
    each_entry(rows_[k], [&](std::size_t i) { row[i] = p.A[k * nv_ + i] / p.scale[k]; });
    metric_.solve_lower(row);
    row[nv_ + k] = std::sqrt(mu);
    error_[k] /= -p.scale[k];
  }
  damped_.factor(p.m, 1e-15);
  std::fill(x.begin(), x.end(), 0.0);
  damped_.solve(error_.data(), x.data());
  damped_.times_q(x.data());
}

bool Assembler::sparse_step(const ConstrainedProblem& p, double mu, std::vector<double>& x) {
  std::fill(x.begin(), x.end(), 0.0);
  if (mu < kLeastProducts) {
    metric_.factor_rows(p);
    const math::RowFactor& rows = metric_.rows();
    double least = 1.0;
    for (std::size_t k = 0; k < rows.rank(); ++k) least = std::min(least, rows.distance(k));
    if (rows.rank() < p.m || !(least >= kWellApart)) return false;
    for (std::size_t k = 0; k < p.m; ++k) error_[k] /= -p.scale[k];
    rows.solve(error_.data(), x.data());
    rows.times_q(x.data());
    return true;
  }
  products_->clear();
  for (std::size_t k = 0; k < p.m; ++k) {
    const std::span<const std::uint32_t> columns = metric_.row(p, k, row_.data());
    products_->add(row_.data(), columns);
    for (const std::uint32_t i : columns) row_[i] = 0.0;
  }
  if (!products_->factor(mu)) return false;
  for (std::size_t k = 0; k < p.m; ++k) error_[k] /= -p.scale[k];
  products_->solve(error_.data(), x.data());
  return true;
}

double Assembler::largest_error(const State& state, bool velocity) {
  terms_.evaluate_errors(state.t, state.q.data(), state.u.data());
  const double* errors = velocity ? terms_.velocity_errors() : terms_.position_errors();
  double largest = 0.0;
  for (std::size_t k = 0; k < m_; ++k)
    if (constraints_.active[k] && !(std::abs(errors[k]) <= largest)) largest = std::abs(errors[k]);
  return largest;
}

bool Assembler::newton(State& state) {
  const auto merit_at = [&](const State& at) {
    terms_.evaluate_errors(at.t, at.q.data(), at.u.data());
    double sum = 0.0;
    for (std::size_t k = 0; k < m_; ++k) {
      if (!constraints_.active[k]) continue;
      const double e = terms_.position_errors()[k] / constraints_.scale[k];
      sum += e * e;
    }
    return sum;
  };
  std::vector<double> x(nv_ + m_), y(nv_ + m_), qdot(nq_), still(nq_), theta(nv_);
  std::vector<double> arguments(1 + nq_ + nv_), work(dynamics_.coordinate_rates.work_size());
  State moved = state;
  double merit = merit_at(state);
  for (int step = 0; step < kMostSteps; ++step) {
    const double error = largest_error(state, false);
    if (!std::isfinite(error)) return false;
    if (error <= kMet) return true;
    const ConstrainedProblem p = problem(state, true);
    if (p.m == 0) return false;
    if (!factor_mass(p)) return false;
    const double mu = std::min(kMostDamping, merit);
    if (!products_ || !sparse_step(p, mu, x)) damped_step(p, mu, x);
    metric_.solve_lower_transposed(x.data());
    for (std::size_t i = 0; i < nv_; ++i)
      if (kept_q_[i]) x[i] = 0.0;

    arguments[0] = state.t;
    std::copy(state.q.begin(), state.q.end(), arguments.begin() + 1);
    double* u = arguments.data() + 1 + nq_;
    std::fill_n(u, nv_, 0.0);
    dynamics_.coordinate_rates(arguments.data(), still.data(), work.data());
    std::copy_n(x.begin(), nv_, u);
    dynamics_.coordinate_rates(arguments.data(), qdot.data(), work.data());
    for (std::size_t i = 0; i < nq_; ++i) qdot[i] -= still[i];
    std::fill(theta.begin(), theta.end(), 0.0);
    dynamics_.coordinates.chart_rate(state.q.data(), theta.data(), qdot.data(), theta.data());
    double longest = 0.0;
    for (const double d : theta) longest = std::max(longest, std::abs(d));
    if (!(longest > 0.0) || !std::isfinite(longest)) return error <= kMetEnough;
    // x goes downhill: some part of it helps, unless rounding is reached.
    double part = std::min(1.0, kLongestStep / longest), moved_merit = merit;
    for (int halving = 0; halving < kMostHalvings; ++halving, part *= 0.5) {
      for (std::size_t i = 0; i < nv_; ++i) x[i] = part * theta[i];
      dynamics_.coordinates.displace(state.q.data(), x.data(), moved.q.data());
      moved_merit = merit_at(moved);
      if (moved_merit < merit) break;
    }
    if (!(moved_merit < merit)) return error <= kMetEnough;
    state.q = moved.q;
    merit = moved_merit;
  }
  return largest_error(state, false) <= kMetEnough;
}

bool Assembler::close(State& state, int shakes) {
  const State guess = state;
  if (newton(state)) return true;
  State best = state;
  double best_error = largest_error(state, false);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<double> theta(nv_);
  const bool keeps = std::find(kept_q_.begin(), kept_q_.end(), 1) != kept_q_.end();
  Displacement displacement(dynamics_);
  for (int shake = 0; shake < shakes; ++shake) {
    const double reach = 0.03 * std::pow(100.0, static_cast<double>(shake) / static_cast<double>(shakes));
    for (double& x : theta) x = reach * part(random);
    state = guess;
    if (keeps) {  // by speeds, of which some are kept; the chart's entries are others where joints have quaternions
      for (std::size_t i = 0; i < nv_; ++i)
        if (kept_q_[i]) theta[i] = 0.0;
      displacement.apply(state.t, state.q.data(), theta.data(), 1.0);
    } else {
      dynamics_.coordinates.displace(guess.q.data(), theta.data(), state.q.data());
    }
    if (newton(state)) return true;
    const double error = largest_error(state, false);
    if (!(error < best_error)) continue;
    best = state;
    best_error = error;
  }
  state = best;
  return false;
}

bool Assembler::agree(State& state) {
  const ConstrainedProblem p = problem(state, false);
  if (p.m == 0) return true;
  if (!factor(p)) return false;
  std::vector<double> du(nv_);
  metric_.smallest_step(error_.data(), du.data());
  double fastest = 1.0;
  for (std::size_t i = 0; i < nv_; ++i) {
    if (!kept_u_[i]) state.u[i] -= du[i];
    fastest = std::max(fastest, std::abs(state.u[i]));
  }
  return largest_error(state, true) <= kAgrees * fastest;
}

bool Assembler::choose_branch(State& state, double& lost) {
  problem(state, false);  // for the rows
  Branches branches(dynamics_, constraints_);
  const Branches::Outcome outcome =
      branches.settle(state.t, state.q.data(), state.u.data(), rows_, kept_u_.data());
  lost = outcome.lost;
  return outcome.found;
}

AssemblyReport Assembler::inspect(const State& state, bool look_nearby) {
  AssemblyReport report;
  report.redundant.assign(m_, 0);
  report.position_error = largest_error(state, false);
  report.velocity_error = largest_error(state, true);
  const std::vector<char> kept_q = kept_q_, kept_u = kept_u_;
  for (std::vector<char>* kept : {&kept_q_, &kept_u_}) std::fill(kept->begin(), kept->end(), char{0});
  const auto rank_at = [&](const State& at, std::vector<char>* redundant) {
    const ConstrainedProblem p = problem(at, false);
    // Rows without a position level come last: a position row that only they imply would not be held.
    std::vector<char> late(p.m);
    for (std::size_t k = 0; k < p.m; ++k) late[k] = constraints_.rows[rows_[k]].holonomic ? 0 : 1;
    if (!factor(p, late.data())) return std::size_t{0};
    const math::RowFactor& rows = metric_.rows();
    if (redundant)
      for (std::size_t k = rows.rank(); k < p.m; ++k) (*redundant)[rows_[rows.order(k)]] = 1;
    return rows.rank();
  };
  report.rank = rank_at(state, &report.redundant);
  report.freedoms = static_cast<int>(nv_ - report.rank);
  std::map<int, bool> whole;
  for (std::size_t k = 0; k < m_; ++k) {
    if (!constraints_.active[k]) continue;
    if (report.redundant[k]) report.redundant_rows.push_back(constraints_.rows[k].label);
    const auto [entry, is_new] = whole.try_emplace(constraints_.rows[k].constraint, true);
    entry->second = entry->second && report.redundant[k];
  }
  for (const auto& [constraint, redundant] : whole)
    if (redundant)
      report.redundant_constraints.push_back(constraints_.names[static_cast<std::size_t>(constraint)]);
  report.rank_nearby = report.rank;
  if (look_nearby) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    std::vector<double> theta(nv_);
    for (int look = 0; look < 4; ++look) {
      State near = state;
      for (double& x : theta) x = kNearby * part(random);
      dynamics_.coordinates.displace(state.q.data(), theta.data(), near.q.data());
      if (newton(near)) report.rank_nearby = std::max(report.rank_nearby, rank_at(near, nullptr));
    }
  }
  report.singular = report.rank_nearby > report.rank;
  kept_q_ = kept_q;
  kept_u_ = kept_u;
  return report;
}

std::string Assembler::errors_by_name(const State& state, bool velocity) {
  terms_.evaluate_errors(state.t, state.q.data(), state.u.data());
  const double* errors = velocity ? terms_.velocity_errors() : terms_.position_errors();
  std::vector<std::pair<double, int>> worst;
  for (std::size_t c = 0; c < constraints_.names.size(); ++c) {
    double largest = 0.0;
    for (std::size_t k = 0; k < m_; ++k)
      if (constraints_.active[k] && constraints_.rows[k].constraint == static_cast<int>(c) &&
          !(std::abs(errors[k]) <= largest))
        largest = std::abs(errors[k]);
    if (!(largest <= (velocity ? kAgrees : kMetEnough))) worst.emplace_back(largest, static_cast<int>(c));
  }
  std::sort(worst.rbegin(), worst.rend());
  std::string text;
  for (const auto& [error, c] : worst)
    text +=
        std::isfinite(error)
            ? fmt::format("{}`{}` is off by {:.3g}", text.empty() ? "" : ", ",
                          constraints_.names[static_cast<std::size_t>(c)], error)
            : fmt::format(
                  "{}`{}` has no value there (its contact point cannot be found: the surface has no "
                  "normal or no curvature at it, is hollow there or narrower than what rolls in it; or its "
                  "formula has none)",
                  text.empty() ? "" : ", ", constraints_.names[static_cast<std::size_t>(c)]);
  return text;
}

KeptSpeeds kept_speeds(const describe::Model& model, const describe::InitialMarks& marks) {
  using Mark = describe::InitialMarks::Mark;
  KeptSpeeds kept;
  const auto is_fixed = [&](std::size_t coordinate) {
    return coordinate < marks.q.size() && marks.q[coordinate] == Mark::fixed;
  };
  std::size_t coordinate = 0;
  int speed = 0;
  for (const describe::Joint& joint : model.joints) {
    const auto count = static_cast<std::size_t>(describe::coordinate_count(joint.type));
    const auto keep = [&](int first, int number) {
      for (int i = 0; i < number; ++i) kept.positions.push_back(speed + first + i);
    };
    if (describe::has_quaternion(joint.type)) {
      bool orientation = false, position = false;
      for (std::size_t i = 0; i < count; ++i)
        (i + 4 < count ? position : orientation) |= is_fixed(coordinate + i);
      if (orientation) keep(0, 3);
      if (position) keep(3, 3);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        if (is_fixed(coordinate + i)) keep(static_cast<int>(i), 1);
    }
    coordinate += count;
    speed += static_cast<int>(joint.axes.size());
  }
  for (std::size_t i = 0; i < marks.u.size(); ++i)
    if (marks.u[i] == Mark::fixed) kept.velocities.push_back(static_cast<int>(i));
  return kept;
}

std::vector<InitialChange> changes_between(const describe::Model& model, const describe::InitialMarks& marks,
                                           const State& before, const State& after) {
  using Mark = describe::InitialMarks::Mark;
  std::vector<InitialChange> changes;
  const auto compare = [&](bool is_speed, const std::vector<std::string>& names,
                           const std::vector<Mark>& said, const std::vector<double>& from,
                           const std::vector<double>& to) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (from[i] != to[i])
        changes.push_back({names[i], is_speed, i < said.size() && said[i] != Mark::open, from[i], to[i]});
  };
  compare(false, model.coordinate_names(), marks.q, before.q, after.q);
  compare(true, model.speed_names(), marks.u, before.u, after.u);
  return changes;
}

State assemble(const Dynamics& dynamics, State guess, const std::vector<int>& kept, AssemblyReport* report) {
  return assemble_keeping(dynamics, std::move(guess), {kept, kept}, report);
}

State assemble_keeping(const Dynamics& dynamics, State guess, const KeptSpeeds& kept,
                       AssemblyReport* report) {
  if (report) *report = {};
  if (!dynamics.constraints) {
    if (report) report->freedoms = dynamics.nv();
    return guess;
  }
  Assembler assembler(dynamics, *dynamics.constraints);
  assembler.keep(kept);
  State state = std::move(guess);
  if (!assembler.close(state, kShakes))
    throw InputError(
        {},
        fmt::format("the mechanism cannot be assembled{}: at best, {}",
                    kept.positions.empty() ? "" : " with the coordinates that are to be kept",
                    assembler.errors_by_name(state, false)),
        "check lengths and placements of these constraints, or give a better guess of the coordinates");
  if (!assembler.agree(state))
    throw InputError({},
                     fmt::format("no velocity satisfies all constraints here{}: at best, {}",
                                 kept.velocities.empty() ? "" : " with the speeds that are to be kept",
                                 assembler.errors_by_name(state, true)),
                     kept.velocities.empty() ? "constraints that prescribe motions contradict each other"
                                             : "leave one of the fixed speeds open, or mend its value");
  double lost = 0.0;
  if (!assembler.choose_branch(state, lost))
    throw InputError(
        {},
        "no motion begins in this singular configuration with these speeds: the accelerations that the "
        "constraints demand contradict each other",
        "start a little away from it, or with other speeds");
  if (report) {
    *report = assembler.inspect(state, true);
    report->velocity_lost = lost;
  }
  return state;
}

}  // namespace tactus::simulate
