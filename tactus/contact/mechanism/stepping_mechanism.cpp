#include <tactus/contact/mechanism/stepping_mechanism.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus::contact {

namespace {

struct SteppedSnapshot final : simulate::Snapshot {
  SteppingSnapshot memory;
};

}  // namespace

SteppingMechanism::SteppingMechanism(std::shared_ptr<const ContactMade> made, SteppingOptions options)
    : ContactMechanism(std::move(made), options.step), stepping_(contact_model(), options), udot_(nv()) {
  tau_.reserve(nv());
  wrench_.reserve(6 * static_cast<std::size_t>(contact_model().terms.wrenches));
  stepping_.attach(&port_loads_);
  Fingerprint print = contact_print();
  print.add(static_cast<std::uint64_t>(options.most_contacts));
  set_snapshot_kind(print.value());
}

simulate::Status SteppingMechanism::advance(const simulate::TickInput& input) noexcept {
  if (!hold_loads(input)) return simulate::Status::bad_input;
  return stepping_.step({tau_, wrench_});
}

bool SteppingMechanism::hold_loads(const simulate::TickInput& input) noexcept {
  if (input.tau.size() > tau_.capacity() || input.wrench.size() > wrench_.capacity()) return false;
  tau_.assign(input.tau.begin(), input.tau.end());
  wrench_.assign(input.wrench.begin(), input.wrench.end());
  return true;
}

void SteppingMechanism::accelerate_now(double* udot) noexcept {
  if (!stepping_.accelerations({tau_, wrench_}, udot))
    std::fill_n(udot, nv(), std::numeric_limits<double>::quiet_NaN());
}

// J (what the generalised forces J^T wrench do), one wrench after the other.
void SteppingMechanism::answer_pushes(int port, std::array<double, 36>& result) noexcept {
  result.fill(std::numeric_limits<double>::quiet_NaN());
  if (!stepping_.prepare_response({tau_, wrench_})) return;
  const std::span<const double> J = jacobian(port);
  for (std::size_t column = 0; column < 6; ++column) {
    stepping_.respond(&J[column * nv()], udot_.data());
    for (std::size_t row = 0; row < 6; ++row) {
      double sum = 0.0;
      for (std::size_t i = 0; i < nv(); ++i) sum += J[row * nv() + i] * udot_[i];
      result[6 * row + column] = sum;
    }
  }
}

std::span<const double> SteppingMechanism::efforts() noexcept {
  accelerate_now(udot_.data());
  return stepping_.efforts();
}

std::span<const double> SteppingMechanism::accelerations() noexcept {
  accelerate_now(udot_.data());
  return udot_;
}

simulate::Books SteppingMechanism::books() const noexcept {
  const StepBooks& own = stepping_.books();
  simulate::Books books;
  books.impact_loss = -own.normal_work;
  books.friction_loss = -own.friction_work;
  books.correction_work = own.correction_work;
  books.work = own.work;
  books.scheme_error = own.scheme_error;
  books.imbalance = own.imbalance;
  books.worst_imbalance = own.worst_imbalance;
  books.in_play = own.largest + std::abs(own.normal_work) + std::abs(own.friction_work);
  books.deepest = own.deepest;
  books.not_converged = own.not_converged;
  books.most_contacts = own.most_contacts;
  return books;
}

simulate::ConstraintReport SteppingMechanism::constraint_report(bool) noexcept {
  const Terms& terms = stepping_.terms_at_state();
  const bool known = stepping_.books().steps > 0;  // impulses of the last step over its length
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    position_error_[k] = terms.Phi(k);
    velocity_error_[k] = terms.velocity(k);
    lambda_[k] = known ? stepping_.row_force(k) : std::numeric_limits<double>::quiet_NaN();
  }
  return {position_error_, velocity_error_, lambda_, {}};
}

simulate::ContactReport SteppingMechanism::contact_report() noexcept {
  clear_report();
  const double h = step_length();
  for (const StepContact& contact : stepping_.contacts()) {
    if (contact.pair < 0) {
      stop_force_[static_cast<std::size_t>(-1 - contact.pair)] = std::abs(contact.impulse.x) / h;
      continue;
    }
    const double normal = dot(contact.impulse, contact.normal);
    const math::Vec3<double> across = contact.impulse - normal * contact.normal;
    see(contact.pair, static_cast<double>(contact.mode), contact.gap, normal / h,
        std::sqrt(dot(across, across)) / h);
  }
  return report();
}

std::size_t SteppingMechanism::contact_points(std::span<simulate::ContactPoint> points) noexcept {
  std::size_t count = 0;
  for (const StepContact& contact : stepping_.contacts()) {
    if (contact.pair < 0) continue;
    if (count < points.size())
      points[count] = {contact.pair, contact.point, contact.normal, (1.0 / step_length()) * contact.impulse};
    ++count;
  }
  return count;
}

std::unique_ptr<simulate::Snapshot> SteppingMechanism::empty_snapshot() const {
  auto snapshot = std::make_unique<SteppedSnapshot>();
  snapshot->memory = stepping_.make_snapshot();
  return snapshot;
}

bool SteppingMechanism::store(simulate::Snapshot& snapshot) const noexcept {
  auto* own = dynamic_cast<SteppedSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  stepping_.save(own->memory);
  return true;
}

bool SteppingMechanism::restore(const simulate::Snapshot& snapshot) noexcept {
  const auto* own = dynamic_cast<const SteppedSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  stepping_.load(own->memory);
  return true;
}

}  // namespace tactus::contact
