// Equations of motion for the page: TeX by element, operation counts before and after abbreviation, its proven bound.
#pragma once

#include <nlohmann/json.hpp>

#include <tactus/describe/model/model.h>
#include <tactus/serve/page/message.h>

namespace tactus::serve {

/// The `equations` message without `request` and `scene`. Throws InputError where the form does not exist or would be endless.
nlohmann::ordered_json equation_page(const describe::Model& model, const say::Equations& wanted);

}  // namespace tactus::serve
