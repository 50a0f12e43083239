#include <tactus/generate/kernel.h>

#include <utility>

#include <tactus/generate/program.h>

namespace tactus::generate {

Kernel compile(const algebra::Function& function, Backend backend, Rounding rounding) {
  Kernel kernel;
  kernel.program_ = make_program(function, 1, backend, rounding);
  kernel.run_ = kernel.program_->run;
  return kernel;
}

std::size_t Kernel::input_size() const { return program_->input_size; }
std::size_t Kernel::output_size() const { return program_->output_size; }
std::size_t Kernel::work_size() const { return program_->work_size; }
const std::string& Kernel::name() const { return program_->name; }
const std::vector<Slot>& Kernel::inputs() const { return program_->inputs; }
const std::vector<Slot>& Kernel::outputs() const { return program_->outputs; }
const Slot* Kernel::input(std::string_view name) const { return find_slot(program_->inputs, name); }
const Slot* Kernel::output(std::string_view name) const { return find_slot(program_->outputs, name); }
Backend Kernel::backend() const { return program_->backend; }
std::size_t Kernel::code_size() const { return program_->code_size; }

Evaluator::Evaluator(Kernel kernel)
    : kernel_(std::move(kernel)),
      in_(kernel_.input_size(), 0.0),
      out_(kernel_.output_size(), 0.0),
      work_(kernel_.work_size(), 0.0) {}

std::span<double> Evaluator::input(std::string_view name) {
  const Slot* slot = kernel_.input(name);
  return slot == nullptr ? std::span<double>{} : std::span<double>(in_).subspan(slot->offset, slot->size());
}

std::span<const double> Evaluator::output(std::string_view name) const {
  const Slot* slot = kernel_.output(name);
  return slot == nullptr ? std::span<const double>{}
                         : std::span<const double>(out_).subspan(slot->offset, slot->size());
}

}  // namespace tactus::generate
