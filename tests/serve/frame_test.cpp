// Frames are what docs/protocol.md says, byte for byte.
#include <tactus/serve/page/frame.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace {

using namespace tactus;
using namespace tactus::serve;

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, bytes.size());
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Picture picture() {
  Picture p;
  p.t = 1.5;
  p.clock = 100.25;
  p.poses.assign(14, 0.0F);
  for (std::size_t i = 0; i < 14; ++i) p.poses[i] = static_cast<float>(i);
  p.contacts.resize(4);
  p.contact_count = 1;
  p.contacts[0].pair = 3;
  p.contacts[0].point = {1.0, 2.0, 3.0};
  p.contacts[0].normal = {0.0, 0.0, 1.0};
  p.contacts[0].force = {7.0, 8.0, 9.0};
  p.hand.body = 1;
  p.hand.client = 5;
  p.hand.sequence = 42;
  p.hand.delay = 0.002F;
  p.hand.point = {0.1, 0.2, 0.3};
  p.hand.target = {0.4, 0.5, 0.6};
  p.hand.force = {10.0, 11.0, 12.0};
  p.hand.torque = {13.0, 14.0, 15.0};
  p.hand.push = {16.0, 17.0, 18.0};
  p.hand.stiffness = 250.0;
  p.hardest = 0.25;
  p.events = 9;
  p.paused = true;
  return p;
}

TEST(Frame, HasEveryFieldWhereTheProtocolSays) {
  const std::vector<std::vector<double>> samples{{1.496, 0.0, 5.0, 6.0}, {1.5, 0.0, 7.0, 8.0}};
  const std::vector<std::size_t> columns{3, 2, 99};
  const std::string f = encode_frame({7, 21}, picture(), samples, columns);
  ASSERT_EQ(f.size(), 160u + 2 * 28 + 40 + 2 * 4 * 4);
  EXPECT_EQ(at<std::uint32_t>(f, 0), 0x46434154u);
  EXPECT_EQ(f.substr(0, 4), "TACF");
  EXPECT_EQ(at<std::uint16_t>(f, 4), 1);
  EXPECT_EQ(at<std::uint16_t>(f, 6), 160);
  EXPECT_EQ(at<std::uint32_t>(f, 8), 7u);
  EXPECT_EQ(at<std::uint32_t>(f, 12), 21u);
  EXPECT_EQ(at<double>(f, 16), 1.5);
  EXPECT_EQ(at<double>(f, 24), 100.25);
  EXPECT_EQ(at<std::uint16_t>(f, 32), 2);
  EXPECT_EQ(at<std::uint16_t>(f, 34), 1);
  EXPECT_EQ(at<std::uint16_t>(f, 36), 3);
  EXPECT_EQ(at<std::uint16_t>(f, 38), 2);
  EXPECT_EQ(at<std::uint32_t>(f, 40), 1u + 4u);
  EXPECT_EQ(at<std::uint32_t>(f, 44), 9u);
  EXPECT_EQ(at<std::uint32_t>(f, 48), 42u);
  EXPECT_EQ(at<float>(f, 52), 0.002F);
  EXPECT_EQ(at<std::int32_t>(f, 56), 1);
  EXPECT_EQ(at<std::uint32_t>(f, 60), 5u);
  EXPECT_EQ(at<float>(f, 64), 0.1F);
  EXPECT_EQ(at<float>(f, 76), 0.4F);
  EXPECT_EQ(at<float>(f, 88), 10.0F);
  EXPECT_EQ(at<float>(f, 100), 13.0F);
  EXPECT_EQ(at<float>(f, 112), 250.0F);
  EXPECT_EQ(at<float>(f, 116), 0.25F);
  EXPECT_EQ(at<float>(f, 148), 16.0F);
  EXPECT_EQ(at<float>(f, 160), 0.0F);
  EXPECT_EQ(at<float>(f, 160 + 28), 7.0F);
  EXPECT_EQ(at<std::uint32_t>(f, 216), 3u);
  EXPECT_EQ(at<float>(f, 220), 1.0F);
  EXPECT_EQ(at<float>(f, 244), 7.0F);
  EXPECT_NEAR(at<float>(f, 256), -0.004F, 1e-9F);
  EXPECT_EQ(at<float>(f, 260), 6.0F);
  EXPECT_EQ(at<float>(f, 264), 5.0F);
  EXPECT_TRUE(std::isnan(at<float>(f, 268)));  // a channel that this mechanism does not have
  EXPECT_EQ(at<float>(f, 276), 8.0F);
}

TEST(Frame, WithoutChannelsHasNoSamples) {
  const std::vector<std::vector<double>> samples(3, std::vector<double>(4));
  const std::string f = encode_frame({}, picture(), samples, {});
  EXPECT_EQ(at<std::uint16_t>(f, 38), 0);
  EXPECT_EQ(f.size(), 160u + 2 * 28 + 40);
}

TEST(Frame, PosesOfAMotionSayHowManyThereAre) {
  const std::vector<float> poses(3 * 14, 2.0F);
  const std::string p = encode_poses(2, 60.0, poses);
  EXPECT_EQ(p.substr(0, 4), "TACP");
  EXPECT_EQ(at<std::uint16_t>(p, 6), 2);
  EXPECT_EQ(at<std::uint32_t>(p, 8), 3u);
  EXPECT_EQ(at<float>(p, 12), 60.0F);
  EXPECT_EQ(p.size(), 16u + 4 * poses.size());
}

}  // namespace
