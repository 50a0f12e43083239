#include <tactus/derive/readable/kane_tables.h>

#include <algorithm>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/derive/readable/kane.h>
#include <tactus/derive/recursion/force_laws.h>
#include <tactus/derive/recursion/loads.h>

namespace tactus::derive {

namespace {

/// Bodies towards the ground whose axes are tried. Vectors of long chains are no shorter along axes that are far away.
constexpr int kMostAxes = 6;

/// [weighted operations] Longer components are not searched for shorter forms: they will share temporaries anyway.
constexpr int kWorthReducing = 150;

Vec3<Expr> tidy(const Vec3<Expr>& v) {
  const auto one = [](Expr x) { return algebra::cost(x) > kWorthReducing ? x : reduced(x); };
  return {one(v.x), one(v.y), one(v.z)};
}

int cost(const Vec3<Expr>& v) {
  int sum = 0;
  for (std::size_t k = 0; k < 3; ++k)
    if (!algebra::is_zero(v[k])) sum += 1 + algebra::cost(v[k]);
  return sum;
}

int cost(const PartialVector& vector) {
  int sum = cost(vector.rest);
  for (const Vec3<Expr>& v : vector.partial) sum += cost(v);
  return sum;
}

/// Whether all of it was short enough to be reduced: only then other axes may make it shorter.
bool is_short(const PartialVector& vector) {
  const auto short_one = [](const Vec3<Expr>& v) { return cost(v) <= kWorthReducing; };
  return short_one(vector.rest) && std::all_of(vector.partial.begin(), vector.partial.end(), short_one);
}

bool is_zero(const Mat3<Expr>& A) {
  for (const auto& row : A.m)
    for (const Expr x : row)
      if (!algebra::is_zero(x)) return false;
  return true;
}

Vec3<Expr> in_link(const Pose<Expr>& X, const Vec3<Expr>& p) { return X.R * p + X.p; }

}  // namespace

KaneTables::KaneTables(const describe::Model& model, const Options& options)
    : model_(model),
      options_(options),
      graph_(std::make_shared<algebra::Graph>()),
      scope_(*graph_),
      numbers_(model_, options_),
      symbols_(std::make_unique<Symbols>(model_, options_)),
      tree_(build_tree(model_, numbers_)),
      motion_(std::make_unique<Motion<Expr>>(tree_)),
      speeds_(speed_map(model_, *symbols_, numbers_)),
      links_(tree_.links.size()) {
  position(tree_, symbols_->q.data(), *motion_);
  group_angles(tree_, symbols_->q.data(), *motion_);
  if (!model_.constraints.empty())
    constraints_ = derive_constraints(model_, numbers_, tree_, *motion_, *symbols_, speeds_);
  const std::size_t n = symbols_->u.size();
  M_.assign(n * n, Expr());
  products_.assign(n, Expr());
  active_.assign(n, Expr());
  for (std::size_t body = 1; body < model_.bodies.size(); ++body) add_inertia(static_cast<int>(body));
  add_points();
  add_loads();
}

Function KaneTables::inputs() const {
  return {"kane", "", graph_, symbols_->inputs(true, {symbols_->forces_block()}, true), {}};
}

const KaneTables::LinkPartials& KaneTables::of_link(int link) {
  std::unique_ptr<LinkPartials>& known = links_[static_cast<std::size_t>(link)];
  if (known != nullptr) return *known;
  known = std::make_unique<LinkPartials>();
  std::vector<Vec3<Expr>> angular, linear;  // per joint rate
  joint_rate_partials(tree_, *motion_, link, angular, linear);
  const std::size_t n = symbols_->u.size();
  for (std::size_t r = 0; r <= n; ++r) {
    Vec3<Expr> w = Vec3<Expr>::zero(), v = w;
    for (std::size_t j = 0; j < n; ++j) {
      const Expr rate = r < n ? speeds_.W_at(j, r) : speeds_.X[j];
      w = w + rate * angular[j];
      v = v + rate * linear[j];
    }
    known->angular.push_back(tidy(w));
    known->linear.push_back(tidy(v));
  }
  return *known;
}

/// Of a point p_L fixed in the body's link, or the angular velocity; along the body's own axes.
PartialVector KaneTables::velocity(const std::string& name, bool angular, int body, const Vec3<Expr>& p_L) {
  const auto& place = tree_.bodies[static_cast<std::size_t>(body)];
  const std::size_t n = symbols_->u.size();
  PartialVector result{angular, name, place.link, body, {}, Vec3<Expr>::zero()};
  result.partial.assign(n, Vec3<Expr>::zero());
  if (place.link < 0) return result;
  const LinkPartials& link = of_link(place.link);
  for (std::size_t r = 0; r <= n; ++r) {
    const Vec3<Expr>& w = link.angular[r];
    (r < n ? result.partial[r] : result.rest) =
        tidy(transpose_times(place.X_LB.R, angular ? w : link.linear[r] + cross(w, p_L)));
  }
  return result;
}

/// The whole vector: sum over the speeds.
Vec3<Expr> KaneTables::along(const PartialVector& vector) const {
  Vec3<Expr> sum = vector.rest;
  for (std::size_t r = 0; r < vector.partial.size(); ++r) sum = sum + symbols_->u[r] * vector.partial[r];
  return sum;
}

/// Angular velocity of a body along its own axes.
Vec3<Expr> KaneTables::spin_of(int body) {
  if (tree_.bodies[static_cast<std::size_t>(body)].link < 0) return Vec3<Expr>::zero();
  return along(velocity({}, true, body, Vec3<Expr>::zero()));
}

/// The rates of components, the speeds held still.
Vec3<Expr> KaneTables::rate_of(const Vec3<Expr>& x) const {
  std::vector<Expr> moving = symbols_->q;
  std::vector<Expr> rates = coordinate_rates(model_, *symbols_, speeds_.rates);
  moving.push_back(symbols_->t);
  rates.emplace_back(1.0);
  const Expr entries[] = {x.x, x.y, x.z};
  const std::vector<Expr> d = algebra::directional_derivative(entries, moving, rates);
  return {d[0], d[1], d[2]};
}

/// Components along the axes of the body `from`, made components along those of `to`.
Vec3<Expr> KaneTables::turned(const Vec3<Expr>& v, int from, int to) const {
  if (from == to) return v;
  const auto& a = tree_.bodies[static_cast<std::size_t>(from)];
  const auto& b = tree_.bodies[static_cast<std::size_t>(to)];
  std::vector<int> way;  // from `to` to the ground
  for (int i = b.link; i >= 0; i = tree_.links[static_cast<std::size_t>(i)].parent) way.push_back(i);
  Vec3<Expr> x = a.X_LB.R * v;
  int at = a.link;
  while (at >= 0 && std::find(way.begin(), way.end(), at) == way.end()) {
    const Link<Expr>& link = tree_.links[static_cast<std::size_t>(at)];
    x = to_parent(link, *motion_, at, x);
    at = link.parent;
  }
  auto next = at < 0 ? way.rbegin() : std::make_reverse_iterator(std::find(way.begin(), way.end(), at));
  for (; next != way.rend(); ++next)
    x = to_link(tree_.links[static_cast<std::size_t>(*next)], *motion_, *next, x);
  return tidy(transpose_times(b.X_LB.R, x));
}

/// A body of each link from this one to the ground, `own` first, the ground last.
std::vector<int> KaneTables::bodies_below(int link, int own) const {
  std::vector<int> bodies{own};
  for (int i = link; i >= 0; i = tree_.links[static_cast<std::size_t>(i)].parent) {
    if (static_cast<int>(bodies.size()) > kMostAxes) return bodies;
    const auto on_link = [&](const auto& place) { return place.link == i; };
    const auto found = std::find_if(tree_.bodies.begin(), tree_.bodies.end(), on_link);
    if (found == tree_.bodies.end()) continue;
    const int body = static_cast<int>(found - tree_.bodies.begin());
    if (body != own) bodies.push_back(body);
  }
  if (own != 0) bodies.push_back(0);
  return bodies;
}

PartialVector KaneTables::in_shortest_axes(const PartialVector& vector) const {
  PartialVector best = vector;
  if (!is_short(vector)) return best;
  for (const int body : bodies_below(vector.link, vector.axes)) {
    if (body == vector.axes) continue;
    PartialVector other = vector;
    other.axes = body;
    other.rest = turned(vector.rest, vector.axes, body);
    for (Vec3<Expr>& v : other.partial) v = turned(v, vector.axes, body);
    if (cost(other) < cost(best)) best = std::move(other);
  }
  return best;
}

/// F*_r of one body, and its weight in F_r.
void KaneTables::add_inertia(int index) {
  const describe::Body& body = model_.bodies[static_cast<std::size_t>(index)];
  const auto& place = tree_.bodies[static_cast<std::size_t>(index)];
  if (place.link < 0) return;
  const std::size_t n = symbols_->u.size();
  const Expr m = numbers_(body.mass);
  const Mat3<Expr> I = numbers_(body.inertia);

  if (!is_zero(I)) {
    // The axes along which the inertia is constant, and the angular velocity shortest.
    const PartialVector own = velocity(body.name, true, index, Vec3<Expr>::zero());
    PartialVector omega = own;
    Mat3<Expr> I_A = I;
    for (const int axes : is_short(own) ? bodies_below(place.link, index) : std::vector<int>{}) {
      Mat3<Expr> R;  // to the axes of A
      for (std::size_t k = 0; k < 3; ++k) {
        Vec3<Expr> unit = Vec3<Expr>::zero();
        unit[k] = Expr(1.0);
        const Vec3<Expr> column = turned(unit, index, axes);
        for (std::size_t i = 0; i < 3; ++i) R(i, k) = column[i];
      }
      Mat3<Expr> there = axes == index ? I : R * I * R.transposed();
      std::vector<Expr> entries;
      for (auto& row : there.m)
        for (Expr& x : row) entries.push_back(x = algebra::simplify(x));
      const std::vector<Expr> used = algebra::symbols_in(entries);
      const bool constant = std::none_of(used.begin(), used.end(), [&](Expr s) {
        return std::find(symbols_->q.begin(), symbols_->q.end(), s) != symbols_->q.end();
      });
      if (!constant || axes == index) continue;
      PartialVector other = own;
      other.axes = axes;
      other.rest = turned(own.rest, index, axes);
      for (Vec3<Expr>& v : other.partial) v = turned(v, index, axes);
      if (cost(other) >= cost(omega)) continue;
      omega = std::move(other);
      I_A = there;
    }
    const Vec3<Expr> H = I_A * along(omega);
    const Vec3<Expr> Hd = rate_of(H) + cross(spin_of(omega.axes), H);
    for (std::size_t r = 0; r < n; ++r) {
      products_[r] += dot(omega.partial[r], Hd);
      const Vec3<Expr> H_r = I_A * omega.partial[r];
      for (std::size_t s = 0; s < n; ++s) M_[r * n + s] += dot(H_r, omega.partial[s]);
    }
    vectors_.push_back(std::move(omega));
  }
  if (!algebra::is_zero(m)) {
    const PartialVector v =
        in_shortest_axes(velocity(body.name, false, index, in_link(place.X_LB, numbers_(body.com))));
    const Vec3<Expr> whole = along(v);
    const Vec3<Expr> a = rate_of(whole) + cross(spin_of(v.axes), whole);
    const Vec3<Expr> g = turned(tree_.gravity, 0, v.axes);
    for (std::size_t r = 0; r < n; ++r) {
      products_[r] += m * dot(v.partial[r], a);
      active_[r] += m * dot(v.partial[r], g);
      for (std::size_t s = 0; s < n; ++s) M_[r * n + s] += m * dot(v.partial[r], v.partial[s]);
    }
    vectors_.push_back(v);
  }
}

/// Where wrenches act: the points that are no mass centres, and the bodies without inertia of their own.
void KaneTables::add_points() {
  for (const WrenchInput& input : options_.wrenches) {
    const describe::Frame& frame = model_.frames[static_cast<std::size_t>(input.frame)];
    const describe::Body& body = model_.bodies[static_cast<std::size_t>(frame.body)];
    const auto& place = tree_.bodies[static_cast<std::size_t>(frame.body)];
    if (place.link < 0) continue;
    const Vec3<Expr> p = numbers_(frame.X_BF.p), com = numbers_(body.com);
    const bool at_mass_centre =
        !algebra::is_zero(numbers_(body.mass)) && p.x == com.x && p.y == com.y && p.z == com.z;
    if (!at_mass_centre)
      vectors_.push_back(in_shortest_axes(velocity(frame.name, false, frame.body, in_link(place.X_LB, p))));
    const auto turns = [&](const PartialVector& v) { return v.angular && v.name == body.name; };
    if (std::none_of(vectors_.begin(), vectors_.end(), turns))
      vectors_.push_back(in_shortest_axes(velocity(body.name, true, frame.body, Vec3<Expr>::zero())));
  }
}

/// F_r of springs and wrenches on links, of what acts at joints; F*_r of rotors.
void KaneTables::add_loads() {
  const std::size_t n = symbols_->u.size();
  std::vector<OutsideWrench<Expr>> wrenches =
      outside_wrenches(model_, options_, numbers_, tree_, *motion_, speeds_.rates, symbols_->wrench);
  const LawTerms laws{model_, numbers_, *symbols_, speeds_};
  add_law_wrenches(laws, tree_, *motion_, speeds_.rates, wrenches);
  for (const OutsideWrench<Expr>& wrench : wrenches) {
    if (wrench.link < 0) continue;
    const LinkPartials& link = of_link(wrench.link);
    for (std::size_t r = 0; r < n; ++r)
      active_[r] += dot(link.angular[r], wrench.n) + dot(link.linear[r], wrench.f);
  }
  std::vector<Expr> loads = joint_loads(model_, options_, numbers_, symbols_->q, speeds_.rates);
  subtract_law_forces(laws, tree_, *motion_, speeds_.rates, loads);
  std::vector<bool> passive;
  for (const describe::Joint& joint : model_.joints)
    for (const describe::JointAxis& axis : joint.axes) passive.push_back(axis.passive);
  for (const Link<Expr>& link : tree_.links) {
    for (int k = 0; k < speed_count(link.kind); ++k) {
      const auto j = static_cast<std::size_t>(link.v + k);
      const Expr rotor = link.armature[static_cast<std::size_t>(k)];
      for (std::size_t r = 0; r < n; ++r) {
        const Expr W_jr = speeds_.W_at(j, r);
        active_[r] += W_jr * ((passive[j] ? Expr() : symbols_->tau[j]) - loads[j]);
        products_[r] += W_jr * rotor * speeds_.bias[j];
        for (std::size_t s = 0; s < n; ++s) M_[r * n + s] += W_jr * rotor * speeds_.W_at(j, s);
      }
    }
  }
}

}  // namespace tactus::derive
