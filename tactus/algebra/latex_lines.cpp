#include <tactus/algebra/latex_lines.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

namespace tactus::algebra {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Where the group that opens at `open` closes: the place of its brace.
std::size_t closing_brace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return text.size();
}

// [pt] at 10 pt.
double letter_width(char c) {
  constexpr std::string_view kNarrow = "ijl.,;:|'", kMedium = "tfrsI()[]c", kWide = "mwMW";
  if (kNarrow.find(c) != std::string_view::npos) return 3.2;
  if (kMedium.find(c) != std::string_view::npos) return 4.5;
  if (kWide.find(c) != std::string_view::npos) return 9.5;
  if (std::isdigit(static_cast<unsigned char>(c)) != 0) return 5.0;
  if (c == '+' || c == '-' || c == '=' || c == '<' || c == '>') return 12.3;  // with the space around
  if (c == ' ' || c == '{' || c == '}' || c == '&') return 0.0;
  return std::isupper(static_cast<unsigned char>(c)) != 0 ? 7.8 : 5.6;
}

double command_width(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, double>, 26> kWidths{
      {{"sin", 14.0},  {"cos", 15.4},  {"tan", 16.5},   {"arcsin", 29.0}, {"arccos", 30.5}, {"arctan", 31.5},
       {"log", 15.0},  {"exp", 17.5},  {"min", 19.0},   {"max", 20.5},    {"sinh", 20.0},   {"cosh", 21.5},
       {"tanh", 22.0}, {"cdot", 7.3},  {"times", 12.3}, {"ge", 13.4},     {"le", 13.4},     {"quad", 10.0},
       {"left", 0.6},  {"right", 0.6}, {"infty", 10.0}, {"mathrm", 0.0},  {"mathsf", 0.0},  {"text", 0.0},
       {"dot", 0.0},   {"ddot", 0.0}}};
  for (const auto& [known, width] : kWidths)
    if (known == word) return width;
  if (word == "operatorname") return 2.0;
  if (word == "bigl" || word == "bigr") return 0.8;
  if (word == "lfloor" || word == "rfloor") return 4.5;
  return 6.2;  // a Greek letter, or another sign
}

/// The widest row of an environment, whose rows and columns are separated by \\ and &.
double rows_width(std::string_view body) {
  double widest = 0.0;
  while (true) {
    const std::size_t end = body.find("\\\\");
    widest = std::max(widest, latex_width(body.substr(0, end)));
    if (end == std::string_view::npos) return widest;
    body.remove_prefix(end + 2);
  }
}

/// A place where a formula may be broken.
struct Break {
  std::size_t at = 0;    // the line ends before
  std::size_t next = 0;  // the next one begins here
  int depth = 0;         // of parentheses
  bool product = false;  // between factors
};

/// Parentheses of flexible size, by the places of \left and \right.
struct Pair {
  std::size_t left = 0, right = 0;
};

struct Breaks {
  std::vector<Break> places;
  std::vector<Pair> pairs;
};

/// From `from` the place behind the group or environment that begins there; `from` where none does.
std::size_t behind_group(std::string_view formula, std::size_t from) {
  constexpr std::string_view kBegin = "\\begin{", kEnd = "\\end{";
  if (formula.substr(from).starts_with(kBegin)) {
    const std::size_t end = formula.find(kEnd, from);
    return end == std::string_view::npos
               ? formula.size()
               : std::min(formula.size(), closing_brace(formula, end + kEnd.size() - 1) + 1);
  }
  if (formula[from] == '{') return std::min(formula.size(), closing_brace(formula, from) + 1);
  return from;
}

Breaks breaks_of(std::string_view formula) {
  Breaks found;
  std::vector<std::size_t> open;
  int plain = 0;  // parentheses of fixed size
  for (std::size_t i = 0; i < formula.size();) {
    const std::string_view rest = formula.substr(i);
    if (const std::size_t behind = behind_group(formula, i); behind > i) {
      i = behind;
      continue;
    }
    const int depth = static_cast<int>(open.size()) + plain;
    if (rest[0] == '(') ++plain;
    if (rest[0] == ')') --plain;
    if (rest.starts_with("\\left") && !rest.starts_with("\\leftarrow")) {
      open.push_back(i);
      i += 5;
      // The sign itself may be a command.
      i += i < formula.size() && formula[i] == '\\' ? 2u : 1u;
      continue;
    }
    if (rest.starts_with("\\right") && !open.empty()) {
      found.pairs.push_back({open.back(), i});
      open.pop_back();
      i += 6;
      i += i < formula.size() && formula[i] == '\\' ? 2u : 1u;
      continue;
    }
    if (i > 0 && (rest.starts_with(" + ") || rest.starts_with(" - "))) {
      found.places.push_back({i, i + 1, depth, false});
      i += 3;
      continue;
    }
    if (i > 0 && rest.starts_with("\\,")) {
      // Not after a comma: those are arguments.
      if (formula[i - 1] != ',') found.places.push_back({i, i + 2, depth, true});
      i += 2;
      continue;
    }
    i += rest[0] == '\\' && rest.size() > 1 ? 2u : 1u;
  }
  return found;
}

}  // namespace

