// Forces other than inertia and weight: springs and dampers between points and frames, outside wrenches,
// joint friction.
#pragma once

#include <vector>

#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/derive/tree/symbols.h>

namespace tactus::derive {

/// Which links carry an outside force (a spring's end or a wrench input).
std::vector<bool> loaded_links(const describe::Model& model, const Options& options, const Tree<Expr>& tree);

/// All outside wrenches on the tree's links, in link axes. position() must have run on `motion`. `rates` are
/// the joint rates; `wrench` the wrench inputs (empty: without them).
std::vector<OutsideWrench<Expr>> outside_wrenches(const describe::Model& model, const Options& options,
                                                  const Numbers& numbers, const Tree<Expr>& tree,
                                                  const Motion<Expr>& motion, const std::vector<Expr>& rates,
                                                  const std::vector<Expr>& wrench);

/// What springs, damping and friction at the joints take: to be added to h. One entry per joint rate.
std::vector<Expr> joint_loads(const describe::Model& model, const Options& options, const Numbers& numbers,
                              const std::vector<Expr>& q, const std::vector<Expr>& rates);

/// The energy stored in all springs.
Expr spring_energy(const describe::Model& model, const Numbers& numbers, const Tree<Expr>& tree,
                   const Motion<Expr>& motion, const std::vector<Expr>& q);

}  // namespace tactus::derive
