// Chapter IV, V-B: "simple second order filtering ... with limited success": what a filter of the force does
// to the loop. A hand with stiffness K and damping B holds a virtual mass m; with the force through w^2/(s +
// w)^2,
//
//   m s^2 (s + w)^2 + w^2 (B s + K) = 0,       stable for  K < B (2 m w - B)/(4 m)      (Routh)
//
// The arm, sampled and with its own poles, is held to that limit: the largest stiffness at which it still
// calms down, by bisection.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <studies/statements.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using study::Context;
using study::Result;

constexpr double kDegree = std::numbers::pi / 180.0, kRate = 500.0;
constexpr double kMass = 5.0, kDamping = 20.0;  // [kg], [N s/m]
constexpr double kTracked = 0.005;              // of a mass that the arm shows by itself

/// Holds the handle a centimetre aside, along y.
class Holding final : public device::Hand {
 public:
  explicit Holding(double stiffness) : stiffness_(stiffness) {}
  device::Grip grip(double, const math::Pose<double>& X) const noexcept override {
    device::Grip grip;
    const math::Vec3<double> e = math::Vec3<double>{0.0, 0.01, 0.0} - X.p;
    for (std::size_t i = 0; i < 3; ++i) grip.wrench[3 + i] = stiffness_ * e[i];
    grip.damping = {0.5, kDamping};
    return grip;
  }

 private:
  double stiffness_;
};

/// The arm, its force filter's cut-off, and how it estimates its joints' rates.
control::ArmDeviceOptions arm_with(double cut_off,
                                   control::RateEstimate rates = control::RateEstimate::difference,
                                   double rate_cut_off = 300.0) {
  control::ArmDeviceOptions options;
  options.start = {0.0, -30 * kDegree, 60 * kDegree, 20 * kDegree, 60 * kDegree, 0.0};
  options.encoder = {9965.0, 13727.0, 8547.0, 12101.0, 11447.0, 12205.0};
  options.transducer.cut_off = cut_off;
  options.rates = rates;
  options.rate_cut_off = rate_cut_off;
  return options;
}

/// Whether the handle's motion along y dies out.
bool calms_down(const Context& context, const control::ArmDeviceOptions& options, double stiffness) {
  control::ArmDevice arm(load(context, "puma560"), options, std::make_unique<Holding>(stiffness));
  const auto body = contact::open(load(context, "rigid_body", {{"m", kMass}}), {.step = 1.0 / kRate});
  body->set_state({0.0, body->state().q, std::vector<double>(6, 0.0), {}});
  display::HapticLoop loop(*body, arm, body->port("center"), {}, {});
  if (!loop.enable()) return false;
  constexpr int kTicks = 1500;
  std::array<double, 3> fastest{};  // in each second
  for (int k = 0; k < kTicks; ++k) {
    if (!arm.wait() || !loop.tick(1.0 / kRate)) return false;
    double& most = fastest[static_cast<std::size_t>(k / 500)];
    const double speed = std::abs(loop.record().V_P[4]);
    if (!(speed <= most)) most = speed;
  }
  // Steps of the transducer leave a little.
  return fastest[2] < fastest[1] || fastest[2] < 2e-3;
}

/// (Routh)
double hand_border(double w) { return kDamping * (2.0 * kMass * w - kDamping) / (4.0 * kMass); }

/// [N/m] The stiffest hand with which the object calms down, looked for about what is expected.
double stiffest_hand(const Context& context, const control::ArmDeviceOptions& options, double expected) {
  double low = 0.2 * expected, high = 3.0 * expected;
  for (int k = 0; k < 8; ++k) {
    const double middle = std::sqrt(low * high);
    (calms_down(context, options, middle) ? low : high) = middle;
  }
  return low;
}

Result second_order(const Context& context) {
  Deviation d;
  std::string here;
  double last = 0.0;
  bool less = true;
  for (const double w : {50.0, 100.0, 200.0}) {
    const double limit = hand_border(w), low = stiffest_hand(context, arm_with(w), limit);
    // Sampling and the arm's own errors take a little; friction of the joints, where they rest, gives a
    // little.
    d.add(low / limit, 1.0, 0.05);
    less = less && low > last;
    last = low;
    here += fmt::format("{}{:g} rad/s: {:.0f} N/m (Routh {:.0f})", here.empty() ? "" : "; ", w, low, limit);
  }
  return {
      "V-B: second order filters of force were of limited success: lags were felt, and stability suffered",
      here,
      closed_form(all_within(d) && less,
                  "the limit of stability B (2 m w - B)/(4 m) of the continuous loop, to 5 %"),
      "the largest stiffness of a hand (20 N s/m) with which a virtual mass of 5 kg calms down, against the "
      "filter's cut-off: the lower "
      "that is, the softer the hand has to be",
      {}};
}

