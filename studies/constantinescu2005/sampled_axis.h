// One axis of a device, and a spring and a damper on its handle whose other end is a wall or a mass that a
// simulation moves once in n ticks: penalties and couplers are the same law with other ends, for one device.
//
//   every period T the handle is read in steps of D, and      F = K (x^ - x_P) + B (v^ - v_P)
//   v^ = (x^ - x^ before)/T through two poles exp(-w T)       acts d periods late on the device of mass m
//   every n periods     x_P += n T (v_P + I/2m_P),  v_P += I/m_P,  I = sum F T: what the mean force does
//
// A direction that the chain resists does not move: x_P = 0 at every tick, whatever the simulation's rate.
// There penalties act, m (k_j, b_j) = (K, B). A coupler has the same gains for all directions, and has to
// bear those that are resisted and those that move.
//
// Steps. A swing of amplitude A about the middle of a step is read as a square wave whose first harmonic is 4
// D/(pi A) sqrt(1 - (D/2A)^2) times as large: 4/pi at most. A loop that bears more than 4/pi times its gains
// keeps no such swing; the dead band itself, within a step to either side, is left.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <Eigen/Dense>

namespace tactus::studies::constantinescu {

struct SampledAxis {
  double period = 1.0 / 512.0;                                 // [s] T
  int delay = 0;                                               // [periods] d
  double bandwidth = 0.0;                                      // [rad/s] w; 0: plain differences
  bool velocity_is_known = false;                              // v^ = v
  double step = 0.0;                                           // [m] D
  double device_mass = 1.0;                                    // [kg] m
  double port_mass = std::numeric_limits<double>::infinity();  // [kg] m_P; infinite: a wall
  int every = 1;                                               // [periods] n

  bool stable(double K, double B) const;
  /// [m] How far it swings, from end to end, in the last of ten seconds after a push of `speed` [m/s];
  /// infinite where it goes further and further.
  double swing(double K, double B, double speed) const;

 private:
  enum : Eigen::Index {
    kX,
    kV,
    kPortX,
    kPortV,
    kRead,
    kDifferenced,
    kRate,
    kImpulse,
    kLate
  };  // kLate on: F of the last d ticks
  using State = Eigen::VectorXd;
  Eigen::Index size() const { return kLate + delay; }

  void tick(State& s, double K, double B) const {
    const double T = period, a = bandwidth > 0.0 ? std::exp(-bandwidth * T) : 0.0;
    const double read = step > 0.0 ? step * std::floor(s[kX] / step + 0.5) : s[kX];
    s[kDifferenced] += (1.0 - a) * ((read - s[kRead]) / T - s[kDifferenced]);
    s[kRate] += (1.0 - a) * (s[kDifferenced] - s[kRate]);
    s[kRead] = read;
    const double F = K * (read - s[kPortX]) + B * ((velocity_is_known ? s[kV] : s[kRate]) - s[kPortV]);
    double acts = F;
    if (delay > 0) {
      acts = s[kLate + delay - 1];
      for (Eigen::Index i = kLate + delay - 1; i > kLate; --i) s[i] = s[i - 1];
      s[kLate] = F;
    }
    s[kX] += T * s[kV] - 0.5 * T * T * acts / device_mass;
    s[kV] -= T * acts / device_mass;
    s[kImpulse] += T * F;
  }
  void simulate(State& s) const {
    if (std::isfinite(port_mass)) {
      s[kPortX] += every * period * (s[kPortV] + 0.5 * s[kImpulse] / port_mass);
      s[kPortV] += s[kImpulse] / port_mass;
    }
    s[kImpulse] = 0.0;
  }
};

inline bool SampledAxis::stable(double K, double B) const {
  SampledAxis linear = *this;
  linear.step = 0.0;
  Eigen::MatrixXd A(size(), size());
  for (Eigen::Index j = 0; j < size(); ++j) {
    State s = State::Unit(size(), j);
    if (j == kImpulse || (!std::isfinite(port_mass) && (j == kPortX || j == kPortV))) s.setZero();
    for (int i = 0; i < every; ++i) linear.tick(s, K, B);
    simulate(s);
    A.col(j) = s;
  }
  // Both ends together go on as they do: two eigenvalues of 1, and a Jordan block of theirs, which rounding
  // splits by its square root.
  constexpr double kOn = 1.0 + 1e-9, kSplit = 1e-5;
  const Eigen::VectorXcd eigenvalues = A.eigenvalues();
  for (const std::complex<double>& z : eigenvalues)
    if (!(std::abs(z) < kOn) && !(std::isfinite(port_mass) && std::abs(z - 1.0) < kSplit)) return false;
  return true;
}

inline double SampledAxis::swing(double K, double B, double speed) const {
  State s = State::Zero(size());
  s[kV] = speed;
  constexpr double kFar = 10.0, kWhole = 10.0, kLast = 9.0;  // [m], [s], [s]
  const long ticks = std::lround(kWhole / period), last = std::lround(kLast / period);
  double low = 0.0, high = 0.0;
  for (long k = 0; k < ticks; k += every) {
    for (int i = 0; i < every; ++i) tick(s, K, B);
    simulate(s);
    const double apart = s[kX] - s[kPortX];
    if (!(std::abs(apart) < kFar)) return std::numeric_limits<double>::infinity();
    if (k < last) low = high = apart;
    low = std::min(low, apart);
    high = std::max(high, apart);
  }
  return high - low;
}

}  // namespace tactus::studies::constantinescu
