#include <tactus/describe/check/level_set.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <tactus/algebra/calculus.h>
#include <tactus/math/decompositions.h>

namespace tactus::describe {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kStarts = 10, kMostSteps = 120, kMostHalvings = 12;
/// A double root falls by 4 in each step, one of high order by e; a simple one, at its end, by far more.
constexpr double kSlowest = 0.5, kFastest = 0.15;
/// So many slow steps in a row are no accident; they end where rounding takes over, after at most a few
/// others.
constexpr int kSlowSteps = 12, kLastSteps = 3;
/// Parts of the error at the start: solved; and solved so well that rounding has nothing more to say.
constexpr double kSolved = 1e-6, kExact = 1e-40;
/// Enough solutions of one kind to believe it.
constexpr int kEnough = 3;
/// [s] At one instant a moving surface may shrink to a point.
constexpr double kTimes[] = {0.0, 0.37, 1.1};

bool occurs(std::span<const Expr> formulas, const std::vector<Expr>& symbols) {
  const std::vector<Expr> used = algebra::symbols_in(formulas);
  return std::any_of(used.begin(), used.end(), [&](Expr symbol) {
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
  });
}

class LevelSet {
 public:
  LevelSet(const Model& model, std::span<const Expr> equations, const std::vector<Expr>& variables)
      : model_(model),
        variables_(variables),
        rows_(static_cast<Eigen::Index>(equations.size())),
        all_(equations.begin(), equations.end()) {
    const std::vector<Expr> slopes = algebra::jacobian(equations, variables);
    is_linear_ = !occurs(slopes, variables);
    moves_ = occurs(equations, {algebra::symbol("t")});
    all_.insert(all_.end(), slopes.begin(), slopes.end());
  }

  bool is_linear() const { return is_linear_; }
  bool moves() const { return moves_; }

  /// Whether the solution found from x is degenerate; nothing where none is found.
  std::optional<bool> solution_is_degenerate(double t, VectorXd x) const {
    VectorXd f;
    MatrixXd J;
    evaluate(t, x, f, J);
    const double start = f.norm();
    if (!(start > 0.0) || !std::isfinite(start)) return std::nullopt;
    int slow = 0, last = 0;
    double error = start;
    for (int step = 0; step < kMostSteps && error > kExact * start; ++step) {
      if (!J.allFinite()) return std::nullopt;
      const Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
      VectorXd change = -svd.solve(f), at;
      double now = error;
      for (int halving = 0; halving < kMostHalvings; ++halving, change *= 0.5) {
        at = x + change;
        evaluate(t, at, f, J);
        now = f.norm();
        if (now < error) break;
      }
      if (!(now < error)) break;
      const double ratio = now / error;
      if (ratio > kFastest && ratio < kSlowest) {
        slow += 1;
        last = 0;
      } else if (slow >= kSlowSteps && ++last <= kLastSteps) {
        // rounding, if nothing follows
      } else {
        slow = last = 0;
      }
      x = at;
      error = now;
    }
    if (!(error < kSolved * start)) return std::nullopt;
    return slow >= kSlowSteps;
  }

 private:
  void evaluate(double t, const VectorXd& x, VectorXd& f, MatrixXd& J) const {
    const std::vector<double> values = algebra::evaluate(all_, [&](Expr symbol) {
      for (std::size_t i = 0; i < variables_.size(); ++i)
        if (variables_[i] == symbol) return x[static_cast<Eigen::Index>(i)];
      const std::string& name = model_.graph->symbol_name(symbol);
      if (name == "t") return t;
      for (const Parameter& parameter : model_.parameters)
        if (parameter.name == name) return parameter.value;
      return 0.0;
    });
    f = Eigen::Map<const VectorXd>(values.data(), rows_);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    J = Eigen::Map<const RowMajor>(values.data() + rows_, rows_,
                                   static_cast<Eigen::Index>(variables_.size()));
  }

