#include <tactus/control/safety.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tactus::control {

namespace {

double length(const Vector6& v, std::size_t k) {
  return std::sqrt(v[3 * k] * v[3 * k] + v[3 * k + 1] * v[3 * k + 1] + v[3 * k + 2] * v[3 * k + 2]);
}

/// Shortens rotation (0) or translation (1) of v to `most`.
void shorten(Vector6& v, std::size_t k, double most) {
  const double size = length(v, k);
  if (!(size > most)) return;
  for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) v[i] *= most / size;
}

/// The estimate of a speed, and the step of an encoder, may be off by this much before a jump is implausible.
constexpr double kJumpRoom = 2.0;

/// R^T R = 1, as far as a driver that reads angles or quaternions in single precision computes it.
bool is_rotation(const math::Mat3<double>& R) noexcept {
  constexpr double kSingle = 1e-4;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double E = R(0, i) * R(0, j) + R(1, i) * R(1, j) + R(2, i) * R(2, j);
      if (!(std::abs(E - (i == j ? 1.0 : 0.0)) <= kSingle)) return false;
    }
  return true;
}

/// Whether more than an angle lies between two rotations: the squares of R2 - R1 sum up to 8 sin^2(angle/2).
bool turned_further(const math::Mat3<double>& R1, const math::Mat3<double>& R2, double angle) noexcept {
  constexpr double kHalfTurn = 3.14159265358979323846;
  if (angle >= kHalfTurn) return false;
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) sum += (R2(i, j) - R1(i, j)) * (R2(i, j) - R1(i, j));
  // x - x^3/6 <= sin x: nearly every tick ends here.
  const double half = 0.5 * angle, least = half - half * half * half / 6.0;
  if (least > 0.0 && sum <= 8.0 * least * least) return false;
  const double most = std::sin(half);
  return sum > 8.0 * most * most;
}

/// [rad] between two rotations.
double turn_between(const math::Mat3<double>& R1, const math::Mat3<double>& R2) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) sum += (R2(i, j) - R1(i, j)) * (R2(i, j) - R1(i, j));
  return 2.0 * std::asin(std::min(1.0, std::sqrt(sum / 8.0)));
}

constexpr std::array<const char*, 2> kSpeed{"rad/s", "m/s"};

/// The workspace's end itself belongs to it, and encoders round.
constexpr double kEdge = 1.001;
/// [m/s] of a hand in the workspace of half a metre: fast reaches have 2 to 3 m/s.
constexpr double kHandSpeed = 5.0;
constexpr double kHandTurn = 60.0;                  // [rad/s]
constexpr double kRise = 10e-3;                     // [s] from nothing to the largest force
constexpr std::array<double, 2> kQuick{10.0, 1.0};  // [rad/s], [m/s] of quick strokes
/// Energy from nowhere that ends a run: the largest force over a millimetre, or this [J]; and so much of what went to and fro.
constexpr double kMadeWay = 1e-3, kMadeLeast = 0.02, kMadeShare = 0.1;
/// And ends it however much goes to and fro: the largest force over so far [m], or this [J]. A hand feels it.
constexpr double kMadeMostWay = 1e-2, kMadeMost = 1.0;
/// Where the device has no end: [m] what two arms reach; [N m], [N] what they do not give.
constexpr double kHandReach = 2.0;
constexpr std::array<double, 2> kHandForce{100.0, 1000.0};
constexpr double kBeyondPeak = 10.0;
/// Of the workspace's width: what falls out of the hand, or rolls away from it, is left to itself; what is thrown further is no mechanism any more.
constexpr double kBeyondWidth = 10.0;

}  // namespace

SafetyLimits limits_for(const device::Specification& s) {
  SafetyLimits limits;
  limits.force = s.continuous;
  for (std::size_t k = 0; k < 2; ++k) limits.force_rate[k] = s.continuous[k] / kRise;
  limits.workspace = s.workspace;
  limits.workspace_angle = s.workspace_angle;
  limits.speed = limits.plausible = {kHandTurn, kHandSpeed};
  if (s.kind == device::Kind::impedance) {
    limits.power = s.continuous[0] * kQuick[0] + s.continuous[1] * kQuick[1];
    limits.power_rate = limits.power / kRise;
  }
  limits.made = std::max(kMadeLeast, kMadeWay * s.continuous[1]);
  limits.made_share = kMadeShare;
  limits.made_most = std::max(kMadeMost, kMadeMostWay * s.continuous[1]);
  const double widest = 2.0 * std::sqrt(dot(s.workspace, s.workspace));
  limits.apart = kBeyondWidth * (widest > 0.0 ? widest : kHandReach);
  for (std::size_t k = 0; k < 2; ++k)
    limits.on_port[k] = s.peak[k] > 0.0 ? kBeyondPeak * s.peak[k] : kHandForce[k];
  return limits;
}

