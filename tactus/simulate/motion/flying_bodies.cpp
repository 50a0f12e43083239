#include <tactus/simulate/motion/flying_bodies.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <Eigen/LU>

#include <tactus/derive/tree/build_tree.h>
#include <tactus/math/rotation.h>

namespace tactus::simulate {

namespace {

using algebra::Block;
using algebra::Expr;
using Vec3 = math::Vec3<Expr>;
using Mat3 = math::Mat3<Expr>;
using Quaternion = math::Quaternion<Expr>;

constexpr std::size_t kPlaces = 7, kSpeeds = 6;  // of a free joint: x y z, qw qx qy qz; wx wy wz, vx vy vz

/// x_0 + a (x_1 + a (x_2 + ...))
Expr one_by_one(Expr a, std::span<const double> x) {
  Expr sum = x.back();
  for (std::size_t k = x.size() - 1; k-- > 0;) sum = Expr(x[k]) + a * sum;
  return sum;
}

/// The same by halves with a^2, a^4, ..., as Estrin sums: a few operations more, which wait less for each other.
Expr by_halves(Expr a, std::span<const double> x) {
  std::vector<Expr> terms(x.begin(), x.end());
  for (; terms.size() > 1; a = a * a) {
    std::vector<Expr> pairs;
    for (std::size_t k = 0; k < terms.size(); k += 2)
      pairs.push_back(k + 1 < terms.size() ? terms[k] + a * terms[k + 1] : terms[k]);
    terms = pairs;
  }
  return terms[0];
}

/// How far a body may turn, and how the series of |a|^2 are summed up to there.
struct Turns {
  double most;  // [rad]
  Expr (*sum)(Expr, std::span<const double>);

  /// Without the terms that are below rounding.
  Expr operator()(Expr square, std::span<const double> x) const {
    constexpr double kBelowRounding = 1e-17;
    const auto last = [&] {
      return std::abs(x.back()) * std::pow(most * most, static_cast<double>(x.size() - 1));
    };
    while (last() < kBelowRounding) x = x.first(x.size() - 1);
    return sum(square, x);
  }
};
constexpr Turns kOfSlope{FlyingBodies::kMostTurn, one_by_one},
    kOfStep{FlyingBodies::kMostTurnInStep, by_halves};

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

// Of sin(a)/a and (1 - cos(a))/a^2, for turns of kMostTurnInStep.
constexpr std::array kTurnSine{1.0,
                               -1.0 / 6.0,
                               1.0 / 120.0,
                               -1.0 / 5040.0,
                               1.0 / 362880.0,
                               -1.0 / 39916800.0,
                               1.0 / 6227020800.0,
                               -1.0 / 1307674368000.0};
constexpr std::array kTurnCosine{
    1.0 / 2.0,       -1.0 / 24.0,        1.0 / 720.0,         -1.0 / 40320.0,
    1.0 / 3628800.0, -1.0 / 479001600.0, 1.0 / 87178291200.0, -1.0 / 20922789888000.0};

/// A body's numbers, in the order in which they are written down.
template <class S>
struct Numbers {
  S m, per_m;
  math::Vec3<S> c, g, weight;  // g: of free fall, in the axes of X_PJ; weight: in the world's
  math::Mat3<S> I, I_inverse, R_PJ;

