// How stiff penalties and couplers may be, by bisection of the sampled loops' eigenvalues, for one device: S1 chose 200 1/s^2 and 50 1/s for its
// penalties and 50 N/m, 3 N s/m for its coupler, and says that penalties can be stiffer.
//
// Penalties act within the haptic loop, whatever the simulation's rate. The coupler's other end is the mechanism's, which moves at the
// simulation's rate and stands still in between; over one of its steps of n ticks the map is
//
//   n times:   F = K (x - x_P) + B (v - v_P) on the device, held for T;   then   v_P += sum F T/m_P,   x_P += n T v_P
#include <cmath>
#include <functional>
#include <limits>

#include <Eigen/Dense>

#include <studies/compare.h>
#include <studies/record.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>

#include "cases.h"

namespace tactus::studies::constantinescu {

namespace {

using control::SampledLoop;
using study::Context;
using study::Result;

constexpr double kRate = 512.0, kDeviceMass = 1.0;                // [Hz], [kg]
constexpr double kPenaltyDamping = 50.0, kPenaltyChosen = 200.0;  // [1/s], [1/s^2]
constexpr double kCouplerDamping = 3.0, kCouplerChosen = 50.0;    // [N s/m], [N/m]

/// The largest x with which it is stable, to 1e-6 of itself; 0 where none is.
double largest(const std::function<bool(double)>& stable) {
  double low = 1e-3, high = 1e8;
  if (!stable(low)) return 0.0;
  while (high / low > 1.0 + 1e-6) {
    const double middle = std::sqrt(low * high);
    (stable(middle) ? low : high) = middle;
  }
  return low;
}

constexpr double kOn = 1.0 + 1e-12;  // eigenvalues on the circle are rounded

/// A penalty on a device whose velocity is known: x+ = x + T v + T^2/2 a, v+ = v + T a, a = -k x - b v.
bool penalty_stable(double k, double b) {
  const double T = 1.0 / kRate;
  Eigen::Matrix2d A;
  A << 1.0 - 0.5 * T * T * k, T - 0.5 * T * T * b, -T * k, 1.0 - T * b;
  return A.eigenvalues().cwiseAbs().maxCoeff() < kOn;
}

/// The same where velocities are differences of encoders through two poles, forces `delay` ticks late.
SampledLoop sensed(int delay, double bandwidth) {
  SampledLoop loop;
  loop.period = 1.0 / kRate;
  loop.delay = delay;
  loop.velocity_pole = bandwidth > 0.0 ? std::exp(-bandwidth / kRate) : 0.0;
  loop.device_mass = kDeviceMass;
  return loop;
}

/// The coupler between the device at kRate and a mass that is simulated every n ticks.
bool coupler_stable(double K, double B, double mass, int n) {
  const double T = 1.0 / kRate;
  Eigen::Matrix4d A;
  for (int j = 0; j < 4; ++j) {
    Eigen::Vector4d s = Eigen::Vector4d::Unit(j);  // x, v, x_P, v_P
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      const double F = K * (s[0] - s[2]) + B * (s[1] - s[3]);
      sum += T * F;
      s[0] += T * s[1] - 0.5 * T * T * F / kDeviceMass;
      s[1] -= T * F / kDeviceMass;
    }
    s[3] += sum / mass;
    s[2] += n * T * s[3];
    A.col(j) = s;
  }
  // Both together go on as they do: two eigenvalues of 1, and a Jordan block of theirs, which rounding splits by its square root.
  const Eigen::VectorXcd eigenvalues = A.eigenvalues();
  for (int i = 0; i < 4; ++i)
    if (std::abs(eigenvalues[i]) > 1.0 + 1e-9 && std::abs(eigenvalues[i] - 1.0) > 1e-5) return false;
  return true;
}

Result borders(const Context&) {
  const double b_most = largest([](double b) { return penalty_stable(1e-6, b); });
  const double k_most = largest([](double k) { return penalty_stable(k, kPenaltyDamping); });
  Deviation ideal;
  ideal.add(b_most, 2.0 * kRate, 0.02 * 2.0 * kRate);
  ideal.add(k_most, 2.0 * kPenaltyDamping * kRate, 0.02 * 2.0 * kPenaltyDamping * kRate);

  std::string table =
      "penalties at 512 Hz, velocities by differences through 100 Hz (and 30 Hz): forces late, largest k_j "
      "at b_j = 50 1/s\n";
  bool chosen = true;
  double before = std::numeric_limits<double>::infinity();
  for (const int delay : {0, 1, 2, 4, 8}) {
    double k[2];
    int column = 0;
    for (const double bandwidth : {628.0, 188.0})
      k[column++] = largest([&](double K) {
        return control::spectral_radius(sensed(delay, bandwidth), K, kPenaltyDamping) < kOn;
      });
    table += fmt::format("{:10.1f} ms {:14.0f} {:14.0f} 1/s^2\n", 1e3 * delay / kRate, k[0], k[1]);
    chosen = chosen && k[0] < before;
    before = k[0];
    if (delay <= 2) chosen = chosen && k[0] > kPenaltyChosen;
  }
  table +=
      "largest stiffness by the simulation's rate, 1 kg at the device and 1 kg at the port\n"
      "  rate [Hz]   coupler, 3 N s/m [N/m]   penalties [N/m for 1 kg]\n";
  bool stiffer = true;
  double slow = 0.0;
  for (const double rate : {30.0, 60.0, 125.0, 250.0, 512.0}) {
    const int n = static_cast<int>(std::lround(kRate / rate));
    const double K = largest([&](double x) { return coupler_stable(x, kCouplerDamping, 1.0, n); });
    if (rate == 30.0) slow = K;
    stiffer = stiffer && kDeviceMass * k_most > K;
    table += fmt::format("{:11.0f} {:24.1f} {:26.0f}\n", rate, K, kDeviceMass * k_most);
  }
  return {
      "section VII: \"stiffer joint constraints\" can be imposed than by virtual coupling; 200 1/s^2, 50 1/s "
      "and 50 N/m, 3 N s/m "
      "were used",
      fmt::format("b_j below {:.0f} 1/s, k_j below {:.0f} 1/s^2; the coupler of 3 N s/m below {:.0f} N/m "
                  "where the simulation has 30 Hz",
                  b_most, k_most, slow),
      closed_form(all_within(ideal) && chosen && stiffer && slow > kCouplerChosen,
                  "2/T and 2 b_j/T within 2 %; the paper's own gains are stable"),
      "no borders are printed. Required: 2/T = 1024 1/s and 2 b_j/T = 51,200 1/s^2 within 2 %, 200 1/s^2 "
      "stable with forces up to 4 ms late, 50 "
      "N/m stable at 30 Hz, and penalties stiffer than the coupler at every rate. Delay and the estimate of "
      "velocity bring the borders down by two decades, sampling alone does not",
      {},
      table};
}

/// A designed coupler's neighbourhood: passive and stable, for a device and its rate.
Result map(const Context& context) {
  device::Specification s;
  for (const device::Specification& one : device::devices())
    if (one.name == "simulated:ideal") s = one;
  const double b = s.damping[1];
  Record record({"damping", "passive 1 kHz", "stable 1 kHz", "passive 2 ms late", "stable 2 ms late",
                 "passive 4 kHz", "stable 4 kHz"});
  Deviation closed;
  bool inside = true;
  for (double B = 0.0; B < b; B += 0.02 * b) {
    std::vector<double> row{B};
    for (const auto& [rate, delay] : {std::pair{1000.0, 0}, {1000.0, 2}, {4000.0, 0}}) {
      s.rate = rate;
      s.latency = delay / rate;
      s.velocity_bandwidth = 0.0;
      const SampledLoop wall = control::loop_of(s, 1, std::numeric_limits<double>::infinity());
      const double passive = largest([&](double K) { return control::required_damping(wall, K, B) <= b; });
      const double stable = largest([&](double K) { return control::spectral_radius(wall, K, B) < kOn; });
      if (delay == 0) closed.add(passive, 2.0 * (b - B) * rate, 2e-3 * 2.0 * b * rate);  // b > K T/2 + B
      inside = inside && passive <= stable * (1.0 + 1e-6);
      row.push_back(passive);
      row.push_back(stable);
    }
    record.add(row);
  }
  record.write_csv(context, "constantinescu2005-coupler-map.csv");
  record.write_svg(context, "constantinescu2005-coupler-map.svg",
                   "A coupler in front of a wall: passive and stable up to",
                   {{"stiffness at 1 kHz [N/m]",
                     {"passive 1 kHz", "stable 1 kHz", "passive 2 ms late", "stable 2 ms late"}},
                    {"stiffness at 4 kHz [N/m]", {"passive 4 kHz", "stable 4 kHz"}}},
                   {}, "coupler's damping [N s/m]");
  return {"the virtual coupler in front of a wall: stiffness and damping against rate and delay",
          fmt::format("passive up to 2 (b - B)/T: {}; never beyond the stable border", closed.to_string()),
          closed_form(all_within(closed) && inside, "Colgate's condition, K < 2 (b - B)/T, within 0.2 %"),
          "nothing of it is printed. Required: Colgate's condition in closed form within 0.2 % where nothing "
          "is late, and passive within stable "
          "everywhere. Running loops meet the stable border within 2 % (tests/display/stability_test.cpp); "
          "beyond the passive one random hands gain "
          "energy (tests/display/random_passivity_test.cpp)",
          {"constantinescu2005-coupler-map.csv", "constantinescu2005-coupler-map.svg"}};
}

}  // namespace

std::vector<study::Case> stability_cases() {
  return {{"stability", "borders of penalties and couplers", borders},
          {"coupler-map", "stiffness and damping of a coupler", map}};
}

}  // namespace tactus::studies::constantinescu
