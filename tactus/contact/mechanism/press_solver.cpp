#include <tactus/contact/mechanism/press_solver.h>

#include <algorithm>
#include <cmath>

namespace tactus::contact {

namespace {

constexpr int kMostSweeps = 100;
/// Changes of sets, by the number of contacts: each closes, slides and opens again once where it ends at all.
constexpr std::size_t kMostChanges = 3;
/// A tangent whose answer is so small beside the normal's leads nowhere (planar scenes).
constexpr double kNowhere = 1e-8;
/// Rows that depend on others, by their pivots and the largest answer.
constexpr double kDependent = 1e-11;
/// Rows of tangents count less by this where rows are chosen: of those that depend on each other the normals hold, and what cannot stick as well has to slide.
constexpr double kTangent = 1e-3;
/// Friction this near to its limit is at it.
constexpr double kAtLimit = 1e-9;

}  // namespace

PressSolver::PressSolver(std::size_t most)
    : width_(3 * most),
      contacts_(most),
      working_(most),
      R_(width_ * width_),
      e_(width_),
      equations_(width_),
      elimination_(width_, width_),
      right_(width_),
      change_(width_) {
  equations_.clear();
}

bool PressSolver::solve(double enough) {
  if (!solve_by_sets(enough) && !solve_by_sweeps(enough)) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    Contact& contact = contacts_[i];
    std::copy_n(contact.excess, 3, contact.excess_before);
    std::copy_n(contact.force, 3, contact.force_before);
    std::copy_n(working_[i].force, 3, contact.force);
  }
  return true;
}

/// R += (de - R df) df^T/|df|^2
void PressSolver::learn() {
  double square = 0.0;
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t r = 0; r < 3; ++r) {
      const Contact& contact = contacts_[i];
      right_[3 * i + r] = contact.force[r] - contact.force_before[r];
      square += right_[3 * i + r] * right_[3 * i + r];
      e_[3 * i + r] = contact.excess[r] - contact.excess_before[r];
    }
  if (!(square > 0.0)) return;
  for (std::size_t k = 0; k < 3 * count_; ++k)
    for (std::size_t i = 0; i < 3 * count_; ++i) e_[i] -= R_[k * width_ + i] * right_[k];
  for (std::size_t k = 0; k < 3 * count_; ++k)
    for (std::size_t i = 0; i < 3 * count_; ++i) R_[k * width_ + i] += e_[i] * right_[k] / square;
}

/// More force along a row, and what it does to all ways.
void PressSolver::push(std::size_t i, std::size_t r, double df) {
  if (df == 0.0) return;
  working_[i].force[r] += df;
  const double* R = &R_[(3 * i + r) * width_];
  for (std::size_t k = 0; k < 3 * count_; ++k) e_[k] += R[k] * df;
}

bool PressSolver::solve_by_sets(double enough) {
  choose_sets(enough);
  for (std::size_t changes = 0;; ++changes) {
    start_from_sets();
    close();
    if (!change_a_set(enough)) break;
    if (changes == kMostChanges * count_) return false;
  }
  for (std::size_t i = 0; i < count_; ++i)
    if (!(e_[3 * i] >= -enough)) return false;  // rows that cannot be closed together
  return true;
}

/// As the forces have them; what comes in is closed, and sticks.
void PressSolver::choose_sets(double enough) {
  for (std::size_t i = 0; i < count_; ++i) {
    const Contact& contact = contacts_[i];
    Working& working = working_[i];
    working = {};
    if (!(contact.force[0] > 0.0) && contact.excess[0] >= -enough) continue;
    working.set = Set::sticks;
    if (contact.rows == 1) continue;
    const double friction = std::hypot(contact.force[1], contact.force[2]);
    if (!(contact.force[0] > 0.0) || friction < (1.0 - kAtLimit) * contact.mu * contact.force[0]) continue;
    if (!(friction > 0.0)) continue;
    working.set = Set::slides;
    for (std::size_t r = 1; r < 3; ++r) working.slide[r] = contact.force[r] / friction;
  }
}

/// The forces as they were, but for those of open contacts and the friction of those that slide.
void PressSolver::start_from_sets() {
  for (std::size_t i = 0; i < count_; ++i) {
    std::copy_n(contacts_[i].force, 3, working_[i].force);
    std::copy_n(contacts_[i].excess, 3, &e_[3 * i]);
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const Contact& contact = contacts_[i];
    const Working& working = working_[i];
    for (std::size_t r = 0; r < contact.rows; ++r) {
      if (working.set == Set::open)
        push(i, r, -contact.force[r]);
      else if (working.set == Set::slides && r > 0)
        push(i, r, contact.mu * contact.force[0] * working.slide[r] - contact.force[r]);
    }
  }
}

/// How a row answers the unknown of another: friction of a contact that slides follows its normal force.
double PressSolver::column(std::size_t row, std::size_t i, std::size_t r) const {
  double answer = R_[(3 * i + r) * width_ + row];
  if (working_[i].set == Set::slides)
    for (std::size_t s = 1; s < 3; ++s)
      answer += contacts_[i].mu * working_[i].slide[s] * R_[(3 * i + s) * width_ + row];
  return answer;
}

