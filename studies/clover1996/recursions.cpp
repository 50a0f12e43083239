// Chapter II, (2)-(16) and (22)-(38): the recursion of Newton and Euler for modified Denavit-Hartenberg frames and its linearisation, with revolute and
// prismatic joints, as printed and mended, against the engine's own equations.
//
//   R, P      (15), (16): frame i+1 in frame i, by alpha_i, a_i, theta_i+1, d_i+1
//   outward   omega, omega-dot, v-dot of each frame, (2)-(5) or (8)-(10); F, N of each link (6), (7)
//   inward    f, n (11), (12), and the force or torque of each joint (13), (14)
//
// Weight is v-dot_0 = -g. Rotors, friction and damping are not in the recursion: they are taken out of the engine's numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Core>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/vec3.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

/// The larger one; what is no number is the largest.
double larger(double a, double b) { return b <= a ? a : b; }

using study::Context;
using study::Result;
using Vec = math::Vec3<double>;
using Mat = math::Mat3<double>;
using Pose = math::Pose<double>;

constexpr double kQuarter = 0.5 * std::numbers::pi;

/// As it is printed, one at a time.
enum class Misprint {
  none,
  velocity,  // (4): v-dot_i outside the brackets that R^T multiplies
  rotation,  // (15): sin theta_i for sin theta_i+1 in the first row
  rate,      // (32): omega_i x P_D for omega-dot_i x P_D
  place,     // (36): delta d_i for delta d_i+1
};

struct Row {
  double alpha, a, theta, d;  // of joint i+1: alpha_i, a_i; theta and d besides the coordinate
  bool prismatic;
};

struct Link {
  double mass = 0.0;
  Vec centre{};
  Mat inertia = Mat::zero();
};

struct Arm {
  std::vector<Row> rows;
  std::vector<Link> links;
  Pose X_W0;  // the frame before the first joint, in the world
  Vec gravity{};
};

/// What is asked for, and how it varies.
struct Motion {
  std::vector<double> q, qd, qdd, dq, dqd, dqdd;
};

struct Forces {
  std::vector<double> tau, dtau;
};

const Vec kZ{0.0, 0.0, 1.0};
/// (28): d R^T / d theta = Q R^T.
Vec turned(const Vec& v) { return {v.y, -v.x, 0.0}; }

