// Contact in C++: the same door, whatever engine is behind it. A hammer on a pivot is pushed against a floor by a hand at
// its head; every impact is told as it happens, and the run is taken up again from a snapshot, with the same bits.
#include <cstdio>
#include <memory>
#include <string>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/recording.h>

int main() {
  using namespace tactus;
  const std::unique_ptr<simulate::Mechanism> hammer = contact::open(describe::load_text(R"(
name: hammer
bodies:
  world: {geometry: [{shape: plane, name: floor, size: [2, 2], contact: true}]}
  head:
    mass: 0.5
    com: [0.3, 0, 0]
    inertia: [0.001, 0.001, 0.001]
    geometry: [{shape: sphere, radius: 0.05, placement: {xyz: [0.3, 0, 0]}, contact: true}]
joints:
  pivot: {type: revolute, parent: world, child: head, axis: y, placement: {xyz: [0, 0, 0.1]}}
contact: {defaults: {render: rigid, restitution: 0.5}}
initial: {q: {pivot: -0.5}}
)",
                                                                                        "hammer.yaml"));
  std::printf("contact by %s\n", std::string(name_of(hammer->kind())).c_str());

  const int head = hammer->port("head");  // every body's origin is a port; this one lies in the pivot
  const simulate::PortWrench push{head, {0.0, 0.3, 0.0, 0.0, 0.0, 0.0}};  // [N m] down
  const std::unique_ptr<simulate::Snapshot> start = hammer->make_snapshot();
  const auto run = [&](bool tell) {
    int events = 0;
    for (int i = 0; i < 1000; ++i) {
      if (const simulate::Tick tick = hammer->step({.ports = {&push, 1}}); !tick.ok()) {
        std::puts(hammer->explain(tick.status).c_str());
        return -1;
      }
      for (const simulate::Event& event : hammer->events()) {
        ++events;
        if (tell && event.kind == simulate::EventKind::impact)
          std::printf("%9.6f s  %s at %.4f m/s, impulse %.5f N s\n", event.t,
                      simulate::name_of(hammer->model(), event).c_str(), -event.approach, event.impulse);
      }
    }
    return events;
  };
  const int events = run(true);
  const double angle = hammer->state().q[0];
  if (events <= 0 || !hammer->load(*start)) return 1;
  return run(false) == events && hammer->state().q[0] == angle ? 0 : 1;
}
