#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <tactus/base/check.h>
#include <tactus/math/dot.h>
#include <tactus/simulate/integrators/passive_balance.h>
#include <tactus/simulate/integrators/passive_matrix.h>
#include <tactus/simulate/integrators/passive_rows.h>
#include <tactus/simulate/integrators/passive_step.h>
#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

namespace {

// Passive by construction: the change of kinetic and potential energy in a step is the work of what acts from outside, less
// the losses of dampers, to rounding, whatever the step. The scheme is the implicit midpoint rule with the mean M of the mass
// matrices at both ends, and one more number a, which the balance of energy determines:
//
//   M (u1 - u0) = h Q(q_m, u_m) + A(q_m)^T lambda - a M u_m,      u_m = (u0 + u1)/2,  q_m half way from q0 to q1
//   q1 = q0 (+) h W(q_m) u_m, moved onto the constraints;         A(q1) u1 + c(q1) = 0
//
// Multiplied by u_m the equation tells the change of the kinetic energy T but for u_m . M (u1 - u0) - (T1 - T0), which is of
// third order in h, as are the differences between the works of forces at the midpoint and those that count:
//
//   potential      V1 - V0             instead of       h u_m . g(q_m)
//   ports          F . (x1 - x0)                        h F . v(q_m, u_m)
//   constraints    0                                    lambda . A(q_m) u_m,       but for rows that move by themselves
//
// a u_m . M u_m is their sum, so that a is of second order: the step stays one of second order. What a does along the motion is
// what a discrete gradient does [Gonzalez1996]; what acts at the ports sees a mechanism that stores and burns, and never gives more
// [KimLee2017].
//
// The equation is solved by Newton's method with one matrix J per step, which generated code makes (passive_matrix.h). The same matrix, at the solution, says how the end of the step answers a force
// that is held through it, J du1 = h F, springs and dampers in it: contacts ask for it (contact/mechanism/pressed_contacts.h). The residual takes no matrix:
// M du and M u_m are momenta, which recursions give (derive/linear/midpoint_terms.h). passive_balance.h has a, passive_rows.h the rows.
//
// Where a motion turns back u_m is zero within the step, and no a balances it. There a is left out, and what the midpoint rule alone leaves of the balance, E, is
// taken from the speeds at the end, all by one factor: T1 becomes T1 - E. E is of third order, too.
//
// Rounding of a step, and what moving its end onto the constraints changes, would add up from step to step as a random walk does. What the energy is, less what the books
// say that it should be, is therefore part of the next balance.
constexpr int kMostIterations = 30, kMatrixServes = 8;
// How far the speeds may go in a step, by what the accelerations where it begins make of them and by the speeds themselves.
constexpr double kFar = 4.0, kFarMoving = 0.01;
// A step whose equations cannot be solved is made as two of half its length, so often: each of them is balanced by itself.
constexpr int kMostHalvings = 6;
// Changes of the speeds, by their size: below this all is rounding.
constexpr double kSolved = 1e-16;
// Where they no longer shrink, a change du may do so much to the energy in play, by u . M du and by du . M du: rounding of energies,
// seen through a small speed, is a large part of it.
constexpr double kGoodEnough = 2e-13, kSmall = 1e-20;
// What the books and the energy may differ by where a step begins, by the energies: beyond that somebody has moved the mechanism, or contacts have taken energy.
constexpr double kLeftOver = 2e-12;
// Of the rounding of what forces do, where hardly anything moves: the kinetic energy of a change that nobody sees.
constexpr double kUnseen = 1e-10;

// [m] Of the least part that is held at both its ends. Places far from the origin are rounded by eps |q|: that turns it by eps |q|/kLeastPart, and speeds in its axes
// with it. Iterations find no better ones, however often they look: a platform that fell 600 km looks in another direction by 1e-9 rad every time.
constexpr double kLeastPart = 0.1;

// The same by what Newton's first iteration says.
constexpr double kNearFirst = 0.5;

/// Where the iteration begins. With the speeds that somebody expects; by the accelerations where the step begins: Euler's step; with the speeds as they are, where that fails: what stiff
/// springs give to light bodies leads far away in a long step.
enum class Guess { expected, by_accelerations, straight_on };

std::size_t rows_of(const Chart& chart) {
  return chart.constraints() != nullptr ? chart.constraints()->constraints().size() : 0;
}

class PassiveStepper final : public Stepper {
 public:
  explicit PassiveStepper(const Chart& chart)
      : kernels_(*chart.dynamics().passive),
        n_(static_cast<std::size_t>(chart.dynamics().nv())),
        nq_(static_cast<std::size_t>(chart.dynamics().nq())),
        m_(rows_of(chart)),
        step_(n_, nq_, m_),
        matrix_(chart),
        rows_(chart),
        rate_(static_cast<std::size_t>(chart.size())),
        qdot_(nq_),
        forces_(kernels_.forces.output_size()),
        start_momenta_(2 * n_),
        end_momenta_(2 * n_),
        residual_(n_),
        change_(n_),
        lambda_change_(m_),
        no_rates_(m_),
        first_change_(n_),
        expected_speeds_(n_),
        in_(1 + nq_ + 2 * n_),
        arguments0_(1 + nq_ + n_),
        arguments1_(arguments0_.size()),
        work_(std::max({kernels_.forces.work_size(), kernels_.momenta.work_size(),
                        kernels_.potential.work_size(), chart.dynamics().coordinate_rates.work_size()})),
        start_(static_cast<std::size_t>(chart.size())),
        centre_(chart.centre_size()) {}

