// Times of the last seconds, as the page shows them.
#include <tactus/serve/page/times.h>

#include <gtest/gtest.h>

namespace tactus::serve {
namespace {

/// Bins are a sixteenth of an octave wide.
constexpr double kBin = 0.05;

TEST(RecentTimes, HaveTheirPercentilesWhicheverSecondTheyFellInto) {
  RecentTimes times;
  EXPECT_TRUE(times.summary().is_null());
  for (int i = 1; i <= 10000; ++i) {
    times.add(i * 1000);  // 1 us to 10 ms
    if (i % 2000 == 0) times.turn();
  }
  const nlohmann::ordered_json summary = times.summary();
  EXPECT_NEAR(summary["p50"].get<double>(), 5e-3, kBin * 5e-3);
  EXPECT_NEAR(summary["p99"].get<double>(), 9.9e-3, kBin * 9.9e-3);
  EXPECT_NEAR(summary["p999"].get<double>(), 9.99e-3, kBin * 9.99e-3);
  EXPECT_DOUBLE_EQ(summary["most"].get<double>(), 10e-3);
  long count = 0;
  for (const auto& bin : times.bins()) count += bin[1].get<long>();
  EXPECT_EQ(count, 10000);
}

TEST(RecentTimes, ForgetWhatIsTenSecondsOld) {
  RecentTimes times;
  times.add(5000);
  for (int second = 0; second < 9; ++second) times.turn();
  EXPECT_FALSE(times.summary().is_null());
  times.turn();
  EXPECT_TRUE(times.summary().is_null());
}

}  // namespace
}  // namespace tactus::serve