  const Model& model_;
  const std::vector<Expr>& variables_;
  Eigen::Index rows_;
  std::vector<Expr> all_;  // equations, then their slopes by rows
  bool is_linear_ = false, moves_ = false;
};

}  // namespace

bool is_degenerate(const Model& model, std::span<const Expr> equations, const std::vector<Expr>& variables,
                   const std::vector<double>& x) {
  std::vector<Expr> used;  // each variable that is not there would only cost time
  std::vector<double> at;
  const std::vector<Expr> symbols = algebra::symbols_in(equations);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (std::find(symbols.begin(), symbols.end(), variables[i]) == symbols.end()) continue;
    used.push_back(variables[i]);
    at.push_back(x[i]);
  }
  const LevelSet set(model, equations, used);
  if (set.is_linear()) return false;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  int degenerate = 0;
  for (const double t : kTimes) {
    for (int start = 0; start < kStarts; ++start) {
      VectorXd place = Eigen::Map<const VectorXd>(at.data(), static_cast<Eigen::Index>(at.size()));
      for (double& coordinate : place) coordinate += 0.1 * (start + 1) * part(random);
      const std::optional<bool> found = set.solution_is_degenerate(t, place);
      if (found && !*found) return false;
      degenerate += found ? 1 : 0;
    }
    if (!set.moves()) break;
  }
  return degenerate >= kEnough;
}

std::optional<std::array<double, 3>> hollow_place(const Model& model, Expr f,
                                                  const std::vector<Expr>& variables) {
  constexpr int kRays = 150, kHalvings = 45;
  constexpr double kSmallest = 1e-6, kLargest = 1e6;  // [m]
  constexpr double kHollow = 1e-7;  // of the largest bend: what rounding leaves of a flat place is less
  std::vector<Expr> all{f};
  const std::vector<Expr> slopes = algebra::jacobian(std::span(&f, 1), variables),
                          bends = algebra::jacobian(slopes, variables);
  all.insert(all.end(), slopes.begin(), slopes.end());
  all.insert(all.end(), bends.begin(), bends.end());
  const auto at = [&](const Eigen::Vector3d& x, std::size_t count) {
    return algebra::evaluate(std::span(all).first(count), [&](Expr symbol) {
      for (std::size_t i = 0; i < 3; ++i)
        if (variables[i] == symbol) return x[static_cast<Eigen::Index>(i)];
      const std::string& name = model.graph->symbol_name(symbol);
      for (const Parameter& parameter : model.parameters)
        if (parameter.name == name) return parameter.value;
      return 0.0;
    });
  };
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  for (int ray = 0; ray < kRays; ++ray) {
    const Eigen::Vector3d way = Eigen::Vector3d(part(random), part(random), part(random)).normalized();
    const auto outside = [&](double distance) { return at(distance * way, 1)[0] > 0.0; };
    double far = kSmallest;
    while (far <= kLargest && !outside(far)) far *= 2.0;
    if (far > kLargest) continue;
    double near = 0.5 * far;
    for (int halving = 0; halving < kHalvings; ++halving) {
      const double middle = 0.5 * (near + far);
      (outside(middle) ? far : near) = middle;
    }
    const Eigen::Vector3d place = far * way;
    const std::vector<double> values = at(place, all.size());
    const Eigen::Vector3d g(values[1], values[2], values[3]);
    const Eigen::Matrix3d H = Eigen::Map<const Eigen::Matrix3d>(values.data() + 4);
    if (!(g.norm() > 0.0) || !H.allFinite()) continue;
    // The bends across the normal: positive ones are convex.
    const Eigen::Matrix3d P = Eigen::Matrix3d::Identity() - g.normalized() * g.normalized().transpose();
    const Eigen::Matrix3d across = P * H * P;
    const double least =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(across, Eigen::EigenvaluesOnly).eigenvalues()[0];
    if (least < -kHollow * H.norm()) return std::array{place[0], place[1], place[2]};
  }
  return std::nullopt;
}

}  // namespace tactus::describe
