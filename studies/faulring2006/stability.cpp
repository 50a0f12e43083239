// How stiff a hand an admittance display bears: over virtual mass, hand stiffness, damping, the servo's lag
// and delay. The paper says nothing of it.
//
// Loops that run: a virtual mass with a damper in the mechanism, a position servo that comes after it with a
// lag, commands that are d periods late, and a spring for a hand, which is pushed and let go. In continuous
// time and without delay
//
//     m tau s^3 + (m + b tau) s^2 + b s + k_h = 0
//
// swings up from k_h = b (m + b tau)/(m tau) = b/tau + b^2/m on
// (control/coupler_design.h). Commands that are late by d T count as so much more of a lag.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include <studies/compare.h>
#include <studies/map_picture.h>
#include <studies/record.h>
#include <studies/statements.h>
#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include "cases.h"

namespace tactus::studies::faulring {

namespace {

using control::AdmittanceLoop;
using study::Context;
using study::Result;

constexpr double kMass = 0.25, kDamping = 1.0, kLag = 5e-3;  // the disk's, and a servo's of 200 rad/s
constexpr double kGrip = 300.0;                              // [N/m] a relaxed to firm hand

AdmittanceLoop at(double rate, double mass, double damping, double lag, int delay = 0) {
  return {1.0 / rate, delay, lag, mass, damping, 0.0};
}

/// The value between low and high at which the continuous border is the grip, which it crosses once.
template <class Border>
double where_grip(double low, double high, const Border& border) {
  const bool rises = border(low) < border(high);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    ((border(middle) < kGrip) == rises ? low : high) = middle;
  }
  return low;
}

/// A spring that holds the handle where it began, and pushes it with 1 N for the first 20 ms.
class Spring final : public device::Hand {
 public:
  explicit Spring(double stiffness) : stiffness_(stiffness) {}
  device::Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    constexpr double kPush = 1.0, kPushed = 0.02;  // [N], [s]
    device::Grip grip;
    grip.wrench[3] = -stiffness_ * X_WH.p.x + (t < kPushed ? kPush : 0.0);
    return grip;
  }

 private:
  double stiffness_;
};

/// A device whose commands come some periods late: they wait in a ring.
class Late final : public device::Device {
 public:
  Late(std::unique_ptr<device::Device> device, int delay)
      : device_(std::move(device)), waiting_(static_cast<std::size_t>(delay)) {
    for (device::Command& command : waiting_) command.X_WH.R = math::Mat3<double>::identity();
  }
  const device::Specification& specification() const noexcept override { return device_->specification(); }
  device::State state() const noexcept override { return device_->state(); }
  bool enable() noexcept override { return device_->enable(); }
  void disable() noexcept override { device_->disable(); }
  void stop() noexcept override { device_->stop(); }
  bool wait() noexcept override { return device_->wait(); }
  bool read(device::Sample& sample) noexcept override { return device_->read(sample); }
  bool command(const device::Command& command) noexcept override {
    if (waiting_.empty()) return device_->command(command);
    const device::Command oldest = waiting_[next_];
    waiting_[next_] = command;
    next_ = (next_ + 1) % waiting_.size();
    return device_->command(oldest);
  }
  double hand_work() const noexcept override { return device_->hand_work(); }

 private:
  std::unique_ptr<device::Device> device_;
  std::vector<device::Command> waiting_;
  std::size_t next_ = 0;
};

