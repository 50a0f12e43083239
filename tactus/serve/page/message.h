// What a page may say, decoded and checked (docs/protocol.md). Whatever the bytes are, decode() ends in a message or in a Refusal.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tactus/math/vec3.h>

namespace tactus::serve {

/// Of what a client may send.
inline constexpr std::size_t kLargestMessage = std::size_t{1} << 20, kLargestModel = std::size_t{1} << 18;
inline constexpr int kDeepest = 8;
inline constexpr std::size_t kMostChannels = 32;
inline constexpr double kFarthest = 1e6;  // [m], [N], [rad]

namespace say {

using Vec3 = math::Vec3<double>;

/// re +- j im [1/s].
struct PolePair {
  double re = 0.0, im = 0.0;
};

struct Hello {
  int version = 0;
  std::string name;
};
struct Ping {
  double t = 0.0;
};
struct Frames {
  double rate = 60.0;
};
struct Channels {
  std::vector<std::string> names;
};
struct Take {
  bool force = false;
};
struct Leave {};
struct Open {
  std::string model;  // of the gallery; or:
  std::string text, name;
};
struct Grab {
  int body = 0;
  Vec3 point{}, target{};
  std::uint32_t sequence = 0;
};
struct Move {
  Vec3 target{}, turn{};
  std::uint32_t sequence = 0;
};
struct Release {};
struct Push {
  int body = 0;
  Vec3 force{};
  std::optional<Vec3> point;
};
struct Coupling {
  // As it is where not given; 0 is as designed.
  std::optional<double> stiffness, damping, force;
};
struct Parameter {
  std::string name;
  double value = 0.0;
};
struct ParametersReset {};
struct Constraint {
  std::string name;
  bool on = false;
};
struct Choose {
  std::optional<std::string> formulation, integrator, contact, controller, device, hand, port;
  std::optional<double> step;
  std::optional<bool> weightless;
};
struct Time {
  enum class Do { nothing, pause, run, step, reset } action = Do::nothing;
  int ticks = 1;
  std::optional<double> rate;
};
struct Snapshot {
  enum class Do { save, load, drop } action = Do::save;
  int id = 0;
};
struct Record {
  bool on = false;
};
struct Equations {
  enum class Form { exact, reduced, canonical, linear } form = Form::exact;
  double threshold = 0.0;
  bool symbols = false;
};
struct Check {
  std::string text;
};
struct Apply {
  std::string text;
  bool keep = true;
};
struct Text {
  std::string model;  // "": the one that runs
};
struct ClearFault {};
struct Probe {
  int body = -1;  // -1: none
  Vec3 point{};
};
/// Laws by the names of control::name_of(ArmLaw); what is not given stays as it is.
struct Control {
  std::optional<std::string> law;  // "off": none
  std::optional<PolePair> poles;
  enum class Target { stand, slew, hand };
  std::optional<Target> target;
  std::optional<double> seconds;
  bool learn = false;
};
struct Loci {
  std::optional<std::string> law;
  std::optional<PolePair> poles;
  bool sampled = true;
  bool now = false;  // gains and poles alone
};

using Message = std::variant<Hello, Ping, Frames, Channels, Take, Leave, Open, Grab, Move, Release, Push,
                             Coupling, Parameter, ParametersReset, Constraint, Choose, Time, Snapshot, Record,
                             Equations, Check, Apply, Text, ClearFault, Probe, Control, Loci>;

}  // namespace say

struct Decoded {
  say::Message message;
  std::string type;
  std::int64_t request = -1;  // -1: none
};

/// What is wrong with a message. Fatal: it is none at all, and the connection is not worth keeping.
struct Refusal : std::runtime_error {
  Refusal(std::string about_, const std::string& wrong, std::string remedy_, bool fatal_ = false)
      : std::runtime_error(wrong), about(std::move(about_)), remedy(std::move(remedy_)), fatal(fatal_) {}
  std::string about, remedy;
  bool fatal = false;
  std::int64_t request = -1;
};

/// Throws Refusal, and nothing else.
Decoded decode(std::string_view text);

/// Whether a message changes something: it then needs the hold.
bool needs_hold(const say::Message& message);

}  // namespace tactus::serve
