// What hangs beyond the force sensor of an admittance device: a handle or a tool, whose weight and inertia the sensor takes for the hand's
// [Faulring2006, after Algorithm 1: "required, not shown"]. The sensor reads F_s = F_hand + W at the handle's
// origin, of which the hand's part is F_s - W, with W as device/fixture.h has it. The acceleration is the
// commanded one of the period that the sensor has just seen, not one that is estimated
// from what was measured: with the virtual mass m_v and mu = m/m_v the tick is  a_k = F_hand/m_v - mu a_{k-1} + mu a^_{k-1}, and
//
//   no compensation                     z + mu = 0               unstable for m > m_v, and the hand feels m_v + m
//   an estimate that is a sample old    z^2 + mu z - mu = 0      unstable for m > m_v/2
//   the commanded acceleration          the terms cancel
#pragma once

#include <tactus/device/fixture.h>

namespace tactus::control {

using device::Fixture;
using device::fixture_wrench;

}  // namespace tactus::control