// What cut-offs cost, as a table. A hand shakes with w and feels Im(F/V)/w as a mass.
//
//   force through c^2/(s + c)^2, mass m    F/V = (1 + jw/c)^2 jw m  m (1 - (w/c)^2), a damper -2 m w^2/c
//   rate through c^2/(s + c)^2, damper B   F/V = B/(1 + jw/c)^2     -2 B/c/(1 + (w/c)^2)^2, besides
//
// Sampled: a period T late w T more of the angle counts.

constexpr double kShaken = 4.0 * std::numbers::pi;  // [rad/s] 2 Hz, as a hand shakes what it weighs

/// The part exp(jwt) of a signal from the tick `from` on, its mean and drift taken out.
std::complex<double> part_of(const std::vector<double>& y, double period, std::size_t from) {
  const auto count = static_cast<Eigen::Index>(y.size() - from);
  Eigen::MatrixX4d basis(count, 4);
  Eigen::VectorXd values(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const double t = period * static_cast<double>(from + static_cast<std::size_t>(k));
    basis.row(k) << std::cos(kShaken * t), std::sin(kShaken * t), 1.0, t;
    values[k] = y[from + static_cast<std::size_t>(k)];
  }
  const Eigen::Vector4d parts = basis.colPivHouseholderQr().solve(values);
  return {parts[0], -parts[1]};
}

/// What a loop's handle answers to a hand's cosine along `axis`: F/V, from a second after its beginning, over
/// four periods.
std::complex<double> impedance(display::HapticLoop& loop, device::Device& device, std::size_t axis,
                               double force, double period) {
  const auto from = static_cast<std::size_t>(std::lround(1.0 / period)),
             ticks = from + static_cast<std::size_t>(std::lround(2.0 / period));
  std::vector<double> hand, handle;
  for (std::size_t k = 0; k < ticks; ++k) {
    if (!device.wait() || !loop.tick(period)) return {NAN, NAN};
    hand.push_back(force * std::cos(kShaken * loop.record().t));
    handle.push_back(loop.record().p_H[axis]);
  }
  return part_of(hand, period, from) / (std::complex<double>(0.0, kShaken) * part_of(handle, period, from));
}

/// [kg] The object in the arm's hand, along y.
double felt_in_the_arm(const Context& context, const control::ArmDeviceOptions& options) {
  constexpr double kForce = 10.0;  // [N]
  control::ArmDevice arm(load(context, "puma560"), options, device::scripted([](double t) {
                           return device::Vector6{0, 0, 0, 0, kForce * std::cos(kShaken * t), 0};
                         }));
  const auto body = contact::open(load(context, "rigid_body", {{"m", kMass}}), {.step = 1.0 / kRate});
  body->set_state({0.0, body->state().q, std::vector<double>(6, 0.0), {}});
  display::HapticLoop loop(*body, arm, body->port("center"), {}, {});
  if (!loop.enable()) return NAN;
  return impedance(loop, arm, 1, kForce, 1.0 / kRate).imag() / kShaken;
}

// A handle before a wall, its coupler's damper by a rate through two poles.
constexpr double kFast = 1e-3, kHandle = 0.1, kOwn = 0.5, kDamper = 20.0;  // [s], [kg], [N s/m], [N s/m]

struct Before {
  std::unique_ptr<simulate::Mechanism> wall;
  std::unique_ptr<device::Device> device;
  std::unique_ptr<display::HapticLoop> loop;
};
Before before_a_wall(double cut_off, double stiffness, device::HandPointer hand, double speed) {
  Before before;
  before.wall = contact::open(describe::load_text(R"(
name: wall
gravity: [0, 0, 0]
bodies: {wall: {mass: 1e9}}
joints: {x: {type: prismatic, parent: world, child: wall, axis: x}}
)",
                                                  "wall.yaml"),
                              {.step = kFast});
  device::Specification s;
  s.name = "handle";
  s.sensed = s.actuated = 0b001000;
  s.rate = 1.0 / kFast;
  s.inertia = {0.0, kHandle};
  s.damping = {0.0, kOwn};
  s.velocity_bandwidth = cut_off;
  before.device = device::simulated_impedance(s, std::move(hand), {0, 0, 0, speed, 0, 0});
  control::SafetyLimits limits;  // none
  limits.ramp = 0.0;
  before.loop =
      std::make_unique<display::HapticLoop>(*before.wall, *before.device, before.wall->port("wall"),
                                            control::CouplerGains{{0.0, stiffness}, {0.0, kDamper}}, limits);
  if (!before.loop->enable()) throw InputError({}, "the loop cannot be enabled");
  return before;
}

