// Scenes of contact_problems.h, side by side, for the solver of many contacts.
#pragma once

#include <cmath>
#include <vector>

#include <tactus/contact/stepping/sweep_solver.h>

#include "contact/contact_problems.h"

namespace tactus::contact::test {

struct SweepProblem {
  std::vector<double> b;
  SweepSolver solver;

  SweepProblem(const std::vector<SceneProblem>& scenes, SweepOptions options)
      : solver(blocks_of(scenes), contacts_of(scenes), options) {
    int first = 0;
    for (const SceneProblem& scene : scenes) {
      const Eigen::MatrixXd G = scene.G * scene.inverse_mass.cwiseSqrt().asDiagonal();
      for (Eigen::Index row = 0; row < G.rows(); row += 3) {
        SweepSolver::Contact& contact = *solver.add();
        contact.size = 3;
        contact.mu = scene.mu[static_cast<std::size_t>(row / 3)];
        int side = 0;
        for (Eigen::Index body = 0; body < G.cols() / 6; ++body) {
          const Eigen::MatrixXd part = G.block(row, 6 * body, 3, 6);
          if (part.isZero(0.0)) continue;
          contact.block[side] = first + static_cast<int>(body);
          for (int r = 0; r < 3; ++r)
            for (int i = 0; i < 6; ++i) contact.G[side][6 * r + i] = part(r, i);
          ++side;
        }
        for (int r = 0; r < 3; ++r) {
          contact.b[r] = scene.b[row + r];
          b.push_back(contact.b[r]);
        }
        solver.prepare(contact);
        solver.update(contact);
      }
      first += static_cast<int>(G.cols() / 6);
    }
  }

  std::vector<double> velocities() const {
    std::vector<double> w;
    for (const SweepSolver::Contact& contact : solver.contacts())
      w.insert(w.end(), contact.w, contact.w + contact.size);
    return w;
  }
  std::vector<double> impulses() const {
    std::vector<double> p;
    for (const SweepSolver::Contact& contact : solver.contacts())
      p.insert(p.end(), contact.p, contact.p + contact.size);
    return p;
  }
  double row_velocity(std::size_t index, int row, std::span<const double> x) const {
    const SweepSolver::Contact& contact = solver.contacts()[index];
    double sum = 0.0;
    for (int side = 0; side < 2; ++side)
      if (contact.block[side] >= 0)
        for (std::size_t i = 0; i < 6; ++i)
          sum += contact.G[side][6 * static_cast<std::size_t>(row) + i] *
                 x[solver.offset(contact.block[side]) + i];
    return sum;
  }

 private:
  static std::vector<std::size_t> blocks_of(const std::vector<SceneProblem>& scenes) {
    std::size_t bodies = 0;
    for (const SceneProblem& scene : scenes) bodies += static_cast<std::size_t>(scene.G.cols()) / 6;
    return std::vector<std::size_t>(bodies, 6);
  }
  static std::size_t contacts_of(const std::vector<SceneProblem>& scenes) {
    std::size_t contacts = 0;
    for (const SceneProblem& scene : scenes) contacts += scene.size.size();
    return contacts;
  }
};

}  // namespace tactus::contact::test
