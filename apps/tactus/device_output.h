// What is known of a device, in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tactus/device/registry.h>

namespace tactus::apps {

/// rx ry rz x y z, as far as there are.
std::vector<std::string> axes_of(std::uint8_t axes);

nlohmann::ordered_json as_json(const device::Specification& s);
nlohmann::ordered_json as_json(const std::vector<device::Setting>& settings);

/// Some lines: kind, workspace, forces, steps.
void print_short(const device::Specification& s);
/// Every number of it with its unit.
void print_whole(const device::Specification& s, const std::vector<device::Setting>& settings, bool of_model);

}  // namespace tactus::apps
