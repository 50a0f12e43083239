// From a model to a mechanism that moves: the one door.
//
//   const auto cart = contact::open(describe::load("models/shopping_cart.yaml"), {.step = 1e-3});
//
// Derives the equations once, compiles them, assembles the initial state, and chooses the engine: smooth motion where
// nothing touches, stops or switches; time-stepping where a pair of the model asks for it (`render: stepping`); otherwise
// events. The mechanism owns all that it is made of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tactus/simulate/choices.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::contact {

/// When equations for the sets of contacts that a motion meets are derived and compiled. The motion is the same, bit for
/// bit.
enum class Rederivation : std::uint8_t {
  background,  // in another thread, while it runs
  at_once,     // when a set comes up: for studies without haste
  before,      // before the run as far as foreseen, the others in the background
  never,
};
std::string_view name_of(Rederivation when);
std::optional<Rederivation> rederivation_of(std::string_view name);

struct OpenOptions {
  double step = 1e-3;  // [s] of a tick
  simulate::Integrator integrator = simulate::Integrator::rk4;
  simulate::Tolerances tolerances{};  // of the adaptive integrators
  simulate::ConstraintOptions constraints{};

  /// How contact goes; of no account where nothing touches, stops or switches.
  enum class Contact : std::uint8_t { automatic, events, stepping };
  Contact contact = Contact::automatic;
  Rederivation rederive = Rederivation::background;
  bool look_ahead = false;
  simulate::Budget budget{};  // of a tick by events; Budget::haptic() for a hand's loop
  /// Where events cannot carry the motion (too many, too dear, jammed, books that do not balance) whole steps go on from
  /// the last tick.
  bool hand_over = false;
  std::size_t most_contacts = 0;  // room for contacts; 0: the engine's own
  /// [s] Of stepping: bodies that touch each other, directly or through others, and have all been slower than
  /// `sleep_speed` for so long stay where they are, at no cost, until something comes near or pushes. 0: none ever sleeps.
  double sleep_after = 0.0;
  double sleep_speed = 1e-3;  // [m/s or rad/s] of every speed

  std::vector<std::string> ports{};  // frames of the model, besides those marked `grasp`
  /// Parameters of the model that may change while it moves (Mechanism::set_parameter): these, or all that can.
  std::vector<std::string> adjustable{};
  bool adjust_all = false;
  std::string script{};            // a file with initial state and forces; "": none
  std::string script_text{};       // or the text itself
  double constraint_limit = 1e-8;  // [m or rad] a constraint held no better than this is lost
  bool assemble = true;            // move the initial state onto the constraints
  int look_every = 0;              // of smooth motion: simulate::Options::look_every
};

/// What was found and decided on the way.
struct OpenReport {
  simulate::AssemblyReport assembly;
  std::vector<std::string> notes;  // for the user: what the model asked for and got otherwise
  double derive_seconds = 0.0;     // derived and compiled
};

/// Throws InputError where the model, the script or the options do not fit.
std::unique_ptr<simulate::Mechanism> open(const describe::Model& model, const OpenOptions& options = {},
                                          OpenReport* report = nullptr);

/// Whether something of the model may touch, stop or switch by itself.
bool has_contact(const describe::Model& model);

}  // namespace tactus::contact