  EnergyBooks books() const override { return books_; }
  void reset() override {
    books_ = {0.0, 0.0};
    last_ = {};
  }
  std::size_t memory() const override { return 6; }
  void save(double* memory) const override {
    memory[0] = books_.work;
    memory[1] = books_.loss;
    memory[2] = last_.kinetic;
    memory[3] = last_.potential;
    memory[4] = last_.gain;
    memory[5] = last_.carried;
  }
  void load(const double* memory) override {
    books_ = {memory[0], memory[1]};
    last_ = {memory[2], memory[3], memory[4], memory[5]};
  }

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    start_.assign(z.begin(), z.end());
    const EnergyBooks before = books_;
    const LastStep last = last_;
    Status status = one_step(chart, t, h, z);
    whole_ = status.ok();
    expecting_ = false;
    matrix_is_of_solution_ = false;
    for (int halvings = 1; !status.ok() && halvings <= kMostHalvings; ++halvings) {
      books_ = before;
      last_ = last;
      chart.save_centre(centre_.data());
      std::copy(start_.begin(), start_.end(), z.begin());
      const long parts = 1L << halvings;
      const double part = h / static_cast<double>(parts);
      status = {};
      for (long k = 0; k < parts && status.ok(); ++k) {
        if (k > 0) status |= chart.settle(t + static_cast<double>(k) * part, z);
        if (status.ok()) status |= one_step(chart, t + static_cast<double>(k) * part, part, z);
      }
      if (!status.ok()) chart.load_centre(centre_.data());
    }
    if (!status.ok()) {
      books_ = before;
      last_ = last;
    }
    return status;
  }

  void expect(const double* u) override {
    std::copy_n(u, n_, expected_speeds_.begin());
    expecting_ = true;
  }
  /// J du = h force, with the constraints' rows held.
  bool respond(Chart& chart, const double* force, double* change) override {
    if (!whole_ || !(matrix_is_of_solution_ || m_ > 0 || fill_at_solution(chart))) return false;
    for (std::size_t i = 0; i < n_; ++i) residual_[i] = -step_.h * force[i];
    matrix_.solve(residual_.data(), no_rates_.data(), change, lambda_change_.data());
    return true;
  }

 private:
  /// J that served the iterations may be that of its first guess, which stiff springs put far away. The chart has gone on: it is taken back for a moment.
  bool fill_at_solution(Chart& chart) {
    chart.save_centre(centre_.data());
    chart.load_centre(arguments0_.data() + 1);
    look_at_speeds();
    look_at_middle(chart);
    matrix_is_of_solution_ = look_at_end(chart, false);
    if (matrix_is_of_solution_) matrix_.fill(chart, step_, true);
    chart.load_centre(centre_.data());
    matrix_is_of_solution_ = matrix_is_of_solution_ && matrix_.factor();
    return matrix_is_of_solution_;
  }

  Status one_step(Chart& chart, double t, double h, std::span<double> z) {
    Status status;
    for (const Guess guess : {Guess::expected, Guess::by_accelerations, Guess::straight_on})
      for (const bool by_end_speeds : {false, true}) {
        if (guess == Guess::expected && !expecting_) continue;
        status = attempt(chart, t, h, z, guess, by_end_speeds);
        if (status.ok()) return status;
      }
    return status;
  }

