#include "options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::apps {

namespace {

/// Digits alone, perhaps with a sign: what the conversion to an integer takes.
bool is_whole(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

CLI::Validator validator(Range range, bool whole) {
  const auto wrong = [range, whole](const std::string& text) -> std::string {
    if (range.has(number_of(text)) && (!whole || is_whole(text))) return "";
    // A word may be megabytes.
    constexpr std::size_t kLongest = 40;
    const std::string shown = text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
    return fmt::format("`{}` is not {}", shown, range.in_words(whole));
  };
  return CLI::Validator(wrong, "", "");
}

}  // namespace

std::string Range::in_words(bool whole) const {
  const std::string number = whole ? "a whole number" : "a number";
  if (std::isfinite(low) && std::isfinite(high))
    return fmt::format("{} from {:g} to {:g}", number, low, high);
  if (low == 0.0 && above_low) return whole ? "a positive whole number" : "a positive number";
  if (low == 0.0) return number + ", zero or more";
  return whole ? number : "a finite number";
}

double number_of(const std::string& text) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const char* first = text.data();
  const char* const last = first + text.size();
  if (text.starts_with('+') && !text.starts_with("+-")) ++first;
  double value = none;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return none;
  return value;
}

std::vector<double> listed_numbers(const std::string& option, const std::string& text, std::size_t count,
                                   ListedUnit unit) {
  std::vector<double> numbers;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, to - from);
    char* end = nullptr;
    std::strtod(word.c_str(), &end);  // where a unit begins
    const std::size_t begin = std::min(word.find_first_not_of(' '), word.size());
    const auto digits = static_cast<std::size_t>(end - word.c_str());
    double number = number_of(word.substr(begin, std::max(begin, digits) - begin));
    std::string written = end;
    const std::size_t first = written.find_first_not_of(' ');
    written.erase(0, first == std::string::npos ? written.size() : first);
    written.erase(written.find_last_not_of(' ') + 1);
    bool known = std::isfinite(number);
    if (written == "deg" && unit == ListedUnit::angle)
      number *= std::numbers::pi / 180.0;
    else if (written == "mm" && unit == ListedUnit::length)
      number *= 1e-3;
    else
      known = known && (written.empty() || (unit == ListedUnit::angle && written == "rad") ||
                        (unit == ListedUnit::length && written == "m"));
    if (!known)
      throw InputError({},
                       fmt::format("{}: `{}` is no {}", option, word,
                                   unit == ListedUnit::angle    ? "angle"
                                   : unit == ListedUnit::length ? "length"
                                                                : "number"),
                       unit == ListedUnit::angle    ? "write such as 30 deg or 0.5"
                       : unit == ListedUnit::length ? "write such as 0.4 or 200 mm"
                                                    : "write such as 0.4 or -12");
    numbers.push_back(number);
    from = to + 1;
  }
  if (count != 0 && numbers.size() != count)
    throw InputError({}, fmt::format("{} {}: {} numbers", option, text, numbers.size()),
                     fmt::format("give {} with commas between them", count));
  return numbers;
}

CLI::Validator numbers(Range range) { return validator(range, false); }
CLI::Validator whole_numbers(Range range) { return validator(range, true); }

void refuse_empty_texts(CLI::App& program) {
  const CLI::Validator not_empty(
      [](const std::string& text) { return std::string(text.empty() ? "its value is empty" : ""); }, "", "");
  for (CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    for (CLI::Option* option : verb->get_options())
      if (option->get_items_expected_max() > 0) option->check(not_empty);
}

std::vector<std::string> without_repetition(const std::vector<std::string>& words) {
  std::vector<std::string> once;
  for (const std::string& word : words)
    if (std::find(once.begin(), once.end(), word) == once.end()) once.push_back(word);
  return once;
}

}  // namespace tactus::apps
