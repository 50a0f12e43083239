// Contacts and stops of joints that are pressed while the passive integrator makes a step.
//
// Impulses at the ends of steps know the mass and not what stands behind it: what is pressed with F goes F h^2/m deep in every step before it is stopped, and a gram under a hand's 5 N is
// through the wall. So the forces f of such contacts act along the step, and it is made again until they fit. With the features where the step begins (gap g0, normal n and tangents
// t, point c), and with the way w of a contact's two bodies against each other from end to end of the step,
//
//   w_d = d . (x1 - x0) + ((c - x0) x d) . theta,     d = n, t1, t2; x, theta: place and turn of body b, less the same of body a
//
// they are those of
//
//   g0 + w_n >= min(g0, 0)   perpendicular to   f_n >= 0,        f_t against w_t, |f_t| <= mu f_n; w_t = 0 where it sticks                  [StewartTrinkle1996]
//
// A stop is such a contact without friction: its gap g is the coordinate's distance from its limit, w = g1 - g0 its way, and f acts at the joint.
//
// f . w is the work of f as the integrator's balance has it, of a wrench that is held, and it is never positive: the step stays passive. A hair's breadth kInside is left for what the
// step is solved to, so that it never is by rounding either. What is found to overlap where the step begins is held there; moving it out is for the end of the step.
//
// The answer of w to f is that of the step's own matrix (Simulation::respond), which knows springs, dampers and constraints: a step of Newton's method for all f at once. Equations that are
// nearly linear need one or two.
//
// At the end of the step the impulse p >= 0 is the whole of a contact, h f taken out again (stepping_meet.cpp): it stops what still approaches, and what the midpoint rule
// throws back, u1 = 2 u_m - u0, the force and the impulse together never pulling.
//
// Pressed hard enough a body that stands on a corner tips over, and faster than the midpoint rule can tell in a long step: for a rate r of such a motion it needs r h/2 < 1, beyond it answers the wrong way
// round. Where no forces fit, the step is therefore made in parts (stepping_mechanism.cpp), the last of them by what held best.
//
// f is carried to the next step as its first guess, and as the sign that the contact is pressed. Contacts with restitution that come fast are left to impulses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tactus/contact/mechanism/press_solver.h>
#include <tactus/contact/stepping/stepping.h>
#include <tactus/simulate/motion/ports.h>
#include <tactus/simulate/motion/simulation.h>

namespace tactus::contact {

class PressedContacts {
 public:
  /// Room for contacts and stops. Where more are near, those that were pressed and the nearest have it; impulses are left to do the rest.
  static constexpr std::size_t kMost = 32;
  /// [m], [rad] Shapes that overlap by more, or joints further beyond their stops, and sink in further are pressed: ten times what a body under its weight does at 1 kHz.
  static constexpr double kSunk = 1e-4;

  /// What the next step begins with.
  struct Force {
    int pair = 0;  // -1 - i: stop i
    std::uint64_t id = 0;
    math::Vec3<double> force{};  // [N] on body b, world axes; of a stop: (along its gap, 0, 0)
  };
  struct Memory {
    std::array<Force, kMost> forces{};
    std::size_t count = 0;
    double normal_work = 0.0, friction_work = 0.0;  // [J] so far
  };

  /// `hand`: what acts at the ports besides. Both must outlive it.
  PressedContacts(const ContactModel& contact_model, simulate::Ports& hand, double step);
  PressedContacts(const PressedContacts&) = delete;
  PressedContacts& operator=(const PressedContacts&) = delete;

  /// [s] Steps of another length from now on.
  void set_step(double step) noexcept { step_ = step; }
  /// What acts along the step: the hand and the contacts.
  simulate::OutsideLoads& loads() noexcept { return loads_; }
  Memory& memory() noexcept { return memory_; }
  const Memory& memory() const noexcept { return memory_; }
  void forget() noexcept { memory_ = {}; }
  /// Whether contacts were pressed in the step before.
  bool remembers() const noexcept { return memory_.count > 0; }

