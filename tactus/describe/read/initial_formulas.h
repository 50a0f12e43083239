// What a file's `initial` says, as formulas: a Model keeps the values that they have with its parameters.
#pragma once

#include <string>
#include <vector>

#include <tactus/describe/read/load.h>

namespace tactus::describe {

/// In the order of the coordinates and speeds, as expressions in the parameters. "" where the file gives a number or nothing, and where the values in
/// the model are others than those written: quaternions, which are normalised; rates of joints, where the speeds are others; the start that parametric
/// coordinates give.
struct InitialFormulas {
  std::vector<std::string> q, u;  // [nq], [nv]
};

/// Of a model's file, read as load() reads it. Throws InputError as load() does.
InitialFormulas initial_formulas(const std::string& path, const Settings& settings, const Reading& reading);

}  // namespace tactus::describe
