#include <tactus/control/arm/trial.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numbers>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/derive/equations.h>
#include <tactus/device/random.h>
#include <tactus/generate/kernel.h>

namespace tactus::control {

namespace {

constexpr const char* kPayload = "payload of a trial";
std::string friction_name(std::size_t joint) { return fmt::format("friction {} of a trial", joint); }
std::string inertia_name(std::size_t body) { return fmt::format("inertia {} of a trial", body); }

/// The tool: an index into frames. A model without any gets one at the last body's origin.
int tool_of(describe::Model& model, const std::string& name) {
  if (!name.empty()) {
    if (const int frame = model.frame_index(name); frame >= 0) return frame;
    std::vector<std::string> known;
    for (const describe::Frame& frame : model.frames) known.push_back(frame.name);
    throw InputError({model.file}, fmt::format("model `{}` has no frame `{}`", model.name, name),
                     known.empty() ? "give `frames:` one at the tool" : suggestion(name, known));
  }
  for (std::size_t i = 0; i < model.frames.size(); ++i)
    if (model.frames[i].grasp) return static_cast<int>(i);
  if (model.frames.empty()) {
    const algebra::Graph::Scope scope(const_cast<algebra::Graph&>(*model.graph));
    describe::Frame frame;
    frame.name = model.bodies.back().name;
    frame.body = static_cast<int>(model.bodies.size()) - 1;
    model.frames.push_back(std::move(frame));
  }
  return static_cast<int>(model.frames.size()) - 1;
}

/// A point mass fixed at a frame: a body of its own.
void add_payload(describe::Model& model, int frame, describe::Expr mass) {
  const describe::Frame& at = model.frames[static_cast<std::size_t>(frame)];
  describe::Joint weld;
  weld.name = "weld of the payload of a trial";
  weld.type = describe::JointType::weld;
  weld.parent = at.body;
  weld.child = static_cast<int>(model.bodies.size());
  weld.X_PJ = at.X_BF;
  describe::Body body;
  body.name = kPayload;
  body.mass = mass;
  body.joint = static_cast<int>(model.joints.size());
  model.bodies.push_back(std::move(body));
  model.joints.push_back(std::move(weld));
}

void check(const Between& range, std::string_view what, double least, bool least_out,
           std::string_view remedy) {
  if (std::isfinite(range.low) && std::isfinite(range.high) && range.low <= range.high &&
      (least_out ? range.low > least : range.low >= least))
    return;
  throw InputError({}, fmt::format("{} from {:g} to {:g}", what, range.low, range.high), std::string(remedy));
}

}  // namespace

std::string_view name_of(TrialEnd end) {
  return end == TrialEnd::stable ? "stable" : end == TrialEnd::restless ? "restless" : "lost";
}

double TrialOutcome::worst_joint() const {
  double worst = 0.0;
  for (const double x : joint_largest) worst = x <= worst ? worst : x;
  return worst;
}

struct TrialArm::Parts {
  Parts(const describe::Model& original, const JointPath& along, const TrialOptions& chosen)
      : options(chosen), path(along), law(original), truth(original) {
    tool = tool_of(law, options.frame);
    tool_of(truth, options.frame);
    tool_name = law.frames[static_cast<std::size_t>(tool)].name;
  }

