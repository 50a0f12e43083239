// Parameters that change while a mechanism moves, in all engines: from then on it moves as the model that was loaded with
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/describe/check/adjustable.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::Mechanism;
using simulate::State;
using simulate::Tick;

static_assert(noexcept(std::declval<Mechanism&>().set_parameter(0, 1.0)));

struct Case {
  std::string name;
  std::string model;
  std::string parameter;
  double value = 0.0;
  OpenOptions options{};
};

OpenOptions by_stepping() {
  OpenOptions options;
  options.contact = OpenOptions::Contact::stepping;
  return options;
}
OpenOptions with(simulate::Integrator integrator) {
  OpenOptions options;
  options.integrator = integrator;
  return options;
}

std::vector<Case> cases() {
  return {{"MassOfAnArm", "planar_2r", "m2", 2.5},
          {"LengthOfAnArm", "planar_2r", "L2", 0.3},
          {"MassImplicit", "planar_2r", "m1", 1.0, with(simulate::Integrator::implicit)},
          {"FreeBody", "rigid_body", "m", 3.0},
          {"InertiaOfAFreeBody", "rigid_body", "Iy", 2.2},
          {"LengthInALoop", "four_bar", "coupler", 0.304},
          {"MassInALoop", "four_bar", "density", 5.0},
          {"RedundantLoops", "stewart_platform", "m_plate", 6.0},
          {"Rolling", "shopping_cart", "m_B", 35.0},
          {"DampingOfADisk", "rolling_disk", "b_r", 0.4},
          {"EventsCompliant", "chain_in_enclosure", "m3", 2.0},
          {"EventsRigid", "chain_in_enclosure_rigid", "m2", 4.0},
          {"EventsGuard", "latch", "strength", 300.0},
          {"EventsDoor", "latch", "m_D", 12.0},
          {"EventsAtRest", "box_drop", "m", 2.0},
          {"SteppingStack", "box_stack", "m", 2.0},
          {"SteppingChain", "chain_in_enclosure_rigid", "m2", 4.0, by_stepping()}};
}

std::string path_of(const Case& c) { return support::source_dir() + "/models/" + c.model + ".yaml"; }

std::unique_ptr<Mechanism> adjustable(const Case& c) {
  OpenOptions options = c.options;
  options.adjustable = {c.parameter};
  return open(describe::load(path_of(c)), options);
}

/// Forces that swing.
bool advance(Mechanism& mechanism, int from, int to) {
  std::vector<double> tau(mechanism.nv());
  for (int tick = from; tick < to; ++tick) {
    for (std::size_t i = 0; i < tau.size(); ++i)
      tau[i] = 0.1 * std::sin(0.01 * tick + static_cast<double>(i));
    const Tick answer = mechanism.step({.tau = tau});
    EXPECT_TRUE(answer.ok()) << mechanism.explain(answer.status);
    if (!answer.ok()) return false;
  }
  return true;
}

/// Folded numbers and numbers read from a cell round differently; so does what is natural for a constraint's size.
constexpr double kAlike = 1e-9;
/// A stack is solved to the solver's tolerance, from other first guesses.
constexpr double kAlikeBySweeps = 1e-6;

void expect_alike(const State& a, const State& b, double tolerance) {
  for (std::size_t i = 0; i < a.q.size(); ++i) EXPECT_NEAR(a.q[i], b.q[i], tolerance) << "coordinate " << i;
  for (std::size_t i = 0; i < a.u.size(); ++i)
    EXPECT_NEAR(a.u[i], b.u[i], tolerance * (1.0 + std::abs(b.u[i]))) << "speed " << i;
}

class Adjusting : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, Adjusting, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Adjusting, MovesOnAsTheModelLoadedWithTheValue) {
  const Case& c = GetParam();
  const std::unique_ptr<Mechanism> mechanism = adjustable(c);
  const int parameter = mechanism->parameter(c.parameter);
  EXPECT_NE(mechanism->parameter_value(parameter), c.value);
  ASSERT_TRUE(advance(*mechanism, 0, 40));
  ASSERT_TRUE(mechanism->set_parameter(parameter, c.value));
  EXPECT_EQ(mechanism->parameter_value(parameter), c.value);

  // The other begins where this one stands after the change.
  const std::unique_ptr<Mechanism> loaded =
      open(describe::load(path_of(c), {{c.parameter, std::to_string(c.value)}}), c.options);
  loaded->set_state(
      {.t = mechanism->state().t, .q = mechanism->state().q, .u = mechanism->state().u, .momentum = {}});
  const simulate::Energies own = mechanism->energies(), other = loaded->energies();
  EXPECT_NEAR(own.kinetic, other.kinetic, kAlike * (1.0 + std::abs(other.kinetic)));
  EXPECT_NEAR(own.potential, other.potential, kAlike * (1.0 + std::abs(other.potential)));
  ASSERT_TRUE(advance(*mechanism, 40, 140));
  ASSERT_TRUE(advance(*loaded, 40, 140));
  expect_alike(mechanism->state(), loaded->state(), c.name == "SteppingStack" ? kAlikeBySweeps : kAlike);
}

TEST_P(Adjusting, StartsAsTheModelItself) {
  const Case& c = GetParam();
  const std::unique_ptr<Mechanism> mechanism = adjustable(c),
                                   plain = open(describe::load(path_of(c)), c.options);
  ASSERT_TRUE(advance(*mechanism, 0, 100));
  ASSERT_TRUE(advance(*plain, 0, 100));
  expect_alike(mechanism->state(), plain->state(), kAlike);
}

