#include <tactus/control/arm/arm_device.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <Eigen/LU>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_model.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/control/fixture.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/model_device.h>
#include <tactus/device/random.h>
#include <tactus/device/rate_filters.h>
#include <tactus/device/sensing.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::control {

namespace {

using device::Vector6;
using Mat = math::Mat3<double>;

/// Of a period: the hand's force is held over one. Of elastic gears more, up to the most.
constexpr int kSubsteps = 4, kMostSubsteps = 64;

constexpr std::array<std::pair<RateEstimate, std::string_view>, 4> kEstimates{
    {{RateEstimate::difference, "difference"},
     {RateEstimate::second_order, "second-order"},
     {RateEstimate::adaptive_window, "adaptive-window"},
     {RateEstimate::kalman, "kalman"}}};

using RateFilter = std::variant<device::DifferenceRate, device::SecondOrderRate, device::AdaptiveWindowRate,
                                device::KalmanRate>;

RateFilter rate_filter(const ArmDeviceOptions& options, double step) {
  const double T = 1.0 / options.rate;
  switch (options.rates) {
    case RateEstimate::second_order:
      return device::SecondOrderRate(T, options.rate_cut_off);
    case RateEstimate::adaptive_window:
      return device::AdaptiveWindowRate(T, step);
    case RateEstimate::kalman:
      return device::KalmanRate(T, step, options.rate_cut_off);
    case RateEstimate::difference:
      break;
  }
  return device::DifferenceRate(T);
}

double updated(RateFilter& filter, double x) noexcept {
  switch (filter.index()) {
    case 1:
      return std::get_if<1>(&filter)->update(x);
    case 2:
      return std::get_if<2>(&filter)->update(x);
    case 3:
      return std::get_if<3>(&filter)->update(x);
    default:
      return std::get_if<0>(&filter)->update(x);
  }
}

Vec part(const Vector6& v, std::size_t k) noexcept { return {v[3 * k], v[3 * k + 1], v[3 * k + 2]}; }
Vector6 both(const Vec& a, const Vec& b) noexcept { return {a.x, a.y, a.z, b.x, b.y, b.z}; }
/// The components in other axes.
Vector6 in_axes(const Mat& R, const Vector6& v) noexcept { return both(R * part(v, 0), R * part(v, 1)); }

constexpr std::array<std::string_view, 6> kAxes{"torque about x", "torque about y", "torque about z",
                                                "force along x",  "force along y",  "force along z"};

[[noreturn]] void refuse(const describe::Model& model, std::string wrong, std::string remedy) {
  throw InputError({model.file}, std::move(wrong), std::move(remedy));
}

const ArmDeviceOptions& checked(const describe::Model& model, const ArmDeviceOptions& o) {
  const auto positive = [](double x) { return x > 0.0 && std::isfinite(x); };
  const auto not_negative = [](double x) { return x >= 0.0 && std::isfinite(x); };
  if (!positive(o.rate)) refuse(model, "an arm's rate must be above 0", "500 Hz is what the thesis has");
  if (!not_negative(o.friction))
    refuse(model, fmt::format("friction times {:g}", o.friction), "give a factor of 0 or more");
  if (o.encoder.size() != 1 && o.encoder.size() != 6)
    refuse(model, fmt::format("encoders of {} joints", o.encoder.size()), "give one number for all, or six");
  for (const double steps : o.encoder)
    if (!not_negative(steps))
      refuse(model, fmt::format("an encoder of {:g} steps in a radian", steps), "give 0 or more");
  if (o.integral.size() > 1 && o.integral.size() != 6)
    refuse(model, fmt::format("integrals of {} joints", o.integral.size()),
           "give one number for all, or six");
  for (std::size_t i = 0; i < 6 && !o.integral.empty() && !o.poles.empty(); ++i) {
    const double K_i = o.integral[o.integral.size() == 1 ? 0 : i];
    const PolePair& pair = o.poles[std::min(i, o.poles.size() - 1)];
    const double border = -pair.sum * pair.product;  // of s^3 + K_d s^2 + K_p s + K_i
    if (!(K_i == 0.0 || (K_i > 0.0 && K_i < border)))
      refuse(model, fmt::format("an integral of {:g} 1/s^3 with these poles", K_i),
             fmt::format("give 0 or more, and less than {:.4g}: it is unstable from there on", border));
    if (K_i > 0.0 && o.law == ArmLaw::gravity)
      refuse(model, "an integral with a law that feeds nothing forward", "choose another law, or none");
  }
  if (!positive(o.rate_cut_off))
    refuse(model, "the cut-off of the rates must be above 0", "some hundred rad/s is usual");
  if (!positive(o.most_error[0]) || !positive(o.most_error[1]) || !not_negative(o.most_saturated) ||
      !(o.least_regular >= WristArm::kSingular && o.least_regular < 1.0))
    refuse(model, "limits at which an arm stops must be above 0, and its least regularity below 1",
           "leave them as they are");
  const Transducer& t = o.transducer;
  for (std::size_t i = 0; i < 6; ++i)
    if (!not_negative(t.range[i]) || !not_negative(t.step[i]) || !std::isfinite(t.bias[i]))
      refuse(model,
             fmt::format("the transducer's {} has a range of {:g}, steps of {:g} and a bias of {:g}",
                         kAxes[i], t.range[i], t.step[i], t.bias[i]),
             "give numbers, range and steps of 0 or more");
  if (!not_negative(t.noise[0]) || !not_negative(t.noise[1]) || !not_negative(t.cut_off))
    refuse(model, "a transducer's noise and cut-off cannot be negative", "give 0 or more");
  const Drive& d = o.drive;
  if (!(d.torque > 0.0 && d.torque <= 1.0))
    refuse(model, fmt::format("drives that give {:g} of their torque", d.torque),
           "give more than 0, at most 1");
  for (const std::vector<double>* list : {&d.no_load, &d.elasticity}) {
    const char* what = list == &d.no_load ? "rates without load" : "elasticities";
    if (list->size() > 1 && list->size() != 6)
      refuse(model, fmt::format("{} of {} joints", what, list->size()), "give one number for all, or six");
    for (const double x : *list)
      if (!not_negative(x)) refuse(model, fmt::format("{}: {:g}", what, x), "give 0 or more; 0 is none");
  }
  if (!not_negative(d.damping) || !not_negative(d.backlash))
    refuse(model,
           fmt::format("gears with a damping of {:g} and a backlash of {:g} rad", d.damping, d.backlash),
           "give 0 or more");
  if (d.backlash > 0.0 &&
      std::all_of(d.elasticity.begin(), d.elasticity.end(), [](double f) { return f == 0.0; }))
    refuse(model, "a backlash of gears that are rigid", "give them an elasticity: teeth that meet have one");
  if (!(d.encoder_phase >= 0.0 && d.encoder_phase < 1.0))
    refuse(model, fmt::format("an encoder's phase of {:g} steps", d.encoder_phase),
           "give 0 or more, below 1");
  const Gripper& g = o.gripper;
  if (!not_negative(g.mass) || !not_negative(g.inertia.x) || !not_negative(g.inertia.y) ||
      !not_negative(g.inertia.z) || !std::isfinite(g.centre.x + g.centre.y + g.centre.z))
    refuse(model, fmt::format("a gripper of {:g} kg", g.mass), "give 0 or more, and moments of 0 or more");
  if (g.mass == 0.0 && (g.inertia.x > 0.0 || g.inertia.y > 0.0 || g.inertia.z > 0.0))
    refuse(model, "a gripper with moments of inertia and no mass", "give its mass");
  return o;
}

/// Six joints, and nothing else that moves.
const describe::Model& six_joints(const describe::Model& model) {
  if (model.nv() != 6)
    refuse(model, fmt::format("model `{}` has {} joint rates", model.name, model.nv()),
           "an arm that a hand holds has six: weld the others");
  describe::require_inertia(model, "an arm that a hand holds");
  return model;
}

}  // namespace

