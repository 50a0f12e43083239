// The interior-point method on a small island, for what sweeps and Newton's method do not solve: a ton on a gram.
//
// With the friction of each contact associated, the law is the optimum of a convex problem in the island's speeds x,
//
//   least |x|^2 / 2   such that   w = b + G x + compliance p_n e_n + s e_n  in the dual of K_mu,   x = sum G^T p
//
// with s = 0; Coulomb's law asks for s = mu |w_t| (cone_problem.h), which is found by solving the convex problem again
// and again with the s of the last solution [AcaryCadouxLemarechalMalick2011]. In the coordinates
// (mu p_n, p_t), (w_n / mu, w_t) both cones are Lorentz's, L = {z: z_0 >= |z_1|}.
//
// On the central path p o w = m e, where a o b = (a.b, a_0 b_1 + b_0 a_1) and m falls to zero. A step of Newton's method
// towards a point of it, in the scaling of Nesterov and Todd, W p = W^-1 w = l [NesterovTodd1997; Vandenberghe2010]:
//
//   dw = W g - W^2 dp,  g = l \ (m e - l o l - second order)     dp = D (W g + r_w - G dx),  D = (W^2 + compliance)^-1
//   (1 + sum G^T D G) dx = -r_x + sum G^T D (W g + r_w)
//
// with the residuals r_x = x - sum G^T p, r_w = w - b - G x - compliance p. The matrix is that of Newton's method
// (sweep_newton.cpp) with another D.
#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/contact/stepping/sweep_solver.h>

