#include <tactus/serve/page/loci_page.h>

#include <algorithm>
#include <cmath>

#include <tactus/base/error.h>

namespace tactus::serve {

namespace {

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

/// Six digits are more than a picture shows.
double plain(double x) {
  if (x == 0.0 || !std::isfinite(x)) return x;
  const double scale = std::pow(10.0, 5.0 - std::floor(std::log10(std::abs(x))));
  return std::isfinite(scale) ? std::round(x * scale) / scale : x;
}

Json matrix_json(const control::Matrix& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(number(plain(matrix(i, j))));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json roots_json(const std::vector<control::Complex>& roots) {
  Json list = Json::array();
  for (const control::Complex& root : roots)
    list.push_back({number(plain(root.real())), number(plain(root.imag()))});
  return list;
}

Json locus_json(const control::ErrorLocus& locus) {
  Json roots = Json::array();
  for (const std::vector<control::Complex>& at : locus.locus.poles) roots.push_back(roots_json(at));
  Json errors = Json::array();
  for (const double error : locus.locus.error) errors.push_back(plain(error));
  return {{"error", control::name_of(locus.kind)},
          {"stable", locus.stable},
          {"lower", locus.lower ? number(*locus.lower) : Json()},
          {"upper", locus.upper ? number(*locus.upper) : Json()},
          {"farthest", locus.farthest},
          {"values", std::move(errors)},
          {"roots", std::move(roots)}};
}

}  // namespace

describe::Model with_values(describe::Model model, std::span<const std::string> names,
                            const std::vector<double>& values) {
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
    for (describe::Parameter& parameter : model.parameters)
      if (parameter.name == names[i]) parameter.value = values[i];
  return model;
}

control::LinearArm& LociDesk::arm(const describe::Model& model, std::span<const std::string> names,
                                  const std::vector<double>& values) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.values == values; });
  if (found != entries_.end()) {
    std::rotate(found, found + 1, entries_.end());
  } else {
    Entry entry{values, std::make_unique<control::LinearArm>(with_values(model, names, values))};
    if (entries_.size() == 2) entries_.erase(entries_.begin());
    entries_.push_back(std::move(entry));
  }
  return *entries_.back().arm;
}

Json loci_page(LociDesk& desk, const describe::Model& model, std::span<const std::string> names,
               const LociWish& wish) {
  control::LawLoop loop;
  loop.law = wish.law;
  loop.period = wish.period;
  loop.known = desk.arm(model, names, wish.learned).known_to(wish.law, wish.point);
  control::LinearArm& arm = desk.arm(model, names, wish.values);
  loop.arm = arm.at(wish.point);
  loop.poles.assign(arm.joints(), control::PolePair::complex(wish.re, wish.im));
  const control::PoleGains gains = loop.gains();
  const std::vector<control::Complex> closed = loop.closed(wish.sampled);
  Json page = {{"type", "loci"},
               {"t", wish.point.t},
               {"law", control::name_of(wish.law)},
               {"poles", {wish.re, wish.im}},
               {"period", wish.period},
               {"sampled", wish.sampled},
               {"now", wish.now},
               {"G1", matrix_json(gains.position)},
               {"G2", matrix_json(gains.velocity)},
               {"open", roots_json(control::open_loop_poles(loop.arm))},
               {"closed", roots_json(closed)},
               {"slowest", number(control::stability(closed))},
               {"loci", Json::array()}};
  if (wish.now) return page;
  using control::ErrorKind;
  for (const ErrorKind kind : {ErrorKind::alpha, ErrorKind::beta, ErrorKind::gamma})
    if (control::is_used(wish.law, kind))
      page["loci"].push_back(locus_json(control::error_locus(loop, kind, wish.sampled)));
  return page;
}

}  // namespace tactus::serve
