#include "robust_output.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <tactus/display/locus_plot.h>
#include <tactus/display/svg_plot.h>

namespace tactus::apps {

namespace {

using Json = nlohmann::ordered_json;
using control::Complex;
using control::StabilityRange;

/// Six digits, and no minus before a zero.
std::string number(double x) { return x == 0.0 ? "0" : fmt::format("{:.6g}", x); }

/// One of each pair; roots that agree to six digits once, with how often.
std::string list(const std::vector<Complex>& roots) {
  double size = 0.0;
  for (const Complex& root : roots) size = std::max(size, std::abs(root));
  std::vector<std::pair<std::string, int>> words;
  for (const Complex& root : roots) {
    constexpr double kShownAsZero = 1e-9;
    const double re = std::abs(root.real()) <= kShownAsZero * size ? 0.0 : root.real(),
                 im = std::abs(root.imag()) <= kShownAsZero * size ? 0.0 : root.imag();
    if (im < 0.0) continue;
    const std::string word = im == 0.0 ? number(re) : fmt::format("{}+-{}i", number(re), number(im));
    const auto same =
        std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.first == word; });
    if (same != words.end())
      ++same->second;
    else
      words.emplace_back(word, 1);
  }
  std::vector<std::string> all;
  for (const auto& [word, count] : words)
    all.push_back(count == 1 ? word : fmt::format("{} ({} times)", word, count));
  return fmt::format("{}", fmt::join(all, "  "));
}

std::string in_words(const StabilityRange& range) {
  if (!range.matters) return "no effect here";
  if (!range.stable) return "unstable as it is";
  if (!range.lower && !range.upper) return "no limit";
  if (!range.lower) return "below " + number(*range.upper);
  if (!range.upper) return "above " + number(*range.lower);
  return number(*range.lower) + " to " + number(*range.upper);
}

Json roots(const std::vector<Complex>& values) {
  Json result = Json::array();
  for (const Complex& value : values) result.push_back({value.real(), value.imag()});
  return result;
}

const char* name_of(const PointReport::Loop& loop) { return loop.sampled ? "sampled" : "continuous"; }

}  // namespace

std::string as_text(const PointReport& report) {
  std::string text = fmt::format("{}: {} with poles {}, at t = {} s\n", report.model, report.law,
                                 report.poles, number(report.t));
  text += fmt::format("  {:<14} {:>12} {:>12} {:>12}\n", "joint", "q", "qd", "qdd");
  for (std::size_t i = 0; i < report.q.size(); ++i)
    text += fmt::format("  {:<14} {:>12.6g} {:>12.6g} {:>12.6g}\n", report.joints[i], report.q[i],
                        report.qd[i], report.qdd[i]);
  text += fmt::format("\nroots [1/s]\n  open loop    {}\n", list(report.open));
  for (const PointReport::Loop& loop : report.loops)
    text += fmt::format("  {:<12} {}{}\n", name_of(loop), list(loop.poles),
                        control::stability(loop.poles) < 0.0 ? "" : "   UNSTABLE");
  text += fmt::format("\nstable for errors\n  {:<24} {:<28} {}\n", "", "continuous",
                      fmt::format("sampled at {} Hz", number(report.rate)));
  const auto kinds = control::model_errors();
  for (std::size_t k = 0; k < kinds.size(); ++k)
    text += fmt::format("  {:<24} {:<28} {}\n", fmt::format("{}, of {}", kinds[k].name, kinds[k].of),
                        in_words(report.loops[0].ranges[k]), in_words(report.loops[1].ranges[k]));
  return text;
}

std::string as_json(const PointReport& report) {
  Json result;
  result["model"] = report.model;
  result["law"] = report.law;
  result["poles"] = report.poles;
  result["rate"] = report.rate;
  result["conventions"] = {{"errors",
                            "the law's model has alpha K, beta C, gamma M; stable between lower and upper "
                            "(null: as far as was looked)"},
                           {"roots", "[real, imaginary] in 1/s; of the sampled loop s = ln(z) rate"}};
  result["at"] = {
      {"t", report.t}, {"joints", report.joints}, {"q", report.q}, {"qd", report.qd}, {"qdd", report.qdd}};
  result["open_loop"] = roots(report.open);
  for (const PointReport::Loop& loop : report.loops) {
    Json own;
    own["roots"] = roots(loop.poles);
    own["stable"] = control::stability(loop.poles) < 0.0;
    Json limits = Json::object();
    const auto kinds = control::model_errors();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const StabilityRange& range = loop.ranges[k];
      limits[std::string(kinds[k].name)] = {{"used", range.matters},
                                            {"stable", range.stable},
                                            {"lower", range.lower ? Json(*range.lower) : Json()},
                                            {"upper", range.upper ? Json(*range.upper) : Json()}};
    }
    own["limits"] = std::move(limits);
    result[name_of(loop)] = std::move(own);
  }
  return result.dump(2) + "\n";
}

