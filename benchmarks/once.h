// What is paid once (derivation, compilation) and the small parts (sine and cosine).
#pragma once

#include "report.h"

namespace tactus::bench {

void measure_once(const Mechanism& puma, const Effort& effort, Report& report);

/// Operations and size of every generated program.
void print_programs(const std::vector<Mechanism>& mechanisms);

}  // namespace tactus::bench
