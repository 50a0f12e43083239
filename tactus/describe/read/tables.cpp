#include <tactus/describe/read/tables.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/reader.h>

namespace tactus::describe {

namespace {

using algebra::Quantity;

/// Slopes' rates at the samples of a natural cubic spline: for each inner sample
///   h0 m0 + 2 (h0 + h1) m1 + h1 m2 = 6 ((y2 - y1)/h1 - (y1 - y0)/h0),   m = 0 at both ends.
std::vector<double> second_derivatives(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> m(n, 0.0), upper(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {  // Thomas' elimination; diagonally dominant
    const double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
    const double pivot = 2.0 * (h0 + h1) - h0 * upper[i - 1];
    upper[i] = h1 / pivot;
    m[i] = (6.0 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0) - h0 * m[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] -= upper[i] * m[i + 1];
  return m;
}

/// A piece from its left end: c0 + s (c1 + s (c2 + s c3)).
struct Piece {
  double x = 0.0;
  std::array<double, 4> c{};

  Expr at(Expr argument) const {
    const Expr s = argument - Expr(x);
    Expr value(c[3]);
    for (std::size_t k = 3; k-- > 0;) value = value * s + Expr(c[k]);
    return value;
  }
};

std::vector<Piece> pieces_of(const Table& table) {
  const bool cubic = table.interpolation == Table::Interpolation::cubic;
  const std::vector<double>&x = table.x, &y = table.y;
  const std::vector<double> m = cubic ? second_derivatives(x, y) : std::vector<double>(x.size(), 0.0);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double h = x[i + 1] - x[i];
    const double slope = (y[i + 1] - y[i]) / h - h * (2.0 * m[i] + m[i + 1]) / 6.0;
    pieces.push_back({x[i], {y[i], slope, 0.5 * m[i], (m[i + 1] - m[i]) / (6.0 * h)}});
  }
  return pieces;
}

/// The piece that the argument lies in, by halves.
Expr choose(std::span<const Piece> pieces, Expr argument) {
  if (pieces.size() == 1) return pieces[0].at(argument);
  const std::size_t half = pieces.size() / 2;
  return select(argument - Expr(pieces[half].x), choose(pieces.subspan(half), argument),
                choose(pieces.first(half), argument));
}

}  // namespace

Expr Table::at(Expr argument) const {
  const std::vector<Piece> pieces = pieces_of(*this);
  const Expr inside = choose(pieces, argument);
  const Piece& last = pieces.back();
  const double h = x.back() - last.x;
  const double end_slope = last.c[1] + h * (2.0 * last.c[2] + h * 3.0 * last.c[3]);
  const double length = x.back() - x.front();
  constexpr double kBlur = 1e-9;  // of the table's length: an end is met but for rounding
  switch (beyond) {
    case Beyond::hold:
      return select(argument - Expr(x.back()), Expr(y.back()),
                    select(argument - Expr(x.front()), inside, Expr(y.front())));
    case Beyond::extrapolate: {
      const Piece before{x.front(), {y.front(), pieces[0].c[1], 0.0, 0.0}},
          after{x.back(), {y.back(), end_slope, 0.0, 0.0}};
      return select(argument - Expr(x.back()), after.at(argument),
                    select(argument - Expr(x.front()), inside, before.at(argument)));
    }
    case Beyond::error: {
      // The logarithm of what is below zero is no number; by how much below says which table it is.
      const Expr past = argument - Expr(x.back() + kBlur * length),
                 early = Expr(x.front() - kBlur * length) - argument;
      return select(past, log(-past - Expr(number)), select(early, log(-early - Expr(number)), inside));
    }
  }
  return inside;
}

int number_of_ended_table(double past, double log_of) {
  const double number = -past - log_of;
  return number > 0.5 && number < 1e6 ? static_cast<int>(std::lround(number)) : 0;
}

namespace {

/// How the rows of a file are written: decided once, for all of them. Semicolons separate wherever there are some, and tabs beside commas;
/// the commas are those of decimals then. Otherwise commas separate, and where there are none, blanks.
struct RowFormat {
  char separator = ' ';  // ';', ',', tab; blank: any number of blanks and tabs
  bool decimal_commas = false;
};

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  return cell;
}

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t end = separator == ' ' ? line.find_first_of(" \t") : line.find(separator);
    std::string_view cell = trimmed(line.substr(0, end));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = trimmed(cell.substr(1, cell.size() - 2));
    if (separator != ' ' || !cell.empty()) cells.push_back(cell);
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

struct Row {
  int number = 0;  // of the line
  std::string_view text;
};

/// Rows, without empty lines and those that begin with #.
std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> rows;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    rows.push_back({number, line});
  }
  return rows;
}

