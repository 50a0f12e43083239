// Numbers that compiled code reads where it runs: the values of symbols that may change from one call to the next
// without being arguments of every function, such as a mechanism's adjustable parameters.
//
// A graph that has cells (Graph::set_cells) lends them to every function over it: a symbol that none of a function's
// inputs holds is then looked for among the cells. The code loads it from its place in `values`, which therefore stays
// as long as the code does, and is written only between two calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::algebra {

class Cells {
 public:
  Cells(std::vector<std::string> names, std::vector<double> values)
      : names_(std::move(names)), values_(std::move(values)) {}
  Cells(const Cells&) = delete;  // code points into it
  Cells& operator=(const Cells&) = delete;

  std::size_t size() const { return values_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const double* values() const { return values_.data(); }
  void set(std::size_t index, double value) { values_[index] = value; }

  /// Where the name stands; size() where it is none of them.
  std::size_t find(std::string_view name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;
};

}  // namespace tactus::algebra
