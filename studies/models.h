// Models for the cases, with parameters changed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/study/study.h>

namespace tactus::studies {

inline describe::Model load(const study::Context& context, const std::string& name,
                            const std::vector<std::pair<std::string, double>>& changed = {}) {
  describe::Model model = describe::load((context.models / (name + ".yaml")).string());
  for (const auto& [parameter_name, value] : changed) {
    bool found = false;
    for (describe::Parameter& parameter : model.parameters) {
      if (parameter.name != parameter_name) continue;
      parameter.value = value;
      found = true;
    }
    if (!found) throw InputError({model.file}, "the model has no parameter `" + parameter_name + "`");
  }
  return model;
}

}  // namespace tactus::studies
