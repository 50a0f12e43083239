// How a mechanism with contacts answers a small force: linear, about the step that would begin at the state.
//
// Contacts go on doing what they do in that step. In the solver's coordinates x (sweep_solver.h), in which the mass
// matrix is one and the bilateral constraints are taken out, a force f gives x = x_f + sum G^T p, with
//
//   open       no answer
//   sticking   G x = 0 in all its directions; along the normal -compliance p where it is a spring and damper
//   sliding    G_n x = 0; friction along the slip s is -mu s p_n, and across it (c: a direction in the tangent plane)
//              the friction turns with the slip: from p_t = -mu p_n w_t / |w_t| follows G_c x = -|w_t| / (mu p_n) p_c
//
// Those are equations (R R^T + C) p = -R x_f with a matrix that is symmetric and not negative, and singular where
// contacts depend on each other (a box on four corners) but then with a right side that fits: conjugate gradients,
// scaled by the diagonal, find a solution, and R^T p is the same for all of them. The friction that follows the normal
// forces of sliding contacts stands on the right side, and is found by repetition.
//
// Dry friction at joints stays what it is: it takes a force, and has no inertia.
#include <algorithm>
#include <cmath>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {
namespace {

/// Of the residual, by what it was at first: about rounding.
constexpr double kSolved = 1e-15;
/// In all rounds together. Conjugate gradients end after as many steps as there are independent rows, but for rounding;
/// larger islands make do with what so many steps have found.
constexpr int kMostSteps = 400;
/// Rounds of friction. Each takes a share of what is missing that is about the coefficient of friction.
constexpr int kMostRounds = 60;
/// Without friction: the residual is evaluated anew, since gradients that are only carried on lose it in their rounding.
constexpr int kRefinements = 3;

}  // namespace

bool TimeStepping::prepare_response(const simulate::Input& input) noexcept {
  const bool found = solve_from_here(input, true);
  rest_ = rest_before_;
  mark_still();
  if (found) gather_response();
  return found;
}

/// Part of a contact's velocity, for rows weighted by `row`.
double TimeStepping::along(const double* row, std::size_t index, const std::vector<double>& x) const {
  const SweepSolver::Contact& contact = solver_.contacts()[index];
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (contact.block[side] < 0) continue;
    const std::size_t stride = solver_.stride(contact.block[side]);
    const double* at = &x[solver_.offset(contact.block[side])];
    for (int r = 0; r < contact.size; ++r) {
      if (row[r] == 0.0) continue;
      const double* G = contact.G[side] + static_cast<std::size_t>(r) * stride;
      for (std::size_t i = 0; i < stride; ++i) sum += row[r] * G[i] * at[i];
    }
  }
  return sum;
}

void TimeStepping::push_along(const double* row, std::size_t index, double p, std::vector<double>& x) const {
  const SweepSolver::Contact& contact = solver_.contacts()[index];
  for (int side = 0; side < 2; ++side) {
    if (contact.block[side] < 0) continue;
    const std::size_t stride = solver_.stride(contact.block[side]);
    double* at = &x[solver_.offset(contact.block[side])];
    for (int r = 0; r < contact.size; ++r) {
      if (row[r] == 0.0) continue;
      const double* G = contact.G[side] + static_cast<std::size_t>(r) * stride;
      for (std::size_t i = 0; i < stride; ++i) at[i] += row[r] * p * G[i];
    }
  }
}

void TimeStepping::gather_response() {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    const SweepSolver::Contact& contact = solver_.contacts()[i];
    Answering& answering = answering_[i];
    answering = {};
    answering.first = rows;
    if (near_[i].axis >= 0 || contact.mode == ConeMode::open || !(contact.p[0] > 0.0)) continue;
    const auto add = [&](double n, double t1, double t2, double compliance) {
      AnsweringRow& row = answering_rows_[rows++];
      row = {};
      row.row[0] = n;
      row.row[1] = t1;
      row.row[2] = t2;
      row.compliance = compliance;
      for (int side = 0; side < 2; ++side) {
        if (contact.block[side] < 0) continue;
        const std::size_t stride = solver_.stride(contact.block[side]);
        for (std::size_t k = 0; k < stride; ++k) {
          double sum = 0.0;
          for (int r = 0; r < contact.size; ++r)
            sum += row.row[r] * contact.G[side][static_cast<std::size_t>(r) * stride + k];
          row.mobility += sum * sum;
        }
      }
      row.mobility += compliance;
    };
    add(1.0, 0.0, 0.0, contact.compliance);
    if (contact.size > 1 && contact.mode == ConeMode::sticking) {
      add(0.0, 1.0, 0.0, 0.0);
      if (contact.size > 2) add(0.0, 0.0, 1.0, 0.0);
    } else if (contact.size > 1) {
      const double w1 = contact.w[1], w2 = contact.size > 2 ? contact.w[2] : 0.0, slip = std::hypot(w1, w2);
      if (slip > 0.0 && contact.mu > 0.0) {
        answering.slides = true;
        answering.slide[1] = -contact.mu * w1 / slip;
        answering.slide[2] = -contact.mu * w2 / slip;
        if (contact.size > 2) add(0.0, -w2 / slip, w1 / slip, slip / (contact.mu * contact.p[0]));
      }
    }
    answering.count = rows - answering.first;
  }
}

