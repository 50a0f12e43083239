#include <tactus/control/arm/arm_model.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>

namespace tactus::control {

FoundArm find_arm(const describe::Model& model, const std::string& frame) {
  const std::string remedy =
      "an arm has six turning joints, the last three axes through one point: `tactus ik` takes the same";
  if (model.frames.empty())
    throw InputError({model.file}, fmt::format("model `{}` has no frame for a hand to hold", model.name),
                     "give `frames:` one at the tool");
  std::string why;
  const auto found = [&](std::size_t i) -> std::optional<FoundArm> {
    std::optional<WristArm> arm = WristArm::of(model, model.frames[i].name, why);
    if (!arm) return std::nullopt;
    return FoundArm{*arm, static_cast<int>(i)};
  };
  if (!frame.empty()) {
    if (const int index = model.frame_index(frame); index >= 0)
      if (const auto arm = found(static_cast<std::size_t>(index))) return *arm;
    if (why.empty()) why = fmt::format("the model has no frame `{}`", frame);
    throw InputError({model.file},
                     fmt::format("`{}` is moved by no arm that a hand may hold: {}", frame, why), remedy);
  }
  std::string first;  // reason
  for (const bool grasp : {true, false})
    for (std::size_t i = model.frames.size(); i-- > 0;) {
      if (model.frames[i].grasp != grasp) continue;
      if (const auto arm = found(i)) return *arm;
      if (first.empty()) first = fmt::format("`{}`: {}", model.frames[i].name, why);
    }
  throw InputError({model.file},
                   fmt::format("model `{}` is no arm that a hand may hold: {}", model.name, first), remedy);
}

// New constants are written into the graph of the model's numbers: it is the caller's own, before anything runs.
describe::Model with_friction(describe::Model model, double factor) {
  if (factor == 1.0) return model;
  const algebra::Graph::Scope scope(const_cast<algebra::Graph&>(*model.graph));
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes) {
      describe::Friction& f = axis.friction;
      for (describe::Expr* number :
           {&f.viscous_positive, &f.viscous_negative, &f.coulomb_positive, &f.coulomb_negative,
            &f.breakaway_positive, &f.breakaway_negative, &axis.damping})
        *number = factor * describe::value_of(model, *number);
    }
  return model;
}

// Two bodies as one: masses add, the centre is that of both, and moments are about it (Steiner).
describe::Model with_gripper(describe::Model model, int frame, const Gripper& gripper) {
  if (gripper.mass == 0.0) return model;
  const algebra::Graph::Scope scope(const_cast<algebra::Graph&>(*model.graph));
  const auto number = [&](describe::Expr x) { return describe::value_of(model, x); };
  const describe::Frame& at = model.frames[static_cast<std::size_t>(frame)];
  describe::Body& body = model.bodies[static_cast<std::size_t>(at.body)];
  using Mat = math::Mat3<double>;
  Mat R, I;
  Vec p, c;
  for (std::size_t i = 0; i < 3; ++i) {
    p[i] = number(at.X_BF.p[i]);
    c[i] = number(body.com[i]);
    for (std::size_t j = 0; j < 3; ++j) {
      R(i, j) = number(at.X_BF.R(i, j));
      I(i, j) = number(body.inertia(i, j));
    }
  }
  const double own = number(body.mass), all = own + gripper.mass;
  const Vec c_g = p + R * gripper.centre, centre = (1.0 / all) * (own * c + gripper.mass * c_g);
  const auto steiner = [](double m, const Vec& r) {
    const math::Mat3<double> s = math::skew(r);
    return m * (s.transposed() * s);
  };
  const Mat I_g = R * Mat::diagonal(gripper.inertia.x, gripper.inertia.y, gripper.inertia.z) * R.transposed();
  const Mat sum = I + I_g + steiner(own, c - centre) + steiner(gripper.mass, c_g - centre);
  body.mass = all;
  for (std::size_t i = 0; i < 3; ++i) {
    body.com[i] = centre[i];
    for (std::size_t j = 0; j < 3; ++j) body.inertia(i, j) = sum(i, j);
  }
  return model;
}

double each_of(const std::vector<double>& list, std::size_t joint) {
  return list.empty() ? 0.0 : list[list.size() == 1 ? 0 : joint];
}

