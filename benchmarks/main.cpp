// tactus_bench: our back ends, our recursion on double, MuJoCo and Simbody on the same mechanisms and states,
// one table.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "arm.h"
#include "contact.h"
#include "contender.h"
#include "haptic.h"
#include "heap.h"
#include "loops.h"
#include "once.h"
#include "report.h"
#include "scale.h"
#include "singular.h"
#include "thresholds.h"

namespace tactus::bench {
namespace {

struct Arguments {
  std::string json;
  bool quick = false;
  bool compiler = true;
  bool thresholds = false;
  bool loops_only = false;
  bool contact = false;
  bool heap = false;
  bool haptic = false;
  bool models = false;
  double realtime = 0.0;  // [s] of each row
  bool arm = false;
  bool scale = false;
  std::string only;  // of the haptic loop: this model; of the sizes: this family
};

constexpr const char* kHelp =
    "tactus_bench [--quick] [--no-compiler] [--loops] [--json FILE] | --contact [--quick] | --heap [--quick] "
    "| --haptic [--models | --realtime SECONDS] [--quick] [--only MODEL] | --arm [--quick] | --scale "
    "[--quick] [--only FAMILY] | "
    "--thresholds\n"
    "  --quick        fewer and shorter repetitions, no long ladders\n"
    "  --no-compiler  without the rows of the emitted C++ (they start the system's compiler)\n"
    "  --loops        only the mechanisms with closed loops\n"
    "  --json FILE    rows {\"case\", \"system\", \"ns\", \"allocations\", \"quartiles\"}\n"
    "  --contact      instead of the table: re-derivation and ticks with changing contact, stacks and heaps\n"
    "  --heap         instead of the table: stacks and heaps only\n"
    "  --haptic       instead of the table: ticks of the haptic loop (of one model); with --models every "
    "model\n"
    "                 in models/, held as `tactus haptic` does; with --realtime by the clock, so long\n"
    "                 for each row; ends with 1 where a tick takes longer than it may, allocates or locks\n"
    "  --arm          instead of the table: inverse kinematics, and ticks of the arm as a force display\n"
    "  --scale        instead of the table: how costs grow with the size (chain, spatial, ladder, tree, "
    "free)\n"
    "  --thresholds   instead of the table: composite against articulated bodies against the loop, by length "
    "of chain\n";

/// Every system on one quantity of one mechanism, checked first. False where results do not agree.
bool measure_case(const Mechanism& mechanism, Quantity quantity, const Arguments& arguments,
                  const Effort& effort, Report& report) {
  const std::string case_name = mechanism.name + " " + name_of(quantity);
  std::vector<Contender> contenders = tactus_contenders(mechanism, quantity, arguments.compiler);
  for (auto make : {mujoco_contender, simbody_contender, dart_contender, kdl_contender}) {
    if (auto peer = make(mechanism, quantity)) contenders.push_back(std::move(*peer));
  }
  const auto expected = expected_results(mechanism, quantity);
  const double tolerance =
      quantity == Quantity::forward_dynamics || quantity == Quantity::step ? kSolvedAgreement : kAgreement;
  bool agree = true;
  for (const Contender& contender : contenders) {
    const double difference = disagreement(
        contender,
        contender.without_rotors ? expected_results(without_armature(mechanism), quantity) : expected);
    report.note_disagreement(case_name, contender.system, difference);
    if (!(difference <= tolerance)) {
      fmt::print(stderr, "{}: {} differs from the recursion by {:.1e} (relative); allowed are {:.0e}.\n",
                 case_name, contender.system, difference, tolerance);
      agree = false;
    }
  }
  if (!agree) return false;
  report.add(case_name, contenders, measure(contenders, effort));
  return true;
}

void measure_cold_case(const Mechanism& mechanism, Quantity quantity, int repetitions, Report& report) {
  std::vector<Contender> contenders;
  for (Contender& contender : tactus_contenders(mechanism, quantity, false)) {
    if (contender.states_per_call == 1) contenders.push_back(std::move(contender));
  }
  for (auto make : {mujoco_contender, simbody_contender, dart_contender, kdl_contender}) {
    if (auto peer = make(mechanism, quantity)) contenders.push_back(std::move(*peer));
  }
  report.add(mechanism.name + " " + name_of(quantity) + ", cold", contenders,
             measure_cold(contenders, repetitions));
}

void print_aim(const Report& report, const std::string& case_name, const std::string& slower, double aim) {
  const double ours = report.ns(case_name, "tactus machine code"),
               theirs = report.fastest_ns(case_name, slower);
  if (ours == 0.0 || theirs == 0.0) return;
  fmt::print("  {:<34} {:>6.1f} times faster than {:<27} (aim: {})\n", case_name, theirs / ours, slower, aim);
}

/// What stands below the table.
int finish(const Arguments& arguments, const Report& report) {
  report.print_programs();
  report.print_agreement();
  fmt::print("\nAims:\n");
  print_aim(report, "puma560 inverse dynamics", "MuJoCo", 15.0);
  print_aim(report, "puma560 forward dynamics", "MuJoCo", 12.0);
  for (const char* name : {"four_bar", "ladder of 1", "ladder of 10", "ladder of 40", "ladder of 100"})
    print_aim(report, fmt::format("{} constrained dynamics", name), "MuJoCo", 25.0);
  for (const char* name : {"chain_100 inverse dynamics", "chain_100 forward dynamics"}) {
    print_aim(report, name, "tactus recursion on double", 3.0);
    print_aim(report, name, "Simbody", 10.0);
  }
  if (!arguments.json.empty() && !report.write_json(arguments.json)) {
    fmt::print(stderr, "tactus_bench: cannot write {}\n", arguments.json);
    return 2;
  }
  return 0;
}

int run(const Arguments& arguments) {
  const Effort effort = arguments.quick ? Effort{9, 0.5e-3} : Effort{41, 2e-3};
  if (arguments.thresholds) {
    measure_thresholds(effort);
    return 0;
  }
  if (arguments.haptic) {
    const Outcome outcome = arguments.realtime > 0.0
                                ? measure_haptic_by_the_clock(arguments.realtime, arguments.only)
                            : arguments.models ? measure_haptic_models(arguments.quick, arguments.only)
                                               : measure_haptic(arguments.quick, arguments.only);
    if (outcome.found) return outcome.missed > 0 ? 1 : 0;
    fmt::print(stderr, "tactus_bench: --only: no row has the model '{}'\n", arguments.only);
    return 2;
  }
  if (arguments.arm) {
    measure_arm(arguments.quick);
    return 0;
  }
  if (arguments.scale) {
    if (measure_scale({.quick = arguments.quick, .only = arguments.only})) return 0;
    fmt::print(stderr, "tactus_bench: --only: there is no family '{}'\n", arguments.only);
    return 2;
  }
  if (arguments.heap) {
    measure_heap(arguments.quick);
    return 0;
  }
  if (arguments.contact) {
    measure_contact(arguments.quick);
    measure_heap(arguments.quick);
    return 0;
  }
  fmt::print(
      "ns per state: median and quartiles of {} interleaved repetitions, {} states; ratios to the first "
      "row.\n",
      effort.repetitions, kStates);
  Report report;
  if (!measure_loops(arguments.quick ? 10 : 100, effort, report)) return 1;
  measure_singular(arguments.quick);
  if (arguments.loops_only) return finish(arguments, report);
  const Mechanism puma = load_mechanism("puma560");
  const std::vector<Mechanism> mechanisms{puma, load_mechanism("planar_3r"), load_mechanism("chain_30"),
                                          load_mechanism("chain_100"), chain(30, true)};
  for (const Mechanism& mechanism : mechanisms) {
    for (const Quantity quantity :
         {Quantity::inverse_dynamics, Quantity::forward_dynamics, Quantity::mass_matrix, Quantity::step}) {
      if (!measure_case(mechanism, quantity, arguments, effort, report)) return 1;
    }
  }
  measure_cold_case(puma, Quantity::inverse_dynamics, arguments.quick ? 9 : 41, report);
  measure_once(puma, effort, report);

  print_programs(mechanisms);
  return finish(arguments, report);
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  // Memory once taken stays: a system that allocates in every call shall not pay for giving pages back and
  // taking them again, which depends on what else happens to lie in the heap.
  ::mallopt(M_TRIM_THRESHOLD, 1 << 28);
  ::mallopt(M_MMAP_THRESHOLD, 1 << 28);
  tactus::bench::Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      arguments.quick = true;
    } else if (argument == "--no-compiler") {
      arguments.compiler = false;
    } else if (argument == "--loops") {
      arguments.loops_only = true;
    } else if (argument == "--contact") {
      arguments.contact = true;
    } else if (argument == "--haptic") {
      arguments.haptic = true;
    } else if (argument == "--models") {
      arguments.models = true;
    } else if (argument == "--arm") {
      arguments.arm = true;
    } else if (argument == "--scale") {
      arguments.scale = true;
    } else if (argument == "--heap") {
      arguments.heap = true;
    } else if (argument == "--thresholds") {
      arguments.thresholds = true;
    } else if (argument == "--realtime" && i + 1 < argc && std::atof(argv[i + 1]) > 0.0) {
      arguments.realtime = std::atof(argv[++i]);
    } else if (argument == "--only" && i + 1 < argc) {
      arguments.only = argv[++i];
    } else if (argument == "--json" && i + 1 < argc) {
      arguments.json = argv[++i];
    } else {
      const bool asked = argument == "--help" || argument == "-h";
      if (!asked) fmt::print(stderr, "tactus_bench: cannot use '{}'\n", argument);
      fmt::print(asked ? stdout : stderr, "{}", tactus::bench::kHelp);
      return asked ? 0 : 2;
    }
  }
  return tactus::bench::run(arguments);
}
