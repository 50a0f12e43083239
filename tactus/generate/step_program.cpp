#include <tactus/generate/step_program.h>

#include <algorithm>

#include <fmt/format.h>

#include <tactus/base/check.h>

namespace tactus::generate {

namespace {

const algebra::Block& block_named(const std::vector<algebra::Block>& blocks, std::string_view name) {
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const algebra::Block& b) { return b.name == name; });
  TACTUS_CHECK(found != blocks.end());
  return *found;
}

std::string list_of(const std::vector<std::size_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

/// Text with {names} put in. Braces of the language stand as they are: only known names are replaced.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "@" + name + "@";
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  }
  return text;
}

constexpr std::string_view kAbout =
    R"(One step of the motion from t to t_next, by Runge-Kutta of order 4 with the constraints held: q and u are
moved on. tau (and wrench) are held over the step. Returns 0; 1 where rows of the constraints come close to
depending on each other (a singular position); 2 where a constraint cannot be held, or a value is not finite
or faster than any motion. q and u are then as they were.)";

constexpr std::string_view kBegin =
    R"(  const double h = t_next - t;
  double k[@nz@], sum[@nz@], z[@nz@], q_new[@nq@], u_new[@nv@], udot[@nv@], qdot[@nq@];
)";

constexpr std::string_view kConstrainedBegin =
    R"(  static const int held[] = {@held@};
  static const double size[] = {@sizes@};
  double lambda[@nh@], distances[@nh@], pivots[@nh@], phi[@m@], velocity[@m@], error[@nh@], du[@nv@];
)";

/// What is not finite is seen by its bits: with -ffinite-math-only GCC's C++ turns comparisons round before it looks at a
/// function's own options.
constexpr std::string_view kStages =
    R"(  for (int i = 0; i < @nq@; ++i) q_new[i] = q[i] + 0.0;
  for (int i = 0; i < @nv@; ++i) u_new[i] = u[i];
  for (int stage = 0; stage < 4; ++stage) {
    const double t_stage = stage == 0 ? t : stage == 3 ? t + h : t + 0.5 * h;
    const double weight = stage == 0 ? 1.0 : 2.0, reach = stage == 2 ? h : 0.5 * h;
    @own@step_dynamics(@dynamics_call@);
@healthy@    for (int i = 0; i < @nq@; ++i) k[i] = qdot[i];
    for (int i = 0; i < @nv@; ++i) k[@nq@ + i] = udot[i];
    if (stage == 3) break;
    for (int i = 0; i < @nz@; ++i) {
      sum[i] = (stage == 0 ? 0.0 : sum[i]) + weight * k[i];
      z[i] = (i < @nq@ ? 0.0 : u[i - @nq@]) + reach * k[i];
    }
    for (int i = 0; i < @nq@; ++i) q_new[i] = q[i] + z[i];
    for (int i = 0; i < @nv@; ++i) u_new[i] = z[@nq@ + i];
  }
  for (int i = 0; i < @nz@; ++i) z[i] = (i < @nq@ ? 0.0 : u[i - @nq@]) + h / 6.0 * (sum[i] + k[i]);
  for (int i = 0; i < @nz@; ++i) {
    @std@uint64_t bits;
    @std@memcpy(&bits, &z[i], sizeof bits);
    if (((bits >> 52) & 2047u) == 2047u) return 2;
    if (i >= @nq@ && @std@fabs(z[i]) > @speed_limit@) return 2;
  }
  for (int i = 0; i < @nq@; ++i) q_new[i] = q[i] + z[i];
  for (int i = 0; i < @nv@; ++i) u_new[i] = z[@nq@ + i];
)";

constexpr std::string_view kHealthy =
    R"(    for (int i = 0; i < @nh@; ++i) {
      const double s = size[held[i]];
      if (!(distances[i] > @healthy_pivot@ * s * s && pivots[i] > @healthy_pivot@)) return 1;
    }
)";

