// The arrays that windows read: joined from what they ask for, filled by scalar instructions or by other windows.
#include <tactus/generate/side_by_side_finder.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace tactus::generate {

namespace {

/// How many neighbours a value may have in different arrays that are joined from requests.
constexpr int kLayers = 8;

/// Fewer instructions than these are not worth windows.
constexpr std::size_t kFewestTaken = 96;

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

}  // namespace

void ValueArrays::add(const std::vector<Signed>& values) {
  const auto end = static_cast<std::uint32_t>(array_.size() + values.size());
  for (const Signed x : values) {
    places_[x].push_back(static_cast<std::uint32_t>(array_.size()));
    array_.push_back(x);
    array_end_.push_back(end);
  }
}

std::uint32_t ValueArrays::find(const std::vector<Signed>& x) const {
  const auto found = places_.find(x[0]);
  if (found == places_.end()) return SideBySide::kNowhere;
  for (const std::uint32_t at : found->second) {
    if (at + x.size() <= array_end_[at] && std::equal(x.begin(), x.end(), array_.begin() + at)) return at;
  }
  return SideBySide::kNowhere;
}

void ValueArrays::join(const std::vector<const std::vector<Signed>*>& requests,
                       std::vector<const std::vector<Signed>*>& left) {
  std::unordered_map<Signed, Signed> next, before;
  std::vector<Signed> order;
  std::vector<const std::vector<Signed>*> joined;
  for (const std::vector<Signed>* request : requests) {
    const std::vector<Signed>& x = *request;
    if (find(x) != SideBySide::kNowhere) continue;
    bool fits = true;
    for (std::size_t l = 0; l + 1 < x.size() && fits; ++l) {
      const auto after = next.find(x[l]);
      const auto prior = before.find(x[l + 1]);
      fits = (after == next.end() ? prior == before.end() : after->second == x[l + 1]) && x[l] != x[l + 1];
    }
    if (!fits) {
      left.push_back(request);
      continue;
    }
    for (std::size_t l = 0; l + 1 < x.size(); ++l) {
      next[x[l]] = x[l + 1];
      before[x[l + 1]] = x[l];
      order.push_back(x[l]);
    }
    order.push_back(x.back());
    joined.push_back(request);
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
    add(chain);
  }
  // A circle has been cut open somewhere.
  for (const std::vector<Signed>* request : joined)
    if (find(*request) == SideBySide::kNowhere) left.push_back(request);
}

void ValueArrays::join_all(std::vector<const std::vector<Signed>*> requests) {
  std::vector<const std::vector<Signed>*> left;
  for (int layer = 0; layer < kLayers && !requests.empty(); ++layer) {
    join(requests, left);
    requests.swap(left);
    left.clear();
  }
  for (const std::vector<Signed>* request : requests)
    if (find(*request) == SideBySide::kNowhere) add(*request);
}

bool SideBySideFinder::MadeArray::all_made() const {
  return std::find(made.begin(), made.end(), false) == made.end();
}

/// Whether neighbouring outputs have it when the window runs: scalars have left them there, or windows that run before.
bool SideBySideFinder::find_among_outputs(Request& request) {
  const std::vector<Signed>& x = request.values;
  const auto found = outputs_of_.find(value_of(x[0]));
  if (found == outputs_of_.end()) return false;
  for (const std::uint32_t first : found->second) {
    if (first + x.size() > tape_.outputs.size()) continue;
    bool there = true, any = false;
    for (std::uint32_t l = 0; l < x.size() && there; ++l) {
      const std::uint32_t value = tape_.outputs[first + l], at = definition_[value];
      const bool stored = result_.stored[first + l];
      any = any || stored;
      there = x[l] == plus(value) && at != kNone &&
              (stored ? output_level_[first + l] > request.user_level : !result_.taken[at]);
    }
    if (!there || !any) continue;
    for (std::uint32_t l = 0; l < x.size(); ++l)
      if (!result_.stored[first + l]) kept_.push_back(value_of(x[l]));
    request.from = Request::outputs;
    request.offset = first;
    return true;
  }
  return false;
}

