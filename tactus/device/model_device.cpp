#include <tactus/device/model_device.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/device/hand_limits.h>
#include <tactus/device/registry.h>
#include <tactus/device/saturation.h>
#include <tactus/math/decompositions.h>

namespace tactus::device {

namespace {

/// Of a period, as in the other simulated devices: the hand's force is held for one.
constexpr int kSubsteps = 8;

template <int Rows, int Columns>
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, Rows, Columns>;
constexpr int kMotors = static_cast<int>(ModelDevice::kMostMotors);

/// The axes of a handle, and its mobility along them.
struct OwnAxes {
  std::array<std::size_t, 6> axes{};
  Eigen::Index count = 0;
  Small<6, 6> L;
  std::size_t axis(Eigen::Index i) const noexcept { return axes[static_cast<std::size_t>(i)]; }
};

OwnAxes axes_of(std::uint8_t mask, const std::array<double, 36>& mobility) noexcept {
  OwnAxes own;
  for (std::size_t i = 0; i < 6; ++i)
    if (has_axis(mask, i)) own.axes[static_cast<std::size_t>(own.count++)] = i;
  own.L.resize(own.count, own.count);
  for (Eigen::Index i = 0; i < own.count; ++i)
    for (Eigen::Index j = 0; j < own.count; ++j) own.L(i, j) = mobility[6 * own.axis(i) + own.axis(j)];
  return own;
}

Specification outline(const describe::Model& model, const ModelDeviceOptions& options) {
  Specification s;
  s.name = options.name.empty() ? "model:" + model.name : options.name;
  s.description = !options.description.empty() ? options.description
                  : model.description.empty()  ? "a model"
                                               : model.description;
  s.rate = options.rate;
  s.latency = options.latency;
  s.workspace = options.workspace;
  s.workspace_angle = options.workspace_angle;
  s.force_sensor = options.force_sensor;
  if (options.force_sensor) {
    s.force_resolution = options.force_resolution;
    s.force_noise = options.force_noise;
  }
  s.velocity_bandwidth = options.velocity_bandwidth;
  if (!(s.rate > 0.0 && std::isfinite(s.rate)))
    throw InputError({}, "the rate of a device must be above 0", "1000 Hz is what most devices have");
  if (!CommandDelay::bears(s.latency, s.rate))
    throw InputError({},
                     fmt::format("device `{}`: a latency of {:g} s at {:g} Hz", s.name, s.latency, s.rate),
                     fmt::format("between 0 and {} periods", CommandDelay::kMost));
  return s;
}

/// All of its axes, whichever can be moved.
ForceSensor sensor_of(Specification s, const ModelDeviceOptions& options) {
  s.sensed = kAllAxes;
  return {s, {}, options.force_bias, options.seed};
}

bool is_ideal(const ModelDeviceOptions& o) {
  return o.force_resolution == std::array<double, 2>{} && o.force_noise == std::array<double, 2>{} &&
         o.force_bias == Vector6{};
}

}  // namespace

ModelDevice::ModelDevice(const describe::Model& model, const ModelDeviceOptions& options, HandPointer hand)
    : options_(options),
      specification_(outline(model, options)),
      hand_(std::move(hand)),
      sensing_({}, options.rate, options.velocity_bandwidth),
      force_(sensor_of(specification_, options)),
      ideal_(is_ideal(options)),
      coming_(options.latency, options.rate) {
  contact::OpenOptions open;
  open.step = 1.0 / (options.rate * kSubsteps);
  if (!options.port.empty() && model.frame_index(options.port) >= 0) open.ports = {options.port};
  mechanism_ = contact::open(model, open);
  port_ = !options.port.empty()                    ? mechanism_->port(options.port)
          : mechanism_->ports().front().frame >= 0 ? 0
                                                   : static_cast<int>(mechanism_->ports().size()) - 1;
  mechanism_->set_state({.t = 0.0,
                         .q = mechanism_->state().q,
                         .u = std::vector<double>(mechanism_->nv(), 0.0),
                         .momentum = {}});
  find_motors(mechanism_->model());
  tau_.resize(mechanism_->nv());
  scratch_.resize(mechanism_->nv());
  udot_.resize(mechanism_->nv());
  X_0_ = mechanism_->motion(port_).X_WP;
  probe();
  find_axes();
  find_held();
  if (!options_.compensated) find_losses(mechanism_->model());  // otherwise its motors carry them
  find_limits();
  find_hand_limits();
  try_a_step();
}

// What it burns along an axis i of the handle, by how all joints go with it: the wrench M e_i accelerates the
// handle by e_i, and the joints by u_i. By power,
//
//   D_ii = sum c_j u_ij^2,        f_i = sum f_j |u_ij|
//
// with viscous and dry friction of the easier direction. The specification has the least along any axis, as
// of inertia.
void ModelDevice::find_losses(const describe::Model& model) {
  constexpr double kHard = 1e9;  // times M e_i, beside which dry friction is nothing
  HandleDynamics own;
  dynamics(own);
  std::fill(scratch_.begin(), scratch_.end(), 0.0);
  mechanism_->hold({.tau = scratch_, .ports = {}, .wrench = {}});
  const std::span<const double> rest = mechanism_->accelerations();
  std::copy(rest.begin(), rest.end(), udot_.begin());
  std::array<bool, 2> begun{};
  for (std::size_t i = 0; i < 6; ++i) {
    if (!has_axis(specification_.sensed, i)) continue;
    simulate::PortWrench push{port_, {}};
    for (std::size_t j = 0; j < 6; ++j)
      if (has_axis(specification_.sensed, j)) push.wrench[j] = kHard * own.M[6 * j + i];
    mechanism_->hold({.tau = scratch_, .ports = {&push, 1}, .wrench = {}});
    const std::span<const double> pushed = mechanism_->accelerations();
    double damping = 0.0, friction = 0.0;
    std::size_t speed = 0;
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) {
        const double u = (pushed[speed] - udot_[speed]) / kHard;
        ++speed;
        const auto least = [&](const describe::Expr& a, const describe::Expr& b) {
          return std::min(describe::value_of(model, a), describe::value_of(model, b));
        };
        damping += (describe::value_of(model, axis.damping) +
                    least(axis.friction.viscous_positive, axis.friction.viscous_negative)) *
                   u * u;
        friction += least(axis.friction.coulomb_positive, axis.friction.coulomb_negative) * std::abs(u);
      }
    const std::size_t k = i / 3;
    double &D = specification_.damping[k], &f = specification_.friction[k];
    D = begun[k] ? std::min(D, damping) : damping;
    f = begun[k] ? std::min(f, friction) : friction;
    begun[k] = true;
  }
  specification_.stiffness =
      begun[1] ? largest_stiffness(specification_) : largest_rotational_stiffness(specification_);
}

