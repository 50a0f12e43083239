// The driver of Force Dimension's devices on the fake libdhd.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <limits>
#include <stdexcept>

#include <tactus/math/rotation.h>

#include "fakes/bench.h"
#include "fakes/fakes_dir.h"
#include "fakes/libdhd_fake.h"

namespace tactus::device::test {

/// The library as it is when it is new; the driver finds it by the environment.
inline FakeDhd& fresh_fake_dhd() {
  const std::string path = support::fakes_dir() + "/libdhd_fake.so";
  setenv("TACTUS_LIBDHD", path.c_str(), 1);
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  FakeDhd& fake = *reinterpret_cast<FakeDhdFunction*>(dlsym(library, "fake_dhd"))();
  static const FakeDhd kNew = fake;
  fake = kNew;
  return fake;
}

/// libdhd: x towards the user, which is the world's -y; y to the right, the world's x; z up.
class ForceDimensionBench final : public Bench {
 public:
  std::string name() const override { return "forcedimension"; }
  void put(const math::Vec3<double>& p, const math::Vec3<double>& theta) override {
    const double x = -p.y, y = p.x, z = p.z;
    fake_.p[0] = x;
    fake_.p[1] = y;
    fake_.p[2] = z;
    const math::Mat3<double> R = math::rotation_of(math::exponential({-theta.y, theta.x, theta.z}));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) fake_.R[i][j] = R(i, j);
  }
  Vector6 wrench() const override {
    if (!fake_.forces_on) return {};
    const double *T = fake_.torque, *F = fake_.force;
    return {T[1], -T[0], T[2], F[1], -F[0], F[2]};
  }
  void unplug() override { fake_.devices = 0; }
  void spoil() override { fake_.v[1] = std::numeric_limits<double>::quiet_NaN(); }

  FakeDhd& fake() { return fake_; }

 private:
  FakeDhd& fake_ = fresh_fake_dhd();
};

}  // namespace tactus::device::test
