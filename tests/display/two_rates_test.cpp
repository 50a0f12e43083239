// Two rates: a local model between updates of a slower simulation, against the mechanism itself at the full rate.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/run_loop.h>
#include <tactus/display/two_rates.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/locks.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

/// A device of 1 kg that does what it is told, and senses the hand.
device::Specification bare() {
  device::Specification s;
  s.name = "bare";
  s.inertia = {0.01, 1.0};
  s.force_sensor = true;
  return s;
}

struct Scene {
  explicit Scene(const std::string& model, const std::string& port, const TwoRateOptions* rates,
                 device::HandPointer hand = device::constant({0, 0, 0, 0.4, 0, 0}), bool coupler = false)
      : mechanism(contact::open(describe::load(support::source_dir() + "/models/" + model + ".yaml"),
                                {.step = 1e-3})),
        device(bare(), std::move(hand)),
        loop(*mechanism, device, mechanism->port(port), {{0.5, 400.0}, {0.01, 8.0}}, no_limits()) {
    if (!coupler) loop.use(control::FourChannelGains{});
    if (rates != nullptr) loop.use(*rates);
    EXPECT_TRUE(loop.enable());
  }
  static control::SafetyLimits no_limits() {
    control::SafetyLimits limits;
    limits.ramp = 0.0;
    return limits;
  }
  std::vector<TickRecord> run(double duration) {
    std::vector<TickRecord> records(static_cast<std::size_t>(std::lround(1e3 * duration)));
    EXPECT_EQ(run_loop(loop, {.duration = duration}, records).ticks, static_cast<long>(records.size()));
    EXPECT_EQ(loop.safety().fault, control::Fault::none);
    return records;
  }
  std::unique_ptr<simulate::Mechanism> mechanism;
  device::SimulatedImpedance device;
  HapticLoop loop;
};

double largest_difference(const std::vector<TickRecord>& a, const std::vector<TickRecord>& b) {
  double worst = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t i = 2; i < 5; ++i) {
      const double d = std::abs(a[k].on_handle[i] - b[k].on_handle[i]);
      worst = std::isfinite(d) ? std::max(worst, d) : INFINITY;
    }
  return worst;
}

/// What four channels ask for.
ResistanceRule rule() {
  ResistanceRule asked;
  asked.wanted = true;
  for (std::size_t i = 0; i < 6; ++i) asked.M_d[7 * i] = i < 3 ? 0.01 : 1.0;
  return asked;
}

// Where every tick has an update and nothing touches, the local model is the mechanism: the same place, the same acceleration under
// the same wrench, the same directions.
TEST(TwoRates, WithEqualRatesAreTheFullModel) {
  constexpr double kRounding = 1e-8;  // [m/s^2] of accelerations up to 100 m/s^2, over a second
  for (const auto& [model, at] : {std::pair{"three_link_chain", "distal"}, {"four_bar", "coupler"}}) {
    const auto open = [&, name = model] {
      return contact::open(describe::load(support::source_dir() + "/models/" + name + ".yaml"),
                           {.step = 1e-3});
    };
    const auto one = open(), two = open();
    FullPort full(*one, one->port(at), rule());
    LocalPort local(*two, two->port(at), rule(), {.every = 1});
    double worst = 0.0;
    for (int k = 0; k < 1500; ++k) {
      const Vector6 F{0, 0, 0.001, 0.4 + 0.2 * std::sin(0.01 * k), 0.1 * std::cos(0.02 * k), 0};
      control::PortState a, b;
      control::Resisted ra, rb;
      full.begin();
      local.begin();
      full.look(F, a, ra);
      local.look(F, b, rb);
      ASSERT_EQ(ra.count, rb.count) << model << " " << k;
      for (std::size_t i = 0; i < 6; ++i) {
        const double d =
            std::abs(a.acceleration[i] - b.acceleration[i]) + std::abs(a.motion.V_WP[i] - b.motion.V_WP[i]);
        worst = std::isfinite(d) ? std::max(worst, d) : INFINITY;
      }
      ASSERT_TRUE(full.step(F).ok());
      ASSERT_TRUE(local.step(F).ok());
    }
    EXPECT_LT(worst, kRounding) << model;
  }
}

