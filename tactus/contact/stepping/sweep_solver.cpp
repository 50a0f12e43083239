#include <tactus/contact/stepping/sweep_solver.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tactus::contact {
namespace {

// Slip below this part of the largest velocity counts as none.
constexpr double kStill = 1e-5;
// With the matrix: to rounding, so that the steps after it find nothing to do. By the size of the terms, which
// are 1e4 times the velocities where ten tons lie on a kilogram.
constexpr double kDenseTolerance = 1e-10;
constexpr int kDenseSweeps = 60;
constexpr int kMostDoublings = 6;
// Heavy on light: how much more easily one body is moved along a normal than another.
constexpr double kHeavyOnLight = 100.0;
// So few contacts may be solved with their matrix at any time, with more sweeps.
constexpr std::size_t kCheap = 8;
constexpr int kCheapSweeps = 200;
// Velocities below this part of the largest are rounding.
constexpr double kRounding = 1e-15;
// Newton's method: rows and entries of an island's matrix, at most.
constexpr std::size_t kMostNewtonRows = 384, kMostEnvelope = 32768;
// Contacts of an island for the interior-point method, at most.
constexpr std::size_t kMostInterior = 32;
// Steps whose visits can be saved up.
constexpr long kMostSaved = 10;
// Newton's method takes over after so many sweeps, or at a solution with a residual of more than this part of the
// tolerance.
constexpr int kNewtonAfter = 24, kNewtonAfterBlow = 200;
constexpr double kNearly = 0.3;
// What is left of a disturbance in gaps comes back in the next steps, so many of which are solved as far as this.
constexpr int kFollow = 4;
constexpr double kFurther = 1e-2;
// Of the tolerance, to which Newton's method goes on where bodies rest; they do up to this part of it, a blow beyond.
constexpr double kPolish = 1e-3, kBlow = 2.0;
// Of a contact's scalar equation, by what the last sweeps have changed, and at most.
constexpr double kScalarAccuracy = 1e-4;
// Pairs of sweeps after which contacts that were open are looked at again.
constexpr int kLookAgain = 4;
// Sweeps of the displacement that separates bodies, and the part of the largest overlap they may leave: the
// next step takes it up.
constexpr int kSeparationSweeps = 30;
constexpr double kSeparationTolerance = 1e-2;

/// Two numbers that are worked on at once. Rows and blocks are padded to even lengths, so that sums are taken
/// in the same order on every machine.
using Two [[gnu::vector_size(16), gnu::may_alias]] = double;
using FreeBody = std::integral_constant<std::size_t, 3>;  // pairs of numbers in a row of a free body
using Spatial = std::integral_constant<int, 3>;           // rows of a contact with friction in space

template <class Pairs, class Rows>
void add_products(Pairs pairs, Rows rows, const double* G, const double* x, Two* sums) {
  const Two* g = reinterpret_cast<const Two*>(G);
  const Two* v = reinterpret_cast<const Two*>(x);
  for (int r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < pairs; ++i) sums[r] += g[static_cast<std::size_t>(r) * pairs + i] * v[i];
}

template <class Pairs, class Rows>
void add_transposed(Pairs pairs, Rows rows, const double* G, const double* p, double* x) {
  const Two* g = reinterpret_cast<const Two*>(G);
  Two* v = reinterpret_cast<Two*>(x);
  for (std::size_t i = 0; i < pairs; ++i) {
    Two sum = v[i];
    for (int r = 0; r < rows; ++r) sum += Two{p[r], p[r]} * g[static_cast<std::size_t>(r) * pairs + i];
    v[i] = sum;
  }
}

/// What calls with the number of pairs and rows of a contact's side: most are free bodies with friction.
template <class Call>
void by_size(std::size_t stride, int size, const Call& call) {
  if (stride == 2 * FreeBody::value && size == Spatial::value)
    call(FreeBody{}, Spatial{});
  else
    call(stride / 2, size);
}

}  // namespace

