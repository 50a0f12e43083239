// Messages of Haply's Inverse Service, versions 3.1 to 3.5: JSON.
//
//   from it:  {"inverse3": [{"device_id": "049D", "state": {"cursor_position": {"x": 0, "y": 0, "z": 0}, "cursor_velocity": ...}}]}
//   to it:    {"inverse3": [{"device_id": "049D", "commands": {"set_cursor_force": {"vector": {"x": 0, "y": 0, "z": 0}}}}]}
//
// Metres, metres per second, newtons; x to the right, y forward, z up. Version 3.5 has the force under `vector`, those before
// under `values`. Three numbers are an object with x, y and z, or a list; here both are read, also within a `vector` or
// `values` of their own, and forces are sent in the form in which places come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tactus/math/vec3.h>

namespace tactus::device::haply {

struct Form {
  bool values = false;  // `values`, not `vector`
  bool list = false;    // three numbers are a list
};

struct Cursor {
  std::string id;  // of the device
  math::Vec3<double> p{}, v{};
  Form form;
};

enum class Found : std::uint8_t {
  cursor,
  no_device,     // a message, without that device in it
  old_protocol,  // of version 3.0
  garbage,
};
/// The state of the device with that id, or of the first one where `id` is empty.
Found find_cursor(std::string_view message, std::string_view id, Cursor& cursor);

/// Writes a command over `out`.
void write_force(std::string& out, const std::string& id, const math::Vec3<double>& force, Form form);

}  // namespace tactus::device::haply
