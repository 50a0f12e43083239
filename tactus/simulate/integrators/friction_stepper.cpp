#include <tactus/simulate/integrators/friction_stepper.h>

#include <algorithm>
#include <cmath>

#include <tactus/simulate/motion/dry_friction.h>

namespace tactus::simulate {

namespace {

/// [rad/s or m/s] A rate this far beyond zero has passed it: more than rounding, less than what counts as motion.
constexpr double kPassed = 1e-11;
/// A force this far beyond its bound, by the bound, has passed it; more than what the law itself allows.
constexpr double kBroken = 1e-9;
/// [s] Events are located to this; and to the resolution of time.
constexpr double kSharp = 1e-14, kResolution = 4e-16;
constexpr int kMostTrials = 60;
/// Not a joint's rate, but the bound of its force.
constexpr int kBound = -1;
/// Cuts one after the other. Friction does not chatter, but a script may; the next piece is then gone whole.
constexpr int kMostCuts = 200;
/// [s] No integrator that chooses its own steps goes further without a look at the modes: of a joint that rests it sees
/// nothing, and its steps grow beyond all bounds.
constexpr double kLongestPiece = 1e-3;

}  // namespace

FrictionStepper::FrictionStepper(std::unique_ptr<Stepper> stepper, const Chart& chart)
    : WrappedStepper(std::move(stepper)),
      z_start_(static_cast<std::size_t>(chart.size())),
      centre_(chart.centre_size()),
      memory_(stepper_->memory()),
      modes_(chart.friction()->size()),
      rates_(modes_.size()),
      z_rate_(z_start_.size()),
      forces_(modes_.size()),
      start_rates_(modes_.size()),
      before_rates_(modes_.size()),
      before_modes_(modes_.size()) {
  if (chart.constraints() != nullptr) chart.constraints()->save(constraints_);
}

/// Modes, where the piece begins; joints that stick stand still from here on.
void FrictionStepper::begin_piece(Chart& chart, double t, std::span<double> z) {
  FrictionLaw& law = *chart.friction();
  law.give_modes(false);
  chart.rates_of_axes(t, z, rates_);
  if (law.modes_by(rates_)) {
    chart.slope(t, z.data(), z_rate_.data());
    if (double* u = chart.speeds_in(z)) law.stop(u);
  }
  std::copy(rates_.begin(), rates_.end(), start_rates_.begin());
  start_excess_ = law.excess();
  std::copy(law.modes().begin(), law.modes().end(), modes_.begin());
  std::copy(law.forces().begin(), law.forces().end(), forces_.begin());
  law.give_modes(true);
  start_ = t;
  std::copy(z.begin(), z.end(), z_start_.begin());
  chart.save_centre(centre_.data());
  stepper_->save(memory_.data());
  if (chart.constraints() != nullptr) chart.constraints()->save(constraints_);
}

/// From the piece's beginning, with its modes; settled at the end.
Status FrictionStepper::go(Chart& chart, double length, std::span<double> z) {
  std::copy(z_start_.begin(), z_start_.end(), z.begin());
  chart.load_centre(centre_.data());
  stepper_->load(memory_.data());
  if (chart.constraints() != nullptr) chart.constraints()->load(constraints_);
  chart.friction()->set(modes_, forces_);
  Status status = stepper_->step(chart, start_, length, z);
  if (!status.ok()) return status;
  for (const double value : z)
    if (!std::isfinite(value)) return Status::not_finite;
  return status |= chart.settle(start_ + length, z);
}

/// > 0 where a mode no longer holds: by how much the worst, `who`, is past its end; kBound for the bound of what sticks. The
/// chart stands there, settled.
double FrictionStepper::violation(Chart& chart, double t, std::span<double> z, int& who) {
  FrictionLaw& law = *chart.friction();
  chart.rates_of_axes(t, z, rates_);
  double worst = 0.0;
  bool rests = false;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    rests = rests || modes_[i] == 0;
    const double past = -modes_[i] * rates_[i];
    if (past > kPassed && past > worst) {
      worst = past;
      who = static_cast<int>(i);
    }
  }
  if (!rests || worst > 0.0) return worst;
  chart.slope(t, z.data(), z_rate_.data());
  const double broken = law.excess();
  excess_ = broken;
  if (!(broken > kBroken)) return 0.0;
  // Where joints share what they carry, others may take over what this one cannot.
  law.give_modes(false);
  chart.slope(t, z.data(), z_rate_.data());
  bool stay = true;
  for (std::size_t i = 0; i < modes_.size(); ++i) stay = stay && (modes_[i] != 0 || law.modes()[i] == 0);
  law.give_modes(true);
  law.set(modes_, forces_);
  if (stay) return 0.0;
  who = kBound;
  excess_ = broken;
  return broken;
}

