#include <tactus/describe/words/report.h>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/words/constraint_text.h>
#include <tactus/describe/words/contact_text.h>

namespace tactus::describe {

namespace {

using Json = nlohmann::ordered_json;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The formula, where it is short enough to be read.
std::string short_text(const Model& model, Expr formula) {
  constexpr std::size_t kLongestFormula = 100;
  const std::vector<const algebra::Node*> nodes = algebra::needed_nodes(std::span(&formula, 1));
  return nodes.size() > kLongestFormula ? "..." : algebra::to_text(formula, *model.graph);
}

std::string formula_text(const Model& model, const DerivedParameter& parameter) {
  constexpr std::size_t kMostFormulas = 1000;
  return model.derived_parameters.size() > kMostFormulas ? "..." : short_text(model, parameter.formula);
}

double total_mass(const Model& model) {
  double mass = 0.0;
  for (const Body& body : model.bodies) mass += value_of(model, body.mass);
  return mass;
}

void print_branch(const Model& model, const std::vector<std::vector<std::size_t>>& joints_on,
                  std::size_t body, const std::string& indent, std::string& text) {
  const std::vector<std::size_t>& joints = joints_on[body];
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Joint& joint = model.joints[joints[k]];
    const Body& child = model.bodies[static_cast<std::size_t>(joint.child)];
    const bool last = k + 1 == joints.size();
    text += fmt::format("{}{}- {} [{} {}] {:.6g} kg\n", indent, last ? "`" : "|", child.name,
                        name_of(joint.type), joint.name, value_of(model, child.mass));
    print_branch(model, joints_on, static_cast<std::size_t>(joint.child), indent + (last ? "   " : "|  "),
                 text);
  }
}

/// Deeper trees do not fit a page when they are indented.
constexpr int kDeepestDrawing = 16;

std::string tree_text(const Model& model) {
  std::string text = "world\n";
  std::vector<int> depth(model.bodies.size(), 0);
  for (const Joint& joint : model.joints) {
    depth[static_cast<std::size_t>(joint.child)] = depth[static_cast<std::size_t>(joint.parent)] + 1;
  }
  if (*std::max_element(depth.begin(), depth.end()) > kDeepestDrawing) {
    for (const Joint& joint : model.joints) {
      const Body& child = model.bodies[static_cast<std::size_t>(joint.child)];
      text += fmt::format("  {} -> {} [{} {}] {:.6g} kg\n",
                          model.bodies[static_cast<std::size_t>(joint.parent)].name, child.name,
                          name_of(joint.type), joint.name, value_of(model, child.mass));
    }
    return text;
  }
  std::vector<std::vector<std::size_t>> joints_on(model.bodies.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    joints_on[static_cast<std::size_t>(model.joints[j].parent)].push_back(j);
  }
  print_branch(model, joints_on, 0, "", text);
  return text;
}

std::string table(const std::vector<Meaning>& rows) {
  std::size_t names = 0, units = 0;
  for (const Meaning& row : rows) {
    names = std::max(names, row.name.size());
    if (!row.unit.empty()) units = std::max(units, row.unit.size() + 4);
  }
  std::string text;
  for (const Meaning& row : rows) {
    std::string line = fmt::format("  {:<{}}{:<{}}", row.name, names,
                                   row.unit.empty() ? "" : fmt::format("  [{}]", row.unit), units);
    if (!row.meaning.empty()) line += "  " + row.meaning;
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// The coordinates' meanings with their limits.
std::vector<Meaning> limited_coordinates(const Model& model) {
  std::vector<Meaning> rows = coordinate_meanings(model);
  for (const Joint& joint : model.joints) {
    for (const JointAxis& axis : joint.axes) {
      if (!axis.lower && !axis.upper) continue;
      const auto side = [&](const std::optional<Expr>& limit) {
        return limit ? fmt::format("{:.6g}", value_of(model, *limit)) : std::string("none");
      };
      for (Meaning& row : rows) {
        if (row.name == axis.name)
          row.meaning += fmt::format(", limits [{}, {}]", side(axis.lower), side(axis.upper));
      }
    }
  }
  return rows;
}

Json meanings(const std::vector<Meaning>& rows) {
  Json list = Json::array();
  for (const Meaning& row : rows)
    list.push_back({{"name", row.name}, {"meaning", row.meaning}, {"unit", row.unit}});
  return list;
}

std::vector<std::string> spring_lines(const Model& model) {
  std::vector<std::string> lines;
  const auto body = [&](int b) { return model.bodies[static_cast<std::size_t>(b)].name; };
  const auto frame = [&](int f) { return model.frames[static_cast<std::size_t>(f)].name; };
  for (const PointSpring& s : model.point_springs) {
    lines.push_back(
        fmt::format("{}: between points of {} and {}, {:.6g} N/m, {:.6g} N s/m, rest length {:.6g} m", s.name,
                    body(s.body_a), body(s.body_b), value_of(model, s.stiffness), value_of(model, s.damping),
                    value_of(model, s.rest_length)));
  }
  for (const FrameSpring& s : model.frame_springs) {
    lines.push_back(fmt::format("{}: between frames {} and {}, {:.6g} N/m, {:.6g} N m/rad", s.name,
                                frame(s.frame_a), frame(s.frame_b), value_of(model, s.linear_stiffness),
                                value_of(model, s.angular_stiffness)));
  }
  for (const Joint& joint : model.joints) {
    for (const JointAxis& axis : joint.axes) {
      const double k = value_of(model, axis.stiffness);
      if (k == 0.0) continue;
      lines.push_back(fmt::format("at {}: {:.6g} {}, rest {:.6g} {}", axis.name, k,
                                  axis.is_rotation ? "N m/rad" : "N/m", value_of(model, axis.rest),
                                  axis.is_rotation ? "rad" : "m"));
    }
  }
  return lines;
}

std::vector<std::string> force_lines(const Model& model) {
  std::vector<std::string> lines, rates;
  const auto body = [&](int b) { return model.bodies[static_cast<std::size_t>(b)].name; };
  for (const Joint& joint : model.joints)
    for (const JointAxis& axis : joint.axes) rates.push_back(axis.name);
  for (const ForceLaw& law : model.force_laws) {
    std::vector<std::string> parts;
    for (const Expr component : law.component) parts.push_back(short_text(model, component));
    const auto list = [&](std::size_t from) {
      return fmt::format("({})", fmt::join(parts.begin() + static_cast<std::ptrdiff_t>(from),
                                           parts.begin() + static_cast<std::ptrdiff_t>(from + 3), ", "));
    };
    switch (law.kind) {
      case ForceLaw::Kind::joint:
        lines.push_back(
            fmt::format("{}: at {}, {}", law.name, rates[static_cast<std::size_t>(law.rate)], parts[0]));
        break;
      case ForceLaw::Kind::frame:
        lines.push_back(fmt::format("{}: at frame {}, in {} axes, force {}, torque {}", law.name,
                                    model.frames[static_cast<std::size_t>(law.frame)].name,
                                    law.world_axes ? "world" : "its own", list(3), list(0)));
        break;
      case ForceLaw::Kind::line:
        lines.push_back(fmt::format("{}: pulls points of {} and {} together by {}", law.name,
                                    body(law.body_a), body(law.body_b), parts[0]));
        break;
    }
  }
  return lines;
}

/// Longer lists of pairs do not fit a page.
constexpr std::size_t kMostPairsShown = 30;

std::string contact_text(const Model& model) {
  const ContactSection& contact = model.contact;
  std::string text;
  const int shapes = contact_shape_count(model);
  if (contact.pairs.empty() && shapes > 0) {
    text +=
        fmt::format("\nContact\n  {} can be touched, but the model says of no two bodies that they touch\n",
                    counted(static_cast<std::size_t>(shapes), "shape", "shapes"));
  }
  if (!contact.pairs.empty()) {
    text +=
        fmt::format("\nContact ({} of bodies or shapes)\n", counted(contact.pairs.size(), "pair", "pairs"));
    std::vector<Meaning> rows;
    for (const ContactPair& pair : contact.pairs) {
      if (rows.size() == kMostPairsShown) break;
      rows.push_back({pair.name, pair_meaning(model, pair), ""});
    }
    text += table(rows);
    if (contact.pairs.size() > rows.size())
      text += fmt::format("  ... and {} more\n", contact.pairs.size() - rows.size());
  }
  std::vector<Meaning> rows;
  for (const JointStop& stop : contact.stops) rows.push_back({stop.name, stop_meaning(model, stop), ""});
  if (!rows.empty()) text += "\nStops\n" + table(rows);
  rows.clear();
  for (const Transition& t : contact.transitions) rows.push_back({t.name, transition_meaning(model, t), ""});
  if (!rows.empty()) text += "\nTransitions\n" + table(rows);
  return text;
}

Json contact_json(const Model& model) {
  const ContactSection& contact = model.contact;
  const auto body = [&](int b) -> const Body& { return model.bodies[static_cast<std::size_t>(b)]; };
  Json pairs = Json::array();
  for (const ContactPair& pair : contact.pairs) {
    const ContactLaw& law = pair.law;
    pairs.push_back(
        {{"name", pair.name},
         {"between",
          {side_name(body(pair.body_a), pair.geometry_a), side_name(body(pair.body_b), pair.geometry_b)}},
         {"render", name_of(law.rendering)},
         {"restitution", law.restitution},
         {"restitution_law", name_of(law.restitution_law)},
         {"rest_speed", law.rest_speed},
         {"friction", law.friction},
         {"static_friction", law.static_friction},
         {"stiffness", law.stiffness},
         {"damping", law.damping},
         {"slip_speed", law.slip_speed}});
  }
  const std::vector<std::string> coordinates = model.coordinate_names();
  Json stops = Json::array();
  for (const JointStop& stop : contact.stops) {
    stops.push_back({{"name", stop.name},
                     {"coordinate", coordinates[static_cast<std::size_t>(stop.coordinate)]},
                     {"side", stop.upper ? "upper" : "lower"},
                     {"limit", stop.limit},
                     {"restitution", stop.restitution},
                     {"rest_speed", stop.rest_speed}});
  }
  Json ignored = Json::array();
  for (const auto& [a, b] : contact.ignored) ignored.push_back({body(a).name, body(b).name});
  return {{"shapes", contact_shape_count(model)},
          {"pairs", std::move(pairs)},
          {"ignored", std::move(ignored)},
          {"stops", std::move(stops)}};
}

Json transitions_json(const Model& model) {
  const auto names = [&](const std::vector<int>& constraints) {
    Json list = Json::array();
    for (const int c : constraints) list.push_back(model.constraints[static_cast<std::size_t>(c)].name);
    return list;
  };
  Json transitions = Json::array();
  for (const Transition& t : model.contact.transitions) {
    transitions.push_back({{"name", t.name},
                           {"when", t.guard_text},
                           {"if_active", names(t.if_active)},
                           {"if_inactive", names(t.if_inactive)},
                           {"activate", names(t.activate)},
                           {"release", names(t.release)},
                           {"once", t.once},
                           {"description", t.description}});
  }
  return transitions;
}

/// z with their start, then q = psi(z).
std::string parametric_text(const Model& model) {
  std::vector<Meaning> z, q;
  for (const Parametric::Parameter& one : model.parametric->z)
    z.push_back({fmt::format("{} = {:.10g}", one.name, one.value), one.description, ""});
  const std::vector<std::string> names = model.coordinate_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    q.push_back({names[i], "= " + short_text(model, model.parametric->psi[i]), ""});
  return table(z) + table(q);
}

std::string initial_text(const Model& model) {
  std::string text;
  const auto add = [&](const char* kind, const std::vector<std::string>& names,
                       const std::vector<double>& values) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (values[i] != 0.0) text += fmt::format("  {} {} = {:.10g}\n", kind, names[i], values[i]);
  };
  add("q", model.coordinate_names(), model.initial_q);
  add("u", model.speed_names(), model.initial_u);
  return text;
}

}  // namespace

std::string report_text(const Model& model) {
  std::string text =
      fmt::format("{}{}{}\n", model.name, model.description.empty() ? "" : ": ", model.description);
  text += fmt::format(
      "\n{}, {}, {} of freedom{} (nq = {}, nv = {}), total mass {:.6g} kg\n",
      counted(model.bodies.size() - 1, "body", "bodies"), counted(model.joints.size(), "joint", "joints"),
      counted(static_cast<std::size_t>(model.nv()), "degree", "degrees"),
      model.constraints.empty() ? "" : " before the constraints", model.nq(), model.nv(), total_mass(model));
  text += fmt::format("gravity ({:.6g}, {:.6g}, {:.6g}) m/s^2\n", value_of(model, model.gravity.x),
                      value_of(model, model.gravity.y), value_of(model, model.gravity.z));
  text += "\nTree (body [joint type, name] mass)\n" + tree_text(model);
  text += "\nCoordinates q\n" + table(limited_coordinates(model));
  text += "\nSpeeds u\n" + table(speed_meanings(model));
  if (!model.parameters.empty() || !model.derived_parameters.empty()) {
    text += "\nParameters (SI)\n";
    std::vector<Meaning> rows;
    for (const Parameter& p : model.parameters) {
      rows.push_back({fmt::format("{} = {:.10g}", p.name, p.value), p.description, ""});
    }
    for (const DerivedParameter& p : model.derived_parameters) {
      rows.push_back(
          {fmt::format("{} = {:.10g}", p.name, p.value),
           fmt::format("= {}{}{}", formula_text(model, p), p.description.empty() ? "" : "; ", p.description),
           ""});
    }
    text += table(rows);
  }
  if (!model.frames.empty()) {
    text += "\nFrames\n";
    std::vector<Meaning> rows;
    for (const Frame& frame : model.frames) {
      rows.push_back({frame.name,
                      fmt::format("on {}{}{}{}", model.bodies[static_cast<std::size_t>(frame.body)].name,
                                  frame.grasp ? ", grasp point" : "", frame.description.empty() ? "" : ": ",
                                  frame.description),
                      ""});
    }
    text += table(rows);
  }
  const std::vector<std::string> springs = spring_lines(model);
  if (!springs.empty()) text += "\nSprings\n";
  for (const std::string& line : springs) text += "  " + line + "\n";
  const std::vector<std::string> forces = force_lines(model);
  if (!forces.empty()) text += "\nForces\n";
  for (const std::string& line : forces) text += "  " + line + "\n";
  if (!model.definitions.empty()) {
    text += "\nDefinitions\n";
    std::vector<Meaning> rows;
    for (const Definition& d : model.definitions)
      rows.push_back({d.name,
                      fmt::format("= {}{}{}", short_text(model, d.formula), d.description.empty() ? "" : "; ",
                                  d.description),
                      d.unit});
    text += table(rows);
  }
  if (!model.constraints.empty()) {
    text += "\nConstraints\n";
    std::vector<Meaning> rows;
    for (const Constraint& c : model.constraints) rows.push_back({c.name, constraint_meaning(model, c), ""});
    text += table(rows);
  }
  text += contact_text(model);
  if (model.parametric) text += "\nParametric coordinates z\n" + parametric_text(model);
  const std::string start = initial_text(model);
  if (!start.empty()) text += "\nInitial state (what is not zero)\n" + start;
  if (!model.warnings.empty()) text += "\nWarnings\n";
  for (const std::string& warning : model.warnings) text += "  " + warning + "\n";
  return text;
}

std::string report_json(const Model& model) {
  Json report;
  report["name"] = model.name;
  report["description"] = model.description;
  report["nq"] = model.nq();
  report["nv"] = model.nv();
  report["total_mass"] = total_mass(model);
  report["gravity"] = {value_of(model, model.gravity.x), value_of(model, model.gravity.y),
                       value_of(model, model.gravity.z)};
  Json tree = Json::array();
  for (const Joint& joint : model.joints) {
    const Body& child = model.bodies[static_cast<std::size_t>(joint.child)];
    tree.push_back({{"joint", joint.name},
                    {"type", name_of(joint.type)},
                    {"parent", model.bodies[static_cast<std::size_t>(joint.parent)].name},
                    {"child", child.name},
                    {"mass", value_of(model, child.mass)}});
  }
  report["joints"] = std::move(tree);
  report["coordinates"] = meanings(coordinate_meanings(model));
  report["speeds"] = meanings(speed_meanings(model));
  Json parameters = Json::array();
  for (const Parameter& p : model.parameters) {
    parameters.push_back(
        {{"name", p.name}, {"value", p.value}, {"unit", p.unit}, {"description", p.description}});
  }
  report["parameters"] = std::move(parameters);
  Json derived = Json::array();
  for (const DerivedParameter& p : model.derived_parameters) {
    derived.push_back({{"name", p.name},
                       {"value", p.value},
                       {"formula", formula_text(model, p)},
                       {"description", p.description}});
  }
  report["derived_parameters"] = std::move(derived);
  Json frames = Json::array();
  for (const Frame& frame : model.frames) {
    frames.push_back({{"name", frame.name},
                      {"body", model.bodies[static_cast<std::size_t>(frame.body)].name},
                      {"grasp", frame.grasp},
                      {"description", frame.description}});
  }
  report["frames"] = std::move(frames);
  report["springs"] = spring_lines(model);
  report["forces"] = force_lines(model);
  Json definitions = Json::array();
  for (const Definition& d : model.definitions)
    definitions.push_back({{"name", d.name},
                           {"formula", short_text(model, d.formula)},
                           {"unit", d.unit},
                           {"description", d.description}});
  report["definitions"] = std::move(definitions);
  Json constraints = Json::array();
  for (const Constraint& c : model.constraints) {
    constraints.push_back({{"name", c.name},
                           {"type", c.kind},
                           {"active", c.active},
                           {"meaning", constraint_meaning(model, c)},
                           {"description", c.description}});
  }
  report["constraints"] = std::move(constraints);
  report["contact"] = contact_json(model);
  report["transitions"] = transitions_json(model);
  if (model.parametric) {
    Json z = Json::array(), psi = Json::object();
    for (const Parametric::Parameter& p : model.parametric->z)
      z.push_back({{"name", p.name}, {"value", p.value}, {"rate", p.rate}, {"description", p.description}});
    const std::vector<std::string> names = model.coordinate_names();
    for (std::size_t i = 0; i < names.size(); ++i)
      psi[names[i]] = short_text(model, model.parametric->psi[i]);
    report["parametric"] = {{"z", std::move(z)}, {"q", std::move(psi)}};
  }
  report["initial"] = {{"q", model.initial_q}, {"u", model.initial_u}};
  if (describe::missing_inertia(model)) report["missing_inertia"] = describe::missing_inertia(model)->wrong;
  report["warnings"] = model.warnings;
  return report.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tactus::describe