  TrialOptions options;
  JointPath path;
  describe::Model law, truth;  // as the law believes; with parameters for what is drawn
  int tool = 0;
  std::string tool_name;
  std::vector<std::string> joints, bodies, adjustable;
};

TrialArm::TrialArm(const describe::Model& model, const JointPath& path, const TrialOptions& options)
    : parts_(std::make_unique<Parts>(model, path, options)) {
  Parts& p = *parts_;
  const TrialRanges& r = options.ranges;
  check(r.payload, "a payload", 0.0, false, "give two masses in kg, the smaller first, such as 0:2");
  check(r.friction, "friction", 0.0, false, "give two factors, the smaller first, such as 0.8:1.2");
  check(r.inertia, "inertias", 0.0, true, "give two factors above zero, the smaller first, such as 0.9:1.1");
  check(r.delay, "a delay", 0.0, false, "give two times in s, the smaller first, such as 0:0.002");
  check(r.encoder, "encoder steps", 0.0, false,
        "give steps in a radian, the smaller number first, such as 5000:20000");
  if (r.encoder.low == 0.0 && r.encoder.high > 0.0)
    throw InputError({}, fmt::format("encoder steps from 0 to {:g}", r.encoder.high),
                     "give two numbers above zero, or 0 for none");
  if (!(options.period > 0.0) || !std::isfinite(options.period) || options.steps < 1)
    throw InputError({}, fmt::format("a period of {:g} s in {} steps", options.period, options.steps),
                     "give a positive time and at least one step");
  if (!(options.assumed >= 0.0) || !std::isfinite(options.assumed))
    throw InputError({}, fmt::format("an assumed payload of {:g} kg", options.assumed), "give a mass");
  if (r.delay.high > path.duration())
    throw InputError({}, fmt::format("a delay of {:g} s for a path of {:g} s", r.delay.high, path.duration()),
                     "give a shorter one");
  for (const double limit : {options.hold, options.lost, options.swing})
    if (!(limit > 0.0) || !std::isfinite(limit))
      throw InputError({}, fmt::format("a limit of {:g} by which trials are judged", limit),
                       "give a positive number");

  for (const describe::Joint& joint : p.law.joints)
    for (const describe::JointAxis& axis : joint.axes) p.joints.push_back(axis.name);
  // New numbers are written into the graph of the model's own: it is the caller's, before anything runs.
  const algebra::Graph::Scope scope(const_cast<algebra::Graph&>(*model.graph));
  const auto parameter = [&](const std::string& name, double value) {
    p.truth.parameters.push_back({name, value, "", ""});
    p.adjustable.push_back(name);
    return algebra::symbol(name);
  };
  std::size_t number = 0;
  for (describe::Joint& joint : p.truth.joints)
    for (describe::JointAxis& axis : joint.axes) {
      const describe::Expr factor = parameter(friction_name(number++), 1.0);
      describe::Friction& f = axis.friction;
      for (describe::Expr* value :
           {&f.viscous_positive, &f.viscous_negative, &f.coulomb_positive, &f.coulomb_negative,
            &f.breakaway_positive, &f.breakaway_negative, &axis.damping})
        *value = factor * *value;
    }
  for (std::size_t i = 1; i < p.truth.bodies.size(); ++i) {
    describe::Body& body = p.truth.bodies[i];
    const describe::Expr factor = parameter(inertia_name(p.bodies.size()), 1.0);
    p.bodies.push_back(body.name);
    body.mass = factor * body.mass;
    for (std::size_t k = 0; k < 9; ++k) body.inertia(k / 3, k % 3) = factor * body.inertia(k / 3, k % 3);
  }
  add_payload(p.truth, p.tool, parameter(kPayload, 0.0));
  if (options.assumed > 0.0) add_payload(p.law, p.tool, describe::Expr(options.assumed));
  // Refuses what no law can lead.
  const ArmController controller(p.law, options.control);
  if (path.joints() != controller.joints())
    throw InputError({model.file},
                     fmt::format("a path of {} joints for an arm of {}", path.joints(), controller.joints()),
                     "give every point a number for each joint");
}

TrialArm::~TrialArm() = default;
const TrialOptions& TrialArm::options() const noexcept { return parts_->options; }
const std::vector<std::string>& TrialArm::joint_names() const noexcept { return parts_->joints; }
const std::vector<std::string>& TrialArm::body_names() const noexcept { return parts_->bodies; }
const std::string& TrialArm::tool() const noexcept { return parts_->tool_name; }

// A generator for each number: seeds that follow each other are far apart once they are mixed.
TrialValues TrialArm::draw(std::uint64_t number) const {
  device::Random of_seed(parts_->options.seed);
  device::Random of_number(of_seed.bits() + number);
  device::Random random(of_number.bits());
  const auto between = [&](const Between& range) {
    const double x = random.uniform();
    return range.low + x * (range.high - range.low);
  };
  const TrialRanges& r = parts_->options.ranges;
  TrialValues values;
  values.payload = between(r.payload);
  values.delay = between(r.delay);
  const double x = random.uniform();
  values.encoder =
      r.encoder.low > 0.0 ? r.encoder.low * std::exp2(x * std::log2(r.encoder.high / r.encoder.low)) : 0.0;
  for (std::size_t i = 0; i < parts_->joints.size(); ++i) values.friction.push_back(between(r.friction));
  for (std::size_t i = 0; i < parts_->bodies.size(); ++i) values.inertia.push_back(between(r.inertia));
  for (std::size_t i = 0; i < parts_->joints.size(); ++i) values.phase.push_back(random.uniform());
  return values;
}

struct TrialArm::Loop::Parts {
  explicit Parts(const TrialArm& arm)
      : all(*arm.parts_),
        controller(all.law, all.options.control),
        place(generate::compile(derive::Equations(all.law).frame_motion(all.tool))) {
    contact::OpenOptions open;
    open.step = all.options.period / all.options.steps;
    open.ports = {all.tool_name};
    open.adjustable = all.adjustable;
    open.rederive = contact::Rederivation::at_once;
    plant = contact::open(all.truth, open);
    port = plant->port(all.tool_name);
    for (const std::string& name : all.adjustable) parameters.push_back(plant->parameter(name));
    const std::size_t n = controller.joints();
    for (std::vector<double>* own : {&q, &qd, &qdd, &tau, &seen, &before, &rate}) own->resize(n);
    low.resize(n);
    high.resize(n);
  }

