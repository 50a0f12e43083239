#include <tactus/simulate/files/script.h>

#include <array>
#include <string_view>

#include <tactus/describe/read/file_text.h>
#include <tactus/simulate/files/instant.h>
#include <tactus/simulate/files/motion_reader.h>

namespace tactus::simulate {

namespace {

using algebra::Block;
using algebra::Expr;
using describe::Fields;
using describe::Value;

constexpr std::array<std::string_view, 5> kScriptKeys{"parameters", "tables", "initial", "tau", "wrenches"};
constexpr std::array<std::string_view, 5> kInitialKeys{"t", "q", "u", "qd", "fixed"};

State initial_state(const derive::Equations& equations, const MotionReader& file, const Value* value,
                    describe::InitialMarks& marks) {
  State state;
  state.q = file.initial_q();
  state.u = file.initial_u();
  marks = equations.model().initial_marks;
  if (value == nullptr) return state;
  const Fields fields(file.reader(), *value, "`initial`", kInitialKeys);
  if (const Value* t = fields["t"]) state.t = file.number(*t, algebra::dimension::kTime);
  if (const Value* q = fields["q"]) state.q = file.coordinates(*q);
  const Value* u = fields["u"];
  const Value* qd = fields["qd"];
  if (u != nullptr && qd != nullptr)
    file.reader().fail(*qd, "both `u` and `qd` are given",
                       "keep one: speeds `u`, or rates of the joints `qd`");
  if (u != nullptr) state.u = file.speeds(*u, "`u`");
  if (qd != nullptr) state.u = speeds_of(equations, state.t, state.q, file.joint_rates(*qd, "`qd`"));
  marks = file.marks(fields);
  return state;
}

}  // namespace

std::vector<derive::WrenchInput> script_wrenches(const describe::Model& model, const std::string& text,
                                                 const std::string& file) {
  describe::require_text(text, file);
  const Value document = describe::read_document(text, file);
  std::vector<derive::WrenchInput> inputs;
  const Value* wrenches = document.find("wrenches");
  if (wrenches == nullptr) return inputs;
  for (const Value& item : wrenches->items) {
    const Value* frame = item.find("frame");
    const Value* axes = item.find("axes");
    const int index = frame == nullptr ? -1 : model.frame_index(frame->text);
    if (index >= 0) inputs.push_back({index, axes == nullptr || axes->text != "frame"});
  }
  return inputs;
}

Script empty_script(const derive::Equations& equations) {
  Script script;
  script.initial.q = equations.model().initial_q;
  script.initial.u = equations.model().initial_u;
  script.marks = equations.model().initial_marks;
  return script;
}

Script read_script(const derive::Equations& equations, const std::string& text, const std::string& name) {
  MotionReader file(equations, text, name);
  const Fields fields(file.reader(), file.document(), "a script", kScriptKeys);
  if (const Value* parameters = fields["parameters"]) file.read_parameters(*parameters);
  if (const Value* tables = fields["tables"]) file.read_tables(*tables);
  Script script;
  script.initial = initial_state(equations, file, fields["initial"], script.marks);

  file.allow_motion(true);
  const Value* tau = fields["tau"];
  const Value* wrenches = fields["wrenches"];
  if (tau == nullptr && wrenches == nullptr) return script;
  const auto nv = equations.nv();
  std::vector<Expr> forces =
      tau != nullptr ? file.efforts(*tau) : std::vector<Expr>(static_cast<std::size_t>(nv));
  algebra::Function loads{"loads", "forces that the script prescribes", file.graph(), {}, {}};
  loads.inputs.push_back({"t", "time [s]", 1, 1, {file.t()}});
  loads.inputs.push_back({"q", "coordinates", equations.nq(), 1, file.q()});
  loads.inputs.push_back({"u", "speeds", nv, 1, file.u()});
  loads.outputs.push_back({"tau", "forces at the joints", nv, 1, std::move(forces)});
  Block components{"wrench", "torque, force of each wrench", 0, 1, {}};
  if (wrenches != nullptr) {
    for (const WrenchEntry& entry : file.wrenches(*wrenches)) {
      script.wrenches.push_back(entry.input);
      components.entries.insert(components.entries.end(), entry.components.begin(), entry.components.end());
    }
  }
  components.rows = static_cast<int>(components.entries.size());
  if (components.rows > 0) loads.outputs.push_back(std::move(components));
  script.loads = std::move(loads);
  return script;
}

Script load_script(const derive::Equations& equations, const std::string& path) {
  return read_script(equations, describe::read_source(path), path);
}

}  // namespace tactus::simulate
