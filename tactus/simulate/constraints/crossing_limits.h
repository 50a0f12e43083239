// How near is near: for constraint_solver.cpp and constraint_solver_crossing.cpp.
#pragma once

namespace tactus::simulate {

/// A row nearer than this to the span of others, by its natural size, may be lost where the motion leads. Rounding is
/// amplified by the inverse of its cube, 1e5; the polynomial leaves out the sixth power, some 1e-11 with its factor.
inline constexpr double kAcross = 0.02;
/// [rad, m] The motion within the width of a crossing, at most: for rows that are near each other far and wide.
inline constexpr double kLongestArc = 0.03;
/// Steps whose stages come this near are looked at where they end.
inline constexpr double kNear = 0.1;

}  // namespace tactus::simulate
