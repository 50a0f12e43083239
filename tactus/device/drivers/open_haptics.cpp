#include <tactus/device/drivers/open_haptics.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/drivers/axes.h>
#include <tactus/device/drivers/library.h>
#include <tactus/device/drivers/mailbox_device.h>
#include <tactus/device/drivers/pace.h>

namespace tactus::device {

namespace {

using Vec3 = math::Vec3<double>;

// OpenHaptics' numbers, by its own names.
constexpr unsigned kInvalidHandle = 0xFFFFFFFF;  // HD_INVALID_HANDLE
constexpr unsigned kSuccess = 0x0000;            // HD_SUCCESS
constexpr unsigned kForceErrors =
    0x0200;  // HD_WARM_MOTORS and the like: the motors are off, the device is there
constexpr unsigned kDeviceErrors = 0x0300;            // HD_DEVICE_FAULT, HD_COMM_ERROR and the like
constexpr unsigned kCurrentVelocity = 0x2051;         // HD_CURRENT_VELOCITY [mm/s]
constexpr unsigned kCurrentTransform = 0x2052;        // HD_CURRENT_TRANSFORM [mm]
constexpr unsigned kCurrentAngularVelocity = 0x2053;  // HD_CURRENT_ANGULAR_VELOCITY [rad/s]
constexpr unsigned kVersionOfLibrary = 0x2500;        // HD_VERSION
constexpr unsigned kModel = 0x2501;                   // HD_DEVICE_MODEL_TYPE
constexpr unsigned kMaxWorkspace = 0x2550;            // HD_MAX_WORKSPACE_DIMENSIONS [mm]
constexpr unsigned kCalibrationStyle = 0x2555;        // HD_CALIBRATION_STYLE, bits of those that it has
constexpr unsigned kMaxForce = 0x2603;                // HD_NOMINAL_MAX_FORCE [N]
constexpr unsigned kMaxContinuousForce = 0x2604;      // HD_NOMINAL_MAX_CONTINUOUS_FORCE [N]
constexpr unsigned kCurrentForce = 0x2700;            // HD_CURRENT_FORCE [N]
constexpr unsigned kForceOutput = 0x4000;             // HD_FORCE_OUTPUT
constexpr unsigned kCalibrated = 0x5000;              // HD_CALIBRATION_OK
constexpr unsigned kCalibrationIsNew = 0x5001;        // HD_CALIBRATION_NEEDS_UPDATE: it waits to be taken
constexpr unsigned kCalibrateByHand = 0x5002;         // HD_CALIBRATION_NEEDS_MANUAL_INPUT
constexpr int kByItself = 2, kByInkwell = 4;          // HD_CALIBRATION_AUTO, HD_CALIBRATION_INKWELL
constexpr unsigned kContinue = 1;                     // HD_CALLBACK_CONTINUE
constexpr unsigned short kPriority = 0x7FFF;          // HD_DEFAULT_SCHEDULER_PRIORITY

constexpr double kMillimetre = 1e-3;  // [m]
constexpr double kRate = 1000.0;      // [Hz] of the scheduler
/// [s] without a frame: a machine that is busy with other things may be away for a part of it.
constexpr double kSilence = 1.0;

struct ErrorInfo {  // HDErrorInfo
  unsigned error_code;
  int internal_error_code;
  unsigned device;
};

/// The functions of OpenHaptics that are used here, in its own words.
struct Hd {
  unsigned (*hdInitDevice)(const char* name);
  void (*hdDisableDevice)(unsigned device);
  void (*hdMakeCurrentDevice)(unsigned device);
  void (*hdEnable)(unsigned capability);
  void (*hdDisable)(unsigned capability);
  void (*hdStartScheduler)();
  void (*hdStopScheduler)();
  unsigned long (*hdScheduleAsynchronous)(unsigned (*callback)(void*), void* data, unsigned short priority);
  void (*hdUnschedule)(unsigned long handle);
  void (*hdBeginFrame)(unsigned device);
  void (*hdEndFrame)(unsigned device);
  void (*hdGetDoublev)(unsigned parameter, double* values);
  void (*hdSetDoublev)(unsigned parameter, const double* values);
  const char* (*hdGetString)(unsigned parameter);
  ErrorInfo (*hdGetError)();
  const char* (*hdGetErrorString)(unsigned error);
  // Null where a library does not have them: then nobody can ask.
  unsigned (*hdCheckCalibration)();
  void (*hdUpdateCalibration)(unsigned style);
  void (*hdGetIntegerv)(unsigned parameter, int* values);
};

Hd load(std::string& path) {
  const Library library("OpenHaptics", "TACTUS_LIBHD", {"libHD.so.3.4", "libHD.so.3", "libHD.so"});
  path = library.path();
  Hd hd{};
#define TACTUS_FIND(name) library.find(hd.name, #name)
  TACTUS_FIND(hdInitDevice);
  TACTUS_FIND(hdDisableDevice);
  TACTUS_FIND(hdMakeCurrentDevice);
  TACTUS_FIND(hdEnable);
  TACTUS_FIND(hdDisable);
  TACTUS_FIND(hdStartScheduler);
  TACTUS_FIND(hdStopScheduler);
  TACTUS_FIND(hdScheduleAsynchronous);
  TACTUS_FIND(hdUnschedule);
  TACTUS_FIND(hdBeginFrame);
  TACTUS_FIND(hdEndFrame);
  TACTUS_FIND(hdGetDoublev);
  TACTUS_FIND(hdSetDoublev);
  TACTUS_FIND(hdGetString);
  TACTUS_FIND(hdGetError);
  TACTUS_FIND(hdGetErrorString);
#undef TACTUS_FIND
  library.find_if_there(hd.hdCheckCalibration, "hdCheckCalibration");
  library.find_if_there(hd.hdUpdateCalibration, "hdUpdateCalibration");
  library.find_if_there(hd.hdGetIntegerv, "hdGetIntegerv");
  return hd;
}

/// The worst on the library's stack of errors, which is then empty.
unsigned worst_error(const Hd& hd) noexcept {
  unsigned worst = kSuccess;
  constexpr int kMostErrors = 64;  // a stack that never ends is one as well
  for (int k = 0; k < kMostErrors; ++k) {
    const unsigned error = hd.hdGetError().error_code;
    if (error == kSuccess) break;
    worst = std::max(worst, error);
  }
  return worst;
}

/// Of the current device. Encoders count from where the device was switched on: uncalibrated, it tells places
/// that are finite and wrong. A new calibration that waits is taken, where the device found it by itself or
/// in its inkwell; an encoder reset, which makes zero of wherever the handle is, is the user's to ask for.
unsigned calibrate(const Hd& hd) noexcept {
  if (hd.hdCheckCalibration == nullptr) return kCalibrated;
  unsigned status = hd.hdCheckCalibration();
  if (status == kCalibrationIsNew && hd.hdUpdateCalibration != nullptr && hd.hdGetIntegerv != nullptr) {
    int styles = 0;
    hd.hdGetIntegerv(kCalibrationStyle, &styles);
    const int style = (styles & kByItself) != 0 ? kByItself : styles & kByInkwell;
    if (style != 0) hd.hdUpdateCalibration(static_cast<unsigned>(style));
    status = hd.hdCheckCalibration();
  }
  worst_error(hd);
  return status;
}

std::string words_for(const Hd& hd, unsigned error) {
  const char* const text = hd.hdGetErrorString(error);
  return fmt::format("{} (0x{:04x})", text != nullptr ? text : "no reason given", error);
}

Specification usual() {
  Specification s;
  s.name = "openhaptics";
  s.description = "3D Systems Touch or Phantom, by OpenHaptics";
  s.sensed = kAllAxes;
  s.actuated = kTranslation;
  // Of the Touch, as its data sheet has them; a device tells its own forces and workspace.
  s.workspace = {0.25, 0.2, 0.2};
  s.continuous = {0.0, 0.88};
  s.peak = {0.0, 3.3};
  s.resolution = {1e-3, 5.5e-5};
  s.inertia = {1e-4, 0.045};
  s.friction = {0.0, 0.26};
  s.damping = {0.0, 0.5};  // not in the sheet, and on the safe side: 1000 N/m is the stiffest that is passive
  s.rate = kRate;
  s.owns_clock = true;
  s.stiffness = largest_stiffness(s);
  return s;
}

class OpenHaptics final : public MailboxDevice {
 public:
  OpenHaptics(const Hd& hd, unsigned device, Specification specification)
      : MailboxDevice(std::move(specification)), hd_(hd), device_(device) {
    scheduled_ = hd_.hdScheduleAsynchronous(&OpenHaptics::frame, this, kPriority);
    hd_.hdStartScheduler();
  }
  ~OpenHaptics() override {
    disable();
    for (int k = 0; k < 3 && arrived_.wait(kSilence); ++k) {  // one frame at least without a force
    }
    hd_.hdUnschedule(scheduled_);
    hd_.hdStopScheduler();
    hd_.hdDisableDevice(device_);
  }