/// Newton's method on the positions, a step halved where it does not help.
constexpr std::string_view kHoldPosition =
    R"(  {
    static const int active[] = {@active@};
    static const int positions[] = {@held_positions@};
    double rest[@nv@], before[@nq@], moving[@nq@], still[@nq@];
    double largest = 0.0, last = 0.0;
    for (int i = 0; i < @nv@; ++i) rest[i] = 0.0;
    for (int round = 0; round <= @newton_steps@; ++round) {
      @own@step_errors(@errors_at_rest_call@);
      largest = 0.0;
      for (int i = 0; i < @np@; ++i)
        if (!(@std@fabs(phi[positions[i]]) <= largest)) largest = @std@fabs(phi[positions[i]]);
      if (round == @newton_steps@ || !(largest > @held_limit@)) break;
      for (int i = 0; i < @np@; ++i) error[i] = phi[positions[i]];
      @own@step_position(@position_call@);
      for (int i = 0; i < @np@; ++i) {
        const double s = size[positions[i]];
        if (!(distances[i] > @healthy_pivot@ * s * s && pivots[i] > @healthy_pivot@)) return 1;
      }
      for (int i = 0; i < @nq@; ++i) before[i] = q_new[i];
      last = largest;
      double part = -1.0;
      for (int halving = 0; halving <= @halvings@; ++halving, part *= 0.5) {
        @own@step_rates(@rates_at_rest_call@);
        for (int i = 0; i < @nv@; ++i) u_new[i] = part * du[i];
        @own@step_rates(@rates_call@);
        for (int i = 0; i < @nq@; ++i) q_new[i] = q_new[i] + (moving[i] - still[i]);
        @own@step_errors(@errors_at_rest_call@);
        largest = 0.0;
        for (int i = 0; i < @np@; ++i)
          if (!(@std@fabs(phi[positions[i]]) <= largest)) largest = @std@fabs(phi[positions[i]]);
        if (largest < last) break;
        for (int i = 0; i < @nq@; ++i) q_new[i] = before[i];
      }
      if (!(largest < last)) {
        @own@step_errors(@errors_at_rest_call@);
        break;
      }
    }
    for (int i = 0; i < @nv@; ++i) u_new[i] = z[@nq@ + i];
@follow_position@    largest = 0.0;
    for (int i = 0; i < @na@; ++i)
      if (!(@std@fabs(phi[active[i]]) <= largest)) largest = @std@fabs(phi[active[i]]);
    if (!(largest <= @constraint_limit@)) return 2;
  }
)";

/// Rows set aside must follow from the others.
constexpr std::string_view kFollow =
    R"(    {
      static const int aside[] = {@aside@};
      double most = @follows@@fastest@;
      for (int i = 0; i < @count@; ++i) {
        const double e = @amplified@ * (@std@fabs(@errors@[@of@[i]]) / size[@of@[i]]);
        if (e > most) most = e;
      }
      for (int i = 0; i < @ns@; ++i)
        if (!(@std@fabs(@errors@[aside[i]]) / size[aside[i]] <= most)) return 1;
    }
)";

constexpr std::string_view kHoldVelocity =
    R"(  {
    double fastest = 1.0, largest = 0.0;
    for (int i = 0; i < @nv@; ++i)
      if (@std@fabs(u_new[i]) > fastest) fastest = @std@fabs(u_new[i]);
    for (int round = 0; round <= @velocity_steps@; ++round) {
      @own@step_errors(@errors_call@);
      largest = 0.0;
      for (int i = 0; i < @nh@; ++i)
        if (!(@std@fabs(velocity[held[i]]) <= largest)) largest = @std@fabs(velocity[held[i]]);
      if (round == @velocity_steps@ || !(largest > @held_limit@ * fastest)) break;
      for (int i = 0; i < @nh@; ++i) error[i] = velocity[held[i]];
      @own@step_velocity(@velocity_call@);
@healthy_step@      for (int i = 0; i < @nv@; ++i) u_new[i] -= du[i];
    }
@follow_velocity@  }
)";

constexpr std::string_view kEnd =
    R"(  for (int i = 0; i < @nq@; ++i) q[i] = q_new[i];
  for (int i = 0; i < @nv@; ++i) u[i] = u_new[i];
  return 0;
}
)";

/// The arguments of a call: each block by its name, as the program calls it.
std::string call_of(const algebra::Function& function,
                    const std::vector<std::pair<std::string_view, std::string_view>>& names) {
  std::vector<std::string> arguments;
  const auto add = [&](const algebra::Block& block) {
    for (const auto& [name, variable] : names) {
      if (name != block.name) continue;
      arguments.emplace_back(variable);
      return;
    }
    arguments.push_back(block.name);
  };
  for (const algebra::Block& block : function.inputs) add(block);
  for (const algebra::Block& block : function.outputs) add(block);
  return fmt::format("{}", fmt::join(arguments, ", "));
}

}  // namespace

std::vector<algebra::Function> StepProgram::functions() const {
  std::vector<algebra::Function> all;
  const auto add = [&](algebra::Function function, std::string name, std::string meaning) {
    function.name = std::move(name);
    function.meaning = std::move(meaning);
    all.push_back(std::move(function));
  };
  add(dynamics, "step_dynamics",
      "Of `step`: rates of the speeds and coordinates, and how far the rows are from each other.");
  if (errors) add(*errors, "step_errors", "Of `step`: errors of all rows of the constraints.");
  if (position_step) {
    add(rates, "step_rates", "Of `step`: rates of the coordinates.");
    add(*position_step, "step_position",
        "Of `step`: the smallest motion that takes errors of position away.");
  }
  if (velocity_step)
    add(*velocity_step, "step_velocity",
        "Of `step`: the smallest change of the speeds that takes their errors away.");
  return all;
}