std::string_view name_of(RateEstimate estimate) {
  for (const auto& [own, name] : kEstimates)
    if (own == estimate) return name;
  return "";
}

std::optional<RateEstimate> rate_estimate(std::string_view name) {
  for (const auto& [estimate, own] : kEstimates)
    if (own == name) return estimate;
  return std::nullopt;
}

struct ArmDevice::Parts {
  ArmDeviceOptions options;
  FoundArm found;
  const WristArm& arm = found.arm;
  describe::Model known;  // with the gripper
  ArmController law;
  JointEnds ends;
  DryFriction dry;
  Fixture fixture;  // in the handle's axes
  std::vector<std::string> names;
  device::Specification specification;
  device::HandPointer hand;
  DrivenArm driven;
  std::unique_ptr<simulate::Mechanism> plant;
  std::vector<double> tau;  // [N m] at the plant's joints
  Joints most{};            // [N m] of the drives; infinite: no limit
  int port = 0, substeps = kSubsteps;
  double T = 0.0;            // [s]
  math::Pose<double> X_0{};  // of the tool at the start
  Joints step{};             // [rad] of the encoders
  std::vector<RateFilter> filters;
  std::array<device::SecondOrderFilter, 6> force_filters{};
  device::Random random;

  device::State state = device::State::off;
  std::atomic<bool> stopped{false};
  bool overloaded = false, resting = true;
  std::size_t overloaded_axis = 0;
  int saturated = 0;  // [ticks]
  int drive_cut = 0;  // the drives gave less than the law wanted in the last period
  device::Sample sample{};
  ArmDevice::Record record{};
  Joints q_ref{};   // where it shall be at the sample
  Joints summed{};  // [rad s] of the errors, for the integral
  math::Pose<double> X_ref{};
  Vector6 V_ref{}, A_ref{};
  Vector6 F_hand{};  // as sensed, world axes
  double hand_work = 0.0;
  std::array<char, 200> text{};
  std::size_t text_size = 0;