  // stop(): where the scheduler's own thread hangs in a tick there is no next frame; then the vendor's watchdog is left.
  bool wait() noexcept override { return wait_for_sample(kSilence); }

  void run(Callback callback) noexcept override {
    callback_ = callback;
    turn_ = Turn::frames;
    while (turn_ != Turn::users) {
      if (arrived_.wait(kSilence)) continue;
      // No frame for long. Unless one is in the middle of a tick, the thread is not heard of again.
      Turn expected = Turn::frames;
      if (turn_.compare_exchange_strong(expected, Turn::users)) {
        trouble_.say("OpenHaptics made no frame for a second", {}, "is the device still plugged in?");
        lose();
      }
    }
  }

 private:
  /// Whose turn it is to tick: the user waits by himself; the next frame does it; a frame is at it.
  enum class Turn : std::uint8_t { users, frames, ticking };

  static unsigned frame(void* self) noexcept {
    static_cast<OpenHaptics*>(self)->frame();
    return kContinue;
  }

  // In the scheduler's thread.
  void frame() noexcept {
    hd_.hdBeginFrame(device_);
    if (state() != State::lost) sense();
    Turn expected = Turn::frames;
    if (turn_.compare_exchange_strong(expected, Turn::ticking)) {
      const bool on = state() != State::lost && take() && callback_.tick(callback_.context);
      turn_ = on ? Turn::frames : Turn::users;
    }
    push();
    hd_.hdEndFrame(device_);
    if (const unsigned error = worst_error(hd_); error >= kDeviceErrors) lose_by(error);
    arrived_.tell();
  }

