// Abbreviation by torque budget: the smallest model whose error is proven to stay within what the user
// allows.
//
// Given bounds |u_j| <= U_j, |udot_j| <= W_j and an allowed error T_i per joint, a set of coefficients may be
// dropped from tau_i if
//
//   sum over the dropped of |c| (product of the bounds of the term's u and udot)  <=  T_i.
//
// Each coefficient belongs to one joint, so dropping the cheapest first, joint by joint, drops the largest
// possible number. Fewest coefficients is not quite fewest operations: a harmonic dropped everywhere saves
// its sine and cosine too, and elements that stay related can share their sums. So orders that favour whole
// harmonics, whole products of speeds, and one threshold for all are tried as well; coefficients whose return
// saves operations are put back; and the model with the fewest operations wins.
#pragma once

#include <string>
#include <vector>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/readable/abbreviate.h>
#include <tactus/derive/readable/canonical.h>
#include <tactus/describe/model/model.h>

namespace tactus::derive {

struct TorqueBudget {
  MotionBounds bounds;
  std::vector<double> torque;  // allowed error per joint [N m] or [N]
};

struct BudgetedModel {
  CanonicalModel model;
  std::vector<double> allowed, proven, sampled;  // errors per joint
  std::size_t full_coefficients = 0, kept_coefficients = 0;
  algebra::OperationCount operations;  // of the inverse dynamics without friction
  std::string order;                   // how the dropped coefficients were chosen
};

BudgetedModel abbreviate_to_budget(const CanonicalModel& full, const TorqueBudget& budget,
                                   int samples = 5000);

/// Reads a budget file:
///
///   speeds: 10              # one bound for all joints, a list, or a map by name (with `default`)
///   accelerations: [100, 100, 100, 200, 200, 200]
///   torque: {default: 0.5, q1: 2}
///   positions: {slide: 0.8} # only for coordinates that are lengths; joint limits are taken where they exist
///
/// Throws InputError.
TorqueBudget load_budget(const std::string& path, const describe::Model& model);
TorqueBudget read_budget(const std::string& text, const std::string& file, const describe::Model& model);

}  // namespace tactus::derive
