#include <tactus/describe/read/reader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/keys.h>
#include <tactus/math/decompositions.h>
#include <tactus/math/rotation.h>

namespace tactus::describe {

namespace {

/// An axis or quaternion written with six or more digits is taken for a unit vector and normalised.
constexpr double kUnitTolerance = 1e-6;
/// A rotation matrix nearer to orthonormal than this is kept to the bit.
constexpr double kExactRotation = 1e-14;

Model empty_model(std::string file, std::shared_ptr<const algebra::Graph> graph) {
  Model model;
  model.file = std::move(file);
  model.graph = std::move(graph);
  return model;
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Reader::Reader(std::string file) : Reader(std::move(file), std::make_shared<algebra::Graph>()) {}

Reader::Reader(std::string file, const std::shared_ptr<algebra::Graph>& graph)
    : model(empty_model(std::move(file), graph)), graph_(graph), scope_(*graph), sources_{{model.file, ""}} {}

std::vector<std::string> Reader::included() const {
  std::vector<std::string> paths;
  for (std::size_t i = 1; i < sources_.size(); ++i)
    if (!sources_[i].path.starts_with("--set ")) paths.push_back(sources_[i].path);
  return paths;
}

int Reader::add_source(Source source) {
  sources_.push_back(std::move(source));
  return static_cast<int>(sources_.size()) - 1;
}

void Reader::fail(const Value& where, std::string wrong, std::string remedy) const {
  throw InputError(place(where), std::move(wrong), std::move(remedy));
}

void Reader::warn(const Value& where, const std::string& text) {
  model.warnings.push_back(place(where).to_string() + ": " + text);
}

algebra::Names Reader::names() const {
  return {[this](std::string_view name) -> std::optional<algebra::Quantity> {
            const std::string key(name);
            if (const auto local = local_names.find(key); local != local_names.end()) return local->second;
            const auto parameter = parameter_quantities.find(key);
            if (parameter != parameter_quantities.end()) return parameter->second;
            return further_names.find ? further_names.find(name) : std::nullopt;
          },
          [this] {
            std::vector<std::string> all;
            for (const auto& [name, quantity] : local_names) all.push_back(name);
            for (const auto& [name, quantity] : parameter_quantities) all.push_back(name);
            if (further_names.known)
              for (std::string& name : further_names.known()) all.push_back(std::move(name));
            std::sort(all.begin(), all.end());
            return all;
          },
          [this](std::string_view name, const algebra::Quantity& x) -> std::optional<algebra::Quantity> {
            const auto found = tables.find(std::string(name));
            if (found == tables.end()) return std::nullopt;
            return algebra::Quantity{found->second.at(x.value), found->second.known, found->second.dimension};
          },
          [this] {
            std::vector<std::string> all;
            for (const auto& [name, table] : tables) all.push_back(name);
            return all;
          }};
}

InputError Reader::error_in(const Value& value, const algebra::ParseError& error) const {
  Place where = place(value);
  // A scalar over several lines has lost its line breaks: then the place is its beginning.
  if (value.text.find('\n') == std::string::npos) {
    where.column += static_cast<int>(error.offset) + (value.quoted ? 1 : 0);
  }
  return InputError(where, error.wrong, error.remedy);
}

algebra::Quantity Reader::quantity(const Value& value, const algebra::Names& names) const {
  if (!value.is_scalar()) {
    fail(value, fmt::format("a number is expected here, not {}", name_of(value.kind)),
         "write a number, or a formula in the parameters");
  }
  try {
    return algebra::parse(value.text, names);
  } catch (const algebra::ParseError& error) {
    throw error_in(value, error);
  }
}

double Reader::value_at_parameters(Expr number) const { return values_(number); }

double Reader::read_once(Expr number, std::string_view by) const {
  for (const Expr symbol : algebra::symbols_in(std::span(&number, 1)))
    read_once_.push_back({graph_->symbol_name(symbol), std::string(by)});
  return value_at_parameters(number);
}

Model Reader::take() {
  model.read_once = std::move(read_once_);
  return std::move(model);
}

Expr Reader::number(const Value& value, algebra::Dimension dimension) const {
  const algebra::Quantity result = quantity(value);
  try {
    algebra::require_dimension(result, dimension);
  } catch (const algebra::ParseError& error) {
    throw error_in(value, error);
  }
  if (!std::isfinite(value_at_parameters(result.value))) {
    fail(value, fmt::format("`{}` is not a finite number", value.text),
         "a division by zero, or a root or logarithm of a negative number?");
  }
  return result.value;
}

Expr Reader::positive_number(const Value& value, algebra::Dimension dimension, std::string_view what) const {
  const Expr result = number(value, dimension);
  if (value_at_parameters(result) < 0.0) {
    fail(value, fmt::format("{} is negative ({})", what, value_at_parameters(result)),
         "it must be zero or more");
  }
  return result;
}

const Value& Reader::require_map(const Value& value, std::string_view what) const {
  if (!value.is_map()) {
    fail(value, fmt::format("{} must be a map, not {}", what, name_of(value.kind)),
         "write `key: value` lines below it");
  }
  return value;
}

const Value& Reader::require_list(const Value& value, std::string_view what, std::size_t size) const {
  if (!value.is_sequence() || value.items.size() != size) {
    fail(value,
         fmt::format("{} must be a list of {} values, not {}", what, size,
                     value.is_sequence() ? fmt::format("of {}", value.items.size())
                                         : std::string(name_of(value.kind))),
         size == 3 ? "write it as [x, y, z]" : "write it as [a, b, ...]");
  }
  return value;
}

Vec3 Reader::vector(const Value& value, algebra::Dimension dimension, std::string_view what) const {
  require_list(value, what, 3);
  return {number(value.items[0], dimension), number(value.items[1], dimension),
          number(value.items[2], dimension)};
}

Vec3 Reader::axis(const Value& value) const {
  if (value.is_scalar()) {
    static constexpr std::array<std::string_view, 6> kAxes = {"x", "y", "z", "-x", "-y", "-z"};
    for (std::size_t i = 0; i < 6; ++i) {
      if (value.text != kAxes[i]) continue;
      Vec3 e = Vec3::unit(i % 3);
      return i < 3 ? e : -e;
    }
    fail(value, fmt::format("`{}` is not an axis", value.text),
         "write x, y, z, -x, -y, -z, or a unit vector [0, 0, 1]");
  }
  const Vec3 e = vector(value, algebra::dimension::kNumber, "an axis");
  std::array<double, 3> d{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!e[i].is_constant())
      fail(value.items[i], "an axis must be made of plain numbers", "turn `placement` instead");
    d[i] = e[i].value();
  }
  const double length = std::hypot(d[0], d[1], d[2]);
  if (length == 0.0) fail(value, "the axis has length zero", "write a unit vector, such as [0, 0, 1]");
  if (std::fabs(length - 1.0) > kUnitTolerance) {
    fail(value, fmt::format("the axis has length {:.6g}", length),
         fmt::format("write a unit vector: [{:.10g}, {:.10g}, {:.10g}]", d[0] / length, d[1] / length,
                     d[2] / length));
  }
  if (length == 1.0) return e;
  return {Expr(d[0] / length), Expr(d[1] / length), Expr(d[2] / length)};
}

Mat3 Reader::rotation_from_quaternion(const Value& value) const {
  require_list(value, "a quaternion", 4);
  std::array<double, 4> q{};
  for (std::size_t i = 0; i < 4; ++i) {
    const Expr part = number(value.items[i], algebra::dimension::kNumber);
    if (!part.is_constant())
      fail(value.items[i], "a quaternion must be made of plain numbers", "use `axis_angle`");
    q[i] = part.value();
  }
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (std::fabs(length - 1.0) > kUnitTolerance) {
    fail(value, fmt::format("the quaternion has length {:.6g}", length),
         "write a unit quaternion [w, x, y, z], the scalar first");
  }
  const auto unit = [&](double x) { return Expr(length == 1.0 ? x : x / length); };
  return math::rotation_of<Expr>({unit(q[0]), unit(q[1]), unit(q[2]), unit(q[3])});
}

Mat3 Reader::rotation_from_rows(const Value& value) const {
  require_list(value, "`rows`", 3);
  Mat3 R;
  Eigen::Matrix3d numbers;
  bool constant = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 row = vector(value.items[i], algebra::dimension::kNumber, "a row of the rotation matrix");
    for (std::size_t j = 0; j < 3; ++j) {
      R(i, j) = row[j];
      constant = constant && row[j].is_constant();
      numbers(static_cast<int>(i), static_cast<int>(j)) = value_at_parameters(row[j]);
    }
  }
  const double error = (numbers * numbers.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(error <= 2.0 * kUnitTolerance)) {
    fail(value, fmt::format("the rows are not orthogonal unit vectors (off by {:.2g})", error),
         "write a rotation matrix, with six digits or more");
  }
  if (numbers.determinant() < 0.0) {
    fail(value, "the rows are a mirror image, not a rotation",
         "the third row must be the first cross the second");
  }
  if (!constant || error <= kExactRotation) return R;
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(numbers, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Matrix3d nearest_rotation = svd.matrixU() * svd.matrixV().transpose();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      R(i, j) = Expr(nearest_rotation(static_cast<int>(i), static_cast<int>(j)));
  }
  return R;
}

Pose Reader::placement(const Value& value) const {
  const Fields fields(*this, value, "a placement", keys::kPlacement);
  Pose X;
  if (const Value* xyz = fields["xyz"]) X.p = vector(*xyz, algebra::dimension::kLength, "`xyz`");
  int orientations = 0;
  for (const char* key : {"rpy", "axis_angle", "quaternion", "rows"}) {
    const Value* given = fields[key];
    if (given != nullptr && ++orientations > 1) {
      fail(*given, "the orientation is given twice",
           "keep one of `rpy`, `axis_angle`, `quaternion` and `rows`");
    }
  }
  if (const Value* rpy = fields["rpy"]) {
    // R = Rz(yaw) Ry(pitch) Rx(roll): turns about fixed axes, as in URDF.
    const Vec3 a = vector(*rpy, algebra::dimension::kNumber, "`rpy`");
    X.R = math::rotation_z(cos(a.z), sin(a.z)) * math::rotation_y(cos(a.y), sin(a.y)) *
          math::rotation_x(cos(a.x), sin(a.x));
  } else if (const Value* axis_angle = fields["axis_angle"]) {
    const Fields turn(*this, *axis_angle, "`axis_angle`", keys::kAxisAngle);
    const Vec3 e = axis(turn.require("axis", "write axis_angle: {axis: z, angle: 30 deg}"));
    const Expr angle = number(turn.require("angle", "write axis_angle: {axis: z, angle: 30 deg}"),
                              algebra::dimension::kNumber);
    X.R = math::rotation_about(e, cos(angle), sin(angle));
  } else if (const Value* quaternion = fields["quaternion"]) {
    X.R = rotation_from_quaternion(*quaternion);
  } else if (const Value* rows = fields["rows"]) {
    X.R = rotation_from_rows(*rows);
  }
  return X;
}

const std::string& Reader::word(const Value& value, std::string_view what) const {
  if (!value.is_scalar() || value.text.empty()) {
    fail(value,
         fmt::format("{} must be text, not {}", what, value.is_scalar() ? "empty" : name_of(value.kind)),
         "write text; quotes are needed where it holds `: ` or begins with a special character");
  }
  return value.text;
}

const std::string& Reader::identifier(const Value& value, std::string_view what) const {
  constexpr std::size_t kLongestName = 100;
  const std::string& text = word(value, what);
  if (!is_identifier(text) || text.size() > kLongestName) {
    fail(value, fmt::format("`{}` cannot be the name of {}", text.substr(0, kLongestName), what),
         "names are letters, digits and _, begin with a letter, and have at most 100 characters");
  }
  return text;
}

bool Reader::flag(const Value& value, std::string_view what) const {
  if (value.is_scalar() && !value.quoted) {
    if (value.text == "true") return true;
    if (value.text == "false") return false;
  }
  fail(value, fmt::format("{} must be true or false", what), "write true or false");
}

long Reader::integer(const Value& value, std::string_view what, long lowest, long highest) const {
  constexpr double kRounding = 1e-9;  // 0.1*30 is a whole number, too
  const double number = value_at_parameters(this->number(value, algebra::dimension::kNumber));
  const double whole = std::round(number);
  if (!(std::fabs(number - whole) <= kRounding) || !(whole >= static_cast<double>(lowest)) ||
      !(whole <= static_cast<double>(highest))) {
    fail(value,
         fmt::format("{} must be a whole number from {} to {}{}", what, lowest, highest,
                     value.text == fmt::format("{}", number) ? "" : fmt::format(", not {}", number)),
         "write a number without decimals or units, or a formula in the parameters that gives one");
  }
  return static_cast<long>(whole);
}

std::size_t Reader::choice(const Value& value, std::string_view what,
                           std::span<const std::string_view> choices) const {
  const std::string& text = word(value, what);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == text) return i;
  }
  fail(value, fmt::format("`{}` is not {}", text, what), suggestion(text, choices));
}

