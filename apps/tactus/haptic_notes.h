// What a haptic run has to say of itself: why it stopped, and what is not to be trusted in it.
#pragma once

#include <string>
#include <vector>

#include "haptic_summary.h"

namespace tactus::apps {

/// What is known of a fault besides its name and numbers; empty where that is nothing.
std::string reason_of(HapticSession& session, const HapticRequest& request, const display::RunReport& report,
                      const Measured& measured);

/// A mechanism that is too heavy, periods that were missed, energy from nowhere, a handle and a port that came apart, a
/// coupler that changed: a sentence for each, with a remedy.
void note_what_came_of_it(const HapticSession& session, const HapticRequest& request, const Outcome& outcome,
                          std::vector<std::string>& notes);

}  // namespace tactus::apps
