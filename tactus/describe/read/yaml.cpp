#include <tactus/describe/read/yaml.h>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/check/euler.h>
#include <tactus/describe/check/inertia_check.h>
#include <tactus/describe/check/mass_bound.h>
#include <tactus/describe/model/names.h>
#include <tactus/describe/read/include.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>
#include <tactus/describe/read/written_names.h>
#include <tactus/describe/urdf/urdf.h>

namespace tactus::describe {

namespace {

constexpr double kStandardFall = -9.81;  // [m/s^2], the default gravity along the world's z

/// Writes given values in the place of those of the file.
void set_parameters(Reader& reader, Value& document, const Settings& settings) {
  Value none, *section = &none;
  for (Value::Entry& entry : document.entries)
    if (entry.key.text == "parameters") section = &entry.value;
  for (const auto& [name, value] : settings) {
    std::vector<std::string> known;
    Value* found = nullptr;
    for (Value::Entry& entry : section->entries) {
      known.push_back(entry.key.text);
      if (entry.key.text == name) found = &entry.value;
    }
    if (found == nullptr) {
      throw InputError({}, fmt::format("the model has no parameter `{}` to set", name),
                       known.empty() ? "it has no parameters" : suggestion(name, known));
    }
    for (Value::Entry& entry : found->entries)
      if (entry.key.text == "value") found = &entry.value;
    found->kind = Value::Kind::scalar;
    found->text = value;
    // What is wrong with it stands on the command line.
    found->source = reader.add_source({fmt::format("--set {}={}", name, value), ""});
    found->line = found->column = 0;
  }
}

/// The robot's bodies and joints, to be added to.
Draft draft_of(const Reader& reader, Robot& robot, const Value& document, const Reading& reading) {
  Draft draft = std::move(robot.draft);
  if (reading.floating) float_root(reader, document, draft);
  for (std::size_t i = 0; i < draft.bodies.size(); ++i) draft.included_bodies[draft.bodies[i].name] = i;
  for (std::size_t i = 0; i < draft.joints.size(); ++i) draft.included_joints[draft.joints[i].joint.name] = i;
  for (const auto& [written, name] : robot.links)
    if (name != "world") draft.included_bodies.emplace(written, draft.included_bodies.at(name));
  for (const auto& [written, name] : robot.joints)
    draft.included_joints.emplace(written, draft.included_joints.at(name));
  return draft;
}

std::vector<std::string> keys_of(const Value* map) {
  std::vector<std::string> keys;
  if (map != nullptr)
    for (const Value::Entry& entry : map->entries) keys.push_back(entry.key.text);
  return keys;
}

}  // namespace

Model read_yaml(const std::string& text, const std::string& file, const Settings& settings,
                const Reading& reading, InitialFormulas* formulas) {
  Value document = read_document(text, file);
  Reader reader(file);
  Model& model = reader.model;
  if (!document.is_map()) {
    reader.fail(document, fmt::format("a model must be a map, not {}", name_of(document.kind)),
                "a model begins like this:  name: pendulum");
  }
  Reading told = reading;
  const std::optional<IncludedRobot> included = resolve_include(reader, document, told);
  const Fields fields(reader, document, "the model", keys::kModel);
  std::optional<Robot> robot;
  Draft draft;
  if (included) {
    robot = read_robot(reader, included->text, included->source, told);
    model.name = robot->name;
    draft = draft_of(reader, *robot, document, told);
  }
  if (!robot || fields["name"] != nullptr)
    model.name = reader.word(fields.require("name", "write name: my_mechanism"), "`name`");
  if (const Value* description = fields["description"])
    model.description = reader.word(*description, "a description");
  set_parameters(reader, document, settings);
  if (const Value* parameters = fields["parameters"])
    read_parameters(reader, *parameters, names_in_counts(document));
  expand_repeats(reader, document);
  if (robot) use_model_names(reader, document, robot->links, robot->joints);
  model.gravity = {0.0, 0.0, kStandardFall};
  if (const Value* gravity = fields["gravity"]) {
    model.gravity = reader.vector(*gravity, algebra::dimension::kAcceleration, "`gravity`");
  }
  if (const Value* dh = fields["dh"]) read_dh(reader, *dh, draft);
  if (const Value* bodies = fields["bodies"]) read_bodies(reader, *bodies, draft);
  if (const Value* joints = fields["joints"]) read_joints(reader, *joints, draft);
  if (told.floating && !robot) float_root(reader, document, draft);
  assemble_tree(reader, document, std::move(draft));
  if (robot) add_frames(reader, *robot);
  if (const Value* frames = fields["frames"]) read_frames(reader, *frames);
  if (const Value* springs = fields["springs"]) read_springs(reader, *springs);
  if (const Value* speeds = fields["speeds"]) read_speeds(reader, *speeds);
  if (const Value* tables = fields["tables"]) read_tables(reader, *tables);
  if (const Value* definitions = fields["definitions"]) read_definitions(reader, *definitions);
  model.set_initial_defaults();
  if (const Value* initial = fields["initial"]) read_initial(reader, *initial);
  constexpr double kSingular = 1e-6;  // [rad] nearer than this the equations hold rounding alone
  if (const std::string singular = singular_orientation(model, model.initial_q, kSingular); !singular.empty())
    reader.warn(fields["initial"] != nullptr ? *fields["initial"] : document,
                singular + "; start elsewhere (`initial`), or take another `order`");
  if (const Value* forces = fields["forces"]) read_forces(reader, *forces);
  if (const Value* parametric = fields["parametric"]) read_parametric(reader, *parametric, fields["initial"]);
  if (robot) add_mimics(reader, *robot, keys_of(fields["constraints"]));
  if (const Value* constraints = fields["constraints"]) read_constraints(reader, *constraints);
  if (const Value* contact = fields["contact"]) read_contact(reader, *contact);
  if (const Value* transitions = fields["transitions"]) read_transitions(reader, *transitions);
  require_distinct_names(model, [&](const std::string& parameter) {
    for (const Value::Entry& entry : document.find("parameters")->entries) {
      if (entry.key.text == parameter) return reader.place(entry.key);
    }
    return Place{file};
  });
  require_finite_masses(model);
  if (robot)
    note_missing_inertia(model, [&](const std::string& joint) { return robot->written_joint(joint); });
  else
    check_mobility(model);
  if (formulas != nullptr) *formulas = reader.initial_formulas;
  return reader.take();
}

}  // namespace tactus::describe
