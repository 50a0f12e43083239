#include <tactus/derive/readable/latex_symbols.h>

#include <algorithm>

namespace tactus::derive {

algebra::LatexNames latex_symbols(const describe::Model& model) {
  std::vector<std::string> names;
  const std::vector<std::string> coordinates = model.coordinate_names();
  for (const auto& moving : {coordinates, model.speed_names()})
    for (const std::string& name : moving)
      for (const std::string& made : {name, describe::rate_name(name), name + "_ddot"}) names.push_back(made);
  for (const std::string& effort : describe::effort_names(model)) names.push_back("tau_" + effort);
  for (const describe::Parameter& parameter : model.parameters) names.push_back(parameter.name);
  for (const describe::DerivedParameter& parameter : model.derived_parameters)
    names.push_back(parameter.name);
  for (const describe::Definition& definition : model.definitions) names.push_back(definition.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  // What the sheets call their matrices and vectors.
  return algebra::LatexNames(names, {"M", "h", "g", "A", "C", "K", "F", "\\Phi"});
}

}  // namespace tactus::derive
