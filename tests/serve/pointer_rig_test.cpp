// The page's cursor as a device of the haptic loop, on a bench whose ticks the test makes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <tactus/describe/read/load.h>
#include <tactus/serve/live/bench.h>
#include <tactus/serve/live/rig.h>

#include <tactus/serve/page/gallery.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace {

using namespace tactus;
using namespace tactus::serve;
using support::larger;

struct Pointed {
  explicit Pointed(const std::string& model, const std::string& device = "pointer",
                   const std::string& controller = "coupler", bool weightless = false)
      : Pointed(describe::load(support::source_dir() + "/models/" + model + ".yaml"),
                {.weightless = weightless, .device = device, .controller = controller}) {}
  Pointed(const describe::Model& model, const Choice& choice)
      : work(std::make_shared<Work>(model, choice)), bench({.priority = 0, .thread = false}) {
    work->scene = 1;
    work->mechanism->save(*work->snapshots[0]);
    for (const simulate::Port& port : work->mechanism->ports())
      if (work->rig != nullptr && work->rig->is_held_at(port.body)) body = port.body;
    bench.borrow([&](Bench::Place& place) { place = work; });
    bench.advance(0);
  }
  void send(Command command) {
    command.scene = 1;
    command.arrived = now();
    EXPECT_TRUE(bench.send(command));
  }
  Vec3 origin() { return work->mechanism->motion(work->port_of_body[static_cast<std::size_t>(body)]).X_WP.p; }
  void grab() {
    target = origin();
    send({.kind = Command::Kind::grab, .index = body, .b = target});
  }
  void move(const Vec3& way, const Vec3& turn = {}) {
    send({.kind = Command::Kind::move, .a = target + way, .b = turn});
  }
  const Picture& picture() {
    work->pictures.update();
    return work->pictures.front();
  }
  const display::TickRecord& record() const { return work->rig->record(); }
  std::string fault() {
    if (!work->faults.update()) return "";
    return work->faults.front().what + ": " + work->faults.front().why;
  }
  std::shared_ptr<Work> work;
  Bench bench;
  int body = -1;
  Vec3 target{};
};

double size_of(const Vec3& v) { return std::sqrt(dot(v, v)); }

TEST(PointerRig, NobodyHoldsItAtFirstAndTheMechanismFallsAsEver) {
  Pointed pointed("double_pendulum"), bare("double_pendulum", "mouse");
  pointed.bench.advance(500);
  bare.bench.advance(500);
  EXPECT_EQ(pointed.record().stage, control::Stage::off);
  EXPECT_FALSE(pointed.picture().has_handle);
  EXPECT_EQ(pointed.work->mechanism->state().q, bare.work->mechanism->state().q);  // to the bit
  EXPECT_EQ(pointed.fault(), "");
}

// At rest the loop's force carries the weight of both links, by whatever controller, and the handle is where the cursor is.
TEST(PointerRig, TheCursorHoldsTheMechanismThroughTheHapticLoop) {
  for (const char* const controller : {"coupler", "impedance", "penalties"}) {
    Pointed pointed("double_pendulum", "pointer", controller, true);
    pointed.grab();
    pointed.bench.advance(300);  // the ramp is over
    ASSERT_EQ(pointed.record().stage, control::Stage::on) << controller << pointed.fault();
    EXPECT_TRUE(pointed.picture().has_handle);
    double hardest = 0.0, fastest = 0.0;
    const Vec3 before = pointed.record().p_P, from = pointed.work->rig->handle().p;
    for (int k = 0; k < 60; ++k) {  // a second, 60 events
      pointed.move({0.003 * k, 0.0, 0.002 * k});
      pointed.bench.advance(16);
      ASSERT_NE(pointed.record().stage, control::Stage::faulted) << controller << ": " << pointed.fault();
      hardest = larger(hardest, size_of(pointed.picture().hand.force));
      const device::Vector6& V = pointed.record().V_H;
      fastest = larger(fastest, size_of({V[3], V[4], V[5]}));
    }
    EXPECT_EQ(pointed.picture().hand.body, pointed.body);
    const Vec3 handle = pointed.work->rig->handle().p;
    EXPECT_NEAR(handle.x, from.x + 0.177, 0.02) << controller;  // it is behind by the filter
    EXPECT_NEAR(handle.z, from.z + 0.118, 0.02) << controller;
    EXPECT_GT(pointed.record().p_P.x, before.x + 0.1) << controller;  // the port comes along
    EXPECT_GT(hardest, 0.1) << controller;
    EXPECT_LT(fastest, 0.5) << controller;  // 0.22 m/s of the cursor, without its steps
    pointed.send({.kind = Command::Kind::release});
    pointed.bench.advance(1);
    EXPECT_EQ(pointed.record().on_handle, device::Vector6{});
    EXPECT_EQ(pointed.record().on_port, device::Vector6{});
    EXPECT_EQ(pointed.record().stage, control::Stage::off);
    EXPECT_FALSE(pointed.picture().has_handle);
    pointed.bench.advance(100);
    EXPECT_EQ(pointed.fault(), "");
  }
}

