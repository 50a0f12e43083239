// The other way to run a mechanism whose constraints change [Gillespie2003, Figure 2]: all sets that it may
// come to are enumerated and formulated before the run, so that in the run every change finds its equations.
//
// Sets are made of
//   constraints   every combination that the transitions lead to from the initial one, guards left aside;
//   stops         on or off, a coordinate at one of its ends at most;
//   contacts      the features that are nearest to each other at the given configuration, each apart,
//                 sliding or sticking (compliant: pressing or not);
// those with the fewest contacts first. There can be very many: a bound is told, and whether it was met.
// Features that meet only elsewhere are not foreseen; their sets are formulated when they come.
#pragma once

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/rederive/rederive.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::contact {

struct EnumerationOptions {
  std::size_t most_sets = 256;
  std::size_t most_contacts = 4;  // contacts and stops at a time
  double reach = 10.0;            // [m] features farther apart than this are left out
};

struct Enumeration {
  std::size_t constraint_sets = 0;  // combinations of constraints
  std::size_t contacts = 0;         // features and stops that were considered
  std::size_t sets = 0;             // made
  std::size_t refused = 0;          // too large
  bool complete = true;             // neither bound cut anything off
};

/// Fills the rederiver's cache.
Enumeration formulate_all(const ContactModel& contact_model, const simulate::State& at, Rederiver& rederiver,
                          EnumerationOptions options = {});

}  // namespace tactus::contact
