#include <tactus/simulate/files/motion_reader.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/cells.h>
#include <tactus/base/error.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/sections.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

using algebra::Dimension;
using algebra::Expr;
using algebra::Quantity;
using describe::JointType;
using describe::Value;
namespace dimension = algebra::dimension;

constexpr std::array<std::string_view, 4> kWrenchKeys{"frame", "torque", "force", "axes"};
constexpr std::array<std::string_view, 2> kAxes{"world", "frame"};
constexpr const char* kNotFinite = "a division by zero, or a root or logarithm of a negative number?";

std::vector<Expr> symbols_named(const std::string& prefix, const std::vector<std::string>& names) {
  std::vector<Expr> symbols;
  for (const std::string& name : names) symbols.push_back(algebra::symbol(prefix + name));
  return symbols;
}

Value read_text(const std::string& text, const std::string& file) {
  describe::require_text(text, file);
  return describe::read_document(text, file);
}

/// In a YAML list the commas of a formula part its arguments: [if(t, 1, 0), 2] has four items.
bool has_split_formula(const Value& list) {
  return std::any_of(list.items.begin(), list.items.end(), [](const Value& item) {
    return std::count(item.text.begin(), item.text.end(), '(') !=
           std::count(item.text.begin(), item.text.end(), ')');
  });
}
constexpr const char* kQuoteFormulas = "in a list, put a formula with commas into quotes: [\"max(t, 1)\", 0]";

}  // namespace

MotionReader::MotionReader(const derive::Equations& equations, const std::string& text,
                           const std::string& file)
    : equations_(equations), model_(equations.model()), reader_(file), document_(read_text(text, file)) {
  coordinates_ = Coordinates(model_);
  coordinate_names_ = model_.coordinate_names();
  speed_names_ = model_.speed_names();
  effort_names_ = describe::effort_names(model_);
  t_ = algebra::symbol("t");
  q_ = symbols_named("q:",
                     coordinate_names_);  // prefixes keep a coordinate and the speed of the same name apart
  u_ = symbols_named("u:", speed_names_);

  const algebra::Function rates = equations.coordinate_rates();
  q_dot_ = in_file(rates, rates.outputs[0].entries);

  for (const describe::Joint& joint : model_.joints)
    for (const describe::JointAxis& axis : joint.axes) is_rotation_.push_back(axis.is_rotation);
  // Parameters are numbers; adjustable ones stay symbols, whose values at the start count where a number is needed.
  const std::shared_ptr<const algebra::Cells>& cells = equations.options().cells;
  const derive::Numbers numbers(model_, equations.options());
  reader_.graph()->set_cells(cells);
  for (const describe::Parameter& parameter : model_.parameters) {
    const bool in_cell = cells != nullptr && cells->find(parameter.name) < cells->size();
    if (in_cell) reader_.model.parameters.push_back(parameter);
    reader_.parameter_quantities[parameter.name] = {
        in_cell ? algebra::symbol(parameter.name) : Expr(parameter.value), Quantity::Known::no, {}};
  }
  for (const describe::DerivedParameter& parameter : model_.derived_parameters)
    reader_.parameter_quantities[parameter.name] = {
        cells == nullptr ? Expr(parameter.value) : numbers(parameter.formula), Quantity::Known::no, {}};
}

void MotionReader::read_parameters(const Value& value) {
  reader_.require_map(value, "`parameters`");
  for (const Value::Entry& entry : value.entries) {
    const std::string& name = reader_.identifier(entry.key, "a parameter");
    const auto is = [&](const std::string& known) { return known == name; };
    if (algebra::is_reserved_name(name) || name == "t" ||
        std::any_of(coordinate_names_.begin(), coordinate_names_.end(), is) ||
        std::any_of(speed_names_.begin(), speed_names_.end(), is) ||
        std::any_of(model_.definitions.begin(), model_.definitions.end(),
                    [&](const describe::Definition& definition) { return definition.name == name; }))
      reader_.fail(entry.key, fmt::format("`{}` already has a meaning", name), "choose another name");
    const Quantity quantity = reader_.quantity(entry.value);
    if (!std::isfinite(reader_.value_at_parameters(quantity.value)))
      reader_.fail(entry.value, fmt::format("`{}` is not a finite number", entry.value.text), kNotFinite);
    reader_.parameter_quantities[name] = quantity;
  }
}

