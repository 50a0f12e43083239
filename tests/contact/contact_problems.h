// Contact problems of scenes, made from a seed: stacks of boxes, boxes wedged between inclined walls, piles
// of balls that slide. Every contact has three rows; one step of gravity stands in the velocities.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>

namespace tactus::contact::test {

struct SceneProblem {
  std::string name;
  std::vector<int> size;
  std::vector<double> mu;
  Eigen::MatrixXd W;  // symmetric, = G (inverse mass) G^T
  Eigen::VectorXd b;
  Eigen::MatrixXd G;             // rows of the contacts in the speeds, six per body
  Eigen::VectorXd inverse_mass;  // diagonal
};

/// Free bodies with their contacts; body 0 is the ground.
class SceneMaker {
 public:
  SceneMaker(std::string name, int bodies) : name_(std::move(name)), position_(bodies + 1) {
    inverse_mass_ = Eigen::VectorXd::Zero(6 * bodies);
    u_ = Eigen::VectorXd::Zero(6 * bodies);
  }
  void place(int body, const Eigen::Vector3d& position, double mass, const Eigen::Vector3d& inertia) {
    position_[static_cast<std::size_t>(body)] = position;
    inverse_mass_.segment<3>(6 * (body - 1)) = inertia.cwiseInverse();
    inverse_mass_.segment<3>(6 * (body - 1) + 3).setConstant(1.0 / mass);
  }
  Eigen::VectorXd::FixedSegmentReturnType<6>::Type speed(int body) { return u_.segment<6>(6 * (body - 1)); }
  /// The normal points from a to b.
  void touch(int a, int b, const Eigen::Vector3d& point, const Eigen::Vector3d& normal, double mu) {
    const Eigen::Vector3d t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
    for (const Eigen::Vector3d& axis : {normal, t1, t2}) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(u_.size());
      for (const auto& [body, sign] : {std::pair{a, -1.0}, std::pair{b, 1.0}}) {
        if (body == 0) continue;
        const Eigen::Vector3d arm = point - position_[static_cast<std::size_t>(body)];
        row.segment<3>(6 * (body - 1)) = sign * arm.cross(axis).transpose();
        row.segment<3>(6 * (body - 1) + 3) = sign * axis.transpose();
      }
      rows_.push_back(row);
    }
    mu_.push_back(mu);
  }
  SceneProblem make(double step = 1e-2) {
    Eigen::MatrixXd G(static_cast<Eigen::Index>(rows_.size()), u_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) G.row(static_cast<Eigen::Index>(i)) = rows_[i];
    Eigen::VectorXd u = u_;
    for (Eigen::Index body = 0; body < u.size() / 6; ++body) u[6 * body + 5] -= 9.81 * step;
    Eigen::MatrixXd W = G * inverse_mass_.asDiagonal() * G.transpose();
    return {name_, std::vector<int>(mu_.size(), 3), mu_, 0.5 * (W + W.transpose()), G * u, G, inverse_mass_};
  }

 private:
  std::string name_;
  std::vector<Eigen::Vector3d> position_;
  Eigen::VectorXd inverse_mass_, u_;
  std::vector<Eigen::RowVectorXd> rows_;
  std::vector<double> mu_;
};

/// Boxes on each other, pushed a little to the side.
inline SceneProblem stack_problem(std::mt19937_64& random, int boxes) {
  std::uniform_real_distribution<double> part(0.0, 1.0);
  SceneMaker scene("stack of " + std::to_string(boxes), boxes);
  const double edge = 0.2;
  for (int i = 1; i <= boxes; ++i) {
    const double mass = 0.5 + part(random);
    const double shift = 0.02 * part(random);
    scene.place(i, {shift, 0.0, (i - 0.5) * edge}, mass, Eigen::Vector3d::Constant(mass * edge * edge / 6.0));
    scene.speed(i)[3] = 0.05 * (part(random) - 0.5);
    scene.speed(i)[4] = 0.05 * (part(random) - 0.5);
    for (int corner = 0; corner < 4; ++corner)
      scene.touch(i - 1, i,
                  {shift + (corner % 2 == 0 ? 0.09 : -0.09), corner < 2 ? 0.09 : -0.09, (i - 1) * edge},
                  Eigen::Vector3d::UnitZ(), 0.2 + 0.5 * part(random));
  }
  return scene.make();
}

/// A box between two walls that lean outwards, touched at four points of each side.
inline SceneProblem wedge_problem(std::mt19937_64& random) {
  std::uniform_real_distribution<double> part(0.0, 1.0);
  SceneMaker scene("wedge", 1);
  scene.place(1, Eigen::Vector3d::Zero(), 1.0, {0.01, 0.012, 0.008});
  const double lean = 0.2 + 0.6 * part(random), mu = 0.1 + 0.5 * part(random);
  for (int i = 0; i < 6; ++i) scene.speed(1)[i] = 0.3 * (part(random) - 0.5);
  for (int side = 0; side < 2; ++side) {
    const double x = side == 0 ? -0.1 : 0.1;
    const Eigen::Vector3d normal(side == 0 ? std::cos(lean) : -std::cos(lean), 0.0, std::sin(lean));
    for (int corner = 0; corner < 4; ++corner)
      scene.touch(0, 1, {x, corner % 2 == 0 ? 0.1 : -0.1, corner < 2 ? 0.05 : -0.05}, normal, mu);
  }
  return scene.make();
}

/// Balls in layers on a floor, each upon those below, with velocities to the side.
inline SceneProblem pile_problem(std::mt19937_64& random, int layers) {
  std::uniform_real_distribution<double> part(0.0, 1.0);
  std::vector<Eigen::Vector3d> centres;
  const double r = 0.05;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < layers - layer; ++i)
      for (int j = 0; j < layers - layer; ++j)
        centres.push_back({r * (2 * i + layer), r * (2 * j + layer), r * (1.0 + layer * std::sqrt(2.0))});
  SceneMaker scene("pile of " + std::to_string(centres.size()), static_cast<int>(centres.size()));
  for (std::size_t k = 0; k < centres.size(); ++k) {
    const int body = static_cast<int>(k) + 1;
    const double mass = 0.2 + part(random);
    scene.place(body, centres[k], mass, Eigen::Vector3d::Constant(0.4 * mass * r * r));
    for (int i = 3; i < 6; ++i) scene.speed(body)[i] = 0.2 * (part(random) - 0.5);
  }
  for (std::size_t k = 0; k < centres.size(); ++k) {
    const int body = static_cast<int>(k) + 1;
    if (centres[k].z() < 1.5 * r)
      scene.touch(0, body, centres[k] - r * Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitZ(), 0.3);
    for (std::size_t other = 0; other < k; ++other) {
      const Eigen::Vector3d across = centres[k] - centres[other];
      if (across.norm() < 2.001 * r)
        scene.touch(static_cast<int>(other) + 1, body, centres[other] + 0.5 * across, across.normalized(),
                    0.1 + 0.4 * part(random));
    }
  }
  return scene.make();
}

}  // namespace tactus::contact::test
