#include <tactus/derive/tree/symbols.h>

#include <tactus/algebra/cells.h>
#include <tactus/derive/tree/build_tree.h>

namespace tactus::derive {

namespace {

algebra::Block column(std::string name, std::string meaning, const std::vector<Expr>& entries) {
  return {std::move(name), std::move(meaning), static_cast<int>(entries.size()), 1, entries};
}

}  // namespace

Symbols::Symbols(const describe::Model& model, const Options& options) {
  t = algebra::symbol("t");
  for (const std::string& name : model.coordinate_names()) q.push_back(algebra::symbol(name));
  const bool defined = model.speeds.definition != describe::Speeds::Definition::joint_rates;
  for (const describe::Joint& joint : model.joints) {
    const bool quasi = describe::has_quaternion(joint.type);
    for (const describe::JointAxis& axis : joint.axes) {
      // A quasi-velocity has a name of its own; the rate of a coordinate is named after it.
      const std::string rate = quasi ? axis.name : describe::rate_name(axis.name);
      rates.push_back(algebra::symbol(rate));
      tau.push_back(algebra::symbol("tau_" + axis.name));
      if (!defined) udot.push_back(algebra::symbol(quasi ? rate + "_dot" : axis.name + "_ddot"));
    }
  }
  u = rates;
  if (defined) {
    u.clear();
    for (const std::string& name : model.speeds.names) {
      u.push_back(algebra::symbol(name));
      udot.push_back(algebra::symbol(name + "_dot"));
    }
  }
  for (const WrenchInput& input : options.wrenches) {
    const std::string& frame = model.frames[static_cast<std::size_t>(input.frame)].name;
    for (const char* part : {".torque_x", ".torque_y", ".torque_z", ".force_x", ".force_y", ".force_z"}) {
      wrench.push_back(algebra::symbol(frame + part));
    }
  }
  const Numbers numbers(model, options);
  for (const std::string& name : numbers.kept()) {
    const Expr parameter = algebra::symbol(name);
    const bool in_cell = options.cells != nullptr && options.cells->find(name) < options.cells->size();
    if (!in_cell) parameters.push_back(parameter);
  }
}

algebra::Block Symbols::time_block() const { return column("t", "time [s]", {t}); }
algebra::Block Symbols::coordinates_block() const { return column("q", "coordinates [rad, m]", q); }
algebra::Block Symbols::speeds_block() const { return column("u", "generalised speeds [rad/s, m/s]", u); }
algebra::Block Symbols::accelerations_block() const {
  return column("udot", "rates of the speeds [rad/s^2, m/s^2]", udot);
}
algebra::Block Symbols::forces_block() const {
  return column("tau", "actuator forces at the joints [N m, N]", tau);
}
algebra::Block Symbols::rates_block() const { return column("qd", "joint rates [rad/s, m/s]", rates); }

std::vector<algebra::Block> Symbols::inputs(bool with_speeds, std::vector<Block> extra,
                                            bool with_wrench) const {
  std::vector<Block> blocks{time_block(), coordinates_block()};
  if (with_speeds) blocks.push_back(speeds_block());
  for (Block& block : extra) blocks.push_back(std::move(block));
  if (with_wrench && !wrench.empty()) {
    blocks.push_back(column("wrench", "outside wrenches, [torque; force] each [N m, N]", wrench));
  }
  if (!parameters.empty())
    blocks.push_back(
        column("parameters", "the model's parameters that are kept, in their order", parameters));
  return blocks;
}

}  // namespace tactus::derive