/// [N/m] The stiffest coupler with which the handle comes to rest.
double stiffest_coupler(double cut_off) {
  const auto comes_to_rest = [&](double stiffness) {
    const Before at = before_a_wall(cut_off, stiffness, device::none(), 1e-3);
    double early = 0.0, late = 0.0;
    for (int k = 0; k < 4000; ++k) {
      if (!at.device->wait() || !at.loop->tick(kFast)) return false;
      const double x = std::abs(at.loop->record().p_H.x);
      if (!(x < 1.0)) return false;
      if (k >= 1000 && k < 2000) early = std::max(early, x);
      if (k >= 3000) late = std::max(late, x);
    }
    return late < early || late < 1e-12;
  };
  double low = 0.0, high = 1e5;
  while (high - low > 1e-3 * high) {
    const double middle = 0.5 * (low + high);
    (comes_to_rest(middle) ? low : high) = middle;
  }
  return low;
}
double stiffest_by_eigenvalues(double cut_off) {
  control::SampledLoop loop{.period = kFast, .device_mass = kHandle, .device_damping = kOwn};
  loop.velocity_pole = cut_off > 0.0 ? std::exp(-cut_off * kFast) : 0.0;
  double low = 0.0, high = 1e5;
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    (control::spectral_radius(loop, middle, kDamper) < 1.0 ? low : high) = middle;
  }
  return low;
}

/// [kg] That the handle before a soft wall is felt as.
double felt_before_the_wall(double cut_off) {
  constexpr double kSoft = 50.0, kForce = 1.0;  // [N/m], [N]
  const Before at = before_a_wall(cut_off, kSoft, device::scripted([](double t) {
                                    return device::Vector6{0, 0, 0, kForce * std::cos(kShaken * t), 0, 0};
                                  }),
                                  0.0);
  return impedance(*at.loop, *at.device, 0, kForce, kFast).imag() / kShaken;
}

/// [kg] -2 B/c/(1 + (w/c)^2)^2, sampled: two poles at p = exp(-c T) are late by 2 T p/(1 - p), a period
/// less than 2/c.
double felt_more_by_two_poles(double c) {
  const std::complex<double> back = std::polar(1.0, -kShaken * kFast);
  const double p = std::exp(-c * kFast);
  const std::complex<double> pole = (1.0 - p) / (1.0 - p * back);
  return kDamper * (pole * pole).imag() / kShaken;
}

