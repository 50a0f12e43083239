// What a law makes of an arm at a point of its motion: gains, closed-loop poles, root loci and limits of stability, for every law of
// arm_controller.h.
//
// Each of them is tau* + K' x + C' v + M' r near the path, with x = q - q*, v = qd - qd*, r = S v - P x, and M', C', K' that it knows:
//
//   pole placement, sampled    M            C                     K
//   inverse dynamics           M            C without friction    K
//   computed torque            M            0                     0
//   diagonal                   diag M       0                     0
//   gravity                    diag M       0                     K at rest
//
// because d/dq of M(q) qdd* + h(q, qd*) is K, and the last takes weight and springs where the arm is. So G_1 = -K' + M' P and
// G_2 = -C' - M' S (16), and errors gamma M', beta C', alpha K' (29) of what it knows move the poles of the loop (13), (33). What it knows
// may be another arm than the one it leads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/poles.h>
#include <tactus/describe/model/model.h>
#include <tactus/generate/kernel.h>

namespace tactus::control {

/// A point of a motion.
struct MotionPoint {
  double t = 0.0;
  std::vector<double> q, qd, qdd;  // [joints]
};

/// The linear model of an arm, of all of it and as the laws know it. For models without constraints whose speeds are the joint rates.
class LinearArm {
 public:
  /// Throws InputError.
  explicit LinearArm(const describe::Model& model);
  std::size_t joints() const { return n_; }
  /// M, C, K.
  LinearPoint at(const MotionPoint& point);
  /// M', C', K'.
  LinearPoint known_to(ArmLaw law, const MotionPoint& point);

 private:
  LinearPoint evaluate(const generate::Kernel& kernel, const MotionPoint& point, bool at_rest);

  generate::Kernel whole_, frictionless_;
  std::size_t n_ = 0;
  std::vector<double> in_, out_, work_;
};

/// A loop: an arm, and what the law knows of it.
struct LawLoop {
  LinearPoint arm, known;
  ArmLaw law = ArmLaw::pole_placement;
  std::vector<PolePair> poles;  // one for each joint
  double period = 0.0;          // [s] of the loop; also of the sampled law

  PoleGains gains(const ModelErrors& errors = {}) const;
  /// Continuous, or sampled every period as s = ln(z)/h.
  std::vector<Complex> closed(bool sampled, const ModelErrors& errors = {}) const;
};

enum class ErrorKind : std::uint8_t { alpha, beta, gamma };
std::string_view name_of(ErrorKind kind);
/// Whether the law has what is wrong then.
bool is_used(ArmLaw law, ErrorKind kind);

/// The roots over one error, and where from the right model on (1) they cease to be stable.
struct ErrorLocus {
  ErrorKind kind = ErrorKind::alpha;
  bool stable = false;                       // where the model is right
  std::optional<double> lower, upper;        // none: nowhere to `farthest`
  std::array<double, 2> farthest{1.0, 1.0};  // that was looked at
  RootLocus locus;
};
ErrorLocus error_locus(const LawLoop& loop, ErrorKind kind, bool sampled, int looks = 60);

}  // namespace tactus::control
