// Newton's method on an island, in its speeds: the method of multipliers, whose steps are piecewise quadratic
// [Rockafellar1976].
//
// With a radius r for the friction of each contact, the law is a projection onto a convex set, the cylinder
// C = {p_n >= o, |p_t| <= r}, and from impulses p the next ones are
//
//   p+ = P(y),   y = p - rho w,   w = b + G x,   x = sum over contacts G^T p+
//
// (the normal rows with a compliance c: y_n = (p_n - rho w_n) / (1 + rho c)). x is where a convex function is least,
//
//   phi(x) = |x|^2 / 2 + sum (|y|^2 - |y - P(y)|^2) / (2 rho),     grad = x - sum G^T P(y)
//
// found by Newton's method with its Hessian 1 + sum G^T rho P'(y) G, which couples only blocks that touch: in
// the order of Cuthill and McKee it has a narrow envelope. Then r = mu p_n, until the law of Coulomb holds. A large
// rho (kStiff times the mass that a contact feels) makes few rounds of it; contacts that say the same as others
// change nothing, their impulses stay near those at the start. Where much slides, the radii take many rounds: it is
// given up, and sweeps go on.
#include <algorithm>
#include <bit>
#include <cmath>

#include <tactus/contact/stepping/sweep_solver.h>

namespace tactus::contact {
namespace {

constexpr double kStiff = 1e5;
// Heavy bodies on light ones ask for more, by how uneven they are, and at most this.
constexpr double kMostUneven = 1e6;
// From a guess that is far off it grows to that, round by round.
constexpr double kSoft = 10.0, kStiffer = 10.0, kSoftest = 1.0;
constexpr int kMostRounds = 20, kMostNewton = 12, kMostHalvings = 12;
// Of the largest x: what is left of the gradient is rounding, with rho as large as it is.
constexpr double kFlatGradient = 1e-11;
// Of it, below which a gradient that no longer falls is rounding as well.
constexpr double kNearlyFlat = 1e-7, kFalls = 0.1;
// After so many rounds, each has to leave no more than this of the residual.
constexpr int kFewRounds = 4;
constexpr double kFallsSlowly = 0.5;
constexpr double kArmijo = 1e-4;
// Products in a factorization, about 0.2 ms: islands that ask for more are left to sweeps.
constexpr long kMostWork = 400000;

}  // namespace

/// The order of the blocks, the envelope, and where speeds are in it. False where the island is too large.
bool SweepSolver::order_island(std::span<const int> members, std::span<const int> blocks) {
  const std::size_t n = blocks.size();
  if (n > kMostNewtonBlocks) return false;
  for (std::size_t i = 0; i < n; ++i) {
    newton_place_[static_cast<std::size_t>(blocks[i])] = i;
    neighbours_[i] = 0;
  }
  for (const int m : members) {
    const Contact& k = contacts_[static_cast<std::size_t>(m)];
    if (k.block[0] < 0 || k.block[1] < 0) continue;
    const std::size_t a = newton_place_[static_cast<std::size_t>(k.block[0])],
                      b = newton_place_[static_cast<std::size_t>(k.block[1])];
    neighbours_[a] |= std::uint64_t{1} << b;
    neighbours_[b] |= std::uint64_t{1} << a;
  }
  const auto degree = [&](std::size_t i) { return std::popcount(neighbours_[i]); };
  // From a block with the fewest neighbours, always on to those of the earliest that is done.
  std::uint64_t left = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  std::size_t count = 0, seen = 0;
  const auto take = [&](std::uint64_t among) {
    while (among != 0) {
      std::size_t best = static_cast<std::size_t>(std::countr_zero(among));
      for (std::uint64_t rest = among; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        if (degree(i) < degree(best)) best = i;
      }
      newton_order_[count++] = best;
      left &= ~(std::uint64_t{1} << best);
      among &= ~(std::uint64_t{1} << best);
      if (seen == count - 1) break;  // a start: the others follow as neighbours
    }
  };
  while (left != 0) {
    if (seen == count) take(left);
    take(neighbours_[newton_order_[seen++]] & left);
  }
  std::size_t rows = 0;
  for (std::size_t i = 0; i < n; ++i) {
    newton_from_[newton_order_[i]] = rows;
    rows += stride(blocks[newton_order_[i]]);
  }
  envelope_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t block = newton_order_[i];
    std::size_t first = newton_from_[block];
    for (std::uint64_t rest = neighbours_[block]; rest != 0; rest &= rest - 1)
      first = std::min(first, newton_from_[static_cast<std::size_t>(std::countr_zero(rest))]);
    for (std::size_t r = 0; r < stride(blocks[block]); ++r)
      if (!envelope_.add_row(first)) return false;
  }
  for (std::size_t i = 0; i < n; ++i) newton_place_[static_cast<std::size_t>(blocks[i])] = newton_from_[i];
  return envelope_.work() <= kMostWork;
}

