#include <tactus/generate/side_by_side.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace tactus::generate {

namespace {

using Source = SideBySide::Source;

constexpr std::uint32_t kNone = SideBySide::kNowhere;
/// Fewer instructions than these are not worth a second look.
constexpr std::size_t kFewest = 96;

/// How many neighbours a value may have in different arrays that are joined from requests.
constexpr int kLayers = 8;

/// A value with a sign: twice its number, plus one where it is negated.
using Signed = std::uint32_t;
constexpr Signed plus(std::uint32_t value) { return 2 * value; }
constexpr std::uint32_t value_of(Signed x) { return x / 2; }
constexpr bool negative(Signed x) { return (x & 1) != 0; }

/// What an instruction adds up: a b + c, with signs. No product: b is absent; no sum: c is.
struct Form {
  enum Kind : std::uint8_t { other, product, sum, both } kind = other;
  Signed a = 0, b = 0, c = 0;  // product: a b; sum: a + c; both: a b + c
};

bool is_fused(Code code) { return code >= Code::fma && code <= Code::fnms; }
/// The fused operation with the product's sign turned, and with the other term's.
Code with_other_product(Code code) {
  return code == Code::fma    ? Code::fnma
         : code == Code::fnma ? Code::fma
         : code == Code::fms  ? Code::fnms
                              : Code::fms;
}
Code with_other_term(Code code) {
  return code == Code::fma    ? Code::fms
         : code == Code::fms  ? Code::fma
         : code == Code::fnma ? Code::fnms
                              : Code::fnma;
}

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  return x;
}

class Finder {
 public:
  Finder(const Tape& tape, std::uint32_t lanes)
      : tape_(tape),
        most_lanes_(lanes),
        definition_(tape.value_count, kNone),
        uses_(tape.value_count, 0),
        output_uses_(tape.value_count, 0),
        shape_(tape.value_count, 0) {
    result_.place_of.assign(tape.value_count, kNone);
    result_.place_negated.assign(tape.value_count, false);
    result_.taken.assign(tape.code.size(), false);
    result_.stored.assign(tape.outputs.size(), false);
    for (std::uint32_t now = 0; now < tape.code.size(); ++now) {
      const Instruction& i = tape.code[now];
      definition_[i.to] = now;
      const std::uint32_t operands[] = {i.a, i.b, i.c};
      for (int k = 0; k < operand_count(i.code); ++k) ++uses_[operands[k]];
    }
    for (const std::uint32_t value : tape.outputs) ++output_uses_[value];
  }

  SideBySide run() {
    take_outputs();
    place_requests();
    finish();
    return std::move(result_);
  }

 private:
  struct Row {
    std::uint32_t to = 0;  // the first output
    std::vector<Signed> values;
  };

  Form form(std::uint32_t value) const {
    const std::uint32_t at = definition_[value];
    if (at == kNone) return {};
    const Instruction& i = tape_.code[at];
    switch (i.code) {
      case Code::mul:
        return {Form::product, plus(i.a), plus(i.b), 0};
      case Code::add:
        return {Form::sum, plus(i.a), 0, plus(i.b)};
      case Code::sub:
        return {Form::sum, plus(i.a), 0, plus(i.b) + 1};
      case Code::fma:
        return {Form::both, plus(i.a), plus(i.b), plus(i.c)};
      case Code::fms:
        return {Form::both, plus(i.a), plus(i.b), plus(i.c) + 1};
      case Code::fnma:
        return {Form::both, plus(i.a) + 1, plus(i.b), plus(i.c)};
      case Code::fnms:
        return {Form::both, plus(i.a) + 1, plus(i.b), plus(i.c) + 1};
      default:
        return {};
    }
  }

  /// Signs in front of a value, taken off it.
  Signed bare(Signed x) const {
    for (;;) {
      const std::uint32_t at = definition_[value_of(x)];
      if (at == kNone || tape_.code[at].code != Code::neg || !lone(value_of(x))) return x;
      x = plus(tape_.code[at].a) + (negative(x) ? 0 : 1);
    }
  }

  bool lone(std::uint32_t value) const { return uses_[value] == 1 && output_uses_[value] == 0; }
  bool is_arithmetic(std::uint32_t value) const { return form(value).kind != Form::other; }
  /// Whether a window's tree goes on below this operand.
  bool opens(Signed x) const { return lone(value_of(x)) && is_arithmetic(value_of(x)); }

