#include <tactus/derive/equations.h>

#include <algorithm>
#include <utility>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/derive/articulated_body.h>
#include <tactus/derive/body_terms.h>
#include <tactus/derive/composite_body.h>
#include <tactus/derive/constrained.h>
#include <tactus/derive/constraints.h>
#include <tactus/derive/energy.h>
#include <tactus/derive/kane.h>
#include <tactus/derive/loads.h>
#include <tactus/derive/parametric.h>
#include <tactus/derive/simplify.h>
#include <tactus/derive/sparse_factor.h>

namespace tactus::derive {

using algebra::Block;
using algebra::Graph;
using describe::Model;

namespace {

/// Beyond this many links the slides are not searched: counting each candidate would cost more than it gains.
constexpr int kSearchedLinks = 12;

/// Forward dynamics: where no more speeds than these follow each other from the ground to a tip, code by
/// composite bodies runs faster; beyond, by articulated bodies. Measured on chains and branched trees
/// (docs/benchmarks.md): it is the depth that counts, not the number of speeds, and not the number of
/// operations either, since an articulated body must wait for its division at every joint.
constexpr int kCompositeBodyDepth = 12;

Block block(std::string name, std::string meaning, int rows, int cols, std::vector<Expr> entries) {
  return {std::move(name), std::move(meaning), rows, cols, std::move(entries)};
}

std::vector<Expr> entries_of(const Vec3<Expr>& v) { return {v.x, v.y, v.z}; }

std::vector<Expr> entries_of(const Vec3<Expr>& a, const Vec3<Expr>& b) {
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

/// Positions of all links, with the sum angles of parallel groups.
Motion<Expr> motion_at(const Tree<Expr>& tree, const std::vector<Expr>& q) {
  Motion<Expr> motion(tree);
  position(tree, q.data(), motion);
  group_angles(tree, q.data(), motion);
  return motion;
}

/// The largest number of speeds on a path from the ground to a tip.
int depth_of(const Tree<Expr>& tree) {
  const std::vector<int> parents = speed_parents(tree);
  std::vector<int> depth(parents.size());
  int deepest = 0;
  for (std::size_t k = 0; k < parents.size(); ++k) {
    depth[k] = parents[k] < 0 ? 1 : depth[static_cast<std::size_t>(parents[k])] + 1;
    deepest = std::max(deepest, depth[k]);
  }
  return deepest;
}

}  // namespace

struct Equations::Implementation {
  Implementation(const Model& m, Options o)
      : model(m),
        options(std::move(o)),
        graph(std::make_shared<Graph>()),
        numbers(model, options.keep_parameters) {
    const Graph::Scope scope(*graph);
    symbols.emplace(model, options);
    raw = build_tree(model, numbers);
    if (options.simplify) turn_frames(raw);
    speeds = speed_map(model, *symbols, options.keep_parameters);
    tree = options.simplify ? simplified() : raw;
    if (!model.constraints.empty()) {
      constraints = derive_constraints(model, numbers, raw, motion_at(raw, symbols->q), *symbols, speeds);
    }
    blocks = speed_blocks(raw, speeds, constraints);
    if (model.parametric)
      parametric = derive_parametric(model, *symbols, speeds, constraints, options.keep_parameters);
  }

  /// The tree with the fewest operations. The search runs in a graph of its own, on numbers.
  Tree<Expr> simplified() const {
    std::vector<SlideAim> slides;
    if (raw.size() <= kSearchedLinks) {
      Graph scratch;
      const Graph::Scope scope(scratch);
      Tree<Expr> trial = build_tree(model, Numbers(model, false));
      const std::vector<bool> loaded = loaded_links(model, options, trial);
      turn_frames(trial);
      std::vector<Expr> q, u, ud, tau(static_cast<std::size_t>(raw.nv));
      for (int k = 0; k < raw.nq; ++k) q.push_back(algebra::symbol("q" + std::to_string(k)));
      for (int k = 0; k < raw.nv; ++k) u.push_back(algebra::symbol("u" + std::to_string(k)));
      for (int k = 0; k < raw.nv; ++k) ud.push_back(algebra::symbol("a" + std::to_string(k)));
      slides = choose_slides(trial, loaded, [&](const Tree<Expr>& t) {
        Motion<Expr> motion = motion_at(t, q);
        newton_euler(t, u.data(), ud.data(), {}, Policy{}, motion, tau.data());
        const algebra::OperationCount count = algebra::count_operations(tau);
        return count.mul + count.add;
      });
    }
    Tree<Expr> result = raw;
    for (const SlideAim& aim : slides) {
      if (const std::optional<Expr> s = slide_for(result, aim)) slide_frame(result, aim.link, *s);
    }
    regroup_inertia(result, loaded_links(model, options, raw));
    return result;
  }

