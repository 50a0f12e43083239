// Equations of motion for the page: TeX by element, operation counts before and after abbreviation, its proven bound.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include <tactus/describe/model/model.h>
#include <tactus/serve/page/message.h>

namespace tactus::serve {

/// Which constraints are on, and which pairs touch.
struct ActiveSet {
  std::vector<char> constraints;  // [constraints of the model]; empty: as at the start
  std::vector<int> pairs;
};

/// The `equations` message without `request` and `scene`. Throws InputError where the form does not exist or would be endless.
nlohmann::ordered_json equation_page(describe::Model model, const say::Equations& wanted,
                                     const ActiveSet& active);

}  // namespace tactus::serve
