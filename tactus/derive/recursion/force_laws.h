// Forces that a model gives by formulas of the motion (`forces`), as the recursions take loads.
#pragma once

#include <vector>

#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/derive/tree/speeds.h>
#include <tactus/derive/tree/stations.h>

namespace tactus::derive {

/// What laws are written in.
struct LawTerms {
  const describe::Model& model;
  const Numbers& numbers;
  const Symbols& symbols;
  const SpeedMap& speeds;
};

/// Adds the wrenches of laws at frames and along lines, in link axes. position() must have run on `motion`; `rates` are the
/// joint rates in the speeds.
void add_law_wrenches(const LawTerms& terms, const Tree<Expr>& tree, const Motion<Expr>& motion,
                      const std::vector<Expr>& rates, std::vector<OutsideWrench<Expr>>& wrenches);

/// Takes the forces of laws at joints from what the joints' loads add to h.
void subtract_law_forces(const LawTerms& terms, const Tree<Expr>& tree, const Motion<Expr>& motion,
                         const std::vector<Expr>& rates, std::vector<Expr>& loads);

}  // namespace tactus::derive
