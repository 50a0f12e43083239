// Options of `tactus haptic` that were given, and that nothing of the run looks at.
#pragma once

#include <string>
#include <vector>

#include "haptic_session.h"

namespace tactus::apps {

/// A sentence for each; once the session is open, which knows what the device is.
std::vector<std::string> idle_options(const HapticRequest& request, const HapticSession& session,
                                      const CLI::App& verb);

}  // namespace tactus::apps
