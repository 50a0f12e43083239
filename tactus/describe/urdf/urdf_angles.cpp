#include <tactus/describe/urdf/urdf_angles.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace tactus::describe {

namespace {

/// [rad]
constexpr double kStep = std::numbers::pi / 12.0;
/// What `near` and `meant` change an angle by at most (urdf_angles.h).
constexpr double kNear = 1e-9, kMeant = 1e-3;
/// A unit of the last digit, not half of one: exporters also cut digits off.
constexpr double kOfLastDigit = 1.0;
/// Rounding of a multiple of pi/12 itself, relative: not worth a word.
constexpr double kRounding = 1e-15;

}  // namespace

double AngleRule::operator()(const UrdfAngle& angle) {
  const double nearest = std::round(angle.value / kStep) * kStep;
  const double change = std::fabs(angle.value - nearest);
  if (change <= kRounding * std::max(1.0, std::fabs(angle.value)))
    return rule_ == Reading::Angles::written ? angle.value : nearest;
  if (nearest == 0.0) return angle.value;  // a small angle is no rounded zero
  if (change > kOfLastDigit * std::pow(10.0, -angle.decimals) || change > kMeant) return angle.value;
  if (rule_ == Reading::Angles::written || (rule_ == Reading::Angles::near && change > kNear)) {
    if (alike_++ == 0) example_ = angle.value;
    return angle.value;
  }
  ++changed_;
  largest_ = std::max(largest_, change);
  return nearest;
}

std::string AngleRule::notice() const {
  std::string text;
  if (changed_ > 0)
    text = fmt::format("{} angle{} taken as multiples of 15 degrees (changed by {:.1g} rad at most)",
                       changed_, changed_ == 1 ? " is" : "s are", largest_);
  if (alike_ > 0 && rule_ == Reading::Angles::near)
    text += fmt::format(
        "{}{} angle{} such as {} {} kept as written, not taken as multiples of 15 degrees: --angles meant "
        "does",
        text.empty() ? "" : "; ", alike_, alike_ == 1 ? "" : "s", example_, alike_ == 1 ? "is" : "are");
  if (changed_ > 0 && rule_ == Reading::Angles::near) text += "; --angles written keeps them all";
  return text;
}

}  // namespace tactus::describe
