// The symbols that a model's equations are written in.
#pragma once

#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/derive/equations.h>

namespace tactus::derive {

struct Symbols {
  /// Made in the current graph. Names are those a reader expects in printed equations: the coordinate
  /// `shoulder`, its speed `shoulder_dot`, its acceleration `shoulder_ddot`, its actuator force
  /// `tau_shoulder`.
  Symbols(const describe::Model& model, const Options& options);

  Expr t;
  std::vector<Expr> q, u, udot, tau;
  std::vector<Expr> rates;       // joint rates as symbols, for user-defined speeds
  std::vector<Expr> wrench;      // six per wrench input: torque, force
  std::vector<Expr> parameters;  // empty unless they are kept

  using Block = algebra::Block;
  Block time_block() const;
  Block coordinates_block() const;
  Block speeds_block() const;
  Block accelerations_block() const;
  Block forces_block() const;
  Block rates_block() const;
  /// The standard input list: t q u [extra...] wrench parameters, without empty blocks.
  std::vector<Block> inputs(bool with_speeds, std::vector<Block> extra, bool with_wrench) const;
};

}  // namespace tactus::derive
