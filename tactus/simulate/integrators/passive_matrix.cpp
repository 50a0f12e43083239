#include <tactus/simulate/integrators/passive_matrix.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <tactus/base/check.h>
#include <tactus/math/dot.h>
#include <tactus/math/vec3.h>

namespace tactus::simulate {

namespace {

using math::Mat3;
using Vec = math::Vec3<double>;

// Rows that depend on others, by their pivots.
constexpr double kDependent = 1e-11;

// [rad, m] for differences: rounding and curvature of forces at joints are alike there.
constexpr double kNudge = 1e-7;

/// dexp(-phi): how exp(phi) moves, seen from there, where phi changes.
///   1 - a phi~ + b phi~ phi~,      a = (1 - cos x)/x^2,  b = (x - sin x)/x^3,  x = |phi|
Mat3<double> turned_midway(const Vec& phi) {
  const double square = dot(phi, phi), angle = std::sqrt(square);
  constexpr double kSmall = 1e-2;  // below, what the series leave out is less than 1e-16
  const bool small = angle < kSmall;
  const double a = small ? 0.5 - square / 24.0 * (1.0 - square / 30.0) : (1.0 - std::cos(angle)) / square;
  const double b = small ? 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0)
                         : (angle - std::sin(angle)) / (square * angle);
  const Mat3<double> turn = math::skew(phi);
  Mat3<double> D = turn * turn;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) D(i, j) = (i == j ? 1.0 : 0.0) - a * turn(i, j) + b * D(i, j);
  return D;
}

/// E of a joint with a quaternion (derive/recursion/step_matrix.h), count x count.
using Midway = std::array<std::array<double, 6>, 6>;
Midway midway_of(const double* D, bool shifts, const double* rates, double c) {
  Midway E{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec turned{D[k], D[3 + k], D[6 + k]};
    for (std::size_t i = 0; i < 3; ++i) E[i][k] = turned[i];
    if (!shifts) continue;
    const Vec moved = cross(Vec{rates[3], rates[4], rates[5]}, turned);
    for (std::size_t i = 0; i < 3; ++i) E[3 + i][k] = -c * moved[i];
    E[3 + k][3 + k] = 1.0;
  }
  return E;
}

}  // namespace

PassiveMatrix::PassiveMatrix(const Chart& chart)
    : kernels_(*chart.dynamics().passive),
      n_(static_cast<std::size_t>(chart.dynamics().nv())),
      inputs_(1 + static_cast<std::size_t>(chart.dynamics().nq()) + 2 * n_ +
              6 * static_cast<std::size_t>(chart.dynamics().wrench_count)),
      place_(n_),
      of_quaternion_(n_, -1),
      in_(kernels_.matrix.input_size()),
      out_(kernels_.matrix.output_size()),
      work_(std::max(kernels_.matrix.work_size(), chart.dynamics().coordinate_rates.work_size())),
      middle_(static_cast<std::size_t>(chart.dynamics().nq())),
      unit_(n_),
      outside_(n_),
      nudged_(n_),
      W_(kernels_.own_speeds ? n_ * n_ : 0),
      kinematics_(kernels_.own_speeds ? n_ : 0),
      column_(n_),
      elimination_(chart.dynamics().constraints ? chart.dynamics().constraints->size() : 0,
                   chart.dynamics().constraints ? chart.dynamics().constraints->size() : 0) {
  const std::size_t m = chart.dynamics().constraints ? chart.dynamics().constraints->size() : 0;
  Z_.resize(m * n_);
  right_.resize(m);
  change_.resize(m);
  std::size_t largest = 0;
  for (std::size_t b = 0; b < kernels_.blocks.size(); ++b) {
    const std::vector<int>& speeds = kernels_.blocks[b];
    for (std::size_t i = 0; i < speeds.size(); ++i) place_[static_cast<std::size_t>(speeds[i])] = {b, i};
    blocks_.emplace_back(speeds.size());
    largest = std::max(largest, speeds.size());
  }
  gathered_.resize(largest);
  for (std::size_t k = 0; k < kernels_.quaternions.size(); ++k)
    of_quaternion_[static_cast<std::size_t>(kernels_.quaternions[k].speed)] = static_cast<int>(k);
  for (const Segment& segment : chart.dynamics().coordinates.segments())
    if (segment.kind == Segment::Kind::quaternion) theta_.push_back(static_cast<std::size_t>(segment.theta));
  TACTUS_CHECK(theta_.size() == kernels_.quaternions.size());
  TACTUS_CHECK(in_.size() == inputs_ + n_ + 1 + 9 * theta_.size());
}

