#include <tactus/device/drivers/evdev.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/drivers/pace.h>
#include <tactus/device/drivers/trouble.h>
#include <tactus/device/saturation.h>
#include <tactus/device/sensing.h>

namespace tactus::device {

namespace {

constexpr double kWheelTurn =
    450.0 * std::numbers::pi / 180.0;         // [rad] to either side: two and a half turns in all, as usual
constexpr double kStickWay = 0.05;            // [m] of the grip, to either side
constexpr double kWheelTorque = 2.0;          // [N m] of the strongest effect: a common wheel with gears
constexpr double kStickForce = 5.0;           // [N]
constexpr double kRate = 500.0;               // [Hz] USB devices of this kind have 125 to 1000
constexpr double kVelocityBandwidth = 200.0;  // [rad/s] coarse steps: a slow estimate
constexpr int kStrongest = 0x7fff;            // of an effect

Specification usual(bool wheel) {
  Specification s;
  s.name = "evdev";
  s.description = wheel ? "steering wheel with force feedback, by Linux's input events"
                        : "joystick with force feedback, by Linux's input events";
  s.sensed = s.actuated = wheel ? 0b000100 : 0b011000;
  s.rate = kRate;
  s.velocity_bandwidth = kVelocityBandwidth;
  // Chosen, as all that the kernel does not tell.
  if (wheel) {
    s.peak = {kWheelTorque, 0.0};
    s.continuous = {0.5 * kWheelTorque, 0.0};
    s.inertia = {0.03, 0.0};
    s.damping = {0.05, 0.0};
    s.friction = {0.1, 0.0};
    s.resolution = {2.0 * kWheelTurn / 65536.0, 0.0};
  } else {
    s.workspace = {2.0 * kStickWay, 2.0 * kStickWay, 0.0};
    s.peak = {0.0, kStickForce};
    s.continuous = {0.0, 0.5 * kStickForce};
    s.inertia = {0.0, 0.2};
    s.damping = {0.0, 1.0};
    s.friction = {0.0, 0.2};
    s.resolution = {0.0, 2.0 * kStickWay / 1024.0};
  }
  s.owns_clock = true;
  s.stiffness = wheel ? largest_rotational_stiffness(s) : largest_stiffness(s);
  return s;
}

/// What a device has, one bit each.
class Bits {
 public:
  Bits(EvdevSystem& system, int file, unsigned type) {
    known_ = system.bits(file, type, bits_.data(), bits_.size()) >= 0;
  }
  bool has(unsigned code) const { return known_ && (bits_[code / 8] >> (code % 8) & 1) != 0; }

 private:
  std::array<unsigned char, KEY_MAX / 8 + 1> bits_{};
  bool known_ = false;
};

/// An axis, from -1 to 1.
struct AbsoluteAxis {
  std::uint16_t code = 0;
  double low = 0.0, high = 0.0, value = 0.0;

  void set(int raw) noexcept { value = std::clamp((2.0 * raw - low - high) / (high - low), -1.0, 1.0); }
};

class Evdev final : public Device {
 public:
  Evdev(std::unique_ptr<EvdevSystem> system, int file, bool wheel, double sign,
        const std::vector<AbsoluteAxis>& axes, Specification specification)
      : system_(std::move(system)),
        file_(file),
        wheel_(wheel),
        sign_(sign),
        specification_(std::move(specification)),
        pace_(specification_.rate),
        sensing_({0.0, 0.0}, specification_.rate, specification_.velocity_bandwidth) {
    std::copy(axes.begin(), axes.end(), axes_.begin());
    count_ = axes.size();
    effect_.type = FF_CONSTANT;
    effect_.id = -1;
  }
  ~Evdev() override {
    disable();
    if (effect_.id >= 0) system_->erase(file_, effect_.id);
    system_->close(file_);
  }

  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return state_; }

  bool enable() noexcept override {
    if (state_ == State::lost) return false;
    if (!push({}, true) || !play(1)) return lose("the kernel takes no force for it");
    stopped_.store(false, std::memory_order_relaxed);
    state_ = State::enabled;
    return true;
  }
  void disable() noexcept override {
    motors_off();
    if (state_ != State::lost) state_ = State::off;
  }

  /// The kernel takes it from any thread.
  void stop() noexcept override {
    stopped_.store(true, std::memory_order_release);
    if (effect_.id >= 0) play(0);
  }

  bool wait() noexcept override {
    if (state_ == State::lost) return false;
    pace_.wait();
    if (!take_events()) return lose("the kernel does not tell of it any more");
    Handle handle;
    if (wheel_)
      handle.orientation = math::exponential({0.0, 0.0, -kWheelTurn * axes_[0].value});
    else
      handle.p = {kStickWay * axes_[0].value, -kStickWay * axes_[1].value, 0.0};
    sensing_.read(handle, sample_);
    sample_.t = pace_.elapsed();
    ++sample_.number;
    return true;
  }
  bool read(Sample& sample) noexcept override {
    if (sample_.number == 0 || state_ == State::lost) return false;
    sample = sample_;
    return true;
  }
  bool command(const Command& command) noexcept override {
    if (state_ != State::enabled || stopped_.load(std::memory_order_acquire) || !finite(command.wrench)) {
      if (effect_.id >= 0) push({}, false);
      return false;
    }
    return push(saturated(specification_, command.wrench), false) ||
           lose("the kernel takes no force for it any more");
  }
  std::string trouble() const override { return trouble_.text(); }

