// How far a ladder's motion is from the closed form, for one integrator, formulation and fineness: a cell of the tables.
#pragma once

#include <tactus/simulate/choices.h>
#include <tactus/study/study.h>

namespace tactus::studies::ladder {

struct Setting {
  simulate::Integrator integrator = simulate::Integrator::rk4;
  simulate::Formulation formulation = simulate::Formulation::automatic;
  double fineness = 1e-3;  // the step [s], or the tolerance of an integrator that chooses its own
};

struct Cell {
  bool finished = false;
  double error = 0.0;  // [rad] of any angle against the closed form, the largest of the samples
  double spread =
      0.0;  // [rad] to motions whose starts are one unit in the last place away, everywhere; 0: not asked for
  double seconds = 0.0;  // processor time of one motion
};

/// Over so many seconds; twice more for the spread, where it is asked for.
Cell converge(const study::Context& context, int loops, const Setting& setting, double duration,
              bool with_spread = true);

/// The processor time of the dearest step by that of the median, of steps of 1 ms through the first two singular
/// positions. The least of several motions each: they have the same bits.
double dearest_step(const study::Context& context, int loops, const Setting& setting);

}  // namespace tactus::studies::ladder
