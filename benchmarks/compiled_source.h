// The emitted C++ through the system's compiler, to compare our machine code with.
#pragma once

#include <memory>

#include <tactus/algebra/function.h>

namespace tactus::bench {

class CompiledSource {
 public:
  /// Writes the function's source, compiles it with -O3 -march=native and loads it. nullptr where that fails.
  static std::shared_ptr<CompiledSource> make(const algebra::Function& function);
  ~CompiledSource();
  CompiledSource(const CompiledSource&) = delete;
  CompiledSource& operator=(const CompiledSource&) = delete;

  void operator()(const double* in, double* out) const { entry_(in, out); }

 private:
  CompiledSource() = default;
  void* library_ = nullptr;
  void (*entry_)(const double*, double*) = nullptr;
};

}  // namespace tactus::bench
