// Section VIII, Figures 13 and 14: what the hand feels of collisions, by (18) and by the virtual coupler.
//
// Felt is what the device, with the mechanism's inertia lent to it, shows of everything but that inertia:
//
//   (18):     J_h^-T J_c^T F_c + F_pc + M_d u_add,   M_d = 1 kg          coupler:   F_vc
//
// The force that the motors give for the collision is another number, M_d J_h D^-1 J_c^T F_c: both are reported. The chain and the
// device make semi-implicit steps at the loop's rate; the mechanism's contacts are its own.
#include <map>
#include <optional>

#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include "cases.h"
#include "manipulation.h"

namespace tactus::studies::constantinescu {

namespace {

using control::Vector6;
using study::Context;
using study::Result;

constexpr double kPi = 3.14159265358979323846;

/// The chain before one wall, met by the two ends of its last link. The wall's place is chosen.
describe::Model before_wall(bool rigid) {
  return describe::load_text(
      fmt::format(R"(
name: chain_before_wall
gravity: [0, 0, 0]
bodies:
  world:
    geometry: [{{shape: plane, name: wall, size: [0.2, 0.2], placement: {{xyz: [106 mm, 0, 0], axis_angle: {{axis: y, angle: -90 deg}}}}, contact: true}}]
  link_1: {{mass: 3, com: [21 mm, 0, 0], inertia: [0.0075, 0.0075, 0.015]}}
  link_2: {{mass: 3, com: [21 mm, 0, 0], inertia: [0.0075, 0.0075, 0.015]}}
  link_3:
    mass: 1
    com: [15 mm, 0, 0]
    inertia: [0.0025, 0.0025, 0.005]
    geometry:
      - {{shape: sphere, radius: 1 mm, contact: true}}
      - {{shape: sphere, radius: 1 mm, placement: {{xyz: [30 mm, 0, 0]}}, contact: true}}
joints:
  q1: {{type: revolute, parent: world, child: link_1, axis: z}}
  q2: {{type: revolute, parent: link_1, child: link_2, axis: z, placement: {{xyz: [42 mm, 0, 0]}}}}
  q3: {{type: revolute, parent: link_2, child: link_3, axis: z, placement: {{xyz: [42 mm, 0, 0]}}}}
frames:
  distal: {{body: link_3, placement: {{xyz: [15 mm, 0, 0]}}, grasp: true}}
contact:
  defaults: {}
initial:
  q: {{q1: 0, q2: -30 deg, q3: -60 deg}}
)",
                  rigid ? "{friction: 0, restitution: 0}"
                        : "{render: compliant, stiffness: 15000 N/m, damping: 300 N s/m, friction: 0}"),
      "chain_before_wall.yaml");
}

/// One tick after the other; what is felt in each.
struct Scene {
  Scene(const describe::Model& model, Law law, double period)
      : mechanism(contact::open(model, {.step = period})), port(mechanism->port("distal")) {
    Settings settings;
    settings.law = law;
    hand.emplace(*mechanism, port, settings);
    device = hand->begin();
  }