 private:
  /// All that has come; no news is no motion. False: unplugged.
  bool take_events() noexcept {
    constexpr std::size_t kSome = 32;
    constexpr int kMostRounds = 64;  // a device that never stops talking does not stop the loop
    std::array<input_event, kSome> events;
    for (int round = 0; round < kMostRounds; ++round) {
      const int got = system_->read(file_, events.data(), kSome);
      if (got == -EAGAIN || got == -EINTR) return true;
      if (got <= 0) return false;  // also the end of what has no end
      for (int i = 0; i < got; ++i) {
        const input_event& event = events[static_cast<std::size_t>(i)];
        if (event.type == EV_SYN && event.code == SYN_DROPPED && !ask_axes()) return false;
        if (event.type != EV_ABS) continue;
        for (std::size_t k = 0; k < count_; ++k) {
          if (event.code != axes_[k].code) continue;
          // Far outside of what it said of itself: not this device's words.
          const double span = axes_[k].high - axes_[k].low;
          if (event.value < axes_[k].low - span || event.value > axes_[k].high + span) {
            trouble_.say("an axis is far outside of what the device said of itself", {},
                         "does another program write to it?");
            return false;
          }
          axes_[k].set(event.value);
        }
      }
      if (got < static_cast<int>(kSome)) return true;
    }
    return true;
  }
  /// Events were dropped: the kernel still knows where the axes are.
  bool ask_axes() noexcept {
    for (std::size_t k = 0; k < count_; ++k) {
      input_absinfo info{};
      if (system_->axis(file_, axes_[k].code, info) < 0) return false;
      axes_[k].set(info.value);
    }
    return true;
  }

  /// The effect's strength and direction; again only where they have changed.
  bool push(const Vector6& wrench, bool always) noexcept {
    double size, angle;
    if (wheel_) {  // +z is to the left
      const double T = sign_ * wrench[2];
      size = std::abs(T) / kWheelTorque;
      angle = T >= 0.0 ? 0.25 : 0.75;
    } else {
      const double right = sign_ * wrench[3], up = sign_ * wrench[4];
      size = std::hypot(right, up) / kStickForce;
      angle = size > 0.0 ? std::atan2(-right, -up) / (2.0 * std::numbers::pi) : 0.0;
    }
    const auto level = static_cast<std::int16_t>(std::lround(std::min(size, 1.0) * kStrongest));
    const auto direction = static_cast<std::uint16_t>(std::lround(65536.0 * (angle + 1.0)) & 0xffff);
    if (!always && level == effect_.u.constant.level && (level == 0 || direction == effect_.direction))
      return true;
    effect_.u.constant.level = level;
    if (level != 0) effect_.direction = direction;
    return system_->upload(file_, effect_) >= 0;
  }
  bool play(int times) noexcept {
    input_event event{};
    event.type = EV_FF;
    event.code = static_cast<std::uint16_t>(effect_.id);
    event.value = times;
    return system_->write(file_, event) >= 0;
  }
  void motors_off() noexcept {
    if (effect_.id < 0) return;
    push({}, true);
    play(0);
  }
  bool lose(const char* what) noexcept {
    trouble_.say(what, {}, "is it still plugged in?");
    motors_off();  // it may still hear
    state_ = State::lost;
    return false;
  }

  std::unique_ptr<EvdevSystem> system_;
  int file_;
  bool wheel_;
  double sign_;
  Specification specification_;
  Pace pace_;
  Trouble trouble_;
  Sensing sensing_;
  State state_ = State::off;
  std::atomic<bool> stopped_{false};
  Sample sample_{};
  std::array<AbsoluteAxis, 2> axes_{};
  std::size_t count_ = 0;
  ff_effect effect_{};
};

/// Wheels have keys for gears, an axis of that name, or say it.
bool is_wheel(EvdevSystem& system, int file, std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return Bits(system, file, EV_ABS).has(ABS_WHEEL) || Bits(system, file, EV_KEY).has(BTN_GEAR_UP) ||
         name.find("wheel") != std::string::npos || name.find("racing") != std::string::npos;
}

struct What {
  std::string path;
  std::optional<bool> wheel;
  bool reversed = false;
};

What parse(std::string text) {
  What what;
  const auto takes = [&](std::string_view word) {
    if (text.rfind(std::string(word) + ":", 0) != 0) return false;
    text.erase(0, word.size() + 1);
    return true;
  };
  for (bool more = true; more;) {  // in any order
    const std::optional<bool> before = what.wheel;
    if (takes("wheel"))
      what.wheel = true;
    else if (takes("joystick"))
      what.wheel = false;
    else if (takes("reversed"))
      what.reversed = true;
    else
      more = false;
    if (before && what.wheel != before)
      throw InputError({}, "evdev: a device that is a wheel and a joystick",
                       "say one of them: evdev:wheel:PATH or evdev:joystick:PATH");
  }
  what.path = text;
  return what;
}

}  // namespace

