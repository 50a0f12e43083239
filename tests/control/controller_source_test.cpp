// Generated controllers, compiled alone by the system's compilers, against the library's: the same bits.
#include <tactus/control/arm/controller_source.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::control {
namespace {

namespace fs = std::filesystem;
using generate::Language;

constexpr int kStates = 300;

describe::Model model_named(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

/// Time is in its equations.
const char* const kTimed = R"(
name: timed
bodies:
  a: {mass: 2, com: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}
  b: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.01, 0.03, 0.03]}
joints:
  x: {type: prismatic, parent: world, child: a, axis: x, effort_limit: 40}
  turn: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.4, 0, 0]}, friction: {viscous: 0.3, coulomb: 0.2}}
forces:
  wind: {type: joint, joint: x, force: 3*sin(5*t)*cos(turn)}
)";

/// An arm of six joints without any special angle in its first three.
const char* const kGeneralArm = R"(
name: general_arm
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]},
         d: {mass: 1, inertia: [1, 1, 1]}, e: {mass: 1, inertia: [1, 1, 1]}, f: {mass: 1, inertia: [1, 1, 1]}}
joints:
  q1: {type: revolute, parent: world, child: a, axis: z}
  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.1, 0.2, 0.3], rpy: [70 deg, 20 deg, 0]}}
  q3: {type: revolute, parent: b, child: c, axis: z, placement: {xyz: [0.5, 0.1, 0.05], rpy: [30 deg, 10 deg, 0]}}
  q4: {type: revolute, parent: c, child: d, axis: z, placement: {xyz: [0.4, 0.1, 0.2], rpy: [80 deg, 0, 0]}}
  q5: {type: revolute, parent: d, child: e, axis: z, placement: {rpy: [75 deg, 0, 0]}}
  q6: {type: revolute, parent: e, child: f, axis: z, placement: {rpy: [-85 deg, 0, 0]}}
frames: {tool: {body: f, placement: {xyz: [0, 0.05, 0.1]}}}
)";

/// The crank of the paper with actuators at both joints.
describe::Model driven_crank() {
  std::string text = describe::read_source(support::source_dir() + "/models/slider_crank.yaml");
  const std::string what = ", passive: true";
  text.erase(text.find(what), what.size());
  text.replace(text.find("name: slider_crank"), std::string("name: slider_crank").size(),
               "name: driven_crank");
  return describe::load_text(text, "driven_crank.yaml");
}

/// A header, its call for one state, and what the library says: numbers in, numbers out.
struct Case {
  std::string file;   // name of header and namespace
  std::string model;  // for messages
  generate::SourceProgram program;
  std::size_t ins = 0, outs = 0;
  std::string call;  // in C, with in, out and status
  std::vector<double> in, want;

  std::string source(Language language) const {
    return generate::write_source({}, {language, file, model, nullptr, {&program, 1}});
  }
};

void append(std::vector<double>& to, std::span<const double> values) {
  to.insert(to.end(), values.begin(), values.end());
}

std::vector<double> random_numbers(std::mt19937& random, std::size_t count, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<double> all(count);
  for (double& x : all) x = uniform(random);
  return all;
}

Case arm_case(const describe::Model& model, ArmLaw law, const std::string& file, double abbreviate = 0.0) {
  ControllerSettings settings;
  settings.arm.abbreviate = abbreviate;
  Case one{file, model.name, controller_program(model, fmt::format("controller:{}", name_of(law)), settings),
           0,    0,          {},
           {},   {}};
  settings.arm.law = law;
  ArmController controller(model, settings.arm);
  const std::size_t n = controller.joints();
  one.ins = 1 + 6 * n;
  one.outs = n;
  const auto at = [&](std::size_t k) { return fmt::format("in + {}", 1 + k * n); };
  one.call = fmt::format("{}(in[0], {}, {}, {}, {}, {}, {}, out)", one.program.name, at(0), at(1), at(2),
                         at(3), at(4), at(5));
  std::mt19937 random(7);
  for (int k = 0; k < kStates; ++k) {
    // Near the path, so that not all forces are cut; some far from it, and one that is no number.
    const double apart = k % 10 == 0 ? 1.0 : 0.01;
    const std::vector<double> t = random_numbers(random, 1, 3.0), q = random_numbers(random, n, 3.0),
                              qd = random_numbers(random, n, 2.0), qdd = random_numbers(random, n, 5.0),
                              besides = random_numbers(random, n, 1.0);
    std::vector<double> x = random_numbers(random, n, apart), v = random_numbers(random, n, apart), tau(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += q[i];
      v[i] += qd[i];
    }
    if (k == 17) x[0] = std::nan("");
    const bool well = controller.torque(t[0], x, v, q, qd, qdd, tau, besides);
    EXPECT_EQ(well, k != 17);
    for (const auto& part : {t, x, v, q, qd, qdd, besides}) append(one.in, part);
    append(one.want, tau);
    one.want.push_back(well ? controller.cut() : -1);
  }
  return one;
}

