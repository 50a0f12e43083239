#include <tactus/generate/schedule.h>

#include <algorithm>
#include <array>
#include <functional>

namespace tactus::generate {

namespace {

// How far an instruction may move ahead of the recursion's order: what the registers can bear.
constexpr std::uint32_t kWindowOf16 = 10, kWindowOf32 = 128;
// Long programs do not fit into the instruction cache and run as fast as their bytes arrive: there, a value that gives way costs more
// than a chain that waits. Measured on chains and arms (docs/benchmarks.md).
constexpr std::uint32_t kWindowOfLong = 24;
constexpr std::size_t kLong = 3000;  // operations
// Instructions that a processor issues per cycle.
constexpr int kIssue = 3;
// Longer than any result takes; a group of sines takes longest.
constexpr std::uint32_t kCalendar = 64;
constexpr std::uint32_t kNone = 0xffffffffu;

/// How many sines stand one behind the other below each operation, itself included.
std::vector<std::uint32_t> sine_levels(const Unordered& program) {
  std::vector<std::uint32_t> level(program.operations.size(), 0);
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& op = program.operations[i];
    for (int k = 0; k < operand_count(op.code); ++k) {
      if (!program.is_leaf(op.operands[k])) {
        level[i] = std::max(level[i], level[program.operation_of(op.operands[k])]);
      }
    }
    if (op.code == Code::sincos) ++level[i];
  }
  return level;
}

/// The recursion's order, with the arguments of each group of sines, and then the group, moved to the front.
class Recursion {
 public:
  explicit Recursion(const Unordered& program)
      : program_(program), placed_(program.operations.size(), false) {
    const std::vector<std::uint32_t> level = sine_levels(program);
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
      if (program.operations[i].code != Code::sincos) continue;
      if (groups.size() < level[i]) groups.resize(level[i]);
      groups[level[i] - 1].push_back(i);
    }
    order.reserve(program.operations.size());
    for (const std::vector<std::uint32_t>& group : groups) {
      place_arguments(group);
      for (const std::uint32_t i : group) place(i);
    }
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
      if (!placed_[i]) order.push_back(i);
    }
  }

  std::vector<std::uint32_t> order;
  std::vector<std::vector<std::uint32_t>> groups;

 private:
  void place(std::uint32_t operation) {
    placed_[operation] = true;
    order.push_back(operation);
  }

  void place_arguments(const std::vector<std::uint32_t>& group) {
    const std::size_t first = order.size();
    std::vector<std::uint32_t> stack;
    const auto open = [&](const Operation& op) {
      for (int k = 0; k < operand_count(op.code); ++k) {
        if (!program_.is_leaf(op.operands[k])) stack.push_back(program_.operation_of(op.operands[k]));
      }
    };
    for (const std::uint32_t i : group) open(program_.operations[i]);
    while (!stack.empty()) {
      const std::uint32_t i = stack.back();
      stack.pop_back();
      if (placed_[i]) continue;
      place(i);
      open(program_.operations[i]);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
  }

  const Unordered& program_;
  std::vector<bool> placed_;
};

/// Operations in the order in which a processor that sees `window` of them would start them.
class ListScheduler {
 public:
  ListScheduler(const Unordered& program, const Recursion& recursion, std::uint32_t window)
      : program_(program), recursion_(recursion), window_(window), state_(program.operations.size()) {
    const auto count = static_cast<std::uint32_t>(program.operations.size());
    for (std::uint32_t place = 0; place < count; ++place) state_[recursion.order[place]].place = place;
    for (std::uint32_t g = 0; g < recursion.groups.size(); ++g) {
      for (const std::uint32_t i : recursion.groups[g]) state_[i].group = g;
      absent_.push_back(static_cast<std::uint32_t>(recursion.groups[g].size()));
    }
    calendar_.fill(kNone);
    find_users();
    result_.order.reserve(count);
    result_.group.assign(count, 1);
  }

  Schedule run() {
    const auto count = static_cast<std::uint32_t>(state_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      if (state_[i].pending == 0) operands_known(i);
    }
    collect();
    int issued = 0;
    while (result_.order.size() < count) {
      fire_groups();
      advance_window();
      if (available_.empty() || issued == kIssue) {
        next_cycle();
        issued = 0;
      } else {
        std::pop_heap(available_.begin(), available_.end());
        const auto i = ~static_cast<std::uint32_t>(available_.back());
        available_.pop_back();
        place(i);
        ++issued;
      }
    }
    return std::move(result_);
  }

 private:
  struct State {
    std::uint32_t place = 0;    // in the recursion's order
    std::uint32_t pending = 0;  // operands not yet placed
    std::uint32_t ready = 0;    // cycle in which the operands are known
    std::uint32_t height = 0;   // cycles from here to the last output
    std::uint32_t users = 0;    // first of the operation's users in users_
    std::uint32_t group = 0;    // of a sine
    std::uint32_t next = 0;     // in the calendar's list
    bool placed = false;
  };

  template <class Visit>
  void for_operands(std::uint32_t i, Visit visit) const {
    const Operation& op = program_.operations[i];
    for (int k = 0; k < operand_count(op.code); ++k) {
      if (!program_.is_leaf(op.operands[k])) visit(program_.operation_of(op.operands[k]));
    }
  }

