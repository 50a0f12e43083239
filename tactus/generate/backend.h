// The back ends that run a tape in this process, in one table. Adding one: a name in `Backend` (kernel.h), a
// class that is made from a Tape, and a row in backend.cpp. What all of them owe: the bits of the interpreter.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <tactus/generate/kernel.h>
#include <tactus/generate/tape.h>

namespace tactus::generate {

/// A tape made ready to run.
struct Executable {
  /// out = f(in) for all lanes: value k of lane i stands at [k * lanes + i]. The program's `code` is the one
  /// below.
  using Run = void (*)(const Program&, const double* in, double* out, double* work) noexcept;

  Run run = nullptr;
  std::shared_ptr<const void> code;  // what it runs on
  std::size_t work_size = 0;         // doubles, for all lanes
  std::size_t code_size = 0;         // bytes
};

struct BackendTraits {
  Backend backend = Backend::automatic;
  std::string_view name;
  std::string_view needs;  // what it takes, said where it was asked for and cannot be had
  /// Whether this processor can run that many lanes (1, 4 or 8).
  bool (*can)(int lanes) = nullptr;
  /// Nothing where the system refuses.
  std::optional<Executable> (*make)(const Tape& tape, int lanes) = nullptr;
};

/// All of them, the fastest first: `automatic` takes the first that can. The last one always can.
std::span<const BackendTraits> backends();
std::string_view name_of(Backend backend);

}  // namespace tactus::generate
