#include <tactus/generate/library_calls.h>

#include <cmath>

#include <tactus/base/check.h>

namespace tactus::generate {

namespace {

using One = double (*)(double);
using Two = double (*)(double, double);

template <One f>
void lanes_of_one(double* x, int lanes) noexcept {
  for (int i = 0; i < lanes; ++i) x[2 * lanes + i] = f(x[i]);
}

template <Two f>
void lanes_of_two(double* x, int lanes) noexcept {
  for (int i = 0; i < lanes; ++i) x[2 * lanes + i] = f(x[i], x[lanes + i]);
}

struct Call {
  const void* scalar;
  const void* lanes;
};

template <One f>
Call one() {
  return {reinterpret_cast<const void*>(f), reinterpret_cast<const void*>(&lanes_of_one<f>)};
}

template <Two f>
Call two() {
  return {reinterpret_cast<const void*>(f), reinterpret_cast<const void*>(&lanes_of_two<f>)};
}

Call call_of(Code code) {
  switch (code) {
    case Code::tan:
      return one<&::tan>();
    case Code::asin:
      return one<&::asin>();
    case Code::acos:
      return one<&::acos>();
    case Code::atan:
      return one<&::atan>();
    case Code::atan2:
      return two<&::atan2>();
    case Code::sinh:
      return one<&::sinh>();
    case Code::cosh:
      return one<&::cosh>();
    case Code::tanh:
      return one<&::tanh>();
    case Code::exp:
      return one<&::exp>();
    case Code::log:
      return one<&::log>();
    case Code::pow:
      return two<&::pow>();
    default:
      break;
  }
  TACTUS_CHECK(!"the operation is a library function");
  return {nullptr, nullptr};
}

}  // namespace

const void* library_call(Code code) { return call_of(code).scalar; }
const void* library_call_lanes(Code code) { return call_of(code).lanes; }

}  // namespace tactus::generate