std::string as_picture(const PointReport& report) {
  std::vector<display::LocusPanel> panels;
  const auto kinds = control::model_errors();
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const PointReport::Loop& loop : report.loops) {
      const double h = 1.0 / report.rate;
      const auto shown = [&](const Complex& s) { return loop.sampled ? std::exp(s * h) : s; };
      const StabilityRange& range = loop.ranges[k];
      display::LocusPanel panel;
      panel.unit_circle = loop.sampled;
      if (!range.matters) {
        panel.label = fmt::format("{}, of {}, {}", kinds[k].name, kinds[k].of, name_of(loop));
        panel.words = fmt::format("no effect: what the law takes of {} is zero here", kinds[k].of);
        panels.push_back(std::move(panel));
        continue;
      }
      const control::RootLocus& locus = loop.loci[k];
      panel.label = fmt::format("{}, of {}, {:.3g} to {:.3g}, {}", kinds[k].name, kinds[k].of,
                                locus.error.front(), locus.error.back(),
                                loop.sampled ? fmt::format("sampled at {:g} Hz", report.rate) : "continuous");
      for (const std::vector<Complex>& row : locus.poles) {
        std::vector<Complex> drawn;
        for (const Complex& s : row) drawn.push_back(shown(s));
        panel.roots.push_back(std::move(drawn));
      }
      for (const Complex& s : loop.poles) panel.marked.push_back(shown(s));
      for (const PointReport::Loop::Crossing& crossing : loop.crossings[k])
        panel.crossings.push_back(
            {shown({0.0, crossing.root.imag()}), fmt::format("{} = {:.4g}", kinds[k].name, crossing.limit)});
      panels.push_back(std::move(panel));
    }
  return display::locus_svg(fmt::format("{}: {} with poles {}", report.model, report.law, report.poles),
                            panels);
}

std::string as_csv(const PointReport& report) {
  std::string text = "loop,error,value";
  for (std::size_t i = 1; i <= report.open.size(); ++i) text += fmt::format(",re_{0},im_{0}", i);
  text += "\n";
  const auto kinds = control::model_errors();
  for (const PointReport::Loop& loop : report.loops)
    for (std::size_t k = 0; k < loop.loci.size(); ++k)
      for (std::size_t row = 0; row < loop.loci[k].error.size(); ++row) {
        text += fmt::format("{},{},{:.17g}", name_of(loop), kinds[k].name, loop.loci[k].error[row]);
        for (const Complex& s : loop.loci[k].poles[row])
          text += fmt::format(",{:.17g},{:.17g}", s.real(), s.imag());
        text += "\n";
      }
  return text;
}