SweepSolver::SweepSolver(std::vector<std::size_t> block_sizes, std::size_t most_contacts,
                         SweepOptions options)
    : block_size_(std::move(block_sizes)),
      options_(options),
      contacts_(most_contacts),
      kept_p_(3 * most_contacts),
      push_(most_contacts),
      islands_(block_size_.size(), most_contacts),
      dense_(std::min(most_contacts, options.most_dense),
             {.tolerance = kDenseTolerance, .most_sweeps = kDenseSweeps}),
      envelope_(kMostNewtonRows, kMostEnvelope),
      newton_(most_contacts),
      newton_place_(block_size_.size()),
      gradient_(kMostNewtonRows),
      direction_(kMostNewtonRows) {
  interior_.reserve(std::min(most_contacts, kMostInterior));
  std::size_t place = 0, largest = 0;
  for (const std::size_t size : block_size_) {
    offset_.push_back(place);
    stride_.push_back(size + size % 2);
    place += stride_.back();
    largest = std::max(largest, stride_.back());
  }
  x_.assign(place, 0.0);
  y_.assign(place, 0.0);
  kept_x_.assign(place, 0.0);
  from_x_.assign(place, 0.0);
  memory_.resize(most_contacts * 6 * largest);
  newton_rows_.resize(3 * largest);
  for (std::size_t i = 0; i < most_contacts; ++i)
    for (std::size_t side = 0; side < 2; ++side)
      contacts_[i].G[side] = memory_.data() + (2 * i + side) * 3 * largest;
  const std::size_t rows = 3 * dense_.most_contacts();
  dense_size_.reserve(dense_.most_contacts());
  dense_mu_.reserve(dense_.most_contacts());
  dense_least_.reserve(dense_.most_contacts());
  dense_W_.resize(rows * rows);
  dense_b_.resize(rows);
  dense_p_.resize(rows);
  dense_w_.resize(rows);
}

SweepSolver::Contact* SweepSolver::add() {
  if (count_ == contacts_.size()) return nullptr;
  Contact& contact = contacts_[count_++];
  contact.size = 1;
  contact.mu = contact.compliance = contact.least = contact.forced = contact.alpha = 0.0;
  contact.block[0] = contact.block[1] = -1;
  for (std::size_t r = 0; r < 3; ++r) contact.b[r] = contact.p[r] = contact.w[r] = 0.0;
  contact.mode = ConeMode::open;
  contact.idle = false;
  return &contact;
}

void SweepSolver::prepare(Contact& contact) const {
  double* W = contact.local.W;
  std::fill_n(W, 9, 0.0);
  for (int side = 0; side < 2; ++side) {
    if (contact.block[side] < 0) continue;
    by_size(stride(contact.block[side]), contact.size, [&](auto pairs, auto rows) {
      const Two* g = reinterpret_cast<const Two*>(contact.G[side]);
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c <= r; ++c) {
          Two sum{};
          for (std::size_t i = 0; i < pairs; ++i)
            sum += g[static_cast<std::size_t>(r) * pairs + i] * g[static_cast<std::size_t>(c) * pairs + i];
          W[3 * r + c] += sum[0] + sum[1];
        }
      }
    });
  }
  for (int r = 0; r < contact.size; ++r)
    for (int c = 0; c < r; ++c) W[3 * c + r] = W[3 * r + c];
  W[0] += contact.compliance;
}

void SweepSolver::update(Contact& contact) const {
  contact.local.size = contact.size;
  contact.local.mu = contact.size > 1 ? contact.mu : 0.0;
  contact.local.least = contact.least;
  contact.rho = contact.local.mass();
  contact.cone = PreparedCone(contact.local);
}

void SweepSolver::velocities(Contact& k, const double* x) const {
  Two sums[3] = {};
  for (int side = 0; side < 2; ++side)
    if (k.block[side] >= 0)
      by_size(stride(k.block[side]), k.size, [&](auto pairs, auto rows) {
        add_products(pairs, rows, k.G[side], x + offset(k.block[side]), sums);
      });
  for (int r = 0; r < k.size; ++r) k.w[r] = k.b[r] + (sums[r][0] + sums[r][1]);
  k.w[0] += k.compliance * k.p[0];
}

