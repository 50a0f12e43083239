#include <tactus/describe/read/automatic_speeds.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tactus/algebra/trig_form.h>
#include <tactus/math/rotation.h>

namespace tactus::describe {

namespace {

using ValueOf = std::function<double(Expr)>;
using Number3 = math::Vec3<double>;

/// Axes that are given by formulas and are parallel, inertias of a body of revolution, places that coincide [m]: equal to rounding.
constexpr double kEqual = 1e-12;
/// Turns about one direction. With more of them, the sines and cosines of all sums of angles cost more than is saved: of 2 to 10
/// links in a chain forward dynamics has 24, 10, 24, 23, 21, 19, 18, 16, 15 % fewer products and sums, but from 7 links on more
/// sines and cosines.
constexpr std::size_t kMostTurns = 8;

/// Freedoms of a tree whose mass matrix is written out to see which of them it ties together.
constexpr std::size_t kMostSearched = 6;

Vec3 simplified(const Vec3& v) {
  return {algebra::simplify(v.x), algebra::simplify(v.y), algebra::simplify(v.z)};
}

/// Rotation by an angle about an axis, without remainders where the axis is one of the frame's.
Mat3 turn_about(const Vec3& axis, Expr angle) {
  const Expr c = cos(angle), s = sin(angle);
  for (const double sign : {1.0, -1.0}) {
    const Expr signed_s = sign > 0.0 ? s : -s;
    if (axis.x.is_constant(sign)) return math::rotation_x(c, signed_s);
    if (axis.y.is_constant(sign)) return math::rotation_y(c, signed_s);
    if (axis.z.is_constant(sign)) return math::rotation_z(c, signed_s);
  }
  return math::rotation_about(axis, c, s);
}

/// A turn on the way from the ground to a body; its axis in the body's axes.
struct Turn {
  std::size_t freedom;
  Vec3 axis;
};
struct Way {
  std::vector<Turn> turns;
  std::vector<std::size_t> bodies;  // that carry the turns' links
  bool parallel = true;             // all axes
  bool meet = true;                 // the turns' axes, in one point
  bool all_differ = true;           // no axis is parallel to the one before
  bool slides = false;
};

class Chooser {
 public:
  Chooser(const Model& model, const ValueOf& value)
      : model_(model), value_(value), ways_(model.bodies.size()), ball_(model.bodies.size(), false) {
    for (const Joint& joint : model_.joints) {
      first_.push_back(n_);
      n_ += joint.axes.size();
      if (has_quaternion(joint.type) || joint_traits(joint.type).has_pitch) plain_ = false;
    }
    if (n_ > kMostFreedoms) plain_ = false;
    if (!plain_) return;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) find_way(j);
    decide();
  }

  std::size_t size() const { return n_; }
  bool plain() const { return plain_; }

  /// Empty for joint rates.
  std::vector<Expr> efficient() const {
    if (!directed_) return {};
    std::vector<Expr> Y(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i) Y[i * n_ + i] = Expr(1.0);
    bool changed = false;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Way& way = ways_[j + 1];
      if (is_ball(j + 1)) {
        for (std::size_t k = 0; k < 3; ++k)
          for (const Turn& turn : way.turns)
            Y[way.turns[k].freedom * n_ + turn.freedom] = algebra::simplify(turn.axis[k]);
        changed = true;
      } else if (way.parallel) {
        for (std::size_t last = 0; last < way.turns.size(); ++last)
          for (std::size_t k = 0; k < last; ++k) {
            const Turn &own = way.turns[last], &before = way.turns[k];
            Y[own.freedom * n_ + before.freedom] = Expr(sense(before.axis, own.axis));
            changed = true;
          }
      }
    }
    return changed ? Y : std::vector<Expr>{};
  }

