#include <tactus/control/arm/inverse_kinematics.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/control/arm/numeric_ik.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/math/rotation.h>

namespace tactus::control {

namespace {

std::string words_of(const Branch& way) {
  switch (way.reach) {
    case Reach::exact:
      return "met";
    case Reach::wrist:
      return "met; the wrist is aligned: only the sum of its turns matters";
    case Reach::shoulder:
      return "met; the wrist's centre is on the first axis: its turn does not matter";
    case Reach::too_far:
      return fmt::format("too far by {:.3g} m", way.missed);
  }
  return {};
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::pow(std::remainder(a[i] - b[i], 2.0 * std::numbers::pi), 2);
  return sum;
}

}  // namespace

math::Mat3<double> rotation_by_rpy(const std::array<double, 3>& rpy) {
  const auto about = [&](std::size_t i) { return std::pair{std::cos(rpy[i]), std::sin(rpy[i])}; };
  const auto [cx, sx] = about(0);
  const auto [cy, sy] = about(1);
  const auto [cz, sz] = about(2);
  return math::rotation_z(cz, sz) * math::rotation_y(cy, sy) * math::rotation_x(cx, sx);
}

math::Mat3<double> rotation_by_quaternion(const std::array<double, 4>& q) {
  const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return math::rotation_of(math::Quaternion<double>{q[0] / size, q[1] / size, q[2] / size, q[3] / size});
}

bool InverseAnswer::met() const {
  return std::any_of(ways.begin(), ways.end(), [](const InverseWay& way) { return way.met; });
}

InverseAnswer inverse_kinematics(const describe::Model& model, const std::string& frame, const Target& target,
                                 const std::vector<double>& q, const InverseOptions& options) {
  std::vector<std::string> frames;
  for (const describe::Frame& own : model.frames) frames.push_back(own.name);
  if (std::find(frames.begin(), frames.end(), frame) == frames.end())
    throw InputError({model.file}, fmt::format("model `{}` has no frame `{}`", model.name, frame),
                     frames.empty() ? "describe one under `frames`" : suggestion(frame, frames));
  const math::Pose<double> X{target.R ? *target.R : math::Mat3<double>::identity(), target.p};
  InverseAnswer answer;
  const auto arm =
      target.R && options.closed_form ? WristArm::of(model, frame, answer.why_not) : std::nullopt;
  answer.closed = arm.has_value();
  if (arm) {
    const Branches branches = arm->position(X);
    for (int k = 0; k < branches.count; ++k) {
      const Branch& branch = branches.all[static_cast<std::size_t>(k)];
      InverseWay way{
          .q = q, .met = branch.missed == 0.0, .missed_way = branch.missed, .words = words_of(branch)};
      for (std::size_t i = 0; i < 6; ++i)
        way.q[static_cast<std::size_t>(arm->coordinates()[i])] = branch.q[i];
      answer.ways.push_back(std::move(way));
    }
    std::stable_sort(answer.ways.begin(), answer.ways.end(),
                     [&](const InverseWay& a, const InverseWay& b) { return apart(a.q, q) < apart(b.q, q); });
    return answer;
  }
  NumericIkOptions numeric;
  numeric.orientation = target.R.has_value();
  numeric.limits = options.limits;
  const NumericIkResult found = numeric_ik(model, frame, X, q, numeric);
  answer.steps = found.steps;
  answer.ways.push_back(
      {found.q, found.met, found.missed_way, found.missed_turn, found.constraint_error,
       found.met
           ? "met"
           : fmt::format(
                 "the nearest that was found: {:.3g} m and {:.3g} rad from the pose, constraints {:.3g}",
                 found.missed_way, found.missed_turn, found.constraint_error)});
  return answer;
}

}  // namespace tactus::control