  void sense() noexcept {
    double T[16] = {}, v[3] = {}, w[3] = {};
    hd_.hdGetDoublev(kCurrentTransform, T);
    hd_.hdGetDoublev(kCurrentVelocity, v);
    hd_.hdGetDoublev(kCurrentAngularVelocity, w);
    const unsigned error = worst_error(hd_);
    Sample& sample = samples_.back();
    math::Mat3<double> R;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) R(i, j) = T[4 * j + i];
    const Vec3 v_W = kMillimetre * kOpenHapticsAxes.to_world(Vec3{v[0], v[1], v[2]}),
               w_W = kOpenHapticsAxes.to_world(Vec3{w[0], w[1], w[2]});
    sample.X_WH = {kOpenHapticsAxes.to_world(R),
                   kMillimetre * kOpenHapticsAxes.to_world(Vec3{T[12], T[13], T[14]})};
    sample.V_WH = {w_W.x, w_W.y, w_W.z, v_W.x, v_W.y, v_W.z};
    if (start_ == 0) start_ = Pace::now();
    sample.t = 1e-9 * static_cast<double>(Pace::now() - start_);
    if (error >= kDeviceErrors) return lose_by(error);
    if (!finite(sample)) {
      trouble_.say("OpenHaptics says what is no number");
      return lose();
    }
    if (error >= kForceErrors) {  // too warm, too fast, too strong: the next command is refused
      trouble_.say("OpenHaptics has switched its motors off:", said(error),
                   "let it cool down, and be gentler");
      switch_off();
    }
    samples_.publish();
  }

  const char* said(unsigned error) const noexcept {
    const char* const text = hd_.hdGetErrorString(error);
    return text != nullptr ? text : "no reason given";
  }
  void lose_by(unsigned error) noexcept {
    trouble_.say("OpenHaptics lost it:", said(error), "is it still plugged in?");
    lose();
  }

