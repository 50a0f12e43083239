// A tape bound to a back end: what a Kernel points to.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tactus/generate/interpreter.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/tape.h>

namespace tactus::generate {

class Program {
 public:
  std::string name;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  std::size_t input_size = 0;
  std::size_t output_size = 0;
  std::size_t work_size = 0;
  std::size_t code_size = 0;
  Backend backend = Backend::interpreter;
  // One of the two.
  std::optional<Interpreter> interpreter;
  std::unique_ptr<MachineCode> machine_code;
};

}  // namespace tactus::generate
