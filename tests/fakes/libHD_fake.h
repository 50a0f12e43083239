// What a test sees and sets of the fake OpenHaptics: find `fake_hd` in the library.
#pragma once

#include <mutex>

struct FakeHd {
  std::mutex mutex;  // over all below: the scheduler is a thread

  // The device, in its own axes: x to the right, y up, z towards the user; [mm], [mm/s], [rad/s].
  double transform[16];  // column by column
  double velocity[3], angular_velocity[3];

  double force[3];  // [N] as last set
  bool output;      // HD_FORCE_OUTPUT

  const char* version;
  bool plugged, initialised;
  bool stuck;            // the scheduler calls nobody
  unsigned error;        // raised once, in the next frame
  unsigned calibration;  // what hdCheckCalibration says; a new one that waits is taken by hdUpdateCalibration
  int styles;            // of calibration that it has
  unsigned updated_by;   // the style of the last update
  long frames;
};

using FakeHdFunction = FakeHd*();  // `fake_hd`
