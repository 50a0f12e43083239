#include <tactus/control/arm/wrist_arm.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>

namespace tactus::control {

namespace {

using Mat = math::Mat3<double>;

/// Axes count as parallel, or as meeting, within this, by the arm's size: what files round to.
constexpr double kMeets = 1e-9;
/// A sine this small: two axes of the wrist are one line.
constexpr double kAligned = 1e-9;
/// By the arm's size: the centre on the first axis, and what rounding makes of a pose at the border.
constexpr double kOnAxis = 1e-9, kBorder = 1e-12;

double norm(const Vec& a) { return std::sqrt(dot(a, a)); }

double wrapped(double angle) { return std::remainder(angle, 2.0 * M_PI); }

double determinant(const Vec& a, const Vec& b, const Vec& c) { return dot(a, cross(b, c)); }

/// x a + y b + z c = r. Near a singular position damped: (J^T J + d I)^-1 J^T r with d so that it sets in softly below `singular`.
Vec solve(const Vec& a, const Vec& b, const Vec& c, const Vec& r, double regular, double singular) {
  const double det = determinant(a, b, c);
  if (regular >= singular)
    return (1.0 / det) * Vec{dot(r, cross(b, c)), dot(a, cross(r, c)), dot(a, cross(b, r))};
  const double missing = 1.0 - regular / singular;
  const double size = dot(a, a) + dot(b, b) + dot(c, c);
  const double damping =
      std::max(missing * missing * singular * singular * size, std::numeric_limits<double>::min());
  const Vec J[] = {a, b, c};
  Mat N;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) N(i, j) = dot(J[i], J[j]) + (i == j ? damping : 0.0);
  const Vec n0 = N.col(0), n1 = N.col(1), n2 = N.col(2), right{dot(a, r), dot(b, r), dot(c, r)};
  const double all = determinant(n0, n1, n2);
  return (1.0 / all) * Vec{dot(right, cross(n1, n2)), dot(n0, cross(right, n2)), dot(n0, cross(n1, right))};
}

/// 1 where the three are orthogonal.
double regularity(const Vec& a, const Vec& b, const Vec& c) {
  const double sizes = norm(a) * norm(b) * norm(c);
  return sizes > 0.0 ? std::abs(determinant(a, b, c)) / sizes : 0.0;
}

/// The point nearest to two lines, on the first, and how far they are apart; lines that are parallel have no such point.
struct Crossing {
  Vec at{};
  double apart = 0.0;
  bool parallel = false;
};
Crossing crossing(const Vec& p, const Vec& h, const Vec& r, const Vec& k) {
  const Vec n = cross(h, k);
  const double square = dot(n, n);
  if (square < kMeets * kMeets) return {p, norm(r - p - dot(r - p, h) * h), true};
  const double along = determinant(r - p, k, n) / square;
  return {p + along * h, std::abs(dot(r - p, n)) / std::sqrt(square), false};
}

}  // namespace

