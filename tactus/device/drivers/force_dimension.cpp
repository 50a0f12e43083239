#include <tactus/device/drivers/force_dimension.h>

#include <atomic>
#include <cctype>
#include <cstring>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/drivers/axes.h>
#include <tactus/device/drivers/library.h>
#include <tactus/device/drivers/pace.h>
#include <tactus/device/drivers/trouble.h>
#include <tactus/device/saturation.h>

namespace tactus::device {

namespace {

using Vec3 = math::Vec3<double>;

constexpr int kVersion = 3;  // the one whose functions these are; version 2 had floats

/// The functions of libdhd that are used here, in its own words.
struct Dhd {
  void (*dhdGetSDKVersion)(int* major, int* minor, int* release, int* revision);
  int (*dhdGetDeviceCount)();
  int (*dhdOpen)();
  int (*dhdOpenID)(char ID);
  int (*dhdClose)(char ID);
  const char* (*dhdGetSystemName)(char ID);
  bool (*dhdHasWrist)(char ID);
  bool (*dhdHasActiveWrist)(char ID);
  int (*dhdGetPosition)(double* px, double* py, double* pz, char ID);
  int (*dhdGetOrientationFrame)(double matrix[3][3], char ID);
  int (*dhdGetLinearVelocity)(double* vx, double* vy, double* vz, char ID);
  int (*dhdGetAngularVelocityRad)(double* wx, double* wy, double* wz, char ID);
  int (*dhdSetForceAndTorque)(double fx, double fy, double fz, double tx, double ty, double tz, char ID);
  int (*dhdEnableForce)(unsigned char on, char ID);
  const char* (*dhdErrorGetLastStr)();
};

Dhd load() {
  const Library library("Force Dimension", "TACTUS_LIBDHD", {"libdhd.so.3", "libdhd.so"});
  Dhd dhd{};
#define TACTUS_FIND(name) library.find(dhd.name, #name)
  TACTUS_FIND(dhdGetSDKVersion);
  int major = 0, minor = 0, release = 0, revision = 0;
  dhd.dhdGetSDKVersion(&major, &minor, &release, &revision);
  if (major != kVersion)
    throw InputError({library.path()},
                     fmt::format("Force Dimension: this is version {}.{} of libdhd", major, minor),
                     fmt::format("install version {}", kVersion));
  TACTUS_FIND(dhdGetDeviceCount);
  TACTUS_FIND(dhdOpen);
  TACTUS_FIND(dhdOpenID);
  TACTUS_FIND(dhdClose);
  TACTUS_FIND(dhdGetSystemName);
  TACTUS_FIND(dhdHasWrist);
  TACTUS_FIND(dhdHasActiveWrist);
  TACTUS_FIND(dhdGetPosition);
  TACTUS_FIND(dhdGetOrientationFrame);
  TACTUS_FIND(dhdGetLinearVelocity);
  TACTUS_FIND(dhdGetAngularVelocityRad);
  TACTUS_FIND(dhdSetForceAndTorque);
  TACTUS_FIND(dhdEnableForce);
  TACTUS_FIND(dhdErrorGetLastStr);
#undef TACTUS_FIND
  return dhd;
}

std::string last_error(const Dhd& dhd) {
  const char* const text = dhd.dhdErrorGetLastStr();
  return text != nullptr ? text : "no reason given";
}

/// What is known of a family: sizes and forces of the size that its data sheet gives.
struct Family {
  const char* name;
  double reach;   // [m] half the workspace, half as much again: the origin is not its middle
  double force;   // [N] peak
  double torque;  // [N m] peak, where the wrist has motors
};
constexpr Family kFamilies[] = {{"delta", 0.30, 20.0, 0.2},
                                {"omega", 0.12, 12.0, 0.0},
                                {"sigma", 0.15, 20.0, 0.4},
                                {"lambda", 0.18, 20.0, 0.4},
                                {"falcon", 0.08, 8.0, 0.0}};
constexpr Family kUnknown{"", 0.30, 8.0, 0.1};  // the weakest motors, the largest workspace

Family family_of(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Family& family : kFamilies)
    if (name.find(family.name) != std::string::npos) return family;
  return kUnknown;
}

Specification specification_for(const Family& family, bool wrist, bool active_wrist) {
  Specification s;
  s.name = "forcedimension";
  s.description = "Force Dimension omega, delta, sigma or lambda, Novint Falcon; by libdhd";
  s.sensed = wrist ? kAllAxes : kTranslation;
  s.actuated = wrist && active_wrist ? kAllAxes : kTranslation;
  s.workspace = {family.reach, family.reach, family.reach};
  s.peak = {s.actuated == kAllAxes ? family.torque : 0.0, family.force};
  s.continuous = {0.5 * s.peak[0], 0.5 * s.peak[1]};  // chosen: sheets give the peak alone
  s.resolution = {wrist ? 3e-4 : 0.0, 1e-5};
  // Not in the sheets, and on the safe side: with this damping a coupler of 2000 N/m is the stiffest that is passive at 1 kHz.
  s.inertia = {1e-4, 0.2};
  s.damping = {1e-3, 1.0};
  s.friction = {2e-3, 0.1};
  s.owns_clock = true;
  s.stiffness = largest_stiffness(s);
  return s;
}

class ForceDimension final : public Device {
 public:
  ForceDimension(const Dhd& dhd, char id, Specification specification)
      : dhd_(dhd), id_(id), specification_(std::move(specification)), pace_(specification_.rate) {
    motors_off();
  }
  ~ForceDimension() override {
    motors_off();
    dhd_.dhdClose(id_);
  }

  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return state_; }