  int nv() const { return raw.nv; }
  int nq() const { return raw.nq; }

  std::vector<OutsideWrench<Expr>> loads_on(const Tree<Expr>& t, const Motion<Expr>& motion,
                                            const std::vector<Expr>& rates, bool with_wrench) const {
    return outside_wrenches(model, options, numbers, t, motion, rates,
                            with_wrench ? symbols->wrench : std::vector<Expr>{});
  }

  /// Joint forces for given joint rates and their rates.
  std::vector<Expr> joint_forces_for(const std::vector<Expr>& rates, const std::vector<Expr>& accelerations,
                                     bool with_wrench) const {
    Motion<Expr> motion = motion_at(tree, symbols->q);
    std::vector<Expr> tau(static_cast<std::size_t>(nv()));
    newton_euler(tree, rates.data(), accelerations.data(), loads_on(tree, motion, rates, with_wrench),
                 Policy{}, motion, tau.data());
    const std::vector<Expr> loads = joint_loads(model, options, numbers, symbols->q, rates);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += loads[k];
    return tau;
  }

  KaneEquations kane_equations(bool with_wrench) const {
    const Motion<Expr> motion = motion_at(raw, symbols->q);
    return kane(raw, motion, model, *symbols, speeds, loads_on(raw, motion, speeds.rates, with_wrench),
                joint_loads(model, options, numbers, symbols->q, speeds.rates));
  }

  std::vector<Expr> mass_matrix() const {
    if (!speeds.identity) return kane_equations(false).M;
    Motion<Expr> motion = motion_at(tree, symbols->q);
    std::vector<CompositeBody<Expr>> composite;
    std::vector<Expr> M(static_cast<std::size_t>(nv() * nv()));
    composite_body(tree, Policy{}, motion, composite, M.data());
    return M;
  }

  std::vector<Expr> bias(bool with_wrench) const {
    if (!speeds.identity) return kane_equations(with_wrench).h;
    return joint_forces_for(symbols->u, std::vector<Expr>(static_cast<std::size_t>(nv())), with_wrench);
  }

  /// tau, with zeros at the joints that have no actuator.
  std::vector<Expr> actuator_forces() const {
    std::vector<Expr> forces = symbols->tau;
    std::size_t k = 0;
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) {
        if (axis.passive) forces[k] = Expr(0.0);
        ++k;
      }
    return forces;
  }

  /// M, Q = W^T tau + wrenches - h, and which speeds couple.
  struct Balance {
    std::vector<Expr> M, Q;
    std::vector<int> parents;
  };

  /// Which speeds couple in M. Defined ones couple as they please: a full matrix.
  std::vector<int> coupling() const {
    std::vector<int> parents = speed_parents(raw);
    if (!speeds.identity)
      for (std::size_t k = 0; k < parents.size(); ++k) parents[k] = static_cast<int>(k) - 1;
    return parents;
  }

  Balance balance() const {
    Balance result{{}, actuator_forces(), coupling()};
    std::vector<Expr> h;
    if (speeds.identity) {
      result.M = mass_matrix();
      h = bias(true);
    } else {
      KaneEquations equations = kane_equations(true);
      result.M = std::move(equations.M);
      h = std::move(equations.h);
      result.Q = std::move(equations.active);
    }
    for (std::size_t k = 0; k < h.size(); ++k) result.Q[k] -= h[k];
    return result;
  }

  /// M_k of every block, and Q.
  struct BlockBalance {
    std::vector<std::vector<Expr>> M;
    std::vector<Expr> Q;
  };

