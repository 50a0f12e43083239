#include <tactus/generate/batch.h>

#include <tactus/base/check.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/program.h>

namespace tactus::generate {

int widest_batch() { return machine_level() == Level::avx512 ? 8 : 4; }

int suitable_batch(const algebra::Function& function) {
  constexpr std::size_t kCache = 48 * 1024;
  const std::size_t state = sizeof(double) * (function.input_size() + function.output_size());
  return 8 * state > kCache && 4 * state <= kCache ? 4 : widest_batch();
}

BatchKernel compile_batch(const algebra::Function& function, int lanes, Backend backend) {
  if (lanes == 0) lanes = suitable_batch(function);
  TACTUS_CHECK(lanes == 4 || lanes == 8);
  BatchKernel kernel;
  kernel.program_ = make_program(function, lanes, backend);
  kernel.run_ = kernel.program_->run;
  return kernel;
}

int BatchKernel::lanes() const { return program_->lanes; }
std::size_t BatchKernel::input_size() const {
  return program_->input_size * static_cast<std::size_t>(lanes());
}
std::size_t BatchKernel::output_size() const {
  return program_->output_size * static_cast<std::size_t>(lanes());
}
std::size_t BatchKernel::work_size() const { return program_->work_size; }
const std::vector<Slot>& BatchKernel::inputs() const { return program_->inputs; }
const std::vector<Slot>& BatchKernel::outputs() const { return program_->outputs; }
const Slot* BatchKernel::input(std::string_view name) const { return find_slot(program_->inputs, name); }
const Slot* BatchKernel::output(std::string_view name) const { return find_slot(program_->outputs, name); }
Backend BatchKernel::backend() const { return program_->backend; }
std::size_t BatchKernel::code_size() const { return program_->code_size; }

}  // namespace tactus::generate