void PassiveMatrix::fill_turns(const double* half) {
  double* D = in_.data() + inputs_ + n_ + 1;
  for (const std::size_t at : theta_) {
    const Mat3<double> turn = turned_midway({half[at], half[at + 1], half[at + 2]});
    for (std::size_t k = 0; k < 9; ++k) *D++ = turn(k / 3, k % 3);
  }
}

void PassiveMatrix::fill(Chart& chart, double h, const double* du, const double* half) {
  const double c = 0.5 * h;
  std::copy_n(chart.workspace().arguments.begin(), inputs_, in_.begin());
  for (std::size_t i = 0; i < n_; ++i) in_[inputs_ + i] = du[i] / h;
  in_[inputs_ + n_] = c;
  fill_turns(half);
  kernels_.matrix(in_.data(), out_.data(), work_.data());
  if (kernels_.own_speeds) {
    fill_by_speeds(c);
  } else {
    const double* from = out_.data();
    for (math::SquareFactor& block : blocks_) {
      const std::size_t size = block.size() * block.size();
      std::copy_n(from, size, block.data());
      from += size;
    }
  }
  add_outside(chart, c);
}

/// J = G + c^2 K B with (1 - c E D) B = E W, column by column.
void PassiveMatrix::fill_by_speeds(double c) {
  double *G = out_.data(), *K = G + kernels_.K, *W = G + kernels_.W, *D = G + kernels_.D;
  const double* rates = G + kernels_.rates;
  std::copy_n(W, n_ * n_, W_.begin());
  turn_rows(D, rates, c);
  double* A = kinematics_.data();
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < n_; ++j) A[i * n_ + j] = (i == j ? 1.0 : 0.0) - c * D[i * n_ + j];
  // Where a step is so long that speeds no longer say where it leads, the place's part of J is left out.
  const bool leads = kinematics_.factor();
  turn_rows(W, rates, c);
  double* J = blocks_.front().data();
  std::copy_n(G, n_ * n_, J);
  for (std::size_t j = 0; leads && j < n_; ++j) {
    for (std::size_t i = 0; i < n_; ++i) column_[i] = W[i * n_ + j];
    kinematics_.solve(column_.data());
    for (std::size_t i = 0; i < n_; ++i) J[i * n_ + j] += c * c * math::dot(K + i * n_, column_.data(), n_);
  }
}

/// E K in place, n x n.
void PassiveMatrix::turn_rows(double* K, const double* joint_rates, double c) const {
  const double* D = in_.data() + inputs_ + n_ + 1;
  for (const auto& [speed, shifts] : kernels_.quaternions) {
    const auto first = static_cast<std::size_t>(speed);
    const std::size_t count = shifts ? 6 : 3;
    const Midway E = midway_of(D, shifts, joint_rates + first, c);
    for (std::size_t j = 0; j < n_; ++j) {
      std::array<double, 6> after{};
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t l = 0; l < count; ++l) after[i] += E[i][l] * K[(first + l) * n_ + j];
      for (std::size_t i = 0; i < count; ++i) K[(first + i) * n_ + j] = after[i];
    }
    D += 9;
  }
}

