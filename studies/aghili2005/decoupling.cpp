// Section V-C and Appendix IV: where the constraint force does not depend on the motion, and force control there.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/decoupling.h>
#include <tactus/control/arm/projected.h>
#include "cases.h"

namespace tactus::studies::aghili {

namespace {

using control::Led;
using control::ProjectedControl;
using control::ProjectedController;
using std::numbers::pi;
using study::Context;
using study::Result;

/// The largest force of the constraint on a joint while hybrid control asks for none, at the instants at which torques are set.
double largest_force(const describe::Model& model, const char* led, double wanted, simulate::State start,
                     bool feed_forward) {
  ProjectedControl control;
  control.led = {led};
  control.share = control::Share::hybrid;
  control.feed_forward = feed_forward;
  ProjectedController controller(model, control);
  control::ProjectedMemory memory = controller.memory();
  contact::OpenOptions options;
  options.step = control.period;
  const std::unique_ptr<simulate::Mechanism> plant = contact::open(model, options);
  plant->set_state(std::move(start));
  double largest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const simulate::State& s = plant->state();
    const double none = 0.0;
    std::vector<double> f(2);
    if (controller.force(memory, s.t, s.q.data(), s.u.data(), &wanted, &none, &none, &none, &none,
                         f.data()) != Led::well)
      return NAN;
    if (!plant->hold({.tau = f, .ports = {}, .wrench = {}})) return NAN;
    for (const double force : plant->constraint_report(true).force)
      largest = std::isfinite(force) ? std::max(largest, std::fabs(force)) : NAN;
    if (!plant->step({.tau = f, .ports = {}, .wrench = {}}).ok()) return NAN;
  }
  return largest;
}

Result decoupled(const Context& context) {
  Deviation d;
  // The particle's mass is the same in all directions; the crank's inertia is not. Of its row (2, 1) c1 and its motion (1, -2), over sqrt 5:
  // (I - P) M P is (1 + c2)/5 m l^2, and mu P that over (3 - 2 c2)/5.
  Eigen::MatrixXd A(1, 2), M = Eigen::MatrixXd::Identity(2, 2);
  A << std::cos(0.5), std::sin(0.5);
  const control::Decoupling particle = control::decoupling(A, 1, M);
  d.add(particle.inertia, 0.0, 1e-15);
  d.add(particle.mu, 0.0, 1e-15);
  const double c2 = -0.5;
  A << 2.0, 1.0;
  M << 3.0 + 2.0 * c2, 1.0 + c2, 1.0 + c2, 1.0;
  const control::Decoupling crank = control::decoupling(A, 1, M);
  d.add(crank.inertia, (1.0 + c2) / 5.0 / M.norm(), 1e-14);
  d.add(crank.mu, (1.0 + c2) / (3.0 - 2.0 * c2), 1e-14);
  // Force control for none, with the feed-forward and without, while they move.
  describe::Model model = load(context, "slider_crank", {{"g", 0.0}});
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes) axis.passive = false;
  const simulate::State start{0.0, {pi / 6.0, 2.0 * pi - pi / 3.0}, {0.0, 0.0}, {}};
  const double with = largest_force(model, "q1", pi / 3.0, start, true),
               without = largest_force(model, "q1", pi / 3.0, start, false);
  d.add(with, 0.0, 1e-10);
  d.add(without, 0.4 * 1.5 * 25.0 * pi / 6.0,
        1e-9);  // (72): 2/5 (1 + c2) u* at the start, where it is largest
  const describe::Model circle = load(context, "particle_on_circle");
  const simulate::State there{0.0, {std::cos(0.5), std::sin(0.5)}, {0.0, 0.0}, {}};
  const double particle_with = largest_force(circle, "q2", 0.9, there, true),
               particle_without = largest_force(circle, "q2", 0.9, there, false);
  d.add(particle_with, 0.0, 1e-10);
  d.add(particle_without, 0.0, 1e-10);
  return {"(80), Proposition 3: force and motion are decoupled where (I - P) M P = 0",
          fmt::format("particle on a circle: |(I - P) M P|/|M| = {:.1g}, |mu P| = {:.1g}; slider-crank: "
                      "{:.4f}, {:.4f}. Largest constraint force "
                      "under force control for none, with the feed-forward mu and without: particle {:.1g}, "
                      "{:.1g} N; slider-crank {:.1g}, "
                      "{:.4f} N m",
                      particle.inertia, particle.mu, crank.inertia, crank.mu, particle_with, particle_without,
                      with, without),
          closed_form(all_within(d) && particle.decoupled() && !crank.decoupled(),
                      "the coupling by hand, and (72)"),
          "no numbers are printed. The condition is necessary, too, which the paper does not say. In the "
          "appendix the second line lacks a sign",
          {}};
}

Result redundant(const Context& context) {
  // Twice the same constraint; 3 and 1 N are asked for.
  describe::Model model = load(context, "slider_crank", {{"g", 0.0}});
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes) axis.passive = false;
  model.constraints.push_back(model.constraints[0]);
  model.constraints.back().name = "slider_again";
  ProjectedControl control;
  control.led = {"q1"};
  control.share = control::Share::hybrid;
  ProjectedController controller(model, control);
  control::ProjectedMemory memory = controller.memory();
  const std::unique_ptr<simulate::Mechanism> plant = contact::open(model);
  const double q1 = 0.6, u1 = 0.4, wanted = 1.0, none[] = {0.0, 0.0}, asked[] = {3.0, 1.0};
  plant->set_state({0.0, {q1, 2.0 * pi - 2.0 * q1}, {u1, -2.0 * u1}, {}});
  std::vector<double> f(2);
  const simulate::State& s = plant->state();
  const bool led = controller.force(memory, 0.0, s.q.data(), s.u.data(), &wanted, none, none, none, asked,
                                    f.data()) == Led::well &&
                   plant->hold({.tau = f, .ports = {}, .wrench = {}});
  const simulate::ConstraintReport report = plant->constraint_report(true);
  Deviation d;
  d.add(report.force[0], 4.0 * 2.0 * std::cos(q1), 1e-10);
  d.add(report.force[1], 4.0 * std::cos(q1), 1e-10);
  return {"Remark 5: the constraint force can always be controlled, multipliers only where A has full rank",
          fmt::format("the slider's constraint twice, 3 and 1 N asked for: the force is that of 4 N, {}; the "
                      "multipliers are {:.3f} and {:.3f} N",
                      d.to_string(), report.lambda[0], report.lambda[1]),
          closed_form(led && all_within(d) && std::fabs(report.lambda[0] - 3.0) > 0.5,
                      "A^T times the sum of what was asked for"),
          "no numbers are printed; (51) has A^T A, whose least eigenvalue is always zero where there are "
          "fewer rows than joints: A A^T is meant",
          {}};
}

}  // namespace

std::vector<study::Case> decoupling_cases() {
  return {{"proposition-3", "decoupling of force and motion", decoupled},
          {"remark-5", "forces of redundant constraints", redundant}};
}

}  // namespace tactus::studies::aghili
