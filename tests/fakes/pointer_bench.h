// The page's pointer, moved by a test instead of a page.
#pragma once

#include <limits>

#include <tactus/device/drivers/pointer.h>

#include "fakes/bench.h"

namespace tactus::device::test {

/// Pages of the pointer that was opened last.
class PointerBench final : public Bench {
 public:
  std::string name() const override { return "pointer:turning"; }
  std::unique_ptr<Device> open() const override { return std::make_unique<Held>(*this); }
  void put(const math::Vec3<double>& p, const math::Vec3<double>& theta) override {
    pointer_->point({p, theta});
  }
  /// What a page draws; nothing of a device that was closed.
  Vector6 wrench() const override { return pointer_ != nullptr ? pointer_->shown() : Vector6{}; }
  void unplug() override { pointer_->close(); }
  void spoil() override { pointer_->point({{0.0, std::numeric_limits<double>::quiet_NaN(), 0.0}, {}}); }

  int settles_in() const override { return 350; }  // by the filter, to 1e-12 of what is put
  double fineness() const override { return 1e-11; }

 private:
  /// A busy machine is away for longer than a page may be silent: silence has tests of its own.
  struct Held final : Pointer {
    explicit Held(const PointerBench& of)
        : Pointer(PointerOptions{.turning = true, .silence = 60.0}), bench(of) {
      bench.pointer_ = this;
    }
    ~Held() override { bench.pointer_ = nullptr; }
    const PointerBench& bench;
  };
  mutable Pointer* pointer_ = nullptr;
};

}  // namespace tactus::device::test
