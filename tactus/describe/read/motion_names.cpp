#include <tactus/describe/read/motion_names.h>

#include <algorithm>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/model/frame_word.h>

namespace tactus::describe {

using algebra::Quantity;

FurtherNames frame_names(const Model& model) {
  return {[&model](std::string_view name) -> std::optional<Quantity> {
            if (!find_frame_word(model, name)) return std::nullopt;
            return Quantity{algebra::symbol(std::string(name)), Quantity::Known::no, {}};
          },
          [&model] {
            std::vector<std::string> all;
            for (const Frame& frame : model.frames)
              for (std::string& word : words_of_frame(frame.name)) all.push_back(std::move(word));
            return all;
          }};
}

MotionNames::MotionNames(Reader& reader) : reader_(reader), kinematics_(reader.model) {
  add("t");
  for (const std::string& name : reader.model.coordinate_names()) coordinates_.push_back(add(name));
  for (const Joint& joint : reader.model.joints) {
    for (const JointAxis& axis : joint.axes)
      rates_.push_back(add(has_quaternion(joint.type) ? axis.name : rate_name(axis.name)));
  }
  if (reader.model.speeds.definition != Speeds::Definition::joint_rates)
    for (const std::string& name : reader.model.speeds.names) rates_.push_back(add(name));
  for (const auto& [name, quantity] : reader.definition_quantities)
    reader.local_names.try_emplace(name, quantity);
  reader.further_names = frame_names(reader.model);
}

MotionNames::~MotionNames() {
  reader_.local_names.clear();
  reader_.further_names = {};
}

Expr MotionNames::add(const std::string& name) {
  const Expr symbol = algebra::symbol(name);
  reader_.local_names[name] = {symbol, Quantity::Known::no, {}};
  return symbol;
}

bool MotionNames::holds(std::span<const Expr> formulas, const std::vector<Expr>& symbols) const {
  const std::vector<Expr> used = algebra::symbols_in(expanded(formulas));
  return std::any_of(used.begin(), used.end(), [&](Expr symbol) {
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
  });
}

double MotionNames::at_start(Expr formula) const {
  const Model& model = reader_.model;
  return algebra::evaluate(expanded(formula), [&](Expr symbol) {
    for (std::size_t i = 0; i < coordinates_.size(); ++i)
      if (coordinates_[i] == symbol) return model.initial_q[i];
    // The joint rates where the model defines its own speeds are not known here; zero serves a check of
    // finiteness.
    for (const Expr rate : rates_)
      if (rate == symbol) return 0.0;
    const std::string& name = model.graph->symbol_name(symbol);
    for (const Parameter& parameter : model.parameters)
      if (parameter.name == name) return parameter.value;
    return 0.0;
  });
}

}  // namespace tactus::describe
