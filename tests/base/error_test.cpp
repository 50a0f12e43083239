#include <gtest/gtest.h>

#include <tactus/base/check.h>
#include <tactus/base/error.h>

namespace tactus {
namespace {

TEST(InputError, SaysWhereWhatAndHow) {
  const InputError error({"arm.yaml", 12, 5}, "unknown key 'mas'", "did you mean 'mass'?");
  EXPECT_STREQ(error.what(), "arm.yaml:12:5: error: unknown key 'mas'\n  help: did you mean 'mass'?");
}

TEST(InputError, LeavesOutWhatIsUnknown) {
  EXPECT_STREQ(InputError({"arm.yaml", 0, 0}, "empty file").what(), "arm.yaml: error: empty file");
  EXPECT_STREQ(InputError({"arm.yaml", 3, 0}, "bad").what(), "arm.yaml:3: error: bad");
  EXPECT_STREQ(InputError({}, "bad").what(), "error: bad");
}

TEST(CheckDeathTest, BrokenAssumptionsAbortLoudly) {
  EXPECT_DEATH(TACTUS_CHECK(1 + 1 == 3), "assumption `1 \\+ 1 == 3` broken at .*error_test.cpp");
}

}  // namespace
}  // namespace tactus
