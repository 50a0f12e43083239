#include <tactus/device/hand_file.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/reader.h>
#include <tactus/describe/read/table_files.h>
#include <tactus/describe/read/tables.h>
#include <tactus/generate/kernel.h>

namespace tactus::device {

namespace {

using algebra::Dimension;
using algebra::Expr;
using algebra::Quantity;
using describe::Value;
namespace dimension = algebra::dimension;

constexpr std::string_view kKind = "file:";

/// What is written down, four vectors, in this order.
constexpr std::size_t kVectors = 4, kValues = 3 * kVectors;
constexpr std::array<std::string_view, kVectors> kVectorNames{"torque", "force", "turn", "way"};
constexpr std::array<Dimension, kVectors> kDimensions{dimension::kTorque, dimension::kForce,
                                                      dimension::kNumber, dimension::kLength};
constexpr std::size_t kIntention = 6;  // from here on: where an arm pulls
using Values = std::array<double, kValues>;

/// Wrench and intention of one instant.
template <class Source>
class Written final : public device::Hand {
 public:
  Written(Source source, std::optional<device::Arm> arm) : source_(std::move(source)), arm_(arm) {}

  device::Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    Values now{};
    source_(t, now);
    device::Grip grip;
    if (arm_) {
      const double* const to = now.data() + kIntention;
      grip = device::pull({{to[3], to[4], to[5]}, {to[0], to[1], to[2]}}, X_WH, *arm_);
    }
    for (std::size_t i = 0; i < kIntention; ++i) grip.wrench[i] += now[i];
    return grip;
  }

 private:
  Source source_;
  std::optional<device::Arm> arm_;  // nothing: no intention is given
};

// ---- formulas

/// Its memory is its own: one thread asks a hand.
class Formulas {
 public:
  explicit Formulas(generate::Kernel kernel)
      : kernel_(std::move(kernel)), work_(std::max<std::size_t>(kernel_.work_size(), 1)) {}
  void operator()(double t, Values& now) const noexcept { kernel_(&t, now.data(), work_.data()); }

 private:
  generate::Kernel kernel_;
  mutable std::vector<double> work_;
};

constexpr const char* kNoNumber = "a division by zero, or a root or logarithm of a negative number?";

class HandReader {
 public:
  HandReader(const std::string& text, const std::string& path)
      : reader_(path), document_(describe::read_document(text, path)) {}

  device::HandPointer read(const device::Arm& usual, double duration, std::uint64_t seed, double lever) {
    static constexpr std::array<std::string_view, 9> kKeys{"parameters", "tables", "force",  "torque", "way",
                                                           "turn",       "arm",    "let_go", "tremor"};
    const describe::Fields fields(reader_, document_, "a hand", kKeys);
    if (const Value* parameters = fields["parameters"]) read_parameters(*parameters);
    if (const Value* tables = fields["tables"]) describe::read_tables(reader_, *tables);
    std::optional<device::Arm> arm;
    if (fields["way"] != nullptr || fields["turn"] != nullptr) arm = usual;
    if (const Value* given = fields["arm"]) {
      if (!arm)
        reader_.fail(*given, "an arm that means to go nowhere does nothing",
                     "give `way` or `turn`; `way: [0, 0, 0]` holds the handle where it began");
      read_arm(*given, *arm);
    }
    const double let_go = number(fields["let_go"], dimension::kTime, "`let_go`");
    const double tremor = number(fields["tremor"], dimension::kForce, "`tremor`");

    const Expr t = algebra::symbol("t");
    reader_.local_names["t"] = Quantity{t, Quantity::Known::no, {}};
    algebra::Function function{"hand", "what a hand does", reader_.graph(), {}, {}};
    function.inputs.push_back({"t", "time [s]", 1, 1, {t}});
    algebra::Block all{"all", "torque, force, turn, way", static_cast<int>(kValues), 1, {}};
    for (std::size_t k = 0; k < kVectors; ++k) read_vector(fields[kVectorNames[k]], k, all.entries);
    function.outputs.push_back(std::move(all));
    const Formulas formulas(generate::compile(function));
    refuse_what_is_no_number(formulas, fields, duration);
    device::HandPointer hand = std::make_unique<Written<Formulas>>(formulas, arm);
    if (tremor > 0.0) hand = device::trembling(std::move(hand), tremor, seed, lever);
    if (fields["let_go"] != nullptr) hand = device::letting_go(std::move(hand), let_go);
    return hand;
  }

 private:
  void read_parameters(const Value& value) {
    reader_.require_map(value, "`parameters`");
    for (const Value::Entry& entry : value.entries) {
      const std::string& name = reader_.identifier(entry.key, "a parameter");
      if (algebra::is_reserved_name(name) || name == "t" || reader_.parameter_quantities.contains(name))
        reader_.fail(entry.key, fmt::format("`{}` already has a meaning", name), "choose another name");
      const Quantity quantity = reader_.quantity(entry.value);
      if (!std::isfinite(reader_.value_at_parameters(quantity.value)))
        reader_.fail(entry.value, fmt::format("`{}` is not a finite number", entry.value.text), kNoNumber);
      reader_.parameter_quantities[name] = quantity;
    }
  }

