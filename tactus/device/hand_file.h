// Hands that are written down: `tactus haptic --hand file:PATH`. A YAML file of formulas of the time,
//
//   parameters: {F: 3, w: 2*pi*1.5}                    # its own
//   tables: {push: {file: push.csv, unit: N}}          # samples, used as push(t)
//   force: [F*sin(w*t), push(t), 0]                    # [N] of the hand on the handle, world axes
//   torque: [0, 0, "if(1 - t, 0.1, 0)"]                # [N m]
//   way: [0.05*(1 - cos(w*t)), 0, 0]                   # [m] an arm pulls the handle there, from where it began
//   turn: [0, 0, 20 deg]                               # a rotation vector
//   arm: {stiffness: 300, damping: 5, rotational_stiffness: 2, rotational_damping: 0.02}
//   let_go: 2 s                                        # from then on nobody holds it
//   tremor: 0.5                       # [N] besides; where the handle only turns at a lever (hand.h)
//
// or a table (CSV) with a column `t` and some of force_x ... torque_z, way_x ... turn_z, in SI units: straight lines between the rows,
// before the first and after the last their values. What is not given is nothing; without `way` and `turn` no arm pulls.
#pragma once

#include <cstdint>
#include <string>

#include <tactus/device/hand.h>

namespace tactus::device {

/// The file that a hand's name has, `file:PATH`; empty where it has none.
std::string file_of_hand(const std::string& name);

/// The text of a hand's file. Throws InputError where there is none, or nothing in it.
std::string text_of_hand(const std::string& path);

/// `arm` pulls where the file does not say how; what trembles is drawn from the seed, and acts at `lever` [m]
/// where the handle only turns (trembling()). A formula that is no number at a time within `duration` [s] is
/// refused. Throws InputError with file, line and column.
HandPointer read_hand(const std::string& path, const Arm& arm, double duration, std::uint64_t seed,
                      double lever = 0.0);

/// [s] When what is written ends, and its last values go on: the last row of a table, or that of the first of a formula's own tables that is used as `name(t)`. Infinity where nothing
/// ends, or the hand lets go by itself.
double end_of_hand(const std::string& path);

}  // namespace tactus::device
