// tactus haptic --port: frames, bodies, and points of a body for which the model has no frame.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"
#include "support/compare.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

/// How far two tables are apart, in any column.
double apart(const Table& a, const Table& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0.0;
  for (const auto& [name, column] : a) {
    EXPECT_EQ(column.size(), b.at(name).size()) << name;
    for (std::size_t k = 0; k < column.size(); ++k)
      most = support::larger(most, std::abs(column[k] - b.at(name).at(k)));
  }
  return most;
}

// The frame `middle` is 0.15 m along the coupler; a body's origin is its point 0,0,0.
TEST(Haptic, APointOfABodyIsHeldAsAFrameThere) {
  const Folder folder;
  const auto table = [&](const std::string& port) {
    const std::string csv = folder.path("run.csv");
    const Outcome run =
        tactus("haptic " + model("four_bar.yaml") + " --duration 0.5 --port '" + port + "' --out " + csv);
    EXPECT_EQ(run.code, 0) << port << run.err;
    return run.code == 0 ? table_of(content_of(csv)) : Table{};
  };
  constexpr double kRounding = 1e-9;  // of places, forces and torques of the order of one
  const Table middle = table("middle");
  EXPECT_LT(apart(middle, table("coupler@0.15,0,0")), kRounding);
  EXPECT_LT(apart(middle, table("coupler@150 mm,0,0 m")), kRounding);
  EXPECT_LT(apart(table("coupler"), table("coupler@0,0,0")), kRounding);
  // Another point is another place.
  const Table other = table("coupler@0.1,0,20mm");
  constexpr double kBeside = 0.02;  // [m]
  const double way = std::hypot(other.at("port_x")[0] - middle.at("port_x")[0],
                                other.at("port_z")[0] - middle.at("port_z")[0]);
  EXPECT_NEAR(way, std::hypot(0.05, kBeside), kRounding);
  EXPECT_EQ(other.at("port_y")[0], middle.at("port_y")[0]);
}

TEST(Haptic, APointOfABodyThatIsNoneIsRefusedInWords) {
  const std::string run = "haptic " + model("four_bar.yaml") + " --duration 0.1 --port ";
  for (const auto& [port, said] :
       std::vector<std::pair<std::string, std::string>>{{"coupl@0,0,0", "did you mean `coupler`"},
                                                        {"@0,0,0", "there is no body named ``"},
                                                        {"world@0,0,0", "`world` does not move"},
                                                        {"coupler@", "is no length"},
                                                        {"coupler@0,0", "2 numbers"},
                                                        {"coupler@0,0,0,0", "4 numbers"},
                                                        {"coupler@a,0,0", "`a` is no length"},
                                                        {"coupler@nan,0,0", "`nan` is no length"},
                                                        {"coupler@30deg,0,0", "is no length"},
                                                        {"coupler@1e9,0,0", "further than 1000 m"}}) {
    const Outcome refused = tactus(run + "'" + port + "'");
    EXPECT_EQ(refused.code, 2) << port << refused.out;
    EXPECT_NE(refused.err.find("--port "), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find(said), std::string::npos) << port << refused.err;
    EXPECT_NE(refused.err.find("help: "), std::string::npos) << refused.err;
  }
}

// Held by a model that walls, closes loops, or is a robot's file; and kept in a set-up.
TEST(Haptic, PointsAreHeldInEveryKindOfModelAndKeptInASetUp) {
  for (const char* held :
       {"box_stack.yaml --port box_1@0.05,0,0.02", "stewart_platform.yaml --port plate@0.1,0,0",
        "two_link.urdf --port forearm@0.1,0,0", "bricard.yaml --port rod_3@0.05,0,0"}) {
    const Outcome run = tactus("haptic " + model(held) + " --duration 0.1 --json");
    EXPECT_EQ(run.code, 0) << held << run.err;
  }
  const Folder folder;
  const std::string setup = folder.path("setup.yaml");
  ASSERT_EQ(tactus("haptic " + model("four_bar.yaml") +
                   " --duration 0.1 --port coupler@0.1,0,0 --save-setup " + setup)
                .code,
            0);
  const Outcome again = tactus("haptic --setup " + setup + " --json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out).at("port"), "coupler@0.1,0,0");
  const Outcome wrong =
      tactus("haptic --setup " +
             folder.file("wrong.yaml", "model: " + model("four_bar.yaml") + "\nport: nothing@0,0,0\n"));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("wrong.yaml:2:1: error:"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace tactus::apps