  void advance() {
    const double period = mechanism->step_length();
    const Manipulation::Answer answer = hand->look(device);
    felt = answer.F_pc;
    motors = {};
    contact = env(answer.port.motion.X_WP.p);
    if (!coupled) {
      // On the device as on the mechanism: acceleration-level contact is in answer.a already.
      for (std::size_t i = 0; i < 6; ++i) felt[i] += contact[i] + answer.penalty[i];
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 6; ++k) motors[i] += answer.port.L[6 * i + k] * contact[k];
    }
    for (std::size_t i = 0; i < 3; ++i) {
      device.v[i] += period * answer.a[i];
      device.x[i] += period * device.v[i];
    }
    const simulate::PortWrench wrench{port, answer.on_port};
    const simulate::PortMotion before = mechanism->motion(port);
    const simulate::Tick tick = mechanism->step({.tau = {}, .ports = {&wrench, 1}, .wrench = {}});
    if (!tick.ok()) throw InputError({}, mechanism->explain(tick.status));
    impulse = 0.0;
    for (const simulate::Event& event : mechanism->events())
      if (event.kind == simulate::EventKind::impact) impulse += event.impulse;
    // An impact is a jump of the port's velocity: the device is given the same.
    if (impulse > 0.0 && !coupled) {
      const simulate::PortMotion& after = mechanism->motion(port);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t axis = Manipulation::kAxis[i];
        device.v[i] += after.V_WP[axis] - before.V_WP[axis] - period * answer.port.acceleration[axis];
      }
    }
    t += period;
  }

  /// J_h^-T J_c^T F_c. What acts on the held link itself is a wrench there; what acts on the others goes by the joints.
  Vector6 env(const math::Vec3<double>& p) {
    std::array<simulate::ContactPoint, 32> points;
    const std::size_t count = std::min(mechanism->contact_points(points), points.size());
    const std::vector<describe::ContactPair>& pairs = mechanism->model().contact.pairs;
    const std::size_t nv = mechanism->nv();
    Eigen::Vector3d tau = Eigen::Vector3d::Zero();
    largest_contact = 0.0;
    Vector6 sum{};
    for (std::size_t k = 0; k < count; ++k) {
      const simulate::ContactPoint& at = points[k];
      const describe::ContactPair& pair = pairs[static_cast<std::size_t>(at.pair)];
      for (const auto& [body, sign] : {std::pair{pair.body_b, 1.0}, {pair.body_a, -1.0}}) {
        const std::string& name = mechanism->model().bodies[static_cast<std::size_t>(body)].name;
        if (!name.starts_with("link_")) continue;
        const math::Vec3<double> F = sign * at.force;
        largest_contact = std::max(largest_contact, std::sqrt(dot(F, F)));
        if (name == "link_3") {
          const math::Vec3<double> M = cross(at.point - p, F);
          for (std::size_t i = 0; i < 3; ++i) {
            sum[i] += M[i];
            sum[3 + i] += F[i];
          }
          continue;
        }
        const int origin = mechanism->port("body:" + name);
        const math::Vec3<double> M = cross(at.point - mechanism->motion(origin).X_WP.p, F);
        const std::span<const double> J = mechanism->jacobian(origin);
        for (std::size_t j = 0; j < 3; ++j)
          tau[static_cast<Eigen::Index>(j)] +=
              J[2 * nv + j] * M.z + J[3 * nv + j] * F.x + J[4 * nv + j] * F.y;
      }
    }
    if (tau.norm() > 0.0) {
      const std::span<const double> J = mechanism->jacobian(port);
      Eigen::Matrix3d Jh;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          Jh(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = J[Manipulation::kAxis[i] * nv + j];
      Eigen::JacobiSVD<Eigen::Matrix3d> svd(Jh.transpose(), Eigen::ComputeFullU | Eigen::ComputeFullV);
      svd.setThreshold(1e-3);  // as the controller's: what the joints carry is not felt
      const Eigen::Vector3d F = svd.solve(tau);
      for (std::size_t i = 0; i < 3; ++i) sum[Manipulation::kAxis[i]] += F[static_cast<Eigen::Index>(i)];
    }
    return sum;
  }

  std::unique_ptr<simulate::Mechanism> mechanism;
  int port;
  std::optional<Manipulation> hand;
  Manipulation::Device device;
  Vector6 felt{}, motors{}, contact{};
  double t = 0.0, impulse = 0.0, largest_contact = 0.0;
  bool coupled = false;
};

double size(const Vector6& F) { return std::hypot(F[3], F[4]); }

