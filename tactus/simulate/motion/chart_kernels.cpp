#include <tactus/simulate/motion/chart_kernels.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <unordered_map>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/math/rotation.h>

namespace tactus::simulate {

namespace {

using algebra::Block;
using algebra::Expr;
using algebra::Function;
using describe::JointType;
using Vec3 = math::Vec3<Expr>;
using Mat3 = math::Mat3<Expr>;
using Quaternion = math::Quaternion<Expr>;

/// The formulas of the header and the equations' own differ by no more than this, by their size: rounding.
constexpr double kSame = 1e-10;

Block symbols(const std::string& name, int size) {
  Block block{name, {}, size, 1, {}};
  for (int i = 0; i < size; ++i) block.entries.push_back(algebra::symbol(name + "_" + std::to_string(i)));
  return block;
}

const std::vector<Expr>& entries_of(const std::vector<Block>& blocks, std::string_view name) {
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) { return b.name == name; });
  TACTUS_CHECK(found != blocks.end());
  return found->entries;
}

/// x_0 + a (x_1 + a (x_2 + ...))
Expr series(Expr a, std::span<const double> x) {
  Expr sum = x.back();
  for (std::size_t k = x.size() - 1; k-- > 0;) sum = Expr(x[k]) + a * sum;
  return sum;
}

// Of cos(a/2), sin(a/2)/a and (1 - (a/2) cot(a/2))/a^2 in powers of a^2. The terms that follow are below 1e-17 at a = 1.
constexpr std::array kCosine{1.0,
                             -1.0 / 8.0,
                             1.0 / 384.0,
                             -1.0 / 46080.0,
                             1.0 / 10321920.0,
                             -1.0 / 3715891200.0,
                             1.0 / 1961990553600.0,
                             -1.0 / 1428329123020800.0};
constexpr std::array kSine{
    1.0 / 2.0,         -1.0 / 48.0,          1.0 / 3840.0,           -1.0 / 645120.0,
    1.0 / 185794560.0, -1.0 / 81749606400.0, 1.0 / 51011754393600.0, -1.0 / 42849873690624000.0};
constexpr std::array kSecond{1.0 / 12.0,
                             1.0 / 720.0,
                             1.0 / 30240.0,
                             1.0 / 1209600.0,
                             1.0 / 47900160.0,
                             691.0 / 1307674368000.0,
                             1.0 / 74724249600.0,
                             3617.0 / 10670622842880000.0,
                             43867.0 / 5109094217170944000.0,
                             174611.0 / 802857662698291200000.0};

/// Where a joint's coordinates, chart and speeds begin.
struct Place {
  int q, theta, u;
};

std::vector<Place> places_of(const describe::Model& model) {
  std::vector<Place> places;
  Place next{0, 0, 0};
  for (const describe::Joint& joint : model.joints) {
    places.push_back(next);
    next.q += describe::coordinate_count(joint.type);
    next.theta += describe::speed_count(joint.type);
    next.u += describe::speed_count(joint.type);
  }
  return places;
}

/// What all kernels are written in.
struct Frame {
  std::shared_ptr<algebra::Graph> graph = std::make_shared<algebra::Graph>();
  algebra::Graph::Scope scope{*graph};
  Block t, q0, theta, u, tau, P;
  std::vector<Expr> q;  // displaced; not normalised

  explicit Frame(const derive::Equations& equations, int np) {
    graph->set_cells(equations.options().cells);
    t = symbols("t", 1);
    q0 = symbols("q0", equations.nq());
    theta = symbols("theta", equations.nv());
    u = symbols("u", equations.nv());
    tau = symbols("tau", equations.nv());
    P = symbols("P", np);
  }
  Vec3 vector(const Block& block, int first) const {
    const auto i = static_cast<std::size_t>(first);
    return {block.entries[i], block.entries[i + 1], block.entries[i + 2]};
  }
  Quaternion quaternion(const std::vector<Expr>& from, int first) const {
    const auto i = static_cast<std::size_t>(first);
    return {from[i], from[i + 1], from[i + 2], from[i + 3]};
  }
  void put(std::vector<Expr>& to, int first, const Quaternion& a) const {
    const auto i = static_cast<std::size_t>(first);
    to[i] = a.w;
    to[i + 1] = a.x;
    to[i + 2] = a.y;
    to[i + 3] = a.z;
  }
  /// The outputs of a function with these in place of its inputs, by name.
  std::vector<Expr> outputs(const Function& function, std::string_view name, const std::vector<Expr>& udot,
                            const std::vector<Expr>& at) const {
    std::vector<Expr> from, to;
    for (const Block& input : function.inputs) {
      const std::vector<Expr>& by = input.name == "q"      ? at
                                    : input.name == "u"    ? u.entries
                                    : input.name == "t"    ? t.entries
                                    : input.name == "udot" ? udot
                                                           : tau.entries;
      TACTUS_CHECK(by.size() == input.entries.size());
      from.insert(from.end(), input.entries.begin(), input.entries.end());
      to.insert(to.end(), by.begin(), by.end());
    }
    return algebra::substitute(entries_of(function.outputs, name), *function.graph, from, to);
  }
};