  /// A step begins: no contact acts.
  void release() noexcept;
  /// Contacts near a state where a step begins, with the forces that are remembered. False where there are none.
  bool look(TimeStepping& stepping, const simulate::State& state, double margin) noexcept;
  /// [m] How far the features where a step begins may come in a step to another state: for the margin.
  double way_to(TimeStepping& stepping, const simulate::State& state,
                const simulate::State& arrived) noexcept;
  /// Lets the forces act.
  bool hold() noexcept;
  bool acts() const noexcept { return push_count_ + stop_push_count_ > 0; }
  /// Where the step led.
  void arrive(TimeStepping& stepping, const simulate::State& arrived) noexcept;
  /// [m] The deepest where the step begins; 0 where it was not looked.
  double depth() const noexcept;
  /// [m] The most that a contact came in.
  double sunk() const noexcept;
  /// Whether the forces are those of the step.
  bool fit() const noexcept;
  /// Better ones, by how the step answers, and the speeds that it is expected to end with; false where it does not answer.
  bool improve(simulate::Simulation& motion, int pass) noexcept;
  /// From now on without friction along the step: that is left to impulses.
  void leave_friction_out() noexcept;
  /// The forces that held best so far, of those that gave no energy. False where none were good enough.
  void forget_best() noexcept;
  void note_best() noexcept;
  bool take_best() noexcept;
  /// [J] of the forces, along the step.
  double work() const noexcept;
  PressedForces pressed() const noexcept {
    return {{pushes_.data(), push_count_}, {stop_pushes_.data(), stop_push_count_}, acts() ? work() : 0.0};
  }
  /// The step is made.
  void keep() noexcept;

 private:
  struct Contact {
    int pair = 0;  // -1 - i: stop i
    std::uint64_t id = 0;
    int body_a = 0, body_b = 0;
    math::Vec3<double> point{}, direction[3]{};
    double gap = 0.0;    // [m] where the step begins; of a stop [m] or [rad]
    double way[3] = {};  // the same
    std::size_t rows = 1;
    bool is_stop() const { return pair < 0; }
    std::size_t stop() const { return static_cast<std::size_t>(-1 - pair); }
  };
  /// The joint's axis that a stop holds: coordinate and rate, and the sign of its gap along them.
  struct Axis {
    std::size_t q = 0, rate = 0;
    double sign = 1.0;
  };
  /// The hand's loads, and the contacts' and stops'.
  class All final : public simulate::OutsideLoads {
   public:
    All(simulate::Ports& hand, PressedContacts& own) : hand_(hand), own_(own) {}
    bool acts() const noexcept override { return hand_.acts() || own_.acts(); }
    void add(const double* arguments, double* tau) noexcept override;
    double power(const double* arguments) noexcept override;
    double work(const double* from, const double* to) noexcept override;
    bool probes() const noexcept override { return hand_.probes(); }

   private:
    simulate::Ports& hand_;
    PressedContacts& own_;
  };

  bool ask(simulate::Simulation& motion) noexcept;
  std::size_t choose(const Terms& terms, std::span<const collide::Proximity> near) noexcept;
  void add_contact(double mu) noexcept;
  bool look_at_stops(const Terms& terms, double margin) noexcept;
  void add_push(int body, const math::Vec3<double>& point, const math::Vec3<double>& force) noexcept;

  const ContactModel& model_;
  double step_;  // [s]
  std::size_t nv_;
  std::vector<int> port_of_body_;
  std::vector<Axis>
      axis_of_stop_;  // empty where the speeds are not the joints' rates: stops are then left to impulses
  std::vector<double> poses_;  // [12 per body] where the step begins
  std::vector<double> gaps_;   // [stops] there
  simulate::Ports acting_;
  All loads_;
  std::array<Contact, kMost> contacts_{};
  std::size_t count_ = 0;
  std::array<std::size_t, kMost> chosen_{};  // of the features that are near
  PressSolver solver_;
  std::array<std::array<double, 3>, kMost> best_{};
  double best_sunk_ = 0.0;                     // [m] with them
  std::vector<double> rows_, force_, change_;  // [3 kMost x nv], [nv], [nv]
  std::array<BodyPush, 2 * kMost> pushes_{};
  std::size_t push_count_ = 0;
  std::array<StopPush, kMost> stop_pushes_{};
  std::size_t stop_push_count_ = 0;
  Memory memory_;
};

}  // namespace tactus::contact