Forces recursion(const Arm& arm, const Motion& motion, Misprint misprint) {
  const std::size_t n = arm.rows.size();
  struct State {
    Vec w{}, wd{}, vd{}, dw{}, dwd{}, dvd{};
    Vec F{}, N{}, dF{}, dN{};
  };
  std::vector<State> s(n + 1);
  std::vector<Mat> R(n + 2);  // R[i + 1] takes frame i + 1 to frame i
  std::vector<Vec> P(n + 2), PD(n + 2);
  s[0].vd = math::transpose_times(arm.X_W0.R, -arm.gravity);
  double theta_before = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Row& row = arm.rows[i];
    const double theta = row.theta + (row.prismatic ? 0.0 : motion.q[i]),
                 d = row.d + (row.prismatic ? motion.q[i] : 0.0);
    const double c = std::cos(theta), sn = std::sin(theta), ca = std::cos(row.alpha),
                 sa = std::sin(row.alpha);
    Mat& r = R[i + 1];
    r(0, 0) = c;
    r(0, 1) = misprint == Misprint::rotation ? -std::sin(theta_before) : -sn;  // (15)
    r(1, 0) = sn * ca;
    r(1, 1) = c * ca;
    r(1, 2) = -sa;
    r(2, 0) = sn * sa;
    r(2, 1) = c * sa;
    r(2, 2) = ca;
    theta_before = theta;
    const Vec p = P[i + 1] = {row.a, -sa * d, ca * d};  // (16)
    const Vec pd = PD[i + 1] = {0.0, -sa, ca};          // (33)
    const auto back = [&](const Vec& v) { return math::transpose_times(r, v); };
    const State& b = s[i];
    State& x = s[i + 1];
    const double qd = motion.qd[i], qdd = motion.qdd[i], dq = motion.dq[i], dqd = motion.dqd[i],
                 dqdd = motion.dqdd[i];
    const Vec pushed = cross(b.wd, p) + cross(b.w, cross(b.w, p));
    const Vec dpushed = cross(b.dwd, p) + cross(b.dw, cross(b.w, p)) + cross(b.w, cross(b.dw, p));
    if (!row.prismatic) {
      const Vec w = back(b.w);
      x.w = w + qd * kZ;                                                                  // (2)
      x.wd = back(b.wd) + cross(w, qd * kZ) + qdd * kZ;                                   // (3)
      x.vd = misprint == Misprint::velocity ? back(pushed) + b.vd : back(pushed + b.vd);  // (4)
      x.dw = back(b.dw) + dq * turned(w) + dqd * kZ;                                      // (22)
      x.dwd = back(b.dwd) + cross(back(b.dw), qd * kZ) + cross(w, dqd * kZ) +
              dq * (turned(back(b.wd)) + cross(turned(w), qd * kZ)) + dqdd * kZ;  // (23)
      x.dvd = back(dpushed + b.dvd) + dq * turned(back(pushed + b.vd));           // (24)
    } else {
      x.w = back(b.w);                                                    // (8)
      x.wd = back(b.wd);                                                  // (9)
      x.vd = back(pushed + b.vd) + 2.0 * cross(x.w, qd * kZ) + qdd * kZ;  // (10)
      x.dw = back(b.dw);                                                  // (30)
      x.dwd = back(b.dwd);                                                // (31)
      const Vec& of_pd = misprint == Misprint::rate ? b.w : b.wd;
      x.dvd = back(dpushed + dq * (cross(of_pd, pd) + cross(b.w, cross(b.w, pd))) + b.dvd) +
              2.0 * cross(x.dw, qd * kZ) + 2.0 * cross(x.w, dqd * kZ) + dqdd * kZ;  // (32)
    }
    const Link& link = arm.links[i];
    const Vec& pc = link.centre;
    const Vec vc = cross(x.wd, pc) + cross(x.w, cross(x.w, pc)) + x.vd;  // (5)
    const Vec dvc =
        cross(x.dwd, pc) + cross(x.dw, cross(x.w, pc)) + cross(x.w, cross(x.dw, pc)) + x.dvd;         // (25)
    x.F = link.mass * vc;                                                                             // (6)
    x.dF = link.mass * dvc;                                                                           // (26)
    x.N = link.inertia * x.wd + cross(x.w, link.inertia * x.w);                                       // (7)
    x.dN = link.inertia * x.dwd + cross(x.dw, link.inertia * x.w) + cross(x.w, link.inertia * x.dw);  // (27)
  }
  Forces forces{std::vector<double>(n), std::vector<double>(n)};
  Vec f{}, m{}, df{}, dm{};  // of the joint beyond
  for (std::size_t i = n; i >= 1; --i) {
    const State& x = s[i];
    const Link& link = arm.links[i - 1];
    Vec f_here = x.F, m_here = x.N + cross(link.centre, x.F), df_here = x.dF,
        dm_here = x.dN + cross(link.centre, x.dF);
    if (i < n) {
      const Mat& r = R[i + 1];
      const bool prismatic = arm.rows[i].prismatic;
      const double dtheta = prismatic ? 0.0 : motion.dq[i];
      f_here = f_here + r * f;                            // (11)
      m_here = m_here + r * m + cross(P[i + 1], r * f);   // (12)
      df_here = df_here + r * (df - dtheta * turned(f));  // (34)
      dm_here = dm_here + r * dm - dtheta * (r * turned(m)) + cross(P[i + 1], r * df) -
                dtheta * cross(P[i + 1], r * turned(f));  // (35)
      // (36), of the distance that the joint beyond changes.
      if (misprint == Misprint::place) {
        if (prismatic && arm.rows[i - 1].prismatic)
          dm_here = dm_here + motion.dq[i - 1] * cross(PD[i + 1], r * f);
      } else if (prismatic) {
        dm_here = dm_here + motion.dq[i] * cross(PD[i + 1], r * f);
      }
    }
    f = f_here;
    m = m_here;
    df = df_here;
    dm = dm_here;
    const bool prismatic = arm.rows[i - 1].prismatic;
    forces.tau[i - 1] = dot(prismatic ? f : m, kZ);     // (13), (14)
    forces.dtau[i - 1] = dot(prismatic ? df : dm, kZ);  // (37), (38)
  }
  return forces;
}