Expr MotionReader::frame_word(const describe::FrameWord& word) {
  auto found = frames_.find(word.frame);
  if (found == frames_.end()) {
    const algebra::Function motion = equations_.frame_motion(word.frame);
    std::vector<Expr> entries;
    for (const char* name : {"R", "p", "V"})
      for (const algebra::Block& block : motion.outputs)
        if (block.name == name) entries.insert(entries.end(), block.entries.begin(), block.entries.end());
    found = frames_.emplace(word.frame, in_file(motion, entries)).first;
  }
  const std::vector<Expr>& e = found->second;
  math::Mat3<Expr> R;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) R(i, j) = e[3 * i + j];
  const auto vector = [&](std::size_t k) { return math::Vec3<Expr>{e[k], e[k + 1], e[k + 2]}; };
  return describe::meaning_of(word, R, vector(9), vector(12), vector(15));
}

std::vector<Expr> MotionReader::in_file(const algebra::Function& function,
                                        std::span<const Expr> roots) const {
  std::vector<Expr> from, to;
  for (const algebra::Block& block : function.inputs) {
    const std::vector<Expr> symbols = block.name == "t"   ? std::vector<Expr>{t_}
                                      : block.name == "q" ? q_
                                      : block.name == "u" ? u_
                                                          : std::vector<Expr>{};
    if (symbols.empty()) continue;
    from.insert(from.end(), block.entries.begin(), block.entries.end());
    to.insert(to.end(), symbols.begin(), symbols.end());
  }
  return algebra::substitute(roots, *function.graph, from, to);
}

void MotionReader::allow_motion(bool allowed) {
  reader_.local_names.clear();
  reader_.further_names = {};
  if (!allowed) return;
  reader_.further_names = {[this](std::string_view name) -> std::optional<Quantity> {
                             const auto word = describe::find_frame_word(model_, name);
                             if (!word) return std::nullopt;
                             return Quantity{frame_word(*word), Quantity::Known::no, {}};
                           },
                           [this] {
                             std::vector<std::string> all;
                             for (const describe::Frame& frame : model_.frames)
                               for (std::string& word : describe::words_of_frame(frame.name))
                                 all.push_back(std::move(word));
                             return all;
                           }};
  const auto add = [this](const std::string& name, Expr value) {
    reader_.local_names.try_emplace(name, Quantity{value, Quantity::Known::no, {}});
  };
  add("t", t_);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    add(coordinate_names_[i], q_[i]);
    add(describe::rate_name(coordinate_names_[i]), q_dot_[i]);
  }
  for (std::size_t i = 0; i < u_.size(); ++i)
    add(speed_names_[i], u_[i]);  // where no coordinate has the name
  if (model_.definitions.empty()) return;
  const algebra::Function definitions = equations_.definitions();
  const std::vector<Expr> values = in_file(definitions, definitions.outputs[0].entries);
  for (std::size_t i = 0; i < values.size(); ++i) add(model_.definitions[i].name, values[i]);
}

Expr MotionReader::expression(const Value& value, std::optional<Dimension> expected) const {
  const Quantity quantity = reader_.quantity(value);
  try {
    if (expected) algebra::require_dimension(quantity, *expected);
  } catch (const algebra::ParseError& error) {
    reader_.fail(value, error.wrong, error.remedy);
  }
  if (quantity.value.is_constant() && !std::isfinite(quantity.value.value()))
    reader_.fail(value, fmt::format("`{}` is not a finite number", value.text), kNotFinite);
  return quantity.value;
}

double MotionReader::number(const Value& value, Dimension expected) const {
  return reader_.value_at_parameters(reader_.number(value, expected));
}