/// Solves for what is closed.
void PressSolver::close() {
  equations_.clear();
  for (std::size_t i = 0; i < count_; ++i) {
    if (working_[i].set == Set::open) continue;
    equations_.push_back(3 * i);
    for (std::size_t r = 1; r < contacts_[i].rows && working_[i].set == Set::sticks; ++r)
      equations_.push_back(3 * i + r);
  }
  const std::size_t n = equations_.size();
  double largest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    double* row = elimination_.row(k, n);
    for (std::size_t l = 0; l < n; ++l) {
      row[l] = column(equations_[k], equations_[l] / 3, equations_[l] % 3);
      largest = std::max(largest, std::abs(row[l]));
    }
    const double weight = equations_[k] % 3 == 0 ? 1.0 : kTangent;
    for (std::size_t l = 0; l < n; ++l) row[l] *= weight;
    right_[k] = -weight * e_[equations_[k]];
  }
  if (n == 0) return;
  elimination_.factor(n, n, kDependent * largest);
  elimination_.solve(right_.data(), change_.data());
  for (std::size_t a = 0; a < elimination_.rank(); ++a) {
    const std::size_t unknown = equations_[elimination_.pivot_column(a)], i = unknown / 3;
    push(i, unknown % 3, change_[a]);
    if (working_[i].set == Set::slides)
      for (std::size_t s = 1; s < 3; ++s) push(i, s, contacts_[i].mu * working_[i].slide[s] * change_[a]);
  }
}

/// False where every contact fits its set; otherwise the worst changes it: the one that pulls most, or, in this order, stays open though it should be closed, because its row depends on others,
/// comes in most, slips most though it sticks, sticks too hard, or is pushed by its friction.
bool PressSolver::change_a_set(double enough) {
  const auto worst = [&](double least, const auto& amount) {
    std::size_t who = count_;
    for (std::size_t i = 0; i < count_; ++i)
      if (const double x = amount(i); x > least) {
        least = x;
        who = i;
      }
    return who;
  };
  const auto is = [&](std::size_t i, Set set) { return working_[i].set == set; };
  const auto slip = [&](std::size_t i) { return std::hypot(e_[3 * i + 1], e_[3 * i + 2]); };
  const auto friction = [&](std::size_t i) { return std::hypot(working_[i].force[1], working_[i].force[2]); };
  const auto slide = [&](std::size_t i, double x, double y) {
    working_[i].set = Set::slides;
    working_[i].slide[1] = x / std::hypot(x, y);
    working_[i].slide[2] = y / std::hypot(x, y);
  };

  std::size_t i = worst(0.0, [&](std::size_t k) { return is(k, Set::open) ? 0.0 : -working_[k].force[0]; });
  if (i == count_) i = worst(enough, [&](std::size_t k) { return is(k, Set::open) ? 0.0 : e_[3 * k]; });
  if (i < count_) {
    working_[i].set = Set::open;
    return true;
  }
  i = worst(enough, [&](std::size_t k) { return is(k, Set::open) ? -e_[3 * k] : 0.0; });
  if (i < count_) {
    working_[i].set = Set::sticks;
    return true;
  }
  const auto sticks = [&](std::size_t k) { return is(k, Set::sticks) && contacts_[k].rows > 1; };
  i = worst(enough, [&](std::size_t k) { return sticks(k) ? slip(k) : 0.0; });
  if (i < count_) {
    slide(i, -e_[3 * i + 1], -e_[3 * i + 2]);
    return true;
  }
  i = worst(0.0, [&](std::size_t k) {
    return sticks(k) ? friction(k) - (1.0 + kAtLimit) * contacts_[k].mu * working_[k].force[0] : 0.0;
  });
  if (i < count_) {
    slide(i, working_[i].force[1], working_[i].force[2]);
    return true;
  }
  i = worst(enough, [&](std::size_t k) {
    const double* along = working_[k].slide;
    return is(k, Set::slides) ? along[1] * e_[3 * k + 1] + along[2] * e_[3 * k + 2] : 0.0;
  });
  if (i == count_) return false;
  working_[i].set = Set::sticks;
  return true;
}

bool PressSolver::solve_by_sweeps(double enough) {
  for (std::size_t i = 0; i < count_; ++i) {
    working_[i] = {};
    std::copy_n(contacts_[i].force, 3, working_[i].force);
    std::copy_n(contacts_[i].excess, 3, &e_[3 * i]);
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double largest = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Contact& contact = contacts_[i];
      const double* force = working_[i].force;
      const double own = answer(i, 0, i, 0);
      if (!(own > 0.0)) return false;
      const auto change_to = [&](std::size_t r, double to) {
        const double df = to - force[r];
        push(i, r, df);
        largest = std::max(largest, std::abs(df) * answer(i, r, i, r));
      };
      change_to(0, std::max(0.0, force[0] - e_[3 * i] / own));
      if (contact.rows == 1) continue;
      double wanted[3] = {}, square = 0.0;
      for (std::size_t r = 1; r < contact.rows; ++r) {
        const double along = answer(i, r, i, r);
        wanted[r] = along > kNowhere * own ? force[r] - e_[3 * i + r] / along : 0.0;
        square += wanted[r] * wanted[r];
      }
      const double most = contact.mu * force[0];
      const double part = square > most * most ? most / std::sqrt(square) : 1.0;
      for (std::size_t r = 1; r < contact.rows; ++r) change_to(r, part * wanted[r]);
    }
    if (!(largest > enough)) return true;
    if (!std::isfinite(largest)) return false;
  }
  return true;  // so far; the step tells
}

}  // namespace tactus::contact
