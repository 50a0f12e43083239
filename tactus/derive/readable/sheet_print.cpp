#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include <tactus/algebra/latex_lines.h>
#include <tactus/derive/readable/sheet.h>

namespace tactus::derive {
namespace {

/// Lines are broken before a sign once they are longer than this.
constexpr std::size_t kLineWidth = 110;
/// The places where a formula may be broken: before " + " and " - " outside of parentheses.
std::vector<std::string> broken(const std::string& formula, std::size_t width) {
  std::vector<std::string> lines(1);
  int depth = 0;
  std::size_t start = 0;
  const auto flush = [&](std::size_t end) {
    std::string piece = formula.substr(start, end - start);
    if (!lines.back().empty() && lines.back().size() + piece.size() > width) {
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

/// The letter of a section: that of its first equation, without the indices.
std::string symbol_of(const SheetSection& section) {
  if (section.key == "where") return section.equations.front().latex_name + ",\\,\\ldots";
  const std::string& first = section.equations.front().latex_name;
  return first.substr(0, first.find("_{"));
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

/// The cells of a table, one per row and column; empty where the element is zero.
std::vector<std::vector<std::string>> cells_of(const SheetSection& section,
                                               std::string WrittenEquation::*notation) {
  std::vector<std::vector<std::string>> cells(section.rows.size(),
                                              std::vector<std::string>(section.columns.size(), "0"));
  for (const WrittenEquation& equation : section.equations)
    cells[static_cast<std::size_t>(equation.indices[0] - 1)]
         [static_cast<std::size_t>(equation.indices[1] - 1)] = equation.*notation;
  return cells;
}

/// Columns side by side, as many as fit the line; empty where one alone does not.
std::string text_table(const SheetSection& section) {
  constexpr std::size_t kGap = 3;
  if (section.columns.empty()) return {};
  const auto cells = cells_of(section, &WrittenEquation::text);
  std::size_t label = 1;
  for (const SheetSection::Label& row : section.rows) label = std::max(label, row.text.size());
  std::string out;
  for (std::size_t first = 0; first < section.columns.size();) {
    std::string head(2 + label, ' ');
    std::vector<std::size_t> width;
    std::size_t line = 2 + label, last = first;
    for (; last < section.columns.size(); ++last) {
      std::size_t widest = section.columns[last].text.size();
      for (const auto& row : cells) widest = std::max(widest, row[last].size());
      if (line + kGap + widest > kLineWidth) break;
      width.push_back(widest);
      line += kGap + widest;
    }
    if (last == first) return {};
    const auto put = [&](std::string& row, const std::string& cell, std::size_t column) {
      row += std::string(kGap, ' ') + cell;
      if (column + 1 < last) row += std::string(width[column - first] - cell.size(), ' ');
    };
    for (std::size_t k = first; k < last; ++k) put(head, section.columns[k].text, k);
    out += (first == 0 ? "" : "\n") + head + "\n";
    for (std::size_t r = 0; r < section.rows.size(); ++r) {
      std::string row = "  " + section.rows[r].text + std::string(label - section.rows[r].text.size(), ' ');
      for (std::size_t k = first; k < last; ++k) put(row, cells[r][k], k);
      out += row + "\n";
    }
    first = last;
  }
  return out;
}

/// The same in LaTeX.
std::string latex_table(const SheetSection& section) {
  if (section.columns.empty()) return {};
  const auto cells = cells_of(section, &WrittenEquation::latex);
  std::string out;
  for (std::size_t first = 0; first < section.columns.size();) {
    constexpr double kBetween = 10.0;  // [pt] two columns
    double line = 0.0;
    for (const SheetSection::Label& row : section.rows)
      line = std::max(line, kBetween + algebra::latex_width(row.latex));
    std::size_t last = first;
    for (; last < section.columns.size(); ++last) {
      double widest = algebra::latex_width(section.columns[last].latex);
      for (const auto& row : cells) widest = std::max(widest, algebra::latex_width(row[last]));
      if (line + kBetween + widest > algebra::kLatexLine) break;
      line += kBetween + widest;
    }
    if (last == first) return {};
    out += "\\[\n  \\begin{array}{c|" + std::string(last - first, 'c') + "}\n    r";
    for (std::size_t k = first; k < last; ++k) out += " & " + section.columns[k].latex;
    out += " \\\\ \\hline\n";
    for (std::size_t r = 0; r < section.rows.size(); ++r) {
      out += "    " + section.rows[r].latex;
      for (std::size_t k = first; k < last; ++k)
        out += " & " + (cells[r][k] == "0" ? std::string("\\mathbf{0}") : cells[r][k]);
      out += r + 1 < section.rows.size() ? " \\\\\n" : "\n";
    }
    out += "  \\end{array}\n\\]\n";
    first = last;
  }
  return out;
}

}  // namespace

std::string Sheet::text() const {
  std::string out;
  for (const std::string& line : heading(*this)) out += line + "\n";
  for (const SheetSection& section : sections) {
    out += "\n" + section.key + ": " + section.title + "\n";
    if (const std::string table = text_table(section); !table.empty()) {
      out += table;
      continue;
    }
    for (const WrittenEquation& equation : section.equations) {
      const std::string left = "  " + equation.name + " = ";
      const std::vector<std::string> lines = broken(equation.text, kLineWidth - left.size());
      for (std::size_t n = 0; n < lines.size(); ++n) {
        out += (n == 0 ? left : std::string(left.size(), ' ')) + lines[n] + "\n";
      }
    }
  }
  return out;
}

std::string Sheet::latex(bool document) const {
  std::string out = "% Made by Tactus.\n";
  if (document)
    out += std::string(algebra::kLatexHead) + "\\allowdisplaybreaks\n\\begin{document}\n\\section*{" +
           algebra::latex_text(model) + "}\n";
  for (const std::string& line : notes)
    out += "{\\noindent\\raggedright\\ttfamily " + algebra::latex_text(line) + "\\par}\n";
  std::vector<SymbolGroup> all = symbols;
  SymbolGroup parts{"Parts of the equations", {}};
  for (const SheetSection& section : sections)
    if (!section.equations.empty()) parts.symbols.push_back({symbol_of(section), section.title});
  all.push_back(std::move(parts));
  out += latex_of(all);
  for (const SheetSection& section : sections) {
    if (section.equations.empty()) continue;  // nothing to align
    out += "\\par\\medskip\\noindent\\textbf{" + algebra::latex_text(section.title) + "}\\nopagebreak\n";
    if (const std::string table = latex_table(section); !table.empty()) {
      out += table;
      continue;
    }
    std::vector<algebra::LatexEquation> equations;
    for (const WrittenEquation& equation : section.equations)
      equations.push_back({equation.latex_name, equation.latex});
    out += algebra::latex_align(equations);
  }
  return document ? out + "\\end{document}\n" : out;
}

std::string Sheet::json() const {
  nlohmann::ordered_json document;
  document["model"] = model;
  document["coordinates"] = coordinates;
  document["speeds"] = speeds;
  document["notes"] = notes;
  for (const SymbolGroup& group : symbols) {
    nlohmann::ordered_json& list = document["symbols"][group.title] = nlohmann::ordered_json::array();
    for (const SheetSymbol& symbol : group.symbols)
      list.push_back({{"latex", symbol.latex}, {"meaning", symbol.meaning}});
  }
  for (const SheetSection& section : sections) {
    nlohmann::ordered_json& list = document[section.key] = nlohmann::ordered_json::array();
    for (const WrittenEquation& equation : section.equations) {
      nlohmann::ordered_json entry;
      entry["name"] = equation.name;
      if (!equation.indices.empty()) entry["indices"] = equation.indices;
      if (!section.rows.empty()) {
        entry["speed"] = section.rows[static_cast<std::size_t>(equation.indices[0] - 1)].text;
        entry["vector"] = section.columns[static_cast<std::size_t>(equation.indices[1] - 1)].text;
        entry["axes"] = equation.axes;
        entry["components"] = equation.components;
      }
      entry["text"] = equation.text;
      entry["latex"] = equation.latex;
      list.push_back(std::move(entry));
    }
  }
  return document.dump(2);
}

}  // namespace tactus::derive