Fields::Fields(const Reader& reader, const Value& map, std::string_view what,
               std::span<const std::string_view> keys)
    : reader_(reader), map_(reader.require_map(map, what)), what_(what), keys_(keys) {
  constexpr std::size_t kMany = 64;  // more: all coordinates of a mechanism
  std::unordered_set<std::string_view> many;
  if (keys.size() > kMany) many.insert(keys.begin(), keys.end());
  const auto is_known = [&](std::string_view key) {
    return keys.size() > kMany ? many.contains(key) : std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (const Value::Entry& entry : map.entries) {
    if (is_known(entry.key.text)) continue;
    reader.fail(entry.key, fmt::format("unknown key `{}` in {}", entry.key.text, what),
                suggestion(entry.key.text, keys));
  }
}

const Value* Fields::operator[](std::string_view key) const {
  TACTUS_CHECK(std::find(keys_.begin(), keys_.end(), key) != keys_.end());
  return map_.find(key);
}

const Value& Fields::require(std::string_view key, std::string_view remedy) const {
  const Value* value = (*this)[key];
  if (value == nullptr) reader_.fail(map_, fmt::format("{} has no `{}`", what_, key), std::string(remedy));
  return *value;
}

void Fields::refuse(std::initializer_list<std::string_view> keys, std::string_view why) const {
  for (const Value::Entry& entry : map_.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key.text) == keys.end()) continue;
    reader_.fail(entry.key, fmt::format("`{}` has no meaning in {}", entry.key.text, what_),
                 std::string(why));
  }
}

}  // namespace tactus::describe
