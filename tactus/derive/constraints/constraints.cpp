#include <tactus/derive/constraints/constraints.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_map>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/derive/constraints/touching.h>
#include <tactus/derive/tree/formulas.h>
#include <tactus/describe/model/constraint.h>

namespace tactus::derive {

using describe::Constraint;
using describe::ConstraintType;
using describe::JointType;
using describe::Model;
using describe::Rolling;

namespace {

/// A row that cannot move but is off by more than this [m, rad] cannot be met; below it is rounding.
constexpr double kOff = 1e-9;
/// The rate of a geometric row [m/s, rad/s] at speeds of about 1 below which it is rounding.
constexpr double kRounding = 1e-13;
constexpr int kDraws = 3;

[[noreturn]] void refuse(const Constraint& constraint, const std::string& label, double off) {
  throw InputError(
      constraint.where,
      fmt::format("the constraint `{}` can never be met: its row `{}` is off by {:.6g} whatever the "
                  "coordinates are",
                  constraint.name, label, off),
      "check the placements of its frames");
}

class Rows {
 public:
  Rows(const Model& model, const Numbers& numbers, const Tree<Expr>& tree, const Motion<Expr>& motion,
       const Symbols& symbols, const SpeedMap& speeds, ConstraintEquations& result)
      : model_(model),
        numbers_(numbers),
        symbols_(symbols),
        stations_(tree, motion, speeds.rates),
        speeds_(speeds),
        result_(result) {
    const std::vector<Expr> rates = coordinate_rates(model, symbols, speeds.rates);
    for (std::size_t i = 0; i < rates.size(); ++i) moving_.emplace(symbols.q[i].node(), rates[i]);
    moving_.emplace(symbols.t.node(), Expr(1.0));
    for (std::size_t i = 0; i < symbols.u.size(); ++i) speeds_by_symbol_.emplace(symbols.u[i].node(), i);
  }

  void add(int index) {
    index_ = index;
    constraint_ = &model_.constraints[static_cast<std::size_t>(index)];
    const Constraint& c = *constraint_;
    switch (c.type) {
      case ConstraintType::equation:
        for (std::size_t k = 0; k < c.equations.size(); ++k)
          holonomic(number_of(k, c.equations), formula(c.equations[k]));
        return;
      case ConstraintType::rates:
        for (std::size_t k = 0; k < c.equations.size(); ++k)
          nonholonomic(number_of(k, c.equations), formula(c.equations[k]));
        return;
      default:
        break;
    }
    const Station a = station(c.frame_a), b = station(c.frame_b);
    const Vec3<Expr> d = b.p_WF - a.p_WF, dv = b.v - a.v;
    switch (c.type) {
      case ConstraintType::closure:
        closure(a, b);
        break;
      case ConstraintType::on_line:
        along(a, b, 0);
        along(a, b, 1);
        break;
      case ConstraintType::on_plane:
        along(a, b, 2);
        break;
      case ConstraintType::on_circle:
        along(a, b, 2);
        at_distance("radius", d, dv, numbers_(c.radius));
        break;
      case ConstraintType::on_sphere:
        at_distance("radius", d, dv, numbers_(c.radius));
        break;
      case ConstraintType::distance:
        at_distance("length", d, dv, numbers_(c.length));
        break;
      case ConstraintType::parallel:
        parallel_z(a, b);
        break;
      case ConstraintType::on_surface:
        on_surface(a, b);
        break;
      case ConstraintType::rolling:
        rolling(a, b);
        break;
      default:
        break;
    }
  }

 private:
  std::string number_of(std::size_t k, const std::vector<Expr>& all) const {
    return all.size() == 1 ? std::string() : std::to_string(k + 1);
  }

  /// A user's formula in the current graph.
  Expr formula(Expr e) const {
    return formulas_of_motion(model_, numbers_, symbols_, speeds_, stations_, std::span(&e, 1)).front();
  }

  Station station(int frame) const {
    const describe::Frame& f = model_.frames[static_cast<std::size_t>(frame)];
    return stations_.at(f.body, numbers_(f.X_BF));
  }

  // A row is made of a few symbols: only these are looked at, however many the mechanism has.
  Expr rate_of(Expr phi) const {
    std::vector<Expr> moving, rates;
    for (const Expr symbol : algebra::symbols_in(std::span(&phi, 1))) {
      const auto found = moving_.find(symbol.node());
      if (found == moving_.end()) continue;
      moving.push_back(symbol);
      rates.push_back(found->second);
    }
    return algebra::directional_derivative(std::span(&phi, 1), moving, rates).front();
  }

