// Chapter IV, V-B: "simple second order filtering ... with limited success": what a filter of the force does to the loop. A hand with stiffness K and
// damping B holds a virtual mass m; with the force through w^2/(s + w)^2,
//
//   m s^2 (s + w)^2 + w^2 (B s + K) = 0,       stable for  K < B (2 m w - B)/(4 m)      (Routh)
//
// The arm, sampled and with its own poles, is held to that limit: the largest stiffness at which it still calms down, by bisection.
#include <array>
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/display/loop.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using study::Context;
using study::Result;

constexpr double kDegree = std::numbers::pi / 180.0, kRate = 500.0;
constexpr double kMass = 5.0, kDamping = 20.0;  // [kg], [N s/m]

/// Holds the handle a centimetre aside, along y.
class Holding final : public device::Hand {
 public:
  explicit Holding(double stiffness) : stiffness_(stiffness) {}
  device::Grip grip(double, const math::Pose<double>& X) const noexcept override {
    device::Grip grip;
    const math::Vec3<double> e = math::Vec3<double>{0.0, 0.01, 0.0} - X.p;
    for (std::size_t i = 0; i < 3; ++i) grip.wrench[3 + i] = stiffness_ * e[i];
    grip.damping = {0.5, kDamping};
    return grip;
  }

 private:
  double stiffness_;
};

/// Whether the handle's motion along y dies out.
bool calms_down(const Context& context, double cut_off, double stiffness) {
  control::ArmDeviceOptions options;
  options.start = {0.0, -30 * kDegree, 60 * kDegree, 20 * kDegree, 60 * kDegree, 0.0};
  options.encoder = {9965.0, 13727.0, 8547.0, 12101.0, 11447.0, 12205.0};
  options.transducer.cut_off = cut_off;
  control::ArmDevice arm(load(context, "puma560"), options, std::make_unique<Holding>(stiffness));
  const auto body = contact::open(load(context, "rigid_body", {{"m", kMass}}), {.step = 1.0 / kRate});
  body->set_state({0.0, body->state().q, std::vector<double>(6, 0.0), {}});
  display::HapticLoop loop(*body, arm, body->port("center"), {}, {});
  if (!loop.enable()) return false;
  constexpr int kTicks = 1500;
  std::array<double, 3> fastest{};  // in each second
  for (int k = 0; k < kTicks; ++k) {
    if (!arm.wait() || !loop.tick(1.0 / kRate)) return false;
    double& most = fastest[static_cast<std::size_t>(k / 500)];
    most = std::max(most, std::abs(loop.record().V_P[4]));
  }
  // Steps of the transducer leave a little.
  return fastest[2] < fastest[1] || fastest[2] < 2e-3;
}

Result second_order(const Context& context) {
  Deviation d;
  std::string here;
  double last = 0.0;
  bool less = true;
  for (const double w : {50.0, 100.0, 200.0}) {
    const double limit = kDamping * (2.0 * kMass * w - kDamping) / (4.0 * kMass);
    double low = 0.2 * limit, high = 3.0 * limit;
    for (int k = 0; k < 8; ++k) {
      const double middle = std::sqrt(low * high);
      (calms_down(context, w, middle) ? low : high) = middle;
    }
    // Sampling and the arm's own errors take a little; friction of the joints, where they rest, gives a little.
    d.add(low / limit, 1.0, 0.05);
    less = less && low > last;
    last = low;
    here += fmt::format("{}{:g} rad/s: {:.0f} N/m (Routh {:.0f})", here.empty() ? "" : "; ", w, low, limit);
  }
  return {
      "V-B: second order filters of force were of limited success: lags were felt, and stability suffered",
      here,
      closed_form(all_within(d) && less,
                  "the limit of stability B (2 m w - B)/(4 m) of the continuous loop, to 5 %"),
      "the largest stiffness of a hand (20 N s/m) with which a virtual mass of 5 kg calms down, against the "
      "filter's cut-off: the lower "
      "that is, the softer the hand has to be",
      {}};
}

}  // namespace

std::vector<study::Case> filter_cases() {
  return {{"iv-filters", "second order filters of the force", second_order}};
}

}  // namespace tactus::studies::clover