Case inverse_case(const describe::Model& model, const std::string& file) {
  Case one{file, model.name, controller_program(model, "controller:inverse-kinematics:tool", {}), 0, 0, {},
           {},   {}};
  std::string why;
  const WristArm arm = *WristArm::of(model, "tool", why);
  one.ins = 9 + 3 + 6 + 6 + 6;
  one.outs = 6 + 6 + 6 + 2;
  one.call = one.program.name + "(in, in + 9, in + 12, in + 18, in + 24, out, out + 6, out + 12, out + 18)";
  std::mt19937 random(8);
  for (int k = 0; k < kStates; ++k) {
    Joints q{}, near{};
    const std::vector<double> angles = random_numbers(random, 6, 3.0),
                              apart = random_numbers(random, 6, k % 3 == 0 ? 1.0 : 1e-3);
    for (std::size_t i = 0; i < 6; ++i) {
      q[i] = i == 4 && k % 7 == 0 ? 0.0 : angles[i];  // aligned wrists too
      near[i] = q[i] + apart[i];
    }
    math::Pose<double> X = arm.pose(q);
    if (k % 11 == 0) X.p = 3.0 * X.p;  // out of reach, mostly
    if (k == 23) X.p.x = std::nan("");
    WristArm::Motion motion;
    std::copy_n(random_numbers(random, 6, 1.0).begin(), 6, motion.V.begin());
    std::copy_n(random_numbers(random, 6, 3.0).begin(), 6, motion.A.begin());
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) one.in.push_back(X.R(i, j));
    for (std::size_t i = 0; i < 3; ++i) one.in.push_back(X.p[i]);
    for (const auto& part : {motion.V, motion.A, near}) append(one.in, part);
    const WristArm::Whole whole = arm.whole(X, motion, near);
    const bool none = !std::isfinite(whole.way.missed);
    const auto add = [&](std::span<const double> values) {
      for (const double x : values) one.want.push_back(none ? 0.0 : x);
    };
    add(whole.way.q);
    add(whole.rates.qd);
    add(whole.rates.qdd);
    add(std::array{whole.rates.arm, whole.rates.wrist});
    one.want.push_back(none ? -1 : static_cast<int>(whole.way.reach));
  }
  return one;
}

Case projected_case(const describe::Model& model, const std::string& word, ControllerSettings settings,
                    const std::string& file, bool singular) {
  Case one{file, model.name, controller_program(model, "controller:" + word, settings), 0, 0, {}, {}, {}};
  settings.projected.share = word == "hybrid" ? Share::hybrid : Share::least;
  ProjectedController controller(model, settings.projected);
  const std::size_t n = controller.joints(), k = controller.led(), m = controller.rows();
  const bool hybrid = word == "hybrid";
  one.ins = 1 + 2 * n + 3 * k + (hybrid ? 2 * m : 0);
  one.outs = n + (hybrid ? 2 * m : 0);
  const std::size_t wanted = 1 + 2 * n, lambda = wanted + 3 * k;
  one.call = fmt::format("{}(in[0], in + 1, in + {}, in + {}, in + {}, in + {}, {}out)", one.program.name,
                         1 + n, wanted, wanted + k, wanted + 2 * k,
                         hybrid ? fmt::format("in + {}, in + {}, out + {}, ", lambda, lambda + m, n) : "");
  std::mt19937 random(9);
  ProjectedMemory memory = controller.memory();
  int well = 0, refused = 0;
  for (int state = 0; state < kStates; ++state) {
    // Constraints need not be met: the law projects whatever their rows are.
    std::vector<double> q = random_numbers(random, n, 1.5);
    for (std::size_t i = 0; i < n; ++i) q[i] += model.initial_q[i];
    if (singular && state % 5 == 0) q = {1.5707963267948966, 3.141592653589793};
    if (state == 31) q[0] = INFINITY;
    const std::vector<double> t = random_numbers(random, 1, 3.0), u = random_numbers(random, n, 2.0),
                              x = random_numbers(random, k, 1.0), xd = random_numbers(random, k, 1.0),
                              xdd = random_numbers(random, k, 3.0), l = random_numbers(random, m, 5.0),
                              l_wanted = random_numbers(random, m, 5.0);
    std::vector<double> f(n);
    const Led led = controller.force(memory, t[0], q.data(), u.data(), x.data(), xd.data(), xdd.data(),
                                     l.data(), l_wanted.data(), f.data());
    for (const auto& part : {t, q, u, x, xd, xdd}) append(one.in, part);
    if (hybrid)
      for (const auto& part : {l, l_wanted}) append(one.in, part);
    append(one.want, f);
    if (hybrid)
      for (const auto& part : {memory.error, memory.integral}) append(one.want, part);
    one.want.push_back(static_cast<int>(led));
    well += led == Led::well ? 1 : 0;
    refused += led == Led::not_unique || led == Led::not_controllable ? 1 : 0;
  }
  EXPECT_GT(well, kStates / 2) << file;
  EXPECT_EQ(refused > 0, singular) << file;
  return one;
}

