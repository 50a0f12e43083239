#include "haptic_measure.h"

#include <algorithm>
#include <cmath>

namespace tactus::apps {

void RunMeasure::add(const display::TickRecord& record) noexcept {
  Measured& m = measured_;
  if (ticks_++ == 0) {
    apart_at_start_ = scale_ * record.p_P - record.p_H;
    resisted_first_ = resisted_before_ = record.resisted;
  }
  const device::Vector6 F = display::on_hand(record);
  m.largest_force = std::max(m.largest_force, std::hypot(F[3], F[4], F[5]));
  m.largest_torque = std::max(m.largest_torque, std::hypot(F[0], F[1], F[2]));
  const device::Vector6& P = record.on_port;
  m.largest_at_port = std::max(m.largest_at_port, std::hypot(P[3], P[4], P[5]));
  for (std::size_t i = 0; i < 3; ++i) {
    constexpr double kEnd = 0.999;
    m.at_the_end |= workspace_[i] > 0.0 && std::abs(record.p_H[i]) >= kEnd * workspace_[i];
  }
  m.oldest = std::max(m.oldest, record.age);
  m.left_out = std::max(m.left_out, record.left_out);
  m.most_resisted = std::max(m.most_resisted, record.resisted);
  handed_over_ += prescribed_ && record.resisted > resisted_first_;
  if (record.resisted != resisted_before_) m.gave_up_at = t_before_;
  resisted_before_ = record.resisted;
  t_before_ = record.t;
  softened_ += record.softness < 1.0;
  m.softest = std::min(m.softest, record.softness * record.softness);
  // p_H - scale p_P + d, as the loop's safety has it.
  const math::Vec3<double> lag = scale_ * record.p_P - record.p_H - apart_at_start_;
  m.largest_lag = std::max(m.largest_lag, std::sqrt(dot(lag, lag)));
  math::Vec3<double> held = lag;
  for (std::size_t i = 0; i < 3; ++i)
    if (!device::has_axis(actuated_, 3 + i)) held[i] = 0.0;
  m.largest_held_lag = std::max(m.largest_held_lag, std::sqrt(dot(held, held)));
  bool outrun = false;
  for (std::size_t i = 0; i < 6; ++i)
    outrun |= record.stage != control::Stage::off && device::has_axis(actuated_, i) && goes_[i / 3] > 0.0 &&
              std::abs(record.V_P[i]) > goes_[i / 3];
  outrun_ += outrun;
  at_the_sensors_end_ += at_the_sensors_end(loop_.sample());
}

/// A sensor has its end along the handle's axes, and of all that it bears: also of what hangs beyond it.
bool RunMeasure::at_the_sensors_end(const device::Sample& sample) const noexcept {
  constexpr double kEnd = 0.999;  // quantised
  const math::Mat3<double> R_HW = sample.X_WH.R.transposed();
  const device::Vector6& F = sample.F_H_W;
  const math::Vec3<double> of[2] = {R_HW * math::Vec3<double>{F[0], F[1], F[2]},
                                    R_HW * math::Vec3<double>{F[3], F[4], F[5]}};
  for (std::size_t i = 0; i < 6; ++i)
    if (reads_most_[i / 3] > 0.0 && std::abs(of[i / 3][i % 3]) >= kEnd * reads_most_[i / 3]) return true;
  return false;
}

Measured RunMeasure::result() const {
  Measured all = measured_;
  if (ticks_ == 0) return all;
  all.softened = static_cast<double>(softened_) / static_cast<double>(ticks_);
  all.at_the_sensors_end = static_cast<double>(at_the_sensors_end_) / static_cast<double>(ticks_);
  all.outrun = static_cast<double>(outrun_) / static_cast<double>(ticks_);
  all.handed_over = static_cast<double>(handed_over_) / static_cast<double>(ticks_);
  return all;
}

}  // namespace tactus::apps
