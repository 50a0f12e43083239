// What the mechanisms of both engines of contact have in common: the model they are made of, and the report of what
// touches.
#pragma once

#include <memory>
#include <vector>

#include <tactus/base/fingerprint.h>
#include <tactus/contact/events/contact_model.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::contact {

/// What a mechanism with contact is made of: constant, shared by any number of them.
struct ContactMade {
  ContactMade(const describe::Model& model, std::vector<derive::WrenchInput> wrenches,
              const std::vector<int>& port_frames, std::shared_ptr<algebra::Cells> adjustable = nullptr)
      : contact_model(model, std::move(wrenches), true, adjustable),
        kernels(contact_model.equations, port_frames, std::move(adjustable)) {}
  ContactModel contact_model;
  simulate::MechanismKernels kernels;
};

class ContactMechanism : public simulate::Mechanism {
 public:
  const ContactModel& contact_model() const { return made_->contact_model; }

 protected:
  ContactMechanism(std::shared_ptr<const ContactMade> made, double step_length);

  /// Of the equations and of all that may touch, stop or switch.
  Fingerprint contact_print() const;
  /// Nothing near, nothing touching; then what is seen; then all of it.
  void clear_report() noexcept;
  void see(int pair, double mode, double gap, double normal, double friction) noexcept;
  simulate::ContactReport report() const noexcept { return {contacts_, pairs_, stop_force_}; }

  std::vector<double> position_error_, velocity_error_, lambda_;  // [rows]
  std::vector<double> stop_force_;                                // [stops]

 private:
  std::shared_ptr<const ContactMade> made_;
  int contacts_ = 0;
  std::vector<simulate::PairReport> pairs_;
};

}  // namespace tactus::contact
