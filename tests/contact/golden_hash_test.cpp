// Whole motions, held to the bit by stored hashes: golden_hashes.txt. A change of any bit of a state anywhere
// shows here, whoever made it; the processor's vector width and the back end must not. (A few places outside
// the kernels call the C library: turns of quaternions, directions of tangents, lengths by hypot. The hashes
// are those of Debian 12's on a processor with FMA.)
//
// Where numerics change on purpose, one command writes the file anew; the diff then says which motions moved:
//
//   TACTUS_GOLDEN=write build/release/tests/test_contact --gtest_filter='*Golden*'
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/stepping/stepping.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/simulation.h>
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::Integrator;

enum class By { simulation, events, stepping };

struct Case {
  const char* model;
  By by = By::simulation;
  Integrator integrator = Integrator::rk4;
  int steps = 200;     // of 1 ms
  double drive = 0.0;  // amplitude of the actuators [N m, N]
};

std::string name_of(const Case& c) {
  const char* by[] = {"", "_by_events", "_by_stepping"};
  return fmt::format("{}_{}{}", c.model, simulate::name_of(c.integrator), by[static_cast<int>(c.by)]);
}
void PrintTo(const Case& c, std::ostream* out) { *out << name_of(c); }

constexpr double kStep = 1e-3;  // [s]

/// FNV-1a over the bytes of doubles, the lowest first.
class Fnv1a {
 public:
  void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (int k = 0; k < 64; k += 8) hash_ = (hash_ ^ ((bits >> k) & 0xff)) * 0x100000001b3ull;
  }
  void add(const simulate::State& state) {
    add(state.t);
    for (const double x : state.q) add(x);
    for (const double x : state.u) add(x);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

/// Of the state after every step, so that the first step that differs cannot be made good by chance.
template <class Moving>
std::uint64_t hash_of(Moving& moving, const Case& how, std::size_t nv) {
  Fnv1a hash;
  std::vector<double> tau(nv, 0.0);
  for (int i = 0; i < how.steps; ++i) {
    // A push that needs no function of a library: back and forth every 50 steps, joint after joint.
    for (std::size_t k = 0; k < nv; ++k)
      tau[k] = ((static_cast<std::size_t>(i) / 50 + k) % 2 == 0 ? how.drive : -how.drive);
    const Status status = moving.step({.tau = tau});
    if (!status.ok()) {
      ADD_FAILURE() << moving.explain(status);
      break;
    }
    hash.add(moving.state());
  }
  for (const double x : moving.state().q) EXPECT_TRUE(std::isfinite(x));
  return hash.value();
}

std::uint64_t run(const Case& how, generate::Backend backend) {
  const describe::Model model =
      describe::load(tactus::support::source_dir() + "/models/" + how.model + ".yaml");
  const auto nv = static_cast<std::size_t>(model.nv());
  const simulate::State start{0.0, model.initial_q, model.initial_u, {}, {}};
  if (how.by == By::simulation) {
    const simulate::Dynamics dynamics = simulate::compile(derive::Equations(model), std::nullopt, backend);
    simulate::Simulation simulation(dynamics, {.step = kStep, .integrator = how.integrator});
    simulation.set_state(model.constraints.empty() ? start : simulate::assemble(dynamics, start));
    return hash_of(simulation, how, nv);
  }
  const ContactModel contact_model(model);
  if (how.by == By::events) {
    Engine engine(contact_model, {.step = kStep, .integrator = how.integrator});
    engine.set_state(start);
    return hash_of(engine, how, nv);
  }
  TimeStepping stepping(contact_model, {.step = kStep, .all_pairs = true});
  stepping.set_state(start);
  return hash_of(stepping, how, nv);
}

/// The file: one line "name hash" per motion, in the order of the names.
class GoldenHashes {
 public:
  GoldenHashes() {
    std::ifstream file(path_);
    std::string name, hash;
    while (file >> name >> hash) stored_[name] = hash;
  }
  std::string of(const std::string& name) const {
    const auto found = stored_.find(name);
    return found == stored_.end() ? "none" : found->second;
  }
  void write(const std::string& name, const std::string& hash) {
    stored_[name] = hash;
    std::ofstream file(path_);
    for (const auto& [known, value] : stored_) file << known << ' ' << value << '\n';
  }

 private:
  const std::string path_ = tactus::support::source_dir() + "/tests/contact/golden_hashes.txt";
  std::map<std::string, std::string> stored_;
};

class GoldenHash : public testing::TestWithParam<Case> {};

TEST_P(GoldenHash, IsWhatIsStored) {
  const std::string name = name_of(GetParam());
  const std::string hash = fmt::format("{:016x}", run(GetParam(), generate::Backend::automatic));
  if (GetParam().by == By::simulation) {
    EXPECT_EQ(fmt::format("{:016x}", run(GetParam(), generate::Backend::interpreter)), hash)
        << "the interpreter and the machine code differ";
  }
  GoldenHashes golden;
  const char* ask = std::getenv("TACTUS_GOLDEN");
  if (ask != nullptr && std::string_view(ask) == "write") {
    golden.write(name, hash);
    return;
  }
  EXPECT_EQ(hash, golden.of(name)) << "the motion is not the stored one. On purpose? Then, from the root:\n"
                                      "TACTUS_GOLDEN=write build/release/tests/test_contact "
                                      "--gtest_filter='*Golden*'";
}

INSTANTIATE_TEST_SUITE_P(
    Motions, GoldenHash,
    testing::Values(
        // Trees: an arm with friction, every type of joint, a free body's momentum, a stiff integrator.
        Case{"puma560", By::simulation, Integrator::rk4, 200, 20.0},
        Case{"joint_gallery", By::simulation, Integrator::rk4},
        Case{"rigid_body", By::simulation, Integrator::euler}, Case{"chain_30", By::simulation},
        Case{"joint_gallery", By::simulation, Integrator::implicit, 50},
        // Loops, singular ones among them; rolling.
        Case{"four_bar", By::simulation}, Case{"stewart_platform", By::simulation},
        Case{"slider_crank", By::simulation, Integrator::rk4, 500}, Case{"rolling_disk", By::simulation},
        Case{"shopping_cart", By::simulation, Integrator::rk4, 200, 1.0},
        // Contact by events: impacts, sliding and sticking, transitions, a hundred contacts in a row.
        Case{"ramp_drop", By::events, Integrator::rk4, 1500}, Case{"newtons_cradle", By::events},
        Case{"escapement", By::events, Integrator::rk4, 300},
        Case{"chain_in_enclosure_rigid", By::events, Integrator::rk4, 300, 1.0},
        // Contact by stepping.
        Case{"box_stack", By::stepping}, Case{"many_bodies", By::stepping, Integrator::rk4, 60}),
    [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace tactus::contact