/// Solves one contact with the others held. Returns the change of its impulse, in the unit of w.
double SweepSolver::visit(Contact& k, bool all, long& count) {
  if (k.idle && !all) return 0.0;
  ++count;
  velocities(k, x_.data());
  const bool open = k.p[0] == 0.0 && k.w[0] >= 0.0 && k.least == 0.0;
  k.idle = open;
  if (open || !(k.rho > 0.0)) return 0.0;
  double q[3] = {}, p[3] = {}, change[3] = {}, most = 0.0;
  for (int r = 0; r < k.size; ++r) {
    q[r] = k.w[r];
    for (int c = 0; c < k.size; ++c) q[r] -= k.local.W[3 * r + c] * k.p[c];
  }
  k.cone.solve(q, p, k.alpha, accuracy_);
  for (int r = 0; r < k.size; ++r) {
    change[r] = p[r] - k.p[r];
    most = std::max(most, std::abs(change[r]));
    k.p[r] = p[r];
  }
  for (int side = 0; side < 2; ++side)
    if (k.block[side] >= 0)
      by_size(stride(k.block[side]), k.size, [&](auto pairs, auto rows) {
        add_transposed(pairs, rows, k.G[side], change, x_.data() + offset(k.block[side]));
      });
  return most / k.rho;
}

/// Forth and back; `all`: also the contacts that were open the last time. Returns the largest change.
double SweepSolver::pair_of_sweeps(std::span<const int> members, bool all, long& count) {
  double most = 0.0;
  for (const int i : members)
    most = std::max(most, visit(contacts_[static_cast<std::size_t>(i)], all, count));
  for (std::size_t i = members.size(); i-- > 0;)
    most = std::max(most, visit(contacts_[static_cast<std::size_t>(members[i])], false, count));
  return most;
}

/// Velocities, and the largest natural map, of all contacts of an island.
double SweepSolver::residual(std::span<const int> members) {
  double worst = 0.0;
  for (const int i : members) {
    Contact& k = contacts_[static_cast<std::size_t>(i)];
    velocities(k, x_.data());
    double f[3];
    const double size = natural_map(k.local, ConeLaw::coulomb, k.rho, k.p, k.w, f);
    if (!(size <= worst)) worst = size;  // also takes what is no number
  }
  return worst;
}

/// The first point that momentum starts from.
void SweepSolver::keep(std::span<const int> members, std::span<const int> blocks) {
  for (const int i : members)
    std::copy_n(contacts_[static_cast<std::size_t>(i)].p, 3, &kept_p_[3 * static_cast<std::size_t>(i)]);
  for (const int b : blocks)
    for (std::size_t i = offset(b); i < offset(b) + stride(b); ++i) kept_x_[i] = from_x_[i] = x_[i];
}

/// Whether the last pair of sweeps, from y to T(y), led away from where momentum carries,
/// (y - T) . (T - last T) > 0, in kinetic energy's own product.
bool SweepSolver::turns_back(std::span<const int> blocks) const {
  double turn = 0.0;
  for (const int b : blocks)
    for (std::size_t i = offset(b); i < offset(b) + stride(b); ++i)
      turn += (from_x_[i] - x_[i]) * (x_[i] - kept_x_[i]);
  return turn > 0.0;
}

/// y = T + beta (T - last T), for the impulses and, which is the same, for what they do; T is kept.
void SweepSolver::extrapolate(std::span<const int> members, std::span<const int> blocks, double beta) {
  for (const int i : members) {
    Contact& k = contacts_[static_cast<std::size_t>(i)];
    double* kept = &kept_p_[3 * static_cast<std::size_t>(i)];
    if (k.p[0] != kept[0]) k.idle = false;
    for (std::size_t r = 0; r < 3; ++r) {
      const double T = k.p[r];
      k.p[r] += beta * (T - kept[r]);
      kept[r] = T;
    }
  }
  for (const int b : blocks) {
    for (std::size_t i = offset(b); i < offset(b) + stride(b); ++i) {
      const double T = x_[i];
      x_[i] += beta * (T - kept_x_[i]);
      kept_x_[i] = T;
      from_x_[i] = x_[i];
    }
  }
}

