// Many contacts, without their matrix. Each touches one or two blocks of speeds; in the coordinates x of
// block_metric.h, in which the mass matrix is one, its rows are G [size x n], and the law is that of
// cone_problem.h with
//
//   w = b + G x + compliance p_n e_n,       x = sum over contacts G^T p
//
// Blocks that contacts tie together, directly or through others, form an island; islands know nothing of each
// other and are solved one by one, each to its own tolerance. On an island
//
//   sweeps     solve one contact after the other exactly and change x at once (block Gauss-Seidel), forth and
//              back. Such a pair of sweeps is one descent step in a fixed metric [LiSunToh2018], so that
//   momentum   may carry it on: y = T(y) + beta (T(y) - last T(y)), beta growing as Nesterov's, begun anew
//              whenever the sweeps lead away from it [ODonoghueCandes2015]. Without it a stack passes its
//              weight down one box per sweep
//   Newton     where sweeps are slow and the island's matrix is narrow (a stack, a small heap): sweep_newton.cpp
//   matrix     islands of a few contacts on which all are slow, heavy on light, are solved with their matrix by
//              ConeSolver
//   interior   small islands that none of them solves: the interior-point method (sweep_interior.cpp)
//
// A compliance makes a contact a spring and damper that is taken implicitly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <tactus/contact/impact/cone_solver.h>
#include <tactus/contact/stepping/envelope.h>
#include <tactus/contact/stepping/islands.h>

namespace tactus::contact {

struct SweepOptions {
  // Of the natural map, by the largest velocity at a contact that closes, where bodies rest on each other and an
  // error would come back in every step. Where that velocity is r times what forces give in a step, a blow, which
  // falls somewhere within the step, the tolerance is r times as large, and at most `blow_tolerance`.
  double tolerance = 1e-6;
  double blow_tolerance = 1e-4;
  // Sweeps of an island, and visits, contacts times sweeps, in a step: what bounds its time. In the mean there
  // are `mean_visits`; what a step leaves of them is saved up for later ones.
  int most_sweeps = 1000;
  long most_visits = 40000;
  long mean_visits = 12000;
  // Islands of up to `most_dense` contacts between bodies of very different masses, where `few_sweeps` miss the
  // tolerance, are solved with their matrix.
  int few_sweeps = 60;
  std::size_t most_dense = 16;
  bool momentum = true;
  bool newton = true;
  bool interior = true;
  bool islands = true;  // false: all contacts as one
};

/// A contact as the interior-point method sees it, in the coordinates of a Lorentz cone (sweep_interior.cpp).
struct InteriorContact {
  std::size_t contact = 0;
  int size = 1;
  double stretch = 1.0;  // 1 / mu: of the normal velocity
  double mass = 0.0, compliance = 0.0;
  double shift = 0.0, next_shift = 0.0;  // [m/s] s
  double b[3] = {};
  double p[3] = {}, w[3] = {}, dp[3] = {}, dw[3] = {}, r_w[3] = {};
  double beta = 1.0, axis[3] = {}, l[3] = {}, Wg[3] = {};  // of the scaling
  double inner[9] = {}, D[9] = {};                         // in the cone's coordinates, and for the rows of G
};

/// Of all islands: converged where all are, residual and scale of the worst, sweeps the most of one.
struct SweepResult : ConeResult {
  int islands = 0;
  long visits = 0;  // contacts solved
};

class SweepSolver {
 public:
  struct Contact {
    // To be filled:
    int size = 1;
    double mu = 0.0;
    double compliance = 0.0;  // [1/kg] of the normal direction
    double forced = 0.0;      // [m/s] by what forces change its velocity in the step; 0: not known
    double least = 0.0;       // [N s] of the normal impulse: Poisson's restitution
    int block[2] = {-1, -1};  // -1: none (the ground, or both bodies in one block)
    double b[3] = {};         // [m/s] w without impulses
    double p[3] = {};         // [N s] a guess; the solution
    double* G[2] = {};        // memory of its own, rows of stride(block)
    // Written by the solver:
    double w[3] = {};  // [m/s]
    ConeMode mode = ConeMode::open;

    LocalCone local;
    PreparedCone cone;
    double rho = 0.0, alpha = 0.0;
    bool idle = false;  // open in the last two visits
  };

  /// Nothing is allocated afterwards.
  SweepSolver(std::vector<std::size_t> block_sizes, std::size_t most_contacts, SweepOptions options = {});

  /// Where a block begins in x; what lies between the end of a block and the next is zero, in rows of G too.
  std::size_t offset(int block) const { return offset_[static_cast<std::size_t>(block)]; }
  std::size_t stride(int block) const { return stride_[static_cast<std::size_t>(block)]; }
  std::size_t block_size(int block) const { return block_size_[static_cast<std::size_t>(block)]; }
  std::size_t width() const { return x_.size(); }

