// tactus ik MODEL --frame F --xyz X,Y,Z --rpy R,P,Y: the coordinates for which a frame is there. All branches of six-joint arms with a
// spherical wrist in closed form; one place of any other mechanism by iteration, its loops closed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/control/arm/numeric_ik.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/derive/equations.h>
#include <tactus/math/rotation.h>
#include <tactus/simulate/files/instant.h>

#include "verbs.h"

namespace tactus::apps {

namespace {

using Json = nlohmann::ordered_json;

struct Request {
  ModelChoice model;
  std::string frame, xyz, rpy, quaternion, near;
  bool iterate = false, no_limits = false, json = false;
};

/// Numbers with commas between them, each with a unit or none: 0.4,-200 mm,0.1 or 30 deg,0,0.
std::vector<double> numbers_of(const std::string& option, const std::string& text, std::size_t count,
                               bool angles) {
  std::vector<double> numbers;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, to - from);
    char* end = nullptr;
    double number = std::strtod(word.c_str(), &end);
    std::string unit = end;
    unit.erase(0,
               unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
    unit.erase(unit.find_last_not_of(' ') + 1);
    bool known = end != word.c_str() && std::isfinite(number);
    if (unit == "deg" && angles)
      number *= std::numbers::pi / 180.0;
    else if (unit == "mm" && !angles)
      number *= 1e-3;
    else
      known = known && (unit.empty() || (angles ? unit == "rad" : unit == "m"));
    if (!known)
      throw InputError({}, fmt::format("{}: `{}` is no {}", option, word, angles ? "angle" : "length"),
                       angles ? "write such as 30 deg or 0.5" : "write such as 0.4 or 200 mm");
    numbers.push_back(number);
    from = to + 1;
  }
  if (numbers.size() != count)
    throw InputError({}, fmt::format("{} {}: {} numbers", option, text, numbers.size()),
                     fmt::format("give {} with commas between them", count));
  return numbers;
}

/// X Y Z in the world's axes, one after the other, as in model files and URDF.
math::Mat3<double> rotation_by(const std::vector<double>& rpy) {
  const auto about = [&](std::size_t i) { return std::pair{std::cos(rpy[i]), std::sin(rpy[i])}; };
  const auto [cx, sx] = about(0);
  const auto [cy, sy] = about(1);
  const auto [cz, sz] = about(2);
  return math::rotation_z(cz, sz) * math::rotation_y(cy, sy) * math::rotation_x(cx, sx);
}

math::Mat3<double> rotation_of(const Request& request) {
  if (!request.rpy.empty()) return rotation_by(numbers_of("--rpy", request.rpy, 3, true));
  const std::vector<double> q = numbers_of("--quaternion", request.quaternion, 4, true);
  const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(size - 1.0) < 1e-3))
    throw InputError({}, fmt::format("--quaternion has length {:.6g}", size), "give a unit one: w,x,y,z");
  return math::rotation_of(math::Quaternion<double>{q[0] / size, q[1] / size, q[2] / size, q[3] / size});
}

std::string_view words_of(control::Reach reach) {
  switch (reach) {
    case control::Reach::exact:
      return "met";
    case control::Reach::wrist:
      return "met; the wrist is aligned: only the sum of its turns matters";
    case control::Reach::shoulder:
      return "met; the wrist's centre is on the first axis: its turn does not matter";
    case control::Reach::too_far:
      return "too far";
  }
  return "";
}

Json by_name(const std::vector<std::string>& names, const std::vector<double>& q) {
  Json object = Json::object();
  for (std::size_t i = 0; i < q.size(); ++i) object[names[i]] = q[i];
  return object;
}

/// All branches, the nearest to the state first. False where none meets the pose.
bool closed(const Request& request, const describe::Model& model, const control::WristArm& arm,
            const math::Pose<double>& X, std::vector<double> q) {
  const std::vector<std::string> names = model.coordinate_names();
  control::Joints near{};
  for (std::size_t i = 0; i < 6; ++i) near[i] = q[static_cast<std::size_t>(arm.coordinates()[i])];
  control::Branches ways = arm.position(X);
  const auto distance = [&](const control::Branch& way) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 6; ++i)
      sum += std::pow(std::remainder(way.q[i] - near[i], 2.0 * std::numbers::pi), 2);
    return sum;
  };
  std::sort(ways.all.begin(), ways.all.begin() + ways.count,
            [&](const control::Branch& a, const control::Branch& b) { return distance(a) < distance(b); });
  bool met = false;
  Json list = Json::array();
  if (!request.json) {
    fmt::print("{} ways in closed form, the nearest to the state first [rad]:\n", ways.count);
    for (std::size_t i = 0; i < 6; ++i)
      fmt::print(" {:>12}", names[static_cast<std::size_t>(arm.coordinates()[i])]);
    fmt::print("\n");
  }
  for (int k = 0; k < ways.count; ++k) {
    const control::Branch& way = ways.all[static_cast<std::size_t>(k)];
    met = met || way.missed == 0.0;
    for (std::size_t i = 0; i < 6; ++i) q[static_cast<std::size_t>(arm.coordinates()[i])] = way.q[i];
    if (request.json) {
      list.push_back({{"q", by_name(names, q)}, {"reach", words_of(way.reach)}, {"missed", way.missed}});
      continue;
    }
    for (const double x : way.q) fmt::print(" {:>12.8f}", x);
    if (way.reach == control::Reach::too_far)
      fmt::print("   too far by {:.3g} m\n", way.missed);
    else
      fmt::print("   {}\n", words_of(way.reach));
  }
  if (request.json)
    fmt::print("{}\n", Json{{"model", model.name},
                            {"frame", request.frame},
                            {"method", "closed"},
                            {"met", met},
                            {"ways", list}}
                           .dump(2));
  return met;
}