std::optional<WristArm> WristArm::of(const describe::Model& model, std::string_view frame, std::string& why) {
  const auto refuse = [&](std::string sentence) {
    why = std::move(sentence);
    return std::nullopt;
  };
  int index = -1;
  for (std::size_t i = 0; i < model.frames.size(); ++i)
    if (model.frames[i].name == frame) index = static_cast<int>(i);
  if (index < 0) return refuse(fmt::format("the model has no frame `{}`", frame));
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates)
    return refuse("its speeds are not the rates of its joints");
  if (!model.constraints.empty()) return refuse("it has constraints");

  const derive::Equations equations(model);
  const derive::BodyPlace place{model.frames[static_cast<std::size_t>(index)].body, index};
  const std::vector<derive::LinkOutline> links = equations.links();
  const generate::Kernel kernel = generate::compile(equations.joint_directions({place}));
  std::vector<double> in(kernel.input_size()), out(kernel.output_size()), work(kernel.work_size());
  const std::vector<std::string> names = model.coordinate_names();
  if (static_cast<std::size_t>(equations.nq()) != static_cast<std::size_t>(equations.nv()))
    return refuse("it has joints with more coordinates than speeds");
  kernel(in.data(), out.data(), work.data());
  const double* directions = out.data() + kernel.output("directions")->offset;
  const double* X = out.data() + kernel.output("places")->offset;

  std::vector<std::pair<int, int>> chain;  // link and rate, from the frame to the ground
  for (int l = equations.link_of_body(place.body); l >= 0; l = links[static_cast<std::size_t>(l)].parent)
    for (int k = links[static_cast<std::size_t>(l)].count; k-- > 0;)
      chain.emplace_back(l, links[static_cast<std::size_t>(l)].first + k);
  std::reverse(chain.begin(), chain.end());
  if (chain.size() != 6) return refuse(fmt::format("{} joint rates move the frame, not six", chain.size()));

  WristArm arm;
  std::array<Vec, 6> o{};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto [link, rate] = chain[i];
    const double* d = directions + 6 * rate;
    const Vec w{d[0], d[1], d[2]}, v{d[3], d[4], d[5]};
    if (!(std::abs(norm(w) - 1.0) < kMeets) || norm(v) > kMeets)
      return refuse(fmt::format("`{}` does not only turn", names[static_cast<std::size_t>(rate)]));
    arm.h_[i] = w;
    o[i] = {out[3 * static_cast<std::size_t>(link)], out[3 * static_cast<std::size_t>(link) + 1],
            out[3 * static_cast<std::size_t>(link) + 2]};
    arm.coordinate_[i] = rate;
  }
  const Vec p{X[3], X[7], X[11]};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) arm.R_0_(i, j) = X[4 * i + j];
  for (std::size_t i = 0; i < 5; ++i) arm.size_ += norm(o[i + 1] - o[i]);
  arm.size_ += norm(p - o[5]);
  const double near = kMeets * std::max(arm.size_, std::numeric_limits<double>::min());

  const Crossing of_5 = crossing(o[3], arm.h_[3], o[4], arm.h_[4]),
                 of_6 = crossing(o[4], arm.h_[4], o[5], arm.h_[5]);
  if (of_5.parallel || of_6.parallel || of_5.apart > near || of_6.apart > near ||
      norm(of_5.at - of_6.at) > near)
    return refuse("its last three axes do not meet in one point");
  const Vec c = of_5.at;

  const Crossing of_2 = crossing(o[0], arm.h_[0], o[1], arm.h_[1]),
                 of_3 = crossing(o[1], arm.h_[1], o[2], arm.h_[2]);
  if (of_2.parallel && of_3.parallel)
    return refuse("its first three axes are parallel: the wrist's centre moves in a plane");
  if (of_3.parallel) {
    arm.kind_ = Kind::parallel;
  } else if (!of_2.parallel && of_2.apart <= near) {
    arm.kind_ = Kind::meeting;
    o[0] = o[1] = of_2.at;
  }
  arm.o_1_ = o[0];
  arm.p_12_ = arm.kind_ == Kind::meeting ? Vec::zero() : o[1] - o[0];
  arm.p_23_ = o[2] - o[1];
  arm.p_34_ = c - o[2];
  arm.p_cp_ = p - c;
  return arm;
}

WristArm::Place WristArm::place(const Joints& q) const noexcept {
  Place now;
  now.o[0] = now.c = o_1_;
  Mat R = Mat::identity();
  const std::array<Vec, 3> ways{p_12_, p_23_, p_34_};
  for (std::size_t i = 0; i < 6; ++i) {
    now.z[i] = R * h_[i];
    R = R * turn(h_[i], q[i]);
    if (i < 3) {
      now.o[i] = now.c;
      now.c = now.c + R * ways[i];
    }
    if (i == 2) now.R_3 = R;
  }
  now.R_6 = R;
  now.p = now.c + R * p_cp_;
  return now;
}

