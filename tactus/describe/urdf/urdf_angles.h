// Which angles a file means by its decimals.
//
// Exporters write multiples of 15 degrees as decimals: 1.5707963267948966, 1.570796327, 1.5708. An angle that is such a multiple
// exactly gives structural zeros, and shorter equations. But what is written is what is meant, as far as anybody can tell:
//
//   near     an angle is taken as the multiple where both are the same within the last digit written and within 1e-9 rad. A
//            frame 1 m away moves by less than 1e-9 m: less than any robot is built to, and a million times the rounding of
//            the computation. 1.570796327 (2e-10 off) is a right angle; 1.5708 (3.7e-6 off) stays what it is.
//   meant    within the last digit written and within 1e-3 rad: 1.5708, 1.571, 3.14159 are multiples.
//   written  never.
//
// What was done is said, with the largest change.
#pragma once

#include <string>

#include <tactus/describe/read/load.h>
#include <tactus/describe/urdf/urdf_file.h>

namespace tactus::describe {

class AngleRule {
 public:
  explicit AngleRule(Reading::Angles rule) : rule_(rule) {}

  double operator()(const UrdfAngle& angle);

  /// What was changed and what could have been; "" where there is nothing to say.
  std::string notice() const;

 private:
  Reading::Angles rule_;
  int changed_ = 0, alike_ = 0;  // alike: as written, but a multiple within the digits
  double largest_ = 0.0;
  double example_ = 0.0;  // of those alike
};

}  // namespace tactus::describe
