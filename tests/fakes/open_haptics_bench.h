// The driver of OpenHaptics' devices on the fake libHD.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include <tactus/math/rotation.h>

#include "fakes/bench.h"
#include "fakes/fakes_dir.h"
#include "fakes/libHD_fake.h"

namespace tactus::device::test {

/// The library as if it were new; the driver finds it by the environment.
inline FakeHd& fresh_fake_hd() {
  const std::string path = support::fakes_dir() + "/libHD_fake.so";
  setenv("TACTUS_LIBHD", path.c_str(), 1);
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  FakeHd& fake = *reinterpret_cast<FakeHdFunction*>(dlsym(library, "fake_hd"))();
  const std::lock_guard lock(fake.mutex);
  std::fill_n(fake.transform, 16, 0.0);
  for (const int i : {0, 5, 10, 15}) fake.transform[i] = 1.0;
  std::fill_n(fake.velocity, 3, 0.0);
  std::fill_n(fake.angular_velocity, 3, 0.0);
  std::fill_n(fake.force, 3, 0.0);
  fake.output = fake.initialised = fake.stuck = false;
  fake.plugged = true;
  fake.version = "3.50.0";
  fake.error = 0;
  fake.calibration = 0x5000;  // HD_CALIBRATION_OK
  fake.styles = 2;            // HD_CALIBRATION_AUTO
  fake.updated_by = 0;
  fake.frames = 0;
  return fake;
}

/// OpenHaptics: millimetres; x to the right, y up (the world's z), z towards the user (the world's -y).
class OpenHapticsBench final : public Bench {
 public:
  std::string name() const override { return "openhaptics"; }
  void put(const math::Vec3<double>& p, const math::Vec3<double>& theta) override {
    const std::lock_guard lock(fake_.mutex);
    const math::Mat3<double> R = math::rotation_of(math::exponential({theta.x, theta.z, -theta.y}));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) fake_.transform[4 * j + i] = R(i, j);
    fake_.transform[12] = 1e3 * p.x;
    fake_.transform[13] = 1e3 * p.z;
    fake_.transform[14] = -1e3 * p.y;
  }
  Vector6 wrench() const override {
    const std::lock_guard lock(fake_.mutex);
    if (!fake_.output) return {};
    const double* F = fake_.force;
    return {0.0, 0.0, 0.0, F[0], -F[2], F[1]};
  }
  void unplug() override {
    const std::lock_guard lock(fake_.mutex);
    fake_.plugged = false;
  }
  void spoil() override {
    const std::lock_guard lock(fake_.mutex);
    fake_.transform[13] = std::numeric_limits<double>::infinity();
  }
  int on_their_way() const override { return 1; }  // the frame that is being made

  FakeHd& fake() { return fake_; }

 private:
  FakeHd& fake_ = fresh_fake_hd();
};

}  // namespace tactus::device::test
