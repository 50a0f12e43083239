// What a haptic run comes to, tick by tick: maxima and shares of all its ticks, however many there are.
// Nothing is allocated.
#pragma once

#include <array>
#include <cstdint>

#include <tactus/display/run_loop.h>

namespace tactus::apps {

struct Measured {
  double largest_torque = 0.0, largest_force = 0.0;  // [N m], [N] on the hand
  double largest_at_port = 0.0;                      // [N]
  double largest_lag = 0.0;                          // [m] handle to port, in the handle's scale
  double largest_held_lag = 0.0;                     // [m] the same, along axes that the device has
  bool at_the_end = false;                           // the handle came to the end of the workspace
  int most_resisted = 0;                             // directions at once
  double handed_over = 0.0;  // of the ticks: a prescribed port had fewer light directions than at the start
  double gave_up_at =
      0.0;  // [s] a prescribed port, if it was: no tick from then on has less than all directions
  double softest = 1.0;             // of the coupler's stiffness, the least share that it had
  double softened = 0.0;            // of the ticks: it had less than all
  int oldest = 0;                   // [ticks] what was known of the mechanism
  int left_out = 0;                 // contacts that a local model had no room for, at once
  double at_the_sensors_end = 0.0;  // of the ticks: it read its largest force or torque
  double outrun = 0.0;              // of the ticks: the port went faster than the device goes along an axis
};

class RunMeasure {
 public:
  /// The handle moves `scale` times as far as the port. The loop must outlive it.
  RunMeasure(const device::Specification& device, const display::HapticLoop& loop, bool prescribed,
             double scale)
      : loop_(loop),
        workspace_(device.workspace),
        actuated_(device.actuated),
        goes_(device.speed),
        reads_most_(device.force_sensor ? device.peak : std::array<double, 2>{}),
        prescribed_(prescribed),
        scale_(scale) {}
  /// In the loop.
  void add(const display::TickRecord& record) noexcept;
  display::RunOptions::Each each() {
    return {[](void* self, const display::TickRecord& record) noexcept {
              static_cast<RunMeasure*>(self)->add(record);
            },
            this};
  }
  Measured result() const;

 private:
  bool at_the_sensors_end(const device::Sample& sample) const noexcept;

  const display::HapticLoop& loop_;
  math::Vec3<double> workspace_, apart_at_start_{};
  std::uint8_t actuated_;
  std::array<double, 2> goes_;        // [rad/s], [m/s]; 0: any
  std::array<double, 2> reads_most_;  // [N m], [N]; 0: any
  bool prescribed_;
  double scale_;
  Measured measured_;
  double t_before_ = 0.0;
  int resisted_first_ = 0, resisted_before_ = 0;
  long ticks_ = 0, handed_over_ = 0, softened_ = 0, at_the_sensors_end_ = 0, outrun_ = 0;
};

}  // namespace tactus::apps
