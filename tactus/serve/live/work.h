// What lies on the bench: a mechanism and all the room that the loop needs to move it and to show it, made before it gets there.
//
// The loop writes pictures, samples, happenings and inputs; the network's thread reads them. Neither waits for the other. A
// work stays alive as long as one of them knows it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/base/latest.h>
#include <tactus/base/ring.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/rotation_vector.h>
#include <tactus/serve/live/command.h>
#include <tactus/serve/live/grip.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::contact {
class EventMechanism;  // contact/mechanism/event_mechanism.h
}

namespace tactus::serve {

class Rig;     // rig.h
class Leader;  // leader.h

/// What a user chose of a motion.
struct Choice {
  double step = 1e-3;  // [s]
  simulate::Integrator integrator = simulate::Integrator::rk4;
  simulate::Formulation formulation = simulate::Formulation::automatic;
  contact::OpenOptions::Contact contact = contact::OpenOptions::Contact::automatic;
  bool weightless = false;
  std::string device = "mouse", controller = "coupler", hand = "page", port{};
  std::string script{};           // text of a script: where the motion begins and what acts
  describe::Settings settings{};  // parameters' values instead of the file's, for whoever reads it
  bool floating = false;          // like `angles`: how the file is read (describe::Reading)
  describe::Reading::Angles angles = describe::Reading::Angles::near;
};

/// The page's cursor as a device, which the page's own hand holds.
inline bool is_pointer(std::string_view device) { return device == "pointer" || device == "pointer:turning"; }

/// A curve that may be drawn of a motion.
struct Channel {
  std::string name, group, unit, label;
  std::size_t column = 0;  // of a sample
};

/// What a point weighs, as it is shown: truly, infinite where it cannot move.
struct FeltPicture {
  bool known = false;
  bool own = false;  // the body's own mass alone: what moves by whole steps is not asked for more
  ApparentMass mass{};
  double along = 0.0;  // [kg] along the hand's force; 0: there is none
};

/// A point that is looked at without a hand.
struct ProbePicture {
  int body = -1;
  Vec3 point_B{};
  FeltPicture felt;
};

/// A law at work, and where the joints are.
struct ControlPicture {
  static constexpr std::size_t kMost = 16;  // joints
  using Row = std::array<double, kMost>;
  std::size_t joints = 0;  // 0: no law can lead it
  bool on = false;
  std::uint8_t law = 0, target = 0;  // control::ArmLaw, Target
  double re = 0.0, im = 0.0, seconds = 0.0;
  int cut = 0;
  Row q{}, torque{}, most{}, wanted{}, rate{}, acceleration{}, error{}, largest{};
};

/// The hand as it is shown.
struct HandPicture {
  int body = -1;
  std::uint32_t client = 0, sequence = 0;
  float delay = 0.0F;  // [s] from the message's arrival to the tick
  Vec3 point{}, target{}, force{}, torque{}, push{};
  double stiffness = 0.0, ratio = 1.0, most = 0.0, limit = 0.0, mass = 0.0;
  bool turning = false, pushing = false, clamped = false, designed = true;
  FeltPicture felt;
};

/// What is to be seen at an instant.
struct Picture {
  double t = 0.0, clock = 0.0;
  std::vector<float> poses;  // [7 per body]
  std::vector<simulate::ContactPoint> contacts;
  std::size_t contact_count = 0;
  HandPicture hand;
  ProbePicture probe;
  ControlPicture control;
  std::array<float, 7> handle{};
  bool has_handle = false, paused = false, faulted = false, recording = false;
  std::uint32_t events = 0;
  double hardest = 0.0;  // [N s] impulse since the picture before the last that was taken
  long ticks = 0, missed = 0, late = 0;
  double rate = 1.0, held = 0.0;
  double position_error = 0.0, velocity_error = 0.0, worst_position = 0.0, worst_velocity = 0.0;
  double kinetic = 0.0, potential = 0.0;
  std::vector<char> active;        // [constraints]
  std::vector<double> parameters;  // [adjustable]
};

/// A pose as pictures, previews and recordings have it: p, then the quaternion (w, x, y, z).
inline std::array<float, 7> numbers_of(const math::Pose<double>& X) {
  const math::Quaternion<double> q = math::quaternion_of(X.R);
  const std::array<double, 7> numbers{X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z};
  std::array<float, 7> result{};
  for (std::size_t i = 0; i < 7; ++i) result[i] = static_cast<float>(numbers[i]);
  return result;
}

/// How long a tick took.
struct TickTimes {
  std::int64_t wake = 0, compute = 0;  // [ns]
};

/// What acted in a tick: enough to make it again.
struct TickInputs {
  static constexpr std::size_t kMost = 3;
  long tick = 0;
  std::size_t count = 0;
  std::array<simulate::PortWrench, kMost> wrenches{};
  std::size_t joints = 0;  // that a law led; 0: none
  ControlPicture::Row tau{};
};

struct Fault {
  std::string what, why;
  double t = 0.0;
};

struct BodyMass {
  double mass = 0.0;
  Vec3 com{};
  Mat3 inertia = Mat3::zero();  // about the mass centre, in the body's axes
};

struct Work {
  Work(const describe::Model& model, Choice choice);
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  describe::Model model;  // as it was opened: weightless or not
  Choice choice;
  std::uint32_t scene = 0;        // its number
  bool record_from_here = false;  // by borrowers, for the loop
  contact::OpenReport report;
  std::unique_ptr<simulate::Mechanism> mechanism;
  std::unique_ptr<Rig> rig;        // a device and its loop; null: the mouse alone
  std::unique_ptr<Leader> leader;  // a control law, laid here by borrowers; null: none
  std::size_t led = 0;             // joints that a law could lead; 0: it cannot (leader.h)
  /// Contact by events, whose equations for sets of contacts may be asked for; null: it goes otherwise.
  const contact::EventMechanism* by_events = nullptr;
  std::vector<int> port_of_body;  // -1: the world
  std::vector<BodyMass> masses;   // [bodies]
  double heavy = 1.0;             // [kg] all of it
  double radius = 1.0;            // [m] its size
  double gravity = 0.0;           // [m/s^2]
  std::vector<Channel> channels;
  std::vector<double> initial_parameters;

  static constexpr std::size_t kSnapshots = 17;                // the first is the start
  std::vector<std::unique_ptr<simulate::Snapshot>> snapshots;  // [kSnapshots]
  static constexpr std::size_t kWaysBack = 4;
  std::vector<std::unique_ptr<simulate::Snapshot>> ways_back;  // [kWaysBack] of the last seconds, the loop's

  // From the loop.
  Latest<Picture> pictures;
  Ring<std::vector<double>> samples;
  Ring<Happening> happenings;
  Ring<TickTimes> times;
  Ring<TickInputs> inputs;  // while recording
  Latest<Fault> faults;

  static constexpr std::size_t kMostContacts = 256;  // that are shown
  /// Columns of a sample: t, clock, q, u, then these.
  enum Column : std::size_t {
    kKinetic,
    kPotential,
    kTotal,
    kPosition,
    kVelocity,
    kForceX,
    kForceY,
    kForceZ,
    kForce,
    kStretch,
    kCompute,
    kWake,
    kContacts,
    kColumns
  };
  std::size_t first_column() const { return 2 + mechanism->nq() + mechanism->nv(); }
  /// After those, where a law could lead it: forces at the joints, then how far each is from where it shall be.
  std::size_t control_column() const { return first_column() + kColumns; }
};

}  // namespace tactus::serve