void displace(const describe::Model& model, const std::vector<Place>& places, Frame& frame) {
  frame.q = frame.q0.entries;
  for (std::size_t j = 0; j < places.size(); ++j) {
    const describe::JointTraits& traits = describe::joint_traits(model.joints[j].type);
    const Place& at = places[j];
    const int plain = traits.has_quaternion() ? traits.quaternion_at : static_cast<int>(traits.nq());
    for (int i = 0; i < plain; ++i)
      frame.q[static_cast<std::size_t>(at.q + i)] +=
          frame.theta.entries[static_cast<std::size_t>(at.theta + i)];
    if (!traits.has_quaternion()) continue;
    const Vec3 v = frame.vector(frame.theta, at.theta + plain);
    const Expr a = math::dot(v, v), s = series(a, kSine);
    frame.put(frame.q, at.q + plain,
              frame.quaternion(frame.q0.entries, at.q + plain) *
                  Quaternion{series(a, kCosine), s * v.x, s * v.y, s * v.z});
  }
}

std::vector<Expr> chart_rates(const describe::Model& model, const std::vector<Place>& places,
                              const Frame& frame, const std::vector<Expr>& qdot) {
  std::vector<Expr> rates(frame.theta.entries.size());
  for (std::size_t j = 0; j < places.size(); ++j) {
    const describe::JointTraits& traits = describe::joint_traits(model.joints[j].type);
    const Place& at = places[j];
    const int plain = traits.has_quaternion() ? traits.quaternion_at : static_cast<int>(traits.nq());
    for (int i = 0; i < plain; ++i)
      rates[static_cast<std::size_t>(at.theta + i)] = qdot[static_cast<std::size_t>(at.q + i)];
    if (!traits.has_quaternion()) continue;
    const Vec3 v = frame.vector(frame.theta, at.theta + plain), w = frame.vector(frame.u, at.u);
    const Vec3 v_w = math::cross(v, w);
    const Vec3 rate = w + Expr(0.5) * v_w + series(math::dot(v, v), kSecond) * math::cross(v, v_w);
    for (std::size_t k = 0; k < 3; ++k) rates[static_cast<std::size_t>(at.theta + plain) + k] = rate[k];
  }
  return rates;
}

/// A body that hangs on nothing and carries none: its numbers in the axes of its joint, and the rotation matrix of these.
struct Flyer {
  Place at;
  std::array<Expr, 6> push;  // what acts at its joint: torque, force
  Expr m;
  Vec3 c;
  Mat3 I;
  Mat3 R;
};

Mat3 inverse_of(const Mat3& A) {
  const auto minor = [&](std::size_t i, std::size_t j) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return A(a, c) * A(b, d) - A(a, d) * A(b, c);
  };
  const Expr det = A(0, 0) * minor(0, 0) + A(0, 1) * minor(0, 1) + A(0, 2) * minor(0, 2);
  Mat3 result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) result(i, j) = minor(j, i) / det;
  return result;
}

