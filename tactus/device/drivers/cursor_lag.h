// A cursor comes in steps: of a pixel, and of 8 to 16 ms from event to event. What a loop gets of it follows in two poles at w, with
// a limit of speed. Over a period T in which r is held, with e = p - r and c = v + w e, exactly
//
//   e(T) = (e + c T) exp(-w T),     v(T) = (v - w c T) exp(-w T)
//
// r itself goes towards the cursor by `most` T in a period at most. The two poles' answer to an impulse, w^2 t exp(-w t), is nowhere
// negative, so p is a mean of earlier r and v a mean of their speed: sum_k T w^2 t_k exp(-w t_k) = (x/sinh x)^2 with x = w T/2, which is
// below 1. |v| <= `most` therefore, whatever the cursor does. It is 2/w late.
#pragma once

#include <cmath>

#include <tactus/math/vec3.h>

namespace tactus::device {

class CursorLag {
 public:
  /// [rad/s], [m/s] or [rad/s], [s]
  CursorLag(double poles, double most, double period) noexcept
      : w_(poles), T_(period), decay_(std::exp(-poles * period)), step_(most * period) {}

  void begin(const math::Vec3<double>& p) noexcept { p_ = r_ = p, v_ = {}; }
  void go_towards(const math::Vec3<double>& cursor) noexcept {
    const math::Vec3<double> way = cursor - r_;
    const double far = std::hypot(way.x, way.y, way.z);
    r_ = far > step_ ? r_ + (step_ / far) * way : cursor;
    const math::Vec3<double> e = p_ - r_, c = v_ + w_ * e;
    p_ = r_ + decay_ * (e + T_ * c);
    v_ = decay_ * (v_ - (w_ * T_) * c);
  }
  const math::Vec3<double>& p() const noexcept { return p_; }
  const math::Vec3<double>& v() const noexcept { return v_; }

 private:
  double w_, T_, decay_, step_;
  math::Vec3<double> p_{}, v_{}, r_{};
};

}  // namespace tactus::device
