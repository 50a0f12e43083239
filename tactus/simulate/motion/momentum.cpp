#include <tactus/simulate/motion/momentum.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_map>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/derive/tree/build_tree.h>

namespace tactus::simulate {

namespace {

using algebra::Block;
using algebra::Expr;
using algebra::Function;
using describe::JointType;
using Vec3 = math::Vec3<Expr>;

Block symbols(const std::string& name, int size) {
  Block block{name, {}, size, 1, {}};
  for (int i = 0; i < size; ++i) block.entries.push_back(algebra::symbol(name + "_" + std::to_string(i)));
  return block;
}

const Block& block_of(const std::vector<Block>& blocks, std::string_view name) {
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) { return b.name == name; });
  TACTUS_CHECK(found != blocks.end());
  return *found;
}

/// The function's output, with its inputs replaced by the given blocks of the current graph (matched by
/// name).
std::vector<Expr> output_in(const Function& function, std::string_view output,
                            const std::vector<Block>& arguments) {
  std::vector<Expr> from, to;
  for (const Block& input : function.inputs) {
    const Block& argument = block_of(arguments, input.name);
    TACTUS_CHECK(argument.size() == input.size());
    from.insert(from.end(), input.entries.begin(), input.entries.end());
    to.insert(to.end(), argument.entries.begin(), argument.entries.end());
  }
  return algebra::substitute(block_of(function.outputs, output).entries, *function.graph, from, to);
}

/// For every joint, the joint on the world that its tree hangs on.
std::vector<int> root_of_joints(const describe::Model& model) {
  std::vector<int> root(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int parent = model.joints[j].parent;
    root[j] = parent == 0 ? static_cast<int>(j) : root[static_cast<std::size_t>(parent - 1)];
  }
  return root;
}

Vec3 vector_of(const std::vector<Expr>& entries) { return {entries[0], entries[1], entries[2]}; }
std::vector<Expr> entries_of(const Vec3& a) { return {a.x, a.y, a.z}; }

/// Where an expression's symbols belong to.
constexpr int kNowhere = -1, kSeveral = -2;

/// Momenta of a whole model are sums over its bodies. The parts of each tree, in their order: no part needs more than its own tree's size
/// to be found and written, so that a thousand trees cost a thousand times what one does.
class MomentaOfTrees {
 public:
  /// `tree_of` has the tree of each coordinate's and speed's symbol.
  MomentaOfTrees(const Function& energy, const std::unordered_map<const algebra::Node*, int>& tree_of,
                 int trees)
      : graph_(*energy.graph), parts_(static_cast<std::size_t>(trees)) {
    const algebra::Graph::Scope scope(*energy.graph);
    std::vector<Expr> entries = block_of(energy.outputs, "angular_momentum").entries;
    const std::vector<Expr>& linear = block_of(energy.outputs, "linear_momentum").entries;
    entries.insert(entries.end(), linear.begin(), linear.end());
    std::unordered_map<const algebra::Node*, int> tree;
    for (const algebra::Node* node : algebra::needed_nodes(entries)) {
      int own = kNowhere;
      if (const auto found = tree_of.find(node); found != tree_of.end()) own = found->second;
      for (const algebra::Node* operand : {node->a, node->b, node->c})
        if (operand != nullptr)
          if (const auto of = tree.find(operand); of != tree.end() && of->second != kNowhere)
            own = own == kNowhere || own == of->second ? of->second : kSeveral;
      tree[node] = own;
    }
    for (std::size_t i = 0; i < entries.size(); ++i) split(entries[i], i, tree);
  }

  /// H about the world's origin and p of a tree, its symbols replaced.
  std::vector<Expr> of(int tree, const std::vector<Expr>& from, const std::vector<Expr>& to) const {
    const std::array<Expr, 6>& parts = parts_[static_cast<std::size_t>(tree)];
    return algebra::substitute(parts, graph_, from, to);
  }

