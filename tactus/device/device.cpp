#include <tactus/device/device.h>

#include <cmath>
#include <limits>

namespace tactus::device {

std::string_view name_of(Kind kind) { return kind == Kind::impedance ? "impedance" : "admittance"; }

std::string_view name_of(State state) {
  switch (state) {
    case State::off:
      return "off";
    case State::enabled:
      return "enabled";
    case State::lost:
      return "lost";
  }
  return "";
}

double Device::hand_work() const noexcept { return std::numeric_limits<double>::quiet_NaN(); }

// x - x is zero, or not a number: sums of it need no branches.
bool finite(const Vector6& v) noexcept {
  double zero = 0.0;
  for (const double x : v) zero += x - x;
  return zero == 0.0;
}

bool finite(const math::Pose<double>& X) noexcept {
  double zero = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    zero += X.p[i] - X.p[i];
    for (std::size_t j = 0; j < 3; ++j) zero += X.R(i, j) - X.R(i, j);
  }
  return zero == 0.0;
}

bool finite(const Sample& sample) noexcept {
  return std::isfinite(sample.t) && finite(sample.X_WH) && finite(sample.V_WH) && finite(sample.F_H_W);
}

}  // namespace tactus::device