  Parts(const describe::Model& model, const ArmDeviceOptions& given, device::HandPointer holder)
      : options(checked(model, given)),
        found(find_arm(six_joints(model), given.frame)),
        known(with_gripper(model, found.frame, given.gripper)),
        law(known, {given.law, given.poles, 1.0 / given.rate, true}),
        ends(joint_ends(known)),
        dry(dry_friction(known)),
        hand(std::move(holder)),
        T(1.0 / given.rate),
        random(given.seed) {
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) names.push_back(axis.name);
    for (std::size_t i = 0; i < 6; ++i) {
      const double steps = options.encoder[options.encoder.size() == 1 ? 0 : i];
      step[i] = steps > 0.0 ? 1.0 / steps : 0.0;
      filters.push_back(rate_filter(options, step[i]));
    }
    if (const double w = options.transducer.cut_off; w > 0.0)
      force_filters.fill(device::SecondOrderFilter(T, w));
    driven = with_drive(with_friction(known, options.friction), options.drive);
    tau.resize(static_cast<std::size_t>(driven.model.nv()));
    for (std::size_t i = 0; i < 6; ++i)
      most[i] = law.most()[i] > 0.0 ? options.drive.torque * law.most()[i]
                                    : std::numeric_limits<double>::infinity();
    substeps = std::max(kSubsteps, fast_enough());
    contact::OpenOptions open;
    open.step = T / substeps;
    open.ports = {known.frames[static_cast<std::size_t>(found.frame)].name};
    plant = contact::open(driven.model, open);
    port = plant->port(open.ports.front());
    place();
    fixture.mass = options.gripper.mass;
    fixture.centre = options.gripper.centre;
    fixture.inertia = options.gripper.inertia;
    for (std::size_t i = 0; i < 3; ++i) fixture.gravity[i] = describe::value_of(known, known.gravity[i]);
    specify();
    look();
  }

  /// Substeps that elastic gears need: the fastest swings with w^2 <= the sum of k/(inertia that answers), and a step of Runge-Kutta's bears w h of
  /// 2.8; 1 is well within.
  int fast_enough() const {
    generate::Evaluator mass(
        generate::compile(derive::Equations(driven.model).mass_matrix(), generate::Backend::interpreter));
    std::copy(driven.model.initial_q.begin(), driven.model.initial_q.end(), mass.input("q").begin());
    mass.run();
    const auto n = static_cast<Eigen::Index>(tau.size());
    const Eigen::MatrixXd inverse =
        Eigen::Map<const Eigen::MatrixXd>(mass.output("M").data(), n, n).inverse();
    double square = 0.0;
    for (std::size_t i = 0; i < 6; ++i)
      if (driven.deflection[i] >= 0)
        square += driven.stiffness[i] * inverse(driven.deflection[i], driven.deflection[i]);
    const double needed = std::ceil(T * std::sqrt(square));
    if (needed > kMostSubsteps)
      refuse(known,
             fmt::format("an elastic gear would swing with {:.3g} Hz, too fast for steps of {:.3g} s",
                         std::sqrt(square) / 6.283185307, T / kMostSubsteps),
             "give softer gears, or 0 for those of light links: they are rigid");
    return static_cast<int>(needed);
  }

  /// [rad], [rad/s] of a rotor, and of the link behind its gear.
  double rotor(const std::vector<double>& x, std::size_t i) const noexcept { return x[driven.rotor[i]]; }
  double link(const std::vector<double>& x, std::size_t i) const noexcept {
    return rotor(x, i) +
           (driven.deflection[i] >= 0 ? x[static_cast<std::size_t>(driven.deflection[i])] : 0.0);
  }
  double encoder(double angle, std::size_t i) const noexcept {
    const double phase = options.drive.encoder_phase * step[i];
    return device::quantised(angle - phase, step[i]) + phase;
  }

  /// The plant's coordinates with the links there, and the gears as their weight deflects them.
  std::vector<double> resting_at(const Joints& q) const {
    std::vector<double> all(tau.size(), 0.0);
    generate::Evaluator weight(
        generate::compile(derive::Equations(known).gravity(), generate::Backend::interpreter));
    std::copy(q.begin(), q.end(), weight.input("q").begin());
    weight.run();
    for (std::size_t i = 0; i < 6; ++i) {
      const double load = weight.output("g")[i];
      double deflection = 0.0;
      if (driven.deflection[i] >= 0) {
        deflection = -load / driven.stiffness[i] - std::copysign(0.5 * options.drive.backlash, load);
        all[static_cast<std::size_t>(driven.deflection[i])] = deflection;
      }
      all[driven.rotor[i]] = q[i] - deflection;
    }
    return all;
  }

  void place() {
    Joints q{};
    if (options.start.empty()) {
      q = regular_start(arm, known);
    } else {
      if (options.start.size() != 6)
        refuse(known, fmt::format("an arm begins with {} angles", options.start.size()), "give six");
      std::copy_n(options.start.begin(), 6, q.begin());
    }
    for (std::size_t i = 0; i < 6; ++i)
      if (!(q[i] >= ends.lower[i] && q[i] <= ends.upper[i]))
        refuse(known,
               fmt::format("joint `{}` begins at {:g} rad, its ends are {:g} and {:g}", names[i], q[i],
                           ends.lower[i], ends.upper[i]),
               "begin between them");
    if (const double regular = regularity(arm, q); !(regular >= options.least_regular))
      refuse(known,
             fmt::format("the arm begins in a singular position, or too near one ({:.3g} of 1)", regular),
             fmt::format("bend its elbow and its wrist: {:g} is the least", options.least_regular));
    plant->set_state({0.0, resting_at(q), std::vector<double>(tau.size(), 0.0), {}});
    // The handle is where the encoders see it.
    for (std::size_t i = 0; i < 6; ++i) q_ref[i] = encoder(rotor(plant->state().q, i), i);
    X_0 = arm.pose(q_ref);
  }

  void specify() {
    device::Specification& s = specification;
    s.name = "arm:" + known.name;
    s.description =
        known.description.empty() ? "an arm with a force transducer at its tool" : known.description;
    s.kind = device::Kind::admittance;
    s.rate = options.rate;
    s.force_sensor = true;
    for (std::size_t k = 0; k < 2; ++k) {
      const Vec range = part(options.transducer.range, k), steps = part(options.transducer.step, k);
      s.continuous[k] = std::min({range.x, range.y, range.z});
      s.peak[k] = s.continuous[k] > 0.0 ? std::sqrt(dot(range, range)) : 0.0;
      s.force_resolution[k] = std::max({steps.x, steps.y, steps.z});
    }
    std::array<double, 36> L{};
    plant->mobility(port, L);
    double softest = 0.0;  // [1/kg]
    const std::span<const double> J = plant->jacobian(port);
    for (std::size_t i = 0; i < 6; ++i) {
      double& least = s.inertia[i / 3];
      const double own = 1.0 / L[7 * i];
      least = least > 0.0 ? std::min(least, own) : own;
      if (i >= 3) softest = std::max(softest, L[7 * i]);
      for (std::size_t c = 0; c < 6; ++c)
        s.resolution[i / 3] =
            std::max(s.resolution[i / 3], std::abs(J[tau.size() * i + driven.rotor[c]]) * step[c]);
    }
    double product = std::numeric_limits<double>::infinity();  // [1/s^2] of the poles
    for (const PolePair& pair : law.control().poles) product = std::min(product, pair.product);
    s.stiffness = product / softest;
  }

  // --- in the loop

  Mat handle_axes(const Mat& R_tool) const noexcept { return R_tool * X_0.R.transposed(); }

  /// The hand on the tool, where it is.
  Vector6 hand_wrench(double t, const simulate::PortMotion& tool) const noexcept {
    const device::Grip grip = hand->grip(t, {handle_axes(tool.X_WP.R), tool.X_WP.p - X_0.p});
    Vector6 F = grip.wrench;
    if (!resting)
      for (std::size_t i = 0; i < 6; ++i) F[i] -= grip.damping[i / 3] * tool.V_WP[i];
    return F;
  }

  /// Brakes: it stands where it is, until it is switched on.
  void stand() noexcept {
    if (state == device::State::enabled) state = device::State::off;
    resting = true;
    V_ref = A_ref = {};
    saturated = drive_cut = 0;
    record.tau = {};
  }

  template <class... Arguments>
  bool no(fmt::format_string<Arguments...> words, Arguments&&... values) noexcept {
    const auto end = fmt::format_to_n(text.data(), text.size(), words, std::forward<Arguments>(values)...);
    text_size = std::min(end.size, text.size());
    stand();
    return false;
  }

  bool advance() noexcept {
    const double h = plant->step_length();
    bool cut = false;
    for (int i = 0; i < substeps; ++i) {
      const simulate::State& s = plant->state();
      for (std::size_t j = 0; j < 6; ++j) cut = drive(j, rotor(s.u, j)) || cut;
      const simulate::PortMotion before = plant->motion(port);
      const simulate::PortWrench push{port, hand_wrench(sample.t + i * h, before)};
      if (!plant->step({.tau = tau, .ports = {&push, 1}, .wrench = {}}).ok()) return false;
      const Vector6& V = plant->motion(port).V_WP;
      for (std::size_t k = 0; k < 6; ++k) hand_work += 0.5 * h * push.wrench[k] * (before.V_WP[k] + V[k]);
    }
    drive_cut = cut ? 1 : 0;
    return true;
  }

  /// What the drive makes of the law's torque; true where it is less.
  bool drive(std::size_t i, double rate) noexcept {
    const double no_load = each_of(options.drive.no_load, i), lost = no_load > 0.0 ? rate / no_load : 0.0;
    const double wanted = record.tau[i];
    double& given = tau[driven.rotor[i]];
    given =
        std::isfinite(most[i]) ? std::clamp(wanted, -most[i] * (1.0 + lost), most[i] * (1.0 - lost)) : wanted;
    return given != wanted;
  }

  /// Encoders and transducer, and what is true.
  void look() noexcept {
    const simulate::State& true_state = plant->state();
    const simulate::PortMotion& tool = plant->motion(port);
    record.X_WT = tool.X_WP;
    for (std::size_t i = 0; i < 6; ++i) {
      record.q[i] = link(true_state.q, i);
      record.qd[i] = resting ? 0.0 : link(true_state.u, i);
      record.seen[i] = encoder(rotor(true_state.q, i), i);
      record.rates[i] = updated(filters[i], record.seen[i]);
    }
    record.V = resting ? Vector6{} : tool.V_WP;
    record.A = resting ? Vector6{} : plant->acceleration(port);
    const math::Pose<double> X = arm.pose(record.seen);
    sample.X_WH = {handle_axes(X.R), X.p - X_0.p};
    sample.V_WH = arm.motion(record.seen, record.rates, {}).V;
    sense(X.R);
  }

  void sense(const Mat& R_seen) noexcept {
    record.hand = hand_wrench(sample.t, plant->motion(port));
    Vector6 F = record.hand;
    if (fixture.mass > 0.0) {
      const Vector6 own = fixture_wrench(fixture, record.X_WT.R, record.V, record.A);
      for (std::size_t i = 0; i < 6; ++i) F[i] += own[i];
    }
    Vector6 r = in_axes(record.X_WT.R.transposed(), F);
    const Transducer& t = options.transducer;
    overloaded = false;
    for (std::size_t i = 0; i < 6; ++i) {
      r[i] += t.bias[i] + t.noise[i / 3] * random.normal();
      if (t.range[i] > 0.0 && !(std::abs(r[i]) <= t.range[i])) {
        if (!overloaded) overloaded_axis = i;
        overloaded = true;
        r[i] = std::copysign(t.range[i], r[i]);
      }
      r[i] = device::quantised(r[i], t.step[i]);
      if (t.cut_off > 0.0) r[i] = force_filters[i].update(r[i]);
    }
    record.read = r;
    F_hand = in_axes(R_seen, r);
    if (fixture.mass > 0.0 && options.gripper.compensated) {
      const Vector6 own = fixture_wrench(fixture, R_seen, V_ref, A_ref);
      for (std::size_t i = 0; i < 6; ++i) F_hand[i] -= own[i];
    }
    sample.F_H_W = F_hand;
  }

  /// The law takes Coulomb's friction whole, also of a joint that shall rest, or nearly: it would stand where it just breaks away. What is too
  /// much then.
  double too_much_friction(std::size_t i, double rate) const noexcept {
    constexpr double kSlow = 2e-3;  // [rad/s] from here on all of it
    if (options.law == ArmLaw::gravity || std::abs(rate) >= kSlow) return 0.0;
    const double part = 1.0 - std::abs(rate) / kSlow;
    return rate >= 0.0 ? part * dry.positive[i] : -part * dry.negative[i];
  }

  bool follow(const device::Command& to) noexcept {
    if (overloaded)
      return no("the force transducer is beyond its range: {}, {:g} at most", kAxes[overloaded_axis],
                options.transducer.range[overloaded_axis]);
    // Where it is, by where it should be.
    const Vec away = sample.X_WH.p + X_0.p - X_ref.p,
              turned = math::rotation_vector(sample.X_WH.R * X_0.R * X_ref.R.transposed());
    if (const double off = std::sqrt(dot(away, away)); !(off <= options.most_error[1]))
      return no("the tool is {:.3g} mm from where it should be", 1e3 * off);
    if (const double off = std::sqrt(dot(turned, turned)); !(off <= options.most_error[0]))
      return no("the tool is turned by {:.3g} rad from how it should be", off);

    // What it should be next.
    const math::Pose<double> X_next{to.X_WH.R * X_0.R, to.X_WH.p + X_0.p};
    const Branch next = arm.follow(X_next, q_ref);
    if (!(next.missed == 0.0))
      return no("the tool cannot get there: {:.3g} mm out of reach", 1e3 * next.missed);
    for (std::size_t i = 0; i < 6; ++i) {
      if (!(next.q[i] >= ends.lower[i] && next.q[i] <= ends.upper[i]))
        return no("joint {} would pass its end, {:.4g} rad", names[i],
                  next.q[i] < ends.lower[i] ? ends.lower[i] : ends.upper[i]);
      constexpr double kJump = 0.2;  // [rad] in a period: at 500 Hz a hundred rad/s
      if (!(std::abs(next.q[i] - q_ref[i]) < kJump))
        return no("joint {} would have to jump by {:.3g} rad", names[i], next.q[i] - q_ref[i]);
    }
    WristArm::Motion motion;
    for (std::size_t i = 0; i < 6; ++i) {
      motion.V[i] = V_ref[i];
      motion.A[i] = A_ref[i] = (to.V_WH[i] - V_ref[i]) / T;
    }
    Joints besides{};
    const WristArm::Rates rates = arm.rates(q_ref, motion, F_hand, besides);
    if (!(rates.arm >= options.least_regular))
      return no("the arm is near a singular position: stretched, or its wrist above its first axis");
    if (!(rates.wrist >= options.least_regular))
      return no("the wrist is near a singular position: two of its axes are nearly one line");

    for (double& x : besides) x = options.carries_hand ? -x : 0.0;
    for (std::size_t i = 0; i < 6; ++i) besides[i] -= too_much_friction(i, rates.qd[i]);
    record.wanted = q_ref;
    record.wanted_qd = rates.qd;
    record.wanted_qdd = rates.qdd;
    Joints feed = rates.qdd;
    for (std::size_t i = 0; i < 6 && !options.integral.empty(); ++i) {
      if (record.cut == 0) summed[i] += T * (q_ref[i] - record.seen[i]);
      feed[i] += options.integral[options.integral.size() == 1 ? 0 : i] * summed[i];
    }
    if (!law.torque(sample.t, record.seen, record.rates, q_ref, rates.qd, feed, record.tau, besides))
      return no("the law's torques are no numbers");
    record.cut = law.cut() + drive_cut;
    saturated = record.cut > 0 ? saturated + 1 : 0;
    if (saturated * T > options.most_saturated)
      return no("its motors have given their most for {:.3g} s", saturated * T);
    q_ref = next.q;
    X_ref = X_next;
    V_ref = to.V_WH;
    return true;
  }

  bool switch_on() noexcept {
    try {
      if (resting) {
        const std::vector<double> q = plant->state().q;
        plant->set_state({plant->state().t, q, std::vector<double>(tau.size(), 0.0), {}});
      }
    } catch (const InputError&) {
      return false;
    }
    for (std::size_t i = 0; i < 6; ++i) q_ref[i] = encoder(rotor(plant->state().q, i), i);
    X_ref = arm.pose(q_ref);
    V_ref = A_ref = {};
    summed = {};
    saturated = 0;
    const Joints none{};
    Joints besides{};
    for (std::size_t i = 0; i < 6; ++i) besides[i] = -too_much_friction(i, 0.0);
    if (!law.torque(sample.t, q_ref, none, q_ref, none, none, record.tau, besides)) return false;
    resting = false;
    text_size = 0;
    state = device::State::enabled;
    return true;
  }
};

