// Which parameters of a model may change while its mechanism moves. Those cannot that are read once: by the law of a
// contact, a stop's limit, the shape of a contact or a count of parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// What reads the parameter once, in words; "" where nothing does.
std::string read_once_by(const Model& model, std::string_view parameter);

/// All parameters that may be adjusted, in the model's order.
std::vector<std::string> adjustable_parameters(const Model& model);

}  // namespace tactus::describe
