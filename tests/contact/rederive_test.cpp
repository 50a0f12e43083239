// The cache of code, and the thread that fills it.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include <tactus/contact/rederive/rederive.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"

namespace tactus::contact {
namespace {

constexpr const char* kModel = R"(
name: two_link
bodies:
  upper: {mass: 1, com: [0.2, 0, 0], inertia: [0.1, 0.2, 0.25]}
  fore: {mass: 0.8, com: [0.1, 0, 0], inertia: [0.1, 0.15, 0.2]}
joints:
  q1: {type: revolute, parent: world, child: upper, axis: y}
  q2: {type: revolute, parent: upper, child: fore, axis: y, placement: {xyz: [0.5, 0, 0]}}
constraints:
  c0: {type: lock, joint: q1, active: false}
  c1: {type: lock, joint: q2, active: false}
)";

const ContactModel& contact_model() {
  static const ContactModel result = [] {
    describe::Model model = describe::load_text(kModel, "two_link");
    describe::ContactPair pair;
    pair.body_a = 0;
    pair.body_b = 2;
    model.contact.pairs.push_back(pair);
    return ContactModel(model);
  }();
  return result;
}

/// Set number k of many: rows on and off, and a point on a plane whose numbers are known or not.
SetKey key_of(unsigned k) {
  SetForm set;
  std::vector<TouchNumbers<double>> numbers;
  if ((k & 1) != 0) set.rows.push_back(0);
  if ((k & 2) != 0) {
    set.touches.push_back({{collide::FeaturePair::plane_point, false}, 0, 2, Part::smooth, 0});
    TouchNumbers<double> touch{
        {{0, 0, 0}, {0, 0, 1}, 0}, {{0.3, 0, 0}, {0, 0, 1}, 0}, {1, 0, 0}, {1, 0}, 0.3, 0, 0, 0};
    for (unsigned bit = 0; bit < 5; ++bit)
      if ((k >> (2 + bit) & 1) != 0) (bit < 3 ? touch.a.p[bit] : touch.b.p[bit - 2]) = 0.7;
    numbers.push_back(touch);
  }
  SetKey key;
  EXPECT_TRUE(make_key(set, numbers, key));
  return key;
}

/// 2 sets without the touch, 64 with it.
std::vector<SetKey> many_keys() {
  std::vector<SetKey> keys{key_of(0), key_of(1)};
  for (unsigned k = 0; k < 128; ++k)
    if ((k & 2) != 0) keys.push_back(key_of(k));
  return keys;
}

TEST(Rederiver, MakesWhatIsAskedForOnce) {
  Rederiver rederiver(contact_model());
  const std::vector<SetKey> keys = many_keys();
  for (int round = 0; round < 3; ++round)
    for (const SetKey& key : keys) rederiver.find(key);
  rederiver.finish();
  const RederiveStatistics statistics = rederiver.statistics();
  EXPECT_EQ(statistics.made, static_cast<long>(keys.size()));
  EXPECT_EQ(statistics.refused, 0);
  EXPECT_GT(statistics.derive_total, 0.0);
  EXPECT_GT(statistics.bytes, 0U);
  for (const SetKey& key : keys) {
    const SetCode* code = rederiver.find(key);
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(code->rows, row_count(form_of(key)));
  }
}

TEST(Rederiver, AnswersManyThreads) {
  Rederiver rederiver(contact_model());
  const std::vector<SetKey> keys = many_keys();
  const auto ask_until_ready = [&](std::size_t start) {
    std::size_t ready = 0;
    while (ready < keys.size()) {
      ready = 0;
      for (std::size_t k = 0; k < keys.size(); ++k)
        if (const SetCode* code = rederiver.find(keys[(start + k) % keys.size()]); code != nullptr)
          ready += code->accelerations.input_size() > 0;
      std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) threads.emplace_back(ask_until_ready, 20 * t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(rederiver.statistics().made, static_cast<long>(keys.size()));
}

TEST(Rederiver, AsksAndFindsWithoutMemory) {
  Rederiver rederiver(contact_model());
  const std::vector<SetKey> keys = many_keys();
  const long before = test::allocation_count_of_this_thread();
  for (const SetKey& key : keys) rederiver.find(key);
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  rederiver.finish();
  const long later = test::allocation_count_of_this_thread();
  for (const SetKey& key : keys) EXPECT_NE(rederiver.find(key), nullptr);
  EXPECT_EQ(test::allocation_count_of_this_thread(), later);
}

TEST(Rederiver, RefusesWhatNoLongerFits) {
  Rederiver rederiver(contact_model(), {.most_sets = 5});
  const std::vector<SetKey> keys = many_keys();
  for (const SetKey& key : keys) rederiver.find(key);
  rederiver.finish();
  EXPECT_EQ(rederiver.statistics().made, 5);
  EXPECT_EQ(rederiver.statistics().no_place, static_cast<long>(keys.size()) - 5);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NE(rederiver.find(keys[k]), nullptr) << "what was made is kept";
}

TEST(Rederiver, EndsWhileSetsAreWaiting) {
  for (int round = 0; round < 5; ++round) {
    Rederiver rederiver(contact_model());
    for (const SetKey& key : many_keys()) rederiver.find(key);
  }
}

TEST(Rederiver, MakesAtOnceWhereAskedTo) {
  Rederiver rederiver(contact_model(), {.when = RederiveOptions::When::at_once});
  EXPECT_NE(rederiver.find(key_of(3)), nullptr);
  EXPECT_EQ(rederiver.statistics().made, 1);
}

}  // namespace
}  // namespace tactus::contact