  static constexpr std::size_t kCount = 2 + 3 * 3 + 3 * 9;
  std::vector<S*> all() {
    std::vector<S*> list{&m, &per_m};
    for (math::Vec3<S>* v : {&c, &g, &weight}) list.insert(list.end(), {&v->x, &v->y, &v->z});
    for (math::Mat3<S>* A : {&I, &I_inverse, &R_PJ})
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) list.push_back(&(*A)(i, j));
    return list;
  }
};

/// Nothing where one of them is no constant.
std::optional<Numbers<double>> numbers_of(const describe::Model& model, const describe::Joint& joint,
                                          const derive::Numbers& folded) {
  const describe::Body& body = model.bodies[static_cast<std::size_t>(joint.child)];
  const math::Pose<Expr> X_FB = folded(joint.X_FB);
  Numbers<Expr> symbolic;
  symbolic.m = folded(body.mass);
  symbolic.per_m = Expr(1.0) / symbolic.m;
  symbolic.c = X_FB.p + X_FB.R * folded(body.com);
  symbolic.I = X_FB.R * folded(body.inertia) * X_FB.R.transposed();
  symbolic.R_PJ = folded(joint.X_PJ.R);
  symbolic.g = math::transpose_times(symbolic.R_PJ, folded(model.gravity));
  symbolic.weight = symbolic.m * folded(model.gravity);
  Numbers<double> numbers;
  const std::vector<Expr*> from = symbolic.all();
  const std::vector<double*> to = numbers.all();
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!from[k]->is_constant()) return std::nullopt;
    *to[k] = from[k]->value();
  }
  Eigen::Matrix3d I;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) I(i, j) = numbers.I(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  const Eigen::Matrix3d inverse = I.inverse();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      numbers.I_inverse(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = inverse(i, j);
  return numbers;
}

Block symbols(const std::string& name, std::size_t size) {
  Block block{name, {}, static_cast<int>(size), 1, {}};
  for (std::size_t i = 0; i < size; ++i)
    block.entries.push_back(algebra::symbol(name + "_" + std::to_string(i)));
  return block;
}

Vec3 vector(const Block& block, std::size_t first) {
  return {block.entries[first], block.entries[first + 1], block.entries[first + 2]};
}

/// q exp(a/2), up to that turn.
Quaternion turned(const Quaternion& q, const Vec3& a, const Turns& series) {
  const Expr square = math::dot(a, a), s = series(square, kSine);
  return q * Quaternion{series(square, kCosine), s * a.x, s * a.y, s * a.z};
}

Quaternion quaternion(const Block& block, std::size_t first) {
  const std::vector<Expr>& e = block.entries;
  return {e[first], e[first + 1], e[first + 2], e[first + 3]};
}

Vec3 angular_rate(const Numbers<Expr>& body, const Vec3& w, const Vec3& torque) {
  return body.I_inverse * (torque - math::cross(w, body.I * w));
}
Vec3 linear_rate(const Numbers<Expr>& body, const Mat3& R, const Vec3& w, const Vec3& v, const Vec3& w_rate,
                 const Vec3& f) {
  return math::transpose_times(R, body.g) + body.per_m * f - math::cross(w, v + math::cross(w, body.c)) -
         math::cross(w_rate, body.c);
}
Vec3 turn_rate(const Vec3& a, const Vec3& w, const Turns& series) {
  const Vec3 a_w = math::cross(a, w);
  return w + Expr(0.5) * a_w + series(math::dot(a, a), kSecond) * math::cross(a, a_w);
}

Expr square_of(const Quaternion& q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }
Quaternion scaled(Expr factor, const Quaternion& q) {
  return {factor * q.w, factor * q.x, factor * q.y, factor * q.z};
}

/// w and v at the end of a step, from the unit quaternion there and the momentum [H; p].
std::pair<Vec3, Vec3> speeds_at(const Quaternion& turn, const Block& P, const Numbers<Expr>& body) {
  const Mat3 R = math::rotation_of(turn);
  const auto in_own_axes = [&](const Vec3& x) {
    return math::transpose_times(R, math::transpose_times(body.R_PJ, x));
  };
  const Vec3 w = body.I_inverse * in_own_axes(vector(P, 0));
  return {w, body.per_m * in_own_axes(vector(P, 3)) - math::cross(w, body.c)};
}

Block block_of(const std::string& name, std::initializer_list<Vec3> vectors) {
  Block block{name, {}, 0, 1, {}};
  for (const Vec3& v : vectors) block.entries.insert(block.entries.end(), {v.x, v.y, v.z});
  block.rows = static_cast<int>(block.entries.size());
  return block;
}

Block places_block(const Vec3& x, const Quaternion& turn) {
  Block q = block_of("q", {x});
  q.entries.insert(q.entries.end(), {turn.w, turn.x, turn.y, turn.z});
  q.rows = kPlaces;
  return q;
}

/// With forces at the joints, or under weight alone: then P' is known.
algebra::Function slope_of(const std::shared_ptr<algebra::Graph>& graph, const Block& varying,
                           const Numbers<Expr>& body, bool pushed) {
  const Block turn = symbols("turn", 4), a_block = symbols("a", 3), u = symbols("u", kSpeeds),
              tau = pushed ? symbols("tau", kSpeeds) : block_of("tau", {Vec3{}, Vec3{}});
  const Vec3 a = vector(a_block, 0), w = vector(u, 0), v = vector(u, 3), n = vector(tau, 0),
             f = vector(tau, 3);
  const Mat3 R = math::rotation_of(turned(quaternion(turn, 0), a, kOfSlope));
  const Vec3 torque = n - math::cross(body.c, f);
  const Vec3 w_rate = angular_rate(body, w, torque), v_rate = linear_rate(body, R, w, v, w_rate, f);
  const Vec3 a_rate = turn_rate(a, w, kOfSlope);
  algebra::Function function{"slope",
                             "A flying body's motion in the chart.",
                             graph,
                             {varying, turn, a_block, u},
                             {block_of("theta_rate", {R * v, a_rate}), block_of("udot", {w_rate, v_rate})}};
  if (!pushed) return function;
  function.inputs.push_back(tau);
  function.outputs.push_back(
      block_of("P_rate", {body.R_PJ * (R * torque), body.weight + body.R_PJ * (R * f)}));
  return function;
}

algebra::Function settle_of(const std::shared_ptr<algebra::Graph>& graph, const Block& varying,
                            const Numbers<Expr>& body) {
  const Block q0 = symbols("q0", kPlaces), theta = symbols("theta", kSpeeds), P = symbols("P", kSpeeds);
  const Quaternion long_one = turned(quaternion(q0, 3), vector(theta, 3), kOfSlope),
                   turn = scaled(Expr(1.0) / sqrt(square_of(long_one)), long_one);
  const auto [w, v] = speeds_at(turn, P, body);
  return {"settle",
          "The end of a flying body's step: coordinates, and the speeds of the momentum.",
          graph,
          {varying, q0, theta, P},
          {places_block(vector(q0, 0) + vector(theta, 0), turn), block_of("u", {w, v})}};
}

/// The classical Runge-Kutta step under weight alone, and its end. P is the momentum there.
///
/// Within the step R = R0 E, E = exp(a x): E y = y + A a x y + B a x (a x y), with A = sin|a|/|a|, B = (1 - cos|a|)/|a|^2. The velocity of the centre
/// of mass stands for that of the joint's frame, y = v + w x c, with y' = R^T g - w x y: a step of the one is a step of the other, for c does not change.
algebra::Function flight_of(const std::shared_ptr<algebra::Graph>& graph, const Block& varying,
                            const Numbers<Expr>& body) {
  const Block q0 = symbols("q0", kPlaces), u = symbols("u", kSpeeds), P = symbols("P", kSpeeds),
              step = symbols("h", 1);
  const Expr h = step.entries[0], sixth = Expr(1.0 / 6.0) * h;
  const Quaternion from = quaternion(q0, 3);
  const Mat3 R0 = math::rotation_of(from);
  const Vec3 w0 = vector(u, 0), y0 = vector(u, 3) + math::cross(w0, body.c),
             g0 = math::transpose_times(R0, body.g);
  Vec3 a{}, w = w0, y = y0, x_sum{}, a_sum{};
  Expr squares = 0.0;
  for (int stage = 0; stage < 4; ++stage) {
    const Expr square = math::dot(a, a), A = kOfStep(square, kTurnSine), B = kOfStep(square, kTurnCosine);
    const auto turned_by = [&](const Vec3& x, Expr A_signed) {
      const Vec3 a_x = math::cross(a, x);
      return x + (A_signed * a_x + B * math::cross(a, a_x));
    };
    const Vec3 v = stage == 0 ? vector(u, 3) : y - math::cross(w, body.c);
    const Vec3 x_rate = turned_by(v, A), a_rate = turn_rate(a, w, kOfStep);
    squares += square;
    const bool outer = stage == 0 || stage == 3;
    x_sum = x_sum + (outer ? x_rate : Expr(2.0) * x_rate);
    a_sum = a_sum + (outer ? a_rate : Expr(2.0) * a_rate);
    if (stage == 3) break;
    const Expr reach = stage == 2 ? h : Expr(0.5) * h;
    const Vec3 w_rate = angular_rate(body, w, Vec3{}), y_rate = turned_by(g0, -A) - math::cross(w, y);
    a = reach * a_rate;
    w = w0 + reach * w_rate;
    y = y0 + reach * y_rate;
  }
  a = sixth * a_sum;
  squares += math::dot(a, a);
  // From a unit quaternion by a rotation: its length is 1 to rounding, and 1/sqrt(s) = 3/2 - s/2 + O((s - 1)^2).
  const Quaternion long_one = turned(from, a, kOfStep),
                   turn = scaled(Expr(1.5) - Expr(0.5) * square_of(long_one), long_one);
  const auto [w1, v1] = speeds_at(turn, P, body);
  return {"flight",
          "A flying body's Runge-Kutta step: coordinates and speeds, and the squares of its turns.",
          graph,
          {varying, q0, u, P, step},
          {places_block(vector(q0, 0) + sixth * (R0 * x_sum), turn), block_of("u", {w1, v1}),
           Block{"squares", {}, 1, 1, {squares}}}};
}

}  // namespace

