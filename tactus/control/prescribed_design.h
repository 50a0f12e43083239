// How fast a pole the handle's acceleration may have where it prescribes a port (control/prescribed_port.h): the sampled loop, one axis of it.
//
// The reaction of the port's mass m comes back to the handle's own mass m_d from accelerations that are known a tick late, through the pole
// c = 1 - exp(-g T) and the two poles of the velocity's estimate:
//
//   A_k = (1 - c) A_k-1 + c (v_k - v_k-1)/T,     m_d (v_k+1 - v_k)/T = F_h - m (A_k + 2 w (v_k - v_P) + w^2 (x_k - x_P))
//
// With exact velocities and w = 0 the eigenvalue is 1 - c (1 + m/m_d): it leaves the unit circle where c = 2/(1 + m/m_d). A port that is 40 times as heavy
// as the handle bears no more than c = 0.05. With the estimate's poles and w the eigenvalues of the whole map are taken.
#pragma once

#include <tactus/control/coupler.h>
#include <tactus/control/coupler_design.h>
#include <tactus/control/four_channel.h>

namespace tactus::control {

/// The largest eigenvalue's size of the map from one tick to the next; the port's mass is loop.port_mass.
double spectral_radius(const SampledLoop& loop, const PrescribedGains& gains);

/// The largest mass of the port by that of the device, over all directions of the axes: of (S^T L S)^-1 in the metric of M_d. Infinite where the port has
/// fewer freedoms.
double heaviest_ratio(const Matrix6& L, const Matrix6& M_d, std::uint8_t axes);

/// PrescribedGains' own pole and drift rate, both slowed down by the same factor until the loop is stable, also with a port that is half as heavy again.
PrescribedGains design_prescribed(const device::Specification& specification, double ratio,
                                  std::uint8_t axes);

}  // namespace tactus::control
