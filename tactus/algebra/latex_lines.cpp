#include <tactus/algebra/latex_lines.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

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

constexpr std::string_view kBegin = "\\begin{", kEnd = "\\end{";

/// The place of the \end{ that belongs to the \begin{ at `begin`; the end of the text where there is none.
std::size_t end_of_environment(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] != '\\') continue;
    const std::string_view rest = text.substr(i);
    if (rest.starts_with(kBegin)) ++depth;
    if (rest.starts_with(kEnd) && --depth == 0) return i;
    ++i;  // what follows a backslash is part of it, \\ and \{ with it
  }
  return text.size();
}

/// From `from` the place behind the group or environment that begins there; `from` where none does.
std::size_t behind_group(std::string_view formula, std::size_t from) {
  if (formula.substr(from).starts_with(kBegin)) {
    const std::size_t end = end_of_environment(formula, from);
    return end == formula.size()
               ? end
               : std::min(formula.size(), closing_brace(formula, end + kEnd.size() - 1) + 1);
  }
  if (formula[from] == '{') return std::min(formula.size(), closing_brace(formula, from) + 1);
  return from;
}

/// What stands between separators that are in no group and no environment within.
std::vector<std::string_view> split(std::string_view body, std::string_view separator) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  for (std::size_t i = 0; i < body.size();) {
    if (body.substr(i).starts_with(separator)) {
      parts.push_back(body.substr(from, i - from));
      i += separator.size();
      from = i;
      continue;
    }
    const std::size_t behind = behind_group(body, i);
    i = behind > i ? behind : i + (body[i] == '\\' ? 2u : 1u);
  }
  parts.push_back(body.substr(from));
  return parts;
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
       {"left", 0.8},  {"right", 0.8}, {"infty", 10.0}, {"mathrm", 0.0},  {"mathsf", 0.0},  {"text", 0.0},
       {"dot", 0.0},   {"ddot", 0.0}}};
  for (const auto& [known, width] : kWidths)
    if (known == word) return width;
  if (word == "operatorname") return 2.0;
  if (word == "bigl" || word == "bigr") return 0.8;
  if (word == "lfloor" || word == "rfloor") return 4.5;
  return 6.2;  // a Greek letter, or another sign
}

double width_at(std::string_view formula, int level);

