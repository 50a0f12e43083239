#include <tactus/simulate/integrators/passive_matrix.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <tactus/base/check.h>
#include <tactus/math/dot.h>
#include <tactus/math/rotation.h>
#include <tactus/math/vec3.h>

namespace tactus::simulate {

namespace {

using math::Mat3;
using Vec = math::Vec3<double>;

// Rows that depend on others, by their pivots.
constexpr double kDependent = 1e-11;

// [rad, m] for differences: rounding and curvature of forces at joints are alike there.
constexpr double kNudge = 1e-7;
// [rad, m, and per s] Next to it: each by another part, so that they do not cancel.
constexpr double kAside = 1e-9;
// Forces at joints change by about as much as they are where the place changes by one. Up to this part of J that costs an iteration at most, which is
// less than the differences do.
constexpr double kFelt = 0.05;

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

void put(const Mat3<double>& from, double* to) {
  for (std::size_t k = 0; k < 9; ++k) to[k] = from(k / 3, k % 3);
}

/// Of E of each quaternion.
constexpr std::size_t kEntries = 27;

std::size_t rows_of(const Chart& chart) {
  return chart.dynamics().constraints ? chart.dynamics().constraints->size() : 0;
}

}  // namespace

PassiveMatrix::PassiveMatrix(const Chart& chart)
    : kernels_(*chart.dynamics().passive),
      n_(static_cast<std::size_t>(chart.dynamics().nv())),
      nq_(static_cast<std::size_t>(chart.dynamics().nq())),
      inputs_(1 + nq_ + 2 * n_ + 6 * static_cast<std::size_t>(chart.dynamics().wrench_count)),
      changes_(kEntries * kernels_.quaternions.size()),
      place_(n_),
      in_(kernels_.matrix.input_size()),
      out_(kernels_.matrix.output_size()),
      mass_in_(kernels_.mass.input_size()),
      mass_0_(kernels_.mass.output_size()),
      mass_1_(mass_0_.size()),
      work_(std::max({kernels_.matrix.work_size(), kernels_.mass.work_size(),
                      chart.dynamics().coordinate_rates.work_size()})),
      middle_(nq_),
      unit_(n_),
      outside_(n_),
      nudged_(n_),
      kinematics_(kernels_.own_speeds ? n_ : 0),
      column_(n_),
      along_(n_),
      Z_(rows_of(chart) * n_),
      elimination_(rows_of(chart), rows_of(chart)),
      right_(rows_of(chart)),
      change_(rows_of(chart)) {
  std::size_t largest = 0;
  for (std::size_t b = 0; b < kernels_.blocks.size(); ++b) {
    const std::vector<int>& speeds = kernels_.blocks[b];
    for (std::size_t i = 0; i < speeds.size(); ++i) place_[static_cast<std::size_t>(speeds[i])] = {b, i};
    blocks_.emplace_back(speeds.size());
    largest = std::max(largest, speeds.size());
  }
  gathered_.resize(largest);
  for (const Segment& segment : chart.dynamics().coordinates.segments())
    if (segment.kind == Segment::Kind::quaternion) theta_.push_back(static_cast<std::size_t>(segment.theta));
  TACTUS_CHECK(theta_.size() == kernels_.quaternions.size());
  TACTUS_CHECK(in_.size() == inputs_ + 1 + changes_);
  TACTUS_CHECK(mass_in_.size() == 1 + nq_ + n_ + changes_);
}

/// M(q0).
void PassiveMatrix::begin(const Chart& chart, double t) {
  mass_in_[0] = t;
  std::copy_n(chart.workspace().q0.begin(), nq_, mass_in_.begin() + 1);
  std::fill(mass_in_.begin() + 1 + static_cast<std::ptrdiff_t>(nq_), mass_in_.end(), 0.0);
  kernels_.mass(mass_in_.data(), mass_0_.data(), work_.data());
}

void PassiveMatrix::fill(Chart& chart, const PassiveStep& step, bool whole) {
  const double c = 0.5 * step.h;
  double *E = in_.data() + inputs_ + 1, *E_1 = mass_in_.data() + 1 + nq_ + n_;
  std::copy_n(chart.workspace().arguments.begin(), inputs_, in_.begin());
  in_[inputs_] = c;
  if (!kernels_.own_speeds) fill_changes(step, chart.workspace().u, E, E_1);
  kernels_.matrix(in_.data(), out_.data(), work_.data());
  if (!std::all_of(out_.begin(), out_.end(), [](double x) { return std::isfinite(x); })) {
    // Of a force that has no derivative here, as |v| v at rest. Newton's matrix may be that of a place next to it.
    for (std::size_t i = 0; i < nq_ + n_; ++i) in_[1 + i] += kAside * (1.0 + 0.1 * static_cast<double>(i));
    kernels_.matrix(in_.data(), out_.data(), work_.data());
  }
  if (kernels_.own_speeds) fill_changes(step, out_.data() + kernels_.rates, E, E_1);
  mass_in_[0] = step.t + step.h;
  std::copy_n(step.q1.begin(), nq_, mass_in_.begin() + 1);
  for (std::size_t i = 0; i < n_; ++i) mass_in_[1 + nq_ + i] = c * step.du[i];
  kernels_.mass(mass_in_.data(), mass_1_.data(), work_.data());
  if (kernels_.own_speeds) {
    fill_by_speeds(c);
  } else {
    std::size_t from = 0;
    for (math::SquareFactor& block : blocks_) {
      const std::size_t size = block.size() * block.size();
      double* J = block.data();
      for (std::size_t k = 0; k < size; ++k, ++from)
        J[k] = out_[from] + 0.5 * (mass_0_[from] + mass_1_[from]);
    }
  }
  add_outside(chart, c, whole);
}

/// E and E_1 of every quaternion.
void PassiveMatrix::fill_changes(const PassiveStep& step, const double* joint_rates, double* E,
                                 double* E_1) const {
  const double c = 0.5 * step.h;
  for (std::size_t k = 0; k < theta_.size(); ++k, E += kEntries, E_1 += kEntries) {
    const double* half = step.half.data() + theta_[k];
    const Vec phi{half[0], half[1], half[2]};
    const Mat3<double> D = turned_midway(phi), X = math::rotation_of(math::exponential(-phi));
    put(D, E);
    put(turned_midway(2.0 * phi), E_1);
    if (!kernels_.quaternions[k].shifts) continue;
    const double* v = joint_rates + kernels_.quaternions[k].speed + 3;
    const Mat3<double> carried = -c * math::skew(Vec{v[0], v[1], v[2]}) * D;
    put(carried, E + 9);
    put(X * carried, E_1 + 9);
    put(Mat3<double>::identity(), E + 18);
    put(X, E_1 + 18);
  }
}

/// E x in place, for an x of the joint rates.
void PassiveMatrix::turn(const double* E, double* x) const {
  for (const auto& [speed, shifts] : kernels_.quaternions) {
    double* at = x + speed;
    const std::array<double, 6> before{
        at[0], at[1], at[2], shifts ? at[3] : 0.0, shifts ? at[4] : 0.0, shifts ? at[5] : 0.0};
    for (std::size_t i = 0; i < 3; ++i) {
      at[i] = E[3 * i] * before[0] + E[3 * i + 1] * before[1] + E[3 * i + 2] * before[2];
      if (!shifts) continue;
      at[3 + i] = 0.0;
      for (std::size_t j = 0; j < 3; ++j)
        at[3 + i] += E[9 + 3 * i + j] * before[j] + E[18 + 3 * i + j] * before[3 + j];
    }
    E += kEntries;
  }
}

/// J = (M(q0) + M(q1))/2 + G + c^2 K B + K_1 B_1/2, column by column, with (1 - c E D) B = E W and B_1 = E_1 (W + c D B).
void PassiveMatrix::fill_by_speeds(double c) {
  const double *G = out_.data(), *K = G + kernels_.K, *W = G + kernels_.W, *D = G + kernels_.D;
  const double *E = in_.data() + inputs_ + 1, *E_1 = mass_in_.data() + 1 + nq_ + n_;
  const double* K_1 = mass_1_.data() + kernels_.mass_K;
  double *A = kinematics_.data(), *J = blocks_.front().data();
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t i = 0; i < n_; ++i) column_[i] = D[i * n_ + j];
    turn(E, column_.data());
    for (std::size_t i = 0; i < n_; ++i) A[i * n_ + j] = (i == j ? 1.0 : 0.0) - c * column_[i];
  }
  for (std::size_t k = 0; k < n_ * n_; ++k) J[k] = G[k] + 0.5 * (mass_0_[k] + mass_1_[k]);
  // Where a step is so long that speeds no longer say where it leads, the places' part of J is left out.
  if (!kinematics_.factor()) return;
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t i = 0; i < n_; ++i) column_[i] = W[i * n_ + j];
    turn(E, column_.data());
    kinematics_.solve(column_.data());
    for (std::size_t i = 0; i < n_; ++i)
      along_[i] = W[i * n_ + j] + c * math::dot(D + i * n_, column_.data(), n_);
    turn(E_1, along_.data());
    for (std::size_t i = 0; i < n_; ++i)
      J[i * n_ + j] += c * c * math::dot(K + i * n_, column_.data(), n_) +
                       0.5 * math::dot(K_1 + i * n_, along_.data(), n_);
  }
}