namespace tactus::contact {
namespace {

using Cone = InteriorContact;

// Of the way to the border of the cones.
constexpr double kWithin = 0.995;
constexpr int kMostSteps = 40, kMostSolutions = 12, kMostWithoutGain = 2;
// Sweeps that take what it leaves where much slides.
constexpr int kLastSweeps = 20;
// The convex problem is solved where p.w is below this, by its size at the start; nearly, where it is below that, and ends
// there where x becomes so much worse.
constexpr double kSolved = 1e-14, kNearlySolved = 1e-10, kWorse = 10.0, kRounding = 1e-10;
// s is found where it changes by less than this part of the tolerance.
constexpr double kShiftFound = 0.1;
// A change of s that is not less than this part of the one before is taken in smaller and smaller parts.
constexpr double kFalls = 0.5, kLeastPart = 0.1;
// A contact that opens so much faster than its impulse, by the mass that it feels, is open.
constexpr double kOpen = 1e-3;
// [products] In a factorization: what asks for more is left to sweeps.
constexpr long kMostFactor = 40000;

/// z_0^2 - |z_1|^2.
double determinant(const Cone& k, const double* z) {
  double squares = 0.0;
  for (int r = 1; r < k.size; ++r) squares += z[r] * z[r];
  const double length = std::sqrt(squares);
  return (z[0] - length) * (z[0] + length);
}

double dot(const Cone& k, const double* a, const double* b) {
  double sum = 0.0;
  for (int r = 0; r < k.size; ++r) sum += a[r] * b[r];
  return sum;
}

/// W, and l. False where p or w is no longer inside.
bool scale(Cone& k) {
  const double in_p = determinant(k, k.p), in_w = determinant(k, k.w);
  if (!(in_p > 0.0) || !(in_w > 0.0) || !(k.p[0] > 0.0) || !(k.w[0] > 0.0)) return false;
  const double sp = 1.0 / std::sqrt(in_p), sw = 1.0 / std::sqrt(in_w);
  const double gamma = std::sqrt(0.5 * (1.0 + sp * sw * dot(k, k.p, k.w)));
  double* v = k.axis;
  v[0] = (sw * k.w[0] + sp * k.p[0]) / (2.0 * gamma);
  for (int r = 1; r < k.size; ++r) v[r] = (sw * k.w[r] - sp * k.p[r]) / (2.0 * gamma);
  const double norm = 1.0 / std::sqrt(2.0 * (v[0] + 1.0));
  v[0] += 1.0;
  for (int r = 0; r < k.size; ++r) v[r] *= norm;
  k.beta = std::sqrt(std::sqrt(in_w / in_p));
  return true;
}

/// W u, with W = beta (2 v v^T - J).
void scaled(const Cone& k, const double* u, double* out) {
  const double along = 2.0 * dot(k, k.axis, u);
  out[0] = k.beta * (along * k.axis[0] - u[0]);
  for (int r = 1; r < k.size; ++r) out[r] = k.beta * (along * k.axis[r] + u[r]);
}

/// W^-1 u = J (2 v v^T - J) J u / beta.
void unscaled(const Cone& k, const double* u, double* out) {
  double along = k.axis[0] * u[0];
  for (int r = 1; r < k.size; ++r) along -= k.axis[r] * u[r];
  along *= 2.0;
  out[0] = (along * k.axis[0] - u[0]) / k.beta;
  for (int r = 1; r < k.size; ++r) out[r] = (u[r] - along * k.axis[r]) / k.beta;
}

/// D = (W^2 + compliance e e^T)^-1, in the coordinates of the contact's own rows: W^-2, and Sherman's correction.
void fill_D(Cone& k) {
  double inverse[9];
  for (int c = 0; c < k.size; ++c) {
    double unit[3] = {}, once[3] = {}, twice[3] = {};
    unit[c] = 1.0;
    unscaled(k, unit, once);
    unscaled(k, once, twice);
    for (int r = 0; r < k.size; ++r) inverse[3 * r + c] = twice[r];
  }
  const double part = k.compliance / (1.0 + k.compliance * inverse[0]);
  for (int r = 0; r < k.size; ++r)
    for (int c = 0; c < k.size; ++c) {
      const double scaled_r = r == 0 ? k.stretch : 1.0, scaled_c = c == 0 ? k.stretch : 1.0;
      k.inner[3 * r + c] = inverse[3 * r + c] - part * inverse[3 * r] * inverse[c];
      k.D[3 * r + c] = scaled_r * scaled_c * k.inner[3 * r + c];
    }
}

/// How far z may go along d within the cone.
double room(const Cone& k, const double* z, const double* d) {
  double a = d[0] * d[0], b = z[0] * d[0];
  for (int r = 1; r < k.size; ++r) {
    a -= d[r] * d[r];
    b -= z[r] * d[r];
  }
  const double c = determinant(k, z), root = std::sqrt(std::max(0.0, b * b - a * c));
  if (b * b < a * c) return std::numeric_limits<double>::infinity();
  return root > b ? c / (root - b) : std::numeric_limits<double>::infinity();
}

/// l \ d: what multiplied by l gives d.
void divide(const Cone& k, const double* l, const double* d, double* out) {
  double along = l[0] * d[0];
  for (int r = 1; r < k.size; ++r) along -= l[r] * d[r];
  const double first = along / determinant(k, l);
  for (int r = 1; r < k.size; ++r) out[r] = (d[r] - first * l[r]) / l[0];
  out[0] = first;
}

}  // namespace

/// G x of a contact, in the cone's coordinates.
void SweepSolver::interior_velocity(const InteriorContact& own, const double* x, double* v) const {
  const Contact& k = contacts_[own.contact];
  for (int r = 0; r < own.size; ++r) {
    double sum = 0.0;
    for (int side = 0; side < 2; ++side) {
      if (k.block[side] < 0) continue;
      const std::size_t n = stride(k.block[side]), from = offset(k.block[side]);
      const double* g = k.G[side] + static_cast<std::size_t>(r) * n;
      for (std::size_t i = 0; i < n; ++i) sum += g[i] * x[from + i];
    }
    v[r] = r == 0 ? own.stretch * sum : sum;
  }
}

/// to += G^T z, in the envelope's order.
void SweepSolver::add_interior(const InteriorContact& own, const double* z, double* to) const {
  const Contact& k = contacts_[own.contact];
  for (int side = 0; side < 2; ++side) {
    if (k.block[side] < 0) continue;
    const std::size_t n = stride(k.block[side]), at = newton_place_[static_cast<std::size_t>(k.block[side])];
    for (int r = 0; r < own.size; ++r) {
      const double* g = k.G[side] + static_cast<std::size_t>(r) * n;
      const double part = r == 0 ? own.stretch * z[0] : z[r];
      for (std::size_t i = 0; i < n; ++i) to[at + i] += g[i] * part;
    }
  }
}

/// dx, dp and dw towards p o w = m e, less `second` of each contact; r_x and r_w are in place.
void SweepSolver::interior_direction(std::span<const int> blocks, double m, bool second) {
  std::copy_n(gradient_.begin(), envelope_.size(), direction_.begin());
  for (double& r : std::span(direction_).first(envelope_.size())) r = -r;
  for (Cone& k : interior_) {
    double d[3] = {};
    d[0] = m - dot(k, k.l, k.l);
    for (int r = 1; r < k.size; ++r) d[r] = -2.0 * k.l[0] * k.l[r];
    if (second) {
      double a[3], b[3];
      unscaled(k, k.dw, a);
      scaled(k, k.dp, b);
      d[0] -= dot(k, a, b);
      for (int r = 1; r < k.size; ++r) d[r] -= a[0] * b[r] + b[0] * a[r];
    }
    double g[3];
    divide(k, k.l, d, g);
    scaled(k, g, k.Wg);
    double Dh[3] = {};
    for (int r = 0; r < k.size; ++r)
      for (int c = 0; c < k.size; ++c) Dh[r] += k.inner[3 * r + c] * (k.Wg[c] + k.r_w[c]);
    add_interior(k, Dh, direction_.data());
  }
  envelope_.solve(direction_.data());
  for (const int b : blocks)
    for (std::size_t i = 0; i < stride(b); ++i)
      y_[offset(b) + i] = direction_[newton_place_[static_cast<std::size_t>(b)] + i];
  for (Cone& k : interior_) {
    double v[3];
    interior_velocity(k, y_.data(), v);
    std::fill_n(k.dp, 3, 0.0);
    for (int r = 0; r < k.size; ++r)
      for (int c = 0; c < k.size; ++c) k.dp[r] += k.inner[3 * r + c] * (k.Wg[c] + k.r_w[c] - v[c]);
    for (int r = 0; r < k.size; ++r)  // not W g - W^2 dp, in which much cancels
      k.dw[r] = v[r] - k.r_w[r] + (r == 0 ? k.compliance * k.dp[0] : 0.0);
  }
}

void SweepSolver::interior_step(std::span<const int> blocks, double length) {
  for (const int b : blocks)
    for (std::size_t i = offset(b); i < offset(b) + stride(b); ++i) x_[i] += length * y_[i];
  for (Cone& k : interior_)
    for (int r = 0; r < k.size; ++r) {
      k.p[r] += length * k.dp[r];
      k.w[r] += length * k.dw[r];
    }
}

/// The convex problem, from inside of all cones. x is in x_; false where it was not solved.
bool SweepSolver::solve_convex(std::span<const int> blocks, double size, ConeResult& result) {
  for (const int b : blocks) std::fill_n(&x_[offset(b)], stride(b), 0.0);
  double gap_at_start = 0.0;
  for (Cone& k : interior_) {
    std::fill_n(k.p, 3, 0.0);
    std::fill_n(k.w, 3, 0.0);
    k.w[0] = size * k.stretch;
    k.p[0] = size * k.mass / k.stretch;
    gap_at_start += k.p[0] * k.w[0];
  }
  const auto count = static_cast<double>(interior_.size());
  double length = 0.0, missed_before = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMostSteps; ++step) {
    // Residuals.
    std::fill_n(gradient_.begin(), envelope_.size(), 0.0);
    double gap = 0.0, missed = 0.0;
    for (Cone& k : interior_) {
      double v[3];
      interior_velocity(k, x_.data(), v);
      for (int r = 0; r < k.size; ++r) {
        k.r_w[r] = k.w[r] - k.b[r] - v[r] - (r == 0 ? k.compliance * k.p[0] : 0.0);
        missed = std::max(missed, std::abs(k.r_w[r]));
      }
      double minus[3];
      for (int r = 0; r < k.size; ++r) minus[r] = -k.p[r];
      add_interior(k, minus, gradient_.data());
      gap += dot(k, k.p, k.w);
    }
    double missed_x = 0.0, largest = 0.0;
    for (const int b : blocks)
      for (std::size_t i = 0; i < stride(b); ++i) {
        double& r = gradient_[newton_place_[static_cast<std::size_t>(b)] + i];
        r += x_[offset(b) + i];
        missed_x = std::max(missed_x, std::abs(r));
        largest = std::max(largest, std::abs(x_[offset(b) + i]));
      }
    if (!std::isfinite(gap)) return false;
    if (gap <= kSolved * gap_at_start) return true;
    // Near the border of the cones the matrix says less and less of x: the last point was better.
    if (gap <= kNearlySolved * gap_at_start && missed_x > kWorse * missed_before &&
        missed_x > kRounding * largest) {
      interior_step(blocks, -length);
      return true;
    }
    missed_before = missed_x;
    // The matrix, at the scaling of this point.
    envelope_.set_identity();
    for (Cone& k : interior_) {
      if (!scale(k)) return step > 0;
      scaled(k, k.p, k.l);
      fill_D(k);
      add_to_envelope(contacts_[k.contact], k.size, k.D);
    }
    if (!envelope_.factor()) return step > 0;
    ++result.newton_steps;
    // Straight on, then centred by how far that went [Mehrotra1992].
    const auto longest = [&] {
      double most = 1.0 / kWithin;
      for (const Cone& k : interior_) most = std::min({most, room(k, k.p, k.dp), room(k, k.w, k.dw)});
      return most;
    };
    interior_direction(blocks, 0.0, false);
    const double straight = std::min(1.0, longest());
    const double part = (1.0 - straight) * (1.0 - straight) * (1.0 - straight);
    interior_direction(blocks, part * gap / count, true);
    length = std::min(1.0, kWithin * longest());
    if (!std::isfinite(length)) return false;
    interior_step(blocks, length);
  }
  return true;  // as far as it goes: the law is looked at by the natural map
}

