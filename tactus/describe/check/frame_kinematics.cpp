#include <tactus/describe/check/frame_kinematics.h>

#include <unordered_map>
#include <unordered_set>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/model/frame_word.h>
#include <tactus/math/rotation.h>

namespace tactus::describe {

namespace {

/// Where a frame is, and how it moves, in its own axes.
struct FrameMotion {
  Pose X;
  Vec3 w = Vec3::zero(), v = Vec3::zero();

  /// Goes on to a frame placed on this one.
  void place(const Pose& step) {
    v = transpose_times(step.R, v + cross(w, step.p));
    w = transpose_times(step.R, w);
    X = X * step;
  }
};

/// Goes on over a joint, from J to F.
void move(FrameMotion& motion, const Joint& joint) {
  const JointTraits& traits = joint_traits(joint.type);
  if (traits.has_quaternion()) {
    const auto part = [&](const char* word) { return algebra::symbol(joint.name + word); };
    const auto speed = [&](std::size_t k) { return algebra::symbol(joint.axes[k].name); };
    Pose step{math::rotation_of(math::Quaternion<Expr>{part(".qw"), part(".qx"), part(".qy"), part(".qz")}),
              Vec3::zero()};
    if (traits.quaternion_at > 0) step.p = {part(".x"), part(".y"), part(".z")};
    motion.place(step);
    motion.w = motion.w + Vec3{speed(0), speed(1), speed(2)};
    if (traits.quaternion_at > 0) motion.v = motion.v + Vec3{speed(3), speed(4), speed(5)};
    return;
  }
  for (const JointAxis& axis : joint.axes) {
    const Expr q = algebra::symbol(axis.name), rate = algebra::symbol(rate_name(axis.name));
    Pose step;
    if (axis.is_rotation) step.R = math::rotation_about(axis.direction, cos(q), sin(q));
    const Expr slide = traits.has_pitch ? joint.pitch : Expr(axis.is_rotation ? 0.0 : 1.0);
    step.p = (slide * q) * axis.direction;
    motion.place(step);
    if (axis.is_rotation) motion.w = motion.w + rate * axis.direction;
    motion.v = motion.v + (slide * rate) * axis.direction;
  }
}

FrameMotion motion_of(const Model& model, const Frame& frame) {
  std::vector<const Joint*> path;
  for (int b = frame.body; model.bodies[static_cast<std::size_t>(b)].joint >= 0;) {
    path.push_back(&model.joints[static_cast<std::size_t>(model.bodies[static_cast<std::size_t>(b)].joint)]);
    b = path.back()->parent;
  }
  FrameMotion motion;
  for (auto joint = path.rbegin(); joint != path.rend(); ++joint) {
    motion.place((*joint)->X_PJ);
    move(motion, **joint);
    motion.place((*joint)->X_FB);
  }
  motion.place(frame.X_BF);
  return motion;
}

Expr meaning(const FrameWord& word, const FrameMotion& motion) {
  if (word.own_axes) return word.kind == FrameWord::Kind::velocity ? motion.v[word.i] : motion.w[word.i];
  return meaning_of(word, motion.X.R, motion.X.p, motion.X.R * motion.w, motion.X.R * motion.v);
}

}  // namespace

std::vector<Expr> FrameKinematics::expand(std::span<const Expr> formulas) const {
  std::vector<Expr> words, meanings;
  std::unordered_map<int, FrameMotion> known;
  std::unordered_set<std::string> taken;
  for (const std::string& name : model_.coordinate_names()) taken.insert(name);
  for (const Joint& joint : model_.joints)
    for (const JointAxis& axis : joint.axes) taken.insert(axis.name);
  for (const Expr symbol : algebra::symbols_in(formulas)) {
    const std::string& name = model_.graph->symbol_name(symbol);
    const std::optional<FrameWord> word = taken.contains(name) ? std::nullopt : find_frame_word(model_, name);
    if (!word) continue;
    auto found = known.find(word->frame);
    if (found == known.end())
      found =
          known.emplace(word->frame, motion_of(model_, model_.frames[static_cast<std::size_t>(word->frame)]))
              .first;
    words.push_back(symbol);
    meanings.push_back(meaning(*word, found->second));
  }
  if (words.empty()) return {formulas.begin(), formulas.end()};
  return algebra::substitute(formulas, *model_.graph, words, meanings);
}

}  // namespace tactus::describe
