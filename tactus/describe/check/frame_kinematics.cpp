#include <tactus/describe/check/frame_kinematics.h>

#include <unordered_map>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/model/frame_word.h>
#include <tactus/math/rotation.h>

namespace tactus::describe {

namespace {

struct QuaternionSymbols {
  Vec3 p;
  math::Quaternion<Expr> turn;
};

/// Of a joint with a quaternion.
QuaternionSymbols quaternion_symbols(const Joint& joint) {
  const auto part = [&](const char* word) { return algebra::symbol(joint.name + word); };
  QuaternionSymbols symbols;
  symbols.turn = {part(".qw"), part(".qx"), part(".qy"), part(".qz")};
  if (joint_traits(joint.type).quaternion_at > 0) symbols.p = {part(".x"), part(".y"), part(".z")};
  return symbols;
}

/// X_JF of a joint.
Pose motion_of(const Joint& joint) {
  Pose X;
  const JointTraits& traits = joint_traits(joint.type);
  if (traits.has_quaternion()) {
    const QuaternionSymbols symbols = quaternion_symbols(joint);
    return {math::rotation_of(symbols.turn), symbols.p};
  }
  for (const JointAxis& axis : joint.axes) {
    const Expr q = algebra::symbol(axis.name);
    Pose step;
    if (axis.is_rotation) step.R = math::rotation_about(axis.direction, cos(q), sin(q));
    if (!axis.is_rotation) step.p = q * axis.direction;
    if (traits.has_pitch) step.p = (joint.pitch * q) * axis.direction;
    X = X * step;
  }
  return X;
}

}  // namespace

MovingCoordinates::MovingCoordinates(const Model& model) {
  for (const Joint& joint : model.joints) {
    if (!has_quaternion(joint.type)) {
      for (const JointAxis& axis : joint.axes) {
        q.push_back(algebra::symbol(axis.name));
        rates.push_back(algebra::symbol(rate_name(axis.name)));
      }
      continue;
    }
    const QuaternionSymbols symbols = quaternion_symbols(joint);
    const auto speed = [&](std::size_t k) { return algebra::symbol(joint.axes[k].name); };
    if (joint.axes.size() > 3) {
      const Vec3 v = math::rotation_of(symbols.turn) * Vec3{speed(3), speed(4), speed(5)};
      for (std::size_t k = 0; k < 3; ++k) {
        q.push_back(symbols.p[k]);
        rates.push_back(v[k]);
      }
    }
    // d turn/dt = 1/2 turn (0, w), w in the child's axes
    const auto& [a, b, c, d] = symbols.turn;
    const Expr half(0.5), x = speed(0), y = speed(1), z = speed(2);
    q.insert(q.end(), {a, b, c, d});
    rates.insert(rates.end(), {-half * (b * x + c * y + d * z), half * (a * x + c * z - d * y),
                               half * (a * y + d * x - b * z), half * (a * z + b * y - c * x)});
  }
}

Pose FrameKinematics::pose_of(int body) const {
  std::vector<const Joint*> path;
  for (int b = body; model_.bodies[static_cast<std::size_t>(b)].joint >= 0;) {
    path.push_back(
        &model_.joints[static_cast<std::size_t>(model_.bodies[static_cast<std::size_t>(b)].joint)]);
    b = path.back()->parent;
  }
  Pose X;
  for (auto joint = path.rbegin(); joint != path.rend(); ++joint)
    X = X * (*joint)->X_PJ * motion_of(**joint) * (*joint)->X_FB;
  return X;
}

std::vector<Expr> FrameKinematics::expand(std::span<const Expr> formulas) const {
  std::vector<Expr> words, meanings;
  struct FrameMotion {
    Pose X;
    Vec3 w, v;
  };
  std::unordered_map<int, FrameMotion> known;
  const MovingCoordinates moving(model_);
  for (const Expr symbol : algebra::symbols_in(formulas)) {
    const std::string& name = model_.graph->symbol_name(symbol);
    const auto is = [&](Expr other) { return other == symbol; };
    if (std::any_of(moving.q.begin(), moving.q.end(), is)) continue;
    bool is_speed = false;
    for (const Joint& joint : model_.joints)
      for (const JointAxis& axis : joint.axes) is_speed = is_speed || axis.name == name;
    const std::optional<FrameWord> word = is_speed ? std::nullopt : find_frame_word(model_, name);
    if (!word) continue;
    auto [found, is_new] = known.try_emplace(word->frame);
    FrameMotion& motion = found->second;
    if (is_new) {
      const Frame& frame = model_.frames[static_cast<std::size_t>(word->frame)];
      motion.X = pose_of(frame.body) * frame.X_BF;
      std::vector<Expr> entries{motion.X.p.x, motion.X.p.y, motion.X.p.z};
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 3; ++i) entries.push_back(motion.X.R(i, k));
      const std::vector<Expr> d = algebra::directional_derivative(entries, moving.q, moving.rates);
      motion.v = {d[0], d[1], d[2]};
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 rate{d[3 + 3 * k], d[4 + 3 * k], d[5 + 3 * k]};
        motion.w = motion.w + Expr(0.5) * cross(motion.X.R.col(k), rate);
      }
    }
    words.push_back(symbol);
    meanings.push_back(meaning_of(*word, motion.X.R, motion.X.p, motion.w, motion.v));
  }
  if (words.empty()) return {formulas.begin(), formulas.end()};
  return algebra::substitute(formulas, *model_.graph, words, meanings);
}

}  // namespace tactus::describe
