#include <tactus/contact/rederive/set_key.h>

#include <algorithm>
#include <limits>

namespace tactus::contact {

namespace {

// Fields of SetKey::Touch::form.
constexpr unsigned kKindAt = 0, kHollowAt = 4, kPartAt = 5, kTangentsAt = 8, kDroppedAt = 10, kBodyAAt = 16,
                   kBodyBAt = 40;
constexpr std::uint64_t kBodyMask = (1u << 24) - 1;

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdull;
  return h ^ (h >> 32);
}

std::uint64_t kind_of(double x) { return x == 0.0 ? 1 : x == 1.0 ? 2 : x == -1.0 ? 3 : 0; }

}  // namespace

std::array<double, kTouchNumbers> flat(const TouchNumbers<double>& x) {
  return {x.a.p.x,     x.a.p.y,   x.a.p.z,    x.a.axis.x, x.a.axis.y,  x.a.axis.z, x.a.radius,  x.b.p.x,
          x.b.p.y,     x.b.p.z,   x.b.axis.x, x.b.axis.y, x.b.axis.z,  x.b.radius, x.tangent.x, x.tangent.y,
          x.tangent.z, x.slip[0], x.slip[1],  x.friction, x.stiffness, x.damping,  x.slip_speed};
}

bool SetKey::operator==(const SetKey& other) const {
  return touches == other.touches && rows == other.rows &&
         std::equal(touch.begin(), touch.begin() + touches, other.touch.begin());
}

std::uint64_t SetKey::hash() const {
  std::uint64_t h = touches;
  for (const std::uint64_t word : rows) h = mix(h, word);
  for (std::size_t i = 0; i < touches; ++i) h = mix(mix(h, touch[i].form), touch[i].numbers);
  return h;
}

bool make_key(const SetForm& set, const std::vector<TouchNumbers<double>>& numbers, SetKey& key) {
  if (set.touches.size() > SetKey::kMostTouches) return false;
  key.rows.fill(0);
  for (const std::size_t row : set.rows) {
    if (row >= SetKey::kMostRows) return false;
    key.rows[row / 64] |= std::uint64_t{1} << (row % 64);
  }
  key.touches = static_cast<std::uint32_t>(set.touches.size());
  for (std::size_t i = 0; i < set.touches.size(); ++i) {
    const TouchForm& form = set.touches[i];
    const auto field = [](auto value, unsigned at) { return static_cast<std::uint64_t>(value) << at; };
    key.touch[i].form = field(form.gap.kind, kKindAt) | field(form.gap.hollow ? 1 : 0, kHollowAt) |
                        field(form.part, kPartAt) | field(form.tangents, kTangentsAt) |
                        field(form.dropped, kDroppedAt) | field(form.body_a, kBodyAAt) |
                        field(form.body_b, kBodyBAt);
    key.touch[i].numbers = 0;
    const std::array<double, kTouchNumbers> values = flat(numbers[i]);
    for (std::size_t k = 0; k < kFeatureNumbers; ++k) key.touch[i].numbers |= kind_of(values[k]) << (2 * k);
  }
  return true;
}

SetForm form_of(const SetKey& key) {
  SetForm set;
  for (std::size_t row = 0; row < SetKey::kMostRows; ++row)
    if ((key.rows[row / 64] >> (row % 64) & 1) != 0) set.rows.push_back(row);
  for (std::size_t i = 0; i < key.touches; ++i) {
    const std::uint64_t form = key.touch[i].form;
    TouchForm touch;
    touch.gap.kind = static_cast<collide::FeaturePair>(form >> kKindAt & 15);
    touch.gap.hollow = (form >> kHollowAt & 1) != 0;
    touch.part = static_cast<Part>(form >> kPartAt & 7);
    touch.tangents = form >> kTangentsAt & 3;
    touch.dropped = static_cast<unsigned>(form >> kDroppedAt & 7);
    touch.body_a = static_cast<int>(form >> kBodyAAt & kBodyMask);
    touch.body_b = static_cast<int>(form >> kBodyBAt & kBodyMask);
    set.touches.push_back(touch);
  }
  return set;
}

double known_number(const SetKey& key, std::size_t touch, std::size_t number) {
  constexpr double kKnown[] = {std::numeric_limits<double>::quiet_NaN(), 0.0, 1.0, -1.0};
  return number < kFeatureNumbers ? kKnown[key.touch[touch].numbers >> (2 * number) & 3] : kKnown[0];
}

}  // namespace tactus::contact