/// What the frames are where all coordinates are zero.
Pose frame_at_zero(const Arm& arm, std::size_t count) {
  Pose X = arm.X_W0;
  for (std::size_t i = 0; i < count; ++i) {
    const Row& row = arm.rows[i];
    const double c = std::cos(row.theta), s = std::sin(row.theta), ca = std::cos(row.alpha),
                 sa = std::sin(row.alpha);
    Pose step;
    step.R = Mat::from_columns({c, s * ca, s * sa}, {-s, c * ca, c * sa}, {0.0, -sa, ca});
    step.p = {row.a, -sa * row.d, ca * row.d};
    X = X * step;
  }
  return X;
}

/// The engine's numbers of the same arm, and how its coordinates stand in the recursion's order.
struct Engine {
  Engine(const describe::Model& model, const derive::Equations& equations)
      : forces(generate::compile(equations.inverse_dynamics())),
        linear(generate::compile(equations.linear_model())) {
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) {
        names.push_back(axis.name);
        rotors.push_back(describe::value_of(model, axis.armature));
      }
  }
  generate::Evaluator forces, linear;
  std::vector<std::string> names;
  std::vector<double> rotors;
};

/// Two turning joints, two that slide across them, and one more that turns: numbers without a meaning.
constexpr const char* kTurret = R"(name: turret
dh:
  convention: modified
  links:
    - {name: b1, joint: q1, alpha: 0, a: 0, d: 0.4, mass: 3, com: [0.02, -0.03, 0.1], inertia: [0.05, 0.06, 0.03, 0.002, -0.001, 0.004]}
    - {name: b2, joint: q2, alpha: -90 deg, a: 0.1, d: 0.15, mass: 2, com: [0.05, 0.01, 0.08], inertia: [0.03, 0.02, 0.04, -0.003, 0.002, 0.001]}
    - {name: b3, joint: q3, type: prismatic, alpha: 90 deg, a: 0, theta: 0.3, d: 0.35, mass: 1.5, com: [-0.02, 0.04, -0.1], inertia: [0.02, 0.02, 0.01, 0.001, 0.001, 0.002]}
    - {name: b4, joint: q4, type: prismatic, alpha: 1.1, a: 0.07, theta: 0.5, d: 0.1, mass: 0.8, com: [0.03, 0.02, 0.05], inertia: [0.004, 0.005, 0.003, 0.0002, 0, 0.0003]}
    - {name: b5, joint: q5, alpha: -0.7, a: 0.05, d: 0.2, mass: 0.4, com: [0.01, -0.05, 0.06], inertia: [0.002, 0.001, 0.002, 0.0001, 0.0002, 0]}
)";

describe::Model model_of(const Context& context, const std::string& name) {
  return name == "turret" ? describe::load_text(kTurret, "turret.yaml") : load(context, name);
}

struct Subject {
  std::string name;
  Arm arm;
  std::vector<std::string> joints;  // of the rows
  std::vector<std::string> bodies;  // that the rows carry; "": none
};

