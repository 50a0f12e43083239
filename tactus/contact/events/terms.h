// Mass matrix, forces, rows of the model's constraints, and motions and Jacobians of the bodies that may
// touch: all that a step with contact needs, at one place of the motion. One kernel
// (derive::Equations::contact_terms) gives them by blocks; here they are put where the elimination wants
// them.
//
// The terms round operation by operation (generate::Rounding::separate), so that code generated for one set
// of contacts, in which they are followed by what is done with them here, has the same bits.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tactus/contact/law/gap.h>
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
    /// Natural size (simulate/constraints/constraints.h); 0 for stops, which are unilateral.
    double size = 0.0;
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
  std::vector<std::pair<int, int>> place_of_row;  // block, position in it
  std::size_t qdot = 0, Q = 0, Phi = 0, velocity = 0, gamma = 0;
  algebra::Function function;  // all of it, as it was derived
  generate::Kernel kernel;     // t q u tau wrench -> ...
};

/// The numbers at one place, wherever they are kept; on expressions, the terms' formulas.
template <class S>
class TermsView {
 public:
  TermsView(const TermsKernel& kernel, const S* values) : kernel_(kernel), values_(values) {}

  const TermsKernel& kernel() const { return kernel_; }
  const S* qdot() const { return values_ + kernel_.qdot; }
  const S* Q() const { return values_ + kernel_.Q; }
  const S& Phi(std::size_t row) const { return values_[kernel_.Phi + row]; }
  const S& velocity(std::size_t row) const { return values_[kernel_.velocity + row]; }
  const S& gamma(std::size_t row) const { return values_[kernel_.gamma + row]; }
  /// Into a full matrix [nv x nv] whose other entries are zero already.
  void mass_matrix(S* M) const;
  /// One row of the model's constraints [nv].
  void constraint_row(std::size_t row, S* A) const;
  /// A body by its index in the model; the ground stands still.
  BodyMotion<S> body(int index) const;
  /// row += sign * direction . (velocity of the body's material at the world point c), in terms of the
  /// speeds.
  void add_point_row(int body, const Vec3<S>& c, const Vec3<S>& direction, double sign, S* row) const;

 private:
  const TermsKernel& kernel_;
  const S* values_;
};

/// n, t1, t2 of a pair of features as rows in the speeds. Signs: body b against body a.
template <class S>
void contact_rows(const TermsView<S>& terms, int body_a, int body_b, const GapMotion<S>& motion,
                  std::size_t count, S* rows) {
  const auto nv = static_cast<std::size_t>(terms.kernel().nv);
  std::fill_n(rows, count * nv, S(0.0));
  for (std::size_t k = 0; k < count; ++k) {
    terms.add_point_row(body_b, motion.c_b, motion.direction[k], 1.0, rows + k * nv);
    terms.add_point_row(body_a, motion.c_a, motion.direction[k], -1.0, rows + k * nv);
  }
}

/// The numbers at one place, with their own memory.
class Terms {
 public:
  explicit Terms(const TermsKernel& kernel);

  const TermsKernel& kernel() const { return kernel_; }
  TermsView<double> view() const { return {kernel_, out_.data()}; }
  /// At the array of arguments t q u tau wrench.
  void evaluate(const double* arguments) { kernel_.kernel(arguments, out_.data(), work_.data()); }
  /// With nothing acting.
  void evaluate(double t, const double* q, const double* u);

  // As in TermsView.
  const double* qdot() const { return view().qdot(); }
  const double* Q() const { return view().Q(); }
  double Phi(std::size_t row) const { return view().Phi(row); }
  double velocity(std::size_t row) const { return view().velocity(row); }
  double gamma(std::size_t row) const { return view().gamma(row); }
  void mass_matrix(double* M) const { view().mass_matrix(M); }
  void constraint_row(std::size_t row, double* A) const { view().constraint_row(row, A); }
  BodyMotion<double> body(int index) const { return view().body(index); }
  void add_point_row(int body, const Vec3<double>& c, const Vec3<double>& direction, double sign,
                     double* row) const {
    view().add_point_row(body, c, direction, sign, row);
  }
  const std::vector<double>& values() const { return out_; }

 private:
  const TermsKernel& kernel_;
  std::vector<double> arguments_, out_, work_;
};

inline void contact_rows(const Terms& terms, int body_a, int body_b, const GapMotion<double>& motion,
                         std::size_t count, double* rows) {
  contact_rows(terms.view(), body_a, body_b, motion, count, rows);
}

template <class S>
void TermsView<S>::mass_matrix(S* M) const {
  const auto nv = static_cast<std::size_t>(kernel_.nv);
  for (const TermsKernel::Block& block : kernel_.blocks) {
    const S* from = values_ + block.M;
    for (const int i : block.speeds)
      for (const int j : block.speeds)
        M[static_cast<std::size_t>(i) * nv + static_cast<std::size_t>(j)] = *from++;
  }
}

template <class S>
void TermsView<S>::constraint_row(std::size_t row, S* A) const {
  std::fill_n(A, kernel_.nv, S(0.0));
  const auto [k, position] = kernel_.place_of_row[row];
  const TermsKernel::Block& block = kernel_.blocks[static_cast<std::size_t>(k)];
  const S* from = values_ + block.A + static_cast<std::size_t>(position) * block.speeds.size();
  for (const int speed : block.speeds) A[speed] = *from++;
}

template <class S>
BodyMotion<S> TermsView<S>::body(int index) const {
  BodyMotion<S> motion;
  const int slot = kernel_.body_slot[static_cast<std::size_t>(index)];
  if (slot < 0) return motion;
  const TermsKernel::Body& body = kernel_.bodies[static_cast<std::size_t>(slot)];
  const S* X = values_ + body.X;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) motion.R(i, j) = X[4 * i + j];
    motion.p[i] = X[4 * i + 3];
  }
  const auto vector_at = [this](std::size_t place) {
    return Vec3<S>{values_[place], values_[place + 1], values_[place + 2]};
  };
  motion.w = vector_at(body.V);
  motion.v = vector_at(body.V + 3);
  motion.wd = vector_at(body.a);
  motion.vd = vector_at(body.a + 3);
  return motion;
}

template <class S>
void TermsView<S>::add_point_row(int index, const Vec3<S>& c, const Vec3<S>& direction, double sign,
                                 S* row) const {
  const int slot = kernel_.body_slot[static_cast<std::size_t>(index)];
  if (slot < 0) return;
  const TermsKernel::Body& body = kernel_.bodies[static_cast<std::size_t>(slot)];
  if (body.block < 0) return;
  const S* X = values_ + body.X;
  const Vec3<S> r = c - Vec3<S>{X[3], X[7], X[11]};
  const Vec3<S> moment = cross(r, direction);
  const std::vector<int>& speeds = kernel_.blocks[static_cast<std::size_t>(body.block)].speeds;
  const std::size_t n = speeds.size();
  const S* J = values_ + body.J;
  for (std::size_t i = 0; i < n; ++i) {
    const S turning = moment.x * J[i] + moment.y * J[n + i] + moment.z * J[2 * n + i];
    const S moving = direction.x * J[3 * n + i] + direction.y * J[4 * n + i] + direction.z * J[5 * n + i];
    row[speeds[i]] += S(sign) * (turning + moving);
  }
}

}  // namespace tactus::contact