  BlockBalance block_balance() const {
    BlockBalance result;
    for (const SpeedBlock& b : blocks.blocks) result.M.emplace_back(b.speeds.size() * b.speeds.size());
    const auto set = [&](int row, int column, Expr element) {
      const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
      const auto k = static_cast<std::size_t>(blocks.block[r]);
      const std::size_t n = blocks.blocks[k].speeds.size();
      const auto i = static_cast<std::size_t>(blocks.place[r]), j = static_cast<std::size_t>(blocks.place[c]);
      result.M[k][i * n + j] = element;
      result.M[k][j * n + i] = element;
    };
    if (speeds.identity) {
      Motion<Expr> motion = motion_at(tree, symbols->q);
      std::vector<CompositeBody<Expr>> composite;
      composite_elements(tree, Policy{}, motion, composite, set);
      result.Q = actuator_forces();
      const std::vector<Expr> h = bias(true);
      for (std::size_t k = 0; k < h.size(); ++k) result.Q[k] -= h[k];
      return result;
    }
    Balance full = balance();
    const auto n = static_cast<std::size_t>(nv());
    for (const SpeedBlock& b : blocks.blocks)
      for (const int row : b.speeds)
        for (const int column : b.speeds)
          set(row, column, full.M[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(column)]);
    result.Q = std::move(full.Q);
    return result;
  }

  std::vector<Expr> accelerations_by_composite_body() const {
    Balance b = balance();
    factorise(b.parents, nv(), b.M.data());
    solve(b.parents, nv(), b.M.data(), b.Q.data());
    return b.Q;
  }

  /// Phi, velocity, A, c, gamma.
  std::vector<Block> constraint_blocks() const {
    const int m = static_cast<int>(constraints.rows.size());
    std::vector<Expr> phi, velocity;
    for (const ConstraintRow& row : constraints.rows) {
      phi.push_back(row.phi);
      velocity.push_back(row.velocity);
    }
    return {
        block("Phi", "position errors of the constraints [m, rad]; 0 for rows at velocity level", m, 1, phi),
        block("velocity", "velocity errors A u + c [m/s, rad/s]", m, 1, velocity),
        block("A", "constraint matrix", m, nv(), constraints.A),
        block("c", "drift of moving constraints", m, 1, constraints.c),
        block("gamma", "A udot = gamma", m, 1, constraints.gamma)};
  }

  std::vector<Expr> accelerations_by_articulated_body() const {
    Motion<Expr> motion = motion_at(tree, symbols->q);
    const std::vector<Expr> loads = joint_loads(model, options, numbers, symbols->q, symbols->u);
    std::vector<Expr> net = actuator_forces(), udot(net.size());
    for (std::size_t k = 0; k < net.size(); ++k) net[k] -= loads[k];
    ArticulatedMotion<Expr> work(tree);
    articulated_body(tree, symbols->u.data(), net.data(), loads_on(tree, motion, symbols->u, true), Policy{},
                     motion, work, udot.data());
    return udot;
  }

  std::vector<Expr> accelerations() const {
    ForwardMethod method = options.method;
    if (!speeds.identity) method = ForwardMethod::composite_body;
    if (method == ForwardMethod::automatic) {
      method = depth_of(raw) <= kCompositeBodyDepth ? ForwardMethod::composite_body
                                                    : ForwardMethod::articulated_body;
    }
    return method == ForwardMethod::composite_body ? accelerations_by_composite_body()
                                                   : accelerations_by_articulated_body();
  }

  /// t z zd, and for the dynamics tau wrench; parameters.
  std::vector<Block> parametric_inputs(bool with_forces) const {
    const int nz = static_cast<int>(parametric->z.size());
    const std::vector<Block> parameters{block("z", "parametric coordinates", nz, 1, parametric->z),
                                        block("zd", "their rates", nz, 1, parametric->zd)};
    std::vector<Block> extra = parameters;
    if (with_forces) extra.push_back(symbols->forces_block());
    std::vector<Block> inputs = symbols->inputs(false, std::move(extra), with_forces);
    std::erase_if(inputs, [](const Block& b) { return b.name == "q"; });
    return inputs;
  }

  Function function(std::string name, std::string meaning, std::vector<Block> inputs,
                    std::vector<Block> outputs) const {
    return {std::move(name), std::move(meaning), graph, std::move(inputs), std::move(outputs)};
  }

