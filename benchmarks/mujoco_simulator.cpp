#include "mujoco_simulator.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <tactus/base/check.h>

namespace tactus::bench {

MujocoSimulator::~MujocoSimulator() {
  mj_deleteData(data);
  mj_deleteModel(model);
}

std::shared_ptr<MujocoSimulator> load_mujoco(const std::string& text, const std::string& file) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  const int index = mj_makeEmptyFileVFS(files.get(), file.c_str(), static_cast<int>(text.size()) + 1);
  std::memcpy(files->filedata[index], text.c_str(), text.size() + 1);
  char error[1024] = "";
  auto simulator = std::make_shared<MujocoSimulator>();
  simulator->model = mj_loadXML(file.c_str(), files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (simulator->model == nullptr) fmt::print(stderr, "MuJoCo: {}\n", error);
  TACTUS_CHECK(simulator->model != nullptr);
  return simulator;
}

void write_numbers(MujocoSimulator& simulator, const std::vector<RigidLink>& links,
                   const Eigen::Vector3d& gravity) {
  mjModel* m = simulator.model;
  std::copy_n(gravity.data(), 3, m->opt.gravity);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const int body = mj_name2id(m, mjOBJ_BODY, fmt::format("b{}", i + 1).c_str());
    TACTUS_CHECK(body > 0 && m->body_dofnum[body] == 1);
    m->body_mass[body] = links[i].mass;
    std::copy_n(links[i].principal_inertia.data(), 3, m->body_inertia + 3 * body);
    m->dof_armature[m->body_dofadr[body]] = links[i].armature;
  }
  simulator.data = mj_makeData(m);
  mj_setConst(m, simulator.data);
}

}  // namespace tactus::bench
