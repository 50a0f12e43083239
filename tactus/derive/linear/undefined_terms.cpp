#include <tactus/derive/linear/undefined_terms.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/readable/sheet_parts.h>

namespace tactus::derive {

namespace {

using ValueOf = std::function<double(const std::string&)>;

struct Entry {
  std::string output;
  std::size_t row = 0, column = 0;
  std::optional<std::array<double, 2>> sides{};  // of a kink: the values there
};
using Find = std::function<std::optional<Entry>(const LinearTerms&)>;

/// Values first, then slopes: an undefined value has no slope either.
constexpr const char* kOrder[] = {"qd",   "Phi",   "V",   "A",   "M",   "G",   "F",   "qd_q",
                                  "qd_u", "Phi_q", "V_q", "G_q", "G_u", "F_q", "F_u", "F_tau"};

std::optional<Entry> undefined_entry(const LinearTerms& terms, const ValueOf& value_of) {
  const algebra::Graph& graph = *terms.function.graph;
  const auto by_name = [&](Expr symbol) { return value_of(graph.symbol_name(symbol)); };
  for (const char* name : kOrder) {
    const algebra::Block* block = block_named(terms.function.outputs, name);
    if (block == nullptr || block->entries.empty()) continue;
    const std::vector<double> values = algebra::evaluate(block->entries, by_name);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        return Entry{name, k / static_cast<std::size_t>(block->cols),
                     k % static_cast<std::size_t>(block->cols)};
  }
  return std::nullopt;
}

bool switches(const LinearTerms& terms) {
  using algebra::Op;
  std::vector<Expr> all;
  for (const algebra::Block& block : terms.function.outputs)
    all.insert(all.end(), block.entries.begin(), block.entries.end());
  const std::vector<const algebra::Node*> nodes = algebra::needed_nodes(all);
  return std::any_of(nodes.begin(), nodes.end(), [](const algebra::Node* node) {
    return node->op == Op::abs || node->op == Op::sign || node->op == Op::min || node->op == Op::max ||
           node->op == Op::floor || node->op == Op::select;
  });
}

/// [m, rad; m/s, rad/s] From the point to its sides, and nearer.
constexpr double kBeside = 1e-9, kNearer = 1e-11;
/// Of the values on both sides: smooth ones change by less from side to side unless they double within 1e-5.
constexpr double kJump = 1e-4;
/// Of the largest value of all: what rounding leaves is smaller.
constexpr double kRounding = 1e-9;

std::optional<Entry> kinked_entry(const LinearTerms& terms, const ValueOf& value_of) {
  if (!switches(terms)) return std::nullopt;
  const algebra::Graph& graph = *terms.function.graph;
  constexpr int kDirections = 4;
  for (int trial = 0; trial < kDirections; ++trial) {
    std::map<std::string, double> direction;
    for (const algebra::Block& block : terms.function.inputs)
      for (const Expr symbol : block.entries)
        if (block.name == "q" || block.name == "u") {
          // No two alike, none small, signs in no order.
          const double s = std::sin(12.9898 * (static_cast<double>(direction.size()) + 1.0) + 4.1 * trial);
          direction[graph.symbol_name(symbol)] = s < 0.0 ? s - 0.5 : s + 0.5;
        }
    const auto beside = [&](const algebra::Block& block, double distance) {
      return algebra::evaluate(block.entries, [&](Expr symbol) {
        const std::string& name = graph.symbol_name(symbol);
        const auto found = direction.find(name);
        return value_of(name) + (found == direction.end() ? 0.0 : distance * found->second);
      });
    };
    double largest = 0.0;
    std::vector<std::pair<const char*, std::array<std::vector<double>, 2>>> values;
    for (const char* name : kOrder) {
      const algebra::Block* block = block_named(terms.function.outputs, name);
      if (block == nullptr || block->entries.empty()) continue;
      values.push_back({name, {beside(*block, kBeside), beside(*block, -kBeside)}});
      for (const std::vector<double>& side : values.back().second)
        for (const double x : side)
          if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    }
    for (const auto& [name, sides] : values) {
      const algebra::Block* block = block_named(terms.function.outputs, name);
      std::optional<std::array<std::vector<double>, 2>> nearer;
      for (std::size_t k = 0; k < sides[0].size(); ++k) {
        const double jump = std::abs(sides[0][k] - sides[1][k]);
        const double size = std::max(std::abs(sides[0][k]), std::abs(sides[1][k]));
        if (!(jump > kJump * size && jump > kRounding * largest)) continue;
        if (!nearer) nearer = {beside(*block, kNearer), beside(*block, -kNearer)};
        if (!(std::abs((*nearer)[0][k] - (*nearer)[1][k]) > 0.5 * jump)) continue;
        return Entry{name, k / static_cast<std::size_t>(block->cols),
                     k % static_cast<std::size_t>(block->cols), std::array{sides[0][k], sides[1][k]}};
      }
    }
  }
  return std::nullopt;
}

/// In words: what the entry is, `whose` being the force or spring that brings it ("" where none was found).
std::string in_words(const Equations& equations, const LinearTerms& terms, const Entry& entry,
                     const std::string& whose) {
  const describe::Model& model = equations.model();
  const std::string kind = entry.output.substr(0, entry.output.find('_'));
  std::string subject;
  if (kind == "F" || kind == "M")
    subject =
        fmt::format("{} on `{}`", kind == "M" ? "the inertia" : "the force", model.speed_names()[entry.row]);
  else if (kind == "qd")
    subject = fmt::format("the rate of `{}`", describe::effort_names(model)[entry.row]);
  else
    subject = fmt::format("the constraint `{}`", equations.constraint_rows()[terms.rows[entry.row]].label);
  if (!whose.empty()) subject = fmt::format("{} of {}", subject, whose);
  const std::size_t underscore = entry.output.find('_');
  const auto on_both_sides = [&] {
    const double sign = kind == "F" ? -1.0 : 1.0;  // F = M udot - Q: the force is Q
    const auto shown = [&](double x) {             // what rounding leaves is zero
      const double size = std::max(std::abs((*entry.sides)[0]), std::abs((*entry.sides)[1]));
      return std::abs(x) < 1e-6 * size ? 0.0 : sign * x;
    };
    return fmt::format("{:.6g} on one side and {:.6g} on the other", shown((*entry.sides)[0]),
                       shown((*entry.sides)[1]));
  };
  if (underscore == std::string::npos)
    return entry.sides ? fmt::format("{} jumps: it is {}", subject, on_both_sides())
                       : subject + " has no finite value";
  const std::string by = entry.output.substr(underscore + 1);
  std::string variable = "an actuator's force";
  if (by == "q") variable = fmt::format("`{}`", model.coordinate_names()[entry.column]);
  if (by == "u") variable = fmt::format("the speed `{}`", model.speed_names()[entry.column]);
  if (entry.sides)
    return fmt::format("{} has a kink: its derivative by {} is {}", subject, variable, on_both_sides());
  return fmt::format("{} has no derivative by {} (the formula of it is 0/0 or infinite)", subject, variable);
}

/// What `find` finds, and which force or spring brings it.
std::optional<UndefinedTerm> found_term(const Equations& equations, const LinearTerms& terms,
                                        const Find& find) {
  const std::optional<Entry> entry = find(terms);
  if (!entry) return std::nullopt;
  const describe::Model& model = equations.model();
  const auto without = [&](const auto& remove) {
    describe::Model less = model;
    remove(less);
    const Equations others(less, equations.options());
    return !find(linear_terms(others)).has_value();
  };
  std::string whose;
  Place where{model.file};
  const auto offset = [](auto& list, std::size_t k) { return list.begin() + static_cast<std::ptrdiff_t>(k); };
  for (std::size_t k = 0; k < model.force_laws.size() && whose.empty(); ++k)
    if (without([&](describe::Model& m) { m.force_laws.erase(offset(m.force_laws, k)); })) {
      whose = fmt::format("`{}`", model.force_laws[k].name);
      where = model.force_laws[k].where;
    }
  for (std::size_t k = 0; k < model.point_springs.size() && whose.empty(); ++k)
    if (without([&](describe::Model& m) { m.point_springs.erase(offset(m.point_springs, k)); }))
      whose = fmt::format("the spring `{}`", model.point_springs[k].name);
  for (std::size_t k = 0; k < model.frame_springs.size() && whose.empty(); ++k)
    if (without([&](describe::Model& m) { m.frame_springs.erase(offset(m.frame_springs, k)); }))
      whose = fmt::format("the spring `{}`", model.frame_springs[k].name);
  const std::string kind = entry->output.substr(0, entry->output.find('_'));
  if (whose.empty() && (kind == "Phi" || kind == "V" || kind == "A" || kind == "G")) {
    const auto row = terms.rows[entry->row];
    where = model.constraints[static_cast<std::size_t>(equations.constraint_rows()[row].constraint)].where;
  }
  if (kind == "qd") where = model.speeds.where;
  return UndefinedTerm{where, in_words(equations, terms, *entry, whose), kind == "qd"};
}

}  // namespace

std::optional<UndefinedTerm> undefined_term(const Equations& equations, const LinearTerms& terms,
                                            const ValueOf& value_of) {
  return found_term(equations, terms, [&](const LinearTerms& of) { return undefined_entry(of, value_of); });
}

std::optional<UndefinedTerm> kinked_term(const Equations& equations, const LinearTerms& terms,
                                         const ValueOf& value_of) {
  const Find find = [&](const LinearTerms& of) { return kinked_entry(of, value_of); };
  describe::Model alike = equations.model();
  bool by_direction = false;
  for (describe::Joint& joint : alike.joints)
    for (describe::JointAxis& axis : joint.axes) {
      by_direction |= !(axis.friction.viscous_negative == axis.friction.viscous_positive);
      axis.friction.viscous_negative = axis.friction.viscous_positive;
    }
  if (!by_direction) return found_term(equations, terms, find);
  if (!find(terms)) return std::nullopt;
  const Equations others(alike, equations.options());
  return found_term(others, linear_terms(others), find);
}

void require_defined(const Equations& equations, const LinearTerms& terms, const ValueOf& value_of) {
  if (const std::optional<UndefinedTerm> undefined = undefined_term(equations, terms, value_of))
    throw InputError(
        undefined->where, fmt::format("at this point {}", undefined->what),
        undefined->is_rate
            ? "take another point: here the speeds of the model do not determine the joints' rates"
            : "take another point, or write the formula so that it is smooth there: sqrt(x^2 + e^2) "
              "with a small e in place of sqrt(x^2)");
}

void require_smooth(const Equations& equations, const LinearTerms& terms, const ValueOf& value_of) {
  if (const std::optional<UndefinedTerm> kinked = kinked_term(equations, terms, value_of))
    throw InputError(
        kinked->where, fmt::format("at this point {}", kinked->what),
        "take a point beside it, on the side that is meant, or write the formula so that it is smooth there");
}

}  // namespace tactus::derive
