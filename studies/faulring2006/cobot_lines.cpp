// Algorithm 1 as one piece: its lines 1 to 11 (control/algorithm_1.h) and 12 to 16 (the cobot's servo) in one
// loop of 18 lines, without the haptic loop and its simulation; and these beside it.
//
//   3, 4     the device's sample: x, xd and the hand's wrench
//   4 to 11  Algorithm1::step: tau = J^T f, accelerations, z and zd
//   12, 14   x_r = psi(z), xd_r; q and qd
//   12, 13, 15 to 17   the device's servo (device/task_servo.h), which is told x_r and xd_r
//   18       the device's period
#include <cmath>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/statements.h>
#include <tactus/contact/open.h>

#include "cases.h"
#include "cobot_scene.h"

namespace tactus::studies::faulring {

using control::Algorithm1;
using control::Scheme;
using display::TickRecord;
using Mat3 = math::Mat3<double>;
using Vec3 = math::Vec3<double>;

namespace {

using study::Context;
using study::Result;

/// x = phi(q) and its rate.
struct Placed {
  math::Pose<double> X;
  device::Vector6 V{};
};

/// Of a body by (q1, q2, q3) and R = Rz(q4) Rx(q6) Rz(q5); the tree has q6 before q5.
Placed of_body(const Algorithm1& body) {
  const std::vector<double>&q = body.q(), &u = body.u();
  const double c4 = std::cos(q[3]), s4 = std::sin(q[3]), c6 = std::cos(q[4]), s6 = std::sin(q[4]),
               c5 = std::cos(q[5]), s5 = std::sin(q[5]);
  const Vec3 lean{c4, s4, 0.0}, across{-s4 * c6, c4 * c6, s6}, axis{s4 * s6, -c4 * s6, c6};
  Placed placed;
  placed.X.p = {q[0], q[1], q[2]};
  placed.X.R = Mat3::from_columns(c5 * lean + s5 * across, c5 * across - s5 * lean, axis);
  const Vec3 w = u[3] * Vec3{0.0, 0.0, 1.0} + u[4] * lean + u[5] * axis;
  placed.V = {w.x, w.y, w.z, u[0], u[1], u[2]};
  return placed;
}

/// Of the arm's end.
Placed of_arm(const Algorithm1& arm) {
  constexpr double kLength = 0.15, kBase = 0.21;  // [m] of models/two_link_on_circle.yaml
  const double q1 = arm.q()[0], q12 = q1 + arm.q()[1], u1 = arm.u()[0], u12 = u1 + arm.u()[1];
  const double c1 = std::cos(q1), s1 = std::sin(q1), c12 = std::cos(q12), s12 = std::sin(q12);
  Placed placed;
  placed.X.p = {kLength * (c1 + c12) - kBase, kLength * (s1 + s12), 0.0};
  placed.X.R = Mat3::from_columns({c12, s12, 0.0}, {-s12, c12, 0.0}, {0.0, 0.0, 1.0});
  placed.V = {0.0, 0.0, u12, -kLength * (s1 * u1 + s12 * u12), kLength * (c1 * u1 + c12 * u12), 0.0};
  return placed;
}

Placed placed(const Algorithm1& algorithm) {
  return algorithm.q().size() == 2 ? of_arm(algorithm) : of_body(algorithm);
}

Algorithm1 at_rest(const Context& context, const Scene& scene, Scheme scheme) {
  describe::Model model = load(context, scene.model);
  if (!scene.q.empty()) model.initial_q = scene.q;
  model.initial_u.assign(model.initial_u.size(), 0.0);
  return {model, scheme};
}

}  // namespace

Run run_by_lines(const Context& context, const Scene& scene, const Opens& opens, Scheme scheme) {
  Algorithm1 algorithm = at_rest(context, scene, scheme);
  const int port = algorithm.port(scene.port);
  Placed x_r = placed(algorithm);
  Run result;
  result.start = x_r.X;
  const auto device = opens(scene.hand(result.start));
  result.ok = device->enable();
  const long ticks = std::lround(scene.duration * kRate);
  for (long k = 0; k < ticks && result.ok; ++k) {
    device::Sample sample;
    result.ok = device->wait() && device->read(sample);
    TickRecord record;
    record.t = sample.t;
    record.p_H = sample.X_WH.p;
    record.R_H = sample.X_WH.R;
    record.V_H = sample.V_WH;
    record.F_H = record.on_port = sample.F_H_W;
    record.p_P = x_r.X.p;
    record.R_P = x_r.X.R;
    record.V_P = x_r.V;
    result.ticks.push_back(record);
    result.kinetic.push_back(algorithm.kinetic());
    result.speeds.push_back(algorithm.u());
    algorithm.step(1.0 / kRate, sample.F_H_W, port);
    x_r = placed(algorithm);
    device::Command command;
    command.X_WH = {x_r.X.R * result.start.R.transposed(), x_r.X.p - result.start.p};
    command.V_WH = x_r.V;
    result.ok = result.ok && device->command(command);
  }
  return result;
}

namespace {

constexpr double kLike = 0.05;  // more that the handle may be behind

/// How far two runs are apart.
struct Apart {
  double port = 0.0, handle = 0.0, energy = 0.0;  // [m], [m], of the largest energy
};
Apart apart(const Run& a, const Run& b) {
  Size port, handle, energy, most;
  for (std::size_t k = 0; k < std::min(a.ticks.size(), b.ticks.size()); ++k) {
    port.add(norm(a.ticks[k].p_P - b.ticks[k].p_P));
    handle.add(norm(a.ticks[k].p_H - b.ticks[k].p_H));
    energy.add(a.kinetic[k] - b.kinetic[k]);
    most.add(a.kinetic[k]);
  }
  const bool whole = a.ok && b.ok && a.ticks.size() == b.ticks.size();
  return {whole ? port.largest : INFINITY, handle.largest, energy.largest / most.largest};
}

/// [s] How long. A disk that is pressed onto a sphere by forces that do not follow it comes off like a ball
/// from the top of another, e-fold in a tenth of a second, and with it what two ways of computing differ by.
double followed(const Scene& scene) { return scene.model == "disk_on_sphere" ? 1.0 : scene.duration; }

/// [m] How far ports get apart where the forces that one run sensed drive the mechanism again: no encoder is
/// between them.
double apart_by_its_forces(const Context& context, const Scene& scene, const Run& run,
                           simulate::Formulation formulation) {
  const auto mechanism = contact::open(load(context, scene.model),
                                       {.step = 1.0 / kRate, .constraints = {.formulation = formulation}});
  mechanism->set_state({.t = 0.0,
                        .q = scene.q.empty() ? mechanism->state().q : scene.q,
                        .u = std::vector<double>(mechanism->nv(), 0.0),
                        .momentum = {}});
  Size size;
  const int port = mechanism->port(scene.port);
  for (const TickRecord& tick : run.ticks) {
    if (tick.t > followed(scene)) break;
    size.add(norm(mechanism->motion(port).X_WP.p - tick.p_P));
    const simulate::PortWrench F{port, tick.on_port};
    if (!mechanism->step({.ports = {&F, 1}}).ok()) return INFINITY;
  }
  return size.largest;
}
double apart_by_its_forces(const Context& context, const Scene& scene, const Run& run, Scheme scheme) {
  Algorithm1 algorithm = at_rest(context, scene, scheme);
  const int port = algorithm.port(scene.port);
  Size size;
  for (const TickRecord& tick : run.ticks) {
    if (tick.t > followed(scene)) break;
    size.add(norm(placed(algorithm).X.p - tick.p_P));
    algorithm.step(1.0 / kRate, tick.on_port, port);
  }
  return size.largest;
}

/// [m] How far the handle is off the port.
Size behind(const Run& run) {
  Size size;
  for (const TickRecord& tick : run.ticks)
    if (tick.t >= kStart) size.add(norm(tick.p_P - run.start.p - tick.p_H));
  return size;
}

/// [m] How far the mechanism's own end is off what it is held to.
double off(const std::string& model, const Run& run) {
  Size size;
  for (const TickRecord& tick : run.ticks)
    size.add(model == "rolling_disk" ? tick.p_P.z - kDiskRadius
                                     : norm(tick.p_P) - (model == "disk_on_sphere" ? kSphere : kCircle));
  return size.largest;
}

Result lines(const Context& context) {
  Statements statements;
  std::string table =
      "           example                     road   by the same forces [m]   in the loop: port [um]   "
      "handle [um]   "
      "energy [1]   off the constraint [m]   handle behind [um]\n";
  const Opens cobot = by_name("simulated:cobot");
  constexpr double kKept = 1e-15;   // [m] some roundings of coordinates below 1 m
  constexpr double kSame = 1e-9;    // [m] two ways of Runge and Kutta's method, over 10 s
  constexpr double kEnergy = 1e-3;  // of the largest: what steps of the encoders make that fall the other way
  double same_z = 0.0, same_lines = 0.0, printed_off = 0.0, energy = 0.0, farthest = 0.0;
  std::string printed;
  bool servo = true;
  for (const Scene& scene : {parking_scene(), sphere_scene(), arm_scene()}) {
    const Run loop = run(context, scene, cobot),
              parametric = run(context, scene, cobot, {}, simulate::Formulation::parametric),
              mended = run_by_lines(context, scene, cobot, Scheme::runge_kutta),
              literal = run_by_lines(context, scene, cobot, Scheme::printed);
    const auto row = [&](const char* road, const Run& one, double by_forces) {
      const Apart here = apart(loop, one);
      table += fmt::format("{:>18} {:>24} {:24.2g} {:24.3g} {:13.3g} {:12.2g} {:24.2g} {:20.1f}\n",
                           scene.model, road, by_forces, 1e6 * here.port, 1e6 * here.handle, here.energy,
                           off(scene.model, one), 1e6 * behind(one).rms());
      return here;
    };
    const double by_z = apart_by_its_forces(context, scene, loop, simulate::Formulation::parametric),
                 by_lines = apart_by_its_forces(context, scene, loop, Scheme::runge_kutta),
                 by_print = apart_by_its_forces(context, scene, loop, Scheme::printed);
    row("the loop", loop, 0.0);
    for (const Apart& here :
         {row("the loop, parametric", parametric, by_z), row("lines, Runge-Kutta in z", mended, by_lines)}) {
      energy = larger(energy, here.energy);
      farthest = larger(farthest, here.port);
    }
    row("lines, as printed", literal, by_print);
    same_z = larger(same_z, by_z);
    same_lines = larger(same_lines, by_lines);
    printed_off = larger(printed_off, off(scene.model, literal));
    printed += fmt::format("{}{:.2g}", printed.empty() ? "" : ", ", 1e3 * by_print);
    servo = servo && behind(literal).rms() <= (1.0 + kLike) * behind(loop).rms();
  }
  statements.judge(same_z <= kSame, "the parametric formulation, which integrates z, is the default one",
                   fmt::format("within {:.2g} m by the same sensed forces", same_z),
                   fmt::format("{:g} m", kSame));
  statements.judge(same_lines <= kSame, "and so are lines 1 to 11, with Runge-Kutta's method in line 10",
                   fmt::format("within {:.2g} m", same_lines), fmt::format("{:g} m", kSame));
  statements.judge(
      energy <= kEnergy,
      "through the device, lines 1 to 18 give the loop's energies, and so does the parametric one",
      fmt::format("within {:.1g} of the largest; ports are {:.0f} um apart at most, after coasting", energy,
                  1e6 * farthest),
      fmt::format("{:g}: an encoder's step may fall the other way", kEnergy));
  statements.judge(
      printed_off <= kKept, "as printed, line 10 keeps holonomic constraints",
      fmt::format("within {:.1g} m, {} mm from the others by its first order", printed_off, printed),
      "1e-15 m");
  statements.judge(servo, "lines 12 to 16 bring the display after it as after the loop's simulation",
                   "rms, in the last column", fmt::format("no more than {:g} % more", 100.0 * kLike));
  return {"Algorithm 1: lines 1 to 18",
          fmt::format(
              "the three examples through the cobot: by the same forces {:.1g} m apart by the parametric "
              "formulation, {:.1g} m by its lines, {} mm as printed, which keep the constraints to {:.1g} m",
              same_z, same_lines, printed, printed_off),
          closed_form(
              statements.all(),
              "the haptic loop with the default formulation, a computation of its own: the same hands, the "
              "same device"),
          "forces and device are chosen",
          {},
          statements.table() + "\n" + table};
}

}  // namespace

std::vector<study::Case> cobot_lines_cases() {
  return {{"algorithm-1-lines", "Algorithm 1 line by line through a simulated cobot", lines}};
}

}  // namespace tactus::studies::faulring