/// Adds to response_ what the contacts of an island answer.
void TimeStepping::answer_island(std::size_t island) {
  const std::span<const int> members = solver_.islands().contacts(island);
  const std::span<const int> blocks = solver_.islands().blocks(island);
  const auto each = [&](const auto& f) {
    for (const int m : members) {
      const auto i = static_cast<std::size_t>(m);
      for (std::size_t k = 0; k < answering_[i].count; ++k) f(i, answering_rows_[answering_[i].first + k]);
    }
  };
  bool slides = false;
  double forced = 0.0;  // largest residual at first
  const auto size = [](const AnsweringRow& row) {
    return row.mobility > 0.0 ? std::abs(row.residual) / std::sqrt(row.mobility) : 0.0;
  };
  for (const int m : members) {
    answering_[static_cast<std::size_t>(m)].normal = 0.0;
    slides = slides || answering_[static_cast<std::size_t>(m)].slides;
  }
  each([&](std::size_t i, AnsweringRow& row) {
    row.p = 0.0;
    row.residual = -along(row.row, i, response_);
    forced = std::max(forced, size(row));
  });
  if (!(forced > 0.0)) return;
  int steps = 0;
  for (int round = 0; round < (slides ? kMostRounds : kRefinements) && steps < kMostSteps; ++round) {
    double rho = 0.0, left = 0.0;
    each([&](std::size_t, AnsweringRow& row) {
      left = std::max(left, size(row));
      row.direction = row.mobility > 0.0 ? row.residual / row.mobility : 0.0;
      rho += row.residual * row.direction;
    });
    if (!(left > kSolved * forced)) break;
    for (; steps < kMostSteps && left > kSolved * forced; ++steps) {
      for (const int block : blocks)
        std::fill_n(&response_image_[solver_.offset(block)], solver_.stride(block), 0.0);
      each([&](std::size_t i, AnsweringRow& row) { push_along(row.row, i, row.direction, response_image_); });
      double curvature = 0.0;
      each([&](std::size_t i, AnsweringRow& row) {
        row.image = along(row.row, i, response_image_) + row.compliance * row.direction;
        curvature += row.direction * row.image;
      });
      if (!(curvature > 0.0)) break;
      const double length = rho / curvature;
      double next = 0.0;
      left = 0.0;
      each([&](std::size_t, AnsweringRow& row) {
        row.p += length * row.direction;
        row.residual -= length * row.image;
        left = std::max(left, size(row));
        if (row.mobility > 0.0) next += row.residual * row.residual / row.mobility;
      });
      for (const int block : blocks)
        for (std::size_t k = 0; k < solver_.stride(block); ++k)
          response_[solver_.offset(block) + k] += length * response_image_[solver_.offset(block) + k];
      const double beta = next / rho;
      rho = next;
      each([&](std::size_t, AnsweringRow& row) {
        row.direction = (row.mobility > 0.0 ? row.residual / row.mobility : 0.0) + beta * row.direction;
      });
    }
    // Friction by the normal forces that were found; what it moves is asked for again.
    for (const int m : members) {
      const auto i = static_cast<std::size_t>(m);
      Answering& contact = answering_[i];
      if (!contact.slides) continue;
      const double normal = answering_rows_[contact.first].p;
      push_along(contact.slide, i, normal - contact.normal, response_);
      contact.normal = normal;
    }
    each([&](std::size_t i, AnsweringRow& row) {
      row.residual = -along(row.row, i, response_) - row.compliance * row.p;
    });
  }
}

void TimeStepping::respond(const double* force, double* udot) noexcept {
  std::fill(response_.begin(), response_.end(), 0.0);
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const std::vector<int>& speeds = kernel_.blocks[k].speeds;
    double* x = &response_[solver_.offset(static_cast<int>(k))];
    for (std::size_t i = 0; i < speeds.size(); ++i) x[i] = force[speeds[i]];
    metrics_[k].whiten(x);
  }
  if (!solver_.contacts().empty())
    for (std::size_t island = 0; island < solver_.islands().size(); ++island) answer_island(island);
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const std::vector<int>& speeds = kernel_.blocks[k].speeds;
    std::fill_n(scratch_block_.data(), speeds.size(), 0.0);
    metrics_[k].add_speeds(&response_[solver_.offset(static_cast<int>(k))], scratch_block_.data());
    for (std::size_t i = 0; i < speeds.size(); ++i) udot[speeds[i]] = scratch_block_[i];
  }
}

}  // namespace tactus::contact
