// A model of revolute joints in plain numbers, as the peers want to be told it.
#pragma once

#include <vector>

#include <Eigen/Geometry>

#include <tactus/describe/model/model.h>

namespace tactus::bench {

struct RigidLink {
  int parent = -1;  // index of the link that carries it; -1: the ground
  Eigen::Isometry3d X_PJ = Eigen::Isometry3d::Identity(), X_FB = Eigen::Isometry3d::Identity();
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  // of the joint, in J (and F)
  double armature = 0.0;
  double mass = 0.0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre of mass, body axes
  Eigen::Matrix3d principal_axes = Eigen::Matrix3d::Identity();
  Eigen::Vector3d principal_inertia = Eigen::Vector3d::Zero();
};

Eigen::Vector3d gravity_of(const describe::Model& model);

/// The links of a model with revolute joints. Impossible inertias are mended without a change to any
/// motion.
std::vector<RigidLink> rigid_links(const describe::Model& model);

/// Two points that coincide, each on its link (-1: the ground).
struct RigidLoop {
  int link_a = -1, link_b = -1;
  Eigen::Vector3d at_a = Eigen::Vector3d::Zero(), at_b = Eigen::Vector3d::Zero();  // body axes
};

/// The constraints of a planar model, all of them loops closed by a revolute joint.
std::vector<RigidLoop> rigid_loops(const describe::Model& model);

}  // namespace tactus::bench
