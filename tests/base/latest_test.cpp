#include <gtest/gtest.h>

#include <array>
#include <thread>

#include <tactus/base/latest.h>

namespace tactus {
namespace {

TEST(Latest, GivesTheNewestValueOnce) {
  Latest<int> latest(7);
  EXPECT_FALSE(latest.update());
  EXPECT_EQ(latest.front(), 7);
  for (const int value : {1, 2, 3}) {
    latest.back() = value;
    latest.publish();
  }
  EXPECT_TRUE(latest.update());
  EXPECT_EQ(latest.front(), 3);
  EXPECT_FALSE(latest.update());
  EXPECT_EQ(latest.front(), 3);
}

TEST(Latest, NeverShowsHalfAValueOrAnOlderOne) {
  using Value = std::array<int, 64>;
  Latest<Value> latest;
  constexpr int kLast = 20000;
  std::thread writer([&] {
    for (int k = 1; k <= kLast; ++k) {
      latest.back().fill(k);
      latest.publish();
    }
  });
  int seen = 0;
  while (seen != kLast) {
    if (!latest.update()) continue;
    const Value& value = latest.front();
    for (const int x : value) ASSERT_EQ(x, value[0]);
    ASSERT_GT(value[0], seen);
    seen = value[0];
  }
  writer.join();
}

}  // namespace
}  // namespace tactus