  void find_users() {
    const auto count = static_cast<std::uint32_t>(state_.size());
    std::vector<std::uint32_t> begin(count + 1, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
      for_operands(i, [&](std::uint32_t x) {
        ++begin[x + 1];
        ++state_[i].pending;
      });
    }
    for (std::uint32_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
    users_.resize(begin[count]);
    for (std::uint32_t i = 0; i < count; ++i) state_[i].users = begin[i];
    for (std::uint32_t i = count; i-- > 0;) {
      state_[i].height += latency(program_.operations[i].code);
      for_operands(i, [&](std::uint32_t x) {
        state_[x].height = std::max(state_[x].height, state_[i].height);
        users_[begin[x]++] = i;
      });
    }
    users_end_ = std::move(begin);  // each entry has moved to the end of its users
  }

  void place(std::uint32_t i) {
    result_.order.push_back(i);
    state_[i].placed = true;
    results_known(i);
  }

  void results_known(std::uint32_t i) {
    const std::uint32_t known = cycle_ + latency(program_.operations[i].code);
    for (std::uint32_t k = state_[i].users; k < users_end_[i]; ++k) {
      State& user = state_[users_[k]];
      user.ready = std::max(user.ready, known);
      if (--user.pending == 0) operands_known(users_[k]);
    }
  }

  void operands_known(std::uint32_t i) {
    if (program_.operations[i].code == Code::sincos) {
      if (--absent_[state_[i].group] == 0) complete_groups_.push_back(state_[i].group);
    } else if (state_[i].place < first_ + window_) {
      enter_calendar(i, state_[i].ready);
    } else {
      beyond_.push_back(std::uint64_t{state_[i].place} << 32 | i);
      std::push_heap(beyond_.begin(), beyond_.end(), std::greater<>());
    }
  }

  void fire_groups() {
    while (!complete_groups_.empty()) {
      const std::vector<std::uint32_t>& group = recursion_.groups[complete_groups_.back()];
      complete_groups_.pop_back();
      for (std::size_t k = 0; k < group.size(); ++k) {
        result_.group[result_.order.size()] = static_cast<std::uint32_t>(group.size() - k);
        result_.order.push_back(group[k]);
        state_[group[k]].placed = true;
      }
      for (const std::uint32_t i : group) results_known(i);
    }
  }

  /// The window begins at the first operation without a place.
  void advance_window() {
    while (first_ < state_.size() && state_[recursion_.order[first_]].placed) ++first_;
    bool entered = false;
    while (!beyond_.empty() && beyond_.front() >> 32 < first_ + window_) {
      const auto i = static_cast<std::uint32_t>(beyond_.front());
      std::pop_heap(beyond_.begin(), beyond_.end(), std::greater<>());
      beyond_.pop_back();
      enter_calendar(i, std::max(state_[i].ready, cycle_));
      entered = true;
    }
    if (entered) collect();
  }

  void next_cycle() {
    ++cycle_;
    collect();
  }

  /// What can start in this cycle.
  void collect() {
    std::uint32_t& today = calendar_[cycle_ % kCalendar];
    for (; today != kNone; today = state_[today].next) {
      available_.push_back(std::uint64_t{state_[today].height} << 32 | static_cast<std::uint32_t>(~today));
      std::push_heap(available_.begin(), available_.end());
    }
  }

  void enter_calendar(std::uint32_t i, std::uint32_t cycle) {
    state_[i].next = calendar_[cycle % kCalendar];
    calendar_[cycle % kCalendar] = i;
  }

  const Unordered& program_;
  const Recursion& recursion_;
  const std::uint32_t window_;
  std::vector<State> state_;
  std::vector<std::uint32_t> users_, users_end_;
  std::vector<std::uint32_t> absent_;           // members of each group whose argument is not yet known
  std::vector<std::uint32_t> complete_groups_;  // groups that can be evaluated now
  // Operations by the cycle in which they can start: the first of a list.
  std::array<std::uint32_t, kCalendar> calendar_;
  std::vector<std::uint64_t> beyond_;     // heap: ready, but not yet in the window; by place
  std::vector<std::uint64_t> available_;  // heap: height, then the earlier operation
  std::uint32_t cycle_ = 0;
  std::uint32_t first_ = 0;
  Schedule result_;
};

}  // namespace

std::uint32_t latency(Code code) {
  switch (code) {
    case Code::neg:
    case Code::abs:
    case Code::min:
    case Code::max:
      return 1;
    case Code::add:
    case Code::sub:
    case Code::mul:
      return 3;
    case Code::div:
      return 13;
    case Code::sqrt:
      return 20;
    case Code::sign:
    case Code::select:
    case Code::floor:
      return 5;
    case Code::sincos:
      return 60;
    default:
      return 4;
  }
}

std::uint32_t critical_path(const Tape& tape) {
  std::vector<std::uint32_t> known(tape.value_count, 0);
  for (const Instruction& i : tape.code) {
    const std::uint32_t values[] = {i.a, i.b, i.c};
    std::uint32_t ready = 0;
    for (int k = 0; k < operand_count(i.code); ++k) ready = std::max(ready, known[values[k]]);
    known[i.to] = ready + latency(i.code);
    if (i.code == Code::sincos) known[i.to + 1] = known[i.to];
  }
  std::uint32_t last = 0;
  for (const std::uint32_t output : tape.outputs) last = std::max(last, known[output]);
  return last;
}

Schedule schedule(const Unordered& program, int registers) {
  const Recursion recursion(program);
  std::uint32_t window = registers >= 32 ? kWindowOf32 : kWindowOf16;
  if (program.operations.size() > kLong) window = std::min(window, kWindowOfLong);
  return ListScheduler(program, recursion, window).run();
}

}  // namespace tactus::generate
