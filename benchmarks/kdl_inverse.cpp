#include "kdl_inverse.h"

#include <cmath>

#include <kdl/chain.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/frames.hpp>

namespace tactus::bench {

namespace {

// Craig's DH of the PUMA 560: alpha and a of the link before, d of its own. KDL's segments turn first and are placed then.
class Lma final : public KdlInverse {
 public:
  Lma() : chain_(puma()), solver_(chain_), near_(6), q_(6) {}
  bool solve(const std::array<double, 9>& R, const std::array<double, 3>& p,
             const std::array<double, 6>& near, std::array<double, 6>& q) override {
    for (unsigned i = 0; i < 6; ++i) near_(i) = near[i];
    const KDL::Frame target(KDL::Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]),
                            KDL::Vector(p[0], p[1], p[2]));
    const int answer = solver_.CartToJnt(near_, target, q_);
    for (unsigned i = 0; i < 6; ++i) q[i] = q_(i);
    return answer >= 0;
  }

 private:
  static KDL::Chain puma() {
    constexpr double kQuarter = M_PI / 2.0;
    const double alpha[] = {0.0, -kQuarter, 0.0, kQuarter, -kQuarter, kQuarter, 0.0},
                 a[] = {0, 0, 0.4318, -0.0203, 0, 0, 0}, d[] = {0.0, 0.2435, -0.0934, 0.4331, 0.0, 0.0, 0.0};
    KDL::Chain chain;
    for (int i = 0; i < 6; ++i) {
      const KDL::Frame tip =
          i < 5 ? KDL::Frame::DH_Craig1989(a[i + 1], alpha[i + 1], d[i + 1], 0.0) : KDL::Frame::Identity();
      chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::RotZ), tip));
    }
    return chain;
  }

  KDL::Chain chain_;
  KDL::ChainIkSolverPos_LMA solver_;
  KDL::JntArray near_, q_;
};

}  // namespace

std::unique_ptr<KdlInverse> kdl_inverse() { return std::make_unique<Lma>(); }

}  // namespace tactus::bench
