// Whether the books of a motion by events balance. With E the kinetic and potential energy, the sum
//
//   B = E + impact_loss + friction_loss - correction_work - work - scheme_error
//
// stays what it was at the start. The losses of impacts are differences of kinetic energies; those of friction, and the
// work W of other forces, are integrals of powers at the ends of the pieces into which events cut a step:
//
//   P_friction = -sum f_t . v_t        P_other = dE/dt + P_friction,   dE/dt along (qdot, udot)
//
// by the parabola through the ends of a piece and the start of the one before it, where nothing happened in between, and
// by the straight line elsewhere. The difference of the two says how far the integral may be off. Where that is too far,
// the power in the middle is asked for as well: Simpson's rule. Where nothing but potentials, rigid contacts and
// constraints at rest act, P_other is zero and is not computed.
//
// An integrator of first order moves with the speeds at one end of a step, and its own error is a term of the books, as that
// of time-stepping is: it may be as large as the kinetic energy of the change of speeds.
//
// Steps in which nothing touches are not looked at one by one: what the energy changed by in a row of them is the work of
// other forces where some may act, and otherwise the integrator's error.
#pragma once

#include <array>
#include <vector>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/law/event.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::contact {

/// Parts of the energy in play that may be unexplained in one tick, and in all ticks together: far above what the
/// integrators leave at steps that fit the motion, far below what an impact or a slip is about.
inline constexpr double kTickImbalance = 1e-4;
inline constexpr double kRunImbalance = 1e-2;
/// The same for a tick whose events were taken late.
inline constexpr double kLateImbalance = 1e-2;
/// The part of it that a piece may leave without being cut into shorter ones, where they are not short already.
inline constexpr double kPieceImbalance = 3e-9;
/// The same where other forces act: their powers may jump, and hands push through ticks that have no time to lose.
inline constexpr double kPieceOfOthers = 1e-6;
/// The part that one may leave that cannot be cut any more.
inline constexpr double kShortestImbalance = 3e-7;

/// Whether a model, with the loads of its script, has forces that no potential explains. What may be changed while it moves
/// counts.
bool has_other_forces(const ContactModel& contact_model);
/// Whether some of them may give energy: dampers and dry friction only take.
bool has_sources(const ContactModel& contact_model);

class EnergyWatch {
 public:
  /// The contact model must outlive it. `first_order`: the integrator is.
  explicit EnergyWatch(const ContactModel& contact_model, bool first_order = false);

  /// Powers at one instant [W].
  struct Powers {
    double friction = 0.0, other = 0.0;
  };
  /// What the next ticks depend on.
  struct Memory {
    double sum = 0.0;       // B where it was last looked at
    bool known = false;     // it was
    bool here = false;      // that was at the state
    bool acted = false;     // since then other forces may have acted
    double largest = 0.0;   // [J] kinetic energy so far
    double passed = 0.0;    // [J] through other forces, in and out
    bool smooth = false;    // the piece before ended where this one begins, and nothing happened there
    double t_before = 0.0;  // where it began
    Powers before;          // there
  };
  Memory memory;

  /// The energy at a state, with its kinetic part noted for the energy in play.
  double energy(const simulate::State& state);
  /// dE/dt along the rates.
  double energy_rate(const simulate::State& state, const double* qdot, const double* udot);
  /// Whether the model has forces that no potential explains.
  bool other_forces() const { return other_forces_; }

  /// A motion begins, with the energy of the state as it was given.
  void begin(const simulate::State& given);
  /// The equations have changed.
  void forget() { memory.known = memory.here = memory.smooth = false; }
  /// Before a tick that is looked at. `acts`: other forces act in it. True where their power is wanted.
  bool begin_tick(const simulate::State& state, bool acts, Books& books);
  enum class Weight : std::uint8_t {
    balances,
    coarse,  // it balances, but powers in the middle, or a shorter piece, would do so better
    off,     // it does not
  };
  /// A piece of the motion, with the powers at its ends. It is not in the books yet.
  Weight weigh(const simulate::State& from, const simulate::State& to, const Powers& at_start,
               const Powers& at_end, const Books& books);
  /// The same piece, with the powers in its middle.
  Weight weigh_again(const Powers& in_the_middle, const Books& books);
  /// Whether the piece that was weighed last leaves little, whatever the doubt.
  bool leaves_little(const Books& books) const;
  /// The piece that was weighed last is in the books.
  void take(Books& books);
  /// The same, of a stretch for which all laws were solved at once: what went in it is friction's, at whatever instants.
  void take_as_friction(Books& books);
  /// The same, of a piece whose events came late: what is left over is of first order in its length, as that of a scheme.
  void take_as_late(Books& books);
  /// A step in which nothing touched. `acts`: other forces acted in it.
  void note_quiet(bool acts) {
    memory.here = memory.smooth = false;
    memory.acted |= acts;
  }
  /// Something happened: powers and energy may jump.
  void break_off() { memory.smooth = weighed_ = false; }
  /// After a tick: false where its books do not balance. `least_loss`: of the impacts of an instant [J]. `late`: events were
  /// taken late, with errors of first order.
  bool end_tick(const simulate::State& state, double least_loss, bool late, Books& books);
  /// Whether the powers of the piece that was weighed last are not all zero.
  bool has_powers() const { return piece_.has_powers(); }
  /// Of the last tick that did not balance [J].
  double imbalance() const { return imbalance_; }
  double in_play(const Books& books) const;

 private:
  double sum(double energy, const Books& books) const;

  const ContactModel& contact_model_;
  bool other_forces_ = false, first_order_ = false;
  double kinetic_of_change(const simulate::State& from, const simulate::State& to);
  double rounding() const;
  double coming_to_be_held() const;
  double allowed(const Books& books) const {
    return kTickImbalance * in_play(books) + rounding() + coming_to_be_held();
  }

  /// [J] A piece: what its powers come to, and how far they, and a scheme of first order, may be off.
  struct Piece {
    double friction = 0.0, work = 0.0, doubt = 0.0, scheme = 0.0;
    double t = 0.0, h = 0.0, energy_start = 0.0, energy_end = 0.0;
    Powers start, end;
    bool has_powers() const {
      return start.friction != 0.0 || end.friction != 0.0 || start.other != 0.0 || end.other != 0.0;
    }
  };
  double left() const { return piece_.energy_end - piece_.energy_start + piece_.friction - piece_.work; }
  Weight judge(const Books& books) const;
  Piece piece_;
  bool weighed_ = false;  // the energy at the end of the last piece is that where the next one begins
  double doubt_ = 0.0;    // [J] of the integrals of a tick
  double friction_before_ = 0.0, scheme_before_ = 0.0;  // [J] before the tick
  double potential_ = 0.0, mass_ = 0.0;
  double imbalance_ = 0.0;
  std::vector<double> in_, out_, work_;
};

}  // namespace tactus::contact
