#include <tactus/derive/readable/kane.h>

#include <cmath>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/recursion/articulated_body.h>
#include <tactus/derive/tree/mass.h>

namespace tactus::derive {

namespace {

/// Links that have inertia of their own, or on which something acts.
bool matters(const Link<Expr>& link, int i, const std::vector<OutsideWrench<Expr>>& outside) {
  const SecondMoments<Expr>& I = link.sigma;
  for (const Expr x : {link.m, link.h.x, link.h.y, link.h.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}) {
    if (!algebra::is_zero(x)) return true;
  }
  for (const OutsideWrench<Expr>& wrench : outside)
    if (wrench.link == i) return true;
  return false;
}

/// Speeds up to which couplings that cancel are looked for: those that diagonalise the mass matrix are no more.
constexpr std::size_t kMostProven = 8;
/// Of the geometric mean of two masses: what rounding leaves of a coupling that cancels.
constexpr double kCancelled = 1e-12;

/// Where no two speeds couple, whatever the coordinates are, the formulas say so: zeros beside the diagonal. A trigonometric or rational
/// function that is zero at places without any symmetry is zero everywhere.
void make_diagonal(std::vector<Expr>& M, std::size_t n) {
  for (int place = 1; place <= 5; ++place) {
    const std::vector<double> values = algebra::evaluate(
        M, [&](Expr symbol) { return 0.3 + std::fmod(0.618034 * place * (1.0 + symbol.id()), 1.0); });
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t s = 0; s < r; ++s) {
        const double masses = std::sqrt(std::abs(values[r * n + r] * values[s * n + s]));
        if (!(std::abs(values[r * n + s]) <= kCancelled * masses)) return;
      }
  }
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t s = 0; s < n; ++s)
      if (r != s) M[r * n + s] = Expr();
}

Vec3<Expr> each_reduced(const Vec3<Expr>& v) { return {reduced(v.x), reduced(v.y), reduced(v.z)}; }

}  // namespace

void joint_rate_partials(const Tree<Expr>& tree, const Motion<Expr>& motion, int i,
                         std::vector<Vec3<Expr>>& w, std::vector<Vec3<Expr>>& v) {
  w.assign(static_cast<std::size_t>(tree.nv), Vec3<Expr>::zero());
  v = w;
  // Directions of each joint on the way, carried from its own link out to link i.
  std::vector<int> path;
  for (int j = i; j >= 0; j = tree.links[static_cast<std::size_t>(j)].parent) path.insert(path.begin(), j);
  for (std::size_t start = 0; start < path.size(); ++start) {
    const Link<Expr>& joint = tree.links[static_cast<std::size_t>(path[start])];
    for (int k = 0; k < speed_count(joint.kind); ++k) {
      Vec3<Expr> wk, vk;
      joint_direction(joint, k, wk, vk);
      for (std::size_t step = start + 1; step < path.size(); ++step) {
        const int j = path[step];
        const Link<Expr>& link = tree.links[static_cast<std::size_t>(j)];
        vk = to_link(link, motion, j, vk + cross(wk, motion.r[static_cast<std::size_t>(j)]));
        wk = to_link(link, motion, j, wk);
      }
      w[static_cast<std::size_t>(joint.v + k)] = wk;
      v[static_cast<std::size_t>(joint.v + k)] = vk;
    }
  }
}