  Model model;
  Options options;
  std::shared_ptr<Graph> graph;
  Numbers numbers;
  std::optional<Symbols> symbols;
  Tree<Expr> raw, tree;  // as described (frames turned), and simplified
  SpeedMap speeds;
  ConstraintEquations constraints;
  SpeedBlocks blocks;
  std::optional<ParametricMap> parametric;
};

Equations::Equations(const Model& model, Options options)
    : implementation_(std::make_unique<Implementation>(model, std::move(options))) {}
Equations::~Equations() = default;
Equations::Equations(Equations&&) noexcept = default;
Equations& Equations::operator=(Equations&&) noexcept = default;

const Model& Equations::model() const { return implementation_->model; }
const Options& Equations::options() const { return implementation_->options; }
int Equations::nq() const { return implementation_->nq(); }
std::vector<int> Equations::parent_speeds() const { return implementation_->coupling(); }
int Equations::nv() const { return implementation_->nv(); }

Function Equations::inverse_dynamics() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  return self.function("inverse_dynamics", "Actuator forces for a motion: tau = M udot + h - wrenches.",
                       symbols.inputs(true, {symbols.accelerations_block()}, true),
                       {block("tau", "actuator forces at the joints [N m, N]", nv(), 1,
                              self.joint_forces_for(self.speeds.rates, self.speeds.accelerations, true))});
}

Function Equations::mass_matrix() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  return self.function(
      "mass_matrix", "The mass matrix in the generalised speeds.", self.symbols->inputs(false, {}, false),
      {block("M", "mass matrix, symmetric [kg m^2, kg m, kg]", nv(), nv(), self.mass_matrix())});
}

Function Equations::bias() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  return self.function(
      "bias", "All that does not depend on udot, tau or wrenches.", self.symbols->inputs(true, {}, false),
      {block("h", "velocity products, weight, springs, friction [N m, N]", nv(), 1, self.bias(false))});
}

Function Equations::gravity() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  // h at rest, and without the Coulomb friction that a rate of zero would still give.
  std::vector<Expr> still(self.symbols->u.size());
  Implementation resting(self.model, [&] {
    Options options = self.options;
    options.friction = false;
    return options;
  }());
  const Graph::Scope resting_scope(*resting.graph);
  std::vector<Expr> g = resting.bias(false);
  g = algebra::substitute(g, *resting.graph, resting.symbols->u, still);
  Function result =
      resting.function("gravity", "Weight and springs: h at rest.", resting.symbols->inputs(false, {}, false),
                       {block("g", "weight and spring forces [N m, N]", nv(), 1, std::move(g))});
  return result;
}

Function Equations::forward_dynamics() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  return self.function("forward_dynamics",
                       "Rates of the speeds and of the coordinates for given actuator forces.",
                       symbols.inputs(true, {symbols.forces_block()}, true),
                       {block("udot", "rates of the speeds [rad/s^2, m/s^2]", nv(), 1, self.accelerations()),
                        block("qdot", "rates of the coordinates", nq(), 1,
                              derive::coordinate_rates(self.model, symbols, self.speeds.rates))});
}

Function Equations::coordinate_rates() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  return self.function("coordinate_rates", "Rates of the coordinates: qdot = W u + X.",
                       self.symbols->inputs(true, {}, false),
                       {block("qdot", "rates of the coordinates", nq(), 1,
                              derive::coordinate_rates(self.model, *self.symbols, self.speeds.rates)),
                        block("qd", "joint rates [rad/s, m/s]", nv(), 1, self.speeds.rates)});
}

Function Equations::speeds_from_rates() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const std::size_t n = self.symbols->u.size();
  std::vector<Expr> u = self.symbols->rates;
  for (std::size_t i = 0; i < n && !self.speeds.identity; ++i) {
    u[i] = self.speeds.Z[i];
    for (std::size_t j = 0; j < n; ++j) u[i] += self.speeds.Y[i * n + j] * self.symbols->rates[j];
  }
  return self.function("speeds_from_rates", "Generalised speeds of given joint rates: u = Y qd + Z.",
                       self.symbols->inputs(false, {self.symbols->rates_block()}, false),
                       {block("u", "generalised speeds [rad/s, m/s]", nv(), 1, std::move(u))});
}