  int price(Expr velocity) const {
    std::vector<std::size_t> at;
    for (const Expr symbol : algebra::symbols_in(std::span(&velocity, 1)))
      if (const auto found = speeds_by_symbol_.find(symbol.node()); found != speeds_by_symbol_.end())
        at.push_back(found->second);
    std::sort(at.begin(), at.end());
    std::vector<Expr> speeds;
    for (const std::size_t i : at) speeds.push_back(symbols_.u[i]);
    return algebra::count_operations(algebra::jacobian(std::span(&velocity, 1), speeds)).total();
  }

  std::string label(const std::string& direction) const {
    return direction.empty() ? constraint_->name : constraint_->name + "." + direction;
  }

  void push(const std::string& direction, bool is_holonomic, Expr phi, Expr velocity) {
    if (algebra::is_zero(velocity)) {
      if (phi.is_constant() && std::fabs(phi.value()) > kOff) {
        refuse(*constraint_, label(direction), phi.value());
      }
      result_.vanished.push_back(label(direction));
      return;
    }
    result_.rows.push_back({index_, label(direction), is_holonomic, phi, velocity});
  }

  /// A position row. Its rate is the graph's derivative, or the geometric one where that is cheaper (unit
  /// quaternions).
  void holonomic(const std::string& direction, Expr phi, std::optional<Expr> geometric = std::nullopt) {
    Expr velocity = rate_of(phi);
    if (geometric && !algebra::is_zero(velocity) && price(*geometric) < price(velocity))
      velocity = *geometric;
    push(direction, true, phi, velocity);
  }

  void nonholonomic(const std::string& direction, Expr velocity) {
    push(direction, false, Expr(0.0), velocity);
  }

  /// The component of b's position along a's axis k, seen from a.
  void along(const Station& a, const Station& b, std::size_t k) {
    const Vec3<Expr> d = b.p_WF - a.p_WF, e = a.R_WF.col(k);
    holonomic(axis_name(k), dot(e, d), dot(e, b.v - a.v) + dot(cross(a.w, e), d));
  }

  /// Axis i of a stays across axis j of b.
  void across(const Station& a, const Station& b, std::size_t i, std::size_t j) {
    const Vec3<Expr> e = a.R_WF.col(i), f = b.R_WF.col(j);
    holonomic(fmt::format("{}{}", axis_name(i), axis_name(j)), dot(e, f), dot(b.w - a.w, cross(f, e)));
  }

  static std::string axis_name(std::size_t k) { return k == 0 ? "x" : k == 1 ? "y" : "z"; }

  void parallel_z(const Station& a, const Station& b) {
    across(a, b, 0, 2);
    across(a, b, 1, 2);
  }

  /// The origins meet, in world axes.
  void meet(const Station& a, const Station& b) {
    const Vec3<Expr> d = b.p_WF - a.p_WF, dv = b.v - a.v;
    for (std::size_t k = 0; k < 3; ++k) holonomic(axis_name(k), d[k], dv[k]);
  }

  /// Equal orientation: the skew part of R_ab, half of (e_i . f_j - e_j . f_i).
  void same_orientation(const Station& a, const Station& b) {
    const char* names[] = {"rx", "ry", "rz"};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      const Vec3<Expr> ai = a.R_WF.col(i), aj = a.R_WF.col(j), bi = b.R_WF.col(i), bj = b.R_WF.col(j);
      const Expr half(0.5);
      // R_ab(j, i) - R_ab(i, j) = a_j . b_i - a_i . b_j
      holonomic(names[k], half * (dot(aj, bi) - dot(ai, bj)),
                half * dot(b.w - a.w, cross(bi, aj) - cross(bj, ai)));
    }
  }

  void closure(const Station& a, const Station& b) {
    switch (constraint_->closure) {
      case JointType::weld:
        meet(a, b);
        same_orientation(a, b);
        break;
      case JointType::revolute:
        meet(a, b);
        parallel_z(a, b);
        break;
      case JointType::spherical:
        meet(a, b);
        break;
      case JointType::universal:
        meet(a, b);
        across(a, b, 2, 2);
        break;
      case JointType::prismatic:
        along(a, b, 0);
        along(a, b, 1);
        same_orientation(a, b);
        break;
      case JointType::cylindrical:
        along(a, b, 0);
        along(a, b, 1);
        parallel_z(a, b);
        break;
      case JointType::planar:
        along(a, b, 2);
        parallel_z(a, b);
        break;
      default:
        throw InputError(constraint_->where, fmt::format("`{}` cannot close a loop", constraint_->kind),
                         "use weld, revolute, prismatic, cylindrical, universal, spherical or planar");
    }
  }

  /// |d| = length, written (d.d - length^2)/(2 length): as regular as the length itself, without a root.
  void at_distance(const char* what, const Vec3<Expr>& d, const Vec3<Expr>& dv, Expr length) {
    const Expr scale = Expr(0.5) / length;
    holonomic(what, scale * (dot(d, d) - length * length), (Expr(1.0) / length) * dot(d, dv));
  }