/// [m/s^2] the largest differences between the mechanism's acceleration at the port and what the update says of it, where every tick
/// has an update: with the contact forces that the mechanism has now, and with those that the local model takes over the tick.
struct InContact {
  double now = 0.0, over_the_tick = 0.0;
  int touching = 0;  // ticks
};
InContact compare_in_contact(double step) {
  const auto open = [&] {
    return contact::open(describe::load(support::source_dir() + "/models/chain_in_enclosure.yaml"),
                         {.step = step});
  };
  const auto one = open(), two = open();
  FullPort full(*one, one->port("distal"), rule());
  LocalPort local(*two, two->port("distal"), rule(), {.every = 1});
  InContact result;
  for (int k = 0; k < static_cast<int>(3.0 / step); ++k) {
    const double t = k * step;
    const Vector6 F{0, 0, 0.001, 0.4 + 0.2 * std::sin(10.0 * t), 0.1 * std::cos(20.0 * t), 0};
    control::PortState a, b;
    control::Resisted ra, rb;
    full.begin();
    local.begin();
    full.look(F, a, ra);
    local.look(F, b, rb);
    std::array<simulate::NearPoint, 32> near{};
    const std::size_t known = one->near_points(near);
    const control::LocalModelUpdate& update = local.local().update();
    Vector6 A = update.A;
    bool touches = false;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) A[i] += update.L[6 * i + j] * F[j];
    for (std::size_t c = 0; c < static_cast<std::size_t>(update.contacts); ++c)
      for (std::size_t n = 0; n < known; ++n) {
        if (near[n].id != update.contact[c].id) continue;
        touches |= near[n].force > 0.0;
        for (std::size_t i = 0; i < 6; ++i) A[i] += near[n].force * update.contact[c].r[i];
      }
    result.touching += touches ? 1 : 0;
    for (std::size_t i = 0; i < 6; ++i) {
      result.now = support::larger(result.now, std::abs(a.acceleration[i] - A[i]));
      result.over_the_tick =
          support::larger(result.over_the_tick, std::abs(a.acceleration[i] - b.acceleration[i]));
    }
    EXPECT_TRUE(full.step(F).ok());
    EXPECT_TRUE(local.step(F).ok());
  }
  return result;
}

// In contact the update still says what the mechanism does, to rounding. The local model takes contact forces implicitly over its tick,
// so that its own acceleration differs by what they change in a tick: of first order in it.
TEST(TwoRates, AnUpdateIsTheMechanismAlsoInContact) {
  constexpr double kRounding = 1e-11;  // [rad/s^2] of accelerations up to 100 rad/s^2
  const InContact coarse = compare_in_contact(2e-3), fine = compare_in_contact(1e-3),
                  finest = compare_in_contact(5e-4);
  for (const InContact* one : {&coarse, &fine, &finest}) EXPECT_LT(one->now, kRounding);
  EXPECT_GT(fine.touching, 1000);
  EXPECT_NEAR(coarse.over_the_tick / fine.over_the_tick, 2.0, 0.2);
  EXPECT_NEAR(fine.over_the_tick / finest.over_the_tick, 2.0, 0.2);
}

// Rates that are equal are one rate: the loop has the mechanism itself, and no local model. What a local
// model with an update in every tick would be is measured above, port by port.
TEST(TwoRates, ThatAreEqualAreOne) {
  const TwoRateOptions rates{.every = 1};
  for (const bool coupler : {false, true}) {
    const auto hand = [] { return device::constant({0, 0, 0, 0.4, 0, 0}); };
    Scene one("chain_in_enclosure", "distal", nullptr, hand(), coupler),
        two("chain_in_enclosure", "distal", &rates, hand(), coupler);
    const std::vector<TickRecord> a = one.run(2.0), b = two.run(2.0);
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_EQ(a[k].on_handle, b[k].on_handle) << k;
  }
}