math::Pose<double> WristArm::pose(const Joints& q) const noexcept {
  const Place now = place(q);
  return {now.R_6 * R_0_, now.p};
}

/// q_1, q_2, q_3 for the centre; the others are zero.
void WristArm::arm_solutions(const Vec& c, Branches& ways) const noexcept {
  const Vec target = c - o_1_;
  const double near = kBorder * size_;
  const auto add = [&](double q_1, double q_2, double q_3, double missed, bool on_axis) {
    if (ways.count == 4) return;
    Branch& way = ways.all[static_cast<std::size_t>(ways.count++)];
    way.q = {q_1, q_2, q_3, 0.0, 0.0, 0.0};
    way.missed = missed > near ? missed : 0.0;
    way.reach = way.missed > 0.0 ? Reach::too_far : on_axis ? Reach::shoulder : Reach::exact;
  };
  const auto second = [&](double q_1, double q_3) {
    const Vec f = p_23_ + turned(h_[2], q_3, p_34_);
    return turn_to(f, turned(h_[0], -q_1, target) - p_12_, h_[1]);
  };
  // |p_23 + R p_34| = d
  const auto third = [&](double square) {
    return turns_between(p_23_, p_34_, h_[2], 0.5 * (square - dot(p_23_, p_23_) - dot(p_34_, p_34_)));
  };
  const double lever = std::max(norm(p_23_), std::numeric_limits<double>::min());

  switch (kind_) {
    case Kind::parallel: {
      // h_2.(R(h_1, -q_1) t) = h_2.(p_12 + p_23 + p_34)
      const TwoTurns first =
          turns_between(h_[1], target, -h_[0], dot(h_[1], p_12_) + dot(h_[1], p_23_) + dot(h_[1], p_34_));
      for (const double q_1 : first.q) {
        const Vec r = turned(h_[0], -q_1, target) - p_12_;
        const TwoTurns turns = third(dot(r, r));
        const bool on_axis = norm(target - dot(target, h_[0]) * h_[0]) < kOnAxis * size_;
        for (const double q_3 : turns.q)
          add(q_1, second(q_1, q_3), q_3, std::hypot(first.missed, turns.missed / lever), on_axis);
      }
      break;
    }
    case Kind::meeting: {
      const TwoTurns turns = third(dot(target, target));
      for (const double q_3 : turns.q) {
        const Vec f = p_23_ + turned(h_[2], q_3, p_34_);
        const TwoTurns first = turns_between(h_[1], target, -h_[0], dot(h_[1], f));
        for (const double q_1 : first.q)
          add(q_1, second(q_1, q_3), q_3, std::hypot(first.missed, turns.missed / lever), first.any);
      }
      break;
    }
    case Kind::general: {
      // (i) and (ii), with everything that does not depend on an angle on the right.
      const auto parts = [](const Vec& h, const Vec& p, const Vec& k) {
        return std::array<double, 2>{dot(h, p - dot(k, p) * k), dot(h, cross(k, p))};
      };
      const auto constant = [](const Vec& h, const Vec& p, const Vec& k) { return dot(h, k) * dot(k, p); };
      CoupledTurns equations;  // q is q_3, s is q_1
      const Vec back = -h_[0];
      equations.of_q = {parts(h_[1], p_34_, h_[2]), parts(2.0 * p_23_, p_34_, h_[2])};
      equations.of_s = {parts(-h_[1], target, back), parts(2.0 * p_12_, target, back)};
      equations.right = {constant(h_[1], target, back) - dot(h_[1], p_12_) - dot(h_[1], p_23_) -
                             constant(h_[1], p_34_, h_[2]),
                         dot(target, target) + dot(p_12_, p_12_) - 2.0 * constant(p_12_, target, back) -
                             dot(p_23_, p_23_) - dot(p_34_, p_34_) - 2.0 * constant(p_23_, p_34_, h_[2])};
      const FourTurns four = turns_of_two(equations);
      for (int i = 0; i < four.count; ++i) {
        const double q_1 = four.s[static_cast<std::size_t>(i)], q_3 = four.q[static_cast<std::size_t>(i)];
        add(q_1, second(q_1, q_3), q_3, 0.0, false);
      }
      break;
    }
  }
}

