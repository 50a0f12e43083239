// Chapter IV, section III: the virtual object, (1)-(14), written out as printed and as mended, against the engine; and what it costs that its force is
// read once in a step of Runge and Kutta.
//
// Misprints: (8) has the entries 11, 22 and 33 of the rotation matrix for its bottom row, r31, r32, r33; (9) has a minus for the plus in
// I w' + w x I w. In (12) the product is w x (w x d).
#include <array>
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include <tactus/math/vec3.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using study::Context;
using study::Result;
using Vec = math::Vec3<double>;
using Mat = math::Mat3<double>;

struct Printed {
  bool gravity = false;  // (8) as printed
  bool moments = false;  // (9) as printed
  bool contact = false;  // (12) as printed, without parentheses: from left to right
};

/// (1)-(14). The moments are principal ones.
class VirtualObject {
 public:
  double m = 1.0, g = 0.0;
  Vec I{1, 1, 1}, d{};  // [kg m^2]; [m] from the mass centre to the contact point
  Printed printed;
  using State = std::array<double, 13>;  // U V W, P Q R, e0 .. e3, X Y Z
  State s{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};

  static Mat R_of(const State& s) {  // (4)
    const double e0 = s[6], e1 = s[7], e2 = s[8], e3 = s[9];
    Mat R;
    R(0, 0) = 2 * (e0 * e0 + e1 * e1 - 0.5);
    R(0, 1) = 2 * (e1 * e2 - e0 * e3);
    R(0, 2) = 2 * (e1 * e3 + e0 * e2);
    R(1, 0) = 2 * (e1 * e2 + e0 * e3);
    R(1, 1) = 2 * (e0 * e0 + e2 * e2 - 0.5);
    R(1, 2) = 2 * (e2 * e3 - e0 * e1);
    R(2, 0) = 2 * (e1 * e3 - e0 * e2);
    R(2, 1) = 2 * (e2 * e3 + e0 * e1);
    R(2, 2) = 2 * (e0 * e0 + e3 * e3 - 0.5);
    return R;
  }
  static Vec V_of(const State& s) { return {s[0], s[1], s[2]}; }
  static Vec w_of(const State& s) { return {s[3], s[4], s[5]}; }

  /// Of a force and a moment at the contact point, world axes.
  State slope(const State& s, const Vec& F_W, const Vec& T_W) const {
    const Mat R = R_of(s);
    const Vec V = V_of(s), w = w_of(s), F = transpose_times(R, F_W),
              T = transpose_times(R, T_W) + cross(d, F);  // (11)
    const Vec weight = printed.gravity ? -(m * g) * Vec{R(0, 0), R(1, 1), R(2, 2)}
                                       : -(m * g) * Vec{R(2, 0), R(2, 1), R(2, 2)};
    const Vec A = (1.0 / m) * (weight + F);  // (8)
    const Vec Vd = A - cross(w, V);          // (2), (3)
    const Vec Iw{I.x * w.x, I.y * w.y, I.z * w.z}, turning = cross(w, Iw);
    const Vec M = printed.moments ? T + turning : T - turning;  // (9)
    const Vec wd{M.x / I.x, M.y / I.y, M.z / I.z};
    const double e0 = s[6], e1 = s[7], e2 = s[8], e3 = s[9];
    const Vec p = R * V;  // (7)
    return {Vd.x,
            Vd.y,
            Vd.z,
            wd.x,
            wd.y,
            wd.z,
            0.5 * (-e1 * w.x - e2 * w.y - e3 * w.z),
            0.5 * (e0 * w.x - e3 * w.y + e2 * w.z),
            0.5 * (e3 * w.x + e0 * w.y - e1 * w.z),
            0.5 * (-e2 * w.x + e1 * w.y + e0 * w.z),  // (5), (6)
            p.x,
            p.y,
            p.z};
  }
  /// (12), world axes.
  Vec contact_acceleration(const Vec& F, const Vec& T) const {
    const State rate = slope(s, F, T);
    const Vec w = w_of(s), wd{rate[3], rate[4], rate[5]};
    const Vec A = Vec{rate[0], rate[1], rate[2]} + cross(w, V_of(s));
    const Vec twice = printed.contact ? cross(cross(w, w), d) : cross(w, cross(w, d));
    return R_of(s) * (A + cross(wd, d) + twice);
  }
  Vec contact_velocity() const { return R_of(s) * (V_of(s) + cross(w_of(s), d)); }  // (13)
  Vec contact_place() const { return Vec{s[10], s[11], s[12]} + R_of(s) * d; }      // (14)
  Vec momentum() const {
    const Vec w = w_of(s);
    return R_of(s) * Vec{I.x * w.x, I.y * w.y, I.z * w.z};
  }