void ModelDevice::find_limits() {
  const std::size_t n = motor_.size();
  const bool both = (specification_.actuated & kTranslation) != 0 &&
                    (specification_.actuated & static_cast<std::uint8_t>(~kTranslation)) != 0;
  for (std::size_t k = 0; k < 2; ++k) {
    if (k == 0 && (specification_.actuated & static_cast<std::uint8_t>(~kTranslation)) == 0) continue;
    if (k == 1 && (specification_.actuated & kTranslation) == 0) continue;
    const bool known = std::all_of(limit_.begin(), limit_.end(), [](double limit) { return limit > 0.0; });
    double most = known ? std::numeric_limits<double>::infinity() : options_.most[k];
    for (std::size_t c = 0; c < n && known; ++c) {
      double square = 0.0;
      for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
        if (has_axis(specification_.actuated, i)) square += B_[i * n + c] * B_[i * n + c];
      const double room = limit_[c] - std::abs(own_[c]);
      if (!(room > 0.0))
        throw InputError(
            {},
            fmt::format("`{}`: a motor of {:g} cannot carry what the device itself weighs there, {:.3g}",
                        specification_.name, limit_[c], std::abs(own_[c])),
            "give its joint a larger `effort_limit`, or the device another `initial` state");
      if (square > 0.0) most = std::min(most, (both ? 0.5 : 1.0) * room / std::sqrt(square));
    }
    double& peak = specification_.peak[k] = most;
    if (options_.peak[k] > 0.0) peak = most > 0.0 ? std::min(most, options_.peak[k]) : options_.peak[k];
    specification_.continuous[k] =
        options_.continuous[k] > 0.0 && !(peak > 0.0 && peak < options_.continuous[k])
            ? options_.continuous[k]
            : peak;
  }
}

