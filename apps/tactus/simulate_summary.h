// What `tactus simulate` says at the end of a run, in words or as JSON.
#pragma once

#include <tactus/contact/open.h>

#include <nlohmann/json.hpp>

#include "motion_run.h"
#include "simulate_request.h"

namespace tactus::apps {

struct SimulateSummary {
  const SimulateRequest& request;
  const Schedule& schedule;
  const simulate::Mechanism& mechanism;
  const contact::OpenReport& opened;
  const MotionResult& result;

  /// To the standard output; nothing in words where a file goes there.
  void print() const;
};

/// Every value of the initial state that assembly changed.
nlohmann::ordered_json changes_as_json(const std::vector<simulate::InitialChange>& changes);

}  // namespace tactus::apps
