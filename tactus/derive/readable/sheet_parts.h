// What the sheets of equations are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tactus/derive/readable/sheet.h>

namespace tactus::derive {

/// "M[1,2]" and "M_{12}", still without right sides.
WrittenEquation named(const std::string& letter, std::vector<int> indices);

/// From 1: of a vector its row, of a matrix row and column, also where it has one column only.
std::vector<int> indices_of(std::string_view key, int row, int column);

std::vector<std::string> names_of(const algebra::Graph& graph, const std::vector<Expr>& symbols);
const algebra::Block* block_named(const std::vector<algebra::Block>& blocks, std::string_view name);
/// An empty sheet with the names of a function's coordinates and speeds.
Sheet sheet_of(const describe::Model& model, const Function& function, std::string note);

const char* equation_of_motion(const describe::Model& model);

struct SheetPart {
  std::string key, title;
  const algebra::Block* block = nullptr;
  bool upper_triangle = false;
};

/// Operations that one formula may hold before parts get names.
inline constexpr std::size_t kLongFormula = 200;

/// Blocks of one graph, in the form that shares temporaries.
void add_shared_form(Sheet& sheet, const algebra::Graph& graph, const std::vector<SheetPart>& parts,
                     std::size_t longest = kLongFormula);

}  // namespace tactus::derive
