// A function over the graph: named blocks of inputs (symbols) and of outputs (expressions). This is what
// `derive` makes, and what every back end of `generate` turns into something that runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::algebra {

/// A named matrix of entries, row by row. Inputs hold symbols, outputs any expressions.
struct Block {
  std::string name;     // "q", "u", "tau", "M", ...: an identifier, used in generated code
  std::string meaning;  // one line for documentation, with the unit
  int rows = 0;
  int cols = 1;
  std::vector<Expr> entries;

  std::size_t size() const { return entries.size(); }
};

struct Function {
  std::string name;     // "inverse_dynamics": an identifier, used in generated code
  std::string meaning;  // one sentence for documentation
  std::shared_ptr<Graph> graph;
  std::vector<Block> inputs;
  std::vector<Block> outputs;

  std::size_t input_size() const;
  std::size_t output_size() const;
  /// All output entries, in order.
  std::vector<Expr> roots() const;
};

}  // namespace tactus::algebra