/// What acts at ports, besides script and held forces: -c^2 W^T d tau/d place, by differences along the motions of the speeds. Speeds whose block it
/// does not act on do not change it.
void PassiveMatrix::add_outside(Chart& chart, double c) {
  Workspace& w = chart.workspace();
  const auto acting = [&](double* tau) {
    const std::span<const double> efforts = chart.efforts();
    bool any = false;
    for (std::size_t i = 0; i < n_; ++i) {
      tau[i] = w.tau[i] - efforts[i];
      any = any || tau[i] != 0.0;
    }
    return any;
  };
  if (!acting(outside_.data())) return;
  const std::size_t nq = middle_.size();
  std::copy_n(w.q, nq, middle_.begin());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<int>& speeds = kernels_.blocks[b];
    if (std::all_of(speeds.begin(), speeds.end(),
                    [&](int k) { return outside_[static_cast<std::size_t>(k)] == 0.0; }))
      continue;
    double* J = blocks_[b].data();
    for (std::size_t j = 0; j < speeds.size(); ++j) {
      move_along(chart, speeds[j]);
      chart.loads_at_workspace();
      acting(nudged_.data());
      for (std::size_t k = 0; k < n_; ++k) nudged_[k] = c * c * (nudged_[k] - outside_[k]) / kNudge;
      for (std::size_t i = 0; i < speeds.size(); ++i) {
        double change = nudged_[static_cast<std::size_t>(speeds[i])];
        if (kernels_.own_speeds) {
          change = 0.0;
          for (std::size_t k = 0; k < n_; ++k) change += W_[k * n_ + i] * nudged_[k];
        }
        J[i * speeds.size() + j] -= change;
      }
    }
  }
  std::copy_n(middle_.begin(), nq, w.q);
  chart.loads_at_workspace();
}

/// From the middle, by a little of one speed.
void PassiveMatrix::move_along(Chart& chart, int speed) {
  Workspace& w = chart.workspace();
  std::copy(middle_.begin(), middle_.end(), w.q);
  std::swap_ranges(w.u, w.u + n_, unit_.begin());
  w.u[speed] = 1.0;
  chart.dynamics().coordinate_rates(w.arguments.data(), w.qdot, work_.data());
  w.u[speed] = 0.0;
  std::swap_ranges(w.u, w.u + n_, unit_.begin());
  for (std::size_t i = 0; i < middle_.size(); ++i) w.q[i] += kNudge * w.qdot[i];
  chart.dynamics().coordinates.normalize(w.q);
}

double PassiveMatrix::at(std::size_t row, std::size_t column) {
  const Place i = place_[row], j = place_[column];
  return i.block == j.block ? blocks_[i.block].data()[i.index * blocks_[i.block].size() + j.index] : 0.0;
}

bool PassiveMatrix::factor() {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [](math::SquareFactor& block) { return block.factor(); });
}

void PassiveMatrix::solve_blocks(double* x) {
  if (blocks_.size() == 1) {
    blocks_.front().solve(x);
    return;
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<int>& speeds = kernels_.blocks[b];
    bool any = false;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      gathered_[i] = x[speeds[i]];
      any = any || gathered_[i] != 0.0;
    }
    if (!any) continue;
    blocks_[b].solve(gathered_.data());
    for (std::size_t i = 0; i < speeds.size(); ++i) x[speeds[i]] = gathered_[i];
  }
}

void PassiveMatrix::set_rows(std::size_t m, const double* middle, const double* end) {
  m_ = m;
  end_rows_ = end;
  std::copy_n(middle, m * n_, Z_.begin());
  for (std::size_t k = 0; k < m; ++k) solve_blocks(Z_.data() + k * n_);
  for (std::size_t k = 0; k < m; ++k) {
    double* row = elimination_.row(k, m);
    for (std::size_t l = 0; l < m; ++l) row[l] = math::dot(end + k * n_, Z_.data() + l * n_, n_);
  }
  elimination_.factor(m, m, kDependent);
}

void PassiveMatrix::solve(const double* r, const double* g, double* du, double* dlambda) {
  for (std::size_t i = 0; i < n_; ++i) du[i] = -r[i];
  solve_blocks(du);
  if (m_ == 0) return;
  for (std::size_t k = 0; k < m_; ++k) right_[k] = -g[k] - math::dot(end_rows_ + k * n_, du, n_);
  elimination_.solve(right_.data(), change_.data());
  std::fill_n(dlambda, m_, 0.0);
  for (std::size_t a = 0; a < elimination_.rank(); ++a) {
    const std::size_t k = elimination_.pivot_column(a);
    dlambda[k] = change_[a];
    const double* Z = Z_.data() + k * n_;
    for (std::size_t i = 0; i < n_; ++i) du[i] += Z[i] * change_[a];
  }
}

}  // namespace tactus::simulate