  /// Freedoms of the largest tree on the ground.
  std::size_t largest_tree() const {
    std::vector<std::size_t> root(model_.bodies.size(), 0), size(model_.bodies.size(), 0);
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const auto parent = static_cast<std::size_t>(model_.joints[j].parent);
      root[j + 1] = parent == 0 ? j + 1 : root[parent];
      size[root[j + 1]] += model_.joints[j].axes.size();
    }
    return *std::max_element(size.begin(), size.end());
  }

  /// The mass matrix in these speeds: the sum over the bodies of m v_r . v_s + omega_r . I omega_s.
  std::vector<Expr> mass_matrix() const {
    std::vector<Columns> columns(model_.bodies.size(), Columns(n_));
    std::vector<Expr> M(n_ * n_);
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      columns[j + 1] = carried(columns[static_cast<std::size_t>(joint.parent)], j);
      const Columns& here = columns[j + 1];
      const Body& body = model_.bodies[j + 1];
      std::vector<Vec3> v;
      for (std::size_t r = 0; r < n_; ++r) v.push_back(here.v[r] + cross(here.w[r], body.com));
      for (std::size_t r = 0; r < n_; ++r)
        for (std::size_t s = 0; s <= r; ++s)
          M[r * n_ + s] += body.mass * dot(v[r], v[s]) + dot(here.w[r], body.inertia * here.w[s]);
    }
    add_rotors(M);
    for (std::size_t r = 0; r < n_; ++r)
      for (std::size_t s = 0; s <= r; ++s) M[s * n_ + r] = M[r * n_ + s] = algebra::simplify(M[r * n_ + s]);
    return M;
  }

 private:
  /// Velocities of a body and of its origin per unit of each speed, in its axes.
  struct Columns {
    explicit Columns(std::size_t n) : w(n, Vec3::zero()), v(n, Vec3::zero()) {}
    std::vector<Vec3> w, v;
  };

  Number3 numbers(const Vec3& v) const { return {value_(v.x), value_(v.y), value_(v.z)}; }
  bool is_zero(const Vec3& v) const {
    const Number3 x = numbers(v);
    return std::sqrt(dot(x, x)) <= kEqual;
  }
  bool parallel(const Vec3& a, const Vec3& b) const {
    const Number3 c = cross(numbers(a), numbers(b));
    return std::sqrt(dot(c, c)) <= kEqual;
  }
  /// +1 or -1: which way the second of two parallel axes points.
  double sense(const Vec3& a, const Vec3& b) const { return dot(numbers(a), numbers(b)) > 0.0 ? 1.0 : -1.0; }

  void find_way(std::size_t j) {
    const Joint& joint = model_.joints[j];
    Way way = ways_[static_cast<std::size_t>(joint.parent)];
    const auto turn_all = [&](const Mat3& R) {
      for (Turn& turn : way.turns) turn.axis = transpose_times(R, turn.axis);
    };
    turn_all(joint.X_PJ.R);
    if (!way.turns.empty() && !is_zero(joint.X_PJ.p)) way.meet = false;
    for (std::size_t k = 0; k < joint.axes.size(); ++k) {
      const JointAxis& axis = joint.axes[k];
      if (!axis.is_rotation) {
        way.slides = true;
        if (!way.turns.empty()) way.meet = false;
        continue;
      }
      // The axis of the turn before stands still in the frame that it has reached.
      const bool goes_on = !way.turns.empty() && parallel(way.turns.back().axis, axis.direction);
      if (!way.turns.empty() && !goes_on) way.parallel = false;
      if (goes_on) way.all_differ = false;
      if (!way.parallel) turn_all(turn_about(axis.direction, algebra::symbol(axis.name)));
      way.turns.push_back({first_[j] + k, axis.direction});
      way.bodies.push_back(j + 1);
    }
    turn_all(joint.X_FB.R);
    ways_[j + 1] = std::move(way);
  }

  bool has_mass(std::size_t body) const {
    const Body& b = model_.bodies[body];
    bool any = value_(b.mass) != 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) any = any || value_(b.inertia(i, k)) != 0.0;
    return any;
  }
  std::size_t children(std::size_t body) const {
    return static_cast<std::size_t>(
        std::count_if(model_.joints.begin(), model_.joints.end(),
                      [&](const Joint& joint) { return joint.parent == static_cast<int>(body); }));
  }

  /// Three turns about axes that meet, nothing heavy between them, nothing beyond; and not of revolution about the last axis: then
  /// the rates are as good.
  bool makes_ball(std::size_t body) const {
    const Way& way = ways_[body];
    if (way.turns.size() != 3 || !way.meet || !way.all_differ || children(body) != 0 || !has_mass(body))
      return false;
    for (const std::size_t between : way.bodies)
      if (between != body && (has_mass(between) || children(between) != 1)) return false;
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      for (std::size_t k = 0; k < model_.joints[j].axes.size(); ++k)
        for (const Turn& turn : way.turns)
          if (turn.freedom == first_[j] + k && value_(model_.joints[j].axes[k].armature) != 0.0) return false;
    // The inertia about the centre of the ball, which stands at -p in the body's axes.
    const Body& b = model_.bodies[body];
    const Pose& X = model_.joints[body - 1].X_FB;
    const Number3 c = numbers(b.com + transpose_times(X.R, X.p));
    if (way.slides && std::sqrt(dot(c, c)) > kEqual) return false;  // turns and slides would be coupled
    const double m = value_(b.mass);
    const Number3 a = numbers(way.turns.back().axis);
    const Number3 helper = std::fabs(a.x) < 0.6 ? Number3{1, 0, 0} : Number3{0, 1, 0};
    Number3 e = cross(a, helper);
    e = (1.0 / std::sqrt(dot(e, e))) * e;
    const Number3 f = cross(a, e);
    const auto moment = [&](const Number3& x, const Number3& y) {
      double sum = m * (dot(c, c) * dot(x, y) - dot(c, x) * dot(c, y));
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) sum += x[i] * value_(b.inertia(i, k)) * y[k];
      return sum;
    };
    const double size = moment(a, a) + moment(e, e) + moment(f, f);
    const auto differs = [&](double x) { return std::fabs(x) > kEqual * size; };
    return differs(moment(e, e) - moment(f, f)) || differs(moment(e, f)) || differs(moment(e, a)) ||
           differs(moment(f, a));
  }

  /// Whether every body is one that the rules know.
  void decide() {
    std::size_t turns = 0;
    for (const Joint& joint : model_.joints)
      for (const JointAxis& axis : joint.axes) turns += axis.is_rotation ? 1 : 0;
    directed_ = true;
    std::vector<bool> in_ball(model_.bodies.size(), false);
    std::size_t of_balls = 0;
    for (std::size_t body = 1; body < model_.bodies.size(); ++body) {
      ball_[body] = makes_ball(body);
      if (!ball_[body]) continue;
      of_balls += 3;
      for (const std::size_t one : ways_[body].bodies) in_ball[one] = true;
      for (const Turn& turn : ways_[body].turns) ball_freedoms_.push_back(turn.freedom);
    }
    for (std::size_t body = 1; body < model_.bodies.size(); ++body)
      if (!in_ball[body] && !ways_[body].parallel) directed_ = false;
    if (turns - of_balls > kMostTurns) directed_ = false;
  }
  bool is_ball(std::size_t body) const { return ball_[body]; }
  bool in_a_ball(std::size_t freedom) const {
    return std::find(ball_freedoms_.begin(), ball_freedoms_.end(), freedom) != ball_freedoms_.end();
  }

  Columns carried(Columns columns, std::size_t j) const {
    const Joint& joint = model_.joints[j];
    const auto place = [&](const Pose& X) {
      for (std::size_t r = 0; r < n_; ++r) {
        columns.v[r] = simplified(transpose_times(X.R, columns.v[r] + cross(columns.w[r], X.p)));
        columns.w[r] = simplified(transpose_times(X.R, columns.w[r]));
      }
    };
    place(joint.X_PJ);
    for (std::size_t k = 0; k < joint.axes.size(); ++k) {
      const JointAxis& axis = joint.axes[k];
      const std::size_t own = first_[j] + k;
      const Expr q = algebra::symbol(axis.name);
      if (!axis.is_rotation) {
        for (std::size_t r = 0; r < n_; ++r)
          columns.v[r] = columns.v[r] + cross(columns.w[r], q * axis.direction);
        columns.v[own] = columns.v[own] + axis.direction;
        continue;
      }
      place({turn_about(axis.direction, q), Vec3::zero()});
      if (!directed_) {
        columns.w[own] = columns.w[own] + axis.direction;
      } else {  // the body's angular velocity is the speed itself
        for (Vec3& w : columns.w) w = Vec3::zero();
        if (!in_a_ball(own)) columns.w[own] = axis.direction;
      }
    }
    if (directed_ && is_ball(j + 1))
      for (std::size_t k = 0; k < 3; ++k)
        columns.w[ways_[j + 1].turns[k].freedom] = {joint.X_FB.R(0, k), joint.X_FB.R(1, k),
                                                    joint.X_FB.R(2, k)};
    place(joint.X_FB);
    return columns;
  }

  /// Rotors turn with the joints' rates.
  void add_rotors(std::vector<Expr>& M) const {
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      for (std::size_t k = 0; k < joint.axes.size(); ++k) {
        const Expr rotor = joint.axes[k].armature;
        if (algebra::is_zero(rotor)) continue;
        std::vector<double> rate(n_, 0.0);
        const std::size_t own = first_[j] + k;
        rate[own] = 1.0;
        const std::vector<Turn>& turns = ways_[j + 1].turns;
        for (std::size_t t = 1; t < turns.size() && directed_; ++t)
          if (turns[t].freedom == own) rate[turns[t - 1].freedom] = -sense(turns[t - 1].axis, turns[t].axis);
        for (std::size_t r = 0; r < n_; ++r)
          for (std::size_t s = 0; s <= r; ++s) M[r * n_ + s] += rotor * Expr(rate[r] * rate[s]);
      }
    }
  }

  const Model& model_;
  const ValueOf& value_;
  std::size_t n_ = 0;
  bool plain_ = true, directed_ = false;
  std::vector<std::size_t> first_;  // freedom of each joint
  std::vector<Way> ways_;           // of each body
  std::vector<bool> ball_;          // bodies on a ball and socket
  std::vector<std::size_t> ball_freedoms_;
};

