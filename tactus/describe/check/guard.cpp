#include <tactus/describe/check/guard.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/describe/check/frame_kinematics.h>
#include <tactus/describe/check/range.h>
#include <tactus/describe/model/frame_word.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;
using algebra::Dimension;
using algebra::Quantity;

/// What a symbol of a guard is worth.
struct Known {
  Quantity quantity;
  double start = 0.0;  // in the initial state
  Range range;
};

struct Comparison {
  Value left, right;
  Value at;  // the sign
  bool greater = true;
  bool or_equal = false;
};

/// A part of a text, with its own place.
Value part_of(const Value& whole, std::size_t from, std::size_t count) {
  Value part = whole;
  part.text = whole.text.substr(from, count);
  if (whole.text.find('\n') == std::string::npos) part.column += static_cast<int>(from);
  return part;
}

Comparison split(const Reader& reader, const Value& when) {
  constexpr std::string_view kRemedy =
      "write one comparison, such as abs(q1_dot) < 0.01 or force.lock > 20 N";
  const std::string& text = reader.word(when, "`when`");
  const std::size_t sign = text.find_first_of("<>=!");
  if (sign == std::string::npos) reader.fail(when, "`when` is not a comparison", std::string(kRemedy));
  Comparison result;
  result.at = part_of(when, sign, 1);
  if (when.quoted && text.find('\n') == std::string::npos) ++result.at.column;
  if (text[sign] == '=' || text[sign] == '!') {
    reader.fail(result.at, "a guard compares by > or <: an equality has no sides to rise from",
                std::string(kRemedy));
  }
  result.greater = text[sign] == '>';
  result.or_equal = text.substr(sign + 1, 1) == "=";
  const std::size_t after = sign + (result.or_equal ? 2 : 1);
  if (text.find_first_of("<>=!", after) != std::string::npos) {
    reader.fail(result.at, "`when` holds more than one comparison",
                "write min(a, b) > 0 where both must hold, max(a, b) > 0 where one is enough");
  }
  const auto opened = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(sign), '(') -
                      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(sign), ')');
  if (opened > 0) reader.fail(result.at, "the comparison stands within parentheses", std::string(kRemedy));
  result.left = part_of(when, 0, sign);
  result.right = part_of(when, after, std::string::npos);
  return result;
}

}  // namespace

/// The symbols that guards may use, with what is known of them.
class GuardReader::Names {
 public:
  explicit Names(const Reader& reader) : reader_(reader), model_(reader.model) {
    add("t", Quantity::Known::no, {}, 0.0, {0.0, Range().upper});
    const bool rates_are_speeds = model_.speeds.definition == Speeds::Definition::joint_rates;
    const std::vector<std::string> coordinates = model_.coordinate_names();
    std::size_t q = 0, u = 0;
    for (const Joint& joint : model_.joints) {
      const bool quaternion = has_quaternion(joint.type);
      const int count = coordinate_count(joint.type);
      for (int k = 0; k < count; ++k, ++q) {
        const auto axis = static_cast<std::size_t>(k);
        const bool is_part = quaternion && k >= count - 4;
        const bool is_length = quaternion ? !is_part : !joint.axes[axis].is_rotation;
        add(coordinates[q], Quantity::Known::yes, is_length ? kLength : kNumber, model_.initial_q[q],
            is_part ? Range{-1.0, 1.0} : Range{});
        const bool known = !quaternion && rates_are_speeds;
        add(rate_name(coordinates[q]), Quantity::Known::yes, is_length ? kSpeed : kAngularSpeed,
            known ? model_.initial_u[u + axis] : 0.0, {});
      }
      for (std::size_t k = 0; quaternion && k < joint.axes.size(); ++k) {
        add(joint.axes[k].name, Quantity::Known::yes, joint.axes[k].is_rotation ? kAngularSpeed : kSpeed,
            model_.initial_u[u + k], {});
      }
      u += joint.axes.size();
    }
    for (std::size_t r = 0; r < model_.speeds.names.size(); ++r)
      add(model_.speeds.names[r], Quantity::Known::no, {}, model_.initial_u[r], {});
  }

  algebra::Names names() const {
    const algebra::Names outer = reader_.names();
    return {[this, outer](std::string_view name) -> std::optional<Quantity> {
              if (const auto found = known_.find(std::string(name)); found != known_.end())
                return found->second.quantity;
              if (name.starts_with(kForcePrefix) &&
                  constraint_of_row(model_, name.substr(kForcePrefix.size())) >= 0)
                return Quantity{algebra::symbol(std::string(name)), Quantity::Known::no, {}};
              if (const auto parameter = outer.find(name)) return parameter;
              if (const auto found = reader_.definition_quantities.find(std::string(name));
                  found != reader_.definition_quantities.end())
                return found->second;
              if (const auto word = find_frame_word(model_, name))
                return Quantity{algebra::symbol(std::string(name)), Quantity::Known::yes, word->dimension()};
              return std::nullopt;
            },
            [this, outer] {
              std::vector<std::string> all = outer.known();
              for (const auto& [name, known] : known_) all.push_back(name);
              for (const Constraint& constraint : model_.constraints)
                all.push_back(std::string(kForcePrefix) + constraint.name);
              for (const auto& [name, quantity] : reader_.definition_quantities) all.push_back(name);
              for (const Frame& frame : model_.frames)
                for (std::string& word : words_of_frame(frame.name)) all.push_back(std::move(word));
              std::sort(all.begin(), all.end());
              return all;
            },
            outer.call, outer.functions};
  }