std::unique_ptr<Device> open_evdev(const std::string& text, const DeviceOptions& options,
                                   std::unique_ptr<EvdevSystem> system) {
  const What what = parse(text);
  if (what.path.empty())
    throw InputError({}, "evdev: which device?", "evdev:/dev/input/eventN, as `tactus devices` finds it");
  const Place place{what.path};
  const int file = system->open(what.path);
  if (file < 0)
    throw InputError(
        place, fmt::format("evdev: it cannot be opened: {}", std::strerror(-file)),
        file == -EACCES ? "your account may have to be in the group `input`" : "is it plugged in?");
  const auto refuse = [&](const std::string& wrong, const std::string& remedy) {
    system->close(file);
    throw InputError(place, wrong, remedy);
  };
  char name[256] = "";
  if (system->name(file, name, sizeof name - 1) < 0)
    refuse("evdev: this is no input device", "evdev:/dev/input/eventN, as `tactus devices` finds it");
  if (!Bits(*system, file, EV_FF).has(FF_CONSTANT))
    refuse(fmt::format("evdev: `{}` has no constant force", name),
           "a wheel or joystick with force feedback is needed");
  const bool wheel = what.wheel.value_or(is_wheel(*system, file, name));
  const Bits has(*system, file, EV_ABS);
  std::vector<unsigned> codes{wheel && !has.has(ABS_X) ? unsigned{ABS_WHEEL} : unsigned{ABS_X}};
  if (!wheel) codes.push_back(ABS_Y);
  std::vector<AbsoluteAxis> axes;
  for (const unsigned code : codes) {
    input_absinfo info{};
    if (!has.has(code) || system->axis(file, code, info) < 0 || !(info.maximum > info.minimum))
      refuse(fmt::format("evdev: `{}` lacks an axis of a {}", name, wheel ? "wheel" : "joystick"),
             "choose another one, or say what it is: evdev:wheel:PATH, evdev:joystick:PATH");
    AbsoluteAxis axis{static_cast<std::uint16_t>(code), double(info.minimum), double(info.maximum), 0.0};
    axis.set(info.value);
    axes.push_back(axis);
  }
  // All of its strength is ours, and it pulls to the middle by no spring of its own.
  const Bits effects(*system, file, EV_FF);
  for (const auto& [code, value] : {std::pair{FF_GAIN, 0xffff}, std::pair{FF_AUTOCENTER, 0}}) {
    input_event event{};
    event.type = EV_FF;
    event.code = static_cast<std::uint16_t>(code);
    event.value = value;
    if (effects.has(static_cast<unsigned>(code)) && system->write(file, event) < 0)
      refuse(fmt::format("evdev: `{}` does not take its settings", name), "is another program using it?");
  }
  Specification s = usual(wheel);
  s.name += ":" + text;
  s.description = fmt::format("{}, a {} by Linux's input events", name, wheel ? "wheel" : "joystick");
  const double span = axes[0].high - axes[0].low;
  s.resolution = {wheel ? 2.0 * kWheelTurn / span : 0.0, wheel ? 0.0 : 2.0 * kStickWay / span};
  if (options.rate > 0.0) s.rate = options.rate;
  s.stiffness = wheel ? largest_rotational_stiffness(s) : largest_stiffness(s);
  return std::make_unique<Evdev>(std::move(system), file, wheel, what.reversed ? -1.0 : 1.0, axes,
                                 std::move(s));
}

Driver find_evdev() {
  Driver driver{usual(true), "evdev:[wheel:|joystick:][reversed:]PATH", false, {}};
  driver.specification.description = "wheel or joystick with force feedback, by Linux's input events";
  const std::unique_ptr<EvdevSystem> system = linux_system();
  std::vector<std::string> found;
  std::error_code error;
  std::filesystem::directory_iterator entry("/dev/input", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (entry->path().filename().string().rfind("event", 0) != 0) continue;
    const int file = system->open(path);
    if (file < 0) continue;
    char name[256] = "";
    system->name(file, name, sizeof name - 1);
    if (Bits(*system, file, EV_FF).has(FF_CONSTANT)) found.push_back(fmt::format("{} ({})", path, name));
    system->close(file);
  }
  driver.available = !found.empty();
  driver.found = found.empty() ? "no device in /dev/input with a constant force that may be opened"
                               : fmt::format("{}", fmt::join(found, ", "));
  return driver;
}

}  // namespace tactus::device
