// Named formulas that use each other, in any order, without circles.
#pragma once

#include <string_view>
#include <vector>

#include <tactus/describe/read/reader.h>

namespace tactus::describe {

struct NamedFormula {
  const Value* name = nullptr;
  const Value* formula = nullptr;
  std::vector<std::size_t> uses;  // others, by index
};

/// Finds which uses which. `known`: whether a name that is none of theirs is known otherwise; those that are not are
/// reported where they stand, with `all` for "did you mean".
void find_uses(const Reader& reader, std::vector<NamedFormula>& formulas, const algebra::Names& others);

/// Their indices in an order in which each uses only earlier ones. Fails on circles; `what`: "parameters".
std::vector<std::size_t> in_order_of_use(const Reader& reader, const std::vector<NamedFormula>& formulas,
                                         std::string_view what, std::string_view remedy);

}  // namespace tactus::describe
