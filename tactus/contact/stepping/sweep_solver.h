// Many contacts, without their matrix: each touches one or two blocks of speeds, with its rows J [size x n]
// there and what an impulse along them does to the speeds, Y = M^-1 J^T. The law is that of cone_problem.h,
//
//   w = sum J u + bias + compliance p_n e_n,       u = u_free + sum over contacts Y p
//
// Sweeps solve one contact after the other exactly and change the speeds at once (block Gauss-Seidel), forth
// and back in turn. A few contacts on which they are slow (heavy on light, high stacks at the first step) are
// solved with their matrix by ConeSolver instead. A compliance makes a contact a spring and damper that is
// taken implicitly.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tactus/contact/impact/cone_solver.h>

namespace tactus::contact {

struct SweepOptions {
  // Of the natural map, by the largest velocity at a contact that closes.
  double tolerance = 1e-6;
  // Sweeps, and contacts times sweeps: what bounds the time of a step. A stack of ten boxes, which has to
  // pass its weight down, needs some hundred sweeps at first and one or two when it stands.
  int most_sweeps = 1000;
  long most_visits = 40000;
  // Up to `most_dense` contacts, where `few_sweeps` miss the tolerance, are solved with their matrix.
  int few_sweeps = 60;
  std::size_t most_dense = 48;
};

class SweepSolver {
 public:
  struct Contact {
    // To be filled:
    int size = 1;
    double mu = 0.0;
    double compliance = 0.0;  // [1/kg] of the normal direction
    int block[2] = {-1, -1};  // -1: none (the ground, or both bodies in one block)
    double bias[3] = {};      // [m/s]
    double p[3] = {};         // [N s] a guess; the solution
    // Memory of its own, by rows of the block's size:
    double* J[2] = {};
    double* Y[2] = {};
    // Written by the solver:
    double w[3] = {};  // [m/s]
    ConeMode mode = ConeMode::open;

    LocalCone local;
    double rho = 0.0;
  };

  /// Speeds are taken block after block. Nothing is allocated afterwards.
  SweepSolver(std::vector<std::size_t> block_sizes, std::size_t most_contacts, SweepOptions options = {});

  std::size_t offset(int block) const { return offset_[static_cast<std::size_t>(block)]; }
  std::size_t block_size(int block) const { return block_size_[static_cast<std::size_t>(block)]; }

  void clear() { count_ = 0; }
  /// How earlier solutions went, which later ones heed.
  struct History {
    int failures = 0, pause = 0;  // of solutions with the matrix, one after the other
  };
  const History& history() const { return history_; }
  void set_history(const History& history) { history_ = history; }
  /// Room for one more contact; nullptr where there is none left.
  Contact* add();
  std::span<Contact> contacts() { return {contacts_.data(), count_}; }
  std::span<const Contact> contacts() const { return {contacts_.data(), count_}; }
  /// After the rows and responses of a contact are filled in: its own matrix.
  void prepare(Contact& contact) const;
  /// J u of one row of a contact.
  double velocity(const Contact& contact, int row, const double* u) const;

  /// u holds the free speeds and becomes those after the impulses.
  ConeResult solve(double* u);
  /// Displacement speeds du by which no contact comes below its `slack`: J_n du + slack >= 0, with the least
  /// effort, without friction. `push` [contacts] are the impulses, zero at first.
  void separate(std::span<const double> slack, std::span<double> push, double* du) const;

 private:
  void velocities(Contact& contact, const double* u) const;
  void apply(const Contact& contact, int row, double impulse, double* u) const;
  double sweep(bool forward, double* u);
  bool may_solve_dense();
  void solve_dense(ConeResult& result, double* u);

  std::vector<std::size_t> block_size_, offset_;
  SweepOptions options_;
  std::size_t count_ = 0;
  History history_;
  std::vector<Contact> contacts_;
  std::vector<double> memory_;
  ConeSolver dense_;
  std::vector<int> dense_size_;
  std::vector<double> dense_mu_, dense_W_, dense_b_, dense_p_, dense_w_;
};

}  // namespace tactus::contact
