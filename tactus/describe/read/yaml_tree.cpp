#include <tactus/describe/read/yaml_tree.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <tactus/base/check.h>

namespace tactus::describe {

namespace {

constexpr std::string_view kMerge = "<<";

struct Measured {
  Value value;
  std::size_t nodes = 1;
  int height = 1;
};

class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& text, std::string file, int source)
      : text_(text), file_(std::move(file)), source_(source) {}

  Value take() { return std::move(root_.value); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    leaf(at(mark, Value::Kind::null), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Value scalar = at(mark, Value::Kind::scalar);
    require_plain_tag(scalar, tag);
    scalar.text = value;
    scalar.quoted = tag == "!";
    if (scalar.quoted) require_closing_quote(scalar, mark);
    leaf(std::move(scalar), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(at(mark, Value::Kind::null), "the alias refers to something that contains it",
           "write the value out instead of `*alias`");
    }
    const Measured& meant = found->second;
    // The copy stands where the original does, for messages; its size and depth count again.
    count(at(mark, Value::Kind::null), meant.nodes);
    if (static_cast<int>(stack_.size()) + meant.height > kDeepestNesting) too_deep(mark);
    add(meant);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, Value::Kind::sequence, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, Value::Kind::map, tag, anchor);
  }
  void OnMapEnd() override {
    merge(stack_.back().made.value);
    require_distinct_keys(stack_.back().made.value);
    end();
  }

 private:
  struct Level {
    Measured made;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  // of a map: the key is read, its value comes next
    Value key;
  };

  Value at(const YAML::Mark& mark, Value::Kind kind) const {
    Value value;
    value.kind = kind;
    value.source = source_;
    value.line = mark.line + 1;
    value.column = mark.column + 1;
    return value;
  }

  [[noreturn]] void fail(const Value& where, std::string wrong, std::string remedy) const {
    throw InputError({file_, where.line, where.column}, std::move(wrong), std::move(remedy));
  }
  [[noreturn]] void too_deep(const YAML::Mark& mark) const {
    fail(at(mark, Value::Kind::null), "the file is nested too deeply",
         fmt::format("at most {} levels are read", kDeepestNesting));
  }

  void require_plain_tag(const Value& where, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:")) return;
    fail(where, fmt::format("the tag `{}` has no meaning here", tag.substr(0, 40)), "remove the tag");
  }

  /// The parser lets a quoted text run to the end of the file.
  void require_closing_quote(const Value& where, const YAML::Mark& mark) const {
    const auto begin = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (begin >= text_.size() || (text_[begin] != '"' && text_[begin] != '\'')) return;
    const char quote = text_[begin];
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        return;
      }
    }
    fail(where, "the quote is never closed", "close it at the end of the text");
  }

  void count(const Value& where, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > kMostNodes) {
      fail(where, "the file holds too many values once its aliases are written out",
           fmt::format("at most {} are read; use `repeat` instead of aliases of aliases", kMostNodes));
    }
  }

  void leaf(Value value, YAML::anchor_t anchor) {
    count(value, 1);
    Measured made{std::move(value), 1, 1};
    if (anchor != 0) anchors_[anchor] = made;
    add(std::move(made));
  }

  void begin(const YAML::Mark& mark, Value::Kind kind, const std::string& tag, YAML::anchor_t anchor) {
    count(at(mark, kind), 1);
    if (static_cast<int>(stack_.size()) >= kDeepestNesting) too_deep(mark);
    Level level;
    level.made.value = at(mark, kind);
    level.anchor = anchor;
    require_plain_tag(level.made.value, tag);
    stack_.push_back(std::move(level));
  }

  void end() {
    Level done = std::move(stack_.back());
    stack_.pop_back();
    if (done.anchor != 0) anchors_[done.anchor] = done.made;
    add(std::move(done.made));
  }

  void add(Measured child) {
    if (stack_.empty()) {
      root_ = std::move(child);
      return;
    }
    Level& level = stack_.back();
    level.made.nodes += child.nodes;
    level.made.height = std::max(level.made.height, child.height + 1);
    if (level.made.value.is_sequence()) {
      level.made.value.items.push_back(std::move(child.value));
    } else if (!level.has_key) {
      if (!child.value.is_scalar()) {
        fail(child.value, fmt::format("a key must be a name, not {}", name_of(child.value.kind)),
             "write `name: value`; quote text that begins with { or [");
      }
      level.key = std::move(child.value);
      level.has_key = true;
    } else {
      if (child.value.is_null()) {  // the parser places a missing value wherever the next thing stands
        child.value.line = level.key.line;
        child.value.column = level.key.column;
      }
      level.made.value.entries.push_back({std::move(level.key), std::move(child.value)});
      level.has_key = false;
    }
  }

  void require_distinct_keys(const Value& map) const {
    std::unordered_map<std::string_view, int> lines;
    for (const Value::Entry& entry : map.entries) {
      const auto [first, is_new] = lines.emplace(entry.key.text, entry.key.line);
      if (!is_new) {
        fail(entry.key, fmt::format("`{}` is given twice (first in line {})", entry.key.text, first->second),
             "keep one of them, or give them different names");
      }
    }
  }

  /// `<<: *defaults`: the entries of that map (or of several, in a list), where the key is not given here.
  void merge(Value& map) const {
    std::vector<Value::Entry> kept, merged;
    for (Value::Entry& entry : map.entries) {
      if (entry.key.text != kMerge || entry.key.quoted) {
        kept.push_back(std::move(entry));
        continue;
      }
      std::vector<Value> sources;
      if (entry.value.is_sequence()) {
        sources = std::move(entry.value.items);
      } else {
        sources.push_back(std::move(entry.value));
      }
      for (Value& source : sources) {
        if (!source.is_map()) {
          fail(entry.key, fmt::format("`<<` merges maps, not {}", name_of(source.kind)),
               "write `<<: *name_of_a_map`");
        }
        for (Value::Entry& inherited : source.entries) merged.push_back(std::move(inherited));
      }
    }
    if (!merged.empty()) {
      std::unordered_set<std::string> have;
      for (const Value::Entry& entry : kept) have.insert(entry.key.text);
      for (Value::Entry& entry : merged) {
        if (have.insert(entry.key.text).second) kept.push_back(std::move(entry));
      }
    }
    map.entries = std::move(kept);
  }

  const std::string& text_;
  std::string file_;
  int source_;
  Measured root_;
  std::vector<Level> stack_;
  std::unordered_map<YAML::anchor_t, Measured> anchors_;
  std::size_t nodes_ = 0;
};

