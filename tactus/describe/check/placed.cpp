#include <tactus/describe/check/placed.h>

namespace tactus::describe {

InputError placed(const InputError& error, const Model& model) {
  if (!error.where().file.empty()) return error;
  Place place{model.file};
  std::size_t first = std::string::npos;
  for (const Constraint& constraint : model.constraints) {
    const std::size_t at = error.wrong().find("`" + constraint.name + "`");
    if (at >= first) continue;
    first = at;
    place = constraint.where;
  }
  return {place, error.wrong(), error.remedy()};
}

}  // namespace tactus::describe
