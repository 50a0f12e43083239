// What makes accelerations and holds constraints for the integrators: the constraint solver of a fixed
// mechanism (constraint_solver.h), or the engine whose constraints come and go with contact.
#pragma once

namespace tactus::simulate {

class MotionLaw {
 public:
  virtual ~MotionLaw() = default;
  /// udot and qdot at t q u tau wrench. NaN where the problem has no solution.
  virtual void accelerate(const double* arguments, double* udot, double* qdot) = 0;
  /// After a step that ends with the speeds u: moves q to where the constraints allow it; the largest error left
  /// [m, rad].
  virtual double settle_position(double t, double* q, const double* u) = 0;
  /// After settle_position(): makes u agree with the constraints. The step ends with it.
  virtual void settle_velocity(double t, const double* q, double* u) = 0;
};

}  // namespace tactus::simulate