  /// 0 where it is not given; not negative.
  double number(const Value* value, Dimension dimension, std::string_view what) const {
    if (value == nullptr) return 0.0;
    return reader_.value_at_parameters(reader_.positive_number(*value, dimension, what));
  }

  void read_arm(const Value& value, device::Arm& arm) const {
    static constexpr std::array<std::string_view, 4> kKeys{"rotational_stiffness", "stiffness",
                                                           "rotational_damping", "damping"};
    const describe::Fields fields(reader_, value, "an arm", kKeys);
    const std::array<Dimension, 4> dimensions{dimension::kAngularStiffness, dimension::kStiffness,
                                              dimension::kAngularDamping, dimension::kDamping};
    const std::array<double*, 4> places{&arm.stiffness[0], &arm.stiffness[1], &arm.damping[0],
                                        &arm.damping[1]};
    for (std::size_t k = 0; k < kKeys.size(); ++k)
      if (const Value* given = fields[kKeys[k]])
        *places[k] = number(given, dimensions[k], fmt::format("`{}`", kKeys[k]));
  }

  void read_vector(const Value* value, std::size_t k, std::vector<Expr>& entries) const {
    if (value == nullptr) {
      entries.insert(entries.end(), 3, Expr(0.0));
      return;
    }
    const std::string what = fmt::format("`{}`", kVectorNames[k]);
    // In a YAML list the commas of a formula part its arguments.
    const bool split = std::any_of(value->items.begin(), value->items.end(), [](const Value& item) {
      return std::count(item.text.begin(), item.text.end(), '(') !=
             std::count(item.text.begin(), item.text.end(), ')');
    });
    if (split)
      reader_.fail(*value, fmt::format("{} has {} values", what, value->items.size()),
                   "in a list, put a formula with commas into quotes: [\"max(t, 1)\", 0, 0]");
    reader_.require_list(*value, what, 3);
    for (const Value& item : value->items) {
      const Quantity quantity = reader_.quantity(item);
      try {
        algebra::require_dimension(quantity, kDimensions[k]);
      } catch (const algebra::ParseError& error) {
        reader_.fail(item, error.wrong, error.remedy);
      }
      entries.push_back(quantity.value);
    }
  }

  /// At a thousand times of the run: what is no number in the middle of it would end it there.
  void refuse_what_is_no_number(const Formulas& formulas, const describe::Fields& fields,
                                double duration) const {
    constexpr int kTimes = 1000;
    for (int n = 0; n <= kTimes; ++n) {
      const double t = duration * n / kTimes;
      Values now{};
      formulas(t, now);
      for (std::size_t i = 0; i < kValues; ++i)
        if (const Value* vector = fields[kVectorNames[i / 3]]; vector != nullptr && !std::isfinite(now[i])) {
          const Value& item = vector->items[i % 3];
          reader_.fail(item, fmt::format("`{}` is not a finite number at t = {:g} s", item.text, t),
                       kNoNumber);
        }
    }
  }

  describe::Reader reader_;
  Value document_;
};

// ---- tables

struct Rows {
  std::vector<double> t;
  std::vector<Values> values;

  void operator()(double now, Values& out) const noexcept {
    const auto next = static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), now) - t.begin());
    if (next == 0 || next == t.size()) {
      out = next == 0 ? values.front() : values.back();
      return;
    }
    const double part = (now - t[next - 1]) / (t[next] - t[next - 1]);
    for (std::size_t i = 0; i < kValues; ++i)
      out[i] = values[next - 1][i] + part * (values[next][i] - values[next - 1][i]);
  }
};

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t' || cell.back() == '\r'))
    cell.remove_suffix(1);
  return cell;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0;;) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells.push_back(trimmed(line.substr(from, comma - from)));
    if (comma == line.size()) return cells;
    from = comma + 1;
  }
}

/// Of `force_x`: where it stands among the values; kValues where it is none of them.
std::size_t value_named(std::string_view name) {
  for (std::size_t k = 0; k < kVectors; ++k)
    for (std::size_t i = 0; i < 3; ++i)
      if (name == fmt::format("{}_{}", kVectorNames[k], "xyz"[i])) return 3 * k + i;
  return kValues;
}

