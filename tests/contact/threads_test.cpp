// A model is constant: any number of threads may derive from it at the same time. (Worth most under the thread
// sanitizer: ./test --sanitizers.)
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/events/engine.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::contact {
namespace {

constexpr int kThreads = 4;

describe::Model model_of(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

/// What every thread comes to, in order.
std::vector<std::vector<double>> in_threads(const std::function<std::vector<double>()>& work) {
  std::vector<std::vector<double>> results(kThreads);
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&result, &work] { result = work(); });
  for (std::thread& thread : threads) thread.join();
  return results;
}

class Threads : public testing::TestWithParam<const char*> {};

// Stops, transitions with guards, equations and parameters: all that once wrote in the model's graph.
TEST_P(Threads, MakeContactModelsOfOneModel) {
  const describe::Model model = model_of(GetParam());
  const std::size_t nodes = model.graph->size(), symbols = model.graph->symbol_count();
  const auto run = [&model] {
    const ContactModel contact_model(model);
    Engine engine(contact_model, {.step = 1e-3});
    engine.set_state({0.0, model.initial_q, model.initial_u, {}});
    for (int i = 0; i < 20; ++i) engine.step();
    std::vector<double> end = engine.state().q;
    end.insert(end.end(), engine.state().u.begin(), engine.state().u.end());
    return end;
  };
  const std::vector<double> alone = run();
  for (const std::vector<double>& result : in_threads(run)) EXPECT_EQ(result, alone);
  EXPECT_EQ(model.graph->size(), nodes);
  EXPECT_EQ(model.graph->symbol_count(), symbols);
}

INSTANTIATE_TEST_SUITE_P(Models, Threads, testing::Values("latch", "escapement", "ramp_drop"),
                         [](const auto& info) { return std::string(info.param); });

class ThreadsOfEquations : public testing::TestWithParam<const char*> {};

TEST_P(ThreadsOfEquations, DeriveFromOneModel) {
  const describe::Model model = model_of(GetParam());
  const std::size_t nodes = model.graph->size();
  const auto run = [&model] {
    const derive::Equations equations(model);
    generate::Evaluator dynamics(generate::compile(equations.forward_dynamics()));
    const std::span<double> q = dynamics.input("q");
    std::copy(model.initial_q.begin(), model.initial_q.end(), q.begin());
    dynamics.run();
    const std::span<const double> udot = dynamics.output("udot");
    return std::vector<double>(udot.begin(), udot.end());
  };
  const std::vector<double> alone = run();
  for (const std::vector<double>& result : in_threads(run)) EXPECT_EQ(result, alone);
  EXPECT_EQ(model.graph->size(), nodes);
}

// Formulas with parameters: speeds, surfaces, couplings, psi.
INSTANTIATE_TEST_SUITE_P(Models, ThreadsOfEquations,
                         testing::Values("spherical_wrist_rates", "four_bar", "two_link_on_circle",
                                         "slider_crank"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tactus::contact
