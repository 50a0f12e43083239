// "Did you mean ...?": the known word nearest to what a user wrote.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

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