Function Equations::energy() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  Motion<Expr> motion = motion_at(self.raw, self.symbols->q);
  velocities(self.raw, self.speeds.rates.data(), motion);
  const EnergyAndMomentum<Expr> sum = energy_and_momentum(self.raw, motion, self.speeds.rates.data());
  const Expr potential =
      sum.potential + spring_energy(self.model, self.numbers, self.raw, motion, self.symbols->q);
  const Vec3<Expr> center =
      algebra::is_zero(sum.mass) ? Vec3<Expr>::zero() : (Expr(1.0) / sum.mass) * sum.first_moment;
  return self.function(
      "energy", "Energies and momenta.", self.symbols->inputs(true, {}, false),
      {block("kinetic", "kinetic energy [J]", 1, 1, {sum.kinetic}),
       block("potential", "potential energy of weight and springs [J]", 1, 1, {potential}),
       block("linear_momentum", "linear momentum, world axes [kg m/s]", 3, 1, entries_of(sum.linear)),
       block("angular_momentum", "angular momentum about the world's origin [kg m^2/s]", 3, 1,
             entries_of(sum.angular)),
       block("center_of_mass", "centre of mass in the world [m]", 3, 1, entries_of(center)),
       block("mass", "mass that moves [kg]", 1, 1, {sum.mass})});
}

Function Equations::frame_motion(int frame_index) const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const describe::Frame& frame = self.model.frames[static_cast<std::size_t>(frame_index)];
  const Tree<Expr>& tree = self.raw;
  const std::size_t n = self.symbols->u.size();
  Motion<Expr> motion = motion_at(tree, self.symbols->q);
  const std::vector<Pose<Expr>> X_WL = world_poses(tree, motion);
  const auto& place = tree.bodies[static_cast<std::size_t>(frame.body)];
  const Pose<Expr> X_LF = place.X_LB * self.numbers(frame.X_BF);
  const Vec3<Expr> zero = Vec3<Expr>::zero();
  const Pose<Expr> X_WF = place.link < 0 ? X_LF : X_WL[static_cast<std::size_t>(place.link)] * X_LF;

  // Jacobian of the joint rates: each joint's direction in world axes, at the frame's origin.
  std::vector<Expr> J_rates(6 * n), J(6 * n);
  for (int i = place.link; i >= 0; i = tree.links[static_cast<std::size_t>(i)].parent) {
    const Link<Expr>& link = tree.links[static_cast<std::size_t>(i)];
    const Pose<Expr>& X = X_WL[static_cast<std::size_t>(i)];
    for (int k = 0; k < speed_count(link.kind); ++k) {
      Vec3<Expr> w, v;
      joint_direction(link, k, w, v);
      const Vec3<Expr> w_W = X.R * w;
      const Vec3<Expr> v_W = X.R * v + cross(w_W, X_WF.p - X.p);
      for (std::size_t a = 0; a < 3; ++a) {
        J_rates[a * n + static_cast<std::size_t>(link.v + k)] = w_W[a];
        J_rates[(a + 3) * n + static_cast<std::size_t>(link.v + k)] = v_W[a];
      }
    }
  }
  if (self.speeds.identity) {
    J = J_rates;
  } else {
    for (std::size_t row = 0; row < 6; ++row)
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t j = 0; j < n; ++j) J[row * n + r] += J_rates[row * n + j] * self.speeds.W[j * n + r];
  }
  const auto station_acceleration = [&](const std::vector<Expr>& accelerations_of_rates) {
    if (place.link < 0) return entries_of(zero, zero);
    const auto l = static_cast<std::size_t>(place.link);
    derive::accelerations(tree, self.speeds.rates.data(), accelerations_of_rates.data(), zero, Policy{},
                          motion);
    return entries_of(X_WL[l].R * motion.wd[l], X_WL[l].R * (motion.a[l] + motion.U[l] * X_LF.p));
  };
  const std::vector<Expr> A = station_acceleration(self.speeds.accelerations);
  const std::vector<Expr> Jdot_u = station_acceleration(self.speeds.bias);
  velocities(tree, self.speeds.rates.data(), motion);
  Vec3<Expr> w = zero, v = zero;
  if (place.link >= 0) {
    const auto l = static_cast<std::size_t>(place.link);
    w = X_WL[l].R * motion.w[l];
    v = X_WL[l].R * (motion.v[l] + cross(motion.w[l], X_LF.p));
  }
  std::vector<Expr> R;
  for (const auto& row : X_WF.R.m) R.insert(R.end(), row.begin(), row.end());
  return self.function(
      "frame_motion", "Pose, velocity, acceleration and Jacobian of the frame '" + frame.name + "'.",
      self.symbols->inputs(true, {self.symbols->accelerations_block()}, false),
      {block("R", "orientation R_WF", 3, 3, std::move(R)),
       block("p", "position in the world [m]", 3, 1, entries_of(X_WF.p)),
       block("V", "velocity [angular; linear], world axes [rad/s, m/s]", 6, 1, entries_of(w, v)),
       block("A", "acceleration [angular; linear], world axes [rad/s^2, m/s^2]", 6, 1, A),
       block("J", "Jacobian: V = J u + (what does not depend on u)", 6, nv(), std::move(J)),
       block("Jdot_u", "acceleration at udot = 0", 6, 1, Jdot_u)});
}

