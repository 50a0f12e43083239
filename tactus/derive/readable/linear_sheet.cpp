// Linear models written out: of the open tree about any point of a motion, and about a given point, with the constraints eliminated.
//
// The elimination is that of simulate/linear/linear_model.h, over expressions.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/parse.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/base/error.h>
#include <tactus/derive/constraints/linear_solution.h>
#include <tactus/derive/linear/linear_terms.h>
#include <tactus/derive/linear/partition.h>
#include <tactus/derive/linear/regular_mass.h>
#include <tactus/derive/linear/undefined_terms.h>
#include <tactus/derive/readable/fraction.h>
#include <tactus/derive/readable/root_form.h>
#include <tactus/derive/readable/shortest_form.h>
#include <tactus/describe/read/initial_formulas.h>

namespace tactus::derive {

namespace {

using algebra::Block;

constexpr const char* kLinearNote =
    "delta tau = M delta udot + C delta u + K delta q about a point (q, u, udot) of a motion";
constexpr const char* kMassTitle = "mass matrix (symmetric: upper triangle)";

/// Coefficients below this part of the largest in their matrix are what rounding left of a zero.
constexpr double kDust = 1e-12;
/// Nodes of all elements together beyond which they stay as derived and share temporaries: a PUMA has 2,000.
constexpr std::size_t kMostCollected = 6000;
constexpr algebra::TrigLimits kCollecting{.terms = 500, .products = 500'000};
/// [m, rad; m/s, rad/s] A point typed with seven digits is closer to its constraints.
constexpr double kFits = 1e-6;
/// Motors' speeds are natural independent ones.
constexpr double kActuated = 0.05;
/// Shifts depend sooner than turns: along a steady curve their speeds in the world's axes change, those of turns do not.
constexpr double kShift = 10.0;

/// A matrix over expressions.
struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<Expr> x;

  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), x(r * c) {}
  Matrix(std::size_t r, std::size_t c, std::vector<Expr> entries) : rows(r), cols(c), x(std::move(entries)) {}
  Expr& operator()(std::size_t i, std::size_t j) { return x[i * cols + j]; }
  Expr operator()(std::size_t i, std::size_t j) const { return x[i * cols + j]; }
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.cols);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.cols; ++k) {
      if (algebra::is_zero(a(i, k))) continue;
      for (std::size_t j = 0; j < b.cols; ++j) result(i, j) += a(i, k) * b(k, j);
    }
  return result;
}

Matrix operator+(Matrix a, const Matrix& b) {
  for (std::size_t k = 0; k < a.x.size(); ++k) a.x[k] += b.x[k];
  return a;
}

Matrix transposed(const Matrix& a) {
  Matrix result(a.cols, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) result(j, i) = a(i, j);
  return result;
}

Matrix part(const Matrix& a, const std::vector<int>& rows, const std::vector<int>& columns) {
  Matrix result(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j)
      result(i, j) = a(static_cast<std::size_t>(rows[i]), static_cast<std::size_t>(columns[j]));
  return result;
}

std::vector<int> all_of(std::size_t n) {
  std::vector<int> indices(n);
  for (std::size_t k = 0; k < n; ++k) indices[k] = static_cast<int>(k);
  return indices;
}

/// Sine and cosine of an angle that a formula gives as an arc: cos(acos(x)) is x wherever acos(x) is anything.
Expr sine_of(Expr angle) {
  using algebra::Op;
  const Expr one(1.0), x = angle.a();
  if (angle.op() == Op::neg) return -sine_of(x);
  if (angle.op() == Op::asin) return x;
  if (angle.op() == Op::acos) return sqrt(one - x * x);
  if (angle.op() == Op::atan) return x / sqrt(one + x * x);
  if (angle.op() == Op::atan2) return x / sqrt(x * x + angle.b() * angle.b());
  return sin(angle);
}
Expr cosine_of(Expr angle) {
  using algebra::Op;
  const Expr one(1.0), x = angle.a();
  if (angle.op() == Op::neg) return cosine_of(x);
  if (angle.op() == Op::acos) return x;
  if (angle.op() == Op::asin) return sqrt(one - x * x);
  if (angle.op() == Op::atan) return one / sqrt(one + x * x);
  if (angle.op() == Op::atan2) return angle.b() / sqrt(x * x + angle.b() * angle.b());
  return cos(angle);
}

