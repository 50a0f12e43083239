// The table of joints against what is made of it: the schema, the models that are read, the coordinates.
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <tactus/describe/model/joint_traits.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::describe {
namespace {

Model one_joint(const JointTraits& traits) {
  const char* pitch = traits.has_pitch                    ? ", pitch: 5 mm/rev"
                      : traits.axes == AxesWritten::order ? ", order: zyx"
                                                          : "";
  return load_text(
      fmt::format("name: one\nbodies:\n  b: {{mass: 1, com: [0.1, 0.2, 0.3], inertia: [1, 1, 1]}}\n"
                  "joints:\n  j: {{type: {}, parent: world, child: b{}}}\n",
                  traits.word, pitch),
      "one.yaml");
}

TEST(JointTraits, ARowAgreesWithItself) {
  std::set<std::string_view> words;
  for (const JointTraits& traits : all_joints()) {
    SCOPED_TRACE(traits.word);
    EXPECT_TRUE(words.insert(traits.word).second);
    EXPECT_EQ(&joint_traits(traits.type), &traits);
    EXPECT_EQ(traits.nq() - traits.nv, has_quaternion(traits.type) ? 1u : 0u);
    std::set<std::string_view> names;
    for (const JointFreedom& freedom : traits.freedoms()) {
      EXPECT_TRUE(names.insert(freedom.name).second) << freedom.name;
      EXPECT_EQ(freedom.name.empty(), traits.nv == 1);
      // Of an order of turns: the coordinate axes, then the turns.
      EXPECT_TRUE(freedom.axis >= 0 && freedom.axis < (traits.axes == AxesWritten::order ? 6 : 3));
    }
    // Positions, then the quaternion; the angular velocity first among the speeds.
    if (!traits.has_quaternion()) continue;
    EXPECT_EQ(traits.nq(), static_cast<std::size_t>(traits.quaternion_at) + 4);
    for (std::size_t k = 0; k < traits.nv; ++k) EXPECT_EQ(traits.freedoms()[k].is_rotation, k < 3);
  }
}

TEST(JointTraits, AModelWithTheJointHasItsCoordinatesAndSpeeds) {
  for (const JointTraits& traits : all_joints()) {
    SCOPED_TRACE(traits.word);
    const Model model = one_joint(traits);
    EXPECT_EQ(model.joints[0].type, traits.type);
    EXPECT_EQ(model.coordinate_names().size(), traits.nq());
    EXPECT_EQ(model.initial_q.size(), traits.nq());
    ASSERT_EQ(model.joints[0].axes.size(), traits.nv);
    for (std::size_t k = 0; k < traits.nv; ++k) {
      const std::string_view last = traits.freedoms()[k].name;
      EXPECT_EQ(model.joints[0].axes[k].name, last.empty() ? "j" : "j." + std::string(last));
      EXPECT_EQ(model.joints[0].axes[k].is_rotation, traits.freedoms()[k].is_rotation);
    }
  }
}

TEST(JointTraits, TheSchemaHasTheSameWords) {
  const auto schema =
      nlohmann::json::parse(std::ifstream(tactus::support::source_dir() + "/docs/model.schema.json"));
  std::set<std::string> written, known;
  for (const auto& word : schema["$defs"]["joint"]["properties"]["type"]["enum"]) written.insert(word);
  for (const JointTraits& traits : all_joints()) known.insert(std::string(traits.word));
  EXPECT_EQ(written, known);
}

}  // namespace
}  // namespace tactus::describe