  void on_surface(const Station& a, const Station& b) {
    const Vec3<Expr> p = transpose_times(a.R_WF, b.p_WF - a.p_WF);
    const std::vector<Expr> x{algebra::symbol("x"), algebra::symbol("y"), algebra::symbol("z")},
        at{p.x, p.y, p.z};
    const std::vector<Expr> surfaces = numbers_.formulas(constraint_->equations);
    for (std::size_t k = 0; k < surfaces.size(); ++k)
      holonomic(number_of(k, surfaces), algebra::substitute(surfaces[k], algebra::Graph::current(), x, at));
  }

  void rolling(const Station& a, const Station& b) {
    const Constraint& c = *constraint_;
    const Vec3<Expr> d = b.p_WF - a.p_WF;
    const Vec3<Expr> n = a.R_WF.col(2);
    const Expr r = numbers_(c.radius);
    /// Velocity of b's material point at p_b + rho relative to a's at the same place.
    const auto slip = [&](const Vec3<Expr>& rho) {
      return b.v + cross(b.w, rho) - a.v - cross(a.w, d + rho);
    };
    switch (c.rolling) {
      case Rolling::knife_edge: {
        nonholonomic("side", dot(slip(Vec3<Expr>::zero()), b.R_WF.col(1)));
        return;
      }
      case Rolling::disk_on_plane:
      case Rolling::sphere_on_plane: {
        // The lowest point: along -n for a sphere, along -n less its part on the axis e for a disk.
        Vec3<Expr> down = -n;
        Expr depth(1.0);
        if (c.rolling == Rolling::disk_on_plane) {
          const Vec3<Expr> e = b.R_WF.col(2);
          const Expr s = dot(n, e);
          depth = sqrt(Expr(1.0) - s * s);
          down = (Expr(-1.0) / depth) * (n - s * e);
        }
        if (c.keep_contact) holonomic("contact", dot(d, n) - r * depth);
        const Vec3<Expr> v = slip(r * down);
        nonholonomic("x", dot(v, a.R_WF.col(0)));
        nonholonomic("y", dot(v, a.R_WF.col(1)));
        return;
      }
      case Rolling::ellipsoid_on_plane: {
        // Of x = S s, |s| = 1, the lowest along n: s = -S n/|S n|, S = diag(semi-axes), n in b's axes. It lies |S n| below.
        const Vec3<Expr> n_B = transpose_times(b.R_WF, n);
        Vec3<Expr> Sn, SSn;
        for (std::size_t k = 0; k < 3; ++k) {
          const Expr semi_axis = numbers_(c.semi_axes[k]);
          Sn[k] = semi_axis * n_B[k];
          SSn[k] = semi_axis * Sn[k];
        }
        const Expr depth = sqrt(dot(Sn, Sn));
        if (c.keep_contact) holonomic("contact", dot(d, n) - depth);
        const Vec3<Expr> v = slip(b.R_WF * ((Expr(-1.0) / depth) * SSn));
        nonholonomic("x", dot(v, a.R_WF.col(0)));
        nonholonomic("y", dot(v, a.R_WF.col(1)));
        return;
      }
      case Rolling::surface_on_plane: {
        const Touching low =
            lowest_point(numbers_.formulas(c.equations).front(), transpose_times(b.R_WF, n),
                         {numbers_(c.semi_axes[0]), numbers_(c.semi_axes[1]), numbers_(c.semi_axes[2])});
        const Vec3<Expr> rho = b.R_WF * low.point, v = slip(rho);
        // The contact's point wanders on the surface, across n: its own motion does not change the gap.
        if (c.keep_contact) holonomic("contact", low.trusted * dot(d + rho, n), low.trusted * dot(v, n));
        nonholonomic("x", low.trusted * dot(v, a.R_WF.col(0)));
        nonholonomic("y", low.trusted * dot(v, a.R_WF.col(1)));
        return;
      }
      case Rolling::sphere_on_surface: {
        const Vec3<Expr> p = transpose_times(a.R_WF, d);
        const Touching near = nearest_point(numbers_.formulas(c.equations).front(), p, r);
        const Vec3<Expr> m = a.R_WF * near.normal, v = slip(-(r * m));
        if (c.keep_contact)
          holonomic("contact", near.trusted * (dot(near.normal, p - near.point) - r),
                    near.trusted * dot(v, m));
        const std::array<Vec3<Expr>, 2> e = tangents(near.normal);
        nonholonomic("x", near.trusted * dot(v, a.R_WF * e[0]));
        nonholonomic("y", near.trusted * dot(v, a.R_WF * e[1]));
        return;
      }
      case Rolling::disk_on_disk: {
        const Expr ra = numbers_(c.radius_a);
        const bool inside = ra.is_constant() && ra.value() < 0.0;
        const Expr length = inside ? -ra - r : ra + r;
        const Vec3<Expr> out = (Expr(1.0) / length) * d;  // unit while the contact holds
        if (c.keep_contact) at_distance("contact", d, b.v - a.v, length);
        const Vec3<Expr> v = slip(inside ? r * out : -(r * out));
        nonholonomic("tangent", dot(v, cross(n, out)));
        return;
      }
    }
  }