/// The point, and everything of LinearTerms there.
class AtPoint {
 public:
  AtPoint(const describe::Model& model, const Options& options, const LinearPoint& at)
      : model_(model), equations_(model, options), terms_(linear_terms(equations_)), scope_(*graph()) {
    require_regular_mass(equations_, "a linear model");
    for (const PointValue& value : at.values) set(value);
    for (const Block& block : terms_.function.inputs) {
      if (block.name == "parameters") continue;
      for (std::size_t k = 0; k < block.entries.size(); ++k) {
        const std::string& name = graph()->symbol_name(block.entries[k]);
        const bool given = values_.contains(name);
        if (block.name == "lambda") continue;
        const bool stays = !at.initial && terms_.rows.empty() && equations_.nq() == equations_.nv();
        if (block.name == "q" && !given && stays) continue;
        from_.push_back(block.entries[k]);
        Expr to;
        if (given)
          to = values_.at(name);
        else if (block.name == "q")
          to = initial(name, model.initial_q[k], at.initial_q, k);
        else if (block.name == "u" && at.initial)
          to = initial(name, model.initial_u[k], at.initial_u, k);
        to_.push_back(to);
      }
    }
    all_from_ = from_;
    all_to_ = to_;
    for (std::size_t k = 0; k < from_.size(); ++k) {
      all_from_.insert(all_from_.end(), {sin(from_[k]), cos(from_[k])});
      all_to_.insert(all_to_.end(), {sine_of(to_[k]), cosine_of(to_[k])});
    }
    const auto value_of = [&](const std::string& name) {
      for (std::size_t k = 0; k < from_.size(); ++k)
        if (graph()->symbol_name(from_[k]) == name) return value(to_[k]);
      return name.starts_with("lambda_") ? 0.0 : value(algebra::symbol(name));
    };
    require_defined(equations_, terms_, value_of);
    require_smooth(equations_, terms_, value_of);
  }

  const Equations& equations() const { return equations_; }
  const LinearTerms& terms() const { return terms_; }
  const std::shared_ptr<algebra::Graph>& graph() const { return terms_.function.graph; }
  std::size_t nv() const { return static_cast<std::size_t>(equations_.nv()); }
  std::size_t rows() const { return terms_.rows.size(); }

  Matrix operator()(std::string_view name) const {
    const Block* block = block_named(terms_.function.outputs, name);
    if (block == nullptr) return {nv(), 0};
    return {static_cast<std::size_t>(block->rows), static_cast<std::size_t>(block->cols),
            at_point(block->entries)};
  }
  std::vector<Expr> at_point(const std::vector<Expr>& x) const {
    return algebra::substitute(x, *graph(), all_from_, all_to_);
  }
  const std::vector<Expr>& input(std::string_view name) const {
    return block_named(terms_.function.inputs, name)->entries;
  }

  /// With the parameters as the file has them, or each away from that by an amount of its own: equal lengths are not equal there.
  /// Other symbols are some number.
  double value(Expr x, double away = 0.0) const {
    return algebra::evaluate(x, [&](Expr symbol) {
      const std::string& name = graph()->symbol_name(symbol);
      for (std::size_t k = 0; k < model_.parameters.size(); ++k) {
        const double own = away * (1.0 + 0.31 * static_cast<double>(k));
        if (model_.parameters[k].name == name) return model_.parameters[k].value * (1.0 + own) + own;
      }
      return 0.3 + 0.1 * static_cast<double>(symbol.id() % 17) + away;
    });
  }
  /// Zero for any values of its symbols, as far as three places can tell.
  bool vanishes(Expr x, double size) const {
    for (const double away : {0.0, 0.0371, -0.0513})
      if (!(std::abs(value(x, away)) <= kDust * size)) return false;
    return true;
  }

  /// What the point has of the initial state, but zeros: "v = 3".
  const std::vector<std::string>& initial_values() const { return initial_values_; }

 private:
  Expr initial(const std::string& name, double number, const std::vector<std::string>& formulas,
               std::size_t k) {
    const bool written = k < formulas.size() && !formulas[k].empty();
    const Expr result = written ? parsed({name, formulas[k]}) : Expr(number);
    if (written || number != 0.0)
      initial_values_.push_back(
          fmt::format("{} = {}", name, written ? formulas[k] : fmt::format("{:.6g}", number)));
    return result;
  }