/// The columns of an environment side by side, each as wide as its widest cell: rows and columns are separated by \\ and &.
double rows_width(std::string_view body, int level) {
  std::vector<double> columns;
  for (const std::string_view row : split(body, "\\\\")) {
    const std::vector<std::string_view> cells = split(row, "&");
    columns.resize(std::max(columns.size(), cells.size()), 0.0);
    for (std::size_t k = 0; k < cells.size(); ++k)
      columns[k] = std::max(columns[k], width_at(cells[k], level));
  }
  double width = 0.0;
  for (const double column : columns) width += column;
  return width;
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

/// At a level of indices: those of indices are as large as they are, however many stand below each other.
double width_at(std::string_view formula, int level) {
  constexpr double kScript[] = {
      0.74, 0.82, 1.0};  // of the size above: indices and exponents, and theirs, with what follows them
  double width = 0.0;
  for (std::size_t i = 0; i < formula.size();) {
    const char c = formula[i];
    if (c == '_' || c == '^') {
      const std::size_t from = i + 1;
      std::size_t end =
          from < formula.size() && formula[from] == '{' ? closing_brace(formula, from) + 1 : from + 1;
      end = std::min(end, formula.size());
      width += kScript[std::min(level, 2)] * width_at(formula.substr(from, end - from), level + 1);
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
      width +=
          3.0 + std::max(width_at(formula.substr(end, over - end), level),
                         over < under ? width_at(formula.substr(over + 1, under - over - 1), level) : 0.0);
      i = std::min(under + 1, formula.size());
      continue;
    }
    if (word == "begin") {
      const bool cases =
          formula.substr(end).starts_with("{cases}");  // with a brace, and space before conditions
      std::size_t head = group(end) + 1;
      const std::size_t tail = end_of_environment(formula, i);
      if (head < formula.size() && formula.substr(head).starts_with("[t]")) head += 3;
      width +=
          (cases ? 26.0 : 2.0) + (head < tail ? rows_width(formula.substr(head, tail - head), level) : 0.0);
      i = tail == formula.size() ? tail : std::min(closing_brace(formula, tail + 4) + 1, formula.size());
      continue;
    }
    width += word == "sqrt" ? 9.0 : command_width(word);
    i = end;
  }
  return width;
}

/// Whether it has a sign outside of all parentheses, so that as a factor it needs some around it.
bool is_sum(std::string_view formula) {
  if (formula.starts_with('-')) return true;
  const Breaks breaks = breaks_of(formula);
  return std::any_of(breaks.places.begin(), breaks.places.end(),
                     [](const Break& b) { return b.depth == 0 && !b.product; });
}
std::string factor(const std::string& formula) {
  return is_sum(formula) ? "\\left(" + formula + "\\right)" : formula;
}

/// The same with nothing in it that is wider than the room and cannot be broken: wide fractions become products, wide roots powers, and in wide
/// cases each value is set in lines of its own.
std::string narrowed(const std::string& formula, double room) {
  std::string text;
  for (std::size_t i = 0; i < formula.size();) {
    const std::string_view rest = std::string_view(formula).substr(i);
    const auto group = [&](std::size_t at) {  // what stands in the braces at a place
      const std::size_t close = at < formula.size() && formula[at] == '{' ? closing_brace(formula, at) : at;
      return close < formula.size() && close > at ? formula.substr(at + 1, close - at - 1) : std::string();
    };
    if (rest.starts_with("\\frac{")) {
      const std::string over = group(i + 5), under = group(i + 7 + over.size());
      const std::size_t behind = i + 9 + over.size() + under.size();
      if (behind <= formula.size() && latex_width(rest.substr(0, behind - i)) > room) {
        const bool tall = latex_width(under) > 0.5 * room;
        text += tall ? "" : "\\frac{1}{" + under + "}\\,";
        text += factor(narrowed(over, room));
        if (tall) text += "\\,\\left(" + narrowed(under, room) + "\\right)^{-1}";
        i = behind;
        continue;
      }
    }
    if (rest.starts_with("\\sqrt{")) {
      const std::string under = group(i + 5);
      const std::size_t behind = i + 7 + under.size();
      if (behind <= formula.size() && latex_width(under) > room) {
        text += "\\left(" + narrowed(under, room) + "\\right)^{1/2}";
        i = behind;
        continue;
      }
    }
    const std::size_t behind = behind_group(formula, i);
    if (rest.starts_with("\\begin{cases}") && latex_width(rest.substr(0, behind - i)) > room) {
      constexpr std::size_t kHead = 13;
      constexpr double kAround = 28.0, kLeast = 60.0;  // of the cases and of lines in them
      const std::size_t tail = end_of_environment(formula, i);
      double conditions = 0.0;
      const std::vector<std::string_view> rows = split(rest.substr(kHead, tail - i - kHead), "\\\\");
      for (const std::string_view row : rows)
        if (const auto cells = split(row, "&"); cells.size() > 1)
          conditions = std::max(conditions, latex_width(cells.back()));
      const double left = std::max(kLeast, room - kAround - conditions);
      text += "\\begin{cases}";
      for (std::size_t k = 0; k < rows.size(); ++k) {
        std::vector<std::string_view> cells = split(rows[k], "&");
        std::string value(cells.front());
        const std::size_t from = value.find_first_not_of(' '), to = value.find_last_not_of(' ');
        value = from == std::string::npos ? "" : value.substr(from, to - from + 1);
        const std::vector<std::string> lines = latex_lines(value, left, left);
        std::string set = lines.empty() ? "" : lines.front();
        for (std::size_t n = 1; n < lines.size(); ++n) set += " \\\\ &" + lines[n];
        text += k == 0 ? "" : " \\\\ ";
        text += lines.size() > 1 ? "\\begin{aligned}[t]&" + set + "\\end{aligned}" : set;
        for (std::size_t c = 1; c < cells.size(); ++c) text += " &" + std::string(cells[c]);
      }
      text += formula.substr(tail, behind - tail);
      i = behind;
      continue;
    }
    const std::size_t to = behind > i ? behind : std::min(formula.size(), i + (rest[0] == '\\' ? 2u : 1u));
    text += formula.substr(i, to - i);
    i = to;
  }
  return text;
}

}  // namespace

double latex_width(std::string_view formula) { return width_at(formula, 0); }

