// A device of your own: a knob that a recording turns. It has one axis, z; the loop cannot tell it from any other.
#include <atomic>
#include <cmath>
#include <cstdio>

#include <tactus/tactus.h>
using namespace tactus;
using device::State;

class Knob final : public device::Device {
 public:
  Knob() {
    specification_.name = "knob";
    specification_.sensed = specification_.actuated = 0b000100;  // turns about z
    specification_.continuous = specification_.peak = {0.5, 0.0};
  }
  const device::Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return state_; }
  bool enable() noexcept override { return (state_ = State::enabled) == State::enabled; }
  void disable() noexcept override { state_ = State::off; }
  void stop() noexcept override { state_ = State::off; }  // from any thread
  bool wait() noexcept override {                         // hardware would wait for its sample here, or poll
    sample_.t = 1e-3 * static_cast<double>(sample_.number++);
    const double angle = 0.4 * std::sin(3.0 * sample_.t);
    sample_.X_WH.R(0, 0) = sample_.X_WH.R(1, 1) = std::cos(angle);
    sample_.X_WH.R(0, 1) = -(sample_.X_WH.R(1, 0) = std::sin(angle));
    sample_.V_WH[2] = 1.2 * std::cos(3.0 * sample_.t);
    return true;
  }
  bool read(device::Sample& sample) noexcept override {
    sample = sample_;
    return sample_.number > 0;
  }
  bool command(const device::Command& command) noexcept override {
    torque = state_ == State::enabled && device::finite(command.wrench) ? command.wrench[2] : 0.0;
    return state_ == State::enabled && device::finite(command.wrench);
  }
  double torque = 0.0;  // [N m] what its motor would give
 private:
  device::Specification specification_;
  std::atomic<State> state_ = State::off;
  device::Sample sample_{};
};
constexpr const char* kWheel = R"(name: wheel
bodies: {disk: {mass: 1, inertia: [0.005, 0.005, 0.01]}}
joints: {turn: {type: revolute, parent: world, child: disk, axis: z, damping: 0.05}})";

int main() {
  const auto wheel = contact::open(describe::load_text(kWheel, "wheel.yaml"), {.step = 1e-3});
  Knob knob;
  display::HapticLoop loop(*wheel, knob, 0, {.stiffness = {2.0, 0.0}, .damping = {0.02, 0.0}},
                           control::limits_for(knob.specification()));
  if (!loop.enable()) return 1;
  for (int k = 1; k <= 4000; ++k) {
    if (!knob.wait() || !loop.tick(loop.period())) return 1;
    if (k % 500 == 0) std::printf("%d ms: %.4f rad, %.4f N m\n", k, wheel->state().q[0], knob.torque);
  }
  loop.disable();
  return std::abs(wheel->state().q[0] - 0.4 * std::sin(3.0 * loop.record().t)) < 0.1 ? 0 : 1;
}
