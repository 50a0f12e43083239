// Figure 4: the two manipulations of section VI as poses of the chain, held at its middle (a) and at its
// distal link (b). Which law moves the hand in it, and when the poses are taken, the paper does not say: here
// it is (18) with Jd u, and every 0.25 s.
//
// At first link i lies at the angle q_1 + ... + q_i, with the lengths of Table I,
//
//   p_i = p_(i-1) + l_i (cos, sin)(q_1 + ... + q_i)
//
// the held point at the middle of its link, and the hand 5 mm along x and 3 mm along y from it.
#include <tuple>

#include <tactus/base/output_file.h>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include "cases.h"
#include "chain_picture.h"
#include "free_loop.h"
#include "free_together.h"

namespace tactus::studies::constantinescu {

namespace {

using study::Context;
using study::Result;

constexpr double kLength[] = {0.042, 0.042, 0.030};  // [m] Table I
constexpr double kEvery = 0.25;                      // [s] between poses

ChainPose by_angles(const std::array<double, 3>& q) {
  ChainPose pose{};
  double angle = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    angle += q[i];
    pose[i + 1] = {pose[i][0] + kLength[i] * std::cos(angle), pose[i][1] + kLength[i] * std::sin(angle)};
  }
  return pose;
}

/// Where the mechanism itself has its links.
ChainPose by_frames(simulate::Mechanism& chain, const std::array<double, 3>& q) {
  chain.set_state({.t = 0.0, .q = {q[0], q[1], q[2]}, .u = {0.0, 0.0, 0.0}, .momentum = {}});
  ChainPose pose{};
  for (std::size_t i = 0; i < 3; ++i) {
    const math::Pose<double>& X = chain.motion(chain.port(fmt::format("body:link_{}", i + 1))).X_WP;
    pose[i] = {X.p.x, X.p.y};
    if (i == 2) pose[3] = {X.p.x + kLength[2] * X.R(0, 0), X.p.y + kLength[2] * X.R(1, 0)};
  }
  return pose;
}

double distance(const PlanarPoint& a, const PlanarPoint& b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }

Result poses(const Context& context) {
  constexpr double kRounding = 1e-12;       // [m], [rad]
  constexpr double kBetweenRoads = 0.5e-3;  // [m] the loop steps by 1 ms, of first order
  const auto chain = contact::open(load(context, "three_link_chain"), {.step = 1e-3});
  const Settings settings = section_vi(Law::penalties, true);
  const ChainPose start = by_angles({kSectionVI[0], kSectionVI[1], kSectionVI[2]});
  Deviation at_first, later;
  double between_roads = 0.0, moved = 0.0;  // [m]
  std::vector<ChainPanel> panels;
  std::vector<std::string> names{"t"};
  std::vector<std::vector<double>> rows;
  for (const auto& [port, letter, link] : {std::tuple{"middle", "a", 1}, {"distal", "b", 2}}) {
    const Run run = run_together(context, port, kSectionVI, settings, kSectionVIDuration),
              loop = run_in_loop(load(context, "three_link_chain"), port, kSectionVI, settings,
                                 kSectionVIDuration);
    const auto i_link = static_cast<std::size_t>(link);
    const PlanarPoint held{0.5 * (start[i_link][0] + start[i_link + 1][0]),
                           0.5 * (start[i_link][1] + start[i_link + 1][1])};
    at_first.add(distance({run.port.x[0], run.port.y[0]}, held), 0.0, kRounding);
    at_first.add(run.hand.x[0], held[0] + 5e-3, kRounding);
    at_first.add(run.hand.y[0], held[1] + 3e-3, kRounding);
    at_first.add(run.hand.theta[0], run.port.theta[0], kRounding);
    ChainPanel panel{
        fmt::format("({}) held at the {} link", letter, port), {}, held, {run.hand.x[0], run.hand.y[0]}};
    for (const char* point : {"joint 2", "joint 3", "tip", "held", "hand"})
      for (const char* axis : {"x", "y"}) names.push_back(fmt::format("({}) {} {}", letter, point, axis));
    const long count = std::lround(kSectionVIDuration / kEvery);
    rows.resize(static_cast<std::size_t>(count + 1));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::size_t k = run.row(kEvery * static_cast<double>(row));
      const ChainPose pose = by_frames(*chain, run.q[k]), meant = by_angles(run.q[k]),
                      in_loop = by_angles(loop.q[k]);
      if (rows[row].empty()) rows[row].push_back(run.t[k]);
      for (std::size_t i = 0; i < pose.size(); ++i) {
        later.add(distance(pose[i], meant[i]), 0.0, kRounding);
        if (row == 0) at_first.add(distance(pose[i], start[i]), 0.0, kRounding);
        between_roads = larger(between_roads, distance(pose[i], in_loop[i]));
        moved = larger(moved, distance(pose[i], start[i]));
        if (i > 0) rows[row].insert(rows[row].end(), pose[i].begin(), pose[i].end());
      }
      rows[row].insert(rows[row].end(), {run.port.x[k], run.port.y[k], run.hand.x[k], run.hand.y[k]});
      panel.poses.push_back(pose);
    }
    panels.push_back(std::move(panel));
  }
  Record record(names);
  for (const std::vector<double>& row : rows) record.add(row);
  record.write_csv(context, "constantinescu2005-figure-4.csv");
  write_file((context.out / "constantinescu2005-figure-4.svg").string(),
             chain_svg("The chain pushed by 0.4 N along x, by (18)",
                       fmt::format("every {:g} s, to {:g} s", kEvery, kSectionVIDuration), panels));
  constexpr double kMoves = 0.02;  // [m] or there would be nothing to be seen of a motion
  return {
      "section VI, Figure 4: the chain from q0, the hand 5 mm and 3 mm off, held at its middle and at its "
      "distal "
      "link",
      fmt::format(
          "start poses and hands: {}; links at later poses: {}; the points of the links move by up to "
          "{:.1f} mm, through the loop within {:.2g} mm of that",
          at_first.to_string(), later.to_string(), 1e3 * moved, 1e3 * between_roads),
      closed_form(
          all_within(at_first) && all_within(later) && between_roads < kBetweenRoads && moved > kMoves,
          "q0 and the lengths of Table I, and the offset of 5 mm and 3 mm, to rounding; poses through "
          "the loop within 0.5 mm"),
      "the paper does not say at what times the grey poses are, nor by which law: every 0.25 s of 3 s by "
      "(18) with "
      "Jd u is chosen. The sign of the offset is chosen, too",
      {"constantinescu2005-figure-4.csv", "constantinescu2005-figure-4.svg"}};
}

}  // namespace

std::vector<study::Case> pose_cases() {
  return {{"figure-4", "poses of the chain during the two manipulations", poses}};
}

}  // namespace tactus::studies::constantinescu
