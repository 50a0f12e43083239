// The one table, and the same rows as JSON.
#pragma once

#include <string>
#include <vector>

#include <tactus/algebra/calculus.h>

#include "stopwatch.h"

namespace tactus::bench {

struct Row {
  std::string case_name;
  std::string system;
  Measurement measurement;
};

class Report {
 public:
  /// Prints the head of the table.
  Report();

  /// Prints the rows of one case; ratios are to its first row.
  void add(const std::string& case_name, const std::vector<Contender>& contenders,
           const std::vector<Measurement>& measurements);

  /// How far a case's results were apart; the largest is printed by print_agreement().
  void note_disagreement(const std::string& case_name, const std::string& system, double relative);
  void print_agreement() const;
  /// How far a system with soft constraints was from the rigid solution: printed by itself.
  void note_soft(const std::string& case_name, const std::string& system, double relative);

  /// What a straight-line program consists of, and what it took to make it [ms].
  void note_program(const std::string& case_name, const algebra::OperationCount& count,
                    std::size_t code_bytes, double derive_ms, double compile_ms);
  void print_programs() const;

  /// ns of a row; 0 where there is none.
  double ns(const std::string& case_name, const std::string& system_prefix) const;
  /// The smallest of several such rows.
  double fastest_ns(const std::string& case_name, const std::string& system_prefix) const;

  /// [{"case", "system", "ns", "allocations", "quartiles"}]. False where the file cannot be written.
  bool write_json(const std::string& file) const;

 private:
  std::vector<Row> rows_;
  std::vector<std::string> soft_, programs_;
  double worst_ = 0.0;
  std::string worst_where_;
};

}  // namespace tactus::bench