TEST_P(Adjusting, TakesNoMemoryAndRefusesWhatIsNoNumber) {
  const std::unique_ptr<Mechanism> mechanism = adjustable(GetParam());
  ASSERT_TRUE(advance(*mechanism, 0, 10));
  const long before = test::allocation_count_of_this_thread();
  const bool done = mechanism->set_parameter(0, GetParam().value);
  const bool nan = mechanism->set_parameter(0, std::numeric_limits<double>::quiet_NaN());
  const bool none = mechanism->set_parameter(1, 1.0) || mechanism->set_parameter(-1, 1.0);
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  EXPECT_TRUE(done);
  EXPECT_FALSE(nan);
  EXPECT_FALSE(none);
  EXPECT_EQ(mechanism->parameter_value(0), GetParam().value);
  EXPECT_TRUE(std::isnan(mechanism->parameter_value(1)));
}

TEST_P(Adjusting, BelongsToTheSnapshot) {
  const std::unique_ptr<Mechanism> mechanism = adjustable(GetParam()), other = adjustable(GetParam());
  ASSERT_TRUE(advance(*mechanism, 0, 20));
  ASSERT_TRUE(mechanism->set_parameter(0, GetParam().value));
  ASSERT_TRUE(advance(*mechanism, 20, 30));
  const std::unique_ptr<simulate::Snapshot> snapshot = mechanism->make_snapshot();
  ASSERT_TRUE(other->load(*snapshot));
  EXPECT_EQ(other->parameter_value(0), GetParam().value);
  ASSERT_TRUE(advance(*mechanism, 30, 80));
  ASSERT_TRUE(advance(*other, 30, 80));
  EXPECT_EQ(mechanism->state().q, other->state().q);  // to the bit
  EXPECT_EQ(mechanism->state().u, other->state().u);
}

TEST(Adjusting, LeavesAMechanismAloneWhoseLoopCannotClose) {
  const std::unique_ptr<Mechanism> bars = adjustable({"", "four_bar", "coupler", 0.0});
  ASSERT_TRUE(advance(*bars, 0, 20));
  const State before = bars->state();
  EXPECT_FALSE(bars->set_parameter(0, 3.0));  // longer than all others together
  EXPECT_EQ(bars->parameter_value(0), 0.3);
  EXPECT_EQ(bars->state().q, before.q);
  EXPECT_EQ(bars->state().u, before.u);
  EXPECT_TRUE(advance(*bars, 20, 40));
}

TEST(Adjusting, RefusesMassesThatNoBodyHas) {
  const std::vector<Case> masses{{"", "planar_2r", "m2"},
                                 {"", "rigid_body", "m"},
                                 {"", "rigid_body", "Iy"},
                                 {"", "four_bar", "density"},
                                 {"", "box_drop", "m"},
                                 {"", "box_stack", "m"},
                                 {"", "chain_in_enclosure_rigid", "m2"}};
  for (const Case& c : masses) {
    const std::unique_ptr<Mechanism> mechanism = adjustable(c);
    ASSERT_TRUE(advance(*mechanism, 0, 10));
    const double value = mechanism->parameter_value(0);
    const State before = mechanism->state();
    EXPECT_FALSE(mechanism->set_parameter(0, -value)) << c.model << " " << c.parameter;
    EXPECT_FALSE(mechanism->set_parameter(0, -1e-9)) << c.model << " " << c.parameter;
    EXPECT_EQ(mechanism->parameter_value(0), value);
    EXPECT_EQ(mechanism->state().q, before.q);
    EXPECT_EQ(mechanism->state().u, before.u);
    EXPECT_TRUE(mechanism->set_parameter(0, 1.1 * value)) << c.model << " " << c.parameter;
    EXPECT_TRUE(advance(*mechanism, 10, 20));
  }
}

TEST(Adjusting, ReachesTheFormulasOfAScript) {
  OpenOptions options;
  options.adjustable = {"m2"};
  options.script_text = "tau: {shoulder: \"2*m2\"}\n";
  const std::unique_ptr<Mechanism> arm =
      open(describe::load(support::source_dir() + "/models/planar_2r.yaml"), options);
  EXPECT_EQ(arm->efforts()[0], 3.0);
  ASSERT_TRUE(arm->set_parameter(0, 4.0));
  EXPECT_EQ(arm->efforts()[0], 8.0);
}

TEST(Adjusting, SaysWhatReadsAParameterOnce) {
  const auto refuses = [](const std::string& model, const std::string& parameter, const std::string& words) {
    OpenOptions options;
    options.adjustable = {parameter};
    try {
      open(describe::load(support::source_dir() + "/models/" + model + ".yaml"), options);
      ADD_FAILURE() << model << ": " << parameter << " was taken";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refuses("box_stack", "edge", "shape of `box_");
  refuses("four_bar", "couple", "coupler");
  refuses("puma560", "m", "no parameters");
}

TEST(Adjusting, TakesAllThatCanBe) {
  OpenOptions options;
  options.adjust_all = true;
  const describe::Model model = describe::load(support::source_dir() + "/models/box_drop.yaml");
  const std::unique_ptr<Mechanism> box = open(model, options);
  EXPECT_EQ(std::vector<std::string>(box->adjustable().begin(), box->adjustable().end()),
            std::vector<std::string>{"m"});
  EXPECT_THROW(box->parameter("a"), InputError);
}

}  // namespace
}  // namespace tactus::contact
