#include <tactus/algebra/units.h>

#include <cctype>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace tactus::algebra {

namespace {

struct Entry {
  std::string_view name;
  Unit unit;
};

using namespace dimension;
constexpr double kPi = std::numbers::pi;

// The pound-force and inch units are exact by definition (international pound and yard, standard gravity).
constexpr Entry kUnits[] = {
    {"rad", {1.0, 1.0, kNumber}},       {"mrad", {1.0, 1e3, kNumber}},
    {"deg", {kPi, 180.0, kNumber}},     {"rev", {2.0 * kPi, 1.0, kNumber}},
    {"percent", {1.0, 100.0, kNumber}}, {"m", {1.0, 1.0, kLength}},
    {"dm", {1.0, 10.0, kLength}},       {"cm", {1.0, 100.0, kLength}},
    {"mm", {1.0, 1e3, kLength}},        {"um", {1.0, 1e6, kLength}},
    {"km", {1e3, 1.0, kLength}},        {"in", {0.0254, 1.0, kLength}},
    {"ft", {0.3048, 1.0, kLength}},     {"kg", {1.0, 1.0, kMass}},
    {"g", {1.0, 1e3, kMass}},           {"mg", {1.0, 1e6, kMass}},
    {"lb", {0.45359237, 1.0, kMass}},   {"s", {1.0, 1.0, kTime}},
    {"ms", {1.0, 1e3, kTime}},          {"us", {1.0, 1e6, kTime}},
    {"min", {60.0, 1.0, kTime}},        {"rpm", {2.0 * kPi, 60.0, kAngularSpeed}},
    {"N", {1.0, 1.0, kForce}},          {"mN", {1.0, 1e3, kForce}},
    {"kN", {1e3, 1.0, kForce}},         {"lbf", {0.45359237 * 9.80665, 1.0, kForce}},
    {"Nm", {1.0, 1.0, kTorque}},        {"mNm", {1.0, 1e3, kTorque}},
    {"J", {1.0, 1.0, kTorque}},         {"W", {1.0, 1.0, {1, 2, -3}}},
};

struct NamedDimension {
  Dimension dimension;
  std::string_view text;
};
constexpr NamedDimension kNames[] = {
    {kNumber, "a plain number or an angle [rad]"},
    {kLength, "a length [m]"},
    {kMass, "a mass [kg]"},
    {kTime, "a time [s]"},
    {kInertia, "a moment of inertia [kg m^2]"},
    {kSpeed, "a velocity [m/s]"},
    {kAngularSpeed, "an angular velocity [rad/s]"},
    {kAcceleration, "an acceleration [m/s^2]"},
    {kForce, "a force [N]"},
    {kTorque, "a torque [N m] or angular stiffness [N m/rad]"},
    {kStiffness, "a stiffness [N/m]"},
    {kDamping, "a damping constant [N s/m]"},
    {kAngularDamping, "an angular damping constant [N m s/rad]"},
};

void skip_spaces(std::string_view text, std::size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
}

}  // namespace

std::string describe_dimension(Dimension dimension) {
  for (const NamedDimension& named : kNames) {
    if (named.dimension == dimension) return std::string(named.text);
  }
  std::string text;
  for (const auto& [name, exponent] : {std::pair<const char*, int>{"kg", dimension.kilogram},
                                       {"m", dimension.metre},
                                       {"s", dimension.second}}) {
    if (exponent == 0) continue;
    if (!text.empty()) text += ' ';
    text += name;
    if (exponent != 1) text += fmt::format("^{}", exponent);
  }
  return "a quantity in [" + text + "]";
}

std::optional<Unit> find_unit(std::string_view name) {
  for (const Entry& entry : kUnits) {
    if (entry.name == name) return entry.unit;
  }
  return std::nullopt;
}

const std::vector<std::string_view>& unit_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Entry& entry : kUnits) all.push_back(entry.name);
    return all;
  }();
  return names;
}

std::optional<Unit> parse_unit(std::string_view text) {
  Unit product;
  std::size_t at = 0;
  bool divide = false, first = true;
  skip_spaces(text, at);
  while (at < text.size()) {
    if (!first) {
      if (text[at] == '/' || text[at] == '*') {
        divide = text[at] == '/';
        ++at;
        skip_spaces(text, at);
      } else {
        divide = false;
      }
    }
    const std::size_t start = at;
    while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0) ++at;
    const std::string_view name = text.substr(start, at - start);
    std::optional<Unit> unit = find_unit(name);
    if (!unit && first && at < text.size() && text[at] == '1') {  // "1/s"
      ++at;
      unit = Unit{};
    }
    if (!unit) return std::nullopt;
    int exponent = 1;
    if (at < text.size() && text[at] == '^') {
      ++at;
      const bool negative = at < text.size() && text[at] == '-';
      if (negative) ++at;
      if (at >= text.size() || text[at] < '1' || text[at] > '9') return std::nullopt;
      exponent = (negative ? -1 : 1) * (text[at] - '0');
      ++at;
    }
    if (divide) exponent = -exponent;
    for (int k = 0; k < std::abs(exponent); ++k) {
      product.factor *= exponent > 0 ? unit->factor : unit->divisor;
      product.divisor *= exponent > 0 ? unit->divisor : unit->factor;
    }
    product.dimension = product.dimension + exponent * unit->dimension;
    first = false;
    skip_spaces(text, at);
  }
  if (first) return std::nullopt;
  return product;
}

}  // namespace tactus::algebra
