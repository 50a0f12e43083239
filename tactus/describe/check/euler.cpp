#include <tactus/describe/check/euler.h>

#include <cmath>

#include <fmt/format.h>

namespace tactus::describe {

namespace {

bool is_by_angles(JointType type) { return joint_traits(type).axes == AxesWritten::order; }

}  // namespace

std::string singular_orientation(const Model& model, std::span<const double> q, double angle) {
  std::size_t at = 0;
  for (const Joint& joint : model.joints) {
    const auto count = static_cast<std::size_t>(coordinate_count(joint.type));
    at += count;
    if (!is_by_angles(joint.type)) continue;
    const JointAxis &first = joint.axes[count - 3], &second = joint.axes[count - 2],
                    &third = joint.axes[count - 1];
    // The axes are coordinate axes: the third lies along the first, or across it, while the second angle is zero.
    bool along = false;
    for (std::size_t k = 0; k < 3; ++k)
      along = along || (first.direction[k].value() != 0.0 && third.direction[k].value() != 0.0);
    const double turned = q[at - 2];
    if (!(std::fabs(along ? std::sin(turned) : std::cos(turned)) <= std::sin(angle))) continue;
    return fmt::format(
        "the orientation of `{}` is singular: at {} = {:.6g} rad the axes of {} and {} are one, and the "
        "rates of the "
        "angles are not determined",
        joint.name, second.name, turned, first.name, third.name);
  }
  return {};
}

}  // namespace tactus::describe
