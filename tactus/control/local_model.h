// The local model of [Constantinescu2005, section VII]: what a hand meets between two updates of a slower simulation.
//
// Printed, in joint space, with what the simulation sends marked ^:
//
//   D^ qdd + G^ = sum J_i^T F_i + J_h^T F_h                                                                      (21)
//   J^_h = U^ S^ V^T,     L^ = J^_h D^^-1 J^_h^T      (the second factor is printed without its transpose)   (22), (23)
//
// The hand sees of (21) the port and the contacts alone, so it is brought there once, by the simulation: with f_c along the normals of
// the contacts that are near, and r_c = J_h M^-1 P J_c^T, w_cd = J_c M^-1 P J_d^T,
//
//   A     = A^ + L^ F + sum r_c f_c                                          of the port
//   g_c'' = g''^_c + r_c . F + sum w_cd f_d,      f_c = max(0, -k g - b g') where g <= 0, of the gaps
//
// It is (21) with frozen J, whatever the mechanism's size: a tick costs the same for a chain of a hundred links. A^ and g''^ hold
// the velocity's products, frozen with the rest: where every tick has an update, and nothing touches, the local model is the mechanism. The directions
// that joints resist are found by the simulation.
//
// In a tick F is constant and f_c is taken linearly implicit, each contact by itself, so that no stiffness is too large for the
// period:  f = max(0, -(k g + (b + k T) g' + (k T/2 + b) T g''_0)/(1 + T (b + k T/2) w_cc)).
//
// Rigid contacts that are on are part of L^; those that are not yet are met at the next update, which brings
// the velocity that their impulses gave to the port.
//
// There is room for kMostLocalContacts: the nearest have it, and how many more touch, or will by the next
// update, is counted.
#pragma once

#include <array>
#include <cstdint>

#include <tactus/control/four_channel.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::control {

inline constexpr std::size_t kMostLocalContacts = 8;

/// What the simulation sends: a plain value, without pointers.
struct LocalModelUpdate {
  std::uint64_t tick = 0;   // of the loop, at whose beginning it holds
  std::uint64_t run = 0;    // of the loop: since its last fault
  simulate::Status status;  // of the simulation's steps
  simulate::PortMotion motion;
  double energy = 0.0;     // [J] kinetic and potential, of the mechanism
  double work = 0.0;       // [J] that went into it at the port, so far
  Vector6 A{}, turning{};  // [rad/s^2; m/s^2] without hand and contacts; Jd u
  Matrix6 L{};
  Vector6 jumps{};  // [rad/s; m/s] the sum of what impacts and switched constraints gave to the port, so far
  Resisted resisted;
  int contacts = 0;
  int left_out = 0;  // compliant contacts that touch, or will by the next update, and have no room
  struct Contact {
    std::uint64_t id = 0;
    double gap = 0.0, rate = 0.0, acceleration = 0.0;  // [m], [m/s], [m/s^2] without hand and contacts
    double stiffness = 0.0, damping = 0.0;             // [N/m], [N s/m]
    Vector6 r{};
    std::array<double, kMostLocalContacts> w{};  // [1/kg]
  };
  std::array<Contact, kMostLocalContacts> contact{};
};

bool finite(const LocalModelUpdate& update) noexcept;

/// All that the local model remembers: where it is, and how far it has come by itself, updates not counted.
struct LocalState {
  simulate::PortMotion motion;
  int contacts = 0;
  std::array<std::uint64_t, kMostLocalContacts> id{};
  std::array<double, kMostLocalContacts> gap{}, rate{};

  math::Vec3<double> p_moved{};
  math::Mat3<double> R_moved = math::Mat3<double>::identity();
  Vector6 V_moved{};
  std::array<double, kMostLocalContacts> gap_moved{}, rate_moved{};
};

class LocalModel {
 public:
  /// Takes an update that holds at the tick at which this model's own state was `then`, `age` [s] ago: what it moved since
  /// stays. A contact that it did not know goes on at its rate. An update of now needs no `then`.
  void take(const LocalModelUpdate& update, const LocalState* then = nullptr, double age = 0.0) noexcept;

  /// Under a wrench at the port: contact forces of this tick, and the port's acceleration.
  Vector6 acceleration(const Vector6& F, double T) noexcept;
  /// A tick with what acceleration() found last.
  void step(double T) noexcept;

  const LocalModelUpdate& update() const noexcept { return update_; }
  const LocalState& state() const noexcept { return state_; }
  double contact_force(std::size_t c) const noexcept { return force_[c]; }

 private:
  LocalModelUpdate update_{};
  LocalState state_{};
  Vector6 A_{};
  std::array<double, kMostLocalContacts> force_{}, gap_acceleration_{};
};

}  // namespace tactus::control
