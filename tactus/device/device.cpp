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

bool finite(const Vector6& v) noexcept {
  for (const double x : v)
    if (!std::isfinite(x)) return false;
  return true;
}

bool finite(const math::Pose<double>& X) noexcept {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(X.p[i])) return false;
    for (std::size_t j = 0; j < 3; ++j)
      if (!std::isfinite(X.R(i, j))) return false;
  }
  return true;
}

bool finite(const Sample& sample) noexcept {
  return std::isfinite(sample.t) && finite(sample.X_WH) && finite(sample.V_WH) && finite(sample.F_H_W);
}

}  // namespace tactus::device
