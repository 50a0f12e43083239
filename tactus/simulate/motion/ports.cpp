#include <tactus/simulate/motion/ports.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <tactus/base/check.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::simulate {

namespace {

using Vec = math::Vec3<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Vec vector_at(const double* x) { return {x[0], x[1], x[2]}; }

std::size_t offset_of(const generate::Kernel& kernel, std::string_view name) {
  const generate::Slot* slot = kernel.output(name);
  TACTUS_CHECK(slot != nullptr);
  return slot->offset;
}

/// A rate's direction (w, v of its link's origin o) as the velocity of the point p.
struct Direction {
  Vec w, v;
};
Direction at(const double* direction, const Vec& o, const Vec& p) {
  const Vec w = vector_at(direction);
  return {w, vector_at(direction + 3) + cross(w, p - o)};
}

void put(const Direction& d, std::size_t column, std::size_t n, double* J) {
  for (std::size_t a = 0; a < 3; ++a) {
    J[a * n + column] = d.w[a];
    J[(a + 3) * n + column] = d.v[a];
  }
}

}  // namespace

int find_port(std::span<const Port> ports, std::string_view name) {
  constexpr std::string_view kBody = "body:";
  const bool body = name.starts_with(kBody);
  if (body) name.remove_prefix(kBody.size());
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& port) {
    return port.name == name && (!body || port.frame < 0);
  });
  return found == ports.end() ? -1 : static_cast<int>(found - ports.begin());
}

Ports::Ports(const PortKernels& kernels)
    : kernels_(kernels),
      directions_(offset_of(kernels.directions, "directions")),
      places_(offset_of(kernels.directions, "places")),
      arguments_(1 + kernels.nq + kernels.nv),
      out_(kernels.directions.output_size()),
      rates_(kernels.joint_rates.output_size()),
      work_(std::max(kernels.directions.work_size(), kernels.joint_rates.work_size())),
      own_in_(1 + kernels.nq + 6),
      stage_out_(out_.size()),
      places_to_(out_.size()),
      power_rates_(rates_.size()),
      joint_tau_(kernels.nv),
      w_(kernels.links.size()),
      v_(kernels.links.size()),
      joint_(6 * kernels.nv),
      joint_rate_(6 * kernels.nv),
      kept_(std::min(kernels.ports.size(), kMostJacobians)),
      turned_(kernels.ports.size()),
      turned_at_(kernels.ports.size(), 0),
      motions_(kernels.ports.size()),
      motions_at_(kernels.ports.size(), 0),
      no_jacobian_(6 * kernels.nv, kNaN) {
  for (Kept& kept : kept_) {
    kept.J.resize(6 * kernels.nv);
    kept.J_rate.resize(6 * kernels.nv);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    nowhere_.X_WP.p[i] = kNaN;
    for (std::size_t j = 0; j < 3; ++j) nowhere_.X_WP.R(i, j) = kNaN;
  }
  nowhere_.V_WP.fill(kNaN);
  for (std::size_t i = 0; i < kernels.own.size(); ++i)
    if (const std::optional<PortKernel>& own = kernels.own[i]) {
      turned_[i].resize(own->turn.output_size());
      work_.resize(std::max(work_.size(), own->turn.work_size()));
      own_out_.resize(std::max({own_out_.size(), own->push.output_size(), own->motion.output_size()}));
      work_.resize(std::max({work_.size(), own->push.work_size(), own->motion.work_size()}));
    }
  if (!kernels.own_speeds) return;
  W_ = offset_of(kernels.joint_rates, "W");
  W_rate_ = offset_of(kernels.joint_rates, "W_rate");
  bias_ = offset_of(kernels.joint_rates, "qdd_bias");
}

bool Ports::hold(std::span<const PortWrench> wrenches) noexcept {
  const auto is_same = [](const PortWrench& a, const PortWrench& b) {
    return a.port == b.port && std::memcmp(a.wrench.data(), b.wrench.data(), sizeof a.wrench) == 0;
  };
  if (wrenches.size() == held_count_ && std::equal(wrenches.begin(), wrenches.end(), held_.begin(), is_same))
    return true;  // which were looked at when they came
  held_count_ = 0;
  ++version_;
  if (wrenches.size() > kMostHeld) return false;
  for (const PortWrench& w : wrenches) {
    if (w.port < 0 || static_cast<std::size_t>(w.port) >= kernels_.ports.size()) return false;
    for (const double x : w.wrench)
      if (!std::isfinite(x)) return false;
  }
  std::copy(wrenches.begin(), wrenches.end(), held_.begin());
  held_count_ = wrenches.size();
  return true;
}