/// The first collision as the hand feels it.
struct Felt {
  double met = 0.0;      // [s]
  double contact = 0.0;  // [N] largest
  double peak = 0.0;     // [N] of all that is felt, over the run
  double change = 0.0;   // [N] from the last tick before the contact, within 50 ms of it
  double motors = 0.0;   // [N] M_d J D^-1 J_c^T F_c
  double impulse = 0.0;
};

Felt collide(Law law, bool rigid, double period, Record* record) {
  Scene scene(before_wall(rigid), law, period);
  scene.coupled = law == Law::coupler;
  Felt result;
  Vector6 before{};
  for (long k = 0; scene.t < 3.0; ++k) {
    scene.advance();
    Vector6 felt = scene.felt;
    if (scene.impulse > 0.0) {
      result.impulse = std::max(result.impulse, scene.impulse);
      result.contact = std::max(result.contact, scene.impulse / period);
      if (!scene.coupled) felt[3] -= scene.impulse / period;
    }
    const bool touches = scene.largest_contact > 0.0 || scene.impulse > 0.0;
    if (touches && result.met == 0.0) result.met = scene.t;
    if (result.met == 0.0) before = felt;
    result.peak = std::max(result.peak, size(felt));
    result.contact = std::max(result.contact, scene.largest_contact);
    result.motors = std::max(result.motors, size(scene.motors));
    if (result.met > 0.0 && scene.t < result.met + 0.05)
      result.change = std::max(result.change, std::hypot(felt[3] - before[3], felt[4] - before[4]));
    if (record != nullptr && k % 2 == 0)
      record->add({scene.t, scene.device.x[0], scene.device.x[1], felt[3], felt[4], scene.largest_contact});
    if (result.met > 0.0 && scene.t > result.met + 0.3) break;
  }
  return result;
}

Result one_wall(const Context& context) {
  constexpr double kPeriod = 1e-3;
  Record penalties({"t", "x", "y", "felt x", "felt y", "contact"}), coupler = penalties;
  const Felt a = collide(Law::penalties, false, kPeriod, &penalties),
             b = collide(Law::coupler, false, kPeriod, &coupler),
             by_11 = collide(Law::acceleration, false, kPeriod, nullptr);
  for (const auto& [record, name] : {std::pair{&penalties, "13"}, {&coupler, "14"}}) {
    record->write_csv(context, fmt::format("constantinescu2005-figure-{}.csv", name));
    record->write_svg(
        context, fmt::format("constantinescu2005-figure-{}.svg", name), "The chain meets the wall",
        {{"hand [m]", {"x", "y"}}, {"felt [N]", {"felt x", "felt y"}}, {"contact [N]", {"contact"}}});
  }
  const double total = a.peak / b.peak, change = a.change / b.change;
  return {
      "section VIII, Figures 13 and 14: collisions are felt two orders of magnitude larger by (18) than by "
      "the coupler",
      fmt::format("(18): met at {:.3f} s, contact up to {:.2f} N, felt {:.2f} N, change {:.2f} N, by the "
                  "motors of a device of "
                  "1 kg {:.2f} N; coupler: {:.3f} s, {:.2f} N, {:.3f} N, {:.4f} N; ratios: total {:.3g}, "
                  "change {:.4g}, "
                  "motors {:.3g}; by (11) felt {:.2f} N, change {:.2f} N",
                  a.met, a.contact, a.peak, a.change, a.motors, b.met, b.contact, b.peak, b.change, total,
                  change, a.motors / b.peak, by_11.peak, by_11.change),
      not_reproducible(total > 10.0 && change > 100.0 && a.met > 0.0 && b.met > 0.0 && by_11.met > 0.0 &&
                           by_11.change > 100.0 * b.change,
                       "two orders of magnitude in the change that the collision brings, one in the total"),
      "the scene is chosen: one wall, and no clamp, which would be a low-pass. Two orders of magnitude hold "
      "for the change that the collision brings, "
      "not for the total, "
      "where the coupler's own steady force counts, and not for the motors' force",
      {"constantinescu2005-figure-13.csv", "constantinescu2005-figure-13.svg",
       "constantinescu2005-figure-14.csv", "constantinescu2005-figure-14.svg"}};
}

