// A robot arm as a device keeps to what every device keeps to (tests/device/device_laws.h).
#include <gtest/gtest.h>

#include <tactus/control/arm/arm_device.h>

#include "device/device_laws.h"
#include "support/paths.h"

namespace tactus::device {
namespace {

std::vector<DeviceCase> arms() {
  return {{"arm:puma560", [](HandPointer hand) {
             return control::open_device("arm:" + support::source_dir() + "/models/puma560.yaml",
                                         std::move(hand));
           }}};
}
INSTANTIATE_TEST_SUITE_P(Arms, EveryDevice, ::testing::ValuesIn(arms()), test_name);

}  // namespace
}  // namespace tactus::device