void Ports::add(const double* arguments, double* tau) noexcept {
  bool all = false;
  for (std::size_t h = 0; h < held_count_; ++h) {
    const std::optional<PortKernel>& own = kernels_.own[static_cast<std::size_t>(held_[h].port)];
    if (!own) {
      all = true;
      continue;
    }
    double* in = own_in_.data();
    std::copy_n(arguments, 1 + kernels_.nq, in);
    std::copy_n(held_[h].wrench.data(), 6, in + 1 + kernels_.nq);
    own->push(in, own_out_.data(), work_.data());
    for (std::size_t k = 0; k < own->rates.size(); ++k) tau[own->rates[k]] += own_out_[k];
  }
  if (all) push_by_all(arguments, tau);
}

/// Those that have no kernel of their own.
void Ports::push_by_all(const double* arguments, double* tau) noexcept {
  kernels_.directions(arguments, stage_out_.data(), work_.data());
  const double* directions = stage_out_.data() + directions_;
  for (std::size_t h = 0; h < held_count_; ++h) {
    const auto port = static_cast<std::size_t>(held_[h].port);
    if (kernels_.own[port]) continue;
    const double* X = stage_out_.data() + places_ + 12 * port;
    const Vec p{X[3], X[7], X[11]}, torque = vector_at(held_[h].wrench.data()),
                                    force = vector_at(held_[h].wrench.data() + 3);
    for (int l = kernels_.link_of_port[port]; l >= 0;
         l = kernels_.links[static_cast<std::size_t>(l)].parent) {
      const derive::LinkOutline& link = kernels_.links[static_cast<std::size_t>(l)];
      const Vec o = vector_at(stage_out_.data() + 3 * l);
      for (int k = link.first; k < link.first + link.count; ++k) {
        const Direction d = at(directions + 6 * k, o, p);
        tau[k] += dot(d.w, torque) + dot(d.v, force);
      }
    }
  }
}

double Ports::power(const double* arguments) noexcept {
  std::fill(joint_tau_.begin(), joint_tau_.end(), 0.0);
  add(arguments, joint_tau_.data());
  kernels_.joint_rates(arguments, power_rates_.data(), work_.data());
  double power = 0.0;
  for (std::size_t k = 0; k < joint_tau_.size(); ++k) power += joint_tau_[k] * power_rates_[k];
  return power;
}

double Ports::work(const double* from, const double* to) noexcept {
  kernels_.directions(from, stage_out_.data(), work_.data());
  kernels_.directions(to, places_to_.data(), work_.data());
  double work = 0.0;
  for (std::size_t h = 0; h < held_count_; ++h) {
    const std::size_t place = places_ + 12 * static_cast<std::size_t>(held_[h].port);
    const double *X = stage_out_.data() + place, *Y = places_to_.data() + place;
    math::Mat3<double> R, S;
    for (std::size_t i = 0; i < 9; ++i) {
      R(i / 3, i % 3) = X[4 * (i / 3) + i % 3];
      S(i / 3, i % 3) = Y[4 * (i / 3) + i % 3];
    }
    const Vec way{Y[3] - X[3], Y[7] - X[7], Y[11] - X[11]},
        turned = math::rotation_vector(S * R.transposed());
    work += dot(vector_at(held_[h].wrench.data()), turned) + dot(vector_at(held_[h].wrench.data() + 3), way);
  }
  return work;
}

void Ports::move(double t, const double* q, const double* u) noexcept {
  arguments_[0] = t;
  std::copy_n(q, kernels_.nq, arguments_.begin() + 1);
  std::copy_n(u, kernels_.nv, arguments_.begin() + 1 + static_cast<std::ptrdiff_t>(kernels_.nq));
  stage_ = kNothing;
  ++moves_;
}

