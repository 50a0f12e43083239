// A device at the mechanism on the bench, with its controller and, where it is simulated, the hand that holds it: the haptic loop
// of display/loop.h, ticked by the bench.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tactus/device/device.h>
#include <tactus/display/loop.h>

namespace tactus::serve {

struct Work;

class Rig {
 public:
  /// By the choices of the work, whose mechanism must outlive it. Throws InputError.
  explicit Rig(Work& work);

  /// In the loop: a tick of everything, with what acts besides.
  simulate::Tick tick(std::span<const simulate::PortWrench> besides) noexcept;
  /// What the device's port got in it; false: nothing.
  bool applied(simulate::PortWrench& wrench) const noexcept;
  /// Anew, after a fault or where the mechanism jumped.
  void restart() noexcept;
  bool faulted() const noexcept;
  std::string words() const;
  math::Pose<double> handle() const noexcept { return loop_->sample().X_WH; }
  const display::TickRecord& record() const noexcept { return loop_->record(); }

 private:
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<display::HapticLoop> loop_;
  int port_ = 0;
};

}  // namespace tactus::serve
