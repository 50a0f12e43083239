#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <tactus/math/decompositions.h>
#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

namespace {

// Alexander's singly diagonally implicit Runge-Kutta method of three stages: order 3, L-stable (infinitely
// stiff motions die out in one step), stiffly accurate (the last stage is the result) [Alexander1977]. With g
// the root of x^3 - 3 x^2 + 3/2 x - 1/6 in (1/6, 1/2):
//
//   c      a
//   g        g
//   (1+g)/2  (1-g)/2  g
//   1        b1       b2   g        b1 = -(6 g^2 - 16 g + 1)/4,  b2 = (6 g^2 - 20 g + 5)/4
//
// Each stage solves y = y_base + h g f(t + c h, y) for y = [theta; u] by Newton's method,
//
//   (I - h g df/dy) dy = y_base + h g f - y
//
// with one matrix for the three stages, by finite differences, kept over the steps for as long as it serves.
//
// Dry friction jumps with the direction of motion. Where a joint comes to stand within a step no y solves the
// stage: the iteration then alternates between the two directions, and the mean of its last two places is
// taken, in which the friction is somewhere between its two values, as it is in a joint that stands still.
constexpr double kGamma = 0.43586652150845899942;
constexpr std::array<double, 3> kNodes{kGamma, 0.5 * (1.0 + kGamma), 1.0};
constexpr double kB1 = -0.25 * (6.0 * kGamma * kGamma - 16.0 * kGamma + 1.0);
constexpr double kB2 = 0.25 * (6.0 * kGamma * kGamma - 20.0 * kGamma + 5.0);
constexpr std::array<std::array<double, 3>, 3> kWeights{
    {{kGamma, 0.0, 0.0}, {0.5 * (1.0 - kGamma), kGamma, 0.0}, {kB1, kB2, kGamma}}};

// A change of y this small, relative to 1 + |y|, ends Newton's iteration: a hundred times the rounding of y,
// far below the integrator's own error.
constexpr double kSolved = 2e-14;
// Where rounding of f (times a large stiffness) stops the iteration earlier, a change this small is still
// good enough.
constexpr double kGoodEnough = 1e-9;
constexpr int kMostIterations = 12;
// An iteration that shrinks the change by less than this asks for a fresh matrix at the next step.
constexpr double kSlow = 0.05;
// Steps are differences of times and differ by rounding; the matrix serves them all.
constexpr double kSameStep = 1e-6;
constexpr int kMostHalvings = 10;

class Sdirk3 : public Stepper {
 public:
  explicit Sdirk3(const Chart& chart)
      : n_(2 * chart.freedoms()),
        rate_(static_cast<std::size_t>(chart.size())),
        nudged_rate_(rate_.size()),
        base_(rate_.size()),
        y_(rate_.size()),
        stages_(3, std::vector<double>(rate_.size())),
        matrix_(n_, n_),
        lu_(n_),
        defect_(n_),
        change_(n_) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    return advance(chart, t, h, z, 0);
  }

  void reset() override { h_of_matrix_ = 0.0; }
  std::size_t memory() const override { return 1 + static_cast<std::size_t>(matrix_.size()); }
  void save(double* memory) const override {
    *memory = h_of_matrix_;
    std::copy_n(matrix_.data(), matrix_.size(), memory + 1);
  }
  void load(const double* memory) override {
    h_of_matrix_ = *memory;
    if (h_of_matrix_ == 0.0) return;
    std::copy_n(memory + 1, matrix_.size(), matrix_.data());
    lu_.compute(matrix_);
  }

 private:
  /// One step, or where its stages cannot be solved two of half the length, and so on.
  Status advance(Chart& chart, double t, double h, std::span<double> z, int halvings) {
    const bool fresh = std::abs(h - h_of_matrix_) > kSameStep * h;
    if (fresh) factorize(chart, t, h, z);
    if (all_stages(chart, t, h, z)) return finish(h, z);
    if (!fresh) {
      factorize(chart, t, h, z);
      if (all_stages(chart, t, h, z)) return finish(h, z);
    }
    if (halvings == kMostHalvings) return Status::not_converged;
    const Status first = advance(chart, t, 0.5 * h, z, halvings + 1);
    return first.ok() ? advance(chart, t + 0.5 * h, 0.5 * h, z, halvings + 1) : first;
  }