std::vector<Expr> MotionReader::named(const Value& value, std::string_view what,
                                      std::span<const std::string> names,
                                      const DimensionOf& dimension_of) const {
  std::vector<Expr> result(names.size(), Expr(0.0));
  if (value.is_sequence()) {
    if (value.items.size() != names.size())
      reader_.fail(value, fmt::format("{} has {} values", what, value.items.size()),
                   has_split_formula(value)
                       ? kQuoteFormulas
                       : fmt::format("this model needs {}: {}", names.size(), fmt::join(names, ", ")));
    for (std::size_t i = 0; i < names.size(); ++i) result[i] = expression(value.items[i], dimension_of(i));
    return result;
  }
  if (!value.is_map())
    reader_.fail(value,
                 fmt::format("{} must be a list or a map, not {}", what, describe::name_of(value.kind)),
                 fmt::format("write a list, or values by name: {}", fmt::join(names, ", ")));
  for (const Value::Entry& entry : value.entries) {
    const auto found = std::find(names.begin(), names.end(), entry.key.text);
    if (found == names.end())
      reader_.fail(entry.key, fmt::format("{}: the model has nothing named `{}`", what, entry.key.text),
                   suggestion(entry.key.text, names));
    const auto i = static_cast<std::size_t>(found - names.begin());
    result[i] = expression(entry.value, dimension_of(i));
  }
  return result;
}

std::vector<double> MotionReader::numbers(const Value& value, std::string_view what,
                                          std::span<const std::string> names,
                                          const DimensionOf& dimension_of) const {
  std::vector<double> result;
  for (const Expr& entry : named(value, what, names, dimension_of)) result.push_back(entry.value());
  return result;
}

void MotionReader::place_joint(const describe::Joint& joint, std::size_t first, const Value& value,
                               std::vector<double>& q) const {
  const describe::Pose X = reader_.placement(value);
  if (joint.type == JointType::free) {
    for (std::size_t i = 0; i < 3; ++i) q[first + i] = X.p[i].value();
    first += 3;
  } else if (value.find("xyz") != nullptr) {
    reader_.fail(value, fmt::format("joint '{}' turns, it does not move away", joint.name),
                 "leave out `xyz`");
  }
  Eigen::Matrix3d R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      R(i, j) = X.R(static_cast<std::size_t>(i), static_cast<std::size_t>(j)).value();
  const Eigen::Quaterniond turn(R);
  q[first] = turn.w();
  q[first + 1] = turn.x();
  q[first + 2] = turn.y();
  q[first + 3] = turn.z();
}

std::vector<double> MotionReader::coordinates(const Value& value) const {
  std::vector<double> q = model_.initial_q;
  std::vector<std::optional<Dimension>> dimensions;
  std::size_t first = 0, axis = 0;
  Value plain = value;  // without the placements, which are read here
  for (const describe::Joint& joint : model_.joints) {
    const bool turns_freely = describe::has_quaternion(joint.type);
    for (int i = 0; i < describe::coordinate_count(joint.type); ++i) {
      if (joint.type == JointType::free)
        dimensions.push_back(i < 3 ? dimension::kLength : dimension::kNumber);
      else if (turns_freely || is_rotation(axis + static_cast<std::size_t>(i)))
        dimensions.push_back(dimension::kNumber);
      else
        dimensions.push_back(dimension::kLength);
    }
    if (const Value* placed = turns_freely && value.is_map() ? value.find(joint.name) : nullptr) {
      place_joint(joint, first, *placed, q);
      std::erase_if(plain.entries, [&](const Value::Entry& entry) { return entry.key.text == joint.name; });
    }
    first += static_cast<std::size_t>(describe::coordinate_count(joint.type));
    axis += joint.axes.size();
  }
  const std::vector<double> given =
      numbers(plain, "`q`", coordinate_names_, [&](std::size_t i) { return dimensions[i]; });
  const auto is_given = [&](std::size_t i) {
    return plain.is_sequence() || plain.find(coordinate_names_[i]) != nullptr;
  };
  for (std::size_t i = 0; i < q.size(); ++i)
    if (is_given(i)) q[i] = given[i];

  // A quaternion with rounded digits is made a unit one; anything else is a mistake.
  constexpr double kUnitTolerance = 1e-3;
  for (const Segment& segment : coordinates_.segments()) {
    if (segment.kind != Segment::Kind::quaternion) continue;
    const auto at = static_cast<std::size_t>(segment.q);
    const double length = std::hypot(std::hypot(q[at], q[at + 1]), std::hypot(q[at + 2], q[at + 3]));
    if (std::abs(length - 1.0) > kUnitTolerance)
      reader_.fail(
          value, fmt::format("the quaternion at '{}' has length {:.6g}", coordinate_names_[at], length),
          "write a unit quaternion: w, x, y, z, the scalar first; or a placement under the joint's name");
    for (std::size_t i = at; i < at + 4; ++i) q[i] /= length;
  }
  return q;
}

