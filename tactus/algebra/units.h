// Units that users may write after a number: `35 deg`, `12 mm`, `2.5 N/m`. Everything inside is SI; the
// conversion happens here, as the text is read, and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::algebra {

/// Exponents of kilogram, metre and second. Angles have none: a radian is the number 1.
struct Dimension {
  int kilogram = 0, metre = 0, second = 0;

  friend bool operator==(const Dimension&, const Dimension&) = default;
  friend Dimension operator+(Dimension a, Dimension b) {
    return {a.kilogram + b.kilogram, a.metre + b.metre, a.second + b.second};
  }
  friend Dimension operator-(Dimension a, Dimension b) {
    return {a.kilogram - b.kilogram, a.metre - b.metre, a.second - b.second};
  }
  friend Dimension operator*(int n, Dimension a) { return {n * a.kilogram, n * a.metre, n * a.second}; }
};

namespace dimension {
inline constexpr Dimension kNumber{};  // also angles
inline constexpr Dimension kLength{0, 1, 0};
inline constexpr Dimension kMass{1, 0, 0};
inline constexpr Dimension kTime{0, 0, 1};
inline constexpr Dimension kInertia{1, 2, 0};
inline constexpr Dimension kSpeed{0, 1, -1};
inline constexpr Dimension kAngularSpeed{0, 0, -1};
inline constexpr Dimension kAcceleration{0, 1, -2};
inline constexpr Dimension kForce{1, 1, -2};
inline constexpr Dimension kTorque{1, 2, -2};
inline constexpr Dimension kStiffness{1, 0, -2};         // N/m
inline constexpr Dimension kAngularStiffness{1, 2, -2};  // N m/rad
inline constexpr Dimension kDamping{1, 0, -1};           // N s/m
inline constexpr Dimension kAngularDamping{1, 2, -1};    // N m s/rad
}  // namespace dimension

/// "a length [m]", "an inertia [kg m^2]", or the base units where the quantity has no common name.
std::string describe_dimension(Dimension dimension);

struct Unit {
  double factor = 1.0;  // SI value of one such unit
  double divisor =
      1.0;  // divided by: `deg` is pi / 180, and 90 * pi / 180 rounds better than 90 * (pi / 180)
  Dimension dimension;
};

/// One unit by its name ("mm", "deg", "rpm"), without exponents or products.
std::optional<Unit> find_unit(std::string_view name);
/// All names that find_unit knows.
const std::vector<std::string_view>& unit_names();
/// A product such as "kg m^2", "N*m/rad", "1/s" or "m s^-2"; nothing where it is not one.
std::optional<Unit> parse_unit(std::string_view text);

}  // namespace tactus::algebra
