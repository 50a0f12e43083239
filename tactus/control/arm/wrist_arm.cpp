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

double norm(const Vec& a) { return std::sqrt(dot(a, a)); }
double determinant(const Vec& a, const Vec& b, const Vec& c) { return dot(a, cross(b, c)); }

WristVec own(const Vec& a) { return wrist_vec(a.x, a.y, a.z); }
WristMat own(const Mat& R) { return {own(R.col(0)), own(R.col(1)), own(R.col(2))}; }
Vec vec(const WristVec& a) { return {a.x, a.y, a.z}; }
Mat mat(const WristMat& R) { return Mat::from_columns(vec(R.a), vec(R.b), vec(R.c)); }

static_assert(static_cast<int>(Reach::exact) == 0 && static_cast<int>(Reach::wrist) == 1 &&
                  static_cast<int>(Reach::shoulder) == 2 && static_cast<int>(Reach::too_far) == 3,
              "as WristBranch has them");
Branch branch(const WristBranch& way) {
  Branch b;
  std::copy_n(way.q, 6, b.q.begin());
  b.reach = static_cast<Reach>(way.reach);
  b.missed = way.missed > 1e300 ? std::numeric_limits<double>::infinity() : way.missed;
  return b;
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
  std::array<Vec, 6> o{}, h{};
  Mat R_0;
  double size = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto [link, rate] = chain[i];
    const double* d = directions + 6 * rate;
    const Vec w{d[0], d[1], d[2]}, v{d[3], d[4], d[5]};
    if (!(std::abs(norm(w) - 1.0) < kMeets) || norm(v) > kMeets)
      return refuse(fmt::format("`{}` does not only turn", names[static_cast<std::size_t>(rate)]));
    h[i] = w;
    o[i] = {out[3 * static_cast<std::size_t>(link)], out[3 * static_cast<std::size_t>(link) + 1],
            out[3 * static_cast<std::size_t>(link) + 2]};
    arm.coordinate_[i] = rate;
  }
  const Vec p{X[3], X[7], X[11]};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) R_0(i, j) = X[4 * i + j];
  for (std::size_t i = 0; i < 5; ++i) size += norm(o[i + 1] - o[i]);
  size += norm(p - o[5]);
  const double near = kMeets * std::max(size, std::numeric_limits<double>::min());

  const Crossing of_5 = crossing(o[3], h[3], o[4], h[4]), of_6 = crossing(o[4], h[4], o[5], h[5]);
  if (of_5.parallel || of_6.parallel || of_5.apart > near || of_6.apart > near ||
      norm(of_5.at - of_6.at) > near)
    return refuse("its last three axes do not meet in one point");
  const Vec c = of_5.at;

  const Crossing of_2 = crossing(o[0], h[0], o[1], h[1]), of_3 = crossing(o[1], h[1], o[2], h[2]);
  if (of_2.parallel && of_3.parallel)
    return refuse("its first three axes are parallel: the wrist's centre moves in a plane");
  arm.data_.kind = 2;
  if (of_3.parallel) {
    arm.data_.kind = 0;
  } else if (!of_2.parallel && of_2.apart <= near) {
    arm.data_.kind = 1;
    o[0] = o[1] = of_2.at;
  }
  for (std::size_t i = 0; i < 6; ++i) arm.data_.h[i] = own(h[i]);
  arm.data_.o_1 = own(o[0]);
  arm.data_.p_12 = own(o[1] - o[0]);
  arm.data_.p_23 = own(o[2] - o[1]);
  arm.data_.p_34 = own(c - o[2]);
  arm.data_.p_cp = own(p - c);
  arm.data_.R_0 = own(R_0);
  arm.data_.size = size;
  return arm;
}

math::Pose<double> WristArm::pose(const Joints& q) const noexcept {
  const WristPlace now = wrist_place(&data_, q.data());
  return {mat(wrist_product(now.R_6, data_.R_0)), vec(now.p)};
}

Branches WristArm::position(const math::Pose<double>& X_WF) const noexcept {
  std::array<WristBranch, 8> ways;
  Branches found;
  found.count = wrist_position(&data_, own(X_WF.R), own(X_WF.p), ways.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(found.count); ++i) found.all[i] = branch(ways[i]);
  return found;
}

Branch WristArm::nearest(const math::Pose<double>& X_WF, const Joints& near) const noexcept {
  return branch(wrist_nearest(&data_, own(X_WF.R), own(X_WF.p), near.data()));
}

Branch WristArm::follow(const math::Pose<double>& X_WF, const Joints& near) const noexcept {
  return branch(wrist_follow(&data_, own(X_WF.R), own(X_WF.p), near.data()));
}

WristArm::Whole WristArm::whole(const math::Pose<double>& X_WF, const Motion& motion,
                                const Joints& near) const noexcept {
  Whole all;
  all.way = follow(X_WF, near);
  all.rates = rates(all.way.q, motion);
  return all;
}

namespace {

WristArm::Rates rates_at(const WristPlace& now, const WristArm::Motion& motion) noexcept {
  WristArm::Rates rates;
  double regular[2];
  wrist_rates(&now, motion.V.data(), motion.A.data(), rates.qd.data(), rates.qdd.data(), regular);
  rates.arm = regular[0];
  rates.wrist = regular[1];
  return rates;
}

Joints at_place(const WristPlace& now, const std::array<double, 6>& F) noexcept {
  const Vec c = vec(now.c), f{F[3], F[4], F[5]};
  const Vec n = Vec{F[0], F[1], F[2]} + cross(vec(now.p) - c, f);  // about the centre
  Joints tau{};
  for (std::size_t i = 0; i < 6; ++i)
    tau[i] = dot(vec(now.z[i]), i < 3 ? n + cross(c - vec(now.o[i]), f) : n);
  return tau;
}

}  // namespace

WristArm::Rates WristArm::rates(const Joints& q, const Motion& motion) const noexcept {
  return rates_at(wrist_place(&data_, q.data()), motion);
}

WristArm::Rates WristArm::rates(const Joints& q, const Motion& motion, const std::array<double, 6>& F,
                                Joints& tau) const noexcept {
  const WristPlace now = wrist_place(&data_, q.data());
  tau = at_place(now, F);
  return rates_at(now, motion);
}

Joints WristArm::at_joints(const Joints& q, const std::array<double, 6>& F) const noexcept {
  return at_place(wrist_place(&data_, q.data()), F);
}

WristArm::Motion WristArm::motion(const Joints& q, const Joints& qd, const Joints& qdd) const noexcept {
  const WristPlace now = wrist_place(&data_, q.data());
  WristVec alpha_last, a_centre;
  wrist_bias(&now, qd.data(), &alpha_last, &a_centre);
  Vec w = Vec::zero(), v = Vec::zero(), alpha = vec(alpha_last), a = vec(a_centre);
  for (std::size_t i = 0; i < 6; ++i) {
    const Vec z = vec(now.z[i]);
    w = w + qd[i] * z;
    alpha = alpha + qdd[i] * z;
    if (i >= 3) continue;
    const Vec lever = cross(z, vec(now.c) - vec(now.o[i]));
    v = v + qd[i] * lever;
    a = a + qdd[i] * lever;
  }
  const Vec r = vec(now.p) - vec(now.c);
  v = v + cross(w, r);
  a = a + cross(alpha, r) + cross(w, cross(w, r));
  return {{w.x, w.y, w.z, v.x, v.y, v.z}, {alpha.x, alpha.y, alpha.z, a.x, a.y, a.z}};
}

}  // namespace tactus::control