  void clear() { count_ = 0; }
  /// How earlier solutions went, which later ones heed.
  struct History {
    struct Trials {
      int failures = 0, pause = 0;  // pause: occasions to let go by
    };
    Trials dense, newton, interior;                     // with the matrix; by Newton's method; from inside
    int follow = 0;                                     // steps that are still to be solved further
    long saved = std::numeric_limits<long>::max() / 2;  // visits; at the start as many as can be
  };
  const History& history() const { return history_; }
  void set_history(const History& history) { history_ = history; }
  /// Room for one more contact; nullptr where there is none left.
  Contact* add();
  std::span<Contact> contacts() { return {contacts_.data(), count_}; }
  std::span<const Contact> contacts() const { return {contacts_.data(), count_}; }
  /// After the rows of a contact are filled in: its own matrix.
  void prepare(Contact& contact) const;
  /// After its size or friction has changed.
  void update(Contact& contact) const;

  SweepResult solve();
  /// Of the last solution.
  const Islands& islands() const { return islands_; }
  /// What the impulses of the last solution do, in the coordinates x.
  std::span<const double> x() const { return x_; }

  /// Displacement speeds by which no contact comes below its `slack`: G_n y + slack >= 0, with the least
  /// effort, without friction. Returns y.
  std::span<const double> separate(std::span<const double> slack);

 private:
  void velocities(Contact& contact, const double* x) const;
  double visit(Contact& contact, bool all, long& count);
  double pair_of_sweeps(std::span<const int> members, bool all, long& count);
  double residual(std::span<const int> members);
  double begin_island(std::span<const int> members, ConeResult& result);
  void solve_island(std::span<const int> members, std::span<const int> blocks, long budget, SweepResult& all);
  double unevenness(std::span<const int> members) const;
  bool turns_back(std::span<const int> blocks) const;
  void extrapolate(std::span<const int> members, std::span<const int> blocks, double beta);
  void keep(std::span<const int> members, std::span<const int> blocks);
  static bool may_try(History::Trials& trials);
  static void note(History::Trials& trials, bool success);
  void solve_dense(std::span<const int> members, ConeResult& result);
  void add_impulse(const Contact& contact);
  bool order_island(std::span<const int> members, std::span<const int> blocks);
  double evaluate_newton(std::span<const int> members, std::span<const int> blocks, const double* x,
                         double* gradient);
  void assemble_newton(std::span<const int> members);
  void add_to_envelope(const Contact& contact, int size, const double* D);
  void solve_newton(std::span<const int> members, std::span<const int> blocks, double enough, double goal,
                    ConeResult& result);

  void interior_velocity(const InteriorContact& own, const double* x, double* v) const;
  void add_interior(const InteriorContact& own, const double* z, double* to) const;
  void interior_direction(std::span<const int> blocks, double m, bool second);
  void interior_step(std::span<const int> blocks, double length);
  bool solve_convex(std::span<const int> blocks, double size, ConeResult& result);
  void solve_interior(std::span<const int> members, std::span<const int> blocks, double enough,
                      ConeResult& result);

  std::vector<std::size_t> block_size_, stride_, offset_;
  SweepOptions options_;
  std::size_t count_ = 0;
  History history_;
  double accuracy_ = 0.0;  // of the contacts' scalar equations in the sweeps at hand
  std::vector<Contact> contacts_;
  std::vector<double> memory_, x_, y_;
  std::vector<double> kept_p_, kept_x_, from_x_;  // after the last pair of sweeps; before this one
  std::vector<double> push_;
  Islands islands_;
  ConeSolver dense_;
  std::vector<int> dense_size_;
  // Newton's method (sweep_newton.cpp):
  struct NewtonContact {
    double y[3] = {}, P[3] = {};          // p - rho w, and what it is projected to
    double length = 0.0, radius = 0.0;    // of y_t; of the friction disk
    double before[3] = {}, best[3] = {};  // impulses
  };
  static constexpr std::size_t kMostNewtonBlocks = 64;  // bits of a set
  Envelope envelope_;
  double stiff_ = 1.0;                     // rho by the mass that a contact feels
  std::vector<NewtonContact> newton_;      // [contacts]
  std::vector<std::size_t> newton_place_;  // [blocks] in the envelope
  std::array<std::uint64_t, kMostNewtonBlocks> neighbours_{};
  std::array<std::size_t, kMostNewtonBlocks> newton_order_{}, newton_from_{};
  std::vector<double> gradient_, direction_, newton_rows_;
  std::vector<InteriorContact> interior_;
  std::vector<double> dense_mu_, dense_least_, dense_W_, dense_b_, dense_p_, dense_w_;
};

}  // namespace tactus::contact