  /// Whether the symbol moves with the mechanism or the time: all but the parameters.
  bool moves(Expr symbol) const {
    const std::string& name = model_.graph->symbol_name(symbol);
    return known_.contains(name) || name.starts_with(kForcePrefix);
  }

  double start_of(Expr guard) const {
    return algebra::evaluate(guard, [&](Expr symbol) {
      const auto found = known_.find(model_.graph->symbol_name(symbol));
      if (found != known_.end()) return found->second.start;
      return moves(symbol) ? 0.0 : reader_.value_at_parameters(symbol);
    });
  }

  Range range(Expr guard) const {
    return range_of(guard, [&](Expr symbol) {
      const auto found = known_.find(model_.graph->symbol_name(symbol));
      if (found != known_.end()) return found->second.range;
      if (moves(symbol)) return Range{};
      const double value = reader_.value_at_parameters(symbol);
      return Range{value, value};
    });
  }

 private:
  void add(const std::string& name, Quantity::Known known, Dimension dimension, double start, Range range) {
    known_[name] = {{algebra::symbol(name), known, dimension}, start, range};
  }

  const Reader& reader_;
  const Model& model_;
  std::unordered_map<std::string, Known> known_;
};

GuardReader::GuardReader(const Reader& reader) : reader_(reader), names_(std::make_unique<Names>(reader)) {}
GuardReader::~GuardReader() = default;

Expr GuardReader::read(const Value& when, bool& true_at_zero) const {
  const Comparison comparison = split(reader_, when);
  true_at_zero = comparison.or_equal;
  const Names& names = *names_;
  const Quantity left = reader_.quantity(comparison.left, names.names());
  const Quantity right = reader_.quantity(comparison.right, names.names());
  if (left.known == Quantity::Known::yes && right.known == Quantity::Known::yes &&
      left.dimension != right.dimension) {
    reader_.fail(
        comparison.at,
        fmt::format("wrong unit: {} is compared with {}", algebra::describe_dimension(left.dimension),
                    algebra::describe_dimension(right.dimension)),
        "both sides must be of the same kind");
  }
  const Expr written = comparison.greater ? left.value - right.value : right.value - left.value;
  const Expr guard = FrameKinematics(reader_.model).expand(written);
  const std::vector<Expr> symbols = algebra::symbols_in(std::span(&guard, 1));
  if (std::none_of(symbols.begin(), symbols.end(), [&](Expr symbol) { return names.moves(symbol); })) {
    reader_.fail(when, "the guard is constant: it never fires",
                 "write it with coordinates, their rates (q1_dot), frames (tip.px), t, or forces of "
                 "constraints (force.lock)");
  }
  if (!std::isfinite(names.start_of(guard))) {
    reader_.fail(when, "the guard has no finite value in the initial state",
                 "a division by zero, or a root of a negative number? Multiply by the divisor: a > b*c");
  }
  const Range range = names.range(guard);
  if (range.lower >= 0.0)
    reader_.fail(when, "the guard is always true: it never rises to fire", "mend the sign or the threshold");
  if (range.upper <= 0.0) reader_.fail(when, "the guard can never be true", "mend the sign or the threshold");
  return guard;
}

std::vector<std::string> force_rows(const Model& model, Expr guard) {
  std::vector<std::string> rows;
  for (const Expr symbol : algebra::symbols_in(std::span(&guard, 1))) {
    const std::string& name = model.graph->symbol_name(symbol);
    if (name.starts_with(kForcePrefix)) rows.push_back(name.substr(kForcePrefix.size()));
  }
  return rows;
}

int constraint_of_row(const Model& model, std::string_view row) {
  const std::string_view name = row.substr(0, row.find('.'));
  for (std::size_t c = 0; c < model.constraints.size(); ++c)
    if (model.constraints[c].name == name) return static_cast<int>(c);
  return -1;
}

void require_force_rows(const Model& model, std::span<const std::string> labels) {
  for (const Transition& transition : model.contact.transitions) {
    for (const std::string& row : force_rows(model, transition.guard)) {
      if (std::find(labels.begin(), labels.end(), row) != labels.end()) continue;
      const std::string_view constraint = std::string_view(row).substr(0, row.find('.'));
      std::vector<std::string> known;
      for (const std::string& label : labels)
        if (std::string_view(label).substr(0, label.find('.')) == constraint)
          known.push_back(std::string(kForcePrefix) + label);
      throw InputError(transition.where,
                       fmt::format("the guard of `{}` uses {}{}, but the constraint `{}` has no such row",
                                   transition.name, kForcePrefix, row, constraint),
                       known.empty() ? "all its rows hold by the structure of the mechanism: it has no force"
                                     : fmt::format("its forces are {}", fmt::join(known, ", ")));
    }
  }
}

}  // namespace tactus::describe
