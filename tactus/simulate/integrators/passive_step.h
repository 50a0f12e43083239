// A passive step while it is being solved (passive_stepper.cpp says which equations). Everything is sized once.
#pragma once

#include <cstddef>
#include <vector>

namespace tactus::simulate {

struct PassiveStep {
  PassiveStep(std::size_t n, std::size_t nq, std::size_t m)
      : u0(n),
        u1(n),
        mean(n),
        du(n),
        theta(n),
        half(n),
        q1(nq),
        Q(n),
        M0_du(n),
        M_du(n),
        M_mean(n),
        lambda(m) {}

  double t = 0.0, h = 0.0;  // [s] where it begins, and its length
  // Where the iteration stands.
  std::vector<double> u0, u1;    // [nv]
  std::vector<double> mean, du;  // (u0 + u1)/2, u1 - u0
  std::vector<double>
      theta;  // [nv] the chart's coordinates of the end, before it is moved onto the constraints
  std::vector<double> half;  // of the middle
  std::vector<double> q1;    // [nq]
  // In the middle.
  std::vector<double> Q;                         // [nv]
  double outside_power = 0.0, loss_power = 0.0;  // [W] of tau and wrenches; of dampers, friction, laws
  double port_power = 0.0;                       // [W] of what acts at ports, within outside_power
  /// [N m, N] The sizes of all forces, one by one: those that hold each other cancel in Q, and their roundings do not.
  double pushing = 0.0;
  // M is the mean of both ends' matrices.
  std::vector<double> M0_du, M_du, M_mean;        // [nv] M(q0) du, M du, M mean
  double T0 = 0.0, V0 = 0.0, T1 = 0.0, V1 = 0.0;  // [J]
  double port_work = 0.0;                         // [J] of what acts at ports, from end to end
  double carried = 0.0;                           // [J] more than the steps before should have left
  std::vector<double> lambda;                     // [rows] impulses of the constraints
};

}  // namespace tactus::simulate
