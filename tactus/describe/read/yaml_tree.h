// A YAML file as a plain tree in which every node remembers its line and column. The tree is built from the
// parser's events, so that hostile files (alias bombs, endless nesting, doubled keys) are refused while they
// are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tactus/base/error.h>

namespace tactus::describe {

/// One node of the document. Lines and columns count from 1.
struct Value {
  enum class Kind { null, scalar, sequence, map };
  struct Entry;

  Kind kind = Kind::null;
  bool quoted = false;  // a scalar in quotes is text even where it looks like a number
  int line = 0, column = 0;
  int source = 0;              // which file it stands in: Reader::sources; 0: the model's own
  std::string text;            // of a scalar
  std::vector<Value> items;    // of a sequence
  std::vector<Entry> entries;  // of a map, in the order of the file

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
  /// The value under a key of a map, or null.
  const Value* find(std::string_view key) const;
};

struct Value::Entry {
  Value key;  // a scalar
  Value value;
};

/// "a number or text", "a list", "a map", "nothing": for messages.
std::string_view name_of(Value::Kind kind);

/// Limits that no honest model comes near.
inline constexpr int kDeepestNesting = 64;
inline constexpr std::size_t kMostNodes = 1'000'000;

/// The tree of a text in YAML. Throws InputError with line and column where it is not YAML, or exceeds the
/// limits. `source`: Value::source of every node.
Value read_document(const std::string& text, const std::string& file, int source = 0);

/// Number of nodes of a tree, itself included.
std::size_t count_nodes(const Value& value);

}  // namespace tactus::describe