  /// Runge and Kutta, fourth order.
  void step(double h, const Vec& F, const Vec& T) {
    const auto at = [&](const State& by, double part) {
      State x = s;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += part * by[i];
      return x;
    };
    const State a = slope(s, F, T), b = slope(at(a, 0.5 * h), F, T), c = slope(at(b, 0.5 * h), F, T),
                e = slope(at(c, h), F, T);
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += h / 6.0 * (a[i] + 2 * b[i] + 2 * c[i] + e[i]);
    const double size = std::sqrt(s[6] * s[6] + s[7] * s[7] + s[8] * s[8] + s[9] * s[9]);
    for (std::size_t i = 6; i < 10; ++i) s[i] /= size;
  }
};

Vec push(double t) { return {20 * std::sin(3 * t), 15 * std::cos(2 * t), 50 + 10 * std::sin(5 * t)}; }
Vec twist(double t) { return {0.5 * std::cos(4 * t), 0.3 * std::sin(3 * t), -0.4 * std::cos(t)}; }

/// How far a second of the same object in the engine is from these equations: place, velocity and acceleration of the contact point.
std::array<double, 3> apart(const Printed& printed) {
  constexpr double kStep = 5e-4;
  VirtualObject object;
  object.m = 5.0;
  object.g = 9.81;
  object.I = {0.05, 0.08, 0.03};
  object.d = {0.04, -0.03, 0.0625};
  object.printed = printed;
  const auto body =
      contact::open(describe::load_text("name: object\nbodies:\n  body: {mass: 5, inertia: [0.05, 0.08, "
                                        "0.03]}\njoints:\n  j: {type: free, parent: "
                                        "world, child: body}\nframes:\n  contact: {body: body, placement: "
                                        "{xyz: [0.04, -0.03, 0.0625]}, grasp: true}\n",
                                        "object.yaml"),
                    {.step = kStep});
  const int port = body->port("contact");
  std::array<double, 3> worst{};
  for (int k = 0; k < 2000; ++k) {
    const double t = kStep * k;
    const Vec F = push(t), T = twist(t);
    const simulate::PortWrench hand{port, {T.x, T.y, T.z, F.x, F.y, F.z}};
    body->hold({.tau = {}, .ports = {&hand, 1}, .wrench = {}});
    const std::array<double, 6> A = body->acceleration(port);
    const simulate::PortMotion motion = body->motion(port);
    const Vec p = object.contact_place() - motion.X_WP.p,
              v = object.contact_velocity() - Vec{motion.V_WP[3], motion.V_WP[4], motion.V_WP[5]},
              a = object.contact_acceleration(F, T) - Vec{A[3], A[4], A[5]};
    worst = {std::max(worst[0], std::sqrt(dot(p, p))), std::max(worst[1], std::sqrt(dot(v, v))),
             std::max(worst[2], std::sqrt(dot(a, a)))};
    object.step(kStep, F, T);
    if (!body->step({.tau = {}, .ports = {&hand, 1}, .wrench = {}}).ok())
      return {INFINITY, INFINITY, INFINITY};
  }
  return worst;
}