/// [N] root mean square of the difference of the hand's forces: a local model with an update in every tick of
/// `step` s, against the mechanism itself.
double error_at_equal_rates(const std::string& model, double step) {
  std::vector<Vector6> forces[2];
  for (const bool local : {false, true}) {
    device::Specification s = bare();
    s.rate = 1.0 / step;
    const auto mechanism =
        contact::open(describe::load(support::source_dir() + "/models/" + model + ".yaml"), {.step = step});
    device::SimulatedImpedance device(s, device::constant({0, 0, 0, 0.4, 0, 0}));
    HapticLoop loop(*mechanism, device, mechanism->port("distal"), {}, Scene::no_limits());
    loop.use(control::FourChannelGains{});
    if (local) loop.use(TwoRateOptions{.every = 1, .even_if_equal = true});
    EXPECT_TRUE(loop.enable());
    for (int k = 0; k < static_cast<int>(std::lround(2.0 / step)); ++k) {
      EXPECT_TRUE(device.wait() && loop.tick(step)) << k;
      EXPECT_EQ(loop.record().age, 0);
      forces[local ? 1 : 0].push_back(loop.record().on_handle);
    }
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < forces[0].size(); ++k)
    for (std::size_t i = 3; i < 6; ++i) sum += std::pow(forces[0][k][i] - forces[1][k][i], 2);
  return std::sqrt(sum / static_cast<double>(forces[0].size()));
}

// A loop that has a local model even though every tick has an update. Place, speed and directions are the
// mechanism's; what is left is that the local model gives the acceleration where a tick begins, the mechanism
// its mean over the tick, and in contact forces that are implicit over it: of first order in the tick, free
// and in contact.
TEST(TwoRates, ALocalModelAtEqualRatesErrsByWhatChangesInATick) {
  for (const char* model : {"three_link_chain", "chain_in_enclosure"}) {
    const double coarse = error_at_equal_rates(model, 2e-3), fine = error_at_equal_rates(model, 1e-3),
                 finest = error_at_equal_rates(model, 5e-4);
    EXPECT_GT(finest, 0.0) << model;
    EXPECT_NEAR(coarse / fine, 2.0, 0.3) << model;
    EXPECT_NEAR(fine / finest, 2.0, 0.3) << model;
  }
}

// The error is of first order in the time between updates.
TEST(TwoRates, TheErrorIsInProportionToTheTimeBetweenUpdates) {
  const auto hand = [] { return device::following(device::strokes({0.01, 0.005, 0}, 0.8)); };
  Scene reference("three_link_chain", "distal", nullptr, hand());
  const std::vector<TickRecord> full = reference.run(1.0);
  std::vector<double> errors;
  for (const int every : {2, 4, 8, 16, 33}) {
    const TwoRateOptions rates{.every = every};
    Scene local("three_link_chain", "distal", &rates, hand());
    errors.push_back(largest_difference(full, local.run(1.0)));
  }
  for (std::size_t k = 0; k + 1 < errors.size(); ++k) {
    EXPECT_GT(errors[k], 0.0);
    // Twice is first order, four times second. Some 5 mN are there however short the time is, because the mechanism gets the mean of the wrenches: with few ticks
    // between updates that makes it less than twice.
    EXPECT_GT(errors[k + 1], 1.6 * errors[k]) << k;
    EXPECT_LT(errors[k + 1], 2.4 * errors[k]) << k;
  }
  EXPECT_GT(errors.back(), 4.0 * errors.front());
  double largest = 0.0;
  for (const TickRecord& r : full)
    largest = support::larger(largest, std::hypot(r.on_handle[3], r.on_handle[4]));
  EXPECT_LT(errors.back(), 0.1 * largest);  // at 30 Hz
}

TEST(TwoRates, GiveTheSameBitsTwiceAlsoWithDelay) {
  const TwoRateOptions rates{.every = 8, .delay = 13};
  Scene one("three_link_chain", "middle", &rates), two("three_link_chain", "middle", &rates);
  const std::vector<TickRecord> a = one.run(1.0), b = two.run(1.0);
  int oldest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(a[k].on_handle, b[k].on_handle) << k;
    oldest = support::larger(oldest, a[k].age);
  }
  EXPECT_EQ(oldest, 20);  // just before the update of 8 ticks ago comes, 13 late
}