Function Equations::body_poses() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Motion<Expr> motion = motion_at(self.raw, self.symbols->q);
  const std::vector<Pose<Expr>> X_WL = world_poses(self.raw, motion);
  std::vector<Block> outputs;
  for (std::size_t b = 1; b < self.raw.bodies.size(); ++b) {
    const auto& place = self.raw.bodies[b];
    const Pose<Expr> X =
        place.link < 0 ? place.X_LB : X_WL[static_cast<std::size_t>(place.link)] * place.X_LB;
    std::vector<Expr> entries;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) entries.push_back(X.R(i, j));
      entries.push_back(X.p[i]);
    }
    outputs.push_back(
        block("X_" + self.model.bodies[b].name, "pose in the world, [R p]", 3, 4, std::move(entries)));
  }
  return self.function("body_poses", "Poses of all bodies.", self.symbols->inputs(false, {}, false),
                       std::move(outputs));
}

Function Equations::linear_model() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  if (nq() != nv() || !self.speeds.identity) {
    throw InputError(
        {self.model.file},
        "the linear model needs one coordinate per degree of freedom and joint rates as speeds",
        "describe spherical and free joints by revolute and prismatic ones, or leave out `speeds`");
  }
  const Symbols& symbols = *self.symbols;
  const std::vector<Expr> tau = self.joint_forces_for(symbols.u, symbols.udot, true);
  return self.function("linear_model",
                       "Linear model about a point of a motion: dtau = M dudot + C du + K dq.",
                       symbols.inputs(true, {symbols.accelerations_block()}, true),
                       {block("M", "d tau / d udot", nv(), nv(), self.mass_matrix()),
                        block("C", "d tau / d u", nv(), nv(), algebra::jacobian(tau, symbols.u)),
                        block("K", "d tau / d q", nv(), nv(), algebra::jacobian(tau, symbols.q))});
}

const std::vector<ConstraintRow>& Equations::constraint_rows() const {
  return implementation_->constraints.rows;
}
const std::vector<std::string>& Equations::vanished_rows() const {
  return implementation_->constraints.vanished;
}

Function Equations::constraint_terms() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  return self.function("constraint_terms", "The constraints at position, velocity and acceleration level.",
                       self.symbols->inputs(true, {}, false), self.constraint_blocks());
}

Function Equations::constrained_terms() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  Implementation::Balance balance = self.balance();
  std::vector<Block> outputs{block("M", "mass matrix", nv(), nv(), std::move(balance.M)),
                             block("Q", "W^T tau + wrenches - h", nv(), 1, std::move(balance.Q))};
  for (Block& b : self.constraint_blocks()) outputs.push_back(std::move(b));
  outputs.push_back(block("qdot", "rates of the coordinates", nq(), 1,
                          derive::coordinate_rates(self.model, symbols, self.speeds.rates)));
  return self.function("constrained_terms", "All that a constrained step needs.",
                       symbols.inputs(true, {symbols.forces_block()}, true), std::move(outputs));
}

