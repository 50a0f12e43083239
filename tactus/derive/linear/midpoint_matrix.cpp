#include <tactus/derive/linear/midpoint_matrix.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include <tactus/derive/linear/motion_derivatives.h>
#include <tactus/derive/recursion/step_matrix.h>

namespace tactus::derive {

namespace {

using Members = std::vector<int>;

/// Deeper trees are not differentiated on the graph to compare (motion_derivatives.cpp).
constexpr int kComparedDepth = 8;

/// Of E of each quaternion.
constexpr std::size_t kEntries = 27;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// How the coordinates move with each joint rate: (coordinate, its rate for a rate of one).
using Movement = std::vector<std::pair<std::size_t, Expr>>;

/// By joint, so that a scene of many bodies costs in proportion to their number (coordinate_rates() in tree/speeds.h says the same of all).
std::vector<Movement> movements_of(const Derivation& self,
                                   std::vector<MidpointTerms::Quaternion>& quaternions) {
  std::vector<Movement> result;
  std::size_t first = 0;
  for (const describe::Joint& joint : self.model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (!traits.has_quaternion()) {
      for (std::size_t k = 0; k < joint.axes.size(); ++k) result.push_back({{first + k, Expr(1.0)}});
      first += joint.axes.size();
      continue;
    }
    const std::size_t w = first + at(traits.quaternion_at);
    const math::Quaternion<Expr> q{self.symbols->q[w], self.symbols->q[w + 1], self.symbols->q[w + 2],
                                   self.symbols->q[w + 3]};
    quaternions.push_back({static_cast<int>(result.size()), traits.quaternion_at > 0});
    for (std::size_t k = 0; k < 3; ++k) {  // qd = 1/2 q (0, w)
      std::array<Expr, 3> half{};
      half[k] = Expr(0.5);
      const math::Quaternion<Expr> rate = q * math::Quaternion<Expr>{Expr(0.0), half[0], half[1], half[2]};
      result.push_back({{w, rate.w}, {w + 1, rate.x}, {w + 2, rate.y}, {w + 3, rate.z}});
    }
    if (traits.quaternion_at > 0) {
      const Mat3<Expr> R = math::rotation_of(q);
      for (std::size_t k = 0; k < 3; ++k)
        result.push_back({{first, R(0, k)}, {first + 1, R(1, k)}, {first + 2, R(2, k)}});
    }
    first += traits.nq();
  }
  return result;
}

/// Disjoint sets; the smallest member stands for its set.
class Sets {
 public:
  explicit Sets(std::size_t size) : first_(size) { std::iota(first_.begin(), first_.end(), 0); }
  int of(int x) {
    while (first_[at(x)] != x) x = first_[at(x)] = first_[at(first_[at(x)])];
    return x;
  }
  void join(int x, int y) {
    const int a = of(x), b = of(y);
    first_[at(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> first_;
};

class MatrixMaker {
 public:
  MatrixMaker(const Derivation& self, const std::optional<Function>& loads, MidpointTerms& terms)
      : self_(self),
        n_(self.symbols->u.size()),
        quaternions_(terms.quaternions),
        movements_(movements_of(self, terms.quaternions)),
        c_(algebra::symbol("c:step")) {
    for (std::size_t k = 0; k < kEntries * terms.quaternions.size(); ++k)
      E_.push_back(algebra::symbol("E:" + std::to_string(k)));
    for (std::size_t k = 0; k < n_; ++k) a_.push_back(algebra::symbol("a:" + std::to_string(k)));
    for (std::size_t k = 0; k < n_; ++k) {
      speed_of_[self.symbols->u[k].id()] = static_cast<int>(k);
      for (const auto& [coordinate, rate] : movements_[k])
        speed_of_.emplace(self.symbols->q[coordinate].id(), static_cast<int>(k));
    }
    place_changes_ = place_changes();
    if (loads) read(*loads);
  }

  void make(MidpointTerms& terms) {
    terms.own_speeds = !self_.speeds.identity;
    std::vector<Block> outputs, mass;
    if (terms.own_speeds) {
      terms.blocks = {Members(n_)};
      std::iota(terms.blocks.front().begin(), terms.blocks.front().end(), 0);
      of_own_speeds(terms.blocks.front(), outputs, mass);
    } else {
      self_.require_a_matrix();
      std::vector<Expr> loads = load_forces(self_, true);
      const std::vector<Expr> actuated = self_.actuator_forces();
      for (std::size_t k = 0; k < n_; ++k) loads[k] -= actuated[k];
      terms.blocks = blocks(loads);
      outputs = named("J_", forces_in(terms.blocks, loads));
      mass = named("M_", mass_in(terms.blocks));
    }
    const Symbols& symbols = *self_.symbols;
    std::vector<Block> inputs = symbols.inputs(true, {symbols.forces_block()}, true), of_mass;
    inputs.push_back(block("c", "half the step [s]", 1, 1, {c_}));
    of_mass = symbols.inputs(false, {block("a", "speeds", self_.nv(), 1, a_)}, false);
    for (std::vector<Block>* list : {&inputs, &of_mass})
      if (!E_.empty())
        list->push_back(block("E", "of each quaternion: what speeds do to its place",
                              static_cast<int>(E_.size() / kEntries), static_cast<int>(kEntries), E_));
    terms.matrix = self_.function("midpoint_matrix", "What forces add to the matrix of a midpoint step.",
                                  std::move(inputs), std::move(outputs));
    terms.mass =
        self_.function("midpoint_mass", "What one of its ends adds.", std::move(of_mass), std::move(mass));
  }

 private:
  /// The script's forces as expressions of ours, by what they stand for.
  void read(const Function& loads) {
    std::vector<Expr> from, to;
    for (const Block& b : loads.inputs) from.insert(from.end(), b.entries.begin(), b.entries.end());
    const Symbols& symbols = *self_.symbols;
    to.push_back(symbols.t);
    to.insert(to.end(), symbols.q.begin(), symbols.q.end());
    to.insert(to.end(), symbols.u.begin(), symbols.u.end());
    TACTUS_CHECK(from.size() == to.size());
    const std::vector<Expr> values = algebra::substitute(loads.roots(), *loads.graph, from, to);
    TACTUS_CHECK(values.size() == n_ + symbols.wrench.size());
    std::size_t k = 0;
    for (const describe::Joint& joint : self_.model.joints)
      for (const describe::JointAxis& axis : joint.axes) {
        if (!axis.passive) note(symbols.tau[k], values[k]);
        ++k;
      }
    for (std::size_t i = 0; i < symbols.wrench.size(); ++i) note(symbols.wrench[i], values[n_ + i]);
  }

  /// Only what depends on the motion.
  void note(const Expr& input, const Expr& value) {
    const std::vector<Expr> inside = algebra::symbols_in(std::span(&value, 1));
    if (std::none_of(inside.begin(), inside.end(), [&](const Expr& x) { return speed_of_.contains(x.id()); }))
      return;
    given_.emplace_back(input, value);
  }

  /// d roots/d u and d roots/d place, rows by members, by the script's forces, too.
  struct Changes {
    std::vector<Expr> by_speed, by_place;
  };
  Changes changes(const std::vector<Expr>& roots, const Members& members) const {
    Changes result = at_given_forces(roots, members);
    for (const auto& [input, value] : given_) {
      const std::vector<Expr> along = algebra::derivative(roots, input);
      if (std::all_of(along.begin(), along.end(), [](const Expr& x) { return algebra::is_zero(x); }))
        continue;
      const Changes own = at_given_forces({value}, members);
      for (std::size_t i = 0; i < roots.size(); ++i)
        for (std::size_t k = 0; k < members.size(); ++k) {
          result.by_speed[i * members.size() + k] += along[i] * own.by_speed[k];
          result.by_place[i * members.size() + k] += along[i] * own.by_place[k];
        }
    }
    return result;
  }
  Changes at_given_forces(const std::vector<Expr>& roots, const Members& members) const {
    const std::size_t m = members.size();
    std::vector<Expr> u, q;
    std::unordered_map<std::size_t, std::size_t> column;  // of a coordinate
    for (const int k : members) {
      u.push_back(self_.symbols->u[at(k)]);
      for (const auto& [coordinate, rate] : movements_[at(k)])
        if (column.emplace(coordinate, q.size()).second) q.push_back(self_.symbols->q[coordinate]);
    }
    Changes result{algebra::jacobian(roots, u), std::vector<Expr>(roots.size() * m)};
    const std::vector<Expr> by_q = algebra::jacobian(roots, q);
    for (std::size_t i = 0; i < roots.size(); ++i)
      for (std::size_t k = 0; k < m; ++k)
        for (const auto& [coordinate, rate] : movements_[at(members[k])])
          result.by_place[i * m + k] += by_q[i * q.size() + column[coordinate]] * rate;
    return result;
  }

  void of_own_speeds(const Members& all, std::vector<Block>& outputs, std::vector<Block>& mass) const {
    Derivation::Balance balance = self_.balance();
    std::vector<Expr> F(n_), momentum(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      F[i] = -balance.Q[i];
      for (std::size_t j = 0; j < n_; ++j) momentum[i] += balance.M[i * n_ + j] * a_[j];
    }
    Changes by = changes(F, all);
    for (Expr& x : by.by_speed) x = c_ * x;
    const auto square = [&](const char* name, const char* meaning, std::vector<Expr> entries) {
      return block(name, meaning, self_.nv(), self_.nv(), std::move(entries));
    };
    outputs = {square("G", "-c Q_u", std::move(by.by_speed)), square("K", "-Q_place", std::move(by.by_place)),
               square("W", "qd = W u + ...", self_.speeds.W),
               square("D_rates", "d qd/d place", at_given_forces(self_.speeds.rates, all).by_place),
               block("rates", "qd", self_.nv(), 1, self_.speeds.rates)};
    mass = {square("M", "mass matrix", std::move(balance.M)),
            square("K", "d(M a)/d place", at_given_forces(momentum, all).by_place)};
  }

  /// Which speeds J couples: those of a tree, and those that loads depend on with those that they act on.
  std::vector<Members> blocks(const std::vector<Expr>& loads) const {
    Sets sets(n_);
    std::vector<int> any_speed(self_.raw.links.size(), -1);
    for (std::size_t i = 0; i < self_.raw.links.size(); ++i) {
      const Link<Expr>& link = self_.raw.links[i];
      if (link.parent >= 0) any_speed[i] = any_speed[at(link.parent)];
      for (int k = 0; k < speed_count(link.kind); ++k) {
        if (any_speed[i] < 0) any_speed[i] = link.v;
        sets.join(any_speed[i], link.v + k);
      }
    }
    const auto couple = [&](int speed, const Expr& load, auto&& again) -> void {
      for (const Expr& x : algebra::symbols_in(std::span(&load, 1))) {
        if (const auto found = speed_of_.find(x.id()); found != speed_of_.end())
          sets.join(speed, found->second);
        for (const auto& [input, value] : given_)
          if (input == x) again(speed, value, again);
      }
    };
    for (std::size_t k = 0; k < n_; ++k) couple(static_cast<int>(k), loads[k], couple);
    std::vector<Members> result;
    std::vector<int> number(n_);
    for (std::size_t k = 0; k < n_; ++k) {
      const int first = sets.of(static_cast<int>(k));
      if (first == static_cast<int>(k)) {
        number[k] = static_cast<int>(result.size());
        result.emplace_back();
      } else {
        number[k] = number[at(first)];
      }
      result[at(number[k])].push_back(static_cast<int>(k));
    }
    return result;
  }

  /// [links] E of those with a quaternion.
  std::vector<PlaceChange<Expr>> place_changes() const {
    std::vector<PlaceChange<Expr>> result(self_.tree.links.size());
    for (std::size_t i = 0; i < result.size(); ++i)
      for (std::size_t b = 0; b < quaternions_.size(); ++b)
        if (speed_count(self_.tree.links[i].kind) > 1 && quaternions_[b].speed == self_.tree.links[i].v)
          for (std::size_t k = 0; k < 9; ++k) {
            result[i].turn(k / 3, k % 3) = E_[kEntries * b + k];
            result[i].shift_by_turn(k / 3, k % 3) = E_[kEntries * b + 9 + k];
            result[i].shift(k / 3, k % 3) = E_[kEntries * b + 18 + k];
          }
    return result;
  }

  /// K E in place, of a block.
  void turn_columns(std::vector<Expr>& K, const Members& members) const {
    for (std::size_t i = 0; i < self_.tree.links.size(); ++i) {
      const Link<Expr>& link = self_.tree.links[i];
      const int count = speed_count(link.kind);
      if (count < 2) continue;
      const auto found = std::lower_bound(members.begin(), members.end(), link.v);
      if (found == members.end() || *found != link.v) continue;
      const auto first = static_cast<std::size_t>(found - members.begin()), m = members.size();
      for (std::size_t row = 0; row < m; ++row) {
        std::array<Expr, 6> before{}, after{};
        for (std::size_t l = 0; l < at(count); ++l) before[l] = K[row * m + first + l];
        for (int k = 0; k < count; ++k) {
          const std::array<Expr, 6> E = column_of(place_changes_[i], k);
          for (std::size_t l = 0; l < at(count); ++l) after[at(k)] += before[l] * E[l];
        }
        for (std::size_t l = 0; l < at(count); ++l) K[row * m + first + l] = after[l];
      }
    }
  }

  using Matrices = std::vector<std::vector<Expr>>;

  /// c d roots/d u + c^2 d roots/d place E of every block.
  Matrices stepped(const std::vector<Expr>& roots, const std::vector<Members>& blocks) const {
    Matrices result;
    for (const Members& members : blocks) {
      std::vector<Expr> own;
      for (const int k : members) own.push_back(roots[at(k)]);
      Changes by = changes(own, members);
      turn_columns(by.by_place, members);
      for (std::size_t k = 0; k < by.by_speed.size(); ++k)
        by.by_speed[k] = c_ * by.by_speed[k] + c_ * c_ * by.by_place[k];
      result.push_back(std::move(by.by_speed));
    }
    return result;
  }

  static int cost(const Matrices& x) {
    std::vector<Expr> roots;
    for (const std::vector<Expr>& m : x) roots.insert(roots.end(), m.begin(), m.end());
    const algebra::OperationCount count = algebra::count_operations(roots);
    return count.mul + count.add + Derivation::kTrigCost * count.trig;
  }

  /// Adds what the recursion gives for the tree at these speeds and accelerations.
  void add_by_recursion(const Tree<Expr>& tree, const std::vector<Expr>& u, const std::vector<Expr>& udot,
                        const DerivativeWeights<Expr>& weights, const std::vector<Members>& blocks,
                        Matrices& matrices) const {
    std::vector<std::pair<std::size_t, std::size_t>> place(n_);  // block, and where in it
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::size_t i = 0; i < blocks[b].size(); ++i) place[at(blocks[b][i])] = {b, i};
    const Motion<Expr> motion = motion_at(tree, self_.symbols->q);
    DerivativeMotion<Expr> work(tree);
    step_matrix(tree, u.data(), udot.data(), weights, place_changes_, motion, work,
                [&](int row, int column, const Expr& element) {
                  const auto [b, i] = place[at(row)];
                  Expr& entry = matrices[b][i * blocks[b].size() + place[at(column)].second];
                  entry = element + entry;
                });
  }

  Matrices forces_in(const std::vector<Members>& blocks, const std::vector<Expr>& loads) const {
    const std::vector<Expr>& u = self_.symbols->u;
    const std::vector<Expr> still(n_);
    Matrices recursion = stepped(loads, blocks);
    add_by_recursion(self_.tree, u, still, {Expr(0.0), c_, c_ * c_}, blocks, recursion);
    if (depth_of(self_.raw) > kComparedDepth) return recursion;
    std::vector<Expr> F = self_.joint_forces_for(u, still, true);
    const std::vector<Expr> actuated = self_.actuator_forces();
    for (std::size_t k = 0; k < n_; ++k) F[k] -= actuated[k];
    Matrices graph = stepped(F, blocks);
    return cost(graph) < cost(recursion) ? graph : recursion;
  }

  Matrices mass_in(const std::vector<Members>& blocks) const {
    const std::vector<Expr> still(n_);
    Tree<Expr> tree = self_.tree;
    tree.gravity = Vec3<Expr>::zero();
    Matrices recursion;
    for (const Members& members : blocks) recursion.emplace_back(members.size() * members.size());
    add_by_recursion(tree, still, a_, {Expr(1.0), Expr(0.0), Expr(1.0)}, blocks, recursion);
    if (depth_of(self_.raw) > kComparedDepth) return recursion;
    Motion<Expr> motion = motion_at(tree, self_.symbols->q);
    std::vector<Expr> momentum(n_);
    newton_euler(tree, still.data(), a_.data(), {}, Policy{}, motion, momentum.data());
    Matrices graph;
    for (const Members& members : blocks) {
      std::vector<Expr> own, a;
      for (const int k : members) {
        own.push_back(momentum[at(k)]);
        a.push_back(a_[at(k)]);
      }
      std::vector<Expr> K = at_given_forces(own, members).by_place;
      turn_columns(K, members);
      graph.push_back(algebra::jacobian(own, a));
      for (std::size_t k = 0; k < K.size(); ++k) graph.back()[k] += K[k];
    }
    return cost(graph) < cost(recursion) ? graph : recursion;
  }

  static std::vector<Block> named(const char* name, Matrices matrices) {
    std::vector<Block> outputs;
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      const int size = static_cast<int>(std::lround(std::sqrt(static_cast<double>(matrices[b].size()))));
      outputs.push_back(
          block(name + std::to_string(b), "matrix of a block", size, size, std::move(matrices[b])));
    }
    return outputs;
  }

  const Derivation& self_;
  std::size_t n_;
  const std::vector<MidpointTerms::Quaternion>& quaternions_;
  std::vector<Movement> movements_;                  // [nv]
  std::vector<PlaceChange<Expr>> place_changes_;     // [links]
  Expr c_;                                           // h/2
  std::vector<Expr> E_, a_;                          // [27 for each quaternion], [nv]
  std::unordered_map<std::uint32_t, int> speed_of_;  // of symbols, by id: one of the speeds that move it
  std::vector<std::pair<Expr, Expr>> given_;         // inputs tau or wrench that are functions of the motion
};

}  // namespace

void add_midpoint_matrix(const Equations& equations, const std::optional<Function>& loads,
                         MidpointTerms& terms) {
  const Derivation self(equations.model(), equations.options());
  const Graph::Scope scope(*self.graph);
  MatrixMaker(self, loads, terms).make(terms);
}

}  // namespace tactus::derive