/// From wherever sweeps have led; where it leads no nearer to the law the impulses stay what they were.
void SweepSolver::solve_interior(std::span<const int> members, std::span<const int> blocks, double enough,
                                 ConeResult& result) {
  if (members.size() > interior_.capacity() || !order_island(members, blocks) ||
      envelope_.work() > kMostFactor)
    return;
  interior_.clear();
  for (const int m : members) {
    const Contact& k = contacts_[static_cast<std::size_t>(m)];
    if (k.least > 0.0) return;
    std::copy_n(k.p, 3, newton_[static_cast<std::size_t>(m)].before);
    if (!(k.rho > 0.0)) continue;
    Cone own;
    own.contact = static_cast<std::size_t>(m);
    const bool rubs = k.size > 1 && k.mu > 0.0;
    own.size = rubs ? k.size : 1;
    own.stretch = rubs ? 1.0 / k.mu : 1.0;
    own.mass = k.rho;
    own.compliance = k.compliance * own.stretch * own.stretch;
    for (int r = 0; r < own.size; ++r) own.b[r] = r == 0 ? own.stretch * k.b[0] : k.b[r];
    own.shift = 0.0;
    interior_.push_back(own);
  }
  const auto gather_x = [&] {
    for (const int b : blocks) std::fill_n(&x_[offset(b)], stride(b), 0.0);
    for (const int m : members) add_impulse(contacts_[static_cast<std::size_t>(m)]);
  };
  const auto keep_best = [&] {
    for (const int m : members)
      std::copy_n(contacts_[static_cast<std::size_t>(m)].p, 3, newton_[static_cast<std::size_t>(m)].best);
  };
  int without_gain = 0;
  double best = result.residual, change_before = std::numeric_limits<double>::infinity(), part = 1.0;
  for (int solution = 0; solution < kMostSolutions; ++solution) {
    if (!solve_convex(blocks, result.scale, result)) break;
    for (const int m : members) std::fill_n(contacts_[static_cast<std::size_t>(m)].p, 3, 0.0);
    double change = 0.0;
    for (Cone& own : interior_) {
      Contact& k = contacts_[own.contact];
      double p[3] = {};
      for (int r = 0; r < own.size; ++r) p[r] = r == 0 ? own.stretch * own.p[0] : own.p[r];
      const double opening = own.w[0] / own.stretch - own.shift;
      if (p[0] / own.mass > kOpen * opening) {
        std::copy_n(p, own.size, k.p);
        clip_impulse(k.local, k.p);
      }
      if (own.size == 1) continue;
      double slip = 0.0;
      for (int r = 1; r < own.size; ++r) slip += own.w[r] * own.w[r];
      const double shift = std::sqrt(slip) / own.stretch;  // mu |w_t|
      change = std::max(change, std::abs(shift - own.shift));
      own.next_shift = shift;
    }
    if (change > kFalls * change_before) part = std::max(kLeastPart, 0.5 * part);  // it goes in circles
    change_before = change;
    for (Cone& own : interior_) {
      const double more = own.size > 1 ? part * (own.next_shift - own.shift) : 0.0;
      own.b[0] += own.stretch * more;
      own.shift += more;
    }
    gather_x();
    const double now = residual(members);
    ++without_gain;
    if (now < best) {
      best = now;
      keep_best();
      without_gain = 0;
    }
    if (now <= enough || !(change > kShiftFound * enough) || without_gain > kMostWithoutGain) break;
  }
  const bool gained = best < result.residual;
  for (const int m : members) {
    const auto i = static_cast<std::size_t>(m);
    std::copy_n(gained ? newton_[i].best : newton_[i].before, 3, contacts_[i].p);
  }
  gather_x();
  result.residual = residual(members);
  for (int sweep = 0; gained && sweep < kLastSweeps && result.residual > enough; sweep += 2) {
    long visits = 0;
    accuracy_ = 0.0;
    keep_best();
    pair_of_sweeps(members, true, visits);
    const double now = residual(members);
    if (!(now < result.residual)) {
      for (const int m : members)
        std::copy_n(newton_[static_cast<std::size_t>(m)].best, 3, contacts_[static_cast<std::size_t>(m)].p);
      gather_x();
      residual(members);
      break;
    }
    result.residual = now;
  }
  result.converged = result.residual <= enough;
}

}  // namespace tactus::contact
