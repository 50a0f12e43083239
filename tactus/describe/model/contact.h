// What a model says about touching: laws of contact between shapes, stops at the limits of joints, and
// transitions that switch constraints on and off.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/base/error.h>

namespace tactus::describe {

/// How a contact is felt.
enum class Rendering {
  compliant,  // spring and damper that never pull [Constantinescu2005; Clover1996, IV]
  rigid,      // event-driven: stop at the event, resolve the impulse, change the constraints, go on
              // [Gillespie2003]
  stepping,   // rigid, by impulses of a whole step: for many simultaneous contacts
};
std::string_view name_of(Rendering rendering);

enum class RestitutionLaw {
  newton,   // relative velocity after = -e times before
  poisson,  // impulse of restitution = e times impulse of compression
};
std::string_view name_of(RestitutionLaw law);

struct ContactLaw {
  Rendering rendering = Rendering::rigid;
  double restitution = 0.0;  // e in [0, 1]
  RestitutionLaw restitution_law = RestitutionLaw::newton;
  double rest_speed = 1e-3;      // [m/s] impacts slower than this are plastic: the end of bouncing
  double friction = 0.0;         // mu of sliding, >= 0
  double static_friction = 0.0;  // mu of sticking, >= friction (the default: the same)
  double stiffness = 0.0;        // compliant [N/m]
  double damping = 0.0;          // compliant [N s/m]
  double slip_speed = 1e-3;      // compliant friction: mu N v / max(|v|, slip_speed) [m/s]
};

/// A pair of bodies, or of single shapes on them, that may touch.
struct ContactPair {
  std::string name;
  int body_a = 0, body_b = 0;            // indices into Model::bodies
  int geometry_a = -1, geometry_b = -1;  // indices into Body::geometry; -1: all that have `contact`
  ContactLaw law;
  Place where;
};

/// The limits of a joint's coordinate, as hard stops.
struct JointStop {
  std::string name;    // "<axis>.lower", "<axis>.upper"
  int coordinate = 0;  // index into the coordinates q
  bool upper = false;  // q <= limit, otherwise q >= limit
  double limit = 0.0;
  algebra::Expr gap;  // how far the coordinate is from the stop: limit - q or q - limit
  double restitution = 0.0;
  double rest_speed = 1e-3;  // [m/s or rad/s]
  Place where;
};

/// When the guard rises through zero, while the named constraints are on and off as it says, the constraint
/// set changes. Guards are written with t, coordinates, "<coordinate>_dot", speeds, and "force.<row>": the
/// multiplier of a constraint's row ("force.lock", "force.loop.x"), zero while it is off.
struct Transition {
  std::string name;
  algebra::Expr guard;                      // fires when it rises through zero
  std::string guard_text;                   // as written
  bool true_at_zero = false;                // written with >= or <=
  std::vector<int> if_active, if_inactive;  // indices into Model::constraints
  std::vector<int> activate, release;
  bool once = false;  // fires one time only
  std::string description;
  Place where;
};

/// Everything about contact in a model.
struct ContactSection {
  std::vector<ContactPair> pairs;  // complete: defaults and filters applied
  std::vector<JointStop> stops;
  std::vector<Transition> transitions;
  std::vector<std::pair<int, int>> ignored;  // pairs of bodies that never touch, as the file says
};

}  // namespace tactus::describe
