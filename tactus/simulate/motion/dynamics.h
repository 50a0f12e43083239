// The constant kernels of one mechanism, as the integrators use them. Made once; shared by any number of
// simulations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/constraints/constraints.h>
#include <tactus/simulate/constraints/parametric.h>
#include <tactus/simulate/motion/coordinates.h>
#include <tactus/simulate/motion/momentum.h>

namespace tactus::simulate {

class BreakTimes;     // break_times.h
struct ChartKernels;  // chart_kernels.h
struct DryFriction;   // dry_friction.h
struct PassiveTerms;  // integrators/passive_terms.h

/// Every kernel reads a prefix of one array of arguments and writes behind it, in the order of the
/// computation:
///   t [1], q [nq], u [nv], tau [nv], wrench [6 per wrench], udot [nv], qdot [nq], P_rate [np]
struct Dynamics {
  Coordinates coordinates;
  std::vector<std::string> coordinate_names;  // [nq]
  std::vector<std::string> speed_names;       // [nv]
  std::vector<std::string> effort_names;      // [nv] whose tau it is: the joints' axes
  /// Speeds' numbers of joints without an actuator, where the equations take forces there too (derive::Options::
  /// push_passive): scripts and held forces do not act on them, wrenches at ports do.
  std::vector<int> unactuated;
  int wrench_count = 0;

  generate::Kernel coordinate_rates;               // t q u -> qdot
  std::optional<generate::Kernel> loads;           // t q u -> tau wrench: forces that the script prescribes
  std::shared_ptr<const BreakTimes> breaks;        // when those jump or bend; null: at no known time
  generate::Kernel forward_dynamics;               // t q u tau wrench -> udot qdot
  std::vector<MomentumRoot> momentum_roots;        // empty for fixed bases
  std::optional<generate::Kernel> momentum;        // t q u -> P A_0 A_1 ...
  std::optional<generate::Kernel> momentum_rate;   // t q u tau wrench udot -> P_rate
  std::shared_ptr<const Constraints> constraints;  // null where there are none
  std::shared_ptr<const Parametric> parametric;    // null where the model gives no psi
  /// Dry friction at joints; null where there is none. The kernels are without it: it is a law, not a force.
  std::shared_ptr<const DryFriction> dry_friction;
  /// Of mechanisms with bodies or trees that hang free: shorter roads to slopes and ends of steps; null for others.
  std::shared_ptr<const ChartKernels> in_chart;
  std::shared_ptr<const PassiveTerms> passive;  // of the passive integrator; null where it was not asked for

  int nq() const { return coordinates.nq(); }
  int nv() const { return coordinates.nv(); }
  int np() const {
    return momentum_roots.empty() ? 0 : momentum_roots.back().offset + momentum_roots.back().size;
  }
};

struct CompileOptions {
  bool momentum = true;  // carry the momentum of trees that hang free
  bool passive = false;  // for Integrator::passive, which carries none
};

/// Compiles what a simulation needs. `loads` (inputs t q u; outputs tau [nv] and, where the equations take
/// wrenches, wrench [6 each]) are forces known as functions of the motion.
Dynamics compile(const derive::Equations& equations,
                 const std::optional<algebra::Function>& loads = std::nullopt,
                 generate::Backend backend = generate::Backend::automatic, CompileOptions options = {});

}  // namespace tactus::simulate