  /// I - h g df/dy at z, by forward differences.
  void factorize(Chart& chart, double t, double h, std::span<const double> z) {
    std::copy(z.begin(), z.end(), y_.begin());
    chart.slope(t, y_.data(), rate_.data());
    const double hg = h * kGamma;
    for (int j = 0; j < n_; ++j) {
      double& y = y_[static_cast<std::size_t>(j)];
      const double kept = y;
      // Away from zero, so that a speed's difference does not reach over the jump of its friction.
      y += std::copysign(1.5e-8 * std::max(1.0, std::abs(kept)), kept);
      const double nudge = y - kept;
      chart.slope(t, y_.data(), nudged_rate_.data());
      y = kept;
      for (int i = 0; i < n_; ++i) {
        const auto k = static_cast<std::size_t>(i);
        matrix_(i, j) = (i == j ? 1.0 : 0.0) - hg * (nudged_rate_[k] - rate_[k]) / nudge;
      }
    }
    lu_.compute(matrix_);
    h_of_matrix_ = h;
  }

  bool all_stages(Chart& chart, double t, double h, std::span<const double> z) {
    for (std::size_t s = 0; s < 3; ++s)
      if (!solve_stage(chart, t, h, z, s)) return false;
    return true;
  }

  bool solve_stage(Chart& chart, double t, double h, std::span<const double> z, std::size_t s) {
    const double hg = h * kGamma;
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t i = 0; i < n; ++i) {
      base_[i] = z[i];
      for (std::size_t r = 0; r < s; ++r) base_[i] += h * kWeights[s][r] * stages_[r][i];
      y_[i] = base_[i] + (s == 0 ? 0.0 : hg * stages_[s - 1][i]);
    }
    double last = HUGE_VAL;
    bool solved = false, alternates = false;
    for (int iteration = 0; iteration < kMostIterations && !solved; ++iteration) {
      chart.slope(t + kNodes[s] * h, y_.data(), rate_.data());
      for (std::size_t i = 0; i < n; ++i) defect_[static_cast<int>(i)] = base_[i] + hg * rate_[i] - y_[i];
      change_.noalias() = lu_.solve(defect_);  // in place it would allocate, for the row exchanges
      double size = 0.0;
      alternates = false;
      for (std::size_t i = 0; i < n; ++i) {
        const double change = change_[static_cast<int>(i)];
        const bool is_speed = i >= n / 2;
        alternates = alternates || (is_speed && std::signbit(y_[i]) != std::signbit(y_[i] + change));
        y_[i] += change;
        size = std::max(size, std::abs(change) / (1.0 + std::abs(y_[i])));
        if (!std::isfinite(change)) return false;
      }
      solved = size <= kSolved || (size <= kGoodEnough && size > 0.5 * last);
      if (iteration > 0 && size > kSlow * last && size > kGoodEnough) h_of_matrix_ = 0.0;
      last = size;
    }
    if (!solved && alternates) {
      for (std::size_t i = 0; i < n; ++i) y_[i] -= 0.5 * change_[static_cast<int>(i)];
      solved = true;
    }
    for (std::size_t i = 0; i < n; ++i) stages_[s][i] = (y_[i] - base_[i]) / hg;
    std::copy(rate_.begin() + n_, rate_.end(), stages_[s].begin() + n_);
    return solved;
  }

  Status finish(double h, std::span<double> z) const {
    const auto n = static_cast<std::size_t>(n_);
    std::copy_n(y_.begin(), n, z.begin());
    for (std::size_t i = n; i < z.size(); ++i)
      for (std::size_t s = 0; s < 3; ++s) z[i] += h * kWeights[2][s] * stages_[s][i];
    return {};
  }

  int n_;
  std::vector<double> rate_, nudged_rate_, base_, y_;
  std::vector<std::vector<double>> stages_;
  Eigen::MatrixXd matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd defect_, change_;
  double h_of_matrix_ = 0.0;  // 0: the next step makes a new one
};

}  // namespace

std::unique_ptr<Stepper> make_implicit(const Chart& chart, Tolerances) {
  return std::make_unique<Sdirk3>(chart);
}

}  // namespace tactus::simulate
