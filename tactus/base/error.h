// Errors of the first tier: something a user wrote is wrong. They are thrown before any loop starts.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// Where in a user's file something stands. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  /// "file:line:column", with unknown parts left out.
  std::string to_string() const {
    std::string text = file;
    if (line > 0) text.append(":").append(std::to_string(line));
    if (line > 0 && column > 0) text.append(":").append(std::to_string(column));
    return text;
  }
};

/// A mistake in the user's input: what is wrong, where, and how to mend it.
/// what() reads "file:line:column: error: what is wrong\n  help: how to mend it".
class InputError : public std::runtime_error {
 public:
  InputError(Place where, std::string wrong, std::string remedy = {})
      : std::runtime_error(compose(where, clipped(wrong), clipped(remedy))),
        where_(std::move(where)),
        wrong_(clipped(std::move(wrong))),
        remedy_(clipped(std::move(remedy))) {}

  const Place& where() const { return where_; }
  const std::string& wrong() const { return wrong_; }
  const std::string& remedy() const { return remedy_; }

 private:
  /// Messages quote what the user wrote; that may be megabytes.
  static std::string clipped(std::string text) {
    constexpr std::size_t kLongest = 600;
    if (text.size() > kLongest) text.replace(kLongest, std::string::npos, " ...");
    return text;
  }

  static std::string compose(const Place& where, const std::string& wrong, const std::string& remedy) {
    std::string text = where.to_string();
    if (!text.empty()) text += ": ";
    text += "error: " + wrong;
    if (!remedy.empty()) text += "\n  help: " + remedy;
    return text;
  }

  Place where_;
  std::string wrong_;
  std::string remedy_;
};

// "Did you mean ...?": the known word nearest to what a user wrote.

/// How many letters must be inserted, deleted, replaced or swapped with their neighbour to turn a into b
/// (optimal string alignment), capital letters counting as small ones.
int edit_distance(std::string_view a, std::string_view b);

/// The nearest of the known words, or "" where none is near enough to be what was meant.
std::string nearest(std::string_view word, std::span<const std::string> known);
std::string nearest(std::string_view word, std::span<const std::string_view> known);

/// A remedy in one line: "did you mean `x`?", or the known words ("known: a, b, c") where none is near.
std::string suggestion(std::string_view word, std::span<const std::string> known);
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace tactus
