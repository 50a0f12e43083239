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

#include <vector>

#include <tactus/control/coupler.h>
#include <tactus/control/coupler_design.h>
#include <tactus/control/four_channel.h>

namespace tactus::control {

/// The largest eigenvalue's size of the map from one tick to the next; the port's mass is loop.port_mass.
double spectral_radius(const SampledLoop& loop, const PrescribedGains& gains);

/// The port's mass by that of the device along each direction of the axes, the lightest first: of (S^T L S)^-1 in the metric of M_d. Infinite along those that the
/// port cannot move.
std::vector<double> mass_ratios(const Matrix6& L, const Matrix6& M_d, std::uint8_t axes);
/// The last of them.
double heaviest_ratio(const Matrix6& L, const Matrix6& M_d, std::uint8_t axes);

/// The largest ratio of the port's mass to the device's with which the loop is stable, along any of the axes, to 2 % of itself.
double heaviest_borne(const device::Specification& specification, const PrescribedGains& gains);

/// PrescribedGains' own pole and drift rate, both slowed down by the same factor until the loop bears a port that is twice as heavy: so far reaches
/// the fading between weld and coupler (prescribed_port.h). `heaviest` is what they bear.
PrescribedGains design_prescribed(const device::Specification& specification, double ratio,
                                  std::uint8_t axes);

}  // namespace tactus::control