std::vector<std::string> latex_lines(const std::string& whole, double first, double room) {
  if (latex_width(whole) <= first) return {whole};
  constexpr double kSign = 13.0;  // that may stand before what is not broken
  const std::string formula = narrowed(whole, std::min(first, room) - kSign);
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

namespace {

/// A character of UTF-8 that begins at `at`, which moves behind it; what is none of UTF-8's is its byte.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(at++);
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  if (more == 0 || at + static_cast<std::size_t>(more) > text.size()) return first;
  char32_t character = first & (0x3fu >> more);
  for (int k = 0; k < more; ++k) character = character << 6 | (byte(at++) & 0x3fu);
  return character;
}

/// Signs that have a command of mathematics.
std::string_view command_of(char32_t character) {
  static constexpr std::pair<char32_t, std::string_view> kCommands[] = {
      {U'\u0393', "Gamma"},     {U'\u0394', "Delta"},   {U'\u0398', "Theta"},
      {U'\u039b', "Lambda"},    {U'\u039e', "Xi"},      {U'\u03a0', "Pi"},
      {U'\u03a3', "Sigma"},     {U'\u03a6', "Phi"},     {U'\u03a8', "Psi"},
      {U'\u03a9', "Omega"},     {U'\u03b1', "alpha"},   {U'\u03b2', "beta"},
      {U'\u03b3', "gamma"},     {U'\u03b4', "delta"},   {U'\u03b5', "varepsilon"},
      {U'\u03b6', "zeta"},      {U'\u03b7', "eta"},     {U'\u03b8', "theta"},
      {U'\u03b9', "iota"},      {U'\u03ba', "kappa"},   {U'\u03bb', "lambda"},
      {U'\u03bc', "mu"},        {U'\u03bd', "nu"},      {U'\u03be', "xi"},
      {U'\u03c0', "pi"},        {U'\u03c1', "rho"},     {U'\u03c3', "sigma"},
      {U'\u03c4', "tau"},       {U'\u03c5', "upsilon"}, {U'\u03c6', "varphi"},
      {U'\u03c7', "chi"},       {U'\u03c8', "psi"},     {U'\u03c9', "omega"},
      {U'\u2190', "leftarrow"}, {U'\u2192', "to"},      {U'\u2194', "leftrightarrow"},
      {U'\u2202', "partial"},   {U'\u2207', "nabla"},   {U'\u221a', "surd"},
      {U'\u221e', "infty"},     {U'\u2220', "angle"},   {U'\u2225', "parallel"},
      {U'\u2248', "approx"},    {U'\u2260', "neq"},     {U'\u2264', "leq"},
      {U'\u2265', "geq"},       {U'\u22a5', "perp"},    {U'\u22c5', "cdot"}};
  for (const auto& [known, command] : kCommands)
    if (known == character) return command;
  return "";
}

/// Whether pdflatex knows the character with its T1 fonts and nothing loaded: Latin letters and their signs.
bool is_latin(char32_t character) {
  if (character >= 0xa0 && character <= 0xff) return true;
  constexpr std::u32string_view kOthers =
      U"\u0102\u0103\u0104\u0105\u0106\u0107\u010c\u010d\u010e\u010f\u0110\u0111\u0118\u0119\u011a\u011b"
      U"\u011e\u011f"
      U"\u0130\u0131\u0139\u013a\u013d\u013e\u0141\u0142\u0143\u0144\u0147\u0148\u0150\u0151\u0152\u0153"
      U"\u0154\u0155\u0158\u0159"
      U"\u015a\u015b\u015e\u015f\u0160\u0161\u0162\u0163\u0164\u0165\u016e\u016f\u0170\u0171\u0178\u0179"
      U"\u017a\u017b\u017c\u017d\u017e"
      U"\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2020\u2021\u2022\u2026\u2030\u2039\u203a\u20ac"
      U"\u2122";
  return kOthers.find(character) != std::u32string_view::npos;
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t character = next_character(text, at);
    switch (character) {
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
      case '{':
      case '}':
        result += '\\';
        result += text[from];
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
        result += std::string("$") + text[from] + "$";
        break;
      case 0x2212:  // minus
        result += "$-$";
        break;
      default:
        if (character < 32 || character == 127)
          result += ' ';
        else if (character < 128 || (is_latin(character) && at > from + 1))
          result += text.substr(from, at - from);
        else if (const std::string_view command = command_of(character); !command.empty())
          result += fmt::format("$\\{}$", command);
        else  // of another script, or a picture: pdflatex would stop at it
          result += fmt::format("[U+{:04X}]", static_cast<std::uint32_t>(character));
    }
  }
  return result;
}

}  // namespace tactus::algebra
