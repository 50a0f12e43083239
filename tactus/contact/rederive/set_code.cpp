#include <tactus/contact/rederive/set_code.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <tactus/algebra/calculus.h>

namespace tactus::contact {

using algebra::Block;
using algebra::Expr;
using algebra::Function;
using algebra::Graph;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Block column(std::string name, std::string meaning, std::vector<Expr> entries) {
  const int size = static_cast<int>(entries.size());
  return {std::move(name), std::move(meaning), size, 1, std::move(entries)};
}

/// The numbers of a touch: constants where the key knows them, otherwise symbols.
TouchNumbers<Expr> numbers_of(const SetKey& key, std::size_t touch, const Expr* symbols) {
  std::array<Expr, kTouchNumbers> x;
  for (std::size_t k = 0; k < kTouchNumbers; ++k) {
    const double known = known_number(key, touch, k);
    x[k] = std::isnan(known) ? symbols[k] : Expr(known);
  }
  return {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, x[6]},
          {{x[7], x[8], x[9]}, {x[10], x[11], x[12]}, x[13]},
          {x[14], x[15], x[16]},
          {x[17], x[18]},
          x[19],
          x[20],
          x[21],
          x[22]};
}

std::vector<Expr> first(const std::vector<Expr>& x, std::size_t count) {
  return {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

Formulator::Formulator(const TermsKernel& layout, const Function& terms)
    : layout_(layout), graph_(std::make_shared<Graph>(algebra::Folding::exact)) {
  const Graph::Scope scope(*graph_);
  graph_->set_cells(terms.graph->cells());
  for (const Block& block : terms.inputs) {
    Block copy = block;
    copy.entries = algebra::transplant(block.entries, *terms.graph);
    inputs_.push_back(std::move(copy));
  }
  terms_ = algebra::transplant(terms.roots(), *terms.graph);
  for (std::size_t k = 0; k < SetKey::kMostTouches * kTouchNumbers; ++k)
    number_symbols_.push_back(algebra::symbol("touch " + std::to_string(k)));
  base_ = graph_->size();
}

std::optional<SetCode> Formulator::formulate(const SetKey& key) {
  const auto start = Clock::now();
  const SetForm set = form_of(key);
  SetCode code;
  code.rows = row_count(set);
  if (static_cast<std::size_t>(layout_.nv) > kMostSpeeds || code.rows > kMostRows) return std::nullopt;
  const Graph::Scope scope(*graph_);
  graph_->rewind(base_);
  with_touches_ = inputs_;
  with_touches_.push_back(
      column("touches", "numbers of the touches", first(number_symbols_, key.touches * kTouchNumbers)));
  std::vector<TouchNumbers<Expr>> numbers;
  for (std::size_t i = 0; i < key.touches; ++i)
    numbers.push_back(numbers_of(key, i, number_symbols_.data() + i * kTouchNumbers));
  const Function move = accelerations(set, numbers);
  const Function position = errors(set, Level::position, numbers);
  const Function velocity = errors(set, Level::velocity, numbers);
  code.position_rows = position.outputs.front().size();
  code.derive_seconds = seconds_since(start);

  const auto compile_start = Clock::now();
  const auto compiled = [](const Function& function) {
    return generate::compile(function, generate::Backend::automatic, generate::Rounding::separate);
  };
  code.accelerations = compiled(move);
  code.position = compiled(position);
  code.velocity = compiled(velocity);
  for (const generate::Kernel* kernel : {&code.accelerations, &code.position, &code.velocity}) {
    if (kernel->work_size() > kMostWork) return std::nullopt;
    code.bytes += kernel->code_size();
  }
  code.compile_seconds = seconds_since(compile_start);
  code.operations = static_cast<std::size_t>(algebra::count_operations(move.roots()).total());
  return code;
}

Function Formulator::accelerations(const SetForm& set, std::vector<TouchNumbers<Expr>> numbers) {
  const TermsView<Expr> terms(layout_, terms_.data());
  ActiveSystem<Expr> system(layout_.parents, row_count(set));
  std::vector<GapMotion<Expr>> motions;
  for (std::size_t i = 0; i < set.touches.size(); ++i)
    motions.push_back(motion_of(terms, set.touches[i], numbers[i]));
  std::vector<Expr> rows(3 * system.n);
  std::vector<std::array<Expr, 3>> forces(set.touches.size());
  gather_accelerations(
      set, terms, numbers, [&](std::size_t i) -> const GapMotion<Expr>& { return motions[i]; }, rows.data(),
      system, forces.data());
  system.solve();
  std::vector<Expr> slips;
  for (const TouchNumbers<Expr>& touch : numbers) slips.insert(slips.end(), {touch.slip[0], touch.slip[1]});
  return {"accelerations",
          "Accelerations of one set of constraints and contacts.",
          graph_,
          with_touches_,
          {column("udot", "rates of the speeds", system.udot),
           column("qdot", "rates of the coordinates",
                  {terms.qdot(), terms.qdot() + static_cast<std::ptrdiff_t>(layout_.nq)}),
           column("health", "independence of each row of those before it", first(system.health, system.m)),
           column("slip", "directions of slip", std::move(slips))}};
}

Function Formulator::errors(const SetForm& set, Level level, const std::vector<TouchNumbers<Expr>>& numbers) {
  const TermsView<Expr> terms(layout_, terms_.data());
  ActiveSystem<Expr> system(layout_.parents, row_count(set));
  std::vector<GapMotion<Expr>> motions;
  for (std::size_t i = 0; i < set.touches.size(); ++i)
    motions.push_back(motion_of(terms, set.touches[i], numbers[i]));
  std::vector<Expr> rows(3 * system.n), error(row_count(set));
  gather_errors(
      set, level, terms, [&](std::size_t i) -> const GapMotion<Expr>& { return motions[i]; }, rows.data(),
      system, error.data());
  ask_for_smallest_step(error.data(), system);
  system.solve();
  return {level == Level::position ? "position" : "velocity",
          "Errors of one set of constraints and contacts, and the smallest step that takes them out.",
          graph_,
          with_touches_,
          {column("error", "what must vanish", first(error, system.m)),
           column("du", "change of the speeds", system.udot),
           column("health", "independence of each row of those before it", first(system.health, system.m))}};
}

}  // namespace tactus::contact
