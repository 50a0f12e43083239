// Parametric coordinates: the `parametric` section.
//   z: the parameters, each with the value and the rate from which a motion begins
//   q: every coordinate as a formula psi in z, t and the model's parameters
#include <tactus/describe/read/parametric.h>

#include <cmath>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>
#include <tactus/math/decompositions.h>

namespace tactus::describe {

namespace {

using algebra::Quantity;

/// Columns of d psi/d z, each scaled to length 1, count as dependent within this distance of each other's
/// span.
constexpr double kDependent = 1e-9;
/// A quaternion of psi has this length but for rounding.
constexpr double kUnitTolerance = 1e-12;

struct Read {
  Parametric::Parameter parameter;
  Quantity quantity;  // its symbol, of the dimension of its value
};

Read read_parameter(const Reader& reader, const Value::Entry& entry) {
  Parametric::Parameter result;
  result.name = reader.identifier(entry.key, "a parametric coordinate");
  result.where = reader.place(entry.key);
  if (algebra::is_reserved_name(result.name) || result.name == "t" ||
      reader.parameter_quantities.contains(result.name)) {
    reader.fail(entry.key, fmt::format("the name `{}` is taken already", result.name), "choose another name");
  }
  const auto finite = [&](const Value& value) {
    const double number = reader.value_at_parameters(reader.quantity(value).value);
    if (!std::isfinite(number)) {
      reader.fail(value, fmt::format("`{}` is not a finite number", value.text),
                  "a division by zero, or a root or logarithm of a negative number?");
    }
    return number;
  };
  Quantity known{algebra::symbol(result.name), Quantity::Known::no, {}};
  const Value* value = &entry.value;
  if (entry.value.is_map()) {
    const Fields fields(reader, entry.value, "a parametric coordinate", keys::kIndependent);
    value = fields["value"];
    if (const Value* rate = fields["rate"]) result.rate = finite(*rate);
    if (const Value* text = fields["description"]) result.description = reader.word(*text, "a description");
  }
  if (value != nullptr) {
    const Quantity given = reader.quantity(*value);
    if (given.known == Quantity::Known::yes) {
      known.known = given.known;
      known.dimension = given.dimension;
    }
    result.value = finite(*value);
  }
  return {std::move(result), known};
}

/// psi of one coordinate: of its dimension, as far as units were given.
Expr read_psi(const Reader& reader, const Value& given, algebra::Dimension dimension) {
  const Quantity psi = reader.quantity(given);
  // A function's value is a pure number: 0.2*sin(z) may well be a length.
  if (psi.known == Quantity::Known::yes &&
      (psi.value.is_constant() || !(psi.dimension == algebra::dimension::kNumber))) {
    try {
      algebra::require_dimension(psi, dimension);
    } catch (const algebra::ParseError& error) {
      reader.fail(given, error.wrong, error.remedy);
    }
  }
  return psi.value;
}

std::vector<double> values_at(const Model& model, std::span<const Expr> roots,
                              const std::unordered_map<std::string, double>& place) {
  return algebra::evaluate(roots, [&](Expr symbol) {
    const std::string& name = model.graph->symbol_name(symbol);
    const auto found = place.find(name);
    return found != place.end() ? found->second : value_of(model, symbol);
  });
}

std::vector<Expr> symbols_of(const Parametric& parametric) {
  std::vector<Expr> z;
  for (const Parametric::Parameter& p : parametric.z) z.push_back(algebra::symbol(p.name));
  return z;
}

bool all_finite(const std::vector<double>& values) {
  for (const double x : values)
    if (!std::isfinite(x)) return false;
  return true;
}

void require_finite_start(const Reader& reader, const Fields& psi) {
  const Model& model = reader.model;
  const Parametric& parametric = *model.parametric;
  const auto start = trial_places(parametric).front();
  const std::vector<std::string> names = model.coordinate_names();
  const std::vector<Expr> slopes = algebra::jacobian(parametric.psi, symbols_of(parametric));
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<Expr> roots{parametric.psi[i]};
    const std::size_t nz = parametric.z.size();
    for (std::size_t c = 0; c < nz; ++c) roots.push_back(slopes[i * nz + c]);
    if (all_finite(values_at(model, roots, start))) continue;
    reader.fail(
        *psi[names[i]],
        fmt::format("`{}` or its derivative is not finite at {}", names[i], place_text(parametric, start)),
        "give `z` values at which psi is smooth");
  }
}

void require_unit_quaternions(const Reader& reader, const Fields& psi) {
  const Model& model = reader.model;
  const Parametric& parametric = *model.parametric;
  for (const auto& place : trial_places(parametric)) {
    const std::vector<double> q = values_at(model, parametric.psi, place);
    if (!all_finite(q)) continue;
    std::size_t at = 0;
    for (const Joint& joint : model.joints) {
      at += static_cast<std::size_t>(coordinate_count(joint.type));
      if (!has_quaternion(joint.type)) continue;
      const double* part = q.data() + at - 4;
      const double length = std::hypot(std::hypot(part[0], part[1]), std::hypot(part[2], part[3]));
      if (std::fabs(length - 1.0) <= kUnitTolerance) continue;
      reader.fail(*psi[joint.name + ".qw"],
                  fmt::format("the quaternion of `{}` has length {:.6g} at {}", joint.name, length,
                              place_text(parametric, place)),
                  "psi must give a unit quaternion everywhere, such as cos(z/2), sin(z/2), 0, 0");
    }
  }
}

/// Different z must be different places: d psi/d z has full rank, but at single ones.
void require_full_rank(const Reader& reader, const Value& z) {
  const Model& model = reader.model;
  const Parametric& parametric = *model.parametric;
  const std::vector<Expr> slopes = algebra::jacobian(parametric.psi, symbols_of(parametric));
  const auto rows = static_cast<Eigen::Index>(parametric.psi.size()),
             columns = static_cast<Eigen::Index>(parametric.z.size());
  std::string dependent;
  for (const auto& place : trial_places(parametric)) {
    const std::vector<double> values = values_at(model, slopes, place);
    if (!all_finite(values)) continue;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::MatrixXd J = Eigen::Map<const RowMajor>(values.data(), rows, columns);
    for (Eigen::Index c = 0; c < columns; ++c)
      if (J.col(c).norm() > 0.0) J.col(c).normalize();
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(kDependent);
    qr.compute(J);
    if (qr.rank() == columns) return;
    dependent = parametric.z[static_cast<std::size_t>(qr.colsPermutation().indices()[qr.rank()])].name;
  }
  reader.fail(
      z,
      fmt::format("`{}` moves nothing that the others do not move: d psi/d z has not full rank", dependent),
      "leave it out, or let it move a coordinate of its own");
}

/// q = psi(z), and for joint rates u = (d psi/d z) zd + d psi/d t.
void start_there(Reader& reader, const Value* initial, const Value& z) {
  Model& model = reader.model;
  const Parametric& parametric = *model.parametric;
  const auto start = trial_places(parametric).front();
  if (initial == nullptr || initial->find("q") == nullptr)
    model.initial_q = values_at(model, parametric.psi, start);
  if (initial != nullptr && (initial->find("u") != nullptr || initial->find("qd") != nullptr)) return;
  bool moves = false;
  std::vector<Expr> moving{algebra::symbol("t")}, rates{Expr(1.0)};
  for (const Parametric::Parameter& p : parametric.z) {
    moving.push_back(algebra::symbol(p.name));
    rates.emplace_back(p.rate);
    moves = moves || p.rate != 0.0;
  }
  const bool own_speeds = model.speeds.definition != Speeds::Definition::joint_rates;
  if (model.nq() == model.nv() && (!own_speeds || reader.automatic_speeds)) {
    const std::vector<double> qd =
        values_at(model, algebra::directional_derivative(parametric.psi, moving, rates), start);
    model.initial_u = speeds_of_rates(model, model.initial_q, qd);
  } else if (moves) {
    reader.fail(z, "rates of z give the initial speeds only where those are joint rates without quaternions",
                "give `u` under `initial`, and leave out `rate`");
  }
}

}  // namespace

