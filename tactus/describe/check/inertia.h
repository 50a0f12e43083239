// Whether mass properties can belong to a real body.
#pragma once

#include <string>

#include <tactus/math/vec3.h>

namespace tactus::describe {

/// What is wrong with an inertia matrix about the centre of mass.
enum class InertiaFault {
  none,
  not_symmetric,
  negative_moment,  // a principal moment below zero: no body, however lumped, has it
  triangle,         // I1 + I2 < I3: no mass distribution has it, but identified ("effective") parameters do
};

struct InertiaReport {
  InertiaFault fault = InertiaFault::none;
  double principal[3] = {0.0, 0.0, 0.0};  // in ascending order
};

/// Rounding that a printed or computed matrix may carry, relative to its largest element.
inline constexpr double kInertiaRounding = 1e-6;

/// Principal moments must be >= 0 and obey I1 + I2 >= I3, both up to kInertiaRounding.
InertiaReport inspect_inertia(const math::Mat3<double>& inertia);

/// The report in words: "its principal moments are 0, 0, 0.35: ...".
std::string describe_fault(const InertiaReport& report);

}  // namespace tactus::describe
