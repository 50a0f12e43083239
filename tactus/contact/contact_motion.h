// Accelerations under the constraints and contacts that are on at the moment, and how they are held: the law
// of motion between two events. The equations are those of active_set.h.
//
// Rows may depend on each other (a box on four corners). The elimination says so by its health; the same
// system is then solved again by orthogonal factors, with the multipliers of least size. Nothing is allocated
// after the constructor.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <tactus/contact/active_set.h>
#include <tactus/contact/elimination.h>
#include <tactus/contact/terms.h>
#include <tactus/contact/touch.h>
#include <tactus/simulate/dynamics.h>
#include <tactus/simulate/motion_law.h>

namespace tactus::contact {

/// Below this health (elimination.h) a row counts as dependent on those before it.
inline constexpr double kLeastHealth = 1e-9;

class ContactMotion final : public simulate::MotionLaw {
 public:
  /// Kernel and dynamics must outlive it.
  ContactMotion(const TermsKernel& kernel, const simulate::Dynamics& dynamics, std::size_t most_touches);
  ~ContactMotion() override;

  // The set. Whoever changes it calls update().
  std::vector<char> row_on;    // [rows of the model]
  std::vector<Touch> touches;  // near each other or touching; room is reserved for the most
  std::size_t most_touches() const { return most_; }
  void update();

  void accelerate(const double* arguments, double* udot, double* qdot) override;
  double settle_position(double t, double* q) override;
  void settle_velocity(double t, const double* q, double* u) override;

  // At the last accelerate(): multipliers, 0 for what is off.
  double row_force(std::size_t row) const { return row_force_[row]; }
  /// Normal force, and friction along t1 and t2, on body b.
  const std::array<double, 3>& touch_force(std::size_t touch) const { return touch_force_[touch]; }
  bool redundant() const { return redundant_; }  // the rows were dependent
  bool solved() const { return solved_; }
  const Terms& terms() const { return terms_; }
  /// The last accelerations.
  const double* udot() const { return udot_.data(); }
  /// Evaluates the motion of all touches at the terms' place.
  void evaluate_touches();
  /// Tangents for a new touch, at the terms' place.
  void choose_tangents(Touch& touch);
  /// The acceleration along direction k of a touch, with the last udot.
  double touch_acceleration(const Touch& touch, std::size_t k);
  /// The acceleration A udot - gamma of a row of the model.
  double row_acceleration(std::size_t row);

  /// Fills `system` with M, and the rows that are on for the level of velocities (touches: normal, and
  /// tangents where they stick); B = A. `error` gets what must vanish. Rows of positions alone, where asked
  /// for.
  void fill_rows(bool positions, std::vector<double>& error);
  ActiveSystem<double>& system() { return system_; }
  /// The smallest change of the speeds that takes `error` out of the rows that fill_rows() filled; in
  /// system().udot.
  void smallest_step(const std::vector<double>& error);
  Terms& mutable_terms() { return terms_; }
  /// Detours through orthogonal factors so far.
  long detours() const { return detours_; }
  /// Kinetic energy at the terms' place for speeds u.
  double kinetic_energy(const double* u);

 private:
  void gather_set();
  void keep_slips();
  auto motion_of_part() const {
    return
        [this](std::size_t part) -> const GapMotion<double>& { return touches[touch_of_part_[part]].motion; };
  }
  void solve_system();
  void solve_dependent();
  void displace(double t, double* q, const double* du);

  const TermsKernel& kernel_;
  const simulate::Dynamics& dynamics_;
  std::size_t n_, most_;
  Terms terms_;
  ActiveSystem<double> system_;
  struct Dense;
  std::unique_ptr<Dense> dense_;
  SetForm set_;
  std::vector<TouchNumbers<double>> numbers_;  // of the set's touches
  std::vector<std::size_t> touch_of_part_;     // where they stand in `touches`
  std::vector<double> row_force_;
  std::vector<std::array<double, 3>> touch_force_, part_force_;
  bool redundant_ = false, solved_ = true;
  long detours_ = 0;
  std::vector<double> scratch_, udot_, error_;
  std::vector<double> rate_in_, rate_work_, qdot_, qdot_at_rest_, theta_, rest_, q_before_;
};

}  // namespace tactus::contact
