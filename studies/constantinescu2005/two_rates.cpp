// Section VII: the local model between updates of a slower simulation, against the mechanism itself at the loop's rate. The loop is that of
// a haptic display, at 1 kHz, with a device that does what it is told.
#include <cmath>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>

#include "cases.h"

namespace tactus::studies::constantinescu {

namespace {

using display::TickRecord;
using study::Context;
using study::Result;

constexpr double kRate = 1000.0, kDuration = 4.0;  // [Hz], [s]
constexpr double kPush = 0.4;                      // [N] as in section VIII

/// The chain pushed at its distal link; `every` ticks an update, 0: the mechanism itself. Empty where the
/// loop faulted. An update in every tick is the mechanism itself, unless a local model is asked for even
/// then.
std::vector<TickRecord> run(const Context& context, const std::string& model, int every,
                            bool even_if_equal = false) {
  const auto chain = contact::open(load(context, model), {.step = 1.0 / kRate});
  const auto device =
      device::open("simulated:ideal-force", device::constant({0, 0, 0, kPush, 0, 0}), {.rate = kRate});
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  display::HapticLoop loop(*chain, *device, chain->port("distal"), {}, limits);
  loop.use(control::FourChannelGains{});
  if (every > 0) loop.use(display::TwoRateOptions{.every = every, .even_if_equal = even_if_equal});
  loop.enable();
  std::vector<TickRecord> records(static_cast<std::size_t>(kDuration * kRate));
  display::run_loop(loop, {.duration = kDuration}, records);
  if (loop.safety().fault != control::Fault::none) records.clear();
  return records;
}

struct Error {
  double force = 0.0,
         drift = 0.0;  // [N] root mean square of the felt force's, [m] largest of the handle's place
};

Error difference(const std::vector<TickRecord>& full, const std::vector<TickRecord>& local) {
  if (full.empty() || full.size() != local.size()) return {INFINITY, INFINITY};
  double sum = 0.0;
  Deviation away;
  for (std::size_t k = 0; k < full.size(); ++k) {
    for (std::size_t i = 3; i < 6; ++i) sum += std::pow(full[k].on_handle[i] - local[k].on_handle[i], 2);
    const math::Vec3<double> d = full[k].p_H - local[k].p_H;
    away.add(std::sqrt(dot(d, d)), 0.0, 0.0);
  }
  return {std::sqrt(sum / static_cast<double>(full.size())), away.worst};
}

Result two_rates(const Context& context) {
  constexpr int kEvery[] = {33, 16, 8, 4, 2, 1};  // [ticks] 30, 60, 125, 250, 500 and 1000 Hz
  Record record({"update_hz", "force_error", "drift", "force_error_in_contact", "drift_in_contact"});
  std::string table =
      " updates [Hz]   free: force rms [mN]   drift [mm]   in contact: force rms [mN]   drift [mm]\n";
  const std::vector<TickRecord> free = run(context, "three_link_chain", 0),
                                touching = run(context, "chain_in_enclosure", 0);
  std::vector<Error> errors, in_contact;
  for (const int every : kEvery) {
    errors.push_back(difference(free, run(context, "three_link_chain", every)));
    in_contact.push_back(difference(touching, run(context, "chain_in_enclosure", every)));
    const Error &e = errors.back(), &c = in_contact.back();
    record.add({kRate / every, e.force, e.drift, c.force, c.drift});
    table += fmt::format("{:13.4g} {:22.4g} {:12.4g} {:28.4g} {:12.4g}\n", kRate / every, 1e3 * e.force,
                         1e3 * e.drift, 1e3 * c.force, 1e3 * c.drift);
  }
  // Equal rates are one rate; what a local model with an update in every tick would cost is measured beside
  // it.
  const Error every_tick = difference(free, run(context, "three_link_chain", 1, true)),
              every_tick_in_contact = difference(touching, run(context, "chain_in_enclosure", 1, true));
  table += fmt::format("{:>13} {:22.4g} {:12.4g} {:28.4g} {:12.4g}\n", "1000, local", 1e3 * every_tick.force,
                       1e3 * every_tick.drift, 1e3 * every_tick_in_contact.force,
                       1e3 * every_tick_in_contact.drift);
  record.write_svg(context, "constantinescu2005-two-rates.svg", "Local model against the mechanism itself",
                   {{"felt force, rms error [N]", {"force_error", "force_error_in_contact"}},
                    {"drift [m]", {"drift", "drift_in_contact"}}},
                   {}, "updates [Hz]");
  // Slope of the logarithms from the longest to the shortest time between updates.
  const double order = std::log(errors[0].force / errors[4].force) / std::log(33.0 / 2.0),
               order_drift = std::log(errors[0].drift / errors[4].drift) / std::log(33.0 / 2.0);
  bool falls = true, bounded = true;
  for (std::size_t k = 0; k + 1 < errors.size(); ++k) {
    falls = falls && errors[k + 1].force < errors[k].force && errors[k + 1].drift < errors[k].drift;
    // A tenth of the hand's push, and a millimetre of the 50 mm that the link moves.
    bounded = bounded && in_contact[k].force < 0.1 * kPush && in_contact[k].drift < 1e-3;
  }
  const bool equal = errors.back().force == 0.0 && errors.back().drift == 0.0 &&
                     in_contact.back().force == 0.0 && in_contact.back().drift == 0.0;
  return {
      "section VII: the local model stands for the simulation between updates; it is not measured",
      fmt::format(
          "errors of order {:.2f} (force) and {:.2f} (drift) in the time between updates, {} at equal "
          "rates; in contact at 30 Hz {:.3g} mN rms and {:.2g} mm",
          order, order_drift, equal ? "none" : "some", 1e3 * in_contact[0].force, 1e3 * in_contact[0].drift),
      closed_form(
          falls && bounded && equal && order > 0.8 && order < 1.3 && order_drift > 0.8 && order_drift < 1.3,
          "the mechanism itself at the loop's rate: order one, nothing at equal rates"),
      "required: order one, nothing at equal rates, and in contact less than a tenth of the push and 1 mm at "
      "any "
      "rate. In contact the error depends on where between two updates a wall is met",
      {"constantinescu2005-two-rates.svg"},
      table};
}

}  // namespace

std::vector<study::Case> two_rates_cases() {
  return {{"two-rates", "local model against the full one, 30 Hz to 1 kHz", two_rates}};
}

}  // namespace tactus::studies::constantinescu