WristArm::Wrist WristArm::wrist(const Joints& q, const Mat& R_6) const noexcept {
  Wrist own;
  own.R = (turn(h_[0], q[0]) * turn(h_[1], q[1]) * turn(h_[2], q[2])).transposed() * R_6;
  own.last = own.R * h_[5];
  own.fifth = turns_between(h_[3], h_[5], h_[4], dot(h_[3], own.last));
  own.aligned = norm(cross(h_[3], own.last)) < kAligned;
  return own;
}

Branch WristArm::with_wrist(const Branch& way, const Wrist& own, double q_5) const noexcept {
  Branch branch = way;
  const Mat R_5 = turn(h_[4], q_5);
  double q_4 = turn_to(R_5 * h_[5], own.last, h_[3]);
  if (own.aligned) {
    q_4 = 0.0;
    if (branch.reach == Reach::exact) branch.reach = Reach::wrist;
  }
  // R(h_6, q_6) = (R_4 R_5)^T R: seen on a vector across h_6.
  const Mat R_45 = turn(h_[3], q_4) * R_5;
  const Vec across = std::abs(h_[5].x) < 0.7 ? cross(h_[5], Vec::unit(0)) : cross(h_[5], Vec::unit(1));
  double q_6 = turn_to(across, R_45.transposed() * (own.R * across), h_[5]);
  if (own.aligned) {
    // The turns add up, or their difference does.
    const double sign = dot(h_[3], own.last) > 0.0 ? 1.0 : -1.0;
    q_4 = 0.5 * sign * q_6;
    q_6 = 0.5 * q_6;
  }
  branch.q[3] = q_4;
  branch.q[4] = q_5;
  branch.q[5] = q_6;
  return branch;
}

Branches WristArm::position(const math::Pose<double>& X_WF) const noexcept {
  const Mat R_6 = X_WF.R * R_0_.transposed();
  const Vec c = X_WF.p - R_6 * p_cp_;
  Branches arms, found;
  arm_solutions(c, arms);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < arms.count; ++i) least = std::min(least, arms.all[static_cast<std::size_t>(i)].missed);
  for (int i = 0; i < arms.count; ++i) {
    const Branch& way = arms.all[static_cast<std::size_t>(i)];
    if (way.missed > least) continue;
    bool again = false;  // at a border two are one
    for (int k = 0; k < i; ++k) {
      const Branch& other = arms.all[static_cast<std::size_t>(k)];
      again = again || (other.missed <= least && other.q == way.q);
    }
    if (again) continue;
    const Wrist own = wrist(way.q, R_6);
    if (own.fifth.missed > kAligned) continue;  // axes that are not orthogonal: the wrist cannot turn so far
    for (std::size_t k = 0; k < (own.aligned ? 1u : 2u); ++k)
      found.all[static_cast<std::size_t>(found.count++)] = with_wrist(way, own, own.fifth.q[k]);
  }
  return found;
}