KernelOfBodies::KernelOfBodies(const algebra::Function& function, std::size_t lanes,
                               generate::Backend backend)
    : alone_(lanes == 1) {
  if (alone_)
    one_ = generate::compile(function, backend);
  else
    several_ = generate::compile_batch(function, static_cast<int>(lanes), backend);
}

std::optional<FlyingBodies> FlyingBodies::of(const derive::Equations& equations, generate::Backend backend) {
  const describe::Model& model = equations.model();
  if (model.joints.empty() || !std::all_of(model.joints.begin(), model.joints.end(), [](const auto& joint) {
        return joint.type == describe::JointType::free && joint.parent == 0;
      }))
    return std::nullopt;
  const auto graph = std::make_shared<algebra::Graph>();
  const algebra::Graph::Scope scope(*graph);
  const derive::Numbers folded(model, equations.options());
  FlyingBodies flying;
  std::vector<Numbers<double>> bodies;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const auto numbers = numbers_of(model, model.joints[j], folded);
    if (!numbers) return std::nullopt;
    bodies.push_back(*numbers);
    flying.weight_.insert(flying.weight_.end(),
                          {0.0, 0.0, 0.0, numbers->weight.x, numbers->weight.y, numbers->weight.z});
    for (std::size_t k = 0; k < kSpeeds; ++k)
      if (model.joints[j].axes[k].passive) flying.without_force_.push_back(j * kSpeeds + k);
  }
  if (equations.options().push_passive) flying.without_force_.clear();
  for (const double w : flying.weight_) flying.weight_in_step_.push_back(w + 2.0 * w + 2.0 * w + w);

  // Numbers that differ are inputs.
  Numbers<Expr> body;
  Block varying{"numbers", {}, 0, 1, {}};
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < Numbers<Expr>::kCount; ++k) {
    const double first = *bodies[0].all()[k];
    const bool same =
        std::all_of(bodies.begin(), bodies.end(), [&](Numbers<double>& b) { return *b.all()[k] == first; });
    *body.all()[k] = same ? Expr(first) : algebra::symbol("numbers_" + std::to_string(k));
    if (same) continue;
    which.push_back(k);
    varying.entries.push_back(*body.all()[k]);
  }
  varying.rows = static_cast<int>(varying.entries.size());
  flying.count_ = bodies.size();
  const std::size_t lanes =
      bodies.size() == 1 ? 1 : (bodies.size() <= 4 ? 4 : static_cast<std::size_t>(generate::widest_batch()));
  flying.falling_ = {slope_of(graph, varying, body, false), lanes, backend};
  flying.pushed_ = {slope_of(graph, varying, body, true), lanes, backend};
  flying.settle_ = {settle_of(graph, varying, body), lanes, backend};
  flying.flight_ = {flight_of(graph, varying, body), lanes, backend};
  flying.lanes_ = lanes;
  flying.numbers_each_ = which.size();
  flying.numbers_.resize(flying.groups() * lanes * which.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t k = 0; k < which.size(); ++k)
      flying.numbers_[(i - i % lanes) * which.size() + k * lanes + i % lanes] = *bodies[i].all()[which[k]];
  return flying;
}