bool iterated(const Request& request, const describe::Model& model, const math::Pose<double>& X,
              bool orientation, const std::vector<double>& q) {
  control::NumericIkOptions options;
  options.orientation = orientation;
  options.limits = !request.no_limits;
  const control::NumericIkResult result = control::numeric_ik(model, request.frame, X, q, options);
  const std::vector<std::string> names = model.coordinate_names();
  if (request.json) {
    fmt::print("{}\n", Json{{"model", model.name},
                            {"frame", request.frame},
                            {"method", "iteration"},
                            {"met", result.met},
                            {"ways", Json::array({{{"q", by_name(names, result.q)},
                                                   {"missed", result.missed_way},
                                                   {"missed_turn", result.missed_turn},
                                                   {"constraint_error", result.constraint_error}}})},
                            {"steps", result.steps}}
                           .dump(2));
    return result.met;
  }
  fmt::print("one way by iteration, {} steps:\n", result.steps);
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("  {:<20} {:.10g}\n", names[i], result.q[i]);
  if (result.met)
    fmt::print("The pose is met.\n");
  else
    fmt::print("The nearest that was found: {:.3g} m and {:.3g} rad from the pose, constraints {:.3g}.\n",
               result.missed_way, result.missed_turn, result.constraint_error);
  return result.met;
}

void ik(const Request& request) {
  const describe::Model model = request.model.load();
  std::vector<std::string> frames;
  for (const describe::Frame& frame : model.frames) frames.push_back(frame.name);
  if (std::find(frames.begin(), frames.end(), request.frame) == frames.end())
    throw InputError({model.file},
                     fmt::format("--frame: model `{}` has no frame `{}`", model.name, request.frame),
                     frames.empty() ? "describe one under `frames`" : suggestion(request.frame, frames));
  const bool orientation = !request.rpy.empty() || !request.quaternion.empty();
  if (!request.rpy.empty() && !request.quaternion.empty())
    throw InputError({}, "--rpy and --quaternion both say how the frame is turned", "give one of them");
  const std::vector<double> xyz = numbers_of("--xyz", request.xyz, 3, false);
  math::Pose<double> X;
  X.p = {xyz[0], xyz[1], xyz[2]};
  X.R = orientation ? rotation_of(request) : math::Mat3<double>::identity();
  const derive::Equations equations(model);
  const std::vector<double> q = (request.near.empty() ? simulate::read_instant(equations, "{}", "")
                                                      : simulate::load_instant(equations, request.near))
                                    .q;
  bool met = false;
  std::string why;
  const auto arm =
      orientation && !request.iterate ? control::WristArm::of(model, request.frame, why) : std::nullopt;
  if (arm) {
    met = closed(request, model, *arm, X, q);
  } else {
    if (!request.json && !why.empty()) fmt::print("No closed form: {}.\n", why);
    met = iterated(request, model, X, orientation, q);
  }
  if (!met) throw Failed("the frame cannot be brought there, or not from this state");
}

}  // namespace

void add_ik(CLI::App& program) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = program.add_subcommand("ik", "Coordinates for which a frame has a pose");
  request->model.add_to(*verb);
  verb->add_option("--frame", request->frame, "the frame")->required();
  verb->add_option("--xyz", request->xyz,
                   "where its origin should be, in the world: X,Y,Z in m, or with units (200 mm)")
      ->required();
  verb->add_option(
      "--rpy", request->rpy,
      "how it should be turned: angles about x, y, z of the world, one after the other (rad, or 30 deg)");
  verb->add_option("--quaternion", request->quaternion,
                   "the same as w,x,y,z; without either only the place counts");
  verb->add_option("--near", request->near,
                   "state file (YAML) that iterations begin at and branches are sorted by; the model's "
                   "initial state unless given");
  verb->add_flag("--iterate", request->iterate, "by iteration also where there is a closed form");
  verb->add_flag("--no-limits", request->no_limits, "iterations may leave the joints' limits");
  verb->add_flag("--json", request->json, "print JSON");
  verb->footer(
      "Closed form: six turning joints of which the last three meet in one point, all branches, limits not "
      "looked at. Exit code 1 where the pose is not met.");
  verb->callback([request] { ik(*request); });
}

}  // namespace tactus::apps
