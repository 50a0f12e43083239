// What the books of a motion say.
#pragma once

#include <tactus/simulate/motion/mechanism.h>

namespace tactus::contact {

/// [J] What stays the same while they balance.
inline double sum_of(simulate::Mechanism& mechanism) {
  const simulate::Energies energies = mechanism.energies();
  const simulate::Books books = mechanism.books();
  return energies.kinetic + energies.potential + books.impact_loss + books.friction_loss -
         books.correction_work - books.work - books.scheme_error;
}

}  // namespace tactus::contact
