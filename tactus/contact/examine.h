// Whether a model is sound beyond what its file says: its shapes can touch, its transitions name rows that exist, its
// constraints can be met; and what freedom they leave.
#pragma once

#include <optional>

#include <tactus/base/error.h>
#include <tactus/derive/constraints/mobility.h>

namespace tactus::contact {

struct Examination {
  /// At the initial state, or at the configuration that assembly finds; nothing where there are no constraints.
  std::optional<derive::Mobility> mobility;
  std::optional<InputError> refused;  // what cannot be met
};

/// Throws InputError where a mesh cannot touch or a guard names a row that does not exist.
Examination examine(const describe::Model& model);

}  // namespace tactus::contact
