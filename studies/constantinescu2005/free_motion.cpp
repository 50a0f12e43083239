// Section VI and the first experiments of section VIII: the chain held at its middle and at its distal link,
// nothing in its way. Device and mechanism are integrated together, as the paper's diagram has it
// (free_together.h), and a second time they run through the loop of the display at 1 kHz (free_loop.h). Place
// and angle are judged: of hand and port, and of one road by the other.

#include <algorithm>

#include <tactus/display/svg_plot.h>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include "cases.h"
#include "free_loop.h"
#include "free_together.h"

namespace tactus::studies::constantinescu {

namespace {

using study::Context;
using study::Result;

struct Named {
  std::string name;
  const Run* run;
};

/// Every fifth row of all runs, for reading and drawing.
constexpr std::size_t kEvery = 5;

std::vector<double> thinned(const std::vector<double>& all) {
  std::vector<double> some;
  for (std::size_t k = 0; k < all.size(); k += kEvery) some.push_back(all[k]);
  return some;
}

void write_csv(const Context& context, const std::string& file, const std::vector<Named>& runs) {
  std::vector<std::string> names{"t"};
  for (const Named& one : runs)
    for (const char* column :
         {"hand x", "hand y", "hand theta", "port x", "port y", "port theta", "apart", "turned apart"})
      names.push_back(one.name + " " + column);
  Record record(names);
  for (std::size_t k = 0; k < runs.front().run->t.size(); k += kEvery) {
    std::vector<double> row{runs.front().run->t[k]};
    for (const Named& one : runs)
      for (const auto* column : {&one.run->hand.x, &one.run->hand.y, &one.run->hand.theta, &one.run->port.x,
                                 &one.run->port.y, &one.run->port.theta, &one.run->apart, &one.run->turned})
        row.push_back((*column)[k]);
    record.add(row);
  }
  record.write_csv(context, file);
}

/// Hands and ports of some runs over time: x, y and theta, and in the plane. Figures of what stays together
/// and of what goes off by far more are apart, or nothing could be seen of the former.
void write_svg(const Context& context, const std::string& file, const std::string& title,
               const std::vector<Named>& runs) {
  display::Figure figure{title, "t [s]", {}};
  for (const auto& [label, column] :
       {std::pair{"x [m]", &PlanarPath::x}, {"y [m]", &PlanarPath::y}, {"theta [rad]", &PlanarPath::theta}}) {
    display::Panel panel{label, {}};
    for (const Named& one : runs)
      for (const auto& [who, path] :
           {std::pair{", hand (HD)", &one.run->hand}, {", port (VM)", &one.run->port}})
        panel.series.push_back({one.name + who, thinned(one.run->t), thinned(path->*column)});
    figure.panels.push_back(std::move(panel));
  }
  display::Panel apart{"hand from port [mm]", {}}, turned{"hand from port, angle [mrad]", {}};
  for (const Named& one : runs) {
    for (const auto& [panel, column] : {std::pair{&apart, &one.run->apart}, {&turned, &one.run->turned}}) {
      display::Series series{one.name, thinned(one.run->t), thinned(*column)};
      for (double& value : series.y) value *= 1e3;
      panel->series.push_back(std::move(series));
    }
  }
  figure.panels.push_back(std::move(apart));
  figure.panels.push_back(std::move(turned));
  display::Panel plane{"in the plane: y [m]", {}};
  plane.x_label = "x [m]";
  for (const Named& one : runs)
    for (const auto& [who, path] :
         {std::pair{", hand (HD)", &one.run->hand}, {", port (VM)", &one.run->port}})
      plane.series.push_back({one.name + who, thinned(path->x), thinned(path->y)});
  figure.panels.push_back(std::move(plane));
  write_file((context.out / file).string(), display::to_svg(figure));
}

/// One manipulation by both roads.
struct TwoRoads {
  std::string name;
  Run together, in_loop;
};

TwoRoads by_both(const Context& context, const std::string& name, const std::string& port,
                 const std::vector<double>& q, const Settings& settings, double duration) {
  return {name, run_together(context, port, q, settings, duration),
          run_in_loop(load(context, "three_link_chain"), port, q, settings, duration)};
}

/// How much the two roads differ in how far hand and port are apart, in place and angle: the largest
/// difference as a share of the largest value. From 0.1 s on, since the loop puts the hand off a tick late;
/// and while hand and port are within `most`: what (11) does metres away is no manipulation any more.
double disagreement(const TwoRoads& roads, std::vector<double> Run::*column, double most = INFINITY) {
  const std::vector<double>&a = roads.together.*column, &b = roads.in_loop.*column;
  double difference = 0.0, size = 0.0;
  for (std::size_t k = 0; k < a.size() && !(roads.together.apart[k] > most); ++k) {
    size = larger(size, a[k]);
    if (k >= roads.together.row(0.1)) difference = larger(difference, std::fabs(a[k] - b[k]));
  }
  return difference / size;
}

/// The loop's steps of 1 ms are of first order.
constexpr double kRoads = 0.02;

/// Figures 6 and 7: drift by (11) and (18), as printed and with Jd u.
Result drift(const Context& context, const std::string& port, const std::string& figure, double ratio_printed,
             double ratio_mended, double most) {
  constexpr double kEnd = kSectionVIDuration;
  const auto both = [&](const std::string& name, Law law, bool turning) {
    return by_both(context, name, port, kSectionVI, section_vi(law, turning), kEnd);
  };
  const TwoRoads printed_11 = both("(11) as printed", Law::acceleration, false),
                 printed_18 = both("(18) as printed", Law::penalties, false),
                 mended_11 = both("(11) with Jd u", Law::acceleration, true),
                 mended_18 = both("(18) with Jd u", Law::penalties, true);
  const TwoRoads* const all[] = {&printed_11, &printed_18, &mended_11, &mended_18};
  std::string table = fmt::format("  after {:g} s             ", kEnd);
  for (const TwoRoads* one : all) table += fmt::format(" {:>16}", one->name);
  for (const auto& [label, road, column] :
       {std::tuple{"apart [mm], together", &TwoRoads::together, &Run::apart},
        {"apart [mm], loop", &TwoRoads::in_loop, &Run::apart},
        {"turned [mrad], together", &TwoRoads::together, &Run::turned},
        {"turned [mrad], loop", &TwoRoads::in_loop, &Run::turned}}) {
    table += fmt::format("\n  {:<23}", label);
    for (const TwoRoads* one : all) table += fmt::format(" {:16.4f}", 1e3 * (one->*road.*column).back());
  }
  double roads = 0.0, roads_turned = 0.0;
  for (const TwoRoads* one : all) {
    roads = larger(roads, disagreement(*one, &Run::apart));
    roads_turned = larger(roads_turned, disagreement(*one, &Run::turned));
  }
  // (11) over (18): as printed and with Jd u, by both roads.
  bool less = true;
  const auto ratios = [&](std::vector<double> Run::*column) {
    std::array<double, 4> ratio{};
    std::size_t k = 0;
    for (Run TwoRoads::*road : {&TwoRoads::together, &TwoRoads::in_loop})
      for (const auto& [by_11, by_18, bound] :
           {std::tuple{&printed_11, &printed_18, ratio_printed}, {&mended_11, &mended_18, ratio_mended}}) {
        ratio[k] = (by_11->*road.*column).back() / (by_18->*road.*column).back();
        less = less && ratio[k++] > bound;
      }
    return ratio;
  };
  const std::array<double, 4> place = ratios(&Run::apart), angle = ratios(&Run::turned);
  table += fmt::format(
      "\n  the roads differ by {:.2g} % of the largest way apart, {:.2g} % of the largest angle\n",
      1e2 * roads, 1e2 * roads_turned);
  const double left = mended_18.together.apart.back(), left_in_loop = mended_18.in_loop.apart.back();
  const std::string file = "constantinescu2005-" + figure;
  std::vector<Named> named;
  for (const TwoRoads* one : all) named.push_back({one->name, &one->together});
  write_csv(context, file + ".csv", named);
  const std::string held = "Held at the " + port + " link by (11) and (18), ";
  write_svg(context, file + ".svg", held + "as printed", {named[0], named[1]});
  write_svg(context, file + "-mended.svg", held + "with Jd u", {named[2], named[3]});
  return {
      "section VI, " + figure + ": the hand drifts by (11), and substantially less by (18)",
      fmt::format(
          "apart after 3 s: as printed {:.3f} mm by (11), {:.4f} mm by (18), ratio {:.4g}; with Jd u "
          "{:.4f} and {:.5f} mm, ratio {:.4g}; through the loop the ratios are {:.4g} and {:.4g}; in angle "
          "{:.4g} and {:.4g}, through the loop {:.4g} and {:.4g}",
          1e3 * printed_11.together.apart.back(), 1e3 * printed_18.together.apart.back(), place[0],
          1e3 * mended_11.together.apart.back(), 1e3 * left, place[1], place[2], place[3], angle[0], angle[1],
          angle[2], angle[3]),
      not_reproducible(
          less && left < most && left_in_loop < most && roads < kRoads && roads_turned < kRoads,
          fmt::format("less drift by (18), in place and in angle: {:g} times as printed, {:g} times "
                      "with Jd u; the same through the loop, and both roads within {:g} %",
                      ratio_printed, ratio_mended, 1e2 * kRoads)),
      fmt::format("the paper plots curves and prints no figures; required: ratios above {:g} and {:g}, the "
                  "last below {:g} mm. The rank tolerance is not printed: 1e-3 of singular values in metres "
                  "and radians",
                  ratio_printed, ratio_mended, 1e3 * most),
      {file + ".csv", file + ".svg", file + "-mended.svg"},
      table};
}

Result missing_term(const Context& context) {
  Settings settings = section_vi(Law::acceleration, false);
  settings.offset = {};
  const double without =
      run_together(context, "middle", kSectionVI, settings, kSectionVIDuration).apart.back();
  settings.turning = true;
  const double with = run_together(context, "middle", kSectionVI, settings, kSectionVIDuration).apart.back();
  // Signs of the offset that the paper leaves open, against an independent computation.
  Deviation d;
  const double signs[][2] = {{-1, -1}, {1, -1}, {-1, 1}};
  const double by_11[] = {30.97e-3, 34.56e-3, 26.06e-3}, by_18[] = {0.090e-3, 0.054e-3, 0.067e-3};
  for (std::size_t k = 0; k < 3; ++k) {
    for (const Law law : {Law::acceleration, Law::penalties}) {
      Settings other = section_vi(law, false);
      other.offset = {kOffset[0] * signs[k][0], kOffset[1] * signs[k][1], 0.0};
      const double here = run_together(context, "middle", kSectionVI, other, kSectionVIDuration).apart.back();
      const double there = law == Law::acceleration ? by_11[k] : by_18[k];
      d.add(here, there, law == Law::acceleration ? 0.5e-5 : 0.5e-6);  // half the last digit
    }
  }
  constexpr double kZeroOffset = 30.25e-3, kDigit = 0.5e-5;  // [m]
  d.add(without, kZeroOffset, kDigit);
  return {"(5), (11): the acceleration of the operational point; the drift is called numerical",
          fmt::format("without an offset at first: {:.2f} mm after 3 s as printed, {:.2g} mm with Jd u; "
                      "other signs of the "
                      "offset: {}",
                      1e3 * without, 1e3 * with, d.to_string()),
          corrected(all_within(d) && with < 1e-6,
                    "7 drifts of an independent computation; no drift once Jd u is there"),
          "(4) and with it (5), (11) and (13) leave out Jd u: that, not rounding, is most of the drift. "
          "Figures to half "
          "their last "
          "digit against an independent computation",
          {}};
}

/// Figures 11 and 12: a constant push on a device that leaks.
Result leaking(const Context& context, const std::string& port, const std::string& figure, bool exact) {
  constexpr double kEnd = 10.0;  // [s] chosen: the paper does not say
  Settings settings;
  settings.leak = 1.0;  // [1/kg] M_d is 1 kg
  const auto set = [&](Law law, double damping = 0.0) {
    Settings now = settings;
    now.law = law;
    now.joint_damping = damping;
    return now;
  };
  const auto both = [&](const std::string& name, Law law) {
    return by_both(context, name, port, kSectionVIII, set(law), kEnd);
  };
  const auto at_rest = [&](Law law) {
    return run_together(context, port, kSectionVIII, set(law, 0.05), kEnd).apart.back();
  };
  const TwoRoads by_18 = both("(18)", Law::penalties), by_coupler = both("coupler", Law::coupler),
                 by_11 = both("(11)", Law::acceleration);
  const Run &penalties = by_18.together, &coupler = by_coupler.together, &acceleration = by_11.together;
  // Joints that damp are not in the loop: its mechanism would have to have them.
  const double settled = at_rest(Law::penalties), settled_coupler = at_rest(Law::coupler);
  const double loop_penalties = largest(by_18.in_loop.apart),
               loop_coupler = largest(by_coupler.in_loop.apart), loop_drift = by_11.in_loop.apart_at(1.0);
  const std::string file = "constantinescu2005-" + figure;
  constexpr double kFar = 0.3;  // [m] tens of centimetres
  // Held at the distal link penalties come and go: a tick sooner or later is a part of what the device leaks
  // meanwhile.
  const double roads_18 = exact ? kRoads : 0.15;
  bool roads = true;
  std::string table =
      "               apart, largest [mm]   loop   in angle [mrad]   loop   roads differ [%]   in angle "
      "[%]\n";
  for (const TwoRoads* one : {&by_18, &by_coupler, &by_11}) {
    const double place = disagreement(*one, &Run::apart, kFar),
                 angle = disagreement(*one, &Run::turned, kFar);
    const double most = one == &by_18 ? roads_18 : kRoads;
    roads = roads && place < most && angle < most;
    table += fmt::format("  {:<10} {:20.5g} {:8.5g} {:15.4g} {:8.4g} {:14.2g} {:14.2g}\n", one->name,
                         1e3 * largest(one->together.apart), 1e3 * largest(one->in_loop.apart),
                         1e3 * largest(one->together.turned), 1e3 * largest(one->in_loop.turned), 1e2 * place,
                         1e2 * angle);
  }
  write_csv(context, file + ".csv",
            {{by_18.name, &penalties}, {by_coupler.name, &coupler}, {by_11.name, &acceleration}});
  const std::string held = "Held at the " + port + " link by a device that leaks, ";
  write_svg(context, file + ".svg", held + "by (18) and by the coupler",
            {{by_18.name, &penalties}, {by_coupler.name, &coupler}});
  write_svg(context, file + "-acceleration.svg", held + "by (11)", {{by_11.name, &acceleration}});
  Deviation d;
  constexpr double kShare = 0.02;
  const double steady = 0.4 / 200.0, steady_coupler = 0.4 / 50.0;  // [m] F/(M_d k_j), F/K_vc
  d.add(settled_coupler, steady_coupler, kShare * steady_coupler);
  if (exact) {
    d.add(settled, 1.989e-3, kShare * 1.989e-3);
    d.add(largest(coupler.apart), 11.98e-3, kShare * 11.98e-3);
    d.add(acceleration.apart_at(1.0), 0.5 * 0.4 * 1.0, kShare * 0.2);
    d.add(loop_coupler, 11.98e-3, kShare * 11.98e-3);
    d.add(loop_drift, 0.5 * 0.4 * 1.0, kShare * 0.2);
  }
  d.add(settled, steady, kShare * steady);
  // Held at the middle link the penalties act all the time, and nothing overshoots: 5 % are left for the
  // start. At the distal link they come and go: while one is off the device leaks by F/M_d, 0.4 m/s^2, and in
  // the 0.1 s that it takes to come back that is another 2 mm. Both together are half of the coupler's steady
  // error, which is what "smaller" is taken to mean.
  const double most = exact ? 1.05 * steady : 0.5 * steady_coupler;
  const bool order = largest(penalties.apart) < most && largest(coupler.apart) > steady_coupler &&
                     largest(acceleration.apart) > 0.1 && loop_penalties < most &&
                     loop_coupler > steady_coupler && largest(by_11.in_loop.apart) > 0.1;
  return {
      "section VIII, " + figure +
          ": smaller error by (18) than by the coupler, which oscillates; (11) drifts by tens of "
          "centimetres",
      fmt::format("(18) at most {:.3f} mm, coupler at most {:.2f} mm, (11) {:.3f} m after 1 s and at "
                  "most {:.2f} m; with "
                  "0.05 N m s/rad at the joints {:.3f} and {:.3f} mm after 10 s; through the loop {:.3f} mm, "
                  "{:.2f} mm and {:.3f} m after 1 s; {}",
                  1e3 * largest(penalties.apart), 1e3 * largest(coupler.apart), acceleration.apart_at(1.0),
                  largest(acceleration.apart), 1e3 * settled, 1e3 * settled_coupler, 1e3 * loop_penalties,
                  1e3 * loop_coupler, loop_drift, d.to_string()),
      closed_form(
          order && all_within(d),
          exact ? "the steady errors F/(M_d k_j) and F/K_vc, and by (11) F t^2/(2 M_d) after 1 s, "
                  "within 2 %; the coupler overshoots, (18) does not; angles by (18) below half of the "
                  "coupler's; both roads within 2 %, to 0.3 m"
                : "the steady errors F/(M_d k_j) and F/K_vc within 2 %; (18) at most half of the "
                  "coupler's, in place and angle, by (11) more than 0.1 m; both roads within 2 %, to 0.3 m, "
                  "by (18) within 15 %"),
      std::string("by the printed law nothing stays of the error: the device must leak, N N^T F/M_d with "
                  "M_d = 1 kg is chosen; steady errors are then F/(M_d k_j) and F/K_vc, and by (11) the hand "
                  "drifts freely. How long the paper's runs last is not printed: here ") +
          (exact ? "it is tens of centimetres after 1 s and metres after 10 s" : "it is metres after 10 s") +
          ". The chain comes to rest only with damping at its joints",
      {file + ".csv", file + ".svg", file + "-acceleration.svg"},
      table};
}

}  // namespace

std::vector<study::Case> free_motion_cases() {
  return {{"figure-6", "drift, held at the middle link",
           [](const Context& c) { return drift(c, "middle", "figure-6", 100.0, 20.0, 0.1e-3); }},
          {"figure-7", "drift, held at the distal link",
           [](const Context& c) { return drift(c, "distal", "figure-7", 4.0, 20.0, 0.5e-3); }},
          {"missing-term", "the acceleration without Jd u", missing_term},
          {"figure-11", "three controllers, held at the middle link",
           [](const Context& c) { return leaking(c, "middle", "figure-11", true); }},
          {"figure-12", "three controllers, held at the distal link",
           [](const Context& c) { return leaking(c, "distal", "figure-12", false); }}};
}

}  // namespace tactus::studies::constantinescu
