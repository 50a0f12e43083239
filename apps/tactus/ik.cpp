// tactus ik MODEL --frame F --xyz X,Y,Z --rpy R,P,Y: the coordinates for which a frame is there. All branches of six-joint arms with a
// spherical wrist in closed form; one place of any other mechanism by iteration, its loops closed.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/control/arm/inverse_kinematics.h>
#include <tactus/derive/equations.h>
#include <tactus/simulate/files/instant.h>

#include "options.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

using Json = nlohmann::ordered_json;

struct Request {
  ModelChoice model;
  std::string frame, xyz, rpy, quaternion, near;
  bool iterate = false, no_limits = false, json = false;
};

Json by_name(const std::vector<std::string>& names, const std::vector<double>& q) {
  Json object = Json::object();
  for (std::size_t i = 0; i < q.size(); ++i) object[names[i]] = q[i];
  return object;
}

void print(const Request& request, const describe::Model& model, const control::InverseAnswer& answer) {
  const std::vector<std::string> names = model.coordinate_names();
  if (request.json) {
    Json ways = Json::array();
    for (const control::InverseWay& way : answer.ways)
      ways.push_back({{"q", by_name(names, way.q)},
                      {"met", way.met},
                      {"missed", way.missed_way},
                      {"missed_turn", way.missed_turn},
                      {"constraint_error", way.constraint_error},
                      {"words", way.words}});
    Json all{{"model", model.name},
             {"frame", request.frame},
             {"method", answer.closed ? "closed" : "iteration"},
             {"met", answer.met()},
             {"ways", ways}};
    if (!answer.closed) all["steps"] = answer.steps;
    fmt::print("{}\n", all.dump(2));
    return;
  }
  if (answer.closed) {
    fmt::print("{} ways in closed form, the nearest to the state first:\n ", answer.ways.size());
    for (const std::string& name : names) fmt::print(" {:>12}", name);
    fmt::print("\n");
    for (const control::InverseWay& way : answer.ways) {
      fmt::print(" ");
      for (const double x : way.q) fmt::print(" {:>12.8f}", x);
      fmt::print("   {}\n", way.words);
    }
    return;
  }
  if (!answer.why_not.empty()) fmt::print("No closed form: {}.\n", answer.why_not);
  fmt::print("One way by iteration, {} steps:\n", answer.steps);
  for (const control::InverseWay& way : answer.ways) {
    for (std::size_t i = 0; i < names.size(); ++i) fmt::print("  {:<20} {:.10g}\n", names[i], way.q[i]);
    fmt::print("The pose is {}.\n", way.words);
  }
}

void ik(const Request& request) {
  const describe::Model model = request.model.load();
  if (!request.rpy.empty() && !request.quaternion.empty())
    throw InputError({}, "--rpy and --quaternion both say how the frame is turned", "give one of them");
  const std::vector<double> xyz = listed_numbers("--xyz", request.xyz, 3, ListedUnit::length);
  control::Target target{{xyz[0], xyz[1], xyz[2]}, {}};
  if (!request.rpy.empty()) {
    const std::vector<double> rpy = listed_numbers("--rpy", request.rpy, 3, ListedUnit::angle);
    target.R = control::rotation_by_rpy({rpy[0], rpy[1], rpy[2]});
  } else if (!request.quaternion.empty()) {
    const std::vector<double> q = listed_numbers("--quaternion", request.quaternion, 4, ListedUnit::angle);
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::abs(size - 1.0) < 1e-3))
      throw InputError({}, fmt::format("--quaternion has length {:.6g}", size), "give a unit one: w,x,y,z");
    target.R = control::rotation_by_quaternion({q[0], q[1], q[2], q[3]});
  }
  const derive::Equations equations(model);
  const std::vector<double> q = (request.near.empty() ? simulate::read_instant(equations, "{}", "")
                                                      : simulate::load_instant(equations, request.near))
                                    .q;
  const control::InverseAnswer answer = control::inverse_kinematics(
      model, request.frame, target, q, {.closed_form = !request.iterate, .limits = !request.no_limits});
  print(request, model, answer);
  if (!answer.met()) throw Failed("the frame cannot be brought there, or not from this state");
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