  void set(const PointValue& given) {
    const auto known = [&] {
      std::vector<std::string> names;
      for (const Block& block : terms_.function.inputs)
        if (block.name == "q" || block.name == "u" || block.name == "udot" || block.name == "tau")
          for (const Expr symbol : block.entries) names.push_back(graph()->symbol_name(symbol));
      return names;
    };
    const std::vector<std::string> names = known();
    if (std::find(names.begin(), names.end(), given.name) == names.end())
      throw InputError({model_.file},
                       fmt::format("--at: `{}` is no coordinate, speed, acceleration or force", given.name),
                       suggestion(given.name, names));
    if (values_.contains(given.name))
      throw InputError({}, fmt::format("--at gives `{}` twice", given.name), "give it once");
    values_[given.name] = parsed(given);
  }

  Expr parsed(const PointValue& given) const {
    // Parameters that are not kept count as the numbers they are.
    const algebra::Names allowed{[&](std::string_view name) -> std::optional<algebra::Quantity> {
                                   const Block* kept = block_named(terms_.function.inputs, "parameters");
                                   if (kept != nullptr)
                                     for (const Expr symbol : kept->entries)
                                       if (graph()->symbol_name(symbol) == name)
                                         return algebra::Quantity{symbol, {}, {}};
                                   for (const describe::Parameter& parameter : model_.parameters)
                                     if (parameter.name == name)
                                       return algebra::Quantity{Expr(parameter.value), {}, {}};
                                   return std::nullopt;
                                 },
                                 [&] {
                                   std::vector<std::string> all;
                                   for (const describe::Parameter& parameter : model_.parameters)
                                     all.push_back(parameter.name);
                                   return all;
                                 }};
    try {
      const Expr formula = algebra::parse(given.formula, allowed).value;
      if (!std::isfinite(value(formula)))
        throw InputError({}, fmt::format("--at {}={}: this is no finite number", given.name, given.formula),
                         "give a number or a formula in the parameters that has a value");
      return formula;
    } catch (const algebra::ParseError& error) {
      throw InputError({}, fmt::format("--at {}={}: {}", given.name, given.formula, error.wrong),
                       error.remedy);
    }
  }

  const describe::Model& model_;
  Equations equations_;
  LinearTerms terms_;
  algebra::Graph::Scope scope_;
  std::map<std::string, Expr> values_;
  std::vector<std::string> initial_values_;
  std::vector<Expr> from_, to_;
  std::vector<Expr> all_from_, all_to_;  // with the sines and cosines of the angles
};

/// N(q) of simulate/linear/tangent.h, and ad(qd).
Matrix tangent_map(const AtPoint& at, const describe::Model& model) {
  const std::vector<Expr> q = at.at_point(at.input("q"));
  Matrix N(q.size(), at.nv());
  std::size_t iq = 0, iv = 0;
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (!traits.has_quaternion()) {
      for (std::size_t k = 0; k < traits.nv; ++k) N(iq + k, iv + k) = Expr(1.0);
    } else {
      const std::size_t c = iq + static_cast<std::size_t>(traits.quaternion_at);
      const Expr w = q[c], x = q[c + 1], y = q[c + 2], z = q[c + 3], half(0.5), two(2.0), one(1.0);
      const Expr rates[4][3] = {{-x, -y, -z}, {w, -z, y}, {z, w, -x}, {-y, x, w}};
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < 3; ++k) N(c + i, iv + k) = half * rates[i][k];
      const Expr R[3][3] = {{one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)},
                            {two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x)},
                            {two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y)}};
      for (std::size_t i = 0; i < 3 && traits.nv == 6; ++i)
        for (std::size_t k = 0; k < 3; ++k) N(iq + i, iv + 3 + k) = R[i][k];
    }
    iq += traits.nq();
    iv += traits.nv;
  }
  return N;
}

