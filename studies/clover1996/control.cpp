// Chapter III: closed-loop eigenvalues (Table II), limits of stability and root loci (Figures 3 to 6), the standard trajectory (Figure 7).
#include <array>
#include <cmath>
#include <numbers>

#include <studies/clover1996/tables.h>
#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/path.h>
#include <tactus/control/arm/poles.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using control::ArmLaw;
using control::Complex;
using control::LinearPoint;
using control::ModelErrors;
using control::PolePair;
using study::Context;
using study::Result;

/// Chapter III, Table I is chapter II, Table VII.
LinearPoint table_i(const Context& context) {
  control::ArmController controller(load(context, "puma560"),
                                    {ArmLaw::pole_placement, {PolePair::complex(-1.0, 1.0)}, 0.0, false});
  const tactus::clover::Table& table = tactus::clover::kTables[2];
  std::vector<double> tau(6);
  controller.torque(0.0, table.q, table.qd, table.q, table.qd, table.qdd, tau);
  return controller.point();
}

std::vector<PolePair> at(double p) { return std::vector<PolePair>(6, PolePair::complex(-p, p)); }

std::vector<Complex> roots(const LinearPoint& point, const ModelErrors& errors, double p, double h = 0.0) {
  return control::closed_loop_poles(point, control::pole_gains(point, errors, at(p), h), h);
}

struct Printed {
  double p;
  std::vector<Complex> roots;  // of computed torque, one of each pair
};
const std::vector<Printed>& table_ii() {
  static const std::vector<Printed> all{{45.0,
                                         {{-47.25, 45.11},
                                          {-44.68, 43.03},
                                          {-45.42, 44.47},
                                          {-46.19, 43.83},
                                          {-46.02, 43.97},
                                          {-45.56, 44.43}}},
                                        {15.0,
                                         {{-17.70, 15.48},
                                          {-14.60, 12.98},
                                          {-15.05, 14.10},
                                          {-16.16, 13.86},
                                          {-16.05, 13.97},
                                          {-15.56, 14.42}}},
                                        {4.5,
                                         {{-7.70, 6.63},
                                          {-8.80, 0.0},
                                          {-1.00, 0.0},
                                          {-3.25, 4.22},
                                          {-5.63, 3.75},
                                          {-5.58, 3.19},
                                          {-5.06, 3.86}}}};
  return all;
}

Result eigenvalues(const Context& context) {
  const LinearPoint point = table_i(context);
  Deviation d;
  constexpr double kTwoDecimals = 5.01e-3;
  for (const Printed& printed : table_ii()) {
    const std::vector<Complex> here = roots(point, {0.0, 0.0, 1.0}, printed.p);
    for (const Complex& root : printed.roots) {
      Complex nearest = here.front();
      for (const Complex& own : here)
        if (std::abs(own - root) < std::abs(nearest - root)) nearest = own;
      d.add(nearest.real(), root.real(), kTwoDecimals);
      d.add(nearest.imag(), root.imag(), kTwoDecimals);
    }
  }
  return {"closed-loop roots of computed torque for three sets of poles, two decimals",
          d.to_string(),
          reproduced(d),
          "at the angles of Table VII of chapter II with more digits than printed; of a pair one is counted. "
          "Pole placement puts all where they are wanted",
          {}};
}

