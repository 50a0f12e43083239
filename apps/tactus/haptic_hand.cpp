#include "haptic_hand.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/base/error.h>
#include <tactus/device/hand_file.h>

namespace tactus::apps {

namespace {

constexpr double kReach = 1.0;  // [s] from one end of a stroke to the other: an unhurried hand

/// What the path does along ways, by rotation vectors instead.
device::Path turned(device::Path path) {
  return [path = std::move(path)](double t) { return device::Intention{{}, path(t).p}; };
}

/// Another hand that carries besides, as whoever takes hold of something heavy does.
class Carrying final : public device::Hand {
 public:
  Carrying(device::HandPointer hand, const device::Vector6& wrench, double ramp)
      : hand_(std::move(hand)), wrench_(wrench), ramp_(ramp) {}
  device::Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    device::Grip grip = hand_->grip(t, X_WH);
    const double share = ramp_ > 0.0 ? std::clamp(t / ramp_, 0.0, 1.0) : 1.0;
    for (std::size_t i = 0; i < 6; ++i) grip.wrench[i] += share * wrench_[i];
    return grip;
  }

 private:
  device::HandPointer hand_;
  device::Vector6 wrench_;
  double ramp_;
};

}  // namespace

std::vector<std::string> hand_names() {
  return {"stroke", "circle", "tap", "random", "hold", "push", "constant", "tremble", "let-go", "none"};
}

bool has_arm(const std::string& hand) { return hand != "push" && hand != "constant" && hand != "none"; }
bool has_size(const std::string& hand) {
  return has_arm(hand) && hand != "hold" && device::file_of_hand(hand).empty();
}

// The reach 10 s^3 - 15 s^4 + 6 s^5 has at most 10/sqrt(3) way/time^2 of acceleration.
double reach_time(double way, double load, double strong) {
  const double most = 10.0 / std::sqrt(3.0);
  return strong > 0.0 ? std::max(kReach, std::sqrt(most * way * load / (0.5 * strong))) : kReach;
}

namespace {

/// [m] 0 where forces are felt.
double tremor_lever(const HandChoice& choice) { return choice.turning ? device::kTremorLever : 0.0; }

}  // namespace

device::Arm arm_of(const HandChoice& choice) {
  const std::size_t k = choice.turning ? 0 : 1;
  const double size = std::sqrt(dot(choice.ahead, choice.ahead));
  device::Arm arm = device::within(
      choice.borne, device::arm_for(choice.load, choice.turning ? 0.0 : size, choice.strong[1]));
  if (choice.stiffness > 0.0) {
    arm.stiffness[k] = choice.stiffness;
    arm.damping[k] = device::well_damped(choice.stiffness, choice.load[k]);
  }
  if (choice.damping >= 0.0) arm.damping[k] = choice.damping;
  if (choice.rotational_stiffness > 0.0) {
    arm.stiffness[0] = choice.rotational_stiffness;
    arm.damping[0] = device::well_damped(choice.rotational_stiffness, choice.load[0]);
  }
  if (choice.rotational_damping >= 0.0) arm.damping[0] = choice.rotational_damping;
  return arm;
}

namespace {

/// Without what is done besides: trembling and letting go.
device::HandPointer plain_hand(const HandChoice& choice) {
  using namespace device;
  const std::size_t k = choice.turning ? 0 : 1;
  const double size = std::sqrt(dot(choice.ahead, choice.ahead));
  const double reach = reach_time(size, choice.load[k], choice.strong[k]);
  const Arm arm = arm_of(choice);
  if (const std::string file = device::file_of_hand(choice.name); !file.empty())
    return device::read_hand(file, arm, choice.duration, choice.seed, tremor_lever(choice));
  const auto follow = [&](Path path) {
    HandPointer hand = following(choice.turning ? turned(std::move(path)) : std::move(path), arm);
    if (choice.carried == Vector6{}) return hand;
    return HandPointer(std::make_unique<Carrying>(std::move(hand), choice.carried, choice.ramp));
  };
  const auto stroke = [&] { return follow(strokes(choice.ahead, 2.0 * reach)); };
  // As much acceleration as the reach: (2 pi/time)^2 = 10/sqrt(3)/reach^2.
  const double round = 2.615 * reach;
  if (choice.name == "stroke") return stroke();
  if (choice.name == "circle") return follow(circles(choice.ahead, choice.aside, round));
  if (choice.name == "tap") return follow(taps(choice.ahead, kReach));  // sharp, whatever it moves
  if (choice.name == "random") return follow(wanders(choice.ahead, choice.aside, round, choice.seed));
  if (choice.name == "hold") return follow([](double) { return Intention{}; });
  if (choice.name == "push") {
    Vector6 F{};
    for (std::size_t i = 0; i < 3 && size > 0.0; ++i) F[3 * k + i] = choice.force / size * choice.ahead[i];
    return constant(F);
  }
  if (choice.name == "constant") {
    const std::vector<double>& given = choice.wrench;
    if (given.size() != 3 && given.size() != 6)
      throw InputError({}, fmt::format("--hand constant: --wrench has {} numbers", given.size()),
                       "give three or six: --wrench 0,2,0, the force [N], or with the torque [N m] after it");
    Vector6 F{};
    for (std::size_t i = 0; i < given.size(); ++i) F[(i + 3) % 6] = given[i];
    return constant(F);
  }
  if (choice.name == "tremble") return trembling(stroke(), choice.force, choice.seed, tremor_lever(choice));
  if (choice.name == "let-go") return letting_go(stroke(), 0.5 * choice.duration);
  if (choice.name == "none") return none();
  throw InputError({}, "there is no hand `" + choice.name + "`",
                   fmt::format("known: {}, file:PATH", fmt::join(hand_names(), ", ")));
}

}  // namespace

device::HandPointer hand_of(const HandChoice& choice) {
  device::HandPointer hand = plain_hand(choice);
  if (choice.tremor > 0.0)
    hand = device::trembling(std::move(hand), choice.tremor, choice.seed, tremor_lever(choice));
  if (choice.let_go >= 0.0) hand = device::letting_go(std::move(hand), choice.let_go);
  return hand;
}

}  // namespace tactus::apps
