// tactus simulate for models in which something touches, stops or switches.
#pragma once

#include <tactus/describe/model/model.h>

#include "simulate_request.h"

namespace tactus::apps {

/// Whether the model has pairs that touch, stops, or transitions.
bool has_contact(const describe::Model& model);

void simulate_with_contact(const SimulateRequest& request, const describe::Model& model);

}  // namespace tactus::apps
