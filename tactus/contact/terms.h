// Mass matrix, forces, rows of the model's constraints, and motions and Jacobians of the bodies that may
// touch: all that a step with contact needs, at one place of the motion. One kernel
// (derive::Equations::contact_terms) gives them by blocks; here they are put where the elimination wants
// them.
#pragma once

#include <string>
#include <vector>

#include <tactus/contact/gap.h>
#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>

namespace tactus::contact {

/// The constant part: the kernel, and where its numbers stand. Shared by any number of motions.
struct TermsKernel {
  TermsKernel(const derive::Equations& equations, std::vector<int> bodies,
              generate::Backend backend = generate::Backend::automatic);

  struct Row {
    std::string label;
    int constraint = 0;  // index into Model::constraints
    bool holonomic = true;
  };
  struct Body {
    int body = 0;    // index into Model::bodies
    int block = -1;  // -1: the ground
    std::size_t X = 0, V = 0, a = 0, J = 0;
  };
  struct Block {
    std::vector<int> speeds, rows;
    std::size_t M = 0, A = 0;
  };

  int nq = 0, nv = 0, wrenches = 0;
  std::vector<int> parents;  // of the speeds
  std::vector<Row> rows;     // of the model's constraints
  std::vector<Block> blocks;
  std::vector<Body> bodies;    // those asked for
  std::vector<int> body_slot;  // by index into Model::bodies: into `bodies`; -1 where not asked for
  std::size_t qdot = 0, Q = 0, Phi = 0, velocity = 0, gamma = 0;
  generate::Kernel kernel;  // t q u tau wrench -> ...
};

/// The numbers at one place, with their own memory.
class Terms {
 public:
  explicit Terms(const TermsKernel& kernel);

  const TermsKernel& kernel() const { return kernel_; }
  /// At the array of arguments t q u tau wrench.
  void evaluate(const double* arguments) { kernel_.kernel(arguments, out_.data(), work_.data()); }
  /// With nothing acting.
  void evaluate(double t, const double* q, const double* u);

  const double* qdot() const { return out_.data() + kernel_.qdot; }
  const double* Q() const { return out_.data() + kernel_.Q; }
  double Phi(std::size_t row) const { return out_[kernel_.Phi + row]; }
  double velocity(std::size_t row) const { return out_[kernel_.velocity + row]; }
  double gamma(std::size_t row) const { return out_[kernel_.gamma + row]; }
  /// Into a full matrix [nv x nv] whose other entries are zero already.
  void mass_matrix(double* M) const;
  /// One row of the model's constraints [nv].
  void constraint_row(std::size_t row, double* A) const;
  /// A body by its index in the model; the ground stands still.
  BodyMotion<double> body(int index) const;
  /// row += sign * direction . (velocity of the body's material at the world point c), in terms of the
  /// speeds.
  void add_point_row(int body, const Vec3<double>& c, const Vec3<double>& direction, double sign,
                     double* row) const;
  const std::vector<double>& values() const { return out_; }

 private:
  const TermsKernel& kernel_;
  std::vector<double> arguments_, out_, work_;
  std::vector<std::pair<int, int>> place_of_row_;  // block, position in it
};

/// n, t1, t2 of a pair of features as rows in the speeds. Signs: body b against body a.
void contact_rows(const Terms& terms, int body_a, int body_b, const GapMotion<double>& motion,
                  std::size_t count, double* rows);

}  // namespace tactus::contact
