// `repeat`: bodies, joints, frames, springs, constraints, transitions, pairs of contact, initial values and
// parametric coordinates written once with an index, such as link_{i}, and meant many times.
//
// Everything between braces is a whole-number formula in the index: {i}, {i-1}, {2*i+1}. It is replaced as
// text, in names and in numbers alike, before anything but the parameters is read. `count` and `from` may be
// formulas in the parameters.
#include <cmath>

#include <fmt/format.h>

#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

constexpr long kMostRepeats = 10'000;
constexpr long kLargestIndex = 1'000'000'000;

class Expansion {
 public:
  Expansion(const Reader& reader, std::string index) : reader_(reader), index_(std::move(index)) {}

  Value at(const Value& value, long index) const {
    Value copy;
    copy.kind = value.kind;
    copy.quoted = value.quoted;
    copy.line = value.line;
    copy.column = value.column;
    copy.source = value.source;
    if (value.is_scalar()) copy.text = text_at(value, index);
    copy.items.reserve(value.items.size());
    for (const Value& item : value.items) copy.items.push_back(at(item, index));
    copy.entries.reserve(value.entries.size());
    for (const Value::Entry& entry : value.entries) {
      copy.entries.push_back({at(entry.key, index), at(entry.value, index)});
    }
    return copy;
  }

 private:
  std::string text_at(const Value& value, long index) const {
    const std::string& text = value.text;
    std::string result;
    std::size_t from = 0;
    for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', from)) {
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) {
        reader_.fail(value, "`{` without its `}`", fmt::format("write {{{}}} or {{{}-1}}", index_, index_));
      }
      result += text.substr(from, open - from);
      result += std::to_string(formula(value, text.substr(open + 1, close - open - 1), index));
      from = close + 1;
    }
    return result + text.substr(from);
  }

  long formula(const Value& where, const std::string& text, long index) const {
    double number = 0.0;
    try {
      const algebra::Names names{[&](std::string_view name) -> std::optional<algebra::Quantity> {
                                   if (name != index_) return std::nullopt;
                                   return algebra::Quantity{Expr(static_cast<double>(index)), {}, {}};
                                 },
                                 [&] { return std::vector<std::string>{index_}; }};
      const Expr result = algebra::parse(text, names).value;
      number = result.value();
    } catch (const algebra::ParseError& error) {
      reader_.fail(where, fmt::format("in `{{{}}}`: {}", text.substr(0, 40), error.wrong), error.remedy);
    }
    if (!(std::fabs(number) <= static_cast<double>(kLargestIndex)) || number != std::floor(number)) {
      reader_.fail(where, fmt::format("`{{{}}}` is {}, not a whole number", text.substr(0, 40), number),
                   fmt::format("write {{{}}} or {{{}-1}}", index_, index_));
    }
    return static_cast<long>(number);
  }

  const Reader& reader_;
  std::string index_;
};

/// The section of that name in the document, made where it is missing.
Value& section_of(Value& document, const Value& source, std::string_view name) {
  for (Value::Entry& entry : document.entries) {
    if (entry.key.text == name) return entry.value;
  }
  Value key = source, section = source;
  key.kind = Value::Kind::scalar;
  key.text = std::string(name);
  key.entries.clear();
  section.entries.clear();
  document.entries.push_back({std::move(key), std::move(section)});
  return document.entries.back().value;
}

/// What one map of the repeat makes joins the section of the document that it belongs to.
class Repeat {
 public:
  Repeat(const Reader& reader, const Fields& fields, const Value& document)
      : reader_(reader),
        count_(reader.integer(fields.require("count", "write count: 30, how many times"), "`count`", 1,
                              kMostRepeats)),
        expansion_(reader,
                   fields["index"] != nullptr ? reader.identifier(*fields["index"], "an index") : "i"),
        nodes_(count_nodes(document)) {
    if (const Value* from = fields["from"])
      first_ = reader.integer(*from, "`from`", -kLargestIndex / 2, kLargestIndex / 2);
  }