// Whatever is between them, the mechanism gets every newton second: a free mass, pushed for a second.
TEST(TwoRates, LoseNoImpulse) {
  const auto block = contact::open(describe::load_text(R"(
name: mass
gravity: [0, 0, 0]
bodies: {block: {mass: 2}}
joints: {x: {type: prismatic, parent: world, child: block, axis: x}}
)",
                                                       "mass.yaml"),
                                   {.step = 1e-3});
  const int port = block->port("block");
  LocalPort local(*block, port, {}, {.every = 33, .delay = 40});
  double sum = 0.0;
  for (int k = 0; k < 33 * 30; ++k) {
    local.begin();
    const double F = 1.0 + std::sin(0.1 * k);
    sum += 1e-3 * F;
    EXPECT_TRUE(local.step({0, 0, 0, F, 0, 0}).ok());
  }
  local.begin();
  EXPECT_NEAR(block->state().u[0], sum / 2.0, 1e-12);
  // The mass is the same all the time: the local model is exact, but for the wrench that the mechanism gets as a mean.
  EXPECT_NEAR(local.motion().V_WP[3], sum / 2.0, 1e-12);
}

// The enclosure at 30 Hz: contacts that begin between two updates are met by the local model.
TEST(TwoRates, AreStableInContactAtThirtyHertz) {
  const auto hand = [] { return device::constant({0, 0, 0, 0.4, 0, 0}); };
  Scene full("chain_in_enclosure", "distal", nullptr, hand());
  const std::vector<TickRecord> there = full.run(4.0);
  for (const int every : {8, 33}) {
    const TwoRateOptions rates{.every = every};
    Scene local("chain_in_enclosure", "distal", &rates, hand());
    const std::vector<TickRecord> here = local.run(4.0);
    double most = 0.0, most_there = 0.0, apart = 0.0;
    for (std::size_t k = 0; k < here.size(); ++k) {
      most = support::larger(most, std::hypot(here[k].on_handle[3], here[k].on_handle[4]));
      most_there = support::larger(most_there, std::hypot(there[k].on_handle[3], there[k].on_handle[4]));
      apart = support::larger(apart, std::abs(here[k].p_P.x - there[k].p_P.x));
    }
    EXPECT_GT(most, 0.4) << every;  // the wall is felt, not the hand's own push alone
    EXPECT_LT(most, 2.0 * most_there) << every;
    EXPECT_LT(apart, 5e-3) << every;  // [m] of 50 that it moves
  }
}

/// A block on twelve compliant feet that press, and twelve more that hang 1 mm above the ground.
const char* const kManyFeet = R"(
name: many_feet
gravity: [0, 0, -9.81]
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  block: {mass: 1}
joints: {z: {type: prismatic, parent: world, child: block, axis: z}}
contact: {defaults: {render: compliant, stiffness: 2000 N/m, damping: 10 N s/m, friction: 0}}
initial: {q: {z: 9.9 mm}}
)";
std::string on_feet() {
  std::string feet = "geometry: [";
  for (int i = 0; i < 24; ++i)
    feet += "{shape: sphere, radius: 10 mm, contact: true, placement: {xyz: [" + std::to_string(0.05 * i) +
            ", 0, " + (i < 12 ? "0" : "1 mm") + "]}}, ";
  std::string text = kManyFeet;
  return text.replace(text.find("{mass: 1}"), 9, "{mass: 1, " + feet + "]}");
}

// The local model has room for eight contacts. What it leaves out is said: those that touch or are about to,
// not all that are watched.
TEST(TwoRates, SayHowManyContactsTheyHaveNoRoomFor) {
  const auto block = contact::open(describe::load_text(on_feet(), "feet.yaml"), {.step = 1e-3});
  device::SimulatedImpedance device(bare(), device::none());
  HapticLoop loop(*block, device, block->port("block"), {{0.5, 400.0}, {0.01, 8.0}}, Scene::no_limits());
  loop.use(TwoRateOptions{.every = 10});
  ASSERT_TRUE(loop.enable());
  ASSERT_TRUE(device.wait() && loop.tick(1e-3));
  EXPECT_EQ(loop.record().left_out, 12 - static_cast<int>(control::kMostLocalContacts));
  // Faster than 1 mm in 10 ms, the others are about to touch.
  const auto falling = contact::open(describe::load_text(on_feet(), "feet.yaml"), {.step = 1e-3});
  simulate::State state = falling->state();
  state.u[0] = -0.5;
  falling->set_state(state);
  LocalPort local(*falling, falling->port("block"), {}, {.every = 10});
  EXPECT_EQ(local.left_out(), 24 - static_cast<int>(control::kMostLocalContacts));
  Scene few("three_link_chain", "distal", nullptr);
  for (const TickRecord& record : few.run(0.01)) EXPECT_EQ(record.left_out, 0);
}

