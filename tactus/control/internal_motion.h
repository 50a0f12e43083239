// Freedoms of a mechanism that its port does not show: an arm of seven joints whose hand stands still while the elbow swings.
//
// Joint forces tau change the port's acceleration by J M^-1 P tau. Together with the wrench
//
//   F = -Lambda J M^-1 P tau,    Lambda = (S^T L S)^-1 on the axes S of the port,
//
// they do not: (1 - J^T Jbar^T) tau, Jbar = M^-1 P J^T Lambda, of which J Jbar = 1 [Constantinescu2005, (16), of which the printed
// 1_6 - Jbar J has d rows and columns, not six; Khatib1987]. So a force on the joints, -b u, damps what is inside and nothing is felt of
// it at the hand.
#pragma once

#include <span>

#include <tactus/control/four_channel.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::control {

/// The wrench that keeps `tau` [nv] from moving the port, with `others` acting there besides. False where the port has not so many freedoms. Leaves the mechanism holding both;
/// nothing is allocated.
inline bool hide_at_port(simulate::Mechanism& mechanism, int port, std::uint8_t axes,
                         std::span<const double> tau, const Vector6& others, Vector6& wrench) noexcept {
  const simulate::PortWrench besides{port, others};
  if (!mechanism.hold({.tau = {}, .ports = {&besides, 1}, .wrench = {}})) return false;
  const Vector6 without = mechanism.acceleration(port);
  Matrix6 L;
  mechanism.mobility(port, L);
  if (!mechanism.hold({.tau = tau, .ports = {&besides, 1}, .wrench = {}})) return false;
  const Vector6 with = mechanism.acceleration(port);
  for (std::size_t i = 0; i < 6; ++i) wrench[i] = without[i] - with[i];
  if (!solve_at_port(L, axes, wrench)) return false;
  // Once more with what is left: the mobility's own rounding is out of it.
  simulate::PortWrench both{port, others};
  for (std::size_t i = 0; i < 6; ++i) both.wrench[i] += wrench[i];
  if (!mechanism.hold({.tau = tau, .ports = {&both, 1}, .wrench = {}})) return false;
  const Vector6 now = mechanism.acceleration(port);
  Vector6 more{};
  for (std::size_t i = 0; i < 6; ++i) more[i] = without[i] - now[i];
  if (!solve_at_port(L, axes, more)) return false;
  for (std::size_t i = 0; i < 6; ++i) wrench[i] += more[i];
  return true;
}

}  // namespace tactus::control