std::vector<Subject> subjects(const Context& context) {
  std::vector<Subject> all;
  const double pi = std::numbers::pi;
  // z0 up, as the file has it; the quill points down.
  all.push_back(
      {"scara",
       {{{0, 0, 0, 0.3, false}, {0, 0.225, 0, 0, false}, {pi, 0.175, 0, 0.05, true}, {0, 0, 0, 0, false}},
        {},
        {},
        {}},
       {"shoulder", "elbow", "slide", "roll"},
       {"inner_arm", "outer_arm", "quill", "flange"}});
  // z0 along the world's x: the first joint slides along it. The universal joint is two, with nothing between.
  Pose base;
  base.R = Mat::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0});
  base.p = {0, 0, 2};
  all.push_back({"gantry",
                 {{{0, 0, kQuarter, 0, true},
                   {kQuarter, 0, kQuarter, 0, true},
                   {kQuarter, 0, kQuarter, -0.25, true},
                   {kQuarter, 0, kQuarter, 0, false},
                   {kQuarter, 0, 0, 0, false}},
                  {},
                  base,
                  {}},
                 {"x", "y", "z", "swing.angle1", "swing.angle2"},
                 {"bridge", "trolley", "lift", "", "hook"}});
  all.push_back({"puma560",
                 {{{0, 0, 0, 0, false},
                   {-kQuarter, 0, 0, 0.2435, false},
                   {0, 0.4318, 0, -0.0934, false},
                   {kQuarter, -0.0203, 0, 0.4331, false},
                   {-kQuarter, 0, 0, 0, false},
                   {kQuarter, 0, 0, 0, false}},
                  {},
                  {},
                  {}},
                 {"q1", "q2", "q3", "q4", "q5", "q6"},
                 {"link_1", "link_2", "link_3", "link_4", "link_5", "link_6"}});
  // The sliding joints of these lie along turning ones or before them. Here they lie across.
  all.push_back({"turret",
                 {{{0, 0, 0, 0.4, false},
                   {-kQuarter, 0.1, 0, 0.15, false},
                   {kQuarter, 0, 0.3, 0.35, true},
                   {1.1, 0.07, 0.5, 0.1, true},
                   {-0.7, 0.05, 0, 0.2, false}},
                  {},
                  {},
                  {}},
                 {"q1", "q2", "q3", "q4", "q5"},
                 {"b1", "b2", "b3", "b4", "b5"}});
  for (Subject& one : all) {
    const describe::Model model = model_of(context, one.name);
    generate::Evaluator poses(generate::compile(derive::Equations(model).body_poses()));
    poses.run();  // all coordinates zero
    const auto number = [&](describe::Expr x) { return describe::value_of(model, x); };
    one.arm.gravity = {number(model.gravity.x), number(model.gravity.y), number(model.gravity.z)};
    for (std::size_t i = 0; i < one.arm.rows.size(); ++i) {
      Link link;
      if (!one.bodies[i].empty()) {
        const describe::Body& body = model.bodies[static_cast<std::size_t>(model.body_index(one.bodies[i]))];
        const auto X = poses.output("X_" + body.name);
        Pose placed;
        for (std::size_t r = 0; r < 3; ++r) {
          for (std::size_t c = 0; c < 3; ++c) placed.R(r, c) = X[4 * r + c];
          placed.p[r] = X[4 * r + 3];
        }
        const Pose in_frame = inverse(frame_at_zero(one.arm, i + 1)) * placed;
        Mat I;
        for (std::size_t k = 0; k < 9; ++k) I(k / 3, k % 3) = number(body.inertia(k / 3, k % 3));
        link.mass = number(body.mass);
        link.centre =
            in_frame.p + in_frame.R * Vec{number(body.com.x), number(body.com.y), number(body.com.z)};
        link.inertia = in_frame.R * I * in_frame.R.transposed();
      }
      one.arm.links.push_back(link);
    }
  }
  return all;
}

