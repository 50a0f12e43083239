#include <tactus/simulate/motion/flying_bodies.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

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

Quaternion turned(const Block& q, std::size_t first, const Vec3& a) {
  const std::vector<Expr>& e = q.entries;
  const Expr square = math::dot(a, a), s = series(square, kSine);
  return Quaternion{e[first], e[first + 1], e[first + 2], e[first + 3]} *
         Quaternion{series(square, kCosine), s * a.x, s * a.y, s * a.z};
}

Block block_of(const std::string& name, std::initializer_list<Vec3> vectors) {
  Block block{name, {}, 0, 1, {}};
  for (const Vec3& v : vectors) block.entries.insert(block.entries.end(), {v.x, v.y, v.z});
  block.rows = static_cast<int>(block.entries.size());
  return block;
}

/// With forces at the joints, or under weight alone: then P' is known.
algebra::Function slope_of(const std::shared_ptr<algebra::Graph>& graph, const Block& varying,
                           const Numbers<Expr>& body, bool pushed) {
  const Block turn = symbols("turn", 4), a_block = symbols("a", 3), u = symbols("u", kSpeeds),
              tau = pushed ? symbols("tau", kSpeeds) : block_of("tau", {Vec3{}, Vec3{}});
  const Vec3 a = vector(a_block, 0), w = vector(u, 0), v = vector(u, 3), n = vector(tau, 0),
             f = vector(tau, 3);
  const Mat3 R = math::rotation_of(turned(turn, 0, a));  // from F to the frame of X_PJ
  const Vec3 torque = n - math::cross(body.c, f);
  const Vec3 w_rate = body.I_inverse * (torque - math::cross(w, body.I * w));
  const Vec3 v_rate = math::transpose_times(R, body.g) + body.per_m * f -
                      math::cross(w, v + math::cross(w, body.c)) - math::cross(w_rate, body.c);
  const Vec3 a_w = math::cross(a, w);
  const Vec3 a_rate = w + Expr(0.5) * a_w + series(math::dot(a, a), kSecond) * math::cross(a, a_w);
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
  const Quaternion long_one = turned(q0, 3, vector(theta, 3));
  const Expr per_length = Expr(1.0) / sqrt(long_one.w * long_one.w + long_one.x * long_one.x +
                                           long_one.y * long_one.y + long_one.z * long_one.z);
  const Quaternion turn{per_length * long_one.w, per_length * long_one.x, per_length * long_one.y,
                        per_length * long_one.z};
  const Mat3 R = math::rotation_of(turn);
  const auto in_own_axes = [&](const Vec3& x) {
    return math::transpose_times(R, math::transpose_times(body.R_PJ, x));
  };
  const Vec3 w = body.I_inverse * in_own_axes(vector(P, 0)),
             v = body.per_m * in_own_axes(vector(P, 3)) - math::cross(w, body.c);
  Block q = block_of("q", {vector(q0, 0) + vector(theta, 0)});
  q.entries.insert(q.entries.end(), {turn.w, turn.x, turn.y, turn.z});
  q.rows = kPlaces;
  return {"settle",
          "The end of a flying body's step: coordinates, and the speeds of the momentum.",
          graph,
          {varying, q0, theta, P},
          {q, block_of("u", {w, v})}};
}

}  // namespace

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
  const int lanes = bodies.size() <= 4 ? 4 : generate::widest_batch();
  flying.falling_ = generate::compile_batch(slope_of(graph, varying, body, false), lanes, backend);
  flying.pushed_ = generate::compile_batch(slope_of(graph, varying, body, true), lanes, backend);
  flying.settle_ = generate::compile_batch(settle_of(graph, varying, body), lanes, backend);
  flying.lanes_ = static_cast<std::size_t>(lanes);
  flying.numbers_each_ = which.size();
  const std::size_t places = (bodies.size() + flying.lanes_ - 1) / flying.lanes_ * flying.lanes_;
  flying.numbers_.resize(places * which.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t k = 0; k < which.size(); ++k)
      flying.numbers_[(i - i % flying.lanes_) * which.size() + k * flying.lanes_ + i % flying.lanes_] =
          *bodies[i].all()[which[k]];
  return flying;
}

double* FlyingBodies::put_numbers(std::size_t first, double* in) const noexcept {
  return std::copy_n(numbers_.data() + first * numbers_each_, lanes_ * numbers_each_, in);
}

namespace {

/// Entries of one body to or from its lane.
template <std::size_t lanes, std::size_t count>
inline void spread(const double* from, double* to) {
  for (std::size_t k = 0; k < count; ++k) to[k * lanes] = from[k];
}
template <std::size_t lanes, std::size_t count>
inline void collect(const double* from, double* to) {
  for (std::size_t k = 0; k < count; ++k) to[k] = from[k * lanes];
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

void FlyingBodies::slope(const double* q0, const double* z, const double* tau, double* z_rate,
                         const Memory& memory) const noexcept {
  if (lanes_ == 4)
    slope_by<4>(q0, z, tau, z_rate, memory);
  else
    slope_by<8>(q0, z, tau, z_rate, memory);
}

void FlyingBodies::settle(double* q0, double* z, const Memory& memory) const noexcept {
  if (lanes_ == 4)
    settle_by<4>(q0, z, memory);
  else
    settle_by<8>(q0, z, memory);
}

}  // namespace tactus::simulate