ArmDevice::ArmDevice(const describe::Model& model, const ArmDeviceOptions& options, device::HandPointer hand)
    : parts_(std::make_unique<Parts>(model, options, std::move(hand))) {}
ArmDevice::~ArmDevice() = default;

const device::Specification& ArmDevice::specification() const noexcept { return parts_->specification; }
device::State ArmDevice::state() const noexcept { return parts_->state; }
double ArmDevice::hand_work() const noexcept { return parts_->hand_work; }
const ArmDevice::Record& ArmDevice::record() const noexcept { return parts_->record; }
const std::vector<std::string>& ArmDevice::joint_names() const noexcept { return parts_->names; }
std::string ArmDevice::trouble() const { return {parts_->text.data(), parts_->text_size}; }
math::Pose<double> ArmDevice::pose(const std::array<double, 6>& q) const noexcept {
  return parts_->arm.pose(q);
}
void ArmDevice::motion(const std::array<double, 6>& q, const std::array<double, 6>& qd,
                       const std::array<double, 6>& qdd, Vector6& V, Vector6& A) const noexcept {
  const WristArm::Motion motion = parts_->arm.motion(q, qd, qdd);
  V = motion.V;
  A = motion.A;
}

bool ArmDevice::enable() noexcept {
  if (parts_->state == device::State::lost) return false;
  parts_->stopped.store(false, std::memory_order_relaxed);
  if (parts_->state == device::State::enabled) return true;
  return parts_->switch_on();
}

