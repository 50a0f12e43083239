// Generalised speeds that are chosen for the user: `speeds: auto`.
//
// Which speeds make equations short is known from the mechanism [MitiguyKane1996, as reported in Gillespie2003]: for open chains of
// revolute, Hooke's and ball-and-socket joints, measure numbers of the bodies' angular velocities in the ground, not rates of joints.
// Here, where they save operations (docs/kane.md has the counts):
//
//   parallel axes     u = omega^B . a = sum of the rates of the turns from the ground to B   (every turn about one direction)
//   ball and socket   u_k = omega^B . b_k, b_k the body's axes                               (three turns, massless bodies between)
//   slides            u = qd
//
// Mechanisms with bodies that are none of these keep their joint rates: the recursions of `derive` exploit those better.
//
// Mass-diagonalising speeds go on from there. With the mass matrix in these speeds, M = L^T D L, D diagonal and L unit lower
// triangular, the speeds L u have the kinetic energy sum_k D_k u_k^2/2: each has a mass of its own, and none couples with another.
#pragma once

#include <functional>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

struct AutomaticSpeeds {
  std::vector<Expr>
      Y;  // nv x nv by rows, in the symbols of coordinates and parameters; empty: the joint rates
  std::size_t tied = 0;  // diagonal speeds: the largest number that the mass matrix ties together
};

/// `value` gives a number that depends on parameters alone.
AutomaticSpeeds efficient_speeds(const Model& model, const std::function<double(Expr)>& value);
/// Empty where more than kMostTied speeds are tied together: no formulas of theirs are made.
AutomaticSpeeds diagonal_speeds(const Model& model, const std::function<double(Expr)>& value);

/// Diagonal speeds of more freedoms that depend on each other would be pages long.
inline constexpr std::size_t kMostTied = 3;
/// Of a whole model: larger ones keep their joint rates, and have no diagonal speeds.
inline constexpr std::size_t kMostFreedoms = 64;

}  // namespace tactus::describe
