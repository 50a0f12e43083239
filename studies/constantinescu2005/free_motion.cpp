// Section VI and the first experiments of section VIII: the chain held at its middle and at its distal link, nothing in its way.
// Device and mechanism are integrated together, as the paper's diagram has it (Figure 5), by the classical Runge-Kutta rule; and a second time they run through the
// loop of the display at 1 kHz (free_loop.h).

#include <algorithm>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include "cases.h"
#include "free_loop.h"
#include "manipulation.h"

namespace tactus::studies::constantinescu {

namespace {

using study::Context;
using study::Result;

constexpr double kPi = 3.14159265358979323846;
const std::vector<double> kSectionVI{-kPi / 4, kPi / 6, -kPi / 6}, kSectionVIII{0.0, -kPi / 6, -kPi / 3};

/// How far hand and port are apart, over time.
struct Run {
  std::vector<double> t, apart, hand_x, hand_y, port_x, port_y;
  double at(double time) const { return apart[static_cast<std::size_t>(std::lround(time / (t[1] - t[0])))]; }
  double largest() const { return *std::max_element(apart.begin(), apart.end()); }
};

Run run(const Context& context, const std::string& port, const std::vector<double>& q,
        const Settings& settings, double duration, double step = 1e-3) {
  const auto chain = contact::open(load(context, "three_link_chain"), {.step = step});
  const auto place = [&](const std::vector<double>& coordinates, const std::vector<double>& speeds) {
    chain->set_state({.t = 0.0, .q = coordinates, .u = speeds, .momentum = {}});
  };
  place(q, {0.0, 0.0, 0.0});
  const int at = chain->port(port);
  Manipulation hand(*chain, at, settings);
  const Manipulation::Device first = hand.begin();
  // q, u, x_h, v_h
  using Vector = Eigen::Matrix<double, 12, 1>;
  Vector y;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    y[k] = q[i];
    y[3 + k] = 0.0;
    y[6 + k] = first.x[i];
    y[9 + k] = first.v[i];
  }
  const auto device_of = [](const Vector& s) {
    return Manipulation::Device{{s[6], s[7], s[8]}, {s[9], s[10], s[11]}};
  };
  const auto rate = [&](const Vector& s) {
    place({s[0], s[1], s[2]}, {s[3], s[4], s[5]});
    const Manipulation::Answer answer = hand.look(device_of(s));
    const std::span<const double> udot = chain->accelerations();
    Vector r;
    r << s[3], s[4], s[5], udot[0], udot[1], udot[2], s[9], s[10], s[11], answer.a[0], answer.a[1],
        answer.a[2];
    return r;
  };
  Run result;
  const long steps = std::lround(duration / step);
  for (long k = 0; k <= steps; ++k) {
    place({y[0], y[1], y[2]}, {y[3], y[4], y[5]});
    const math::Vec3<double>& p = chain->motion(at).X_WP.p;
    result.t.push_back(static_cast<double>(k) * step);
    result.apart.push_back(hand.apart(device_of(y)));
    result.hand_x.push_back(y[6]);
    result.hand_y.push_back(y[7]);
    result.port_x.push_back(p.x);
    result.port_y.push_back(p.y);
    const Vector k1 = rate(y), k2 = rate(y + 0.5 * step * k1), k3 = rate(y + 0.5 * step * k2),
                 k4 = rate(y + step * k3);
    y += step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return result;
}

void write(const Context& context, const std::string& name, const std::string& title,
           const std::vector<std::pair<std::string, Run>>& runs) {
  std::vector<std::string> names{"t"};
  // One whose hand goes off by far more than the others' do has panels of its own, or they could not be seen.
  constexpr double kFar = 30.0;
  const auto most = [](const Run& run) { return *std::max_element(run.apart.begin(), run.apart.end()); };
  double least = INFINITY;
  for (const auto& one : runs) least = std::min(least, most(one.second));
  Record::Panel x{"x [m]", {}}, y{"y [m]", {}}, apart{"apart [m]", {}};
  std::vector<Record::Panel> own;
  for (const auto& [label, one] : runs) {
    for (const char* column : {" hand x", " hand y", " port x", " port y", " apart"})
      names.push_back(label + column);
    if (most(one) > kFar * least) {
      own.push_back({label + ", x and y [m]",
                     {label + " hand x", label + " hand y", label + " port x", label + " port y"}});
      own.push_back({label + ", apart [m]", {label + " apart"}});
      continue;
    }
    x.columns.insert(x.columns.end(), {label + " hand x", label + " port x"});
    y.columns.insert(y.columns.end(), {label + " hand y", label + " port y"});
    apart.columns.push_back(label + " apart");
  }
  Record record(names);
  for (std::size_t k = 0; k < runs.front().second.t.size(); k += 5) {
    std::vector<double> row{runs.front().second.t[k]};
    for (const auto& [label, one] : runs)
      row.insert(row.end(), {one.hand_x[k], one.hand_y[k], one.port_x[k], one.port_y[k], one.apart[k]});
    record.add(row);
  }
  record.write_csv(context, name + ".csv");
  std::vector<Record::Panel> panels{x, y, apart};
  panels.insert(panels.end(), own.begin(), own.end());
  record.write_svg(context, name + ".svg", title, panels);
}

constexpr std::array<double, 3> kOffset{0.005, 0.003, 0.0};

Settings section_vi(Law law, bool turning) {
  Settings settings;
  settings.law = law;
  settings.turning = turning;
  settings.offset = kOffset;
  return settings;
}

/// Figures 6 and 7: drift by (11) and (18), with Jd u and as printed.
Result drift(const Context& context, const std::string& port, const std::string& figure, double ratio_printed,
             double ratio_mended, double most) {
  const auto one = [&](Law law, bool turning) {
    return run(context, port, kSectionVI, section_vi(law, turning), 3.0);
  };
  const Run by_11 = one(Law::acceleration, false), by_18 = one(Law::penalties, false),
            by_11_mended = one(Law::acceleration, true), by_18_mended = one(Law::penalties, true);
  const double printed = by_11.at(3.0) / by_18.at(3.0), mended = by_11_mended.at(3.0) / by_18_mended.at(3.0);
  const auto in_loop = [&](Law law, bool turning) {
    return apart_in_loop(load(context, "three_link_chain"), port, kSectionVI, section_vi(law, turning), 3.0)
        .back();
  };
  const double loop[] = {in_loop(Law::acceleration, false), in_loop(Law::penalties, false),
                         in_loop(Law::acceleration, true), in_loop(Law::penalties, true)};
  std::string table =
      "  apart after 3 s [mm]   (11) as printed   (18) as printed   (11) with Jd u   (18) with Jd u\n";
  table += fmt::format("  integrated together  {:17.4f} {:17.4f} {:16.4f} {:16.4f}\n", 1e3 * by_11.at(3.0),
                       1e3 * by_18.at(3.0), 1e3 * by_11_mended.at(3.0), 1e3 * by_18_mended.at(3.0));
  table += fmt::format("  through the loop     {:17.4f} {:17.4f} {:16.4f} {:16.4f}\n", 1e3 * loop[0],
                       1e3 * loop[1], 1e3 * loop[2], 1e3 * loop[3]);
  const bool holds_in_loop =
      loop[0] / loop[1] > ratio_printed && loop[2] / loop[3] > ratio_mended && loop[3] < most;
  const std::string file = "constantinescu2005-" + figure;
  write(context, file, "Held at the " + port + " link: (11) and (18)", {{"(11)", by_11}, {"(18)", by_18}});
  return {
      "section VI, " + figure + ": the hand drifts by (11), and substantially less by (18)",
      fmt::format("apart after 3 s: as printed {:.3f} mm by (11), {:.4f} mm by (18), ratio {:.4g}; with Jd u "
                  "{:.4f} and "
                  "{:.5f} mm, ratio {:.4g}; through the loop the ratios are {:.4g} and {:.4g}",
                  1e3 * by_11.at(3.0), 1e3 * by_18.at(3.0), printed, 1e3 * by_11_mended.at(3.0),
                  1e3 * by_18_mended.at(3.0), mended, loop[0] / loop[1], loop[2] / loop[3]),
      not_reproducible(
          printed > ratio_printed && mended > ratio_mended && by_18_mended.at(3.0) < most && holds_in_loop,
          fmt::format("less drift by (18): {:g} times as printed, {:g} times with Jd u; the same "
                      "through the loop",
                      ratio_printed, ratio_mended)),
      fmt::format("the paper plots curves and prints no figures; required: ratios above {:g} and {:g}, the "
                  "last below "
                  "{:g} mm. The rank tolerance is not printed: 1e-3 of singular values in metres and radians",
                  ratio_printed, ratio_mended, 1e3 * most),
      {file + ".csv", file + ".svg"},
      table};
}

Result missing_term(const Context& context) {
  Settings settings = section_vi(Law::acceleration, false);
  settings.offset = {};
  const double without = run(context, "middle", kSectionVI, settings, 3.0).at(3.0);
  settings.turning = true;
  const double with = run(context, "middle", kSectionVI, settings, 3.0).at(3.0);
  // Signs of the offset that the paper leaves open, against an independent computation.
  Deviation d;
  const double signs[][2] = {{-1, -1}, {1, -1}, {-1, 1}};
  const double by_11[] = {30.97e-3, 34.56e-3, 26.06e-3}, by_18[] = {0.090e-3, 0.054e-3, 0.067e-3};
  for (std::size_t k = 0; k < 3; ++k) {
    for (const Law law : {Law::acceleration, Law::penalties}) {
      Settings other = section_vi(law, false);
      other.offset = {kOffset[0] * signs[k][0], kOffset[1] * signs[k][1], 0.0};
      const double here = run(context, "middle", kSectionVI, other, 3.0).at(3.0);
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

Result tolerance(const Context& context) {
  std::string here;
  bool below = true;
  for (const double t : {5e-4, 1e-3, 2e-3, 5e-3}) {
    Settings settings = section_vi(Law::penalties, true);
    settings.tolerance = t;
    const double apart = run(context, "distal", kSectionVI, settings, 3.0).at(3.0);
    below = below && apart < 0.5e-3;
    here += fmt::format("{}{:g}: {:.3f} mm", here.empty() ? "" : ", ", t, 1e3 * apart);
  }
  return {"section VI: penalties act intermittently where the chain is held at its distal link",
          here + " after 3 s, by rank tolerance",
          not_reproducible(below, "below 0.5 mm for four tolerances"),
          "the tolerance is not printed and decides the result: required is below 0.5 mm for all four",
          {}};
}

/// Figures 11 and 12: a constant push on a device that leaks.
Result leaking(const Context& context, const std::string& port, const std::string& figure, bool exact) {
  Settings settings;
  settings.leak = 1.0;  // [1/kg] M_d is 1 kg
  const auto one = [&](Law law, double damping, double duration) {
    Settings now = settings;
    now.law = law;
    now.joint_damping = damping;
    return run(context, port, kSectionVIII, now, duration);
  };
  const Run penalties = one(Law::penalties, 0.0, 10.0), coupler = one(Law::coupler, 0.0, 10.0),
            acceleration = one(Law::acceleration, 0.0, 10.0);
  const double settled = one(Law::penalties, 0.05, 10.0).at(10.0),
               settled_coupler = one(Law::coupler, 0.05, 10.0).at(10.0);
  // The same through the loop of the display, but for the joints' damping, which its mechanism would have to have.
  const auto in_loop = [&](Law law) {
    Settings now = settings;
    now.law = law;
    return apart_in_loop(load(context, "three_link_chain"), port, kSectionVIII, now, 10.0);
  };
  const auto largest_of = [](const std::vector<double>& all) {
    return *std::max_element(all.begin(), all.end());
  };
  const std::vector<double> drifting = in_loop(Law::acceleration);
  const double loop_penalties = largest_of(in_loop(Law::penalties)),
               loop_coupler = largest_of(in_loop(Law::coupler)), loop_drift = drifting[1000];
  const std::string file = "constantinescu2005-" + figure;
  write(context, file, "Held at the " + port + " link by a device that leaks",
        {{"(18)", penalties}, {"coupler", coupler}, {"(11)", acceleration}});
  Deviation d;
  constexpr double kShare = 0.02;
  const double steady = 0.4 / 200.0, steady_coupler = 0.4 / 50.0;  // [m] F/(M_d k_j), F/K_vc
  d.add(settled_coupler, steady_coupler, kShare * steady_coupler);
  if (exact) {
    d.add(settled, 1.989e-3, kShare * 1.989e-3);
    d.add(coupler.largest(), 11.98e-3, kShare * 11.98e-3);
    d.add(acceleration.at(1.0), 0.5 * 0.4 * 1.0, kShare * 0.2);
    d.add(loop_coupler, 11.98e-3, kShare * 11.98e-3);
    d.add(loop_drift, 0.5 * 0.4 * 1.0, kShare * 0.2);
  }
  d.add(settled, steady, kShare * steady);
  // Held at the middle link the penalties act all the time, and nothing overshoots: 5 % are left for the start. At the distal link they come and
  // go: while one is off the device leaks by F/M_d, 0.4 m/s^2, and in the 0.1 s that it takes to come back that is another 2 mm. Both together are
  // half of the coupler's steady error, which is what "smaller" is taken to mean.
  const double most = exact ? 1.05 * steady : 0.5 * steady_coupler;
  const bool order = penalties.largest() < most && coupler.largest() > steady_coupler &&
                     acceleration.largest() > 0.1 && loop_penalties < most && loop_coupler > steady_coupler &&
                     largest_of(drifting) > 0.1;
  return {
      "section VIII, " + figure +
          ": smaller error by (18) than by the coupler, which oscillates; (11) drifts by tens of "
          "centimetres",
      fmt::format("(18) at most {:.3f} mm, coupler at most {:.2f} mm, (11) {:.3f} m after 1 s and at "
                  "most {:.2f} m; with "
                  "0.05 N m s/rad at the joints {:.3f} and {:.3f} mm after 10 s; through the loop {:.3f} mm, "
                  "{:.2f} mm and {:.3f} m after 1 s; {}",
                  1e3 * penalties.largest(), 1e3 * coupler.largest(), acceleration.at(1.0),
                  acceleration.largest(), 1e3 * settled, 1e3 * settled_coupler, 1e3 * loop_penalties,
                  1e3 * loop_coupler, loop_drift, d.to_string()),
      closed_form(order && all_within(d),
                  exact ? "the steady errors F/(M_d k_j) and F/K_vc, and by (11) F t^2/(2 M_d) after 1 s, "
                          "within 2 %; the coupler overshoots, (18) does not"
                        : "the steady errors F/(M_d k_j) and F/K_vc within 2 %; (18) at most half of the "
                          "coupler's, by (11) more than 0.1 m"),
      "by the printed law nothing stays of the error: the device must leak, N N^T F/M_d with M_d = 1 kg "
      "is chosen; steady "
      "errors are then F/(M_d k_j) and F/K_vc, and by (11) the hand drifts freely. How long the paper's "
      "runs last is not printed: after 1 s it is tens of centimetres, after 10 s metres. The chain comes to "
      "rest only with damping at its joints",
      {file + ".csv", file + ".svg"}};
}

}  // namespace

std::vector<study::Case> free_motion_cases() {
  return {{"figure-6", "drift, held at the middle link",
           [](const Context& c) { return drift(c, "middle", "figure-6", 100.0, 20.0, 0.1e-3); }},
          {"figure-7", "drift, held at the distal link",
           [](const Context& c) { return drift(c, "distal", "figure-7", 4.0, 20.0, 0.5e-3); }},
          {"missing-term", "the acceleration without Jd u", missing_term},
          {"rank-tolerance", "the rank of the hand's Jacobian", tolerance},
          {"figure-11", "three controllers, held at the middle link",
           [](const Context& c) { return leaking(c, "middle", "figure-11", true); }},
          {"figure-12", "three controllers, held at the distal link",
           [](const Context& c) { return leaking(c, "distal", "figure-12", false); }}};
}

}  // namespace tactus::studies::constantinescu
