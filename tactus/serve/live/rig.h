// A device at the mechanism on the bench, with its controller and, where it is simulated, the hand that holds it: the haptic loop
// of display/loop.h, ticked by the bench. The page's pointer is such a device, too: who grabs the body of its port has the handle, from
// there on, and who lets go switches it off. A page that is gone while it holds, or silent, is a fault.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tactus/device/device.h>
#include <tactus/display/loop.h>

namespace tactus::device {
class Pointer;  // device/drivers/pointer.h
}

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
  /// Anew, after a fault or where the mechanism jumped; a pointer is taken anew.
  void restart() noexcept;

  // Of a pointer, in the loop.
  /// Whether who grabs this body takes the handle.
  bool is_held_at(int body) const noexcept { return pointer_ != nullptr && body == body_; }
  /// The handle begins at the port, at rest. False: it could not be switched on.
  bool take() noexcept;
  /// The way of the cursor since then, and how it turned.
  void point(const math::Vec3<double>& way, const math::Vec3<double>& turn) noexcept;
  void let_go() noexcept;
  /// The page is gone.
  void lose() noexcept;

  /// A handle that nobody has is nowhere.
  bool has_handle() const noexcept;
  bool faulted() const noexcept;
  std::string words() const, why() const;
  math::Pose<double> handle() const noexcept { return loop_->sample().X_WH; }
  const display::TickRecord& record() const noexcept { return loop_->record(); }
  const control::SafetyLimits& limits() const noexcept { return limits_; }
  /// [N/m] of the coupler.
  double stiffness() const noexcept { return loop_->coupler().gains.stiffness[1]; }

 private:
  simulate::Mechanism& mechanism_;
  std::unique_ptr<device::Device> device_;
  device::Pointer* pointer_ = nullptr;  // the device, where it is that
  std::unique_ptr<display::HapticLoop> loop_;
  int port_ = 0, body_ = 0;
  control::SafetyLimits limits_{};
  math::Vec3<double> p_taken_{};  // where the handle was taken
};

}  // namespace tactus::serve
