#include <cctype>
#include <string_view>

#include <nlohmann/json.hpp>

#include <tactus/derive/readable/sheet.h>

namespace tactus::derive {
namespace {

/// Lines are broken before a sign once they are longer than this.
constexpr std::size_t kLineWidth = 110;
/// [glyphs] Of LaTeX: a line of 17 cm in 10 pt has room for some 95.
constexpr std::size_t kLatexWidth = 72;

/// About how many glyphs a formula has when it is set: words of commands count as what they print.
std::size_t glyphs(std::string_view latex) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    const char c = latex[i];
    if (c == '{' || c == '}' || c == '_' || c == '^' || c == ' ') continue;
    if (c != '\\') {
      ++count;
      continue;
    }
    std::size_t end = i + 1;
    while (end < latex.size() && std::isalpha(static_cast<unsigned char>(latex[end])) != 0) ++end;
    const std::string_view word = latex.substr(i + 1, end - i - 1);
    if (word == "sin" || word == "cos" || word == "tan") {
      count += 3;
    } else if (word != "mathrm" && word != "dot" && word != "ddot" && word != "left" && word != "right" &&
               !word.empty()) {
      ++count;  // a letter or a sign
    }
    i = word.empty() ? i + 1 : end - 1;
  }
  return count;
}

/// The places where a formula may be broken: before " + " and " - " outside of parentheses.
std::vector<std::string> broken(const std::string& formula, std::size_t width,
                                std::size_t (*length)(std::string_view)) {
  std::vector<std::string> lines(1);
  int depth = 0;
  std::size_t start = 0;
  const auto flush = [&](std::size_t end) {
    std::string piece = formula.substr(start, end - start);
    if (!lines.back().empty() && length(lines.back()) + length(piece) > width) {
      lines.emplace_back(piece.starts_with(' ') ? piece.substr(1) : piece);
    } else {
      lines.back() += piece;
    }
    start = end;
  };
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const char c = formula[i];
    if (c == '(' || c == '{') ++depth;
    if (c == ')' || c == '}') --depth;
    const bool sign = depth == 0 && c == ' ' && i + 2 < formula.size() &&
                      (formula[i + 1] == '+' || formula[i + 1] == '-') && formula[i + 2] == ' ';
    if (sign) flush(i);
  }
  flush(formula.size());
  return lines;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> heading(const Sheet& sheet) {
  std::vector<std::string> lines{
      sheet.model + ": q = (" + joined(sheet.coordinates) + ")",
      std::string(sheet.model.size(), ' ') + "  u = (" + joined(sheet.speeds) + ")"};
  lines.insert(lines.end(), sheet.notes.begin(), sheet.notes.end());
  return lines;
}

}  // namespace

std::string Sheet::text() const {
  std::string out;
  for (const std::string& line : heading(*this)) out += line + "\n";
  for (const SheetSection& section : sections) {
    out += "\n" + section.key + ": " + section.title + "\n";
    for (const WrittenEquation& equation : section.equations) {
      const std::string left = "  " + equation.name + " = ";
      const std::vector<std::string> lines =
          broken(equation.text, kLineWidth - left.size(), [](std::string_view text) { return text.size(); });
      for (std::size_t n = 0; n < lines.size(); ++n) {
        out += (n == 0 ? left : std::string(left.size(), ' ')) + lines[n] + "\n";
      }
    }
  }
  return out;
}

std::string Sheet::latex() const {
  std::string out;
  for (const std::string& line : heading(*this)) out += "% " + line + "\n";
  for (const SheetSection& section : sections) {
    if (section.equations.empty()) continue;  // nothing to align
    out += "\n% " + section.key + ": " + section.title + "\n\\begin{align*}\n";
    for (std::size_t k = 0; k < section.equations.size(); ++k) {
      const WrittenEquation& equation = section.equations[k];
      const std::vector<std::string> lines = broken(equation.latex, kLatexWidth, glyphs);
      out += "  " + equation.latex_name + " &= ";
      for (std::size_t n = 0; n < lines.size(); ++n) out += (n == 0 ? "" : " \\\\\n    &\\quad ") + lines[n];
      out += k + 1 < section.equations.size() ? " \\\\\n" : "\n";
    }
    out += "\\end{align*}\n";
  }
  return out;
}

std::string Sheet::json() const {
  nlohmann::ordered_json document;
  document["model"] = model;
  document["coordinates"] = coordinates;
  document["speeds"] = speeds;
  document["notes"] = notes;
  for (const SheetSection& section : sections) {
    nlohmann::ordered_json& list = document[section.key] = nlohmann::ordered_json::array();
    for (const WrittenEquation& equation : section.equations) {
      nlohmann::ordered_json entry;
      entry["name"] = equation.name;
      if (!equation.indices.empty()) entry["indices"] = equation.indices;
      entry["text"] = equation.text;
      entry["latex"] = equation.latex;
      list.push_back(std::move(entry));
    }
  }
  return document.dump(2);
}

}  // namespace tactus::derive