/// How far the moment of momentum in the world drifts in two seconds without moments.
double drift(bool printed) {
  VirtualObject object;
  object.I = {1, 2, 3};
  object.s[3] = 0.5;
  object.s[4] = 1.0;
  object.s[5] = 0.2;
  object.printed.moments = printed;
  const Vec before = object.momentum();
  for (int k = 0; k < 1000; ++k) object.step(2e-3, Vec::zero(), Vec::zero());
  const Vec gained = object.momentum() - before;
  return std::sqrt(dot(gained, gained));
}

Result equations(const Context&) {
  const std::array<double, 3> mended = apart({}), gravity = apart({.gravity = true}),
                              moments = apart({.moments = true}), contact = apart({.contact = true});
  constexpr double kPlace = 1e-9, kRate = 1e-8,
                   kAcceleration = 1e-6;  // two ways of the same order to integrate a rotation
  Deviation d;
  d.add(mended[0], 0.0, kPlace);
  d.add(mended[1], 0.0, kRate);
  d.add(mended[2], 0.0, kAcceleration);
  const double kept = drift(false), lost = drift(true);
  d.add(kept, 0.0, 1e-10);
  const bool matter = gravity[0] > 0.1 && moments[2] > 0.1 && lost > 0.1 && contact[2] > 0.1;
  return {
      "(1)-(14): a rigid body, its orientation a quaternion, pushed at any point of it",
      fmt::format(
          "mended: contact point within {:.1e} m, {:.1e} m/s, {:.1e} m/s^2 of the engine's in a "
          "second, moment of momentum kept to "
          "{:.1e} in two; (8) as printed {:.2g} m off, (9) as printed changes it by {:.2g} of 2.15 kg "
          "m^2/s, (12) from left to right is {:.2g} m/s^2 off",
          mended[0], mended[1], mended[2], kept, gravity[0], lost, contact[2]),
      corrected(all_within(d) && matter,
                "the engine's free body with the same forces, and the moment of momentum in the world"),
      "(8) has r11, r22, r33 for the bottom row r31, r32, r33 that its text names; (9) has - for + before w "
      "x I w, which keeps energy "
      "and the size of the moment of momentum, but not its direction; (12) has no parentheses, and from left "
      "to right its last product is zero",
      {}};
}

/// [m] The error after a second of a mass that F = sin(w t) moves, its force held over each step or drawn straight to the next.
double error_of(double h, bool drawn) {
  constexpr double w = 3.0, m = 5.0;
  const auto force = [&](double t) { return std::sin(w * t); };
  double x = 0.0, v = 0.0;
  const int steps = static_cast<int>(std::lround(1.0 / h));
  for (int k = 0; k < steps; ++k) {
    const double F = force(k * h), G = drawn ? force((k + 1) * h) : F;
    // Runge and Kutta are exact for a force that is a straight line.
    x += h * v + h * h / m * (F / 3.0 + G / 6.0);
    v += h / m * 0.5 * (F + G);
  }
  return std::abs(x - (1.0 - std::sin(w) / w) / (m * w));
}

Result held(const Context&) {
  const double h = 1.0 / 500.0;
  const double first = std::log2(error_of(h, false) / error_of(0.5 * h, false)),
               second = std::log2(error_of(h, true) / error_of(0.5 * h, true));
  Deviation d;
  d.add(first, 1.0, 0.02);
  d.add(second, 2.0, 0.02);
  return {"III-B: forces are sampled once in a step: \"numerical accuracy may be reduced\"",
          fmt::format("at 500 Hz, 3 rad/s, after a second: {:.2g} m with the force held, order {:.2f}; "
                      "{:.2g} m with it drawn straight to "
                      "the next, order {:.2f}",
                      error_of(h, false), first, error_of(h, true), second),
          closed_form(all_within(d), "the closed form of the motion, at 500 and 1000 Hz"),
          "the fourth order of the integrator is lost: a held force is of first order, a straight line "
          "between samples of second",
          {}};
}

}  // namespace

std::vector<study::Case> virtual_object_cases() {
  return {{"iv-object", "the virtual object's equations, as printed and mended", equations},
          {"iv-held-force", "a force that is read once in a step", held}};
}

}  // namespace tactus::studies::clover
