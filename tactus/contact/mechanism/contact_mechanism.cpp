#include <tactus/contact/mechanism/contact_mechanism.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/simulate/motion/kernel_print.h>

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

Fingerprint ContactMechanism::contact_print() const {
  const describe::Model& model = made_->contact_model.model;
  Fingerprint print;
  simulate::add_kernel(print, made_->contact_model.terms.kernel);
  const auto add = [&](algebra::Expr number) { print.add(describe::value_of(model, number)); };
  const auto count = [&](auto number) { print.add(static_cast<std::uint64_t>(number)); };
  for (const describe::Body& body : model.bodies)
    for (const describe::Geometry& shape : body.geometry) {
      if (!shape.contact) continue;
      count(shape.shape);
      count(shape.hollow);
      print.add(std::string_view(shape.file));
      for (std::size_t i = 0; i < 3; ++i) {
        add(shape.size[i]);
        add(shape.X_BG.p[i]);
        for (std::size_t j = 0; j < 3; ++j) add(shape.X_BG.R(i, j));
      }
    }
  for (const describe::ContactPair& pair : model.contact.pairs) {
    for (const int index : {pair.body_a, pair.body_b, pair.geometry_a, pair.geometry_b}) count(index);
    const describe::ContactLaw& law = pair.law;
    count(law.rendering);
    count(law.restitution_law);
    for (const double x : {law.restitution, law.rest_speed, law.friction, law.static_friction, law.stiffness,
                           law.damping, law.slip_speed})
      print.add(x);
  }
  for (const describe::JointStop& stop : model.contact.stops)
    print.add(stop.limit).add(stop.restitution).add(stop.rest_speed);
  for (const describe::Transition& transition : model.contact.transitions) {
    print.add(std::string_view(transition.guard_text));
    for (const auto* list :
         {&transition.if_active, &transition.if_inactive, &transition.activate, &transition.release}) {
      count(list->size());
      for (const int constraint : *list) count(constraint);
    }
  }
  return print;
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
