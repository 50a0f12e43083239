// A tape bound to a back end: what a Kernel points to.
#pragma once

#include <cstddef>
#include <memory>

#include <string>
#include <string_view>
#include <vector>

#include <tactus/generate/backend.h>
#include <tactus/generate/kernel.h>

namespace tactus::generate {

class Program {
 public:
  std::string name;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  std::size_t input_size = 0;  // per lane
  std::size_t output_size = 0;
  int lanes = 1;
  std::size_t work_size = 0;  // for all lanes
  std::size_t code_size = 0;
  Backend backend = Backend::automatic;
  Executable::Run run = nullptr;
  std::shared_ptr<const void> code;             // Executable::code
  std::shared_ptr<const algebra::Cells> cells;  // that the code reads
};

/// Throws InputError where an output depends on a symbol that no input holds, or where machine code was asked
/// for by name and cannot be had.
std::shared_ptr<const Program> make_program(const algebra::Function& function, int lanes, Backend backend,
                                            Rounding rounding = Rounding::fused);

/// The slot of that name; nullptr where there is none.
const Slot* find_slot(const std::vector<Slot>& slots, std::string_view name);

}  // namespace tactus::generate
