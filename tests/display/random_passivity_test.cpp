// The designed coupler, held by many hands and holding many mechanisms: none of them gives a hand more than it got.
//
// The hand's work is counted at the true handle, by the simulated device. Everything begins at rest, without gravity, and what is behind the port
// is passive: masses, springs, dampers, walls, linkages. Work that is negative at any time was made by the loop. Rates are 500 Hz to 4 kHz; forces ramp up
// in half of the runs, and in every second one all limits that suit the device hold.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/random.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  double decades(double low, double high) { return low * std::pow(high / low, random_.uniform()); }
  int below(int n) { return std::min(n - 1, static_cast<int>(random_.uniform() * n)); }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<int>(list.size()))];
  }

 private:
  device::Random random_;
};

enum class Along { line, turn, linkage };

/// A block on a line, or a disk on an axle, by itself or at a spring with a damper, with or without a stop.
std::string environment(Draw& draw, Along along, double inertia) {
  const int kind = draw.below(4);
  const double omega =
      draw.decades(1.0, 100.0);  // [rad/s] of the spring: what a tick of 1 ms integrates well
  const double stiffness = kind == 0 ? 0.0 : inertia * omega * omega;
  const double damping = kind == 2 ? draw.between(0.0, 1.0) * 2.0 * inertia * omega : 0.0;
  // A stop without a bounce: the hardest wall that there is.
  const double stop = draw.between(0.002, 0.03) * (along == Along::turn ? 10.0 : 1.0);
  const std::string limits = kind == 3 ? fmt::format(", limits: [-1, {}]", stop) : "";
  const std::string body = along == Along::turn
                               ? fmt::format("mass: 1, inertia: [{0}, {0}, {1}]", 0.6 * inertia, inertia)
                               : fmt::format("mass: {}", inertia);
  return fmt::format(R"(
name: environment
gravity: [0, 0, 0]
bodies: {{block: {{{}}}}}
joints: {{x: {{type: {}, parent: world, child: block, axis: {}, stiffness: {}, damping: {}{}}}}}
{}
)",
                     body, along == Along::turn ? "revolute" : "prismatic", along == Along::turn ? "z" : "x",
                     stiffness, damping, limits, kind == 3 ? "contact: {stops: {}}" : "");
}

device::HandPointer hand(Draw& draw, Along along) {
  const bool turns = along == Along::turn;
  device::Arm arm;
  arm.stiffness = {draw.decades(0.1, 10.0), draw.decades(20.0, 1500.0)};
  const double loss = draw.below(3) == 0 ? 0.0 : draw.decades(0.1, 20.0);
  arm.damping = {0.01 * loss, loss};
  const double angle = along == Along::linkage ? draw.between(0.0, 6.28) : 0.0;
  const double size = draw.between(0.005, 0.05);
  const math::Vec3<double> way{size * std::cos(angle), size * std::sin(angle), 0.0};
  const double period = draw.decades(0.1, 2.0);
  const auto follow = [&](device::Path path) {
    if (!turns) return device::following(std::move(path), arm);
    return device::following(
        [path](double t) {
          return device::Intention{{}, {0, 0, 10.0 * path(t).p.x}};
        },
        arm);
  };
  device::HandPointer one;
  switch (draw.below(4)) {
    case 0:
      one = follow(device::strokes(way, period));
      break;
    case 1:
      one = follow(device::taps(way, period));
      break;
    case 2:
      one = turns ? device::constant({0, 0, draw.between(-0.3, 0.3), 0, 0, 0})
                  : device::constant({0, 0, 0, draw.between(-6.0, 6.0), 0, 0});
      break;
    default:
      one = device::hold(arm);
  }
  if (draw.below(2) == 0)
    one = device::trembling(std::move(one), draw.between(0.1, 3.0),
                            static_cast<std::uint64_t>(draw.below(1000)), turns ? device::kTremorLever : 0.0);
  if (draw.below(4) == 0) one = device::letting_go(std::move(one), draw.between(0.2, 1.0));
  return one;
}

struct Books {
  std::string what;
  control::Fault fault = control::Fault::none;
  bool left = false;  // the hand left the workspace, or was faster than it may be: the run ended there
  double least = 0.0, turned = 0.0;  // [J] least work that the hand had given; all that went to and fro
};