/// The largest difference, by the largest number of the same kind; `linear`: of M, C, K, otherwise of the forces.
double apart(const Context& context, const Subject& one, Misprint misprint, bool linear) {
  const describe::Model model = model_of(context, one.name);
  derive::Options options;
  options.friction = false;
  Engine engine(model, derive::Equations(model, options));
  const std::size_t n = one.joints.size();
  std::vector<std::size_t> place(n);
  for (std::size_t i = 0; i < n; ++i)
    place[i] = static_cast<std::size_t>(std::find(engine.names.begin(), engine.names.end(), one.joints[i]) -
                                        engine.names.begin());
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  constexpr int kStates = 20;
  double worst = 0.0;
  for (int k = 0; k < kStates; ++k) {
    Motion motion;
    for (std::vector<double>* values : {&motion.q, &motion.qd, &motion.qdd}) {
      values->resize(n);
      for (double& x : *values)
        x = (values == &motion.q ? 2.0 : values == &motion.qd ? 3.0 : 10.0) * number(random);
    }
    motion.dq.assign(n, 0.0);
    motion.dqd = motion.dqdd = motion.dq;
    generate::Evaluator& of = linear ? engine.linear : engine.forces;
    for (std::size_t i = 0; i < n; ++i) {
      of.input("q")[place[i]] = motion.q[i];
      of.input("u")[place[i]] = motion.qd[i];
      of.input("udot")[place[i]] = motion.qdd[i];
    }
    of.run();
    if (!linear) {
      const Forces here = recursion(one.arm, motion, misprint);
      double size = 0.0, off = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        const double there = of.output("tau")[place[i]] - engine.rotors[place[i]] * motion.qdd[i];
        size = std::max(size, std::abs(there));
        off = larger(off, std::abs(here.tau[i] - there));
      }
      worst = larger(worst, off / size);
      continue;
    }
    for (const auto& [block, vary] :
         {std::pair{"M", &Motion::dqdd}, {"C", &Motion::dqd}, {"K", &Motion::dq}}) {
      double size = 0.0, off = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        Motion varied = motion;
        (varied.*vary)[j] = 1.0;
        const Forces here = recursion(one.arm, varied, misprint);
        for (std::size_t i = 0; i < n; ++i) {
          const bool rotor = block[0] == 'M' && i == j;
          const double there =
              of.output(block)[place[i] * n + place[j]] - (rotor ? engine.rotors[place[i]] : 0.0);
          size = std::max(size, std::abs(there));
          off = larger(off, std::abs(here.dtau[i] - there));
        }
      }
      worst = larger(worst, off / size);
    }
  }
  return worst;
}

constexpr double kRounding = 1e-12;

Result judged_recursion(const Context& context, bool linear,
                        const std::vector<std::pair<Misprint, std::string>>& misprints,
                        const std::string& published, const std::string& note) {
  bool holds = true;
  std::string here = "mended:";
  std::string table = fmt::format("{:<12} {:>12}", "", "mended");
  for (const auto& [kind, name] : misprints) table += fmt::format(" {:>12}", name);
  table += "\n";
  for (const Subject& one : subjects(context)) {
    const double mended = apart(context, one, Misprint::none, linear);
    here += fmt::format("{} {} {:.1e}", here.back() == ':' ? "" : ",", one.name, mended);
    table += fmt::format("{:<12} {:>12.2e}", one.name, mended);
    holds = holds && mended < kRounding;
    for (const auto& [kind, name] : misprints)
      table += fmt::format(" {:>12.2e}", apart(context, one, kind, linear));
    table += "\n";
  }
  // Each misprint is one: somewhere it makes a difference that no rounding makes.
  for (const auto& [kind, name] : misprints) {
    double most = 0.0;
    for (const Subject& one : subjects(context)) most = std::max(most, apart(context, one, kind, linear));
    here += fmt::format("; {} as printed up to {:.2g}", name, most);
    holds = holds && most > 1e-3;
  }
  return {published,
          here + " of the largest number",
          corrected(holds, fmt::format("the engine's {} at 20 random states of each arm, to 1e-12",
                                       linear ? "M, C, K" : "forces")),
          note,
          {},
          table};
}

Result newton_euler(const Context& context) {
  return judged_recursion(context, false, {{Misprint::velocity, "(4)"}, {Misprint::rotation, "(15)"}},
                          "forces and torques of arms with turning and sliding joints, (2)-(16)",
                          "(4) has v-dot_i outside the brackets, (15) has sin theta_i for sin theta_i+1; "
                          "(8)-(10) and (14), for sliding joints, are right");
}

Result linearised(const Context& context) {
  return judged_recursion(
      context, true, {{Misprint::rate, "(32)"}, {Misprint::place, "(36)"}},
      "their linear model column by column, (22)-(38)",
      "(32) has omega_i x P_D for omega-dot_i x P_D, (36) has delta d_i for delta d_i+1: "
      "neither matters to arms that only turn, nor to the scara and the gantry. (22)-(31), (33)-(35), "
      "(37), (38) are right");
}

}  // namespace

std::vector<study::Case> recursion_cases() {
  return {{"ii-recursion", "recursion of Newton and Euler as printed, on four arms", newton_euler},
          {"ii-linear-recursion", "its linearisation as printed, on four arms", linearised}};
}

}  // namespace tactus::studies::clover
