// The keys of the model format, map by map. The readers accept these and no others, and
// docs/model.schema.json names the same ones (a test compares them).
#pragma once

#include <array>
#include <string_view>

namespace tactus::describe::keys {

using Key = std::string_view;

inline constexpr std::array kModel = {
    Key("name"),    Key("description"), Key("parameters"),  Key("gravity"), Key("include"),
    Key("bodies"),  Key("joints"),      Key("dh"),          Key("repeat"),  Key("frames"),
    Key("springs"), Key("speeds"),      Key("definitions"), Key("tables"),  Key("forces"),
    Key("initial"), Key("parametric"),  Key("constraints"), Key("contact"), Key("transitions")};

inline constexpr std::array kInclude = {Key("file"), Key("floating"), Key("angles")};

inline constexpr std::array kParameter = {Key("value"), Key("unit"), Key("description")};

inline constexpr std::array kDefinition = {Key("value"), Key("unit"), Key("description")};

inline constexpr std::array kTable = {Key("points"), Key("file"), Key("columns"),    Key("interpolation"),
                                      Key("beyond"), Key("unit"), Key("description")};

inline constexpr std::array kJointForce = {Key("type"), Key("joint"), Key("force"), Key("description")};
inline constexpr std::array kFrameForce = {Key("type"),  Key("frame"),  Key("axes"),
                                           Key("force"), Key("torque"), Key("description")};
inline constexpr std::array kLineForce = {Key("type"), Key("a"), Key("b"), Key("force"), Key("description")};

inline constexpr std::array kBody = {
    Key("mass"),     Key("com"),        Key("inertia"), Key("inertia_about"), Key("effective_inertia"),
    Key("geometry"), Key("description")};
inline constexpr std::array kWorld = {Key("geometry"), Key("description")};

inline constexpr std::array kGeometry = {Key("shape"),  Key("name"),   Key("placement"), Key("size"),
                                         Key("radius"), Key("length"), Key("file"),      Key("scale"),
                                         Key("color"),  Key("visual"), Key("contact"),   Key("hollow")};

inline constexpr std::array kPlacement = {Key("xyz"), Key("rpy"), Key("axis_angle"), Key("quaternion"),
                                          Key("rows")};
inline constexpr std::array kAxisAngle = {Key("axis"), Key("angle")};

/// What belongs to one degree of freedom.
inline constexpr std::array kFreedom = {Key("limits"),    Key("velocity_limit"), Key("effort_limit"),
                                        Key("armature"),  Key("damping"),        Key("friction"),
                                        Key("stiffness"), Key("rest"),           Key("passive")};
inline constexpr std::array kFriction = {Key("viscous"), Key("coulomb"), Key("breakaway")};
inline constexpr std::array kDirections = {Key("positive"), Key("negative")};

inline constexpr std::array kJoint = {
    Key("type"),       Key("parent"),   Key("child"),          Key("placement"),    Key("child_placement"),
    Key("axis"),       Key("axes"),     Key("order"),          Key("names"),        Key("pitch"),
    Key("freedoms"),   Key("limits"),   Key("velocity_limit"), Key("effort_limit"), Key("armature"),
    Key("damping"),    Key("friction"), Key("stiffness"),      Key("rest"),         Key("passive"),
    Key("description")};

/// What a model may say of a joint that it includes.
inline constexpr std::array kIncludedJoint = {Key("freedoms"),     Key("limits"),     Key("velocity_limit"),
                                              Key("effort_limit"), Key("armature"),   Key("damping"),
                                              Key("friction"),     Key("stiffness"),  Key("rest"),
                                              Key("passive"),      Key("description")};

inline constexpr std::array kDh = {Key("convention"), Key("base"), Key("links")};
inline constexpr std::array kDhLink = {
    Key("name"),     Key("joint"),   Key("type"),           Key("alpha"),
    Key("a"),        Key("d"),       Key("theta"),          Key("mass"),
    Key("com"),      Key("inertia"), Key("inertia_about"),  Key("effective_inertia"),
    Key("geometry"), Key("limits"),  Key("velocity_limit"), Key("effort_limit"),
    Key("armature"), Key("damping"), Key("friction"),       Key("stiffness"),
    Key("rest"),     Key("passive"), Key("description")};

inline constexpr std::array kRepeat = {
    Key("count"),      Key("from"),        Key("index"),       Key("bodies"),     Key("joints"),
    Key("frames"),     Key("springs"),     Key("definitions"), Key("forces"),     Key("initial"),
    Key("parametric"), Key("constraints"), Key("contact"),     Key("transitions")};

inline constexpr std::array kFrame = {Key("body"), Key("placement"), Key("grasp"), Key("description")};

inline constexpr std::array kPointSpring = {Key("type"),      Key("a"),       Key("b"),
                                            Key("stiffness"), Key("damping"), Key("rest_length")};
inline constexpr std::array kJointSpring = {Key("type"), Key("joint"), Key("stiffness"), Key("damping"),
                                            Key("rest")};
inline constexpr std::array kFrameSpring = {Key("type"),
                                            Key("a"),
                                            Key("b"),
                                            Key("linear_stiffness"),
                                            Key("linear_damping"),
                                            Key("angular_stiffness"),
                                            Key("angular_damping")};
inline constexpr std::array kPoint = {Key("body"), Key("at")};

inline constexpr std::array kSpeeds = {Key("names"), Key("from_rates"), Key("to_rates"), Key("auto")};

inline constexpr std::array kInitial = {Key("q"), Key("u"), Key("qd"), Key("fixed")};
inline constexpr std::array kRepeatedInitial = {Key("q"), Key("u")};
inline constexpr std::array kFixed = {Key("q"), Key("u")};

inline constexpr std::array kParametric = {Key("z"), Key("q")};
inline constexpr std::array kIndependent = {Key("value"), Key("rate"), Key("description")};

/// One side of a constraint, written in place.
inline constexpr std::array kSide = {Key("body"), Key("at"), Key("axis"), Key("placement")};

// Constraints, by what their types ask for. `type`, `active` and `description` belong to all.
inline constexpr std::array kBetween = {Key("type"), Key("a"), Key("b"), Key("active"), Key("description")};
inline constexpr std::array kOnCircle = {Key("type"),   Key("a"),      Key("b"),
                                         Key("radius"), Key("active"), Key("description")};
inline constexpr std::array kDistance = {Key("type"),   Key("a"),      Key("b"),
                                         Key("length"), Key("active"), Key("description")};
inline constexpr std::array kOnSurface = {Key("type"),      Key("a"),      Key("b"),
                                          Key("equations"), Key("active"), Key("description")};
inline constexpr std::array kRolling = {
    Key("type"),   Key("kind"),         Key("a"),         Key("b"),
    Key("radius"), Key("radius_a"),     Key("semi_axes"), Key("surface"),
    Key("inside"), Key("keep_contact"), Key("active"),    Key("description")};
inline constexpr std::array kGear = {Key("type"),     Key("joints"), Key("ratio"),  Key("teeth"),
                                     Key("internal"), Key("offset"), Key("active"), Key("description")};
inline constexpr std::array kBelt = {Key("type"),    Key("joints"), Key("ratio"),  Key("radii"),
                                     Key("crossed"), Key("offset"), Key("active"), Key("description")};
inline constexpr std::array kRack = {Key("type"),   Key("joints"), Key("radius"),     Key("reversed"),
                                     Key("offset"), Key("active"), Key("description")};
inline constexpr std::array kScrew = {Key("type"),   Key("joints"), Key("pitch"),
                                      Key("offset"), Key("active"), Key("description")};
inline constexpr std::array kLock = {Key("type"), Key("joint"), Key("at"), Key("active"), Key("description")};
inline constexpr std::array kMotion = {Key("type"),   Key("joint"),  Key("of"),
                                       Key("equals"), Key("active"), Key("description")};
inline constexpr std::array kEquation = {Key("type"), Key("equations"), Key("active"), Key("description")};

inline constexpr std::array kContact = {Key("defaults"), Key("pairs"), Key("only_pairs"), Key("ignore"),
                                        Key("stops")};
inline constexpr std::array kRepeatedContact = {Key("pairs")};
inline constexpr std::array kContactLaw = {Key("render"),     Key("restitution"), Key("restitution_law"),
                                           Key("rest_speed"), Key("friction"),    Key("static_friction"),
                                           Key("stiffness"),  Key("damping"),     Key("slip_speed")};
inline constexpr std::array kContactPair = {Key("between"),         Key("render"),     Key("restitution"),
                                            Key("restitution_law"), Key("rest_speed"), Key("friction"),
                                            Key("static_friction"), Key("stiffness"),  Key("damping"),
                                            Key("slip_speed"),      Key("description")};
inline constexpr std::array kStops = {Key("joints"), Key("restitution"), Key("rest_speed")};
inline constexpr std::array kTransition = {Key("when"),       Key("if_active"), Key("if_inactive"),
                                           Key("activate"),   Key("release"),   Key("once"),
                                           Key("description")};

}  // namespace tactus::describe::keys