/// Of every tree that hangs free, in the order of the roots; nothing where one of them is more than a free body.
std::optional<std::vector<Flyer>> flyers_of(const derive::Equations& equations,
                                            const std::vector<Place>& places,
                                            const MomentumFunctions& momentum, const std::vector<Expr>& q,
                                            const Frame& frame) {
  const describe::Model& model = equations.model();
  const derive::Numbers numbers(model, equations.options());
  std::unordered_map<int, std::size_t> joint_at;
  for (std::size_t j = 0; j < places.size(); ++j) joint_at.emplace(places[j].u, j);
  std::vector<Flyer> flyers;
  for (const MomentumRoot& root : momentum.roots) {
    const std::size_t j = joint_at.at(root.speed);
    const describe::Joint& joint = model.joints[j];
    if (joint.type != JointType::free || root.speeds.size() != 6) return std::nullopt;
    const describe::Body& body = model.bodies[static_cast<std::size_t>(joint.child)];
    const math::Pose<Expr> X_FB = numbers(joint.X_FB);
    const int turn = places[j].q + describe::joint_traits(joint.type).quaternion_at;
    std::array<Expr, 6> push;
    for (std::size_t k = 0; k < 6; ++k)
      if (!joint.axes[k].passive || equations.options().push_passive)
        push[k] = frame.tau.entries[static_cast<std::size_t>(places[j].u) + k];
    flyers.push_back({places[j], push, numbers(body.mass), X_FB.p + X_FB.R * numbers(body.com),
                      X_FB.R * numbers(body.inertia) * X_FB.R.transposed(),
                      numbers(joint.X_PJ.R) * math::rotation_of(frame.quaternion(q, turn))});
  }
  return flyers;
}

void append(const Vec3& v, std::vector<Expr>& to) { to.insert(to.end(), {v.x, v.y, v.z}); }

std::vector<Expr> outside_wrenches(const std::vector<Flyer>& flyers, const Vec3& gravity) {
  std::vector<Expr> P_rate;
  for (const Flyer& flyer : flyers) {
    const Vec3 n{flyer.push[0], flyer.push[1], flyer.push[2]}, f{flyer.push[3], flyer.push[4], flyer.push[5]};
    append(flyer.R * (n - math::cross(flyer.c, f)), P_rate);
    append(flyer.m * gravity + flyer.R * f, P_rate);
  }
  return P_rate;
}

/// u of P.
std::vector<Expr> speeds_of_momenta(const std::vector<Flyer>& flyers, const MomentumFunctions& momentum,
                                    const Frame& frame) {
  std::vector<Expr> u = frame.u.entries;
  for (std::size_t k = 0; k < flyers.size(); ++k) {
    const Flyer& flyer = flyers[k];
    const Vec3 H = math::transpose_times(flyer.R, frame.vector(frame.P, momentum.roots[k].offset)),
               p = math::transpose_times(flyer.R, frame.vector(frame.P, momentum.roots[k].offset + 3));
    const Vec3 w = inverse_of(flyer.I) * H, v = (Expr(1.0) / flyer.m) * p - math::cross(w, flyer.c);
    for (std::size_t i = 0; i < 3; ++i) {
      u[static_cast<std::size_t>(flyer.at.u) + i] = w[i];
      u[static_cast<std::size_t>(flyer.at.u) + 3 + i] = v[i];
    }
  }
  return u;
}

/// Whether two lists of expressions have the same values at states drawn at random: unit quaternions, small turns.
bool alike(const describe::Model& model, const std::vector<Place>& places, const Frame& frame,
           const std::vector<Expr>& a, const std::vector<Expr>& b) {
  std::mt19937 random(1834);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::unordered_map<const algebra::Node*, double> values;
  std::vector<Expr> roots = a;
  roots.insert(roots.end(), b.begin(), b.end());
  for (int draw = 0; draw < 2; ++draw) {
    for (const Block* block : {&frame.t, &frame.q0, &frame.theta, &frame.u, &frame.tau, &frame.P})
      for (const Expr symbol : block->entries)
        values[symbol.node()] = (block == &frame.theta ? 0.3 : 1.0) * part(random);
    for (std::size_t j = 0; j < places.size(); ++j) {
      const describe::JointTraits& traits = describe::joint_traits(model.joints[j].type);
      if (!traits.has_quaternion()) continue;
      double square = 0.0;
      const auto first = static_cast<std::size_t>(places[j].q + traits.quaternion_at);
      for (std::size_t i = first; i < first + 4; ++i)
        square += std::pow(values[frame.q0.entries[i].node()], 2);
      for (std::size_t i = first; i < first + 4; ++i) values[frame.q0.entries[i].node()] /= std::sqrt(square);
    }
    const std::vector<double> result =
        algebra::evaluate(roots, [&](Expr symbol) { return values.at(symbol.node()); });
    double size = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) size = std::max(size, std::fabs(result[i]));
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(std::fabs(result[i] - result[a.size() + i]) <= kSame * size)) return false;
  }
  return true;
}