void Ports::need(Stage stage) noexcept {
  if (stage_ < kPlaces && stage >= kPlaces) {
    kernels_.directions(arguments_.data(), out_.data(), work_.data());
    if (kernels_.own_speeds) kernels_.joint_rates(arguments_.data(), rates_.data(), work_.data());
    stage_ = kPlaces;
  }
  if (stage_ >= stage) return;
  if (!kernels_.own_speeds) kernels_.joint_rates(arguments_.data(), rates_.data(), work_.data());
  for (std::size_t l = 0; l < kernels_.links.size(); ++l) {
    const derive::LinkOutline& link = kernels_.links[l];
    const auto parent = static_cast<std::size_t>(link.parent < 0 ? 0 : link.parent);
    w_[l] = v_[l] = Vec::zero();
    if (link.parent >= 0) {
      w_[l] = w_[parent];
      v_[l] = v_[parent] + cross(w_[parent], vector_at(&out_[3 * l]) - vector_at(&out_[3 * parent]));
    }
    for (int k = link.first; k < link.first + link.count; ++k) {
      const double* direction = out_.data() + directions_ + 6 * k;
      w_[l] = w_[l] + rates_[static_cast<std::size_t>(k)] * vector_at(direction);
      v_[l] = v_[l] + rates_[static_cast<std::size_t>(k)] * vector_at(direction + 3);
    }
  }
  stage_ = kVelocities;
}

const PortMotion& Ports::motion(int port) noexcept {
  if (!exists(port)) return nowhere_;
  const auto i = static_cast<std::size_t>(port);
  PortMotion& motion = motions_[i];
  if (motions_at_[i] == moves_) return motion;
  motions_at_[i] = moves_;
  const std::optional<PortKernel>& own = kernels_.own[i];
  if (own)
    own->motion(arguments_.data(), own_out_.data(), work_.data());
  else
    need(kVelocities);
  const double* X = own ? own_out_.data() : out_.data() + places_ + 12 * i;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) motion.X_WP.R(a, b) = X[4 * a + b];
    motion.X_WP.p[a] = X[4 * a + 3];
  }
  motion.V_WP = {};
  if (own) {
    std::copy_n(X + 12, 6, motion.V_WP.begin());
    return motion;
  }
  if (const int link = kernels_.link_of_port[i]; link >= 0) {
    const auto l = static_cast<std::size_t>(link);
    const Vec v = v_[l] + cross(w_[l], motion.X_WP.p - vector_at(&out_[3 * l]));
    motion.V_WP = {w_[l].x, w_[l].y, w_[l].z, v.x, v.y, v.z};
  }
  return motion;
}

/// The port's own place for its Jacobian, or that of the port whose was not asked for the longest.
Ports::Kept& Ports::kept(int port) noexcept {
  std::size_t at = 0;
  for (std::size_t i = 0; i < kept_.size() && kept_[at].port != port; ++i)
    if (kept_[i].port == port || kept_[i].used < kept_[at].used) at = i;
  Kept& kept = kept_[at];
  if (kept.port != port) kept.J_at = kept.rate_at = 0;
  kept.port = port;
  kept.used = ++uses_;
  return kept;
}

const double* Ports::turned(std::size_t port) noexcept {
  const std::optional<PortKernel>& own = kernels_.own[port];
  if (!own || kernels_.own_speeds) return nullptr;
  if (turned_at_[port] != moves_) own->turn(arguments_.data(), turned_[port].data(), work_.data());
  turned_at_[port] = moves_;
  return turned_[port].data();
}

void Ports::joint_jacobian(int port, double* J) const noexcept {
  const auto i = static_cast<std::size_t>(port);
  const double* X = out_.data() + places_ + 12 * i;
  const Vec p{X[3], X[7], X[11]};
  std::fill_n(J, 6 * kernels_.nv, 0.0);
  for (int l = kernels_.link_of_port[i]; l >= 0; l = kernels_.links[static_cast<std::size_t>(l)].parent) {
    const derive::LinkOutline& link = kernels_.links[static_cast<std::size_t>(l)];
    for (int k = link.first; k < link.first + link.count; ++k)
      put(at(out_.data() + directions_ + 6 * k, vector_at(&out_[3 * static_cast<std::size_t>(l)]), p),
          static_cast<std::size_t>(k), kernels_.nv, J);
  }
}

