#include <tactus/describe/read/order_of_use.h>

#include <algorithm>

#include <fmt/format.h>

namespace tactus::describe {

void find_uses(const Reader& reader, std::vector<NamedFormula>& formulas, const algebra::Names& others) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < formulas.size(); ++i) index.emplace(formulas[i].name->text, i);
  algebra::Graph scratch;  // thrown away
  const algebra::Graph::Scope scope(scratch);
  for (NamedFormula& formula : formulas) {
    const algebra::Names names{[&](std::string_view name) -> std::optional<algebra::Quantity> {
                                 const auto found = index.find(std::string(name));
                                 if (found != index.end())
                                   formula.uses.push_back(found->second);
                                 else if (!others.find(name))
                                   return std::nullopt;
                                 return algebra::Quantity{Expr(1.0), algebra::Quantity::Known::no, {}};
                               },
                               [&] {
                                 std::vector<std::string> all = others.known();
                                 for (const NamedFormula& other : formulas) all.push_back(other.name->text);
                                 return all;
                               },
                               [](std::string_view, const algebra::Quantity& x) { return x; },
                               others.functions};
    reader.quantity(*formula.formula, names);
  }
}

// Iterative: files may chain thousands of them.
std::vector<std::size_t> in_order_of_use(const Reader& reader, const std::vector<NamedFormula>& formulas,
                                         std::string_view what, std::string_view remedy) {
  enum class Mark { fresh, open, done };
  std::vector<Mark> marks(formulas.size(), Mark::fresh);
  std::vector<std::size_t> order;
  for (std::size_t root = 0; root < formulas.size(); ++root) {
    if (marks[root] != Mark::fresh) continue;
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};  // formula, next of its uses
    marks[root] = Mark::open;
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (next == formulas[at].uses.size()) {
        marks[at] = Mark::done;
        order.push_back(at);
        path.pop_back();
        continue;
      }
      const std::size_t used = formulas[at].uses[next++];
      if (marks[used] == Mark::open) {
        std::string cycle;
        const auto start =
            std::find_if(path.begin(), path.end(), [&](const auto& step) { return step.first == used; });
        for (auto step = start; step != path.end(); ++step)
          cycle += formulas[step->first].name->text + " -> ";
        reader.fail(
            *formulas[used].name,
            fmt::format("{} define each other in a circle: {}{}", what, cycle, formulas[used].name->text),
            std::string(remedy));
      }
      if (marks[used] == Mark::fresh) {
        marks[used] = Mark::open;
        path.emplace_back(used, 0);
      }
    }
  }
  return order;
}

}  // namespace tactus::describe