bool SideBySideFinder::can_be_made(Signed x) const {
  const std::uint32_t value = value_of(x);
  return !negative(x) && is_arithmetic(value) && only_windows_use(value) && !broadcast_[value] &&
         (output_uses_[value] == 0 || result_.taken[definition_[value]]);
}

/// Of what windows ask for at this level, that which only windows use.
void SideBySideFinder::make_arrays(const std::vector<std::uint32_t>& requests) {
  std::vector<std::uint32_t> wanted;
  std::vector<const std::vector<Signed>*> rows;
  for (const std::uint32_t r : requests) {
    const std::vector<Signed>& x = requests_[r].values;
    if (find_among_outputs(requests_[r])) continue;
    if (std::any_of(x.begin(), x.end(), negative) ||
        std::none_of(x.begin(), x.end(), [&](Signed v) { return can_be_made(v); }))
      continue;
    wanted.push_back(r);
    rows.push_back(&x);
  }
  if (wanted.empty()) return;
  ValueArrays joined;
  joined.join_all(rows);
  const auto first = static_cast<std::uint32_t>(made_.size());
  std::vector<std::uint32_t> array_of(joined.size()), start_of(joined.size());
  for (std::uint32_t at = 0; at < joined.size();) {
    const std::uint32_t start = at, end = joined.end_of(at);
    MadeArray array;
    array.level = array.last_used = level_;
    for (; at < end; ++at) {
      array.values.push_back(joined.at(at));
      array_of[at] = static_cast<std::uint32_t>(made_.size());
      start_of[at] = start;
    }
    array.made.assign(array.values.size(), false);
    made_.push_back(std::move(array));
  }
  for (const std::uint32_t r : wanted) {
    Request& request = requests_[r];
    const std::uint32_t at = joined.find(request.values);
    request.from = Request::windows;
    request.array = array_of[at];
    request.offset = at - start_of[at];
    MadeArray& array = made_[request.array];
    array.last_used = std::min(array.last_used, request.user_level);
  }
  for (auto array = first; array < made_.size(); ++array) make_rows(array);
}

/// Windows for those parts of the array that have one form.
void SideBySideFinder::make_rows(std::uint32_t array) {
  const std::vector<Signed> values = made_[array].values;
  for (std::uint32_t k = 0; k < values.size();) {
    Row row;
    row.to = k;
    row.array = array;
    while (k < values.size() && can_be_made(values[k]) &&
           (row.values.empty() || shape(value_of(values[k])) == shape(value_of(row.values[0]))))
      row.values.push_back(values[k++]);
    if (row.values.empty())
      ++k;
    else
      take_row(row);
  }
}

/// Behind the arrays of scalars. What has been read for the last time makes room.
void SideBySideFinder::place_made_arrays() {
  std::uint32_t end = arrays_.size();
  std::vector<std::uint32_t> order(made_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return made_[a].level > made_[b].level; });
  std::multimap<std::uint32_t, std::uint32_t, std::greater<>> in_use;  // by the level of the last use
  std::map<std::size_t, std::vector<std::uint32_t>> free;              // by size
  for (const std::uint32_t a : order) {
    MadeArray& array = made_[a];
    const std::size_t size = array.values.size();
    while (!in_use.empty() && in_use.begin()->first > array.level) {
      const MadeArray& done = made_[in_use.begin()->second];
      free[done.values.size()].push_back(done.at);
      in_use.erase(in_use.begin());
    }
    std::vector<std::uint32_t>& places = free[size];
    if (array.all_made() && !places.empty()) {
      array.at = places.back();
      places.pop_back();
    } else {
      array.at = end;
      end += static_cast<std::uint32_t>(size);
    }
    if (array.all_made()) in_use.emplace(array.last_used, a);
    for (std::uint32_t k = 0; k < size; ++k)
      if (!array.made[k]) result_.placed.push_back({value_of(array.values[k]), false, array.at + k});
  }
  for (std::size_t w = 0; w < result_.windows.size(); ++w)
    if (window_array_[w] != kNone) result_.windows[w].to += made_[window_array_[w]].at;
  result_.places = end;
}

