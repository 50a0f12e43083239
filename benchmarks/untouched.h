// What contact costs that never comes: closed mechanisms alone, with a stop and with a contact pair far away.
#pragma once

namespace tactus::bench {

void measure_untouched(bool quick);

}  // namespace tactus::bench
