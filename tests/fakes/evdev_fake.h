// A stand-in for Linux's input events: a wheel or a joystick, and what its motors are told.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <numbers>
#include <string>

#include <tactus/device/drivers/evdev.h>

#include "fakes/bench.h"

namespace tactus::device::test {

/// The device; the driver holds it through a FakeEvdevSystem.
struct FakeEvdev {
  std::string name = "Fake Stick";
  bool plugged = true, allowed = true, input_device = true, takes_effects = true;
  bool constant_force = true, axis_y = true, axis_wheel = false, gears = false;
  int low = -32768, high = 32767;
  std::map<unsigned, int> axes{{ABS_X, 0}, {ABS_Y, 0}, {ABS_WHEEL, 0}};
  std::deque<input_event> events;

  std::map<int, ff_effect> effects;
  int playing = -1;
  int gain = -1, autocenter = -1;
  bool open = false;
  long uploads = 0;

  void event(unsigned type, unsigned code, int value) {
    input_event one{};
    one.type = static_cast<std::uint16_t>(type);
    one.code = static_cast<std::uint16_t>(code);
    one.value = value;
    events.push_back(one);
  }
  void turn(unsigned code, int value) {
    axes[code] = value;
    event(EV_ABS, code, value);
    event(EV_SYN, SYN_REPORT, 0);
  }
  /// Of the strongest, {to the right, up}, by the kernel's table of directions: 0 down, 90 left, 180 up, 270 degrees right.
  std::pair<double, double> push() const {
    const auto at = effects.find(playing);
    if (at == effects.end()) return {0.0, 0.0};
    const double degrees = at->second.direction * 360.0 / 65536.0,
                 level = at->second.u.constant.level / 32767.0;
    const double clockwise_from_up =
        (degrees + 180.0) * std::numbers::pi / 180.0;  // left is 270 degrees from up
    return {level * std::sin(clockwise_from_up), level * std::cos(clockwise_from_up)};
  }
};

class FakeEvdevSystem final : public EvdevSystem {
 public:
  explicit FakeEvdevSystem(FakeEvdev& device) : device_(device) {}

  int open(const std::string& path) override {
    if (path != "/dev/input/event7" || !device_.plugged) return -ENOENT;
    if (!device_.allowed) return -EACCES;
    device_.open = true;
    return kFile;
  }
  int name(int, char* text, std::size_t size) override {
    if (!device_.input_device) return -ENOTTY;
    std::strncpy(text, device_.name.c_str(), size);
    return static_cast<int>(device_.name.size());
  }
  int bits(int, unsigned type, unsigned char* bits, std::size_t size) override {
    std::fill_n(bits, size, static_cast<unsigned char>(0));
    const auto set = [&](unsigned code) {
      bits[code / 8] = static_cast<unsigned char>(bits[code / 8] | 1u << code % 8);
    };
    if (type == EV_ABS) {
      set(ABS_X);
      if (device_.axis_y) set(ABS_Y);
      if (device_.axis_wheel) set(ABS_WHEEL);
    }
    if (type == EV_KEY && device_.gears) set(BTN_GEAR_UP);
    if (type == EV_FF && device_.constant_force) {
      set(FF_CONSTANT);
      set(FF_GAIN);
      set(FF_AUTOCENTER);
    }
    return 0;
  }
  int axis(int, unsigned code, input_absinfo& info) override {
    if (!device_.plugged) return -ENODEV;
    info = {};
    info.value = device_.axes.at(code);
    info.minimum = device_.low;
    info.maximum = device_.high;
    return 0;
  }
  int upload(int, ff_effect& effect) override {
    if (!device_.plugged) return -ENODEV;
    if (!device_.takes_effects) return -ENOSPC;
    ++device_.uploads;
    if (effect.id == -1) effect.id = 3;
    device_.effects[effect.id] = effect;
    return 0;
  }
  int erase(int, int effect) override {
    device_.effects.erase(effect);
    if (device_.playing == effect) device_.playing = -1;
    return 0;
  }
  void close(int) override { device_.open = false; }
  int read(int, input_event* events, std::size_t count) override {
    if (!device_.plugged) return -ENODEV;
    if (device_.events.empty()) return -EAGAIN;
    std::size_t n = 0;
    for (; n < count && !device_.events.empty(); ++n) {
      events[n] = device_.events.front();
      device_.events.pop_front();
    }
    return static_cast<int>(n);
  }
  int write(int, const input_event& event) override {
    if (!device_.plugged) return -ENODEV;
    if (event.type != EV_FF) return -EINVAL;
    if (event.code == FF_GAIN)
      device_.gain = event.value;
    else if (event.code == FF_AUTOCENTER)
      device_.autocenter = event.value;
    else
      device_.playing = event.value > 0 ? event.code : -1;
    return sizeof event;
  }