RowFormat format_of(const std::vector<Row>& rows) {
  const auto any = [&](char c) {
    return std::any_of(rows.begin(), rows.end(),
                       [c](const Row& row) { return row.text.find(c) != row.text.npos; });
  };
  // "0,<tab>1" is separated by commas; "0,5<tab>1" by tabs.
  const auto by_tabs = [](const Row& row) {
    const std::vector<std::string_view> cells = split(row.text, '\t');
    return cells.size() > 1 && std::none_of(cells.begin(), cells.end(), [](std::string_view cell) {
             return cell.empty() || cell.starts_with(',') || cell.ends_with(',');
           });
  };
  if (any(';')) return {';', any(',')};
  if (!any(',')) return {};
  if (std::all_of(rows.begin(), rows.end(), by_tabs)) return {'\t', true};
  return {',', false};
}

std::string_view name_of_separator(char separator) {
  return separator == ';'    ? "semicolons"
         : separator == ','  ? "commas"
         : separator == '\t' ? "tabs"
                             : "blanks";
}

std::optional<double> number_in(std::string_view cell) {
  double value = 0.0;
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || cell.empty()) return std::nullopt;
  return value;
}

/// Which column of the file: by number from 1, or by its name in the first line.
std::size_t column_of(const Reader& reader, const Value& wanted, const std::vector<std::string>& header) {
  constexpr double kMostColumns = 1e6;  // of any file that may be read
  if (const auto number = number_in(wanted.text); wanted.is_scalar() && number && *number >= 1.0) {
    if (*number != std::floor(*number) || !(*number <= kMostColumns))
      reader.fail(wanted, fmt::format("`{}` is no column's number", wanted.text),
                  "write a whole number, from 1");
    return static_cast<std::size_t>(*number) - 1;
  }
  const auto found = std::find(header.begin(), header.end(), reader.word(wanted, "a column"));
  if (found == header.end()) {
    reader.fail(wanted, fmt::format("the file has no column named `{}`", wanted.text),
                header.empty() ? std::string("its first line has no names: give the column's number, from 1")
                               : suggestion(wanted.text, std::span<const std::string>(header)));
  }
  return static_cast<std::size_t>(found - header.begin());
}

void read_file(const Reader& reader, const Value& file, const Value* columns, Table& table) {
  namespace fs = std::filesystem;
  const fs::path named = reader.word(file, "`file`");
  const std::string path = named.is_absolute()
                               ? named.string()
                               : (fs::path(reader.place(file).file).parent_path() / named).string();
  std::string text;
  try {
    text = read_source(path);
    require_text(text, path);
  } catch (const InputError& error) {
    reader.fail(file, fmt::format("the table's file {}: {}", path, error.wrong()),
                "name a file of rows of numbers; paths begin at the folder of the file that names it");
  }
  const std::vector<Row> rows = rows_of(text);
  const RowFormat format = format_of(rows);
  std::vector<std::string> header;
  std::array<std::size_t, 2> column{0, 1};
  std::size_t width = 0;
  // A cell as a number, with a decimal comma where the file has those.
  const auto value_in = [&](std::string_view cell) -> std::optional<double> {
    if (!format.decimal_commas) return number_in(cell);
    if (cell.find('.') != std::string_view::npos) return std::nullopt;
    std::string plain(cell);
    const std::size_t comma = plain.find(',');
    if (comma != std::string::npos) plain[comma] = '.';
    return number_in(plain);
  };
  // Names stand over numbers. A first line that has both is a mistake of one or the other: taken for names, a sample would be lost.
  const auto is_header = [&](const std::vector<std::string_view>& first) {
    const auto is_number = [&](std::string_view cell) { return value_in(cell).has_value(); };
    const std::vector<std::string_view> next =
        rows.size() > 1 ? split(rows[1].text, format.separator) : std::vector<std::string_view>{};
    const bool any_number = std::any_of(first.begin(), first.end(), is_number);
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (is_number(first[k]) || (k < next.size() && !is_number(next[k]))) continue;
      if (!any_number) return true;
      throw InputError(
          {path, rows[0].number, static_cast<int>(first[k].data() - rows[0].text.data()) + 1},
          fmt::format("`{}` is not a finite number, and other values of the first row are numbers", first[k]),
          fmt::format("a first line is all names, or all numbers; this file is separated by {}",
                      name_of_separator(format.separator)));
    }
    return false;
  };
  for (const Row& row : rows) {
    std::vector<std::string_view> cells = split(row.text, format.separator);
    if (width > 0 && cells.size() == width + 1 && cells.back().empty()) cells.pop_back();
    if (width == 0) {
      const bool has_names = is_header(cells);
      width = cells.size();
      if (has_names) header.assign(cells.begin(), cells.end());
      if (columns != nullptr) {
        reader.require_list(*columns, "`columns`", 2);
        for (std::size_t k = 0; k < 2; ++k) column[k] = column_of(reader, columns->items[k], header);
      }
      if (has_names) continue;
    }
    if (cells.size() != width)
      throw InputError(
          {path, row.number, 1},
          fmt::format("this row has {} columns, and those before it have {}", cells.size(), width),
          fmt::format("the file is separated by {}: every row needs as many columns; a decimal comma "
                      "is read only where semicolons or tabs separate",
                      name_of_separator(format.separator)));
    const auto value = [&](std::size_t k) {
      const std::optional<double> found = k < cells.size() ? value_in(cells[k]) : std::nullopt;
      if (found && std::isfinite(*found)) return *found;
      const bool mixed =
          k < cells.size() && format.decimal_commas && cells[k].find('.') != std::string_view::npos;
      // A cell is a part of the row, and so knows its column.
      const int at = k < cells.size() ? static_cast<int>(cells[k].data() - row.text.data()) + 1 : 1;
      throw InputError(
          {path, row.number, at},
          k < cells.size() ? fmt::format("`{}` is not a finite number", cells[k])
                           : fmt::format("there is no column {}", k + 1),
          mixed ? "other numbers of this file have decimal commas: write all of them in one way"
                : fmt::format("a row of a table is numbers; this file is separated by {}, {}",
                              name_of_separator(format.separator),
                              format.decimal_commas ? "with decimal commas" : "with decimal points"));
    };
    table.x.push_back(value(column[0]));
    table.y.push_back(value(column[1]));
  }
}

