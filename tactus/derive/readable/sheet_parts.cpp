#include <tactus/derive/readable/sheet_parts.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <tactus/algebra/print.h>

namespace tactus::derive {

WrittenEquation named(const std::string& letter, std::vector<int> indices) {
  WrittenEquation equation;
  std::string plain, sub;
  const bool wide = std::any_of(indices.begin(), indices.end(), [](int i) { return i > 9; });
  for (const int i : indices) {
    plain += (plain.empty() ? "" : ",") + std::to_string(i);
    sub += (sub.empty() || !wide ? "" : ",") + std::to_string(i);
  }
  equation.name = fmt::format("{}[{}]", letter, plain);
  equation.latex_name = fmt::format("{}_{{{}}}", letter, sub);
  equation.indices = std::move(indices);
  return equation;
}

std::vector<int> indices_of(std::string_view key, int row, int column) {
  constexpr std::array<std::string_view, 9> kVectors{"h", "g", "Phi", "c", "Adot_u", "d", "delta", "Qr", "f"};
  if (std::find(kVectors.begin(), kVectors.end(), key) != kVectors.end()) return {row + 1};
  return {row + 1, column + 1};
}

std::vector<std::string> names_of(const algebra::Graph& graph, const std::vector<Expr>& symbols) {
  std::vector<std::string> names;
  for (const Expr s : symbols) names.push_back(graph.symbol_name(s));
  return names;
}

const algebra::Block* block_named(const std::vector<algebra::Block>& blocks, std::string_view name) {
  for (const algebra::Block& block : blocks)
    if (block.name == name) return &block;
  return nullptr;
}

Sheet sheet_of(const describe::Model& model, const Function& function, std::string note) {
  const algebra::Block* q = block_named(function.inputs, "q");
  const algebra::Block* u = block_named(function.inputs, "u");
  return {model.name,
          q != nullptr ? names_of(*function.graph, q->entries) : model.coordinate_names(),
          u != nullptr ? names_of(*function.graph, u->entries) : model.speed_names(),
          {std::move(note), "elements not listed are zero"},
          {}};
}

const char* equation_of_motion(const describe::Model& model) {
  return model.speeds.definition == describe::Speeds::Definition::joint_rates
             ? "M(q) udot + h(q, u) = tau"
             : "M(q) udot + h(q, u) = W(q)^T tau, with joint rates qd = W(q) u + X(q)";
}

/// Blocks of one graph, in the form that shares temporaries.
void add_shared_form(Sheet& sheet, const algebra::Graph& graph, const std::vector<SheetPart>& parts,
                     std::size_t longest) {
  std::vector<Expr> roots;
  std::vector<SheetSection> sections;
  for (const SheetPart& part : parts) {
    SheetSection& section = sections.emplace_back(SheetSection{part.key, part.title, {}});
    const algebra::Block& block = *part.block;
    for (int i = 0; i < block.rows; ++i) {
      for (int j = part.upper_triangle ? i : 0; j < block.cols; ++j) {
        const Expr entry = block.entries[static_cast<std::size_t>(i * block.cols + j)];
        if (algebra::is_zero(entry)) continue;
        section.equations.push_back(named(part.key, indices_of(part.key, i, j)));
        roots.push_back(entry);
      }
    }
  }
  const algebra::PrintOptions options{.digits = 10, .longest = longest};
  const algebra::Formulas text = algebra::print(roots, graph, algebra::Notation::text, options);
  const algebra::Formulas latex = algebra::print(roots, graph, algebra::Notation::latex, options);
  if (!text.temporaries.empty()) {
    SheetSection& where = sheet.sections.emplace_back(SheetSection{"where", "shared terms", {}});
    for (std::size_t n = 0; n < text.temporaries.size(); ++n) {
      where.equations.push_back({text.temporaries[n].name,
                                 latex.temporaries[n].name,
                                 text.temporaries[n].formula,
                                 latex.temporaries[n].formula,
                                 {}});
    }
  }
  std::size_t next = 0;
  for (SheetSection& section : sections) {
    for (WrittenEquation& equation : section.equations) {
      equation.text = text.roots[next];
      equation.latex = latex.roots[next++];
    }
    sheet.sections.push_back(std::move(section));
  }
}

}  // namespace tactus::derive
