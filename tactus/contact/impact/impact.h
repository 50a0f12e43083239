// Impacts: what the contacts' impulses p make of the relative velocities v = G u,
//
//   v+ = v- + W p,     W = G M^-1 G^T through the whole mechanism: the bilateral constraints that hold are
//                      taken out of M^-1 before, so that the impulse passes joints and loops
//
// Newton:   v_n+ >= e c  perpendicular to  p_n >= 0,     c = max(0, -v_n-) the closing speed
// Poisson:  compression to v_n >= 0 with the impulse p_c, then restitution with p_n >= e p_c, v_n+ >= 0
//           [PfeifferGlocker1996, ch. 8]
// Coulomb:  |p_t| <= mu p_n, against the slip at the end of the impact (of each of Poisson's two phases)
//
// Several pairs of bodies at once. In sequence (the default): the pair that closes fastest strikes alone, all
// contacts of the pair at the same time, and so on until none closes; Newton's cradle answers one ball with
// one ball. Impacts without end (e < 1 between three bodies) are cut off by the rest speed, below which e is
// zero, or after a bounded number of strikes; what then still closes is stopped together, plastically.
// Simultaneous: all contacts in one strike.
//
// Energy. The impulses change it by p . (v- + v+)/2. A plastic strike never adds any; with restitution
// Newton's law may, where slip reverses [KaneLevinson1985] or where restitutions differ. The strike is then
// repeated with s e instead of e for the largest s in [0, 1] that adds none: Coulomb's law still holds
// exactly, which a combination of the two impulses would not give. The same where no motion gives every
// contact its restitution (a body between two walls). The friction's share of the change is
// counted on the path on which, in each phase, the normal impulses act first: p_t . v_t+ - 1/2 p_t . W_tt
// p_t, never positive, since friction opposes the slip v_t+.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tactus/contact/impact/cone_solver.h>
#include <tactus/describe/model/contact.h>

namespace tactus::contact {

struct ImpactContact {
  int size = 3;  // rows: n; n, t; or n, t1, t2
  int pair = 0;  // contacts with the same number strike together
  double mu = 0.0;
  double restitution = 0.0;
  double rest_speed = 0.0;  // [m/s] closing slower than this is plastic
  describe::RestitutionLaw law = describe::RestitutionLaw::newton;
};

struct ImpactProblem {
  std::span<const ImpactContact> contacts;
  std::span<const double> W;  // [rows x rows]
  std::span<const double> v;  // [rows] before
  bool simultaneous = false;
};

struct ImpactResult {
  bool converged = true;          // every strike fulfils its laws to rounding; otherwise see ConeResult::law
  double energy_change = 0.0;     // [J] never positive, but for rounding
  double normal_work = 0.0;       // [J] of the normal impulses
  double friction_work = 0.0;     // [J] never positive: the two add up to energy_change
  double restitution_kept = 1.0;  // smallest s with which e had to be multiplied
  int strikes = 0;
  long work = 0;  // ConeResult::work, of all
};

class ImpactSolver {
 public:
  /// Memory for that many contacts; nothing is allocated afterwards.
  explicit ImpactSolver(std::size_t most_contacts, ConeOptions options = {});

  /// ImpactResult::work that a problem may take, about: what then still closes is stopped together, plastically.
  void set_most_work(long most) { most_work_ = most; }
  /// p [rows] and v_after [rows] are written.
  ImpactResult solve(const ImpactProblem& problem, std::span<double> p, std::span<double> v_after);

 private:
  struct Outcome {
    double energy_change = 0.0, friction_work = 0.0, size = 0.0;  // size: of the terms in energy_change
    bool converged = true;
  };
  void gather(const ImpactProblem& problem, int pair);
  double friction_work(const double* p, const double* v_end) const;
  Outcome attempt(double s);
  ConeResult solve_cones(const ConeProblem& problem, double* p);
  Outcome strike_group(double& s);
  void strike(const ImpactProblem& problem, int pair, bool plastic, std::span<double> p, std::span<double> v,
              ImpactResult& result);

  ConeSolver cone_;
  int most_sweeps_;
  long work_ = 0, most_work_ = std::numeric_limits<long>::max();
  double scale_ = 0.0;              // of the velocities before
  std::vector<std::size_t> first_;  // row of each contact of the problem
  // The group that strikes:
  std::vector<std::size_t> members_, rows_;  // contacts, and their rows in the problem
  std::vector<int> size_;
  std::vector<double> mu_, least_, closing_, e_;
  std::vector<char> poisson_;
  std::vector<double> W_, v_before_, b_, p_, phase_, v_end_, p_kept_;
};

}  // namespace tactus::contact