  bool enable() noexcept override {
    if (state_ == State::lost) return false;
    if (!set({}) || dhd_.dhdEnableForce(1, id_) < 0) return lose("its forces cannot be switched on:");
    stopped_.store(false, std::memory_order_relaxed);
    state_ = State::enabled;
    return true;
  }
  void disable() noexcept override {
    motors_off();
    if (state_ != State::lost) state_ = State::off;
  }

  /// The library may be called from any thread.
  void stop() noexcept override {
    stopped_.store(true, std::memory_order_release);
    motors_off();
  }

  bool wait() noexcept override {
    if (state_ == State::lost) return false;
    pace_.wait();
    Vec3 p, v, w;
    double R[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool well = dhd_.dhdGetPosition(&p.x, &p.y, &p.z, id_) >= 0 &&
                dhd_.dhdGetLinearVelocity(&v.x, &v.y, &v.z, id_) >= 0;
    if (specification_.sensed == kAllAxes)
      well = well && dhd_.dhdGetOrientationFrame(R, id_) >= 0 &&
             dhd_.dhdGetAngularVelocityRad(&w.x, &w.y, &w.z, id_) >= 0;
    if (!well) return lose("libdhd cannot read it:");
    math::Mat3<double> R_D;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) R_D(i, j) = R[i][j];
    const Vec3 v_W = kForceDimensionAxes.to_world(v), w_W = kForceDimensionAxes.to_world(w);
    sample_.t = pace_.elapsed();
    sample_.X_WH = {kForceDimensionAxes.to_world(R_D), kForceDimensionAxes.to_world(p)};
    sample_.V_WH = {w_W.x, w_W.y, w_W.z, v_W.x, v_W.y, v_W.z};
    if (!finite(sample_)) return lose("libdhd says what is no number");
    ++sample_.number;
    return true;
  }
  bool read(Sample& sample) noexcept override {
    if (sample_.number == 0 || state_ == State::lost) return false;
    sample = sample_;
    return true;
  }
  bool command(const Command& command) noexcept override {
    if (state_ != State::enabled || stopped_.load(std::memory_order_acquire) || !finite(command.wrench)) {
      set({});
      return false;
    }
    return set(saturated(specification_, command.wrench)) || lose("libdhd does not take its force:");
  }
  std::string trouble() const override { return trouble_.text(); }

 private:
  bool set(const Vector6& wrench) noexcept {
    const Vec3 T = kForceDimensionAxes.to_device({wrench[0], wrench[1], wrench[2]}),
               F = kForceDimensionAxes.to_device({wrench[3], wrench[4], wrench[5]});
    return dhd_.dhdSetForceAndTorque(F.x, F.y, F.z, T.x, T.y, T.z, id_) >= 0;
  }
  void motors_off() noexcept {
    set({});
    dhd_.dhdEnableForce(0, id_);
  }
  bool lose(const char* what) noexcept {
    const char* const said = dhd_.dhdErrorGetLastStr();
    trouble_.say(what, said != nullptr && what[std::strlen(what) - 1] == ':' ? said : "",
                 "is it still plugged in and switched on?");
    motors_off();  // it may still hear
    state_ = State::lost;
    return false;
  }

  Dhd dhd_;
  char id_;
  Specification specification_;
  Pace pace_;
  Trouble trouble_;
  State state_ = State::off;
  std::atomic<bool> stopped_{false};
  Sample sample_{};
};

}  // namespace

std::unique_ptr<Device> open_force_dimension(std::optional<int> number, const DeviceOptions& options) {
  const Dhd dhd = load();
  const int id = number ? dhd.dhdOpenID(static_cast<char>(*number)) : dhd.dhdOpen();
  if (id < 0)
    throw InputError({},
                     fmt::format("Force Dimension: {} cannot be opened: {}",
                                 number ? fmt::format("device {}", *number) : "no device", last_error(dhd)),
                     "is it plugged in, switched on, and not used by another program?");
  const char ID = static_cast<char>(id);
  const char* const name = dhd.dhdGetSystemName(ID);
  Specification s = specification_for(family_of(name != nullptr ? name : ""), dhd.dhdHasWrist(ID),
                                      dhd.dhdHasActiveWrist(ID));
  if (name != nullptr) s.description = fmt::format("{} of Force Dimension, by libdhd", name);
  if (number) s.name = fmt::format("{}:{}", s.name, *number);
  if (options.rate > 0.0) s.rate = options.rate;
  s.stiffness = largest_stiffness(s);
  return std::make_unique<ForceDimension>(dhd, ID, std::move(s));
}

Driver find_force_dimension() {
  Driver driver{specification_for(kUnknown, true, false), "forcedimension[:NUMBER]", false, {}};
  try {
    const int count = load().dhdGetDeviceCount();
    driver.available = count > 0;
    driver.found =
        count > 0 ? fmt::format("{} plugged in", count) : "libdhd is there, no device is plugged in";
  } catch (const InputError& error) {
    driver.found = error.wrong();
  }
  return driver;
}

}  // namespace tactus::device
