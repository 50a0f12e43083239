// Section VI as the paper simulates it (Figure 5): device and mechanism are one system of equations,
// integrated by the classical Runge-Kutta rule. The same through the running loop is in free_loop.h.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <studies/models.h>
#include "free_run.h"
#include "manipulation.h"

namespace tactus::studies::constantinescu {

/// q0 of sections VI and VIII, and how far the hand is from the port at first.
inline const std::vector<double> kSectionVI{-kPi / 4, kPi / 6, -kPi / 6},
    kSectionVIII{0.0, -kPi / 6, -kPi / 3};
inline constexpr std::array<double, 3> kOffset{0.005, 0.003, 0.0};
inline constexpr double kSectionVIDuration = 3.0;  // [s] chosen: the paper does not say

inline Settings section_vi(Law law, bool turning) {
  Settings settings;
  settings.law = law;
  settings.turning = turning;
  settings.offset = kOffset;
  return settings;
}

inline Run run_together(const study::Context& context, const std::string& port, const std::vector<double>& q,
                        const Settings& settings, double duration, double step = 1e-3) {
  const auto chain = contact::open(load(context, "three_link_chain"), {.step = step});
  const auto place = [&](const std::vector<double>& coordinates, const std::vector<double>& speeds) {
    chain->set_state({.t = 0.0, .q = coordinates, .u = speeds, .momentum = {}});
  };
  place(q, {0.0, 0.0, 0.0});
  const int at = chain->port(port);
  Manipulation hand(*chain, at, settings);
  const Manipulation::Device first = hand.begin();
  // q, u, x_h, v_h
  using Vector = Eigen::Matrix<double, 12, 1>;
  Vector y;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    y[k] = q[i];
    y[3 + k] = 0.0;
    y[6 + k] = first.x[i];
    y[9 + k] = first.v[i];
  }
  int resisted = 0;
  const auto rate = [&](const Vector& s) {
    place({s[0], s[1], s[2]}, {s[3], s[4], s[5]});
    const Manipulation::Answer answer = hand.look({{s[6], s[7], s[8]}, {s[9], s[10], s[11]}});
    const std::span<const double> udot = chain->accelerations();
    resisted = answer.resisted;
    Vector r;
    r << s[3], s[4], s[5], udot[0], udot[1], udot[2], s[9], s[10], s[11], answer.a[0], answer.a[1],
        answer.a[2];
    return r;
  };
  Run result;
  const long steps = std::lround(duration / step);
  for (long k = 0; k <= steps; ++k) {
    const Vector k1 = rate(y);
    result.add(static_cast<double>(k) * step, {y[6], y[7], y[8]}, in_plane(chain->motion(at).X_WP),
               std::span(y.data(), 3), resisted);
    const Vector k2 = rate(y + 0.5 * step * k1), k3 = rate(y + 0.5 * step * k2), k4 = rate(y + step * k3);
    y += step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return result;
}

}  // namespace tactus::studies::constantinescu
