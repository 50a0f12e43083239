// The matrix of midpoint_terms.h: for midpoint_terms.cpp alone.
#pragma once

#include <tactus/derive/equations_implementation.h>
#include <tactus/derive/linear/midpoint_terms.h>

namespace tactus::derive {

/// Fills in matrix, blocks, own_speeds and quaternions.
void add_midpoint_matrix(const Equations& equations, const std::optional<Function>& loads,
                         MidpointTerms& terms);

}  // namespace tactus::derive
