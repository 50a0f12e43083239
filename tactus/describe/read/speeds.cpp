// Generalised speeds by the user's own definition, as in Kane's method:
//   from_rates:  u = Y(q,t) qd + Z(q,t)      each speed as an expression in the rates q_dot
//   to_rates:    qd = W(q,t) u + X(q,t)      each rate as an expression in the speeds
// or chosen (automatic_speeds.h): auto.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/automatic_speeds.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/motion_names.h>
#include <tactus/describe/read/sections.h>
#include <tactus/math/decompositions.h>

namespace tactus::describe {

namespace {

using algebra::Quantity;

/// Both definitions are linear in the velocities: no derivative may hold one of them.
void require_linear(const Reader& reader, const Value& where, Expr equation,
                    const std::vector<Expr>& velocities, std::string_view what) {
  const std::vector<Expr> slopes = algebra::jacobian(std::span(&equation, 1), velocities);
  for (const Expr used : algebra::symbols_in(slopes)) {
    if (std::find(velocities.begin(), velocities.end(), used) == velocities.end()) continue;
    reader.fail(where, fmt::format("this is not linear in the {}", what),
                "generalised speeds are linear: u = Y(q,t) qd + Z(q,t), or qd = W(q,t) u + X(q,t)");
  }
}

/// Y or W must be regular almost everywhere: its rank is taken at a few states without any symmetry.
void require_regular(const Reader& reader, const Value& where, const std::vector<Expr>& velocities) {
  const auto n = static_cast<int>(velocities.size());
  const std::vector<Expr> slopes = algebra::jacobian(reader.model.speeds.equations, velocities);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const std::vector<double> values = algebra::evaluate(slopes, [&](Expr symbol) {
      const std::string& name = reader.model.graph->symbol_name(symbol);
      for (const Parameter& parameter : reader.model.parameters) {
        if (parameter.name == name) return parameter.value;
      }
      return 0.3 + std::fmod(0.618034 * attempt * (1.0 + symbol.id()), 1.0);
    });
    Eigen::MatrixXd matrix(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) matrix(i, j) = values[static_cast<std::size_t>(i * n + j)];
    }
    if (matrix.allFinite() && Eigen::FullPivLU<Eigen::MatrixXd>(matrix).rank() == n) return;
  }
  reader.fail(where, "these equations do not determine the rates from the speeds",
              "each speed must be independent of the others: the matrix of their coefficients is singular");
}

void require_new_name(const Reader& reader, const Value& name) {
  reader.identifier(name, "a speed");
  const bool is_taken = algebra::is_reserved_name(name.text) || reader.local_names.contains(name.text) ||
                        reader.parameter_quantities.contains(name.text);
  if (is_taken)
    reader.fail(name, fmt::format("the name `{}` is taken already", name.text), "choose another name");
}

void require_count(const Reader& reader, const Value& where, std::size_t given, std::size_t needed) {
  if (given == needed) return;
  reader.fail(
      where, fmt::format("{} speeds are defined, but the mechanism has {} degrees of freedom", given, needed),
      "define one speed for each joint coordinate");
}

void refuse_quaternions(const Reader& reader, const Value& where) {
  for (const Joint& joint : reader.model.joints) {
    if (!has_quaternion(joint.type)) continue;
    reader.fail(where,
                fmt::format("speeds cannot be redefined while joint `{}` has a quaternion", joint.name),
                "use revolute and prismatic joints for its coordinates, or leave out `speeds`");
  }
}

/// `auto`: the definitions that the user would otherwise write. u_q1 stands where the rate of q1 stood.
void choose_speeds(Reader& reader, const Value& where, bool diagonal) {
  Model& model = reader.model;
  const auto value = [&](Expr number) { return reader.value_at_parameters(number); };
  if (diagonal) {
    refuse_quaternions(reader, where);
    for (const Joint& joint : model.joints)
      if (joint_traits(joint.type).has_pitch)
        reader.fail(where, fmt::format("no diagonal speeds are made for the helical joint `{}`", joint.name),
                    "write speeds: auto, or leave out `speeds`");
    if (static_cast<std::size_t>(model.nv()) > kMostFreedoms)
      reader.fail(where, fmt::format("diagonal speeds are made for at most {} freedoms", kMostFreedoms),
                  "write speeds: auto, or leave out `speeds`");
  }
  const AutomaticSpeeds chosen = diagonal ? diagonal_speeds(model, value) : efficient_speeds(model, value);
  if (chosen.tied > kMostTied)
    reader.fail(
        where,
        fmt::format(
            "{} speeds are tied together by the mass matrix; diagonal ones are written for at most {}",
            chosen.tied, kMostTied),
        "write speeds: auto, or leave out `speeds`");
  if (chosen.Y.empty()) return;  // the joint rates
  Speeds& speeds = model.speeds;
  speeds.definition = Speeds::Definition::from_rates;
  reader.automatic_speeds = true;
  const std::vector<std::string> coordinates = model.coordinate_names();
  const std::size_t n = coordinates.size();
  const auto is_taken = [&](const std::string& name) {
    return reader.parameter_quantities.contains(name) ||
           std::find(coordinates.begin(), coordinates.end(), name) != coordinates.end();
  };
  for (std::size_t r = 0; r < n; ++r) {
    std::string name = "u_" + coordinates[r];
    while (is_taken(name)) name += "_";
    speeds.names.push_back(name);
    Expr sum;
    for (std::size_t j = 0; j < n; ++j)
      sum += chosen.Y[r * n + j] * algebra::symbol(rate_name(coordinates[j]));
    speeds.equations.push_back(sum);
  }
}

}  // namespace