std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::no_sample:
      return "no_sample";
    case Fault::stale_sample:
      return "stale_sample";
    case Fault::skipped_sample:
      return "skipped_sample";
    case Fault::bad_sample:
      return "bad_sample";
    case Fault::implausible:
      return "implausible";
    case Fault::clock_stopped:
      return "clock_stopped";
    case Fault::late:
      return "late";
    case Fault::out_of_workspace:
      return "out_of_workspace";
    case Fault::too_fast:
      return "too_fast";
    case Fault::bad_force:
      return "bad_force";
    case Fault::mechanism:
      return "mechanism";
    case Fault::refused:
      return "refused";
    case Fault::simulation_late:
      return "simulation_late";
    case Fault::watchdog:
      return "watchdog";
    case Fault::apart:
      return "apart";
    case Fault::too_strong:
      return "too_strong";
    case Fault::singular:
      return "singular";
    case Fault::wrong_rate:
      return "wrong_rate";
    case Fault::unbalanced:
      return "unbalanced";
    case Fault::turned_too_far:
      return "turned_too_far";
  }
  return "";
}

std::string_view meaning_of(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "all is well";
    case Fault::no_sample:
      return "the device did not answer";
    case Fault::stale_sample:
      return "the device gave the same sample again";
    case Fault::skipped_sample:
      return "a sample of the device is missing";
    case Fault::bad_sample:
      return "the device gave something that is no number";
    case Fault::implausible:
      return "the handle jumped further than it can have moved";
    case Fault::clock_stopped:
      return "the device's clock does not go on";
    case Fault::late:
      return "a tick came too late";
    case Fault::out_of_workspace:
      return "the handle left the workspace, or was to leave it";
    case Fault::too_fast:
      return "the handle moved, or was to be moved, faster than the limit";
    case Fault::bad_force:
      return "the controller's output is no number";
    case Fault::mechanism:
      return "the mechanism could not make its step";
    case Fault::refused:
      return "the device refused the command";
    case Fault::simulation_late:
      return "the simulation behind the local model fell too far behind";
    case Fault::watchdog:
      return "the loop stood still, and the watchdog switched the motors off";
    case Fault::apart:
      return "the port is ten times as far from the handle as the workspace is wide";
    case Fault::too_strong:
      return "the mechanism would be pushed harder than any hand can: the loop is unstable, or the handle "
             "sticks where the port moves";
    case Fault::singular:
      return "the port came to where it cannot follow the handle";
    case Fault::wrong_rate:
      return "the device's clock has another rate than the loop was made for";
    case Fault::unbalanced:
      return "more energy came out of the loop than hand and mechanism put in: it is unstable";
    case Fault::turned_too_far:
      return "the handle was turned beyond the angle of the workspace";
  }
  return "";
}

std::string said_of(const SafetyMemory& memory) {
  const Found& found = memory.found;
  if (*found.unit == '\0' || !std::isfinite(found.value) || !std::isfinite(found.limit))
    return std::string(meaning_of(memory.fault));
  if (!(found.limit > 0.0))
    return fmt::format("{} ({:.4g} {})", meaning_of(memory.fault), found.value, found.unit);
  return fmt::format("{} ({:.4g} {}, {:.4g} {} is the limit)", meaning_of(memory.fault), found.value,
                     found.unit, found.limit, found.unit);
}

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::off:
      return "off";
    case Stage::ramping:
      return "ramping";
    case Stage::on:
      return "on";
    case Stage::faulted:
      return "faulted";
  }
  return "";
}

bool Safety::enable() noexcept {
  if (memory_.stage == Stage::faulted) return false;
  if (memory_.stage == Stage::off) {
    memory_.stage = Stage::ramping;
    memory_.ramped = 0.0;
    memory_.wrench = memory_.own = {};
    memory_.power = 0.0;
  }
  return true;
}

void Safety::disable() noexcept {
  if (memory_.stage == Stage::faulted) return;
  memory_.stage = Stage::off;
  memory_.ramped = 0.0;
  memory_.wrench = memory_.own = {};
  memory_.power = 0.0;
}

void Safety::clear() noexcept { memory_ = {}; }

