// Orientations by three angles have singular positions: where the first axis has come to lie along the third, the two turns
// are one, and a rotation about the missing direction has no rates.
#pragma once

#include <span>
#include <string>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// What is wrong with the orientation of a joint by three angles at the coordinates q, in words; "" where the first and third
/// axis of all of them are further apart than `angle` [rad].
std::string singular_orientation(const Model& model, std::span<const double> q, double angle);

}  // namespace tactus::describe
