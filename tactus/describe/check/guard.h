// Guards of transitions: `when: abs(q4_dot) < 0.01` is the expression 0.01 - abs(q4_dot), above zero where
// the comparison holds.
//
// Its symbols, besides the parameters: "t"; each coordinate; "<coordinate>_dot" for each of them,
// quaternions' parts included; the speeds that have names of their own; and "force.<row>", the multiplier of
// a row of a constraint. Definitions and words of frames are written out in these. Which rows a constraint has is known only when its equations are derived:
// require_force_rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/describe/model/model.h>
#include <tactus/describe/read/reader.h>

namespace tactus::describe {

inline constexpr std::string_view kForcePrefix = "force.";

/// Reads the guards of a model whose tree, speeds, initial state and constraints are known.
class GuardReader {
 public:
  explicit GuardReader(const Reader& reader);
  ~GuardReader();

  /// One comparison a > b, a >= b, a < b or a <= b between formulas in the symbols above. Refused: what
  /// cannot change its truth, and what has no finite value in the initial state. `true_at_zero`: written with
  /// >= or <=.
  Expr read(const Value& when, bool& true_at_zero) const;

 private:
  class Names;
  const Reader& reader_;
  std::unique_ptr<Names> names_;
};

/// The rows ("lock", "loop.x") whose multipliers the guard uses, in order.
std::vector<std::string> force_rows(const Model& model, Expr guard);

/// The constraint that a row's label ("lock", "loop.x") belongs to, by name; -1 where there is none.
int constraint_of_row(const Model& model, std::string_view row);

/// Throws InputError, at the transition, where a guard uses the multiplier of a row that is not among the
/// labels of the derived equations.
void require_force_rows(const Model& model, std::span<const std::string> labels);

}  // namespace tactus::describe
