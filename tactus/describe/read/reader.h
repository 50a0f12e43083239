// What all parts of the YAML reader share: values with their places turned into numbers, vectors, placements,
// names.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <tactus/algebra/parse.h>
#include <tactus/describe/model/model.h>
#include <tactus/describe/read/evaluator.h>
#include <tactus/describe/read/initial_formulas.h>
#include <tactus/describe/read/tables.h>
#include <tactus/describe/read/yaml_tree.h>

namespace tactus::describe {

/// Names that are too many to list beforehand.
struct FurtherNames {
  std::function<std::optional<algebra::Quantity>(std::string_view)> find;
  std::function<std::vector<std::string>()> known;
};

class Reader {
 public:
  explicit Reader(std::string file);

  /// The model under construction; its graph is the current one while the reader lives, and constant after.
  Model model;
  /// The model, complete.
  Model take();
  const std::shared_ptr<algebra::Graph>& graph() const { return graph_; }

  /// A file that the model includes: its path, and its folder as seen from the model's own.
  struct Source {
    std::string path, folder;
  };
  /// The number that the values of a file have (Value::source).
  int add_source(Source source);
  /// Their paths.
  std::vector<std::string> included() const;
  const Source& source(const Value& value) const { return sources_[static_cast<std::size_t>(value.source)]; }

  Place place(const Value& value) const { return {source(value).path, value.line, value.column}; }
  [[noreturn]] void fail(const Value& where, std::string wrong, std::string remedy) const;
  void warn(const Value& where, const std::string& text);

  /// Names that expressions may use besides the parameters (coordinates, speeds, t), while they are read.
  std::unordered_map<std::string, algebra::Quantity> local_names;
  /// The speeds were chosen, not written: initial values may be rates of the joints under their own names.
  bool automatic_speeds = false;
  /// Of `initial`, as written.
  InitialFormulas initial_formulas;
  /// What each parameter stands for: a symbol, or the formula of a derived one.
  std::unordered_map<std::string, algebra::Quantity> parameter_quantities;

  /// What each definition stands for; known where the motion is (motion_names.h).
  std::unordered_map<std::string, algebra::Quantity> definition_quantities;
  /// Functions given by samples.
  std::unordered_map<std::string, Table> tables;
  /// Asked last, where there are any.
  FurtherNames further_names;

  algebra::Names names() const;

  /// An expression as it stands, with its dimension as far as known.
  algebra::Quantity quantity(const Value& value) const { return quantity(value, names()); }
  algebra::Quantity quantity(const Value& value, const algebra::Names& names) const;
  /// A number or formula in the parameters; of that dimension, and finite.
  Expr number(const Value& value, algebra::Dimension dimension) const;
  /// The same, and not negative.
  Expr positive_number(const Value& value, algebra::Dimension dimension, std::string_view what) const;
  /// The number's value with the parameters as given.
  double value_at_parameters(Expr number) const;
  /// The same, for good: what the number depends on cannot be adjusted later. `by` says in words what reads it.
  double read_once(Expr number, std::string_view by) const;

  Vec3 vector(const Value& value, algebra::Dimension dimension, std::string_view what) const;
  /// A unit vector: x, -y, z ..., or three numbers of length 1.
  Vec3 axis(const Value& value) const;
  /// A map of `xyz` and one way to write the orientation.
  Pose placement(const Value& value) const;

  /// Text of a scalar.
  const std::string& word(const Value& value, std::string_view what) const;
  /// A name that can also stand in expressions and in generated code: letters, digits and _, no digit first.
  const std::string& identifier(const Value& value, std::string_view what) const;
  bool flag(const Value& value, std::string_view what) const;
  /// A whole number, or a formula in the parameters that gives one.
  long integer(const Value& value, std::string_view what, long lowest, long highest) const;
  /// The position of the word among the choices.
  std::size_t choice(const Value& value, std::string_view what,
                     std::span<const std::string_view> choices) const;

  const Value& require_map(const Value& value, std::string_view what) const;
  const Value& require_list(const Value& value, std::string_view what, std::size_t size) const;

 private:
  Reader(std::string file, const std::shared_ptr<algebra::Graph>& graph);
  Mat3 rotation_from_quaternion(const Value& value) const;
  Mat3 rotation_from_rows(const Value& value) const;
  InputError error_in(const Value& value, const algebra::ParseError& error) const;

  std::shared_ptr<algebra::Graph> graph_;
  algebra::Graph::Scope scope_;
  std::vector<Source> sources_;
  mutable Evaluator values_{model};
  mutable std::vector<ReadOnce> read_once_;
};

/// A map whose keys have been checked against the known ones.
class Fields {
 public:
  Fields(const Reader& reader, const Value& map, std::string_view what,
         std::span<const std::string_view> keys);

  /// The value under a known key, or null where the file does not give it.
  const Value* operator[](std::string_view key) const;
  /// The value under a known key that the file must give.
  const Value& require(std::string_view key, std::string_view remedy) const;
  /// Refuses these keys: they mean nothing in this case.
  void refuse(std::initializer_list<std::string_view> keys, std::string_view why) const;
  const Value& map() const { return map_; }

 private:
  const Reader& reader_;
  const Value& map_;
  std::string what_;
  std::span<const std::string_view> keys_;
};

}  // namespace tactus::describe
