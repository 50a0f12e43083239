// One controller while constraints come and go, and one that keeps a contact [Aghili2005, VII-C, X].
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/projected.h>
#include <tactus/describe/read/load.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

using std::numbers::pi;
using Two = std::array<double, 2>;

/// The slider-crank without gravity, both joints active; its constraint is there twice, and off.
constexpr const char* kSwitched = R"(
name: switched
gravity: [0, 0, 0]
bodies:
  crank: {mass: 1, com: [1, 0, 0]}
  rod: {mass: 1, com: [1, 0, 0]}
joints:
  q1: {type: revolute, parent: world, child: crank, axis: -y}
  q2: {type: revolute, parent: crank, child: rod, axis: -y, placement: {xyz: [1, 0, 0]}}
frames:
  C: {body: rod, placement: {xyz: [1, 0, 0]}}
constraints:
  slider: {type: on_plane, a: world, b: C, active: false}
  again: {type: on_plane, a: world, b: C, active: false}
initial: {q: {q1: 120 deg, q2: 120 deg}}
)";

/// From 120 to 60 degrees in 4 s with the least jerk, through the singular position after 2 s; both joints along the slider's branch.
struct Path {
  explicit Path(double t) {
    const double s = t / 4.0, span = -pi / 3.0;
    const double p = 2.0 * pi / 3.0 + span * s * s * s * (10.0 + s * (-15.0 + 6.0 * s)),
                 v = span * s * s * (30.0 + s * (-60.0 + 30.0 * s)) / 4.0,
                 a = span * s * (60.0 + s * (-180.0 + 120.0 * s)) / 16.0;
    x = {p, 2.0 * pi - 2.0 * p};
    xd = {v, -2.0 * v};
    xdd = {a, -2.0 * a};
  }
  Two x{}, xd{}, xdd{};
};

TEST(ChangingConstraints, OneControllerLeadsThroughAllOfThem) {
  constexpr double h = 1e-4;
  const describe::Model model = describe::load_text(kSwitched, "switched.yaml");
  ProjectedControl control;
  control.led = {"q1", "q2"};
  control.G_P = 480.0;
  control.G_D = 45.0;
  control.period = h;
  ProjectedController controller(model, control);
  ProjectedMemory memory = controller.memory();
  const auto plant = contact::open(model, {.step = h});
  const auto forces = [&] {
    const simulate::State& s = plant->state();
    const Path path(s.t);
    std::vector<double> f(2);
    EXPECT_EQ(controller.force(memory, s.t, s.q.data(), s.u.data(), path.x.data(), path.xd.data(),
                               path.xdd.data(), nullptr, nullptr, f.data()),
              Led::well)
        << s.t;
    return f;
  };
  // Onto the motions that the slider leaves, whatever the position: along (1, -2).
  const auto projected = [](const std::vector<double>& f) {
    const double along = (f[0] - 2.0 * f[1]) / 5.0;
    return std::vector<double>{along, -2.0 * along};
  };
  struct Change {
    long tick;
    int constraint;
    bool on;
  };
  constexpr Change kChanges[] = {{5000, 0, true}, {10000, 1, true}, {30000, 0, false}, {35000, 1, false}};
  double error = 0.0, between = 0.0, smallest = 1.0;
  std::vector<double> before;
  std::size_t next = 0;
  int on = 0;
  for (long k = 0; k < 40000; ++k) {
    std::vector<double> f = forces();
    if (next < std::size(kChanges) && kChanges[next].tick == k) {
      const Change& change = kChanges[next++];
      ASSERT_TRUE(plant->set_active(change.constraint, change.on)) << k;
      ASSERT_TRUE(controller.hold(change.constraint, change.on));
      const std::vector<double> after = forces();
      const int now = on + (change.on ? 1 : -1);
      // The first makes the projection of what was; the second changes nothing; when the last goes, the projection is what it leaves.
      const std::vector<double> expected = on == 0 ? projected(f) : f,
                                seen = now == 0 ? projected(after) : after;
      // Switched on, it also moves the state, by the nanoradians a second that it was off; gains make that of it.
      EXPECT_LT(support::difference(seen, expected), 1e-7) << k;
      if (on == 0 || now == 0) {
        EXPECT_GT(support::difference(after, f), 1e-2) << "a jump, at " << k;
      }
      on = now;
      f = after;
    } else if (!before.empty()) {
      between = support::larger(between, support::difference(f, before));
    }
    before = f;
    const simulate::State& s = plant->state();
    error = support::larger(error, std::abs(s.q[0] - Path(s.t).x[0]), std::abs(s.q[1] - Path(s.t).x[1]));
    smallest = std::min(smallest, std::abs(std::cos(s.q[0])));
    ASSERT_TRUE(plant->step({.tau = f, .ports = {}, .wrench = {}}).ok()) << s.t;
  }
  EXPECT_EQ(next, std::size(kChanges));
  RecordProperty("error",
                 fmt::format("{:.2g} rad, {:.2g} N m in a tick, nearest {:.2g}", error, between, smallest));
  EXPECT_LT(error, 1e-6);    // [rad]
  EXPECT_LT(between, 1e-3);  // [N m] in a tick: some N m/s
  EXPECT_LT(smallest, 1e-4) << "it passed where A = 0";
}

