#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <tactus/base/check.h>
#include <tactus/math/elimination.h>
#include <tactus/simulate/constraints/crossing_limits.h>
#include <tactus/simulate/integrators/passive_terms.h>
#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

PassiveTerms::PassiveTerms(const derive::Equations& equations, generate::Backend backend)
    : terms(generate::compile(equations.constrained_terms(), backend)),
      bias(generate::compile(equations.bias(), backend)),
      without_loss(generate::compile(
          [&] {
            derive::Options options = equations.options();
            options.friction = false;
            describe::Model lossless = equations.model();
            for (auto& spring : lossless.point_springs) spring.damping = describe::Expr();
            for (auto& spring : lossless.frame_springs)
              spring.linear_damping = spring.angular_damping = describe::Expr();
            lossless.force_laws.clear();  // their work counts like that of what acts from outside
            return derive::Equations(lossless, std::move(options)).bias();
          }(),
          backend)),
      energy(generate::compile(equations.energy(), backend)),
      M(terms.output("M")->offset),
      Q(terms.output("Q")->offset),
      velocity(terms.output("velocity")->offset),
      A(terms.output("A")->offset),
      c(terms.output("c")->offset),
      potential(energy.output("potential")->offset) {}

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
// The equation is solved by Newton's method with one matrix per step, by finite differences of Q.
//
// Where a motion turns back u_m is zero within the step, and no a balances it. There a is left out, and what the midpoint rule alone leaves of the balance, E, is
// taken from the speeds at the end, all by one factor: T1 becomes T1 - E. E is of third order, too.
//
// Next to a singular configuration, at a distance d, rows say where their normals point only to (rounding)/d^2, and half way
// off the manifold not even that. There normals of the branch stand for the rows, by those on both sides (crossing.h).
constexpr int kMostIterations = 30, kMatrixServes = 8;
// What the correction may be, by the change of the speeds in the step; and a that is slight in any case.
constexpr double kSlight = 0.2, kAlwaysSlight = 1e-3;
constexpr double kSlightWork = 1e-9;  // what it does, by the energies at hand
// How far the speeds may go in a step, by what the accelerations where it begins make of them and by the speeds themselves.
constexpr double kFar = 4.0, kFarMoving = 0.01;
// What the speeds at the end may be multiplied by to balance a step, squared.
constexpr double kLeastFactor = 0.25, kMostFactor = 2.25;
// A step whose equations cannot be solved is made as two of half its length, so often: each of them is balanced by itself.
constexpr int kMostHalvings = 6;
// Changes of the speeds, by their size: below this all is rounding.
constexpr double kSolved = 1e-16;
// Where they no longer shrink, a change du may do so much to the energy in play, by u . M du and by du . M du: rounding of energies,
// seen through a small speed, is a large part of it.
constexpr double kGoodEnough = 2e-13, kSmall = 1e-20;
// Of the rounding of what forces do, where hardly anything moves: the kinetic energy of a change that nobody sees.
constexpr double kUnseen = 1e-10;
// Terms of the balance that cancel to so much of themselves are balanced: the rest is rounding.
constexpr double kBalanced = 8.0 * std::numeric_limits<double>::epsilon();
// Rows that depend on others, by their pivots.
constexpr double kRankTolerance = 1e-11;
// Normals stand for the rows where the first guess of a step comes so near to a singular configuration: what follows from it
// is then still within reach of the crossing.
constexpr double kCrossingBegins = 0.5 * kAcross;
// [of the speeds] for differences
constexpr double kNudge = 1e-7;

class PassiveStepper final : public Stepper {
 public:
  explicit PassiveStepper(const Chart& chart)
      : kernels_(*chart.dynamics().passive),
        n_(static_cast<std::size_t>(chart.dynamics().nv())),
        nq_(static_cast<std::size_t>(chart.dynamics().nq())),
        m_(chart.constraints() != nullptr ? chart.constraints()->constraints().size() : 0),
        out_(kernels_.terms.output_size()),
        end_(out_.size()),
        M0_(n_ * n_),
        M_(n_ * n_),
        matrix_(n_ * n_),
        u1_(n_),
        mean_(n_),
        theta_(n_),
        half_(n_),
        rate_(static_cast<std::size_t>(chart.size())),
        Q_(n_),
        nudged_(n_),
        h_(n_),
        lossless_(n_),
        lambda_(m_),
        right_(n_ + m_),
        change_(n_ + m_),
        middle_rows_(m_ * n_),
        end_rows_(m_ * n_),
        end_rates_(m_),
        q1_(nq_),
        middle_(nq_),
        qdot_(nq_),
        arguments_(kernels_.terms.input_size()),
        arguments0_(arguments_.size()),
        energy_(kernels_.energy.output_size()),
        work_(std::max({kernels_.terms.work_size(), kernels_.bias.work_size(),
                        kernels_.without_loss.work_size(), kernels_.energy.work_size(),
                        chart.dynamics().coordinate_rates.work_size()})),
        start_(static_cast<std::size_t>(chart.size())),
        centre_(chart.centre_size()),
        elimination_(n_ + m_, n_ + m_) {}

