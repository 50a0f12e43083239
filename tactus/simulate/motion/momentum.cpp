#include <tactus/simulate/motion/momentum.h>

#include <algorithm>
#include <string>

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

/// The momentum of one tree: other trees' speeds are zero in it, and for a free root its position.
struct Tree {
  std::vector<Block> arguments;
  std::vector<Expr> root_speeds;
};

std::vector<Expr> free_tree_momentum(const Function& energy, const Tree& tree, Expr mass) {
  const std::vector<Expr> H_B = output_in(energy, "angular_momentum", tree.arguments);
  const std::vector<Expr> p = output_in(energy, "linear_momentum", tree.arguments);
  const std::vector<Expr> v(tree.root_speeds.begin() + 3, tree.root_speeds.end());
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

std::vector<Expr> spherical_tree_momentum(const Vec3& centre, const Function& energy, const Tree& tree) {
  const Vec3 H_W = vector_of(output_in(energy, "angular_momentum", tree.arguments));
  const Vec3 p = vector_of(output_in(energy, "linear_momentum", tree.arguments));
  return entries_of(H_W - math::cross(centre, p));
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

  MomentumFunctions functions;
  std::vector<Expr> P;
  std::vector<Block> blocks_A;
  int first_q = 0, first_u = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const describe::Joint& joint = model.joints[j];
    const int root_q = first_q, root_u = first_u, size = describe::speed_count(joint.type);
    first_q += describe::coordinate_count(joint.type);
    first_u += size;
    if (!hangs_free(joint)) continue;

    Tree tree{{t, q, u}, {}};
    std::vector<int> speeds;
    Expr mass = 0.0;
    double mass_now = 0.0;
    int k = 0;
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      const bool inside = root[i] == static_cast<int>(j);
      if (inside) {
        mass += numbers(model.bodies[i + 1].mass);
        mass_now += describe::value_of(model, model.bodies[i + 1].mass);
      }
      for (int n = describe::speed_count(model.joints[i].type); n > 0; --n, ++k) {
        if (inside)
          speeds.push_back(k);
        else
          tree.arguments[2].entries[static_cast<std::size_t>(k)] = Expr(0.0);
      }
    }
    for (int i = 0; i < size; ++i)
      tree.root_speeds.push_back(u.entries[static_cast<std::size_t>(root_u + i)]);
    if (!(mass_now > 0.0)) continue;

    std::vector<Expr> P_tree;
    if (joint.type == JointType::free) {
      for (int i = 0; i < 3; ++i) tree.arguments[1].entries[static_cast<std::size_t>(root_q + i)] = Expr(0.0);
      P_tree = free_tree_momentum(energy, tree, mass);
    } else {
      P_tree = spherical_tree_momentum(numbers(joint.X_PJ.p), energy, tree);
    }
    blocks_A.push_back({"A_" + std::to_string(functions.roots.size()),
                        {},
                        size,
                        size,
                        algebra::jacobian(P_tree, tree.root_speeds)});
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
