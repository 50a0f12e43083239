// How light a port may be that an admittance device shows.
//
// The hand pushes a virtual mass, and the device's motion comes after it. With a hand of stiffness k and damping b, a rendered mass m and a display that is late by d,
//
//   m s^2 + (b s + k) exp(-d s) = 0
//
// The hand's damper is answered late: from tick to tick its part has the gain b d/m, and is stable for m > b d (of a pure hold, d = T, for m > b T/2). The hand's spring swings on the mass with
// w = sqrt(k/m), and there the lateness is a negative damping k d: where the servo looks ahead (feed-forward, a period ahead as in [Faulring2006, Algorithm 1]) it is not late below a
// part of its bandwidth. So w d <= 1/2 is asked for besides:
//
//   m >= b d + 4 k d^2,       d = T + latency + 1/w_0
//
// w_0 = sqrt(stiffness/inertia) of the specification: a servo that holds a device of that inertia as stiffly as that. A device that tells no inertia is as fast as it is told.
// Running loops of `simulated:admittance` and `simulated:cobot` bear such a mass with a hand of 300 N/m and 5 N s/m, and a tenth of it not
// (tests/display/kept_port_test.cpp).
//
// A port that is lighter is shown with as much inertia bolted to it as is missing (display/kept_port.h).
#pragma once

#include <array>
#include <cstdint>

#include <tactus/control/four_channel.h>
#include <tactus/device/device.h>

namespace tactus::control {

/// A hand that shall be borne; pairs are {rotation, translation}. A relaxed grasp, as device::Arm.
struct BorneHand {
  std::array<double, 2> stiffness{2.0, 300.0};  // [N m/rad], [N/m]
  std::array<double, 2> damping{0.02, 5.0};     // [N m s/rad], [N s/m]
};

/// [s] d, of an admittance device.
double display_lag(const device::Specification& specification) noexcept;

/// [kg m^2], [kg] of the lightest port that it bears.
std::array<double, 2> least_inertia(const device::Specification& specification,
                                    const BorneHand& hand = {}) noexcept;

/// What is missing to the least inertia at a port of mobility L, the lightest of its directions.
std::array<double, 2> missing_inertia(const std::array<double, 2>& least, const Matrix6& L,
                                      std::uint8_t axes) noexcept;

}  // namespace tactus::control
