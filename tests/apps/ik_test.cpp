// tactus ik: where a frame can be brought, and what is said where it cannot.
#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
using Json = nlohmann::json;

TEST(Ik, ListsAllWaysOfThePuma) {
  const Outcome run = tactus("ik " + model("puma560.yaml") +
                             " --frame tool --xyz 0.4,200 mm,0.3 --rpy '90 deg,0,30 deg' --json");
  EXPECT_EQ(run.code, 2);  // the shell cuts the length in two
  const std::string pose = " --frame tool --xyz '0.4,200 mm,0.3' --rpy '90 deg,0,30 deg'";
  const Outcome all = tactus("ik " + model("puma560.yaml") + pose + " --json");
  ASSERT_EQ(all.code, 0) << all.err;
  const Json answer = Json::parse(all.out);
  EXPECT_EQ(answer["method"], "closed");
  EXPECT_EQ(answer["ways"].size(), 8u);
  // The nearest by iteration is one of them.
  const Outcome one = tactus("ik " + model("puma560.yaml") + pose + " --iterate --json");
  ASSERT_EQ(one.code, 0) << one.err;
  const Json found = Json::parse(one.out)["ways"][0]["q"];
  bool same = false;
  for (const Json& way : answer["ways"]) {
    double apart = 0.0;
    for (const auto& [name, value] : way["q"].items()) {
      const double difference =
          std::abs(std::remainder(value.get<double>() - found[name].get<double>(), 2.0 * M_PI));
      apart = difference <= apart ? apart : difference;
    }
    same = same || apart < 1e-7;
  }
  EXPECT_TRUE(same) << all.out << one.out;
  EXPECT_NE(tactus("ik " + model("puma560.yaml") + pose).out.find("8 ways in closed form"),
            std::string::npos);
}

TEST(Ik, ClosesTheLoopsOfOthersAndSaysWhatCannotBe) {
  const Outcome plate =
      tactus("ik " + model("stewart_platform.yaml") + " --frame plate --xyz 0,0.05,0.55 --rpy 0,0,0");
  EXPECT_EQ(plate.code, 0) << plate.err;
  EXPECT_NE(plate.out.find("No closed form: it has constraints"), std::string::npos) << plate.out;
  EXPECT_NE(plate.out.find("The pose is met"), std::string::npos) << plate.out;
  const Outcome far = tactus("ik " + model("puma560.yaml") + " --frame tool --xyz 3,0,0 --rpy 0,0,0");
  EXPECT_EQ(far.code, 1);
  EXPECT_NE(far.out.find("too far by"), std::string::npos) << far.out;
  const auto refuses = [](const std::string& arguments, const char* words) {
    const Outcome run = tactus("ik " + model("puma560.yaml") + " " + arguments);
    EXPECT_EQ(run.code, 2) << arguments;
    EXPECT_NE(run.err.find(words), std::string::npos) << arguments << ": " << run.err;
  };
  refuses("--frame tol --xyz 0,0,0", "no frame `tol`");
  refuses("--frame tool --xyz 0,0", "2 numbers");
  refuses("--frame tool --xyz 0,0,nan", "is no length");
  refuses("--frame tool --xyz 0,0,1e400", "is no length");
  refuses("--frame tool --xyz '0,0,1 deg'", "is no length");
  refuses("--frame tool --xyz 0,0,0 --rpy 1,,2", "is no angle");
  refuses("--frame tool --xyz 0,0,0 --quaternion 1,1,0,0", "has length");
  refuses("--frame tool --xyz 0,0,0 --quaternion 1,0,0,0 --rpy 0,0,0", "both say");
}

}  // namespace
}  // namespace tactus::apps
