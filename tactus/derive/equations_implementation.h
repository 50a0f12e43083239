// What stands behind Equations: the model's graph, its tree as described and simplified, its speeds and
// constraints, and the balances of forces that the functions are made of. For the files of `derive` alone.
#pragma once

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/derive/constraints/constrained.h>
#include <tactus/derive/constraints/constraints.h>
#include <tactus/derive/constraints/parametric.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/readable/kane.h>
#include <tactus/derive/recursion/articulated_body.h>
#include <tactus/derive/recursion/body_terms.h>
#include <tactus/derive/recursion/composite_body.h>
#include <tactus/derive/recursion/energy.h>
#include <tactus/derive/recursion/force_laws.h>
#include <tactus/derive/recursion/loads.h>
#include <tactus/derive/recursion/sparse_factor.h>
#include <tactus/derive/tree/simplify.h>
#include <tactus/derive/tree/tree_matrix.h>

namespace tactus::derive {

using algebra::Block;
using algebra::Graph;
using describe::Model;

/// Beyond this many links the slides are not searched: counting each candidate would cost more than it gains.
inline constexpr int kSearchedLinks = 12;

/// Forward dynamics: where no more speeds than these follow each other from the ground to a tip, code by
/// composite bodies runs faster; beyond, by articulated bodies. Measured on chains and branched trees
/// (docs/benchmarks.md): it is the depth that counts, not the number of speeds, and not the number of
/// operations either, since an articulated body must wait for its division at every joint.
inline constexpr int kCompositeBodyDepth = 12;

inline Block block(std::string name, std::string meaning, int rows, int cols, std::vector<Expr> entries) {
  return {std::move(name), std::move(meaning), rows, cols, std::move(entries)};
}

inline std::vector<Expr> entries_of(const Vec3<Expr>& v) { return {v.x, v.y, v.z}; }

inline std::vector<Expr> entries_of(const Vec3<Expr>& a, const Vec3<Expr>& b) {
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

/// Positions of all links, with the sum angles of parallel groups.
inline Motion<Expr> motion_at(const Tree<Expr>& tree, const std::vector<Expr>& q) {
  Motion<Expr> motion(tree);
  position(tree, q.data(), motion);
  group_angles(tree, q.data(), motion);
  return motion;
}

/// The largest number of speeds on a path from the ground to a tip.
inline int depth_of(const Tree<Expr>& tree) {
  const std::vector<int> parents = speed_parents(tree);
  std::vector<int> depth(parents.size());
  int deepest = 0;
  for (std::size_t k = 0; k < parents.size(); ++k) {
    depth[k] = parents[k] < 0 ? 1 : depth[static_cast<std::size_t>(parents[k])] + 1;
    deepest = std::max(deepest, depth[k]);
  }
  return deepest;
}

struct Derivation {
  Derivation(const Model& m, Options o)
      : model(m), options(std::move(o)), graph(std::make_shared<Graph>()), numbers(model, options) {
    const Graph::Scope scope(*graph);
    graph->set_cells(options.cells);
    symbols.emplace(model, options);
    raw = build_tree(model, numbers);
    if (options.simplify) turn_frames(raw);
    speeds = speed_map(model, *symbols, numbers);
    tree = options.simplify ? simplified() : raw;
    if (!model.constraints.empty()) {
      constraints = derive_constraints(model, numbers, raw, motion_at(raw, symbols->q), *symbols, speeds);
    }
    blocks = speed_blocks(raw, speeds, constraints);
    if (model.parametric) parametric = derive_parametric(model, *symbols, speeds, constraints, numbers);
  }

  /// The tree with the fewest operations. The search runs in a graph of its own, on numbers.
  Tree<Expr> simplified() const {
    std::vector<SlideAim> slides;
    if (raw.size() <= kSearchedLinks) {
      Graph scratch;
      const Graph::Scope scope(scratch);
      Tree<Expr> trial = build_tree(model, Numbers(model));
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
    auto wrenches = outside_wrenches(model, options, numbers, t, motion, rates,
                                     with_wrench ? symbols->wrench : std::vector<Expr>{});
    add_law_wrenches({model, numbers, *symbols, speeds}, t, motion, rates, wrenches);
    return wrenches;
  }

  /// What springs, friction and laws at the joints add to h.
  std::vector<Expr> loads_at_joints(const Tree<Expr>& t, const Motion<Expr>& motion,
                                    const std::vector<Expr>& rates) const {
    std::vector<Expr> loads = joint_loads(model, options, numbers, symbols->q, rates);
    subtract_law_forces({model, numbers, *symbols, speeds}, t, motion, rates, loads);
    return loads;
  }

  /// Joint forces for given joint rates and their rates.
  std::vector<Expr> joint_forces_for(const std::vector<Expr>& rates, const std::vector<Expr>& accelerations,
                                     bool with_wrench) const {
    Motion<Expr> motion = motion_at(tree, symbols->q);
    std::vector<Expr> tau(static_cast<std::size_t>(nv()));
    newton_euler(tree, rates.data(), accelerations.data(), loads_on(tree, motion, rates, with_wrench),
                 Policy{}, motion, tau.data());
    const std::vector<Expr> loads = loads_at_joints(tree, motion, rates);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += loads[k];
    return tau;
  }

  KaneEquations kane_equations(bool with_wrench) const {
    const Motion<Expr> motion = motion_at(raw, symbols->q);
    KaneEquations result =
        kane(raw, motion, model, *symbols, speeds, loads_on(raw, motion, speeds.rates, with_wrench),
             loads_at_joints(raw, motion, speeds.rates), options.push_passive);
    return speeds.is_constant() && nv() <= kMostCompared ? shortest(std::move(result), with_wrench) : result;
  }

  /// Where W is constant, the same equations have other forms: each element collected as a trigonometric polynomial, which is what a
  /// reader would write; or the recursions' equations in joint rates, recombined:
  ///   M = W^T M_q W,   h = W^T h_q(q, W u)
  /// The one with the fewest operations is taken.
  KaneEquations shortest(KaneEquations by_kane, bool with_wrench) const {
    const std::size_t n = symbols->u.size();
    KaneEquations collected = by_kane, recombined = by_kane;
    for (std::vector<Expr>* part : {&collected.M, &collected.h})
      for (Expr& x : *part) x = collected_if_short(x);
    Motion<Expr> motion = motion_at(tree, symbols->q);
    std::vector<CompositeBody<Expr>> composite;
    std::vector<Expr> M(n * n);
    composite_body(tree, Policy{}, motion, composite, M.data());
    const std::vector<Expr> h = joint_forces_for(speeds.rates, speeds.bias, with_wrench);
    for (std::size_t r = 0; r < n; ++r) {
      recombined.h[r] = Expr();
      for (std::size_t j = 0; j < n; ++j) recombined.h[r] += speeds.W_at(j, r) * h[j];
      for (std::size_t s = 0; s < n; ++s) {
        Expr sum;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) sum += speeds.W_at(i, r) * M[i * n + j] * speeds.W_at(j, s);
        recombined.M[r * n + s] = collected_if_short(sum);
      }
    }
    const std::vector<Expr>*M_best = &by_kane.M, *h_best = &by_kane.h;
    int least = -1;
    for (const KaneEquations* a : {&by_kane, &collected, &recombined})
      for (const KaneEquations* b : {&by_kane, &collected, &recombined}) {
        std::vector<Expr> roots = a->M;
        roots.insert(roots.end(), b->h.begin(), b->h.end());
        const algebra::OperationCount count = algebra::count_operations(roots);
        const int cost = count.mul + count.add + kTrigCost * count.trig;
        if (least >= 0 && cost >= least) continue;
        least = cost;
        M_best = &a->M;
        h_best = &b->h;
      }
    return {std::move(by_kane.partials), *M_best, *h_best, std::move(by_kane.active)};
  }
  /// The element as a trigonometric polynomial where that is short and found with little work, as in a plane.
  static Expr collected_if_short(Expr x) {
    constexpr algebra::TrigLimits kLittleWork{.terms = 60, .products = 5000};
    algebra::TrigVariables variables;
    algebra::TrigConverter convert(variables, kLittleWork);
    const auto p = convert(x);
    if (!p) return x;
    const Expr form = algebra::to_cheapest_expr(*p, variables);
    return algebra::cost(form) < algebra::cost(x) ? form : x;
  }
  /// Speeds of equations whose forms are compared: of ten links in a plane that takes a second.
  static constexpr int kMostCompared = 10;
  /// [products] A sine or cosine.
  static constexpr int kTrigCost = 8;

  /// Formulas of nv x nv entries, most of them zero: 200 MB. Beyond it they would take what memory there is.
  static constexpr int kMostSpeeds = 5000;
  void require_a_matrix() const {
    if (nv() <= kMostSpeeds) return;
    throw InputError(
        {},
        fmt::format("the model has {} freedoms; its equations in one piece are made for at most {}", nv(),
                    kMostSpeeds),
        "take fewer bodies; loose ones that touch each other (`contact`) are moved by stepping, without such "
        "equations");
  }

  std::vector<Expr> mass_matrix() const {
    require_a_matrix();
    return speeds.identity ? rate_mass_matrix() : kane_equations(false).M;
  }

  /// In joint rates, whatever the speeds.
  std::vector<Expr> rate_mass_matrix() const {
    Motion<Expr> motion = motion_at(tree, symbols->q);
    std::vector<Expr> M(static_cast<std::size_t>(nv()) * static_cast<std::size_t>(nv()));
    std::vector<CompositeBody<Expr>> composite;
    composite_body(tree, Policy{}, motion, composite, M.data());
    return M;
  }

  std::vector<Expr> bias(bool with_wrench) const {
    if (!speeds.identity) return kane_equations(with_wrench).h;
    return joint_forces_for(symbols->u, std::vector<Expr>(static_cast<std::size_t>(nv())), with_wrench);
  }

  /// tau, with zeros at the joints that have no actuator, unless they may be pushed.
  std::vector<Expr> actuator_forces() const {
    std::vector<Expr> forces = symbols->tau;
    std::size_t k = 0;
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) {
        if (axis.passive && !options.push_passive) forces[k] = Expr(0.0);
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

  /// M without the entries that the tree makes zero.
  TreeMatrix<Expr> tree_mass_matrix() const {
    if (!speeds.identity) return TreeMatrix<Expr>(coupling(), kane_equations(false).M);
    TreeMatrix<Expr> M(coupling());
    Motion<Expr> motion = motion_at(tree, symbols->q);
    std::vector<CompositeBody<Expr>> composite;
    composite_elements(tree, Policy{}, motion, composite,
                       [&](int row, int column, const Expr& element) { M.set(row, column, element); });
    return M;
  }
  struct TreeBalance {
    TreeMatrix<Expr> M;
    std::vector<Expr> Q;
  };
  TreeBalance tree_balance() const {
    if (!speeds.identity) {
      Balance full = balance();
      return {TreeMatrix<Expr>(std::move(full.parents), full.M), std::move(full.Q)};
    }
    TreeBalance result{tree_mass_matrix(), actuator_forces()};
    const std::vector<Expr> h = bias(true);
    for (std::size_t k = 0; k < h.size(); ++k) result.Q[k] -= h[k];
    return result;
  }

  /// The same, M by rows.
  struct SparseBalance {
    algebra::SparseRows M;
    std::vector<Expr> Q;
  };
  SparseBalance sparse_balance() const {
    require_a_matrix();
    const auto n = static_cast<std::size_t>(nv());
    if (!speeds.identity) {
      Balance full = balance();
      return {algebra::SparseRows(full.M, n), std::move(full.Q)};
    }
    TreeBalance tree_balanced = tree_balance();
    const TreeMatrix<Expr>& M = tree_balanced.M;
    // Speeds on the way to the ground have smaller numbers: rows are written by growing columns.
    std::vector<std::vector<algebra::SparseRows::Entry>> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (int j = static_cast<int>(i); j >= 0; j = M.parent(static_cast<std::size_t>(j)))
        rows[i].push_back({static_cast<std::size_t>(j), M.at(i, static_cast<std::size_t>(j))});
      std::reverse(rows[i].begin(), rows[i].end());
      for (const algebra::SparseRows::Entry& entry : rows[i])
        if (entry.column != i) rows[entry.column].push_back({i, entry.value});
    }
    SparseBalance result{algebra::SparseRows(n), std::move(tree_balanced.Q)};
    for (const std::vector<algebra::SparseRows::Entry>& row : rows) {
      for (const algebra::SparseRows::Entry& entry : row) result.M.append(entry.column, entry.value);
      result.M.end_row();
    }
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
    TreeBalance b = tree_balance();
    b.M.factorise();
    b.M.solve(b.Q);
    return std::move(b.Q);
  }

  /// Phi, velocity.
  std::vector<Block> error_blocks() const {
    const int m = static_cast<int>(constraints.rows.size());
    std::vector<Expr> phi, velocity;
    for (const ConstraintRow& row : constraints.rows) {
      phi.push_back(row.phi);
      velocity.push_back(row.velocity);
    }
    return {
        block("Phi", "position errors of the constraints [m, rad]; 0 for rows at velocity level", m, 1, phi),
        block("velocity", "velocity errors A u + c [m/s, rad/s]", m, 1, velocity)};
  }
  /// Phi, velocity, A as it is given, c, gamma.
  std::vector<Block> constraint_blocks(Block A) const {
    const int m = static_cast<int>(constraints.rows.size());
    std::vector<Block> blocks = error_blocks();
    blocks.push_back(std::move(A));
    blocks.push_back(block("c", "drift of moving constraints", m, 1, constraints.c));
    blocks.push_back(block("gamma", "A udot = gamma", m, 1, constraints.gamma));
    return blocks;
  }
  std::vector<Block> constraint_blocks() const {
    return constraint_blocks(block("A", "constraint matrix", static_cast<int>(constraints.rows.size()), nv(),
                                   constraints.A.full()));
  }

  std::vector<Expr> accelerations_by_articulated_body() const {
    Motion<Expr> motion = motion_at(tree, symbols->q);
    const std::vector<Expr> loads = loads_at_joints(tree, motion, symbols->u);
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

struct Equations::Implementation : Derivation {
  using Derivation::Derivation;
};

}  // namespace tactus::derive
