// The designed coupler, held by many hands and holding many mechanisms: none of them gives a hand more than it got.
//
// The hand's work is counted at the true handle, by the simulated device. Everything begins at rest, without gravity, and what is behind the port
// is passive: masses, springs, dampers, walls. Work that is negative at any time was made by the loop.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/random.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  double decades(double low, double high) { return low * std::pow(high / low, random_.uniform()); }
  int below(int n) { return std::min(n - 1, static_cast<int>(random_.uniform() * n)); }

 private:
  device::Random random_;
};

/// A block on a line, by itself or at a spring with a damper, with or without a wall that a ball of its meets.
std::string environment(Draw& draw, double& mass) {
  mass = draw.decades(0.05, 20.0);
  const int kind = draw.below(4);
  const double omega =
      draw.decades(1.0, 100.0);  // [rad/s] of the spring: what a tick of 1 ms integrates well
  const double stiffness = kind == 0 ? 0.0 : mass * omega * omega;
  const double damping = kind == 2 ? draw.between(0.0, 1.0) * 2.0 * mass * omega : 0.0;
  // A stop without a bounce: the hardest wall that there is.
  const std::string limits = kind == 3 ? fmt::format(", limits: [-1, {}]", draw.between(0.002, 0.03)) : "";
  return fmt::format(R"(
name: environment
gravity: [0, 0, 0]
bodies: {{block: {{mass: {}}}}}
joints: {{x: {{type: prismatic, parent: world, child: block, axis: x, stiffness: {}, damping: {}{}}}}}
)",
                     mass, stiffness, damping, limits);
}

device::HandPointer hand(Draw& draw) {
  device::Arm arm;
  arm.stiffness[1] = draw.decades(20.0, 1500.0);
  arm.damping[1] = draw.below(3) == 0 ? 0.0 : draw.decades(0.1, 20.0);
  const math::Vec3<double> way{draw.between(0.005, 0.05), 0.0, 0.0};
  const double period = draw.decades(0.1, 2.0);
  device::HandPointer one;
  switch (draw.below(4)) {
    case 0:
      one = device::following(device::strokes(way, period), arm);
      break;
    case 1:
      one = device::following(device::taps(way, period), arm);
      break;
    case 2:
      one = device::constant({0, 0, 0, draw.between(-6.0, 6.0), 0, 0});
      break;
    default:
      one = device::hold(arm);
  }
  if (draw.below(2) == 0)
    one = device::trembling(std::move(one), draw.between(0.1, 3.0),
                            static_cast<std::uint64_t>(draw.below(1000)));
  if (draw.below(4) == 0) one = device::letting_go(std::move(one), draw.between(0.2, 1.0));
  return one;
}

struct Books {
  std::string what;
  double least = 0.0, turned = 0.0;  // [J] least work that the hand had given; all that went to and fro
};

/// Runs a hand and an environment with the designed coupler, or with this many times its stiffness and no damping of its own.
std::optional<Books> run(std::uint64_t seed, double times = 0.0) {
  Draw draw(seed);
  const std::vector<const char*> devices{"simulated:planar", "simulated:spatial", "simulated:delayed"};
  double mass = 0.0;
  const std::string text = environment(draw, mass);
  const char* name = devices[static_cast<std::size_t>(draw.below(3))];
  const double rate = draw.below(2) == 0 ? 1000.0 : 2000.0;
  const auto block = contact::open(describe::load_text(text, "environment.yaml"), {.step = 1.0 / rate});
  const auto device = device::open(name, hand(draw), {.rate = rate});
  const device::Specification& s = device->specification();
  control::CouplerGains gains = control::design(s, {1e12, mass}, draw.between(0.3, 1.0));
  gains.stiffness[0] = gains.damping[0] = 0.0;  // the block does not turn
  if (times > 0.0) {
    gains.stiffness[1] = times * device::largest_stiffness(s);
    gains.damping[1] = 0.0;
  }
  control::SafetyLimits limits;  // nothing but the coupler keeps it passive
  limits.ramp = 0.0;             // a spring that stiffens while it is pressed gives more than it got
  // What the motors cannot give, the mechanism must not get either. Beyond the passive stiffness nothing is kept from anybody.
  if (times == 0.0) limits.force = s.continuous;
  HapticLoop loop(*block, *device, block->port("block"), gains, limits);
  EXPECT_TRUE(loop.enable());
  Books books;
  books.what = fmt::format("{} {} {} K {} B {}", text, name, rate, gains.stiffness[1], gains.damping[1]);
  double before = 0.0;
  for (int k = 0; k < static_cast<int>(1.5 * rate); ++k) {
    if (!device->wait() || !loop.tick(1.0 / rate)) return std::nullopt;
    const double work = device->hand_work();
    books.least = -support::larger(-books.least, -work);
    books.turned += std::abs(work - before);
    before = work;
  }
  return books;
}

// A sample, and a thousand where there is time.
int runs() { return std::getenv("TACTUS_LONG_TESTS") != nullptr ? 1000 : 200; }

TEST(RandomHands, NoneGainsEnergyWithTheDesignedCoupler) {
  for (int i = 1; i <= runs(); ++i) {
    const std::optional<Books> books = run(static_cast<std::uint64_t>(i));
    ASSERT_TRUE(books) << "faulted: " << i;
    // Of what went to and fro: the hand's work is summed at the mean speed of a substep, to second order.
    constexpr double kSummed = 1e-4;
    EXPECT_GE(books->least, -kSummed * books->turned) << i << " " << books->what;
  }
}

// Far beyond the passive stiffness many of the same hands gain.
TEST(RandomHands, SomeGainEnergyBeyondThePassiveStiffness) {
  int gained = 0, faulted = 0;
  const int all = 40;
  for (int i = 1; i <= all; ++i) {
    const std::optional<Books> books = run(static_cast<std::uint64_t>(i), 4.0);
    if (!books)
      ++faulted;
    else if (books->least < -0.01 * books->turned)
      ++gained;
  }
  EXPECT_GE(gained + faulted, all / 4);
}

}  // namespace
}  // namespace tactus::display