/// At x: y and P(y) of all contacts; the gradient, in the envelope's order, where it is asked for. Returns phi.
double SweepSolver::evaluate_newton(std::span<const int> members, std::span<const int> blocks,
                                    const double* x, double* gradient) {
  double phi = 0.0;
  for (const int b : blocks) {
    const std::size_t from = offset(b), to = newton_place_[static_cast<std::size_t>(b)];
    for (std::size_t i = 0; i < stride(b); ++i) {
      phi += 0.5 * x[from + i] * x[from + i];
      if (gradient != nullptr) gradient[to + i] = x[from + i];
    }
  }
  for (const int m : members) {
    const auto index = static_cast<std::size_t>(m);
    Contact& k = contacts_[index];
    if (!(k.rho > 0.0)) continue;
    NewtonContact& own = newton_[index];
    double v[3] = {};
    for (int r = 0; r < k.size; ++r) v[r] = k.b[r];
    for (int side = 0; side < 2; ++side) {
      if (k.block[side] < 0) continue;
      const std::size_t n = stride(k.block[side]), from = offset(k.block[side]);
      for (int r = 0; r < k.size; ++r) {
        const double* g = k.G[side] + static_cast<std::size_t>(r) * n;
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += g[i] * x[from + i];
        v[r] += sum;
      }
    }
    const double rho = stiff_ * k.rho, rho_n = rho / (1.0 + rho * k.compliance);
    own.y[0] = k.p[0] * (rho_n / rho) - rho_n * v[0];
    own.P[0] = std::max(own.y[0], k.least);
    const double miss = own.y[0] - own.P[0];
    phi += (own.y[0] * own.y[0] - miss * miss) / (2.0 * rho_n);
    if (k.size > 1) {
      double squares = 0.0;
      for (int r = 1; r < k.size; ++r) {
        own.y[r] = k.p[r] - rho * v[r];
        squares += own.y[r] * own.y[r];
      }
      own.length = std::sqrt(squares);
      const double part = own.length > own.radius ? own.radius / own.length : 1.0;
      for (int r = 1; r < k.size; ++r) own.P[r] = part * own.y[r];
      const double off = own.length * (1.0 - part);
      phi += (squares - off * off) / (2.0 * rho);
    }
    if (gradient == nullptr) continue;
    for (int side = 0; side < 2; ++side) {
      if (k.block[side] < 0) continue;
      const std::size_t n = stride(k.block[side]);
      double* to = gradient + newton_place_[static_cast<std::size_t>(k.block[side])];
      for (int r = 0; r < k.size; ++r) {
        const double* g = k.G[side] + static_cast<std::size_t>(r) * n;
        for (std::size_t i = 0; i < n; ++i) to[i] -= g[i] * own.P[r];
      }
    }
  }
  return phi;
}

/// 1 + sum G^T rho P'(y) G.
void SweepSolver::assemble_newton(std::span<const int> members) {
  envelope_.set_identity();
  for (const int m : members) {
    const auto index = static_cast<std::size_t>(m);
    const Contact& k = contacts_[index];
    if (!(k.rho > 0.0)) continue;
    const NewtonContact& own = newton_[index];
    const double rho = stiff_ * k.rho;
    double D[9] = {};
    if (own.y[0] > k.least) D[0] = rho / (1.0 + rho * k.compliance);
    if (k.size > 1 && own.radius > 0.0) {
      const bool slides = own.length > own.radius;
      const double part = slides ? own.radius / own.length : 1.0;
      for (int r = 1; r < k.size; ++r)
        for (int c = 1; c < k.size; ++c)
          D[3 * r + c] =
              rho * part *
              ((r == c ? 1.0 : 0.0) - (slides ? own.y[r] * own.y[c] / (own.length * own.length) : 0.0));
    }
    const bool rubs = k.size > 1 && own.radius > 0.0;
    if (D[0] != 0.0 || rubs) add_to_envelope(k, k.size, D);
  }
}

/// G^T D G of a contact's first `size` rows; D by rows of three.
void SweepSolver::add_to_envelope(const Contact& k, int size, const double* D) {
  for (int side = 0; side < 2; ++side) {
    if (k.block[side] < 0) continue;
    const std::size_t n = stride(k.block[side]);
    const std::size_t at = newton_place_[static_cast<std::size_t>(k.block[side])];
    const double* g = k.G[side];
    // (D G) of this side, then G^T (D G) with this side and, below the diagonal, with the other one.
    double* DG = newton_rows_.data();
    for (int r = 0; r < size; ++r)
      for (std::size_t i = 0; i < n; ++i) {
        double sum = D[3 * r] * g[i];
        for (int c = 1; c < size; ++c) sum += D[3 * r + c] * g[static_cast<std::size_t>(c) * n + i];
        DG[static_cast<std::size_t>(r) * n + i] = sum;
      }
    for (std::size_t i = 0; i < n; ++i) {
      double* row = envelope_.row(at + i) + at;
      for (int r = 0; r < size; ++r) {
        const double a = g[static_cast<std::size_t>(r) * n + i];
        const double* b = DG + static_cast<std::size_t>(r) * n;
        for (std::size_t j = 0; j <= i; ++j) row[j] += a * b[j];
      }
    }
    const int other = k.block[1 - side];
    if (other < 0 || newton_place_[static_cast<std::size_t>(other)] < at) continue;
    const std::size_t below = newton_place_[static_cast<std::size_t>(other)], wide = stride(other);
    for (std::size_t i = 0; i < wide; ++i) {
      double* row = envelope_.row(below + i) + at;
      for (int r = 0; r < size; ++r) {
        const double a = k.G[1 - side][static_cast<std::size_t>(r) * wide + i];
        const double* b = DG + static_cast<std::size_t>(r) * n;
        for (std::size_t j = 0; j < n; ++j) row[j] += a * b[j];
      }
    }
  }
}