Result by_impulse(const Context&) {
  const Felt at_512 = collide(Law::penalties, true, 1.0 / 512.0, nullptr),
             at_1k = collide(Law::penalties, true, 1e-3, nullptr),
             coupler = collide(Law::coupler, true, 1.0 / 512.0, nullptr);
  const double ratio = at_512.change / coupler.change;
  const bool scales = std::abs(at_1k.impulse / at_512.impulse - 1.0) < 0.05;
  return {"section VIII: the same with impulses within one step, as the paper's collisions are",
          fmt::format("impulse {:.4f} N s at 512 Hz, {:.4f} N s at 1 kHz: felt as {:.1f} and {:.1f} N; "
                      "coupler {:.3f} N, change "
                      "{:.4f} N; ratio of the changes {:.4g}",
                      at_512.impulse, at_1k.impulse, at_512.peak, at_1k.peak, coupler.peak, coupler.change,
                      ratio),
          not_reproducible(scales && at_512.peak > 100.0 * coupler.peak && ratio > 100.0,
                           "two orders of magnitude, and one impulse at either rate"),
          "a force of one step grows with the rate: the impulse is what does not depend on it",
          {}};
}

/// The scene of Figures 10, 13 and 14: an enclosure, two boxes, a hand that moves about.
struct Moved {
  double peak = 0.0, contact = 0.0;  // [N] felt, and of the links with what is around them
  double apart = 0.0;                // [m] hand and link, at most
  double boxes = 0.0;                // [m] the way of the box that was pushed furthest
  bool finite = true;
};

Moved in_enclosure(const Context& context, Law law, const std::string& file) {
  constexpr double kPeriod = 1e-3, kDuration = 10.0;
  Scene scene(load(context, "chain_in_enclosure"), law, kPeriod);
  scene.coupled = law == Law::coupler;
  const int boxes[] = {scene.mechanism->port("body:box_a"), scene.mechanism->port("body:box_b")};
  const auto place = [&](int box) { return scene.mechanism->motion(box).X_WP.p; };
  const math::Vec3<double> start[] = {place(boxes[0]), place(boxes[1])};
  Record record({"t", "x", "y", "felt x", "felt y", "contact", "box a x", "box a y", "box b x", "box b y"});
  Moved moved;
  for (long k = 0; scene.t < kDuration; ++k) {
    // 100 N/m to a point on a circle, 5 N at most; all chosen.
    constexpr double kStiffness = 100.0, kMost = 5.0, kRadius = 0.09,
                     kTurns = 0.25;  // [N/m], [N], [m], [1/s]
    const double angle = 2.0 * kPi * kTurns * scene.t;
    const double dx = kRadius * std::cos(angle) - scene.device.x[0],
                 dy = kRadius * std::sin(angle) - scene.device.x[1];
    const double pull = kStiffness * std::hypot(dx, dy), share = pull > kMost ? kMost / pull : 1.0;
    scene.hand->set_hand({share * kStiffness * dx, share * kStiffness * dy});
    scene.advance();
    moved.finite = moved.finite && std::isfinite(size(scene.felt)) && std::isfinite(scene.device.x[0]);
    moved.peak = std::max(moved.peak, size(scene.felt));
    moved.contact = std::max(moved.contact, scene.largest_contact);
    moved.apart = std::max(moved.apart, scene.hand->apart(scene.device));
    const math::Vec3<double> at[] = {place(boxes[0]), place(boxes[1])};
    for (std::size_t i = 0; i < 2; ++i) {
      const math::Vec3<double> way = at[i] - start[i];
      moved.boxes = std::max(moved.boxes, std::sqrt(dot(way, way)));
    }
    if (k % 5 == 0)
      record.add({scene.t, scene.device.x[0], scene.device.x[1], scene.felt[3], scene.felt[4],
                  scene.largest_contact, at[0].x, at[0].y, at[1].x, at[1].y});
  }
  record.write_csv(context, file + ".csv");
  record.write_svg(context, file + ".svg", "The chain among two boxes",
                   {{"hand [m]", {"x", "y"}},
                    {"felt [N]", {"felt x", "felt y"}},
                    {"contact [N]", {"contact"}},
                    {"boxes [m]", {"box a x", "box a y", "box b x", "box b y"}}});
  return moved;
}

