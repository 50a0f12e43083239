// A recorded motion as a device.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <tactus/base/error.h>
#include <tactus/device/drivers/recorded.h>
#include <tactus/math/rotation_vector.h>

#include "support/allocations.h"

namespace tactus::device {
namespace {

/// A file of this test's own.
class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("tactus_recorded_" + std::to_string(getpid()) + ".csv")) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  std::string name() const { return "file:" + path_.string(); }

 private:
  std::filesystem::path path_;
};

constexpr const char* kThree =
    "t,handle_x,handle_y,handle_z,stage\n"
    "5,0.1,0.2,0.3,off\n"
    "5.01,0.1,0.3,0.3,on\n"
    "5.02,0.3,0.3,0.3,on\n";

TEST(Recorded, PlaysItsRowsAtItsOwnRateAndThenStandsStill) {
  const File file(kThree);
  const auto device = open(file.name(), none());
  EXPECT_EQ(device->specification().name, file.name());
  EXPECT_DOUBLE_EQ(device->specification().rate, 100.0);
  Sample sample;
  EXPECT_FALSE(device->read(sample));
  const double x[] = {0.1, 0.1, 0.3, 0.3, 0.3}, y[] = {0.2, 0.3, 0.3, 0.3, 0.3}, vx[] = {0, 0, 20, 0, 0};
  for (std::size_t k = 0; k < 5; ++k) {
    ASSERT_TRUE(device->wait() && device->read(sample));
    EXPECT_EQ(sample.number, k + 1);
    EXPECT_DOUBLE_EQ(sample.t, 0.01 * static_cast<double>(k));
    EXPECT_NEAR(sample.X_WH.p.x, x[k], 1e-12);  // rounding of the times
    EXPECT_NEAR(sample.X_WH.p.y, y[k], 1e-12);
    EXPECT_NEAR(sample.V_WH[3], vx[k], 1e-9);
  }
}

TEST(Recorded, AnotherRateGoesTheSameWay) {
  const File file(kThree);
  const auto device = open(file.name(), none(), {.rate = 400.0});
  Sample sample;
  for (int k = 0; k <= 6; ++k) ASSERT_TRUE(device->wait() && device->read(sample));
  EXPECT_NEAR(sample.X_WH.p.x, 0.2, 1e-12);  // half way at 15 ms
}

TEST(Recorded, TakesCommandsWhileItIsEnabledAndGoesItsWay) {
  const File file(kThree);
  const auto device = open(file.name(), none()), alone = open(file.name(), none());
  Sample one, two;
  EXPECT_FALSE(device->command({}));
  device->enable();
  const long before = tactus::test::allocation_count_of_this_thread();
  for (int k = 0; k < 4; ++k) {
    ASSERT_TRUE(device->wait() && device->read(one) && alone->wait() && alone->read(two));
    EXPECT_TRUE(device->command({.wrench = {0, 0, 0, 5, 5, 5}, .X_WH = {}, .V_WH = {}}));
    EXPECT_EQ(std::memcmp(&one.X_WH, &two.X_WH, sizeof one.X_WH), 0);
  }
  EXPECT_FALSE(device->command({.wrench = {0, 0, 0, NAN, 0, 0}, .X_WH = {}, .V_WH = {}}));
  EXPECT_EQ(tactus::test::allocation_count_of_this_thread(), before);
}

