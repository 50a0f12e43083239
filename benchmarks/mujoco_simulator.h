// A MuJoCo model with its data, made from text in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>
#include <Eigen/Core>

#include "rigid_numbers.h"

namespace tactus::bench {

struct MujocoSimulator {
  mjModel* model = nullptr;
  mjData* data = nullptr;
  std::vector<double> result;

  MujocoSimulator() = default;
  MujocoSimulator(const MujocoSimulator&) = delete;
  MujocoSimulator& operator=(const MujocoSimulator&) = delete;
  ~MujocoSimulator();
};

/// The file's name says the format: .urdf or .xml.
std::shared_ptr<MujocoSimulator> load_mujoco(const std::string& text, const std::string& file);

/// Masses, inertias, rotor inertias and gravity; links[i] is the body "b<i + 1>". MuJoCo's compiler refuses
/// some that the equations allow (thin rods), so that its text has others and these are written into the
/// model. Makes the data.
void write_numbers(MujocoSimulator& simulator, const std::vector<RigidLink>& links,
                   const Eigen::Vector3d& gravity);

}  // namespace tactus::bench