/// Three joints, redundant rows, all of them driven: a chain closed on itself, its tip held twice.
const char* const kRedundant = R"(
name: redundant
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  b: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  c: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  q1: {type: revolute, parent: world, child: a, axis: z}
  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [1, 0, 0]}}
  q3: {type: revolute, parent: b, child: c, axis: z, placement: {xyz: [1, 0, 0]}}
constraints:
  one: {type: equation, equations: sin(q1) + sin(q1 + q2) + sin(q1 + q2 + q3)}
  two: {type: equation, equations: 2*sin(q1) + 2*sin(q1 + q2) + 2*sin(q1 + q2 + q3)}
initial: {q: {q1: 0.8, q2: -1.0}}
)";

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const describe::Model puma = model_named("puma560"), timed = describe::load_text(kTimed, "timed.yaml");
  for (const ArmLaw law : {ArmLaw::pole_placement, ArmLaw::sampled, ArmLaw::computed_torque, ArmLaw::diagonal,
                           ArmLaw::gravity, ArmLaw::inverse_dynamics}) {
    const std::string name = generate::identifier(name_of(law));
    cases.push_back(arm_case(puma, law, "puma_" + name));
    cases.push_back(arm_case(timed, law, "timed_" + name));
  }
  for (const ArmLaw law : {ArmLaw::pole_placement, ArmLaw::computed_torque})
    cases.push_back(arm_case(puma, law, "short_" + generate::identifier(name_of(law)), 0.01));
  cases.push_back(inverse_case(puma, "puma_inverse"));
  cases.push_back(inverse_case(describe::load_text(kGeneralArm, "general_arm.yaml"), "general_inverse"));
  ControllerSettings crank;
  crank.projected.led = {"q1"};
  cases.push_back(projected_case(driven_crank(), "pidc", crank, "crank_pidc", true));
  cases.push_back(projected_case(model_named("slider_crank"), "passive", crank, "crank_passive", true));
  crank.projected.weight = {10.0, 0.7};
  cases.push_back(projected_case(driven_crank(), "pidc", crank, "crank_weighted", true));
  crank.projected.G_F = 0.5;
  crank.projected.G_I = 0.1;
  crank.projected.filter = 0.8;
  cases.push_back(projected_case(driven_crank(), "hybrid", crank, "crank_hybrid", true));
  ControllerSettings redundant;
  redundant.projected.led = {"q1", "q2"};
  cases.push_back(projected_case(describe::load_text(kRedundant, "redundant.yaml"), "pidc", redundant,
                                 "redundant_pidc", false));
  return cases;
}

TEST(ControllerSource, HasTheBitsOfTheLibrarysControllers) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("tactus_controllers_{}", ::getpid());
  fs::create_directories(folder);
  const std::vector<Case> cases = all_cases();
  std::vector<double> in, want;
  for (const Case& one : cases) {
    append(in, one.in);
    append(want, one.want);
  }
  std::ofstream(folder / "in.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(in.data()),
             static_cast<std::streamsize>(in.size() * sizeof(double)));
  const std::string warnings = "-Wall -Wextra -Wshadow -Wconversion -pedantic -Werror";
  for (const auto& [language, driver, command] :
       {std::tuple{Language::cpp, "driver.cpp", "c++ -std=c++17 -O2 -march=native -ffast-math " + warnings},
        std::tuple{Language::c, "driver.c", "cc -std=c99 -O1 " + warnings}}) {
    SCOPED_TRACE(command);
    std::string text, run;
    for (const Case& one : cases) {
      const std::string header = one.file + std::string(generate::suffix_of(language));
      std::ofstream(folder / header) << one.source(language);
      text += "#include \"" + header + "\"\n";
      run += fmt::format(
          "  {{\n    double in[{0}], out[{1}] = {{0.0}}, status;\n    for (int k = 0; k < {2}; ++k) {{\n"
          "      if (fread(in, 8, {0}, from) != {0}) return 1;\n      status = {3}{4};\n"
          "      fwrite(out, 8, {1}, to);\n      fwrite(&status, 8, 1, to);\n    }}\n  }}\n",
          one.ins, one.outs, kStates, one.file + (language == Language::cpp ? "::" : "_"), one.call);
    }
    std::ofstream(folder / driver) << text +
                                          "#include <stdio.h>\nint main(void) {\n"
                                          "  FILE* from = fopen(\"in.bin\", \"rb\");\n"
                                          "  FILE* to = fopen(\"out.bin\", \"wb\");\n" +
                                          run + "  fclose(from);\n  fclose(to);\n  return 0;\n}\n";
    ASSERT_EQ(std::system(
                  fmt::format("cd '{}' && {} {} -o driver -lm && ./driver", folder.string(), command, driver)
                      .c_str()),
              0);
    std::vector<double> got(fs::file_size(folder / "out.bin") / sizeof(double));
    std::ifstream(folder / "out.bin", std::ios::binary)
        .read(reinterpret_cast<char*>(got.data()), static_cast<std::streamsize>(got.size() * sizeof(double)));
    ASSERT_EQ(got.size(), want.size());
    std::size_t at = 0;
    for (const Case& one : cases) {
      for (std::size_t k = 0; k < one.want.size(); ++k, ++at)
        ASSERT_EQ(std::memcmp(&got[at], &want[at], sizeof(double)), 0)
            << one.file << ", state " << k / (one.outs + 1) << ", number " << k % (one.outs + 1) << ": "
            << got[at] << " instead of " << want[at];
    }
  }
  fs::remove_all(folder);
}

