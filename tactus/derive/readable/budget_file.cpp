#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <tactus/derive/readable/budget.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/reader.h>
#include <tactus/describe/read/yaml_tree.h>

namespace tactus::derive {
namespace {

using describe::Value;
using Key = std::string_view;

constexpr std::array kBudgetKeys = {Key("speeds"), Key("accelerations"), Key("torque"), Key("positions")};

/// Names a joint may go by in the file: of its coordinate, or of the speed that the model defines.
struct Axis {
  std::string name, speed;
  bool is_rotation = true;
  double reach = std::numeric_limits<double>::infinity();  // largest |coordinate|, from the limits
};

std::vector<Axis> axes_of(const describe::Model& model) {
  std::vector<Axis> axes;
  const std::vector<std::string> speeds = model.speed_names();
  for (const describe::Joint& joint : model.joints) {
    for (const describe::JointAxis& axis : joint.axes) {
      Axis one;
      one.name = axis.name;
      one.speed = axes.size() < speeds.size() ? speeds[axes.size()] : axis.name;
      one.is_rotation = axis.is_rotation;
      if (axis.lower && axis.upper) {
        one.reach = std::max(std::fabs(describe::value_of(model, *axis.lower)),
                             std::fabs(describe::value_of(model, *axis.upper)));
      }
      axes.push_back(one);
    }
  }
  return axes;
}

enum class What { speed, acceleration, torque, position };

/// The dimension of a bound: of an angle's or a length's rate, and so on.
algebra::Dimension dimension_of(What what, bool rotation) {
  switch (what) {
    case What::speed:
      return rotation ? algebra::dimension::kAngularSpeed : algebra::dimension::kSpeed;
    case What::acceleration:
      return rotation ? algebra::Dimension{0, 0, -2} : algebra::dimension::kAcceleration;
    case What::torque:
      return rotation ? algebra::dimension::kTorque : algebra::dimension::kForce;
    case What::position:
      return rotation ? algebra::dimension::kNumber : algebra::dimension::kLength;
  }
  return {};
}

class BudgetReader {
 public:
  BudgetReader(const std::string& file, const describe::Model& model)
      : reader_(file), axes_(axes_of(model)) {}

  TorqueBudget read(const Value& document) {
    const describe::Fields fields(reader_, reader_.require_map(document, "a budget"), "a budget",
                                  kBudgetKeys);
    TorqueBudget budget;
    budget.bounds.u = required(fields, "speeds", What::speed);
    budget.bounds.udot = required(fields, "accelerations", What::acceleration);
    budget.torque = required(fields, "torque", What::torque);
    for (const Axis& axis : axes_) budget.bounds.q.push_back(axis.reach);
    if (const Value* positions = fields["positions"]) {
      const std::vector<double> given = values(*positions, "positions", What::position, true);
      for (std::size_t i = 0; i < given.size(); ++i) {
        if (!std::isnan(given[i])) budget.bounds.q[i] = given[i];
      }
    }
    return budget;
  }

 private:
  std::vector<double> required(const describe::Fields& fields, std::string_view key, What what) {
    const Value& value =
        fields.require(key, "add for example `" + std::string(key) + ": 10`: one number for all joints, " +
                                "a list, or a map by joint");
    return values(value, key, what, false);
  }

  double number(const Value& value, std::string_view key, What what, bool rotation) {
    return reader_.value_at_parameters(reader_.positive_number(value, dimension_of(what, rotation),
                                                               "a bound under `" + std::string(key) + "`"));
  }

  std::vector<double> values(const Value& value, std::string_view key, What what, bool partial) {
    std::vector<double> result(axes_.size(), std::numeric_limits<double>::quiet_NaN());
    if (value.is_scalar()) {
      for (std::size_t i = 0; i < axes_.size(); ++i)
        result[i] = number(value, key, what, axes_[i].is_rotation);
      return result;
    }
    if (value.is_sequence()) {
      const Value& list = reader_.require_list(value, key, axes_.size());
      for (std::size_t i = 0; i < axes_.size(); ++i)
        result[i] = number(list.items[i], key, what, axes_[i].is_rotation);
      return result;
    }
    const Value& map = reader_.require_map(value, key);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Value* own = map.find(axes_[i].name);
      if (own == nullptr) own = map.find(axes_[i].speed);
      if (own == nullptr) own = map.find("default");
      if (own != nullptr) result[i] = number(*own, key, what, axes_[i].is_rotation);
      if (own == nullptr && !partial) {
        reader_.fail(map, "`" + std::string(key) + "` says nothing about joint '" + axes_[i].name + "'",
                     "add `" + axes_[i].name + ": ...`, or `default: ...` for all that are not named");
      }
    }
    for (const Value::Entry& entry : map.entries) {
      const std::string& name = entry.key.text;
      const bool known = name == "default" || std::any_of(axes_.begin(), axes_.end(), [&](const Axis& axis) {
                           return axis.name == name || axis.speed == name;
                         });
      if (known) continue;
      std::string names;
      for (const Axis& axis : axes_) names += (names.empty() ? "" : ", ") + axis.name;
      reader_.fail(entry.key, "the model has no joint '" + name + "'", "its joints are: " + names);
    }
    return result;
  }

  describe::Reader reader_;
  std::vector<Axis> axes_;
};

}  // namespace

TorqueBudget read_budget(const std::string& text, const std::string& file, const describe::Model& model) {
  describe::require_text(text, file);
  return BudgetReader(file, model).read(describe::read_document(text, file));
}

TorqueBudget load_budget(const std::string& path, const describe::Model& model) {
  return read_budget(describe::read_source(path), path, model);
}

}  // namespace tactus::derive
