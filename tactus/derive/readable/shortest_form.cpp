#include <tactus/derive/readable/shortest_form.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/derive/readable/fraction.h>

namespace tactus::derive {

namespace {

using algebra::Block;

/// [characters] Formulas up to this length are read as they are; longer ones share temporaries.
constexpr std::size_t kReadable = 600;
constexpr algebra::TrigLimits kShortSearch{.terms = 500, .products = 50'000};
/// Beyond this many operations formulas stay as they are derived: they will share temporaries anyway.
constexpr std::size_t kMostPlainNodes = 1500;
/// Coefficients of size one leave less when they cancel.
constexpr double kVanishes = 1e-12;
constexpr std::size_t kFewTerms = 60;
constexpr std::size_t kUnbroken = 70;  // [characters] of text: a line of LaTeX has room for as much

/// Characters, and more for a form whose lines cannot be broken.
std::size_t length_of(const std::string& text) {
  std::size_t longest = 0, from = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    const bool end = i + 1 == text.size() ||
                     (depth == 0 && (text.compare(i, 3, " + ") == 0 || text.compare(i, 3, " - ") == 0));
    if (!end) continue;
    longest = std::max(longest, i - from);
    from = i;
  }
  return text.size() + (longest > kUnbroken ? kReadable : 0);
}

void take(std::string text, std::string latex, WrittenEquation& equation) {
  if (length_of(text) >= length_of(equation.text)) return;
  equation.text = std::move(text);
  equation.latex = std::move(latex);
}

}  // namespace

ShortestForm::ShortestForm(const algebra::Graph& graph, int digits)
    : graph_(graph), digits_(digits), convert_(variables_, kShortSearch) {}

bool ShortestForm::write(Expr formula, WrittenEquation& equation) {
  const algebra::PrintOptions options{.digits = digits_};
  equation.text = algebra::to_text(formula, graph_, options);
  equation.latex = algebra::to_latex(formula, graph_, options);
  if (const auto p = convert_(formula); p && p->terms().size() < kFewTerms) {
    take(algebra::to_text(*p, variables_, graph_, digits_),
         algebra::to_latex(*p, variables_, graph_, digits_), equation);
    for (const auto style : {algebra::TrigStyle::multiple_angles, algebra::TrigStyle::cosine_powers,
                             algebra::TrigStyle::sine_powers}) {
      const Expr form = algebra::to_expr(*p, variables_, style);
      take(algebra::to_text(form, graph_, options), algebra::to_latex(form, graph_, options), equation);
    }
  }
  return length_of(equation.text) <= kReadable && equation.text.find("where") == std::string::npos;
}

bool add_readable(SheetSection& section, const Block& block, ShortestForm& form, bool upper_triangle) {
  for (int i = 0; i < block.rows; ++i) {
    for (int j = upper_triangle ? i : 0; j < block.cols; ++j) {
      const Expr entry = block.entries[static_cast<std::size_t>(i * block.cols + j)];
      if (algebra::is_zero(entry)) continue;
      WrittenEquation equation = named(section.key, indices_of(section.key, i, j));
      if (!form.write(entry, equation)) return false;
      section.equations.push_back(std::move(equation));
    }
  }
  return true;
}

std::vector<double> values_at_start(const describe::Model& model, const Function& function,
                                    const std::vector<Expr>& roots, double away) {
  std::map<std::string, double> values{{"t", 0.0}};
  for (const Block& block : function.inputs)
    for (std::size_t i = 0; i < block.entries.size(); ++i) {
      double value = 0.0;
      if (block.name == "q") value = model.initial_q[i] + away * static_cast<double>(i + 1);
      if (block.name == "parameters")
        value = parameter_value(model, function.graph->symbol_name(block.entries[i]));
      values[function.graph->symbol_name(block.entries[i])] = value;
    }
  return algebra::evaluate(roots, [&](Expr symbol) {
    const auto found = values.find(function.graph->symbol_name(symbol));
    return found == values.end() ? 0.0 : found->second;
  });
}

void make_plain(const describe::Model& model, const Function& function, std::vector<Block*> blocks,
                std::vector<std::string>& notes) {
  std::vector<Expr> all;
  for (const Block* block : blocks) all.insert(all.end(), block->entries.begin(), block->entries.end());
  const std::vector<const algebra::Node*> nodes = algebra::needed_nodes(all);
  if (nodes.size() > kMostPlainNodes) return;
  const algebra::Graph& graph = *function.graph;
  std::vector<Expr> roots, taken;
  for (const algebra::Node* node : nodes) {
    if (node->op != algebra::Op::sqrt) continue;
    const Expr square(node->a);
    for (const Expr angle : algebra::symbols_in(std::span(&square, 1))) {
      for (const Expr root : {cos(angle), sin(angle)}) {
        algebra::TrigVariables variables;
        const auto rest = algebra::to_trig_polynomial(square - root * root, variables);
        if (!rest || rest->norm() > kVanishes) continue;
        const bool minus = values_at_start(model, function, {root}, 0.0)[0] < 0.0;
        roots.emplace_back(node);
        taken.push_back(minus ? -root : root);
        notes.push_back(fmt::format("where {} {} 0", algebra::to_text(root, graph), minus ? "<" : ">"));
        break;
      }
    }
  }
  for (Block* block : blocks) {
    block->entries = algebra::substitute(block->entries, graph, roots, taken);
    for (Expr& entry : block->entries) {
      entry = reduced(entry);
      algebra::TrigVariables variables;
      algebra::TrigConverter convert(variables, kShortSearch);
      if (const auto p = convert(entry); p && p->norm() < kVanishes) entry = Expr(0.0);
    }
  }
}

}  // namespace tactus::derive
