// What `tactus check` prints.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <tactus/describe/model/model.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/words/report.h>
#include "support/paths.h"

namespace tactus::describe {
namespace {

std::string model_path(const std::string& name) { return tactus::support::source_dir() + "/models/" + name; }

TEST(Report, SaysWhatTheModelIs) {
  const std::string text = report_text(load(model_path("joint_gallery.yaml")));
  for (const char* line :
       {"19 degrees of freedom (nq = 21, nv = 19)", "total mass 7.2 kg", "|  `- door [revolute hinge] 0.8 kg",
        "ball.qw", "air.vz", "tail", "tether", "advancing 0.00159155 m/rad"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nis missing in\n" << text;
  }
}

TEST(Report, ListsDeepChainsInsteadOfIndentingThem) {
  const std::string text = report_text(load(model_path("chain_30.yaml")));
  EXPECT_NE(text.find("link_29 -> link_30 [revolute q30]"), std::string::npos) << text;
}

TEST(Report, JsonHasTheSame) {
  const auto json = nlohmann::json::parse(report_json(load(model_path("spherical_wrist.yaml"))));
  EXPECT_EQ(json["nq"], 3);
  EXPECT_EQ(json["joints"][2]["child"], "C");
  EXPECT_EQ(json["coordinates"][1]["name"], "q2");
  EXPECT_EQ(json["coordinates"][1]["unit"], "rad");
  EXPECT_EQ(json["parameters"].size(), 6u);
  EXPECT_EQ(json["speeds"][0]["name"], "u1");
  EXPECT_EQ(json["warnings"].size(), 2u);
}

TEST(Report, EveryCoordinateAndSpeedHasAMeaning) {
  for (const char* name :
       {"joint_gallery.yaml", "spherical_wrist.yaml", "spherical_wrist_rates.yaml", "puma560.yaml"}) {
    const Model model = load(model_path(name));
    const std::vector<Meaning> q = coordinate_meanings(model), u = speed_meanings(model);
    ASSERT_EQ(q.size(), static_cast<std::size_t>(model.nq())) << name;
    ASSERT_EQ(u.size(), static_cast<std::size_t>(model.nv())) << name;
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_EQ(q[i].name, model.coordinate_names()[i]);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_EQ(u[i].name, model.speed_names()[i]);
  }
}

}  // namespace
}  // namespace tactus::describe
