// The live loop by itself: the hand, parameters, snapshots, and every model under a hand that drags without mercy.
#include <tactus/serve/live/bench.h>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <thread>

#include <tactus/describe/read/load.h>
#include <tactus/serve/page/gallery.h>
#include <tactus/serve/page/recording.h>
#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace {

using namespace tactus;
using namespace tactus::serve;
using support::larger;

const Gallery& gallery() {
  static const Gallery models(support::source_dir() + "/models", "");
  return models;
}

/// A model of the gallery as the page opens it.
std::shared_ptr<Work> work_of(const std::string& name) {
  const GalleryEntry* const entry = gallery().find(name);
  EXPECT_NE(entry, nullptr) << name;
  Choice choice;
  choice.weightless = entry->weightless;
  choice.script = entry->script;
  choice.settings = entry->settings;
  if (entry->step > 0.0) choice.step = entry->step;
  auto work = std::make_shared<Work>(describe::load(entry->path, choice.settings), choice);
  work->scene = 1;
  work->mechanism->save(*work->snapshots[0]);
  return work;
}

/// A bench whose ticks the test makes.
struct Still {
  explicit Still(const std::string& name) : work(work_of(name)), bench({.priority = 0, .thread = false}) {
    bench.borrow([&](Bench::Place& place) { place = work; });
    bench.advance(0);
  }
  void send(Command command) {
    command.scene = 1;
    command.arrived = now();
    EXPECT_TRUE(bench.send(command));
  }
  const Picture& picture() {
    work->pictures.update();
    return work->pictures.front();
  }
  Vec3 place_of(int body) {
    const float* const p = picture().poses.data() + 7 * body;
    return {p[0], p[1], p[2]};
  }
  std::shared_ptr<Work> work;
  Bench bench;
};

TEST(Bench, TheHandHoldsAPendulumWhereItsWeightAndTheSpringBalance) {
  Still still("pendulum");
  constexpr double kLength = 1.0;
  const Vec3 tip{0.0, 0.0, -kLength};
  still.send({.kind = Command::Kind::grab, .index = 1, .a = tip, .b = {0.6, 0.0, -0.8}, .sequence = 3});
  still.bench.advance(8000);
  const Picture& seen = still.picture();
  EXPECT_EQ(seen.hand.body, 1);
  EXPECT_EQ(seen.hand.sequence, 3u);
  EXPECT_LT(seen.kinetic, 1e-6) << "it has come to rest";
  // At rest the hand's moment about the pivot is that of the weight.
  const Vec3 r = seen.hand.point, F = seen.hand.force;
  const double m = still.work->masses[1].mass, moment = r.z * F.x - r.x * F.z, weight = m * 9.81;
  const Vec3 com = (1.0 / kLength) * r;
  const double lever = com.x * kLength;
  constexpr double kRest = 1e-3;
  EXPECT_NEAR(moment, -lever * weight, kRest * weight);
  still.send({.kind = Command::Kind::release});
  still.bench.advance(1);
  EXPECT_EQ(still.picture().hand.body, -1);
}

TEST(Bench, CommandsForAnotherSceneAreDropped) {
  Still still("four_bar");
  Command grab{.kind = Command::Kind::grab, .index = 1};
  grab.scene = 2;
  still.bench.send(grab);
  still.bench.advance(1);
  EXPECT_EQ(still.picture().hand.body, -1);
}

TEST(Bench, TheSpringIsStableAtItsPassiveLimitOnEveryBody) {
  for (const char* name : {"four_bar", "puma560", "stewart_platform", "rolling_disk", "chain_30"}) {
    Still still(name);
    for (std::size_t b = 1; b < still.work->port_of_body.size(); b += 3) {
      if (!(still.work->masses[b].mass > 0.0)) continue;
      still.send({.kind = Command::Kind::reset});
      still.send({.kind = Command::Kind::grab,
                  .index = static_cast<int>(b),
                  .b = still.place_of(static_cast<int>(b))});
      still.bench.advance(1);
      const double limit = still.picture().hand.limit;
      still.send({.kind = Command::Kind::coupling, .a = {limit, 1.0, 0.0}});
      still.bench.advance(200);
      const double early = still.picture().kinetic;
      still.bench.advance(2000);
      EXPECT_EQ(still.picture().hand.body, static_cast<int>(b)) << name << ": the hand was not opened";
      EXPECT_LT(still.picture().kinetic, early + 10.0 * still.work->heavy) << name;
    }
  }
}