/// -ad(qd)
Matrix minus_ad(const std::vector<Expr>& qd, const describe::Model& model) {
  Matrix X(qd.size(), qd.size());
  std::size_t v = 0;
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    const auto put = [&](std::size_t row, std::size_t column, std::size_t from) {
      const Expr x = qd[from], y = qd[from + 1], z = qd[from + 2];
      const Expr cross[3][3] = {{Expr(), z, -y}, {-z, Expr(), x}, {y, -x, Expr()}};
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) X(row + i, column + j) = cross[i][j];
    };
    if (traits.has_quaternion()) {
      put(v, v, v);
      if (traits.nv == 6) {
        put(v + 3, v + 3, v);
        put(v + 3, v, v + 3);
      }
    }
    v += traits.nv;
  }
  return X;
}

std::vector<std::string> displacement_names(const describe::Model& model) {
  std::vector<std::string> names;
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (traits.has_quaternion()) {
      for (const char* turn : {".rx", ".ry", ".rz"}) names.push_back(joint.name + turn);
      for (const char* shift : {".dx", ".dy", ".dz"})
        if (traits.nv == 6) names.push_back(joint.name + shift);
    } else {
      for (const describe::JointAxis& axis : joint.axes) names.push_back(axis.name);
    }
  }
  return names;
}

Eigen::MatrixXd numbers(const AtPoint& at, const Matrix& x, const std::vector<int>& rows) {
  Eigen::MatrixXd result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(x.cols));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < x.cols; ++j)
      result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          at.value(x(static_cast<std::size_t>(rows[i]), j));
  return result;
}

/// Weights for partition(): zero for what must be independent.
std::vector<double> weights(const describe::Model& model, const std::vector<std::string>& names,
                            const std::vector<std::string>& independent, bool speeds) {
  std::vector<double> weight;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      weight.push_back((axis.passive || joint.axes.size() > 2 ? 1.0 : kActuated) *
                       (axis.is_rotation ? 1.0 : kShift));
  for (std::size_t k = 0; k < weight.size(); ++k)
    for (const std::string& name : independent)
      if (names[k] == name || (speeds && describe::rate_name(names[k]) == name)) weight[k] = 0.0;
  return weight;
}

/// A with A_d X_d = right, in the rows of the dependent ones; the other rows zero.
Matrix solved(const Matrix& A, const Partition& parts, const Matrix& right, std::size_t n,
              const std::function<void()>& refuse) {
  Matrix result(n, right.cols);
  if (parts.dependent.empty()) return result;
  const Matrix A_d = part(A, parts.rows, parts.dependent);
  for (std::size_t j = 0; j < right.cols; ++j) {
    std::vector<Expr> b;
    bool any = false;
    for (const int row : parts.rows) {
      b.push_back(-right(static_cast<std::size_t>(row), j));
      any |= !algebra::is_zero(b.back());
    }
    if (!any) continue;
    const std::vector<Expr> x = solve_linear(A_d.x, b, refuse);
    for (std::size_t k = 0; k < x.size(); ++k)
      result(static_cast<std::size_t>(parts.dependent[k]), j) = reduced(x[k]);
  }
  return result;
}

Matrix with_one(Matrix dependent, const Partition& parts) {
  Matrix T(dependent.rows, parts.independent.size());
  for (std::size_t j = 0; j < parts.independent.size(); ++j) {
    T(static_cast<std::size_t>(parts.independent[j]), j) = Expr(1.0);
    for (const int k : parts.dependent)
      T(static_cast<std::size_t>(k), j) = dependent(static_cast<std::size_t>(k), j);
  }
  return T;
}

double size_of(const AtPoint& at, const Matrix& x) {
  double size = 0.0;
  for (const Expr e : x.x) size = std::max(size, std::abs(at.value(e)));
  return size;
}

