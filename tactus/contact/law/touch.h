// One pair of near features as the engine keeps it from step to step.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <tactus/collide/scene.h>
#include <tactus/contact/events/terms.h>
#include <tactus/contact/law/compliant.h>
#include <tactus/contact/law/gap.h>
#include <tactus/describe/model/contact.h>

namespace tactus::contact {

/// Below this speed of slip [m/s] its direction is the remembered one.
inline constexpr double kSlowSlip = 1e-9;

enum class Mode : std::uint8_t {
  apart,
  sliding,   // touching: the gap is held, or pressed on; friction, if any, is that of slipping
  sticking,  // touching without slip: at rest on each other, or rolling
};
std::string_view name_of(Mode mode);

/// What an event that was located says about a touch: at the event itself its force is zero to rounding.
enum class Hint : std::uint8_t { none, leaves, slips, stops, presses };

struct Touch {
  int pair = 0;  // index into ContactSection::pairs
  std::uint64_t id = 0;
  int body_a = 0, body_b = 0;
  GapForm form;
  FeatureNumbers<double> a, b;
  Vec3<double> tangent{1.0, 0.0, 0.0};  // in body a's axes: where t1 points
  std::size_t tangents = 0;  // directions in which it can slip: 2, or 1 in planar mechanisms, or none
  const describe::ContactLaw* law = nullptr;

  Mode mode = Mode::apart;
  std::array<double, 2> slip{};  // sliding: unit direction of the slip of b on a, along t1, t2

  /// [m/s] Slower slip keeps its direction. Set above all speeds where slip may end within a step: friction
  /// then does not turn about as the slip passes zero, and the end is found.
  double slow_slip = kSlowSlip;
  Hint hint = Hint::none;
  Mode before = Mode::apart;  // at the last event, before it
  bool restless = false;      // its mode changed in the present crowd of events
  double approach = 0.0;      // [m/s] at the last impact
  double mobility = 0.0;      // [1/kg] of the gap under the normal force, then
  GapMotion<double> motion;   // where it was last evaluated

  bool touching() const { return mode != Mode::apart; }
  bool rigid() const { return law->rendering != describe::Rendering::compliant; }
  /// Compliant: the force of spring and damper; it acts while positive.
  double push() const { return compliant_push(motion.gap, motion.rate[0], law->stiffness, law->damping); }
  /// [m/s] In the directions in which it can slip.
  double slip_speed() const {
    return tangents == 0   ? 0.0
           : tangents == 1 ? std::abs(motion.rate[1])
                           : std::hypot(motion.rate[1], motion.rate[2]);
  }
  /// Rows that it adds to the accelerations.
  std::size_t rows() const {
    return !rigid() ? 0 : mode == Mode::sticking ? 1 + tangents : touching() ? 1 : 0;
  }
};

/// The features of a proximity, with its law. Tangents are chosen by choose_tangents().
Touch touch_of(const collide::Proximity& proximity, const describe::ContactLaw& law);
/// Evaluates `motion` at the terms' place.
void evaluate(const Terms& terms, Touch& touch);
/// Finds t1 and the number of directions in which the two bodies can slip: where the mechanism is planar, t1
/// lies in its plane and t2 leads nowhere. `factors` of M (derive::factorise); `scratch` has room for four
/// rows.
void choose_tangents(const Terms& terms, const double* factors, double* scratch, Touch& touch);

}  // namespace tactus::contact
