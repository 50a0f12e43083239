#include <tactus/generate/side_by_side.h>

#include <algorithm>
#include <bit>

#include <tactus/generate/side_by_side_finder.h>

namespace tactus::generate {

namespace {

/// Fewer instructions than these are not worth a second look.
constexpr std::size_t kFewest = 96;

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  return x;
}

}  // namespace

SideBySideFinder::SideBySideFinder(const Tape& tape, std::uint32_t lanes)
    : tape_(tape),
      most_lanes_(lanes),
      definition_(tape.value_count, kNone),
      uses_(tape.value_count, 0),
      output_uses_(tape.value_count, 0),
      taken_uses_(tape.value_count, 0),
      distance_(tape.value_count, 0),
      broadcast_(tape.value_count, false),
      shape_(tape.value_count, 0),
      output_level_(tape.outputs.size(), 0) {
  result_ = none_of(tape);
  for (std::uint32_t now = 0; now < tape.code.size(); ++now) {
    const Instruction& i = tape.code[now];
    definition_[i.to] = now;
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < operand_count(i.code); ++k) ++uses_[operands[k]];
  }
  for (std::size_t now = tape.code.size(); now-- > 0;) {
    const Instruction& i = tape.code[now];
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    const std::uint32_t from =
        i.code == Code::sincos ? std::max(distance_[i.to], distance_[i.to + 1]) : distance_[i.to];
    for (int k = 0; k < operand_count(i.code); ++k)
      distance_[operands[k]] = std::max(distance_[operands[k]], from + 1);
  }
  for (std::uint32_t k = 0; k < tape.outputs.size(); ++k) {
    ++output_uses_[tape.outputs[k]];
    outputs_of_[tape.outputs[k]].push_back(k);
  }
}

SideBySide SideBySideFinder::run() {
  find_output_rows();
  while (!pending_.empty()) {
    const auto next = pending_.extract(pending_.begin());
    level_ = next.key();
    for (const Row& row : next.mapped().rows) take_output_row(row);
    make_arrays(next.mapped().requests);
  }
  if (result_.windows.empty()) return none_of(tape_);
  place_requests();
  finish();
  return std::move(result_);
}

