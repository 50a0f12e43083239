// What the five papers print, item by item, and what evaluates it: the list of studies/papers.yaml, which is part of the program.
#pragma once

#include <string>
#include <vector>

namespace tactus::studies {

/// A numbered item of a paper, or a range of them that the same evaluates.
struct PaperItem {
  std::string kind;         // table, figure, algorithm, equation, appendix, example, theorem, ..., claim
  int first = 0, last = 0;  // their numbers
  std::string label;        // as printed: "Table III", "(3)-(4)"
  std::string what;         // one line
  std::vector<std::string> cases, tests;
  std::string misprint;  // of what is corrected: what is wrong in print
  std::string verdict;   // of what evaluates it; empty where nothing does
  int issue = 0;         // that will evaluate it; 0: none
  std::string reason;    // why there is nothing to evaluate

  int count() const { return last - first + 1; }
  /// "reproduced", "corrected", "closed-form", "not-reproducible", "not yet" or "none".
  std::string status() const;
};

/// A paper, or a chapter of one that numbers by itself.
struct PaperPart {
  std::string study, part;  // "clover1996", "II"; the part may be empty
  std::vector<PaperItem> items;
};

/// Every status, in the order in which they are counted.
const std::vector<std::string>& paper_statuses();
/// How many items of a kind of status.
int count_of(const PaperPart& part, const std::string& status);

/// The list. Throws InputError where it is not what it should be.
std::vector<PaperPart> papers();

}  // namespace tactus::studies