// 1/m is the largest eigenvalue of the handle's mobility, of translations and of rotations. Both together,
// and both of spring and damper, have at most twice what each has: s + 2 z <= 2.5.
void ModelDevice::find_hand_limits() {
  constexpr double kDamped = 0.5;  // z
  std::array<double, 36> L{};
  mechanism_->mobility(port_, L);
  const double h = mechanism_->step_length();
  for (std::size_t k = 0; k < 2; ++k) {
    Eigen::Matrix3d part;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        part(i, j) =
            L[static_cast<std::size_t>(6 * (3 * static_cast<int>(k) + i) + 3 * static_cast<int>(k) + j)];
    const double light = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(part).eigenvalues()[2];
    if (!(light > 0.0)) continue;
    hand_limits_.stiffness[k] = kMostOfAStep / (light * h * h);
    hand_limits_.damping[k] = kDamped / (light * h);
  }
}

// What would stop the device in its first period is said before there is one.
void ModelDevice::try_a_step() {
  const auto begin = mechanism_->make_snapshot();
  drive({});
  simulate::Tick tick;
  for (int i = 0; i < kSubsteps && tick.ok(); ++i)
    tick = mechanism_->step({.tau = tau_, .ports = {}, .wrench = {}});
  if (!tick.ok())
    throw InputError({},
                     fmt::format("`{}` cannot be a device from where it begins: {}", specification_.name,
                                 mechanism_->explain(tick.status)),
                     "give another `initial` state in the model");
  mechanism_->load(*begin);
  std::fill(tau_.begin(), tau_.end(), 0.0);
}

math::Pose<double> ModelDevice::from_start(const math::Pose<double>& X) const noexcept {
  return {X.R * X_0_.R.transposed(), X.p - X_0_.p};
}

std::string ModelDevice::trouble() const {
  return state_ == State::lost ? "its mechanism: " + mechanism_->explain(trouble_) : std::string();
}

void ModelDevice::find_motors(const describe::Model& model) {
  const std::vector<std::string> speeds = model.speed_names(), coordinates = model.coordinate_names();
  std::size_t at = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      const std::size_t speed = at++;
      const auto coordinate = std::find(coordinates.begin(), coordinates.end(), axis.name);
      if (axis.passive || coordinate == coordinates.end()) continue;  // no motor turns a ball
      if (joint.type == describe::JointType::free || joint.type == describe::JointType::spherical) continue;
      if (speeds[speed] != axis.name)
        throw InputError({}, fmt::format("`{}`: its speeds are not the rates of its joints", model.name),
                         "a device's motors are at its joints: leave out `speeds`");
      const double limit = axis.effort_limit ? describe::value_of(model, *axis.effort_limit) : 0.0;
      if (axis.effort_limit && !(limit > 0.0 && std::isfinite(limit)))
        throw InputError({model.file},
                         fmt::format("joint `{}` has an `effort_limit` of {:g}", axis.name, limit),
                         "give it one above zero; a joint without a motor is `passive: true`");
      limit_.push_back(limit);
      motor_.push_back(speed);
      step_.push_back(options_.encoder_step[axis.is_rotation ? 0 : 1]);
      turns_.push_back(axis.is_rotation);
      coordinate_.push_back(static_cast<int>(coordinate - coordinates.begin()));
    }
  if (motor_.empty() || motor_.size() > kMostMotors)
    throw InputError({}, fmt::format("`{}` has {} joints with motors", model.name, motor_.size()),
                     fmt::format("between 1 and {}; joints without one are `passive: true`", kMostMotors));
}