TEST(TwoRates, NeitherAllocateNorLockInTheLoop) {
  const TwoRateOptions rates{.every = 10, .delay = 5};
  Scene scene("chain_in_enclosure", "distal", &rates);
  for (int k = 0; k < 200; ++k) {
    scene.device.wait();
    ASSERT_TRUE(scene.loop.tick(1e-3));
  }
  const long before = test::allocation_count_of_this_thread(), locks = test::lock_count_of_this_thread();
  for (int k = 0; k < 1500; ++k) {
    scene.device.wait();
    ASSERT_TRUE(scene.loop.tick(1e-3));
  }
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  EXPECT_EQ(test::lock_count_of_this_thread(), locks);
}

/// A block between two walls, from which it bounces.
std::unique_ptr<simulate::Mechanism> between_walls(bool by_steps) {
  contact::OpenOptions options{.step = 1e-3};
  if (by_steps) options.contact = contact::OpenOptions::Contact::stepping;
  return contact::open(describe::load_text(R"(
name: between_walls
gravity: [0, 0, 0]
bodies: {block: {mass: 2}}
joints: {x: {type: prismatic, parent: world, child: block, axis: x, limits: [-0.1, 0.1]}}
contact: {stops: [{joints: [x], restitution: 0.8}]}
initial: {u: {x: 3}}
)",
                                           "between.yaml"),
                       options);
}

// What blows give to the port between two updates is their sum, and it is brought once: several of them in an
// update, with updates late, and with some that are missed. The rest of what the block's speed changes by is
// what was applied. An update that is made just before a blow has nothing of it, by whole steps, too: the
// local model is never faster than the block. And nothing is allocated or locked.
TEST(TwoRates, BringEveryBlowOnce) {
  constexpr double kRounding = 1e-9;  // [m/s]
  // By whole steps a blow is what a tick gave beyond the tick before it, whose wrench may have been another
  // one's: 0.3 mm/s of each.
  constexpr double kBySteps = 0.02;  // [m/s]
  for (const bool by_steps : {false, true})
    for (const TwoRateOptions& rates :
         {TwoRateOptions{.every = 33}, TwoRateOptions{.every = 100, .delay = 40},
          TwoRateOptions{.every = 7, .delay = 90}}) {
      const auto block = between_walls(by_steps);
      LocalPort local(*block, block->port("block"), {}, rates);
      constexpr int kTicks = 2000;
      double brought = 0.0, applied = 0.0, fastest = 0.0;
      long blows = 0;
      const long allocated = test::allocation_count_of_this_thread(),
                 locks = test::lock_count_of_this_thread();
      for (int k = 0; k <= kTicks + rates.every + rates.delay; ++k) {
        local.begin();
        const double now = local.brought()[3];
        brought += now;
        blows += std::abs(now) > kRounding;
        fastest = support::larger(fastest, std::abs(local.motion().V_WP[3]));
        // Nothing more while the last update is made and comes.
        const double F = k < kTicks ? 2.0 * std::sin(0.01 * k) : 0.0;
        applied += 1e-3 * F;
        EXPECT_TRUE(local.step({0, 0, 0, F, 0, 0}).ok());
      }
      EXPECT_EQ(test::allocation_count_of_this_thread(), allocated);
      EXPECT_EQ(test::lock_count_of_this_thread(), locks);
      EXPECT_GT(blows, 5);
      EXPECT_GT(std::abs(brought), 0.5);
      EXPECT_NEAR(local.local().update().motion.V_WP[3], 3.0 + applied / 2.0 + brought,
                  by_steps ? kBySteps : kRounding)
          << rates.every << " " << rates.delay << " " << by_steps;
      EXPECT_LT(fastest, 3.0 + 0.2) << rates.every << " " << rates.delay << " " << by_steps;
    }
}