/// The guess made one that friction allows, and what it does; the size of what is to be solved: contacts that
/// would stay open say nothing about it. Returns the residual that is small enough.
double SweepSolver::begin_island(std::span<const int> members, ConeResult& result) {
  double largest = 0.0, forced = 0.0;
  for (const int i : members) {
    Contact& k = contacts_[static_cast<std::size_t>(i)];
    forced = std::max(forced, k.forced);
    for (int r = 0; r < k.size; ++r) largest = std::max(largest, std::abs(k.b[r]));
    if (k.b[0] >= 0.0 && k.least == 0.0) continue;
    for (int r = 0; r < k.size; ++r) result.scale = std::max(result.scale, std::abs(k.b[r]));
  }
  const bool rests = result.scale == 0.0;  // nothing closes: no impulses
  result.scale = std::max(result.scale, kRounding / options_.tolerance * largest);
  for (const int i : members) {
    Contact& k = contacts_[static_cast<std::size_t>(i)];
    k.idle = false;
    k.alpha = 0.0;
    if (rests || !(k.rho > 0.0)) std::fill_n(k.p, 3, 0.0);
    clip_impulse(k.local, k.p);
    add_impulse(k);
  }
  const double blow = forced > 0.0 ? std::max(1.0, result.scale / forced) : 1.0;
  return std::max(options_.tolerance, std::min(options_.tolerance * blow, options_.blow_tolerance)) *
         result.scale;
}

void SweepSolver::add_impulse(const Contact& k) {
  if (k.p[0] == 0.0) return;
  for (int side = 0; side < 2; ++side)
    if (k.block[side] >= 0)
      by_size(stride(k.block[side]), k.size, [&](auto pairs, auto rows) {
        add_transposed(pairs, rows, k.G[side], k.p, x_.data() + offset(k.block[side]));
      });
}

/// How much more easily one body of the island moves than another: by what each side of a contact gives to
/// its own matrix. (The masses that contacts feel tell nothing: a light body is felt on both its sides.)
double SweepSolver::unevenness(std::span<const int> members) const {
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (const int i : members) {
    const Contact& k = contacts_[static_cast<std::size_t>(i)];
    for (int side = 0; side < 2; ++side) {
      if (k.block[side] < 0) continue;
      double mobility = 0.0;
      for (std::size_t j = 0; j < stride(k.block[side]); ++j) mobility += k.G[side][j] * k.G[side][j];
      least = std::min(least, mobility);
      most = std::max(most, mobility);
    }
  }
  return most / least;
}

void SweepSolver::solve_island(std::span<const int> members, std::span<const int> blocks, long budget,
                               SweepResult& all) {
  ConeResult result;
  const double enough = begin_island(members, result);
  const bool rests = enough <= kBlow * options_.tolerance * result.scale;
  const long visits_before = all.visits;
  bool may_be_dense = members.size() <= dense_.most_contacts(), may_be_newton = options_.newton;
  double theta = 1.0, change = result.scale;
  keep(members, blocks);
  for (int pair = 0;; ++pair) {
    const bool look = pair % kLookAgain == 0 || change <= enough;
    accuracy_ = kScalarAccuracy * std::clamp(change / result.scale, options_.tolerance, 1.0);
    change = pair_of_sweeps(members, look, all.visits);
    result.sweeps += 2;
    if (!std::isfinite(change)) break;
    if (look && change <= enough) {
      result.residual = residual(members);
      result.converged = result.residual <= enough;
    }
    // Where sweeps are slow; or where bodies rest and the guess is only just good enough, so that the next steps find
    // nothing to do.
    const bool improve = rests && result.residual > (history_.follow > 0 ? kFurther : kNearly) * enough;
    if (may_be_newton &&
        (result.converged ? improve : result.sweeps >= (rests ? kNewtonAfter : kNewtonAfterBlow))) {
      may_be_newton = false;
      if (may_try(history_.newton) && order_island(members, blocks)) {
        const ConeResult swept = result;
        solve_newton(members, blocks, enough, rests ? kPolish * enough : enough, result);
        note(history_.newton, result.converged);
        if (rests && history_.follow == 0) history_.follow = kFollow + 1;
        if (!result.converged) {
          result.residual = swept.residual;
          result.converged = swept.converged;
        }
      }
    }
    if (result.converged) break;
    if (all.visits - visits_before >= budget || result.sweeps >= options_.most_sweeps) break;
    if (may_be_dense && result.sweeps >= options_.few_sweeps) {
      may_be_dense = false;
      if (const bool cheap = members.size() <= kCheap;
          unevenness(members) > kHeavyOnLight && (cheap || may_try(history_.dense))) {
        solve_dense(members, result);
        if (!cheap) note(history_.dense, result.converged);
      }
      if (result.converged) break;
    }
    if (!options_.momentum) continue;
    if (turns_back(blocks)) theta = 1.0;
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta * theta));
    extrapolate(members, blocks, (theta - 1.0) / next);
    theta = next;
  }
  if (!result.converged) {
    result.residual = residual(members);
    result.converged = result.residual <= enough;
  }
  if (!result.converged && options_.interior && (members.size() <= kCheap || may_try(history_.interior))) {
    solve_interior(members, blocks, enough, result);
    note(history_.interior, result.converged);
  }
  const double still = kStill * result.scale;
  for (const int i : members) {
    Contact& k = contacts_[static_cast<std::size_t>(i)];
    const double slip = k.size > 1 ? std::sqrt(k.w[1] * k.w[1] + (k.size > 2 ? k.w[2] * k.w[2] : 0.0)) : 0.0;
    k.mode = !(k.p[0] > 0.0)               ? ConeMode::open
             : k.mu > 0.0 && slip <= still ? ConeMode::sticking
                                           : ConeMode::sliding;
  }
  all.sweeps = std::max(all.sweeps, result.sweeps);
  all.newton_steps += result.newton_steps;
  all.converged = all.converged && result.converged;
  if (result.residual * all.scale >= all.residual * result.scale) {
    all.residual = result.residual;
    all.scale = result.scale;
  }
}