/// What acts at ports, besides script and held forces: -c^2 W^T d tau/d place, by differences along the motions of the speeds. Speeds whose block it
/// does not act on do not change it, and a gentle hand is not felt.
void PassiveMatrix::add_outside(Chart& chart, double c, bool whole) {
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
  const double* W = out_.data() + kernels_.W;
  std::copy_n(w.q, nq_, middle_.begin());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<int>& speeds = kernels_.blocks[b];
    double* J = blocks_[b].data();
    double largest = 0.0, least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      largest = std::max(largest, std::abs(outside_[static_cast<std::size_t>(speeds[i])]));
      least = std::min(least, std::abs(J[i * speeds.size() + i]));
    }
    if (c * c * largest <= (whole ? 0.0 : kFelt * least)) continue;
    for (std::size_t j = 0; j < speeds.size(); ++j) {
      move_along(chart, speeds[j]);
      chart.loads_at_workspace();
      acting(nudged_.data());
      for (std::size_t k = 0; k < n_; ++k) nudged_[k] = c * c * (nudged_[k] - outside_[k]) / kNudge;
      for (std::size_t i = 0; i < speeds.size(); ++i) {
        double change = nudged_[static_cast<std::size_t>(speeds[i])];
        if (kernels_.own_speeds) {
          change = 0.0;
          for (std::size_t k = 0; k < n_; ++k) change += W[k * n_ + i] * nudged_[k];
        }
        J[i * speeds.size() + j] -= change;
      }
    }
  }
  std::copy_n(middle_.begin(), nq_, w.q);
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