Result table(const Context& context) {
  Statements statements;
  std::string text =
      "force filter [rad/s]   stiffest hand [N/m]   Routh [N/m]   felt of 5 kg   m (1 - (w/c)^2)\n";
  Record record({"cut_off", "stiffest_hand", "Routh", "felt", "two_poles"});
  Deviation hands, masses;
  bool lower = true;
  double last = 0.0;
  constexpr double kArm = 0.05;   // of the border, as in iv-filters
  constexpr double kSame = 0.02;  // of a hundredth of a kilogram beside 0.1 kg
  for (int k = 0; k <= 16; ++k) {
    const double c = 25.0 * std::exp2(0.25 * k);
    const double limit = hand_border(c), found = stiffest_hand(context, arm_with(c), limit),
                 felt = felt_in_the_arm(context, arm_with(c)), x = kShaken / c, law = kMass * (1.0 - x * x);
    hands.add(found / limit, 1.0, kArm);
    const double lag = kShaken / kRate;  // of a period
    masses.add(felt, law, kMass * (3.0 * x * lag + lag * lag + kTracked));
    lower = lower && found > last;
    last = found;
    record.add({c, found, limit, felt, law});
    if (k % 4 != 0) continue;
    text += fmt::format("{:20g} {:21.0f} {:13.0f} {:14.4f} {:17.4f}\n", c, found, limit, felt, law);
  }
  const double plain = felt_in_the_arm(context, arm_with(0.0));
  masses.add(plain, kMass, kMass * kTracked);
  text += fmt::format("{:>20} {:>21} {:>13} {:14.4f} {:17.4f}\n", "none", "", "", plain, kMass);
  record.write_csv(context, "clover1996-force-filters.csv");
  statements.judge(
      all_within(hands) && lower,
      "V-B: the lower the cut-off of a second order filter of force, the less stiff a hand is stable",
      hands.to_string(), "B (2 m w - B)/(4 m) within 5 %, falling");
  statements.judge(all_within(masses), "the mass behind it is felt too light by (w/c)^2", masses.to_string(),
                   "within what a period's lag makes, and 0.5 %");

  text += "\nestimate of the joints' rates, force filter of 100 rad/s   stiffest hand [N/m]   felt of 5 kg\n";
  Deviation estimates;
  constexpr double kForceFilter = 100.0;
  const double x = kShaken / kForceFilter;
  for (const auto& [name, rates, cut_off] :
       {std::tuple{"difference", control::RateEstimate::difference, 300.0},
        {"second order, 300 rad/s", control::RateEstimate::second_order, 300.0},
        {"second order, 150 rad/s", control::RateEstimate::second_order, 150.0},
        {"adaptive window", control::RateEstimate::adaptive_window, 300.0},
        {"Kalman, 5 rad/s^2", control::RateEstimate::kalman, 5.0}}) {
    const control::ArmDeviceOptions options = arm_with(kForceFilter, rates, cut_off);
    const double found = stiffest_hand(context, options, hand_border(kForceFilter)),
                 felt = felt_in_the_arm(context, options);
    text += fmt::format("{:>57} {:21.0f} {:14.4f}\n", name, found, felt);
    estimates.add(found / hand_border(kForceFilter), 1.0, kArm);
    estimates.add(felt / (kMass * (1.0 - x * x)), 1.0, kArm);
  }
  statements.judge(all_within(estimates),
                   "both are the force filter's, by whatever estimate of the joints' rates",
                   estimates.to_string(), "the same two laws within 5 %");

  text +=
      "\nrate filter [rad/s]   stiffest coupler [N/m]   by eigenvalues [N/m]   felt more by [kg]   "
      "two sampled poles [kg]\n";
  Record rates({"cut_off", "stiffest_coupler", "by_eigenvalues", "felt_more_by", "two_poles"});
  Deviation couplers, errors;
  bool softer = true;
  last = 0.0;
  const double bare = felt_before_the_wall(0.0);
  for (int k = 0; k <= 17; ++k) {
    const double c = k <= 16 ? 125.0 * std::exp2(0.25 * k) : 0.0;
    const double found = stiffest_coupler(c), known = stiffest_by_eigenvalues(c);
    couplers.add(found / known, 1.0, 0.01);  // watched for four seconds
    softer = softer && found > last;
    last = found;
    if (c == 0.0) {
      text += fmt::format("{:>19} {:24.0f} {:22.0f} {:>19} {:>25}\n", "none", found, known, "0", "0");
      continue;
    }
    const double law = felt_more_by_two_poles(c), felt = felt_before_the_wall(c) - bare;
    errors.add(felt, law, kSame * std::fabs(law));
    rates.add({c, found, known, felt, law});
    if (k % 4 != 0) continue;
    text += fmt::format("{:19g} {:24.0f} {:22.0f} {:19.4f} {:25.4f}\n", c, found, known, felt, law);
  }
  rates.write_csv(context, "clover1996-rate-filters.csv");
  statements.judge(all_within(couplers) && softer,
                   "the lower the poles of a rate, the less stiff a coupler is stable", couplers.to_string(),
                   "the border of the eigenvalues within 1 %, falling");
  statements.judge(all_within(errors), "and the lighter is what its damper holds, by about 2 B/c",
                   errors.to_string(), "what two sampled poles make of it, within 2 %");
  record.write_svg(
      context, "clover1996-force-filters.svg", "A filter of the force: 5 kg in the arm's hand",
      {{"stiffest hand [N/m]", {"stiffest_hand", "Routh"}}, {"felt mass [kg]", {"felt", "two_poles"}}}, {},
      "cut-off of two poles [rad/s]");
  rates.write_svg(context, "clover1996-rate-filters.svg", "A filter of the rate: a coupler of 20 N s/m",
                  {{"stiffest coupler [N/m]", {"stiffest_coupler", "by_eigenvalues"}},
                   {"felt more by [kg]", {"felt_more_by", "two_poles"}}},
                  {}, "cut-off of two poles [rad/s]");
  return {
      "V-B: second order filters of force were of limited success: lags were felt, and stability suffered",
      fmt::format("borders of stability by the force's filter {}, by the rate's {}; felt masses {} and {}",
                  hands.to_string(), couplers.to_string(), masses.to_string(), errors.to_string()),
      closed_form(
          statements.all(),
          "the limit B (2 m w - B)/(4 m), the eigenvalues of the sampled loop, and what two poles make of a "
          "mass and of a damper's rate"),
      "no numbers are printed. Second order filters, as the thesis tried them, against their cut-off; "
      "windows and "
      "Kalman's filter, which have none, for the arm's joints",
      {"clover1996-force-filters.csv", "clover1996-force-filters.svg", "clover1996-rate-filters.csv",
       "clover1996-rate-filters.svg"},
      statements.table() + "\n" + text};
}

}  // namespace

std::vector<study::Case> filter_cases() {
  return {{"iv-filters", "second order filters of the force", second_order},
          {"iv-filter-table", "filters of force and rate: stability and felt mass", table}};
}

}  // namespace tactus::studies::clover
