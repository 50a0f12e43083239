// Contact problems of random mechanisms: W = G M^-1 G^T with a structure like that of free bodies, of bodies
// on joints, and of bodies in loops (bilateral constraints eliminated).
#pragma once

#include <random>
#include <vector>

#include <Eigen/Dense>

namespace tactus::contact::test {

/// By rows, as the solvers take it.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct RandomContacts {
  std::vector<int> size;
  std::vector<double> mu;
  std::vector<int> pair;
  Matrix M, G, W;     // W = G M^-1 G^T, the bilateral constraints already taken out of M^-1
  Eigen::VectorXd u;  // before
  Eigen::VectorXd v;  // G u

  int rows() const { return static_cast<int>(G.rows()); }
};

enum class Structure { free, jointed, looped };

struct RandomOptions {
  Structure structure = Structure::free;
  int bodies = 3;
  int contacts = 4;
  double most_friction = 1.0;
  double mass_ratio = 10.0;
  int size = 0;  // of all contacts; 0: any
};

inline RandomContacts random_contacts(std::mt19937_64& random, const RandomOptions& options) {
  std::uniform_real_distribution<double> number(-1.0, 1.0), part(0.0, 1.0);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int n = 6 * options.bodies;
  RandomContacts s;
  // Free: a block of six per body; jointed: a full matrix of fewer speeds through random partial velocities.
  Matrix inertia = Matrix::Zero(n, n);
  for (int b = 0; b < options.bodies; ++b) {
    const double mass = std::pow(options.mass_ratio, number(random) * 0.5);
    const double radius = 0.1 + part(random);
    for (int i = 0; i < 3; ++i) {
      inertia(6 * b + i, 6 * b + i) = mass * radius * radius * (0.3 + 0.2 * part(random));
      inertia(6 * b + 3 + i, 6 * b + 3 + i) = mass;
    }
  }
  Matrix T = Matrix::Identity(n, n);
  if (options.structure != Structure::free) {
    const int speeds = std::max(2, n / 2);
    T = Matrix::NullaryExpr(n, speeds, [&] { return number(random); });
  }
  s.M = T.transpose() * inertia * T;
  const int speeds = static_cast<int>(T.cols());
  Matrix inverse = s.M.inverse();
  s.u = Eigen::VectorXd::NullaryExpr(speeds, [&] { return 2.0 * number(random); });
  if (options.structure == Structure::looped) {
    const int loops = 1 + below(std::max(1, speeds / 3));
    const Matrix A = Matrix::NullaryExpr(loops, speeds, [&] { return number(random); });
    const Matrix C = (A * inverse * A.transpose()).inverse();
    inverse -= (inverse * A.transpose() * C * A * inverse).eval();
    s.u -= s.M.inverse() * A.transpose() * C * A * s.u;
  }

  Matrix G(0, speeds);
  for (int c = 0; c < options.contacts; ++c) {
    const int size = options.size > 0 ? options.size : 1 + below(3);
    const int a = below(options.bodies + 1), b = (a + 1 + below(options.bodies)) % (options.bodies + 1);
    // Axes n, t1, t2 at a point of the bodies; body index 0 is the ground.
    const Eigen::Vector3d normal = Eigen::Vector3d::NullaryExpr([&] { return number(random); }).normalized();
    Eigen::Vector3d t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
    const Eigen::Vector3d axes[3] = {normal, t1, t2};
    Matrix rows = Matrix::Zero(size, n);
    for (const auto& [body, sign] : {std::pair{a, -1.0}, std::pair{b, 1.0}}) {
      if (body == 0) continue;
      const Eigen::Vector3d arm = Eigen::Vector3d::NullaryExpr([&] { return 0.5 * number(random); });
      for (int r = 0; r < size; ++r) {
        rows.block<1, 3>(r, 6 * (body - 1)) = sign * arm.cross(axes[r]).transpose();
        rows.block<1, 3>(r, 6 * (body - 1) + 3) = sign * axes[r].transpose();
      }
    }
    Matrix more(G.rows() + size, speeds);
    more << G, rows * T;
    G = more;
    s.size.push_back(size);
    s.mu.push_back(below(6) == 0 ? 0.0 : options.most_friction * part(random));
    s.pair.push_back(std::min(a, b) * (options.bodies + 1) + std::max(a, b));
    // Now and then a contact twice: redundant.
    if (below(5) == 0 && c + 1 < options.contacts) {
      Matrix twice(G.rows() + size, speeds);
      twice << G, G.bottomRows(size);
      G = twice;
      s.size.push_back(size);
      s.mu.push_back(s.mu.back());
      s.pair.push_back(s.pair.back());
      ++c;
    }
  }
  s.G = G;
  s.W = G * inverse * G.transpose();
  s.W = (0.5 * (s.W + s.W.transpose())).eval();
  s.v = G * s.u;
  return s;
}

}  // namespace tactus::contact::test
