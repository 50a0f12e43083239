// A quantity with its rate in time: arithmetic on these carries the product rule, so that a function of
// moving points also gives its derivative along the motion.
#pragma once

#include <cmath>

#include <tactus/math/vec3.h>

namespace tactus::contact {

template <class S>
struct Rate {
  S value{};
  S rate{};
};

template <class S>
Rate<S> operator+(const Rate<S>& a, const Rate<S>& b) {
  return {a.value + b.value, a.rate + b.rate};
}
template <class S>
Rate<S> operator-(const Rate<S>& a, const Rate<S>& b) {
  return {a.value - b.value, a.rate - b.rate};
}
template <class S>
Rate<S> operator-(const Rate<S>& a) {
  return {-a.value, -a.rate};
}
template <class S>
Rate<S> operator*(const Rate<S>& a, const Rate<S>& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate};
}
template <class S>
Rate<S> operator/(const Rate<S>& a, const Rate<S>& b) {
  const S quotient = a.value / b.value;
  return {quotient, (a.rate - quotient * b.rate) / b.value};
}
template <class S>
Rate<S> sqrt(const Rate<S>& a) {
  using std::sqrt;
  const S root = sqrt(a.value);
  return {root, a.rate / (root + root)};
}

template <class S>
using RateVec3 = math::Vec3<Rate<S>>;

template <class S>
math::Vec3<S> value_of(const RateVec3<S>& v) {
  return {v.x.value, v.y.value, v.z.value};
}
template <class S>
math::Vec3<S> rate_of(const RateVec3<S>& v) {
  return {v.x.rate, v.y.rate, v.z.rate};
}
template <class S>
RateVec3<S> with_rate(const math::Vec3<S>& value, const math::Vec3<S>& rate) {
  return {{value.x, rate.x}, {value.y, rate.y}, {value.z, rate.z}};
}
/// A number that does not change.
template <class S>
Rate<S> constant(const S& value) {
  return {value, S(0.0)};
}

}  // namespace tactus::contact