// Responses of accelerations to motors, at the state: S G S^T, J G S^T, and B.
void ModelDevice::probe() noexcept {
  simulate::Mechanism& m = *mechanism_;
  const std::size_t n = motor_.size();
  std::fill(scratch_.begin(), scratch_.end(), 0.0);
  m.hold({.tau = scratch_, .ports = {}, .wrench = {}});
  const std::span<const double> rest = m.accelerations();
  std::copy(rest.begin(), rest.end(), udot_.begin());
  const std::span<const double> J = m.jacobian(port_);
  for (std::size_t c = 0; c < n; ++c) {
    scratch_[motor_[c]] = 1.0;
    m.hold({.tau = scratch_, .ports = {}, .wrench = {}});
    scratch_[motor_[c]] = 0.0;
    const std::span<const double> pushed = m.accelerations();
    for (std::size_t i = 0; i < n; ++i) W_[i * n + c] = pushed[motor_[i]] - udot_[motor_[i]];
    for (std::size_t r = 0; r < 6; ++r) {
      double sum = 0.0;
      for (std::size_t k = 0; k < udot_.size(); ++k) sum += J[r * udot_.size() + k] * (pushed[k] - udot_[k]);
      port_response_[r * n + c] = sum;
    }
  }
  const Eigen::Index size = static_cast<Eigen::Index>(n);
  const Eigen::Map<const Small<kMotors, kMotors>> W(W_.data(), size, size);
  const Eigen::Map<const Small<6, kMotors>> R(port_response_.data(), 6, size);
  // B W = R; W is symmetric. In the units that make its diagonal 1, D W D, directions without motion are told from the others.
  using Motors = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMotors, 1>;
  Motors D(size);
  for (Eigen::Index i = 0; i < size; ++i) D[i] = W(i, i) > 0.0 ? 1.0 / std::sqrt(W(i, i)) : 0.0;
  // A motor that hardly moves, where others do its work, gives no more than some tens of theirs.
  constexpr double kUneven = 30.0;
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      if (D[j] > 0.0 && turns_[static_cast<std::size_t>(i)] == turns_[static_cast<std::size_t>(j)])
        D[i] = std::min(D[i], kUneven * D[j]);
  Small<kMotors, kMotors> scaled = 0.5 * (W + W.transpose());
  scaled = D.asDiagonal() * scaled * D.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Small<kMotors, kMotors>> modes(scaled);
  constexpr double kMoves =
      1e-6;  // of the direction that moves most: constraints leave rounding in the others
  Motors inverse(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const double e = modes.eigenvalues()[i];
    inverse[i] = e > kMoves * modes.eigenvalues()[size - 1] ? 1.0 / e : 0.0;
  }
  Small<kMotors, kMotors> V = D.asDiagonal() * modes.eigenvectors(), P(size, size);
  P.noalias() = V * inverse.asDiagonal() * V.transpose();
  Eigen::Map<Small<6, kMotors>> B(B_.data(), 6, size);
  B.noalias() = R * P;
  // With these the motors stand still or go on as they do.
  own_.fill(0.0);
  if (!options_.compensated) return;
  Motors rest_of(size), own(size);
  for (Eigen::Index i = 0; i < size; ++i) rest_of[i] = -udot_[motor_[static_cast<std::size_t>(i)]];
  own.noalias() = P * rest_of;
  for (Eigen::Index i = 0; i < size; ++i) own_[static_cast<std::size_t>(i)] = own[i];
}