SweepResult SweepSolver::solve() {
  SweepResult result;
  result.converged = true;
  std::fill(x_.begin(), x_.end(), 0.0);
  islands_.clear();
  for (const Contact& k : contacts()) islands_.add(k.block[0], k.block[1]);
  islands_.finish(!options_.islands);
  result.islands = static_cast<int>(islands_.size());
  history_.saved = std::min(history_.saved + options_.mean_visits, kMostSaved * options_.mean_visits);
  const long visits = std::min(options_.most_visits, history_.saved);
  // Small islands first: what they leave of the visits goes to the large ones.
  std::size_t left = count_;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    const std::span<const int> members = islands_.contacts(i);
    const double part = static_cast<double>(members.size()) / static_cast<double>(left);
    const auto budget = static_cast<long>(part * static_cast<double>(visits - result.visits));
    solve_island(members, islands_.blocks(i), budget, result);
    left -= members.size();
  }
  history_.saved = std::max(0L, history_.saved - result.visits);
  history_.follow = std::max(0, history_.follow - 1);
  return result;
}

/// Some contacts cannot be solved with their matrix either, or no further, and trying is dear: after each
/// failure twice as many occasions go by before the next.
bool SweepSolver::may_try(History::Trials& trials) {
  if (trials.pause == 0) return true;
  --trials.pause;
  return false;
}

void SweepSolver::note(History::Trials& trials, bool success) {
  trials.failures = success ? trials.failures / 2 : std::min(trials.failures + 1, kMostDoublings);
  if (!success) trials.pause = (1 << trials.failures) - 1;
}