/// The largest number of speeds that hang together by elements of M.
std::size_t largest_block(const std::vector<Expr>& M, std::size_t n) {
  std::vector<std::size_t> block(n);
  std::iota(block.begin(), block.end(), 0);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t s = 0; s < r; ++s)
      if (!algebra::is_zero(M[r * n + s]) && block[r] != block[s]) {
        const std::size_t from = block[r], to = block[s];
        std::replace(block.begin(), block.end(), from, to);
      }
  std::size_t largest = 0;
  for (std::size_t k = 0; k < n; ++k)
    largest = std::max(largest, static_cast<std::size_t>(std::count(block.begin(), block.end(), k)));
  return largest;
}

}  // namespace

AutomaticSpeeds efficient_speeds(const Model& model, const std::function<double(Expr)>& value) {
  const Chooser chooser(model, value);
  if (!chooser.plain()) return {};
  return {chooser.efficient(), 0};
}

AutomaticSpeeds diagonal_speeds(const Model& model, const std::function<double(Expr)>& value) {
  const Chooser chooser(model, value);
  if (!chooser.plain()) return {};
  const std::size_t n = chooser.size();
  if (chooser.largest_tree() > kMostSearched) return {{}, chooser.largest_tree()};
  std::vector<Expr> M = chooser.mass_matrix(), Y = chooser.efficient();
  AutomaticSpeeds result{{}, largest_block(M, n)};
  if (result.tied > kMostTied) return result;
  if (Y.empty()) {
    Y.resize(n * n);
    for (std::size_t k = 0; k < n; ++k) Y[k * n + k] = Expr(1.0);
  }
  // M = L^T D L, the last speed first; the rows of L Y.
  result.Y = Y;
  bool identity = true;
  for (std::size_t k = n; k-- > 0;) {
    std::vector<Expr> L(k);
    for (std::size_t i = 0; i < k; ++i) L[i] = algebra::rational_simplify(M[k * n + i], M[k * n + k]);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t s = 0; s < n; ++s) result.Y[k * n + s] += L[i] * Y[i * n + s];
      for (std::size_t s = 0; s <= i; ++s)
        M[s * n + i] = M[i * n + s] = algebra::simplify(M[i * n + s] - L[i] * M[k * n + s]);
    }
  }
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t s = 0; s < n; ++s)
      identity =
          identity && (r == s ? result.Y[r * n + s].is_constant(1.0) : algebra::is_zero(result.Y[r * n + s]));
  if (identity) result.Y.clear();
  return result;
}

}  // namespace tactus::describe