void Safety::trip(Fault fault, const Found& found) noexcept {
  if (memory_.stage == Stage::faulted || fault == Fault::none) return;
  memory_.stage = Stage::faulted;
  memory_.fault = fault;
  memory_.found = found;
  memory_.fault_time = memory_.last.t;
  memory_.ramped = 0.0;
  memory_.wrench = memory_.own = {};
  memory_.power = 0.0;
}

bool Safety::observe(const device::Sample& sample, double elapsed) noexcept {
  const Finding finding = look_at(sample, elapsed);
  trip(finding.fault, finding.found);
  if (memory_.stage == Stage::faulted) return false;
  memory_.last = sample;
  memory_.seen = true;
  return true;
}

Safety::Finding Safety::look_at(const device::Sample& sample, double elapsed) const noexcept {
  if (!finite(sample) || !is_rotation(sample.X_WH.R)) return {Fault::bad_sample};
  for (std::size_t k = 0; k < 2; ++k)
    if (const double v = length(sample.V_WH, k); limits_.speed[k] > 0.0 && v > limits_.speed[k])
      return {Fault::too_fast, {v, limits_.speed[k], kSpeed[k]}};
  for (std::size_t i = 0; i < 3; ++i)
    if (const double x = std::abs(sample.X_WH.p[i]);
        limits_.workspace[i] > 0.0 && x > kEdge * limits_.workspace[i])
      return {Fault::out_of_workspace, {x, kEdge * limits_.workspace[i], "m"}};
  if (limits_.workspace_angle > 0.0 &&
      turned_further(math::Mat3<double>::identity(), sample.X_WH.R, kEdge * limits_.workspace_angle))
    return {Fault::turned_too_far,
            {turn_between(math::Mat3<double>::identity(), sample.X_WH.R), kEdge * limits_.workspace_angle,
             "rad"}};
  if (!memory_.seen) return {};

  const device::Sample& last = memory_.last;
  if (sample.number <= last.number) return {Fault::stale_sample};
  if (sample.number > last.number + 1)
    return {Fault::skipped_sample, {static_cast<double>(sample.number - last.number - 1), 0.0, "missing"}};
  if (!(sample.t > last.t)) return {Fault::clock_stopped};
  if (!(elapsed <= period_ + limits_.late) || sample.t - last.t > period_ + limits_.late)
    return {Fault::late, {1e3 * std::max(elapsed, sample.t - last.t), 1e3 * (period_ + limits_.late), "ms"}};
  const double time = std::max(sample.t - last.t, period_);
  const math::Vec3<double> way = sample.X_WH.p - last.X_WH.p;
  // Further than the limit explains, which may have been lowered, is too fast; further than any motion does,
  // no motion.
  const double reach = kJumpRoom * limits_.speed[1] * time;
  if (limits_.speed[1] > 0.0 && dot(way, way) > reach * reach) {
    const double moved = std::sqrt(dot(way, way)), possible = kJumpRoom * limits_.plausible[1] * time;
    if (moved <= possible) return {Fault::too_fast, {moved / time, limits_.speed[1], kSpeed[1]}};
    return {Fault::implausible, {moved, std::max(reach, possible), "m"}};
  }
  const double turn = kJumpRoom * limits_.speed[0] * time;
  if (limits_.speed[0] > 0.0 && turned_further(last.X_WH.R, sample.X_WH.R, turn)) {
    const double turned = turn_between(last.X_WH.R, sample.X_WH.R),
                 possible = kJumpRoom * limits_.plausible[0] * time;
    if (turned <= possible) return {Fault::too_fast, {turned / time, limits_.speed[0], kSpeed[0]}};
    return {Fault::implausible, {turned, std::max(turn, possible), "rad"}};
  }
  return {};
}

// Written so that what is no number is beyond every limit.
void Safety::observe_distance(double apart) noexcept {
  if (limits_.apart > 0.0 && !(apart <= limits_.apart)) trip(Fault::apart, {apart, limits_.apart, "m"});
}

void Safety::observe_port(const Vector6& wrench) noexcept {
  if (!device::finite(wrench)) return trip(Fault::bad_force);
  for (std::size_t k = 0; k < 2; ++k)
    if (const double most = limits_.on_port[k]; most > 0.0 && !(length(wrench, k) <= most))
      trip(Fault::too_strong, {length(wrench, k), most, k == 0 ? "N m" : "N"});
}

