#include <tactus/device/drivers/haply_message.h>

#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tactus::device::haply {

namespace {

using nlohmann::json;

bool number_in(const json& value, double& number) {
  if (!value.is_number()) return false;
  number = value.get<double>();
  return std::isfinite(number);
}

/// Three numbers in any of their forms.
bool vector_in(const json& value, math::Vec3<double>& v, Form& form) {
  if (value.is_array()) {
    form.list = true;
    return value.size() == 3 && number_in(value[0], v.x) && number_in(value[1], v.y) &&
           number_in(value[2], v.z);
  }
  if (!value.is_object()) return false;
  for (const char* const key : {"vector", "values"})
    if (const auto inner = value.find(key); inner != value.end()) {
      form.values = key[2] == 'l';
      return !inner->contains("vector") && !inner->contains("values") && vector_in(*inner, v, form);
    }
  const auto x = value.find("x"), y = value.find("y"), z = value.find("z");
  return x != value.end() && y != value.end() && z != value.end() && number_in(*x, v.x) &&
         number_in(*y, v.y) && number_in(*z, v.z);
}

}  // namespace

Found find_cursor(std::string_view message, std::string_view id, Cursor& cursor) {
  const json all = json::parse(message, nullptr, false);
  if (!all.is_object()) return Found::garbage;
  const auto devices = all.find("inverse3");
  if (devices == all.end()) return Found::no_device;
  if (devices->is_object()) return Found::old_protocol;
  if (!devices->is_array()) return Found::garbage;
  for (const json& device : *devices) {
    if (!device.is_object()) return Found::garbage;
    const auto own = device.find("device_id");
    if (own == device.end() || !own->is_string()) return Found::garbage;
    if (!id.empty() && own->get_ref<const std::string&>() != id) continue;
    const auto state = device.find("state");
    if (state == device.end() || !state->is_object()) return Found::garbage;
    const auto p = state->find("cursor_position"), v = state->find("cursor_velocity");
    Form form, form_of_v;
    if (p == state->end() || v == state->end() || !vector_in(*p, cursor.p, form) ||
        !vector_in(*v, cursor.v, form_of_v))
      return Found::garbage;
    form.values = form.values || form.list;  // lists are of the versions with `values`
    cursor.form = form;
    cursor.id = own->get_ref<const std::string&>();
    return Found::cursor;
  }
  return Found::no_device;
}

void write_force(std::string& out, const std::string& id, const math::Vec3<double>& force, Form form) {
  out.clear();
  // Names of devices are the service's own words; a quotation mark in one must not end it.
  const std::string quoted = json(id).dump(-1, ' ', true, json::error_handler_t::replace);
  fmt::format_to(std::back_inserter(out),
                 R"({{"inverse3":[{{"device_id":{},"commands":{{"set_cursor_force":{{"{}":)", quoted,
                 form.values ? "values" : "vector");
  fmt::format_to(std::back_inserter(out),
                 fmt::runtime(form.list ? "[{},{},{}]" : R"({{"x":{},"y":{},"z":{}}})"), force.x, force.y,
                 force.z);
  out += "}}}]}";
}

}  // namespace tactus::device::haply
