// What becomes of a request to switch a constraint on or off while a mechanism moves: an answer, no exception.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::simulate {

/// [m or rad] A constraint that is switched on from outside may be off by this: what a hand or a file's digits leave, and
/// more than rounding. It is drawn together in the next step.
inline constexpr double kLatchLimit = 1e-4;

struct Switching {
  enum class Answer : std::uint8_t {
    done,
    as_it_was,  // it is on, or off, already
    no_such_constraint,
    out_of_place,              // the position does not fit: `row` is off by `error`
    not_in_these_coordinates,  // psi says where the mechanism can be
    no_impulse,                // the mass matrix is singular
    no_consistent_contacts,    // no set of sticking, sliding and open contacts obeys the laws afterwards
  };
  Answer answer = Answer::done;
  std::size_t row = 0;  // of the model
  double error = 0.0;   // [m, rad]

  /// The constraint is now as it was asked for.
  bool ok() const { return answer == Answer::done || answer == Answer::as_it_was; }
};

}  // namespace tactus::simulate
