// The graph of a model that a test makes or changes by hand. (The library itself never writes in the graph of a
// finished model.)
#pragma once

#include <tactus/describe/model/model.h>

namespace tactus::support {

inline algebra::Graph& graph_of(describe::Model& model) { return const_cast<algebra::Graph&>(*model.graph); }

}  // namespace tactus::support