/// From the impulses at hand to a residual of `goal`; where it does not lead to what is enough they stay what they
/// were.
void SweepSolver::solve_newton(std::span<const int> members, std::span<const int> blocks, double enough,
                               double goal, ConeResult& result) {
  for (const int m : members)
    std::copy_n(contacts_[static_cast<std::size_t>(m)].p, 3, newton_[static_cast<std::size_t>(m)].before);
  const auto gather_x = [&] {
    for (const int b : blocks) std::fill_n(&x_[offset(b)], stride(b), 0.0);
    for (const int m : members) add_impulse(contacts_[static_cast<std::size_t>(m)]);
  };
  bool done = false;
  const double stiffest = kStiff * std::min(unevenness(members), kMostUneven);
  stiff_ = result.converged ? kStiff : kSoft;
  for (int round = 0; round < kMostRounds && !done; ++round) {
    double largest = 0.0, last = 0.0;
    for (const int m : members) {
      const auto i = static_cast<std::size_t>(m);
      newton_[i].radius = contacts_[i].size > 1 ? contacts_[i].mu * contacts_[i].p[0] : 0.0;
    }
    double phi = evaluate_newton(members, blocks, x_.data(), gradient_.data());
    bool solved = false;
    for (int step = 0; step <= kMostNewton; ++step) {
      double steepest = 0.0;
      largest = 0.0;
      for (std::size_t i = 0; i < envelope_.size(); ++i)
        steepest = std::max(steepest, std::abs(gradient_[i]));
      for (const int b : blocks)
        for (std::size_t i = offset(b); i < offset(b) + stride(b); ++i)
          largest = std::max(largest, std::abs(x_[i]));
      solved = steepest <= kNearlyFlat * largest;
      if (!(steepest > kFlatGradient * largest)) break;
      if (step == kMostNewton || (step > 0 && solved && steepest > kFalls * last)) break;
      last = steepest;
      assemble_newton(members);
      if (!envelope_.factor()) break;
      ++result.newton_steps;
      double slope = 0.0;
      for (std::size_t i = 0; i < envelope_.size(); ++i) direction_[i] = -gradient_[i];
      envelope_.solve(direction_.data());
      for (std::size_t i = 0; i < envelope_.size(); ++i) slope += gradient_[i] * direction_[i];
      double part = 1.0;
      for (int halving = 0;; ++halving, part *= 0.5) {
        for (const int b : blocks)
          for (std::size_t i = 0; i < stride(b); ++i)
            y_[offset(b) + i] =
                x_[offset(b) + i] + part * direction_[newton_place_[static_cast<std::size_t>(b)] + i];
        const double next = evaluate_newton(members, blocks, y_.data(), gradient_.data());
        if (halving == kMostHalvings || next <= phi + kArmijo * part * slope) {
          phi = next;
          break;
        }
        if (-slope <= kFlatGradient * std::abs(phi)) {  // phi is flat to rounding
          phi = next;
          break;
        }
      }
      for (const int b : blocks) std::copy_n(&y_[offset(b)], stride(b), &x_[offset(b)]);
    }
    if (!solved) {  // too stiff to begin with: the impulses stay, and it is tried softer
      stiff_ /= kStiffer * kStiffer;
      gather_x();
      if (stiff_ < kSoftest) break;
      continue;
    }
    for (const int m : members) {
      const auto i = static_cast<std::size_t>(m);
      if (contacts_[i].rho > 0.0) std::copy_n(newton_[i].P, contacts_[i].size, contacts_[i].p);
    }
    gather_x();
    const double now = residual(members);
    done = now <= goal;
    if (!std::isfinite(now)) break;
    if (round > 0 && now <= enough && now > kFalls * result.residual) break;
    if (round >= kFewRounds && stiff_ == stiffest && now > kFallsSlowly * result.residual) break;
    stiff_ = std::min(stiffest, kStiffer * stiff_);
    if (round == 0 || now < result.residual) {
      result.residual = now;
      for (const int m : members)
        std::copy_n(contacts_[static_cast<std::size_t>(m)].p, 3, newton_[static_cast<std::size_t>(m)].best);
    }
  }
  result.converged = result.residual <= enough;
  for (const int m : members) {
    const auto i = static_cast<std::size_t>(m);
    std::copy_n(result.converged ? newton_[i].best : newton_[i].before, 3, contacts_[i].p);
    clip_impulse(contacts_[i].local, contacts_[i].p);
  }
  gather_x();
  result.residual = residual(members);
  result.converged = result.residual <= enough;
}

}  // namespace tactus::contact
