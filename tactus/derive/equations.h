// The equations of motion of a model, derived symbolically on demand.
//
//   M(q) udot + h(q, u, t) = W(q)^T tau + (wrenches)        qd = W(q, t) u + X(q, t)
//
// Every function takes its inputs as blocks in this order, leaving out those it does not have:
//
//   t [1], q [nq], u [nv], udot [nv] or tau [nv], wrench [6 per wrench input], parameters [np, where kept]
//
// tau are the joints' actuator forces, conjugate to the joint rates whatever the speeds u are. A wrench is
// [torque; force] at the frame's origin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/describe/model/model.h>

namespace tactus::derive {

using algebra::Expr;
using algebra::Function;

/// A frame at which an outside wrench enters.
struct WrenchInput {
  int frame = 0;           // index into Model::frames
  bool world_axes = true;  // components in the world's axes, otherwise in the frame's own
};

/// How forward dynamics is made.
enum class ForwardMethod {
  automatic,         // by depth of the tree, as measured
  composite_body,    // M by composite bodies, bias by Newton-Euler, sparse factorisation M = L^T D L
  articulated_body,  // articulated-body recursion
};

struct Options {
  bool keep_parameters = false;     // parameters stay symbols (inputs) instead of being folded into numbers
  std::vector<std::string> kept{};  // those of them alone; empty: all
  /// Parameters that are neither folded nor inputs: code reads their values where it runs.
  std::shared_ptr<const algebra::Cells> cells{};
  /// Forces given at joints without an actuator count, too: then they are what acts there from outside.
  bool push_passive = false;
  bool simplify = true;               // model-level simplification before the recursions
  bool friction = true;               // joint friction and damping are part of h
  std::vector<WrenchInput> wrenches;  // outside wrenches that the equations take as inputs
  ForwardMethod method = ForwardMethod::automatic;
};

/// One scalar equation of a constraint.
struct ConstraintRow {
  int constraint = 0;  // index into Model::constraints
  std::string label;   // "loop.x": the constraint's name and the direction
  bool holonomic = true;
  Expr phi;       // zero for rows that exist at velocity level only
  Expr velocity;  // A u + c
};

/// Speeds that belong together: those of one tree, or of trees that constraints of the model join. M and the
/// constraints' rows do not couple different blocks.
struct SpeedBlock {
  std::vector<int> speeds;  // in order
  std::vector<int> rows;    // constraint rows (indices into constraint_rows()) that act on them
};

/// A place fixed in a body: a frame of the model, or the body's own origin and axes.
struct BodyPlace {
  int body = 0;    // index into Model::bodies
  int frame = -1;  // index into Model::frames; -1: the body's own
};

/// The tree as a list of elementary links (a universal joint is two), parents first.
struct LinkOutline {
  int parent = -1;  // index of a link; -1: the ground
  int first = 0;    // of its joint rates
  int count = 0;
};

class Equations {
 public:
  explicit Equations(const describe::Model& model, Options options = {});
  ~Equations();
  Equations(Equations&&) noexcept;
  Equations& operator=(Equations&&) noexcept;

  const describe::Model& model() const;
  const Options& options() const;
  int nq() const;
  int nv() const;

  /// tau = M udot + h - wrenches, by Newton-Euler.             inputs t q u udot wrench -> tau [nv]
  Function inverse_dynamics() const;
  /// M, symmetric, by composite bodies.                        inputs t q -> M [nv x nv]
  Function mass_matrix() const;
  /// h: all that does not depend on udot, tau or wrenches.     inputs t q u -> h [nv]
  Function bias() const;
  /// The gravity (and spring) part of h: h at u = 0, t frozen. inputs t q -> g [nv]
  Function gravity() const;
  /// The motion's rate.                             inputs t q u tau wrench -> udot [nv], qdot [nq]
  Function forward_dynamics() const;
  /// qdot from u (quaternions: rates of their four numbers).   inputs t q u -> qdot [nq]
  Function coordinate_rates() const;
  /// u from joint rates; identity by default.                  inputs t q qd [nv] -> u [nv]
  Function speeds_from_rates() const;
  /// inputs t q u -> kinetic [1], potential [1], linear_momentum [3], angular_momentum [3] (about the world's
  /// origin, world axes), center_of_mass [3], mass [1]
  Function energy() const;
  /// A named frame: inputs t q u udot -> R [3x3] (R_WF), p [3], V [6] (angular; linear, world axes), A [6]
  /// (acceleration of the same), J [6 x nv] (V = J u + ...), Jdot_u [6]
  Function frame_motion(int frame) const;
  /// R_WB and p of every body, in order without the ground: inputs t q -> one block "X_<body>" [3 x 4] each.
  Function body_poses() const;
  /// The links that the joints turn and shift, and the one that carries a body (-1: the ground).
  std::vector<LinkOutline> links() const;
  int link_of_body(int body) const;
  /// What Jacobians of any point of any body are made of: inputs t q -> "links" [links x 3] (origins),
  /// "directions" [nv x 6] (of each joint rate: angular and linear velocity of its link's origin, for a rate
  /// of one, all in world axes), "places" [places x 12] ([R p] of each of the given places).
  Function joint_directions(const std::vector<BodyPlace>& places) const;
  /// Joint rates: inputs t q u -> qd [nv]; where the speeds are not the joint rates also W [nv x nv] (qd = W u
  /// + ...), W_rate [nv x nv], qdd_bias [nv] (d qd/dt at udot = 0).
  Function joint_rates() const;
  /// The model's definitions, in their order: inputs t q u -> definitions [n].
  Function definitions() const;
  /// Linear model about any point of a motion: inputs t q u udot -> M, C = d tau/d u, K = d tau/d q [nv x
  /// nv]. For joint-rate speeds without quaternions.
  Function linear_model() const;