double* FlyingBodies::put_numbers(std::size_t first, double* in) const noexcept {
  return std::copy_n(numbers_.data() + first * numbers_each_, lanes_ * numbers_each_, in);
}

namespace {

/// Entries of one body to or from its lane.
template <std::size_t lanes, std::size_t count>
inline void spread(const double* __restrict from, double* __restrict to) {
  for (std::size_t k = 0; k < count; ++k) to[k * lanes] = from[k];
}
template <std::size_t lanes, std::size_t count>
inline void collect(const double* __restrict from, double* __restrict to) {
  for (std::size_t k = 0; k < count; ++k) to[k] = from[k * lanes];
}

/// A body's momentum at the end of a step, to its lane.
template <std::size_t lanes>
inline void pass_momentum(const double* P, const double* weight, double sixth, double* to) {
  double end[kSpeeds];
  for (std::size_t k = 0; k < kSpeeds; ++k) end[k] = P[k] + sixth * weight[k];
  for (std::size_t k = 0; k < kSpeeds; ++k) to[k * lanes] = end[k];
}

}  // namespace

bool FlyingBodies::turn_little(const double* z) const noexcept {
  double most = 0.0;
  bool known = true;
  for (const double *a = z + 3, *end = a + kSpeeds * count_; a != end; a += kSpeeds) {
    const double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    most = std::max(most, square);
    known = known && square == square;
  }
  return known && most <= kMostTurn * kMostTurn;
}