void read_speeds(Reader& reader, const Value& section) {
  Speeds& speeds = reader.model.speeds;
  speeds.where = reader.place(section);
  if (section.is_scalar()) {
    if (section.text == "joint_rates") return;
    if (section.text == "auto") return choose_speeds(reader, section, false);
    reader.fail(section, fmt::format("`{}` is not a definition of speeds", section.text),
                "write joint_rates, auto, or a map with `from_rates`, `to_rates` or `auto`");
  }
  const Fields fields(reader, section, "`speeds`", keys::kSpeeds);
  if (const Value* rule = fields["auto"]) {
    fields.refuse({"names", "from_rates", "to_rates"}, "`auto` chooses the speeds and names them");
    constexpr std::array<std::string_view, 2> kRules{"efficient", "diagonal"};
    return choose_speeds(reader, *rule, reader.choice(*rule, "`auto`", kRules) == 1);
  }
  refuse_quaternions(reader, section);
  const Value* from = fields["from_rates"];
  const Value* to = fields["to_rates"];
  if ((from != nullptr) == (to != nullptr)) {
    reader.fail(section, "`speeds` needs exactly one of `from_rates`, `to_rates` and `auto`",
                "write u as an expression in the rates, or the rates as expressions in u; or speeds: auto");
  }
  const std::vector<std::string> coordinates = reader.model.coordinate_names();
  std::vector<Expr> rates, symbols_of_speeds;
  // Bare numbers are SI, so 2 pi t may well be an angle: the time goes with everything.
  reader.local_names["t"] = {algebra::symbol("t"), Quantity::Known::no, {}};
  for (const std::string& name : coordinates) {
    reader.local_names[name] = {algebra::symbol(name), Quantity::Known::no, {}};
    rates.push_back(algebra::symbol(rate_name(name)));
  }

  if (from != nullptr) {
    fields.refuse({"names"}, "`from_rates` names the speeds itself");
    speeds.definition = Speeds::Definition::from_rates;
    reader.require_map(*from, "`from_rates`");
    require_count(reader, *from, from->entries.size(), coordinates.size());
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      reader.local_names[rate_name(coordinates[i])] = {rates[i], Quantity::Known::no, {}};
    }
    reader.further_names = frame_names(reader.model);
    const FrameKinematics kinematics(reader.model);
    for (const Value::Entry& entry : from->entries) {
      require_new_name(reader, entry.key);
      const Expr equation = kinematics.expand(reader.quantity(entry.value).value);
      require_linear(reader, entry.value, equation, rates, "rates");
      speeds.names.push_back(entry.key.text);
      speeds.equations.push_back(equation);
    }
    require_regular(reader, *from, rates);
  } else {
    speeds.definition = Speeds::Definition::to_rates;
    const Value& names = fields.require("names", "write names: [u1, u2, ...]");
    if (!names.is_sequence()) reader.fail(names, "`names` must be a list", "write names: [u1, u2, ...]");
    require_count(reader, names, names.items.size(), coordinates.size());
    for (const Value& name : names.items) {
      require_new_name(reader, name);
      symbols_of_speeds.push_back(algebra::symbol(name.text));
      reader.local_names[name.text] = {symbols_of_speeds.back(), Quantity::Known::no, {}};
      speeds.names.push_back(name.text);
    }
    const std::vector<std::string_view> keys(coordinates.begin(), coordinates.end());
    const Fields equations(reader, *to, "`to_rates`", keys);
    for (const std::string& coordinate : coordinates) {
      const Value& given = equations.require(coordinate, "each coordinate's rate must be given");
      const Expr equation = reader.quantity(given).value;
      require_linear(reader, given, equation, symbols_of_speeds, "speeds");
      speeds.equations.push_back(equation);
    }
    require_regular(reader, *to, symbols_of_speeds);
  }
  reader.local_names.clear();
  reader.further_names = {};
}

}  // namespace tactus::describe
