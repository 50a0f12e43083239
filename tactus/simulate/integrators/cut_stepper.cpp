#include <tactus/simulate/integrators/cut_stepper.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/simulate/motion/break_times.h>

namespace tactus::simulate {

namespace {

// More break times than this in one step are no signal that a step could follow: the rest of it is taken whole.
constexpr int kMostPieces = 100;

}  // namespace

// Pieces end at break times b; within the blur of one, time is seen as b - blur before it and b + blur after it.
Status CutStepper::step(Chart& chart, double t, double h, std::span<double> z) {
  const BreakTimes& breaks = *chart.dynamics().breaks;
  const double end = t + h;
  Status status;
  double now = t;
  for (int piece = 1; now < end && status.ok(); ++piece) {
    const double blur = BreakTimes::blur(now);
    // One that lies where the piece begins is behind us, also where rounding has put it a little later.
    const double behind = breaks.next(now - blur);
    const bool begins = behind <= now + blur;
    double next = breaks.next(begins ? behind + 2.0 * blur : now);
    if (!std::isfinite(next) || next > end + blur || piece == kMostPieces)
      next = std::numeric_limits<double>::infinity();
    chart.set_sight(begins ? behind + blur : -std::numeric_limits<double>::infinity(), next - blur);
    const bool last = next >= end - blur;
    whole_ = last && piece == 1;
    const double reach = last ? end : next;
    status |= stepper_->step(chart, now, reach - now, z);
    now = reach;
    if (!last && status.ok()) {
      for (const double value : z)
        if (!std::isfinite(value)) status |= Status::not_finite;
      if (status.ok()) status |= chart.settle(now, z);
    }
    if (last) break;
  }
  chart.clear_sight();
  return status;
}

}  // namespace tactus::simulate
