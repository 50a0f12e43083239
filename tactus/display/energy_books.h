// The energy books of a loop: whether more came out of it than went in.
//
// Three ports: the hand's, where work W_h went in; the mechanism's, where work W_p came out; and the mechanism itself, whose kinetic and potential energy is E. What
// a passive display, a passive mechanism and their losses make of these is never positive:
//
//   W_p - W_h <= 0          the display: spring and dampers of the coupler hold or burn the rest
//   E - E_0 - W_h <= 0      all together, where nothing but the hand drives the mechanism
//
// W_h is what the motors took. A spring that is held for a period T and comes late by d makes up to K (T/2 +
// d) v^2 while the handle moves with v, and is designed so that the device's own damping burns that
// (control/coupler_design.h). Without d it is a small part of S below; with d fast hands make it a large one,
// and the share d/(T/2 + d) of what the device burns is no energy from nowhere.
//
// What the mechanism lost, E_0 - E > 0, it gave by itself: a weight that sinks into the hand is no energy from nowhere. Beyond rounding these hold up to what
// sampling makes of the work that goes to and fro, S = sum |dW_h| + |dW_p|.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tactus::display {

class EnergyBooks {
 public:
  /// What is remembered of ticks before stays where it stands: no tick of these books is older than `ticks_`.
  void begin() noexcept {
    hand_ = port_ = turned_ = stored_ = given_ = burnt_ = 0.0;
    first_ = energy_ = made_in_all_ = made_by_display_ = 0.0;
    older_ = newer_ = 0.0;
    known_ = late_ = false;
    ticks_ = marked_ = 0;
  }

  // In a tick; [J].
  void from_hand(double work) noexcept {
    hand_ += work;
    turned_ += std::abs(work);
    if (!late_) made_by_display_ = port_ - hand_;
  }
  void into_port(double work) noexcept {
    port_ += work;
    turned_ += std::abs(work);
    made_by_display_ = port_ - hand_;
  }
  /// All that went into the port, as it was `age` ticks ago.
  void port_so_far(double work, std::uint64_t age) noexcept {
    late_ = true;
    turned_ += std::abs(work - port_);
    port_ = work;
    made_by_display_ = work - hand_before(age);
  }
  /// The energy E of the mechanism as it was `age` ticks ago, of the first call E_0; both without what others gave it.
  void mechanism(double energy, std::uint64_t age) noexcept {
    energy_ = energy - before(given_past_, given_, age);
    if (!known_) first_ = energy_;
    known_ = true;
    made_in_all_ = energy_ - first_ - hand_before(age);
  }
  /// What others gave to the mechanism is no gain: an energy of some ticks ago has what was given until then.
  void given(double work) noexcept { given_ += work; }
  /// What a spring holds that is held by so much.
  void stored(double energy) noexcept { stored_ = std::max(stored_, energy); }
  /// By the device's own damping.
  void burnt(double work) noexcept { burnt_ += work; }
  /// The tick is over.
  void close_tick() noexcept {
    past_[++ticks_ % kRemembered] = hand_;
    given_past_[ticks_ % kRemembered] = given_;
  }

  double hand() const noexcept { return hand_; }
  double port() const noexcept { return port_; }
  double turned() const noexcept { return turned_; }
  double most_stored() const noexcept { return stored_; }
  double burnt() const noexcept { return burnt_; }
  /// What the mechanism gave by itself; 0 where its energy is not known.
  double gift() const noexcept { return std::max(0.0, first_ - energy_); }
  /// What came from nowhere, by the first line, or by either; negative: lost or stored.
  double made_by_display() const noexcept { return made_by_display_; }
  double made() const noexcept {
    const double by_display = made_by_display();
    // Either that is no number is no silence.
    return !known_ || std::isnan(by_display) || made_in_all_ <= by_display ? by_display : made_in_all_;
  }
  /// What of it came in the last `window` ticks, or up to twice as many: what a spring that is held makes is
  /// burnt by the device, and adds up over hours. Never more than made().
  double lately(std::uint64_t window) noexcept {
    if (ticks_ - marked_ >= window) {
      older_ = newer_;
      newer_ = made();
      marked_ = ticks_;
    }
    return older_ > 0.0 ? made() - older_ : made();
  }

 private:
  static constexpr std::size_t kRemembered = 1024;  // [ticks] as two rates do
  using Past = std::array<double, kRemembered>;
  double before(const Past& past, double now, std::uint64_t age) const noexcept {
    return age == 0 ? now : age <= ticks_ ? past[(ticks_ - age) % kRemembered] : 0.0;
  }
  double hand_before(std::uint64_t age) const noexcept { return before(past_, hand_, age); }
  double hand_ = 0.0, port_ = 0.0, turned_ = 0.0, stored_ = 0.0;
  double given_ = 0.0, burnt_ = 0.0;
  double first_ = 0.0, energy_ = 0.0, made_in_all_ = 0.0, made_by_display_ = 0.0;
  double older_ = 0.0, newer_ = 0.0;  // made() at two times
  bool known_ = false, late_ = false;
  std::uint64_t ticks_ = 0, marked_ = 0;
  Past past_{}, given_past_{};
};

}  // namespace tactus::display