/// Running loops of one virtual mass.
class Running {
 public:
  explicit Running(const AdmittanceLoop& loop)
      : loop_(loop),
        mechanism_(contact::open(describe::load_text(fmt::format(R"(
name: virtual
gravity: [0, 0, 0]
bodies: {{block: {{mass: {}}}}}
joints: {{x: {{type: prismatic, parent: world, child: block, axis: x, damping: {}}}}}
)",
                                                                 loop.mass, loop.damping),
                                                     "virtual.yaml"),
                                 {.step = loop.period})),
        start_(mechanism_->state()) {}

  /// Whether a hand of this stiffness swings further in the last quarter of the run than in the second.
  bool swings_up(double hand, double duration) {
    mechanism_->set_state(start_);
    device::Specification s;
    s.name = "lagging";
    s.kind = device::Kind::admittance;
    s.rate = 1.0 / loop_.period;
    Late device(device::simulated_admittance(s, std::make_unique<Spring>(hand),
                                             {.bandwidth = 1.0 / loop_.lag, .leads = false}),
                loop_.delay);
    control::SafetyLimits limits;  // none
    limits.ramp = 0.0;
    display::HapticLoop loop(*mechanism_, device, mechanism_->port("block"), {}, limits);
    if (!loop.enable()) throw InputError({}, "the loop cannot be enabled");
    const long ticks = std::lround(duration / loop_.period);
    constexpr double kFar = 1e3;  // [m]
    double early = 0.0, late = 0.0;
    for (long k = 0; k < ticks; ++k) {
      if (!device.wait() || !loop.tick(loop_.period)) return true;
      const double x = std::abs(loop.record().p_H.x);
      if (!(x < kFar)) return true;
      if (k >= ticks / 4 && k < ticks / 2) early = std::max(early, x);
      if (k >= 3 * ticks / 4) late = std::max(late, x);
    }
    return !(late < early);
  }

 private:
  AdmittanceLoop loop_;
  std::unique_ptr<simulate::Mechanism> mechanism_;
  simulate::State start_;
};