Result enclosure(const Context& context) {
  constexpr const char* kFiles[] = {"constantinescu2005-figure-10-acceleration",
                                    "constantinescu2005-figure-10-penalties",
                                    "constantinescu2005-figure-10-coupler"};
  const Moved by_11 = in_enclosure(context, Law::acceleration, kFiles[0]),
              a = in_enclosure(context, Law::penalties, kFiles[1]),
              b = in_enclosure(context, Law::coupler, kFiles[2]);
  bool runs = true;
  std::string table =
      "  controller      felt up to [N]   contact up to [N]   hand and link apart [mm]   a box pushed [mm]\n";
  for (const auto& [name, one] : {std::pair{"(11)", &by_11}, {"(18)", &a}, {"coupler", &b}}) {
    constexpr double kPushed = 0.01;  // [m]
    runs = runs && one->finite && one->contact > 0.0 && one->boxes > kPushed;
    table += fmt::format("  {:<12} {:16.3g} {:19.3g} {:26.3g} {:19.3g}\n", name, one->peak, one->contact,
                         1e3 * one->apart, 1e3 * one->boxes);
  }
  std::vector<std::string> files;
  for (const char* const file : kFiles)
    for (const char* const kind : {".csv", ".svg"}) files.push_back(std::string(file) + kind);
  return {
      "section VIII, Figures 10, 13 and 14: the chain in an enclosure with two boxes, moved about by a hand",
      fmt::format("felt up to {:.1f} N by (18), {:.2f} N by the coupler: ratio {:.3g}; {:.1f} N by (11)",
                  a.peak, b.peak, a.peak / b.peak, by_11.peak),
      not_reproducible(runs && a.peak > 5.0 * b.peak, "five times as much by (18) as by the coupler"),
      "enclosure, boxes and the hand are chosen; the total peak does not show two orders of magnitude. "
      "Required besides: by every controller the links touch, and a box is pushed by more than 1 cm",
      files,
      table};
}

/// The same wall through the running loop, by every controller: what the device's motors give.
struct Shown {
  bool ok = true;
  double met = 0.0;     // [s] the wall
  double change = 0.0;  // [N] of the force from the last tick before, within 50 ms
  double peak = 0.0;    // [N] largest within a second
  double beyond = 0.0;  // [m] the handle past the place that it stands for, along the wall's normal
};

