#include "linear_output.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <tactus/display/svg_plot.h>

#include "simulate_summary.h"

namespace tactus::apps {

namespace {

using Json = nlohmann::ordered_json;
using Complex = std::complex<double>;
using simulate::LinearModel;

/// What a solved zero leaves, by the largest eigenvalue: shown as zero. JSON has the number.
constexpr double kShownAsZero = 1e-12;
/// Of a value of size one: what is more than rounding of what a user would type.
constexpr double kMoved = 1e-9;
/// Parts of a mode below this are not named.
constexpr double kNamed = 1e-6;

Json rows(const Eigen::MatrixXd& matrix) {
  Json result = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    result.push_back(std::move(row));
  }
  return result;
}

Json roots(const std::vector<Complex>& values) {
  Json result = Json::array();
  for (const Complex& value : values) result.push_back({value.real(), value.imag()});
  return result;
}

/// Speeds are named as the rates they are, so that a joint's coordinate and its speed differ.
std::vector<std::string> state_names(const std::vector<std::string>& coordinates,
                                     const std::vector<std::string>& speeds) {
  std::vector<std::string> names = coordinates;
  for (const std::string& speed : speeds) {
    const bool same = std::find(coordinates.begin(), coordinates.end(), speed) != coordinates.end();
    names.push_back(same ? speed + "_dot" : speed);
  }
  return names;
}

Json by_name(const std::vector<std::string>& names, const std::vector<double>& values) {
  Json result = Json::object();
  for (std::size_t k = 0; k < values.size() && k < names.size(); ++k) result[names[k]] = values[k];
  return result;
}

Json point_as_json(const LinearReport& report, const LinearPoint& of) {
  const LinearModel& model = of.model;
  Json result;
  result["t"] = model.at.t;
  result["point"] = {{"q", by_name(report.coordinates, model.at.q)},
                     {"u", by_name(report.speeds, model.at.u)}};
  if (model.at.tau) result["point"]["tau"] = by_name(report.efforts, *model.at.tau);
  result["q"] = model.at.q;
  result["u"] = model.at.u;
  if (model.at.tau) result["tau"] = *model.at.tau;
  if (report.searched) result["family"] = of.family;
  if (!report.searched) result["changes"] = changes_as_json(of.changes);
  result["is_equilibrium"] = model.is_equilibrium;
  result["is_steady"] = model.is_steady;
  result["is_uniform"] = model.is_uniform;
  result["acceleration"] = model.largest_acceleration;
  result["acceleration_later"] = model.later_acceleration;
  result["change_later"] = model.later_change;
  result["coordinates"] = {{"independent", model.coordinates},
                           {"dependent", model.dependent_coordinates},
                           {"ignorable", model.ignorable},
                           {"kept", model.kept}};
  result["speeds"] = {{"independent", model.speeds}, {"dependent", model.dependent_speeds}};
  result["inputs"] = model.inputs;
  result["axes"] = Json::object();
  for (const simulate::TurnedAxes& axes : model.axes)
    result["axes"][axes.joint] = {
        {"back", axes.back}, {"keep_direction", axes.keep_direction}, {"apart", axes.apart}};
  result["M"] = rows(model.M);
  result["C"] = rows(model.C);
  result["K"] = rows(model.K);
  result["F"] = rows(model.F);
  result["state"] = state_names(model.kept, model.speeds);
  result["A"] = rows(model.reduced.A);
  result["B"] = rows(model.reduced.B);
  result["full"] = {{"state", state_names(model.coordinates, model.speeds)},
                    {"A", rows(model.full.A)},
                    {"B", rows(model.full.B)}};
  result["eigenvalues"] = roots(model.eigenvalues);
  result["ignorable_eigenvalues"] = roots(model.ignorable_eigenvalues);
  const std::vector<std::string> names = state_names(model.kept, model.speeds);
  Json all = Json::array();
  for (const simulate::Mode& mode : simulate::modes(model)) {
    Json shape = Json::object();
    for (std::size_t k = 0; k < names.size(); ++k)
      shape[names[k]] = {mode.shape[k].real(), mode.shape[k].imag()};
    Json entry = {{"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}}};
    entry["frequency"] = mode.frequency();
    if (mode.frequency() > 0.0) entry["damping"] = mode.damping();
    entry["shape"] = std::move(shape);
    all.push_back(std::move(entry));
  }
  result["modes"] = std::move(all);
  return result;
}

/// [1/s] And at least this: the zeros of a mechanism that has nothing else are zeros, too.
constexpr double kSlowest = 1e-2;

double largest_of(const std::vector<Complex>& values) {
  double largest = kSlowest;
  for (const Complex& value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

std::string number(double x) { return fmt::format("{:.12g}", x); }

std::string in_words(const Complex& value, double size) {
  const double re = std::abs(value.real()) <= kShownAsZero * size ? 0.0 : value.real();
  const double im = std::abs(value.imag()) <= kShownAsZero * size ? 0.0 : value.imag();
  if (im == 0.0) return number(re);
  return fmt::format("{} {} {}i", number(re), im < 0.0 ? "-" : "+", number(std::abs(im)));
}

std::string list(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

void add_matrix(std::string& text, const char* name, const Eigen::MatrixXd& matrix) {
  text += fmt::format("{}\n", name);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    text += " ";
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) text += fmt::format(" {:>15.9g}", matrix(i, j));
    text += "\n";
  }
}

/// In which axes turns, shifts and speeds of a joint are counted that are not in the child's own.
std::string in_words(const simulate::TurnedAxes& axes) {
  const std::string how = axes.keep_direction
                              ? "do not turn with it"
                              : fmt::format("turn back against it at ({:.6g}, {:.6g}, {:.6g}) rad/s",
                                            axes.back[0], axes.back[1], axes.back[2]);
  return fmt::format("those of {} agree with its child's at this moment and {}{}", axes.joint, how,
                     axes.apart ? "; its speeds are components in them, whatever its small turns" : "");
}

void add_head(std::string& text, const LinearModel& model) {
  text += fmt::format("coordinates  {}\n", list(model.kept));
  if (!model.ignorable.empty())
    text += fmt::format("  ignorable  {} (nothing accelerates by them)\n", list(model.ignorable));
  for (Eigen::Index i = 0; i < model.along.rows(); ++i)
    for (Eigen::Index j = 0; j < model.along.cols(); ++j)
      if (model.along(i, j) != 0.0)
        text += fmt::format("             {} is counted less {:.6g} times {}\n",
                            model.kept[static_cast<std::size_t>(i)], model.along(i, j),
                            model.ignorable[static_cast<std::size_t>(j)]);
  if (!model.dependent_coordinates.empty())
    text += fmt::format("  dependent  {}\n", list(model.dependent_coordinates));
  text += fmt::format("speeds       {}\n", list(model.speeds));
  if (!model.dependent_speeds.empty()) text += fmt::format("  dependent  {}\n", list(model.dependent_speeds));
  text += fmt::format("inputs       {}\n", list(model.inputs));
  for (const simulate::TurnedAxes& axes : model.axes)
    text += fmt::format("axes         {}\n", in_words(axes));
}

const char* kind_of(const LinearModel& model) {
  if (model.is_equilibrium) return "an equilibrium";
  if (model.is_uniform && !model.is_steady) return "a uniform motion, along which its linear model changes";
  return model.is_steady ? "a steady motion" : "a point that is neither equilibrium nor steady motion";
}

/// What a search has left of a value that is zero.
constexpr double kSearchedZero = 1e-12;

void add_values(std::string& text, const char* what, const std::vector<std::string>& names,
                const std::vector<double>& values) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < values.size() && k < names.size(); ++k)
    words.push_back(
        fmt::format("{} = {}", names[k], number(std::abs(values[k]) < kSearchedZero ? 0.0 : values[k])));
  text += fmt::format("  {:<11}{}\n", what, list(words));
}

/// The motion that a search has found, SI units.
void add_found(std::string& text, const LinearReport& report, const LinearPoint& point) {
  const LinearModel& model = point.model;
  text += report.swept.empty() ? "found\n" : "      found\n";
  add_values(text, "at", report.coordinates, model.at.q);
  add_values(text, "speeds", report.speeds, model.at.u);
  if (model.at.tau) add_values(text, "forces", report.efforts, *model.at.tau);
  if (!point.family.empty())
    text += fmt::format("  {:<11}by {}: with other values near these there are others\n", "family",
                        list(point.family));
}

/// Where a state that was given has become another one, to meet the constraints.
void add_moved(std::string& text, const LinearReport& report, const LinearPoint& point) {
  constexpr std::size_t kMostNamed = 20;
  std::vector<simulate::InitialChange> moved;
  for (const simulate::InitialChange& change : point.changes)
    if (!(std::abs(change.to - change.from) <= kMoved * std::max(1.0, std::abs(change.to))))
      moved.push_back(change);
  if (moved.empty()) return;
  // The given ones first: those are what a user may not expect.
  std::stable_partition(moved.begin(), moved.end(), [](const auto& change) { return change.was_given; });
  std::vector<std::string> words;
  for (std::size_t k = 0; k < std::min(moved.size(), kMostNamed); ++k)
    words.push_back(fmt::format("{} `{}` {} -> {}{}", moved[k].is_speed ? "speed" : "coordinate",
                                moved[k].name, number(moved[k].from), number(moved[k].to),
                                moved[k].was_given ? "" : " (none was given)"));
  if (moved.size() > kMostNamed)
    words.push_back(fmt::format("{} more (--json lists all)", moved.size() - kMostNamed));
  text += fmt::format("{}the constraints do not allow the state as it is; it was changed: {}\n",
                      report.swept.empty() ? "" : "      ", fmt::join(words, ", "));
}

void add_point(std::string& text, const LinearModel& model) {
  const std::vector<std::string> names = state_names(model.kept, model.speeds);
  const double size = largest_of(model.eigenvalues);
  text += "\neigenvalues [1/s], with their modes\n";
  for (const simulate::Mode& mode : simulate::modes(model)) {
    const bool pair = mode.eigenvalue.imag() > kShownAsZero * size;
    std::string value = in_words(mode.eigenvalue, size);
    if (pair) value.replace(value.find(" + "), 3, " +- ");
    text += fmt::format("  {}", value);
    if (pair)
      text += fmt::format("   ({:.6g} Hz, damping ratio {:.4g})", mode.eigenvalue.imag() / (2.0 * M_PI),
                          std::abs(mode.damping()) < kShownAsZero ? 0.0 : mode.damping());
    text += "\n     ";
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Complex part = mode.shape[k];
      if (std::abs(part) < kNamed) continue;
      text += fmt::format(" {} {:.4g}", names[k], pair ? std::abs(part) : part.real());
      if (pair) text += fmt::format(" at {:.1f} deg", std::arg(part) * 180.0 / M_PI);
      text += ";";
    }
    if (text.back() == ';') text.pop_back();
    text += "\n";
  }
  const double of_ignorable = largest_of(model.ignorable_eigenvalues);
  if (!model.ignorable.empty()) {
    std::vector<std::string> values;
    for (const Complex& value : model.ignorable_eigenvalues)
      values.push_back(in_words(value, std::max(of_ignorable, 1.0)));
    text += fmt::format("  of the ignorable coordinates: {}\n", list(values));
  }
}

/// Each eigenvalue followed over the points: the next one is the nearest to where the last two lead.
std::vector<std::vector<Complex>> followed(const LinearReport& report) {
  std::size_t count = 0;
  for (const LinearPoint& point : report.points) count = std::max(count, point.model.eigenvalues.size());
  const Complex none(std::numeric_limits<double>::quiet_NaN(), 0.0);
  std::vector<std::vector<Complex>> paths(count, std::vector<Complex>(report.points.size(), none));
  for (std::size_t k = 0; k < report.points.size(); ++k) {
    std::vector<Complex> left = report.points[k].model.eigenvalues;
    // The surest first: pairs (path, eigenvalue) by distance.
    struct Pair {
      double distance;
      std::size_t path, value;
    };
    std::vector<Pair> pairs;
    for (std::size_t p = 0; p < count; ++p) {
      const auto before = [&](std::size_t back) { return paths[p][k - back]; };
      Complex expected = k > 0 ? before(1) : Complex(0.0);
      if (k > 1 && std::isfinite(before(2).real())) expected = 2.0 * before(1) - before(2);
      for (std::size_t v = 0; v < left.size(); ++v)
        pairs.push_back({k > 0 && std::isfinite(expected.real()) ? std::abs(left[v] - expected)
                                                                 : static_cast<double>(p == v ? 0 : 1),
                         p, v});
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
    std::vector<char> path_done(count, 0), value_done(left.size(), 0);
    for (const Pair& pair : pairs) {
      if (path_done[pair.path] || value_done[pair.value]) continue;
      path_done[pair.path] = value_done[pair.value] = 1;
      paths[pair.path][k] = left[pair.value];
    }
  }
  return paths;
}

}  // namespace

std::string as_json(const LinearReport& report) {
  Json result;
  result["model"] = report.model;
  result["conventions"] = {
      {"equations", "M d(udot) + C du + K dq = F d(input); xdot = A x + B d(input), x = state"},
      {"coordinates",
       "joint.rx, ry, rz, dx, dy, dz: small turns and shifts in the child's axes, or in those that "
       "`axes` tells"},
      {"eigenvalues", "[real, imaginary] of A; those of ignorable coordinates apart"}};
  if (!report.notes.empty()) result["notes"] = report.notes;
  if (report.swept.empty()) {
    result.update(point_as_json(report, report.points.front()));
  } else {
    result["sweep"] = report.swept;
    result["points"] = Json::array();
    for (const LinearPoint& point : report.points) {
      Json entry = {{"value", point.value}};
      entry.update(point_as_json(report, point));
      result["points"].push_back(std::move(entry));
    }
    result["stability_changes"] = Json::array();
    for (const StabilityChange& change : report.changes)
      result["stability_changes"].push_back(
          {{"value", change.value}, {"becomes", change.begins_to_grow ? "unstable" : "stable"}});
  }
  return result.dump(2) + "\n";
}

std::string as_text(const LinearReport& report) {
  std::string text;
  const LinearModel& first = report.points.front().model;
  text += report.swept.empty() ? fmt::format("{}: linear model about {}\n", report.model, kind_of(first))
                               : fmt::format("{}: linear model over {}\n", report.model, report.swept);
  for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
  const auto heads_alike = [&](const LinearModel& a, const LinearModel& b) {
    return a.kept == b.kept && a.speeds == b.speeds && a.ignorable == b.ignorable &&
           a.axes.size() == b.axes.size();
  };
  const LinearModel* head = nullptr;
  for (const LinearPoint& point : report.points) {
    if (head == nullptr || !heads_alike(*head, point.model)) {
      if (head != nullptr) text += fmt::format("\nfrom {} = {}\n", report.swept, number(point.value));
      add_head(text, point.model);
      head = &point.model;
      if (!report.swept.empty()) text += fmt::format("\n{:>10}  eigenvalues [1/s]\n", report.swept);
    }
    if (report.swept.empty()) {
      if (report.searched) add_found(text, report, point);
      add_moved(text, report, point);
      add_point(text, point.model);
    } else {
      const double size = largest_of(point.model.eigenvalues);
      std::string line = fmt::format("{:>10}", number(point.value));
      for (const Complex& value : point.model.eigenvalues) {
        if (value.imag() < -kShownAsZero * size) continue;
        std::string word = in_words(value, size);
        if (const std::size_t plus = word.find(" + "); plus != std::string::npos)
          word.replace(plus, 3, " +- ");
        line += "   " + word;
      }
      if (!point.model.is_steady)
        line += point.model.is_uniform ? "   (uniform, but changing)" : "   (not steady)";
      text += line + "\n";
      if (report.searched) add_found(text, report, point);
      add_moved(text, report, point);
    }
    if (!report.matrices) continue;
    text += "\n";
    add_matrix(text, "M", point.model.M);
    add_matrix(text, "C", point.model.C);
    add_matrix(text, "K, by all independent coordinates", point.model.K);
    add_matrix(text, "F", point.model.F);
    text += fmt::format("state {}\n", fmt::join(state_names(point.model.kept, point.model.speeds), ", "));
    add_matrix(text, "A", point.model.reduced.A);
    add_matrix(text, "B", point.model.reduced.B);
  }
  if (!report.changes.empty()) text += "\n";
  for (const StabilityChange& change : report.changes)
    text +=
        fmt::format("{} at {} = {}\n",
                    change.begins_to_grow ? "unstable: a motion begins to grow" : "stable: no motion grows",
                    report.swept, number(change.value));
  return text;
}

std::string as_picture(const LinearReport& report) {
  display::Panel real{"real part [1/s]", {}}, imaginary{"imaginary part [rad/s]", {}};
  const std::vector<std::vector<Complex>> paths = followed(report);
  std::vector<double> x;
  for (const LinearPoint& point : report.points) x.push_back(point.value);
  for (std::size_t p = 0; p < paths.size(); ++p) {
    std::vector<double> re, im;
    for (const Complex& value : paths[p]) {
      re.push_back(value.real());
      im.push_back(std::isfinite(value.real()) ? value.imag() : value.real());
    }
    const std::string name = std::to_string(p + 1);
    real.series.push_back({name, x, std::move(re)});
    imaginary.series.push_back({name, x, std::move(im)});
  }
  std::vector<display::Mark> marks;
  for (const StabilityChange& change : report.changes)
    marks.push_back({change.value, change.begins_to_grow ? "unstable" : "stable"});
  return display::to_svg(
      {fmt::format("{}: eigenvalues", report.model), report.swept, {real, imaginary}, marks});
}

}  // namespace tactus::apps
