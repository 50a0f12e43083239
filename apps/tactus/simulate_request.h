// What `tactus simulate` was asked for, and how the time is cut.
#pragma once

#include <string>
#include <vector>

#include <tactus/describe/model/model.h>
#include <tactus/simulate/integrators/stepper.h>

#include "verbs.h"

namespace tactus::apps {

struct SimulateRequest {
  ModelChoice model;
  std::string script, out, plot, events;
  std::string integrator = "rk4", formulation = "automatic", holding = "projection", contact = "auto",
              rederive = "background";
  double duration = 1.0, step = 1e-3, sample = 0.0, tolerance = 1e-10;
  std::vector<std::string> frames, pairs;
  bool json = false;
};

/// How the duration is cut: `samples` rows after the first, `steps_per_sample` steps between two of them.
struct Schedule {
  long samples = 0;
  long steps_per_sample = 1;
  double step = 0.0;
};

/// Throws InputError where the times do not fit each other. `own_steps`: the integrator chooses its steps
/// within a sample, and `--step` counts for nothing.
Schedule schedule_of(const SimulateRequest& request, bool own_steps);

/// Throws InputError for an integrator that is not known.
simulate::Integrator integrator_of(const SimulateRequest& request);

/// Indices into Model::frames of those asked for; throws InputError for names that are not known.
std::vector<int> frames_of(const describe::Model& model, const SimulateRequest& request);

/// Throws InputError: a flag that the user must mend.
[[noreturn]] void refuse(const std::string& wrong, const std::string& remedy);

}  // namespace tactus::apps
