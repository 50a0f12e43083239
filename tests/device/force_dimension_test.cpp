// What can be wrong with libdhd and its devices, before the loop and in it.
#include <gtest/gtest.h>

#include <tactus/base/error.h>

#include "fakes/force_dimension_bench.h"

namespace tactus::device {
namespace {

std::string refusal_of(const std::string& name) {
  try {
    (void)open(name, none());
  } catch (const InputError& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  ADD_FAILURE() << name << " was opened";
  return {};
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ForceDimension, SaysThatItsLibraryIsMissingAndHowToNameIt) {
  setenv("TACTUS_LIBDHD", "/no/such/libdhd.so", 1);
  const std::string why = refusal_of("forcedimension");
  EXPECT_TRUE(says(why, "cannot be loaded") && says(why, "TACTUS_LIBDHD")) << why;
}

TEST(ForceDimension, SaysThatALibraryIsAnotherOne) {
  setenv("TACTUS_LIBDHD", "libm.so.6", 1);
  const std::string why = refusal_of("forcedimension");
  EXPECT_TRUE(says(why, "dhdGetSDKVersion") && says(why, "libm.so.6")) << why;
}

TEST(ForceDimension, SaysThatTheVersionIsWrong) {
  test::ForceDimensionBench bench;
  bench.fake().major = 2;
  EXPECT_TRUE(says(refusal_of("forcedimension"), "version 2"));
}

TEST(ForceDimension, SaysThatThereIsNoDeviceInTheLibrarysOwnWords) {
  test::ForceDimensionBench bench;
  bench.fake().devices = 0;
  EXPECT_TRUE(says(refusal_of("forcedimension"), "no device (fake)"));
}

TEST(ForceDimension, ANumberChoosesAmongSeveralAndMustBeOne) {
  test::ForceDimensionBench bench;
  bench.fake().devices = 2;
  EXPECT_EQ(open("forcedimension:1", none())->specification().name, "forcedimension:1");
  EXPECT_EQ(open("dhd:0", none())->specification().name, "forcedimension:0");
  EXPECT_TRUE(says(refusal_of("forcedimension:2"), "no such device (fake)"));
  for (const char* name : {"forcedimension:one", "forcedimension:-1", "forcedimension:1x", "dhd:1000"})
    EXPECT_TRUE(says(refusal_of(name), "number")) << name;
}

TEST(ForceDimension, AWristIsSensedWhereThereIsOneAndMovedWhereItHasMotors) {
  test::ForceDimensionBench bench;
  bench.fake().active_wrist = false;
  EXPECT_EQ(bench.open()->specification().sensed, kAllAxes);
  EXPECT_EQ(bench.open()->specification().actuated, kTranslation);
  bench.fake().wrist = false;
  bench.fake().name = "omega.3";
  EXPECT_EQ(bench.open()->specification().sensed, kTranslation);
  EXPECT_EQ(bench.open()->specification().peak[1], 12.0);
}

TEST(ForceDimension, TooSoonAndSaturatedAreSuccesses) {
  test::ForceDimensionBench bench;
  bench.fake().too_soon = bench.fake().saturated = true;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  ASSERT_TRUE(device->wait());
  EXPECT_TRUE(device->command({.wrench = {0, 0, 0, 1, 0, 0}, .X_WH = {}, .V_WH = {}}));
  EXPECT_EQ(device->state(), State::enabled);
}

TEST(ForceDimension, VelocitiesAreTurnedLikePlaces) {
  test::ForceDimensionBench bench;
  const double v[] = {0.1, 0.2, 0.3}, w[] = {1.0, 2.0, 3.0};  // towards the user, right, up
  std::copy(v, v + 3, bench.fake().v);
  std::copy(w, w + 3, bench.fake().w);
  const auto device = bench.open();
  Sample sample;
  ASSERT_TRUE(device->wait() && device->read(sample));
  EXPECT_EQ(sample.V_WH, (Vector6{2.0, -1.0, 3.0, 0.2, -0.1, 0.3}));
}

TEST(ForceDimension, ABallAtTheFakesHandleGoesWhereItIsPushed) {
  test::ForceDimensionBench bench;
  bench.fake().mass = 0.2;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  Sample sample;
  for (int k = 0; k < 200 && device->wait() && device->read(sample); ++k)
    device->command({.wrench = {0, 0, 0, 2.0, -1.0, 0.5}, .X_WH = {}, .V_WH = {}});
  // x(t) = F/b (t - m/b) once the start has died away (m/b is 40 ms), to first order in the steps.
  const double t = 0.199, way = (t - 0.2 / 5.0) / 5.0;
  EXPECT_NEAR(sample.X_WH.p.x, 2.0 * way, 0.02 * way);
  EXPECT_NEAR(sample.X_WH.p.y, -1.0 * way, 0.02 * way);
  EXPECT_NEAR(sample.X_WH.p.z, 0.5 * way, 0.02 * way);
}

TEST(ForceDimension, IsFoundByTheList) {
  test::ForceDimensionBench bench;
  const auto listed = [] {
    for (const Driver& driver : drivers())
      if (driver.form == "forcedimension[:NUMBER]") return driver;
    return Driver{};
  };
  EXPECT_TRUE(listed().available);
  bench.fake().devices = 0;
  EXPECT_FALSE(listed().available);
  EXPECT_TRUE(says(listed().found, "no device"));
  setenv("TACTUS_LIBDHD", "/no/such/libdhd.so", 1);
  EXPECT_TRUE(says(listed().found, "cannot be loaded"));
}

}  // namespace
}  // namespace tactus::device