/// Runs a hand and an environment with the designed coupler, or with this many times its stiffness and no damping of its own.
std::optional<Books> run(std::uint64_t seed, Along along, double times = 0.0) {
  Draw draw(seed);
  const char* name =
      along == Along::line   ? draw.one_of({"simulated:planar", "simulated:spatial", "simulated:delayed"})
      : along == Along::turn ? draw.one_of({"simulated:wheel", "simulated:planar", "simulated:spatial"})
                             : draw.one_of({"simulated:planar", "simulated:spatial"});
  const double rate = draw.one_of({500.0, 1000.0, 2000.0, 4000.0});
  const auto device = device::open(name, hand(draw, along), {.rate = rate});
  const device::Specification& s = device->specification();
  const double inertia =
      along == Along::turn ? s.inertia[0] * draw.decades(0.2, 50.0) : draw.decades(0.05, 20.0);
  const char* linkage = draw.one_of({"four_bar", "pantograph"});
  const std::string text = along == Along::linkage ? support::source_dir() + "/models/" + linkage + ".yaml"
                                                   : environment(draw, along, inertia);
  describe::Model model =
      along == Along::linkage ? describe::load(text) : describe::load_text(text, "environment.yaml");
  model.gravity = {0.0, 0.0, 0.0};
  const auto mechanism = contact::open(model, {.step = 1.0 / rate});
  mechanism->set_state(
      {.t = 0.0, .q = mechanism->state().q, .u = std::vector<double>(mechanism->nv(), 0.0), .momentum = {}});
  const int port = along == Along::linkage ? 0 : mechanism->port("block");
  std::array<double, 36> L{};
  mechanism->mobility(port, L);
  const double share = draw.between(0.3, 1.0);
  control::CouplerGains gains = control::design(
      s, {along == Along::line ? 1e12 : inertia, along == Along::turn ? 1e12 : inertia}, share);
  if (along != Along::linkage) {  // the block does not turn, and the disk does nothing else
    const std::size_t still = along == Along::turn ? 1 : 0;
    gains.stiffness[still] = gains.damping[still] = 0.0;
  } else {
    gains = control::softened(s, gains, L);
  }
  if (times > 0.0) {
    gains.stiffness[1] = times * device::largest_stiffness(s);
    gains.damping[1] = 0.0;
  }
  control::SafetyLimits limits;  // nothing but the coupler keeps it passive
  limits.ramp = draw.below(2) == 0 ? 0.0 : 0.25;
  // What the motors cannot give, the mechanism must not get either. Beyond the passive stiffness nothing is kept from anybody.
  if (times == 0.0) limits.force = s.continuous;
  // Every second hand is protected by all that users have: clamps on the changes of force and on power and
  // its changes, too, which take from the motors what the mechanism must not get.
  const bool protected_too = times == 0.0 && seed % 2 == 0;
  if (protected_too) {
    const double ramp = limits.ramp;
    limits = control::limits_for(s);
    limits.ramp = ramp;
  }
  HapticLoop loop(*mechanism, *device, port, gains, limits);
  if (along == Along::linkage) loop.follow_port();
  EXPECT_TRUE(loop.enable());
  Books books;
  books.what = fmt::format("{} {} {} Hz ramp {} K {} B {} K_r {} B_r {}", text, name, rate, limits.ramp,
                           gains.stiffness[1], gains.damping[1], gains.stiffness[0], gains.damping[0]);
  double before = 0.0;
  for (int k = 0; k < static_cast<int>(1.5 * rate); ++k) {
    if (!device->wait()) return std::nullopt;
    const bool well = loop.tick(1.0 / rate);
    const double work = device->hand_work();
    books.least = -support::larger(-books.least, -work);
    books.turned += std::abs(work - before);
    before = work;
    if (well) continue;
    const control::Fault fault = loop.safety().fault;
    books.left =
        protected_too && (fault == control::Fault::out_of_workspace ||
                          fault == control::Fault::turned_too_far || fault == control::Fault::too_fast);
    books.fault = fault;
    books.what += fmt::format(" {} after {}", control::said_of(loop.safety()), k);
    if (times > 0.0) return std::nullopt;
    break;
  }
  return books;
}

constexpr int kRuns = 1000;

void gains_nothing(Along along, int number, int& left) {
  const std::optional<Books> books = run(static_cast<std::uint64_t>(number), along);
  ASSERT_TRUE(books) << "the device went: " << number;
  EXPECT_TRUE(books->fault == control::Fault::none || books->left) << number << " " << books->what;
  left += books->left ? 1 : 0;
  // Of what went to and fro: the hand's work is that of its simulated force, exactly.
  constexpr double kRounding = 1e-12;
  EXPECT_GE(books->least, -kRounding * books->turned) << number << " " << books->what;
}

void none_gains(Along along) {
  int left = 0;
  for (int i = 1; i <= kRuns; ++i) gains_nothing(along, i, left);
  EXPECT_LT(left, kRuns / 20) << "most hands stay for the whole run";
}

TEST(RandomHands, NoneGainsEnergyWithTheDesignedCoupler) { none_gains(Along::line); }
// Number 219 has a hand that holds on while the port swings, 312 a handle that goes over one edge of its encoder: with a damper below K T/2, and a spring above f_c/D, both gained.
TEST(RandomHands, NoneGainsEnergyByTurning) { none_gains(Along::turn); }
TEST(RandomHands, NoneGainsEnergyFromALinkage) { none_gains(Along::linkage); }

// Far beyond the passive stiffness many of the same hands gain.
TEST(RandomHands, SomeGainEnergyBeyondThePassiveStiffness) {
  int gained = 0, faulted = 0;
  const int all = 40;
  for (int i = 1; i <= all; ++i) {
    const std::optional<Books> books = run(static_cast<std::uint64_t>(i), Along::line, 4.0);
    if (!books)
      ++faulted;
    else if (books->least < -0.01 * books->turned)
      ++gained;
  }
  EXPECT_GE(gained + faulted, all / 4);
}

}  // namespace
}  // namespace tactus::display