Function Equations::constrained_dynamics(const std::vector<bool>& active_rows) const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  const auto n = static_cast<std::size_t>(nv());
  std::vector<Expr> A, gamma;
  for (std::size_t k = 0; k < self.constraints.rows.size(); ++k) {
    if (!active_rows.empty() && !active_rows[k]) continue;
    A.insert(A.end(), self.constraints.A.begin() + static_cast<std::ptrdiff_t>(k * n),
             self.constraints.A.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    gamma.push_back(self.constraints.gamma[k]);
  }
  const int m = static_cast<int>(gamma.size());
  Implementation::Balance balance = self.balance();
  ConstrainedSolution solution =
      solve_constrained(balance.parents, std::move(balance.M), std::move(balance.Q), A, gamma);
  return self.function(
      "constrained_dynamics",
      "Constrained rates of the speeds, and multipliers: M udot + h = tau + A^T lambda.",
      symbols.inputs(true, {symbols.forces_block()}, true),
      {block("udot", "rates of the speeds [rad/s^2, m/s^2]", nv(), 1, std::move(solution.udot)),
       block("qdot", "rates of the coordinates", nq(), 1,
             derive::coordinate_rates(self.model, symbols, self.speeds.rates)),
       block("lambda", "multipliers of the active rows [N, N m]", m, 1, std::move(solution.lambda)),
       block("distances", "squared, of each row from those before it: small where rows depend on each other",
             m, 1, std::move(solution.distances)),
       block("pivots", "the distances by the rows\' own squares", m, 1, std::move(solution.pivots))});
}

Function Equations::constraint_step(const std::vector<bool>& active_rows) const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const auto n = static_cast<std::size_t>(nv());
  std::vector<Expr> A, error;
  for (std::size_t k = 0; k < self.constraints.rows.size(); ++k) {
    if (!active_rows.empty() && !active_rows[k]) continue;
    A.insert(A.end(), self.constraints.A.begin() + static_cast<std::ptrdiff_t>(k * n),
             self.constraints.A.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    error.push_back(algebra::symbol("error_" + std::to_string(error.size())));
  }
  const int m = static_cast<int>(error.size());
  // The constrained motion from rest with gamma = error and no forces.
  ConstrainedSolution solution =
      solve_constrained(self.coupling(), self.mass_matrix(), std::vector<Expr>(n), A, error);
  return self.function(
      "constraint_step", "The smallest change of the speeds that changes A u by the error.",
      self.symbols->inputs(false, {block("error", "errors of the active rows", m, 1, error)}, false),
      {block("du", "change of the speeds", nv(), 1, std::move(solution.udot)),
       block("distances", "squared, of each row from those before it: small where rows depend on each other",
             m, 1, std::move(solution.distances)),
       block("pivots", "the distances by the rows\' own squares", m, 1, std::move(solution.pivots))});
}

const std::vector<SpeedBlock>& Equations::blocks() const { return implementation_->blocks.blocks; }

int Equations::block_of_body(int body) const {
  return implementation_->blocks.block_of_body[static_cast<std::size_t>(body)];
}

Function Equations::contact_terms(const std::vector<int>& bodies) const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  Implementation::BlockBalance balance = self.block_balance();
  std::vector<Block> outputs{block("qdot", "rates of the coordinates", nq(), 1,
                                   derive::coordinate_rates(self.model, symbols, self.speeds.rates)),
                             block("Q", "W^T tau + wrenches - h", nv(), 1, std::move(balance.Q))};
  for (std::size_t k = 0; k < balance.M.size(); ++k) {
    const int n = static_cast<int>(blocks()[k].speeds.size());
    outputs.push_back(
        block("M_" + std::to_string(k), "mass matrix of a block", n, n, std::move(balance.M[k])));
  }
  for (Block& b : self.constraint_blocks()) {
    if (b.rows > 0 && b.name != "A" && b.name != "c") outputs.push_back(std::move(b));
  }
  for (std::size_t k = 0; k < blocks().size(); ++k) {
    const SpeedBlock& b = blocks()[k];
    if (b.rows.empty()) continue;
    std::vector<Expr> A;
    for (const int row : b.rows)
      for (const int speed : b.speeds)
        A.push_back(self.constraints.A[static_cast<std::size_t>(row) * static_cast<std::size_t>(nv()) +
                                       static_cast<std::size_t>(speed)]);
    outputs.push_back(block("A_" + std::to_string(k), "constraint rows of a block in its speeds",
                            static_cast<int>(b.rows.size()), static_cast<int>(b.speeds.size()),
                            std::move(A)));
  }
  const BodyTerms terms(self.raw, motion_at(self.raw, symbols.q), self.speeds, self.blocks);
  for (const int body : bodies) {
    if (body > 0) terms.append(body, outputs);
  }
  return self.function("contact_terms", "All that a step with contact needs, by blocks.",
                       symbols.inputs(true, {symbols.forces_block()}, true), std::move(outputs));
}