KaneEquations kane(const Tree<Expr>& tree, const Motion<Expr>& motion, const describe::Model& model,
                   const Symbols& symbols, const SpeedMap& speeds,
                   const std::vector<OutsideWrench<Expr>>& outside, const std::vector<Expr>& joint_loads,
                   bool push_passive) {
  const std::size_t n = symbols.u.size();
  KaneEquations result;
  result.partials.resize(tree.links.size());
  result.M.assign(n * n, Expr());
  result.h.assign(n, Expr());
  result.active.assign(n, Expr());

  // What moves the coordinates: for time derivatives in the body's axes.
  std::vector<Expr> moving = symbols.q;
  std::vector<Expr> moving_rates = coordinate_rates(model, symbols, speeds.rates);
  moving.push_back(symbols.t);
  moving_rates.emplace_back(1.0);
  const auto rate_of = [&](const Vec3<Expr>& x) {
    const Expr entries[] = {x.x, x.y, x.z};
    const std::vector<Expr> d = algebra::directional_derivative(entries, moving, moving_rates);
    return Vec3<Expr>{d[0], d[1], d[2]};
  };

  // The weight enters as the ground's acceleration -g, kept as a number and a direction: the number then
  // joins the constants of each body.
  const Expr g = tree.gravity.x.is_constant() && tree.gravity.y.is_constant() && tree.gravity.z.is_constant()
                     ? sqrt(dot(tree.gravity, tree.gravity))
                     : Expr(1.0);
  const Vec3<Expr> up = algebra::is_zero(g) ? Vec3<Expr>::zero() : (Expr(-1.0) / g) * tree.gravity;
  std::vector<Vec3<Expr>> lift(tree.links.size());  // `up` in each link's axes
  for (int i = 0; i < tree.size(); ++i) {
    const Link<Expr>& link = tree.links[static_cast<std::size_t>(i)];
    lift[static_cast<std::size_t>(i)] =
        to_link(link, motion, i, link.parent < 0 ? up : lift[static_cast<std::size_t>(link.parent)]);
    if (!matters(link, i, outside)) continue;

    // Partial velocities: those of the joint rates times W.
    PartialVelocities& partial = result.partials[static_cast<std::size_t>(i)];
    std::vector<Vec3<Expr>> w_rate, v_rate;
    joint_rate_partials(tree, motion, i, w_rate, v_rate);
    for (std::size_t r = 0; r < n; ++r) {
      Vec3<Expr> w = Vec3<Expr>::zero(), v = w;
      for (std::size_t j = 0; j < n; ++j) {
        w = w + speeds.W_at(j, r) * w_rate[j];
        v = v + speeds.W_at(j, r) * v_rate[j];
      }
      partial.angular.push_back(each_reduced(w));
      partial.linear.push_back(each_reduced(v));
    }
    for (std::size_t j = 0; j < n; ++j) {
      partial.angular_t = partial.angular_t + speeds.X[j] * w_rate[j];
      partial.linear_t = partial.linear_t + speeds.X[j] * v_rate[j];
    }
    partial.angular_t = each_reduced(partial.angular_t);
    partial.linear_t = each_reduced(partial.linear_t);

    // Velocity, and the accelerations that remain when udot = 0: rates of the components in the body's axes.
    Vec3<Expr> w = partial.angular_t, v = partial.linear_t;
    for (std::size_t r = 0; r < n; ++r) {
      w = w + symbols.u[r] * partial.angular[r];
      v = v + symbols.u[r] * partial.linear[r];
    }
    const Vec3<Expr> wd0 = rate_of(w);
    const Vec3<Expr> a0 = rate_of(v) + cross(w, v);
    const Vec3<Expr>& e = lift[static_cast<std::size_t>(i)];

    // Inertia forces of this body.
    const Acceleration2<Expr> U(w, wd0);
    Vec3<Expr> F = link.m * a0 + U * link.h + (g * link.m) * e;
    Vec3<Expr> N = own_moment(link.sigma, U, w, wd0, Policy{}) + cross(link.h, a0) + cross(g * link.h, e);
    for (const OutsideWrench<Expr>& wrench : outside) {
      if (wrench.link != i) continue;
      F = F - wrench.f;
      N = N - wrench.n;
    }
    const SecondMoments<Expr>& I = link.sigma;
    const SecondMoments<Expr> J{I.yy + I.zz, I.xx + I.zz, I.xx + I.yy, -I.xy, -I.xz, -I.yz};
    for (std::size_t r = 0; r < n; ++r) {
      result.h[r] += dot(partial.angular[r], N) + dot(partial.linear[r], F);
      const Vec3<Expr> N_r = J * partial.angular[r] + cross(link.h, partial.linear[r]);
      const Vec3<Expr> F_r = link.m * partial.linear[r] + cross(partial.angular[r], link.h);
      for (std::size_t s = 0; s <= r; ++s) {
        const Expr element = dot(partial.angular[s], N_r) + dot(partial.linear[s], F_r);
        result.M[r * n + s] += element;
        if (s != r) result.M[s * n + r] += element;
      }
    }
  }
  std::vector<bool> passive;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) passive.push_back(axis.passive && !push_passive);
  // What acts at the joints: armature, springs and friction, actuators.
  for (const Link<Expr>& link : tree.links) {
    for (int k = 0; k < speed_count(link.kind); ++k) {
      const auto j = static_cast<std::size_t>(link.v + k);
      const Expr armature = link.armature[static_cast<std::size_t>(k)];
      const Expr load = joint_loads[j] + armature * speeds.bias[j];
      for (std::size_t r = 0; r < n; ++r) {
        const Expr W_jr = speeds.W_at(j, r);
        result.h[r] += W_jr * load;
        if (!passive[j]) result.active[r] += W_jr * symbols.tau[j];
        for (std::size_t s = 0; s < n; ++s) result.M[r * n + s] += W_jr * armature * speeds.W_at(j, s);
      }
    }
  }
  if (!speeds.identity && n <= kMostProven) make_diagonal(result.M, n);
  return result;
}

}  // namespace tactus::derive
