// A stand-in for OpenHaptics' libHD: its scheduler is a thread that calls back 1000 times a second.
#include "fakes/libHD_fake.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace {

constexpr unsigned kDevice = 7, kNone = 0xFFFFFFFF;
constexpr unsigned kSuccess = 0, kCommError = 0x0302, kBadHandle = 0x0104;

FakeHd fake{};
std::atomic<unsigned> pending = kSuccess;  // the stack of errors, one deep

unsigned (*callback)(void*) = nullptr;
void* data = nullptr;
std::atomic<bool> scheduled = false, running = false;
std::thread scheduler;

void schedule() {
  auto next = std::chrono::steady_clock::now();
  while (running) {
    next += std::chrono::milliseconds(1);
    if (const auto now = std::chrono::steady_clock::now(); next < now) next = now;  // never in a burst
    std::this_thread::sleep_until(next);
    bool stuck;
    {
      const std::lock_guard lock(fake.mutex);
      stuck = fake.stuck;
    }
    if (scheduled && !stuck && callback(data) == 0) scheduled = false;
  }
}

}  // namespace

extern "C" {

FakeHd* fake_hd() { return &fake; }

unsigned hdInitDevice(const char* name) {
  const std::lock_guard lock(fake.mutex);
  if (!fake.plugged || fake.initialised || (name != nullptr && std::strcmp(name, "Right Device") != 0)) {
    pending = kCommError;
    return kNone;
  }
  fake.initialised = true;
  return kDevice;
}
void hdDisableDevice(unsigned) {
  const std::lock_guard lock(fake.mutex);
  fake.initialised = false;
}
void hdMakeCurrentDevice(unsigned device) {
  if (device != kDevice) pending = kBadHandle;
}
void hdEnable(unsigned what) {
  const std::lock_guard lock(fake.mutex);
  if (what == 0x4000) fake.output = true;
}
void hdDisable(unsigned what) {
  const std::lock_guard lock(fake.mutex);
  if (what == 0x4000) fake.output = false;
}
void hdStartScheduler() {
  running = true;
  scheduler = std::thread(schedule);
}
void hdStopScheduler() {
  running = false;
  if (scheduler.joinable()) scheduler.join();
}
unsigned long hdScheduleAsynchronous(unsigned (*function)(void*), void* context, unsigned short) {
  callback = function;
  data = context;
  scheduled = true;
  return 1;
}
void hdUnschedule(unsigned long) { scheduled = false; }
void hdBeginFrame(unsigned) {
  const std::lock_guard lock(fake.mutex);
  ++fake.frames;
  if (!fake.plugged) pending = kCommError;
  if (fake.error != kSuccess) pending = fake.error;
  fake.error = kSuccess;
}
void hdEndFrame(unsigned) {}
void hdGetDoublev(unsigned what, double* values) {
  const std::lock_guard lock(fake.mutex);
  const double box[] = {-210, -110, -85, 210, 205, 130};
  switch (what) {
    case 0x2052:
      std::memcpy(values, fake.transform, sizeof fake.transform);
      break;
    case 0x2051:
      std::memcpy(values, fake.velocity, sizeof fake.velocity);
      break;
    case 0x2053:
      std::memcpy(values, fake.angular_velocity, sizeof fake.angular_velocity);
      break;
    case 0x2550:
      std::memcpy(values, box, sizeof box);
      break;
    case 0x2603:
      *values = 3.3;
      break;
    case 0x2604:
      *values = 0.88;
      break;
    default:
      pending = 0x0100;
  }
}
void hdSetDoublev(unsigned what, const double* values) {
  const std::lock_guard lock(fake.mutex);
  if (what == 0x2700) std::memcpy(fake.force, values, sizeof fake.force);
}
unsigned hdCheckCalibration() {
  const std::lock_guard lock(fake.mutex);
  return fake.calibration;
}
void hdUpdateCalibration(unsigned style) {
  const std::lock_guard lock(fake.mutex);
  fake.updated_by = style;
  if (fake.calibration == 0x5001) fake.calibration = 0x5000;
}
void hdGetIntegerv(unsigned what, int* values) {
  const std::lock_guard lock(fake.mutex);
  if (what == 0x2555) *values = fake.styles;
}
const char* hdGetString(unsigned what) { return what == 0x2500 ? fake.version : "Touch (fake)"; }

struct HDErrorInfo {
  unsigned code;
  int internal;
  unsigned device;
};
HDErrorInfo hdGetError() { return {pending.exchange(kSuccess), 0, kDevice}; }
const char* hdGetErrorString(unsigned) { return "no communication (fake)"; }
}