bool Equations::has_parametric() const { return implementation_->parametric.has_value(); }

const std::vector<char>& Equations::rows_left_by_parametric() const {
  TACTUS_CHECK(has_parametric());
  return implementation_->parametric->left;
}

Function Equations::parametric_place() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  TACTUS_CHECK(has_parametric());
  const ParametricMap& map = *self.parametric;
  std::vector<Block> inputs = self.parametric_inputs(false);
  std::erase_if(inputs, [](const Block& b) { return b.name == "zd"; });
  return self.function(
      "parametric_place", "Coordinates that belong to z: q = psi(z, t).", std::move(inputs),
      {block("q", "coordinates [rad, m]", nq(), 1, map.q),
       block("J", "dq/dz", nq(), static_cast<int>(map.z.size()), algebra::jacobian(map.q, map.z))});
}

Function Equations::parametric_motion() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  TACTUS_CHECK(has_parametric());
  const ParametricMap& map = *self.parametric;
  return self.function(
      "parametric_motion", "Coordinates and speeds that belong to z: q = psi(z, t).",
      self.parametric_inputs(false),
      {block("q", "coordinates [rad, m]", nq(), 1, map.q),
       block("u", "generalised speeds [rad/s, m/s]", nv(), 1, map.u),
       block("T", "u = T zd + (what does not depend on zd)", nv(), static_cast<int>(map.z.size()), map.T),
       block("b", "udot = T zdd + b", nv(), 1, map.b)});
}

Function Equations::parametric_dynamics(const std::vector<bool>& active_rows) const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  TACTUS_CHECK(has_parametric());
  const ParametricMap& map = *self.parametric;
  const auto n = static_cast<std::size_t>(nv());
  const std::size_t nz = map.z.size();
  std::vector<Expr> A, gamma;
  for (std::size_t k = 0; k < self.constraints.rows.size(); ++k) {
    if (!map.left[k] || (!active_rows.empty() && !active_rows[k])) continue;
    A.insert(A.end(), self.constraints.A.begin() + static_cast<std::ptrdiff_t>(k * n),
             self.constraints.A.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    gamma.push_back(self.constraints.gamma[k]);
  }
  const int m = static_cast<int>(gamma.size());
  const Implementation::Balance balance = self.balance();
  ParametricProblem problem = reduce(map, *self.symbols, balance.M, balance.Q, A, gamma);
  std::vector<int> chain(nz);  // every parameter couples with every other
  for (std::size_t c = 0; c < nz; ++c) chain[c] = static_cast<int>(c) - 1;
  ConstrainedSolution solution =
      solve_constrained(chain, std::move(problem.M), std::move(problem.Q), problem.A, problem.gamma);
  std::vector<Expr> udot = map.b;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < nz; ++c) udot[i] += map.T[i * nz + c] * solution.udot[c];
  std::vector<Expr> qdot = map.in_parameters(
      derive::coordinate_rates(self.model, *self.symbols, self.speeds.rates), *self.symbols);
  const int rows = static_cast<int>(nz);
  return self.function(
      "parametric_dynamics", "Accelerations in parametric coordinates: q = psi(z, t).",
      self.parametric_inputs(true),
      {block("zdd", "accelerations of the parameters", rows, 1, std::move(solution.udot)),
       block("udot", "rates of the speeds [rad/s^2, m/s^2]", nv(), 1, std::move(udot)),
       block("qdot", "rates of the coordinates", nq(), 1, std::move(qdot)),
       block("compliances", "large where T loses its rank", rows, 1, std::move(solution.compliances)),
       block("distances", "squared, of each row from those before it: small where rows depend on each other",
             m, 1, std::move(solution.distances)),
       block("pivots", "the distances by the rows' own squares", m, 1, std::move(solution.pivots))});
}

}  // namespace tactus::derive