 private:
  void split(Expr sum, std::size_t entry, const std::unordered_map<const algebra::Node*, int>& tree) {
    std::vector<std::pair<Expr, bool>> open{{sum, false}};  // and whether it is taken away
    while (!open.empty()) {
      const auto [part, minus] = open.back();
      open.pop_back();
      const int own = tree.at(part.node());
      if (own >= 0) {
        Expr& to = parts_[static_cast<std::size_t>(own)][entry];
        to = minus ? to - part : to + part;
      } else if (own == kSeveral) {
        const algebra::Op op = part.op();
        TACTUS_CHECK(op == algebra::Op::add || op == algebra::Op::sub || op == algebra::Op::neg);
        if (op != algebra::Op::neg) open.push_back({part.b(), minus != (op == algebra::Op::sub)});
        open.push_back({part.a(), minus != (op == algebra::Op::neg)});
      }
    }
  }

  const algebra::Graph& graph_;
  std::vector<std::array<Expr, 6>> parts_;
};

std::vector<Expr> free_tree_momentum(const std::vector<Expr>& H_p, std::span<const Expr> root_speeds,
                                     Expr mass) {
  const std::vector<Expr> H_B(H_p.begin(), H_p.begin() + 3), p(H_p.begin() + 3, H_p.end());
  const std::vector<Expr> v(root_speeds.begin() + 3, root_speeds.end());
  const std::vector<Expr> H_v = algebra::jacobian(H_B, v);  // m [c]x R
  const std::vector<Expr> p_v = algebra::jacobian(p, v);    // m R
  const auto c_cross = [&](std::size_t row, std::size_t col) {
    return (H_v[3 * row] * p_v[3 * col] + H_v[3 * row + 1] * p_v[3 * col + 1] +
            H_v[3 * row + 2] * p_v[3 * col + 2]) *
           (Expr(1.0) / (mass * mass));
  };
  const Vec3 c{c_cross(2, 1), c_cross(0, 2), c_cross(1, 0)};
  std::vector<Expr> P = entries_of(vector_of(H_B) - math::cross(c, vector_of(p)));
  P.insert(P.end(), p.begin(), p.end());
  return P;
}

}  // namespace

