#include <tactus/device/hand.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <tactus/device/random.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::device {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

class Scripted final : public Hand {
 public:
  explicit Scripted(std::function<Vector6(double)> wrench) : wrench_(std::move(wrench)) {}
  Grip grip(double t, const math::Pose<double>&) const noexcept override { return {wrench_(t), {}}; }

 private:
  std::function<Vector6(double)> wrench_;
};

class Constant final : public Hand {
 public:
  explicit Constant(const Vector6& wrench) : wrench_(wrench) {}
  Grip grip(double, const math::Pose<double>&) const noexcept override { return {wrench_, {}}; }

 private:
  Vector6 wrench_;
};

class Following final : public Hand {
 public:
  Following(Path intention, const Arm& arm) : intention_(std::move(intention)), arm_(arm) {}
  Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    return pull(intention_(t), X_WH, arm_);
  }

 private:
  Path intention_;
  Arm arm_;
};

class LettingGo final : public Hand {
 public:
  LettingGo(HandPointer hand, double time) : hand_(std::move(hand)), time_(time) {}
  Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    return t < time_ ? hand_->grip(t, X_WH) : Grip{};
  }

 private:
  HandPointer hand_;
  double time_;
};

class Trembling final : public Hand {
 public:
  Trembling(HandPointer hand, double force, std::uint64_t seed, double lever) : hand_(std::move(hand)) {
    const bool turns = lever > 0.0;
    Random random(seed);
    for (Sine& sine : sines_) {
      sine.axis = static_cast<std::size_t>(&sine - sines_.data()) % 3 + (turns ? 0 : 3);
      sine.amplitude = (turns ? force * lever : force) / kPerAxis;
      sine.rate = kTurn * (8.0 + 4.0 * random.uniform());
      sine.phase = kTurn * random.uniform();
    }
  }
  Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    Grip grip = hand_->grip(t, X_WH);
    for (const Sine& sine : sines_)
      grip.wrench[sine.axis] += sine.amplitude * std::sin(sine.rate * t + sine.phase);
    return grip;
  }

 private:
  static constexpr int kPerAxis = 3;
  struct Sine {
    std::size_t axis = 0;
    double amplitude = 0.0, rate = 0.0, phase = 0.0;  // [N m] or [N], [rad/s], [rad]
  };
  HandPointer hand_;
  std::array<Sine, 3 * kPerAxis> sines_{};
};

/// From 0 at s = 0 to 1 at s = 1, without jerk at its ends.
double smooth(double s) {
  if (s <= 0.0) return 0.0;
  if (s >= 1.0) return 1.0;
  return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

double fraction(double x) { return x - std::floor(x); }

}  // namespace

namespace {

/// [N m/rad], [N/m] of arms, from relaxed to as stiff as both hands can be.
constexpr std::array<double, 2> kRelaxed{2.0, 300.0}, kFirm{20.0, 1000.0};

}  // namespace

double well_damped(double stiffness, double load) { return 2.0 * 0.7 * std::sqrt(stiffness * load); }

// The load on the arm's spring is an oscillator of frequency sqrt(K/m). It must be faster than what the hand means to do, which
// has some 2 pi/(2 s): a load of 20 kg on 300 N/m, weakly damped, is driven at its own frequency, and runs away from the hand.
Arm arm_for(const std::array<double, 2>& load, double way, double strong) {
  constexpr double kFrequency = 10.0;  // [rad/s] three times that of strokes
  Arm arm;
  for (std::size_t k = 0; k < 2; ++k) {
    arm.stiffness[k] = std::clamp(load[k] * kFrequency * kFrequency, kRelaxed[k], kFirm[k]);
    if (k == 1 && strong > 0.0 && way > 0.0) arm.stiffness[k] = std::min(arm.stiffness[k], strong / way);
    arm.damping[k] = std::max(arm.damping[k], well_damped(arm.stiffness[k], load[k]));
  }
  return arm;
}