TEST(ChangingConstraints, WhereARowVanishesNothingIsProjected) {
  const describe::Model model = describe::load_text(kSwitched, "switched.yaml");
  ProjectedControl control;
  control.led = {"q1", "q2"};
  ProjectedController held(model, control), free(model, control);
  EXPECT_TRUE(held.hold(0, true));
  EXPECT_TRUE(held.hold(1, true));
  const Two q{pi / 2.0, pi}, u{1.0, -2.0}, x{1.5, 3.2}, none{};
  std::array<Two, 2> f{};
  std::size_t k = 0;
  for (ProjectedController* controller : {&held, &free}) {
    ProjectedMemory memory = controller->memory();
    EXPECT_EQ(controller->force(memory, 0.0, q.data(), u.data(), x.data(), none.data(), none.data(), nullptr,
                                nullptr, f[k++].data()),
              Led::well);
  }
  EXPECT_LT(support::difference(f[0], f[1]), 1e-12);
}

TEST(ChangingConstraints, RefuseWhatIsNot) {
  const describe::Model model = describe::load_text(kSwitched, "switched.yaml");
  ProjectedControl control;
  control.led = {"q1", "again.z"};
  ProjectedController controller(model, control);
  EXPECT_FALSE(controller.hold(1, true)) << "it is led";
  EXPECT_FALSE(controller.hold(2, true));
  EXPECT_FALSE(controller.hold(-1, true));
  EXPECT_TRUE(controller.hold(0, true));
  try {
    ProjectedController(model, {.led = {"q1", "agian.z"}, .weight = {}});
    FAIL() << "a name that is none";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("again"), std::string::npos) << error.what();
  }
  describe::Model on = model;
  on.constraints[1].active = true;
  EXPECT_THROW(ProjectedController(on, {.led = {"q1", "again.z"}, .weight = {}}), InputError);
}

/// The finger of models/finger_on_wall.yaml, in closed form: links of length l, uniform.
struct Finger {
  static constexpr double l = 0.3, m1 = 1.0, m2 = 0.8, height = 0.12, r = 0.02, start = 0.25, span = 0.4,
                          w = 6.0;
  explicit Finger(double t) {
    x = start + span * (1.0 - std::cos(w * t)) / 2.0;
    xd = span * w * std::sin(w * t) / 2.0;
    xdd = span * w * w * std::cos(w * t) / 2.0;
  }
  double x, xd, xdd;  // of the first joint