/// The first instant at which a mode ends, between the beginning of the piece and `length` after it, where `after` is
/// the violation: by the rule of false position in the manner of Illinois, with bisections. z stands there at the end, a little
/// past the event.
Status FrictionStepper::locate(Chart& chart, double length, double after, int who, std::span<double> z,
                               double& found) {
  double low = 0.0, high = length;
  double below = 0.0;  // minus the distance from the event, where it is known
  Status status;
  bool at_high = true;
  for (int trial = 0; trial < kMostTrials && high - low > kSharp + kResolution * std::abs(start_); ++trial) {
    double part = 0.5;
    if (below < 0.0 && trial % 3 != 2) part = std::clamp(below / (below - after), 0.02, 0.98);
    const double middle = low + part * (high - low);
    if (status = go(chart, middle, z); !status.ok()) return status;
    const double past = violation(chart, start_ + middle, z, who);
    at_high = past > 0.0;
    if (past > 0.0) {
      high = middle;
      after = past;
    } else {
      low = middle;
      below = who == kBound ? std::min(excess_, 0.0)
                            : -modes_[static_cast<std::size_t>(who)] * rates_[static_cast<std::size_t>(who)];
      if (who != kBound && below > -kPassed) {  // the rate is zero here
        found = middle;
        return status;
      }
    }
  }
  found = high;
  if (!at_high) status = go(chart, high, z);
  return status;
}

namespace {

/// Where between 0 and x1 the parabola through (x_, y_), (0, y0), (x1, y1), x_ < 0, is largest, if it is above `bound` there; otherwise zero.
double summit_above(double bound, double x_, double y_, double y0, double x1, double y1) {
  const double left = (y_ - y0) / x_, right = (y1 - y0) / x1;  // slopes of the chords
  const double bend = (right - left) / (x1 - x_), slope = right - bend * x1;
  if (!(bend < 0.0)) return 0.0;
  const double x = -0.5 * slope / bend;
  return x > 0.0 && x < x1 && y0 + 0.5 * slope * x > bound ? x : 0.0;
}

}  // namespace

/// A rate that came near zero and went away again, a force its bound, between the ends of a piece in which neither end shows it: by parabolas through the
/// piece before. The time after the beginning at which to look; zero where all is well.
double FrictionStepper::doubt(double length) const {
  if (!(before_ < start_) || before_modes_ != modes_) return 0.0;
  const double back = before_ - start_;
  bool rests = false;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    rests = rests || modes_[i] == 0;
    const double side = -modes_[i];
    if (modes_[i] == 0) continue;
    const double x = summit_above(kPassed, back, side * before_rates_[i], side * start_rates_[i], length,
                                  side * rates_[i]);
    if (x > 0.0) return x;
  }
  return rests ? summit_above(kBroken, back, before_excess_, start_excess_, length, excess_) : 0.0;
}

Status FrictionStepper::step(Chart& chart, double t, double h, std::span<double> z) {
  FrictionLaw& law = *chart.friction();
  const double end = t + h;
  double now = t;
  before_ = t;  // nothing is known of what was before
  int cuts = 0;
  Status status;
  while (now < end && status.ok()) {
    begin_piece(chart, now, z);
    const double pace = stepper_->pace();
    const bool chooses = std::isfinite(pace);
    const double reach = chooses ? std::min(pace, kLongestPiece) : pace;
    const bool last = !(now + reach < end);
    const double length = last ? end - now : reach;
    status |= go(chart, length, z);
    if (!status.ok()) break;
    double next = last ? end : now + length, found = length;
    if (cuts >= kMostCuts) {
      status |= Status::tolerance_missed;
      cuts = 0;
    } else {
      int who = kBound;
      double past = violation(chart, next, z, who), within = length;
      if (const double look = chooses && !(past > 0.0) ? doubt(length) : 0.0; look > 0.0) {
        if (status |= go(chart, look, z); !status.ok()) break;
        past = violation(chart, now + look, z, who);
        within = look;
        if (!(past > 0.0)) {
          if (status |= go(chart, length, z); !status.ok()) break;
          violation(chart, next, z, who);
        }
      }
      if (past > 0.0) {
        found = within;
        status |= locate(chart, within, past, who, z, found);
      }
      if (found < length) next = now + found;
      cuts = found < length ? cuts + 1 : 0;
    }
    before_ = start_;
    before_excess_ = start_excess_;
    before_rates_.swap(start_rates_);
    before_modes_ = modes_;
    now = next;
  }
  law.give_modes(false);
  return status;
}

}  // namespace tactus::simulate