/// [N/m] From which on a hand swings up, by 10 bisections about what is expected: to 0.2 %. Not a number where that is not
/// between half of it and twice as much.
double running_border(const AdmittanceLoop& a) {
  Running running(a);
  // Near the border swings grow or fade by b/2m of the hand's share in a second: heavy masses take long.
  constexpr double kAtLeast = 1.0, kFades = 4.0;
  const double duration = std::max(kAtLeast, kFades * a.mass / a.damping);
  const double expected = control::sampled_hand_border(a);
  double low = 0.5 * expected, high = 2.0 * expected;
  if (running.swings_up(low, duration) || !running.swings_up(high, duration))
    return std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < 10; ++i) {
    const double middle = std::sqrt(low * high);
    (running.swings_up(middle, duration) ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

// The border of loops that run at 10 kHz.

constexpr double kSampling = 0.05;

std::string borders(Statements& statements) {
  constexpr double kFast = 1e4;  // [Hz]
  const AdmittanceLoop loops[] = {
      at(kFast, 0.25, 1.0, 5e-3),    at(kFast, 0.05, 1.0, 5e-3),     at(kFast, 1.0, 1.0, 5e-3),
      at(kFast, 2.0, 1.0, 5e-3),     at(kFast, 0.25, 0.3, 5e-3),     at(kFast, 0.25, 4.0, 5e-3),
      at(kFast, 0.05, 4.0, 5e-3),    at(kFast, 0.25, 1.0, 2e-3),     at(kFast, 0.25, 1.0, 2e-2),
      at(kFast, 1.0, 4.0, 2e-2),     at(kFast, 0.25, 1.0, 5e-3, 20), at(kFast, 1.0, 4.0, 5e-3, 20),
      at(kFast, 0.25, 1.0, 2e-3, 50)};
  std::string table =
      "running loops at 10 kHz: from which stiffness of the hand on they swing up\n"
      "  mass [kg]   damping [N s/m]   lag [ms]   late [ms]   running [N/m]   b (m + b tau)/(m tau)   "
      "sampled map\n";
  Deviation formula, map, as_lag;
  bool lower = true;
  double disk = 0.0;
  for (const AdmittanceLoop& a : loops) {
    const double running = running_border(a), continuous = control::continuous_hand_border(a),
                 sampled = control::sampled_hand_border(a);
    if (&a == loops) disk = running;
    if (a.delay == 0) {
      formula.add(running / continuous, 1.0, kSampling);
    } else {
      lower = lower && running < continuous;
      AdmittanceLoop lagging = a;
      lagging.lag += a.delay * a.period;
      as_lag.add(running / control::continuous_hand_border(lagging), 1.0, kSampling);
    }
    map.add(running / sampled, 1.0, kSampling);
    table += fmt::format("{:11g} {:17g} {:10g} {:11g} {:15.4g} {:23.4g} {:13.4g}\n", a.mass, a.damping,
                         1e3 * a.lag, 1e3 * a.delay * a.period, running, continuous, sampled);
  }
  statements.judge(all_within(formula), "nothing late: the border is b (m + b tau)/(m tau)",
                   formula.to_string(), "5 % of it: a period of 0.1 ms beside lags of 2 ms and more");
  statements.judge(all_within(map), "the map of the sampled loop, with and without delay", map.to_string(),
                   "5 % of it");
  statements.judge(all_within(as_lag) && lower, "commands that are late count as a lag tau + d T",
                   as_lag.to_string(), "5 % of the formula with it, and below the one without");
  statements.judge(std::fabs(disk - 204.0) <= kSampling * 204.0,
                   "S0's disk, 0.25 kg and 1 N s/m, with a servo of 5 ms",
                   fmt::format("bears a hand of {:.0f} N/m", disk), "204 N/m within 5 %");
  return table;
}

// Maps of loops that run at 1 kHz.

struct Setting {
  const char* name;
  double damping, lag;
  int delay;
};
constexpr Setting kSettings[] = {{"1 N s/m, lag 5 ms", 1.0, 5e-3, 0},
                                 {"4 N s/m, lag 5 ms", 4.0, 5e-3, 0},
                                 {"1 N s/m, lag 1 ms", 1.0, 1e-3, 0},
                                 {"1 N s/m, lag 20 ms", 1.0, 2e-2, 0},
                                 {"1 N s/m, lag 5 ms, 2 ms late", 1.0, 5e-3, 2}};
constexpr double kMapRate = 1e3;                                                       // [Hz]
constexpr double kMassLow = -1.5, kMassHigh = 1.0, kHandLow = 1.25, kHandHigh = 3.75;  // decimal logarithms
constexpr int kColumns = 12, kRows = 15;

struct Counted {
  int cells = 0, up = 0, only_sampled = 0, wrong = 0;
};

Counted fill(const Setting& setting, MapPanel& panel, Record& record) {
  Counted counted;
  for (int j = 0; j < kColumns; ++j) {
    const double log_mass = kMassLow + (j + 0.5) * panel.width, mass = std::pow(10.0, log_mass);
    const AdmittanceLoop loop = at(kMapRate, mass, setting.damping, setting.lag, setting.delay);
    const double continuous = control::continuous_hand_border(loop);
    Running running(loop);
    for (int i = 0; i < kRows; ++i) {
      const double log_hand = kHandLow + (i + 0.5) * panel.height, hand = std::pow(10.0, log_hand);
      // Quarters of the run are compared: each has two swings at least.
      constexpr double kAtLeast = 1.5, kSwings = 8.0;
      const double duration =
          std::max(kAtLeast, kSwings * 2.0 * std::numbers::pi * std::sqrt(mass / hand));  // [s]
      const bool up = running.swings_up(hand, duration);
      const int kind = !up ? 0 : hand < continuous ? 1 : 2;
      panel.cells.push_back({log_mass, log_hand, kind});
      record.add(
          {mass, hand, setting.damping, setting.lag, setting.delay / kMapRate, static_cast<double>(kind)});
      ++counted.cells;
      counted.up += up;
      counted.only_sampled += kind == 1;
      // Of what grows or fades by less than 1 % from quarter to quarter nothing is asked: that is next to a
      // border, and the ticks miss a peak by as much.
      constexpr double kSeen = 0.01;
      const double growth = 0.5 * duration * kMapRate * std::log(control::spectral_radius(loop, hand));
      if (!(std::abs(growth) <= kSeen) && up != (growth > 0.0)) ++counted.wrong;
    }
  }
  return counted;
}

Counted maps(const Context& context) {
  Record record({"mass", "hand", "damping", "lag", "late", "found"});
  std::vector<MapPanel> panels;
  Counted all;
  for (const Setting& setting : kSettings) {
    MapPanel panel;
    panel.label = setting.name;
    panel.x_label = "virtual mass [kg]";
    panel.y_label = "hand's stiffness [N/m]";
    panel.log_x = panel.log_y = true;
    panel.x_low = kMassLow;
    panel.x_high = kMassHigh;
    panel.y_low = kHandLow;
    panel.y_high = kHandHigh;
    panel.width = (kMassHigh - kMassLow) / kColumns;
    panel.height = (kHandHigh - kHandLow) / kRows;
    const Counted counted = fill(setting, panel, record);
    all.cells += counted.cells;
    all.up += counted.up;
    all.only_sampled += counted.only_sampled;
    all.wrong += counted.wrong;
    MapPanel::Line formula{"b (m + b tau)/(m tau)", {}}, sampled{"the sampled loop, by eigenvalues", {}};
    for (int i = 0; i <= 60; ++i) {
      const double x = kMassLow + (kMassHigh - kMassLow) * i / 60.0;
      const AdmittanceLoop loop =
          at(kMapRate, std::pow(10.0, x), setting.damping, setting.lag, setting.delay);
      formula.at.push_back({x, std::log10(control::continuous_hand_border(loop))});
      sampled.at.push_back({x, std::log10(control::sampled_hand_border(loop))});
    }
    panel.lines = {formula, sampled};
    if (setting.damping == kDamping && setting.lag == kLag)
      panel.lines.push_back(
          {"the disk's mass", {{std::log10(kMass), kHandLow}, {std::log10(kMass), kHandHigh}}});
    panels.push_back(std::move(panel));
  }
  record.write_csv(context, "faulring2006-stability-map.csv");
  write_file((context.out / "faulring2006-stability-map.svg").string(),
             map_svg("An admittance display and a hand: loops that run at 1 kHz",
                     {"dies away", "swings up: sampling, delay", "swings up: beyond the formula"}, panels));
  return all;
}

Result stability(const Context& context) {
  Statements statements;
  std::string table = borders(statements);
  const Counted counted = maps(context);
  statements.judge(
      counted.wrong == 0 && counted.up > 0 && counted.up < counted.cells,
      "the maps at 1 kHz are those of the sampled loop's eigenvalues",
      fmt::format(
          "{} cells, {} swing up, {} of them below the formula's border; {} not as the eigenvalues say",
          counted.cells, counted.up, counted.only_sampled, counted.wrong),
      "none that is not, where swings change by more than 1 % between the quarters that are compared");
  const double disk = control::continuous_hand_border(at(1e4, kMass, kDamping, kLag));
  const double damping = where_grip(
      0.1, 20.0, [](double b) { return control::continuous_hand_border(at(1e4, kMass, b, kLag)); });
  const double lag = where_grip(
      1e-4, 0.1, [](double tau) { return control::continuous_hand_border(at(1e4, kMass, kDamping, tau)); });
  return {
      "IV-A: a disk of 0.25 kg and 1 N s/m is rendered to a hand; of the hand and the servo nothing is said",
      fmt::format("with a servo of 5 ms the hand may have {:.0f} N/m, and a grip has some {:g}: S0 must have "
                  "had less than "
                  "{:.2f} ms of lag, delay included, or {:.2f} N s/m with the hand's own",
                  disk, kGrip, 1e3 * lag, damping),
      not_reproducible(
          statements.all(),
          "the border b (m + b tau)/(m tau) of the hand's stiffness, by running loops at 10 kHz within 5 %, "
          "and maps of them at 1 kHz"),
      "nothing of it is printed. A servo of 5 ms alone does not bear a firm grip with this disk: S0's must "
      "have been faster (its feed-forward takes the lag "
      "away but for that of the drive), or the hand soft and damping",
      {"faulring2006-stability-map.csv", "faulring2006-stability-map.svg"},
      statements.table() + "\n" + table};
}

}  // namespace

std::vector<study::Case> stability_cases() {
  return {{"stability", "the stiffest hand that the display bears", stability}};
}

}  // namespace tactus::studies::faulring