// Greedy: each further axis must be independent of those that there are, by what its own direction has left of motion.
void ModelDevice::find_axes() {
  const std::size_t n = motor_.size();
  Eigen::Matrix<double, 6, Eigen::Dynamic> B(6, static_cast<Eigen::Index>(n));
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < n; ++c)
      B(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = B_[r * n + c];
  specification_.sensed = 0;
  Eigen::MatrixXd rest = B;
  for (const Eigen::Index axis : {3, 4, 5, 0, 1, 2}) {
    const Eigen::RowVectorXd row = rest.row(axis);
    constexpr double kIndependent = 1e-3;  // of the row as it was
    // What moves so little beside the other axes of its kind is rounding.
    const double most = B.middleRows(axis < 3 ? 0 : 3, 3).rowwise().norm().maxCoeff();
    if (!(row.norm() > kIndependent * B.row(axis).norm()) || !(B.row(axis).norm() > 1e-6 * most)) continue;
    specification_.sensed |= static_cast<std::uint8_t>(1u << axis);
    const Eigen::RowVectorXd unit = row / row.norm();
    rest -= (rest * unit.transpose()) * unit;
  }
  specification_.actuated = specification_.sensed;
  if (specification_.sensed == 0)
    throw InputError({}, fmt::format("`{}`: its motors do not move the port", specification_.name),
                     "choose another port, by model:FILE:PORT");
  for (std::size_t i = 0; i < 6; ++i) {
    if (!has_axis(specification_.sensed, i)) continue;
    for (std::size_t c = 0; c < n; ++c)
      specification_.resolution[i / 3] =
          std::max(specification_.resolution[i / 3], std::abs(B_[i * n + c]) * step_[c]);
  }
  // The least that it is felt as, the rest of it free to go along: 1 over the largest mobility.
  std::array<double, 36> L{};
  mechanism_->mobility(port_, L);
  for (std::size_t k = 0; k < 2; ++k) {
    Eigen::Matrix3d part = Eigen::Matrix3d::Zero();
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (has_axis(specification_.sensed, 3 * k + i) && has_axis(specification_.sensed, 3 * k + j))
          part(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = L[6 * (3 * k + i) + 3 * k + j];
    const double light = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(part).eigenvalues()[2];
    if (light > 0.0) specification_.inertia[k] = 1.0 / light;
  }
}

// The axes that it has are taken out of the mobility, one after the other, then all translations: what is left of a
// rotation turns by itself.
void ModelDevice::find_held() noexcept {
  constexpr double kIndependent = 1e-6;  // of its own mobility
  std::array<double, 36> L{};
  mechanism_->mobility(port_, L);
  Eigen::Matrix<double, 6, 6, Eigen::RowMajor> left =
      Eigen::Map<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(L.data());
  held_ = kTranslation | specification_.sensed;
  const auto take = [&](std::size_t axis) {
    const auto i = static_cast<Eigen::Index>(axis);
    if (!(left(i, i) > kIndependent * L[7 * axis])) return;
    held_ |= static_cast<std::uint8_t>(1u << axis);
    const Eigen::Matrix<double, 6, 1> column = left.col(i) / std::sqrt(left(i, i));
    left.noalias() -= column * column.transpose();
  };
  for (std::size_t axis = 0; axis < 6; ++axis)
    if (has_axis(specification_.sensed, axis)) take(axis);
  for (const std::size_t axis : {3u, 4u, 5u, 0u, 1u, 2u})
    if (!has_axis(specification_.sensed, axis)) take(axis);
}

bool ModelDevice::dynamics(HandleDynamics& dynamics) noexcept {
  // The mobility of the handle along its axes, inverted there.
  std::array<double, 36> L{};
  mechanism_->mobility(port_, L);
  const OwnAxes own = axes_of(specification_.sensed, L);
  const Eigen::Index count = own.count;
  Small<6, 6> inverse = Small<6, 6>::Identity(count, count);
  const Eigen::LDLT<Small<6, 6>> factors(own.L);
  factors.solveInPlace(inverse);
  dynamics = {};
  for (std::size_t i = 0; i < 6; ++i) dynamics.M[7 * i] = 1.0;
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < count; ++j) dynamics.M[6 * own.axis(i) + own.axis(j)] = inverse(i, j);
  // M a_0 is what moves it without hand and command: what its own motors leave of weight and velocity's products.
  std::fill(scratch_.begin(), scratch_.end(), 0.0);
  for (std::size_t c = 0; c < motor_.size(); ++c) scratch_[motor_[c]] = own_[c];
  mechanism_->hold({.tau = scratch_, .ports = {}, .wrench = {}});
  const Vector6 a = mechanism_->acceleration(port_);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      if (has_axis(specification_.sensed, i) && has_axis(specification_.sensed, j))
        dynamics.bias[i] -= dynamics.M[6 * i + j] * a[j];
  return true;
}

bool ModelDevice::enable() noexcept {
  if (state_ == State::lost) return false;
  stopped_.store(false, std::memory_order_relaxed);
  state_ = State::enabled;
  return true;
}

void ModelDevice::disable() noexcept {
  if (state_ != State::lost) state_ = State::off;
  coming_.forget();
  std::fill(tau_.begin(), tau_.end(), 0.0);
}

bool ModelDevice::wait() noexcept {
  if (stopped_.load(std::memory_order_acquire)) disable();
  if (state_ == State::lost) return false;
  if (sample_.number > 0) {
    if (state_ == State::enabled) drive(coming_.due());
    coming_.next();
    const double h = mechanism_->step_length();
    for (int i = 0; i < kSubsteps; ++i) {
      const simulate::PortMotion before = mechanism_->motion(port_);
      Vector6 half = before.V_WP;
      for (double& way : half) way *= 0.5 * h;
      Handle middle{before.X_WP.p, math::quaternion_of(before.X_WP.R), {}};
      middle.move(half);
      const Grip grip = hand_->grip(sample_.t + (i + 0.5) * h, from_start(middle.pose()));
      const simulate::PortWrench hand{port_, pushed(grip, before.V_WP)};
      const simulate::Tick tick = mechanism_->step({.tau = tau_, .ports = {&hand, 1}, .wrench = {}});
      if (!tick.ok()) {
        trouble_ = tick.status;
        state_ = State::lost;
        return false;
      }
      const Vector6& V = mechanism_->motion(port_).V_WP;
      for (std::size_t k = 0; k < 6; ++k) hand_work_ += 0.5 * h * hand.wrench[k] * (before.V_WP[k] + V[k]);
    }
  }
  sample_.t = static_cast<double>(sample_.number) / specification_.rate;
  ++sample_.number;
  probe();
  sense();
  return true;
}

