#include <tactus/derive/tree/formulas.h>

#include <algorithm>
#include <unordered_map>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/model/frame_word.h>

namespace tactus::derive {

std::vector<Expr> formulas_of_motion(const describe::Model& model, const Numbers& numbers,
                                     const Symbols& symbols, const SpeedMap& speeds, const Stations& stations,
                                     std::span<const Expr> formulas) {
  std::vector<Expr> written = numbers.formulas(formulas);
  std::vector<Expr> from = symbols.rates, to = speeds.rates;
  std::unordered_map<int, Station> known;
  const auto holds = [](const std::vector<Expr>& all, Expr symbol) {
    return std::find(all.begin(), all.end(), symbol) != all.end();
  };
  for (const Expr symbol : algebra::symbols_in(written)) {
    if (holds(symbols.q, symbol) || holds(symbols.u, symbol) || holds(symbols.rates, symbol)) continue;
    const auto word = describe::find_frame_word(model, algebra::Graph::current().symbol_name(symbol));
    if (!word) continue;
    auto found = known.find(word->frame);
    if (found == known.end()) {
      const describe::Frame& frame = model.frames[static_cast<std::size_t>(word->frame)];
      found = known.emplace(word->frame, stations.at(frame.body, numbers(frame.X_BF))).first;
    }
    const Station& s = found->second;
    from.push_back(symbol);
    to.push_back(describe::meaning_of(*word, s.R_WF, s.p_WF, s.w, s.v));
  }
  return algebra::substitute(written, algebra::Graph::current(), from, to);
}

}  // namespace tactus::derive
