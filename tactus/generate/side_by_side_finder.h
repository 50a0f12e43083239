// Finds what can run side by side: rows among the outputs and in between, their windows, the arrays that these read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include <tactus/generate/side_by_side.h>

namespace tactus::generate {

/// A value with a sign: twice its number, plus one where it is negated.
using Signed = std::uint32_t;
constexpr Signed plus(std::uint32_t value) { return 2 * value; }
constexpr std::uint32_t value_of(Signed x) { return x / 2; }
constexpr bool negative(Signed x) { return (x & 1) != 0; }

/// Arrays of values, one behind the other.
class ValueArrays {
 public:
  void add(const std::vector<Signed>& values);
  /// Where these are neighbours in one array; kNowhere.
  std::uint32_t find(const std::vector<Signed>& x) const;
  /// Arrays in which each value has one neighbour, joined from what is asked for; requests that want others are left for the next ones.
  void join(const std::vector<const std::vector<Signed>*>& requests,
            std::vector<const std::vector<Signed>*>& left);
  /// All of them, in as many layers as it takes.
  void join_all(std::vector<const std::vector<Signed>*> requests);

  bool has(Signed x) const { return places_.count(x) != 0; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(array_.size()); }
  Signed at(std::uint32_t place) const { return array_[place]; }
  std::uint32_t end_of(std::uint32_t place) const { return array_end_[place]; }

 private:
  std::vector<Signed> array_;
  std::vector<std::uint32_t> array_end_;  // for each place the end of its array
  std::unordered_map<Signed, std::vector<std::uint32_t>> places_;
};

class SideBySideFinder {
 public:
  SideBySideFinder(const Tape& tape, std::uint32_t lanes);
  SideBySide run();

 private:
  using Source = SideBySide::Source;
  static constexpr std::uint32_t kNone = SideBySide::kNowhere;

  /// What an instruction adds up: a b + c, with signs. No product: b is absent; no sum: c is.
  struct Form {
    enum Kind : std::uint8_t { other, product, sum, both } kind = other;
    Signed a = 0, b = 0, c = 0;  // product: a b; sum: a + c; both: a b + c
  };
  /// Neighbours of one form among the outputs, or in an array that windows make.
  struct Row {
    std::uint32_t to = 0;  // the first output; the place in the array
    std::uint32_t array = kNone;
    std::vector<Signed> values;
  };
  /// Neighbours that a window reads.
  struct Request {
    std::vector<Signed> values;
    std::uint32_t user_level = 0;  // of the window
    enum From : std::uint8_t { scalars, windows, outputs } from = scalars;
    std::uint32_t array = 0, offset = 0;  // where windows leave it; outputs: the first one
  };
  /// What windows leave for others.
  struct MadeArray {
    std::vector<Signed> values;
    std::vector<bool> made;                  // by windows; scalar instructions leave the others
    std::uint32_t level = 0, last_used = 0;  // levels fall from the first windows to the last
    std::uint32_t at = 0;
    bool all_made() const;
  };
  /// What waits for its level: the longest way from there to an output.
  struct Pending {
    std::vector<Row> rows;
    std::vector<std::uint32_t> requests;
  };

  // Forms (side_by_side.cpp).
  Form form(std::uint32_t value) const;
  Signed bare(Signed x) const;
  bool lone(std::uint32_t value) const { return uses_[value] == 1 && output_uses_[value] == 0; }
  bool is_arithmetic(std::uint32_t value) const { return form(value).kind != Form::other; }
  bool opens(Signed x) const { return lone(value_of(x)) && is_arithmetic(value_of(x)); }
  std::uint64_t shape(std::uint32_t value);
  std::array<std::uint32_t, 2> first_factors(std::uint32_t value) const;

  // Rows and windows (side_by_side.cpp).
  void find_output_rows();
  bool waits(std::uint32_t output) const;
  void take_output_row(const Row& row);
  void take_row(const Row& row);
  bool take_window(const Row& row, std::uint32_t at, std::uint32_t lanes);
  Source turn_signs(const std::vector<Signed>& lanes);
  Source last_result() const {
    return {Source::result, static_cast<std::uint32_t>(result_.operations.size() - 1)};
  }
  std::uint32_t wide_constant(const std::vector<double>& lanes);
  std::optional<Source> open_with_signs(const std::vector<Signed>& values, bool& minus);
  std::optional<Source> open(const std::vector<Signed>& values, bool& minus);
  Signed peeled(Signed x);
  void pair_up(std::vector<Signed>& a, std::vector<Signed>& b);
  Source operand(std::vector<Signed>& x, bool& minus);
  /// How far the lists of a window have come, to go back to.
  struct Mark {
    std::size_t operations, requests, opened;
  };
  Mark mark() const { return {result_.operations.size(), requests_.size(), opened_.size()}; }
  void go_back(const Mark& m);

  // Arrays (side_by_side_arrays.cpp).
  void make_arrays(const std::vector<std::uint32_t>& requests);
  bool find_among_outputs(Request& request);
  bool only_windows_use(std::uint32_t value) const { return taken_uses_[value] == uses_[value]; }
  bool can_be_made(Signed x) const;
  void make_rows(std::uint32_t array);
  void place_made_arrays();
  void place_requests();
  void finish();
  void keep_what_scalars_need();
  void order_windows();
  void place_alone(std::uint32_t value, bool either_sign);
  bool is_minus(const Source& source) const {
    return source.kind == Source::broadcast && result_.place_negated[source.index];
  }

  const Tape& tape_;
  const std::uint32_t most_lanes_;
  std::vector<std::uint32_t> definition_, uses_, output_uses_;
  std::vector<std::uint32_t> taken_uses_;  // by instructions that windows do
  std::vector<std::uint32_t> distance_;    // the longest way to an output
  std::vector<bool> broadcast_;            // read by all lanes of some window
  std::vector<std::uint64_t> shape_;
  std::map<std::uint32_t, Pending> pending_;
  std::uint32_t level_ = 0;  // at hand
  std::vector<std::uint32_t> window_level_, window_array_;
  std::vector<std::uint32_t> output_level_;  // where windows store it
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> outputs_of_;
  std::vector<Request> requests_;
  std::vector<MadeArray> made_;
  std::vector<std::uint32_t> kept_;  // values that windows read where scalars leave them
  std::unordered_map<Signed, Signed> next_;
  std::unordered_map<std::uint32_t, bool> sign_;  // with which a value was asked for first
  std::map<std::vector<std::uint64_t>, std::uint32_t> wide_index_;
  ValueArrays arrays_;                 // that scalars fill
  std::vector<std::uint32_t> opened_;  // instructions of the window at hand
  SideBySide result_;
};

}  // namespace tactus::generate