struct Translation {
  std::string_view parser, wrong, remedy;
};
/// The commonest complaints of yaml-cpp, in words for people who know no YAML grammar.
const Translation kTranslations[] = {
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a `[` is never closed, or a comma is missing",
     "close the list with `]`"},
    {YAML::ErrorMsg::END_OF_MAP_FLOW, "a `{` is never closed, or a comma is missing",
     "close the map with `}`"},
    {YAML::ErrorMsg::FLOW_END, "a `]` or `}` without its beginning", "remove it, or open the bracket before"},
    {YAML::ErrorMsg::MAP_VALUE, "a `:` stands where none may be",
     "check the indentation; quote text that holds `: `"},
    {YAML::ErrorMsg::END_OF_MAP, "another `key: value` is expected here",
     "check the indentation and the line before"},
    {YAML::ErrorMsg::UNKNOWN_ANCHOR, "the alias refers to nothing", "define it before with `&name`"},
};

InputError translate(const YAML::Exception& error, const std::string& text, const std::string& file) {
  const Place where{file, error.mark.line + 1, error.mark.column + 1};
  std::size_t begin = 0;
  for (int line = 0; line < error.mark.line && begin < text.size(); ++line) {
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  }
  const std::size_t content = std::min(text.find_first_not_of(" \t", begin), text.size());
  const std::string_view indentation(text.data() + begin, content - begin);
  if (const std::size_t tab = indentation.find('\t'); tab != std::string_view::npos) {
    return InputError({file, where.line, static_cast<int>(tab) + 1},
                      "this is not YAML: a tab in the indentation", "indent with spaces");
  }
  for (const Translation& known : kTranslations) {
    if (error.msg == known.parser) {
      return InputError(where, fmt::format("this is not YAML: {}", known.wrong), std::string(known.remedy));
    }
  }
  return InputError(where, fmt::format("this is not YAML: {}", error.msg),
                    "check indentation, colons, quotes and brackets around here");
}

/// Where the second document of a file begins.
Place second_document(const std::string& text, const std::string& file) {
  const std::size_t found = text.find("\n---");
  if (found == std::string::npos) return {file};
  return {
      file,
      static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found), '\n')) + 2,
      1};
}

/// The parser reads ahead through a whole flow list or map before it says anything: a long run of brackets or
/// commas would cost gigabytes. No honest text has so many brackets open, or so many commas.
void refuse_hopeless(const std::string& text, const std::string& file) {
  constexpr int kMostOpenBrackets = 1000;
  constexpr std::size_t kMostCommas = 2 * kMostNodes;
  int open = 0, line = 1;
  std::size_t commas = 0, line_begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '[':
      case '{':
        ++open;
        break;
      case ']':
      case '}':
        open = std::max(open - 1, 0);
        break;
      case ',':
        ++commas;
        break;
      case '\n':
        ++line;
        line_begin = i + 1;
        break;
      default:
        break;
    }
    if (open <= kMostOpenBrackets && commas <= kMostCommas) continue;
    throw InputError(
        {file, line, static_cast<int>(i - line_begin) + 1},
        open > kMostOpenBrackets ? "the file is nested too deeply" : "the file holds too many values",
        open > kMostOpenBrackets ? fmt::format("at most {} levels are read", kDeepestNesting)
                                 : fmt::format("at most {} are read", kMostNodes));
  }
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key.text == key) return &entry.value;
  }
  return nullptr;
}

std::string_view name_of(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null:
      return "nothing";
    case Value::Kind::scalar:
      return "a single value";
    case Value::Kind::sequence:
      return "a list";
    case Value::Kind::map:
      return "a map";
  }
  return "?";
}

std::size_t count_nodes(const Value& value) {
  std::size_t nodes = 1;
  for (const Value& item : value.items) nodes += count_nodes(item);
  for (const Value::Entry& entry : value.entries) nodes += 1 + count_nodes(entry.value);
  return nodes;
}

Value read_document(const std::string& text, const std::string& file, int source) {
  refuse_hopeless(text, file);
  std::istringstream stream(text);
  Builder builder(text, file, source);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw InputError({file, 1, 1}, "the file holds nothing but comments",
                       "a model needs at least `name`, `bodies` and `joints`");
    }
    if (parser) {
      throw InputError(second_document(text, file), "the file holds more than one YAML document",
                       "keep one model per file; remove `---`");
    }
  } catch (const YAML::Exception& error) {
    throw translate(error, text, file);
  }
  return builder.take();
}

}  // namespace tactus::describe
