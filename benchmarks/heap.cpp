#include "heap.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/collide/scene.h>
#include <tactus/describe/read/load.h>

#include "pile.h"

namespace tactus::bench {

namespace {

constexpr double kStep = 1e-3;  // [s]

/// Time of this thread on a processor [s].
double processor_time() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// What is read off bodies, whoever moves them: with the same ruler for all.
class Ruler {
 public:
  explicit Ruler(const describe::Model& model) : model_(model), scene_(model), told_(pile_scene(model)) {
    poses_.assign(12 * model.bodies.size(), 0.0);
    for (std::size_t k = 0; k < 3; ++k) poses_[5 * k] = 1.0;
  }
  /// [m] the deepest overlap of two shapes.
  double overlap(const std::vector<PileBody>& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Eigen::Matrix3d R = bodies[i].rotation.toRotationMatrix();
      double* X = &poses_[12 * static_cast<std::size_t>(model_.joints[i].child)];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) X[4 * r + c] = R(r, c);
        X[4 * r + 3] = bodies[i].position[r];
      }
    }
    scene_.update(poses_);
    double deepest = 0.0;
    for (const collide::Proximity& proximity : scene_.near(0.0)) deepest = std::max(deepest, -proximity.gap);
    return deepest;
  }
  /// [J] kinetic and potential.
  double energy(const std::vector<PileBody>& bodies) const {
    double energy = 0.0;
    for (const PileBody& body : bodies) {
      const Eigen::Vector3d w = body.rotation.conjugate() * body.turning;
      energy += 0.5 * body.mass * body.velocity.squaredNorm() + 0.5 * w.dot(body.inertia.cwiseProduct(w)) -
                body.mass * told_.gravity.dot(body.position);
    }
    return energy;
  }
  const PileScene& told() const { return told_; }

 private:
  const describe::Model& model_;
  collide::Scene scene_;
  PileScene told_;
  std::vector<double> poses_;
};

struct Outcome {
  std::string name;
  double seconds = std::numeric_limits<double>::infinity();  // of the processor, the shortest run
  double later = std::numeric_limits<double>::infinity();    // of its second half
  double overlap = 0.0, last_overlap = 0.0;                  // [m] at most; at the end
  double energy = 0.0;                                       // [J] gained since the start
  double rise = 0.0;                                         // [J] the most in one step
  double residual = -1.0, worst_residual = -1.0;             // mean, largest
  bool done = true;
};

using Maker = std::function<std::unique_ptr<Pile>()>;

void run(const Maker& make, Ruler& ruler, double duration, Outcome& outcome) {
  const std::unique_ptr<Pile> pile = make();
  std::vector<PileBody> bodies = ruler.told().bodies;
  const double start = ruler.energy(bodies);
  const long steps = std::lround(duration / kStep);
  double before = start, seconds = 0.0, later = 0.0, sum = 0.0;
  outcome.name = pile->name();
  outcome.done = true;
  outcome.overlap = outcome.rise = 0.0;
  outcome.worst_residual = -1.0;
  for (long i = 0; i < steps; ++i) {
    const double from = processor_time();
    outcome.done = pile->step() && outcome.done;
    const double took = processor_time() - from;
    seconds += took;
    if (2 * i >= steps) later += took;
    pile->read(bodies);
    const double now = ruler.energy(bodies);
    outcome.rise = std::max(outcome.rise, now - before);
    before = now;
    outcome.last_overlap = ruler.overlap(bodies);
    outcome.overlap = std::max(outcome.overlap, outcome.last_overlap);
    sum += pile->residual();
    outcome.worst_residual = std::max(outcome.worst_residual, pile->residual());
  }
  outcome.residual = sum / static_cast<double>(steps);
  outcome.energy = before - start;
  outcome.seconds = std::min(outcome.seconds, seconds / duration);
  outcome.later = std::min(outcome.later, 2.0 * later / duration);
}

void measure(const std::string& file, double duration, int repetitions, [[maybe_unused]] bool slow_ones) {
  const describe::Model model = describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + file + ".yaml");
  Ruler ruler(model);
  std::vector<Maker> makers{[&] { return tactus_pile(model, kStep); }};
#ifdef TACTUS_BENCH_MUJOCO
  makers.emplace_back([&] { return mujoco_pile(ruler.told(), kStep, MujocoSolver::conjugate_gradients); });
  if (slow_ones) makers.emplace_back([&] { return mujoco_pile(ruler.told(), kStep, MujocoSolver::newton); });
#endif
#ifdef TACTUS_BENCH_BULLET
  makers.emplace_back([&] { return bullet_pile(ruler.told(), kStep); });
#endif
#ifdef TACTUS_BENCH_ODE
  makers.emplace_back([&] { return ode_pile(ruler.told(), kStep); });
#endif
  std::vector<Outcome> outcomes(makers.size());
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (std::size_t i = 0; i < makers.size(); ++i) run(makers[i], ruler, duration, outcomes[i]);
  fmt::print(
      "\n{}, {} s at 1 kHz: processor time of the steps alone, the shortest of {}; all overlaps and energies "
      "by the "
      "same ruler\n"
      "{:<26} {:>9} {:>7} {:>11} {:>12} {:>12} {:>10} {:>13} {:>20}\n",
      file, duration, repetitions, "engine", "s per s", "ratio", "second half", "overlap mm", "at the end",
      "energy J", "rise in step", "residual (worst)");
  for (const Outcome& o : outcomes)
    fmt::print("{:<26} {:>9.4f} {:>7.2f} {:>11.4f} {:>12.4f} {:>12.4f} {:>10.3f} {:>13.2g} {:>20}{}\n",
               o.name, o.seconds, o.seconds / outcomes[0].seconds, o.later, 1e3 * o.overlap,
               1e3 * o.last_overlap, o.energy, o.rise,
               o.worst_residual < 0.0 ? "" : fmt::format("{:.1e} ({:.1e})", o.residual, o.worst_residual),
               o.done ? "" : "  stopped or warned");
}

}  // namespace

void measure_heap(bool quick) {
  measure("box_stack", quick ? 1.0 : 5.0, quick ? 1 : 3, true);
  measure("many_bodies", quick ? 0.3 : 1.0, quick ? 1 : 3, false);
}

}  // namespace tactus::bench
