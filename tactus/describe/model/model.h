// The model of a mechanism: what a file describes, checked, with every default filled in. Immutable once
// read.
//
// Numbers are expressions of the model's own graph: constants, or formulas in named parameters. `derive`
// brings them into its graph, with the parameters kept as symbols or folded into numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/base/error.h>
#include <tactus/describe/model/constraint.h>
#include <tactus/describe/model/contact.h>
#include <tactus/describe/model/joint_traits.h>
#include <tactus/math/vec3.h>

namespace tactus::describe {

using algebra::Expr;
using Vec3 = math::Vec3<Expr>;
using Mat3 = math::Mat3<Expr>;
using Pose = math::Pose<Expr>;

/// A named number of the model. Its symbol in the graph has the same name.
struct Parameter {
  std::string name;
  double value = 0.0;  // in SI units
  std::string unit;    // as written, for display
  std::string description;
};

/// A named number that the file defines by a formula in others: wherever it is used, the formula stands in
/// its place.
struct DerivedParameter {
  std::string name;
  Expr formula;        // in the symbols of the parameters
  double value = 0.0;  // with the parameters as given, in SI units
  std::string unit;
  std::string description;
};

/// Friction of one joint coordinate, each direction on its own: force = -(viscous u + coulomb) for u >= 0 and
/// -(viscous u - coulomb) for u < 0 [Clover1996, II App. A]. A joint at rest holds up to `breakaway`, or `coulomb` where
/// that is more.
struct Friction {
  Expr viscous_positive, viscous_negative;
  Expr coulomb_positive, coulomb_negative;
  Expr breakaway_positive, breakaway_negative;
};

/// What belongs to one degree of freedom of a joint.
struct JointAxis {
  std::string name;         // of its coordinate and speed: the joint's, or "joint.x" where it has several
  Vec3 direction;           // unit vector in the joint's frame J (unused for the axes of spherical and free)
  bool is_rotation = true;  // angle [rad] or length [m]
  std::optional<Expr> lower, upper;  // limits of the coordinate
  std::optional<Expr> effort_limit;  // largest force or torque of the actuator
  std::optional<Expr> velocity_limit;
  bool passive = false;  // no actuator: its force in tau is taken as zero
  Expr armature;         // rotor inertia on the joint's side of the gear [kg m^2] or [kg]
  Expr damping;          // viscous, both directions [N m s/rad] or [N s/m]
  Friction friction;
  Expr stiffness;  // spring at the joint: force = -stiffness (q - rest)
  Expr rest;
};

/// A joint takes the child body B from the parent body P. J is the joint's frame: X_PJ places it on the
/// parent; the joint moves F relative to J; X_FB places the child's body frame on the far side (identity
/// unless the file says so).
struct Joint {
  std::string name;
  JointType type = JointType::revolute;
  int parent = 0;  // index into Model::bodies
  int child = 0;
  Pose X_PJ;
  Pose X_FB;
  // As many as speed_count(type), in the order of the speeds (joint_traits.h). The motions follow each other,
  // each in the frame that the one before has reached.
  std::vector<JointAxis> axes;
  Expr pitch;  // helical: advance along the axis per radian [m/rad]
  Place where;
};

struct Geometry {
  enum class Shape { sphere, box, cylinder, capsule, plane, mesh };
  Shape shape = Shape::sphere;
  std::string name;
  Pose X_BG;         // placement on the body
  Vec3 size;         // sphere: radius; box: edges; cylinder, capsule: radius, length along z; plane: edges;
                     // mesh: scale
  std::string file;  // mesh
  std::array<double, 4> color{0.6, 0.6, 0.65, 1.0};
  bool visual = true, contact = false;
  bool hollow = false;  // sphere, cylinder: contact on the inside
};

struct Body {
  std::string name;
  Expr mass;
  Vec3 com;      // p_BoBcm_B
  Mat3 inertia;  // about the centre of mass, in the body's axes [kg m^2]
  std::vector<Geometry> geometry;
  int joint = -1;  // index of the joint that carries it; -1 for the ground
  Place where;
};

/// A named frame fixed in a body; a grasp point is a frame where the hand (a wrench input) may act.
struct Frame {
  std::string name;
  int body = 0;
  Pose X_BF;
  bool grasp = false;
  std::string description;
  Place where;
};

/// A spring and damper along the line between two points.
struct PointSpring {
  std::string name;
  int body_a = 0, body_b = 0;
  Vec3 point_a, point_b;  // in the bodies' frames
  Expr stiffness, damping, rest_length;
};

/// A spring and damper in SE(3) between two frames [Faulring2006, (41), (44)]: force from the displacement of
/// frame b in a, torque from the rotation vector of R_ab, damping from the relative twist.
struct FrameSpring {
  std::string name;
  int frame_a = 0, frame_b = 0;  // indices into Model::frames
  Expr linear_stiffness, linear_damping;
  Expr angular_stiffness, angular_damping;
};

/// A named expression of the motion: in t, coordinates, joint rates, speeds with names of their own, parameters and words of
/// frames (frame_word.h). Formulas that use it hold what it stands for.
struct Definition {
  std::string name;
  Expr formula;
  std::string unit;  // SI, for display; "" where nobody has said
  std::string description;
  Place where;
};

/// A force that the model gives by a formula of the motion, as of a Definition.
struct ForceLaw {
  enum class Kind {
    joint,  // at a degree of freedom, beside the actuator's
    frame,  // a wrench at a frame's origin
    line,   // between two points along the line that joins them; in `distance` and `distance_rate`, too
  };
  std::string name;
  Kind kind = Kind::joint;
  int rate = -1;  // joint: number of the joint rate
  int frame = -1;
  bool world_axes = true;       // frame: components in the world's axes, otherwise in the frame's own
  std::vector<Expr> component;  // joint, line: one (of a line: above zero pulls the points together); frame:
                                // torque x, y, z, force x, y, z
  int body_a = 0, body_b = 0;   // line
  Vec3 point_a, point_b;        // in the bodies' frames
  std::string description;
  Place where;
};

/// How the generalised speeds are defined.
struct Speeds {
  enum class Definition {
    joint_rates,  // u = qd (quasi-velocities for spherical and free joints): the default
    from_rates,   // u = Y(q,t) qd + Z(q,t): equations[r] is u_r, written with the symbols "<coordinate>_dot"
    to_rates,     // qd = W(q,t) u + X(q,t): equations[i] is qd_i, written with the speeds' names
  };
  Definition definition = Definition::joint_rates;
  std::vector<std::string> names;
  std::vector<Expr> equations;
  Place where;
};

/// Coordinates q = psi(z, t) that satisfy the holonomic constraints whatever the parameters z are
/// [Faulring2006, (14)-(16)].
struct Parametric {
  struct Parameter {
    std::string name;
    double value = 0.0, rate = 0.0;  // at the start; where a search for z begins
    std::string description;
    Place where;
  };
  std::vector<Parameter> z;
  std::vector<Expr> psi;  // [nq] in the symbols of z, t and the model's parameters
  Place where;
};

/// What a file says of each value of an initial state: assembly completes open ones, moves given ones only where the
/// constraints leave nothing else, and keeps fixed ones.
struct InitialMarks {
  enum class Mark : std::uint8_t { open, given, fixed };
  std::vector<Mark> q, u;  // [nq], [nv]; empty: all open
};

/// A parameter whose value was taken while the file was read, and by what.
struct ReadOnce {
  std::string parameter;
  std::string by;
};

struct Model {
  std::string name;
  std::string description;
  std::string file;
  // Of all expressions below. Constant: whoever derives from a model writes in a graph of its own, so that
  // any number of threads may do so at the same time.
  std::shared_ptr<const algebra::Graph> graph;
  std::vector<Parameter> parameters;
  std::vector<DerivedParameter> derived_parameters;
  Vec3 gravity;               // acceleration of free fall in the world [m/s^2]; default (0, 0, -9.81)
  std::vector<Body> bodies;   // bodies[0] is the ground, "world"; a parent stands before its children
  std::vector<Joint> joints;  // joints[i] carries bodies[i + 1]
  std::vector<Frame> frames;
  std::vector<PointSpring> point_springs;
  std::vector<FrameSpring> frame_springs;
  std::vector<Definition> definitions;  // each after those that it uses
  std::vector<ForceLaw> force_laws;
  std::vector<Constraint> constraints;
  ContactSection contact;
  std::optional<Parametric> parametric;
  Speeds speeds;
  std::vector<double>
      initial_q;  // where a motion begins, in the order of the coordinates [nq] and speeds [nv]
  std::vector<double> initial_u;
  InitialMarks initial_marks;
  std::vector<ReadOnce> read_once;
  std::vector<std::string> warnings;  // found while reading; `tactus check` prints them