Result limits(const Context& context) {
  const LinearPoint point = table_i(context);
  const auto limit = [&](double ModelErrors::*which, double p, double far, double h = 0.0) {
    const std::optional<double> found = control::stability_limit(
        [&](double error) {
          ModelErrors errors;
          errors.*which = error;
          return roots(point, errors, p, h);
        },
        1.0, far);
    return found ? *found : NAN;
  };
  // By the real eigenvalues of M^-1 K and M^-1 C that leave first.
  Deviation d;
  std::array<double, 6> alpha_beta{};
  std::size_t k = 0;
  for (const double p : {4.5, 45.0}) {
    const double low = limit(&ModelErrors::alpha, p, -200.0), high = limit(&ModelErrors::alpha, p, 200.0),
                 beta = limit(&ModelErrors::beta, p, 60.0);
    d.add(low, 1.0 - 2.0 * p * p / 30.958543, 2e-4 * p);
    d.add(high, 1.0 + 2.0 * p * p / 25.7733, 2e-4 * p);
    d.add(beta, 1.0 + 2.0 * p / 2.373712, 1e-5);
    d.add(std::isnan(limit(&ModelErrors::beta, p, -1000.0)) ? 1.0 : 0.0, 1.0, 0.0);
    d.add(std::isnan(limit(&ModelErrors::gamma, p, 100.0)) ? 1.0 : 0.0, 1.0, 0.0);
    for (const double value : {low, high, beta}) alpha_beta[k++] = value;
  }
  const double gamma = limit(&ModelErrors::gamma, 45.0, 10.0, 1.0 / 200.0),
               least = limit(&ModelErrors::gamma, 45.0, 0.0, 1.0 / 200.0);
  d.add(gamma, 4.522845, 1e-6);
  d.add(least, 0.000973, 1e-6);
  // What is printed, to its last digit and to a step of 0.1, 2.5 and 0.05, of which all printed limits are multiples.
  Deviation rounded, stepped;
  const double printed[][4] = {{alpha_beta[0], -0.4, 0.05, 0.1},   {alpha_beta[1], 2.6, 0.05, 0.1},
                               {alpha_beta[3], -127.5, 0.05, 2.5}, {alpha_beta[4], 160.0, 0.05, 2.5},
                               {alpha_beta[2], 4.8, 0.05, 0.1},    {alpha_beta[5], 39.0, 0.05, 0.1},
                               {gamma, 4.55, 0.005, 0.05}};
  for (const auto& [here, value, digit, step] : printed) {
    rounded.add(here, value, digit);
    stepped.add(here, value, step);
  }
  // Root loci, to be looked at.
  std::vector<std::string> files;
  const auto locus = [&](const char* file, double ModelErrors::*which, double p, double from, double to,
                         double h) {
    const control::RootLocus all = control::root_locus(
        [&](double error) {
          ModelErrors errors;
          errors.*which = error;
          return roots(point, errors, p, h);
        },
        from, to, 300);
    std::vector<std::string> names{"error"};
    for (int i = 1; i <= 12; ++i)
      names.insert(names.end(), {fmt::format("re_{}", i), fmt::format("im_{}", i)});
    Record record(names);
    for (std::size_t row = 0; row < all.error.size(); ++row) {
      std::vector<double> values{all.error[row]};
      for (const Complex& pole : all.poles[row]) values.insert(values.end(), {pole.real(), pole.imag()});
      record.add(values);
    }
    record.write_csv(context, std::string(file) + ".csv");
    files.push_back(std::string(file) + ".csv");
  };
  locus("figure-3a", &ModelErrors::alpha, 4.5, -3.0, 3.0, 0.0);
  locus("figure-3b", &ModelErrors::alpha, 45.0, -150.0, 223.0, 0.0);
  locus("figure-4a", &ModelErrors::beta, 4.5, -6.0, 6.0, 0.0);
  locus("figure-4b", &ModelErrors::beta, 45.0, -60.0, 60.0, 0.0);
  locus("figure-5a", &ModelErrors::gamma, 4.5, 0.01, 7.25, 0.0);
  locus("figure-5b", &ModelErrors::gamma, 45.0, 0.01, 7.25, 0.0);
  locus("figure-6", &ModelErrors::gamma, 45.0, 0.01, 7.25, 1.0 / 200.0);
  return {
      "alpha -0.4 to 2.6 and -127.5 to 160, beta to 4.8 and 39, gamma sampled to 4.55",
      fmt::format("alpha {:.4f} to {:.4f} and {:.3f} to {:.3f}, beta to {:.4f} and {:.4f}, gamma sampled "
                  "{:.6f} to {:.6f}: {} of {} printed numbers to their last digit, {} within a step of 0.1, "
                  "2.5 or 0.05; closed forms {}",
                  alpha_beta[0], alpha_beta[1], alpha_beta[3], alpha_beta[4], alpha_beta[2], alpha_beta[5],
                  least, gamma, rounded.within, rounded.count, stepped.within, d.to_string()),
      not_reproducible(all_within(d) && all_within(stepped) && rounded.within == 2,
                       "7 printed numbers, within the step that they seem to be multiples of; the closed "
                       "forms 1 - 2 p^2/30.9585, 1 + 2 p^2/25.7733, 1 + 2 p/2.3737 of the limits, and the "
                       "exactly sampled loop"),
      "2.6 and 4.8 come out, the other five do not: the thesis' values seem to be points of its plots' "
      "grids, whose steps are not printed, and its own -0.4 and -127.5 do not scale with the square of the "
      "poles, as alpha's limits do",
      files};
}

constexpr double kDegree = std::numbers::pi / 180.0;

control::JointPath standard_path() {
  return control::JointPath(
      {{-45 * kDegree, -135 * kDegree, 135 * kDegree, -45 * kDegree, 0.0, 135 * kDegree},
       {45 * kDegree, -85 * kDegree, 30 * kDegree, 45 * kDegree, 50 * kDegree, 30 * kDegree}},
      std::vector<double>{0.0, 1.5});
}

Result trajectory(const Context& context) {
  const control::JointPath path = standard_path();
  Deviation d;
  const double peaks[] = {4.03, 2.24, 4.70};
  std::vector<double> q(6), qd(6), qdd(6);
  std::array<math::Vec3<double>, 2> places;
  const std::unique_ptr<simulate::Mechanism> arm = contact::open(load(context, "puma560"));
  for (std::size_t k = 0; k < 2; ++k) {
    path.at(1.5 * static_cast<double>(k), q.data(), qd.data(), qdd.data());
    arm->set_state({0.0, q, std::vector<double>(6, 0.0), {}});
    places[k] = arm->motion(arm->port("tool")).X_WP.p;
  }
  // The first three joints' ends are printed; the wrist's are chosen, so that its ranges and peaks are theirs: these compare nothing.
  for (std::size_t i = 0; i < 3; ++i) d.add(path.largest(i).acceleration, peaks[i], 5.01e-3);
  const math::Vec3<double> way = places[1] - places[0];
  d.add(std::sqrt(dot(way, way)), 0.52, 5.01e-3);
  return {"peak accelerations 4.03, 2.24, 4.70 rad/s^2, ranges 1.57, 0.873, 1.83 rad, 0.52 m",
          d.to_string(),
          reproduced(d),
          "compared: the arm's three peaks and the tool's way; of least jerk over 1.5 s, from (-45, -135, "
          "135) to (45, -85, 30) "
          "degrees. Ranges are inputs, and the wrist's angles are chosen for them, so that its peaks follow",
          {}};
}

}  // namespace

std::vector<study::Case> control_cases() {
  return {{"iii-table-ii", "closed-loop eigenvalues", eigenvalues},
          {"iii-limits", "limits of stability and root loci", limits},
          {"iii-figure-7", "the standard trajectory", trajectory}};
}

}  // namespace tactus::studies::clover
