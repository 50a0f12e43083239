// Where the values of a tape are while its machine code is being written: in a register, in memory, or both.
//
// Bookkeeping only; the assembler writes the loads and stores. A value that must leave its register is the
// one whose next use is furthest away [Belady1966]. Values are assigned once, so a copy in memory stays
// good: each value is stored at most once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <tactus/generate/liveness.h>
#include <tactus/generate/tape.h>

namespace tactus::generate {

/// A place in memory that holds a value.
struct Home {
  enum Where : std::uint8_t { none, input, constant, output, work };
  Where where = none;
  std::uint32_t index = 0;  // in units of one value
};

class Registers {
 public:
  static constexpr int kNone = -1;

  Registers(const Tape& tape, int count);

  /// Begins instruction `now`: its operands' next uses become those after it, and no register is locked.
  void begin(const Tape& tape, std::uint32_t now);
  /// Ends it: registers and spill places of operands without further use become free.
  void end(const Tape& tape, std::uint32_t now);

  int of(std::uint32_t value) const { return register_[value]; }
  bool has(std::uint32_t value) const { return register_[value] != kNone; }
  const Home& home(std::uint32_t value) const { return home_[value]; }
  std::uint32_t next_use(std::uint32_t value) const { return next_[value]; }
  bool dies(std::uint32_t value) const { return next_[value] == kNever; }

  bool any_free() const { return (free_ & ~locked_) != 0; }
  /// The lowest free register; kNone where all are taken.
  int free() const { return any_free() ? std::countr_zero(free_ & ~locked_) : kNone; }
  /// The register whose value is needed last; locked ones are kept.
  int furthest() const;
  std::uint32_t value_in(int reg) const { return value_in_[reg]; }

  void lock(int reg) { locked_ |= 1u << reg; }
  void lock_value(std::uint32_t value) {
    if (has(value)) lock(of(value));
  }
  /// From now on `reg` holds `value`.
  void assign(int reg, std::uint32_t value);
  /// `reg` holds nothing that counts any more.
  void release(int reg);
  void set_home(std::uint32_t value, Home home) { home_[value] = home; }
  /// Gives the value a home in the work array until it dies, and says where.
  Home spill(std::uint32_t value);
  /// `count` places one after the other, never given up.
  std::uint32_t take_block(std::uint32_t count);
  std::uint32_t places() const { return places_; }

 private:
  NextUses uses_;
  std::vector<std::uint32_t> next_;
  std::vector<std::int8_t> register_;
  std::vector<Home> home_;
  std::vector<bool> spilled_;  // the home is a place to be given back
  int count_;
  std::array<std::uint32_t, 32> value_in_{};
  std::array<std::uint32_t, 32> next_in_{};  // next use of the value in each register
  std::uint32_t free_;
  std::uint32_t locked_ = 0;
  std::vector<std::uint32_t> free_places_;
  std::uint32_t places_ = 0;
};

}  // namespace tactus::generate
