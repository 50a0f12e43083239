// CSV files that the program wrote, read back.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tactus::apps::test {

/// By columns.
using Table = std::map<std::string, std::vector<double>>;

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::istringstream in(line); std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

/// The columns of numbers: `stage` and `fault`, of haptic runs, are words and left out.
inline Table table_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = cells_of(line);
  Table table;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (names.at(i) != "stage" && names[i] != "fault") table[names[i]].push_back(std::stod(cells[i]));
  }
  return table;
}

/// A line of the file of events.
struct EventLine {
  std::string kind, name;
  std::map<std::string, double> number;  // the other columns
};
using EventTable = std::vector<EventLine>;

inline EventTable events_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = cells_of(line);
  EventTable events;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    EventLine event;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (names.at(i) == "kind")
        event.kind = cells[i];
      else if (names.at(i) == "name")
        event.name = cells[i];
      else
        event.number[names.at(i)] = std::stod(cells[i]);
    }
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace tactus::apps::test