/// [N] the hand's forces of a run with updates of up to `oldest` ticks, against those of the mechanism
/// itself.
double error_with(const TwoRateOptions& rates, const std::vector<TickRecord>& full, double duration) {
  Scene scene("three_link_chain", "middle", &rates);
  return largest_difference(full, scene.run(duration));
}

/// A run of both threads by the clock, and how well the machine let them run.
struct ByTheClock {
  std::vector<TickRecord> records;
  int oldest = 0, updates = 0;
  control::Fault fault = control::Fault::none;
  bool late() const { return fault == control::Fault::simulation_late || fault == control::Fault::late; }
};
ByTheClock by_the_clock(const TwoRateOptions& rates, double duration) {
  Scene scene("three_link_chain", "middle", &rates);
  ByTheClock made;
  std::vector<TickRecord>& records = made.records;
  records.resize(static_cast<std::size_t>(std::lround(1e3 * duration)));
  const RunReport report =
      run_loop(scene.loop, {.duration = duration, .realtime = true, .watchdog = 0.0}, records);
  made.fault = scene.loop.safety().fault;
  EXPECT_TRUE(made.fault == control::Fault::none || made.late()) << name_of(made.fault);
  records.resize(static_cast<std::size_t>(report.ticks) - (made.fault != control::Fault::none ? 1 : 0));
  for (std::size_t k = 0; k < records.size(); ++k) {
    EXPECT_TRUE(device::finite(records[k].on_handle)) << k;
    made.oldest = support::larger(made.oldest, records[k].age);
    made.updates += k > 0 && records[k].age < records[k - 1].age;
  }
  return made;
}

// No less exact than in simulated time with updates that are older: what a thread adds is their age and nothing
// else.
TEST(TwoRates, InTwoThreadsByTheClockAreAsExactAsTheAgeOfTheirUpdatesAllows) {
  constexpr double kDuration = 0.4;
  const TwoRateOptions rates{.every = 10, .delay = 0, .thread = true};
  Scene one("three_link_chain", "middle", nullptr);
  const std::vector<TickRecord> full = one.run(kDuration);
  // What comes when is the machine's matter: beyond some updates the bound would say little. A machine that is
  // busy at one time is not at another.
  constexpr int kStale = 60, kTries = 3;
  ByTheClock made;
  for (int tries = 0;; ++tries) {
    if (tries == kTries)
      GTEST_SKIP() << "the machine was late " << kTries << " times, at last with updates of up to "
                   << made.oldest << " ticks, " << made.updates << " of them, " << name_of(made.fault);
    made = by_the_clock(rates, kDuration);
    ASSERT_FALSE(HasFailure());
    if (!made.late() && made.oldest <= kStale && made.updates >= 3) break;
  }
  const std::vector<TickRecord>& records = made.records;
  const int oldest = made.oldest;
  // Ticks count, not the clock: the run and its twins see the same hand in the same tick.
  const std::vector<TickRecord> part(full.begin(), full.begin() + static_cast<long>(records.size()));
  const double error = largest_difference(part, records);
  // In this twin no update is ever younger than the oldest one of the threads: in which order those came does not count.
  const double older = error_with({.every = 10, .delay = oldest}, full, kDuration),
               fresh = error_with({.every = 10}, full, kDuration);
  EXPECT_GT(older, 0.0);
  EXPECT_LE(error, older) << "updates of up to " << oldest << " ticks";
  EXPECT_GE(error, 0.1 * fresh);  // a local model was at work
}

