// The canonical form of a model's equations of motion: every element a trigonometric polynomial in the joint
// angles.
//
//   tau_i = sum_j M_ij udot_j + sum_{j<k} B_ijk u_j u_k + sum_j D_ij u_j^2 + G_i + (rotors) + (friction)
//
// [Clover1996, II (1)]: M mass matrix, B Coriolis products, D centrifugal terms, G gravity and springs. All
// of it is held as one polynomial per joint in (q; u, udot): the elements are its coefficients. Rotor inertia
// and joint friction stand apart, because abbreviation leaves them alone.
//
// M comes from the composite-body recursion, turned into polynomials; B and D are its Christoffel symbols, so
// they cost no more than derivatives of polynomials:
//
//   c_ijk = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i),    B_ijk = 2 c_ijk,    D_ij = c_ijj.
//
// For speeds that the model defines itself the polynomials are read off the inverse dynamics instead; u are
// then those speeds and rotors are part of the polynomials.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/algebra/trig_polynomial.h>
#include <tactus/derive/equations.h>

namespace tactus::algebra {
struct SharedFormOptions;  // shared_form.h
}

namespace tactus::derive {

using algebra::TrigPolynomial;

/// A point of a motion.
struct MotionPoint {
  std::vector<double> q, u, udot;
};

class CanonicalModel {
 public:
  int size() const { return static_cast<int>(torques.size()); }

  TrigPolynomial M(int i, int j) const;         // without rotors
  TrigPolynomial B(int i, int j, int k) const;  // factor of u_j u_k, j < k
  TrigPolynomial D(int i, int j) const;         // factor of u_j^2
  TrigPolynomial G(int i) const;
  TrigPolynomial other(
      int i) const;  // what is none of these: terms linear in the speeds, where the model defines them
  TrigPolynomial bias(int i) const;  // all without accelerations

  /// The joint forces at a point, with rotors, without friction.
  std::vector<double> inverse_dynamics(const MotionPoint& at) const;
  double evaluate(const TrigPolynomial& p, const MotionPoint& at) const;
  /// What friction takes at the speeds of the point.
  std::vector<double> friction_at(const MotionPoint& at) const;

  /// How many coefficients all torques have together.
  std::size_t coefficient_count() const;

  std::string name;
  std::shared_ptr<algebra::Graph> graph;
  std::vector<Expr> q, u, udot;         // symbols
  algebra::TrigVariables variables;     // angles, and: u, udot, then lengths and parameters
  std::vector<TrigPolynomial> torques;  // per speed, without rotors and friction
  std::vector<TrigPolynomial> rotors;   // rotor inertia per speed (a number, or a parameter)
  std::vector<Expr> friction;           // per speed
  std::vector<algebra::Block> inputs;  // t q u udot [parameters], as all functions of the equations have them
  std::vector<std::string> speed_names;

 private:
  TrigPolynomial coefficient(int i, std::span<const Expr> factors) const;
  /// The terms whose degrees in u and udot are wanted.
  TrigPolynomial select(int i, const std::function<bool(int, int)>& wanted) const;
};

/// The canonical form; nothing where the equations have none (or none within the limits), with the reason in
/// `why`.
std::optional<CanonicalModel> find_canonical_form(const describe::Model& model, const Options& options,
                                                  std::string* why = nullptr,
                                                  algebra::TrigLimits limits = {});
/// The same; InputError where there is none.
CanonicalModel canonical_form(const describe::Model& model, const Options& options = {});

/// Functions of a canonical model, in forms that share sub-sums and products.
Function inverse_dynamics(const CanonicalModel& model, bool friction);
Function inverse_dynamics(const CanonicalModel& model, bool friction,
                          const algebra::SharedFormOptions& options);
Function mass_matrix(const CanonicalModel& model);
/// The elements themselves, of angles alone: M [n x n] with rotors, B [n x n (n - 1)/2] (pairs 12, 13, .., 23, ..), D [n x n], G [n].
Function elements(const CanonicalModel& model);
Function bias(const CanonicalModel& model, bool friction);
Function gravity(const CanonicalModel& model);

}  // namespace tactus::derive