void Ports::joint_jacobian_rate(int port, double* J_rate) noexcept {
  need(kVelocities);
  const auto i = static_cast<std::size_t>(port);
  const double* X = out_.data() + places_ + 12 * i;
  const Vec p{X[3], X[7], X[11]};
  std::fill_n(J_rate, 6 * kernels_.nv, 0.0);
  const int own = kernels_.link_of_port[i];
  if (own < 0) return;
  const auto o = static_cast<std::size_t>(own);
  const Vec p_rate = v_[o] + cross(w_[o], p - vector_at(&out_[3 * o]));
  for (int n = own; n >= 0; n = kernels_.links[static_cast<std::size_t>(n)].parent) {
    const auto l = static_cast<std::size_t>(n);
    const Vec reach = p - vector_at(&out_[3 * l]), reach_rate = p_rate - v_[l];
    const derive::LinkOutline& link = kernels_.links[l];
    for (int k = link.first; k < link.first + link.count; ++k) {
      const double* direction = out_.data() + directions_ + 6 * k;
      const Vec w = vector_at(direction), w_rate = cross(w_[l], w);
      const Vec v_rate = cross(w_[l], vector_at(direction + 3)) + cross(w_rate, reach) + cross(w, reach_rate);
      put({w_rate, v_rate}, static_cast<std::size_t>(k), kernels_.nv, J_rate);
    }
  }
}

std::span<const double> Ports::jacobian(int port) noexcept {
  if (!exists(port)) return no_jacobian_;
  Kept& own = kept(port);
  if (own.J_at == moves_) return own.J;
  own.J_at = moves_;
  if (const double* J = turned(static_cast<std::size_t>(port)); J != nullptr) {
    std::fill(own.J.begin(), own.J.end(), 0.0);
    for (const int k : kernels_.own[static_cast<std::size_t>(port)]->rates)
      for (std::size_t row = 0; row < 6; ++row) own.J[row * kernels_.nv + static_cast<std::size_t>(k)] = *J++;
    return own.J;
  }
  need(kPlaces);
  joint_jacobian(port, kernels_.own_speeds ? joint_.data() : own.J.data());
  if (kernels_.own_speeds) to_speeds(joint_.data(), own.J.data());
  return own.J;
}

void Ports::to_speeds(const double* of_rates, double* of_speeds) const noexcept {
  const std::size_t n = kernels_.nv;
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t r = 0; r < n; ++r) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += of_rates[row * n + j] * rates_[W_ + j * n + r];
      of_speeds[row * n + r] = sum;
    }
}

// Of J W: Jd W + J Wd.
std::span<const double> Ports::jacobian_rate(int port) noexcept {
  if (!exists(port)) return no_jacobian_;
  Kept& own = kept(port);
  if (own.rate_at == moves_) return own.J_rate;
  own.rate_at = moves_;
  joint_jacobian_rate(port, kernels_.own_speeds ? joint_rate_.data() : own.J_rate.data());
  if (!kernels_.own_speeds) return own.J_rate;
  const std::size_t n = kernels_.nv;
  to_speeds(joint_rate_.data(), own.J_rate.data());
  joint_jacobian(port, joint_.data());
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t j = 0; j < n; ++j)
        own.J_rate[row * n + r] += joint_[row * n + j] * rates_[W_rate_ + j * n + r];
  return own.J_rate;
}

// sum J_k qdd_k + Jd_k qd_k, with qdd = W udot + bias.
std::array<double, 6> Ports::acceleration(int port, const double* udot) noexcept {
  std::array<double, 6> A{};
  if (!exists(port)) {
    A.fill(kNaN);
    return A;
  }
  if (const double* J = turned(static_cast<std::size_t>(port)); J != nullptr) {
    const std::vector<int>& rates = kernels_.own[static_cast<std::size_t>(port)]->rates;
    std::copy_n(J + 6 * rates.size(), 6, A.begin());
    for (const int k : rates)
      for (std::size_t row = 0; row < 6; ++row) A[row] += *J++ * udot[k];
    return A;
  }
  joint_jacobian_rate(port, joint_rate_.data());
  joint_jacobian(port, joint_.data());
  const std::size_t n = kernels_.nv;
  for (std::size_t k = 0; k < n; ++k) {
    double qdd = kernels_.own_speeds ? rates_[bias_ + k] : udot[k];
    if (kernels_.own_speeds)
      for (std::size_t r = 0; r < n; ++r) qdd += rates_[W_ + k * n + r] * udot[r];
    for (std::size_t row = 0; row < 6; ++row)
      A[row] += joint_[row * n + k] * qdd + joint_rate_[row * n + k] * rates_[k];
  }
  return A;
}

}  // namespace tactus::simulate