TEST(Bench, ParametersChangeAndComeBack) {
  Still still("double_pendulum");
  const double value = still.work->initial_parameters[0];
  still.send({.kind = Command::Kind::parameter, .index = 0, .value = 2.0 * value});
  still.bench.advance(10);
  EXPECT_EQ(still.picture().parameters[0], 2.0 * value);
  still.send({.kind = Command::Kind::parameter, .index = 0, .value = std::nan("")});
  still.bench.advance(10);
  EXPECT_EQ(still.picture().parameters[0], 2.0 * value);
  still.send({.kind = Command::Kind::parameters_reset});
  still.bench.advance(1);
  EXPECT_EQ(still.picture().parameters[0], value);
}

TEST(Bench, SnapshotsBringTheSameBitsBack) {
  Still still("newtons_cradle");
  still.bench.advance(500);
  still.send({.kind = Command::Kind::save, .index = 3});
  still.bench.advance(700);
  const simulate::State first = still.work->mechanism->state();
  still.send({.kind = Command::Kind::load, .index = 3});
  still.bench.advance(700);
  EXPECT_EQ(still.work->mechanism->state().q, first.q);
  EXPECT_EQ(still.work->mechanism->state().u, first.u);
}

TEST(Bench, AMotionThatCannotGoOnGoesBackAndSaysSo) {
  // A torque without bound at t = 0.6: wherever it goes back to, it comes there again.
  const GalleryEntry* const entry = gallery().find("pendulum");
  Choice choice;
  choice.script = "tau: {q: 1/(0.6 - t)^4}";
  auto work = std::make_shared<Work>(describe::load(entry->path), choice);
  work->mechanism->save(*work->snapshots[0]);
  Bench bench({.priority = 0, .thread = false});
  bench.borrow([&](Bench::Place& place) { place = work; });
  bench.advance(4000);
  int back = 0, faults = 0;
  double farthest = 0.0;
  for (; const Happening* h = work->happenings.front(); work->happenings.pop()) {
    back += h->kind == Happening::Kind::went_back;
    faults += h->kind == Happening::Kind::fault;
    if (h->kind == Happening::Kind::went_back) {
      EXPECT_NE(h->bits, 0u);
      EXPECT_GE(h->value, farthest) << "further and further";
      farthest = h->value;
    }
  }
  EXPECT_GE(back, 3);
  EXPECT_EQ(faults, 1) << "and in the end it stops";
  work->pictures.update();
  EXPECT_TRUE(work->pictures.front().faulted);
  ASSERT_TRUE(work->faults.update());
  EXPECT_NE(work->faults.front().why, "");
}

TEST(Bench, ACoinThatFallsFlatDoesNotEndIt) {
  Still still("rolling_coin");
  // The coin falls over, and lies where its equations end.
  for (int i = 0; i < 40; ++i) {
    still.send({.kind = Command::Kind::push, .index = 1, .a = {0.05, 0.0, -0.2}, .b = {0.01, 0.0, 0.0}});
    still.bench.advance(100);
  }
  EXPECT_FALSE(still.picture().faulted);
  EXPECT_GT(still.picture().t, 0.1);
}

