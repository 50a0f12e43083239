// What a paper states in words: one judged line for each statement, as the table of a case.
#pragma once

#include <string>

#include <fmt/format.h>

namespace tactus::studies {

class Statements {
 public:
  void judge(bool holds, const std::string& statement, const std::string& here, const std::string& required) {
    all_ = all_ && holds;
    lines_ += fmt::format("  {:<6} {}\n         here {}; required {}\n", holds ? "holds" : "FAILS", statement,
                          here, required);
  }
  bool all() const { return all_; }
  const std::string& table() const { return lines_; }

 private:
  bool all_ = true;
  std::string lines_;
};

}  // namespace tactus::studies
