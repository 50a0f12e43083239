// Where the mesh files of a robot are: plain paths beside its file, package://name/path as ROS writes them.
#pragma once

#include <string>

namespace tactus::describe {

/// The path of a mesh as seen from the robot's file, or "" where there is no such file. A package is looked for among the
/// folders that the robot's file is in and their neighbours, and along ROS_PACKAGE_PATH.
std::string find_mesh(const std::string& written, const std::string& robot_file);

}  // namespace tactus::describe
