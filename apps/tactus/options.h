// Options of the verbs that are numbers. What is no number, is not finite or is out of range is refused with a sentence that
// says what is expected; empty texts are refused for all options.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace tactus::apps {

/// Which numbers make sense.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;  // low itself is out

  static Range any() { return {}; }
  static Range positive() { return {.low = 0.0, .above_low = true}; }
  static Range not_negative() { return {.low = 0.0}; }
  static Range between(double low, double high) { return {.low = low, .high = high}; }

  bool has(double value) const { return (above_low ? value > low : value >= low) && value <= high; }
  /// "a positive number", "a number from 10 to 1e5".
  std::string in_words(bool whole = false) const;
};

/// The number that a whole text is, in decimal digits; NaN where it is none, or not finite.
double number_of(const std::string& text);

/// For CLI::Option::check: finite numbers in the range, whole ones where asked for.
CLI::Validator numbers(Range range);
CLI::Validator whole_numbers(Range range);

/// Numbers with commas between them, each with a unit or none: 0.4,-200 mm,0.1 or 30 deg,0,0; `count` of them, or any number where that is 0.
/// Throws InputError with the option's name.
enum class ListedUnit { none, length, angle };
std::vector<double> listed_numbers(const std::string& option, const std::string& text, std::size_t count,
                                   ListedUnit unit);

/// Every option of every verb refuses the empty text: it is what is left of a variable that was not set.
void refuse_empty_texts(CLI::App& program);

/// Each once, in the order in which they first come.
std::vector<std::string> without_repetition(const std::vector<std::string>& words);

}  // namespace tactus::apps
