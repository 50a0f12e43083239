// A stand-in for Force Dimension's libdhd: the functions that the driver calls, over a device that a test holds in its hand.
#include "fakes/libdhd_fake.h"

#include <cstring>

namespace {

FakeDhd fake{.p = {0, 0, 0},
             .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
             .v = {0, 0, 0},
             .w = {0, 0, 0},
             .name = "sigma.7 (fake)",
             .wrist = true,
             .active_wrist = true,
             .force = {0, 0, 0},
             .torque = {0, 0, 0},
             .forces_on = false,
             .mass = 0.0,
             .major = 3,
             .devices = 1,
             .opened = false,
             .reads = 0,
             .fails_at = 0,
             .saturated = false,
             .too_soon = false};
constexpr char kId = 5;  // not the number that it was opened by
const char* reason = "none";

bool answers(char id) {
  if (id == kId && fake.opened && fake.devices > 0) return true;
  reason = "device is gone (fake)";
  return false;
}

void move() {
  if (!(fake.mass > 0.0)) return;
  constexpr double kStep = 1e-3, kDamping = 5.0;  // [s], [N s/m]
  for (int i = 0; i < 3; ++i) {
    const double motor = fake.forces_on ? fake.force[i] : 0.0;
    fake.v[i] += kStep * (motor - kDamping * fake.v[i]) / fake.mass;
    fake.p[i] += kStep * fake.v[i];
  }
}

int open_device() {
  if (fake.devices == 0 || fake.opened) {
    reason = "no device (fake)";
    return -1;
  }
  fake.opened = true;
  return kId;
}

}  // namespace

extern "C" {

FakeDhd* fake_dhd() { return &fake; }

void dhdGetSDKVersion(int* major, int* minor, int* release, int* revision) {
  *major = fake.major;
  *minor = 17;
  *release = *revision = 0;
}
int dhdGetDeviceCount() { return fake.devices; }
int dhdOpen() { return open_device(); }
int dhdOpenID(char number) {
  if (number < fake.devices) return open_device();
  reason = "no such device (fake)";
  return -1;
}
int dhdClose(char id) {
  if (id != kId) return -1;
  fake.opened = fake.forces_on = false;
  return 0;
}
const char* dhdGetSystemName(char) { return fake.name; }
bool dhdHasWrist(char) { return fake.wrist; }
bool dhdHasActiveWrist(char) { return fake.active_wrist; }

int dhdGetPosition(double* x, double* y, double* z, char id) {
  if (++fake.reads == fake.fails_at) fake.devices = 0;
  if (!answers(id)) return -1;
  move();
  *x = fake.p[0];
  *y = fake.p[1];
  *z = fake.p[2];
  return fake.too_soon ? 1 : 0;
}
int dhdGetOrientationFrame(double matrix[3][3], char id) {
  if (!answers(id)) return -1;
  std::memcpy(matrix, fake.R, sizeof fake.R);
  return 0;
}
int dhdGetLinearVelocity(double* x, double* y, double* z, char id) {
  if (!answers(id)) return -1;
  *x = fake.v[0];
  *y = fake.v[1];
  *z = fake.v[2];
  return 0;
}
int dhdGetAngularVelocityRad(double* x, double* y, double* z, char id) {
  if (!answers(id)) return -1;
  *x = fake.w[0];
  *y = fake.w[1];
  *z = fake.w[2];
  return 0;
}
int dhdSetForceAndTorque(double fx, double fy, double fz, double tx, double ty, double tz, char id) {
  if (id != kId || !fake.opened) return -1;
  const double force[] = {fx, fy, fz}, torque[] = {tx, ty, tz};
  std::memcpy(fake.force, force, sizeof force);
  std::memcpy(fake.torque, torque, sizeof torque);
  return fake.devices == 0 ? -1 : fake.saturated ? 2 : 0;
}
int dhdEnableForce(unsigned char on, char id) {
  if (id != kId || !fake.opened) return -1;
  fake.forces_on = on != 0;
  return fake.devices == 0 ? -1 : 0;
}
const char* dhdErrorGetLastStr() { return reason; }
}
