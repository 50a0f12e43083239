#include "report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tactus::bench {

namespace {

/// Four digits or so, whatever the size.
std::string short_number(double x) {
  if (x < 100.0) return fmt::format("{:.1f}", x);
  return fmt::format("{:.0f}", x);
}

constexpr const char* kProgramLine = "{:<38} {:>9} {:>9} {:>6} {:>8} {:>13} {:>13} {:>13}\n";
constexpr const char* kLine = "{:<38} {:<31} {:>10} {:>17} {:>8} {:>8}\n";

}  // namespace

Report::Report() {
  fmt::print(kLine, "case", "system", "ns", "quartiles", "ratio", "allocs");
  fmt::print("{:-<117}\n", "");
}

void Report::add(const std::string& case_name, const std::vector<Contender>& contenders,
                 const std::vector<Measurement>& measurements) {
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Measurement& m = measurements[i];
    rows_.push_back({case_name, contenders[i].system, m});
    const double ratio = m.ns / measurements.front().ns;
    fmt::print(kLine, i == 0 ? case_name : "", contenders[i].system, short_number(m.ns),
               short_number(m.lower_quartile) + ".." + short_number(m.upper_quartile),
               contenders.size() == 1 ? "" : fmt::format("{:.2f}", ratio),
               fmt::format("{:.0f}", m.allocations));
  }
  std::fflush(stdout);
}

void Report::note_disagreement(const std::string& case_name, const std::string& system, double relative) {
  if (relative <= worst_) return;
  worst_ = relative;
  worst_where_ = case_name + ", " + system;
}

void Report::print_agreement() const {
  fmt::print("\nAll results agree with ours on double; the largest relative difference is {:.0e} ({}).\n",
             worst_, worst_where_);
  if (!soft_.empty()) fmt::print("Soft constraints, at rest: relative difference from the rigid solution\n");
  for (const std::string& line : soft_) fmt::print("{}\n", line);
}

void Report::note_soft(const std::string& case_name, const std::string& system, double relative) {
  soft_.push_back(fmt::format("{:<38} {:<31} {:>10.1e}", case_name, system, relative));
}

void Report::note_program(const std::string& case_name, const algebra::OperationCount& count,
                          std::size_t code_bytes, double derive_ms, double compile_ms) {
  programs_.push_back(fmt::format(kProgramLine, case_name, count.mul, count.add, count.div, count.trig,
                                  code_bytes, fmt::format("{:.1f}", derive_ms),
                                  fmt::format("{:.2f}", compile_ms)));
}

void Report::print_programs() const {
  if (programs_.empty()) return;
  fmt::print("\n");
  fmt::print(kProgramLine, "", "products", "sums", "div", "sin, cos", "bytes of code", "derive [ms]",
             "compile [ms]");
  for (const std::string& line : programs_) fmt::print("{}", line);
}

double Report::ns(const std::string& case_name, const std::string& system_prefix) const {
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) {
    return r.case_name == case_name && r.system.rfind(system_prefix, 0) == 0;
  });
  return row == rows_.end() ? 0.0 : row->measurement.ns;
}

double Report::fastest_ns(const std::string& case_name, const std::string& system_prefix) const {
  double fastest = 0.0;
  for (const Row& r : rows_) {
    if (r.case_name != case_name || r.system.rfind(system_prefix, 0) != 0) continue;
    fastest = fastest == 0.0 ? r.measurement.ns : std::min(fastest, r.measurement.ns);
  }
  return fastest;
}

bool Report::write_json(const std::string& file) const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Row& row : rows_) {
    const Measurement& m = row.measurement;
    rows.push_back({{"case", row.case_name},
                    {"system", row.system},
                    {"ns", m.ns},
                    {"allocations", m.allocations},
                    {"quartiles", {m.lower_quartile, m.upper_quartile}}});
  }
  std::ofstream stream(file);
  stream << rows.dump(1) << '\n';
  return stream.good();
}

}  // namespace tactus::bench
