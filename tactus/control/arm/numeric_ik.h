// Inverse kinematics by iteration, for every mechanism: open or closed, of any number of freedoms.
//
// Of steps d of the speeds' directions at q, those with A d = -Phi keep the constraints; among them the one with
//
//   least |W (J d - e)|^2 + mu^2 |d|^2      e = [vector of the rotation that is left; way that is left],  W = [length, 1]
//
// is taken, mu small where steps do what they promise and larger where they do not (Levenberg and Marquardt). What neither the pose nor the
// constraints fix goes towards the place that was given. Joints at their limits are held there while a step would leave
// them.
#pragma once

#include <string>
#include <vector>

#include <tactus/describe/model/model.h>
#include <tactus/math/vec3.h>

namespace tactus::control {

struct NumericIkOptions {
  bool orientation = true;  // otherwise the place of the frame's origin only
  bool limits = true;       // of the joints
  double length = 0.1;      // [m] what a radian counts as
  int most_steps = 500;
};

struct NumericIkResult {
  std::vector<double> q;
  double missed_way = 0.0, missed_turn = 0.0;  // [m], [rad]
  double constraint_error = 0.0;               // the largest of Phi
  int steps = 0;
  bool met = false;  // to 1e-10 of each
};

/// From q, which is also what the rest goes towards. Throws InputError where the frame is none.
NumericIkResult numeric_ik(const describe::Model& model, const std::string& frame,
                           const math::Pose<double>& X_WF, const std::vector<double>& q,
                           const NumericIkOptions& options = {});

}  // namespace tactus::control
