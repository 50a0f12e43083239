// Every model that ships, through the verbs that need nothing but a model: a crash, an internal error or half an answer in one of them is found
// here.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
using Json = nlohmann::json;

std::vector<std::string> shipped_models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(model("")))
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Whole JSON up to exit code `answers`; beyond it, up to `last`, a message and no answer.
void expect_answers(const std::string& verb, int answers, int last) {
  const std::vector<std::string> names = shipped_models();
  EXPECT_GT(names.size(), 50u);
  for (const std::string& name : names) {
    const Outcome run = tactus(verb + " --json " + model(name));
    EXPECT_TRUE(run.code >= 0 && run.code <= last) << verb << " " << name << ": " << run.code << "\n"
                                                   << run.err;
    if (run.code <= answers) {
      EXPECT_TRUE(Json::parse(run.out, nullptr, false).is_object()) << verb << " " << name;
    } else {
      EXPECT_EQ(run.out, "") << verb << " " << name;
    }
    if (run.code > 0) {
      EXPECT_NE(run.err, "") << verb << " " << name;
    }
  }
}

TEST(ShippedModels, AreAllRead) { expect_answers("check", 0, 0); }

TEST(ShippedModels, AreAllDerived) { expect_answers("derive", 0, 0); }

TEST(ShippedModels, AreAllEvaluated) { expect_answers("eval", 1, 1); }

TEST(ShippedModels, AreAllLinearisedOrRefusedWithAReason) { expect_answers("linear", 1, 2); }

}  // namespace
}  // namespace tactus::apps