describe::InitialMarks MotionReader::marks(const describe::Fields& fields) const {
  using Mark = describe::InitialMarks::Mark;
  const Value* u = fields["u"];
  const Value* qd = fields["qd"];
  const Value* fixed = fields["fixed"];
  const bool own_speeds = model_.speeds.definition != describe::Speeds::Definition::joint_rates;
  describe::InitialMarks before = model_.initial_marks;
  if (u != nullptr || qd != nullptr) before.u.assign(speed_names_.size(), Mark::open);
  // Rates of the joints are speeds; where the model defines speeds of its own, they give them all together.
  if (qd == nullptr || !own_speeds)
    return describe::read_marks(reader_, model_, fields["q"], u != nullptr ? u : qd, fixed,
                                std::move(before));
  if (fixed != nullptr)
    reader_.fail(*fixed, "rates of the joints cannot be fixed where the model defines its own speeds",
                 "give `u` instead of `qd`");
  before.u.assign(speed_names_.size(), Mark::given);
  return describe::read_marks(reader_, model_, fields["q"], nullptr, nullptr, std::move(before));
}

std::vector<double> MotionReader::joint_rates(const Value& value, std::string_view what) const {
  return numbers(value, what, effort_names_, [this](std::size_t i) -> std::optional<Dimension> {
    return is_rotation(i) ? dimension::kAngularSpeed : dimension::kSpeed;
  });
}

std::vector<double> MotionReader::speeds(const Value& value, std::string_view what) const {
  if (model_.speeds.definition == describe::Speeds::Definition::joint_rates) return joint_rates(value, what);
  return numbers(value, what, speed_names_, [](std::size_t) { return std::nullopt; });
}

std::vector<double> MotionReader::accelerations(const Value& value, std::string_view what,
                                                bool of_joints) const {
  if (!of_joints && model_.speeds.definition != describe::Speeds::Definition::joint_rates)
    return numbers(value, what, speed_names_, [](std::size_t) { return std::nullopt; });
  return numbers(value, what, effort_names_, [this](std::size_t i) -> std::optional<Dimension> {
    return is_rotation(i) ? Dimension{0, 0, -2} : dimension::kAcceleration;
  });
}

std::vector<Expr> MotionReader::efforts(const Value& value) const {
  return named(value, "`tau`", effort_names_, [this](std::size_t i) -> std::optional<Dimension> {
    return is_rotation(i) ? dimension::kTorque : dimension::kForce;
  });
}

std::vector<WrenchEntry> MotionReader::wrenches(const Value& value) const {
  if (!value.is_sequence())
    reader_.fail(value, fmt::format("`wrenches` must be a list, not {}", describe::name_of(value.kind)),
                 "write - {frame: tool, force: [0, 0, -10]}");
  std::vector<std::string> frames;
  for (const describe::Frame& frame : model_.frames) frames.push_back(frame.name);
  std::vector<WrenchEntry> entries;
  for (const Value& item : value.items) {
    const describe::Fields fields(reader_, item, "a wrench", kWrenchKeys);
    const Value& name = fields.require("frame", "name the frame at whose origin the wrench acts");
    WrenchEntry entry;
    entry.input.frame = model_.frame_index(reader_.word(name, "a frame"));
    if (entry.input.frame < 0)
      reader_.fail(
          name, fmt::format("the model has no frame named `{}`", name.text),
          frames.empty() ? "the model has no frames: add one under `frames`" : suggestion(name.text, frames));
    if (const Value* axes = fields["axes"])
      entry.input.world_axes = reader_.choice(*axes, "a choice of axes", kAxes) == 0;
    const auto add = [&](const Value* components, std::string_view what, Dimension dimension) {
      if (components != nullptr && components->items.size() != 3 && has_split_formula(*components))
        reader_.fail(*components, fmt::format("{} has {} values", what, components->items.size()),
                     kQuoteFormulas);
      if (components != nullptr) reader_.require_list(*components, what, 3);
      for (std::size_t i = 0; i < 3; ++i)
        entry.components.push_back(components == nullptr ? Expr(0.0)
                                                         : expression(components->items[i], dimension));
    };
    add(fields["torque"], "`torque`", dimension::kTorque);
    add(fields["force"], "`force`", dimension::kForce);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace tactus::simulate