/// Joins the neighbours that scalars leave into arrays.
void SideBySideFinder::place_requests() {
  std::vector<const std::vector<Signed>*> rows;
  for (const Request& request : requests_)
    if (request.from == Request::scalars) rows.push_back(&request.values);
  arrays_.join_all(std::move(rows));
}

/// Fills in the places, and what the scalar instructions have to leave in the arrays.
void SideBySideFinder::finish() {
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
    for (const Source* source : {&op.a, &op.b, &op.c})
      if (source->kind == Source::broadcast && !tape_.is_input(source->index) &&
          !tape_.is_constant(source->index))
        place_alone(source->index, bears_signs(k));
  }
  for (std::uint32_t at = 0; at < arrays_.size(); ++at) {
    const Signed x = arrays_.at(at);
    const std::uint32_t v = value_of(x), before = result_.place_of[v];
    if (before == kNone || (negative(arrays_.at(before)) && !negative(x))) {
      result_.place_of[v] = at;
      result_.place_negated[v] = negative(x);
    }
    result_.placed.push_back({v, negative(x), at});
  }
  place_made_arrays();
  for (SideBySide::Operation& op : result_.operations)
    for (Source* source : {&op.a, &op.b, &op.c}) {
      if (source->kind != Source::array) continue;
      const Request& request = requests_[source->index];
      switch (request.from) {
        case Request::scalars:
          source->index = arrays_.find(request.values);
          break;
        case Request::windows:
          source->index = made_[request.array].at + request.offset;
          break;
        case Request::outputs:
          *source = {Source::output, request.offset};
          break;
      }
    }
  // Inputs and constants are read where they stand.
  for (std::uint32_t v = 0; v < tape_.first_result(); ++v) {
    result_.place_of[v] = kNone;
    result_.place_negated[v] = false;
  }
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
  order_windows();
  keep_what_scalars_need();

  const auto taken = static_cast<std::size_t>(std::count(result_.taken.begin(), result_.taken.end(), true));
  const std::size_t instructions = result_.operations.size() + result_.windows.size();
  if (taken < kFewestTaken || (made_.empty() ? 2 * instructions > taken : 4 * instructions > 3 * taken)) {
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

/// What is furthest from the outputs comes first: windows ask for what lies further from them.
void SideBySideFinder::order_windows() {
  std::vector<std::uint32_t> order(result_.windows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return window_level_[a] > window_level_[b]; });
  std::vector<SideBySide::Window> windows;
  for (const std::uint32_t w : order) windows.push_back(result_.windows[w]);
  result_.windows = std::move(windows);
}

/// Whatever the scalar instructions read, or leave in arrays and outputs, they make themselves, even where windows make it again.
void SideBySideFinder::keep_what_scalars_need() {
  const auto keep = [&](std::uint32_t value) {
    if (definition_[value] != kNone) result_.taken[definition_[value]] = false;
  };
  for (const SideBySide::Placed& placed : result_.placed) keep(placed.value);
  for (const std::uint32_t value : kept_) keep(value);
  for (const auto& [value, outputs] : outputs_of_)
    if (std::none_of(outputs.begin(), outputs.end(), [&](std::uint32_t k) { return result_.stored[k]; }))
      keep(value);
  for (std::size_t now = tape_.code.size(); now-- > 0;) {
    if (result_.taken[now]) continue;
    const Instruction& i = tape_.code[now];
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < operand_count(i.code); ++k) keep(operands[k]);
  }
}

/// A value that all lanes read needs a place where it can be read; operations that bear signs can do with its opposite, too.
void SideBySideFinder::place_alone(std::uint32_t value, bool either_sign) {
  if (arrays_.has(plus(value)) || (either_sign && arrays_.has(plus(value) + 1))) return;
  arrays_.add({plus(value)});
}

}  // namespace tactus::generate
