// What formulas of the motion may be written with, while they are read: the time, coordinates, joint rates, speeds with
// names of their own, words of frames, definitions.
#pragma once

#include <span>
#include <vector>

#include <tactus/describe/check/frame_kinematics.h>
#include <tactus/describe/read/reader.h>

namespace tactus::describe {

/// From its making to its end the reader knows these names. The model's tree, frames and speeds must be complete; rates are
/// among them everywhere, so that one in the wrong place gets its own message.
class MotionNames {
 public:
  explicit MotionNames(Reader& reader);
  ~MotionNames();
  MotionNames(const MotionNames&) = delete;
  MotionNames& operator=(const MotionNames&) = delete;

  const std::vector<Expr>& coordinates() const { return coordinates_; }
  const std::vector<Expr>& rates() const { return rates_; }
  /// Words of frames written out.
  std::vector<Expr> expanded(std::span<const Expr> formulas) const { return kinematics_.expand(formulas); }
  Expr expanded(Expr formula) const { return kinematics_.expand(formula); }
  bool holds_coordinate(std::span<const Expr> formulas) const { return holds(formulas, coordinates_); }
  bool holds_rate(std::span<const Expr> formulas) const { return holds(formulas, rates_); }
  /// The formula's value at the initial state, t = 0.
  double at_start(Expr formula) const;

 private:
  Expr add(const std::string& name);
  bool holds(std::span<const Expr> formulas, const std::vector<Expr>& symbols) const;

  Reader& reader_;
  FrameKinematics kinematics_;
  std::vector<Expr> coordinates_, rates_;
};

/// Words of the model's frames, as formulas may use them: for Reader::further_names.
FurtherNames frame_names(const Model& model);

}  // namespace tactus::describe