std::vector<std::unordered_map<std::string, double>> trial_places(const Parametric& parametric) {
  std::mt19937 random(2006);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<std::unordered_map<std::string, double>> places;
  for (const double reach : {0.0, 0.01, 0.01, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0, 1.0}) {
    auto& place = places.emplace_back();
    place["t"] = reach * std::fabs(part(random));
    for (const Parametric::Parameter& z : parametric.z) place[z.name] = z.value + reach * part(random);
  }
  return places;
}

std::string place_text(const Parametric& parametric, const std::unordered_map<std::string, double>& place) {
  std::vector<std::string> parts;
  for (const Parametric::Parameter& z : parametric.z)
    parts.push_back(fmt::format("{} = {:.6g}", z.name, place.at(z.name)));
  if (place.at("t") != 0.0) parts.push_back(fmt::format("t = {:.6g}", place.at("t")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void read_parametric(Reader& reader, const Value& section, const Value* initial) {
  const Fields fields(reader, section, "`parametric`", keys::kParametric);
  const Value& z = fields.require("z", "write z: {angle: 0.5}, the parameters and where they begin");
  const Value& q = fields.require("q", "write q: {q1: a formula in z, ...}, every coordinate");
  Parametric parametric;
  parametric.where = reader.place(section);
  reader.require_map(z, "`z`");
  std::unordered_map<std::string, Quantity> known{{"t", {algebra::symbol("t"), Quantity::Known::no, {}}}};
  for (const Value::Entry& entry : z.entries) {
    Read read = read_parameter(reader, entry);
    known[read.parameter.name] = read.quantity;
    parametric.z.push_back(std::move(read.parameter));
  }
  if (parametric.z.empty()) {
    reader.fail(z, "`z` names no parameters",
                "a mechanism that cannot move needs no parametric coordinates: leave out the section");
  }
  const std::vector<std::string> names = reader.model.coordinate_names();
  const std::vector<std::string_view> keys(names.begin(), names.end());
  const Fields psi(reader, q, "`q`", keys);
  const std::vector<algebra::Dimension> dimensions = coordinate_dimensions(reader.model);
  reader.local_names = std::move(known);
  std::unordered_map<std::string_view, const Value*> formulas;
  for (const Value::Entry& entry : q.entries) formulas.emplace(entry.key.text, &entry.value);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = formulas.find(names[i]);
    const Value& given = found != formulas.end()
                             ? *found->second
                             : psi.require(names[i], "every coordinate must be given as a formula in z");
    parametric.psi.push_back(read_psi(reader, given, dimensions[i]));
  }
  reader.local_names.clear();
  reader.model.parametric = std::move(parametric);
  require_finite_start(reader, psi);
  require_unit_quaternions(reader, psi);
  require_full_rank(reader, z);
  start_there(reader, initial, z);
}

}  // namespace tactus::describe