double latex_width(std::string_view formula) {
  constexpr double kScript = 0.74;  // the size of indices and exponents, with what follows them
  double width = 0.0;
  for (std::size_t i = 0; i < formula.size();) {
    const char c = formula[i];
    if (c == '_' || c == '^') {
      const std::size_t from = i + 1;
      std::size_t end =
          from < formula.size() && formula[from] == '{' ? closing_brace(formula, from) + 1 : from + 1;
      end = std::min(end, formula.size());
      width += kScript * latex_width(formula.substr(from, end - from));
      i = end;
      continue;
    }
    if (c != '\\') {
      width += letter_width(c);
      ++i;
      continue;
    }
    if (i + 1 < formula.size() && !is_letter(formula[i + 1])) {
      width += formula[i + 1] == ',' ? 1.7 : formula[i + 1] == ';' ? 2.8 : 5.0;
      i += 2;
      continue;
    }
    std::size_t end = i + 1;
    while (end < formula.size() && is_letter(formula[end])) ++end;
    const std::string_view word = formula.substr(i + 1, end - i - 1);
    const auto group = [&](std::size_t at) {
      return at < formula.size() && formula[at] == '{' ? std::min(closing_brace(formula, at), formula.size())
                                                       : at;
    };
    if (word == "frac") {
      const std::size_t over = group(end), under = group(std::min(over + 1, formula.size()));
      width += 3.0 + std::max(latex_width(formula.substr(end, over - end)),
                              over < under ? latex_width(formula.substr(over + 1, under - over - 1)) : 0.0);
      i = std::min(under + 1, formula.size());
      continue;
    }
    if (word == "begin") {
      const std::size_t head = group(end) + 1, close = formula.find("\\end{", i);
      const std::size_t tail = close == std::string_view::npos ? formula.size() : close;
      width += 26.0 + (head < tail ? rows_width(formula.substr(head, tail - head)) : 0.0);
      i = close == std::string_view::npos ? formula.size()
                                          : std::min(closing_brace(formula, close + 4) + 1, formula.size());
      continue;
    }
    width += word == "sqrt" ? 9.0 : command_width(word);
    i = end;
  }
  return width;
}

std::vector<std::string> latex_lines(const std::string& formula, double first, double room) {
  if (latex_width(formula) <= first) return {formula};
  const Breaks breaks = breaks_of(formula);
  constexpr double kShortLine = 0.35;  // of the room: shorter ones are not worth a better place
  std::vector<Break> chosen;
  std::size_t from = 0;
  double here = first;
  while (latex_width(std::string_view(formula).substr(from)) > here) {
    // Of the places that fit, the one with the fewest parentheses around, and the last of those; no product where a sign is there.
    const Break* best = nullptr;
    const auto cost = [](const Break& b) { return 2 * b.depth + (b.product ? 3 : 0); };
    const Break* next = nullptr;
    for (const Break& place : breaks.places) {
      if (place.at <= from) continue;
      if (next == nullptr) next = &place;
      const double width = latex_width(std::string_view(formula).substr(from, place.at - from));
      if (width > here) break;
      if (width < kShortLine * here && best != nullptr && cost(place) >= cost(*best)) continue;
      if (best == nullptr || cost(place) <= cost(*best) ||
          latex_width(std::string_view(formula).substr(from, best->at - from)) < kShortLine * here)
        best = &place;
    }
    if (best == nullptr) best = next;  // wider than the line, but as narrow as can be
    if (best == nullptr) break;
    chosen.push_back(*best);
    from = best->next;
    here = room;
  }
  // Parentheses of flexible size cannot be broken.
  std::vector<std::pair<std::size_t, bool>> fixed;  // place, left
  for (const Pair& pair : breaks.pairs)
    if (std::any_of(chosen.begin(), chosen.end(),
                    [&](const Break& b) { return b.at > pair.left && b.at < pair.right; })) {
      fixed.emplace_back(pair.left, true);
      fixed.emplace_back(pair.right, false);
    }
  std::sort(fixed.begin(), fixed.end());
  const auto piece = [&](std::size_t begin, std::size_t end) {
    std::string text;
    std::size_t at = begin;
    for (const auto& [place, left] : fixed) {
      if (place < begin || place >= end) continue;
      text += formula.substr(at, place - at);
      text += left ? "\\bigl" : "\\bigr";
      at = place + (left ? 5 : 6);
    }
    return text + formula.substr(at, end - at);
  };
  std::vector<std::string> lines;
  std::size_t begin = 0;
  bool product = false;
  for (std::size_t k = 0; k <= chosen.size(); ++k) {
    const std::size_t end = k < chosen.size() ? chosen[k].at : formula.size();
    lines.push_back((product ? "\\times " : "") + piece(begin, end));
    if (k < chosen.size()) begin = chosen[k].next, product = chosen[k].product;
  }
  return lines;
}

std::string latex_align(const std::vector<LatexEquation>& equations) {
  if (equations.empty()) return "";
  double left = 0.0;
  for (const LatexEquation& equation : equations) left = std::max(left, latex_width(equation.left));
  constexpr double kEquals = 14.0, kIndent = 10.0, kLeast = 120.0;
  const double room = std::max(kLeast, kLatexLine - left - kEquals);
  std::string text = "\\begin{align*}\n";
  for (std::size_t k = 0; k < equations.size(); ++k) {
    const std::vector<std::string> lines = latex_lines(equations[k].right, room, room - kIndent);
    text += "  " + equations[k].left + " &= ";
    for (std::size_t n = 0; n < lines.size(); ++n) text += (n == 0 ? "" : " \\\\\n    &\\quad ") + lines[n];
    text += k + 1 < equations.size() ? " \\\\\n" : "\n";
  }
  return text + "\\end{align*}\n";
}

std::string latex_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
      case '{':
      case '}':
        result += '\\';
        result += c;
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '<':
      case '>':
      case '|':
        result += std::string("$") + c + "$";
        break;
      default:
        result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
  }
  return result;
}

}  // namespace tactus::algebra
