// A driver on its fake, so that one law suite serves them all.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <tactus/device/registry.h>

namespace tactus::device::test {

class Bench {
 public:
  virtual ~Bench() = default;
  /// By its registry name.
  virtual std::string name() const = 0;
  virtual std::unique_ptr<Device> open() const { return device::open(name(), none()); }

  /// Puts the handle there (world, [m], a rotation vector [rad]), each time in the device's own axes and units.
  virtual void put(const math::Vec3<double>& p, const math::Vec3<double>& theta) = 0;
  /// What the motors give, world axes; zero while they are off.
  virtual Vector6 wrench() const = 0;
  virtual void unplug() = 0;
  /// From now on it says what is no number, or no message.
  virtual void spoil() = 0;

  /// [m] or [rad], [N] or [N m]: how well the fake can say it.
  virtual double fineness() const { return 1e-12; }
  virtual double force_fineness() const { return 1e-12; }
  /// Samples that are on their way when the device is unplugged.
  virtual int on_their_way() const { return 0; }
  /// Samples after which the handle is seen where it was put.
  virtual int settles_in() const { return on_their_way(); }
};
using MakeBench = std::function<std::unique_ptr<Bench>()>;

/// What another thread will have done soon: true as soon as it holds, false after two seconds (a busy machine's worst).
inline bool soon(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace tactus::device::test
