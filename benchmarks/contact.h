// Changing constraints: how long re-derivation takes, what the code that it makes saves, and how long ticks
// last.
#pragma once

namespace tactus::bench {

void measure_contact(bool quick);

}  // namespace tactus::bench
