#include <tactus/device/drivers/recorded.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::device {

namespace {

using Vec3 = math::Vec3<double>;

using Quaternion = math::Quaternion<double>;

constexpr const char* kColumns[] = {"t",         "handle_x",  "handle_y",  "handle_z",
                                    "handle_qw", "handle_qx", "handle_qy", "handle_qz"};
constexpr std::size_t kMoving = 4;  // of them; the others are its turning
constexpr const char* kForm = "a file that `tactus haptic --out` wrote";

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t from = 0;;) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    fields.push_back(line.substr(from, comma - from));
    if (comma == line.size()) return fields;
    from = comma + 1;
  }
}

/// Line by line, without what ends them.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

double number_in(std::string_view field, const Place& place, const char* column) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
    throw InputError(place, fmt::format("column `{}` has `{}`, which is no number", column, field), kForm);
  return value;
}

Specification specification_of_recordings() {
  Specification s;
  s.name = "file";
  s.description = "a recorded motion of the handle, played back";
  s.sensed = s.actuated = kTranslation;  // a coupler may pull at it, in vain
  // The numbers of a usual device, for the design of a coupler: the recording itself yields to nothing.
  s.inertia = {2e-4, 0.2};
  s.damping = {2e-3, 1.5};
  s.continuous = {0.4, 8.0};
  s.peak = {1.0, 20.0};
  s.stiffness = largest_stiffness(s);
  return s;
}

class Recorded final : public Device {
 public:
  Recorded(Recording recording, Specification specification)
      : recording_(std::move(recording)), specification_(std::move(specification)) {}

  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return state_; }
  bool enable() noexcept override {
    stopped_.store(false, std::memory_order_relaxed);
    state_ = State::enabled;
    return true;
  }
  void disable() noexcept override { state_ = State::off; }
  void stop() noexcept override { stopped_.store(true, std::memory_order_release); }

  bool wait() noexcept override {
    if (stopped_.load(std::memory_order_acquire)) disable();
    sample_.t = static_cast<double>(sample_.number) / specification_.rate;
    const math::Pose<double> before = sample_.X_WH;
    sample_.X_WH = pose_at(recording_.t.front() + sample_.t);
    if (sample_.number > 0) {
      const Vec3 turned = math::rotation_vector(sample_.X_WH.R * before.R.transposed());
      for (std::size_t i = 0; i < 3; ++i) {
        sample_.V_WH[i] = specification_.rate * turned[i];
        sample_.V_WH[3 + i] = specification_.rate * (sample_.X_WH.p[i] - before.p[i]);
      }
    }
    ++sample_.number;
    return true;
  }
  bool read(Sample& sample) noexcept override {
    if (sample_.number == 0) return false;
    sample = sample_;
    return true;
  }
  bool command(const Command& command) noexcept override {
    return state_ == State::enabled && finite(command.wrench);
  }

 private:
  math::Pose<double> pose_at(double t) noexcept {
    const std::vector<double>& times = recording_.t;
    while (row_ + 1 < times.size() && times[row_ + 1] <= t) ++row_;  // time goes one way
    const bool last = row_ + 1 == times.size();
    const std::size_t next = last ? row_ : row_ + 1;
    const double part = last ? 0.0 : std::max(0.0, (t - times[row_]) / (times[next] - times[row_]));
    math::Pose<double> X;
    X.p = recording_.p[row_] + part * (recording_.p[next] - recording_.p[row_]);
    if (!recording_.turn.empty()) {
      const math::Mat3<double> R = math::rotation_of(recording_.turn[row_]);
      const Vec3 way = math::rotation_vector(math::rotation_of(recording_.turn[next]) * R.transposed());
      X.R = math::rotation_of(math::exponential(part * way)) * R;
    }
    return X;
  }

  Recording recording_;
  Specification specification_;
  State state_ = State::off;
  std::atomic<bool> stopped_{false};
  Sample sample_{};
  std::size_t row_ = 0;
};

}  // namespace