void Safety::observe_motion(const math::Pose<double>& X, const Vector6& V) noexcept {
  if (!device::finite(X) || !device::finite(V)) return trip(Fault::bad_force);
  for (std::size_t k = 0; k < 2; ++k)
    if (const double most = limits_.speed[k]; most > 0.0 && !(length(V, k) <= most))
      trip(Fault::too_fast, {length(V, k), most, kSpeed[k]});
  // A device that is sent beyond its end stands there, and the mechanism would go on without the hand.
  for (std::size_t i = 0; i < 3; ++i)
    if (const double end = kEdge * limits_.workspace[i]; end > 0.0 && !(std::abs(X.p[i]) <= end))
      trip(Fault::out_of_workspace, {std::abs(X.p[i]), end, "m"});
}

void Safety::observe_energy(double made, double turned, double stored, double room) noexcept {
  double most = limits_.made + limits_.made_share * turned;
  if (limits_.made_most > 0.0 && most > limits_.made_most) most = limits_.made_most;
  most = room * (most + stored);
  if (limits_.made > 0.0 && !(made <= most)) trip(Fault::unbalanced, {made, most, "J"});
}

double Safety::share() const noexcept {
  return memory_.stage == Stage::ramping || memory_.stage == Stage::on ? memory_.ramped : 0.0;
}

namespace {

double power_of(const Vector6& F, const Vector6& V) {
  double power = 0.0;
  for (std::size_t i = 0; i < 6; ++i) power += F[i] * V[i];
  return power;
}

/// Brings F to within `step` {N m, N} of `last`; 0: any.
void near(Vector6& F, const Vector6& last, const std::array<double, 2>& step) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (!(step[k] > 0.0)) continue;
    Vector6 change{};
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) change[i] = F[i] - last[i];
    shorten(change, k, step[k]);
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) F[i] = last[i] + change[i];
  }
}

/// The same for a wrench that may shrink as it likes: from the point between 0 and `last` that is nearest to F. Every part of the result is no larger than F's, along `last` and across it: |F| never
/// grows by this.
void grown(Vector6& F, const Vector6& last, const std::array<double, 2>& step) {
  Vector6 base{};
  for (std::size_t k = 0; k < 2; ++k) {
    double along = 0.0, squared = 0.0;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) along += F[i] * last[i], squared += last[i] * last[i];
    const double part = squared > 0.0 ? std::clamp(along / squared, 0.0, 1.0) : 0.0;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) base[i] = part * last[i];
  }
  near(F, base, step);
}

}  // namespace

double Safety::next_share() const noexcept {
  if (memory_.stage == Stage::off || memory_.stage == Stage::faulted) return 0.0;
  return limits_.ramp > 0.0 ? std::min(1.0, memory_.ramped + period_ / limits_.ramp) : 1.0;
}

Vector6 Safety::limited(const Vector6& wrench, const Vector6& guard, Entry entry) noexcept {
  if (!device::finite(wrench) || !device::finite(guard)) trip(Fault::bad_force);
  if (memory_.stage == Stage::off || memory_.stage == Stage::faulted) return {};

  memory_.ramped = next_share();
  if (memory_.ramped == 1.0) memory_.stage = Stage::on;
  const std::array<double, 2> step{limits_.force_rate[0] * period_, limits_.force_rate[1] * period_};
  // Power that goes to the handle is limited; what the handle is robbed of is not.
  const Vector6& V = memory_.last.V_WH;
  double most = limits_.power;
  if (const double grown = memory_.power + limits_.power_rate * period_; limits_.power_rate > 0.0)
    most = most > 0.0 ? std::min(most, grown) : grown;
  const auto by_power = [&](Vector6& F) {
    const double power = power_of(F, V);
    if (most > 0.0 && power > most)
      for (double& f : F) f *= most / power;
  };
  const auto by_size = [&](Vector6& F) {
    for (std::size_t k = 0; k < 2; ++k)
      if (limits_.force[k] > 0.0) shorten(F, k, limits_.force[k]);
  };

  Vector6 own = wrench;
  if (entry == Entry::ramped)
    for (double& f : own) f *= memory_.ramped;
  by_size(own);
  memory_.taken = own;
  entry == Entry::by_itself ? grown(own, memory_.own, step) : near(own, memory_.own, step);
  for (std::size_t i = 0; i < 6; ++i) memory_.taken[i] -= own[i];
  by_power(own);
  Vector6 all = own;
  if (guard != Vector6{} || memory_.wrench != memory_.own) {
    for (std::size_t i = 0; i < 6; ++i) all[i] += memory_.ramped * guard[i];
    by_size(all);
    entry == Entry::by_itself ? grown(all, memory_.wrench, step) : near(all, memory_.wrench, step);
    by_power(all);
  }
  memory_.own = own;
  memory_.wrench = all;
  memory_.power = std::max(0.0, power_of(all, V));
  return all;
}

}  // namespace tactus::control