  Status attempt(Chart& chart, double t, double h, std::span<double> z, Guess guess, bool by_end_speeds) {
    const Status begun = begin(chart, t, h, z, guess);
    if (!begun.ok()) return begun;
    BalancingNumber a;
    double before = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      const bool fresh = iteration % kMatrixServes == 0;
      look_at_speeds();
      look_at_middle(chart);
      if (!look_at_end(chart, iteration == 0)) return Status::not_converged;
      if (fresh) {
        matrix_.fill(chart, step_);
        if (!matrix_.factor()) return Status::not_converged;
      }
      if (m_ > 0 && (fresh || rows_.across())) matrix_.set_rows(rows_.size(), rows_.middle(), rows_.end());
      look_at_energies(chart);
      const PassiveBalance balance = balance_of(step_, rows_, by_end_speeds);
      const double size = improve(a.next(balance.a));
      if (iteration == 0)
        for (std::size_t i = 0; i < n_; ++i) first_change_[i] = step_.du[i] + change_[i];
      if (!std::isfinite(size)) return Status::not_converged;
      const bool solved = size <= kSolved || (size >= 0.5 * before && is_good_enough(balance));
      if (!solved) {
        before = size;
        continue;
      }
      const bool near =
          is_near() || (guess == Guess::by_accelerations ? is_near_later(chart, z) : is_near_first());
      if (!balance.slight || !near) return Status::not_converged;
      const double factor = by_end_speeds ? balancing_factor(balance, step_, rows_) : 1.0;
      if (!(factor > 0.0)) return Status::not_converged;
      std::copy(step_.theta.begin(), step_.theta.end(), z.begin());
      for (std::size_t i = 0; i < n_; ++i) z[n_ + i] = factor * step_.u1[i];
      books_.work += balance.work;
      books_.loss += balance.loss;
      last_ = {step_.T0, step_.V0, balance.work - balance.loss, step_.carried};
      return {};
    }
    return Status::not_converged;
  }

  /// The energies where the step begins, and a first guess of its end.
  Status begin(Chart& chart, double t, double h, std::span<const double> z, Guess guess) {
    step_.t = t;
    step_.h = h;
    const std::vector<double>& q0 = chart.workspace().q0;
    std::copy_n(z.begin() + static_cast<std::ptrdiff_t>(n_), n_, step_.u0.begin());
    place(arguments0_, t, q0.data(), step_.u0.data());
    kernels_.potential(arguments0_.data(), &step_.V0, work_.data());
    chart.slope(t, z.data(), rate_.data());
    const double* udot = rate_.data() + n_;
    for (std::size_t i = 0; i < n_; ++i) {
      const double du = guess == Guess::by_accelerations ? h * udot[i]
                        : guess == Guess::expected       ? expected_speeds_[i] - step_.u0[i]
                                                         : 0.0;
      step_.u1[i] = step_.u0[i] + du;
      step_.theta[i] = h * (rate_[i] + 0.5 * du);
      if (!std::isfinite(step_.u1[i])) return Status::not_finite;
    }
    momenta(t, q0.data(), udot, step_.u0.data(), start_momenta_);
    step_.T0 = 0.5 * math::dot(step_.u0.data(), start_momenta_.data() + n_, n_);
    expected_ = h * h * math::dot(udot, start_momenta_.data(), n_);
    // By differences: the energies themselves would be rounded in every step.
    step_.carried = last_.carried + ((step_.T0 - last_.kinetic) + (step_.V0 - last_.potential) - last_.gain);
    if (!(std::abs(step_.carried) <= kLeftOver * (step_.T0 + std::abs(step_.V0)))) step_.carried = 0.0;
    std::fill(step_.lambda.begin(), step_.lambda.end(), 0.0);
    rows_.begin();
    matrix_.begin(chart, t);
    return {};
  }

  void look_at_speeds() {
    for (std::size_t i = 0; i < n_; ++i) {
      step_.mean[i] = 0.5 * (step_.u0[i] + step_.u1[i]);
      step_.du[i] = step_.u1[i] - step_.u0[i];
    }
  }

  /// Forces and powers at q_m, u_m; theta to the end.
  void look_at_middle(Chart& chart) {
    Workspace& w = chart.workspace();
    const Coordinates& coordinates = chart.dynamics().coordinates;
    *w.t = step_.t + 0.5 * step_.h;
    std::copy(step_.mean.begin(), step_.mean.end(), w.u);
    // Where these speeds lead, first seen from where those before led: forces must be of the same place as the matrix takes them to be. A place that lags by an iteration never settles with
    // stiff springs: the errors of three in a row obey e_k+1 = e_k - e_k-1.
    for (int look = 0; look < 2; ++look) {
      for (std::size_t i = 0; i < n_; ++i) step_.half[i] = 0.5 * step_.theta[i];
      coordinates.displace(w.q0.data(), step_.half.data(), w.q);
      chart.dynamics().coordinate_rates(w.arguments.data(), qdot_.data(), work_.data());
      coordinates.chart_rate(w.q, step_.half.data(), qdot_.data(), step_.theta.data());
      for (double& x : step_.theta) x *= step_.h;
    }
    chart.loads_at_workspace();
    kernels_.forces(w.arguments.data(), forces_.data(), work_.data());
    std::copy_n(forces_.begin(), n_, step_.Q.begin());
    step_.outside_power = forces_[kernels_.outside];
    step_.loss_power = forces_[kernels_.loss];
    step_.port_power = chart.outside_power(w.arguments.data());
    const std::span<const double> efforts = chart.efforts();
    step_.pushing = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      step_.pushing += std::abs(step_.Q[i]) + std::abs(efforts[i]) + std::abs(w.tau[i] - efforts[i]);
  }

  /// q1, on the constraints, and their rows; false where these cannot be had.
  bool look_at_end(Chart& chart, bool first) {
    chart.dynamics().coordinates.displace(chart.workspace().q0.data(), step_.theta.data(), step_.q1.data());
    if (m_ == 0) return true;
    if (!rows_.end_across()) chart.constraints()->hold_position(step_.t + step_.h, step_.q1.data());
    return rows_.look(chart, step_, first);
  }

  /// Momenta and energies at both ends.
  void look_at_energies(Chart& chart) {
    const double *du = step_.du.data(), *mean = step_.mean.data();
    momenta(step_.t, chart.workspace().q0.data(), du, mean, start_momenta_);
    momenta(step_.t + step_.h, step_.q1.data(), du, mean, end_momenta_);
    step_.T1 = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      step_.M0_du[i] = start_momenta_[i];
      step_.M_du[i] = 0.5 * (start_momenta_[i] + end_momenta_[i]);
      step_.M_mean[i] = 0.5 * (start_momenta_[n_ + i] + end_momenta_[n_ + i]);
      step_.T1 += 0.5 * step_.u1[i] * (end_momenta_[n_ + i] + 0.5 * end_momenta_[i]);
    }
    place(arguments1_, step_.t + step_.h, step_.q1.data(), step_.u1.data());
    kernels_.potential(arguments1_.data(), &step_.V1, work_.data());
    step_.port_work = chart.outside_work(arguments0_.data(), arguments1_.data());
  }

  /// A step of Newton's method for u1 and lambda; the size of the change, by the speeds.
  double improve(double a) {
    for (std::size_t i = 0; i < n_; ++i)
      residual_[i] = step_.M_du[i] - step_.h * step_.Q[i] + a * step_.M_mean[i];
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const double* A = rows_.middle() + k * n_;
      for (std::size_t i = 0; i < n_; ++i) residual_[i] -= A[i] * step_.lambda[k];
    }
    matrix_.solve(residual_.data(), rows_.end_rates(), change_.data(), lambda_change_.data());
    for (std::size_t k = 0; k < rows_.size(); ++k) step_.lambda[k] += lambda_change_[k];
    double largest = 0.0, fastest = 1e-300;
    for (std::size_t i = 0; i < n_; ++i) {
      step_.u1[i] += change_[i];
      if (!std::isfinite(step_.u1[i])) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, std::abs(change_[i]));
      fastest = std::max(fastest, std::abs(step_.u1[i]) + std::abs(step_.u0[i]));
    }
    return largest / fastest;
  }

  /// Whether what the last change does to the kinetic energy is rounding.
  bool is_good_enough(const PassiveBalance& balance) {
    const double first = std::abs(math::dot(change_.data(), step_.M_mean.data(), n_));
    if (!(first <= kGoodEnough * balance.terms + kBalanced * step_.pushing)) return false;
    momenta(step_.t + step_.h, step_.q1.data(), change_.data(), change_.data(), end_momenta_);
    const double second = math::dot(change_.data(), end_momenta_.data(), n_);
    const double turned = turned_by_rounding();
    return second <= kSmall * balance.terms + kUnseen * kBalanced * step_.pushing +
                         turned * turned * (step_.T0 + step_.T1);
  }

  /// [rad] See kLeastPart.
  double turned_by_rounding() const {
    double farthest = 0.0;
    for (const double q : step_.q1) farthest = std::max(farthest, std::abs(q));
    return std::numeric_limits<double>::epsilon() * farthest / kLeastPart;
  }

  /// Whether the solution is the one that belongs to the accelerations where the step began: equations that are not linear have
  /// others. None is meant where hardly anything moves: there the accelerations themselves are rounding, of forces that cancel.
  bool is_near() const {
    const double away = math::dot(step_.du.data(), step_.M0_du.data(), n_);
    return is_still(step_) || away <= kFar * kFar * (expected_ + kFarMoving * 2.0 * step_.T0);
  }

  /// The same by the accelerations that what acts gives later in the step: forces may begin from nothing.
  bool is_near_later(Chart& chart, std::span<const double> z) {
    for (const double part : {0.5, 1.0}) {
      chart.slope(step_.t + part * step_.h, z.data(), rate_.data());
      const double* udot = rate_.data() + n_;
      momenta(step_.t, chart.workspace().q0.data(), udot, udot, start_momenta_);
      expected_ = step_.h * step_.h * math::dot(udot, start_momenta_.data(), n_);
      if (is_near()) return true;
    }
    return false;
  }

  /// The same by Newton's first iteration, where it did not begin with the accelerations: that is the answer of springs and dampers that are linear. The stiffest turn all speeds round in a
  /// step, also where they are relaxed and give no acceleration.
  bool is_near_first() {
    for (std::size_t i = 0; i < n_; ++i) change_[i] = step_.du[i] - first_change_[i];
    momenta(step_.t, arguments0_.data() + 1, change_.data(), first_change_.data(), start_momenta_);
    const double off = math::dot(change_.data(), start_momenta_.data(), n_);
    return off <= kNearFirst * kNearFirst * math::dot(first_change_.data(), start_momenta_.data() + n_, n_);
  }

  /// M(q) a, M(q) b
  void momenta(double t, const double* q, const double* a, const double* b, std::vector<double>& result) {
    in_[0] = t;
    std::copy_n(q, nq_, in_.data() + 1);
    std::copy_n(a, n_, in_.data() + 1 + nq_);
    std::copy_n(b, n_, in_.data() + 1 + nq_ + n_);
    kernels_.momenta(in_.data(), result.data(), work_.data());
  }

  void place(std::vector<double>& arguments, double t, const double* q, const double* u) const {
    arguments[0] = t;
    std::copy_n(q, nq_, arguments.data() + 1);
    std::copy_n(u, n_, arguments.data() + 1 + nq_);
  }

  const PassiveTerms& kernels_;
  std::size_t n_, nq_, m_;
  PassiveStep step_;
  PassiveMatrix matrix_;
  PassiveRows rows_;
  std::vector<double> rate_, qdot_, forces_;
  std::vector<double> start_momenta_, end_momenta_;  // [2 nv]
  std::vector<double> residual_, change_, lambda_change_;
  std::vector<double> no_rates_;         // [rows] zero
  std::vector<double> first_change_;     // [nv] of the speeds, after Newton's first iteration
  std::vector<double> expected_speeds_;  // [nv] at the end of the step
  bool expecting_ = false;
  // The last step was made in one, and matrix_ is that of its solution.
  bool whole_ = false, matrix_is_of_solution_ = false;
  std::vector<double> in_, arguments0_, arguments1_, work_;
  std::vector<double> start_, centre_;
  EnergyBooks books_{0.0, 0.0};
  /// [J] The energies where the last step began, what it should have added to them, and what it carried; not known at first.
  struct LastStep {
    double kinetic = std::numeric_limits<double>::infinity(), potential = 0.0, gain = 0.0, carried = 0.0;
  };
  LastStep last_;
  double expected_ = 0.0;  // [J] twice the kinetic energy of the change that the first accelerations make
};

}  // namespace

std::unique_ptr<Stepper> make_passive(const Chart& chart, Tolerances) {
  TACTUS_CHECK(chart.dynamics().passive != nullptr);
  return std::make_unique<PassiveStepper>(chart);
}

}  // namespace tactus::simulate
