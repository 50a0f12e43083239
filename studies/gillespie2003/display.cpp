// The cart in the hand, which the paper says of in words: what it weighs there, and its caster that sticks
// and breaks loose.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/examine.h>
#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/derive/equations.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/files/recording.h>

#include "cases.h"
#include "selection.h"

namespace tactus::studies::gillespie {

namespace {

using study::Context;
using study::Result;

// Parameters of models/shopping_cart.yaml: chosen.
constexpr double kL1 = 0.4, kL2 = 0.8, kL3 = 0.15, kBody = 20.0, kTurning = 2.5, kCaster = 2.0;
constexpr double kHeading = 0.3, kAngle = 0.4;  // [rad] q3, q4
constexpr double kPeriod = 1e-3;                // [s]
/// Passive on the planar device, of 0.01 N m s/rad and 4 N s/m, and behind the coupler: K T/2 + B < b, B > K
/// T/2.
constexpr control::CouplerGains kGains{{8.0, 1500.0}, {0.0045, 1.0}};

/// A hand that is any function of time and of the handle's place.
class Pushing final : public device::Hand {
 public:
  using Function = std::function<device::Grip(double, const math::Pose<double>&)>;
  explicit Pushing(Function grip) : grip_(std::move(grip)) {}
  device::Grip grip(double t, const math::Pose<double>& X) const noexcept override { return grip_(t, X); }

 private:
  Function grip_;
};

/// A of the constraints that are on, where a mechanism is.
class Rows {
 public:
  explicit Rows(const describe::Model& model)
      : equations_(model), terms_(generate::compile(equations_.constrained_terms())) {}
  const Eigen::MatrixXd& at(const simulate::Mechanism& mechanism) {
    const simulate::State& state = mechanism.state();
    std::copy(state.q.begin(), state.q.end(), terms_.input("q").begin());
    std::copy(state.u.begin(), state.u.end(), terms_.input("u").begin());
    terms_.run();
    const std::span<const double> all = terms_.output("A");
    const Eigen::Index n = equations_.nv();
    A_.resize(0, n);
    for (std::size_t row = 0; row < equations_.constraint_rows().size(); ++row) {
      if (!mechanism.is_active(equations_.constraint_rows()[row].constraint)) continue;
      A_.conservativeResize(A_.rows() + 1, n);
      for (Eigen::Index i = 0; i < n; ++i)
        A_(A_.rows() - 1, i) = all[row * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)];
    }
    return A_;
  }

