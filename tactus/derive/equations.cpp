#include <tactus/derive/equations_implementation.h>
#include <tactus/derive/linear/motion_derivatives.h>
#include <tactus/derive/recursion/root_frame.h>
#include <tactus/derive/tree/formulas.h>
#include <tactus/describe/read/load.h>

namespace tactus::derive {

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

namespace {

/// Where M itself is the result: trees up to this depth carry each composite body's wrench down joint by joint; deeper ones are made of
/// dots in the root's frame, which code evaluates side by side. Measured (docs/benchmarks.md).
constexpr int kCarriedDepth = 24;

std::vector<Expr> mass_by_dots_of(const Derivation& self) {
  self.require_a_matrix();
  RootFrame<Expr> frame(self.tree);
  std::vector<Expr> M(self.symbols->u.size() * self.symbols->u.size());
  mass_by_dots(self.tree, motion_at(self.tree, self.symbols->q), frame, M.data());
  return M;
}

}  // namespace

Function Equations::mass_matrix() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const bool by_dots = self.speeds.identity && depth_of(self.raw) > kCarriedDepth;
  return self.function("mass_matrix", "The mass matrix in the generalised speeds.",
                       self.symbols->inputs(false, {}, false),
                       {block("M", "mass matrix, symmetric [kg m^2, kg m, kg]", nv(), nv(),
                              by_dots ? mass_by_dots_of(self) : self.mass_matrix())});
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
  describe::require_inertia(self.model, "forward dynamics");
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

std::vector<LinkOutline> Equations::links() const {
  std::vector<LinkOutline> result;
  for (const Link<Expr>& link : implementation_->raw.links)
    result.push_back({link.parent, link.v, speed_count(link.kind)});
  return result;
}

int Equations::link_of_body(int body) const {
  return implementation_->raw.bodies[static_cast<std::size_t>(body)].link;
}

Function Equations::joint_directions(const std::vector<BodyPlace>& places) const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Tree<Expr>& tree = self.raw;
  const std::vector<Pose<Expr>> X_WL = world_poses(tree, motion_at(tree, self.symbols->q));
  std::vector<Expr> origins, directions(6 * self.symbols->u.size()), poses;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link<Expr>& link = tree.links[i];
    origins.insert(origins.end(), {X_WL[i].p.x, X_WL[i].p.y, X_WL[i].p.z});
    for (int k = 0; k < speed_count(link.kind); ++k) {
      Vec3<Expr> w, v;
      joint_direction(link, k, w, v);
      w = X_WL[i].R * w;
      v = X_WL[i].R * v;
      for (std::size_t a = 0; a < 3; ++a) {
        directions[6 * static_cast<std::size_t>(link.v + k) + a] = w[a];
        directions[6 * static_cast<std::size_t>(link.v + k) + 3 + a] = v[a];
      }
    }
  }
  for (const BodyPlace& place : places) {
    const auto& body = tree.bodies[static_cast<std::size_t>(place.body)];
    Pose<Expr> X = body.link < 0 ? body.X_LB : X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
    if (place.frame >= 0) X = X * self.numbers(self.model.frames[static_cast<std::size_t>(place.frame)].X_BF);
    for (std::size_t i = 0; i < 3; ++i) poses.insert(poses.end(), {X.R(i, 0), X.R(i, 1), X.R(i, 2), X.p[i]});
  }
  const auto rows = [](std::size_t size, int columns) { return static_cast<int>(size) / columns; };
  const int links = rows(origins.size(), 3), count = rows(poses.size(), 12);
  return self.function("joint_directions", "Directions of the joint rates, and places fixed in bodies.",
                       self.symbols->inputs(false, {}, false),
                       {block("links", "origins of the links in the world [m]", links, 3, std::move(origins)),
                        block("directions", "of each joint rate: [angular; linear] of its link's origin",
                              nv(), 6, std::move(directions)),
                        block("places", "poses in the world, [R p]", count, 12, std::move(poses))});
}

Function Equations::joint_rates() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  std::vector<Block> outputs{block("qd", "joint rates [rad/s, m/s]", nv(), 1, self.speeds.rates)};
  if (!self.speeds.identity) {
    std::vector<Expr> symbols = self.symbols->q;
    std::vector<Expr> rates = derive::coordinate_rates(self.model, *self.symbols, self.speeds.rates);
    symbols.push_back(self.symbols->t);
    rates.push_back(Expr(1.0));
    outputs.push_back(block("W", "qd = W u + ...", nv(), nv(), self.speeds.W));
    outputs.push_back(block("W_rate", "its rate", nv(), nv(),
                            algebra::directional_derivative(self.speeds.W, symbols, rates)));
    outputs.push_back(block("qdd_bias", "joint accelerations at udot = 0", nv(), 1, self.speeds.bias));
  }
  return self.function("joint_rates", "Joint rates of given speeds.", self.symbols->inputs(true, {}, false),
                       std::move(outputs));
}

Function Equations::definitions() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  std::vector<Expr> formulas;
  for (const describe::Definition& definition : self.model.definitions)
    formulas.push_back(definition.formula);
  const Stations stations(self.raw, motion_at(self.raw, self.symbols->q), self.speeds.rates);
  std::vector<Expr> values =
      formulas_of_motion(self.model, self.numbers, *self.symbols, self.speeds, stations, formulas);
  const int n = static_cast<int>(values.size());
  return self.function("definitions", "The model's definitions.", self.symbols->inputs(true, {}, false),
                       {block("definitions", "in the order of the model", n, 1, std::move(values))});
}

Function Equations::linear_model() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  if (nq() != nv() || !self.speeds.identity) {
    throw InputError({self.model.file},
                     "the linear model needs one coordinate per degree of freedom and joint rates as speeds",
                     "take it about a point (`tactus linear`, `tactus derive --linear --at initial`); or "
                     "describe spherical "
                     "and free joints by revolute and prismatic ones, or leave out `speeds`");
  }
  const Symbols& symbols = *self.symbols;
  ForceDerivatives d = force_derivatives(self, true, DerivativeMethod::automatic);
  return self.function("linear_model",
                       "Linear model about a point of a motion: dtau = M dudot + C du + K dq.",
                       symbols.inputs(true, {symbols.accelerations_block()}, true),
                       {block("M", "d tau / d udot", nv(), nv(), std::move(d.by_acceleration)),
                        block("C", "d tau / d u", nv(), nv(), std::move(d.by_speed)),
                        block("K", "d tau / d q", nv(), nv(), std::move(d.by_place))});
}

}  // namespace tactus::derive
