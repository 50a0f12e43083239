// What a step changes, and what it answers.
#pragma once

#include <cstdint>
#include <vector>

namespace tactus::simulate {

/// The state of motion. `momentum` and `parameters` belong to it because the integrators carry them: see
/// momentum.h, parametric.h. Both follow from q and u where a motion begins.
struct State {
  double t = 0.0;         // [s]
  std::vector<double> q;  // [nq] coordinates: rad, m, unit quaternions (w, x, y, z)
  std::vector<double> u;  // [nv] generalised speeds: rad/s, m/s
  std::vector<double>
      momentum;  // [6 per free root, 3 per spherical root] in world axes; empty for fixed bases
  std::vector<double> parameters{};  // [2 nz] z and zd of the parametric formulation; empty with the others
};

/// What a step answers: a set of bits, no exception and no allocation.
class Status {
 public:
  enum Bit : std::uint32_t {
    not_finite = 1,      // a coordinate or speed became NaN or infinite
    diverged = 2,        // a speed passed Options::speed_limit
    not_converged = 4,   // the implicit integrator's equations were not solved: try a smaller step
    step_too_small = 8,  // the adaptive integrators' step fell below what time can resolve
    // A note, not a failure: within this step a force jumped again and again (dry friction at rest), and the
    // adaptive integrators took small steps without regard to their tolerance.
    tolerance_missed = 16,
    constraint_lost = 32,  // a constraint is off by more than Options::constraint_limit
    // Of motions with contact:
    chattering = 64,            // events follow each other without time going by
    too_many_events = 128,      // in one step
    no_consistent_modes = 256,  // no set of sticking, sliding and open contacts obeys the laws of friction
    contacts_overflow = 512,    // more contacts than there is room for
    overlap_lost = 2048,        // rigid shapes overlap by more than the limit of time-stepping
    bad_input =
        4096,  // an Input of the wrong size, not finite, or for a port or constraint that does not exist
    parameters_singular = 1024,  // the parametric coordinates lost their rank, or psi is not defined there
    // A note, not a failure: the tick's budget was spent, and events were taken later than where they are.
    located_late = 8192,
    request_refused = 16384,     // a note: a constraint was to be switched and did not fit
    energy_unexplained = 32768,  // energy came or went that neither work nor losses explain
    too_much_work = 65536,       // finding the events of a tick took more than was allowed
  };

  Status() = default;
  Status(Bit bit) : bits_(bit) {}  // NOLINT: a bit is a status

  bool ok() const {
    constexpr std::uint32_t kNotes = tolerance_missed | located_late | request_refused;
    return (bits_ & ~kNotes) == 0;
  }
  bool has(Bit bit) const { return (bits_ & bit) != 0; }
  std::uint32_t bits() const { return bits_; }
  Status& operator|=(Status other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend bool operator==(Status, Status) = default;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace tactus::simulate