  /// Names of the coordinates q and of the speeds u, in order (joint by joint). Coordinates of a spherical
  /// joint are "joint.qw", "joint.qx", "joint.qy", "joint.qz"; a free joint has "joint.x", "joint.y",
  /// "joint.z" before them. Default speeds: the axis names; "joint.wx", "joint.wy", "joint.wz" (in the
  /// child's frame), then for a free joint "joint.vx", "joint.vy", "joint.vz" (velocity of the child's origin
  /// in the child's frame).
  std::vector<std::string> coordinate_names() const;
  std::vector<std::string> speed_names() const;
  int nq() const;
  int nv() const;

  /// Initial state where the file gives none: zeros, and quaternions (1, 0, 0, 0).
  void set_initial_defaults();

  int body_index(std::string_view name) const;  // -1 where there is none
  int frame_index(std::string_view name) const;
};

/// The symbol of a coordinate's rate in expressions: "<coordinate>_dot".
std::string rate_name(const std::string& coordinate);

/// The value of the model's parameter of that name, which must exist.
double parameter_value(const Model& model, std::string_view name);

/// A model's number with the parameters as the model gives them.
double value_of(const Model& model, Expr number);

/// What a coordinate or a speed means, for people.
struct Meaning {
  std::string name;
  std::string meaning;  // "angle of forearm on upper_arm about (0, 1, 0)"
  std::string unit;     // "rad"
};

/// In the order of q and of u.
std::vector<Meaning> coordinate_meanings(const Model& model);
std::vector<Meaning> speed_meanings(const Model& model);
/// The names of the efforts tau: one per joint axis.
std::vector<std::string> effort_names(const Model& model);

}  // namespace tactus::describe