  const Model& model_;
  const Numbers& numbers_;
  const Symbols& symbols_;
  Stations stations_;
  const SpeedMap& speeds_;
  ConstraintEquations& result_;
  std::unordered_map<const algebra::Node*, Expr> moving_;  // coordinates and time, and their rates
  std::unordered_map<const algebra::Node*, std::size_t> speeds_by_symbol_;
  int index_ = 0;
  const Constraint* constraint_ = nullptr;
};

bool is_geometric(const Constraint& constraint) {
  return constraint.type != ConstraintType::equation && constraint.type != ConstraintType::rates &&
         constraint.type != ConstraintType::on_surface;
}

void make_unit_quaternions(const Model& model, const Symbols& symbols,
                           std::unordered_map<const algebra::Node*, double>& values) {
  std::size_t next = 0;
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    next += traits.nq();
    if (!traits.has_quaternion()) continue;
    const std::size_t first = next - 4;
    double square = 0.0;
    for (std::size_t i = first; i < next; ++i) square += std::pow(values[symbols.q[i].node()], 2);
    for (std::size_t i = first; i < next; ++i) values[symbols.q[i].node()] /= std::sqrt(square);
  }
}

/// A planar mechanism on a tilted base has rows that vanish but for rounding: the placements are rounded
/// numbers, and no algebra sees it. Left in, their direction would be noise and bind something. They are
/// those that are rounding at some motions drawn at random, the same ones every time.
void drop_rounding(const Model& model, const Symbols& symbols, ConstraintEquations& equations) {
  std::vector<Expr> roots;
  for (const ConstraintRow& row : equations.rows) roots.insert(roots.end(), {row.phi, row.velocity});
  std::vector<double> phi(equations.rows.size()), fastest(equations.rows.size());
  std::mt19937 random(1775);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  const std::vector<Expr> needed = algebra::symbols_in(roots);
  std::unordered_map<const algebra::Node*, double> values;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (const Expr symbol : needed) values[symbol.node()] = part(random);
    make_unit_quaternions(model, symbols, values);
    const std::vector<double> result =
        algebra::evaluate(roots, [&](Expr symbol) { return values.at(symbol.node()); });
    for (std::size_t k = 0; k < equations.rows.size(); ++k) {
      phi[k] = result[2 * k];
      if (!(std::fabs(result[2 * k + 1]) <= fastest[k])) fastest[k] = std::fabs(result[2 * k + 1]);
    }
  }
  std::vector<ConstraintRow> kept;
  for (std::size_t k = 0; k < equations.rows.size(); ++k) {
    ConstraintRow& row = equations.rows[k];
    const Constraint& constraint = model.constraints[static_cast<std::size_t>(row.constraint)];
    if (!is_geometric(constraint) || !(fastest[k] < kRounding)) {
      kept.push_back(std::move(row));
      continue;
    }
    if (std::fabs(phi[k]) > kOff) refuse(constraint, row.label, phi[k]);
    equations.vanished.push_back(row.label);
  }
  equations.rows = std::move(kept);
}

}  // namespace

ConstraintEquations derive_constraints(const Model& model, const Numbers& numbers, const Tree<Expr>& tree,
                                       const Motion<Expr>& motion, const Symbols& symbols,
                                       const SpeedMap& speeds) {
  ConstraintEquations result;
  Rows rows(model, numbers, tree, motion, symbols, speeds, result);
  for (int k = 0; k < static_cast<int>(model.constraints.size()); ++k) rows.add(k);
  drop_rounding(model, symbols, result);

  std::vector<Expr> velocity;
  for (const ConstraintRow& row : result.rows) velocity.push_back(row.velocity);
  result.A = algebra::sparse_jacobian(velocity, symbols.u);
  const std::vector<Expr> still(symbols.u.size());
  result.c = algebra::substitute(velocity, algebra::Graph::current(), symbols.u, still);

  std::vector<Expr> moving = symbols.q, moving_rates = coordinate_rates(model, symbols, speeds.rates);
  moving.push_back(symbols.t);
  moving_rates.emplace_back(1.0);
  result.gamma = algebra::directional_derivative(velocity, moving, moving_rates);
  for (Expr& g : result.gamma) g = -g;
  return result;
}

}  // namespace tactus::derive