std::optional<MomentumFunctions> momentum_functions(const derive::Equations& equations) {
  const describe::Model& model = equations.model();
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates) return std::nullopt;
  const auto hangs_free = [](const describe::Joint& joint) {
    return joint.parent == 0 && describe::has_quaternion(joint.type);
  };
  if (std::none_of(model.joints.begin(), model.joints.end(), hangs_free)) return std::nullopt;

  auto graph = std::make_shared<algebra::Graph>();
  algebra::Graph::Scope scope(*graph);
  graph->set_cells(equations.options().cells);
  const derive::Numbers numbers(model, equations.options());
  const int wrench_size = 6 * static_cast<int>(equations.options().wrenches.size());
  const Block t = symbols("t", 1), q = symbols("q", equations.nq()), u = symbols("u", equations.nv());
  const Block tau = symbols("tau", equations.nv()), wrench = symbols("wrench", wrench_size);
  const Block udot = symbols("udot", equations.nv());
  const Function energy = equations.energy();
  const std::vector<int> root = root_of_joints(model);
  // Of each joint its symbols in the energy's graph, and those that take their place.
  std::vector<std::vector<Expr>> theirs(model.joints.size()), ours(model.joints.size());
  std::vector<std::vector<std::size_t>> of_tree(model.joints.size());
  std::unordered_map<const algebra::Node*, int> tree_of;
  {
    const std::vector<Expr>&their_q = block_of(energy.inputs, "q").entries,
          &their_u = block_of(energy.inputs, "u").entries;
    std::size_t next_q = 0, next_u = 0;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const auto take = [&](const std::vector<Expr>& their, const Block& our, std::size_t& next, int count) {
        for (int i = 0; i < count; ++i, ++next) {
          theirs[j].push_back(their[next]);
          ours[j].push_back(our.entries[next]);
          tree_of[their[next].node()] = root[j];
        }
      };
      take(their_q, q, next_q, describe::coordinate_count(model.joints[j].type));
      take(their_u, u, next_u, describe::speed_count(model.joints[j].type));
      of_tree[static_cast<std::size_t>(root[j])].push_back(j);
    }
  }
  const MomentaOfTrees momenta(energy, tree_of, static_cast<int>(model.joints.size()));
  std::vector<int> first_speed(1, 0);
  for (const describe::Joint& joint : model.joints)
    first_speed.push_back(first_speed.back() + describe::speed_count(joint.type));

  MomentumFunctions functions;
  std::vector<Expr> P;
  std::vector<Block> blocks_A;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const describe::Joint& joint = model.joints[j];
    if (!hangs_free(joint)) continue;
    const int root_u = first_speed[j], size = describe::speed_count(joint.type);
    std::vector<int> speeds;
    std::vector<Expr> from{block_of(energy.inputs, "t").entries.front()}, to{t.entries.front()};
    Expr mass = 0.0;
    double mass_now = 0.0;
    for (const std::size_t i : of_tree[j]) {
      mass += numbers(model.bodies[i + 1].mass);
      mass_now += describe::value_of(model, model.bodies[i + 1].mass);
      for (int k = first_speed[i]; k < first_speed[i + 1]; ++k) speeds.push_back(k);
      from.insert(from.end(), theirs[i].begin(), theirs[i].end());
      to.insert(to.end(), ours[i].begin(), ours[i].end());
    }
    if (!(mass_now > 0.0)) continue;
    const std::span<const Expr> root_speeds =
        std::span(u.entries).subspan(static_cast<std::size_t>(root_u), static_cast<std::size_t>(size));

    std::vector<Expr> P_tree;
    if (joint.type == JointType::free) {
      for (std::size_t i = 0; i < 3; ++i)
        to[1 + i] = Expr(0.0);  // its place, of which this momentum does not depend
      P_tree = free_tree_momentum(momenta.of(static_cast<int>(j), from, to), root_speeds, mass);
    } else {
      const std::vector<Expr> H_p = momenta.of(static_cast<int>(j), from, to);
      const Vec3 H_W{H_p[0], H_p[1], H_p[2]}, p{H_p[3], H_p[4], H_p[5]};
      P_tree = entries_of(H_W - math::cross(numbers(joint.X_PJ.p), p));
    }
    blocks_A.push_back({"A_" + std::to_string(functions.roots.size()),
                        {},
                        size,
                        size,
                        algebra::jacobian(P_tree, root_speeds)});
    functions.roots.push_back({root_u, size, static_cast<int>(P.size()), std::move(speeds)});
    P.insert(P.end(), P_tree.begin(), P_tree.end());
  }
  if (functions.roots.empty()) return std::nullopt;

  std::vector<Expr> places = q.entries, rates = output_in(equations.coordinate_rates(), "qdot", {t, q, u});
  places.insert(places.end(), u.entries.begin(), u.entries.end());
  rates.insert(rates.end(), udot.entries.begin(), udot.entries.end());
  const std::vector<Expr> P_rate = algebra::directional_derivative(P, places, rates);

  const int np = static_cast<int>(P.size());
  functions.momentum = {"momentum", "momentum of the trees that hang free", graph, {t, q, u}, {}};
  functions.momentum.outputs.push_back(
      {"P", "[H_c; p] or H_o per root, world axes [kg m^2/s; kg m/s]", np, 1, P});
  for (Block& block : blocks_A) functions.momentum.outputs.push_back(std::move(block));
  functions.rate = {"momentum_rate", "its rate: the outside wrench", graph, {t, q, u, tau}, {}};
  if (wrench_size > 0) functions.rate.inputs.push_back(wrench);
  functions.rate.inputs.push_back(udot);
  functions.rate.outputs.push_back({"P_rate", "[N m; N]", np, 1, P_rate});
  return functions;
}

}  // namespace tactus::simulate
