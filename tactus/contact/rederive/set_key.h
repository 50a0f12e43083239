// The name of a set of constraints and contacts: two motions with the same key have the same equations, and
// so the same generated code. Of fixed size, so that a tick can make, compare and hand on one without memory.
//
// Besides what decides the formulas (rows that are on; of each touch the kind of its features, the bodies,
// how it takes part), the key says which numbers of the features are 0, 1 or -1: these fold away exactly, and
// planes, axes and planar mechanisms are full of them. All other numbers are inputs of the code.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tactus/contact/events/active_set.h>

namespace tactus::contact {

/// The numbers of a touch in the order of the code's inputs.
inline constexpr std::size_t kFeatureNumbers = 14;                 // a: p, axis, radius; b: p, axis, radius
inline constexpr std::size_t kTouchNumbers = kFeatureNumbers + 9;  // tangent, slip, laws
inline constexpr std::size_t kSlipNumber = kFeatureNumbers + 3;    // where the slip stands
std::array<double, kTouchNumbers> flat(const TouchNumbers<double>& numbers);

struct SetKey {
  static constexpr std::size_t kMostTouches = 32, kMostRows = 256;
  struct Touch {
    std::uint64_t form = 0;
    std::uint64_t numbers = 0;  // two bits for each number of the features: any, 0, 1, -1
    bool operator==(const Touch&) const = default;
  };

  std::array<std::uint64_t, kMostRows / 64> rows{};
  std::uint32_t touches = 0;
  std::array<Touch, kMostTouches> touch{};

  bool operator==(const SetKey& other) const;
  std::uint64_t hash() const;
};

/// The key of a set. False where the set is larger than a key can say.
bool make_key(const SetForm& set, const std::vector<TouchNumbers<double>>& numbers, SetKey& key);

/// The set that a key names.
SetForm form_of(const SetKey& key);
/// What the key says about a touch's number: 0, 1, -1, or nothing (NaN).
double known_number(const SetKey& key, std::size_t touch, std::size_t number);

}  // namespace tactus::contact
