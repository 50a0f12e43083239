// What `tactus simulate` was asked for, and how the time is cut.
#pragma once

#include <string>
#include <vector>

#include <tactus/contact/open.h>
#include <tactus/describe/model/model.h>
#include <tactus/simulate/files/recording.h>

#include "refuse.h"
#include "verbs.h"

namespace tactus::apps {

struct SimulateRequest {
  ModelChoice model;
  std::string script, out, plot, events;
  std::string integrator = "rk4", formulation = "automatic", holding = "projection", contact = "auto",
              rederive = "background";
  double duration = 1.0, step = 1e-3, sample = 0.0, tolerance = 1e-10, sleep = 0.0;
  std::vector<std::string> frames, pairs, columns, plot_paths;
  bool json = false;
  bool no_hand_over = false;
};

/// How the duration is cut: `samples` rows after the first, `steps_per_sample` steps between two of them; and, where the
/// duration is no whole number of samples, one more row after the `rest_steps` that are left.
struct Schedule {
  long samples = 0;
  long steps_per_sample = 1;
  long rest_steps = 0;
  double step = 0.0;
};

/// Throws InputError where the times do not fit each other. Integrators that choose their steps take one per sample, or
/// per part of it that the duration is a whole number of, and `--step` counts for nothing.
Schedule schedule_of(const SimulateRequest& request, const describe::Model& model);

/// How to open the model. Throws InputError for words that are not known.
contact::OpenOptions open_options_of(const SimulateRequest& request, const describe::Model& model,
                                     const Schedule& schedule);

/// What to record. Throws InputError for frames, pairs and columns that are not known.
simulate::RecordOptions record_options_of(const SimulateRequest& request,
                                          const simulate::Mechanism& mechanism);

}  // namespace tactus::apps
