// What every device keeps to (device_laws.h), those of the registry and models; and the registry itself.
#include <gtest/gtest.h>

#include <thread>

#include <tactus/base/error.h>
#include <tactus/device/registry.h>

#include "device/device_laws.h"
#include "support/paths.h"

namespace tactus::device {
namespace {

std::vector<DeviceCase> simulated() {
  std::vector<DeviceCase> all;
  for (const Specification& s : devices())
    all.push_back({s.name, [name = s.name](HandPointer hand) { return open(name, std::move(hand)); }});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryDevice, ::testing::ValuesIn(simulated()), test_name);

/// Without damping and with; a linkage, six legs, and an arm with dry friction and limits of its motors.
std::vector<DeviceCase> models() {
  std::vector<DeviceCase> all;
  for (const std::string name : {"pantograph", "stewart_platform", "puma560"})
    all.push_back({"model:" + name,
                   [name](HandPointer hand) {
                     return open("model:" + support::source_dir() + "/models/" + name + ".yaml",
                                 std::move(hand));
                   },
                   false});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Models, EveryDevice, ::testing::ValuesIn(models()), test_name);

/// Devices of one's own: the example's, which is pushed; some that are moved; and models with an imperfect
/// sensor, late commands and a weight that is felt.
constexpr const char* kFiles[] = {"examples/22_table_top", "tests/device/files/yielding",
                                  "tests/device/files/coasting", "tests/device/files/five_bar",
                                  "tests/device/files/platform"};
std::vector<DeviceCase> files() {
  std::vector<DeviceCase> all;
  for (const std::string name : kFiles) {
    const std::string path = support::source_dir() + "/" + name + ".yaml";
    all.push_back({path, [path](HandPointer hand) { return open(path, std::move(hand)); },
                   !of_model(path).has_value()});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Files, EveryDevice, ::testing::ValuesIn(files()), [](const auto& info) {
  const std::string path = kFiles[info.index];
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(name.find_first_not_of("0123456789_"));
});

/// A recorded motion, of 30 ms: most of these laws are kept by a handle that stands where it ended.
const std::string kRecording = "file:" + support::source_dir() + "/tests/device/files/handle.csv";
INSTANTIATE_TEST_SUITE_P(Recording, EveryDevice,
                         ::testing::Values(DeviceCase{
                             kRecording, [](HandPointer hand) { return open(kRecording, std::move(hand)); }}),
                         [](const auto&) { return "handle"; });

TEST(Registry, SaysWhichDeviceWasMeant) {
  try {
    open("simulated:planer", none());
    FAIL() << "no such device";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("simulated:planar"), std::string::npos) << error.what();
  }
}

TEST(Registry, TheLargestStiffnessIsTheSmallerOfTheTwoBounds) {
  Specification s;
  s.damping = {0.0, 2.0};
  s.friction = {0.0, 0.1};
  s.resolution = {0.0, 1e-5};
  EXPECT_DOUBLE_EQ(largest_stiffness(s), 4000.0);  // 2 b/T at 1 kHz
  s.resolution[1] = 1e-4;
  EXPECT_DOUBLE_EQ(largest_stiffness(s), 2000.0);  // 2 f_c/D
  s.latency = 4.5e-3;
  EXPECT_DOUBLE_EQ(largest_stiffness(s), 400.0);  // b/(T/2 + latency)
}

/// A device that owns the clock: its driver calls back from a thread of its own.
class CallingBack final : public Device {
 public:
  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return State::enabled; }
  bool enable() noexcept override { return true; }
  void disable() noexcept override {}
  void stop() noexcept override {}
  bool wait() noexcept override { return true; }
  bool read(Sample& sample) noexcept override {
    sample.number = ++number_;
    return true;
  }
  bool command(const Command&) noexcept override { return true; }
  void run(Callback callback) noexcept override {
    std::thread([&] {
      caller_ = std::this_thread::get_id();
      while (callback.tick(callback.context)) {
      }
    }).join();
  }
  std::thread::id caller_;

 private:
  Specification specification_;
  std::uint64_t number_ = 0;
};

template <class D>
std::uint64_t ticks_of(D& device) {
  struct Context {
    Device& device;
    Sample sample;
  } context{device, {}};
  device.run({[](void* c) noexcept {
                auto& at = *static_cast<Context*>(c);
                return at.device.read(at.sample) && at.sample.number < 25;
              },
              &context});
  return context.sample.number;
}

TEST(Run, CallsBackFromTheDriversThreadOrFromTheCallersOwn) {
  CallingBack own;
  EXPECT_EQ(ticks_of(own), 25u);
  EXPECT_NE(own.caller_, std::this_thread::get_id());
  const auto polled = open("simulated:ideal", none());
  EXPECT_EQ(ticks_of(*polled), 25u);
}

}  // namespace
}  // namespace tactus::device
