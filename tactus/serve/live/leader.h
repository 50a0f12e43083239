// A control law on the bench: it leads an arm where a page wants it, by forces at its joints in every tick (control/arm/arm_controller.h).
//
// Where it shall be:
//
//   stand   where it stood when that was said
//   slew    from there and back, each joint by half a radian or a tenth of a metre, of least jerk [Clover1996, II (17)-(20)], with a rest at
//           both ends
//   hand    where the hand has left it: while it is held the target goes along, so that the law bears the weight and damps
//
// No law has a memory, and nothing here allocates, locks or throws in the loop. Forces that are no numbers switch it off.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/control/arm/arm_controller.h>
#include <tactus/describe/model/model.h>
#include <tactus/serve/live/work.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::serve {

enum class Target : std::uint8_t { stand, slew, hand };
std::string_view name_of(Target target);

/// What a page wants of it.
struct LeadWish {
  control::ArmLaw law = control::ArmLaw::pole_placement;
  double re = -12.0, im = 45.0;  // [1/s] of a pair of poles, of every joint [Clover1996, III]
  Target target = Target::stand;
  double seconds = 1.5;  // of a slew, one way
};

/// Why no law leads a mechanism, and what to do.
struct NotLed {
  std::string what, remedy;
};
std::optional<NotLed> not_led(const Work& work);

class Leader {
 public:
  static constexpr std::size_t kMost = ControlPicture::kMost;  // joints
  using Row = ControlPicture::Row;

  /// `known`: the arm as the law knows it. Throws InputError.
  Leader(const describe::Model& known, const LeadWish& wish, double period);

  std::size_t joints() const noexcept { return n_; }
  const LeadWish& wish() const noexcept { return wish_; }
  /// [N m, N] infinite: no limit.
  std::span<const double> most() const noexcept { return law_.most(); }

  // In the loop.
  /// The target anew, from where it stands.
  void begin(const simulate::State& state) noexcept;
  void aim(Target target, double seconds, const simulate::State& state) noexcept;
  /// [joints] for the tick that begins at the state; empty: it is off, or has switched itself off.
  std::span<const double> forces(const simulate::State& state, bool held) noexcept;
  void off() noexcept { on_ = false; }
  bool on() const noexcept { return on_; }
  int cut() const noexcept { return law_.cut(); }
  /// Of the last tick: forces, where it shall be and how fast, how far it is from there, the most that it was since it was told where.
  const Row& torque() const noexcept { return tau_; }
  const Row& wanted() const noexcept { return wanted_; }
  const Row& wanted_rate() const noexcept { return rate_; }
  const Row& wanted_acceleration() const noexcept { return acceleration_; }
  const Row& error() const noexcept { return error_; }
  const Row& largest() const noexcept { return largest_; }

 private:
  void want(const simulate::State& state, bool held) noexcept;
  double too_much_friction(std::size_t joint) const noexcept;

  LeadWish wish_;
  control::ArmController law_;
  std::size_t n_ = 0;
  bool on_ = true, begun_ = false;
  double begin_ = 0.0;  // [s]
  Row lower_{}, upper_{}, amplitude_{}, dry_forward_{}, dry_back_{};
  Row from_{}, to_{}, wanted_{}, rate_{}, acceleration_{}, besides_{}, tau_{}, error_{}, largest_{};
};

}  // namespace tactus::serve
