// Models for the cases, read with other values of parameters (in SI units).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tactus/describe/read/load.h>
#include <tactus/study/study.h>

namespace tactus::studies {

inline describe::Model load(const study::Context& context, const std::string& name,
                            const std::vector<std::pair<std::string, double>>& changed = {}) {
  describe::Settings settings;
  for (const auto& [parameter, value] : changed) settings.emplace_back(parameter, fmt::format("{}", value));
  return describe::load((context.models / (name + ".yaml")).string(), settings);
}

}  // namespace tactus::studies
