#include <tactus/derive/recursion/loads.h>

#include <tactus/derive/tree/stations.h>

namespace tactus::derive {

using describe::Model;

namespace {

/// Below this squared length [m^2] (or squared sine) a direction is not defined and its force is taken as
/// zero.
constexpr double kNoDirection = 1e-24;

/// The rotation vector of R: angle times axis. With v = sin(angle) axis from R's skew part and
/// cos(angle) = (trace - 1)/2, the factor angle/sin(angle) tends to 1 at zero [Faulring2006, (45)-(46) are
/// singular there]. At half a turn the axis is not unique; the result is then zero rather than undefined.
Vec3<Expr> rotation_vector(const Mat3<Expr>& R) {
  const Expr half(0.5);
  const Vec3<Expr> v{half * (R(2, 1) - R(1, 2)), half * (R(0, 2) - R(2, 0)), half * (R(1, 0) - R(0, 1))};
  const Expr cosine = half * (R(0, 0) + R(1, 1) + R(2, 2) - Expr(1.0));
  const Expr sine2 = dot(v, v);
  const Expr sine = sqrt(sine2);
  const Expr factor = select(sine2 - Expr(kNoDirection), atan2(sine, cosine) / sine, Expr(1.0));
  return factor * v;
}

Pose<Expr> point(const Numbers& numbers, const Vec3<Expr>& p) { return {Mat3<Expr>::identity(), numbers(p)}; }

}  // namespace

std::vector<bool> loaded_links(const Model& model, const Options& options, const Tree<Expr>& tree) {
  std::vector<bool> loaded(tree.links.size(), false);
  const auto mark = [&](int body) {
    const int link = tree.bodies[static_cast<std::size_t>(body)].link;
    if (link >= 0) loaded[static_cast<std::size_t>(link)] = true;
  };
  const auto mark_frame = [&](int frame) { mark(model.frames[static_cast<std::size_t>(frame)].body); };
  for (const auto& spring : model.point_springs) {
    mark(spring.body_a);
    mark(spring.body_b);
  }
  for (const auto& spring : model.frame_springs) {
    mark_frame(spring.frame_a);
    mark_frame(spring.frame_b);
  }
  for (const describe::ForceLaw& law : model.force_laws) {
    if (law.kind == describe::ForceLaw::Kind::frame) mark_frame(law.frame);
    if (law.kind != describe::ForceLaw::Kind::line) continue;
    mark(law.body_a);
    mark(law.body_b);
  }
  for (const WrenchInput& input : options.wrenches) mark_frame(input.frame);
  return loaded;
}

std::vector<OutsideWrench<Expr>> outside_wrenches(const Model& model, const Options& options,
                                                  const Numbers& numbers, const Tree<Expr>& tree,
                                                  const Motion<Expr>& motion, const std::vector<Expr>& rates,
                                                  const std::vector<Expr>& wrench) {
  std::vector<OutsideWrench<Expr>> wrenches;
  for (std::size_t k = 0; k < options.wrenches.size() && !wrench.empty(); ++k) {
    const WrenchInput& input = options.wrenches[k];
    const describe::Frame& frame = model.frames[static_cast<std::size_t>(input.frame)];
    const auto& place = tree.bodies[static_cast<std::size_t>(frame.body)];
    if (place.link < 0) continue;
    const Pose<Expr> X_LF = place.X_LB * numbers(frame.X_BF);
    const Vec3<Expr> torque{wrench[6 * k], wrench[6 * k + 1], wrench[6 * k + 2]};
    const Vec3<Expr> force{wrench[6 * k + 3], wrench[6 * k + 4], wrench[6 * k + 5]};
    const auto in_link = [&](const Vec3<Expr>& v) {
      return input.world_axes ? from_world(tree, motion, place.link, v) : X_LF.R * v;
    };
    const Vec3<Expr> f = in_link(force);
    wrenches.push_back({place.link, in_link(torque) + cross(X_LF.p, f), f});
  }
  if (model.point_springs.empty() && model.frame_springs.empty()) return wrenches;

  const Stations stations(tree, motion, rates);
  for (const describe::PointSpring& spring : model.point_springs) {
    const Station a = stations.at(spring.body_a, point(numbers, spring.point_a));
    const Station b = stations.at(spring.body_b, point(numbers, spring.point_b));
    const Vec3<Expr> d = b.p_WF - a.p_WF;
    const Expr k = numbers(spring.stiffness), c = numbers(spring.damping), rest = numbers(spring.rest_length);
    Vec3<Expr> pull = -(k * d);  // on b, of a spring without rest length
    if (!algebra::is_zero(rest) || !algebra::is_zero(c)) {
      // force = -(k (L - rest) + c Ld) d/L
      const Expr length2 = dot(d, d), length = sqrt(length2);
      const Expr inverse = select(length2 - Expr(kNoDirection), Expr(1.0) / length, Expr(0.0));
      const Vec3<Expr> along = inverse * d;
      const Expr speed = dot(along, b.v - a.v);
      pull = -((k * (length - rest) + c * speed) * along);
    }
    stations.apply(b, Vec3<Expr>::zero(), pull, wrenches);
    stations.apply(a, Vec3<Expr>::zero(), -pull, wrenches);
  }
  for (const describe::FrameSpring& spring : model.frame_springs) {
    const describe::Frame& fa = model.frames[static_cast<std::size_t>(spring.frame_a)];
    const describe::Frame& fb = model.frames[static_cast<std::size_t>(spring.frame_b)];
    const Station a = stations.at(fa.body, numbers(fa.X_BF));
    const Station b = stations.at(fb.body, numbers(fb.X_BF));
    const Vec3<Expr> d = b.p_WF - a.p_WF;
    const Vec3<Expr> w = b.w - a.w;
    const Vec3<Expr> v = b.v - a.v - cross(a.w, d);  // of b as seen from a
    Vec3<Expr> force = -(numbers(spring.linear_stiffness) * d) - numbers(spring.linear_damping) * v;
    Vec3<Expr> torque = -(numbers(spring.angular_damping) * w);
    const Expr k = numbers(spring.angular_stiffness);
    if (!algebra::is_zero(k)) {
      const Vec3<Expr> turn = rotation_vector(a.R_WF.transposed() * b.R_WF);
      torque = torque - k * (a.R_WF * turn);
    }
    stations.apply(b, torque, force, wrenches);
    // The opposite wrench acts on a at the same point (b's origin), so that momentum is kept.
    stations.apply(a, -torque - cross(d, force), -force, wrenches);
  }
  return wrenches;
}

std::vector<Expr> joint_loads(const Model& model, const Options& options, const Numbers& numbers,
                              const std::vector<Expr>& q, const std::vector<Expr>& rates) {
  std::vector<Expr> loads;
  std::size_t coordinate = 0;
  for (const describe::Joint& joint : model.joints) {
    const bool quasi = describe::has_quaternion(joint.type);
    for (std::size_t k = 0; k < joint.axes.size(); ++k) {
      const describe::JointAxis& axis = joint.axes[k];
      const Expr rate = rates[loads.size()];
      Expr load(0.0);
      if (options.friction) {
        const Expr damping = numbers(axis.damping);
        const Expr up = damping + numbers(axis.friction.viscous_positive);
        const Expr down = damping + numbers(axis.friction.viscous_negative);
        const Expr stick_up = numbers(axis.friction.coulomb_positive);
        const Expr stick_down = numbers(axis.friction.coulomb_negative);
        load = select(rate, up, down) * rate + select(rate, stick_up, -stick_down);
      }
      if (!quasi) load = load + numbers(axis.stiffness) * (q[coordinate + k] - numbers(axis.rest));
      loads.push_back(load);
    }
    coordinate += static_cast<std::size_t>(describe::coordinate_count(joint.type));
  }
  return loads;
}

Expr spring_energy(const Model& model, const Numbers& numbers, const Tree<Expr>& tree,
                   const Motion<Expr>& motion, const std::vector<Expr>& q) {
  const Expr half(0.5);
  Expr energy(0.0);
  std::size_t coordinate = 0;
  for (const describe::Joint& joint : model.joints) {
    const bool quasi = describe::has_quaternion(joint.type);
    for (std::size_t k = 0; k < joint.axes.size() && !quasi; ++k) {
      const Expr stretch = q[coordinate + k] - numbers(joint.axes[k].rest);
      energy += half * numbers(joint.axes[k].stiffness) * (stretch * stretch);
    }
    coordinate += static_cast<std::size_t>(describe::coordinate_count(joint.type));
  }
  if (model.point_springs.empty() && model.frame_springs.empty()) return energy;
  const Stations stations(tree, motion, {});
  for (const describe::PointSpring& spring : model.point_springs) {
    const Vec3<Expr> d = stations.at(spring.body_b, point(numbers, spring.point_b)).p_WF -
                         stations.at(spring.body_a, point(numbers, spring.point_a)).p_WF;
    const Expr rest = numbers(spring.rest_length);
    const Expr stretch2 =
        algebra::is_zero(rest) ? dot(d, d) : (sqrt(dot(d, d)) - rest) * (sqrt(dot(d, d)) - rest);
    energy += half * numbers(spring.stiffness) * stretch2;
  }
  for (const describe::FrameSpring& spring : model.frame_springs) {
    const describe::Frame& fa = model.frames[static_cast<std::size_t>(spring.frame_a)];
    const describe::Frame& fb = model.frames[static_cast<std::size_t>(spring.frame_b)];
    const Station a = stations.at(fa.body, numbers(fa.X_BF));
    const Station b = stations.at(fb.body, numbers(fb.X_BF));
    const Vec3<Expr> d = b.p_WF - a.p_WF;
    energy += half * numbers(spring.linear_stiffness) * dot(d, d);
    const Expr k = numbers(spring.angular_stiffness);
    if (!algebra::is_zero(k)) {
      const Vec3<Expr> turn = rotation_vector(a.R_WF.transposed() * b.R_WF);
      energy += half * k * dot(turn, turn);
    }
  }
  return energy;
}

}  // namespace tactus::derive
