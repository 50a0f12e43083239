// The force of a compliant contact (penalty method, Kelvin-Voigt): a spring and a damper that never pull
// [Constantinescu2005; Clover1996, IV]. Written once, for numbers and for expressions.
#pragma once

namespace tactus::contact {

/// Along the normal, before it is cut off at zero [N]: it presses where this is positive. gap [m] is negative
/// where the shapes overlap, rate [m/s] its rate.
template <class S>
S compliant_push(const S& gap, const S& rate, const S& stiffness, const S& damping) {
  return -stiffness * gap - damping * rate;
}

}  // namespace tactus::contact
