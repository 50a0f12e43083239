// Example 1 term by term: partial velocities, generalised active and inertia forces of the disk that slides or rolls on a ramp.
#include <array>
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include "cases.h"

namespace tactus::studies::gillespie {

namespace {

using study::Context;
using study::Result;
using Vec3 = math::Vec3<double>;

// models/disk_on_ramp.yaml: 1 kg, 0.1 m, 20 deg; the friction is chosen.
constexpr double m = 1.0, r = 0.1, J = 0.5 * m * r * r, g = 9.81, kFriction = 0.7, kNormal = 3.0;
constexpr double kSlope = 20.0 * std::numbers::pi / 180.0;

/// The disk that slides: partial velocities by the columns of the Jacobian and W of (6), accelerations under the friction.
struct Sliding {
  explicit Sliding(const Context& context) {
    describe::Model model = load(context, "disk_on_ramp");
    for (describe::Constraint& c : model.constraints) c.active = c.name == "contact";
    const std::unique_ptr<simulate::Mechanism> disk = contact::open(model);
    disk->set_state({0.0, {0.0, r, 0.0}, {0.5, 0.0, 2.0}, {}});
    const int centre = disk->port("centre");
    const std::span<const double> columns = disk->jacobian(centre);
    const std::size_t nv = disk->nv();
    const std::array<std::size_t, 2> joint{0, 2};  // s and angle
    const std::array<double, 2> W{1.0, 1.0 / r};   // (6): q1' = u1, q2' = u2/r
    for (std::size_t k = 0; k < 2; ++k) {
      const auto at = [&](std::size_t row) { return W[k] * columns[row * nv + joint[k]]; };
      omega[k] = {at(0), at(1), at(2)};
      v[k] = {at(3), at(4), at(5)};
    }
    const std::vector<double> tau{-kFriction, 0.0, -r * kFriction};
    disk->hold({.tau = tau});
    const std::span<const double> udot = disk->accelerations();
    rates = {udot[0], r * udot[2]};
  }
  std::array<Vec3, 2> v, omega;   // partial velocities of the centre, partial angular velocities
  std::array<double, 2> rates{};  // u1', u2'
};

const Vec3 kA1{std::cos(kSlope), 0.0, std::sin(kSlope)}, kA2{-std::sin(kSlope), 0.0, std::cos(kSlope)};
const Vec3 kA3 = cross(kA1, kA2);

/// (32): with R = -m g n2 - F_f a1 + N a2 and T = -r F_f a3.
double active(const Vec3& v, const Vec3& omega) {
  const Vec3 R = Vec3{0.0, 0.0, -m * g} - kFriction * kA1 + kNormal * kA2, T = (-r * kFriction) * kA3;
  return dot(v, R) + dot(omega, T);
}
/// (33), with its sign as in (14), and (37).
double inertia(const Vec3& v, const Vec3& omega, double u1_dot, double u2_dot) {
  return dot(v, (-m * u1_dot) * kA1) + dot(omega, (-J * u2_dot / r) * kA3);
}

Result terms(const Context& context) {
  const Sliding disk(context);
  const auto [u1_dot, u2_dot] = disk.rates;
  Deviation d;
  const auto zero = [&](const Vec3& a) { d.add(std::sqrt(dot(a, a)), 0.0, 1e-14); };
  // (36) and the table below it.
  zero(disk.v[0] - kA1);
  zero(disk.omega[0]);
  zero(disk.v[1]);
  zero(disk.omega[1] - (1.0 / r) * kA3);
  // (38), (40), and the second line of (39).
  const double along = -m * g * std::sin(kSlope);
  const double F1 = active(disk.v[0], disk.omega[0]), F2 = active(disk.v[1], disk.omega[1]);
  const double inertia_1 = inertia(disk.v[0], disk.omega[0], u1_dot, u2_dot),
               inertia_2 = inertia(disk.v[1], disk.omega[1], u1_dot, u2_dot);
  d.add(F1, along - kFriction, 1e-13);
  d.add(inertia_1, -m * u1_dot, 1e-13);
  d.add(inertia_2, -J / (r * r) * u2_dot, 1e-13);
  d.add(along - kFriction - m * u1_dot, 0.0, 1e-13);
  d.add(-kFriction - J / (r * r) * u2_dot, 0.0, 1e-13);
  d.add(F1 + inertia_1, 0.0, 1e-13);
  d.add(F2 + inertia_2, 0.0, 1e-13);
  // Rolling, D = -1 by (7): the table of constrained partial velocities, and (41) by it and by the recombination (44), (45).
  const Vec3 v = disk.v[0] - disk.v[1], omega = disk.omega[0] - disk.omega[1];
  zero(v - kA1);
  zero(omega + (1.0 / r) * kA3);
  constexpr double kRate = -1.3;  // [m/s^2] any u1', and u2' = -u1'
  for (const double F : {active(v, omega), F1 - F2}) d.add(F, along - kFriction + kFriction, 1e-13);
  d.add(inertia(v, omega, kRate, -kRate), -m * kRate - J / (r * r) * kRate, 1e-13);
  return {
      "(6), (7), (36)-(41): partial velocities, active and inertia forces, sliding and rolling; two tables",
      d.to_string(),
      closed_form(
          all_within(d),
          "the terms as printed, with dot products of the Jacobian's columns, and with the simulated disk"),
      "no numbers are printed; the sign of F2 in (39) apart (eq-39)",
      {}};
}

Result active_force(const Context& context) {
  const Sliding disk(context);
  const double F2 = active(disk.v[1], disk.omega[1]), printed = kFriction;
  const double by_print = printed * r * r / J, by_mended = F2 * r * r / J;  // u2' by F2 + F2* = 0
  Deviation d;
  d.add(F2, -kFriction, 1e-13);
  d.add(disk.rates[1], by_mended, 1e-12);
  return {fmt::format("(39): F2 = F_f, u2' = {:.2f} m/s^2 with a friction of {:g} N", by_print, kFriction),
          fmt::format("F2 = -F_f by the printed partial velocities and torque, u2' = {:.2f} m/s^2; {}",
                      disk.rates[1], d.to_string()),
          corrected(all_within(d) && std::fabs(by_print - disk.rates[1]) > 1.0,
                    "(39), evaluated as printed and by its own dot product"),
          "(39) lacks a minus in our text; (40) and (41) have it",
          {}};
}

}  // namespace

std::vector<study::Case> disk_cases() {
  return {{"example-1-terms", "the disk on the ramp, term by term", terms},
          {"eq-39", "the disk's second active force", active_force}};
}

}  // namespace tactus::studies::gillespie