  /// The same for values whose trees have the same form, whatever they end at and with whatever signs.
  std::uint64_t shape(std::uint32_t value) {
    if (shape_[value] != 0) return shape_[value];
    // Operands first, on a stack of our own: sums may be long.
    std::vector<std::uint32_t> stack{value};
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      const Form f = form(v);
      bool ready = true;
      std::uint64_t part[3] = {1, 1, 1};
      const Signed operands[] = {f.a, f.b, f.c};
      const bool present[] = {f.kind != Form::other, f.kind == Form::product || f.kind == Form::both,
                              f.kind == Form::sum || f.kind == Form::both};
      for (int k = 0; k < 3; ++k) {
        if (!present[k]) continue;
        const Signed x = bare(operands[k]);
        if (!opens(x)) continue;
        if (shape_[value_of(x)] == 0) {
          stack.push_back(value_of(x));
          ready = false;
        } else {
          part[k] = shape_[value_of(x)];
        }
      }
      if (!ready) continue;
      stack.pop_back();
      std::uint64_t s = 3 + static_cast<std::uint64_t>(f.kind);
      if (f.kind == Form::product || f.kind == Form::both) s = mixed(s + mixed(part[0]) + mixed(part[1]));
      if (f.kind == Form::sum) s = mixed(s + mixed(part[0]) + mixed(part[2]));
      if (f.kind == Form::both) s = mixed(s * 7 + mixed(part[2]));
      shape_[v] = s == 0 ? 1 : s;
    }
    return shape_[value];
  }

  void take_outputs() {
    const std::vector<std::uint32_t>& out = tape_.outputs;
    const auto fits = [&](std::uint32_t value) { return uses_[value] == 0 && is_arithmetic(value); };
    for (std::uint32_t k = 0; k < out.size();) {
      std::uint32_t end = k + 1;
      if (fits(out[k])) {
        std::array<std::uint32_t, 2> common = first_factors(out[k]);
        for (; end < out.size() && fits(out[end]) && shape(out[end]) == shape(out[k]); ++end) {
          // A row of a matrix has a factor in common; where that changes, another row begins.
          const std::array<std::uint32_t, 2> here = first_factors(out[end]);
          std::array<std::uint32_t, 2> left = {kNone, kNone};
          for (int i = 0; i < 2; ++i)
            if (common[i] != kNone && (common[i] == here[0] || common[i] == here[1])) left[i] = common[i];
          if (left[0] == kNone && left[1] == kNone) break;
          common = left;
        }
      }
      if (end - k > 1) {
        Row row{k, {}};
        for (std::uint32_t at = k; at < end; ++at) row.values.push_back(plus(out[at]));
        take_row(row);
      }
      k = end;
    }
  }

  /// The factors of the product that a value's tree begins with.
  std::array<std::uint32_t, 2> first_factors(std::uint32_t value) const {
    for (;;) {
      const Form f = form(value);
      if (f.kind == Form::sum) {
        const Signed a = bare(f.a), c = bare(f.c);
        if (!opens(a) && !opens(c)) return {value_of(a), value_of(c)};
        value = value_of(opens(a) ? a : c);
      } else {
        const Signed c = f.kind == Form::both ? bare(f.c) : 0;
        if (f.kind == Form::product || !opens(c)) return {value_of(bare(f.a)), value_of(bare(f.b))};
        value = value_of(c);
      }
    }
  }

  /// Windows for a row.
  void take_row(const Row& row) {
    const auto size = static_cast<std::uint32_t>(row.values.size());
    const std::uint32_t lanes = std::bit_floor(std::min(size, most_lanes_));
    for (std::uint32_t at = 0;; at = std::min(at + lanes, size - lanes)) {
      if (take_window(row, at, lanes))
        for (std::uint32_t k = 0; k < lanes; ++k) result_.stored[row.to + at + k] = true;
      if (at + lanes == size) break;
    }
  }

  /// How far the lists of a window have come, to go back to.
  struct Mark {
    std::size_t operations, requests, opened;
  };
  Mark mark() const { return {result_.operations.size(), requests_.size(), opened_.size()}; }
  void go_back(const Mark& m) {
    result_.operations.resize(m.operations);
    requests_.resize(m.requests);
    opened_.resize(m.opened);
  }

  bool take_window(const Row& row, std::uint32_t at, std::uint32_t lanes) {
    opened_.clear();
    const Mark start = mark();
    std::vector<Signed> values;
    for (std::uint32_t k = 0; k < lanes; ++k) values.push_back(row.values[at + k]);
    bool minus = false;
    if (!open_with_signs(values, minus)) {
      go_back(start);
      return false;
    }
    if (minus) turn_signs(std::vector<Signed>(lanes, 1));
    for (const std::uint32_t now : opened_) result_.taken[now] = true;
    result_.windows.push_back({lanes, static_cast<std::uint32_t>(start.operations),
                               static_cast<std::uint32_t>(result_.operations.size() - start.operations),
                               row.to + at});
    return true;
  }

  /// The last result with the signs of those lanes turned that are negative.
  Source turn_signs(const std::vector<Signed>& lanes) {
    const Source last = last_result();
    std::vector<double> signs;
    for (const Signed x : lanes) signs.push_back(negative(x) ? -0.0 : 0.0);
    result_.operations.push_back({Code::neg, last, {Source::constants, wide_constant(signs)}, {}});
    return last_result();
  }
  Source last_result() const {
    return {Source::result, static_cast<std::uint32_t>(result_.operations.size() - 1)};
  }

  std::uint32_t wide_constant(const std::vector<double>& lanes) {
    std::vector<std::uint64_t> key;
    for (const double x : lanes) key.push_back(std::bit_cast<std::uint64_t>(x));
    const auto [place, is_new] =
        wide_index_.try_emplace(std::move(key), static_cast<std::uint32_t>(result_.wide_constants.size()));
    if (is_new) result_.wide_constants.insert(result_.wide_constants.end(), lanes.begin(), lanes.end());
    return place->second;
  }

  /// As open(), for values with signs. A product bears its lanes' signs itself; in front of a sum they are turned.
  std::optional<Source> open_with_signs(const std::vector<Signed>& values, bool& minus) {
    const bool turn = std::any_of(values.begin(), values.end(), negative) &&
                      form(value_of(values[0])).kind != Form::product;
    if (!turn) return open(values, minus);
    std::vector<Signed> bare_lanes = values;
    for (Signed& v : bare_lanes) v &= ~1u;
    if (!open(bare_lanes, minus)) return std::nullopt;
    return turn_signs(values);
  }

  /// The vector instruction for values of one form. Its result may be minus that, of a product; the signs of the values count only there.
  std::optional<Source> open(const std::vector<Signed>& values, bool& minus) {
    const std::size_t lanes = values.size();
    std::vector<Signed> a(lanes), b(lanes), c(lanes);
    Form::Kind kind = Form::other;
    for (std::size_t l = 0; l < lanes; ++l) {
      const Form f = form(value_of(values[l]));
      if (l == 0) kind = f.kind;
      if (f.kind != kind || kind == Form::other) return std::nullopt;
      if (kind != Form::product && negative(values[l])) return std::nullopt;
      a[l] = peeled(f.a);
      if (kind != Form::sum) b[l] = peeled(f.b);
      if (kind != Form::product) c[l] = peeled(f.c);
      if (negative(values[l])) a[l] ^= 1;
      opened_.push_back(definition_[value_of(values[l])]);
    }
    pair_up(a, kind == Form::sum ? c : b);
    // Signs of a product stand with that factor which is not the same in all lanes.
    if (kind != Form::sum) {
      if (std::all_of(a.begin(), a.end(), [&](Signed x) { return value_of(x) == value_of(a[0]); }))
        std::swap(a, b);
      for (std::size_t l = 0; l < lanes; ++l) {
        a[l] ^= b[l] & 1;
        b[l] &= ~1u;
      }
    }
    bool minus_a = false, minus_b = false, minus_c = false;
    const Source sa = operand(a, minus_a);
    const Source sb = kind == Form::sum ? Source{} : operand(b, minus_b);
    const Source sc = kind == Form::product ? Source{} : operand(c, minus_c);
    SideBySide::Operation op;
    minus = false;
    switch (kind) {
      case Form::product:
        minus = minus_a != minus_b;
        op = {Code::mul, sa, sb, {}};
        break;
      case Form::sum:
        if (minus_a && minus_c) return std::nullopt;
        if (minus_c) {
          op = {Code::sub, sa, sc, {}};
        } else if (minus_a) {
          op = {Code::sub, sc, sa, {}};
        } else {
          op = {Code::add, sa, sc, {}};
        }
        break;
      default:
        op.code =
            minus_a != minus_b ? (minus_c ? Code::fnms : Code::fnma) : (minus_c ? Code::fms : Code::fma);
        op.a = sa;
        op.b = sb;
        op.c = sc;
    }
    result_.operations.push_back(op);
    return Source{Source::result, static_cast<std::uint32_t>(result_.operations.size() - 1)};
  }

  /// Signs taken off, the instructions that made them taken along.
  Signed peeled(Signed x) {
    for (;;) {
      const std::uint32_t at = definition_[value_of(x)];
      if (at == kNone || tape_.code[at].code != Code::neg || !lone(value_of(x))) return x;
      opened_.push_back(at);
      x = plus(tape_.code[at].a) + (negative(x) ? 0 : 1);
    }
  }

  /// Operands that may be exchanged: what belongs together in all lanes.
  void pair_up(std::vector<Signed>& a, std::vector<Signed>& b) {
    const auto form_of = [&](Signed x) { return opens(x) ? shape(value_of(x)) : 0; };
    for (std::size_t l = 1; l < a.size(); ++l) {
      const std::uint64_t a0 = form_of(a[0]), b0 = form_of(b[0]), al = form_of(a[l]), bl = form_of(b[l]);
      bool exchange = false;
      if (a0 != b0) {
        exchange = al == b0 && bl == a0;
      } else if (value_of(a[l]) == value_of(a[0]) || value_of(b[l]) == value_of(b[0])) {
        exchange = false;
      } else if (value_of(a[l]) == value_of(b[0]) || value_of(b[l]) == value_of(a[0])) {
        exchange = true;
      } else if (const auto after = next_.find(a[l - 1] & ~1u); after != next_.end()) {
        exchange = (after->second | 1u) == (b[l] | 1u);
      }
      if (exchange) std::swap(a[l], b[l]);
    }
  }

  /// Where all lanes of an operand come from; `minus`: with the opposite sign.
  Source operand(std::vector<Signed>& x, bool& minus) {
    const std::size_t lanes = x.size();
    minus = std::all_of(x.begin(), x.end(), negative);
    if (minus)
      for (Signed& v : x) v ^= 1;
    if (std::all_of(x.begin(), x.end(), [&](Signed v) { return v == x[0]; }) && !negative(x[0]))
      return Source{Source::broadcast, value_of(x[0])};
    if (std::all_of(x.begin(), x.end(), [&](Signed v) { return opens(v); })) {
      const Mark before = mark();
      bool inner = false;
      if (const std::optional<Source> source = open_with_signs(x, inner)) {
        minus = minus != inner;
        return *source;
      }
      go_back(before);
    }
    const bool plain = std::none_of(x.begin(), x.end(), negative);
    if (plain && tape_.is_input(value_of(x[0])) && value_of(x[0]) + lanes <= tape_.argument_count) {
      bool run = true;
      for (std::size_t l = 1; l < lanes; ++l) run = run && value_of(x[l]) == value_of(x[0]) + l;
      if (run) return Source{Source::input, value_of(x[0])};
    }
    if (std::all_of(x.begin(), x.end(), [&](Signed v) { return tape_.is_constant(value_of(v)); })) {
      std::vector<double> lanes_of;
      for (const Signed v : x) {
        const double constant = tape_.constants[value_of(v) - tape_.first_constant()];
        lanes_of.push_back(negative(v) ? -constant : constant);
      }
      return Source{Source::constants, wide_constant(lanes_of)};
    }
    // The same neighbours with all signs turned are the same array.
    const auto known = sign_.try_emplace(value_of(x.back()), negative(x.back())).first;
    if (known->second != negative(x.back())) {
      minus = !minus;
      for (Signed& v : x) v ^= 1;
    }
    for (const Signed v : x) sign_.try_emplace(value_of(v), negative(v));
    requests_.push_back(x);
    for (std::size_t l = 0; l + 1 < lanes; ++l) next_.try_emplace(x[l] & ~1u, x[l + 1]);
    return Source{Source::array,
                  static_cast<std::uint32_t>(requests_.size() - 1)};  // finish() knows the place
  }

  /// Joins the neighbours that were asked for into arrays.
  void place_requests() {
    std::vector<std::uint32_t> open_requests, left;
    for (std::uint32_t r = 0; r < requests_.size(); ++r) open_requests.push_back(r);
    for (int layer = 0; layer < kLayers && !open_requests.empty(); ++layer) {
      join(open_requests, left);
      open_requests.swap(left);
      left.clear();
    }
    for (const std::uint32_t r : open_requests)
      if (find_place(requests_[r]) == kNone) add_array(requests_[r]);
  }

  /// Arrays in which each value has one neighbour; requests that want others are left for the next ones.
  void join(const std::vector<std::uint32_t>& requests, std::vector<std::uint32_t>& left) {
    std::unordered_map<Signed, Signed> next, before;
    std::vector<Signed> order;
    for (const std::uint32_t r : requests) {
      const std::vector<Signed>& x = requests_[r];
      if (find_place(x) != kNone) continue;
      bool fits = true;
      for (std::size_t l = 0; l + 1 < x.size() && fits; ++l) {
        const auto after = next.find(x[l]);
        const auto prior = before.find(x[l + 1]);
        fits = (after == next.end() ? prior == before.end() : after->second == x[l + 1]) && x[l] != x[l + 1];
      }
      if (!fits) {
        left.push_back(r);
        continue;
      }
      for (std::size_t l = 0; l + 1 < x.size(); ++l) {
        next[x[l]] = x[l + 1];
        before[x[l + 1]] = x[l];
        order.push_back(x[l]);
      }
      order.push_back(x.back());
    }
    std::unordered_set<Signed> seen;
    for (const Signed start : order) {
      if (seen.count(start) != 0) continue;
      Signed head = start;
      for (std::size_t steps = 0; steps < order.size(); ++steps) {
        const auto prior = before.find(head);
        if (prior == before.end() || seen.count(prior->second) != 0 || prior->second == start) break;
        head = prior->second;
      }
      std::vector<Signed> chain;
      for (Signed x = head; seen.insert(x).second;) {
        chain.push_back(x);
        const auto after = next.find(x);
        if (after == next.end()) break;
        x = after->second;
      }
      add_array(chain);
    }
    // A circle has been cut open somewhere.
    for (const std::uint32_t r : requests)
      if (find_place(requests_[r]) == kNone && std::find(left.begin(), left.end(), r) == left.end())
        left.push_back(r);
  }

  void add_array(const std::vector<Signed>& values) {
    const auto end = static_cast<std::uint32_t>(array_.size() + values.size());
    for (const Signed x : values) {
      places_[x].push_back(static_cast<std::uint32_t>(array_.size()));
      array_.push_back(x);
      array_end_.push_back(end);
    }
  }

  std::uint32_t find_place(const std::vector<Signed>& x) const {
    const auto found = places_.find(x[0]);
    if (found == places_.end()) return kNone;
    for (const std::uint32_t at : found->second) {
      if (at + x.size() <= array_end_[at] && std::equal(x.begin(), x.end(), array_.begin() + at)) return at;
    }
    return kNone;
  }

  /// Fills in the places, and what the scalar instructions have to leave in the arrays.
  void finish() {
    // Where a product alone is added to in the same window.
    std::vector<std::uint32_t> added_in(result_.operations.size(), kNone);
    for (std::uint32_t k = 0; k < result_.operations.size(); ++k) {
      const SideBySide::Operation& op = result_.operations[k];
      if (is_fused(op.code) && op.c.kind == Source::result) added_in[op.c.index] = k;
    }
    const auto bears_signs = [&](std::uint32_t k) {
      const Code code = result_.operations[k].code;
      return is_fused(code) || (code == Code::mul && added_in[k] != kNone);
    };
    for (std::uint32_t k = 0; k < result_.operations.size(); ++k) {
      SideBySide::Operation& op = result_.operations[k];
      for (Source* source : {&op.a, &op.b, &op.c}) {
        if (source->kind == Source::array) source->index = find_place(requests_[source->index]);
        if (source->kind == Source::broadcast && !tape_.is_input(source->index) &&
            !tape_.is_constant(source->index))
          place_alone(source->index, bears_signs(k));
      }
    }
    for (std::uint32_t at = 0; at < array_.size(); ++at) {
      const std::uint32_t v = value_of(array_[at]);
      const std::uint32_t before = result_.place_of[v];
      if (before == kNone || (negative(array_[before]) && !negative(array_[at]))) {
        result_.place_of[v] = at;
        result_.place_negated[v] = negative(array_[at]);
      }
      result_.placed.push_back({v, negative(array_[at]), at});
    }
    // Inputs and constants are read where they stand.
    for (std::uint32_t v = 0; v < tape_.first_result(); ++v) {
      result_.place_of[v] = kNone;
      result_.place_negated[v] = false;
    }
    result_.places = static_cast<std::uint32_t>(array_.size());
    for (std::uint32_t k = 0; k < result_.operations.size(); ++k) {
      SideBySide::Operation& op = result_.operations[k];
      if (is_minus(op.c)) op.code = with_other_term(op.code);
      if (is_minus(op.a) == is_minus(op.b)) continue;
      if (op.code == Code::mul) {
        Code& later = result_.operations[added_in[k]].code;
        later = with_other_term(later);
      } else {
        op.code = with_other_product(op.code);
      }
    }
    keep_what_scalars_need();

    std::size_t taken = 0;
    for (const bool x : result_.taken) taken += x;
    if (taken < kFewest || 2 * (result_.operations.size() + result_.windows.size()) > taken) {
      result_ = none_of(tape_);
      return;
    }
    // Outputs of a value that another output has, too.
    std::unordered_map<std::uint32_t, std::uint32_t> first;
    for (std::uint32_t k = 0; k < tape_.outputs.size(); ++k)
      if (result_.stored[k]) first.try_emplace(tape_.outputs[k], k);
    for (std::uint32_t k = 0; k < tape_.outputs.size(); ++k) {
      const std::uint32_t at = definition_[tape_.outputs[k]];
      if (result_.stored[k] || at == kNone || !result_.taken[at]) continue;
      result_.copies.push_back({first.at(tape_.outputs[k]), k});
      result_.stored[k] = true;
    }
  }

  /// Whatever the scalar instructions read, or leave in arrays, they make themselves, even where windows make it again.
  void keep_what_scalars_need() {
    const auto keep = [&](std::uint32_t value) {
      if (definition_[value] != kNone) result_.taken[definition_[value]] = false;
    };
    for (const SideBySide::Placed& placed : result_.placed) keep(placed.value);
    for (std::size_t now = tape_.code.size(); now-- > 0;) {
      if (result_.taken[now]) continue;
      const Instruction& i = tape_.code[now];
      const std::uint32_t operands[] = {i.a, i.b, i.c};
      for (int k = 0; k < operand_count(i.code); ++k) keep(operands[k]);
    }
  }

  /// A value that all lanes read needs a place where it can be read; operations that bear signs can do with its opposite, too.
  void place_alone(std::uint32_t value, bool either_sign) {
    if (places_.count(plus(value)) != 0 || (either_sign && places_.count(plus(value) + 1) != 0)) return;
    add_array({plus(value)});
  }
  bool is_minus(const Source& source) const {
    return source.kind == Source::broadcast && result_.place_negated[source.index];
  }

  const Tape& tape_;
  const std::uint32_t most_lanes_;
  std::vector<std::uint32_t> definition_, uses_, output_uses_;
  std::vector<std::uint64_t> shape_;
  std::vector<std::vector<Signed>> requests_;  // neighbours that windows read from arrays
  std::unordered_map<Signed, Signed> next_;
  std::unordered_map<std::uint32_t, bool> sign_;  // with which a value was asked for first
  std::map<std::vector<std::uint64_t>, std::uint32_t> wide_index_;
  std::vector<Signed> array_;
  std::vector<std::uint32_t> array_end_;  // for each place the end of its array
  std::unordered_map<Signed, std::vector<std::uint32_t>> places_;
  std::vector<std::uint32_t> opened_;  // instructions of the window at hand
  SideBySide result_;
};

}  // namespace

SideBySide none_of(const Tape& tape) {
  SideBySide none;
  none.place_of.assign(tape.value_count, kNone);
  none.place_negated.assign(tape.value_count, false);
  none.taken.assign(tape.code.size(), false);
  none.stored.assign(tape.outputs.size(), false);
  return none;
}

SideBySide find_side_by_side(const Tape& tape, std::uint32_t lanes) {
  if (tape.code.size() < kFewest) return none_of(tape);
  return Finder(tape, lanes).run();
}

}  // namespace tactus::generate
