#include <tactus/base/error.h>

#include <algorithm>
#include <cctype>

namespace tactus {

namespace {

/// Longer words are cut: a name is short, and the distance costs the product of the lengths.
constexpr std::size_t kLongestWord = 64;
/// How many known words a remedy lists.
constexpr std::size_t kMostListed = 24;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::size_t common_prefix(std::string_view a, std::string_view b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && lower(a[n]) == lower(b[n])) ++n;
  return n;
}

template <class Word>
std::string nearest_of(std::string_view word, std::span<const Word> known) {
  std::string best;
  // A third of the letters may be wrong, or one; but not all of them.
  const int letters = static_cast<int>(std::min(word.size(), kLongestWord));
  int best_distance = std::min(std::max(1, letters / 3), letters - 1) + 1;
  for (const Word& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  if (!best.empty()) return best;
  // Another ending of the same stem: body, bodies.
  std::size_t best_prefix = std::max<std::size_t>(2, (word.size() + 1) / 2);
  for (const Word& candidate : known) {
    const std::size_t prefix = common_prefix(word, candidate);
    if (prefix > best_prefix) {
      best_prefix = prefix;
      best = std::string(candidate);
    }
  }
  return best;
}

template <class Word>
std::string suggestion_of(std::string_view word, std::span<const Word> known) {
  const std::string best = nearest_of(word, known);
  if (!best.empty()) return "did you mean `" + best + "`?";
  if (known.empty()) return "none is known here";
  std::string text = "known: ";
  for (std::size_t i = 0; i < known.size() && i < kMostListed; ++i) {
    if (i > 0) text += ", ";
    text += std::string(known[i]);
  }
  if (known.size() > kMostListed) text += ", ... (" + std::to_string(known.size()) + " in all)";
  return text;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongestWord);
  b = b.substr(0, kLongestWord);
  std::vector<int> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
  return nearest_of(word, known);
}
std::string nearest(std::string_view word, std::span<const std::string_view> known) {
  return nearest_of(word, known);
}
std::string suggestion(std::string_view word, std::span<const std::string> known) {
  return suggestion_of(word, known);
}
std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  return suggestion_of(word, known);
}

}  // namespace tactus