  /// The rows of all constraints, in order; rows that hold by structure are left out (and named in
  /// vanished_rows()).
  const std::vector<ConstraintRow>& constraint_rows() const;
  const std::vector<std::string>& vanished_rows() const;
  /// inputs t q u -> Phi [m] (0 for rows without a position level), velocity [m] = A u + c, A [m x nv], c
  /// [m], gamma [m]: A udot = gamma
  Function constraint_terms() const;
  /// All that a constrained step needs, in one kernel: inputs t q u tau wrench -> M, Q = W^T tau + wrenches -
  /// h, Phi, velocity, A, c, gamma, qdot.
  Function constrained_terms() const;
  /// Constrained forward dynamics for one set of active rows (empty: all), unrolled, for regular
  /// configurations: inputs t q u tau wrench -> udot [nv], qdot [nq], lambda [m active], distances and pivots
  /// [m active]. M udot + h = tau + A^T lambda.
  Function constrained_dynamics(const std::vector<bool>& active_rows = {}) const;
  /// The smallest change of the speeds, in the metric of M, that changes A u by `error` (rows as above),
  /// unrolled: inputs t q error [m active] -> du [nv] = M^-1 A^T (A M^-1 A^T)^-1 error, distances and pivots
  /// [m active].
  Function constraint_step(const std::vector<bool>& active_rows = {}) const;

  /// For each speed the next one towards the ground that M couples it with; -1 at a root.
  std::vector<int> parent_speeds() const;
  /// The blocks of the mechanism, in the order of their first speeds.
  const std::vector<SpeedBlock>& blocks() const;
  /// The block whose speeds move the body; -1 where it is fixed in the ground.
  int block_of_body(int body) const;
  /// All that a step with contact needs, by blocks k = 0, 1, ...: inputs t q u tau wrench ->
  ///
  ///   qdot [nq], Q [nv] = W^T tau + wrenches - h
  ///   M_k [n_k x n_k]
  ///   Phi [m], velocity [m], gamma [m]   where the model has constraints
  ///   A_k [m_k x n_k]                    for blocks with rows: these, in the block's speeds
  ///   X_b [3 x 4] = [R_WB p_WB]          for every body asked for (index b into Model::bodies)
  ///   V_b [6]                            angular; linear of the body's origin, world axes
  ///   a_b [6]                            its rate with udot = 0
  ///   J_b [6 x n_k]                      V_b by the speeds of the body's block
  Function contact_terms(const std::vector<int>& bodies) const;

  /// Whether the model gives parametric coordinates z with q = psi(z, t): only then the following exist.
  bool has_parametric() const;
  /// Rows that psi does not satisfy by itself, those of rolling [rows].
  const std::vector<char>& rows_left_by_parametric() const;
  /// inputs t z -> q [nq] = psi, J [nq x nz] = dq/dz
  Function parametric_place() const;
  /// inputs t z zd -> q [nq], u [nv] = T zd + ..., T [nv x nz], b [nv]: udot = T zdd + b
  Function parametric_motion() const;
  /// The motion in z under the rows that psi leaves (of the given ones; empty: all of those), unrolled:
  /// inputs t z zd tau wrench -> zdd [nz], udot [nv], qdot [nq], compliances [nz], distances and pivots [rows
  /// left].
  Function parametric_dynamics(const std::vector<bool>& active_rows = {}) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tactus::derive
