#include <tactus/contact/events/energy_watch.h>

#include <algorithm>
#include <cmath>

#include <tactus/simulate/motion/smooth_watch.h>

namespace tactus::contact {

namespace {

/// [s] The rate of the energy is a central difference over this time: rounding, and the third derivative of a motion
/// at 100 rad/s, are both some 1e-9 of it.
constexpr double kShortTime = 1e-6;
/// [1] Of the energies.
constexpr double kRounding = 1e-12;
/// [m/s^2] [m] What is nearer than this counts as touching (kTouchingGap), and is then held: weight does work on the way.
constexpr double kWeight = 100.0, kHeldWithin = 1e-9;
/// [J] Less is nothing: a milligram at a millimetre per second.
constexpr double kNothing = 1e-12;
/// [1] Of the difference between the two ways to integrate: a parabola is better than a straight line by more than this
/// where a motion is resolved at all.
constexpr double kDoubt = 2.0;
/// [1] Of rounding, and of what comes to be held: as often as this in a run.
constexpr double kManyTimes = 100.0;
/// [1] Of the kinetic energy of the change of speeds.
constexpr double kFirstOrder = 4.0;
/// [1] Of what Simpson's rule adds to the straight line.
constexpr double kDoubtOfSimpson = 0.05;

}  // namespace

bool has_other_forces(const ContactModel& contact_model) {
  const describe::Model& model = contact_model.model;
  for (const describe::ContactPair& pair : model.contact.pairs)
    if (pair.law.rendering == describe::Rendering::compliant) return true;
  return simulate::has_other_forces(model, contact_model.equations, contact_model.dynamics);
}

bool has_sources(const ContactModel& contact_model) {
  const describe::Model& model = contact_model.model;
  for (const describe::ContactPair& pair : model.contact.pairs)
    if (pair.law.rendering == describe::Rendering::compliant) return true;  // springs, which give back
  return simulate::has_sources(model, contact_model.equations, contact_model.dynamics);
}

EnergyWatch::EnergyWatch(const ContactModel& contact_model, bool first_order)
    : contact_model_(contact_model),
      other_forces_(has_other_forces(contact_model)),
      first_order_(first_order),
      in_(contact_model.energy.input_size()),
      out_(contact_model.energy.output_size()),
      work_(contact_model.energy.work_size()) {}

double EnergyWatch::energy(const simulate::State& state) {
  in_[0] = state.t;
  std::copy(state.u.begin(), state.u.end(), std::copy(state.q.begin(), state.q.end(), in_.begin() + 1));
  contact_model_.energy(in_.data(), out_.data(), work_.data());
  memory.largest = std::max(memory.largest, out_[0]);
  potential_ = out_[1];
  mass_ = out_[contact_model_.energy.output("mass")->offset];
  return out_[0] + out_[1];
}

double EnergyWatch::energy_rate(const simulate::State& state, const double* qdot, const double* udot) {
  const auto energy_after = [&](double time) {
    double* x = in_.data();
    *x++ = state.t + time;
    for (std::size_t i = 0; i < state.q.size(); ++i) *x++ = state.q[i] + time * qdot[i];
    for (std::size_t i = 0; i < state.u.size(); ++i) *x++ = state.u[i] + time * udot[i];
    contact_model_.energy(in_.data(), out_.data(), work_.data());
    return out_[0] + out_[1];
  };
  return (energy_after(kShortTime) - energy_after(-kShortTime)) / (2.0 * kShortTime);
}

double EnergyWatch::sum(double energy, const Books& books) const {
  return energy + books.impact_loss + books.friction_loss - books.correction_work - books.work -
         books.scheme_error;
}

double EnergyWatch::in_play(const Books& books) const {
  return memory.largest + std::abs(books.impact_loss) + std::abs(books.friction_loss);
}

void EnergyWatch::begin(const simulate::State& given) {
  memory = {};
  memory.sum = sum(energy(given), {});
  memory.known = true;
}

bool EnergyWatch::begin_tick(const simulate::State& state, bool acts, Books& books) {
  weighed_ = false;
  if (!memory.here) {
    const double energy_now = energy(state), now = sum(energy_now, books);
    piece_.energy_end = energy_now;  // where the first piece begins
    weighed_ = true;
    if (memory.known) {  // of the steps in which nothing touched
      const bool acted = memory.acted || other_forces_;
      double& book = acted ? books.work : first_order_ ? books.scheme_error : books.imbalance;
      book += now - memory.sum;
      if (!acted && !first_order_) memory.sum = now;
    }
    if (!memory.known) memory.sum = now;
    memory.known = true;
  }
  memory.acted = false;
  doubt_ = 0.0;
  friction_before_ = books.friction_loss;
  scheme_before_ = books.scheme_error;
  return acts || other_forces_;
}

double EnergyWatch::rounding() const {
  return kRounding * (std::abs(potential_) + memory.largest) + kNothing;
}

double EnergyWatch::coming_to_be_held() const { return kWeight * kHeldWithin * mass_; }

// The parabola through (-k, P_0), (0, P_1), (h, P_2) has the integral from 0 to h
//
//   h (P_1 + P_2) / 2 - h^3 c / 6,   c = ((P_2 - P_1)/h - (P_1 - P_0)/k) / (h + k)
EnergyWatch::Weight EnergyWatch::weigh(const simulate::State& from, const simulate::State& to,
                                       const Powers& at_start, const Powers& at_end, const Books& books) {
  const double largest = memory.largest;
  const double energy_start = weighed_ ? piece_.energy_end : energy(from);
  piece_ = {};
  piece_.t = from.t;
  piece_.h = to.t - from.t;
  piece_.energy_start = energy_start;
  piece_.start = at_start;
  piece_.end = at_end;
  const double h = piece_.h, k = from.t - memory.t_before;
  const auto integral = [&](double p0, double p1, double p2) {
    const double line = 0.5 * h * (p1 + p2);
    double bend = 0.0;
    if (memory.smooth && k > 0.0) bend = h * h * h / 6.0 * ((p2 - p1) / h - (p1 - p0) / k) / (h + k);
    // Where nothing is known of the piece before, its bend may be all of the change.
    piece_.doubt += memory.smooth ? kDoubt * std::abs(bend) : 0.5 * h * std::abs(p2 - p1);
    return line - bend;
  };
  if (h > 0.0) {
    piece_.friction = integral(memory.before.friction, at_start.friction, at_end.friction);
    piece_.work = integral(memory.before.other, at_start.other, at_end.other);
  }
  if (first_order_) piece_.scheme = kFirstOrder * kinetic_of_change(from, to);
  piece_.energy_end = energy(to);
  weighed_ = false;
  memory.largest = largest;  // until it is taken
  return judge(books);
}

// Simpson's rule and the one with the middle alone differ by a third of what the middle is off the straight line; the
// error of the former is less than a tenth of that where the motion is resolved.
EnergyWatch::Weight EnergyWatch::weigh_again(const Powers& middle, const Books& books) {
  piece_.doubt = 0.0;
  const auto integral = [&](double p0, double pm, double p1) {
    const double bend = 2.0 / 3.0 * piece_.h * (pm - 0.5 * (p0 + p1));
    piece_.doubt += kDoubtOfSimpson * std::abs(bend);
    return 0.5 * piece_.h * (p0 + p1) + bend;
  };
  piece_.friction = integral(piece_.start.friction, middle.friction, piece_.end.friction);
  piece_.work = integral(piece_.start.other, middle.other, piece_.end.other);
  return judge(books);
}

EnergyWatch::Weight EnergyWatch::judge(const Books& books) const {
  const double off = std::abs(left()), limit = allowed(books) + piece_.doubt + piece_.scheme;
  if (!(off <= limit && piece_.friction >= -limit)) return Weight::off;
  // The first piece after something happened also brings what touches to where it is held.
  const double held = memory.smooth ? 0.0 : coming_to_be_held();
  const bool others = piece_.start.other != 0.0 || piece_.end.other != 0.0;
  const double share =
      others ? kPieceOfOthers * (in_play(books) + memory.passed) : kPieceImbalance * in_play(books);
  const bool fine = off + piece_.doubt <= share + rounding() + held;
  return fine || first_order_ ? Weight::balances : Weight::coarse;
}

bool EnergyWatch::leaves_little(const Books& books) const {
  return std::abs(left()) <= kShortestImbalance * in_play(books) + rounding() + coming_to_be_held();
}

/// With the mass matrix where the piece begins.
double EnergyWatch::kinetic_of_change(const simulate::State& from, const simulate::State& to) {
  double* x = in_.data();
  *x++ = from.t;
  x = std::copy(from.q.begin(), from.q.end(), x);
  for (std::size_t i = 0; i < from.u.size(); ++i) *x++ = to.u[i] - from.u[i];
  contact_model_.energy(in_.data(), out_.data(), work_.data());
  return out_[0];
}

void EnergyWatch::take(Books& books) {
  books.friction_loss += piece_.friction;
  books.work += piece_.work;
  if (first_order_) books.scheme_error += left();
  doubt_ += piece_.doubt;
  memory.passed += std::abs(piece_.work);
  memory.smooth = weighed_ = true;
  memory.t_before = piece_.t;
  memory.before = piece_.start;
}

void EnergyWatch::take_as_friction(Books& books) {
  piece_.friction -= left();
  piece_.doubt = 0.0;
  take(books);
  break_off();
}

void EnergyWatch::take_as_late(Books& books) {
  piece_.friction = std::max(piece_.friction, 0.0);  // slip went through zero where none was looked for
  if (!first_order_) books.scheme_error += left();
  piece_.doubt = 0.0;
  take(books);
}

bool EnergyWatch::end_tick(const simulate::State& state, double least_loss, bool late, Books& books) {
  const double now = sum(energy(state), books);
  const double left = now - memory.sum, play = in_play(books);
  books.imbalance += left;
  books.in_play = play;
  if (play > 0.0)
    books.worst_imbalance = std::max(books.worst_imbalance, std::abs(left) / std::max(play, rounding()));
  memory.sum = now;
  memory.here = true;
  const double limit = allowed(books) + doubt_ + (late ? kLateImbalance * play : 0.0);
  const double gained = std::max(-least_loss, friction_before_ - books.friction_loss);  // by what only takes
  const double scheme = late ? books.scheme_error - scheme_before_ : 0.0;  // of pieces that came late
  imbalance_ = !(std::abs(left) <= limit)     ? left
               : gained > limit               ? gained
               : !(std::abs(scheme) <= limit) ? scheme
                                              : books.imbalance;
  return std::abs(left) <= limit && gained <= limit && std::abs(scheme) <= limit &&
         std::abs(books.imbalance) <=
             kRunImbalance * (play + memory.passed) + kManyTimes * (rounding() + coming_to_be_held());
}

}  // namespace tactus::contact
