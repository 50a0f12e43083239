#include <tactus/contact/mechanism/contact_mechanism.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus::contact {

ContactMechanism::ContactMechanism(std::shared_ptr<const ContactMade> made, double step_length)
    : Mechanism(made->contact_model.model, made->kernels, step_length), made_(std::move(made)) {
  const ContactModel& own = made_->contact_model;
  describe_constraints(own.equations, own.own_constraints);
  const std::size_t rows = own.terms.rows.size();
  position_error_.resize(rows);
  velocity_error_.resize(rows);
  lambda_.resize(rows);
  stop_force_.resize(own.model.contact.stops.size());
  pairs_.resize(own.model.contact.pairs.size());
}

void ContactMechanism::clear_report() noexcept {
  contacts_ = 0;
  std::fill(pairs_.begin(), pairs_.end(),
            simulate::PairReport{0.0, std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0});
  std::fill(stop_force_.begin(), stop_force_.end(), 0.0);
}

void ContactMechanism::see(int pair, double mode, double gap, double normal, double friction) noexcept {
  if (mode > 0.0) ++contacts_;
  simulate::PairReport& p = pairs_[static_cast<std::size_t>(pair)];
  p.mode = std::max(p.mode, mode);
  p.gap = std::isnan(p.gap) ? gap : std::min(p.gap, gap);
  p.normal += normal;
  p.friction += friction;
}

}  // namespace tactus::contact