 private:
  derive::Equations equations_;
  generate::Evaluator terms_;
  Eigen::MatrixXd A_;
};

/// [kg] by which the cart at rest answers a force along b1 at its handle. Free: u1 and u2 move, u3 = (-s4 u1
/// + L2 c4 u2)/L3 follows; stuck: u2 = u3 = k u1.
double free_mass(double q4) {
  const double s = std::sin(q4), c = std::cos(q4);
  // m of (63): the caster's mass centre moves with v = (c4 u1 + L2 s4 u2) c1.
  const double m11 = kBody + kCaster * c * c, m12 = kCaster * kL2 * s * c,
               m22 = kTurning + kBody * kL1 * kL1 + kCaster * kL2 * kL2 * s * s;
  return m11 - m12 * m12 / m22;
}
double stuck_mass(double q4) {
  const double k = std::sin(q4) / (kL2 * std::cos(q4) - kL3);
  const double part = (kL3 * std::cos(q4) - kL2) / (kL2 * std::cos(q4) - kL3);
  return kBody * (1.0 + kL1 * kL1 * k * k) + kTurning * k * k + kCaster * part * part;
}

/// [kg m^2] by which it answers a couple there, at rest and free.
double free_inertia(double q4) {
  const double s = std::sin(q4), c = std::cos(q4);
  const double m11 = kBody + kCaster * c * c, m12 = kCaster * kL2 * s * c,
               m22 = kTurning + kBody * kL1 * kL1 + kCaster * kL2 * kL2 * s * s;
  return m22 - m12 * m12 / m11;
}

/// a + jb of the part a cos wt + b sin wt, as a - jb: of exp(jwt). A mean and a drift are taken out.
std::complex<double> sine_of(const std::vector<double>& y, double omega, std::size_t from) {
  const auto count = static_cast<Eigen::Index>(y.size() - from);
  Eigen::MatrixX4d basis(count, 4);
  Eigen::VectorXd values(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const double t = kPeriod * static_cast<double>(from + static_cast<std::size_t>(k));
    basis.row(k) << std::cos(omega * t), std::sin(omega * t), 1.0, t;
    values[k] = y[from + static_cast<std::size_t>(k)];
  }
  const Eigen::Vector4d parts = basis.colPivHouseholderQr().solve(values);
  return {parts[0], -parts[1]};
}

/// A way of the hand: along b1, or about the vertical.
struct Shake {
  bool turns = false;
  double omega = 0.0, size = 0.0;  // [rad/s]; [N] or [N m] of its cosine, which leaves no drift
};
struct Felt {
  double in_all =
      0.0;  // [kg] or [kg m^2]: the hand's force over the handle's motion, device and coupler with it
  double cart = 0.0;  // what is left of it without these two
};

/// The planar device has three axes: along two of them and about the third the coupler holds the cart. What
/// the hand feels is its own force over the handle's motion, as sensed. Of that
///
///   F_H = (jw m_d + b_d + 4 f/(pi |V_H|)) V_H + C         dry friction by what a sine makes of it
///   C = (K/jw + B) exp(-3jwT/2) (V_H - V_P)               held for a tick, and a tick late
///
/// leave the cart, C/V_P.
Felt felt(const Context& context, bool stuck, const Shake& shake, Record* record) {
  const auto cart = contact::open(load(context, "shopping_cart"), {.step = kPeriod});
  cart->set_state({.t = 0.0, .q = {0.0, 0.0, kHeading, kAngle}, .u = {0, 0, 0, 0}, .momentum = {}});
  if (stuck && !cart->set_active(cart->constraint("stick"), true)) return {NAN, NAN};
  const double c = std::cos(kHeading), s = std::sin(kHeading);
  const auto device = device::open("simulated:planar", device::scripted([=](double t) {
                                     const double F = shake.size * std::cos(shake.omega * t);
                                     return shake.turns ? device::Vector6{0, 0, F, 0, 0, 0}
                                                        : device::Vector6{0, 0, 0, F * c, F * s, 0};
                                   }));
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  display::HapticLoop loop(*cart, *device, cart->port("P1"), kGains, limits);
  if (!loop.enable()) return {NAN, NAN};
  constexpr double kSettle = 2.0, kWhole = 4.0;  // [s], periods
  const auto from = static_cast<std::size_t>(std::lround(kSettle / kPeriod));
  const std::size_t ticks =
      from + static_cast<std::size_t>(std::lround(kWhole * 2.0 * std::numbers::pi / shake.omega / kPeriod));
  std::vector<double> hand, handle;
  for (std::size_t k = 0; k < ticks; ++k) {
    if (!device->wait() || !loop.tick(kPeriod)) return {NAN, NAN};
    const display::TickRecord& r = loop.record();
    hand.push_back(shake.size * std::cos(shake.omega * r.t));
    handle.push_back(shake.turns ? std::atan2(r.R_H(1, 0), r.R_H(0, 0)) : r.p_H.x * c + r.p_H.y * s);
    if (record != nullptr && k % 10 == 0)
      record->add({r.t, hand.back(), handle.back(), (r.p_P.x * c + r.p_P.y * s),
                   -(r.on_handle[3] * c + r.on_handle[4] * s)});
  }
  const device::Specification& d = device->specification();
  const std::size_t axis = shake.turns ? 0 : 1;
  // Each axis of the world has its own dry friction.
  const double friction = d.friction[axis] * (shake.turns ? 1.0 : std::fabs(c) + std::fabs(s));
  const std::complex<double> jw(0.0, shake.omega),
      F_H = sine_of(hand, shake.omega, from), V_H = jw * sine_of(handle, shake.omega, from),
      own = jw * d.inertia[axis] + d.damping[axis] + 4.0 * friction / (std::numbers::pi * std::abs(V_H)),
      C = F_H - own * V_H,
      V_P = V_H - C / ((kGains.stiffness[axis] / jw + kGains.damping[axis]) * std::exp(-1.5 * kPeriod * jw));
  return {(F_H / V_H).imag() / shake.omega, (C / V_P).imag() / shake.omega};
}

Result through_coupler(const Context& context) {
  constexpr Shake kAlong{false, std::numbers::pi, 3.0}, kAbout{true, 0.5 * std::numbers::pi, 0.1};
  Record record({"t", "hand", "handle", "cart", "coupler"});
  const Felt free = felt(context, false, kAlong, &record), stuck = felt(context, true, kAlong, nullptr),
             turned = felt(context, false, kAbout, nullptr);
  record.write_csv(context, "gillespie2003-coupler.csv");
  record.write_svg(context, "gillespie2003-coupler.svg",
                   "The cart through a virtual coupler and a planar device, along its heading",
                   {{"way [m]", {"handle", "cart"}}, {"force [N]", {"hand", "coupler"}}});
  constexpr double kShare = 0.01;  // friction is taken out as if the motion were a sine, and steps are seen
  Deviation d;
  for (const auto& [here, known] :
       {std::pair{free, free_mass(kAngle)}, {stuck, stuck_mass(kAngle)}, {turned, free_inertia(kAngle)}})
    d.add(here.cart, known, kShare * known);
  return {
      "sections 1 and 5: a mechanism behind a virtual coupler, whose impedance changes with its constraints",
      fmt::format("from the hand's side, device and coupler taken out: {:.3f} kg along the cart's heading "
                  "with a free "
                  "caster, {:.3f} kg with a stuck one, {:.3f} kg m^2 about the vertical; in all the hand "
                  "feels {:.2f} "
                  "kg, {:.2f} kg and {:.3f} kg m^2; {}",
                  free.cart, stuck.cart, turned.cart, free.in_all, stuck.in_all, turned.in_all,
                  d.to_string()),
      closed_form(
          all_within(d),
          "the masses of (63) and (67) along u1, 21.641 and 25.054 kg, and of (63) along u2, 5.879 kg m^2, "
          "within 1 %"),
      "the paper gives neither parameters nor a coupler: a planar device of three axes, 1500 N/m and 1 N "
      "s/m, "
      "8 N m/rad and 0.0045 N m s/rad at 1 kHz, 3 N at 0.5 Hz and 0.1 N m at 0.25 Hz. With the caster stuck "
      "nothing "
      "turns but with a way, and the device's own friction along it is more than a couple that small",
      {"gillespie2003-coupler.csv", "gillespie2003-coupler.svg"}};
}

/// The cart of example 3 with friction, in a hand: pushed to and fro, so that its caster sticks where it
/// comes to rest, breaks loose, and swings round behind. By the embedding, with its choices and those by
/// singular values beside.
Result in_the_hand(const Context& context) {
  constexpr double kBreakaway = 0.4, kTurns = 0.05;  // [N m] less than in the model; [N m s/rad], its own
  constexpr double kPush = 10.0, kPace = 0.5 * std::numbers::pi, kCouple = 1.8,
                   kDuration = 12.0;  // [N], [rad/s], [N m], [s]
  const describe::Model model = load(context, "cart_caster", {{"breakaway", kBreakaway}});
  const auto cart = contact::open(model, {.step = kPeriod,
                                          .constraints = {.formulation = simulate::Formulation::embedding},
                                          .rederive = contact::Rederivation::never});
  cart->set_state({.t = 0.0, .q = {0.0, 0.0, kHeading, kAngle}, .u = {0, 0, 0, 0}, .momentum = {}});
  const device::Arm arm{.stiffness = {5.0, 20.0}, .damping = {0.02, 2.0}};
  const auto device =
      device::open("simulated:planar", std::make_unique<Pushing>([=](double t, const auto& X) {
                     device::Grip grip = device::pull({}, X, arm);
                     const double F = kPush * std::cos(kPace * t);
                     grip.wrench[2] += kCouple * std::sin(0.5 * kPace * t);
                     grip.wrench[3] += F * std::cos(kHeading);
                     grip.wrench[4] += F * std::sin(kHeading);
                     return grip;
                   }));
  display::HapticLoop loop(*cart, *device, cart->port("P1"), kGains,
                           control::limits_for(device->specification()));
  if (!loop.enable()) return {"", "the loop cannot be enabled", {}, "", {}};
  Rows rows(model);
  contact::SpeedChoice own(model);
  Tally reckdahl, embedding;
  const int stick = cart->constraint("stick");
  Record record(
      {"t", "handle", "cart", "caster", "stuck", "coupler", "by_singular_values", "by_the_embedding"});
  std::vector<display::Mark> marks;
  Deviation balance;
  double most = 0.0, damped = 0.0, rate = 0.0;
  int sticks = 0, releases = 0, changes = 0;
  bool ok = true, stuck = false;
  const double c = std::cos(kHeading), s = std::sin(kHeading);
  for (long k = 0; k < std::lround(kDuration / kPeriod) && ok; ++k) {
    const Eigen::MatrixXd& A = rows.at(*cart);
    reckdahl.follow(A, by_singular_values(A));
    ok = own.look(*cart);
    embedding.take(A, own.dependent());
    const double before = rate;
    ok = ok && device->wait() && loop.tick(kPeriod);
    const display::TickRecord& r = loop.record();
    rate = cart->state().u[2] - cart->state().u[1];
    damped += 0.5 * kPeriod * kTurns * (before * before + rate * rate);
    balance.add(cart->energies().kinetic + damped + cart->books().impact_loss, r.into_port, INFINITY);
    most = std::max(most, std::fabs(r.into_port));
    changes += cart->is_active(stick) != stuck ? 1 : 0;
    stuck = cart->is_active(stick);
    for (const simulate::Event& event : cart->events()) {
      if (event.kind != simulate::EventKind::transition) continue;
      const std::string name = simulate::name_of(model, event);
      marks.push_back({event.t, name});
      ++(name == "sticks" ? sticks : releases);
    }
    if (k % 10 == 0)
      record.add({r.t, r.p_H.x * c + r.p_H.y * s, r.p_P.x * c + r.p_P.y * s, cart->state().q[3],
                  cart->is_active(stick) ? 1.0 : 0.0, -(r.on_handle[3] * c + r.on_handle[4] * s),
                  static_cast<double>(reckdahl.chosen), static_cast<double>(embedding.chosen)});
  }
  record.write_csv(context, "gillespie2003-hand.csv");
  record.write_svg(context, "gillespie2003-hand.svg",
                   "The cart in a hand: its caster sticks and breaks loose",
                   {{"way [m]", {"handle", "cart"}},
                    {"caster q4 [rad]", {"caster"}},
                    {"caster", {"stuck"}, {"free", "stuck"}},
                    {"coupler's force [N]", {"coupler"}},
                    {"choices of speeds", {"by_singular_values", "by_the_embedding"}}},
                   marks);
  constexpr double kBalance = 1e-3;  // of the most work: the damper's by trapezoids
  return {
      "sections 4 and 5: constraints change while the cart is in the hand, and speeds may be selected anew",
      fmt::format(
          "in {:g} s it sticks {} times and breaks loose {} times, of which {} changes last for a tick; "
          "speeds are chosen {} times by the embedding, {} times by singular values; balance of energy "
          "within {:.1g} of {:.3f} J",
          kDuration, sticks, releases, changes, embedding.chosen, reckdahl.chosen, balance.worst, most),
      closed_form(
          ok && changes >= 2 && embedding.chosen == own.choices() && embedding.chosen > changes &&
              reckdahl.chosen > changes && balance.worst < kBalance * most,
          "the balance of energy at every tick: kinetic energy, damping and what sticking takes against "
          "the work at the port; a choice at least wherever the caster sticks or breaks loose"),
      "the paper shows no motion: a push of 10 N to and fro and 1.8 N m with half the pace by a soft arm, "
      "0.4 N m "
      "to break the caster loose, through the planar device; where it sticks for less than a tick only the "
      "event "
      "is seen",
      {"gillespie2003-hand.csv", "gillespie2003-hand.svg"}};
}

}  // namespace

std::vector<study::Case> display_cases() {
  return {{"example-3-coupler", "the cart through a virtual coupler", through_coupler},
          {"example-3-hand", "the cart in a hand: its caster sticks and breaks loose", in_the_hand}};
}

}  // namespace tactus::studies::gillespie