Branch WristArm::nearest(const math::Pose<double>& X_WF, const Joints& near) const noexcept {
  const Branches ways = position(X_WF);
  Branch best;
  best.missed = std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < ways.count; ++i) {
    Branch way = ways.all[static_cast<std::size_t>(i)];
    if (way.reach == Reach::wrist) {
      // q_4 stays, q_6 takes the rest of the turn about the common line.
      const double sign = dot(h_[3], turned(h_[4], way.q[4], h_[5])) > 0.0 ? 1.0 : -1.0;
      const double whole = way.q[5] + sign * way.q[3];
      way.q[3] = near[3];
      way.q[5] = whole - sign * near[3];
    }
    double distance = 0.0;
    for (std::size_t k = 0; k < 6; ++k) {
      way.q[k] = near[k] + wrapped(way.q[k] - near[k]);
      distance += (way.q[k] - near[k]) * (way.q[k] - near[k]);
    }
    if (distance < least) {
      least = distance;
      best = way;
    }
  }
  return best;
}

Branch WristArm::follow(const math::Pose<double>& X_WF, const Joints& near) const noexcept {
  if (kind_ == Kind::general) return nearest(X_WF, near);
  const Mat R_6 = X_WF.R * R_0_.transposed();
  const Vec target = X_WF.p - R_6 * p_cp_ - o_1_;
  double rejected = std::numeric_limits<double>::infinity();
  const auto nearer = [&](const TwoTurns& two, double to) {
    const double a = wrapped(two.q[0] - to), b = wrapped(two.q[1] - to);
    const bool first = std::abs(a) <= std::abs(b);
    rejected = std::min(rejected, std::abs(first ? b : a));
    return to + (first ? a : b);
  };
  const auto third = [&](double square) {
    return turns_between(p_23_, p_34_, h_[2], 0.5 * (square - dot(p_23_, p_23_) - dot(p_34_, p_34_)));
  };
  Branch way;
  TwoTurns first, elbow;
  Vec r;
  if (kind_ == Kind::parallel) {
    first = turns_between(h_[1], target, -h_[0], dot(h_[1], p_12_) + dot(h_[1], p_23_) + dot(h_[1], p_34_));
    way.q[0] = nearer(first, near[0]);
    r = turned(h_[0], -way.q[0], target) - p_12_;
    elbow = third(dot(r, r));
    way.q[2] = nearer(elbow, near[2]);
  } else {
    elbow = third(dot(target, target));
    way.q[2] = nearer(elbow, near[2]);
    first = turns_between(h_[1], target, -h_[0], dot(h_[1], p_23_ + turned(h_[2], way.q[2], p_34_)));
    way.q[0] = nearer(first, near[0]);
    r = turned(h_[0], -way.q[0], target);
  }
  // Borders, and turns that do not matter, are nearest()'s.
  if (first.missed > 0.0 || elbow.missed > 0.0 || first.any || elbow.any ||
      norm(target - dot(target, h_[0]) * h_[0]) < kOnAxis * size_)
    return nearest(X_WF, near);
  way.q[1] = turn_to(p_23_ + turned(h_[2], way.q[2], p_34_), r, h_[1]);
  const Wrist own = wrist(way.q, R_6);
  if (own.aligned || own.fifth.missed > 0.0) return nearest(X_WF, near);
  way = with_wrist(way, own, nearer(own.fifth, near[4]));
  double square = 0.0;
  for (std::size_t k = 0; k < 6; ++k) {
    way.q[k] = near[k] + wrapped(way.q[k] - near[k]);
    square += (way.q[k] - near[k]) * (way.q[k] - near[k]);
  }
  return square < rejected * rejected ? way : nearest(X_WF, near);
}

WristArm::Whole WristArm::whole(const math::Pose<double>& X_WF, const Motion& motion,
                                const Joints& near) const noexcept {
  Whole all;
  all.way = follow(X_WF, near);
  all.rates = rates(all.way.q, motion);
  return all;
}

WristArm::Bias WristArm::bias(const Place& now, const Joints& qd) const noexcept {
  Bias bias;
  Vec w = Vec::zero(), alpha = Vec::zero(), a = Vec::zero();
  const std::array<Vec, 3> ways{now.o[1] - now.o[0], now.o[2] - now.o[1], now.c - now.o[2]};
  for (std::size_t i = 0; i < 6; ++i) {
    alpha = alpha + qd[i] * cross(w, now.z[i]);
    w = w + qd[i] * now.z[i];
    if (i < 3) a = a + cross(alpha, ways[i]) + cross(w, cross(w, ways[i]));
    bias.w[i] = w;
    bias.alpha[i] = alpha;
  }
  bias.a_c = a;
  return bias;
}