TEST(Recorded, SaysInWhichLineAFileIsNoRecording) {
  const std::pair<const char*, const char*> kBad[] = {
      {"", "empty"},
      {"t,handle_x,handle_y\n0,1,2\n", "`handle_z`"},
      {"t,handle_x,handle_y,handle_z\n0,1,2,3\n", "1 rows"},
      {"t,handle_x,handle_y,handle_z\n0,1,2,3\n1,1,2\n", ":3: error: 3 fields"},
      {"t,handle_x,handle_y,handle_z\n0,1,2,3\n1,1,x,3\n", ":3: error: column `handle_y` has `x`"},
      {"t,handle_x,handle_y,handle_z\n0,1,2,3\n1,1,nan,3\n", "`nan`"},
      {"t,handle_x,handle_y,handle_z\n0,1,2,3\n1,1,inf,3\n", "`inf`"},
      {"t,handle_x,handle_y,handle_z\n0,1,2,3\n0,1,2,3\n", ":3: error: time goes"},
  };
  for (const auto& [text, why] : kBad) {
    try {
      parse_recording(text, "run.csv");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(parse_recording("t,handle_x,handle_y,handle_z\r\n0,1,2,3\r\n1,1,2,3\r\n", "").t.size(), 2u);
}

// A quarter of a turn about z, and a wheel has no place that changes.
TEST(Recorded, GivesTurningBackAndAWheelOnlyTurns) {
  const File file(
      "t,handle_x,handle_y,handle_z,handle_qw,handle_qx,handle_qy,handle_qz\n"
      "0,0,0,0,1,0,0,0\n"
      "0.01,0,0,0,0.7071067811865476,0,0,0.7071067811865476\n"
      "0.02,0,0,0,0.7071067811865476,0,0,0.7071067811865476\n");
  const auto device = open(file.name(), none(), {.rate = 200.0});
  EXPECT_EQ(device->specification().sensed, 0b000100);
  Sample sample;
  const double angle[] = {0.0, 0.25, 0.5, 0.5}, rate[] = {0.0, 50.0, 50.0, 0.0};  // of pi [rad], [rad/s]
  for (std::size_t k = 0; k < 4; ++k) {
    ASSERT_TRUE(device->wait() && device->read(sample));
    const math::Vec3<double> turned = math::rotation_vector(sample.X_WH.R);
    EXPECT_NEAR(turned.z, angle[k] * std::numbers::pi, 1e-12);
    EXPECT_NEAR(turned.x, 0.0, 1e-12);
    EXPECT_NEAR(sample.V_WH[2], rate[k] * std::numbers::pi, 1e-9);
  }
}

TEST(Recorded, RefusesWhatDoesNotMoveAndWhatIsNoOrientation) {
  const std::pair<const char*, const char*> kBad[] = {
      {"t,handle_x,handle_y,handle_z\n0,0,0,0\n1,0,0,0\n", "whether it turned was not recorded"},
      {"t,handle_x,handle_y,handle_z,handle_qw,handle_qx,handle_qy,handle_qz\n0,0,0,0,1,0,0,0\n1,0,0,0,1,0,0,"
       "0\n",
       "never moves"},
      {"t,handle_x,handle_y,handle_z,handle_qw,handle_qx,handle_qy,handle_qz\n0,0,0,0,1,0,0,0\n1,0,0,0,2,0,0,"
       "0\n",
       ":3: error: a quaternion of length 2"},
      {"t,handle_x,handle_y,handle_z,handle_qw,handle_qx,handle_qy\n0,0,0,0,1,0,0\n1,0,1,0,1,0,0\n",
       "`handle_qz`"},
  };
  for (const auto& [text, why] : kBad) {
    const File file(text);
    try {
      (void)open(file.name(), none());
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
}

// Times that are no seconds would become the loop's rate.
TEST(Recorded, RefusesTimesThatNoLoopHas) {
  for (const char* rows :
       {"-1e300,0,0,0\n1e300,1,0,0\n", "0,0,0,0\n1e-12,1,0,0\n", "0,0,0,0\n1000,1,0,0\n"}) {
    const File file(std::string("t,handle_x,handle_y,handle_z\n") + rows);
    try {
      open(file.name(), none());
      ADD_FAILURE() << rows;
    } catch (const InputError& error) {
      EXPECT_NE(error.wrong().find("rows per second"), std::string::npos) << error.what();
      EXPECT_EQ("file:" + error.where().file, file.name());
    }
    EXPECT_EQ(open(file.name(), none(), {.rate = 500.0})->specification().rate, 500.0) << rows;
  }
}

TEST(Recorded, SaysThatAFileIsMissing) {
  EXPECT_THROW(open("file:/no/such/run.csv", none()), InputError);
  EXPECT_THROW(open("file:", none()), InputError);
  EXPECT_THROW(open("file:/", none()), InputError);
}

}  // namespace
}  // namespace tactus::device