template <std::size_t lanes>
void FlyingBodies::slope_by(const double* q0, const double* z, const double* tau, double* z_rate,
                            const Memory& memory) const noexcept {
  const std::size_t nv = kSpeeds * count_;
  const bool pushed = std::any_of(tau, tau + nv, [](double x) { return x != 0.0; });
  if (!pushed) std::copy(weight_.begin(), weight_.end(), z_rate + 2 * nv);
  auto silent = without_force_.begin();
  for (std::size_t first = 0; first < count_; first += lanes) {
    const std::size_t end =
        std::min(first + lanes, count_);  // lanes behind the last body compute what nobody reads
    double* turn = put_numbers(first, memory.in);
    double *a = turn + 4 * lanes, *u = a + 3 * lanes, *force = u + kSpeeds * lanes;
    for (std::size_t body = first; body < end; ++body) {
      const std::size_t lane = body - first;
      spread<lanes, 4>(q0 + kPlaces * body + 3, turn + lane);
      spread<lanes, 3>(z + kSpeeds * body + 3, a + lane);
      spread<lanes, kSpeeds>(z + nv + kSpeeds * body, u + lane);
      if (pushed) spread<lanes, kSpeeds>(tau + kSpeeds * body, force + lane);
    }
    if (pushed)
      for (; silent != without_force_.end() && *silent < kSpeeds * end; ++silent)
        force[*silent % kSpeeds * lanes + *silent / kSpeeds - first] = 0.0;
    (pushed ? pushed_ : falling_)(memory.in, memory.out, memory.work);
    for (std::size_t body = first; body < end; ++body) {
      const double* of = memory.out + (body - first);
      collect<lanes, kSpeeds>(of, z_rate + kSpeeds * body);
      collect<lanes, kSpeeds>(of + kSpeeds * lanes, z_rate + nv + kSpeeds * body);
      if (pushed) collect<lanes, kSpeeds>(of + 2 * kSpeeds * lanes, z_rate + 2 * nv + kSpeeds * body);
    }
  }
}