// The page's other hand, which holds a simulated device: at 50 Hz one of a turning stiffness of 8 N m/rad is borne.
TEST(PointerRig, AHandThatIsChosenIsBorneAtAnyStep) {
  for (const double step : {1e-3, 2e-2})
    for (const char* device : {"simulated:spatial", "simulated:admittance", "simulated:cobot"})
      EXPECT_NO_THROW(Pointed(describe::load(support::source_dir() + "/models/shopping_cart.yaml"),
                              {.step = step, .device = device, .hand = "hold"}))
          << device << step;
}

TEST(PointerRig, ItBeginsWithoutForceWhereverItIsTakenAgain) {
  Pointed pointed("double_pendulum");
  for (int again = 0; again < 4; ++again) {
    pointed.bench.advance(137);
    pointed.grab();
    pointed.bench.advance(1);
    ASSERT_EQ(pointed.record().stage, control::Stage::ramping) << pointed.fault();
    EXPECT_LT(size_of(pointed.picture().hand.force), 0.5) << again;  // of the ramp's first millisecond
    pointed.move({0.05, 0.0, 0.05});
    pointed.bench.advance(300);
    ASSERT_EQ(pointed.record().stage, control::Stage::on) << pointed.fault();
    EXPECT_GT(size_of(pointed.picture().hand.force), 1.0);
    pointed.send({.kind = Command::Kind::release});
  }
}

TEST(PointerRig, AnotherBodyIsPulledByThePagesOwnHand) {
  Pointed pointed("double_pendulum");
  const int other = pointed.body == 1 ? 2 : 1;
  pointed.send({.kind = Command::Kind::grab, .index = other, .b = {0.3, 0.0, -0.3}});
  pointed.bench.advance(100);
  EXPECT_EQ(pointed.record().stage, control::Stage::off);
  EXPECT_EQ(pointed.picture().hand.body, other);
  EXPECT_GT(size_of(pointed.picture().hand.force), 0.1);
}

TEST(PointerRig, ItTurnsABodyAsTheHandTurns) {
  Pointed pointed("rigid_body", "pointer:turning", "coupler", true);
  pointed.grab();
  pointed.bench.advance(1000);
  const math::Mat3<double> before =
      pointed.work->mechanism->motion(pointed.work->port_of_body[static_cast<std::size_t>(pointed.body)])
          .X_WP.R;
  for (int k = 1; k <= 60; ++k) {
    pointed.move({}, {0.0, 0.0, 0.01 * k});
    pointed.bench.advance(16);
  }
  pointed.bench.advance(1000);
  ASSERT_EQ(pointed.record().stage, control::Stage::on) << pointed.fault();
  EXPECT_NEAR(math::rotation_vector(pointed.work->rig->handle().R).z, 0.6, 1e-9);
  // The body has turned with it.
  const math::Mat3<double> R =
      pointed.work->mechanism->motion(pointed.work->port_of_body[static_cast<std::size_t>(pointed.body)])
          .X_WP.R;
  EXPECT_NEAR(math::rotation_vector(R * before.transposed()).z, 0.6, 0.01);
}

struct Ending {
  const char* name;
  Command last;
  const char* said;
};

// In the very next tick: no force, neither on the handle nor on the port, the device off, and the reason in words.
TEST(PointerRig, APageThatIsGoneOrTalksNonsenseEndsInTheSafeState) {
  const double kNaN = std::nan(""), kInf = std::numeric_limits<double>::infinity();
  const Ending endings[] = {
      {"gone", {.kind = Command::Kind::release, .value = 1.0}, "the page was closed"},
      {"nan", {.kind = Command::Kind::move, .a = {kNaN, 0.0, 0.0}}, "no place of a cursor"},
      {"inf", {.kind = Command::Kind::move, .a = {0.0, 0.0, -kInf}}, "no place of a cursor"},
      {"far", {.kind = Command::Kind::move, .a = {1e9, 0.0, 0.0}}, "no place of a cursor"},
      {"turn", {.kind = Command::Kind::move, .a = {}, .b = {0.0, kNaN, 0.0}}, "no place of a cursor"}};
  for (const Ending& ending : endings)
    for (const int ticks : {0, 1, 2, 40, 300}) {
      Pointed pointed("double_pendulum");
      pointed.grab();
      pointed.move({0.1, 0.0, 0.1});
      pointed.bench.advance(ticks);
      pointed.send(ending.last);
      pointed.bench.advance(1);
      ASSERT_EQ(pointed.record().stage, control::Stage::faulted) << ending.name << " after " << ticks;
      ASSERT_EQ(pointed.record().fault, control::Fault::no_sample) << ending.name;
      ASSERT_EQ(pointed.record().on_handle, device::Vector6{});
      ASSERT_EQ(pointed.record().on_port, device::Vector6{});
      EXPECT_TRUE(pointed.picture().faulted);
      const std::string said = pointed.fault();
      EXPECT_NE(said.find(ending.said), std::string::npos) << said;
      // Only by clearing, and by taking it again: from nothing.
      pointed.bench.advance(10);
      EXPECT_EQ(pointed.record().stage, control::Stage::faulted);
      pointed.send({.kind = Command::Kind::clear_fault});
      pointed.bench.advance(10);
      EXPECT_EQ(pointed.record().stage, control::Stage::off);
      pointed.grab();
      pointed.bench.advance(1);
      EXPECT_EQ(pointed.record().stage, control::Stage::ramping) << pointed.fault();
      EXPECT_LT(size_of(pointed.picture().hand.force), 0.5);
    }
}

