// Stacks and heaps of free bodies, in one run with the engines that Debian packages.
#pragma once

namespace tactus::bench {

void measure_heap(bool quick);

}  // namespace tactus::bench