WristArm::Rates WristArm::rates(const Joints& q, const Motion& motion) const noexcept {
  return rates_at(place(q), motion);
}

WristArm::Rates WristArm::rates(const Joints& q, const Motion& motion, const std::array<double, 6>& F,
                                Joints& tau) const noexcept {
  const Place now = place(q);
  tau = at_joints(now, F);
  return rates_at(now, motion);
}

WristArm::Rates WristArm::rates_at(const Place& now, const Motion& motion) const noexcept {
  const Vec w{motion.V[0], motion.V[1], motion.V[2]}, v{motion.V[3], motion.V[4], motion.V[5]};
  const Vec alpha{motion.A[0], motion.A[1], motion.A[2]}, a{motion.A[3], motion.A[4], motion.A[5]};
  const Vec r = now.p - now.c;
  std::array<Vec, 3> J;
  for (std::size_t i = 0; i < 3; ++i) J[i] = cross(now.z[i], now.c - now.o[i]);
  Rates rates;
  rates.arm = regularity(J[0], J[1], J[2]);
  rates.wrist = regularity(now.z[3], now.z[4], now.z[5]);
  const auto in_two_steps = [&](const Vec& of_centre, Vec turning, Joints& x) {
    const Vec first = solve(J[0], J[1], J[2], of_centre, rates.arm, kSingular);
    for (std::size_t i = 0; i < 3; ++i) {
      x[i] = first[i];
      turning = turning - first[i] * now.z[i];
    }
    const Vec last = solve(now.z[3], now.z[4], now.z[5], turning, rates.wrist, kSingular);
    for (std::size_t i = 0; i < 3; ++i) x[3 + i] = last[i];
  };
  in_two_steps(v - cross(w, r), w, rates.qd);
  const Bias own = bias(now, rates.qd);
  in_two_steps(a - cross(alpha, r) - cross(w, cross(w, r)) - own.a_c, alpha - own.alpha[5], rates.qdd);
  return rates;
}

Joints WristArm::at_joints(const Joints& q, const std::array<double, 6>& F) const noexcept {
  return at_joints(place(q), F);
}

Joints WristArm::at_joints(const Place& now, const std::array<double, 6>& F) noexcept {
  const Vec f{F[3], F[4], F[5]}, n = Vec{F[0], F[1], F[2]} + cross(now.p - now.c, f);  // about the centre
  Joints tau{};
  for (std::size_t i = 0; i < 6; ++i) tau[i] = dot(now.z[i], i < 3 ? n + cross(now.c - now.o[i], f) : n);
  return tau;
}

WristArm::Motion WristArm::motion(const Joints& q, const Joints& qd, const Joints& qdd) const noexcept {
  const Place now = place(q);
  const Bias own = bias(now, qd);
  Vec w = Vec::zero(), v = Vec::zero(), alpha = own.alpha[5], a = own.a_c;
  for (std::size_t i = 0; i < 6; ++i) {
    w = w + qd[i] * now.z[i];
    alpha = alpha + qdd[i] * now.z[i];
    if (i >= 3) continue;
    const Vec lever = cross(now.z[i], now.c - now.o[i]);
    v = v + qd[i] * lever;
    a = a + qdd[i] * lever;
  }
  const Vec r = now.p - now.c;
  v = v + cross(w, r);
  a = a + cross(alpha, r) + cross(w, cross(w, r));
  return {{w.x, w.y, w.z, v.x, v.y, v.z}, {alpha.x, alpha.y, alpha.z, a.x, a.y, a.z}};
}

}  // namespace tactus::control
