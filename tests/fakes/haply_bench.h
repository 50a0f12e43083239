// The driver of Haply's devices on the fake service.
#pragma once

#include "fakes/bench.h"
#include "fakes/haply_service.h"

namespace tactus::device::test {

/// The service's axes are the world's, from (0, -0.12, 0.15) m.
class HaplyBench final : public Bench {
 public:
  std::string name() const override { return "haply:127.0.0.1:" + std::to_string(service_.port()); }
  void put(const math::Vec3<double>& p, const math::Vec3<double>&) override {
    service_.set([&](auto& s) { s.p = {p.x, p.y - 0.12, p.z + 0.15}; });
  }
  Vector6 wrench() const override {
    const math::Vec3<double> F = service_.force();
    return {0.0, 0.0, 0.0, F.x, F.y, F.z};
  }
  void unplug() override {
    service_.set([](auto& s) { s.device = false; });
  }
  void spoil() override {
    service_.set([](auto& s) { s.says = R"({"inverse3":[{"device_id":"04\"9D","state":{"cursor_posi)"; });
  }
  int on_their_way() const override { return 2; }  // one in the mailbox, one on the wire

  HaplyService& service() { return service_; }

 private:
  HaplyService service_;
};

}  // namespace tactus::device::test
