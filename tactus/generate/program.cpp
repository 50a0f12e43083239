#include <tactus/generate/program.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/tape.h>

namespace tactus::generate {

namespace {

std::vector<Slot> slots_of(const std::vector<algebra::Block>& blocks) {
  std::vector<Slot> slots;
  std::size_t offset = 0;
  for (const algebra::Block& block : blocks) {
    TACTUS_CHECK(static_cast<std::size_t>(block.rows) * static_cast<std::size_t>(block.cols) == block.size());
    slots.push_back({block.name, block.meaning, block.rows, block.cols, offset});
    offset += block.size();
  }
  return slots;
}

/// The first back end that can, of all or of those asked for.
std::optional<Executable> bind(const Tape& tape, int lanes, Backend& backend) {
  for (const BackendTraits& traits : backends()) {
    if (backend != Backend::automatic && backend != traits.backend) continue;
    std::optional<Executable> made;
    if (traits.can(lanes)) made = traits.make(tape, lanes);
    if (made) {
      backend = traits.backend;
      return made;
    }
    if (backend == traits.backend) {
      throw InputError({}, fmt::format("{} cannot be made here: {}", traits.name, traits.needs),
                       "use the automatic back end, which falls back to the interpreter");
    }
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const Program> make_program(const algebra::Function& function, int lanes, Backend backend,
                                            Rounding rounding) {
  const Tape tape = make_tape(function, register_count(machine_level()), rounding);
  if (lanes > 1 && tape.cells != nullptr)
    throw InputError({},
                     "function '" + function.name + "' reads values that may be adjusted, and a batch cannot",
                     "give the parameters as inputs, or fold them");
  auto program = std::make_shared<Program>();
  program->name = function.name;
  program->inputs = slots_of(function.inputs);
  program->outputs = slots_of(function.outputs);
  program->input_size = function.input_size();
  program->output_size = function.output_size();
  program->lanes = lanes;
  program->cells = tape.cells;

  std::optional<Executable> made = bind(tape, lanes, backend);
  TACTUS_CHECK(made.has_value());
  program->backend = backend;
  program->run = made->run;
  program->code = std::move(made->code);
  program->work_size = made->work_size;
  program->code_size = made->code_size;
  return program;
}

const Slot* find_slot(const std::vector<Slot>& slots, std::string_view name) {
  const auto it =
      std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.name == name; });
  return it == slots.end() ? nullptr : &*it;
}

}  // namespace tactus::generate