  void join(const Value& given, std::string_view name, Value& section) {
    reader_.require_map(given, fmt::format("`{}` in `repeat`", name));
    nodes_ += static_cast<std::size_t>(count_) * count_nodes(given);
    if (nodes_ > kMostNodes) {
      reader_.fail(given, "the repeats make the model too large",
                   fmt::format("at most {} values are read", kMostNodes));
    }
    reader_.require_map(section, fmt::format("`{}`", name));
    std::unordered_map<std::string, int> lines;
    for (const Value::Entry& entry : section.entries) lines.emplace(entry.key.text, entry.key.line);
    for (long i = first_; i < first_ + count_; ++i) {
      for (const Value::Entry& entry : given.entries) {
        Value::Entry made{expansion_.at(entry.key, i), expansion_.at(entry.value, i)};
        const auto [other, is_new] = lines.emplace(made.key.text, made.key.line);
        if (!is_new) {
          reader_.fail(
              made.key,
              fmt::format("the repeat makes `{}` again (there is one in line {})", made.key.text,
                          other->second),
              "put the index into the name, such as link_{i}, and let `from` begin after the last one");
        }
        section.entries.push_back(std::move(made));
      }
    }
  }

 private:
  const Reader& reader_;
  long count_, first_ = 1;
  Expansion expansion_;
  std::size_t nodes_;
};

void expand(const Reader& reader, Value& document, const Value& repeat) {
  const Fields fields(reader, repeat, "`repeat`", keys::kRepeat);
  Repeat repeats(reader, fields, document);
  for (const std::string_view name :
       {"bodies", "joints", "frames", "springs", "definitions", "forces", "constraints", "transitions"}) {
    if (const Value* given = fields[name]) repeats.join(*given, name, section_of(document, *given, name));
  }
  const auto join_within = [&](std::string_view name, std::span<const std::string_view> parts) {
    const Value* outer = fields[name];
    if (outer == nullptr) return;
    const Fields given(reader, *outer, fmt::format("`{}` in `repeat`", name), parts);
    Value& section = section_of(document, *outer, name);
    reader.require_map(section, fmt::format("`{}`", name));
    for (const std::string_view part : parts) {
      if (const Value* inner = given[part]) repeats.join(*inner, part, section_of(section, *inner, part));
    }
  };
  join_within("initial", keys::kRepeatedInitial);
  join_within("contact", keys::kRepeatedContact);
  join_within("parametric", keys::kParametric);
}

}  // namespace

std::vector<std::string> names_in_counts(const Value& document) {
  std::vector<std::string> found;
  algebra::Graph scratch;
  const algebra::Graph::Scope scope(scratch);
  const algebra::Names names{[&](std::string_view name) -> std::optional<algebra::Quantity> {
                               found.emplace_back(name);
                               return algebra::Quantity{Expr(1.0), algebra::Quantity::Known::no, {}};
                             },
                             [] { return std::vector<std::string>(); }};
  const auto look_at = [&](const Value& repeat) {
    for (const std::string_view key : {"count", "from"}) {
      const Value* value = repeat.find(key);
      if (value == nullptr || !value->is_scalar()) continue;
      try {
        algebra::parse(value->text, names);
      } catch (const algebra::ParseError&) {
        // expand_repeats() will say so
      }
    }
  };
  if (const Value* repeat = document.find("repeat")) {
    look_at(*repeat);
    for (const Value& each : repeat->items) look_at(each);
  }
  return found;
}

void expand_repeats(const Reader& reader, Value& document) {
  const Value* found = document.find("repeat");
  if (found == nullptr) return;
  const Value repeat = *found;  // sections may be added to the document meanwhile
  if (repeat.is_sequence()) {
    for (const Value& each : repeat.items) expand(reader, document, each);
  } else {
    expand(reader, document, repeat);
  }
}

}  // namespace tactus::describe