  /// [N] the wall's push under the least torques.
  double push() const {
    const double a = std::asin((r - height - l * std::sin(x)) / l);  // of the second link
    const double da = -std::cos(x) / std::cos(a), dda = (std::sin(x) + std::sin(a) * da * da) / std::cos(a);
    const double u2 = (da - 1.0) * xd, ud2 = (da - 1.0) * xdd + dda * xd * xd;
    const double c2 = std::cos(a - x), s2 = std::sin(a - x);
    const double M22 = m2 * l * l / 3.0, M12 = M22 + m2 * l * l / 2.0 * c2,
                 M11 = m1 * l * l / 3.0 + M22 + m2 * l * l * (1.0 + c2);
    const double h1 = -m2 * l * l / 2.0 * s2 * (u2 * u2 + 2.0 * xd * u2),
                 h2 = m2 * l * l / 2.0 * s2 * xd * xd;
    const double tau1 = M11 * xdd + M12 * ud2 + h1, tau2 = M12 * xdd + M22 * ud2 + h2;
    const double A1 = l * (std::cos(x) + std::cos(a)), A2 = l * std::cos(a);
    return (A1 * tau1 + A2 * tau2) / (A1 * A1 + A2 * A2);
  }
};

struct Slide {
  double left = -1.0, least = 1e9, most = 0.0, error = 0.0;
};

/// Along the wall for a second, by the least torques or with a push that is kept.
Slide slide(Share share, double push, double h) {
  const describe::Model model = describe::load(support::source_dir() + "/models/finger_on_wall.yaml");
  ProjectedControl control;
  control.led = {"q1"};
  control.G_P = 480.0;
  control.G_D = 45.0;
  control.share = share;
  control.G_F = 3.0;
  control.G_I = 0.1;
  control.filter = 0.4;
  control.period = h;
  ProjectedController controller(model, control);
  EXPECT_TRUE(controller.hold(0, true));
  ProjectedMemory memory = controller.memory();
  const auto plant = contact::open(model, {.step = h});
  Slide result;
  double seen = push;
  for (long k = 0; k < std::lround(1.0 / h); ++k) {
    const simulate::State& s = plant->state();
    const Finger path(s.t);
    std::vector<double> f(2);
    EXPECT_EQ(controller.force(memory, s.t, s.q.data(), s.u.data(), &path.x, &path.xd, &path.xdd, &seen,
                               &push, f.data()),
              Led::well);
    EXPECT_TRUE(plant->step({.tau = f, .ports = {}, .wrench = {}}).ok()) << s.t;
    for (const simulate::Event& event : plant->events())
      if (event.kind == simulate::EventKind::leaves && result.left < 0.0) result.left = event.t;
    if (result.left >= 0.0) break;
    const simulate::ContactReport report = plant->contact_report();
    seen = report.pairs[0].normal;
    if (k > 10) {
      result.least = std::min(result.least, std::isfinite(seen) ? seen : -1.0);
      result.most = support::larger(result.most, seen);
    }
    result.error = support::larger(result.error, std::abs(plant->state().q[0] - Finger(plant->state().t).x));
  }
  return result;
}

TEST(ChangingConstraints, AContactIsKeptByForceControl) {
  const Slide kept = slide(Share::hybrid, 5.0, 1e-3);
  RecordProperty("kept", fmt::format("{:.4f} to {:.4f} N, {:.2g} rad", kept.least, kept.most, kept.error));
  EXPECT_LT(kept.left, 0.0) << "it never leaves";
  EXPECT_GT(kept.least, 4.9);  // [N] what a held force leaves
  EXPECT_LT(kept.most, 5.1);
  EXPECT_LT(kept.error, 1e-4);  // [rad]
}

TEST(ChangingConstraints, AContactIsLeftWhereTheLeastTorquesWouldHaveItPull) {
  // The wall's push under least torques, by the closed form: zero where?
  ASSERT_GT(Finger(0.0).push(), 0.5);
  double low = 0.0, high = 0.5;
  ASSERT_LT(Finger(high).push(), -0.5);
  for (int k = 0; k < 60; ++k) (Finger(0.5 * (low + high)).push() > 0.0 ? low : high) = 0.5 * (low + high);
  const double coarse = slide(Share::least, 0.0, 1e-3).left, fine = slide(Share::least, 0.0, 1e-4).left;
  RecordProperty("left", fmt::format("{:.6f} s; {:.6f} at 1 kHz, {:.6f} at 10 kHz", low, coarse, fine));
  EXPECT_GT(coarse, 0.0);
  // A held torque is late by half a period; so is the instant.
  EXPECT_NEAR(coarse, low, 1e-3);
  EXPECT_NEAR(fine, low, 1e-4);
}

}  // namespace
}  // namespace tactus::control