TEST(Bench, WhatWasRecordedIsMadeAgainBitForBit) {
  Still still("newtons_cradle");
  simulate::Mechanism& mechanism = *still.work->mechanism;
  RecordingInProgress recording;
  Recorded& r = recording.recorded;
  r.text = [] {
    std::ifstream file(support::source_dir() + "/models/newtons_cradle.yaml");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  r.file = "newtons_cradle.yaml";
  r.choice = still.work->choice;
  r.start = mechanism.state();
  for (std::size_t i = 0; i < mechanism.constraints().size(); ++i)
    r.active.push_back(mechanism.is_active(static_cast<int>(i)));
  still.bench.borrow([&](Bench::Place& place) {
    place_at_start(mechanism, r.start, {}, {}, r.active);
    place->record_from_here = true;
  });
  const auto drain = [&] {
    for (; const TickInputs* inputs = still.work->inputs.front(); still.work->inputs.pop())
      recording.add(*inputs);
  };
  still.send(
      {.kind = Command::Kind::grab, .index = 1, .a = still.work->masses[1].com, .b = still.place_of(1)});
  for (int i = 0; i < 20; ++i) {
    still.send({.kind = Command::Kind::move, .a = {i % 4 < 2 ? -0.3 : 0.1, 0.0, -0.1}});
    still.bench.advance(100);
    drain();
  }
  ASSERT_FALSE(recording.full);
  ASSERT_EQ(r.ticks, 2000) << "nothing ended it";
  ASSERT_GT(mechanism.books().impacts, 5);
  r.seen_tick = r.ticks;
  r.seen_q = mechanism.state().q;
  r.seen_u = mechanism.state().u;
  const Recorded read = read_recording(recording_text(r), "memory");
  const Repeated again = repeat(read, [](long, Work&, std::span<const double>) {});
  EXPECT_EQ(again.ticks, r.ticks);
  EXPECT_TRUE(again.compared);
  EXPECT_TRUE(again.same) << again.worst;
}

TEST(Bench, TheLoopTakesNoMemory) {
  auto work = work_of("four_bar");
  Bench bench({.priority = 0});
  bench.borrow([&](Bench::Place& place) { place = work; });
  bench.send({.kind = Command::Kind::grab, .scene = 1, .index = 2, .b = {0.2, 0.0, 0.2}, .arrived = now()});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  work->pictures.update();
  const long ticks = work->pictures.front().ticks;
  const long before = tactus::test::allocation_count();
  for (int i = 0; i < 20; ++i) {
    bench.send({.kind = Command::Kind::move, .scene = 1, .a = {0.1 * (i % 3), 0.0, 0.3}, .arrived = now()});
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(tactus::test::allocation_count(), before);
  work->pictures.update();
  EXPECT_GT(work->pictures.front().ticks, ticks);
  EXPECT_EQ(work->pictures.front().hand.body, 2);
}

TEST(Bench, LendsTheMechanismAndGoesOn) {
  Bench bench({.priority = 0});
  EXPECT_EQ(bench.work(), nullptr);
  auto work = work_of("pendulum");
  bench.borrow([&](Bench::Place& place) { place = work; });
  EXPECT_THROW(bench.borrow([](Bench::Place&) { throw std::runtime_error("no"); }), std::runtime_error);
  bench.borrow([&](Bench::Place& place) { EXPECT_EQ(place, work); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  work->pictures.update();
  EXPECT_GT(work->pictures.front().ticks, 10);
}

/// A hand that takes bodies at random and throws the cursor about, three times the mechanism's size to all sides.
class Dragged : public testing::TestWithParam<std::string> {};

std::vector<std::string> all_models() {
  std::vector<std::string> names;
  for (const GalleryEntry& entry : gallery().entries()) names.push_back(entry.name);
  return names;
}

TEST_P(Dragged, KeepsItsConstraintsAndGoesOn) {
  constexpr double kHeld = 1e-6, kHeldByStepping = 1e-4;  // [m or rad], as the live page promises
  constexpr int kBodies = 6, kThrows = 12;
  constexpr double kBetween = 0.03;  // [s] between two throws
  Still still(GetParam());
  const bool large = still.work->port_of_body.size() > 60;
  const long ticks = std::lround(kBetween / still.work->choice.step);
  std::mt19937 random(7);
  const auto between = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  std::vector<int> bodies;
  for (std::size_t b = 1; b < still.work->masses.size(); ++b)
    if (still.work->masses[b].mass > 0.0) bodies.push_back(static_cast<int>(b));
  ASSERT_FALSE(bodies.empty());
  const double R = still.work->radius;
  double force = 0.0;
  for (int i = 0; i < (large ? 2 : kBodies); ++i) {
    const int body = bodies[std::uniform_int_distribution<std::size_t>(0, bodies.size() - 1)(random)];
    const Vec3 at = still.place_of(body);
    still.send({.kind = Command::Kind::grab,
                .index = body,
                .a = still.work->masses[static_cast<std::size_t>(body)].com,
                .b = at});
    for (int k = 0; k < kThrows; ++k) {
      still.send({.kind = Command::Kind::move,
                  .a = at + Vec3{between(-3, 3) * R, between(-3, 3) * R, between(-3, 3) * R},
                  .b = k % 3 == 2 ? Vec3{between(-1, 1), between(-1, 1), between(-1, 1)} : Vec3{}});
      still.bench.advance(ticks);
      const Vec3 F = still.picture().hand.force;
      force = larger(force, std::sqrt(dot(F, F)));
    }
    still.send({.kind = Command::Kind::release});
    still.bench.advance(ticks);
    ASSERT_FALSE(still.picture().faulted) << (still.work->faults.update(), still.work->faults.front().why);
  }
  EXPECT_GT(force, 0.0) << "it was felt";
  const double limit =
      still.work->mechanism->kind() == simulate::EngineKind::stepping ? kHeldByStepping : kHeld;
  EXPECT_LT(still.picture().worst_position, limit);
}

INSTANTIATE_TEST_SUITE_P(EveryModel, Dragged, testing::ValuesIn(all_models()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

// From the ground's origin to the mass centre two metres below: a ball of one metre.
TEST(Work, IsAsLargeAsWhatItHolds) {
  const Work work(
      describe::load_text("name: x\nbodies:\n  b: {mass: 1, com: [0, 0, -2], inertia: [1, 1, 1]}\n"
                          "joints:\n  q: {type: revolute, parent: world, child: b, axis: y}\n",
                          "x.yaml"),
      {});
  EXPECT_NEAR(work.radius, 1.0, 1e-9);
}

}  // namespace