Recording parse_recording(const std::string& text, const std::string& file) {
  Lines lines(text);
  std::string_view line;
  if (!lines.next(line)) throw InputError({file}, "the recording is empty", kForm);
  const std::vector<std::string_view> names = fields_of(line);
  std::size_t columns[std::size(kColumns)];
  const bool turns = std::find(names.begin(), names.end(), kColumns[kMoving]) != names.end();
  const std::size_t count = turns ? std::size(kColumns) : kMoving;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = std::find(names.begin(), names.end(), kColumns[i]);
    if (at == names.end())
      throw InputError({file, 1}, fmt::format("the recording has no column `{}`", kColumns[i]), kForm);
    columns[i] = static_cast<std::size_t>(at - names.begin());
  }
  Recording recording;
  while (lines.next(line)) {
    if (line.empty()) continue;
    const Place place{file, lines.number()};
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.size() != names.size())
      throw InputError(place, fmt::format("{} fields where there are {} names", fields.size(), names.size()),
                       "was the file cut off?");
    double values[std::size(kColumns)];
    for (std::size_t i = 0; i < count; ++i) values[i] = number_in(fields[columns[i]], place, kColumns[i]);
    if (!recording.t.empty() && !(values[0] > recording.t.back()))
      throw InputError(place, fmt::format("time goes from {:g} to {:g} s", recording.t.back(), values[0]),
                       "every row must be later than the one before");
    recording.t.push_back(values[0]);
    recording.p.push_back({values[1], values[2], values[3]});
    if (!turns) continue;
    const double* const q = values + kMoving;
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    constexpr double kUnit = 1e-3;  // files of other programs may have few digits
    if (!(std::abs(size - 1.0) <= kUnit))
      throw InputError(place, fmt::format("a quaternion of length {:g} is no orientation", size), kForm);
    recording.turn.push_back({q[0] / size, q[1] / size, q[2] / size, q[3] / size});
  }
  if (recording.t.size() < 2)
    throw InputError({file}, fmt::format("the recording has {} rows", recording.t.size()), "two at least");
  return recording;
}

namespace {

/// What the handle does in it: a handle that moves has all axes, so far as its turning was recorded; one that only turns, those about which it
/// does.
std::uint8_t axes_of(const Recording& recording) {
  const bool moves = std::any_of(recording.p.begin(), recording.p.end(), [&](const Vec3& p) {
    const Vec3 way = p - recording.p.front();
    return dot(way, way) > 0.0;
  });
  if (moves) return recording.turn.empty() ? kTranslation : kAllAxes;
  std::uint8_t axes = kNoAxes;
  for (const Quaternion& q : recording.turn) {
    const Vec3 turned =
        math::rotation_vector(math::rotation_of(q) * math::rotation_of(recording.turn.front()).transposed());
    constexpr double kRounding = 1e-9;  // [rad]
    for (std::size_t i = 0; i < 3; ++i)
      if (std::abs(turned[i]) > kRounding) axes |= static_cast<std::uint8_t>(1u << i);
  }
  return axes;
}

Recording read_recording(const std::string& path) {
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, error)) file.open(path, std::ios::binary);
  if (!file.is_open())
    throw InputError({path}, "there is no recording that can be read", fmt::format("file:PATH, {}", kForm));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_recording(text, path);
}

}  // namespace

double length_of_recording(const std::string& path) {
  const Recording recording = read_recording(path);
  return recording.t.back() - recording.t.front();
}

std::unique_ptr<Device> open_recorded(const std::string& path, const DeviceOptions& options) {
  Recording recording = read_recording(path);

  Specification s = specification_of_recordings();
  s.name += ":" + path;
  s.sensed = s.actuated = axes_of(recording);
  if (s.sensed == kNoAxes)
    throw InputError(
        {path},
        fmt::format(
            "in this recording the handle never moves{}",
            recording.turn.empty() ? ", and whether it turned was not recorded (no column `handle_qw`)" : ""),
        "record a run in which it does, with `tactus haptic --out`");
  const double seconds = recording.t.back() - recording.t.front();
  // The recording's own mean rate, without the rounding of its times.
  s.rate = options.rate > 0.0 ? options.rate
                              : std::round(1e6 * static_cast<double>(recording.t.size() - 1) / seconds) / 1e6;
  constexpr double kSlowest = 1.0, kFastest = 1e6;  // [Hz]
  if (!(s.rate >= kSlowest && s.rate <= kFastest))
    throw InputError({path}, fmt::format("the recording has {:.3g} rows per second", s.rate),
                     fmt::format("a loop has {:g} to {:g} ticks: are its times seconds? or give a rate",
                                 kSlowest, kFastest));
  s.stiffness = (s.actuated & kTranslation) != 0 ? largest_stiffness(s) : largest_rotational_stiffness(s);
  return std::make_unique<Recorded>(std::move(recording), std::move(s));
}

Driver find_recorded() { return {specification_of_recordings(), "file:PATH", true, "plays any recording"}; }

}  // namespace tactus::device