void read_points(const Reader& reader, const Value& points, Table& table) {
  if (!points.is_sequence())
    reader.fail(points, fmt::format("`points` must be a list, not {}", name_of(points.kind)),
                "write points: [[0, 0], [0.5, 2], [1, 0]]");
  const auto number = [&](const Value& value) {
    const Expr given = reader.quantity(value).value;
    const double result = reader.read_once(given, fmt::format("the table `{}`", table.name));
    if (!std::isfinite(result)) reader.fail(value, "this is not a finite number", "write a finite number");
    return result;
  };
  for (const Value& point : points.items) {
    reader.require_list(point, "a point of a table", 2);
    table.x.push_back(number(point.items[0]));
    table.y.push_back(number(point.items[1]));
  }
}

void read_value_unit(const Reader& reader, const Value& unit, Table& table) {
  const std::optional<algebra::Unit> known = algebra::parse_unit(reader.word(unit, "a unit"));
  if (!known) {
    reader.fail(unit, fmt::format("unknown unit `{}`", unit.text),
                "write SI units, deg, mm ... as in `kg m^2` or `N/m`");
  }
  for (double& y : table.y) y = y * known->factor / known->divisor;
  table.known = Quantity::Known::yes;
  table.dimension = known->dimension;
}

void check(const Reader& reader, const Value& where, const Table& table) {
  if (table.x.size() < 2) {
    reader.fail(where, fmt::format("the table `{}` has {} rows", table.name, table.x.size()),
                "two are the least");
  }
  if (table.x.size() > kMostTableRows) {
    reader.fail(where,
                fmt::format("the table `{}` has {} rows, and at most {} are taken", table.name,
                            table.x.size(), kMostTableRows),
                "take every second row, or fewer: between them it is interpolated");
  }
  for (std::size_t i = 1; i < table.x.size(); ++i) {
    if (table.x[i] > table.x[i - 1]) continue;
    reader.fail(where,
                fmt::format("the arguments of the table `{}` do not rise: row {} has {}, after {}",
                            table.name, i + 1, table.x[i], table.x[i - 1]),
                "sort the rows; a jump is two rows that lie close together");
  }
}

}  // namespace

void read_tables(Reader& reader, const Value& section) {
  static constexpr std::array<std::string_view, 2> kInterpolations = {"linear", "cubic"};
  static constexpr std::array<std::string_view, 3> kBeyond = {"hold", "extrapolate", "error"};
  reader.require_map(section, "`tables`");
  for (const Value::Entry& entry : section.entries) {
    Table table;
    table.name = reader.identifier(entry.key, "a table");
    table.number = static_cast<int>(reader.tables.size()) + 1;
    if (algebra::is_reserved_name(table.name) || table.name == "t" || reader.tables.contains(table.name) ||
        reader.parameter_quantities.contains(table.name)) {
      reader.fail(entry.key, fmt::format("`{}` already has a meaning", table.name), "choose another name");
    }
    const Fields fields(reader, entry.value, fmt::format("the table `{}`", table.name), keys::kTable);
    const Value *file = fields["file"], *points = fields["points"];
    if ((file != nullptr) == (points != nullptr)) {
      reader.fail(entry.value, "exactly one of `points` and `file` is needed",
                  "write points: [[0, 0], [0.5, 2], [1, 0]], or file: push.csv");
    }
    if (const Value* word = fields["interpolation"])
      table.interpolation =
          static_cast<Table::Interpolation>(reader.choice(*word, "an interpolation", kInterpolations));
    if (const Value* word = fields["beyond"])
      table.beyond = static_cast<Table::Beyond>(reader.choice(*word, "what is beyond the ends", kBeyond));
    if (file != nullptr) {
      read_file(reader, *file, fields["columns"], table);
    } else {
      fields.refuse({"columns"}, "only a file has columns");
      read_points(reader, *points, table);
    }
    if (const Value* unit = fields["unit"]) read_value_unit(reader, *unit, table);
    if (const Value* text = fields["description"]) reader.word(*text, "a description");
    check(reader, file != nullptr ? *file : *points, table);
    reader.tables.emplace(table.name, std::move(table));
  }
}

}  // namespace tactus::describe
