// A model made ready for motion with contact: constant, shared by any number of engines.
//
// Stops at the limits of joints become rows of constraints that start switched off, so that their equations
// are derived with the others.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tactus/contact/events/terms.h>
#include <tactus/contact/events/transition_guards.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/model/model.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::contact {

/// The model with a switched-off constraint per stop, after its own constraints. phi is the gap: >= 0 when
/// allowed.
describe::Model with_stops(const describe::Model& model);

/// What has been switched in a motion: what an engine needs to go on where another has come to, besides the state.
struct Switches {
  std::vector<char> active;                   // [constraints of the model]
  std::vector<char> guard_armed, fired_once;  // [transitions] that may fire, that have
};

struct ContactModel {
  /// Wrenches that act from outside, `push_passive` and `cells` as in derive::Options.
  explicit ContactModel(const describe::Model& model, std::vector<derive::WrenchInput> wrenches = {},
                        bool push_passive = false, std::shared_ptr<const algebra::Cells> cells = nullptr);
  ContactModel(const ContactModel&) = delete;
  ContactModel& operator=(const ContactModel&) = delete;

  /// Forces known as functions of the motion (simulate/files/script.h), derived from `equations`.
  void set_loads(const algebra::Function& loads);

  describe::Model model;  // with stops
  derive::Equations equations;
  simulate::Dynamics dynamics;  // all that a Simulation of the model would have: stops are off
  TermsKernel terms;
  TransitionGuards guards;
  generate::Kernel energy;          // t q u -> kinetic potential ...
  std::size_t own_constraints = 0;  // those that are not stops; stop i is constraint own_constraints + i
  std::vector<int> stop_of_row;     // [rows] index into ContactSection::stops, or -1
  std::vector<int> row_of_stop;     // [stops]; -1 where the row vanished
};

}  // namespace tactus::contact
