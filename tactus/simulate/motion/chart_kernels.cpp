#include <tactus/simulate/motion/chart_kernels.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include <tactus/derive/tree/build_tree.h>
#include <tactus/simulate/motion/chart.h>

namespace tactus::simulate {

namespace {

using algebra::Expr;

/// Two roads differ by no more than this, by the size of what they compute: rounding.
constexpr double kSame = 1e-10;
constexpr int kDraws = 2;  // of bodies that fly, one falling and one pushed

bool nothing_acts(const describe::JointAxis& axis) {
  const describe::Friction& f = axis.friction;
  const Expr numbers[] = {axis.armature,      axis.damping,         axis.stiffness,
                          f.viscous_positive, f.viscous_negative,   f.coulomb_positive,
                          f.coulomb_negative, f.breakaway_positive, f.breakaway_negative};
  return std::all_of(std::begin(numbers), std::end(numbers), [](Expr x) { return algebra::is_zero(x); });
}

/// [0; m g] of every tree that hangs free; empty where the model has more that acts on one, or where a number may change.
std::vector<double> weights_of(const derive::Equations& equations, const Dynamics& dynamics) {
  const describe::Model& model = equations.model();
  if (!model.point_springs.empty() || !model.frame_springs.empty() || !model.force_laws.empty()) return {};
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const derive::Numbers folded(model, equations.options());
  const math::Vec3<Expr> g = folded(model.gravity);
  std::vector<Expr> mass(model.joints.size(), Expr(0.0));  // of the tree that hangs on this joint
  std::vector<std::size_t> root(model.joints.size());
  std::vector<int> first_speed(model.joints.size());
  int speed = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int parent = model.joints[j].parent;
    root[j] = parent == 0 ? j : root[static_cast<std::size_t>(parent - 1)];
    mass[root[j]] += folded(model.bodies[j + 1].mass);
    first_speed[j] = speed;
    speed += describe::speed_count(model.joints[j].type);
  }
  std::vector<double> weights;
  std::size_t next = 0;
  for (std::size_t j = 0; j < model.joints.size() && next < dynamics.momentum_roots.size(); ++j) {
    if (first_speed[j] != dynamics.momentum_roots[next].speed) continue;
    ++next;
    const describe::Joint& joint = model.joints[j];
    if (joint.type != describe::JointType::free ||
        !std::all_of(joint.axes.begin(), joint.axes.end(), nothing_acts))
      return {};
    weights.insert(weights.end(), 3, 0.0);
    for (const Expr part : {mass[j] * g.x, mass[j] * g.y, mass[j] * g.z}) {
      if (!part.is_constant()) return {};
      weights.push_back(part.value());
    }
  }
  if (weights.size() != static_cast<std::size_t>(dynamics.np())) return {};
  return weights;
}

/// States drawn at random, and the general road through them.
class Comparison {
 public:
  explicit Comparison(const Dynamics& dynamics) : dynamics_(dynamics), chart_(dynamics) {
    const auto nq = static_cast<std::size_t>(dynamics.nq());
    q0_.resize(nq);
    z_.resize(static_cast<std::size_t>(chart_.size()));
    rate_.resize(z_.size());
  }

  void draw(bool forces_at_roots) {
    State state;
    state.q.resize(q0_.size());
    state.u.resize(static_cast<std::size_t>(dynamics_.nv()));
    state.momentum.resize(static_cast<std::size_t>(dynamics_.np()));
    for (std::vector<double>* numbers : {&state.q, &state.u, &state.momentum})
      for (double& x : *numbers) x = part_(random_);
    dynamics_.coordinates.normalize(state.q.data());
    std::vector<double>& tau = chart_.workspace().held_tau;
    for (double& x : tau) x = part_(random_);
    if (!forces_at_roots)
      for (const MomentumRoot& root : dynamics_.momentum_roots)
        std::fill_n(tau.begin() + root.speed, root.size, 0.0);
    chart_.begin(state, z_);
    for (std::size_t i = 0; i < state.u.size(); ++i) z_[i] = 0.3 * part_(random_);
    q0_ = state.q;
    chart_.slope(0.0, z_.data(), rate_.data());
  }

  /// By the speeds' rates, blocks of the tree's size.
  bool falls_by(const std::vector<double>& weight) {
    const auto nv = static_cast<std::size_t>(dynamics_.nv());
    double size = 0.0;
    for (std::size_t i = nv; i < 2 * nv; ++i) size = std::max(size, std::fabs(rate_[i]));
    double heaviest = 0.0;
    for (const double w : weight) heaviest = std::max(heaviest, std::fabs(w));
    size = std::max(size, 1.0) * std::max(heaviest, 1.0);
    return alike(std::span(rate_).subspan(2 * nv), weight, size);
  }

  bool flies_by(const FlyingBodies& flying) {
    std::vector<double> in(flying.input_size()), out(flying.output_size()), work(flying.work_size());
    const FlyingBodies::Memory memory{in.data(), out.data(), work.data()};
    std::vector<double> rate(rate_.size()), tau(chart_.workspace().held_tau);
    for (const int k : dynamics_.unactuated) tau[static_cast<std::size_t>(k)] = 0.0;
    flying.slope(q0_.data(), z_.data(), tau.data(), rate.data(), memory);
    if (!alike(rate_, rate, largest(rate_))) return false;
    std::vector<double> z = z_;
    flying.settle(q0_.data(), z.data(), memory);
    chart_.settle(0.0, z_);
    return alike(chart_.workspace().q0, q0_, largest(q0_)) && alike(z_, z, largest(z_));
  }

 private:
  static double largest(std::span<const double> a) {
    double size = 0.0;
    for (const double x : a) size = std::max(size, std::fabs(x));
    return size;
  }
  static bool alike(std::span<const double> a, std::span<const double> b, double size) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(std::fabs(a[i] - b[i]) <= kSame * size)) return false;
    return a.size() == b.size();
  }

  const Dynamics& dynamics_;
  Chart chart_;
  std::vector<double> q0_, z_, rate_;
  std::mt19937 random_{1834};
  std::uniform_real_distribution<double> part_{-1.0, 1.0};
};

}  // namespace

std::shared_ptr<const ChartKernels> chart_kernels(const derive::Equations& equations,
                                                  const Dynamics& dynamics, generate::Backend backend) {
  const describe::Model& model = equations.model();
  if (!dynamics.momentum || !model.constraints.empty() ||
      model.speeds.definition != describe::Speeds::Definition::joint_rates ||
      !equations.options().wrenches.empty())
    return nullptr;
  auto kernels = std::make_shared<ChartKernels>();
  kernels->weight = weights_of(equations, dynamics);
  if (kernels->weight.empty()) return nullptr;
  Comparison comparison(dynamics);
  for (int i = 0; i < kDraws; ++i) {
    comparison.draw(false);
    if (!comparison.falls_by(kernels->weight)) return nullptr;
  }
  // A momentum for every body: none is without mass.
  if (dynamics.np() == dynamics.nv()) kernels->flying = FlyingBodies::of(equations, backend);
  for (int i = 0; i < kDraws && kernels->flying; ++i) {
    comparison.draw(i % 2 != 0);
    if (!comparison.flies_by(*kernels->flying)) kernels->flying.reset();
  }
  return kernels;
}

}  // namespace tactus::simulate