device::HandPointer read_rows(std::string_view text, const std::string& path, const device::Arm& usual) {
  constexpr const char* kForm =
      "write a first line of names, `t,force_x,force_y`: `t` and some of force_, torque_, way_ and turn_ "
      "with "
      "x, y, z; rows of numbers below, separated by commas";
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Rows rows;
  std::vector<std::size_t> columns;  // of each cell; kValues + 1: the time
  bool wrench = false, intention = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> cells = cells_of(line);
    if (columns.empty()) {
      bool time = false;
      for (const std::string_view name : cells) {
        columns.push_back(name == "t" ? kValues + 1 : value_named(name));
        if (columns.back() < kValues && std::count(cells.begin(), cells.end(), name) > 1)
          throw InputError({path, number}, fmt::format("there are two columns `{}`", name),
                           "keep one of them");
        time |= name == "t";
        (columns.back() < kIntention ? wrench : intention) |= columns.back() < kValues;
      }
      if (!time) throw InputError({path, number}, "a hand's table has no column `t`", kForm);
      if (!wrench && !intention)
        throw InputError({path, number}, "no column of this table says what a hand does", kForm);
      continue;
    }
    if (cells.size() != columns.size())
      throw InputError({path, number},
                       fmt::format("{} numbers where there are {} names", cells.size(), columns.size()),
                       "was the file cut off?");
    Values values{};
    double t = 0.0;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (columns[k] == kValues) continue;  // something else
      double value = 0.0;
      const char* const last = cells[k].data() + cells[k].size();
      const auto [stop, error] = std::from_chars(cells[k].data(), last, value);
      if (error != std::errc() || stop != last || !std::isfinite(value))
        throw InputError({path, number}, fmt::format("`{}` is not a finite number", cells[k]), kForm);
      (columns[k] < kValues ? values[columns[k]] : t) = value;
    }
    if (!rows.t.empty() && !(t > rows.t.back()))
      throw InputError({path, number}, fmt::format("time goes from {:g} to {:g} s", rows.t.back(), t),
                       "every row must be later than the one before");
    rows.t.push_back(t);
    rows.values.push_back(values);
  }
  if (rows.t.empty()) throw InputError({path}, "a hand's table without rows", kForm);
  return std::make_unique<Written<Rows>>(std::move(rows),
                                         intention ? std::optional<device::Arm>(usual) : std::nullopt);
}

}  // namespace

std::string file_of_hand(const std::string& name) {
  return name.starts_with(kKind) ? name.substr(kKind.size()) : std::string();
}

std::string text_of_hand(const std::string& path) {
  if (std::error_code error; !std::filesystem::exists(path, error))
    throw InputError({path}, "there is no such file",
                     "check the path: file:HAND.yaml for formulas, file:HAND.csv for a table");
  std::string text = describe::read_source(path);
  bool empty = true;
  for (std::string_view rest = text; !rest.empty() && empty;) {
    const std::string_view line = trimmed(rest.substr(0, rest.find('\n')));
    empty = line.empty() || line.front() == '#';
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  if (empty)
    throw InputError({path, 1, 1}, "nothing in this file says what a hand does",
                     path.ends_with(".csv")
                         ? "a table begins with a line of names, `t,force_x`, and has rows of numbers below"
                         : "give at least one of `force`, `torque`, `way` and `turn`: `force: [1, 0, 0]`");
  return text;
}

device::HandPointer read_hand(const std::string& path, const device::Arm& arm, double duration,
                              std::uint64_t seed, double lever) {
  const std::string text = text_of_hand(path);
  describe::require_text(text, path);
  if (path.ends_with(".csv")) return read_rows(text, path, arm);
  return HandReader(text, path).read(arm, duration, seed, lever);
}

double end_of_hand(const std::string& path) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::string text = text_of_hand(path);
  // Of comma-separated rows the last one's number in this column.
  const auto last_time = [&](std::string_view rows, std::size_t column) {
    double last = kNever;
    while (!rows.empty()) {
      const std::size_t end = std::min(rows.find('\n'), rows.size());
      const std::vector<std::string_view> cells = cells_of(trimmed(rows.substr(0, end)));
      rows.remove_prefix(std::min(end + 1, rows.size()));
      double value = 0.0;
      if (column < cells.size() &&
          std::from_chars(cells[column].data(), cells[column].data() + cells[column].size(), value).ec ==
              std::errc())
        last = value;
    }
    return last;
  };
  if (path.ends_with(".csv")) {
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
      if (line.empty() || line.front() == '#') continue;
      const std::vector<std::string_view> names = cells_of(line);
      return last_time(rest,
                       static_cast<std::size_t>(std::find(names.begin(), names.end(), "t") - names.begin()));
    }
    return kNever;
  }
  double end = kNever;
  if (text.find("let_go:") != std::string::npos) return end;
  const std::vector<std::string> names = describe::table_names(path), files = describe::table_files(path);
  for (std::size_t i = 0; i < names.size() && names.size() == files.size(); ++i)
    if (text.find(names[i] + "(t)") != std::string::npos)
      end = std::min(end, last_time(describe::read_source(files[i]), 0));
  return end;
}

}  // namespace tactus::device