// Where the encoders see the handle: the nearest step of each motor is that much away, and the handle B times that.
void ModelDevice::sense() noexcept {
  const std::size_t n = motor_.size();
  const simulate::PortMotion& motion = mechanism_->motion(port_);
  const math::Pose<double> X_WH = from_start(motion.X_WP);
  Handle seen{X_WH.p, math::quaternion_of(X_WH.R), {}};
  Vector6 off{};
  for (std::size_t c = 0; c < n; ++c) {
    const double q = mechanism_->state().q[static_cast<std::size_t>(coordinate_[c])];
    const double away = quantised(q, step_[c]) - q;
    for (std::size_t i = 0; i < 6; ++i) off[i] += B_[i * n + c] * away;
  }
  seen.move(off);
  sensing_.read(seen, sample_);
  Vector6 F{};
  if (specification_.force_sensor) {
    F = along_axes(pushed(hand_->grip(sample_.t, X_WH), motion.V_WP));
    if (!ideal_) F = force_.read(F, X_WH.R, sample_.X_WH.R);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const bool has = has_axis(specification_.sensed, i);
    sample_.F_H_W[i] = has ? F[i] : 0.0;
    if (!has) sample_.V_WH[i] = 0.0;
  }
}

// A wrench F accelerates the handle by L F. Along its axes a, and with b the rest of what it is pushed along,
//
//   L_aa F_told = L_aa F_a + L_ab F_b
//
// is told: a slide that is inclined to both is moved by either, and controllers know of one axis alone.
Vector6 ModelDevice::along_axes(const Vector6& F) noexcept {
  Vector6 told = F;
  std::array<double, 36> L{};
  mechanism_->mobility(port_, L);
  const OwnAxes own = axes_of(specification_.sensed, L);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> rest(own.count);
  for (Eigen::Index r = 0; r < own.count; ++r) {
    rest[r] = 0.0;
    for (std::size_t j = 0; j < 6; ++j)
      if (!has_axis(specification_.sensed, j)) rest[r] += L[6 * own.axis(r) + j] * F[j];
  }
  if ((rest.array() == 0.0).all()) return told;
  const Eigen::LDLT<Small<6, 6>> factors(own.L);
  factors.solveInPlace(rest);
  for (Eigen::Index r = 0; r < own.count; ++r) told[own.axis(r)] += rest[r];
  return told;
}

Vector6 ModelDevice::pushed(const Grip& grip, const Vector6& V) const noexcept {
  Vector6 F{};
  for (std::size_t i = 0; i < 6; ++i)
    if (has_axis(held_, i)) F[i] = grip.wrench[i] - grip.damping[i / 3] * V[i];
  return F;
}

// tau = B^T F, and what carries the device itself.
void ModelDevice::drive(const Vector6& wrench) noexcept {
  const std::size_t n = motor_.size();
  std::fill(tau_.begin(), tau_.end(), 0.0);
  for (std::size_t c = 0; c < n; ++c) {
    double torque = own_[c];
    for (std::size_t i = 0; i < 6; ++i) torque += B_[i * n + c] * wrench[i];
    const double most = limit_[c];
    tau_[motor_[c]] = most > 0.0 ? std::clamp(torque, -most, most) : torque;
  }
}

bool ModelDevice::read(Sample& sample) noexcept {
  if (sample_.number == 0 || state_ == State::lost) return false;
  sample = sample_;
  return true;
}

bool ModelDevice::command(const Command& command) noexcept {
  const bool does = state_ == State::enabled && finite(command.wrench);
  if (does)
    coming_.give(saturated(specification_, command.wrench));
  else
    coming_.forget();
  return does;
}

}  // namespace tactus::device