std::string step_text(const StepProgram& program, const StepWords& words) {
  const std::size_t nq = block_named(program.dynamics.inputs, "q").size(),
                    nv = block_named(program.dynamics.inputs, "u").size();
  const auto number = [](double x) { return fmt::format("{}", x); };
  const auto size = [](std::size_t n) { return std::to_string(std::max<std::size_t>(n, 1)); };
  std::vector<std::string> sizes;
  for (const double s : program.sizes) {
    std::string text = number(s);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    sizes.push_back(std::move(text));
  }
  const StepLimits& limits = program.limits;
  std::vector<std::pair<std::string, std::string>> values{
      {"own", words.own},
      {"std", words.std},
      {"nq", std::to_string(nq)},
      {"nv", std::to_string(nv)},
      {"nz", std::to_string(nq + nv)},
      {"m", size(program.rows)},
      {"nh", size(program.held.size())},
      {"np", std::to_string(program.held_positions.size())},
      {"na", std::to_string(program.active.size())},
      {"ns", std::to_string(program.aside.size())},
      {"active", list_of(program.active)},
      {"held", list_of(program.held)},
      {"held_positions", list_of(program.held_positions)},
      {"aside", list_of(program.aside)},
      {"sizes", fmt::format("{}", fmt::join(sizes, ", "))},
      {"healthy_pivot", number(limits.healthy_pivot)},
      {"held_limit", number(limits.held)},
      {"follows", number(limits.follows)},
      {"amplified", number(limits.amplified)},
      {"constraint_limit", number(limits.constraint_limit)},
      {"speed_limit", number(limits.speed_limit)},
      {"newton_steps", std::to_string(limits.newton_steps)},
      {"halvings", std::to_string(limits.halvings)},
      {"velocity_steps", std::to_string(limits.velocity_steps)},
      {"dynamics_call", call_of(program.dynamics, {{"t", "&t_stage"}, {"q", "q_new"}, {"u", "u_new"}})}};
  if (program.errors) {
    values.emplace_back(
        "errors_call",
        call_of(*program.errors, {{"t", "&t_next"}, {"q", "q_new"}, {"u", "u_new"}, {"Phi", "phi"}}));
    values.emplace_back(
        "errors_at_rest_call",
        call_of(*program.errors, {{"t", "&t_next"}, {"q", "q_new"}, {"u", "rest"}, {"Phi", "phi"}}));
    values.emplace_back(
        "rates_call",
        call_of(program.rates, {{"t", "&t_next"}, {"q", "q_new"}, {"u", "u_new"}, {"qdot", "moving"}}));
    values.emplace_back(
        "rates_at_rest_call",
        call_of(program.rates, {{"t", "&t_next"}, {"q", "q_new"}, {"u", "rest"}, {"qdot", "still"}}));
  }
  for (const auto& [name, step] : {std::pair{"position_call", &program.position_step},
                                   std::pair{"velocity_call", &program.velocity_step}})
    if (*step) values.emplace_back(name, call_of(**step, {{"t", "&t_next"}, {"q", "q_new"}}));

  const bool constrained = program.velocity_step.has_value();
  std::vector<std::string> parameters{"double t", "double t_next", "double* q", "double* u"};
  for (const algebra::Block& block : program.dynamics.inputs)
    if (block.name != "t" && block.name != "q" && block.name != "u")
      parameters.push_back("const double* " + block.name);
  std::string text = words.doc_open;
  for (std::size_t from = 0; from < kAbout.size();) {
    const std::size_t end = std::min(kAbout.find('\n', from), kAbout.size());
    text += words.doc_line + std::string(kAbout.substr(from, end - from)) + "\n";
    from = end + 1;
  }
  text += words.doc_close;
  text += fmt::format("{}step({}) {{\n", words.begin, fmt::join(parameters, ", "));

  const auto follow = [&](std::string_view errors, std::string_view of, std::size_t count,
                          std::string_view fastest) {
    if (program.aside.empty()) return std::string();
    auto with = values;
    with.insert(with.begin(), {{"errors", std::string(errors)},
                               {"of", std::string(of)},
                               {"count", std::to_string(count)},
                               {"fastest", std::string(fastest)}});
    return filled(std::string(kFollow), with);
  };
  std::string body(kBegin);
  if (constrained) body += kConstrainedBegin;
  body += kStages;
  if (program.position_step) body += kHoldPosition;
  if (constrained) body += kHoldVelocity;
  body += kEnd;
  // The pieces that hold names themselves come first.
  values.insert(values.begin(),
                {{"healthy_step", std::string(kHealthy)},
                 {"healthy", constrained ? std::string(kHealthy) : std::string()},
                 {"follow_position", follow("phi", "positions", program.held_positions.size(), "")},
                 {"follow_velocity", follow("velocity", "held", program.held.size(), " * fastest")}});
  return text + filled(std::move(body), values) + "\n";
}

}  // namespace tactus::generate
