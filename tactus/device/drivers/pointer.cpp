#include <tactus/device/drivers/pointer.h>

#include <cmath>

#include <tactus/base/error.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::device {

namespace {

using Vec3 = math::Vec3<double>;

constexpr double kPoles = 100.0;  // [rad/s] an event every 8 to 16 ms becomes a way without steps
/// [rad/s], [m/s] of the handle at most: below what a loop takes for a hand's, 60 rad/s and 5 m/s (control/safety.cpp).
constexpr double kMostTurn = 40.0, kMostSpeed = 4.0;
constexpr double kFar = 1e6;  // [m], [rad] the protocol's own limit

Specification specification_of(const PointerOptions& options) {
  Specification s;
  s.name = options.turning ? "pointer:turning" : "pointer";
  s.description = options.turning ? "the page's cursor, its orientation coupled: forces are shown, not felt"
                                  : "the page's cursor pulls a point: forces are shown, not felt";
  s.actuated = options.turning ? kAllAxes : kTranslation;
  // Of a usual device: nothing of it is felt.
  const auto [turning, moving] = options.strength;
  s.inertia = {2e-4 * turning, 0.2 * moving};
  s.damping = {2e-3 * turning, 1.5 * moving};
  s.continuous = {2.0 * turning, 30.0 * moving};
  s.peak = {5.0 * turning, 80.0 * moving};
  s.rate = options.rate;
  s.owns_clock = options.owns_clock;
  s.stiffness = largest_stiffness(s);
  return s;
}

bool possible(const Vec3& v) noexcept {
  for (std::size_t i = 0; i < 3; ++i)
    if (!(std::abs(v[i]) <= kFar)) return false;
  return true;
}

/// The rotation vector of the same orientation that is nearest to `last`: beyond half a turn a page may say it the other way round.
Vec3 unwound(const Vec3& turn, const Vec3& last) noexcept {
  constexpr double kTurn = 6.283185307179586;
  const double angle = std::sqrt(dot(turn, turn));
  if (!(angle > 0.0)) return turn;
  const Vec3 axis = (1.0 / angle) * turn;
  return (angle + kTurn * std::round((dot(axis, last) - angle) / kTurn)) * axis;
}

}  // namespace

Pointer::Pointer(const PointerOptions& options)
    : MailboxDevice(specification_of(options)),
      period_(1.0 / options.rate),
      silence_(std::llround(1e9 * options.silence)),
      paced_(options.owns_clock),
      pace_(options.rate),
      way_(kPoles, kMostSpeed, period_),
      turn_(kPoles, kMostTurn, period_) {}

void Pointer::point(const Cursor& cursor) noexcept {
  if (!possible(cursor.way) || !possible(cursor.turn)) {
    trouble_.say("the page says what is no place of a cursor", {}, "load the page again");
    return lose();
  }
  cursors_.back() = cursor;
  cursors_.publish();
}

void Pointer::close() noexcept {
  trouble_.say("the page was closed while it held the handle", {}, "open it again, and take hold anew");
  lose();
}

bool Pointer::enable() noexcept {
  heard_ = Pace::now();
  return MailboxDevice::enable();
}

bool Pointer::wait() noexcept {
  if (paced_) pace_.wait();
  if (cursors_.update()) {
    heard_ = Pace::now();
    cursor_.turn = unwound(cursors_.front().turn, cursor_.turn);
    cursor_.way = cursors_.front().way;
  }
  if (state() == State::enabled && Pace::now() - heard_ > silence_) {
    trouble_.say("the page was silent while it held the handle", {}, "is the network still there?");
    lose();
  }
  if (state() == State::lost) return false;
  way_.go_towards(cursor_.way);
  turn_.go_towards(cursor_.turn);
  const math::Mat3<double> R = math::rotation_of(math::exponential(turn_.p()));
  const Vec3 w = (1.0 / period_) * math::rotation_vector(R * R_.transposed());
  R_ = R;
  Sample& sample = samples_.back();
  sample.t = paced_ ? pace_.elapsed() : period_ * static_cast<double>(periods_);
  sample.X_WH = {R, way_.p()};
  sample.V_WH = {w.x, w.y, w.z, way_.v().x, way_.v().y, way_.v().z};
  samples_.publish();
  ++periods_;
  return take();
}

void Pointer::plug_in(const Vec3& at) noexcept {
  find_again();
  cursors_.update();  // what an earlier page said
  cursor_ = {.way = at, .turn = {}};
  way_.begin(at);
  turn_.begin({});
  R_ = math::Mat3<double>::identity();
}

void refuse_pointer() {
  throw InputError({}, "the pointer is the page's, and there is no page here",
                   "tactus serve MODEL, and choose `pointer` as the device there");
}

Driver find_pointer() {
  return {specification_of({}), "pointer[:turning]", false,
          "it needs the page: `tactus serve MODEL`, and `pointer` as the device there. Events 60 to 125 "
          "times per second in steps of "
          "a pixel, 20 ms late by the filter that takes them out"};
}

}  // namespace tactus::device