/// Ticks of a loop with a thread, not faster than it can follow.
template <class Each>
void tick_beside(Scene& scene, int ticks, const Each& each) {
  for (int k = 0; k < ticks; ++k) {
    scene.device.wait();
    ASSERT_TRUE(scene.loop.tick(1e-3)) << name_of(scene.loop.safety().fault);
    each(scene.loop.record());
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

TEST(TwoRates, WithAThreadUpdatesAreOnTheirWayAsLongAsIsAskedForAndTheLoopNeitherAllocatesNorLocks) {
  constexpr int kDelay = 25;
  const TwoRateOptions rates{.every = 10, .delay = kDelay, .thread = true};
  Scene scene("three_link_chain", "middle", &rates);
  int before = 0, updates = 0, youngest = 1 << 20;
  // From the first tick on: the thread is there since the loop has two rates, and sleeps between ticks are no
  // locks.
  const long allocated = test::allocation_count_of_this_thread(), locks = test::lock_count_of_this_thread();
  tick_beside(scene, 400, [&](const TickRecord& record) {
    if (record.age < before) {
      ++updates;
      youngest = std::min(youngest, record.age);
    }
    before = record.age;
  });
  EXPECT_GT(updates, 10);
  EXPECT_EQ(test::allocation_count_of_this_thread(), allocated);
  EXPECT_EQ(test::lock_count_of_this_thread(), locks);
  EXPECT_GE(youngest, kDelay);
  EXPECT_LT(youngest, kDelay + 60);  // some came as soon as they could: a busy machine's worst
}

// After a run the mechanism is the caller's: its thread has ended.
TEST(TwoRates, ARunThatIsOverLeavesTheMechanismAlone) {
  const TwoRateOptions rates{.every = 10, .delay = 0, .thread = true};
  Scene scene("three_link_chain", "middle", &rates);
  for (int round = 0; round < 3; ++round) {
    run_loop(scene.loop, {.duration = 0.05, .realtime = true, .watchdog = 0.0});
    EXPECT_EQ(scene.device.state(), device::State::off);
    const double t = scene.mechanism->state().t;
    EXPECT_TRUE(scene.mechanism->step({}).ok());
    const double stepped = scene.mechanism->state().t;
    EXPECT_GT(stepped, t);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(scene.mechanism->state().t, stepped);
    scene.loop.clear();  // where a busy machine was late
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!scene.loop.enable() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(scene.device.state(), device::State::enabled);
    int updates = 0, before = 0;
    tick_beside(scene, 100, [&](const TickRecord& record) {
      updates += record.age < before;
      before = record.age;
    });
    EXPECT_GT(updates, 0) << round;
  }
}

// Between two runs the caller may put it elsewhere: the hand takes it where it then is, and nothing that was on
// its way of before is done to it.
TEST(TwoRates, BeginWhereTheMechanismWasPutBetweenTwoRuns) {
  for (const bool thread : {false, true}) {
    const TwoRateOptions rates{.every = 10, .delay = 7, .thread = thread};
    Scene scene("three_link_chain", "middle", &rates);
    const int port = scene.mechanism->port("middle");
    run_loop(scene.loop, {.duration = 0.055, .realtime = thread, .watchdog = 0.0});
    scene.loop.clear();  // where a busy machine was late
    simulate::State state = scene.mechanism->state();
    for (double& q : state.q) q += 0.3;
    for (double& u : state.u) u = 0.0;
    scene.mechanism->set_state(state);
    const math::Vec3<double> where = scene.mechanism->motion(port).X_WP.p;
    const math::Vec3<double> moved = where - scene.loop.record().p_P;
    ASSERT_GT(std::hypot(moved.x, moved.y), 1e-2);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!scene.loop.enable() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // The hand goes on pulling, and its handle moves at 2 cm/s: less than a millimetre in what follows.
    constexpr double kRounding = 1e-12, kPulled = 2e-3;  // [m]
    double near = kRounding;
    tick_beside(scene, 30, [&](const TickRecord& record) {
      ASSERT_NEAR(record.p_P.x, where.x, near) << thread;
      ASSERT_NEAR(record.p_P.y, where.y, near) << thread;
      near = kPulled;
    });
  }
}

bool same_bits(const TickRecord& a, const TickRecord& b) {
  return std::memcmp(&a.on_handle, &b.on_handle, sizeof a.on_handle) == 0 &&
         std::memcmp(&a.on_port, &b.on_port, sizeof a.on_port) == 0 && a.age == b.age;
}

// Told to answer each message in the tick in which it is sent, the simulation does what it does within the
// loop. A message that it took and whose answer was never seen counts, too: it is another path to the same
// tick.
TEST(TwoRates, ToldWhenToAnswerAreTheSameBits) {
  const TwoRateOptions within{.every = 7, .delay = 3}, told{.every = 7, .delay = 3, .told = true};
  Scene one("chain_in_enclosure", "distal", &within), two("chain_in_enclosure", "distal", &told),
      three("chain_in_enclosure", "distal", &told), four("chain_in_enclosure", "distal", &told);
  bool late_differs = false, skipped_differs = false;
  for (std::uint64_t k = 0; k < 700; ++k) {
    const bool due = k > 0 && k % 7 == 0;
    if (due) two.loop.answer({.to = {k}, .count = 1});
    if (k > 7 && k % 7 == 1) three.loop.answer({.to = {k - 1}, .count = 1});  // a tick late
    if (due && k % 14 == 0) four.loop.answer({.to = {k - 7, k}, .count = 2});
    for (Scene* scene : {&one, &two, &three, &four}) {
      ASSERT_TRUE(scene->device.wait());
      ASSERT_TRUE(scene->loop.tick(1e-3)) << k;
    }
    EXPECT_TRUE(same_bits(one.loop.record(), two.loop.record())) << k;
    late_differs |= !same_bits(one.loop.record(), three.loop.record());
    skipped_differs |= !same_bits(one.loop.record(), four.loop.record());
    ASSERT_NE(two.loop.answers(), nullptr);
    EXPECT_EQ(two.loop.answers()->count, due ? 1u : 0u);
    EXPECT_EQ(one.loop.answers(), nullptr);
  }
  EXPECT_TRUE(late_differs);
  EXPECT_TRUE(skipped_differs);
}

// What the loop says of a simulation in a thread is enough to make every tick again, however the thread was
// let run.
TEST(TwoRates, WithAThreadAreMadeAgainFromItsAnswers) {
  const TwoRateOptions threaded{.every = 2, .delay = 3, .thread = true},
      told{.every = 2, .delay = 3, .told = true};
  Scene live("three_link_chain", "distal", &threaded);
  std::vector<TickRecord> records;
  std::vector<SimulationAnswers> answers;
  std::size_t most = 0;
  for (int k = 0; k < 600; ++k) {
    ASSERT_TRUE(live.device.wait());
    if (!live.loop.tick(1e-3))
      break;  // on a machine that is busy the simulation may be late: that is made again, too
    records.push_back(live.loop.record());
    answers.push_back(*live.loop.answers());
    most = support::larger(most, answers.back().count);
    // Fast and slow by turns: answers that nobody saw are among them.
    std::this_thread::sleep_for(std::chrono::microseconds(k / 50 % 2 == 0 ? 200 : 10));
  }
  live.loop.rest();
  EXPECT_GT(most, 0u);
  Scene again("three_link_chain", "distal", &told);
  for (std::size_t k = 0; k < records.size(); ++k) {
    again.loop.answer(answers[k]);
    ASSERT_TRUE(again.device.wait());
    ASSERT_TRUE(again.loop.tick(1e-3)) << k;
    ASSERT_TRUE(same_bits(records[k], again.loop.record())) << k;
  }
}

// What looks at the mechanism is asked for before a thread has it.
TEST(TwoRates, RefuseToLookAtAMechanismThatAThreadMoves) {
  const TwoRateOptions rates{.every = 10, .delay = 0, .thread = true};
  Scene scene("three_link_chain", "middle", &rates);
  EXPECT_THROW(scene.loop.use(control::PrescribedGains{.axes = 1 << 3}), InputError);
  EXPECT_THROW(scene.loop.keep_inertia({0.1, 1.0}), InputError);
  EXPECT_THROW(scene.loop.damp_inside(1.0), InputError);
  try {  // which has nothing to meet here besides
    scene.loop.use(control::ProxyGains{.stiffness = 100.0});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(error.wrong().find("a thread's already"), std::string::npos) << error.wrong();
  }
  tick_beside(scene, 20, [](const TickRecord&) {});
}

TEST(TwoRates, RefuseWhatTheLoopCannotRemember) {
  const auto mechanism =
      contact::open(describe::load(support::source_dir() + "/models/three_link_chain.yaml"), {.step = 1e-3});
  EXPECT_THROW(LocalPort(*mechanism, 0, {}, {.every = 0}), InputError);
  EXPECT_THROW(LocalPort(*mechanism, 0, {}, {.every = 1, .delay = -1}), InputError);
  EXPECT_THROW(LocalPort(*mechanism, 0, {}, {.every = 500, .delay = 500}), InputError);
}

}  // namespace
}  // namespace tactus::display