SideBySideFinder::Form SideBySideFinder::form(std::uint32_t value) const {
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
Signed SideBySideFinder::bare(Signed x) const {
  for (;;) {
    const std::uint32_t at = definition_[value_of(x)];
    if (at == kNone || tape_.code[at].code != Code::neg || !lone(value_of(x))) return x;
    x = plus(tape_.code[at].a) + (negative(x) ? 0 : 1);
  }
}

/// The same for values whose trees have the same form, whatever they end at and with whatever signs.
std::uint64_t SideBySideFinder::shape(std::uint32_t value) {
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

void SideBySideFinder::find_output_rows() {
  const std::vector<std::uint32_t>& out = tape_.outputs;
  for (std::uint32_t k = 0; k < out.size();) {
    std::uint32_t end = k + 1;
    if (!is_arithmetic(out[k])) {
      k = end;
      continue;
    }
    std::array<std::uint32_t, 2> common = first_factors(out[k]);
    for (; end < out.size() && is_arithmetic(out[end]) && shape(out[end]) == shape(out[k]); ++end) {
      // A row of a matrix has a factor in common; where that changes, another row begins.
      const std::array<std::uint32_t, 2> here = first_factors(out[end]);
      std::array<std::uint32_t, 2> left = {kNone, kNone};
      for (int i = 0; i < 2; ++i)
        if (common[i] != kNone && (common[i] == here[0] || common[i] == here[1])) left[i] = common[i];
      if (left[0] == kNone && left[1] == kNone) break;
      common = left;
    }
    Row row;
    row.to = k;
    std::uint32_t level = 0;
    for (std::uint32_t at = k; at < end; ++at) {
      row.values.push_back(plus(out[at]));
      level = std::max(level, distance_[out[at]]);
    }
    pending_[level].rows.push_back(std::move(row));
    k = end;
  }
}

/// Whether a single output belongs among the windows: only they use it.
bool SideBySideFinder::waits(std::uint32_t output) const {
  const std::uint32_t value = tape_.outputs[output];
  return uses_[value] > 0 && output_uses_[value] == 1;
}

/// As far as windows alone use what is between.
void SideBySideFinder::take_output_row(const Row& row) {
  for (std::size_t k = 0; k < row.values.size();) {
    Row piece;
    piece.to = row.to + static_cast<std::uint32_t>(k);
    while (k < row.values.size() && only_windows_use(value_of(row.values[k])))
      piece.values.push_back(row.values[k++]);
    const bool waited_for = piece.values.size() == 1 && waits(piece.to);
    if (piece.values.size() > 1 || waited_for) take_row(piece);
    if (piece.values.empty()) ++k;
  }
}

/// The factors of the product that a value's tree begins with.
std::array<std::uint32_t, 2> SideBySideFinder::first_factors(std::uint32_t value) const {
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
void SideBySideFinder::take_row(const Row& row) {
  const auto size = static_cast<std::uint32_t>(row.values.size());
  const std::uint32_t lanes = std::bit_floor(std::min(size, most_lanes_));
  for (std::uint32_t at = 0;; at = std::min(at + lanes, size - lanes)) {
    if (take_window(row, at, lanes)) {
      for (std::uint32_t k = row.to + at; k < row.to + at + lanes; ++k) {
        if (row.array != kNone) {
          made_[row.array].made[k] = true;
        } else {
          result_.stored[k] = true;
          output_level_[k] = level_;
        }
      }
    }
    if (at + lanes == size) break;
  }
}

void SideBySideFinder::go_back(const Mark& m) {
  result_.operations.resize(m.operations);
  requests_.resize(m.requests);
  opened_.resize(m.opened);
}

bool SideBySideFinder::take_window(const Row& row, std::uint32_t at, std::uint32_t lanes) {
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
  for (const std::uint32_t now : opened_) {
    if (result_.taken[now]) continue;
    result_.taken[now] = true;
    const Instruction& i = tape_.code[now];
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < operand_count(i.code); ++k) ++taken_uses_[operands[k]];
  }
  SideBySide::Window window{lanes, static_cast<std::uint32_t>(start.operations),
                            static_cast<std::uint32_t>(result_.operations.size() - start.operations),
                            row.to + at, row.array != kNone};
  result_.windows.push_back(window);
  window_level_.push_back(level_);
  window_array_.push_back(row.array);
  for (std::size_t r = start.requests; r < requests_.size(); ++r) {
    std::uint32_t level = level_ + 1;
    for (const Signed x : requests_[r].values) level = std::max(level, distance_[value_of(x)]);
    pending_[level].requests.push_back(static_cast<std::uint32_t>(r));
  }
  return true;
}

/// The last result with the signs of those lanes turned that are negative.
SideBySideFinder::Source SideBySideFinder::turn_signs(const std::vector<Signed>& lanes) {
  const Source last = last_result();
  std::vector<double> signs;
  for (const Signed x : lanes) signs.push_back(negative(x) ? -0.0 : 0.0);
  result_.operations.push_back({Code::neg, last, {Source::constants, wide_constant(signs)}, {}});
  return last_result();
}
std::uint32_t SideBySideFinder::wide_constant(const std::vector<double>& lanes) {
  std::vector<std::uint64_t> key;
  for (const double x : lanes) key.push_back(std::bit_cast<std::uint64_t>(x));
  const auto [place, is_new] =
      wide_index_.try_emplace(std::move(key), static_cast<std::uint32_t>(result_.wide_constants.size()));
  if (is_new) result_.wide_constants.insert(result_.wide_constants.end(), lanes.begin(), lanes.end());
  return place->second;
}

/// As open(), for values with signs. A product bears its lanes' signs itself; in front of a sum they are turned.
std::optional<SideBySideFinder::Source> SideBySideFinder::open_with_signs(const std::vector<Signed>& values,
                                                                          bool& minus) {
  const bool turn =
      std::any_of(values.begin(), values.end(), negative) && form(value_of(values[0])).kind != Form::product;
  if (!turn) return open(values, minus);
  std::vector<Signed> bare_lanes = values;
  for (Signed& v : bare_lanes) v &= ~1u;
  if (!open(bare_lanes, minus)) return std::nullopt;
  return turn_signs(values);
}

/// The vector instruction for values of one form. Its result may be minus that, of a product; the signs of the values count only there.
std::optional<SideBySideFinder::Source> SideBySideFinder::open(const std::vector<Signed>& values,
                                                               bool& minus) {
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
  // Long sums are deep here: their results would all be held if the factors came first.
  const Source sc = kind == Form::product ? Source{} : operand(c, minus_c);
  const Source sa = operand(a, minus_a);
  const Source sb = kind == Form::sum ? Source{} : operand(b, minus_b);
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
      op.code = minus_a != minus_b ? (minus_c ? Code::fnms : Code::fnma) : (minus_c ? Code::fms : Code::fma);
      op.a = sa;
      op.b = sb;
      op.c = sc;
  }
  result_.operations.push_back(op);
  return Source{Source::result, static_cast<std::uint32_t>(result_.operations.size() - 1)};
}

/// Signs taken off, the instructions that made them taken along.
Signed SideBySideFinder::peeled(Signed x) {
  for (;;) {
    const std::uint32_t at = definition_[value_of(x)];
    if (at == kNone || tape_.code[at].code != Code::neg || !lone(value_of(x))) return x;
    opened_.push_back(at);
    x = plus(tape_.code[at].a) + (negative(x) ? 0 : 1);
  }
}

/// Operands that may be exchanged: what belongs together in all lanes.
void SideBySideFinder::pair_up(std::vector<Signed>& a, std::vector<Signed>& b) {
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
SideBySideFinder::Source SideBySideFinder::operand(std::vector<Signed>& x, bool& minus) {
  const std::size_t lanes = x.size();
  minus = std::all_of(x.begin(), x.end(), negative);
  if (minus)
    for (Signed& v : x) v ^= 1;
  // (A single lane may have to wait for other windows.)
  if (lanes > 1 && std::all_of(x.begin(), x.end(), [&](Signed v) { return v == x[0]; }) && !negative(x[0])) {
    broadcast_[value_of(x[0])] = true;
    return Source{Source::broadcast, value_of(x[0])};
  }
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
  requests_.push_back({x, level_});
  for (std::size_t l = 0; l + 1 < lanes; ++l) next_.try_emplace(x[l] & ~1u, x[l + 1]);
  return Source{Source::array, static_cast<std::uint32_t>(requests_.size() - 1)};  // finish() knows the place
}

SideBySide none_of(const Tape& tape) {
  SideBySide none;
  none.place_of.assign(tape.value_count, SideBySide::kNowhere);
  none.place_negated.assign(tape.value_count, false);
  none.taken.assign(tape.code.size(), false);
  none.stored.assign(tape.outputs.size(), false);
  return none;
}

SideBySide find_side_by_side(const Tape& tape, std::uint32_t lanes) {
  if (tape.code.size() < kFewest) return none_of(tape);
  return SideBySideFinder(tape, lanes).run();
}

}  // namespace tactus::generate