DrivenArm with_drive(const describe::Model& model, const Drive& drive) {
  DrivenArm result{model, {}, {}, {}};
  describe::Model& to = result.model;
  bool any = false;
  for (std::size_t i = 0; i < 6; ++i) any = any || each_of(drive.elasticity, i) > 0.0;
  result.deflection.fill(-1);
  for (std::size_t i = 0; i < 6; ++i) result.rotor[i] = i;
  if (!any) return result;
  if (!model.constraints.empty() || !model.force_laws.empty() || !model.point_springs.empty() ||
      contact::has_contact(model))
    throw InputError(
        {model.file},
        fmt::format("model `{}` has constraints, contact, springs or laws of forces", model.name),
        "elastic gears are of arms without: leave out the elasticity");
  const algebra::Graph::Scope scope(const_cast<algebra::Graph&>(*model.graph));
  to.bodies = {model.bodies[0]};
  to.joints.clear();
  to.definitions.clear();
  to.parametric.reset();
  to.initial_q.clear();
  std::vector<int> body_of(model.bodies.size(), 0);
  std::size_t axis_number = 0, arm_joint = 0;  // coordinates so far; of the six
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const describe::Joint& old = model.joints[j];
    const bool turns = !old.axes.empty();
    const double frequency = turns ? each_of(drive.elasticity, arm_joint) : 0.0;
    describe::Joint link = old;
    link.parent = body_of[static_cast<std::size_t>(old.parent)];
    if (frequency > 0.0) {
      const double armature = describe::value_of(model, old.axes[0].armature);
      if (!(armature > 0.0))
        throw InputError({model.file},
                         fmt::format("joint `{}` has no rotor to swing on an elastic gear", old.name),
                         "give it an `armature`, or an elasticity of 0");
      const double k = std::pow(2.0 * std::numbers::pi * frequency, 2) * armature;
      describe::Body gear = model.bodies[0];
      gear.name = old.name + "_gear";
      gear.geometry.clear();
      gear.mass = 0.0;
      gear.joint = static_cast<int>(to.joints.size());
      describe::Joint rotor = link;
      rotor.child = static_cast<int>(to.bodies.size());
      rotor.X_FB = describe::Pose{};
      to.bodies.push_back(gear);
      to.joints.push_back(rotor);
      result.rotor[arm_joint] = axis_number++;
      to.initial_q.push_back(model.initial_q[arm_joint]);
      // The deflection: the same axis, nothing of the rotor's.
      link.name = old.name + "_deflection";
      link.parent = rotor.child;
      link.X_PJ = describe::Pose{};
      describe::JointAxis& axis = link.axes[0];
      const describe::Vec3 direction = axis.direction;
      axis = describe::JointAxis{};
      axis.name = link.name;
      axis.direction = direction;
      axis.passive = true;
      const describe::Expr zero = 0.0;
      axis.armature = axis.rest = zero;
      axis.friction = {zero, zero, zero, zero, zero, zero};
      axis.damping = 2.0 * drive.damping * std::sqrt(k * armature);
      axis.stiffness = drive.backlash > 0.0 ? 0.0 : k;
      if (drive.backlash > 0.0) {
        const describe::Expr d = algebra::symbol(axis.name);
        describe::ForceLaw law;
        law.name = axis.name + "_play";
        law.rate = static_cast<int>(axis_number);
        law.component = {-k * (d - min(max(d, describe::Expr(-0.5 * drive.backlash)),
                                       describe::Expr(0.5 * drive.backlash)))};
        to.force_laws.push_back(law);
      }
      result.deflection[arm_joint] = static_cast<int>(axis_number);
      result.stiffness[arm_joint] = k;
    } else if (turns) {
      result.rotor[arm_joint] = axis_number;
    }
    if (turns) {
      ++axis_number;
      to.initial_q.push_back(frequency > 0.0 ? 0.0 : model.initial_q[arm_joint]);
      ++arm_joint;
    }
    describe::Body body = model.bodies[static_cast<std::size_t>(old.child)];
    body.joint = static_cast<int>(to.joints.size());
    link.child = static_cast<int>(to.bodies.size());
    body_of[static_cast<std::size_t>(old.child)] = link.child;
    to.bodies.push_back(body);
    to.joints.push_back(link);
  }
  for (describe::Frame& frame : to.frames) frame.body = body_of[static_cast<std::size_t>(frame.body)];
  to.initial_u.assign(to.initial_q.size(), 0.0);
  to.initial_marks = {};
  return result;
}

double regularity(const WristArm& arm, const Joints& q) {
  const WristArm::Rates rates = arm.rates(q, {});
  return std::min(rates.arm, rates.wrist);
}

DryFriction dry_friction(const describe::Model& model) {
  DryFriction dry;
  std::size_t i = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      if (i == 6) return dry;
      dry.positive[i] = describe::value_of(model, axis.friction.coulomb_positive);
      dry.negative[i] = describe::value_of(model, axis.friction.coulomb_negative);
      ++i;
    }
  return dry;
}

JointEnds joint_ends(const describe::Model& model) {
  JointEnds ends;
  constexpr double kFar = std::numeric_limits<double>::infinity();
  ends.lower.fill(-kFar);
  ends.upper.fill(kFar);
  std::size_t i = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      if (i == 6) return ends;
      if (axis.lower) ends.lower[i] = describe::value_of(model, *axis.lower);
      if (axis.upper) ends.upper[i] = describe::value_of(model, *axis.upper);
      ++i;
    }
  return ends;
}

Joints regular_start(const WristArm& arm, const describe::Model& model) {
  Joints own{};
  for (std::size_t i = 0; i < 6 && i < model.initial_q.size(); ++i) own[i] = model.initial_q[i];
  constexpr double kRegular = 0.3;  // elbow and wrist bent by some 20 degrees
  if (regularity(arm, own) >= kRegular) return own;
  const JointEnds ends = joint_ends(model);
  constexpr int kPlaces = 12;  // of a joint: every 30 degrees
  constexpr double kStep = 2.0 * std::numbers::pi / kPlaces;
  // Between two that are as regular the one nearer to the model's own.
  constexpr double kAway = 0.02;  // [1/rad]
  Joints best = own;
  double most = -std::numeric_limits<double>::infinity();
  Joints q = own;
  const auto allowed = [&](std::size_t i) {
    constexpr double kMargin = 0.2;  // [rad] from a joint's end
    return q[i] >= ends.lower[i] + kMargin && q[i] <= ends.upper[i] - kMargin;
  };
  for (int code = 0; code < kPlaces * kPlaces * kPlaces * kPlaces; ++code) {
    int rest = code;
    double away = 0.0;
    bool within = true;
    for (std::size_t i = 1; i < 5; ++i) {
      const int place = rest % kPlaces;
      rest /= kPlaces;
      const double by = kStep * (place <= kPlaces / 2 ? place : place - kPlaces);
      q[i] = own[i] + by;
      away += std::abs(by);
      within = within && allowed(i);
    }
    if (!within) continue;
    if (const double score = std::min(regularity(arm, q), 0.8) - kAway * away; score > most) {
      most = score;
      best = q;
    }
  }
  return best;
}

}  // namespace tactus::control