template <std::size_t lanes>
void FlyingBodies::settle_by(double* q0, double* z, const Memory& memory) const noexcept {
  const std::size_t nv = kSpeeds * count_;
  for (std::size_t first = 0; first < count_; first += lanes) {
    const std::size_t end = std::min(first + lanes, count_);
    double* q = put_numbers(first, memory.in);
    double *theta = q + kPlaces * lanes, *P = theta + kSpeeds * lanes;
    for (std::size_t body = first; body < end; ++body) {
      const std::size_t lane = body - first;
      spread<lanes, kPlaces>(q0 + kPlaces * body, q + lane);
      spread<lanes, kSpeeds>(z + kSpeeds * body, theta + lane);
      spread<lanes, kSpeeds>(z + 2 * nv + kSpeeds * body, P + lane);
    }
    settle_(memory.in, memory.out, memory.work);
    for (std::size_t body = first; body < end; ++body) {
      const double* of = memory.out + (body - first);
      collect<lanes, kPlaces>(of, q0 + kPlaces * body);
      std::fill_n(z + kSpeeds * body, kSpeeds, 0.0);
      collect<lanes, kSpeeds>(of + kPlaces * lanes, z + nv + kSpeeds * body);
    }
  }
}

template <std::size_t lanes>
bool FlyingBodies::fly_by(double h, double* q0, double* z, const Memory& memory) const noexcept {
  constexpr std::size_t kOut = kPlaces + kSpeeds + 1;
  constexpr double kMost = kMostTurnInStep * kMostTurnInStep;
  const std::size_t nv = kSpeeds * count_;
  double *u = z + nv, *P = z + 2 * nv;
  const double sixth = h / 6.0;
  double* out = memory.out;
  for (std::size_t first = 0; first < count_; first += lanes, out += kOut * lanes) {
    const std::size_t end = std::min(first + lanes, count_);
    double* places = put_numbers(first, memory.in);
    double *speeds = places + kPlaces * lanes, *momentum = speeds + kSpeeds * lanes,
           *step = momentum + kSpeeds * lanes;
    for (std::size_t body = first; body < end; ++body) {
      const std::size_t lane = body - first;
      spread<lanes, kPlaces>(q0 + kPlaces * body, places + lane);
      spread<lanes, kSpeeds>(u + kSpeeds * body, speeds + lane);
      for (std::size_t k = 0; k < kSpeeds; ++k)
        momentum[k * lanes + lane] = P[kSpeeds * body + k] + sixth * weight_in_step_[kSpeeds * body + k];
      step[lane] = h;
    }
    flight_(memory.in, out, memory.work);
    const double* squares = out + (kOut - 1) * lanes;
    for (std::size_t lane = 0; lane < end - first; ++lane)
      if (!(squares[lane] <= kMost)) return false;
  }
  out = memory.out;
  for (std::size_t first = 0; first < count_; first += lanes, out += kOut * lanes)
    for (std::size_t body = first; body < std::min(first + lanes, count_); ++body) {
      collect<lanes, kPlaces>(out + (body - first), q0 + kPlaces * body);
      collect<lanes, kSpeeds>(out + (body - first) + kPlaces * lanes, u + kSpeeds * body);
      pass_momentum<1>(P + kSpeeds * body, weight_in_step_.data() + kSpeeds * body, sixth,
                       P + kSpeeds * body);
    }
  return true;
}

void FlyingBodies::slope(const double* q0, const double* z, const double* tau, double* z_rate,
                         const Memory& memory) const noexcept {
  if (lanes_ == 1)
    slope_by<1>(q0, z, tau, z_rate, memory);
  else if (lanes_ == 4)
    slope_by<4>(q0, z, tau, z_rate, memory);
  else
    slope_by<8>(q0, z, tau, z_rate, memory);
}

void FlyingBodies::settle(double* q0, double* z, const Memory& memory) const noexcept {
  if (lanes_ == 1)
    settle_by<1>(q0, z, memory);
  else if (lanes_ == 4)
    settle_by<4>(q0, z, memory);
  else
    settle_by<8>(q0, z, memory);
}

bool FlyingBodies::fly(double h, double* q0, double* z, const Memory& memory) const noexcept {
  if (lanes_ == 1) return fly_by<1>(h, q0, z, memory);
  if (lanes_ == 4) return fly_by<4>(h, q0, z, memory);
  return fly_by<8>(h, q0, z, memory);
}

}  // namespace tactus::simulate