  void push() noexcept {
    const bool on = state() == State::enabled;
    const Vector6 F = newest_force();
    const Vec3 f = kOpenHapticsAxes.to_device({F[3], F[4], F[5]});
    const double force[3] = {f.x, f.y, f.z};
    if (on && !output_) hd_.hdEnable(kForceOutput);
    hd_.hdSetDoublev(kCurrentForce, force);
    if (!on && output_) hd_.hdDisable(kForceOutput);
    output_ = on;
  }

  Hd hd_;
  unsigned device_;
  unsigned long scheduled_ = 0;
  std::atomic<Turn> turn_ = Turn::users;
  Callback callback_{};

  // Of the scheduler's thread.
  std::int64_t start_ = 0;  // [ns]
  bool output_ = false;
};

}  // namespace

std::unique_ptr<Device> open_open_haptics(const std::string& device, const DeviceOptions& options) {
  std::string path;
  const Hd hd = load(path);
  worst_error(hd);  // of those before us
  const unsigned handle = hd.hdInitDevice(device.empty() ? nullptr : device.c_str());
  const unsigned error = worst_error(hd);
  if (handle == kInvalidHandle || error >= kDeviceErrors)
    throw InputError(
        {},
        fmt::format("OpenHaptics: {} cannot be opened: {}",
                    device.empty() ? "the default device" : "`" + device + "`", words_for(hd, error)),
        "is it plugged in, set up and calibrated with the maker's tools, and not used by another program?");
  hd.hdMakeCurrentDevice(handle);
  const auto refuse = [&](const std::string& wrong, const std::string& remedy) {
    hd.hdDisableDevice(handle);
    throw InputError({path}, wrong, remedy);
  };
  const char* const version = hd.hdGetString(kVersionOfLibrary);
  if (version == nullptr || version[0] != '3')
    refuse(fmt::format("OpenHaptics: this is version {} of HD", version != nullptr ? version : "unknown"),
           "install version 3");
  if (const unsigned status = calibrate(hd); status != kCalibrated)
    refuse(fmt::format("OpenHaptics: the device is not calibrated, and its places would be wrong: {}",
                       status == kCalibrateByHand    ? "it asks to be calibrated by hand"
                       : status == kCalibrationIsNew ? "it has a new calibration that it does not take"
                                                     : fmt::format("HD says 0x{:04x}", status)),
           "put its stylus into the inkwell, or calibrate it with the maker's tools, and start again");

  Specification s = usual();
  if (!device.empty()) s.name += ":" + device;
  if (const char* const model = hd.hdGetString(kModel))
    s.description = fmt::format("{}, by OpenHaptics", model);
  double force = 0.0, continuous = 0.0, box[6] = {};
  hd.hdGetDoublev(kMaxForce, &force);
  hd.hdGetDoublev(kMaxContinuousForce, &continuous);
  hd.hdGetDoublev(kMaxWorkspace, box);
  if (worst_error(hd) == kSuccess && force > 0.0 && std::isfinite(force)) {
    s.peak[1] = force;
    s.continuous[1] = continuous > 0.0 ? std::min(continuous, force) : 0.25 * force;
  }
  const Vec3 low = kOpenHapticsAxes.to_world(Vec3{box[0], box[1], box[2]}),
             high = kOpenHapticsAxes.to_world(Vec3{box[3], box[4], box[5]});
  for (std::size_t i = 0; i < 3; ++i)
    if (const double half = kMillimetre * std::max(std::abs(low[i]), std::abs(high[i])); half > 0.0)
      s.workspace[i] = half;
  if (options.rate > 0.0 && options.rate != kRate)
    refuse(fmt::format("OpenHaptics has a clock of its own, {:g} Hz; {:g} Hz were asked for", kRate,
                       options.rate),
           "leave the rate to the device");
  s.stiffness = largest_stiffness(s);
  return std::make_unique<OpenHaptics>(hd, handle, std::move(s));
}

Driver find_open_haptics() {
  Driver driver{usual(), "openhaptics[:NAME]", false, {}};
  try {
    std::string path;
    load(path);
    driver.available = true;
    driver.found = "the library is there; whether a device is, only opening tells";
  } catch (const InputError& error) {
    driver.found = error.wrong();
  }
  return driver;
}

}  // namespace tactus::device