/// Fractions reduced, dust gone. `size`: of what it is a part of, where that may be all zero itself.
void clean(const AtPoint& at, Matrix& x, double size = 0.0) {
  size = std::max(size, size_of(at, x));
  for (Expr& e : x.x) {
    if (e.is_constant()) {
      if (std::abs(e.value()) <= kDust * size) e = Expr(0.0);
      continue;
    }
    e = collected(e);
    if (at.vanishes(e, std::max(size, 1e-300))) {
      e = Expr(0.0);
      continue;
    }
    algebra::TrigVariables variables;
    algebra::TrigConverter convert(variables, {.terms = 500, .products = 50'000});
    if (const auto p = convert(e)) {
      const algebra::TrigPolynomial whole = p->without_below(kDust * p->norm());
      e = algebra::to_cheapest_expr(whole, variables);
    }
  }
}

void add_all(Sheet& sheet, const algebra::Graph& graph, std::vector<SheetPart> parts, int digits) {
  ShortestForm form(graph, digits);
  std::vector<SheetSection> sections;
  bool readable = true;
  for (const SheetPart& one : parts) {
    sections.push_back({one.key, one.title, {}});
    readable = readable && add_readable(sections.back(), *one.block, form, one.upper_triangle);
  }
  if (readable)
    for (SheetSection& section : sections) sheet.sections.push_back(std::move(section));
  else
    add_shared_form(sheet, graph, parts);
}

}  // namespace

Sheet linear_sheet(const describe::Model& model, const Options& options, int digits) {
  const Equations equations(model, options);
  require_regular_mass(equations, "a linear model");
  const Function function = equations.linear_model();
  const algebra::Graph::Scope scope(*function.graph);
  Sheet sheet = sheet_of(model, function, kLinearNote);
  std::vector<Block> blocks;
  for (const char* name : {"M", "C", "K"}) blocks.push_back(*block_named(function.outputs, name));
  // Where that makes them shorter altogether, every element in its canonical form.
  std::vector<Expr> as_derived, collected;
  for (const Block& block : blocks)
    as_derived.insert(as_derived.end(), block.entries.begin(), block.entries.end());
  const std::vector<SheetPart> parts{{"M", kMassTitle, &blocks[0], true},
                                     {"C", "d tau/d u", &blocks[1], false},
                                     {"K", "d tau/d q", &blocks[2], false}};
  if (algebra::needed_nodes(as_derived).size() > kMostCollected) {
    add_shared_form(sheet, *function.graph, parts);
    return sheet;
  }
  algebra::TrigVariables variables;
  algebra::TrigConverter convert(variables, kCollecting);
  for (const Expr e : as_derived) {
    collected.push_back(e);
    if (const auto p = convert(e))
      if (const Expr form = algebra::to_cheapest_expr(*p, variables); algebra::cost(form) < algebra::cost(e))
        collected.back() = form;
  }
  if (algebra::count_operations(collected).total() < algebra::count_operations(as_derived).total()) {
    std::size_t next = 0;
    for (Block& block : blocks)
      for (Expr& e : block.entries) e = collected[next++];
  }
  add_all(sheet, *function.graph, parts, digits);
  return sheet;
}

LinearPoint point_of_file(const std::string& path, const describe::Settings& settings,
                          const describe::Reading& reading) {
  describe::InitialFormulas formulas = describe::initial_formulas(path, settings, reading);
  LinearPoint point;
  point.initial_q = std::move(formulas.q);
  point.initial_u = std::move(formulas.u);
  return point;
}

Sheet linear_sheet_at(const describe::Model& model, const Options& options, const LinearPoint& given,
                      const std::vector<std::string>& independent, int digits) {
  const AtPoint at(model, options, given);
  const algebra::Graph::Scope scope(*at.graph());
  const std::size_t n = at.nv(), m = at.rows();
  const std::vector<std::string> coordinates = displacement_names(model);
  const std::vector<std::string> speeds = names_of(*at.graph(), at.input("u"));
  const auto label = [&](int row) {
    return at.equations().constraint_rows()[at.terms().rows[static_cast<std::size_t>(row)]].label;
  };
  const auto place_of = [&](int row) {
    const auto of =
        at.equations().constraint_rows()[at.terms().rows[static_cast<std::size_t>(row)]].constraint;
    return model.constraints[static_cast<std::size_t>(of)].where;
  };
  const auto refuse = [&] {
    throw InputError(m > 0 ? place_of(0) : Place{model.file},
                     "the dependent speeds cannot be solved for at this point",
                     "the position is singular there, or name other independent speeds");
  };

  // The constraints at the point.
  const Matrix Phi = at("Phi"), V = at("V"), A = at("A"), N = tangent_map(at, model), Phi_q = at("Phi_q") * N;
  std::vector<std::string> notes;
  for (std::size_t k = 0; k < m; ++k)
    for (const Expr error : {Phi(k, 0), V(k, 0)}) {
      const double value = std::abs(at.value(error));
      if (!(value <= kFits))
        throw InputError(place_of(static_cast<int>(k)),
                         fmt::format("the point violates `{}` by {:.3g}", label(static_cast<int>(k)), value),
                         "`tactus linear --steady` finds a point that fits; give its values with --at");
      if (!at.vanishes(error, kFits / kDust))
        notes.push_back(fmt::format("`{}` holds at this point for the parameters as given, not for all",
                                    label(static_cast<int>(k))));
    }
  std::vector<int> holonomic;
  for (std::size_t k = 0; k < m; ++k)
    if (at.equations().constraint_rows()[at.terms().rows[k]].holonomic)
      holonomic.push_back(static_cast<int>(k));
  Partition of_q = partition(numbers(at, Phi_q, holonomic), weights(model, coordinates, independent, false));
  const std::vector<std::string> plain_speeds = model.speed_names();
  const Partition of_u =
      partition(numbers(at, A, all_of(m)), weights(model, plain_speeds, independent, true));
  for (int& row : of_q.rows) row = holonomic[static_cast<std::size_t>(row)];
  if (of_q.stuck >= 0 || of_u.stuck >= 0)
    throw InputError(place_of(of_q.stuck >= 0 ? holonomic[static_cast<std::size_t>(of_q.stuck)] : of_u.stuck),
                     "the coordinates and speeds named cannot be independent: constraints tie them",
                     "name fewer of them, or others");

  // dq = T_q dq_i, du = T_u du_i + R dq_i.
  const Matrix T_q = with_one(solved(Phi_q, of_q, part(Phi_q, all_of(m), of_q.independent), n, refuse), of_q);
  const Matrix T_u = with_one(solved(A, of_u, part(A, all_of(m), of_u.independent), n, refuse), of_u);
  const Matrix R = solved(A, of_u, at("V_q") * N * T_q, n, refuse);

  // Reference: dependent accelerations, multipliers, and what is left for the actuators.
  const Matrix M = at("M");
  const Matrix udot = solved(A, of_u, at("G"), n, refuse);
  std::vector<Expr> lambda(m);
  const auto in_reference = [&](std::string_view name) {
    // udot and lambda stand in F, F_q, F_u, G_q, G_u as symbols of the function; those named are replaced already.
    const Block* block = block_named(at.terms().function.outputs, name);
    std::vector<Expr> from = at.input("lambda"), to = lambda;
    const std::vector<Expr>& accelerations = at.input("udot");
    for (const int k : of_u.dependent) {
      const auto i = static_cast<std::size_t>(k);
      if (algebra::is_zero(udot(i, 0))) continue;
      from.push_back(accelerations[i]);
      to.push_back(udot(i, 0));
    }
    const std::vector<Expr> first = algebra::substitute(block->entries, *at.graph(), from, to);
    return Matrix(static_cast<std::size_t>(block->rows), static_cast<std::size_t>(block->cols),
                  at.at_point(first));
  };
  const Matrix F0 = in_reference("F");  // at lambda = 0
  if (!of_u.dependent.empty()) {
    Matrix A_dT = transposed(part(A, of_u.rows, of_u.dependent));
    std::vector<Expr> b;
    for (const int k : of_u.dependent) b.push_back(F0(static_cast<std::size_t>(k), 0));
    const std::vector<Expr> x = solve_linear(A_dT.x, b, refuse);
    for (std::size_t k = 0; k < x.size(); ++k) lambda[static_cast<std::size_t>(of_u.rows[k])] = reduced(x[k]);
  }
  const Matrix F_q = in_reference("F_q") * N, F_u = in_reference("F_u"), G_q = in_reference("G_q") * N,
               G_u = in_reference("G_u");
  const Matrix udot_q = solved(A, of_u, G_q * T_q + G_u * R, n, refuse),
               udot_u = solved(A, of_u, G_u * T_u, n, refuse);
  const Matrix T_uT = transposed(T_u);
  Matrix Mr = T_uT * (M * T_u), Cr = T_uT * (M * udot_u + F_u * T_u),
         Kr = T_uT * (M * udot_q + F_q * T_q + F_u * R);
  Matrix held = T_uT * F0;
  // Inputs: the actuators that there are.
  const Matrix F_tau = at("F_tau");
  std::vector<int> actuated;
  for (std::size_t j = 0; j < F_tau.cols; ++j)
    for (std::size_t i = 0; i < n; ++i)
      if (!algebra::is_zero(F_tau(i, j)) && (actuated.empty() || actuated.back() != static_cast<int>(j)))
        actuated.push_back(static_cast<int>(j));
  Matrix Fr = T_uT * part(F_tau, all_of(n), actuated);
  for (Expr& e : Fr.x) e = -e;
  // Rates of the coordinates.
  const Matrix qd_u = at("qd_u");
  Matrix rate_q = part(at("qd_q") * N * T_q + qd_u * R + minus_ad(at("qd").x, model) * T_q, of_q.independent,
                       all_of(of_q.independent.size()));
  Matrix rate_u = part(qd_u * T_u, of_q.independent, all_of(of_u.independent.size()));
  for (Matrix* x : {&Mr, &Cr, &Kr, &Fr, &rate_q, &rate_u}) clean(at, *x);
  // At an equilibrium nothing is left of it but rounding: by the forces that a displacement of one brings.
  clean(at, held, std::max(size_of(at, Kr), size_of(at, Cr)));

  const auto pick = [](const std::vector<std::string>& names, const std::vector<int>& which) {
    std::vector<std::string> picked;
    for (const int k : which) picked.push_back(names[static_cast<std::size_t>(k)]);
    return picked;
  };
  Sheet sheet =
      sheet_of(model, at.terms().function, "M delta udot_i + C delta u_i + K delta q_i = F delta tau");
  sheet.coordinates = pick(coordinates, of_q.independent);
  sheet.speeds = pick(speeds, of_u.independent);
  std::vector<std::string> point;
  for (const PointValue& value : given.values)
    point.push_back(fmt::format("{} = {}", value.name, value.formula));
  if (given.initial) {
    point.insert(point.end(), at.initial_values().begin(), at.initial_values().end());
    point.push_back(point.empty() ? "all 0" : "all others 0");
  }
  sheet.notes.insert(
      sheet.notes.begin() + 1,
      fmt::format("about {}{}", given.initial ? "the initial state: " : "", fmt::join(point, ", ")));
  if (m > 0) {
    sheet.notes.insert(sheet.notes.begin() + 2,
                       fmt::format("dependent coordinates ({}), dependent speeds ({})",
                                   fmt::join(pick(coordinates, of_q.dependent), ", "),
                                   fmt::join(pick(speeds, of_u.dependent), ", ")));
  }
  const std::vector<std::string> efforts = names_of(*at.graph(), at.input("tau"));
  sheet.notes.push_back(fmt::format("inputs ({})", fmt::join(pick(efforts, actuated), ", ")));
  sheet.notes.insert(sheet.notes.end(), notes.begin(), notes.end());

  const auto block = [](const char* name, const Matrix& x) {
    return Block{name, "", static_cast<int>(x.rows), static_cast<int>(x.cols), x.x};
  };
  const Block bM = block("M", Mr), bC = block("C", Cr), bK = block("K", Kr), bF = block("F", Fr),
              bf = block("f", held), bE = block("E", rate_q), bH = block("H", rate_u);
  std::vector<SheetPart> parts{{"M", kMassTitle, &bM, true},
                               {"C", "by the speeds", &bC, false},
                               {"K", "by the coordinates", &bK, false},
                               {"F", "by the inputs", &bF, false}};
  const auto is_nothing = [](const Matrix& x) {
    return std::all_of(x.x.begin(), x.x.end(), [](Expr e) { return algebra::is_zero(e); });
  };
  if (!is_nothing(held))
    parts.push_back({"f", "generalised forces that hold the point (none at an equilibrium)", &bf, false});
  bool plain = is_nothing(rate_q) && rate_u.rows == rate_u.cols;
  for (std::size_t i = 0; plain && i < rate_u.rows; ++i)
    for (std::size_t j = 0; j < rate_u.cols; ++j)
      plain = plain && rate_u(i, j).is_constant(i == j ? 1.0 : 0.0);
  if (!plain) {
    sheet.notes.insert(sheet.notes.begin() + 1, "d/dt delta q_i = E delta q_i + H delta u_i");
    parts.push_back({"E", "rates of the coordinates by the coordinates", &bE, false});
    parts.push_back({"H", "and by the speeds", &bH, false});
  }
  add_all(sheet, *at.graph(), parts, digits);
  std::erase_if(sheet.sections, [](const SheetSection& section) { return section.equations.empty(); });
  return sheet;
}

}  // namespace tactus::derive
