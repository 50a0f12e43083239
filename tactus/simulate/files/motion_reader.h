// What state files and scripts have in common: values of coordinates, speeds and forces, given by name or as
// a list, with a place for every mistake.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/describe/model/frame_word.h>
#include <tactus/describe/model/model.h>
#include <tactus/describe/read/reader.h>
#include <tactus/simulate/motion/coordinates.h>

namespace tactus::simulate {

/// A wrench at a frame, as expressions.
struct WrenchEntry {
  derive::WrenchInput input;
  std::vector<algebra::Expr> components;  // [6] torque, force
};

class MotionReader {
 public:
  /// Reads the text's YAML. The model's parameters can be used in every expression; with `motion`, so can t,
  /// the coordinates, the speeds, the coordinates' rates ("<coordinate>_dot"), the model's definitions and words of its
  /// frames ("tip.px"). The equations must outlive it.
  MotionReader(const derive::Equations& equations, const std::string& text, const std::string& file);

  const describe::Reader& reader() const { return reader_; }
  const describe::Value& document() const { return document_; }
  std::shared_ptr<algebra::Graph> graph() const { return reader_.graph(); }

  /// The file's own parameters: a map of names and expressions, each of which may use those before it.
  void read_parameters(const describe::Value& value);
  /// Functions given by samples, to be used like the language's own.
  void read_tables(const describe::Value& value) { describe::read_tables(reader_, value); }
  /// From now on expressions may depend on the motion, or not.
  void allow_motion(bool allowed);

  /// Symbols of the motion in the file's graph.
  const std::vector<algebra::Expr>& q() const { return q_; }
  const std::vector<algebra::Expr>& u() const { return u_; }
  algebra::Expr t() const { return t_; }

  double number(const describe::Value& value, algebra::Dimension dimension) const;
  /// Coordinates: list, or map by name; a free or spherical joint's name may carry a placement. What is not
  /// given is as the model's `initial` says: zero (no rotation) by default.
  std::vector<double> coordinates(const describe::Value& value) const;
  /// Speeds, rates of joints, or their accelerations: list, or map by name. What is not given is zero.
  std::vector<double> speeds(const describe::Value& value, std::string_view what) const;
  std::vector<double> joint_rates(const describe::Value& value, std::string_view what) const;
  std::vector<double> accelerations(const describe::Value& value, std::string_view what,
                                    bool of_joints) const;
  /// Forces of the joints.
  std::vector<algebra::Expr> efforts(const describe::Value& value) const;
  /// A list of {frame, torque, force, axes}.
  std::vector<WrenchEntry> wrenches(const describe::Value& value) const;

  /// What the fields `q`, `u` or `qd`, and `fixed` say of the state's values; of those that are not given, what the
  /// model says.
  describe::InitialMarks marks(const describe::Fields& fields) const;

  /// Where the model says that a motion begins.
  const std::vector<double>& initial_q() const { return model_.initial_q; }
  const std::vector<double>& initial_u() const { return model_.initial_u; }

 private:
  using DimensionOf = std::function<std::optional<algebra::Dimension>(std::size_t)>;
  std::vector<algebra::Expr> named(const describe::Value& value, std::string_view what,
                                   std::span<const std::string> names, const DimensionOf& dimension_of) const;
  algebra::Expr expression(const describe::Value& value, std::optional<algebra::Dimension> dimension) const;
  std::vector<double> numbers(const describe::Value& value, std::string_view what,
                              std::span<const std::string> names, const DimensionOf& dimension_of) const;
  void place_joint(const describe::Joint& joint, std::size_t first, const describe::Value& value,
                   std::vector<double>& q) const;
  bool is_rotation(std::size_t speed) const { return is_rotation_[speed]; }

  /// What a function of t, q and u computes, in the file's graph.
  std::vector<algebra::Expr> in_file(const algebra::Function& function,
                                     std::span<const algebra::Expr> roots) const;
  algebra::Expr frame_word(const describe::FrameWord& word);

  const derive::Equations& equations_;
  const describe::Model& model_;
  Coordinates coordinates_;
  describe::Reader reader_;
  describe::Value document_;
  algebra::Expr t_;
  std::vector<algebra::Expr> q_, u_;
  std::vector<algebra::Expr> q_dot_;
  std::vector<std::string> coordinate_names_, speed_names_, effort_names_;
  std::vector<bool> is_rotation_;                               // per joint axis
  std::unordered_map<int, std::vector<algebra::Expr>> frames_;  // those used so far: R p w v
};

}  // namespace tactus::simulate
