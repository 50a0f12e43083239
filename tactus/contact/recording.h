// What a motion with contact writes down: a row of numbers per sample, and a line per event.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/events/engine.h>
#include <tactus/contact/law/event.h>
#include <tactus/contact/stepping/stepping.h>
#include <tactus/simulate/files/recording.h>

namespace tactus::contact {

/// Columns: those of any motion (simulate/files/recording.h); "contacts", how many touch; for each of the chosen
/// pairs
///   "<pair>.mode"      0 apart, 1 sliding, 2 sticking: the firmest of its touches. A compliant pair slides
///                      while it pushes
///   "<pair>.gap"       [m] the smallest gap; NaN while nothing of the pair is near
///   "<pair>.normal"    [N] sum of the normal forces
///   "<pair>.friction"  [N] sum of the sizes of the friction forces
/// for each stop "<stop>.force"; for each constraint "<constraint>.active", its errors and multipliers;
/// "impact_loss" and "friction_loss" [J] since the start.
///
/// Of time-stepping: forces are the impulses of the last step over its length, contacts that carried none are
/// not known (their gap is NaN), nor are multipliers of constraints (NaN); impact_loss is all that the normal
/// impulses took.
class ContactRecorder {
 public:
  /// `pairs` and `frames`: indices into ContactSection::pairs and Model::frames. The contact model must outlive the
  /// recorder.
  ContactRecorder(const ContactModel& contact_model, const std::vector<int>& frames,
                  const std::vector<int>& pairs);

  const std::vector<simulate::Column>& columns() const { return columns_; }
  void record(Engine& engine, std::vector<double>& row);
  void record(const TimeStepping& stepping, std::vector<double>& row);

 private:
  struct PairState {
    double mode, gap, normal, friction;
  };
  /// Nothing near, nothing touching.
  void clear();
  void see(int pair, double mode, double gap, double normal, double friction);
  void append(const State& state, std::span<const double> tau, std::span<const double> udot,
              double impact_loss, double friction_loss, std::vector<double>& row);
  /// Forces of the script at the state, in loads_.
  void evaluate_loads(const State& state);

  const ContactModel& contact_model_;
  simulate::MotionRecorder motion_;
  simulate::ConstraintRecorder constraints_;
  std::vector<int> slot_of_pair_;  // [pairs of the model] into pairs_; -1 where it is not recorded
  std::vector<simulate::Column> columns_;
  Terms terms_;                           // at the end of a step of time-stepping
  std::vector<double> arguments_, work_;  // of the script's forces
  std::vector<double> loads_, no_udot_;
  // The state as read from an engine:
  double contacts_ = 0.0;
  std::vector<PairState> pairs_;
  std::vector<double> position_error_, velocity_error_, lambda_;  // [rows]
  std::vector<char> active_;                                      // [constraints]
};

/// "t,kind,name,approach,departure,impulse,friction_impulse,loss,bounce_end", and an event as such a line.
std::string event_header();
void append_event(const Event& event, const std::string& name, std::string& text);
/// What the pair, stop or transition of an event is called.
std::string name_of(const describe::ContactSection& contact, const Event& event);

}  // namespace tactus::contact
