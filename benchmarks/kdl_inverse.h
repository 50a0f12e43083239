// Position of the PUMA 560 by KDL's iteration (Debian's liborocos-kdl-dev), which is for any chain.
#pragma once

#include <array>
#include <memory>

namespace tactus::bench {

class KdlInverse {
 public:
  virtual ~KdlInverse() = default;
  /// Angles for which the sixth frame has the pose, from where it begins. False where it did not get there.
  virtual bool solve(const std::array<double, 9>& R, const std::array<double, 3>& p,
                     const std::array<double, 6>& near, std::array<double, 6>& q) = 0;
};
std::unique_ptr<KdlInverse> kdl_inverse();

}  // namespace tactus::bench
