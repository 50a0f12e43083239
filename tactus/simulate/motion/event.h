// What happened in a tick: the record of a motion whose constraints change, and what became of its energy.
#pragma once

#include <cstdint>
#include <string_view>

namespace tactus::simulate {

enum class EventKind : std::uint8_t {
  impact,      // a touch or stop was approached and pushed back
  rests,       // what was apart now touches: the end of bouncing, or a compliant contact that begins to press
  slides,      // a touch begins to slip (or turns round)
  sticks,      // a touch stops slipping: rests or rolls
  leaves,      // a touch or stop that pushed no more is let go
  transition,  // a transition of the model fired
};
std::string_view name_of(EventKind kind);

struct Event {
  double t = 0.0;
  EventKind kind = EventKind::impact;
  int pair = -1;                                 // index into ContactSection::pairs, or -1
  int stop = -1;                                 // index into ContactSection::stops, or -1
  int transition = -1;                           // index into ContactSection::transitions, or -1
  std::uint64_t id = 0;                          // of the touch
  double approach = 0.0, departure = 0.0;        // impact: rate of the gap before and after [m/s]
  double impulse = 0.0, friction_impulse = 0.0;  // impact [N s]
  double loss = 0.0;  // kinetic energy that went at this instant: impacts, constraints switched on [J]
  /// rests: where bouncing that goes on for ever ends, by the series of what remains; otherwise t.
  double bounce_end = 0.0;
};

/// What became of the energy since the start, and what it took to find out:
///
///   energy before + work + correction_work + scheme_error = energy after + impact_loss + friction_loss
///
/// to the imbalance. The energy before is that of the state as it was given: an impact there is in the books.
struct Books {
  double impact_loss = 0.0;    // [J] taken by impacts; of stepping: by all normal impulses
  double friction_loss = 0.0;  // [J] taken by slip
  /// [J] Potential energy given by moving overlapping bodies apart: of stepping, and where an event was taken late.
  double correction_work = 0.0;
  /// [J] Of all other forces: script, input, ports, dampers, compliant contacts, driven constraints. While nothing
  /// touches it is what the energy changed by.
  double work = 0.0;
  double scheme_error = 0.0;  // [J] of stepping: the first-order error of its steps
  /// [J] What is left over, summed; the largest of a tick, as a part of the energy in play; and that energy: the largest
  /// kinetic energy so far and all losses.
  double imbalance = 0.0, worst_imbalance = 0.0, in_play = 0.0;
  long impacts = 0;
  long events = 0;
  long substeps = 0;
  long jams = 0;  // stretches in which contacts let go and took hold again, solved all at once
  // Of stepping:
  double deepest = 0.0;    // [m] largest overlap at the start of a step
  long not_converged = 0;  // steps whose impulses missed the solver's tolerance
  int most_contacts = 0;   // near in one step
};

}  // namespace tactus::simulate