// What ends a run is said by the loop; of the mechanism only where that failed.
TEST(PointerRig, AFaultOfTheLoopIsNotLaidToTheMechanismsInput) {
  Pointed pointed("rigid_body");
  pointed.grab();
  pointed.bench.advance(20);
  simulate::State far = pointed.work->mechanism->state();
  far.q[0] += 1e3;
  pointed.work->mechanism->set_state(far);
  pointed.bench.advance(1);
  ASSERT_EQ(pointed.record().fault, control::Fault::apart) << name_of(pointed.record().fault);
  // With how far it is, and may be.
  const std::string said = pointed.fault(), meaning(control::meaning_of(control::Fault::apart));
  EXPECT_TRUE(said.starts_with(meaning + " (1000 m, ")) << said;
  EXPECT_TRUE(said.ends_with(" m is the limit): ")) << said;
}

TEST(PointerRig, AllocatesNothingInTheLoop) {
  Pointed pointed("double_pendulum");
  pointed.grab();
  pointed.bench.advance(5);
  const long before = tactus::test::allocation_count_of_this_thread();
  pointed.move({0.05, 0.0, 0.0});
  pointed.bench.advance(50);
  pointed.send({.kind = Command::Kind::release});
  pointed.bench.advance(5);
  pointed.grab();
  pointed.bench.advance(5);
  EXPECT_EQ(tactus::test::allocation_count_of_this_thread(), before);
  EXPECT_EQ(pointed.record().stage, control::Stage::ramping) << pointed.fault();
}

// ---- every model of the gallery, as the page opens it

const Gallery& gallery() {
  static const Gallery models(support::source_dir() + "/models", "");
  return models;
}

class EveryModelPointed : public testing::TestWithParam<std::string> {};

// Led round a third of its size within two seconds, by steps of 60 Hz, by the coupler.
TEST_P(EveryModelPointed, IsLedByTheCursor) {
  const GalleryEntry* const entry = gallery().find(GetParam());
  ASSERT_NE(entry, nullptr);
  Choice choice;
  choice.weightless = entry->weightless;
  choice.script = entry->script;
  choice.settings = entry->settings;
  if (entry->step > 0.0) choice.step = entry->step;
  choice.device = "pointer";
  Pointed pointed(describe::load(entry->path, choice.settings), choice);
  ASSERT_GT(pointed.body, 0);
  const double size = pointed.work->radius / 3.0, T = choice.step;
  const control::SafetyLimits limits = pointed.work->rig->limits();
  pointed.bench.advance(static_cast<long>(0.1 / T));
  pointed.grab();
  double hardest = 0.0;
  for (int k = 0; k < 120; ++k) {
    const double s = 2.0 * 3.14159265358979 * k / 120.0;
    pointed.move({size * std::sin(s), 0.0, size * (1.0 - std::cos(s))});
    for (long tick = 0; tick < static_cast<long>(1.0 / (60.0 * T)); ++tick) {
      pointed.bench.advance(1);
      const display::TickRecord& record = pointed.record();
      ASSERT_NE(record.stage, control::Stage::faulted) << k << ": " << pointed.fault();
      ASSERT_TRUE(device::finite(record.on_handle) && device::finite(record.on_port)) << k;
      hardest = larger(hardest, size_of({record.on_handle[3], record.on_handle[4], record.on_handle[5]}));
    }
  }
  constexpr double kRounding = 1.0 + 1e-9;
  EXPECT_LE(hardest, kRounding * limits.force[1]);
  EXPECT_GT(hardest, 1e-3 * limits.force[1]);  // it is felt
}

std::vector<std::string> all_models() {
  std::vector<std::string> names;
  for (const GalleryEntry& entry : gallery().entries()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(EveryModel, EveryModelPointed, testing::ValuesIn(all_models()),
                         [](const auto& info) { return info.param; });

}  // namespace