 private:
  static constexpr int kFile = 5;
  FakeEvdev& device_;
};

inline std::unique_ptr<Device> open_on(FakeEvdev& device, const std::string& what) {
  return open_evdev(what, {}, std::make_unique<FakeEvdevSystem>(device));
}

/// ABS_X to the right, ABS_Y towards the user; half a decimetre to either end; 5 N at the strongest.
class EvdevJoystickBench final : public Bench {
 public:
  std::string name() const override { return "evdev:/dev/input/event7"; }
  std::unique_ptr<Device> open() const override { return open_on(*device_, "/dev/input/event7"); }
  void put(const math::Vec3<double>& p, const math::Vec3<double>&) override {
    device_->turn(ABS_X, counts(p.x / 0.05));
    device_->turn(ABS_Y, counts(-p.y / 0.05));
  }
  Vector6 wrench() const override {
    const auto [right, up] = device_->push();
    return {0, 0, 0, 5.0 * right, 5.0 * up, 0};
  }
  void unplug() override { device_->plugged = false; }
  void spoil() override { device_->event(EV_ABS, ABS_X, 2'000'000'000); }
  double fineness() const override { return 0.05 / 65535.0; }  // half a count
  double force_fineness() const override {
    return 5.0 * 5e-4;
  }  // levels of 1/32767, directions of 1/65536 of a turn

  FakeEvdev& fake() const { return *device_; }

 private:
  static int counts(double part) { return static_cast<int>(std::lround((65535.0 * part - 1.0) / 2.0)); }
  std::unique_ptr<FakeEvdev> device_ = std::make_unique<FakeEvdev>();
};

/// ABS_X to the right, which is -z; 450 degrees to either end; 2 N m at the strongest.
class EvdevWheelBench final : public Bench {
 public:
  EvdevWheelBench() {
    device_->name = "Fake Racing Wheel";
    device_->axis_y = false;
    device_->low = 0;
    device_->high = 65535;
    device_->axes[ABS_X] = 32768;
  }
  std::string name() const override { return "evdev:/dev/input/event7"; }
  std::unique_ptr<Device> open() const override { return open_on(*device_, "/dev/input/event7"); }
  void put(const math::Vec3<double>&, const math::Vec3<double>& theta) override {
    const double part = -theta.z / (2.5 * std::numbers::pi);
    device_->turn(ABS_X, static_cast<int>(std::lround(65535.0 * (part + 1.0) / 2.0)));
  }
  Vector6 wrench() const override { return {0, 0, -2.0 * device_->push().first, 0, 0, 0}; }
  void unplug() override { device_->plugged = false; }
  void spoil() override { device_->event(EV_ABS, ABS_X, -100'000); }
  double fineness() const override { return 2.5 * std::numbers::pi / 65535.0; }
  double force_fineness() const override { return 2.0 / 32767.0; }

  FakeEvdev& fake() const { return *device_; }

 private:
  std::unique_ptr<FakeEvdev> device_ = std::make_unique<FakeEvdev>();
};

}  // namespace tactus::device::test
