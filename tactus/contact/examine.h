// Whether a model is sound beyond what its file says: its shapes can touch, its transitions name rows that
// exist, its constraints can be met; and what freedom they leave: how much, and in which speeds.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/derive/constraints/mobility.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::contact {

struct Examination {
  /// At the initial state, or at the configuration that assembly finds; nothing where there are no
  /// constraints.
  std::optional<derive::Mobility> mobility;
  std::optional<InputError> refused;  // what cannot be met
};

/// Throws InputError where a mesh cannot touch or a guard names a row that does not exist.
Examination examine(const describe::Model& model);

/// Which speeds the formulation `embedding` has depend on the others, along a motion: its own choice
/// (simulate/constraints/dependent_speeds.h), kept as long as it keeps it.
class SpeedChoice {
 public:
  /// Of a model that has constraints.
  explicit SpeedChoice(const describe::Model& model);
  ~SpeedChoice();
  SpeedChoice(const SpeedChoice&) = delete;
  SpeedChoice& operator=(const SpeedChoice&) = delete;

  /// Where a mechanism of that model is, with the constraints that are on there. False where a speed has no
  /// mass.
  bool look(const simulate::Mechanism& mechanism);
  /// Indices of speeds, in order.
  const std::vector<std::size_t>& dependent() const noexcept { return dependent_; }
  /// How often another set was taken than the one before, the first included.
  long choices() const noexcept;

 private:
  struct Terms;
  std::unique_ptr<Terms> terms_;
  std::vector<std::size_t> dependent_;
};

}  // namespace tactus::contact