/// An arm leads the handle towards the wall at 20 mm/s, and past it.
Shown through_loop(const std::string& controller) {
  constexpr double kPeriod = 1e-3, kDuration = 6.0, kSpeed = 0.02, kFar = 0.06;  // [s], [s], [m/s], [m]
  constexpr device::Arm kArm{{0.0, 200.0}, {0.002, 20.0}};                       // it does not turn the link
  const auto mechanism = contact::open(before_wall(false), {.step = kPeriod});
  const int port = mechanism->port("distal");
  const auto device = device::open("simulated:planar-force",
                                   device::following(
                                       [=](double t) {
                                         return device::Intention{{std::min(kSpeed * t, kFar), 0.0, 0.0}, {}};
                                       },
                                       kArm));
  const device::Specification& s = device->specification();
  std::array<double, 36> L{};
  mechanism->mobility(port, L);
  const double mass = 1.0 / L[3 * 6 + 3];
  const control::CouplerGains printed{{0.2, 50.0}, {0.005, 3.0}};
  display::HapticLoop loop(
      *mechanism, *device, port,
      controller == "stiff coupler" ? control::design(s, {1.0 / L[2 * 6 + 2], mass}, 0.9) : printed,
      control::limits_for(s));
  if (controller == "penalties") loop.use(control::FourChannelGains{});
  if (controller == "proxy")
    loop.use(control::ProxyGains{.stiffness = control::design(s, {1e12, 1e12}, 0.9).stiffness[1]});
  const math::Vec3<double> apart = mechanism->motion(port).X_WP.p;
  Shown shown;
  shown.ok = loop.enable();
  Vector6 before{};
  for (int k = 0; kPeriod * k < kDuration && shown.ok; ++k) {
    shown.ok = device->wait() && loop.tick(kPeriod);
    const display::TickRecord& record = loop.record();
    const Vector6& F = record.on_handle;
    std::array<simulate::ContactPoint, 8> points;
    const std::size_t count = std::min(mechanism->contact_points(points), points.size());
    bool touches = controller == "proxy" && F[3] != 0.0;
    for (std::size_t i = 0; i < count && controller != "proxy"; ++i)
      touches = touches || points[i].force.x != 0.0;
    if (touches && shown.met == 0.0) shown.met = kPeriod * k;
    if (shown.met == 0.0) before = F;
    if (shown.met == 0.0 || kPeriod * k > shown.met + 1.0) continue;
    shown.peak = std::max(shown.peak, size(F));
    if (kPeriod * k < shown.met + 0.05)
      shown.change = std::max(shown.change, std::hypot(F[3] - before[3], F[4] - before[4]));
    shown.beyond = std::max(shown.beyond, record.p_H.x + apart.x - record.p_P.x);
  }
  return shown;
}

Result controllers(const Context&) {
  std::string table =
      "  controller       met [s]   change in 50 ms [N]   largest in 1 s [N]   handle past it [mm]\n";
  std::map<std::string, Shown> all;
  bool ok = true;
  for (const char* name : {"penalties", "coupler", "stiff coupler", "proxy"}) {
    const Shown& shown = all[name] = through_loop(name);
    ok = ok && shown.ok && shown.met > 0.0 && std::isfinite(shown.peak);
    table += fmt::format("  {:<15} {:8.3f} {:21.3f} {:20.3f} {:21.3f}\n", name, shown.met, shown.change,
                         shown.peak, 1e3 * shown.beyond);
  }
  return {
      "section VIII and footnote 1: penalties, the virtual coupler, and the proxy",
      fmt::format(
          "one wall through the running loop of a simulated device: within 50 ms of the collision the "
          "force of the motors changes by {:.3g} N with (18), {:.3g} N with the paper's coupler, {:.3g} N "
          "with the "
          "stiffest passive one, {:.3g} N with a proxy",
          all["penalties"].change, all["coupler"].change, all["stiff coupler"].change, all["proxy"].change),
      not_reproducible(ok && all["penalties"].change > all["coupler"].change &&
                           all["proxy"].beyond < all["coupler"].beyond,
                       "the order of the controllers"),
      "the paper shows no such table. A proxy is a point before the wall, with nothing behind it: it feels "
      "the wall where the "
      "held point itself would enter it, and of the mechanism nothing. Required: every loop runs, (18) shows "
      "more of the collision than the "
      "coupler, the proxy holds the handle nearer to the wall than the coupler",
      {},
      table};
}

}  // namespace

std::vector<study::Case> felt_cases() {
  return {{"figure-13", "what is felt of a collision with a wall", one_wall},
          {"figure-13-impulse", "the same by impulses", by_impulse},
          {"controllers", "one wall, by every controller of the loop", controllers},
          {"figure-10", "what is felt in the enclosure", enclosure}};
}

}  // namespace tactus::studies::constantinescu
