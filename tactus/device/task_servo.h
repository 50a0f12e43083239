// Lines 12 to 16 of [Faulring2006, Algorithm 1]: the motion x_r of a virtual mechanism becomes an acceleration that a display is told.
//
//   e = x_r - x,   ed = xd_r - xd                                              (line 12)
//   xdd_fb = K_p e + K_i int e dt + K_d ed                                     (17), line 14
//   xdd    = xdd_ff + xdd_fb                                                   (18), line 15
//
// xdd_ff is the acceleration of x_r (line 8): what its velocity gains in a period. x and xd are measured where the period begins and x_r
// holds where it ends, as printed: the servo looks a period ahead. Errors of orientation are rotation vectors.
#pragma once

#include <tactus/device/device.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::device {

/// K_p 900, K_d 60 1/s: 30 rad/s, critically damped.
struct TaskServoGains {
  double K_p = 900.0;  // [1/s^2]
  double K_d = 60.0;   // [1/s]
  double K_i = 0.0;    // [1/s^3]
  bool feed_forward = true;
};

/// All that it remembers.
struct TaskServoMemory {
  Vector6 V_before{}, sum{};  // [rad/s; m/s], [rad s; m s]
  bool begun = false;
};

struct TaskServo {
  TaskServoGains gains;
  double period = 1e-3;  // [s]

  /// The acceleration [rad/s^2; m/s^2] that brings what was sensed to what is commanded.
  Vector6 acceleration(TaskServoMemory& memory, const Sample& sensed, const Command& wanted) const noexcept {
    const math::Vec3<double> p = wanted.X_WH.p - sensed.X_WH.p,
                             theta = math::rotation_vector(wanted.X_WH.R * sensed.X_WH.R.transposed());
    Vector6 a{};
    for (std::size_t i = 0; i < 6; ++i) {
      const double e = i < 3 ? theta[i] : p[i - 3], ed = wanted.V_WH[i] - sensed.V_WH[i];
      memory.sum[i] += period * e;
      a[i] = gains.K_p * e + gains.K_i * memory.sum[i] + gains.K_d * ed;
      if (gains.feed_forward && memory.begun) a[i] += (wanted.V_WH[i] - memory.V_before[i]) / period;
    }
    memory.V_before = wanted.V_WH;
    memory.begun = true;
    return a;
  }
};

}  // namespace tactus::device