void SweepSolver::solve_dense(std::span<const int> members, ConeResult& result) {
  dense_size_.clear();
  dense_mu_.clear();
  dense_least_.clear();
  std::size_t rows = 0;
  bool least = false;
  for (const int m : members) {
    const Contact& k = contacts_[static_cast<std::size_t>(m)];
    dense_size_.push_back(k.size);
    dense_mu_.push_back(k.mu);
    dense_least_.push_back(k.least);
    least = least || k.least > 0.0;
    rows += static_cast<std::size_t>(k.size);
  }
  std::size_t i = 0;
  for (const int m : members) {
    const Contact& k = contacts_[static_cast<std::size_t>(m)];
    for (int r = 0; r < k.size; ++r, ++i) {
      std::size_t j = 0;
      for (const int o : members) {
        const Contact& other = contacts_[static_cast<std::size_t>(o)];
        for (int c = 0; c < other.size; ++c, ++j) {
          double sum = m == o && r == 0 && c == 0 ? k.compliance : 0.0;
          for (int side = 0; side < 4; ++side) {
            const int a = k.block[side % 2], b = other.block[side / 2];
            if (a < 0 || a != b) continue;
            const std::size_t n = stride(a);
            const double* g = k.G[side % 2] + static_cast<std::size_t>(r) * n;
            const double* h = other.G[side / 2] + static_cast<std::size_t>(c) * n;
            for (std::size_t l = 0; l < n; ++l) sum += g[l] * h[l];
          }
          dense_W_[i * rows + j] = sum;
        }
      }
      dense_b_[i] = k.b[r];
      dense_p_[i] = k.p[r];
    }
  }
  const std::span<const double> W(dense_W_.data(), rows * rows), b(dense_b_.data(), rows);
  dense_.set_most_sweeps(members.size() <= kCheap ? kCheapSweeps : kDenseSweeps);
  dense_.set_fall_back(members.size() <= kCheap);
  const std::span<const double> bounds =
      least ? std::span<const double>(dense_least_) : std::span<const double>();
  const ConeResult exact = dense_.solve({dense_size_, dense_mu_, bounds, W, b, result.scale},
                                        {dense_p_.data(), rows}, {dense_w_.data(), rows});
  result.newton_steps += exact.newton_steps;
  if (!exact.converged) return;
  i = 0;
  for (const int m : members) {
    Contact& k = contacts_[static_cast<std::size_t>(m)];
    double change[3] = {};
    for (int r = 0; r < k.size; ++r, ++i) {
      change[r] = dense_p_[i] - k.p[r];
      k.p[r] = dense_p_[i];
    }
    for (int side = 0; side < 2; ++side)
      if (k.block[side] >= 0)
        by_size(stride(k.block[side]), k.size, [&](auto pairs, auto n) {
          add_transposed(pairs, n, k.G[side], change, x_.data() + offset(k.block[side]));
        });
  }
  result.residual = residual(members);
  result.converged = true;
}

std::span<const double> SweepSolver::separate(std::span<const double> slack) {
  using Normal = std::integral_constant<int, 1>;
  std::fill(y_.begin(), y_.end(), 0.0);
  for (std::size_t island = 0; island < islands_.size(); ++island) {
    const std::span<const int> members = islands_.contacts(island);
    double deepest = 0.0;
    for (const int m : members) {
      const auto i = static_cast<std::size_t>(m);
      push_[i] = 0.0;
      contacts_[i].idle = false;
      if (contacts_[i].compliance == 0.0) deepest = std::min(deepest, slack[i]);
    }
    if (deepest == 0.0) continue;
    const auto push_apart = [&](std::size_t i, bool all) {
      Contact& k = contacts_[i];
      const double mobility = k.local.W[0];
      if ((k.idle && !all) || k.compliance > 0.0 || !(mobility > 0.0)) return 0.0;
      Two sums[1] = {};
      for (int side = 0; side < 2; ++side)
        if (k.block[side] >= 0)
          by_size(stride(k.block[side]), Spatial::value, [&](auto pairs, auto) {
            add_products(pairs, Normal{}, k.G[side], y_.data() + offset(k.block[side]), sums);
          });
      const double w = slack[i] + (sums[0][0] + sums[0][1]);
      const double now = std::max(0.0, push_[i] - w / mobility), change = now - push_[i];
      k.idle = now == 0.0 && change == 0.0;
      if (k.idle) return 0.0;
      for (int side = 0; side < 2; ++side)
        if (k.block[side] >= 0)
          by_size(stride(k.block[side]), Spatial::value, [&](auto pairs, auto) {
            add_transposed(pairs, Normal{}, k.G[side], &change, y_.data() + offset(k.block[side]));
          });
      push_[i] = now;
      return std::abs(change) * mobility;
    };
    for (int pair = 0; 2 * pair < kSeparationSweeps; ++pair) {
      double most = 0.0;
      for (const int m : members)
        most = std::max(most, push_apart(static_cast<std::size_t>(m), pair % kLookAgain == 0));
      for (std::size_t i = members.size(); i-- > 0;)
        most = std::max(most, push_apart(static_cast<std::size_t>(members[i]), false));
      if (most <= kSeparationTolerance * -deepest) break;
    }
  }
  return y_;
}

}  // namespace tactus::contact