  EnergyBooks books() const override { return books_; }
  void reset() override { books_ = {0.0, 0.0}; }
  std::size_t memory() const override { return 2; }
  void save(double* memory) const override {
    memory[0] = books_.work;
    memory[1] = books_.loss;
  }
  void load(const double* memory) override { books_ = {memory[0], memory[1]}; }

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    start_.assign(z.begin(), z.end());
    const EnergyBooks before = books_;
    Status status = one_step(chart, t, h, z);
    for (int halvings = 1; !status.ok() && halvings <= kMostHalvings; ++halvings) {
      books_ = before;
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
    if (!status.ok()) books_ = before;
    return status;
  }

 private:
  Status one_step(Chart& chart, double t, double h, std::span<double> z) {
    const Status status = attempt(chart, t, h, z, false);
    return status.ok() ? status : attempt(chart, t, h, z, true);
  }

  Status attempt(Chart& chart, double t, double h, std::span<double> z, bool by_end_speeds) {
    by_end_speeds_ = by_end_speeds;
    const double* u0 = z.data() + n_;
    const std::vector<double>& q0 = chart.workspace().q0;
    place(arguments0_, t, q0.data(), u0);
    kernels_.terms(arguments0_.data(), out_.data(), work_.data());
    std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(kernels_.M), n_ * n_, M0_.begin());
    const double V0 = potential(arguments0_), T0 = kinetic(M0_, u0);
    // A first guess: Euler's.
    chart.slope(t, z.data(), rate_.data());
    for (std::size_t i = 0; i < n_; ++i) {
      u1_[i] = u0[i] + h * rate_[n_ + i];
      theta_[i] = h * (rate_[i] + 0.5 * h * rate_[n_ + i]);
      if (!std::isfinite(u1_[i])) return Status::not_finite;
    }
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    middle_across_ = end_across_ = false;
    double before = std::numeric_limits<double>::infinity(), work = 0.0, loss = 0.0;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      for (std::size_t i = 0; i < n_; ++i) mean_[i] = 0.5 * (u0[i] + u1_[i]);
      look_at_middle(chart, t, h);
      look_at_end(chart, t + h);
      if (m_ > 0 && !look_at_rows(chart, t, h, iteration == 0)) return Status::not_converged;
      if (iteration % kMatrixServes == 0) fill_matrix(chart, t, h);
      balance(chart, h, u0, T0, V0, work, loss);
      const double size = improve(u0, h);
      if (!std::isfinite(size)) return Status::not_converged;
      const bool shrinks = size < 0.5 * before;
      const bool solved =
          size <= kSolved || (!shrinks && first_ <= kGoodEnough * terms_ + kBalanced * pushing_ &&
                              second_ <= kSmall * terms_ + kUnseen * kBalanced * pushing_);
      if (solved && !(slight_ && (is_near(u0, h) || is_near_later(chart, t, h, z))))
        return Status::not_converged;
      if (solved && by_end_speeds && !balance_by_end_speeds()) return Status::not_converged;
      if (solved) {
        std::copy(theta_.begin(), theta_.end(), z.begin());
        std::copy(u1_.begin(), u1_.end(), z.begin() + static_cast<std::ptrdiff_t>(n_));
        books_.work += work;
        books_.loss += loss;
        return {};
      }
      before = size;
    }
    return Status::not_converged;
  }

  /// Whether the solution is the one that belongs to the accelerations where the step began: equations that are not linear have
  /// others.
  bool is_near(const double* u0, double h) const {
    double away = 0.0, expected = 0.0, moving = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        const double M = M0_[i * n_ + j];
        away += (u1_[i] - u0[i]) * M * (u1_[j] - u0[j]);
        expected += h * h * rate_[n_ + i] * M * rate_[n_ + j];
        moving += u0[i] * M * u0[j];
      }
    return away <= kFar * kFar * (expected + kFarMoving * moving);
  }

  /// The same by the accelerations that what acts gives later in the step: forces may begin from nothing.
  bool is_near_later(Chart& chart, double t, double h, std::span<const double> z) {
    for (const double part : {0.5, 1.0}) {
      chart.slope(t + part * h, z.data(), rate_.data());
      if (is_near(z.data() + n_, h)) return true;
    }
    return false;
  }

  void place(std::vector<double>& arguments, double t, const double* q, const double* u) const {
    std::fill(arguments.begin(), arguments.end(), 0.0);
    arguments[0] = t;
    std::copy_n(q, nq_, arguments.begin() + 1);
    std::copy_n(u, n_, arguments.begin() + 1 + static_cast<std::ptrdiff_t>(nq_));
  }
  double potential(const std::vector<double>& arguments) {
    kernels_.energy(arguments.data(), energy_.data(), work_.data());
    return energy_[kernels_.potential];
  }
  double kinetic(const std::vector<double>& M, const double* u) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) sum += 0.5 * u[i] * M[i * n_ + j] * u[j];
    return sum;
  }

  /// Q, A and the losses at q_m, u_m; theta to the end.
  void look_at_middle(Chart& chart, double t, double h) {
    Workspace& w = chart.workspace();
    const Coordinates& coordinates = chart.dynamics().coordinates;
    *w.t = t + 0.5 * h;
    std::copy(mean_.begin(), mean_.end(), w.u);
    // Where these speeds lead, first seen from where those before led: forces must be of the same place as the matrix takes them to be. A place that lags by an iteration never settles with
    // stiff springs: the errors of three in a row obey e_k+1 = e_k - e_k-1.
    for (int look = 0; look < 2; ++look) {
      for (std::size_t i = 0; i < n_; ++i) half_[i] = 0.5 * theta_[i];
      coordinates.displace(w.q0.data(), half_.data(), w.q);
      chart.dynamics().coordinate_rates(w.arguments.data(), qdot_.data(), work_.data());
      coordinates.chart_rate(w.q, half_.data(), qdot_.data(), theta_.data());
      for (double& x : theta_) x *= h;
    }
    chart.loads_at_workspace();
    kernels_.terms(w.arguments.data(), out_.data(), work_.data());
    std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(kernels_.Q), n_, Q_.begin());
    kernels_.bias(w.arguments.data(), h_.data(), work_.data());
    kernels_.without_loss(w.arguments.data(), lossless_.data(), work_.data());
    power_ = chart.outside_power(w.arguments.data());
  }

  void look_at_end(Chart& chart, double t) {
    chart.dynamics().coordinates.displace(chart.workspace().q0.data(), theta_.data(), q1_.data());
    if (m_ > 0 && !end_across_) chart.constraints()->hold_position(t, q1_.data());
    look_at_held_end(t);
  }

  void look_at_held_end(double t) {
    place(arguments_, t, q1_.data(), u1_.data());
    kernels_.terms(arguments_.data(), end_.data(), work_.data());
    for (std::size_t i = 0; i < n_ * n_; ++i) M_[i] = 0.5 * (M0_[i] + end_[kernels_.M + i]);
  }

  /// A(q_m), A(q1) and A(q1) u1 + c, or what stands for them: decided at the first look, for the whole step. False where it
  /// cannot be had later.
  bool look_at_rows(Chart& chart, double t, double h, bool first) {
    ConstraintSolver& solver = *chart.constraints();
    const double nearer_than = first ? kCrossingBegins : kAcross;
    if (first || middle_across_) {
      chart.dynamics().coordinates.displace(chart.workspace().q0.data(), half_.data(), middle_.data());
      const bool across =
          solver.normals_across(t + 0.5 * h, middle_.data(), mean_.data(), nearer_than, middle_rows_.data());
      if (!first && !across) return false;
      middle_across_ = across;
    }
    if (first || end_across_) {
      chart.dynamics().coordinates.displace(chart.workspace().q0.data(), theta_.data(), middle_.data());
      const bool across =
          solver.normals_across(t + h, middle_.data(), u1_.data(), nearer_than, end_rows_.data());
      if (!first && !across) return false;
      end_across_ = across;
      if (across) {
        std::copy(middle_.begin(), middle_.end(), q1_.begin());
        look_at_held_end(t + h);
      }
    }
    rows_ = middle_across_ || end_across_ ? &solver.rows().held() : &solver.active_rows();
    for (std::size_t k = 0; k < rows_->size(); ++k) {
      const std::size_t row = (*rows_)[k];
      double* end = end_rows_.data() + k * n_;
      if (!middle_across_) std::copy_n(out_.data() + kernels_.A + row * n_, n_, middle_rows_.data() + k * n_);
      if (!end_across_) std::copy_n(end_.data() + kernels_.A + row * n_, n_, end);
      end_rates_[k] =
          end_across_ ? std::inner_product(end, end + n_, u1_.begin(), 0.0) : end_[kernels_.velocity + row];
    }
    return true;
  }

  /// d/du1 of M (u1 - u0) - h Q, with M held.
  void fill_matrix(Chart& chart, double t, double h) {
    Workspace& w = chart.workspace();
    for (std::size_t j = 0; j < n_; ++j) {
      const double nudge = kNudge * std::max(1.0, std::abs(u1_[j]));
      std::copy(mean_.begin(), mean_.end(), w.u);
      w.u[j] += 0.5 * nudge;
      for (std::size_t i = 0; i < n_; ++i) half_[i] = 0.5 * theta_[i];
      half_[j] += 0.25 * h * nudge;
      chart.dynamics().coordinates.displace(w.q0.data(), half_.data(), w.q);
      *w.t = t + 0.5 * h;
      chart.loads_at_workspace();
      // out_ keeps what stands at the middle: the answer goes to the end's place, which is filled again.
      kernels_.terms(w.arguments.data(), end_.data(), work_.data());
      for (std::size_t i = 0; i < n_; ++i) matrix_[i * n_ + j] = -h * (end_[kernels_.Q + i] - Q_[i]) / nudge;
    }
    look_at_held_end(t + h);
  }

  /// The number that makes the energy balance, times M u_m, is added to Q's place in right_.
  void balance(Chart& chart, double h, const double* u0, double T0, double V0, double& work, double& loss) {
    double by_Q = 0.0, by_outside = 0.0, by_loss = 0.0, by_rows = 0.0, by_driven = 0.0, by_inertia = 0.0,
           size = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      by_Q += h * mean_[i] * Q_[i];
      by_outside += h * mean_[i] * (Q_[i] + h_[i]);
      by_loss += h * mean_[i] * (h_[i] - lossless_[i]);
      double Mu = 0.0, Mdu = 0.0;
      for (std::size_t j = 0; j < n_; ++j) {
        Mu += M_[i * n_ + j] * mean_[j];
        Mdu += M_[i * n_ + j] * (u1_[j] - u0[j]);
      }
      nudged_[i] = Mu;
      by_inertia += mean_[i] * Mdu;
      size += mean_[i] * Mu;
    }
    for (std::size_t k = 0; k < rows_->size(); ++k) {
      const double* A = middle_rows_.data() + k * n_;
      double along = 0.0;
      for (std::size_t i = 0; i < n_; ++i) along += A[i] * mean_[i];
      by_rows += along * lambda_[k];
      if (out_[kernels_.c + (*rows_)[k]] != 0.0) by_driven += along * lambda_[k];
    }
    const double ports = chart.outside_work(arguments0_.data(), arguments_.data()) - h * power_;
    const double V1 = potential(arguments_);
    double T1 = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) T1 += 0.5 * u1_[i] * end_[kernels_.M + i * n_ + j] * u1_[j];
    work = by_outside + ports + by_driven;
    loss = by_loss;
    const double missing = by_Q + by_rows - (work - loss - (V1 - V0)) + ((T1 - T0) - by_inertia);
    terms_ = std::abs(by_Q) + std::abs(by_rows) + std::abs(work) + std::abs(loss) + std::abs(V1) +
             std::abs(V0) + std::abs(T1) + std::abs(T0) + std::abs(by_inertia);
    // Coordinates of order one, [rad] and [m], round too: what forces do along them is not known better.
    pushing_ = 0.0;
    for (std::size_t i = 0; i < n_; ++i) pushing_ += std::abs(Q_[i]);
    const bool balanced = !(std::abs(missing) > kBalanced * (terms_ + pushing_));
    const double a = !balanced && !by_end_speeds_ && size > 0.0 ? missing / size : 0.0;
    left_ = balanced ? 0.0 : missing;
    end_kinetic_ = T1;
    // A correction that is not small beside what the forces do belongs to another solution, or to a step that is too long.
    double changed = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) changed += (u1_[i] - u0[i]) * M_[i * n_ + j] * (u1_[j] - u0[j]);
    slight_ = a * a * size <= kSlight * kSlight * changed || std::abs(a) <= kAlwaysSlight ||
              std::abs(missing) <= kSlightWork * terms_;
    for (std::size_t i = 0; i < n_; ++i) nudged_[i] *= a;
  }

  /// Takes what is left of the balance from the speeds at the end. Rows at rest are kept by that.
  bool balance_by_end_speeds() {
    if (left_ == 0.0) return true;
    for (std::size_t k = 0; k < rows_->size(); ++k)
      if (out_[kernels_.c + (*rows_)[k]] != 0.0) return false;
    const double factor = 1.0 - left_ / end_kinetic_;
    if (!(factor >= kLeastFactor && factor <= kMostFactor)) return false;
    for (double& speed : u1_) speed *= std::sqrt(factor);
    return true;
  }

  /// A step of Newton's method for u1 and lambda; the size of the change, by the speeds.
  double improve(const double* u0, double h) {
    const std::size_t m = rows_->size(), size = n_ + m;
    for (std::size_t i = 0; i < n_; ++i) {
      double* line = elimination_.row(i, size);
      double residual = -h * Q_[i] + nudged_[i];
      for (std::size_t j = 0; j < n_; ++j) {
        line[j] = M_[i * n_ + j] + matrix_[i * n_ + j];
        residual += M_[i * n_ + j] * (u1_[j] - u0[j]);
      }
      for (std::size_t k = 0; k < m; ++k) {
        const double A = middle_rows_[k * n_ + i];
        line[n_ + k] = -A;
        residual -= A * lambda_[k];
      }
      right_[i] = -residual;
    }
    for (std::size_t k = 0; k < m; ++k) {
      double* line = elimination_.row(n_ + k, size);
      std::copy_n(end_rows_.data() + k * n_, n_, line);
      std::fill_n(line + n_, m, 0.0);
      right_[n_ + k] = -end_rates_[k];
    }
    elimination_.factor(size, size, kRankTolerance);
    elimination_.solve(right_.data(), change_.data());
    double largest = 0.0, fastest = 1e-300;
    for (std::size_t a = 0; a < elimination_.rank(); ++a) {
      const std::size_t i = elimination_.pivot_column(a);
      if (i >= n_) {
        lambda_[i - n_] += change_[a];
        continue;
      }
      u1_[i] += change_[a];
      largest = std::max(largest, std::abs(change_[a]));
      if (!std::isfinite(u1_[i])) return std::numeric_limits<double>::infinity();
    }
    first_ = second_ = 0.0;
    for (std::size_t a = 0; a < elimination_.rank(); ++a)
      for (std::size_t b = 0; b < elimination_.rank(); ++b) {
        const std::size_t i = elimination_.pivot_column(a), j = elimination_.pivot_column(b);
        if (i < n_ && j < n_) second_ += change_[a] * M_[i * n_ + j] * change_[b];
      }
    for (std::size_t a = 0; a < elimination_.rank(); ++a) {
      const std::size_t i = elimination_.pivot_column(a);
      for (std::size_t j = 0; i < n_ && j < n_; ++j) first_ += change_[a] * M_[i * n_ + j] * mean_[j];
    }
    first_ = std::abs(first_);
    for (std::size_t i = 0; i < n_; ++i) fastest = std::max(fastest, std::abs(u1_[i]) + std::abs(u0[i]));
    return largest / fastest;
  }

  const PassiveTerms& kernels_;
  std::size_t n_, nq_, m_;
  std::vector<double> out_, end_;  // terms at the middle, at the end
  std::vector<double> M0_, M_, matrix_;
  std::vector<double> u1_, mean_, theta_, half_, rate_, Q_, nudged_, h_, lossless_, lambda_, right_, change_;
  const std::vector<std::size_t> no_rows_;
  const std::vector<std::size_t>* rows_ = &no_rows_;  // of the constraints
  std::vector<double> middle_rows_, end_rows_, end_rates_;
  bool middle_across_ = false, end_across_ = false;  // whether normals of the branch stand for them
  std::vector<double> q1_, middle_, qdot_, arguments_, arguments0_, energy_, work_;
  std::vector<double> start_, centre_;
  math::Elimination elimination_;
  EnergyBooks books_{0.0, 0.0};
  double power_ = 0.0;  // [W] at the ports, in the middle
  bool slight_ = true;
  bool by_end_speeds_ = false;
  double left_ = 0.0, end_kinetic_ = 0.0;  // [J] of the balance; T1
  double terms_ = 0.0;                     // [J] the sizes of all terms of the balance
  double pushing_ =
      0.0;  // [N m or N] of all forces: what they do along the last digit of a coordinate, which is of order one, is rounding
  double first_ = 0.0, second_ = 0.0;  // [J] what the last change does to the kinetic energy
};

}  // namespace

std::unique_ptr<Stepper> make_passive(const Chart& chart, Tolerances) {
  TACTUS_CHECK(chart.dynamics().passive != nullptr);
  return std::make_unique<PassiveStepper>(chart);
}

}  // namespace tactus::simulate
