// Where the parametric coordinates of a model are tried out.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Values of t and z by their names: the start first, then places around it, near ones before far ones, the
/// same ones every time. psi need not be defined at all of them (an arc cosine has its limits).
std::vector<std::unordered_map<std::string, double>> trial_places(const Parametric& parametric);

/// "z1 = 0.3, z2 = 1", with the time where psi may depend on it.
std::string place_text(const Parametric& parametric, const std::unordered_map<std::string, double>& place);

}  // namespace tactus::describe
