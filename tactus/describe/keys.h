// The keys of the model format, map by map. The readers accept these and no others, and
// docs/model.schema.json names the same ones (a test compares them).
#pragma once

#include <array>
#include <string_view>

namespace tactus::describe::keys {

using Key = std::string_view;

inline constexpr std::array kModel = {
    Key("name"), Key("description"), Key("parameters"), Key("gravity"), Key("bodies"), Key("joints"),
    Key("dh"),   Key("repeat"),      Key("frames"),     Key("springs"), Key("speeds"), Key("constraints")};

inline constexpr std::array kParameter = {Key("value"), Key("unit"), Key("description")};

inline constexpr std::array kBody = {
    Key("mass"),     Key("com"),        Key("inertia"), Key("inertia_about"), Key("effective_inertia"),
    Key("geometry"), Key("description")};
inline constexpr std::array kWorld = {Key("geometry"), Key("description")};

inline constexpr std::array kGeometry = {Key("shape"),  Key("name"),   Key("placement"), Key("size"),
                                         Key("radius"), Key("length"), Key("file"),      Key("scale"),
                                         Key("color"),  Key("visual"), Key("contact")};

inline constexpr std::array kPlacement = {Key("xyz"), Key("rpy"), Key("axis_angle"), Key("quaternion"),
                                          Key("rows")};
inline constexpr std::array kAxisAngle = {Key("axis"), Key("angle")};

/// What belongs to one degree of freedom.
inline constexpr std::array kFreedom = {Key("limits"),    Key("velocity_limit"), Key("effort_limit"),
                                        Key("armature"),  Key("damping"),        Key("friction"),
                                        Key("stiffness"), Key("rest"),           Key("passive")};
inline constexpr std::array kFriction = {Key("viscous"), Key("coulomb")};
inline constexpr std::array kDirections = {Key("positive"), Key("negative")};

inline constexpr std::array kJoint = {
    Key("type"),           Key("parent"),       Key("child"),    Key("placement"),  Key("child_placement"),
    Key("axis"),           Key("axes"),         Key("pitch"),    Key("freedoms"),   Key("limits"),
    Key("velocity_limit"), Key("effort_limit"), Key("armature"), Key("damping"),    Key("friction"),
    Key("stiffness"),      Key("rest"),         Key("passive"),  Key("description")};

inline constexpr std::array kDh = {Key("convention"), Key("base"), Key("links")};
inline constexpr std::array kDhLink = {
    Key("name"),     Key("joint"),   Key("type"),           Key("alpha"),
    Key("a"),        Key("d"),       Key("theta"),          Key("mass"),
    Key("com"),      Key("inertia"), Key("inertia_about"),  Key("effective_inertia"),
    Key("geometry"), Key("limits"),  Key("velocity_limit"), Key("effort_limit"),
    Key("armature"), Key("damping"), Key("friction"),       Key("stiffness"),
    Key("rest"),     Key("passive"), Key("description")};

inline constexpr std::array kRepeat = {Key("count"),  Key("from"),   Key("index"),  Key("bodies"),
                                       Key("joints"), Key("frames"), Key("springs")};

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

inline constexpr std::array kSpeeds = {Key("names"), Key("from_rates"), Key("to_rates")};

}  // namespace tactus::describe::keys