/// The displaced coordinates with unit quaternions.
std::vector<Expr> normalised(const describe::Model& model, const std::vector<Place>& places,
                             const Frame& frame) {
  std::vector<Expr> q = frame.q;
  for (std::size_t j = 0; j < places.size(); ++j) {
    const describe::JointTraits& traits = describe::joint_traits(model.joints[j].type);
    if (!traits.has_quaternion()) continue;
    const int at = places[j].q + traits.quaternion_at;
    const Quaternion a = frame.quaternion(q, at);
    const Expr n = Expr(1.0) / sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    frame.put(q, at, {n * a.w, n * a.x, n * a.y, n * a.z});
  }
  return q;
}

}  // namespace

std::shared_ptr<const ChartKernels> chart_kernels(const derive::Equations& equations,
                                                  const std::optional<MomentumFunctions>& momentum,
                                                  generate::Backend backend) {
  const describe::Model& model = equations.model();
  const auto turns = std::count_if(model.joints.begin(), model.joints.end(),
                                   [](const describe::Joint& j) { return describe::has_quaternion(j.type); });
  if (turns < ChartKernels::kManyTurns || !momentum || !model.constraints.empty() ||
      model.speeds.definition != describe::Speeds::Definition::joint_rates ||
      !equations.options().wrenches.empty())
    return nullptr;
  int np = 0;
  for (const MomentumRoot& root : momentum->roots) np += root.size;
  Frame frame(equations, np);
  const std::vector<Place> places = places_of(model);
  displace(model, places, frame);
  const Function forward = equations.forward_dynamics();
  const std::vector<Expr> udot = frame.outputs(forward, "udot", {}, frame.q),
                          qdot = frame.outputs(forward, "qdot", {}, frame.q);
  const auto flyers = flyers_of(equations, places, *momentum, frame.q, frame);
  if (!flyers) return nullptr;
  const derive::Numbers numbers(model, equations.options());
  std::vector<Expr> P_rate = outside_wrenches(*flyers, numbers(model.gravity));
  if (!alike(model, places, frame, frame.outputs(momentum->rate, "P_rate", udot, frame.q), P_rate))
    return nullptr;
  // At the end of a step: P of the speeds must be P again.
  const std::vector<Expr> q = normalised(model, places, frame);
  std::vector<Expr> u =
      speeds_of_momenta(*flyers_of(equations, places, *momentum, q, frame), *momentum, frame);
  std::vector<Expr> from, to;
  for (const Block& input : momentum->momentum.inputs) {
    const std::vector<Expr>& by = input.name == "q" ? q : input.name == "u" ? u : frame.t.entries;
    from.insert(from.end(), input.entries.begin(), input.entries.end());
    to.insert(to.end(), by.begin(), by.end());
  }
  const std::vector<Expr> again =
      algebra::substitute(entries_of(momentum->momentum.outputs, "P"), *momentum->momentum.graph, from, to);
  auto kernels = std::make_shared<ChartKernels>();
  if (alike(model, places, frame, again, frame.P.entries)) {
    const Function settle{
        "settle",
        "The end of a step: coordinates, and the speeds of the momentum.",
        frame.graph,
        {frame.t, frame.q0, frame.theta, frame.u, frame.P},
        {{"q", "coordinates", equations.nq(), 1, q}, {"u", "speeds", equations.nv(), 1, std::move(u)}}};
    kernels->settle = generate::compile(settle, backend);
  }
  const Function slope{
      "slope",
      "The motion in the chart.",
      frame.graph,
      {frame.t, frame.q0, frame.theta, frame.u, frame.tau},
      {{"theta_rate", "of the chart", equations.nv(), 1, chart_rates(model, places, frame, qdot)},
       {"udot", "rates of the speeds", equations.nv(), 1, udot},
       {"P_rate", "rates of the momenta", np, 1, std::move(P_rate)}}};
  kernels->slope = generate::compile(slope, backend);
  return kernels;
}

}  // namespace tactus::simulate
