// Tables: functions of one number given by samples, `push(t)` or `spring(q1)`, written into formulas as their pieces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/algebra/parse.h>

namespace tactus::describe {

class Reader;
struct Value;

struct Table {
  enum class Interpolation {
    linear,
    cubic,  // a natural spline: twice differentiable, its ends without curvature
  };
  enum class Beyond {
    hold,         // the value at the end
    extrapolate,  // a straight line with the slope at the end
    error,        // no number: a motion ends there
  };
  std::string name;
  std::vector<double> x, y;  // x rises
  Interpolation interpolation = Interpolation::linear;
  Beyond beyond = Beyond::hold;
  int number = 1;  // of its file, from 1: stands in the expression of one that ends in an error
  algebra::Quantity::Known known = algebra::Quantity::Known::no;  // of the values' dimension
  algebra::Dimension dimension;

  /// The table's value as an expression of the current graph: a tree of choices between pieces, so that a place between n
  /// samples costs some 3 n (linear) or 5 n (cubic) operations and log n of them in a row.
  algebra::Expr at(algebra::Expr x) const;
};

/// Rows of a table at most: its pieces stand in the equations.
inline constexpr std::size_t kMostTableRows = 20'000;

/// Of the table that has ended, in an expression `past: log(-past - number)`, at numbers for both; 0 where it is none.
int number_of_ended_table(double past, double log_of);

/// The `tables` section, of a model or a script; files are looked for beside the file that names them.
void read_tables(Reader& reader, const Value& section);

}  // namespace tactus::describe
