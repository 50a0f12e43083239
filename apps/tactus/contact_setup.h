// What both ways to run a model with contact begin with: the equations, the script, the record.
#pragma once

#include <string>
#include <vector>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/recording.h>
#include <tactus/describe/model/model.h>
#include <tactus/simulate/files/script.h>

#include "motion_run.h"
#include "progress.h"
#include "simulate_request.h"

namespace tactus::apps {

class ContactSetup {
 public:
  /// Throws InputError for flags that do not fit the model. Request and model must outlive it.
  ContactSetup(const SimulateRequest& request, const describe::Model& model);

  const SimulateRequest& request;
  const Schedule schedule;
  const Clock::time_point start = Clock::now();
  const simulate::Script script;
  contact::ContactModel contact_model;
  contact::ContactRecorder recorder;

  /// The initial state, put together where loops and other constraints are on at the start.
  simulate::State initial() const;
  std::string title() const;

  /// The summary as far as both ways share it.
  nlohmann::ordered_json summary(const MotionRun& run, const simulate::State& state) const;
  void print_head(const MotionRun& run, const simulate::State& state) const;
  /// The change of energy that the contacts' losses do not explain: the work of outside forces, dampers and
  /// compliant contacts, and the integrator's error.
  double work_of_others(const MotionRun& run, double losses) const {
    return run.energy_after() - run.energy_before() + losses;
  }

 private:
  /// Rows of the model's own constraints.
  std::size_t constraint_rows() const;

  double derive_s_ = 0.0;  // that deriving and compiling took
};

/// By events, each located in time.
void simulate_events(ContactSetup& setup);
/// By impulses of whole steps.
void simulate_stepping(ContactSetup& setup);

}  // namespace tactus::apps
