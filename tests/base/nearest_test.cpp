#include <array>

#include <gtest/gtest.h>

#include <tactus/base/error.h>

namespace tactus {
namespace {

constexpr std::array<std::string_view, 5> kKeys = {"mass", "com", "inertia", "bodies", "placement"};

TEST(Nearest, CountsSlipsOfThePen) {
  EXPECT_EQ(edit_distance("mass", "mass"), 0);
  EXPECT_EQ(edit_distance("mas", "mass"), 1);
  EXPECT_EQ(edit_distance("masss", "mass"), 1);
  EXPECT_EQ(edit_distance("moss", "mass"), 1);
  EXPECT_EQ(edit_distance("msas", "mass"), 1);  // a swap is one slip
  EXPECT_EQ(edit_distance("MASS", "mass"), 0);
  EXPECT_EQ(edit_distance("", "mass"), 4);
}

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("mas", kKeys), "mass");
  EXPECT_EQ(nearest("inertai", kKeys), "inertia");
  EXPECT_EQ(nearest("body", kKeys), "bodies");
  EXPECT_EQ(nearest("Placment", kKeys), "placement");
}

TEST(Nearest, DoesNotGuessWildly) {
  EXPECT_EQ(nearest("x", kKeys), "");
  EXPECT_EQ(nearest("velocity", kKeys), "");
  EXPECT_EQ(nearest("", kKeys), "");
}

}  // namespace
}  // namespace tactus