  const TrialArm::Parts& all;
  ArmController controller;
  generate::Evaluator place;
  std::unique_ptr<simulate::Mechanism> plant;
  int port = 0;
  std::vector<int> parameters;
  std::vector<double> q, qd, qdd, tau, seen, before, rate, low, high;
  std::vector<std::vector<double>> given;  // forces on their way, by period
};

TrialArm::Loop::Loop(const TrialArm& arm) : parts_(std::make_unique<Parts>(arm)) {}
TrialArm::Loop::~Loop() = default;

TrialOutcome TrialArm::Loop::run(std::uint64_t number, const TrialValues& values,
                                 const std::function<void(const TrialTick&)>& watch) {
  Parts& p = *parts_;
  const TrialOptions& o = p.all.options;
  const std::size_t n = p.q.size();
  TrialOutcome result;
  result.number = number;
  result.values = values;
  result.joint_largest.assign(n, 0.0);

  p.all.path.at(0.0, p.q.data(), p.qd.data(), p.qdd.data());
  p.plant->set_state({0.0, p.q, p.qd, {}});
  std::size_t k = 0;
  bool possible = true;
  const auto set = [&](double value) {
    possible = p.plant->set_parameter(p.parameters[k++], value) && possible;
  };
  for (const double factor : values.friction) set(factor);
  for (const double factor : values.inertia) set(factor);
  set(values.payload);
  if (!possible)
    throw InputError({}, fmt::format("trial {} has an arm that cannot be", number),
                     "choose ranges nearer to the model");
  p.plant->set_state({0.0, p.q, p.qd, {}});

  const double step = o.period / o.steps;
  const auto late = static_cast<long>(std::llround(values.delay / step));  // steps
  const auto on_the_way = static_cast<std::size_t>(late / o.steps) + 2;
  p.given.assign(on_the_way, std::vector<double>(n, 0.0));
  const auto path_ticks = static_cast<long>(std::llround(p.all.path.duration() / o.period)),
             ticks = path_ticks + std::max(2L, static_cast<long>(std::llround(o.hold / o.period)));
  std::fill(p.low.begin(), p.low.end(), std::numeric_limits<double>::infinity());
  std::fill(p.high.begin(), p.high.end(), -std::numeric_limits<double>::infinity());
  double sum = 0.0;
  for (long tick = 0; tick < ticks; ++tick) {
    const double t = o.period * static_cast<double>(tick);
    result.time = t;
    p.all.path.at(t, p.q.data(), p.qd.data(), p.qdd.data());
    const simulate::State& state = p.plant->state();
    bool near = true;
    for (std::size_t i = 0; i < n; ++i) {
      const double counts = values.encoder;
      p.seen[i] = counts > 0.0
                      ? (std::floor(state.q[i] * counts + values.phase[i]) + 0.5 - values.phase[i]) / counts
                      : state.q[i];
      p.rate[i] = tick == 0 ? p.qd[i] : (p.seen[i] - p.before[i]) / o.period;
      p.before[i] = p.seen[i];
      const double apart = std::abs(state.q[i] - p.q[i]);
      if (!(apart <= result.joint_largest[i])) result.joint_largest[i] = apart;
      near = near && apart <= o.lost;
      if (2 * (tick - path_ticks) >= ticks - path_ticks) {
        p.low[i] = std::min(p.low[i], state.q[i]);
        p.high[i] = std::max(p.high[i], state.q[i]);
      }
    }
    std::copy(p.q.begin(), p.q.end(), p.place.input("q").begin());
    p.place.input("t")[0] = t;
    p.place.run();
    const math::Vec3<double>& is = p.plant->motion(p.port).X_WP.p;
    const auto should = p.place.output("p");
    double square = 0.0;
    for (std::size_t i = 0; i < 3; ++i) square += (is[i] - should[i]) * (is[i] - should[i]);
    if (!(std::sqrt(square) <= result.largest)) result.largest = std::sqrt(square);
    if (watch) watch({t, state.q, state.u, p.q, p.qd, p.qdd, p.rate, std::sqrt(square)});
    if (tick < path_ticks) {
      sum += square;
      result.rms = std::sqrt(sum / static_cast<double>(tick + 1));
    }
    if (!near || !p.controller.torque(t, p.seen, p.rate, p.q, p.qd, p.qdd, p.tau)) {
      result.end = TrialEnd::lost;
      return result;
    }
    result.cut += p.controller.cut() > 0 ? 1 : 0;
    const auto slot = [&](long period) -> std::vector<double>& {
      return p.given[static_cast<std::size_t>(std::max(0L, period)) % on_the_way];
    };
    slot(tick) = p.tau;
    // Until the first forces arrive they are what holds the arm at the start.
    for (int s = 0; s < o.steps; ++s) {
      const long sent = tick * o.steps + s - late;
      if (!p.plant->step({.tau = slot(sent < 0 ? 0 : sent / o.steps), .ports = {}, .wrench = {}}).ok()) {
        result.end = TrialEnd::lost;
        return result;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    if (!(p.high[i] - p.low[i] <= o.swing)) result.end = TrialEnd::restless;
  return result;
}

std::vector<TrialOutcome> run_trials(const TrialArm& arm, std::uint64_t count, int threads,
                                     const std::function<void(std::uint64_t)>& watch) {
  if (count == 0) throw InputError({}, "no trials", "give a positive number of them");
  if (threads < 1) throw InputError({}, fmt::format("{} threads", threads), "give a positive number of them");
  std::vector<TrialOutcome> results(count);
  std::atomic<std::uint64_t> next{0}, done{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      TrialArm::Loop loop(arm);
      for (std::uint64_t i = next++; i < count && !failed; i = next++) {
        results[i] = loop.run(i, arm.draw(i));
        ++done;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> pool;
    const auto most = static_cast<int>(std::min<std::uint64_t>(count, static_cast<std::uint64_t>(threads)));
    for (int i = 0; i < most; ++i) pool.emplace_back(work);
    while (watch && done < count && !failed) {
      watch(done);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

namespace {

/// The value below which such a part of sorted numbers lies, between two of them in proportion.
double quantile(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

TrialSummary summary_of(const std::vector<TrialOutcome>& trials) {
  TrialSummary all;
  all.count = trials.size();
  std::vector<double> largest, rms, joint;
  const TrialOutcome* worst = nullptr;
  const auto is_worse = [](const TrialOutcome& a, const TrialOutcome& b) {
    if (a.end != b.end) return a.end > b.end;
    if (a.end == TrialEnd::lost && a.time != b.time) return a.time < b.time;
    return a.largest > b.largest;
  };
  for (const TrialOutcome& one : trials) {
    all.lost += one.end == TrialEnd::lost ? 1u : 0u;
    all.restless += one.end == TrialEnd::restless ? 1u : 0u;
    if (worst == nullptr || is_worse(one, *worst)) worst = &one;
    if (!one.stable()) continue;
    largest.push_back(one.largest);
    rms.push_back(one.rms);
    joint.push_back(one.worst_joint());
  }
  if (worst != nullptr) all.worst = worst->number;
  constexpr std::array<double, 5> kParts{0.0, 0.05, 0.5, 0.95, 1.0};
  for (auto [values, into] : {std::pair{&largest, &all.largest}, {&rms, &all.rms}, {&joint, &all.joint}}) {
    std::sort(values->begin(), values->end());
    for (std::size_t i = 0; i < kParts.size(); ++i) (*into)[i] = quantile(*values, kParts[i]);
  }
  return all;
}

describe::Model with_payload(describe::Model model, const std::string& frame, double mass) {
  if (!(mass >= 0.0) || !std::isfinite(mass))
    throw InputError({}, fmt::format("a payload of {:g} kg", mass), "give a mass");
  const int tool = tool_of(model, frame);
  if (mass == 0.0) return model;
  const algebra::Graph::Scope scope(const_cast<algebra::Graph&>(*model.graph));
  add_payload(model, tool, describe::Expr(mass));
  return model;
}

JointPath standard_move(double duration) {
  constexpr double kDegree = std::numbers::pi / 180.0;
  return JointPath({{-45 * kDegree, -135 * kDegree, 135 * kDegree, -45 * kDegree, 0.0, 135 * kDegree},
                    {45 * kDegree, -85 * kDegree, 30 * kDegree, 45 * kDegree, 50 * kDegree, 30 * kDegree}},
                   std::vector<double>{0.0, duration});
}

JointPath middle_move(const describe::Model& model, double duration) {
  std::vector<double> from, to;
  std::size_t i = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      const double most = axis.is_rotation ? 0.5 * std::numbers::pi : 0.3;
      const double begin = i < model.initial_q.size() ? model.initial_q[i] : 0.0;
      ++i;
      if (!axis.lower || !axis.upper) {
        from.push_back(begin);
        to.push_back(begin + most);
        continue;
      }
      const double low = describe::value_of(model, *axis.lower),
                   high = describe::value_of(model, *axis.upper);
      const double middle = 0.5 * (low + high), way = std::min(most, 0.5 * (high - low));
      from.push_back(middle - 0.5 * way);
      to.push_back(middle + 0.5 * way);
    }
  return JointPath({from, to}, std::vector<double>{0.0, duration});
}

}  // namespace tactus::control