void expect_refusal(const describe::Model& model, const std::string& word, const ControllerSettings& settings,
                    const std::string& words) {
  try {
    controller_program(model, word, settings);
    ADD_FAILURE() << word << " was written";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(ControllerSource, RefusesWhatCannotBe) {
  const describe::Model puma = model_named("puma560"), crank = model_named("slider_crank"),
                        driven = driven_crank();
  ControllerSettings plain, led;
  led.projected.led = {"q1"};
  expect_refusal(puma, "controller:pole-placment", plain, "pole-placement");
  expect_refusal(puma, "controller:", plain, "there is no controller");
  ControllerSettings right = plain;
  right.arm.poles = {PolePair::complex(12.0, 45.0)};
  expect_refusal(puma, "controller:computed-torque", right, "are not stable");
  right.arm.poles = {PolePair::real(0.0, -3.0)};  // no gain of positions
  expect_refusal(puma, "controller:pole-placement", right, "are not stable");
  right.arm.poles = std::vector<PolePair>(2, PolePair::complex(-1.0, 1.0));
  expect_refusal(puma, "controller:gravity", right, "poles of 2 joints for 6");
  ControllerSettings still = plain;
  still.arm.period = 0.0;
  expect_refusal(puma, "controller:sampled", still, "period");
  ControllerSettings shorter = plain;
  shorter.arm.abbreviate = 0.01;
  expect_refusal(puma, "controller:gravity", shorter, "not written abbreviated");
  shorter.arm.abbreviate = -1.0;
  expect_refusal(puma, "controller:computed-torque", shorter, "abbreviation");
  expect_refusal(crank, "controller:pole-placement", plain, "has constraints");
  expect_refusal(model_named("rigid_body"), "controller:gravity", plain, "more coordinates than speeds");
  expect_refusal(model_named("shopping_cart"), "controller:gravity", plain, "has constraints");
  expect_refusal(
      describe::load_text("name: own\nbodies: {a: {mass: 1}}\njoints: {x: {type: prismatic, parent: world, "
                          "child: a, axis: x}}\nspeeds: {from_rates: {v: 2*x_dot}}\n",
                          "own.yaml"),
      "controller:gravity", plain, "defines speeds of its own");
  // Two joints that move one mass along one line: M has no inverse.
  expect_refusal(describe::load_text("name: light\nbodies: {a: {mass: 0}, b: {mass: 1}}\njoints:\n"
                                     "  x: {type: prismatic, parent: world, child: a, axis: x}\n"
                                     "  y: {type: prismatic, parent: a, child: b, axis: x}\n",
                                     "light.yaml"),
                 "controller:pole-placement", plain, "singular");
  expect_refusal(puma, "controller:inverse-kinematics:hand", plain, "no frame `hand`");
  expect_refusal(model_named("general_6r"), "controller:inverse-kinematics:tool", plain, "do not meet");
  expect_refusal(puma, "controller:pidc", led, "has no constraints");
  expect_refusal(driven, "controller:pidc", plain, "no coordinate is to be led");
  expect_refusal(crank, "controller:pidc", led, "without an actuator");
  expect_refusal(driven, "controller:passive", led, "have actuators");
  expect_refusal(crank, "controller:hybrid", led, "actuators at all joints");
  ControllerSettings late = led;
  late.projected.G_F = 3.0;
  expect_refusal(driven, "controller:hybrid", late, "is not stable");
}

TEST(ControllerSource, SaysWhatItKnows) {
  for (const generate::Word& word : controller_words()) EXPECT_TRUE(is_controller(word.name)) << word.name;
  EXPECT_FALSE(is_controller("inverse-dynamics"));
}

}  // namespace
}  // namespace tactus::control