void ArmDevice::disable() noexcept { parts_->stand(); }

void ArmDevice::stop() noexcept { parts_->stopped.store(true, std::memory_order_release); }

bool ArmDevice::wait() noexcept {
  Parts& own = *parts_;
  if (own.stopped.load(std::memory_order_acquire)) own.stand();
  if (own.state == device::State::lost) return false;
  if (own.sample.number > 0 && own.state == device::State::enabled && !own.advance()) {
    own.no("the simulated arm could not make its step");
    own.state = device::State::lost;
    return false;
  }
  own.sample.t = static_cast<double>(own.sample.number) / own.specification.rate;
  ++own.sample.number;
  own.look();
  return true;
}

bool ArmDevice::read(device::Sample& sample) noexcept {
  if (parts_->sample.number == 0 || parts_->state == device::State::lost) return false;
  sample = parts_->sample;
  return true;
}

bool ArmDevice::command(const device::Command& command) noexcept {
  Parts& own = *parts_;
  if (own.state != device::State::enabled || !device::finite(command.X_WH) || !device::finite(command.V_WH)) {
    own.stand();
    return false;
  }
  return own.follow(command);
}

bool is_arm(std::string_view device_name) { return device_name.starts_with("arm:"); }

std::unique_ptr<device::Device> open_device(std::string_view name, device::HandPointer hand,
                                            const device::DeviceOptions& options, ArmDeviceOptions arm) {
  if (!is_arm(name)) return device::open(name, std::move(hand), options);
  std::string file(name.substr(std::string_view("arm:").size()));
  if (const std::size_t colon = file.rfind(':'); colon != std::string::npos) {
    arm.frame = file.substr(colon + 1);
    file.resize(colon);
  }
  if (options.rate > 0.0) arm.rate = options.rate;
  arm.seed = options.seed;
  return std::make_unique<ArmDevice>(describe::load(file), arm, std::move(hand));
}

}  // namespace tactus::control
