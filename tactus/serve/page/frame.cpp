#include <tactus/serve/page/frame.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace tactus::serve {

namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

class Writer {
 public:
  explicit Writer(std::size_t size) { bytes_.reserve(size); }
  template <class T>
  Writer& put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  Writer& real(double value) { return put(static_cast<float>(value)); }
  Writer& vector(const Vec3& v) { return real(v.x).real(v.y).real(v.z); }
  Writer& floats(std::span<const float> values) {
    const std::size_t at = bytes_.size(), size = values.size_bytes();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(bytes_.data() + at, values.data(), size);
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::uint32_t flags_of(const Picture& p) {
  std::uint32_t flags = 0;
  flags |= p.paused ? 1U : 0U;
  flags |= p.faulted ? 2U : 0U;
  flags |= p.hand.body >= 0 ? 4U : 0U;
  flags |= p.hand.turning ? 8U : 0U;
  flags |= p.hand.pushing ? 16U : 0U;
  flags |= p.has_handle ? 32U : 0U;
  flags |= p.recording ? 64U : 0U;
  flags |= p.hand.clamped ? 128U : 0U;
  return flags;
}

}  // namespace

std::string encode_frame(const FrameLabel& label, const Picture& picture,
                         std::span<const std::vector<double>> samples, std::span<const std::size_t> columns) {
  constexpr std::size_t kContactBytes = 40, kMostSamples = 65535;
  if (columns.empty()) samples = {};
  if (samples.size() > kMostSamples) samples = samples.last(kMostSamples);
  const HandPicture& hand = picture.hand;
  Writer to(kFrameHeader + 4 * picture.poses.size() + kContactBytes * picture.contact_count +
            4 * samples.size() * (1 + columns.size()));
  to.put(kFrameMagic).put(std::uint16_t{1}).put(static_cast<std::uint16_t>(kFrameHeader));
  to.put(label.scene).put(label.sequence).put(picture.t).put(picture.clock);
  to.put(static_cast<std::uint16_t>(picture.poses.size() / 7))
      .put(static_cast<std::uint16_t>(picture.contact_count));
  to.put(static_cast<std::uint16_t>(columns.size())).put(static_cast<std::uint16_t>(samples.size()));
  to.put(flags_of(picture)).put(picture.events).put(hand.sequence).put(hand.delay);
  to.put(static_cast<std::int32_t>(hand.body)).put(hand.client);
  to.vector(hand.point).vector(hand.target).vector(hand.force).vector(hand.torque);
  to.real(hand.stiffness).real(picture.hardest).floats(picture.handle).vector(hand.push);
  to.floats(picture.poses);
  for (std::size_t i = 0; i < picture.contact_count; ++i) {
    const simulate::ContactPoint& contact = picture.contacts[i];
    to.put(static_cast<std::uint32_t>(contact.pair))
        .vector(contact.point)
        .vector(contact.normal)
        .vector(contact.force);
  }
  for (const std::vector<double>& sample : samples) {
    to.real(sample[0] - picture.t);
    for (const std::size_t column : columns)
      to.real(column < sample.size() ? sample[column] : std::numeric_limits<double>::quiet_NaN());
  }
  return to.take();
}

std::string encode_poses(std::size_t bodies, double rate, std::span<const float> poses) {
  constexpr std::size_t kHeader = 16;
  Writer to(kHeader + poses.size_bytes());
  to.put(kPosesMagic).put(std::uint16_t{1}).put(static_cast<std::uint16_t>(bodies));
  to.put(static_cast<std::uint32_t>(bodies == 0 ? 0 : poses.size() / (7 * bodies))).real(rate).floats(poses);
  return to.take();
}

}  // namespace tactus::serve
