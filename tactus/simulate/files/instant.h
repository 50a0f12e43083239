// One instant of a motion, as `tactus eval` takes it. In YAML:
//
//   t: 0
//   q: [0.3, 0.8, -0.4]        # or by name: {q1: 17 deg, ...}
//   qd: [0.7, -0.3, 0.5]       # rates of the joints; or u: the generalised speeds
//   qdd: [0, 0, 0]             # accelerations of the joints, or udot, where inverse dynamics is asked for
//   tau: [0, 0, 0]             # forces at the joints, where forward dynamics is asked for
//   fixed: given               # or {q: [q1], u: [q1]}: values that assembly must keep
//   wrenches: [{frame: tool, force: [0, 0, -10]}]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tactus/derive/equations.h>

namespace tactus::simulate {

struct Instant {
  double t = 0.0;
  std::vector<double> q, u;
  describe::InitialMarks marks;  // which of these are given, which are to be kept where it is assembled
  std::optional<std::vector<double>> udot;  // where the file gives udot or qdd
  std::optional<std::vector<double>> tau;
  std::vector<derive::WrenchInput> wrenches;
  std::vector<double> wrench;  // [6 per wrench] torque, force
};

/// Throws InputError with file, line and column.
Instant read_instant(const derive::Equations& equations, const std::string& text, const std::string& file);
Instant load_instant(const derive::Equations& equations, const std::string& path);

/// u from rates of the joints, and udot from their accelerations, for whatever speeds the model defines.
std::vector<double> speeds_of(const derive::Equations& equations, double t, const std::vector<double>& q,
                              const std::vector<double>& qd);
std::vector<double> speed_rates_of(const derive::Equations& equations, double t, const std::vector<double>& q,
                                   const std::vector<double>& qd, const std::vector<double>& qdd);
/// The accelerations of the joints that belong to udot.
std::vector<double> joint_accelerations_of(const derive::Equations& equations, double t,
                                           const std::vector<double>& q, const std::vector<double>& u,
                                           const std::vector<double>& udot);
/// The rates of the coordinates, and those of the joints, that belong to u.
std::vector<double> coordinate_rates_of(const derive::Equations& equations, double t,
                                        const std::vector<double>& q, const std::vector<double>& u);
std::vector<double> joint_rates_of(const derive::Equations& equations, double t, const std::vector<double>& q,
                                   const std::vector<double>& u);

}  // namespace tactus::simulate