namespace {

std::string drawn(const control::Between& range, std::string_view unit) {
  if (range.low == range.high) return fmt::format("{:g}{}", range.low, unit);
  return fmt::format("{:g} to {:g}{}", range.low, range.high, unit);
}

Json range_of(const control::Between& range) { return {range.low, range.high}; }

Json values_of(const TrialReport& report, const control::TrialOutcome& one) {
  Json friction = Json::object(), inertia = Json::object();
  for (std::size_t i = 0; i < one.values.friction.size(); ++i)
    friction[report.arm->joint_names()[i]] = one.values.friction[i];
  for (std::size_t i = 0; i < one.values.inertia.size(); ++i)
    inertia[report.arm->body_names()[i]] = one.values.inertia[i];
  return {{"payload", one.values.payload},
          {"delay", one.values.delay},
          {"encoder", one.values.encoder},
          {"friction", friction},
          {"inertia", inertia}};
}

std::string percent(std::uint64_t part, std::uint64_t all) {
  return fmt::format("{:.3g} %", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace

std::string as_text(const TrialReport& report) {
  const control::TrialOptions& o = report.arm->options();
  const control::TrialSummary all = control::summary_of(report.trials);
  std::string text =
      fmt::format("{}: {} trials of {} with poles {}, sampled at {} Hz; a path of {} s, then held for {} s\n",
                  report.model, all.count, report.law, report.poles, number(report.rate),
                  number(report.duration), number(o.hold));
  text += fmt::format(
      "  drawn     payload {}{}, friction {}, inertias {}, delay {}, encoders {}\n",
      drawn(o.ranges.payload, " kg"),
      o.assumed > 0.0 ? fmt::format(" (the law believes {:g})", o.assumed) : "",
      drawn(o.ranges.friction, " times the model's"), drawn(o.ranges.inertia, " times the model's"),
      drawn(o.ranges.delay, " s"),
      o.ranges.encoder.high > 0.0 ? drawn(o.ranges.encoder, " steps in a radian or metre") : "without steps");
  const std::uint64_t unstable = all.lost + all.restless;
  text += fmt::format("  unstable  {} of {} ({}): {} lost, {} still swinging at the end\n\n", unstable,
                      all.count, percent(unstable, all.count), all.lost, all.restless);
  if (unstable < all.count) {
    text += fmt::format("  {:<34} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "of the stable ones", "least", "5 %",
                        "median", "95 %", "most");
    const auto row = [&](const std::string& what, const std::array<double, 5>& values) {
      text += fmt::format("  {:<34}", what);
      for (const double x : values) text += fmt::format(" {:>9.4g}", 1e3 * x);
      text += "\n";
    };
    row(fmt::format("largest error of `{}` [mm]", report.arm->tool()), all.largest);
    row("rms error on the path [mm]", all.rms);
    row("largest error of a joint [mrad, mm]", all.joint);
    text += "\n";
  }
  const control::TrialOutcome& worst = report.trials[all.worst];
  text += fmt::format("  worst     trial {}: {}, {}\n", worst.number,
                      worst.end == control::TrialEnd::lost
                          ? fmt::format("lost at {:.4g} s", worst.time)
                          : fmt::format("{}, {:.4g} mm", control::name_of(worst.end), 1e3 * worst.largest),
                      worst.cut > 0 ? fmt::format("forces at their limits in {} periods", worst.cut)
                                    : std::string("no force at its limit"));
  text += fmt::format(
      "            payload {:.4g} kg, delay {:.4g} ms, encoders {:.5g}\n            friction {:.3f}\n"
      "            inertias {:.3f}\n",
      worst.values.payload, 1e3 * worst.values.delay, worst.values.encoder,
      fmt::join(worst.values.friction, " "), fmt::join(worst.values.inertia, " "));
  return text;
}

std::string as_json(const TrialReport& report) {
  const control::TrialOptions& o = report.arm->options();
  const control::TrialSummary all = control::summary_of(report.trials);
  Json result;
  result["model"] = report.model;
  result["law"] = report.law;
  result["poles"] = report.poles;
  result["rate"] = report.rate;
  result["tool"] = report.arm->tool();
  result["seed"] = o.seed;
  result["ranges"] = {{"payload", range_of(o.ranges.payload)},
                      {"friction", range_of(o.ranges.friction)},
                      {"inertia", range_of(o.ranges.inertia)},
                      {"delay", range_of(o.ranges.delay)},
                      {"encoder", range_of(o.ranges.encoder)}};
  result["assumed_payload"] = o.assumed;
  result["trials"] = all.count;
  result["lost"] = all.lost;
  result["restless"] = all.restless;
  result["unstable_fraction"] = static_cast<double>(all.lost + all.restless) / static_cast<double>(all.count);
  const auto quantiles = [](const std::array<double, 5>& x) {
    Json own = Json::object();
    const char* names[] = {"least", "p5", "median", "p95", "most"};
    for (std::size_t i = 0; i < 5; ++i) own[names[i]] = std::isfinite(x[i]) ? Json(x[i]) : Json();
    return own;
  };
  result["largest"] = quantiles(all.largest);
  result["rms"] = quantiles(all.rms);
  result["joint"] = quantiles(all.joint);
  const control::TrialOutcome& worst = report.trials[all.worst];
  result["worst"] = {{"trial", worst.number}, {"end", control::name_of(worst.end)},
                     {"time", worst.time},    {"largest", worst.largest},
                     {"cut", worst.cut},      {"values", values_of(report, worst)}};
  return result.dump(2) + "\n";
}

std::string as_picture(const TrialReport& report) {
  std::vector<double> largest, rms;
  for (const control::TrialOutcome& one : report.trials) {
    if (!one.stable()) continue;
    largest.push_back(1e3 * one.largest);
    rms.push_back(1e3 * one.rms);
  }
  display::Panel panel{"part of all trials with at most this error", {}};
  const auto steps = [&](std::string name, std::vector<double> values) {
    std::sort(values.begin(), values.end());
    display::Series series{std::move(name), {0.0}, {0.0}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      series.x.insert(series.x.end(), {values[i], values[i]});
      series.y.insert(series.y.end(), {series.y.back(), static_cast<double>(i + 1) /
                                                            static_cast<double>(report.trials.size())});
    }
    panel.series.push_back(std::move(series));
  };
  steps("largest", largest);
  steps("rms on the path", rms);
  const control::TrialSummary all = control::summary_of(report.trials);
  return display::to_svg({fmt::format("{}: {} trials of {}, {} of them unstable", report.model, all.count,
                                      report.law, all.lost + all.restless),
                          fmt::format("error of {} [mm]", report.arm->tool()),
                          {panel}});
}

std::string as_csv(const TrialReport& report) {
  std::string text = "trial,end,time,largest,rms";
  for (const std::string& name : report.arm->joint_names()) text += ",error_" + name;
  text += ",cut,payload,delay,encoder";
  for (const std::string& name : report.arm->joint_names()) text += ",friction_" + name;
  for (const std::string& name : report.arm->body_names()) text += ",inertia_" + name;
  text += "\n";
  for (const control::TrialOutcome& one : report.trials) {
    text += fmt::format("{},{},{:.17g},{:.17g},{:.17g}", one.number, control::name_of(one.end), one.time,
                        one.largest, one.rms);
    for (const double x : one.joint_largest) text += fmt::format(",{:.17g}", x);
    text += fmt::format(",{},{:.17g},{:.17g},{:.17g}", one.cut, one.values.payload, one.values.delay,
                        one.values.encoder);
    for (const double x : one.values.friction) text += fmt::format(",{:.17g}", x);
    for (const double x : one.values.inertia) text += fmt::format(",{:.17g}", x);
    text += "\n";
  }
  return text;
}

}  // namespace tactus::apps