// What is taken from one of them is taken from the other, as far as it keeps the arm as well damped as it was; a
// relaxed one is soft enough.
Arm within(const HandLimits& most, Arm arm) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (arm.stiffness[k] > most.stiffness[k]) {
      arm.damping[k] *= std::sqrt(most.stiffness[k] / arm.stiffness[k]);
      arm.stiffness[k] = most.stiffness[k];
    }
    if (arm.damping[k] > most.damping[k]) {
      const double part = most.damping[k] / arm.damping[k];
      arm.damping[k] = most.damping[k];
      arm.stiffness[k] = std::max(std::min(arm.stiffness[k], kRelaxed[k]), part * part * arm.stiffness[k]);
    }
  }
  return arm;
}

// tau = K theta with R(theta) = R(intention) R_WH^T: along the axis that turns the handle into the intention.
Grip pull(const Intention& to, const math::Pose<double>& X_WH, const Arm& arm) noexcept {
  const math::Mat3<double> R_to = math::rotation_of(math::exponential(to.theta));
  const math::Vec3<double> theta = math::rotation_vector(R_to * X_WH.R.transposed()), p = to.p - X_WH.p;
  Grip grip{{}, arm.damping};
  for (std::size_t i = 0; i < 3; ++i) {
    grip.wrench[i] = arm.stiffness[0] * theta[i];
    grip.wrench[3 + i] = arm.stiffness[1] * p[i];
  }
  return grip;
}

HandPointer none() { return constant({}); }
HandPointer constant(const Vector6& wrench) { return std::make_unique<Constant>(wrench); }
HandPointer scripted(std::function<Vector6(double)> wrench) {
  return std::make_unique<Scripted>(std::move(wrench));
}
HandPointer following(Path intention, const Arm& arm) {
  return std::make_unique<Following>(std::move(intention), arm);
}
HandPointer hold(const Arm& arm) {
  return following([](double) { return Intention{}; }, arm);
}

Path strokes(const math::Vec3<double>& way, double period) {
  return [way, period](double t) {
    const double s = 2.0 * fraction(t / period);
    return Intention{(s < 1.0 ? smooth(s) : smooth(2.0 - s)) * way, {}};
  };
}

Path circles(const math::Vec3<double>& radius, const math::Vec3<double>& ahead, double period) {
  return [radius, ahead, period](double t) {
    // The angle's rate rises from nothing to 2 pi/period: angle = 2 pi (t/period)^2/2 while t < period.
    const double s = t / period, angle = kTurn * (s < 1.0 ? 0.5 * s * s : s - 0.5);
    return Intention{(1.0 - std::cos(angle)) * radius + std::sin(angle) * ahead, {}};
  };
}

Path taps(const math::Vec3<double>& way, double period, double contact) {
  return [way, period, contact](double t) {
    const double s = 2.0 * (fraction(t / period) - (1.0 - contact)) / contact;
    return Intention{(s < 1.0 ? smooth(s) : smooth(2.0 - s)) * way, {}};
  };
}

// |sum| <= 1 for each of both ways, so that neither the way nor, with no period shorter than `period`, its acceleration (2 pi/period)^2 is exceeded.
Path wanders(const math::Vec3<double>& ahead, const math::Vec3<double>& aside, double period,
             std::uint64_t seed) {
  constexpr std::size_t kSines = 4;
  struct Sine {
    double rate = 0.0, phase = 0.0;  // [rad/s], [rad]
  };
  std::array<std::array<Sine, kSines>, 2> sines;
  Random random(seed);
  for (auto& way : sines)
    for (Sine& sine : way) {
      sine.rate = kTurn / period * (1.0 + 2.0 * random.uniform()) / 3.0;
      sine.phase = kTurn * random.uniform();
    }
  return [ahead, aside, period, sines](double t) {
    std::array<double, 2> x{};
    for (std::size_t k = 0; k < 2; ++k)
      for (const Sine& sine : sines[k]) x[k] += std::sin(sine.rate * t + sine.phase) / kSines;
    return Intention{smooth(t / period) * (x[0] * ahead + x[1] * aside), {}};
  };
}

HandPointer letting_go(HandPointer hand, double time) {
  return std::make_unique<LettingGo>(std::move(hand), time);
}
HandPointer trembling(HandPointer hand, double force, std::uint64_t seed, double lever) {
  return std::make_unique<Trembling>(std::move(hand), force, seed, lever);
}

}  // namespace tactus::device
